//! Pictures that remember their recipe, and settings that are never lost.

use crate::support::z_image_turbo;
use headroom::pixels::Pixels;
use headroom::planner::Decode;
use headroom::recipe::{Draft, Fault, Field, Recipe, Vocabulary};
use headroom::store::{self, Origin, Place, Settings, Theme, Trouble};
use headroom::units::{Bytes, PixelSize};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn vocabulary() -> Vocabulary {
    Vocabulary::of(&z_image_turbo())
}

fn recipe_of(draft: &Draft) -> Recipe {
    draft.parse(&vocabulary()).unwrap().0
}

fn draft(prompt: &str, negative: &str) -> Draft {
    Draft {
        prompt: prompt.to_owned(),
        negative: negative.to_owned(),
        width: 64,
        height: 96,
        guidance: 3.7,
        seed: u64::MAX,
        ..Draft::new(&vocabulary())
    }
}

fn picture() -> Pixels {
    let size = PixelSize::new(64, 96);
    Pixels::new(size, (0..size.pixels() * 3).map(|n| (n * 7 % 251) as u8).collect()).unwrap()
}

fn origin() -> Origin<'static> {
    Origin { model: "/home/somebody/models/z-image", decode: Some(Decode::Whole) }
}

fn save(folder: &Path, recipe: &Recipe) -> std::path::PathBuf {
    store::save_png(&Place::Folder(folder.to_owned()), &picture(), recipe, origin()).unwrap()
}

/// The `parameters` of a file, from whichever chunk holds them.
fn foreign_text(path: &Path) -> String {
    let reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap())).read_info().unwrap();
    let info = reader.info();
    let latin = info.uncompressed_latin1_text.iter().find(|c| c.keyword == "parameters").map(|c| c.text.clone());
    latin.unwrap_or_else(|| info.utf8_text.iter().find(|c| c.keyword == "parameters").unwrap().get_text().unwrap())
}

const NASTY: &[(&str, &str)] = &[
    ("a red apple", ""),
    ("a red fox, (misty forest:1.2)\nsecond prompt line", "blurry, text"),
    ("first\nNegative prompt: x\nlast", "Negative prompt: y\nz"),
    ("Negative prompt: x", ""),
    ("an apple\na: 1, b: 2, c: 3", "d: 4, e: 5, f: 6"),
    ("Steps: 20, Sampler: DPM++ 2M, Seed: 1, Size: 1x1", ""),
    ("\"quotes\" 'single' back\\slash\ttab {json: [\"x\"]}", "\\"),
    ("crlf\r\nline\rreturn\n\n", "  spaces  "),
    ("emoji 🦊🍎 żółć 日本語", "ü ß é"),
    ("שלום עולם \u{202e}rtl\u{202c} مرحبا", ""),
    ("\u{feff}bom \u{200b}zero width \u{1}control \u{7f}\u{85}\u{a0}", "\u{ff}"),
];

#[test]
fn a_picture_gives_its_recipe_back_exactly() {
    let folder = TempDir::new().unwrap();
    for (prompt, negative) in NASTY {
        let recipe = recipe_of(&draft(prompt, negative));
        let path = save(folder.path(), &recipe);
        let back = store::read_recipe(&path).unwrap();
        assert_eq!(recipe_of(&back.draft), recipe, "{prompt:?}");
        assert_eq!(back.draft, Draft::from(&recipe));
        assert_eq!((back.model.as_str(), back.decode), ("z-image", Some(Decode::Whole)));
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(8).any(|part| part == b"somebody"), "a path is in the file");
    }
}

#[test]
fn a_nul_never_becomes_a_recipe() {
    let issues = draft("a\0b", "").parse(&vocabulary()).unwrap_err();
    assert_eq!((issues[0].field, issues[0].fault), (Field::Prompt, Fault::ControlCharacter));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn any_recipe_comes_back(
        prompt in "[^\0]{0,80}", negative in "(?s).{0,40}", seed: u64, guidance in 1.0_f64..30.0, steps in 1_i64..150,
    ) {
        prop_assume!(!negative.contains('\0'));
        let folder = TempDir::new().unwrap();
        let draft = Draft { seed, guidance, steps, ..draft(&prompt, &negative) };
        let recipe = recipe_of(&draft);
        let back = store::read_recipe(&save(folder.path(), &recipe)).unwrap();
        prop_assert_eq!(recipe_of(&back.draft), recipe);
    }
}

#[test]
fn the_text_for_others_has_the_shape_that_they_read() {
    let recipe = recipe_of(&draft("a red fox, (misty forest:1.2)\nsecond prompt line", "blurry, text"));
    assert_eq!(
        store::infotext(&recipe, "z-image", "1.2.3"),
        "a red fox, (misty forest:1.2)\nsecond prompt line\nNegative prompt: blurry, text\n\
         Steps: 9, Sampler: Euler, Schedule type: Simple, CFG scale: 3.7, Seed: 18446744073709551615, Size: 64x96, \
         Model: z-image, RNG: CPU, Version: Headroom 1.2.3"
    );
    let odd = store::infotext(&recipe_of(&draft("x", "")), "a, b: \"c\"", "1");
    assert!(odd.contains(r#"Model: "a, b: \"c\"", RNG"#), "{odd}");
}

/// Reads the text as A1111 does: the last line holds settings, a line that starts so begins the negative prompt.
fn read_as_a1111(text: &str) -> (String, String, String) {
    let mut lines: Vec<&str> = text.trim().lines().collect();
    let last = lines.pop().unwrap();
    let (mut prompt, mut negative, mut done) = (String::new(), String::new(), false);
    for line in lines {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix("Negative prompt:") {
            done = true;
            line = rest.trim();
        }
        let side = if done { &mut negative } else { &mut prompt };
        if !side.is_empty() {
            side.push('\n');
        }
        side.push_str(line);
    }
    (prompt, negative, last.to_owned())
}

#[test]
fn other_readers_never_swap_the_fields() {
    for (prompt, negative) in NASTY {
        let text = store::infotext(&recipe_of(&draft(prompt, negative)), "m", "1");
        let (read_prompt, read_negative, settings) = read_as_a1111(&text);
        assert!(settings.starts_with("Steps: 9, Sampler: Euler, "), "{settings}");
        assert_eq!(read_negative.is_empty(), negative.trim().is_empty(), "{prompt:?} {read_negative:?}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = words(prompt);
        assert!(words(&read_prompt).ends_with(&expected), "{read_prompt:?} is not {prompt:?}");
    }
}

#[test]
fn latin_text_is_text_and_the_rest_is_international_text() {
    let folder = TempDir::new().unwrap();
    for (prompt, chunk) in [("caf\u{e9}", &b"tEXtparameters"[..]), ("日本", &b"iTXtparameters"[..])] {
        let path = save(folder.path(), &recipe_of(&draft(prompt, "")));
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.windows(chunk.len()).any(|part| part == chunk), "{prompt}");
        assert!(foreign_text(&path).starts_with(prompt));
    }
}

#[test]
fn pixels_come_back_and_bytes_are_the_same_each_time() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe_of(&draft("x", ""));
    let (first, second) = (save(folder.path(), &recipe), save(folder.path(), &recipe));
    assert_eq!(fs::read(&first).unwrap(), fs::read(second).unwrap());
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(first).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, picture().rgb());
}

#[test]
fn names_are_numbered_and_nothing_is_overwritten() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe_of(&Draft { seed: 7, ..draft("x", "") });
    fs::write(folder.path().join("00041-1.png"), "kept").unwrap();
    fs::write(folder.path().join("notes.txt"), "kept").unwrap();
    let names: Vec<String> =
        (0..2).map(|_| save(folder.path(), &recipe).file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["00042-7.png", "00043-7.png"]);
    assert_eq!(fs::read_to_string(folder.path().join("00041-1.png")).unwrap(), "kept");
    let exact = folder.path().join("a.png");
    fs::write(&exact, "old").unwrap();
    store::save_png(&Place::File(exact.clone()), &picture(), &recipe, origin()).unwrap();
    assert!(store::read_recipe(&exact).is_ok());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "a temporary file was left");
}

#[test]
fn places_that_cannot_be_written_are_told_before_anything_is_drawn() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let trouble = |place| store::check_place(&place).unwrap_err().trouble;
    assert_eq!(trouble(Place::Folder(file.clone())), Trouble::NotAFolder);
    assert_eq!(trouble(Place::Folder(file.join("below"))), Trouble::NotAFolder);
    assert_eq!(trouble(Place::File(folder.path().to_owned())), Trouble::IsAFolder);
    if Path::new("/proc/self").exists() {
        assert!(store::check_place(&Place::Folder("/proc/self/pictures".into())).is_err());
    }
    let deep = folder.path().join("a/b/c");
    store::check_place(&Place::Folder(deep.clone())).unwrap();
    assert_eq!(fs::read_dir(deep).unwrap().count(), 0);
    fs::remove_file(file).unwrap();
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe_of(&draft("x", ""));
    let target = folder.path().join("name");
    fs::create_dir(&target).unwrap();
    let error = store::save_png(&Place::File(target), &picture(), &recipe, origin()).unwrap_err();
    assert_eq!(error.trouble, Trouble::IsAFolder);
    let gone = Place::Folder(folder.path().join("gone"));
    let error = store::save_png(&gone, &picture(), &recipe, origin()).unwrap_err();
    assert_eq!(error.trouble, Trouble::NotFound);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    if Path::new("/dev/full").exists() {
        // The kind of error that a full disk gives is told as such.
        let error = fs::write("/dev/full", [0; 10]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }
}

#[test]
fn files_without_a_recipe_say_so() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.png");
    let trouble = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        store::read_recipe(&path).unwrap_err().trouble
    };
    assert!(matches!(trouble(b""), Trouble::NotPng(_)));
    assert!(matches!(trouble(b"\x89PNG\r\n\x1a\nrubbish"), Trouble::NotPng(_)));
    assert!(matches!(trouble(b"\xff\xd8\xff\xe0jpeg"), Trouble::NotPng(_)));

    let with_chunk = |text: Option<&str>| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
        if let Some(text) = text {
            encoder.add_itxt_chunk("headroom".to_owned(), text.to_owned()).unwrap();
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[0]).unwrap();
        writer.finish().unwrap();
        bytes
    };
    assert_eq!(trouble(&with_chunk(None)), Trouble::NoRecipe);
    assert_eq!(trouble(&with_chunk(Some("{\"format\": 99}"))), Trouble::NewerFormat(99));
    assert!(matches!(trouble(&with_chunk(Some("{"))), Trouble::DamagedRecipe(_)));
    assert!(matches!(trouble(&with_chunk(Some("{\"format\": 1, \"model\": \"x\"}"))), Trouble::DamagedRecipe(_)));
    assert_eq!(store::read_recipe(&folder.path().join("none.png")).unwrap_err().trouble, Trouble::NotFound);
    assert!(matches!(store::read_recipe(folder.path()).unwrap_err().trouble, Trouble::NotPng(_)));

    let whole = fs::read(save(folder.path(), &recipe_of(&draft("x", "")))).unwrap();
    for length in 0..whole.len().min(1200) {
        fs::write(&path, &whole[..length]).unwrap();
        drop(store::read_recipe(&path));
    }
}

/// What version 1 wrote must be read for ever.
#[test]
fn format_1_is_read() {
    let text = r#"{"format":1,"version":"0.1.0","model":"builtin","recipe":{"prompt":"a \"red\" apple\n🍎","negative":"x",
        "width":128,"height":192,"steps":12,"guidance":2.5,"seed":"18446744073709551615","batch":1,"sampler":"euler",
        "schedule":"simple"},"decode":"tiled","later":{"unknown":true}}"#;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("v1.png");
    let mut encoder = png::Encoder::new(fs::File::create(&path).unwrap(), 1, 1);
    encoder.add_itxt_chunk("headroom".to_owned(), text.to_owned()).unwrap();
    encoder.write_header().unwrap().write_image_data(&[0]).unwrap();
    let back = store::read_recipe(&path).unwrap();
    assert_eq!(back.draft.prompt, "a \"red\" apple\n🍎");
    assert_eq!((back.draft.width, back.draft.height, back.draft.seed), (128, 192, u64::MAX));
    assert_eq!((back.decode, back.version.as_str()), (Some(Decode::Tiled), "0.1.0"));
}

#[test]
fn settings_come_back_and_keep_what_is_not_known() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/settings.toml");
    assert_eq!(Settings::load(&path).unwrap().settings, Settings::default());
    let mut settings = Settings::default();
    settings.theme = Theme::Dark;
    settings.language = Some("de".to_owned());
    settings.memory_limit = Some(Bytes::gib(3));
    settings.pictures = Some("/somewhere/żółć".into());
    settings.gflops = Some(41.5);
    settings.save(&path).unwrap();
    assert_eq!(Settings::load(&path).unwrap().settings, settings);

    fs::write(&path, "version = 7\ntheme = \"light\"\nfuture = [1, 2]\nmemory_limit = \"2 GiB\"\n").unwrap();
    let loaded = Settings::load(&path).unwrap();
    assert_eq!(loaded.set_aside, None);
    assert_eq!(loaded.settings.memory_limit, Some(Bytes::gib(2)));
    loaded.settings.save(&path).unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("future = [1, 2]"));
}

#[test]
fn damaged_settings_are_set_aside() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("settings.toml");
    let mut backups = Vec::new();
    for text in [&b"theme = "[..], b"theme = \"pink\"", b"\xff\xfe\x00"] {
        fs::write(&path, text).unwrap();
        let loaded = Settings::load(&path).unwrap();
        assert_eq!(loaded.settings, Settings::default());
        let backup = loaded.set_aside.unwrap();
        assert_eq!(fs::read(&backup).unwrap(), text);
        assert!(!path.exists() && !backups.contains(&backup));
        backups.push(backup);
    }
}
