//! The window as it looks, against pictures that were looked at.
//!
//! `UPDATE_GOLDENS=1 cargo test --test app pictures` writes them anew; look at every one before it is committed.

use crate::support::paint::{Canvas, Frame};
use crate::support::{Harness, Script, host, laptop, z_image_turbo};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use headroom::app::{App, Found, Host};
use headroom::i18n::Language;
use headroom::job::{Event, Measured, MeasuredPhase};
use headroom::planner::{Phase, plan};
use headroom::ui::ThemeChoice;
use headroom::units::{Bytes, PixelSize, Secs};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;

/// A pixel is another one where a channel differs by more than this.
const STEP: u8 = 24;
/// Share of other pixels that fonts and rounding may make.
const SHARE: f64 = 0.002;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/window")
}

/// A window with its canvas.
fn painted(host: Host, size: [f32; 2]) -> (Harness<'static>, Canvas) {
    let canvas = Canvas::default();
    let builder = egui_kittest::Harness::builder().with_size(size).with_max_steps(12).renderer(canvas.clone());
    let window = builder.build_eframe(move |cc| {
        let mut app = App::new(&cc.egui_ctx, host).unwrap();
        app.state.entropy = || 4242;
        app
    });
    (window, canvas)
}

fn compare(name: &str, window: &Harness<'_>, canvas: &Canvas) {
    let now = canvas.paint(&window.ctx, window.output());
    let path = folder().join(format!("{name}.png"));
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::create_dir_all(folder()).unwrap();
        write(&path, &now);
        return;
    }
    let before = read(&path);
    let mut other = now.size != before.size;
    let mut count = 0_usize;
    if !other {
        let differs = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > STEP);
        count = now.rgb.chunks_exact(3).zip(before.rgb.chunks_exact(3)).filter(|pair| differs(*pair)).count();
        other = count as f64 > SHARE * (now.size[0] * now.size[1]) as f64;
    }
    if other {
        let shown = std::env::temp_dir().join(format!("headroom-{name}.png"));
        write(&shown, &now);
        panic!("{name} looks different in {count} pixels: compare {} with {}", shown.display(), path.display());
    }
}

fn write(path: &std::path::Path, frame: &Frame) {
    let mut encoder =
        png::Encoder::new(BufWriter::new(File::create(path).unwrap()), frame.size[0] as u32, frame.size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().unwrap().write_image_data(&frame.rgb).unwrap();
}

fn read(path: &std::path::Path) -> Frame {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    Frame { size: [info.width as usize, info.height as usize], rgb }
}

fn roomy() -> headroom::machine::Machine {
    laptop(16, Bytes::gib(14))
}

fn tight() -> headroom::machine::Machine {
    laptop(16, Bytes::mib(760))
}

fn themed(machine: headroom::machine::Machine, script: &Script, theme: ThemeChoice) -> Host {
    let mut host = host(machine, script);
    host.settings.theme = theme;
    host
}

/// A picture that is not of one colour.
fn gradient(size: PixelSize) -> std::sync::Arc<headroom::pixels::Pixels> {
    let channel = |at: u32, of: u32| (at * 255 / of.max(1)) as u8;
    let rgb = (0..size.height)
        .flat_map(|y| (0..size.width).map(move |x| (x, y)))
        .flat_map(|(x, y)| [channel(x, size.width), 90, channel(y, size.height)])
        .collect();
    std::sync::Arc::new(headroom::pixels::Pixels::new(size, rgb).unwrap())
}

/// Draws one picture, as far as `done`.
fn draw(window: &mut Harness<'_>, script: &Script, done: bool) {
    window.state_mut().state.form.draft.prompt = "a red apple".to_owned();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.run();
    let job = script.jobs().pop().unwrap();
    let answer = Box::new(plan(&roomy(), &job.model, &job.recipe, &job.policy));
    script.say(Event::Started { job: job.id, answer });
    for (index, phase) in Phase::ALL.into_iter().take(if done { 7 } else { 4 }).enumerate() {
        script.say(Event::Phase { job: job.id, phase });
        for part in 0..8_u64 {
            let elapsed = Secs(index as f64 + part as f64 / 8.0);
            script.say(Event::Sample {
                job: job.id,
                phase,
                live: Bytes::mib(20 + index as u64 * 3 + part % 3),
                elapsed,
            });
        }
    }
    script.say(Event::Step { job: job.id, picture: 0, step: 4, steps: 10, elapsed: Secs(3.0) });
    if done {
        let pixels = gradient(job.recipe.size());
        script.say(Event::Picture { job: job.id, picture: 0, pixels, seed: 4242 });
        let phase = MeasuredPhase {
            phase: Phase::Decode,
            elapsed: Secs(1.0),
            host_peak: Bytes::mib(43),
            device_peak: Bytes::ZERO,
        };
        script.say(Event::Finished { job: job.id, measured: Measured { phases: vec![phase], ..Measured::default() } });
    }
    window.run();
    window.state_mut().finish_saving();
    window.run();
}

#[test]
fn the_empty_window_dark_and_light() {
    for (name, theme) in [("empty-dark", ThemeChoice::Dark), ("empty-light", ThemeChoice::Light)] {
        let (window, canvas) = painted(themed(roomy(), &Script::default(), theme), [1280.0, 800.0]);
        compare(name, &window, &canvas);
    }
}

#[test]
fn a_finished_picture_dark_and_light() {
    for (name, theme) in [("done-dark", ThemeChoice::Dark), ("done-light", ThemeChoice::Light)] {
        let script = Script::default();
        let (mut window, canvas) = painted(themed(roomy(), &script, theme), [1280.0, 800.0]);
        draw(&mut window, &script, true);
        compare(name, &window, &canvas);
    }
}

#[test]
fn a_picture_at_work() {
    let script = Script::default();
    let (mut window, canvas) = painted(themed(roomy(), &script, ThemeChoice::Dark), [1280.0, 800.0]);
    draw(&mut window, &script, false);
    compare("running", &window, &canvas);
}

#[test]
fn a_size_that_does_not_fit() {
    let (mut window, canvas) = painted(themed(tight(), &Script::default(), ThemeChoice::Dark), [1024.0, 640.0]);
    window.state_mut().state.form.set_size(PixelSize::new(2048, 2048));
    window.run();
    compare("short", &window, &canvas);
}

#[test]
fn the_ways_the_map_and_the_settings() {
    for (name, key, theme) in [
        ("ways", Key::E, ThemeChoice::Light),
        ("map", Key::M, ThemeChoice::Dark),
        ("settings", Key::Comma, ThemeChoice::Light),
    ] {
        let (mut window, canvas) = painted(themed(tight(), &Script::default(), theme), [1024.0, 640.0]);
        window.key_press_modifiers(Modifiers::COMMAND, key);
        window.run_steps(50);
        compare(name, &window, &canvas);
    }
}

#[test]
fn other_scripts() {
    for (name, language) in [("japanese", Language::Japanese), ("ukrainian", Language::Ukrainian)] {
        let script = Script::default();
        let mut host = themed(roomy(), &script, ThemeChoice::Light);
        host.settings.language = Some(language);
        let (mut window, canvas) = painted(host, [1024.0, 640.0]);
        draw(&mut window, &script, true);
        compare(name, &window, &canvas);
    }
}

#[test]
fn a_window_of_half_the_size() {
    let (window, canvas) = painted(themed(roomy(), &Script::default(), ThemeChoice::Dark), [512.0, 320.0]);
    compare("small", &window, &canvas);
}

#[test]
fn files_over_the_window() {
    let script = Script::default();
    let entry =
        headroom::app::ModelEntry { name: "z-image-turbo".to_owned(), inventory: std::sync::Arc::new(z_image_turbo()) };
    script.files.lock().unwrap().insert("z-image-turbo".to_owned(), Found::Model(entry));
    let (mut window, canvas) = painted(themed(roomy(), &script, ThemeChoice::Dark), [1024.0, 640.0]);
    let hover = |name: &str| egui::HoveredFile { path: Some(PathBuf::from("/files").join(name)), ..Default::default() };
    window.input_mut().hovered_files = ["z-image-turbo", "notes.doc"].map(hover).into();
    for _ in 0..200 {
        std::thread::sleep(std::time::Duration::from_millis(5));
        window.run_steps(2);
        if window.state().state.hovered.iter().all(|hovered| hovered.found.is_some()) {
            break;
        }
    }
    window.run_steps(4);
    compare("drop", &window, &canvas);
    assert!(window.query_by_label("Let go to take it").is_some());
}
