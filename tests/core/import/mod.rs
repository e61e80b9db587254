//! Settings and presets of other programs: texts as those programs really write them.

mod comfy;
#[cfg(feature = "edges")]
mod files;
mod presets;
mod texts;
mod wildcards;

use headroom::recipe::restore::{self, Entry, Left, Restored, Why};

pub(super) fn entries(pairs: &[(&str, &str)]) -> Vec<Entry> {
    pairs.iter().map(|(key, text)| Entry { key: (*key).to_owned(), text: (*text).to_owned() }).collect()
}

pub(super) fn restored(pairs: &[(&str, &str)]) -> Restored {
    restore::from_entries(&entries(pairs)).unwrap()
}

pub(super) fn left<'a>(left: &'a [Left], what: &str) -> Option<&'a Left> {
    left.iter().find(|left| left.what == what)
}

#[track_caller]
pub(super) fn assert_left(found: &[Left], what: &str, value: &str, why: Why) {
    let known = left(found, what).unwrap_or_else(|| panic!("{what} is not in {found:?}"));
    assert_eq!((known.value.as_str(), known.why), (value, why), "{what}");
}
