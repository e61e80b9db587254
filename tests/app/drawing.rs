//! The drawing process, simulated cards and kept latents from the command line.

use crate::cli::Place;
use std::fs;
use std::path::Path;

const APPLE: [&str; 9] = ["generate", "-p", "a red apple", "--seed", "7", "--steps", "2", "--size", "128x128"];

fn card(place: &Place, free: &str, overflow: &str, kind: &str) -> String {
    let file = place.file(&format!("{kind}-{overflow}-{}.toml", free.replace(' ', "")));
    let text = format!(
        "name = \"card\"\nos = \"linux\"\nram = {{ total = \"64 GiB\", available = \"60 GiB\" }}\n[[gpu]]\nname = \"card\"\n\
         kind = \"{kind}\"\ntotal = \"8 GiB\"\nfree = \"{free}\"\nshared = \"16 GiB\"\noverflow = \"{overflow}\"\n"
    );
    fs::write(&file, text).unwrap();
    format!("sim:{file}")
}

fn draw(place: &Place, name: &str, more: &[&str]) -> Vec<u8> {
    let file = place.file(name);
    let arguments: Vec<&str> = APPLE.iter().copied().chain(["-o", &file]).chain(more.iter().copied()).collect();
    let ended = place.run(&arguments);
    assert_eq!(ended.code, 0, "{more:?}: {}", ended.err);
    fs::read(file).unwrap()
}

#[test]
fn every_way_to_draw_gives_the_same_file() {
    let place = Place::new();
    let own = draw(&place, "own.png", &["--in-process", "--tier", "phased"]);
    assert!(own == draw(&place, "apart.png", &["--tier", "streamed"]));
    for (kind, overflow) in [("discrete", "fails"), ("discrete", "spills"), ("unified", "fails")] {
        let device = card(&place, "6 GiB", overflow, kind);
        assert!(own == draw(&place, "card.png", &["--device", &device]), "{kind} {overflow}");
    }
}

/// How far two pictures are apart, on average of a value.
fn distance(a: &str, b: &str) -> f64 {
    let open = |file: &str| headroom::store::open_picture(Path::new(file)).unwrap();
    let (a, b) = (open(a), open(b));
    assert_eq!(a.size(), b.size());
    let sum: u64 = a.rgb().iter().zip(b.rgb()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.rgb().len() as f64
}

#[test]
fn a_picture_is_made_of_a_picture() {
    let place = Place::new();
    let [own, near, far, apart] = ["own.png", "near.png", "far.png", "apart.png"].map(|name| place.file(name));
    draw(&place, "own.png", &[]);
    let other = ["generate", "-p", "a fox", "--seed", "1", "--steps", "8", "--init-image", &own];
    let made = |output: &str, more: &[&str]| {
        let ended = place.run(&[&other[..], &["-o", output], more].concat());
        assert_eq!(ended.code, 0, "{}", ended.err);
        fs::read(output).unwrap()
    };
    let little = made(&near, &["--denoise", "0.25", "--in-process"]);
    made(&far, &["--denoise", "1"]);
    assert!(little == made(&apart, &["--denoise", "0.25", "--tier", "streamed"]), "another way, another picture");
    assert!(distance(&own, &near) < 0.5 * distance(&own, &far), "{} {}", distance(&own, &near), distance(&own, &far));

    let said = place.run(&["inspect", "--json", &near]).out;
    assert!(said.contains("\"denoise\": 0.25"), "{said}");
    assert!(String::from_utf8_lossy(&little).contains("Denoising strength: 0.25"));

    let again = place.run(&["plan", "--json", "--from", &near]);
    assert!(again.code == 0 && again.err.contains("Denoising strength"), "{}", again.err);

    // Another shape: its own size, or what is asked for.
    let wide = place.file("wide.png");
    draw_sized(&place, &wide, "192x128");
    let ended = place.run(&["plan", "--json", "-p", "x", "--init-image", &wide]);
    assert!(ended.code == 0 && ended.out.contains("\"encode\""), "{}", ended.err);
    let ended = place.run(&["generate", "-p", "x", "--steps", "2", "--init-image", &wide, "-o", &far]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let size = |file: &str| headroom::store::size_of(Path::new(file)).unwrap();
    assert_eq!(size(&far), size(&wide));
    for fit in ["crop", "stretch"] {
        let ended = place.run(&[
            "generate",
            "-p",
            "x",
            "--steps",
            "2",
            "--init-image",
            &wide,
            "--size",
            "128x128",
            "--fit",
            fit,
            "-o",
            &far,
        ]);
        assert_eq!((ended.code, size(&far)), (0, size(&own)), "{}", ended.err);
    }
}

fn draw_sized(place: &Place, file: &str, size: &str) {
    let ended =
        place.run(&["generate", "-p", "a red apple", "--seed", "7", "--steps", "2", "--size", size, "-o", file]);
    assert_eq!(ended.code, 0, "{}", ended.err);
}

#[test]
fn what_is_no_picture_to_start_from_is_told() {
    let place = Place::new();
    let [text, absent] = ["note.png", "absent.png"].map(|name| place.file(name));
    fs::write(&text, "no picture").unwrap();
    for file in [&text, &absent] {
        let told = place.fails(4, &["generate", "-p", "x", "--init-image", file]);
        assert!(told.contains("picture to start from") && told.contains(file.as_str()), "{told}");
    }
    place.fails(2, &["generate", "-p", "x", "--denoise", "0.5"]);
    draw_sized(&place, &text, "64x64");
    for strength in ["0", "1.5", "-1"] {
        let told = place.fails(2, &["generate", "-p", "x", "--init-image", &text, "--denoise", strength]);
        assert!(told.contains("denoise strength"), "{told}");
    }
}

#[test]
fn a_simulated_card_that_is_too_small_is_refused_and_stopped_where_it_is_forced() {
    let place = Place::new();
    let device = card(&place, "690 MiB", "fails", "discrete");
    let order = |more: &[&'static str]| -> Vec<String> {
        let own = APPLE.iter().copied().chain(["--size", "1024x1024", "--tier", "phased", "--decode", "whole"]);
        let mut all: Vec<String> = own.chain(more.iter().copied()).map(str::to_owned).collect();
        // The first size is the one of APPLE.
        all.drain(7..9);
        all.extend(["--device".to_owned(), device.clone(), "-o".to_owned(), place.file("x.png")]);
        all
    };
    let run = |code, more: &[&'static str]| {
        let all = order(more);
        place.fails(code, &all.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let refused = run(3, &[]);
    assert!(refused.contains("(device)") && refused.contains("close programs that hold"), "{refused}");
}

#[test]
fn a_file_of_kept_latents_that_is_none_is_a_bad_file() {
    let place = Place::new();
    let file = place.file("not.safetensors");
    fs::write(&file, "hello").unwrap();
    let told = place.fails(4, &["generate", "--resume", &file]);
    assert!(told.contains("cannot go on") && told.contains(&file), "{told}");
    place.fails(2, &["generate", "--resume", &file, "--steps", "3"]);
    place.fails(2, &["generate"]);
    place.fails(4, &["generate", "-p", "x", "--device", "sim:"]);
}

#[cfg(unix)]
#[test]
fn a_picture_that_was_interrupted_goes_on_where_it_was() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let place = Place::new();
    let arguments = ["generate", "-p", "a fox", "--seed", "3", "--steps", "40", "--size", "256x256"];
    let whole = place.file("whole.png");
    let ended = place.run(&[&arguments[..], &["-o", &whole]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);

    let child = place.command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(20));
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{told}");
    let file =
        told.split("--resume ").nth(1).and_then(|rest| rest.split('`').next()).expect("where it is kept").to_owned();

    let again = place.file("again.png");
    let ended = place.run(&["generate", "--resume", &file, "-o", &again]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(fs::read(&whole).unwrap() == fs::read(&again).unwrap(), "another picture");
    assert!(!Path::new(&file).exists(), "done is done");
}
