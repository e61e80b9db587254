//! Lines of a layout: a published name, and the canonical tensors that its values belong to.
//!
//! In a name `{}` stands for one segment without a dot, `{-}` for a number counted from the last one, and `*` at the
//! end for whatever follows.

use super::LayoutError;
use crate::model::header::{Arrangement, Scale, TensorInfo};

/// Where the values of one published tensor go.
#[derive(Clone, Copy, Debug)]
pub(super) enum To {
    One(&'static str),
    /// Equal shares of the rows, one after another.
    Thirds([&'static str; 3]),
    /// Three shares as wide as the network, then the rest.
    WidthsAndRest([&'static str; 4]),
    /// The halves of the rows trade places.
    Swapped(&'static str),
    /// As [`Self::Swapped`] in the last block, as they are in the others.
    SwappedInLast(&'static str),
    /// Rows become columns.
    Transposed(&'static str),
    /// A convolution of one position that canonical names hold as a matrix.
    Matrix(&'static str),
    /// GGUF drops leading dimensions of one: brought back to this many.
    Rank(&'static str, usize),
    /// Known, and not needed.
    Nothing,
}

pub(super) type Rule = (&'static str, To);

/// What rules need to know of the whole network.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    /// Features of a token.
    pub width: usize,
    /// Number of the last block or level.
    pub last: usize,
}

/// Segments that a name has where its pattern has braces, and what its `*` stands for.
#[derive(Debug, PartialEq, Eq)]
struct Captures<'a> {
    segments: Vec<&'a str>,
    tail: &'a str,
}

fn captures<'a>(pattern: &str, name: &'a str) -> Option<Captures<'a>> {
    let mut segments = Vec::new();
    let mut pattern = pattern;
    let mut name = name;
    loop {
        let brace = pattern.find('{');
        let literal = &pattern[..brace.unwrap_or(pattern.len())];
        if brace.is_none() && literal.ends_with('*') {
            let tail = name.strip_prefix(literal.trim_end_matches('*')).filter(|tail| !tail.is_empty())?;
            return Some(Captures { segments, tail });
        }
        name = name.strip_prefix(literal)?;
        let Some(brace) = brace else {
            return name.is_empty().then_some(Captures { segments, tail: "" });
        };
        let close = brace + pattern[brace..].find('}')?;
        pattern = &pattern[close + 1..];
        // The segment ends where the pattern goes on; everything in the patterns goes on with a dot, or ends.
        let end = name.find('.').unwrap_or(name.len());
        if end == 0 {
            return None;
        }
        segments.push(&name[..end]);
        name = &name[end..];
    }
}

fn fill(pattern: &str, captures: &Captures<'_>, numbers: Numbers) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + captures.tail.len() + 8);
    let mut segments = captures.segments.iter();
    let mut rest = pattern;
    while let Some(at) = rest.find(['{', '*']) {
        out.push_str(&rest[..at]);
        if rest[at..].starts_with('*') {
            out.push_str(captures.tail);
            rest = &rest[at + 1..];
            continue;
        }
        let close = at + rest[at..].find('}')?;
        let segment = segments.next()?;
        if &rest[at..=close] == "{-}" {
            let number: usize = segment.parse().ok()?;
            out.push_str(&numbers.last.checked_sub(number)?.to_string());
        } else {
            out.push_str(segment);
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    Some(out)
}

/// The canonical tensors of a published one; `None` where no rule knows its name.
pub(super) fn apply(
    rules: &[Rule],
    tensor: &TensorInfo,
    numbers: Numbers,
) -> Result<Option<Vec<TensorInfo>>, LayoutError> {
    for (from, to) in rules {
        if let Some(found) = captures(from, &tensor.name) {
            return targets(*to, tensor, &found, numbers).map(Some);
        }
    }
    Ok(None)
}

fn targets(
    to: To,
    tensor: &TensorInfo,
    found: &Captures<'_>,
    numbers: Numbers,
) -> Result<Vec<TensorInfo>, LayoutError> {
    let odd = || LayoutError::OddShape { tensor: tensor.name.clone(), shape: tensor.shape.clone() };
    let whole = |pattern: &str| {
        let name = fill(pattern, found, numbers).ok_or_else(odd)?;
        Ok::<_, LayoutError>(TensorInfo { name, ..tensor.clone() })
    };
    let first = tensor.shape.first().copied().unwrap_or(0);
    Ok(match to {
        To::Nothing => Vec::new(),
        To::One(name) => vec![whole(name)?],
        To::Thirds(names) => {
            if !first.is_multiple_of(3) {
                return Err(odd());
            }
            let share = first / 3;
            let mut parts = Vec::with_capacity(3);
            for (index, name) in names.into_iter().enumerate() {
                parts.push(rows(&whole(name)?, index * share, share).ok_or_else(odd)?);
            }
            parts
        }
        To::WidthsAndRest(names) => {
            let width = numbers.width;
            let rest = first.checked_sub(3 * width).filter(|&rest| width > 0 && rest > 0).ok_or_else(odd)?;
            let mut parts = Vec::with_capacity(4);
            for (index, name) in names.into_iter().enumerate() {
                let count = if index < 3 { width } else { rest };
                parts.push(rows(&whole(name)?, index * width, count).ok_or_else(odd)?);
            }
            parts
        }
        To::Swapped(name) => vec![swapped(whole(name)?).ok_or_else(odd)?],
        To::SwappedInLast(name) => {
            let is_last = found.segments.first().and_then(|number| number.parse().ok()) == Some(numbers.last);
            let info = whole(name)?;
            vec![if is_last { swapped(info).ok_or_else(odd)? } else { info }]
        }
        To::Transposed(name) => {
            let mut info = whole(name)?;
            if info.shape.len() != 2 || info.precision.block().0 != 1 || info.scale.is_some() {
                return Err(odd());
            }
            info.shape.reverse();
            info.arrangement = Arrangement::Transposed;
            vec![info]
        }
        To::Matrix(name) => {
            let mut info = whole(name)?;
            while info.shape.len() > 2 && info.shape.last() == Some(&1) {
                info.shape.pop();
            }
            vec![info]
        }
        To::Rank(name, rank) => {
            let mut info = whole(name)?;
            while info.shape.len() < rank {
                info.shape.insert(0, 1);
            }
            vec![info]
        }
    })
}

/// Rows `from .. from + count` of a tensor: a shorter stretch of the same bytes. `None` where they are not whole blocks.
fn rows(tensor: &TensorInfo, from: usize, count: usize) -> Option<TensorInfo> {
    if tensor.arrangement != Arrangement::Stored {
        return None;
    }
    let row: u64 = tensor.shape.get(1..)?.iter().map(|&n| n as u64).product();
    let (values, _) = tensor.precision.block();
    let start = row.checked_mul(from as u64)?;
    let length = row.checked_mul(count as u64)?;
    if !start.is_multiple_of(values) || !length.is_multiple_of(values) {
        return None;
    }
    let mut part = tensor.clone();
    part.offset = tensor.offset.checked_add(tensor.precision.bytes_of(start)?.get())?;
    part.bytes = tensor.precision.bytes_of(length)?;
    *part.shape.first_mut()? = count;
    part.scale = match tensor.scale {
        Some(scale) if scale.count > 1 => {
            let each = scale.precision.bytes_of(1)?.get();
            Some(Scale { offset: scale.offset + each * from as u64, count, ..scale })
        }
        scale => scale,
    };
    Some(part)
}

fn swapped(mut tensor: TensorInfo) -> Option<TensorInfo> {
    let first = *tensor.shape.first()?;
    let half = tensor.count() / 2;
    let whole_blocks = half.is_multiple_of(tensor.precision.block().0);
    let one_scale = tensor.scale.is_none_or(|scale| scale.count == 1);
    if !first.is_multiple_of(2) || !whole_blocks || !one_scale || tensor.arrangement != Arrangement::Stored {
        return None;
    }
    tensor.arrangement = Arrangement::HalvesSwapped;
    Some(tensor)
}

/// Rows of a published tensor that a canonical one is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    Whole,
    Third(u8),
    /// One of three shares as wide as the network.
    Width(u8),
    /// What follows the three.
    Rest,
    HalvesSwapped,
}

/// The published names of a canonical one: the rules read backwards.
pub(super) fn published(rules: &[Rule], canonical: &str, numbers: Numbers) -> Vec<(String, Share)> {
    let mut all = Vec::new();
    for (from, to) in rules {
        let targets: Vec<(&str, Share)> = match *to {
            To::One(name) | To::Matrix(name) | To::Rank(name, _) | To::Transposed(name) => vec![(name, Share::Whole)],
            To::Thirds([a, b, c]) => vec![(a, Share::Third(0)), (b, Share::Third(1)), (c, Share::Third(2))],
            To::WidthsAndRest([a, b, c, d]) => {
                vec![(a, Share::Width(0)), (b, Share::Width(1)), (c, Share::Width(2)), (d, Share::Rest)]
            }
            To::Swapped(name) | To::SwappedInLast(name) => vec![(name, Share::HalvesSwapped)],
            To::Nothing => Vec::new(),
        };
        for (name, share) in targets {
            let swapped = |last: bool| if last { Share::HalvesSwapped } else { Share::Whole };
            let Some(found) = captures(name, canonical) else { continue };
            let share = match to {
                To::SwappedInLast(_) => {
                    swapped(found.segments.first().and_then(|number| number.parse().ok()) == Some(numbers.last))
                }
                _ => share,
            };
            // A reversed number is reversed again on the way back, wherever the braces say so.
            let numbered = from.replacen("{}", "{-}", usize::from(name.contains("{-}")));
            if let Some(name) = fill(&numbered, &found, numbers) {
                all.push((name, share));
            }
        }
    }
    all
}
