//! The daily work: weights and history in the prompt, undo, several orders, the queue.

use crate::support::{Harness, Script, laptop, window};
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use headroom::job::{Event, Measured};
use headroom::ui::Seeds;
use headroom::ui::prompt::{WEIGHT_STEP, has_weights, unbalanced, weigh};
use headroom::units::Bytes;

fn roomy() -> headroom::machine::Machine {
    laptop(16, Bytes::gib(14))
}

fn prompt(window: &Harness<'_>) -> String {
    window.state().state.form.draft.prompt.clone()
}

fn set_prompt(window: &mut Harness<'_>, text: &str) {
    text.clone_into(&mut window.state_mut().state.form.draft.prompt);
    window.run();
}

#[test]
fn weights_go_up_and_down_and_away_at_one() {
    let up = |text: &str, range| weigh(text, range, WEIGHT_STEP).unwrap();
    let down = |text: &str, range| weigh(text, range, -WEIGHT_STEP).unwrap();
    assert_eq!(up("a red fox", 3..3), ("a (red:1.1) fox".to_owned(), 3..6));
    assert_eq!(up("a (red:1.1) fox", 3..6), ("a (red:1.2) fox".to_owned(), 3..6));
    assert_eq!(up("a (red:1.1) fox", 4..4), ("a (red:1.2) fox".to_owned(), 3..6), "the cursor alone is enough");
    assert_eq!(down("a (red:1.1) fox", 3..6), ("a red fox".to_owned(), 2..5));
    assert_eq!(down("a red fox", 2..9), ("a (red fox:0.9)".to_owned(), 3..10));
    assert_eq!(up("x ", 0..2), ("(x:1.1) ".to_owned(), 1..2), "spaces stay outside");
    assert_eq!(up("äöü 日本", 4..6), ("äöü (日本:1.1)".to_owned(), 5..7), "characters, not bytes");
    assert_eq!(weigh("  ", 1..1, WEIGHT_STEP), None);
    assert_eq!(weigh("", 7..9, WEIGHT_STEP), None);
    let mut text = ("fox".to_owned(), 0..3);
    for _ in 0..40 {
        text = weigh(&text.0, text.1, WEIGHT_STEP).unwrap();
    }
    assert_eq!(text.0, "(fox:2)", "never beyond two");
}

#[test]
fn brackets_without_a_partner_are_seen() {
    for good in ["", "a (b) [c]", "((a))", r"a \( b", r"\)", "([a])"] {
        assert!(!unbalanced(good), "{good}");
    }
    for bad in ["(", "a)", "(a]", "[(a])", r"\((", "((a)"] {
        assert!(unbalanced(bad), "{bad}");
    }
    assert!(has_weights("a (red:1.2) fox"));
    assert!(!has_weights("a (red) fox: small") && !has_weights("12:30 (noon)"));
}

#[test]
fn the_prompt_takes_weight_keys_and_tells_of_brackets() {
    let mut window = window(roomy(), &Script::default());
    window.get_by_role_and_label(Role::MultilineTextInput, "Prompt").type_text("fox");
    window.run();
    window.key_press_modifiers(Modifiers::COMMAND, Key::ArrowUp);
    window.run();
    assert_eq!(prompt(&window), "(fox:1.1)");
    window.key_press_modifiers(Modifiers::COMMAND, Key::ArrowUp);
    window.run();
    assert_eq!(prompt(&window), "(fox:1.2)");
    for _ in 0..2 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::ArrowDown);
        window.run();
    }
    assert_eq!(prompt(&window), "fox");
    set_prompt(&mut window, "a (fox");
    assert!(window.query_by_label("A bracket has no partner").is_some());
    assert!(!window.get_by_label("Generate").accesskit_node().is_disabled(), "told, never an obstacle");
}

/// Lets the worker finish whatever was sent last.
fn finish(window: &mut Harness<'_>, script: &Script) {
    let job = script.jobs().pop().unwrap();
    script.say(Event::Finished { job: job.id, measured: Measured::default() });
    window.run();
}

#[test]
fn earlier_prompts_come_back_and_what_was_typed_is_not_lost() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    for text in ["a fox", "a house", "a fox"] {
        set_prompt(&mut window, text);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
        window.run();
        finish(&mut window, &script);
    }
    assert_eq!(window.state().state.prompts, ["a house", "a fox"], "each once, the newest last");
    set_prompt(&mut window, "half typed");
    let back = |window: &mut Harness<'_>, key| {
        window.key_press_modifiers(Modifiers::ALT, key);
        window.run();
        prompt(window)
    };
    assert_eq!(back(&mut window, Key::ArrowUp), "a fox");
    assert_eq!(back(&mut window, Key::ArrowUp), "a house");
    assert_eq!(back(&mut window, Key::ArrowUp), "a house", "there is nothing before the first");
    assert_eq!(back(&mut window, Key::ArrowDown), "a fox");
    assert_eq!(back(&mut window, Key::ArrowDown), "half typed");
}

#[test]
fn every_parameter_can_be_taken_back_and_done_again() {
    let mut window = window(roomy(), &Script::default());
    window.get_by_label("Swap width and height").focus();
    window.run();
    let before = window.state().state.form.clone();
    window.get_by_label("16:9 aspect ratio").click();
    window.run();
    window.get_by_label("Lock the aspect ratio").click();
    window.run();
    window.get_by_label("Keep this seed").click();
    window.run();
    let after = window.state().state.form.clone();
    assert_eq!(after.seeds, Seeds::Fixed);
    for _ in 0..3 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run();
    }
    assert_eq!(window.state().state.form, before);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run();
    assert_eq!(window.state().state.form, before, "the first form is where it ends");
    for _ in 0..3 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Y);
        window.run();
    }
    assert_eq!(window.state().state.form, after);
}

#[test]
fn one_click_orders_several_with_seeds_of_the_chosen_kind() {
    for (label, expected, left) in [
        ("Count the seed up", [10_u64, 11, 12], 13),
        ("Keep this seed", [10, 11, 12], 10),
        ("Random seed", [4242; 3], 4242),
    ] {
        let script = Script::default();
        let mut window = window(roomy(), &script);
        window.get_by_label(label).click();
        window.run();
        window.state_mut().state.form.draft.seed = 10;
        window.state_mut().state.form.runs = 3;
        window.run();
        window.get_by_label("Generate").click();
        window.run();
        for _ in 0..3 {
            finish(&mut window, &script);
        }
        let seeds: Vec<u64> = script.jobs().iter().map(|job| job.recipe.seed()).collect();
        assert_eq!(seeds, expected, "{label}");
        assert_eq!(window.state().state.form.draft.seed, left, "{label}");
    }
}

#[test]
fn the_queue_is_paused_reordered_and_cleared() {
    let script = Script::default();
    let mut window = window(roomy(), &script);
    for text in ["one", "two", "three", "four"] {
        set_prompt(&mut window, text);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
        window.run();
    }
    let order = |window: &Harness<'_>| -> Vec<String> {
        window.state().state.queue.iter().map(|entry| entry.job.recipe.prompt().to_owned()).collect()
    };
    assert_eq!(order(&window), ["one", "two", "three", "four"]);
    window.get_by_label("Draw “four” next").click();
    window.run();
    window.get_by_label("Move “two” down").click();
    window.run();
    assert_eq!(order(&window), ["one", "four", "three", "two"]);
    set_prompt(&mut window, "five");
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Enter);
    window.run();
    assert_eq!(order(&window), ["one", "five", "four", "three", "two"], "never before the one that runs");

    window.get_by_label("Pause the queue").click();
    window.run();
    finish(&mut window, &script);
    assert_eq!(script.jobs().len(), 1, "nothing more is started");
    assert!(window.query_by_label("Paused: nothing more is started").is_some());
    window.get_by_label("Go on with the queue").click();
    window.run();
    assert_eq!(script.jobs().pop().unwrap().recipe.prompt(), "five");
    window.get_by_label("Take everything that waits out of the queue").click();
    window.run();
    assert_eq!(order(&window), ["five"]);
}
