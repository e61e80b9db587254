//! Wildcards: `__animal__` in a prompt becomes one entry of the list `animal`, the same one for the same seed.
//!
//! Total and bounded: a list that is not there, or that leads back to itself, stays as it was written and is named, so
//! that a prompt with a typo still draws and still says so.

/// A prompt with its wildcards filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    pub text: String,
    /// Lists that are not there or have no entry; they stay in the text.
    pub unknown: Vec<String>,
    /// Lists that lead back to themselves; they stay in the text.
    pub circular: Vec<String>,
}

const MARK: &str = "__";
/// The most text that lists within lists may make.
const MAX_TEXT: usize = 64 << 10;
const MAX_DEPTH: usize = 16;

/// Fills in every wildcard. `list` gives the entries of a list by its name. Each place in the text makes a choice of its
/// own out of `seed`.
#[must_use]
pub fn expand(text: &str, seed: u64, list: &dyn Fn(&str) -> Option<Vec<String>>) -> Expanded {
    let mut filler = Filler { seed, place: 0, list, open: Vec::new(), made: 0, done: Expanded::default() };
    let text = filler.fill(text);
    filler.done.text = text;
    filler.done
}

/// The names of the lists that a text asks for, each once.
#[must_use]
pub fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, name, after)) = next(rest) {
        if !names.contains(&name) {
            names.push(name);
        }
        rest = after;
    }
    names
}

/// The entries of a list: one a line, without blank lines and comments.
#[must_use]
pub fn entries(text: &str) -> Vec<String> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

struct Filler<'a> {
    seed: u64,
    /// How many choices were made: each gets a number of its own.
    place: u64,
    list: &'a dyn Fn(&str) -> Option<Vec<String>>,
    open: Vec<String>,
    made: usize,
    done: Expanded,
}

impl Filler<'_> {
    fn fill(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, name, after)) = next(rest) {
            out.push_str(before);
            match self.choose(name) {
                Some(chosen) => out.push_str(&chosen),
                None => out.push_str(&rest[before.len()..rest.len() - after.len()]),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn choose(&mut self, name: &str) -> Option<String> {
        let note = |list: &mut Vec<String>| {
            if list.iter().all(|known| known != name) {
                list.push(name.to_owned());
            }
        };
        if self.open.iter().any(|open| open == name) || self.open.len() >= MAX_DEPTH || self.made > MAX_TEXT {
            note(&mut self.done.circular);
            return None;
        }
        let entries = (self.list)(name).filter(|entries| !entries.is_empty());
        let Some(entries) = entries else {
            note(&mut self.done.unknown);
            return None;
        };
        let index = mixed(self.seed, self.place) % entries.len() as u64;
        self.place += 1;
        let entry = entries.get(index as usize)?;
        self.made += entry.len();
        self.open.push(name.to_owned());
        let filled = self.fill(entry);
        self.open.pop();
        Some(filled)
    }
}

/// The next wildcard: what stands before it, its name, what follows. Names have letters, digits, `-`, `.`, `/`, spaces
/// inside, and single underscores.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(MARK).map(|at| from + at) {
        let start = at + MARK.len();
        let end = text[start..].find(MARK).map(|end| start + end)?;
        let name = &text[start..end];
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '/' | '_' | ' ');
        if !name.is_empty() && name.trim() == name && name.chars().all(fits) {
            return Some((&text[..at], name, &text[end + MARK.len()..]));
        }
        from = start;
    }
    None
}

/// Well-mixed bits of seed and place (the finaliser of `SplitMix64`, Steele et al. 2014).
const fn mixed(seed: u64, place: u64) -> u64 {
    let mut z = seed.wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
