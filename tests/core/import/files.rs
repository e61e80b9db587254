//! Pictures, preset files and wildcard lists as files: containers, encodings, damage, and what is written.

use super::assert_left;
use crate::support::z_image_turbo;
use flate2::{Compression, write::ZlibEncoder};
use headroom::pixels::Pixels;
use headroom::planner::Decode;
use headroom::recipe::preset::{Format, Preset, Words};
use headroom::recipe::restore::{Program, Why};
use headroom::recipe::{Draft, Partial, Recipe, Rng, Sampler, Schedule, Vocabulary};
use headroom::store::{self, ExportFormat, Import, Origin, Place, PresetSource, Said, Trouble};
use headroom::units::PixelSize;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use proptest::prelude::*;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const TEXT: &str = "a red fox\nNegative prompt: blurry\nSteps: 20, Sampler: Euler, CFG scale: 7, Seed: 42, Size: 64x96";

fn recipe() -> Recipe {
    let vocabulary = Vocabulary::of(&z_image_turbo());
    let draft = Draft {
        prompt: "a red fox 🦊\nsecond, line: \"x\"".to_owned(),
        negative: "żółty".to_owned(),
        width: 64,
        height: 96,
        guidance: 3.7,
        seed: u64::MAX,
        ..Draft::new(&vocabulary)
    };
    draft.parse(&vocabulary).unwrap().0
}

fn pixels() -> Pixels {
    let size = PixelSize::new(64, 96);
    Pixels::new(size, (0..size.pixels() * 3).map(|n| (n / 97 % 251) as u8).collect()).unwrap()
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// A PNG of one pixel with chunks before and behind its data.
fn png(before: &[(&[u8; 4], Vec<u8>)], behind: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut plain = Vec::new();
    png::Encoder::new(&mut plain, 1, 1).write_header().unwrap().write_image_data(&[0]).unwrap();
    let end = plain.len() - 12;
    // Signature and header are 33 bytes, the end is 12.
    let mut bytes = plain[..33].to_vec();
    for (kind, data) in before {
        bytes.extend(chunk(**kind, data));
    }
    bytes.extend(&plain[33..end]);
    for (kind, data) in behind {
        bytes.extend(chunk(**kind, data));
    }
    bytes.extend(&plain[end..]);
    bytes
}

fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(&kind);
    sum.update(data);
    [&(data.len() as u32).to_be_bytes()[..], &kind, data, &sum.sum().to_be_bytes()].concat()
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn keyed(key: &str, rest: &[u8]) -> Vec<u8> {
    [key.as_bytes(), b"\0", rest].concat()
}

#[test]
fn every_text_chunk_of_a_png_is_read() {
    let folder = TempDir::new().unwrap();
    let text = |negative: &str| TEXT.replace("blurry", negative);
    let latin: Vec<u8> = text("café").chars().map(|c| c as u32 as u8).collect();
    let utf8 = text("żółw").into_bytes();
    let international = |packed: u8, body: &[u8]| {
        keyed("parameters", &[&[packed, 0][..], b"pl\0", "ustawienia\0".as_bytes(), body].concat())
    };
    let cases: [(&str, &[u8; 4], Vec<u8>, &str); 5] = [
        ("Latin-1", b"tEXt", keyed("parameters", &latin), "café"),
        // As stable-diffusion.cpp and others write it against the book.
        ("UTF-8", b"tEXt", keyed("parameters", &utf8), "żółw"),
        ("compressed", b"zTXt", keyed("parameters", &[b"\0", &packed(&latin)[..]].concat()), "café"),
        ("international", b"iTXt", international(0, &utf8), "żółw"),
        ("international and compressed", b"iTXt", international(1, &packed(&utf8)), "żółw"),
    ];
    for (name, kind, data, negative) in cases {
        for behind in [false, true] {
            let chunks = [(kind, data.clone())];
            let bytes = if behind { png(&[], &chunks) } else { png(&chunks, &[]) };
            let found = store::read_settings(&write(&folder, "x.png", &bytes)).unwrap();
            assert_eq!(found.settings.negative.as_deref(), Some(negative), "{name}, behind the data: {behind}");
            assert_eq!(found.settings.seed, Some(42));
        }
    }
}

#[test]
fn texts_that_swell_or_claim_gigabytes_are_bounded() {
    let folder = TempDir::new().unwrap();
    let bomb = packed(&vec![b'a'; 64 << 20]);
    let bytes = png(
        &[(b"zTXt", keyed("parameters", &[b"\0", &bomb[..]].concat()))],
        &[(b"tEXt", keyed("parameters", TEXT.as_bytes()))],
    );
    // The first text is cut, and is no text of settings.
    drop(store::import_file(&write(&folder, "bomb.png", &bytes)).unwrap());
    let mut huge = png(&[], &[]);
    huge.truncate(huge.len() - 12);
    huge.extend(0xffff_fff0_u32.to_be_bytes());
    huge.extend(b"tEXtparameters\0x");
    assert!(matches!(store::import_file(&write(&folder, "huge.png", &huge)), Ok(Import::Picture { .. })));
}

#[test]
fn exports_carry_the_settings_or_nothing_at_all() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe();
    let said =
        Said { recipe: &recipe, origin: Origin { model: "/home/somebody/z-image", decode: Some(Decode::Whole) } };
    for (name, format) in
        [("a.png", ExportFormat::Png), ("a.jpg", ExportFormat::Jpeg(90)), ("a.webp", ExportFormat::WebP)]
    {
        let path = folder.path().join(name);
        assert_eq!(ExportFormat::of(&path).as_ref().map(std::mem::discriminant), Some(std::mem::discriminant(&format)));
        store::export(&path, &pixels(), format, Some(said)).unwrap();
        let found = store::read_settings(&path).unwrap();
        assert_eq!((found.program, found.model.unwrap().name.as_str()), (Program::Headroom, "z-image"), "{name}");
        assert_eq!(found.settings, Partial::from(&Draft::from(&recipe)), "{name}");
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(8).any(|part| part == b"somebody"), "a path is in {name}");

        let opened = store::open_picture(&path).unwrap();
        let worst = opened.rgb().iter().zip(pixels().rgb()).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(worst <= if format == ExportFormat::Jpeg(90) { 60 } else { 0 }, "{name}: {worst}");

        store::export(&path, &pixels(), format, None).unwrap();
        let size = PixelSize::new(64, 96);
        assert_eq!(store::import_file(&path).unwrap(), Import::Picture { size }, "{name}");
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(3).any(|part| part == b"fox" || part == b"ste"), "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "a temporary file was left");
}

/// Other programs find A1111's text in an exported JPEG: without our own JSON the settings are still there.
#[test]
fn an_exported_jpeg_is_read_by_others() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe();
    let said = Said { recipe: &recipe, origin: Origin { model: "m", decode: None } };
    let path = folder.path().join("a.jpg");
    store::export(&path, &pixels(), ExportFormat::Jpeg(90), Some(said)).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(9).position(|part| part == b"headroom:").unwrap();
    bytes[at] = b'X';
    let found = store::read_settings(&write(&folder, "b.jpg", &bytes)).unwrap();
    assert_eq!((found.settings.seed, found.settings.steps), (Some(u64::MAX), Some(9)));
    assert_eq!(found.settings.negative.as_deref(), Some("żółty"));
}

#[test]
fn a_jpeg_with_xmp_and_a_webp_of_comfyui() {
    let folder = TempDir::new().unwrap();
    let mut jpeg = Vec::new();
    DynamicImage::new_rgb8(8, 8).write_to(&mut Cursor::new(&mut jpeg), ImageFormat::Jpeg).unwrap();
    let xmp = br#"http://ns.adobe.com/xap/1.0/ <x:xmpmeta><rdf:li>{"c":"a fox","uc":"","seed":7,"steps":8,"size":"64x96"}</rdf:li></x:xmpmeta>"#;
    let mut xmp = xmp.to_vec();
    xmp[28] = 0;
    let segment = [&b"\xff\xe1"[..], &(xmp.len() as u16 + 2).to_be_bytes(), &xmp].concat();
    let with_xmp = [&jpeg[..2], &segment, &jpeg[2..]].concat();
    // Named for what it is not.
    let found = store::read_settings(&write(&folder, "really-a-jpeg.png", &with_xmp)).unwrap();
    assert_eq!((found.program, found.settings.seed), (Program::DrawThings, Some(7)));

    let mut webp = Vec::new();
    DynamicImage::new_rgb8(8, 8).write_to(&mut Cursor::new(&mut webp), ImageFormat::WebP).unwrap();
    let graph = br#"prompt:{"3":{"class_type":"KSampler","inputs":{"seed":5,"steps":6,"cfg":2,"sampler_name":"euler","scheduler":"simple","model":["4",0]}}}"#;
    let mut exif = b"II*\0\x08\0\0\0\x01\0".to_vec();
    exif.extend(0x010f_u16.to_le_bytes());
    exif.extend(2_u16.to_le_bytes());
    exif.extend((graph.len() as u32).to_le_bytes());
    exif.extend(26_u32.to_le_bytes());
    exif.extend([0; 4]);
    exif.extend(graph);
    webp.extend(b"EXIF");
    webp.extend((exif.len() as u32).to_le_bytes());
    webp.extend(&exif);
    let found = store::read_settings(&write(&folder, "a.webp", &webp)).unwrap();
    assert_eq!((found.program, found.settings.steps), (Program::ComfyUi, Some(6)));
}

/// A1111 #8504, sd-webui-ux #32, `UltimateSDUpscale` #113: pictures of every kind open, absurd ones are refused unread.
#[test]
fn pictures_of_every_kind_open() {
    let folder = TempDir::new().unwrap();
    let save = |name: &str, image: DynamicImage, format: ImageFormat| {
        let mut bytes = Vec::new();
        image.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        write(&folder, name, &bytes)
    };
    let one = save("one.png", DynamicImage::new_rgb8(1, 1), ImageFormat::Png);
    assert_eq!(store::open_picture(&one).unwrap().size(), PixelSize::new(1, 1));
    let deep = save("deep.png", DynamicImage::new_rgb16(3, 2), ImageFormat::Png);
    assert_eq!(store::open_picture(&deep).unwrap().size(), PixelSize::new(3, 2));
    let gray = save("gray.jpg", DynamicImage::new_luma8(3, 2), ImageFormat::Jpeg);
    assert_eq!(store::open_picture(&gray).unwrap().rgb().len(), 18);
    // What is transparent lies on white.
    let clear = RgbaImage::from_fn(2, 1, |x, _| Rgba([10, 20, 30, if x == 0 { 0 } else { 255 }]));
    let clear = save("clear.png", clear.into(), ImageFormat::Png);
    assert_eq!(store::open_picture(&clear).unwrap().rgb(), [255, 255, 255, 10, 20, 30]);

    let mut palette = Vec::new();
    let mut encoder = png::Encoder::new(&mut palette, 2, 1);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(vec![1, 2, 3, 4, 5, 6]);
    encoder.write_header().unwrap().write_image_data(&[0, 1]).unwrap();
    assert_eq!(store::open_picture(&write(&folder, "palette.png", &palette)).unwrap().rgb(), [1, 2, 3, 4, 5, 6]);

    // Turned by its camera: 8 x 16 lies on its side.
    let wide = RgbImage::from_fn(16, 8, |x, _| Rgb([if x < 8 { 255 } else { 0 }, 0, 0]));
    let mut jpeg = Vec::new();
    DynamicImage::from(wide).write_to(&mut Cursor::new(&mut jpeg), ImageFormat::Jpeg).unwrap();
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let segment = [&b"\xff\xe1"[..], &(exif.len() as u16 + 2).to_be_bytes(), exif].concat();
    let turned = write(&folder, "turned.jpg", &[&jpeg[..2], &segment, &jpeg[2..]].concat());
    let opened = store::open_picture(&turned).unwrap();
    assert_eq!(opened.size(), PixelSize::new(8, 16));
    assert!(opened.rgb()[0] > 200, "the left half is on top now");

    let mut large = png(&[], &[]);
    large[16..24].copy_from_slice(&[&30_000_u32.to_be_bytes()[..], &30_000_u32.to_be_bytes()].concat());
    let sum = chunk(*b"IHDR", &large[16..29]);
    large[29..33].copy_from_slice(&sum[sum.len() - 4..]);
    let error = store::open_picture(&write(&folder, "large.png", &large)).unwrap_err();
    assert_eq!(error.trouble, Trouble::TooLarge(30_000, 30_000));
    for bytes in [&b"GIF89a"[..], b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"] {
        assert!(matches!(
            store::open_picture(&write(&folder, "bad", bytes)).unwrap_err().trouble,
            Trouble::NotPicture(_)
        ));
    }
    assert!(matches!(store::open_picture(folder.path()).unwrap_err().trouble, Trouble::NotPicture(_)));
}

#[test]
fn files_cut_anywhere_give_what_they_have() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe();
    let said = Said { recipe: &recipe, origin: Origin { model: "m", decode: None } };
    for format in [ExportFormat::Png, ExportFormat::Jpeg(40), ExportFormat::WebP] {
        let path = folder.path().join("whole");
        store::export(&path, &Pixels::blank(PixelSize::new(16, 16)), format, Some(said)).unwrap();
        let bytes = fs::read(&path).unwrap();
        for length in (0..bytes.len()).step_by(3) {
            drop(store::import_file(&write(&folder, "cut", &bytes[..length])));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_bytes_make_the_importer_panic(
        start in 0_usize..4, bytes in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let start: &[u8] = [&b"\x89PNG\r\n\x1a\n"[..], b"\xff\xd8\xff\xe1", b"RIFF\0\0\0\0WEBPEXIF", b""][start];
        let folder = TempDir::new().unwrap();
        drop(store::import_file(&write(&folder, "x", &[start, &bytes].concat())));
    }
}

#[test]
fn a_file_is_what_is_in_it() {
    let folder = TempDir::new().unwrap();
    let import = |name: &str, bytes: &[u8]| store::import_file(&write(&folder, name, bytes)).unwrap();
    assert_eq!(import("a.png", b"GGUF\x03\0\0\0"), Import::Weights);
    assert_eq!(import("a.txt", &[&[0x40, 0, 0, 0, 0, 0, 0, 0][..], b"{\"a\":1}   "].concat()), Import::Weights);
    assert!(matches!(import("settings.csv", TEXT.as_bytes()), Import::Settings { .. }));
    let utf16: Vec<u8> =
        "\u{feff}name,prompt,negative_prompt\r\nInk,ink żółty,\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let Import::Presets(found) = import("styles.png", &utf16) else { panic!("no presets") };
    assert_eq!(found.presets[0].settings.prompt.as_deref(), Some("ink żółty"));
    let list = "\u{feff}# animals\r\nfox\r\n\r\nowl\r\n";
    let entries = vec!["fox".to_owned(), "owl".to_owned()];
    assert_eq!(import("animals.txt", list.as_bytes()), Import::Wildcards { name: "animals".to_owned(), entries });
    assert_eq!(import("animals.md", list.as_bytes()), Import::Unknown);
    assert_eq!(import("noise.txt", &[7, 1, 2, 3, 200, 201, 202]), Import::Unknown);
    assert_eq!(import("empty.txt", b""), Import::Unknown);
    assert_eq!(store::import_file(&folder.path().join("none")).unwrap_err().trouble, Trouble::NotFound);
    assert!(store::import_file(folder.path()).is_err());
}

fn preset() -> Preset {
    Preset {
        name: "Ink: \"fine\" / 🦊".to_owned(),
        description: "two\nlines".to_owned(),
        words: Words::Whole,
        settings: Partial {
            prompt: Some("a {prompt} \"x\" \\ '''\n".to_owned()),
            negative: Some(String::new()),
            width: Some(640),
            height: Some(512),
            steps: Some(12),
            guidance: Some(3.5),
            distilled: Some(4.25),
            seed: Some(u64::MAX),
            batch: Some(2),
            sampler: Some(Sampler::Dpmpp2m),
            schedule: Some(Schedule::Karras),
            rng: Some(Rng::Nv),
        },
        model: Some("builtin".to_owned()),
    }
}

#[test]
fn our_own_presets_come_back_exactly() {
    let presets = [preset(), Preset { name: "b".to_owned(), ..Preset::default() }];
    let text = store::presets_to_toml(&presets).unwrap();
    let found = store::presets_from_toml(&text).unwrap();
    assert_eq!((found.format, found.presets.as_slice(), found.left.len()), (Format::Own, &presets[..], 0));
    let Import::Presets(pasted) = store::import_text(&text, "x") else { panic!("no presets") };
    assert_eq!(pasted.presets, presets);
    let odd = "headroom_preset = 1\n[[preset]]\nname = \"x\"\nsize = \"big\"\nsampler = \"magic\"\nwords = \"odd\"\nfuture = 3\n";
    let found = store::presets_from_toml(odd).unwrap();
    for (what, value, why) in [
        ("x: size", "big", Why::Unreadable),
        ("x: sampler", "magic", Why::UnknownValue),
        ("x: words", "odd", Why::UnknownValue),
        ("x: future", "3", Why::NotHere),
    ] {
        assert_left(&found.left, what, value, why);
    }
    for text in ["headroom_preset", "headroom_preset = 1\n[[preset]]\nsteps = 3", "name = \"x\"", ""] {
        assert_eq!(store::presets_from_toml(text), None, "{text}");
    }
}

#[test]
fn the_folder_of_presets() {
    let folder = TempDir::new().unwrap();
    let presets = folder.path().join("deep/presets");
    let built_in = store::starters().len();
    assert_eq!(store::list_presets(&presets).0.len(), built_in, "a folder that is not there is empty");
    let first = store::save_preset(&presets, &preset(), false).unwrap();
    let second = store::save_preset(&presets, &preset(), false).unwrap();
    assert!(first != second && first.parent() == Some(presets.as_path()));
    assert_eq!(store::save_preset(&presets, &preset(), true).unwrap(), first);
    for (name, file) in
        [("CON", "_CON"), ("../../evil", "_.._evil"), ("", "preset"), ("a.b.", "a.b"), ("lpt1.x", "_lpt1.x")]
    {
        let path = store::save_preset(&presets, &Preset { name: name.to_owned(), ..preset() }, false).unwrap();
        assert_eq!(
            (path.file_stem().unwrap().to_str().unwrap(), path.parent()),
            (file, Some(presets.as_path())),
            "{name}"
        );
    }
    let long = store::save_preset(&presets, &Preset { name: "ż".repeat(500), ..preset() }, false).unwrap();
    assert!(long.file_name().unwrap().len() < 100);
    fs::write(presets.join("bad.toml"), "theme = 3").unwrap();
    fs::write(presets.join("._mac.toml"), "rubbish").unwrap();
    let (all, bad) = store::list_presets(&presets);
    assert_eq!((all.len(), bad.len()), (built_in + 8, 1));
    assert!(bad[0].path.ends_with("bad.toml") && !bad[0].hint().is_empty());
    assert_eq!(all.iter().filter(|stored| stored.source == PresetSource::BuiltIn).count(), built_in);

    // Two in one file: taking one out leaves the other.
    let shared = presets.join("shared.toml");
    let other = Preset { name: "other".to_owned(), ..preset() };
    store::write_presets(&shared, &[preset(), other.clone()]).unwrap();
    store::remove_preset(&shared, &preset().name).unwrap();
    assert_eq!(store::presets_from_toml(&fs::read_to_string(&shared).unwrap()).unwrap().presets, [other]);
    store::remove_preset(&shared, "other").unwrap();
    assert!(!shared.exists() && first.exists());
}

/// Invoke #9307 and its kin: lists in every encoding, and names that lead nowhere.
#[test]
fn wildcard_lists_on_disk() {
    let folder = TempDir::new().unwrap();
    let utf16: Vec<u8> = "\u{feff}fox\r\nżółw\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    write(&folder, "animals.txt", &utf16);
    write(&folder, "empty.txt", b"");
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("sub/a.txt"), "x").unwrap();
    write(&folder, "secret.txt", b"s");
    let inner = folder.path().join("sub");
    assert_eq!(store::wildcard_list(folder.path(), "animals").unwrap(), ["fox", "żółw"]);
    assert_eq!(store::wildcard_list(folder.path(), "sub/a").unwrap(), ["x"]);
    assert_eq!(store::wildcard_list(folder.path(), "empty").unwrap(), [] as [&str; 0]);
    for name in ["none", "../secret", "/etc/hostname", ""] {
        assert_eq!(store::wildcard_list(&inner, name), None, "{name}");
    }
    let entries = ["red".to_owned(), "blue".to_owned()];
    store::save_wildcards(folder.path(), "my colours", &entries).unwrap();
    assert_eq!(store::wildcard_list(folder.path(), "my colours").unwrap(), entries);
    assert!(store::wildcard_names(folder.path()).contains(&"my colours".to_owned()));
}

/// The presets that come with the program ask the built-in model for what it knows.
#[test]
fn the_starter_set_fits_the_built_in_model() {
    let starters = store::starters();
    assert_eq!(starters.len(), 12);
    let things =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/builtin/train/things.txt")).unwrap();
    let known: Vec<&str> =
        things.lines().filter_map(|line| line.split_once(": ")).flat_map(|(_, names)| names.split(", ")).collect();
    let filler = "a an on in background style small big flat glossy cartoon white red orange yellow green blue purple pink black gray brown";
    let vocabulary = Vocabulary::of(&z_image_turbo());
    let mut names = std::collections::BTreeSet::new();
    for preset in &starters {
        assert!(names.insert(&preset.name), "{} is there twice", preset.name);
        assert!(!preset.description.is_empty() && preset.model.as_deref() == Some("builtin"));
        let draft = preset.over(&Draft { prompt: "a cat".to_owned(), ..Draft::new(&vocabulary) });
        assert!(draft.parse(&vocabulary).is_ok(), "{}", preset.name);
        for word in draft.prompt.replace([',', '.'], " ").split_whitespace() {
            assert!(known.contains(&word) || filler.split(' ').any(|known| known == word), "{}: {word}", preset.name);
        }
    }
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/presets")).unwrap().count();
    assert_eq!(files, starters.len(), "a file of the folder is not in the program");
}

#[test]
fn a_settings_picture_of_ours_is_read_exactly() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe();
    let origin = Origin { model: "z", decode: None };
    let path = store::save_png(&Place::Folder(folder.path().to_owned()), &pixels(), &recipe, origin).unwrap();
    let Import::Settings { restored, size } = store::import_file(&path).unwrap() else { panic!("no settings") };
    assert_eq!((restored.program, size), (Program::Headroom, Some(recipe.size())));
    assert_eq!(restored.settings, Partial::from(&Draft::from(&recipe)));
    assert_eq!(restored.left, []);
}
