//! Files over the window, dropped on it, opened, and text pasted beside a field.

use crate::support::{Harness, Script, builtin, host, laptop, window, window_of, z_image_turbo};
use egui::{Event, HoveredFile, Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use headroom::app::{Found, Host, ModelEntry, Restored};
use headroom::machine::Machine;
use headroom::recipe::preset::Preset;
use headroom::recipe::{Draft, Partial, Vocabulary};
use headroom::units::Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn roomy() -> Machine {
    laptop(16, Bytes::gib(14))
}

/// A file as a window system hands it over.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

/// Runs frames until `done`, because files are looked into on a thread.
fn until(window: &mut Harness<'_>, done: impl Fn(&Harness<'_>) -> bool) {
    let start = Instant::now();
    while !done(window) {
        assert!(start.elapsed() < Duration::from_secs(20), "it never happened");
        std::thread::sleep(Duration::from_millis(2));
        // Files over the window keep it painting.
        window.run_steps(2);
    }
}

fn drop_file(window: &mut Harness<'_>, name: &str) {
    window.input_mut().dropped_files.push(Arc::new(Dropped(PathBuf::from("/files").join(name))));
    window.run();
}

fn says(window: &Harness<'_>, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

fn picture(prompt: &str, model: &str) -> Found {
    let draft = Draft { prompt: prompt.to_owned(), seed: 77, steps: 4, ..Draft::new(&Vocabulary::of(&builtin())) };
    Found::Settings(Box::new(Restored { draft, model: Some(model.to_owned()), left: vec!["Clip skip".to_owned()] }))
}

fn script(files: &[(&str, Found)]) -> Script {
    let script = Script::default();
    script.files.lock().unwrap().extend(files.iter().map(|(name, found)| ((*name).to_owned(), found.clone())));
    script
}

#[test]
fn a_file_over_the_window_says_what_letting_go_would_do() {
    let machine = Found::Machine(Box::new(laptop(128, Bytes::gib(100))));
    let script = script(&[("fox.png", picture("a fox", "builtin")), ("big.toml", machine)]);
    let mut window = window(roomy(), &script);
    let hover = |name: &str| HoveredFile { path: Some(PathBuf::from("/files").join(name)), ..Default::default() };
    window.input_mut().hovered_files = ["fox.png", "big.toml", "notes.doc"].map(hover).into();
    until(&mut window, |window| says(window, "Its settings go into the form"));
    until(&mut window, |window| says(window, "Plan for 128 GiB laptop"));
    until(&mut window, |window| says(window, "Nothing here can take this"));
    window.input_mut().hovered_files.clear();
    window.run();
    assert!(!says(&window, "Let go to take it"));
    assert_eq!(window.state().state.form.draft.prompt, "", "hovering changes nothing");
}

#[test]
fn a_dropped_picture_fills_the_form_and_says_what_was_left() {
    let mut window = window(roomy(), &script(&[("fox.png", picture("a fox", "builtin"))]));
    drop_file(&mut window, "fox.png");
    until(&mut window, |window| window.state().state.form.draft.prompt == "a fox");
    let form = &window.state().state.form;
    assert_eq!((form.draft.seed, form.draft.steps, form.seeds), (77, 4, headroom::ui::Seeds::Fixed));
    assert!(says(&window, "Settings taken from fox.png"));
    assert!(says(&window, "Clip skip"));
}

#[test]
fn a_file_named_at_the_start_is_taken_once() {
    let script = script(&[("fox.png", picture("a fox", "builtin"))]);
    let host = Host { opened: vec![PathBuf::from("/files/fox.png")], ..host(roomy(), &script) };
    let mut window = window_of(host, [1280.0, 800.0]);
    until(&mut window, |window| says(window, "Settings taken from fox.png"));
    window.state_mut().state.form.draft.prompt = "a hen".to_owned();
    window.run_steps(4);
    assert_eq!(window.state().state.form.draft.prompt, "a hen");
}

#[test]
fn an_absent_model_is_said_and_never_replaced_in_silence() {
    let mut window = window(roomy(), &script(&[("fox.png", picture("a fox", "sd_xl_base"))]));
    drop_file(&mut window, "fox.png");
    until(&mut window, |window| says(window, "The model “sd_xl_base” is not here"));
    assert_eq!(window.state().state.model_entry().name, "builtin");
}

#[test]
fn a_dropped_preset_goes_around_what_is_typed() {
    let settings = Partial { prompt: Some("{prompt}, flat".to_owned()), steps: Some(9), ..Partial::default() };
    let preset = Preset { name: "Sticker".to_owned(), settings, ..Preset::default() };
    let mut window =
        window(roomy(), &script(&[("flat.toml", Found::Preset(Box::new(preset), vec!["Sticker: hue".to_owned()]))]));
    window.state_mut().state.form.draft.prompt = "a fox".to_owned();
    drop_file(&mut window, "flat.toml");
    until(&mut window, |window| says(window, "Settings taken from Sticker"));
    let draft = &window.state().state.form.draft;
    assert_eq!((draft.prompt.as_str(), draft.steps), ("a fox, flat", 9));
    assert!(says(&window, "Sticker: hue"));
}

#[test]
fn a_dropped_machine_is_planned_for_and_kept() {
    let script = script(&[("big.toml", Found::Machine(Box::new(laptop(128, Bytes::gib(100)))))]);
    let mut window = window(roomy(), &script);
    drop_file(&mut window, "big.toml");
    until(&mut window, |window| window.state().state.machine().name == "128 GiB laptop");
    assert_eq!(*script.machines.borrow(), [PathBuf::from("/files/big.toml")]);
    let machines = window.state().state.machines.len();
    drop_file(&mut window, "big.toml");
    until(&mut window, |_| script.machines.borrow().len() == 2);
    assert_eq!(window.state().state.machines.len(), machines, "the same machine is there once");
}

#[test]
fn a_dropped_model_is_chosen_with_its_own_size() {
    let entry = ModelEntry { name: "/files/mine".to_owned(), inventory: Arc::new(z_image_turbo()) };
    let script = script(&[("mine", Found::Model(entry))]);
    let mut window = window(roomy(), &script);
    drop_file(&mut window, "mine");
    until(&mut window, |window| window.state().state.model_entry().name == "/files/mine");
    assert_eq!(window.state().state.form.draft.width, 1024);
    assert_eq!(script.settings.borrow().last().unwrap().model.as_deref(), Some("/files/mine"));
}

#[test]
fn what_cannot_be_taken_is_told_with_the_reason() {
    let script = script(&[("cut.safetensors", Found::Nothing("the header is cut off".to_owned()))]);
    let mut window = window(roomy(), &script);
    drop_file(&mut window, "cut.safetensors");
    until(&mut window, |window| says(window, "Nothing taken from cut.safetensors"));
    assert!(says(&window, "the header is cut off"));
    drop_file(&mut window, "notes.doc");
    until(&mut window, |window| says(window, "Nothing taken from notes.doc"));
}

#[test]
fn settings_are_pasted_beside_a_field_but_not_into_one() {
    let text = "a fox\nSteps: 4, Sampler: Euler, Seed: 77";
    let script = script(&[(text, picture("a fox", "builtin"))]);
    let mut window = window(roomy(), &script);
    window.event(Event::Paste(text.to_owned()));
    window.run();
    assert_eq!(window.state().state.form.draft.prompt, text, "the prompt has the keyboard: it takes the text");
    assert_ne!(window.state().state.form.draft.seed, 77);
    window.state_mut().state.form.draft.prompt.clear();
    window.get_by_label("Swap width and height").focus();
    window.run();
    window.event(Event::Paste(text.to_owned()));
    window.run();
    until(&mut window, |window| window.state().state.form.draft.seed == 77);
    assert!(says(&window, "Settings taken from the pasted text"));
}

#[test]
fn files_can_be_chosen_where_nothing_can_be_dropped() {
    let script = script(&[("fox.png", picture("a fox", "builtin"))]);
    script.picked.lock().unwrap().push(PathBuf::from("/files/fox.png"));
    let mut window = window(roomy(), &script);
    window.key_press_modifiers(Modifiers::COMMAND, Key::O);
    until(&mut window, |window| window.state().state.form.draft.prompt == "a fox");
}
