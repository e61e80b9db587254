//! Every language says the same things, everything that is said exists, and nothing is said past the catalogue.

use headroom::i18n::{Arg, Catalog, Language};
use headroom::units::{Bytes, Secs};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Ids with the arguments of each, read line by line: a message is `id = text`, continued by indented lines.
fn messages(language: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(Path::new(ROOT).join("locales").join(format!("{language}.ftl"))).unwrap();
    let mut all = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        if !line.starts_with([' ', '}']) {
            line.split('=').next().unwrap().trim().clone_into(&mut current);
            assert!(all.insert(current.clone(), BTreeSet::new()).is_none(), "{language}: {current} is there twice");
        }
        let arguments: &mut BTreeSet<String> = all.get_mut(&current).unwrap();
        for (at, _) in line.match_indices('$') {
            let name = line[at + 1..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            arguments.insert(name);
        }
    }
    all
}

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, out: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let code =
                    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
                out.push((path, code));
            }
        }
    }
    let mut out = Vec::new();
    walk(&Path::new(ROOT).join("src").join(folder), &mut out);
    out
}

/// String literals of a source; char literals and lifetimes are told apart well enough for this code.
fn literals(code: &str) -> Vec<String> {
    let code = code.replace("'\"'", "");
    code.split('"').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}

/// `some-id`: lower case words joined by hyphens.
fn is_id(text: &str) -> bool {
    text.contains('-')
        && text
            .split('-')
            .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()))
}

/// Ids without a hyphen.
const PLAIN_IDS: [&str; 3] = ["close", "dismiss", "percent"];

#[test]
fn all_languages_have_the_same_messages_and_arguments() {
    let source = messages("en");
    assert!(source.len() > 150);
    for language in Language::ALL {
        let other = messages(language.tag());
        let ids = |all: &BTreeMap<String, BTreeSet<String>>| all.keys().cloned().collect::<BTreeSet<_>>();
        let missing: Vec<_> = ids(&source).symmetric_difference(&ids(&other)).cloned().collect();
        assert!(missing.is_empty(), "{}: only in one of both: {missing:?}", language.tag());
        for (id, arguments) in &source {
            assert_eq!(&other[id], arguments, "{}: arguments of {id}", language.tag());
        }
    }
}

#[test]
fn every_message_parses() {
    for language in Language::ALL {
        let catalog = Catalog::new(language);
        for id in messages(language.tag()).keys() {
            let text = catalog.get(id);
            assert!(text != *id || PLAIN_IDS.contains(&id.as_str()), "{}: {id} does not parse", language.tag());
        }
    }
}

#[test]
fn every_id_in_the_code_exists_and_every_message_is_used() {
    let known: BTreeSet<String> = messages("en").into_keys().collect();
    let mut used = BTreeSet::new();
    for folder in ["i18n", "ui", "app"] {
        for (path, code) in sources(folder) {
            for literal in literals(&code) {
                if PLAIN_IDS.contains(&literal.as_str()) || is_id(&literal) {
                    assert!(known.contains(&literal), "{}: no message {literal}", path.display());
                    used.insert(literal);
                }
            }
        }
    }
    let idle: Vec<_> = known.difference(&used).collect();
    assert!(idle.is_empty(), "nobody says {idle:?}");
}

#[test]
fn the_window_says_nothing_past_the_catalogue() {
    for (path, code) in sources("ui") {
        for literal in literals(&code) {
            // Format strings join what the catalogue said; everything else is a salt or an id.
            let outside: String =
                literal.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
            let spoken = outside.contains(' ') && outside.chars().any(char::is_alphabetic);
            let shouted = outside.chars().any(char::is_uppercase) && !outside.contains(".otf");
            assert!(!spoken && !shouted, "{}: {literal:?}", path.display());
        }
    }
}

#[test]
fn numbers_follow_the_language() {
    let (english, german) = (Catalog::new(Language::English), Catalog::new(Language::German));
    let bytes = Bytes(5_594_194_477);
    assert_eq!(english.bytes(bytes), bytes.to_string());
    assert_eq!(english.bytes(Bytes::mib(38)), Bytes::mib(38).to_string());
    assert_eq!(german.bytes(bytes), "5,21 GiB");
    assert_eq!(german.bound(2.5), "2,5");
}

#[test]
fn durations_read_at_a_glance() {
    let t = Catalog::new(Language::English);
    for (secs, text) in [
        (0.2, "under 1 s"),
        (4.4, "4 s"),
        (89.0, "89 s"),
        (130.0, "2 min 10 s"),
        (180.0, "3 min"),
        (899.0, "15 min"),
        (5400.0, "1 h 30 min"),
        (7200.0, "2 h"),
    ] {
        assert_eq!(t.secs(Secs(secs)), text);
    }
    assert_eq!(t.about(Secs(0.2)), "under 1 s");
    assert_eq!(t.about(Secs(40.0)), "about 40 s");
}

#[test]
fn a_language_is_found_by_any_spelling_of_its_tag() {
    for tag in ["de", "de-AT", "de_DE.UTF-8", "DE"] {
        assert_eq!(Language::from_tag(tag), Language::German);
    }
    for tag in ["", "C", "eo", "en-GB"] {
        assert_eq!(Language::from_tag(tag), Language::English);
    }
    for tag in ["pt", "pt-BR", "pt_PT.UTF-8"] {
        assert_eq!(Language::from_tag(tag), Language::Portuguese);
    }
    for tag in ["zh", "zh-CN", "zh-Hans-CN", "zh_CN.UTF-8"] {
        assert_eq!(Language::from_tag(tag), Language::Chinese);
    }
    for language in Language::ALL {
        assert_eq!(Language::from_tag(language.tag()), language);
    }
}

/// The plural categories of whole numbers in the CLDR.
fn categories(language: Language) -> &'static [&'static str] {
    match language {
        Language::English | Language::German => &["one", "other"],
        // `many` stands for whole millions.
        Language::French | Language::Spanish | Language::Portuguese | Language::Italian => &["one", "many", "other"],
        // `other` stands for fractions.
        Language::Polish | Language::Ukrainian => &["one", "few", "many", "other"],
        Language::Japanese | Language::Korean | Language::Chinese => &["other"],
    }
}

#[test]
fn every_plural_has_the_forms_of_its_language() {
    for language in Language::ALL {
        let path = Path::new(ROOT).join("locales").join(format!("{}.ftl", language.tag()));
        let text = fs::read_to_string(path).unwrap();
        let (mut plurals, mut forms, mut current) = (0, Vec::new(), String::new());
        for line in text.lines() {
            if line.ends_with("->") {
                forms.clear();
                line.clone_into(&mut current);
            } else if let Some((form, _)) = line.trim().trim_start_matches('*').split_once(']') {
                if let Some(form) = form.strip_prefix('[') {
                    forms.push(form.to_owned());
                }
            } else if line == "}" {
                plurals += 1;
                assert_eq!(forms, categories(language), "{}: {current}", language.tag());
            }
        }
        assert!(plurals >= 3, "{}", language.tag());
    }
}

#[test]
fn numbers_choose_their_form() {
    let steps = |language, n| Catalog::new(language).with("viewer-steps", &[("steps", Arg::Count(n))]);
    assert_eq!(steps(Language::English, 1), "1 step");
    assert_eq!(steps(Language::English, 2), "2 steps");
    assert_eq!(steps(Language::French, 1), "1 étape");
    assert_eq!(steps(Language::Spanish, 9), "9 pasos");
    for (n, polish, ukrainian) in [
        (1, "1 krok", "1 крок"),
        (2, "2 kroki", "2 кроки"),
        (5, "5 kroków", "5 кроків"),
        (12, "12 kroków", "12 кроків"),
        (21, "21 kroków", "21 крок"),
        (22, "22 kroki", "22 кроки"),
    ] {
        assert_eq!(steps(Language::Polish, n), polish);
        assert_eq!(steps(Language::Ukrainian, n), ukrainian);
    }
    assert_eq!(steps(Language::Japanese, 1), "1 ステップ");
    assert_eq!(steps(Language::Korean, 30), "30스텝");
    assert_eq!(steps(Language::Chinese, 4), "4 步");
}

#[test]
fn the_fonts_inside_the_program_show_every_language() {
    for language in Language::ALL {
        let context = egui::Context::default();
        headroom::ui::theme::install(&context, language);
        let path = Path::new(ROOT).join("locales").join(format!("{}.ftl", language.tag()));
        let text = fs::read_to_string(path).unwrap();
        let names: String = Language::ALL.into_iter().map(Catalog::language_name).collect();
        let wanted: BTreeSet<char> = text.chars().chain(names.chars()).filter(|c| !c.is_control()).collect();
        let mut missing = Vec::new();
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            missing = ui.fonts_mut(|fonts| {
                let family = egui::FontId::proportional(14.0);
                wanted.iter().copied().filter(|c| !fonts.has_glyph(&family, *c)).collect()
            });
        });
        output.textures_delta.clear();
        assert!(missing.is_empty(), "{}: run assets/fonts/subset.py again for {missing:?}", language.tag());
    }
}

#[test]
fn every_language_can_be_chosen_and_is_shown_at_once() {
    use crate::support::{Script, laptop, window};
    use egui_kittest::kittest::Queryable as _;
    for language in Language::ALL {
        let script = Script::default();
        let mut window = window(laptop(16, Bytes::gib(14)), &script);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Comma);
        window.run();
        window.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Language").click();
        window.run();
        // The harness panics where a character has no glyph.
        window.get_by_label(&Catalog::language_name(language)).scroll_to_me();
        window.run();
        window.get_by_label(&Catalog::language_name(language)).click();
        window.run();
        let generate = Catalog::new(language).get("cmd-generate");
        assert!(window.query_all_by_label(&generate).next().is_some(), "{generate}");
        assert_eq!(script.settings.borrow().last().unwrap().language, Some(language));
    }
}
