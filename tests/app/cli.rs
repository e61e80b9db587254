//! The command line as a program: exit codes, messages and JSON of the real binary.

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const TINY: [&str; 4] = ["--size", "64x64", "--steps", "1"];

/// A place of its own for settings and pictures, so that no test sees the user's.
pub(crate) struct Place(TempDir);

pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        // A known speed: no test measures the processor.
        fs::write(place.path().join("settings.toml"), "version = 1\ngflops = 50.0\n").unwrap();
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headroom"));
        command.args(arguments).env("HEADROOM_HOME", self.path()).env_remove("RUST_LOG").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs it and demands an error with this code; no error is ever a panic.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains("error: ") && !ended.err.contains("panicked"), "{}", ended.err);
        ended.err
    }
}

fn keys(value: &Value) -> HashSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn assert_plan_shape(plan: &Value) {
    let expected = [
        "verdict",
        "tier",
        "decode",
        "concessions",
        "phases",
        "peak",
        "seconds",
        "short",
        "unknown",
        "remedies",
        "ladder",
    ];
    assert_eq!(keys(plan), HashSet::from(expected));
    assert_eq!(keys(&plan["peak"]), HashSet::from(["host", "device", "commit"]));
    let names: Vec<&str> = plan["phases"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["load_text_encoder", "encode", "load_denoiser", "denoise", "load_vae", "decode", "save"]);
    let mut peak = 0;
    for phase in plan["phases"].as_array().unwrap() {
        assert_eq!(keys(phase), HashSet::from(["name", "seconds", "pools"]));
        let host = &phase["pools"]["host"];
        assert_eq!(keys(host), HashSet::from(["bytes", "budget", "terms"]));
        let terms = host["terms"].as_array().unwrap().iter().map(|term| term["bytes"].as_u64().unwrap());
        assert_eq!(terms.sum::<u64>(), host["bytes"].as_u64().unwrap(), "terms do not add up");
        peak = peak.max(host["bytes"].as_u64().unwrap());
    }
    assert_eq!(plan["peak"]["host"].as_u64().unwrap(), peak);
    for rung in plan["ladder"].as_array().unwrap() {
        assert_eq!(keys(rung), HashSet::from(["tier", "decode", "peak", "fits", "seconds"]));
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_does_not() {
    let place = Place::new();
    let draw = |name: &str, seed: &str, prompt: &str| {
        let file = place.file(name);
        let ended = place.run(&[&["generate", "-p", prompt, "--seed", seed, "-o", &file], &TINY[..]].concat());
        assert_eq!((ended.code, ended.out.trim()), (0, file.as_str()), "{}", ended.err);
        fs::read(file).unwrap()
    };
    let first = draw("a.png", "7", "a red apple");
    assert_eq!(draw("b.png", "7", "a red apple"), first);
    assert_ne!(draw("c.png", "8", "a red apple"), first);
    assert_ne!(draw("d.png", "7", "a fox"), first);
}

#[test]
fn generate_tells_plan_and_measurement_as_json() {
    let place = Place::new();
    let arguments =
        ["generate", "-p", "a red apple", "--seed", "7", "--batch", "2", "--json", "-o", &place.file("x.png")];
    let ended = place.run(&[&arguments[..], &TINY[..]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    let report = ended.json();
    assert_eq!(keys(&report), HashSet::from(["files", "seed", "recipe", "plan", "measured"]));
    assert_eq!(report["files"], serde_json::json!([place.file("x.png"), place.file("x-2.png")]));
    assert_eq!(report["seed"], 7);
    assert_eq!(report["recipe"]["prompt"], "a red apple");
    assert_eq!((&report["recipe"]["width"], &report["recipe"]["batch"]), (&64.into(), &2.into()));
    assert_plan_shape(&report["plan"]);
    let measured = &report["measured"];
    assert_eq!(keys(measured), HashSet::from(["phases", "ledger_peak", "rss_peak"]));
    let phases = measured["phases"].as_array().unwrap();
    let names: Vec<&str> = phases.iter().map(|phase| phase["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"denoise") && names.contains(&"decode") && names.last() == Some(&"save"), "{names:?}");
    let largest = phases.iter().map(|phase| phase["pools"]["host"].as_u64().unwrap()).max();
    assert_eq!(measured["ledger_peak"].as_u64(), largest);
}

#[test]
fn a_picture_can_be_inspected_for_its_recipe() {
    let place = Place::new();
    let prompt = "first \"line\"\nNegative prompt: x\na: 1, b: 2, c: 3 🍎";
    let file = place.file("x.png");
    let arguments = ["generate", "-p", prompt, "-n", "blue", "--seed", "18446744073709551615", "-o", &file];
    let ended = place.run(&[&arguments[..], &TINY[..]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    let told = place.run(&["inspect", "--json", &file]).json();
    assert_eq!((&told["recipe"]["prompt"], &told["recipe"]["negative"]), (&prompt.into(), &"blue".into()));
    assert_eq!(told["recipe"]["seed"], u64::MAX);
    assert_eq!(told["model"], "builtin");
}

#[test]
fn a_picture_gives_its_settings_to_the_next_one() {
    let place = Place::new();
    let (first, second) = (place.file("a.png"), place.file("b.png"));
    let drawn = place.run(&[&["generate", "-p", "a red apple", "--seed", "7", "-o", &first], &TINY[..]].concat());
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    assert_eq!(place.run(&["generate", "--from", &first, "-o", &second]).code, 0);
    assert_eq!(fs::read(&first).unwrap(), fs::read(&second).unwrap());
    let told = place.run(&["generate", "--from", &first, "--seed", "8", "-o", &second, "--json"]).json();
    assert_eq!((&told["recipe"]["seed"], &told["recipe"]["steps"]), (&8.into(), &1.into()));
}

/// A1111 #7385: what another program's settings name and this one lacks is said, never passed over.
#[test]
fn settings_of_another_program_are_taken_and_the_rest_is_told() {
    let place = Place::new();
    let file = place.file("settings.txt");
    let text = "a red apple\nNegative prompt: blue\nSteps: 1, Sampler: Frobnicate, CFG scale: 2, Seed: 5, Size: 64x64, \
        Model: other_model, Clip skip: 2, RNG: CPU, Version: v1.10.1";
    fs::write(&file, text).unwrap();
    let ended = place.run(&["plan", "--from", &file]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    for part in ["Sampler = Frobnicate", "Clip skip = 2", "`other_model`", "--model"] {
        assert!(ended.err.contains(part), "{part}: {}", ended.err);
    }
    let error = place.fails(4, &["generate", "--from", &place.file("settings.toml"), "-o", &place.file("x.png")]);
    assert!(error.contains("settings.toml"), "{error}");
    place.fails(2, &["generate"]);
}

#[test]
fn presets_are_imported_listed_used_and_exported() {
    let place = Place::new();
    let styles = place.file("styles.csv");
    fs::write(&styles, "name,prompt,negative_prompt\nInk,\"{prompt}, flat style\",blue\n").unwrap();
    let imported = place.run(&["presets", "import", &styles, "--json"]).json();
    assert_eq!((&imported[0]["kind"], &imported[0]["presets"][0]), (&"A1111 styles".into(), &"Ink".into()));
    let listed = place.run(&["presets", "list", "--json"]).json();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["name"]), (13, &"Ink".into()));

    let file = place.file("a.png");
    let order = ["generate", "-p", "a fox", "--preset", "ink", "--preset", "On white", "-o", &file, "--json"];
    let told = place.run(&[&order[..], &TINY[..]].concat()).json();
    assert_eq!(told["recipe"]["prompt"], "a fox, flat style, white background");
    assert_eq!(told["recipe"]["negative"], "blue");
    let error = place.fails(2, &["plan", "--preset", "nothing"]);
    assert!(error.contains("`nothing`") && error.contains("Ink"), "{error}");

    let handed_on = place.file("mine.toml");
    assert_eq!(place.run(&["presets", "export", "Ink", "Sticker", "-o", &handed_on]).code, 0);
    assert!(fs::read_to_string(&handed_on).unwrap().contains("headroom_preset = 1"));
    let odd = place.file("odd.bin");
    fs::write(&odd, [0_u8, 1, 2, 3]).unwrap();
    place.fails(4, &["presets", "import", &odd]);
}

/// InvokeAI #9307: a wildcard list that is not there is named, and the picture is drawn all the same.
#[test]
fn wildcards_are_filled_in_by_the_seed() {
    let place = Place::new();
    let list = place.file("animals.txt");
    fs::write(&list, "\u{feff}# animals\r\nfox\r\nowl\r\ncat\r\n").unwrap();
    assert_eq!(place.run(&["presets", "import", &list]).code, 0);
    let file = place.file("a.png");
    let order = ["generate", "-p", "a __animals__, __none__", "--seed", "3", "-o", &file, "--json"];
    let ended = place.run(&[&order[..], &TINY[..]].concat());
    let prompt = ended.json()["recipe"]["prompt"].as_str().unwrap().to_owned();
    assert!(["a fox, __none__", "a owl, __none__", "a cat, __none__"].contains(&prompt.as_str()), "{prompt}");
    assert!(ended.err.contains("`none`"), "{}", ended.err);
    assert_eq!(place.run(&[&order[..], &TINY[..]].concat()).json()["recipe"]["prompt"], prompt.as_str());
}

#[test]
fn odd_sizes_are_snapped_with_a_note_and_the_file_has_the_real_size() {
    let place = Place::new();
    let file = place.file("x.png");
    let ended = place.run(&["generate", "-p", "x", "--size", "101x77", "--steps", "1", "--json", "-o", &file]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("note: 101x77 is no multiple of 32: the size is 96x64"), "{}", ended.err);
    assert_eq!(ended.json()["recipe"]["width"], 96);
    let bytes = fs::read(file).unwrap();
    assert_eq!(bytes[16..24], [0, 0, 0, 96, 0, 0, 0, 64]);
    let ended = place.run(&["plan", "--size", "1001x777"]);
    assert!(ended.out.contains("builtin at 992x768 on this computer"), "{}", ended.out);
}

#[test]
fn impossible_orders_are_usage_errors_with_the_limits() {
    let place = Place::new();
    let order = |more: &[&str]| place.fails(2, &[&["generate", "-p", "x"], more].concat());
    for size in ["0", "0x0", "99999", "99999x128", "-5x64", "64x4097"] {
        let told = order(&["--size", size]);
        assert!(told.contains("is outside 64 to 4096"), "{told}");
        assert!(told.contains("\n\nhint: sides are multiples of 32 from 64 to 4096"), "{told}");
    }
    for size in ["", "x", "128x", "a lot", "1e3x5", "128x128x128", "99999999999999999999x1"] {
        order(&["--size", size]);
    }
    assert!(order(&["--steps", "0"]).contains("steps 0 is outside 1 to 150"));
    assert!(order(&["--steps", "-3"]).contains("outside"));
    assert!(order(&["--guidance", "nan"]).contains("not a number"));
    assert!(order(&["--guidance", "-1"]).contains("outside"));
    assert!(order(&["--batch", "0"]).contains("outside"));
    assert!(order(&["--batch", "17"]).contains("outside 1 to 16"));
    assert!(order(&["--seed", "-2"]).contains("seed"));
    assert!(order(&["--seed", "18446744073709551616"]).contains("seed"));
    assert!(order(&["--sampler", "magic"]).contains("hint: known: euler"));
    assert!(order(&["--schedule", "magic"]).contains("hint: known: simple"));
    assert!(order(&["--schedule", "ays"]).contains("schedule align_your_steps does not go with this model"));
    assert!(order(&["--rng", "dice"]).contains("hint: known: cpu, nv"));
    assert!(order(&["--memory-limit", "lots"]).contains("512MiB"));
    assert!(order(&["--precision", "bf16"]).contains("not available"));
    assert!(order(&["--device", "cuda"]).contains("hint: use `--device cpu`"));
    assert!(order(&["--tier", "warp"]).contains("possible values"));
    let long = "x".repeat((64 << 10) + 1);
    assert!(place.fails(2, &["generate", "-p", &long]).contains("longer than 65536 bytes"));
    place.fails(2, &["generate"]);
    place.fails(2, &["no-such-command"]);
    assert_eq!(place.run(&["--help"]).code, 0);
    assert_eq!(place.run(&["--version"]).out, format!("headroom {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn bad_models_are_told_with_cause_then_path() {
    let place = Place::new();
    let with = |reference: &str| place.fails(4, &["generate", "-p", "x", "--model", reference]);
    let told = with("no-such-model");
    assert!(
        told.starts_with("error: cannot open the model: no model has this name: no-such-model\n\nhint: "),
        "{told}"
    );
    assert!(with("./nowhere/at/all").contains("no such file or folder: ./nowhere/at/all"));
    let text = place.file("text.safetensors");
    fs::write(&text, "these are words, not weights\n".repeat(9)).unwrap();
    assert!(with(&text).contains(&format!("this is a text file, not weights: {text}")));
    let cut = place.file("cut.safetensors");
    let whole =
        fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/builtin/model/vae/diffusion_pytorch_model.safetensors"));
    let whole = whole.unwrap();
    fs::write(&cut, &whole[..whole.len() - 100]).unwrap();
    let told = with(&cut);
    assert!(told.contains(&format!("{} of {} bytes are there: {cut}", whole.len() - 100, whole.len())), "{told}");
    assert!(told.contains("hint: download the file again"));
    assert!(with(place.path().to_str().unwrap()).contains("is missing from the model"));
    for file in [&text, &cut] {
        place.fails(4, &["inspect", file]);
    }
    place.fails(4, &["inspect", &place.file("none")]);
    place.fails(4, &["plan", "--machine", "no-such-machine"]);
    place.fails(4, &["plan", "--machine", &text]);
}

#[test]
fn folders_that_cannot_be_written_are_told_before_anything_is_loaded() {
    let place = Place::new();
    let file = place.file("file");
    fs::write(&file, "kept").unwrap();
    let below = format!("{file}/below/a.png");
    let told = place.fails(1, &["generate", "-p", "x", "-o", &below]);
    assert!(told.starts_with("error: cannot write the picture: a file stands where a folder should be: "), "{told}");
    assert!(told.contains("\n\nhint: choose another folder"), "{told}");
    if Path::new("/proc/self").exists() {
        place.fails(1, &["generate", "-p", "x", "-o", "/proc/self/none/a.png"]);
    }
    assert!(place.fails(2, &["generate", "-p", "x", "-o", &place.file("noext")]).contains("`.png`"));
    assert_eq!(fs::read_to_string(file).unwrap(), "kept");
}

#[test]
fn pictures_go_to_a_numbered_file_of_today_by_default() {
    let place = Place::new();
    for expected in ["00000-5.png", "00001-5.png"] {
        let ended = place.run(&[&["generate", "-p", "x", "--seed", "5"], &TINY[..]].concat());
        assert_eq!(ended.code, 0, "{}", ended.err);
        let path = Path::new(ended.out.trim());
        assert!(path.ends_with(expected) && path.starts_with(place.path().join("pictures")), "{}", ended.out);
    }
}

#[test]
fn a_limit_is_kept_or_refused_with_remedies_that_run() {
    let place = Place::new();
    let order = ["generate", "-p", "a red apple", "--size", "256x256", "--steps", "1", "--seed", "1", "--json", "-o"];
    let file = place.file("x.png");
    let (mut drawn, mut refused) = (0, 0);
    for mib in [1, 64, 150, 175, 200, 230, 300, 4000] {
        let limit = format!("{mib}MiB");
        let ended = place.run(&[&order[..], &[&file, "--memory-limit", &limit]].concat());
        let report = ended.json();
        if ended.code == 0 {
            drawn += 1;
            let bytes = mib * (1 << 20);
            assert!(report["measured"]["ledger_peak"].as_u64().unwrap() <= bytes, "{limit}: {}", report["measured"]);
            assert!(report["measured"]["rss_peak"].as_u64().is_none_or(|rss| rss <= bytes), "{limit}");
            continue;
        }
        refused += 1;
        assert_eq!(ended.code, 3, "{limit}: {}", ended.err);
        assert!(ended.err.contains("error: does not fit: "), "{}", ended.err);
        assert_eq!((&report["files"], &report["measured"]), (&serde_json::json!([]), &Value::Null));
        assert_eq!((&report["plan"]["verdict"], &report["plan"]["short"]["pool"]), (&"short".into(), &"host".into()));
        for remedy in report["plan"]["remedies"].as_array().unwrap() {
            let text = |key: &str| remedy[key].to_string().trim_matches('"').to_owned();
            let changed: Vec<String> = match remedy["kind"].as_str().unwrap() {
                "size" => vec![
                    "--size".into(),
                    format!("{}x{}", text("width"), text("height")),
                    "--memory-limit".into(),
                    limit.clone(),
                ],
                "raise_limit" => vec!["--size".into(), "256x256".into(), "--memory-limit".into(), text("bytes")],
                other => panic!("a remedy that is not expected here: {other}"),
            };
            let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
            let ended =
                place.run(&[&["generate", "-p", "a red apple", "--steps", "1", "-o", &file], &changed[..]].concat());
            assert_eq!(ended.code, 0, "{changed:?}: {}", ended.err);
        }
    }
    assert!(drawn >= 2 && refused >= 2, "{drawn} drawn, {refused} refused");
}

#[test]
fn plans_for_other_machines_have_their_pools() {
    let place = Place::new();
    let plan = |more: &[&str]| place.run(&[&["plan", "--json", "--size", "1024x1024"], more].concat()).json();
    let here = plan(&[]);
    assert_plan_shape(&here);
    assert_eq!(here["peak"]["device"], 0);
    assert!(here["seconds"].as_f64().unwrap() > 0.0);

    let card = plan(&["--machine", "rx-9060-xt-16gb-windows"]);
    assert_plan_shape(&card);
    assert_eq!(keys(&card["phases"][0]["pools"]), HashSet::from(["host", "device", "commit"]));
    assert!(card["peak"]["commit"].as_u64().unwrap() > card["peak"]["host"].as_u64().unwrap());
    let on_cpu = plan(&["--machine", "rx-9060-xt-16gb-windows", "--device", "cpu"]);
    assert_eq!(on_cpu["peak"]["device"], 0);
    place.fails(2, &["plan", "--machine", "rtx-4090-linux", "--device", "cuda:1"]);

    let blind = place.file("blind.toml");
    fs::write(&blind, "name = \"blind\"\nos = \"linux\"\n").unwrap();
    let blind = plan(&["--machine", &blind]);
    assert_eq!(blind["verdict"], "cannot_tell");
    assert_eq!(blind["unknown"][0], serde_json::json!({ "pool": "host", "reason": "missing" }));
    assert_eq!((&blind["seconds"], &blind["phases"][0]["pools"]["host"]["budget"]), (&Value::Null, &Value::Null));
}

#[test]
fn tier_and_decode_are_obeyed() {
    let place = Place::new();
    for (tier, decode) in [("phased", "tiled"), ("resident", "whole"), ("streamed", "whole")] {
        let plan = place.run(&["plan", "--json", "--tier", tier, "--decode", decode]).json();
        assert_eq!((&plan["tier"], &plan["decode"]), (&tier.into(), &decode.into()));
        assert_eq!(plan["ladder"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_fit_map_has_a_cell_for_every_size() {
    let place = Place::new();
    let arguments = ["fitmap", "--machine", "laptop-8gb-no-gpu", "--min", "256", "--max", "512", "--step", "64"];
    let map = place.run(&[&arguments[..], &["--json"]].concat()).json();
    let cells = map["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 25);
    assert_eq!(keys(&cells[0]), HashSet::from(["width", "height", "verdict", "tier", "decode"]));
    let text = place.run(&arguments).out;
    assert!(text.contains("\n  512 R R R R R\n") && text.contains("\n  256 R R R R R\n"), "{text}");
    place.fails(2, &["fitmap", "--step", "0"]);
    place.fails(2, &["fitmap", "--min", "512", "--max", "256"]);
    place.fails(2, &["fitmap", "--max", "99999"]);
}

#[test]
fn the_doctor_tells_what_is_seen() {
    let place = Place::new();
    let report = place.run(&["doctor", "--json"]).json();
    assert!(report["cpu"]["threads"].as_u64().unwrap() >= 1);
    assert_eq!(report["cpu"]["gflops"], 50.0);
    if cfg!(target_os = "linux") {
        assert!(report["ram"]["total"].as_u64().unwrap() > report["ram"]["available"].as_u64().unwrap());
    }
    assert_eq!(report["draws_on"]["device"], "cpu");
    assert!(report["draws_on"]["why"].as_str().unwrap().contains("graphics card"));
    let words = place.run(&["doctor"]).out;
    assert!(words.contains("50 GFLOP/s") && words.contains("draws on            the processor"), "{words}");
}

#[test]
fn models_and_files_are_listed_and_inspected() {
    let place = Place::new();
    let list = place.run(&["models", "list", "--json"]).json();
    assert_eq!(list[0]["name"], "builtin");
    assert_eq!(list[0]["components"].as_array().unwrap().len(), 3);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/builtin/model");
    assert!(place.run(&["inspect", folder]).out.contains("denoiser"));
    let file = place.run(&["inspect", "--json", &format!("{folder}/vae/diffusion_pytorch_model.safetensors")]).json();
    assert_eq!((&file["kind"], &file["container"]), (&"vae".into(), &"safetensors".into()));
    let layout = |name: &str| format!("{}/tests/golden/layouts/{name}", env!("CARGO_MANIFEST_DIR"));
    let told = place.run(&["inspect", "--json", &layout("flux_all_in_one.safetensors")]).json();
    assert_eq!((&told["kind"], &told["complete"]), (&"checkpoint".into(), &false.into()));
    assert_eq!(told["what"], "a FLUX.1 schnell checkpoint");
    assert_eq!(told["components"].as_array().unwrap().len(), 4);
    let told = place.run(&["inspect", &layout("z_image_q8_0.gguf")]).out;
    assert!(told.contains("Z-Image denoiser, original names") && told.contains("cannot be drawn with: "), "{told}");
    assert!(place.fails(4, &["inspect", &layout("program.ckpt")]).contains("would call posix.system"));
}

#[test]
fn damaged_settings_are_kept_and_do_not_stop_anything() {
    let place = Place::new();
    fs::write(place.file("settings.toml"), "theme = [").unwrap();
    let ended = place.run(&["plan"]);
    assert_eq!(ended.code, 0);
    assert!(ended.err.contains("note: the settings were damaged and are kept as "), "{}", ended.err);
    assert_eq!(fs::read_to_string(place.file("settings.damaged.toml")).unwrap(), "theme = [");
}

/// Ctrl+C ends the work within a block, and leaves nothing half-written.
#[cfg(unix)]
#[test]
fn an_interrupt_cancels() {
    let place = Place::new();
    let file = place.file("x.png");
    let arguments = ["generate", "-p", "x", "--size", "512x512", "--steps", "150", "-o", &file];
    let child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert_eq!(ended.code, 5, "{}", ended.err);
    assert!(ended.err.starts_with("error: cancelled\n"), "{}", ended.err);
    assert!(!Path::new(&file).exists());
}
