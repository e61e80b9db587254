//! The rules that Cargo cannot see: who imports whom, how long a file may be, that the map lists every room.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Rooms that each room may import with `crate::`. Core above, edges below; `ledger` may be read by any room.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("pixels", &["units"]),
    ("machine", &["units"]),
    ("model", &["units"]),
    ("recipe", &["units", "model"]),
    ("planner", &["units", "machine", "model", "recipe"]),
    ("job", &["units", "pixels", "machine", "model", "recipe", "planner"]),
    ("gallery", &["units", "recipe", "model"]),
    ("ledger", &["units"]),
    ("probe", CORE),
    ("store", CORE),
    ("hub", CORE),
    ("engine", CORE),
    ("worker", CORE),
    ("i18n", CORE),
    ("ui", UI),
];
const CORE: &[&str] = &["units", "pixels", "machine", "model", "recipe", "planner", "job", "gallery", "ledger"];
const UI: &[&str] = &["units", "pixels", "machine", "model", "recipe", "planner", "job", "gallery", "ledger", "i18n"];
const CORE_ROOMS: &[&str] = &["units", "pixels", "machine", "model", "recipe", "planner", "job", "gallery"];
/// What core may not touch, and who alone may touch what.
const FORBIDDEN_IN_CORE: &[&str] =
    &["std::fs", "std::env", "std::thread", "std::time", "std::net", "std::process", "serde", "egui", "candle"];
const ONLY_IN: &[(&str, &[&str])] = &[
    ("candle_core", &["engine"]),
    ("tokenizers::", &["engine"]),
    ("egui::", &["ui", "app"]),
    ("eframe", &["app"]),
    ("rusqlite", &["store"]),
    ("ureq", &["hub"]),
    ("nvml_wrapper", &["probe"]),
];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// Each source with its room and its code, comments left out.
fn rooms() -> Vec<(String, PathBuf, String)> {
    let src = Path::new(ROOT).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let inside = path.strip_prefix(&src).unwrap();
            let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
            (room, path, code)
        })
        .collect()
}

/// Rooms named by `crate::room` in code, groups included.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let group = group.split('}').next().unwrap_or("");
            found.extend(group.split(',').map(|part| part.trim().split("::").next().unwrap_or("").to_owned()));
        } else {
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found
}

#[test]
fn every_room_imports_only_what_it_may() {
    let mut wrong = Vec::new();
    for (room, path, code) in rooms() {
        if let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == room) {
            for import in imports(&code) {
                if import != room && !allowed.contains(&import.as_str()) && !import.is_empty() {
                    wrong.push(format!("{}: {room} imports {import}", path.display()));
                }
            }
        }
        if CORE_ROOMS.contains(&room.as_str()) {
            for word in FORBIDDEN_IN_CORE {
                if code.contains(word) {
                    wrong.push(format!("{}: core touches {word}", path.display()));
                }
            }
        }
        for (word, owners) in ONLY_IN {
            if code.contains(word) && !owners.contains(&room.as_str()) {
                wrong.push(format!("{}: {word} outside {owners:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_source_is_longer_than_600_lines_and_main_stays_under_100() {
    for (room, path, _) in rooms() {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        let most = if room == "main" { 100 } else { 600 };
        assert!(lines <= most, "{} has {lines} lines, at most {most} are allowed", path.display());
    }
}

#[test]
fn the_map_lists_every_room() {
    let map = fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md")).unwrap();
    for (room, _, _) in rooms() {
        if room != "lib" {
            assert!(map.contains(&format!("`{room}`")), "ARCHITECTURE.md has no line for `{room}`");
        }
    }
}

#[test]
fn the_check_itself_sees_an_import_in_a_group() {
    assert_eq!(imports("use crate::{units::Bytes, engine};\nuse crate::probe::x;"), ["units", "engine", "probe"]);
}
