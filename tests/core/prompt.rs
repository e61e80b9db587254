//! Prompt weights of A1111.

use headroom::recipe::prompt::{MOST_WEIGHT, Piece, has_weights, pieces};
use proptest::prelude::*;

fn text(text: &str, weight: f32) -> Piece {
    Piece::Text { text: text.to_owned(), weight }
}

/// The examples that A1111 documents with its parser, and what people type.
#[test]
fn brackets_weigh_what_they_hold() {
    for (prompt, want) in [
        ("normal text", vec![text("normal text", 1.0)]),
        ("an (important) word", vec![text("an ", 1.0), text("important", 1.1), text(" word", 1.0)]),
        ("(unbalanced", vec![text("unbalanced", 1.1)]),
        ("[[soft", vec![text("soft", 0.82645)]),
        ("\\(literal\\]", vec![text("(literal]", 1.0)]),
        ("(unnecessary)(parens)", vec![text("unnecessaryparens", 1.1)]),
        ("((x))", vec![text("x", 1.21)]),
        ("[x]", vec![text("x", 0.90909)]),
        ("(x: 1.3 ) y", vec![text("x", 1.3), text(" y", 1.0)]),
        ("(x:.5)", vec![text("x", 0.5)]),
        ("(x:-1)", vec![text("x", -1.0)]),
        ("(x:0)y", vec![text("x", 0.0), text("y", 1.0)]),
        ("((a:1.5) b)", vec![text("a", 1.65), text(" b", 1.1)]),
        (
            "a (((house:1.3)) [on] a (hill:0.5), sun, (((sky))).",
            vec![
                text("a ", 1.0),
                text("house", 1.573),
                text(" ", 1.1),
                text("on", 1.0),
                text(" a ", 1.1),
                text("hill", 0.55),
                text(", sun, ", 1.1),
                text("sky", 1.4641),
                text(".", 1.1),
            ],
        ),
        // Brackets of two kinds that cross each other.
        ("(a[b)c]", vec![text("a", 1.1), text("b", 1.0), text("c", 0.90909)]),
    ] {
        assert_eq!(pieces(prompt), want, "{prompt}");
    }
}

#[test]
fn what_is_no_weight_is_text() {
    for prompt in ["x:1.3)", "a:b", "time 12:30", "x)", "y]", "1:1, 16:9", "emoji 🦊: ok", ""] {
        assert_eq!(pieces(prompt), [text(prompt, 1.0)], "{prompt}");
        assert!(!has_weights(prompt));
    }
    assert_eq!(pieces("(x:1.2.3)"), [text("x:1.2.3", 1.1)]);
    assert_eq!(pieces("(x:big)"), [text("x:big", 1.1)]);
    assert_eq!(pieces("a\\b"), [text("ab", 1.0)]);
    assert!(has_weights("a (b) c") && has_weights("a BREAK b"));
}

#[test]
fn break_is_a_word_of_its_own() {
    assert_eq!(pieces("a, BREAK b"), [text("a,", 1.0), Piece::Break, text("b", 1.0)]);
    assert_eq!(pieces("BREAKFAST, a BREAKER, UNBREAK"), [text("BREAKFAST, a BREAKER, UNBREAK", 1.0)]);
    assert_eq!(pieces("BREAKFAST BREAK tea"), [text("BREAKFAST", 1.0), Piece::Break, text("tea", 1.0)]);
    assert_eq!(pieces("BREAK"), [Piece::Break]);
    assert_eq!(pieces("(a\nBREAK\nb:1.2)"), [text("a", 1.2), Piece::Break, text("b", 1.2)]);
}

/// dynamic-prompts #177, sdnext #273 and their kind: quotes, newlines, emoji, right to left, deep nesting.
#[test]
fn odd_prompts_are_prompts() {
    for prompt in ["\"a\" 'b'\ttab\nNegative prompt: x", "مرحبا بالعالم", "🦊🏽‍🚀", "a: 1, b: 2, c: 3"]
    {
        assert_eq!(pieces(prompt), [text(prompt, 1.0)]);
    }
    let deep = 30_000;
    let nested = format!("{}x{}", "(a".repeat(deep), ")".repeat(deep));
    let found = pieces(&nested);
    assert_eq!(found[0], text("a", 1.1));
    assert!(matches!(found.last(), Some(Piece::Text { weight, .. }) if *weight == MOST_WEIGHT));
}

proptest! {
    #[test]
    fn any_text_has_pieces_with_finite_weights_and_loses_no_plain_character(
        prompt in "[a-c()\\[\\]:0-9. \\\\🦊]{0,60}"
    ) {
        let found = pieces(&prompt);
        prop_assert!(!found.is_empty());
        let mut kept = String::new();
        for piece in found {
            let Piece::Text { text, weight } = piece else { continue };
            prop_assert!(weight.is_finite() && weight.abs() <= MOST_WEIGHT);
            kept.push_str(&text);
        }
        let letters = |s: &str| s.chars().filter(|c| c.is_alphabetic() || *c == '🦊').collect::<String>();
        prop_assert_eq!(letters(&kept), letters(&prompt));
    }
}
