//! What the prompt box does to words: weights around them, and brackets that do not match. Pure, so that it is tested
//! without a window. Places are counted in characters, as a text cursor counts them.

use std::ops::Range;

/// How much one key press changes a weight.
pub const WEIGHT_STEP: f64 = 0.1;
/// The largest weight that anybody means.
const MAX_WEIGHT: f64 = 2.0;

/// Gives the words in `selected`, or the word at the cursor, `by` more weight: `(words:1.1)`. At weight 1 the brackets
/// go. Returns the new text and where the words are then; `None` where there is no word.
#[must_use]
pub fn weigh(text: &str, selected: Range<usize>, by: f64) -> Option<(String, Range<usize>)> {
    let chars: Vec<char> = text.chars().collect();
    let words = words_at(&chars, selected)?;
    let (whole, weight) = match weighted(&chars, &words) {
        Some((whole, weight)) => (whole, weight),
        None => (words.clone(), 1.0),
    };
    let weight = ((weight + by) * 100.0).round() / 100.0;
    let weight = weight.clamp(0.0, MAX_WEIGHT);
    let content: String = chars[words].iter().collect();
    let length = content.chars().count();
    let plain = (weight - 1.0).abs() < 0.005;
    let middle = if plain { content } else { format!("({content}:{weight})") };
    let start = whole.start + usize::from(!plain);
    let before: String = chars[..whole.start].iter().collect();
    let after: String = chars[whole.end..].iter().collect();
    Some((format!("{before}{middle}{after}"), start..start + length))
}

/// The selection without the spaces around it; the word at the cursor where nothing is selected.
fn words_at(chars: &[char], selected: Range<usize>) -> Option<Range<usize>> {
    let (mut start, mut end) = (selected.start.min(chars.len()), selected.end.min(chars.len()));
    if start == end {
        let ends = |c: &char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '[' | ']' | ':');
        while start > 0 && !ends(&chars[start - 1]) {
            start -= 1;
        }
        while end < chars.len() && !ends(&chars[end]) {
            end += 1;
        }
    }
    while start < end && chars[start].is_whitespace() {
        start += 1;
    }
    while start < end && chars[end - 1].is_whitespace() {
        end -= 1;
    }
    (start < end).then_some(start..end)
}

/// Brackets with a number right around `words`: all of it, and the number.
fn weighted(chars: &[char], words: &Range<usize>) -> Option<(Range<usize>, f64)> {
    let start = words.start.checked_sub(1).filter(|at| chars[*at] == '(')?;
    if chars.get(words.end) != Some(&':') {
        return None;
    }
    let length = chars[words.end + 1..].iter().position(|c| *c == ')')?;
    let number: String = chars[words.end + 1..words.end + 1 + length].iter().collect();
    let weight: f64 = number.trim().parse().ok()?;
    Some((start..words.end + length + 2, weight))
}

/// Whether a round or square bracket has no partner. A backslash before a bracket makes it an ordinary character.
#[must_use]
pub fn unbalanced(text: &str) -> bool {
    let mut open = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' if open.pop() != Some(c) => return true,
            _ => {}
        }
    }
    !open.is_empty()
}

/// Whether a text uses weights at all.
#[must_use]
pub fn has_weights(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(':') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let digits = after.find(')').map(|end| after[..end].trim().parse::<f64>().is_ok());
        if before.contains('(') && digits == Some(true) {
            return true;
        }
        rest = after;
    }
    false
}
