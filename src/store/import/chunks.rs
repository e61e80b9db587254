//! The texts inside PNG, JPEG and WebP files, without decoding a pixel.
//!
//! A walk from chunk to chunk that passes over the image data: settings stand behind it in some files, and the decoders'
//! own readers give up on files that are damaged further on or look into one place only. Everything is bounded: a chunk
//! that claims gigabytes, a compressed text that swells without end.

use crate::recipe::restore::{Entry, decode_text, exif_entries};
use flate2::read::ZlibDecoder;
use std::io::{Read, Seek, SeekFrom};

/// Longest text that is kept, compressed or not.
const MAX_TEXT: u64 = 16 << 20;
/// Chunks of one file that are looked at.
const MAX_CHUNKS: usize = 100_000;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) fn is_picture(start: &[u8]) -> bool {
    start.starts_with(PNG) || start.starts_with(b"\xff\xd8\xff") || is_webp(start)
}

fn is_webp(start: &[u8]) -> bool {
    start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP")
}

/// All texts of a picture whose first bytes are `start`. What cannot be read ends the walk; what was found is kept.
pub(super) fn entries<R: Read + Seek>(file: &mut R, start: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    // An error is the end of what can be read.
    let _end = if start.starts_with(PNG) {
        png(file, &mut entries)
    } else if is_webp(start) {
        webp(file, &mut entries)
    } else {
        jpeg(file, &mut entries)
    };
    entries
}

fn png<R: Read + Seek>(file: &mut R, entries: &mut Vec<Entry>) -> Option<()> {
    skip(file, PNG.len() as u64)?;
    for _ in 0..MAX_CHUNKS {
        let head: [u8; 8] = array(file)?;
        let length = u64::from(u32::from_be_bytes([head[0], head[1], head[2], head[3]]));
        let kind = &head[4..];
        if !matches!(kind, b"tEXt" | b"zTXt" | b"iTXt" | b"eXIf") || length > MAX_TEXT {
            skip(file, length + 4)?;
            continue;
        }
        let data = bytes(file, length)?;
        match kind {
            b"tEXt" => entries.extend(latin(&data)),
            b"zTXt" => entries.extend(packed(&data)),
            b"iTXt" => entries.extend(international(&data)),
            _ => entries.extend(exif_entries(&data)),
        }
        skip(file, 4)?;
    }
    None
}

/// `tEXt`: Latin-1 by the book, UTF-8 in the files of several programs.
fn latin(data: &[u8]) -> Option<Entry> {
    let (key, text) = keyword(data)?;
    let latin = || text.iter().map(|byte| char::from(*byte)).collect();
    Some(Entry { key, text: std::str::from_utf8(text).map_or_else(|_| latin(), str::to_owned) })
}

/// `zTXt`: the same, compressed.
fn packed(data: &[u8]) -> Option<Entry> {
    let (key, rest) = keyword(data)?;
    let text = inflated(rest.strip_prefix(b"\0")?)?;
    Some(Entry { key, text: decode_text(&text) })
}

/// `iTXt`: keyword, compression flag and method, language, translated keyword, UTF-8.
fn international(data: &[u8]) -> Option<Entry> {
    let (key, rest) = keyword(data)?;
    let (flags, rest) = rest.split_at_checked(2)?;
    let (_language, rest) = cut(rest)?;
    let (_translated, text) = cut(rest)?;
    let text = if flags[0] == 1 { inflated(text)? } else { text.to_vec() };
    Some(Entry { key, text: String::from_utf8(text).unwrap_or_else(|error| decode_text(error.as_bytes())) })
}

fn keyword(data: &[u8]) -> Option<(String, &[u8])> {
    let (key, rest) = cut(data)?;
    Some((decode_text(key), rest))
}

/// What stands before the first NUL, and what behind it.
fn cut(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = data.iter().position(|byte| *byte == 0)?;
    Some((&data[..end], &data[end + 1..]))
}

/// A damaged stream gives what came before the damage.
fn inflated(data: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let read = ZlibDecoder::new(data).take(MAX_TEXT).read_to_end(&mut text);
    (read.is_ok() || !text.is_empty()).then_some(text)
}

fn jpeg<R: Read + Seek>(file: &mut R, entries: &mut Vec<Entry>) -> Option<()> {
    skip(file, 2)?;
    for _ in 0..MAX_CHUNKS {
        let mut marker: [u8; 2] = array(file)?;
        // Fill bytes may stand before a marker.
        while marker[1] == 0xff {
            marker[1] = array::<1, R>(file)?[0];
        }
        match marker {
            [0xff, 0x01 | 0xd0..=0xd8] => continue,
            // Picture data: nothing of ours comes behind it.
            [0xff, 0xd9 | 0xda] => return None,
            [0xff, _] => {}
            _ => return None,
        }
        let length = u64::from(u16::from_be_bytes(array(file)?)).checked_sub(2)?;
        match marker[1] {
            0xe1 => segment(&bytes(file, length)?, entries),
            0xfe => {
                let text = decode_text(&bytes(file, length)?);
                entries.push(Entry { key: "Comment".to_owned(), text: text.trim_end_matches('\0').to_owned() });
            }
            _ => skip(file, length)?,
        }
    }
    None
}

/// An APP1 segment: EXIF or XMP.
fn segment(data: &[u8], entries: &mut Vec<Entry>) {
    if data.starts_with(b"Exif\0") {
        entries.extend(exif_entries(data));
    } else if let Some(xmp) = data.strip_prefix(b"http://ns.adobe.com/xap/1.0/\0") {
        entries.push(Entry { key: "XMP".to_owned(), text: decode_text(xmp) });
    }
}

fn webp<R: Read + Seek>(file: &mut R, entries: &mut Vec<Entry>) -> Option<()> {
    skip(file, 12)?;
    for _ in 0..MAX_CHUNKS {
        let head: [u8; 8] = array(file)?;
        let length = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
        // Chunks start at even places.
        let padded = length + length % 2;
        match &head[..4] {
            b"EXIF" if length <= MAX_TEXT => {
                entries.extend(exif_entries(&bytes(file, length)?));
                skip(file, padded - length)?;
            }
            b"XMP " if length <= MAX_TEXT => {
                entries.push(Entry { key: "XMP".to_owned(), text: decode_text(&bytes(file, length)?) });
                skip(file, padded - length)?;
            }
            _ => skip(file, padded)?,
        }
    }
    None
}

fn skip<S: Seek>(file: &mut S, length: u64) -> Option<()> {
    file.seek(SeekFrom::Current(i64::try_from(length).ok()?)).ok().map(|_place| ())
}

fn array<const N: usize, R: Read>(file: &mut R) -> Option<[u8; N]> {
    let mut array = [0; N];
    file.read_exact(&mut array).ok()?;
    Some(array)
}

/// Up to `length` bytes: what a truncated file still has.
fn bytes<R: Read>(file: &mut R, length: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.by_ref().take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
