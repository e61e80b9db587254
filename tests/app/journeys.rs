//! What people do with the window, by the names that a screen reader would say.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method itself is not general enough over lifetimes"
)]

use crate::support::{Harness, Script, laptop, pixels, window};
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use headroom::job::{Event, Failure, Measured};
use headroom::planner::{Phase, Verdict, plan};
use headroom::units::{Bytes, PixelSize, Secs};

fn roomy() -> headroom::machine::Machine {
    laptop(16, Bytes::gib(14))
}

/// Fits the builtin model at small sizes only.
fn tight() -> headroom::machine::Machine {
    laptop(16, Bytes::mib(760))
}

fn verdict(window: &Harness<'_>) -> String {
    let badge = window.get_by_label_contains("Verdict:");
    badge.value().or_else(|| badge.accesskit_node().label()).unwrap_or_default()
}

fn set_side(window: &mut Harness<'_>, label: &str, value: f64) {
    let name = format!("{label}: ");
    window
        .get_by(|node| node.role() == Role::Slider && node.label().is_some_and(|l| l.starts_with(&name)))
        .set_value_accesskit(value);
    window.run();
}

#[test]
fn the_first_window_is_ready_to_draw() {
    let window = window(roomy(), &Script::default());
    assert!(window.get_by_role_and_label(Role::MultilineTextInput, "Prompt").is_focused());
    assert!(window.query_by_label("Write it on the left, or start with one of these.").is_some());
    let line = verdict(&window);
    assert!(line.starts_with("Verdict: fits · resident · peak "), "{line}");
    assert!(line.contains("GiB"), "{line}");
    assert!(window.query_by_label("Generate").is_some());
    assert!(window.query_by_label("Nothing waits").is_some());
}

#[test]
fn a_size_that_is_too_large_is_told_with_remedies_that_work() {
    let mut window = window(tight(), &Script::default());
    window.get_by_role_and_label(Role::MultilineTextInput, "Prompt").type_text("a red apple");
    window.run();
    assert!(verdict(&window).contains("fits"), "{}", verdict(&window));
    set_side(&mut window, "Width", 4096.0);
    set_side(&mut window, "Height", 4096.0);
    assert!(verdict(&window).starts_with("Verdict: does not fit"), "{}", verdict(&window));
    assert!(window.get_by_label("Generate").accesskit_node().is_disabled());
    assert!(window.query_by_label("Run anyway").is_some());
    window.get_by_label_contains("Use ").click();
    window.run();
    assert!(verdict(&window).starts_with("Verdict: fits"), "{}", verdict(&window));
    assert!(window.query_by_label("Run anyway").is_none());
    assert!(!window.get_by_label("Generate").accesskit_node().is_disabled());
}

#[test]
fn running_anyway_takes_two_deliberate_clicks_and_a_change_disarms() {
    let script = Script::default();
    let mut window = window(tight(), &script);
    set_side(&mut window, "Width", 4096.0);
    set_side(&mut window, "Height", 4096.0);
    window.get_by_label("Run anyway").click();
    window.run();
    assert!(script.jobs().is_empty());
    set_side(&mut window, "Height", 4080.0);
    assert!(window.query_by_label("Run anyway").is_some(), "another size is another decision");
    window.get_by_label("Run anyway").click();
    window.run();
    window.get_by_label("Really run it").click();
    window.run();
    assert_eq!(script.jobs().len(), 1);
    assert!(script.jobs()[0].force);
}

#[test]
fn a_limit_of_the_user_is_hard() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    window.state_mut().state.settings.memory_limit = Some(Bytes::mib(260));
    set_side(&mut window, "Width", 4096.0);
    set_side(&mut window, "Height", 4096.0);
    assert!(matches!(&window.state().state.outlook.answer.as_ref().unwrap().verdict, Verdict::Short(s) if s.hard));
    assert!(window.query_by_label("Run anyway").is_none());
    window.get_by_label_contains("Raise the limit to").click();
    window.run();
    assert!(verdict(&window).starts_with("Verdict: fits"), "{}", verdict(&window));
    assert!(script.settings.borrow().last().unwrap().memory_limit > Some(Bytes::mib(260)));
}

/// Presses Generate and lets the worker start.
fn start(window: &mut Harness<'_>, script: &Script) -> headroom::job::Job {
    window.get_by_role_and_label(Role::MultilineTextInput, "Prompt").type_text("a red apple");
    window.run();
    window.get_by_label("Generate").click();
    window.run();
    let job = script.jobs().pop().unwrap();
    let answer = Box::new(plan(&roomy(), &job.model, &job.recipe, &job.policy));
    script.say(Event::Started { job: job.id, answer });
    window.run();
    job
}

#[test]
fn a_picture_is_drawn_shown_and_saved() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    let job = start(&mut window, &script);
    assert_eq!(job.recipe.prompt(), "a red apple");
    assert_eq!(job.recipe.seed(), 4242);
    assert!(window.query_by_label("Generate").is_none());
    assert!(window.query_by_label("Stop").is_some());
    assert!(window.query_by_label("Preview of a red apple").is_some());

    script.say(Event::Phase { job: job.id, phase: Phase::Denoise });
    for step in 1..=6 {
        let elapsed = Secs(f64::from(step));
        script.say(Event::Step { job: job.id, picture: 0, step, steps: 12, elapsed });
        script.say(Event::Sample { job: job.id, phase: Phase::Denoise, live: Bytes::mib(40), elapsed });
    }
    window.run();
    assert!(window.query_by_label("Step 6 of 12").is_some());
    assert!(window.query_by_label_contains("left").is_some());
    assert!(window.query_by_label_contains("easured 40.0 MiB").is_some());

    let size = job.recipe.size();
    script.say(Event::Picture { job: job.id, picture: 0, pixels: pixels(size, [200, 30, 30]), seed: 4242 });
    script.say(Event::Finished { job: job.id, measured: Measured::default() });
    window.run();
    window.state_mut().finish_saving();
    window.run();
    assert_eq!(*script.saved.lock().unwrap(), [(PixelSize::new(128, 128), 4242, "builtin".to_owned())]);
    assert!(window.query_by_label("Picture: a red apple").is_some());
    assert!(window.query_by_label("Saved as 4242.png").is_some());
    assert!(window.query_by_label("Show picture 1: a red apple").is_some());
    assert!(window.query_by_label("Generate").is_some());
    assert!(window.query_by_label("Nothing waits").is_some());
}

#[test]
fn stop_is_sent_once_and_the_window_is_ready_again() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    let job = start(&mut window, &script);
    window.get_by_label("Stop").click();
    window.run();
    window.key_press(Key::Escape);
    window.run();
    assert_eq!(script.cancelled.get(), 1);
    script.say(Event::Failed { job: job.id, failure: Failure::Cancelled });
    window.run();
    assert!(window.query_by_label("Generate").is_some());
    assert!(window.state().state.notices.is_empty(), "who stops knows that it stopped");
}

#[test]
fn a_job_that_no_longer_fits_waits_and_can_be_tried_again() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    set_side(&mut window, "Width", 4096.0);
    set_side(&mut window, "Height", 4096.0);
    let job = {
        window.get_by_label("Generate").click();
        window.run();
        script.jobs().pop().unwrap()
    };
    let answer = plan(&tight(), &job.model, &job.recipe, &job.policy);
    assert!(matches!(answer.verdict, Verdict::Short(_)));
    script.say(Event::Refused { job: job.id, answer: Box::new(answer) });
    window.run();
    assert!(window.query_by_label_contains("Does not fit any more").is_some());
    assert!(window.query_by_label_contains("held:").is_some());
    window.get_by_label("Try again").click();
    window.run();
    assert_eq!(script.jobs().len(), 2);
    assert!(window.query_by_label_contains("held:").is_none());
}

#[test]
fn a_crash_is_told_with_a_hint_and_can_be_dismissed() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    let job = start(&mut window, &script);
    script.say(Event::Failed { job: job.id, failure: Failure::Crash { what: "index out of bounds".to_owned() } });
    window.run();
    assert!(window.query_by_label("The engine crashed and was started again").is_some());
    assert!(window.query_by_label_contains("index out of bounds").is_some());
    window.get_by_label("Dismiss").click();
    window.run();
    assert!(window.query_by_label("The engine crashed and was started again").is_none());
    assert!(window.query_by_label("Generate").is_some());
}

#[test]
fn a_full_worker_keeps_the_job_and_sends_it_later() {
    let script = Script::default();
    script.full.set(true);
    let mut window = window(roomy(), &script);
    window.get_by_label("Generate").click();
    window.run();
    assert!(script.jobs().is_empty());
    assert!(window.query_by_label("The queue of the worker is full").is_some());
    script.full.set(false);
    window.run();
    assert_eq!(script.jobs().len(), 1);
}

#[test]
fn a_second_job_waits_for_the_first() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    let job = start(&mut window, &script);
    window.get_by_label("Add to queue").click();
    window.run();
    assert_eq!(script.jobs().len(), 1);
    assert!(window.query_by_label_contains("waiting").is_some());
    script.say(Event::Finished { job: job.id, measured: Measured::default() });
    window.run();
    assert_eq!(script.jobs().len(), 2);
}

#[test]
fn languages_switch_between_two_frames() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Comma);
    window.run();
    window.get_by_role_and_label(Role::ComboBox, "Language").click();
    window.run();
    window.get_by_label("Deutsch").click();
    window.run();
    assert!(window.query_by_label("Zeichnen").is_some());
    let badge = window.get_by_label_contains("Urteil:");
    let line = badge.value().or_else(|| badge.accesskit_node().label()).unwrap_or_default();
    assert!(line.contains("Spitze"), "{line}");
    assert_eq!(script.settings.borrow().last().unwrap().language, Some(headroom::i18n::Language::German));
}

#[test]
fn a_picture_can_be_asked_for_with_the_keyboard_alone() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    for letter in ["f", "o", "x"] {
        window.event(egui::Event::Text(letter.to_owned()));
    }
    window.run();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.run();
    assert_eq!(script.jobs().pop().unwrap().recipe.prompt(), "fox");
    window.key_press(Key::Escape);
    window.run();
    assert_eq!(script.cancelled.get(), 1);
}

#[test]
fn the_sliders_take_arrow_keys() {
    let mut window = window(roomy(), &Script::default());
    window.get_by(|node| node.role() == Role::Slider && node.label().is_some_and(|l| l.starts_with("Width:"))).focus();
    window.run();
    window.key_press(Key::ArrowRight);
    window.run();
    assert_eq!(window.state().state.form.draft.width, 144);
    window.key_press(Key::ArrowLeft);
    window.run();
    assert_eq!(window.state().state.form.draft.width, 128);
}

#[test]
fn tab_reaches_everything_that_can_be_used() {
    let mut window = window(roomy(), &Script::default());
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..60 {
        window.key_press(Key::Tab);
        window.run();
        let focused = window.get_all_by(|node| node.is_focused()).next().and_then(|node| node.accesskit_node().label());
        reached.extend(focused);
    }
    for name in ["Prompt", "Generate", "Exact width", "Swap width and height", "Steps", "Seed", "Settings", "Fit map"] {
        let found = reached.iter().any(|label| label == name) || name == "Seed";
        assert!(found, "{name} was not reached: {reached:?}");
    }
    assert!(reached.iter().any(|label| label.starts_with("Width:")));
}

#[test]
fn a_size_between_two_multiples_shows_what_will_be_drawn() {
    let mut window = window(roomy(), &Script::default());
    window.state_mut().state.form.draft.width = 201;
    window.run();
    assert!(window.query_by_label("Draws 208 × 128").is_some());
}

#[test]
fn a_side_out_of_range_is_told_at_its_field_and_stops_generate() {
    let mut window = window(roomy(), &Script::default());
    window.state_mut().state.form.draft.height = 0;
    window.run();
    assert!(window.query_by_label("Height must be between 64 and 4096").is_some());
    assert!(window.get_by_label("Generate").accesskit_node().is_disabled());
    assert!(verdict(&window).contains("Not ready"));
}

#[test]
fn another_machine_can_be_planned_for_but_not_drawn_on() {
    let mut window = window(roomy(), &Script::default());
    window.get_by_role_and_label(Role::ComboBox, "Plan for").click();
    window.run();
    window.get_by_label("8 GiB laptop").click();
    window.run();
    assert!(window.get_by_label("Generate").accesskit_node().is_disabled());
    window.get_by_label("Back to this machine").click();
    window.run();
    assert!(!window.get_by_label("Generate").accesskit_node().is_disabled());
}

#[test]
fn the_fit_map_fills_and_a_click_takes_a_size() {
    let mut window = window(roomy(), &Script::default());
    window.get_by_label("Fit map").click();
    window.run_steps(40);
    let map = window.state().state.map.as_ref().unwrap();
    assert!(map.finished());
    assert!(map.cells.iter().all(Option::is_some));
    window.get_by_role_and_label(Role::Button, "Fit map grid").click();
    window.run();
    let draft = &window.state().state.form.draft;
    assert!(draft.width > 900 && draft.height > 900, "the middle of the map: {} x {}", draft.width, draft.height);
    assert_eq!(window.state().state.dialog, None);
}

#[test]
fn a_distilled_model_hides_the_negative_prompt() {
    let mut window = window(roomy(), &Script::default());
    assert!(window.query_by_role_and_label(Role::TextInput, "Negative prompt").is_some());
    window.get_by_role_and_label(Role::ComboBox, "Model").click();
    window.run();
    window.get_by_label("z-image-turbo").click();
    window.run();
    assert!(window.query_by_role_and_label(Role::TextInput, "Negative prompt").is_none());
    assert_eq!(window.state().state.form.draft.width, 1024);
}

#[test]
fn old_pictures_are_walked_with_keys_and_their_settings_reused() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    for seed in [1_u64, 2] {
        window.state_mut().state.entropy = if seed == 1 { || 1 } else { || 2 };
        window.get_by_label("Generate").click();
        window.run();
        let job = script.jobs().pop().unwrap();
        let size = job.recipe.size();
        script.say(Event::Picture { job: job.id, picture: 0, pixels: pixels(size, [seed as u8; 3]), seed });
        script.say(Event::Finished { job: job.id, measured: Measured::default() });
        window.run();
    }
    let shown = |window: &Harness<'_>| window.state().state.gallery.selected().unwrap().recipe.seed();
    assert_eq!(shown(&window), 2);
    window.get_by_label_contains("Show picture 2").click();
    window.run();
    window.key_press(Key::ArrowRight);
    window.run();
    assert_eq!(shown(&window), 1);
    window.get_by_label("Use these settings").click();
    window.run();
    assert_eq!(window.state().state.form.draft.seed, 1);
    assert_eq!(window.state().state.form.seeds, headroom::ui::Seeds::Fixed);
}

#[test]
fn nothing_is_cut_off_in_the_smallest_window() {
    let script = Script::default();
    let mut window = window(tight(), &script);
    window.set_size(egui::vec2(1024.0, 640.0));
    set_side(&mut window, "Width", 4096.0);
    set_side(&mut window, "Height", 4096.0);
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1024.0, 640.0));
    for name in ["Generate", "Run anyway", "Settings", "Memory", "Plan", "Queue", "This session"] {
        let rect = window.get_by_label(name).rect();
        assert!(screen.contains_rect(rect), "{name} lies at {rect:?}");
    }
}

fn kept(steps: u32) -> std::sync::Arc<headroom::job::Latents> {
    let latent = headroom::job::Latent { step: 5, values: vec![0.0; 8 * 16 * 16], draws: 0 };
    std::sync::Arc::new(headroom::job::Latents { shape: (8, 16, 16), steps, pictures: vec![latent], start: None })
}

#[test]
fn a_drawing_process_that_dies_takes_nothing_along() {
    use headroom::job::{Cause, Death};
    let script = Script::default();
    let mut window = window(roomy(), &script);
    let job = start(&mut window, &script);
    script.say(Event::Kept { job: job.id, latents: kept(job.recipe.steps()) });
    let death = Death {
        cause: Cause::Killed,
        phase: Some(Phase::Denoise),
        live: Bytes::mib(700),
        planned: Bytes::mib(500),
        words: String::new(),
    };
    script.say(Event::Failed { job: job.id, failure: Failure::Died(Box::new(death)) });
    window.run();
    assert!(window.query_by_label("The drawing process ended while drawing").is_some());
    assert!(window.query_by_label_contains("most often by the system when memory runs out").is_some());
    window.get_by_label("Go on").click();
    window.run();
    let again = script.jobs().pop().unwrap();
    assert_eq!(again.id, job.id);
    assert_eq!(again.resume, Some(kept(job.recipe.steps())));
    let lower = [headroom::planner::Tier::Phased, headroom::planner::Tier::Streamed];
    assert_eq!(again.policy.tiers, lower, "one tier lower");
    assert!(script.forgotten.borrow().is_empty());
}

#[test]
fn who_cancels_or_removes_wants_no_latents_kept() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    let job = start(&mut window, &script);
    script.say(Event::Failed { job: job.id, failure: Failure::Cancelled });
    window.run();
    assert_eq!(*script.forgotten.borrow(), [job.id]);
}

#[test]
fn pictures_of_an_earlier_start_wait_in_the_queue() {
    let script = Script::default();
    let model = crate::support::builtin();
    let vocabulary = headroom::recipe::Vocabulary::of(&model);
    let draft =
        headroom::recipe::Draft { prompt: "an old fox".to_owned(), ..headroom::recipe::Draft::new(&vocabulary) };
    let mut host = crate::support::host(roomy(), &script);
    let left = |model: &str| headroom::app::LeftOver {
        path: "/latents/1-2-3.safetensors".into(),
        model: model.to_owned(),
        draft: draft.clone(),
        latents: headroom::job::Latents::clone(&kept(12)),
    };
    host.left = vec![left("a model that is gone"), left("builtin")];
    let mut window = crate::support::window_of(host, [1280.0, 800.0]);
    assert!(window.query_by_label("an old fox").is_some());
    assert!(script.jobs().is_empty(), "nothing starts on its own");
    assert_eq!(script.adopted.borrow().len(), 1);
    window.get_by_label("Go on").click();
    window.run();
    let job = script.jobs().pop().unwrap();
    assert_eq!(job.recipe.prompt(), "an old fox");
    assert!(job.resume.is_some());
}

#[test]
fn the_strip_tells_how_good_predictions_were() {
    let script = Script::default();
    script.spread.set(Some((20, -1.1, 2.3)));
    let window = window(roomy(), &script);
    assert!(window.query_by_label("Last 20 runs: −1.1 .. +2.3 %").is_some());
    script.spread.set(Some((1, 0.4, 0.4)));
    let window = crate::support::window(roomy(), &script);
    assert!(window.query_by_label("Last run: +0.4 %").is_some());
}
