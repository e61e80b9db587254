//! EXIF blocks, as far as settings are kept in them, and texts in the encodings that really occur.
//!
//! Writers disagree about everything here: A1111 writes `UserComment` in big-endian UTF-16 whatever the block's own order
//! is, others little-endian, some UTF-8 under any label, and editors cut blocks off. So what can be read is read, and the
//! text's own bytes decide how.

use super::Entry;

const IFD_POINTER: u16 = 0x8769;
const USER_COMMENT: u16 = 0x9286;
/// Tags that hold texts, under the names that entries have.
const TAGS: &[(u16, &str)] = &[
    (0x010e, "ImageDescription"),
    (0x010f, "Make"),
    (0x0110, "Model"),
    (0x0131, "Software"),
    (0x927c, "MakerNote"),
    (USER_COMMENT, "UserComment"),
    (0x9c9c, "Comment"),
];
/// Entries of one directory that are looked at.
const MAX_ENTRIES: u16 = 512;

/// The texts of an EXIF block, with or without its `Exif\0\0` mark. Total: a damaged block gives what is left of it.
#[must_use]
pub fn exif_entries(block: &[u8]) -> Vec<Entry> {
    let block = block.strip_prefix(b"Exif\0\0").unwrap_or(block);
    let Some(tiff) = Tiff::new(block) else { return Vec::new() };
    let mut entries = Vec::new();
    let mut directories = tiff.long(4).into_iter().collect::<Vec<_>>();
    // The main directory, and the one that it points to.
    for _ in 0..2 {
        let Some(at) = directories.pop() else { break };
        tiff.directory(at as usize, &mut entries, &mut directories);
    }
    entries
}

struct Tiff<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl<'a> Tiff<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        match bytes.get(..4)? {
            b"II*\0" => Some(Self { bytes, big: false }),
            b"MM\0*" => Some(Self { bytes, big: true }),
            _ => None,
        }
    }

    fn short(&self, at: usize) -> Option<u16> {
        let bytes: [u8; 2] = self.bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    fn long(&self, at: usize) -> Option<u32> {
        let bytes: [u8; 4] = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    fn directory(&self, at: usize, entries: &mut Vec<Entry>, directories: &mut Vec<u32>) {
        let count = self.short(at).unwrap_or(0).min(MAX_ENTRIES);
        for index in 0..usize::from(count) {
            let at = at.saturating_add(2 + index * 12);
            let Some(tag) = self.short(at) else { return };
            if tag == IFD_POINTER {
                directories.extend(self.long(at + 8));
            } else if let Some((_, name)) = TAGS.iter().find(|(known, _)| *known == tag)
                && let Some(value) = self.value(at)
            {
                let text = if tag == USER_COMMENT { user_comment(value) } else { decode_text(value) };
                let text = text.trim_matches('\0').to_owned();
                if !text.trim().is_empty() {
                    entries.push(Entry { key: (*name).to_owned(), text });
                }
            }
        }
    }

    /// The bytes of an entry of one-byte type; what lies beyond the block's end is missing.
    fn value(&self, at: usize) -> Option<&'a [u8]> {
        if !matches!(self.short(at + 2)?, 1 | 2 | 7 | 129) {
            return None;
        }
        let length = self.long(at + 4)? as usize;
        let start = if length <= 4 { at + 8 } else { self.long(at + 8)? as usize };
        let rest = self.bytes.get(start..)?;
        rest.get(..length.min(rest.len()))
    }
}

/// `UserComment`: eight bytes that name the encoding, then text. The text is believed more than the label.
fn user_comment(value: &[u8]) -> String {
    for (label, unicode) in
        [(&b"UNICODE\0"[..], true), (b"ASCII\0\0\0", false), (b"JIS\0\0\0\0\0", false), (&[0; 8], false)]
    {
        if let Some(text) = value.strip_prefix(label) {
            return if unicode { utf16_or_8(text) } else { decode_text(text) };
        }
    }
    decode_text(value)
}

/// Text labelled as Unicode: UTF-16 of either order, or UTF-8 that was labelled wrongly.
fn utf16_or_8(bytes: &[u8]) -> String {
    match (order(bytes), std::str::from_utf8(bytes)) {
        (Some(big), _) => utf16(bytes, big),
        // Pure UTF-8 with at least a few letters; UTF-16 without a single Latin letter has no zero bytes either, but is
        // hardly ever valid UTF-8.
        (None, Ok(text)) if bytes.len() % 2 == 1 || text.is_ascii() => text.to_owned(),
        (None, _) => utf16(bytes, true),
    }
}

/// Bytes of unknown encoding as text: a byte order mark decides, then zero bytes, then whether it is UTF-8. The rest is
/// Latin-1, which every byte is.
#[must_use]
pub fn decode_text(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return String::from_utf8_lossy(rest).into_owned();
    }
    if let Some(big) = order(bytes) {
        return utf16(bytes, big);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // Cut off in the middle of a character; a single byte at the end of plain letters is Latin-1.
        Err(error) if error.error_len().is_none() && is_cut(bytes, error.valid_up_to()) => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

fn is_cut(bytes: &[u8], valid: usize) -> bool {
    bytes.len() - valid > 1 || !bytes[..valid].is_ascii()
}

/// Whether bytes are UTF-16, and then whether the high byte comes first. Latin letters leave a zero in every pair.
fn order(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xfe, 0xff, ..] => return Some(true),
        [0xff, 0xfe, ..] => return Some(false),
        _ => {}
    }
    let pairs = bytes.chunks_exact(2);
    let total = pairs.len();
    let (mut high, mut low) = (0, 0);
    for pair in pairs {
        high += usize::from(pair[0] == 0 && pair[1] != 0);
        low += usize::from(pair[0] != 0 && pair[1] == 0);
    }
    let enough = total > 0 && (high + low) * 8 >= total;
    (enough && high != low).then_some(high > low)
}

fn utf16(bytes: &[u8], big: bool) -> String {
    let units = bytes.chunks_exact(2).map(|pair| {
        let pair = [pair[0], pair[1]];
        if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    });
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect::<String>()
        .trim_start_matches('\u{feff}')
        .to_owned()
}
