//! The EXIF block of an exported JPEG or WebP: A1111's text where its readers look, our JSON beside it.

/// Marks our own JSON in `MakerNote`.
pub(super) const OWN_MARK: &str = "headroom:";

const ASCII: u16 = 2;
const LONG: u16 = 4;
const UNDEFINED: u16 = 7;

/// A big-endian TIFF block: `Software`, and in the EXIF directory `MakerNote` with our JSON and `UserComment` with the
/// text, in big-endian UTF-16 as A1111 writes it.
pub(super) fn block(foreign: &str, own: &str) -> Vec<u8> {
    let software = format!("Headroom {}\0", env!("CARGO_PKG_VERSION"));
    let note = format!("{OWN_MARK}{own}");
    let mut comment = b"UNICODE\0".to_vec();
    comment.extend(foreign.encode_utf16().flat_map(u16::to_be_bytes));

    // Two directories of two entries each, then the values.
    const DIRECTORY: u32 = 2 + 2 * 12 + 4;
    let exif_at = 8 + DIRECTORY;
    let values_at = exif_at + DIRECTORY;
    let mut block = b"MM\0*\0\0\0\x08".to_vec();
    let mut values: Vec<u8> = Vec::new();
    let mut directory = |entries: [(u16, u16, Value<'_>); 2]| {
        block.extend(2_u16.to_be_bytes());
        for (tag, kind, value) in entries {
            block.extend(tag.to_be_bytes());
            block.extend(kind.to_be_bytes());
            match value {
                Value::Number(number) => {
                    block.extend(1_u32.to_be_bytes());
                    block.extend(number.to_be_bytes());
                }
                Value::Bytes(bytes) => {
                    block.extend((bytes.len() as u32).to_be_bytes());
                    block.extend((values_at + values.len() as u32).to_be_bytes());
                    values.extend(bytes);
                    // Values start at even places.
                    values.resize(values.len().next_multiple_of(2), 0);
                }
            }
        }
        block.extend(0_u32.to_be_bytes());
    };
    directory([(0x0131, ASCII, Value::Bytes(software.as_bytes())), (0x8769, LONG, Value::Number(exif_at))]);
    directory([(0x927c, UNDEFINED, Value::Bytes(note.as_bytes())), (0x9286, UNDEFINED, Value::Bytes(&comment))]);
    block.extend(values);
    block
}

enum Value<'a> {
    Number(u32),
    Bytes(&'a [u8]),
}
