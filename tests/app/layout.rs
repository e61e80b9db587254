//! Sizes of the window and of its parts: nothing is lost in a small one, and what was moved is remembered.

use crate::support::{Harness, Script, host, laptop, window, window_of};
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use headroom::planner::{Choice, Decode, Tier};
use headroom::ui::{Layout, Settings, ThemeChoice};
use headroom::units::Bytes;

fn roomy() -> headroom::machine::Machine {
    laptop(16, Bytes::gib(14))
}

/// Everything that can be used lies wholly inside the window, unless it scrolls.
fn cut_off(window: &Harness<'_>, screen: egui::Vec2) -> Vec<String> {
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, screen).expand(1.0);
    let used = window.get_all_by(|node| matches!(node.role(), Role::Button | Role::ComboBox) && node.label().is_some());
    let out = used.filter(|node| {
        let rect = node.rect();
        rect.left() < screen.left() || rect.right() > screen.right()
    });
    out.filter_map(|node| node.accesskit_node().label()).collect()
}

#[test]
fn nothing_sticks_out_at_any_size_and_magnification() {
    for (width, height, zoom) in [
        (1024.0, 640.0, 1.0),
        (1024.0, 640.0, 1.5),
        (1024.0, 640.0, 2.0),
        (1280.0, 800.0, 1.25),
        (1920.0, 1080.0, 2.0),
        (3840.0, 2160.0, 1.0),
        (3840.0, 2160.0, 2.0),
    ] {
        let mut host = host(roomy(), &Script::default());
        host.settings.zoom = zoom;
        // A harness counts in points, as the window does once it is magnified.
        let points = egui::vec2(width / zoom, height / zoom);
        let mut window = window_of(host, [points.x, points.y]);
        window.run();
        assert_eq!(cut_off(&window, points), Vec::<String>::new(), "{width} x {height} at {zoom}");
    }
}

#[test]
fn a_small_window_shows_one_part_at_a_time_and_reaches_all_of_them() {
    let mut window = window_of(host(roomy(), &Script::default()), [512.0, 320.0]);
    window.run();
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(512.0, 320.0));
    assert!(screen.contains_rect(window.get_by_label("Generate").rect()));
    window.get_by_label("The picture").click();
    window.run();
    assert!(window.query_by_label("Generate").is_none());
    assert!(window.query_by_label("What should we draw?").is_some());
    window.get_by_label("Queue and pictures").click();
    window.run();
    assert!(window.query_by_label("Nothing waits").is_some());
    window.get_by_role_and_label(Role::Button, "Memory").click();
    window.run();
    assert!(window.query_by_label_contains("Plan by phase").is_some());
    window.get_by_label("Settings").click();
    window.run();
    assert!(screen.contains_rect(window.get_by_label("Close").rect()));
}

#[test]
fn the_parts_of_the_window_can_be_hidden_and_that_is_remembered() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    window.key_press_modifiers(Modifiers::COMMAND, Key::B);
    window.run();
    assert!(window.query_by_label("Nothing waits").is_none());
    window.key_press_modifiers(Modifiers::COMMAND, Key::J);
    window.run();
    assert!(window.query_by_label_contains("Plan by phase").is_none());
    let kept = script.settings.borrow().last().unwrap().layout;
    assert!(!kept.side_open && !kept.memory_open);

    let layout = Layout { form: 420.0, ..kept };
    let mut host = host(roomy(), &script);
    host.settings = Settings { layout, theme: ThemeChoice::Dark, ..Settings::default() };
    let window = window_of(host, [1280.0, 800.0]);
    assert!(window.query_by_label("Nothing waits").is_none());
    let generate = window.get_by_label("Generate").rect();
    assert!(generate.width() > 370.0, "the form is as wide as it was left: {generate:?}");
}

#[test]
fn a_dragged_edge_is_remembered() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    let before = window.state().state.settings.layout.form;
    window.drag_at(egui::pos2(before, 400.0));
    window.run();
    window.hover_at(egui::pos2(before + 60.0, 400.0));
    window.run();
    window.drop_at(egui::pos2(before + 60.0, 400.0));
    window.run();
    window.run();
    let after = script.settings.borrow().last().unwrap().layout.form;
    assert!((after - before - 60.0).abs() < 8.0, "{before} to {after}");
}

#[test]
fn magnification_steps_with_keys_and_is_remembered() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Plus);
    window.run();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Plus);
    window.run();
    assert_eq!(script.settings.borrow().last().unwrap().zoom, 1.25);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num0);
    window.run();
    assert_eq!(script.settings.borrow().last().unwrap().zoom, 1.0);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Minus);
    window.run();
    assert_eq!(script.settings.borrow().last().unwrap().zoom, 1.0, "never smaller than drawn");
}

#[test]
fn every_way_is_listed_and_one_can_be_made_the_only_one() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    window.get_by_label_contains("Verdict:").click();
    window.run();
    let rows = window.get_all_by(|node| node.label().is_some_and(|label| label.starts_with("Draw it this way:")));
    assert_eq!(rows.count(), Tier::ALL.len() * Decode::ALL.len());
    window.get_by_label_contains("Draw it this way: streamed, whole").click();
    window.run();
    let state = &window.state().state;
    let only = Choice { tier: Tier::Streamed, decode: Decode::Whole };
    assert_eq!(state.pinned, Some(only));
    assert_eq!(state.outlook.answer.as_ref().unwrap().plan.choice, only);
    assert_eq!(state.outlook.ladder.len(), Tier::ALL.len() * Decode::ALL.len(), "the others stay in sight");
    window.key_press(Key::Escape);
    window.run();
    window.get_by_label("Generate").click();
    window.run();
    assert_eq!(script.jobs()[0].policy.tiers, [Tier::Streamed]);
    window.get_by_label_contains("Only streamed").click();
    window.run();
    assert_eq!(window.state().state.pinned, None);
}

#[test]
fn a_place_on_a_slider_says_what_it_would_mean_before_the_click() {
    let mut window = window(laptop(16, Bytes::mib(760)), &Script::default());
    let slider = window
        .get_by(|node| node.role() == Role::Slider && node.label().is_some_and(|label| label.starts_with("Width:")));
    let rect = slider.rect();
    window.hover_at(rect.right_center() - egui::vec2(8.0, 0.0));
    window.run_steps(20);
    let says: Vec<_> = window
        .get_all_by(|node| node.value().or_else(|| node.label()).is_some_and(|text| text.starts_with("Width: 4")))
        .collect();
    assert!(!says.is_empty());
    assert_eq!(window.state().state.form.draft.width, 128, "nothing has changed yet");
}
