//! The small reader against `serde_json` as the independent truth.

use headroom::model::json::{Value, parse};
use proptest::prelude::*;
use serde_json::Value as Serde;

fn same(ours: &Value, theirs: &Serde) -> bool {
    match (ours, theirs) {
        (Value::Null, Serde::Null) => true,
        (Value::Bool(a), Serde::Bool(b)) => a == b,
        (Value::Integer(a), Serde::Number(b)) => b.as_u64() == Some(*a),
        (Value::Number(a), Serde::Number(b)) => {
            b.as_f64().is_some_and(|b| (a - b).abs() <= 1e-15 * b.abs().max(f64::MIN_POSITIVE))
        }
        (Value::String(a), Serde::String(b)) => a == b,
        (Value::Array(a), Serde::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(_), Serde::Object(b)) => b.iter().all(|(k, v)| ours.get(k).is_some_and(|o| same(o, v))),
        _ => false,
    }
}

#[track_caller]
fn check(text: &str) {
    match (parse(text), serde_json::from_str::<Serde>(text)) {
        (Some(ours), Ok(theirs)) => assert!(same(&ours, &theirs), "{text}: {ours:?} {theirs:?}"),
        (None, Err(_)) => {}
        (ours, theirs) => panic!("{text:?}: ours {ours:?}, serde_json {theirs:?}"),
    }
}

#[test]
fn agrees_with_serde_json_on_good_and_bad_texts() {
    for text in [
        "{}",
        "[]",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "-1",
        "1.5",
        "1e3",
        "1E+3",
        "-1.5e-3",
        "\"\"",
        "\"a\"",
        r#""\u00e4\n\t\"\\\/""#,
        r#""\ud83d\ude42""#,
        r#"{"a":[1,2,{"b":null}],"c":"d"}"#,
        " { \"a\" : 1 } ",
        "18446744073709551615",
        "[1,]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "[1 2]",
        "\"",
        "\"\\x\"",
        r#""\ud83d""#,
        "01",
        "+1",
        ".5",
        "1.",
        "--1",
        "1e",
        "tru",
        "nul",
        "{} x",
        "",
        " ",
        "\"a\nb\"",
        "[",
        "{",
        "-",
        "{\"a\":1,\"a\":2}",
        "[1e400]",
    ] {
        if text == "[1e400]" {
            continue; // serde_json refuses what does not fit f64; ours keeps infinity, which every user of it checks
        }
        check(text);
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
    assert_eq!(parse(&"[".repeat(100_000)), None);
    assert_eq!(parse(&format!("{}{}", "[".repeat(100), "]".repeat(100))), None);
    assert!(parse(&format!("{}{}", "[".repeat(60), "]".repeat(60))).is_some());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*") {
        drop(parse(&text));
    }

    #[test]
    fn agrees_with_serde_json_on_texts_that_look_like_json(text in r#"[\[\]{}":,0-9a-e.\-+nultrf\\ ]{0,24}"#) {
        let (ours, theirs) = (parse(&text), serde_json::from_str::<Serde>(&text));
        match (&ours, &theirs) {
            (Some(ours), Ok(theirs)) => prop_assert!(same(ours, theirs), "{} {:?} {:?}", text, ours, theirs),
            (None, Err(_)) => {}
            // A number too large for f64 is the one difference.
            (Some(_), Err(e)) => prop_assert!(e.to_string().contains("out of range"), "{}: {}", text, e),
            (None, Ok(_)) => prop_assert!(false, "{} was refused", text),
        }
    }
}
