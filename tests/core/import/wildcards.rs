use headroom::recipe::wildcards::{entries, expand, names};
use std::collections::BTreeSet;

fn lists(name: &str) -> Option<Vec<String>> {
    let lines = match name {
        "animal" => "fox\nowl\nhare\ncat\ndog",
        "scene" => "a __animal__ and a __animal__",
        "self" => "x __self__ y",
        "a" => "__b__",
        "b" => "__a__",
        "sub/color" => "red",
        "empty" => "",
        _ => return None,
    };
    Some(entries(lines))
}

#[test]
fn the_seed_decides_and_each_place_decides_for_itself() {
    let text = "__animal__, __animal__, __animal__, __animal__";
    let first = expand(text, 7, &lists);
    assert_eq!(first, expand(text, 7, &lists));
    let chosen: BTreeSet<&str> = first.text.split(", ").collect();
    assert!(chosen.len() > 1, "{chosen:?}");
    let all: BTreeSet<String> = (0..64).map(|seed| expand("__animal__", seed, &lists).text).collect();
    assert_eq!(all.len(), 5, "every entry is chosen by some seed");
    // Pinned: a seed must choose the same for ever.
    assert_eq!(expand("__animal__", 0, &lists).text, PINNED[0]);
    assert_eq!(expand("__animal__", 42, &lists).text, PINNED[1]);
}

const PINNED: [&str; 2] = ["fox", "cat"];

#[test]
fn lists_within_lists() {
    let found = expand("__scene__, __sub/color__", 3, &lists);
    assert!(found.text.starts_with("a ") && found.text.ends_with(", red"), "{}", found.text);
    assert!(!found.text.contains("__"));
}

/// InvokeAI #9307 and `SwarmUI`'s fix of the same: a list that is not there, or that refers to itself.
#[test]
fn lists_that_are_missing_empty_or_circular_stay_as_written_and_are_named() {
    let found = expand("a __nothing__ and __animal__", 1, &lists);
    assert!(found.text.starts_with("a __nothing__ and ") && !found.text.ends_with("__"));
    assert_eq!(found.unknown, ["nothing"]);
    assert_eq!(expand("__empty__", 1, &lists).unknown, ["empty"]);
    let found = expand("__self__", 1, &lists);
    assert_eq!((found.text.as_str(), found.circular), ("x __self__ y", vec!["self".to_owned()]));
    assert_eq!(expand("__a__", 1, &lists).circular, ["a"]);
}

#[test]
fn underscores_that_are_no_wildcards_stay() {
    for text in ["a__b", "__ animal __", "____", "__init__.py", "snake_case", "__a,b__", "__"] {
        let found = expand(text, 1, &|name| (name == "x").then(|| vec!["y".to_owned()]));
        assert_eq!(found.text, text);
    }
    assert_eq!(names("__a__ __b/c__ __a__ x__"), ["a", "b/c"]);
}

#[test]
fn a_list_has_marks_comments_and_blank_lines() {
    assert_eq!(entries("\u{feff}# animals\r\n\r\n  fox \r\n#owl\nhare"), ["fox", "hare"]);
}

/// A list of lists of lists that would make gigabytes ends.
#[test]
fn swelling_lists_are_bounded() {
    let found = expand("__x0__", 1, &|name| {
        let level: usize = name.strip_prefix('x')?.parse().ok()?;
        Some(vec![format!("__x{}__ ", level + 1).repeat(64)])
    });
    assert!(found.text.len() < 64 << 20, "{}", found.text.len());
    assert!(!found.circular.is_empty());
}
