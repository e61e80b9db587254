//! Prompt weights as A1111 writes them, for encoders that take them.
//!
//! `(x)` counts 1.1 times, `((x))` 1.21 times, `[x]` 1/1.1 times, `(x:1.3)` 1.3 times; `\(` `\)` `\[` `\]` `\\` are
//! the characters themselves; the word `BREAK` starts a new chunk. What does not close counts to the end, what closes
//! nothing is text, so every text is a prompt. Encoders of language models take prompts literally: nothing here is for
//! them but [`has_weights`].

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text whose tokens count `weight` times.
    Text { text: String, weight: f32 },
    /// The next piece starts a new chunk of tokens.
    Break,
}

/// Weights are kept within this, both ways: no picture needs more, and nested brackets could reach infinity.
pub const MOST_WEIGHT: f32 = 100.0;

const STEP: f64 = 1.1;

/// A weight over a range of pieces. Round and square brackets need not be nested in each other, so ranges may overlap.
struct Factor {
    from: usize,
    to: usize,
    by: f64,
}

/// The pieces of a prompt in their order; neighbours with the same weight are one piece. Never empty: a prompt without
/// text is one empty piece.
#[must_use]
pub fn pieces(prompt: &str) -> Vec<Piece> {
    let (parts, factors) = scan(prompt);
    let weights = weights(parts.len(), &factors);
    let mut pieces: Vec<Piece> = Vec::new();
    for (part, weight) in parts.into_iter().zip(weights) {
        match (part, pieces.last_mut()) {
            (Some(text), Some(Piece::Text { text: before, weight: same })) if *same == weight => before.push_str(&text),
            (Some(text), _) => pieces.push(Piece::Text { text, weight }),
            (None, _) => pieces.push(Piece::Break),
        }
    }
    if pieces.is_empty() {
        pieces.push(Piece::Text { text: String::new(), weight: 1.0 });
    }
    pieces
}

/// Whether a prompt says something that an encoder that takes it literally would read as text.
#[must_use]
pub fn has_weights(prompt: &str) -> bool {
    let plain = |piece: &Piece| matches!(piece, Piece::Text { weight, .. } if *weight == 1.0);
    !pieces(prompt).iter().all(plain)
}

/// Parts of the text, `None` for a break, and what weighs on them.
fn scan(prompt: &str) -> (Vec<Option<String>>, Vec<Factor>) {
    let mut parts: Vec<Option<String>> = Vec::new();
    let mut factors = Vec::new();
    let (mut round, mut square) = (Vec::new(), Vec::new());
    let mut rest = prompt;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        match first {
            '\\' => {
                // A backslash before anything else is dropped, as A1111 drops it.
                let escaped = rest[1..].chars().next().filter(|c| matches!(c, '(' | ')' | '[' | ']' | '\\'));
                length += escaped.map_or(0, char::len_utf8);
                parts.extend(escaped.map(|c| Some(c.to_string())));
            }
            '(' => round.push(parts.len()),
            '[' => square.push(parts.len()),
            ')' if let Some(from) = round.pop() => factors.push(Factor { from, to: parts.len(), by: STEP }),
            ']' if let Some(from) = square.pop() => factors.push(Factor { from, to: parts.len(), by: 1.0 / STEP }),
            ':' if let Some((by, end)) = closing_weight(rest)
                && let Some(from) = round.pop() =>
            {
                length = end;
                factors.push(Factor { from, to: parts.len(), by });
            }
            ')' | ']' | ':' => parts.push(Some(first.to_string())),
            _ => {
                length = rest.find(['\\', '(', ')', '[', ']', ':']).unwrap_or(rest.len());
                split_breaks(&rest[..length], &mut parts);
            }
        }
        rest = &rest[length..];
    }
    let to = parts.len();
    factors.extend(round.into_iter().map(|from| Factor { from, to, by: STEP }));
    factors.extend(square.into_iter().map(|from| Factor { from, to, by: 1.0 / STEP }));
    (parts, factors)
}

/// The number of `: 1.2 )`, and where its bracket ends.
fn closing_weight(text: &str) -> Option<(f64, usize)> {
    let end = text.find(')')?;
    let number = text.get(1..end)?.trim();
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    if digits.is_empty() || !digits.chars().all(|c| c == '.' || c.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok()?, end + 1))
}

/// Text with the words `BREAK` taken out, each with the white space around it.
fn split_breaks(text: &str, parts: &mut Vec<Option<String>>) {
    const WORD: &str = "BREAK";
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    let mut from = 0;
    while let Some(found) = rest[from..].find(WORD) {
        let (at, end) = (from + found, from + found + WORD.len());
        if rest[..at].chars().next_back().is_some_and(is_word) || rest[end..].chars().next().is_some_and(is_word) {
            from = end;
            continue;
        }
        let before = rest[..at].trim_end();
        if !before.is_empty() {
            parts.push(Some(before.to_owned()));
        }
        parts.push(None);
        rest = rest[end..].trim_start();
        from = 0;
    }
    if !rest.is_empty() {
        parts.push(Some(rest.to_owned()));
    }
}

/// The product of all factors over each part: one pass, whatever the nesting, so that no prompt takes long.
fn weights(parts: usize, factors: &[Factor]) -> Vec<f32> {
    // What changes before each part: logarithm of the size, negative factors, factors of zero.
    let mut changes = vec![(0.0_f64, 0_i64, 0_i64); parts + 1];
    for factor in factors {
        let zero = factor.by == 0.0;
        let change = (if zero { 0.0 } else { factor.by.abs().ln() }, i64::from(factor.by < 0.0), i64::from(zero));
        for (at, sign) in [(factor.from, 1), (factor.to, -1)] {
            let (size, negative, zeros) = &mut changes[at];
            *size += f64::from(sign as i32) * change.0;
            *negative += sign * change.1;
            *zeros += sign * change.2;
        }
    }
    let (mut size, mut negative, mut zeros) = (0.0, 0, 0);
    let weight = |change: &(f64, i64, i64)| {
        size += change.0;
        negative += change.1;
        zeros += change.2;
        let sign = if negative % 2 == 0 { 1.0 } else { -1.0 };
        let weight = if zeros > 0 { 0.0 } else { (sign * f64::exp(size)) as f32 };
        // Rounding of the sum must not tear neighbours apart, nor leave a weight of almost one.
        ((weight * 1e5).round() / 1e5).clamp(-MOST_WEIGHT, MOST_WEIGHT)
    };
    changes[..parts].iter().map(weight).collect()
}
