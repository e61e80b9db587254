//! Every icon file is the mark that the window draws, at its own size.

use headroom::ui::icon::mark_pixel;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/icons")
}

/// The side and the pixels of an RGBA picture.
fn png(bytes: &[u8]) -> (u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgba, png::BitDepth::Eight));
    assert_eq!(info.width, info.height);
    (info.width, pixels)
}

/// As icons keep small pictures: a header of 40 bytes, then BGRA from the last row to the first.
fn bitmap(bytes: &[u8]) -> (u32, Vec<u8>) {
    let side = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
    let row = side as usize * 4;
    let rows = bytes[40..].chunks_exact(row).take(side as usize).rev();
    (side, rows.flat_map(|row| row.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0], p[3]])).collect())
}

#[track_caller]
fn is_the_mark((side, pixels): (u32, Vec<u8>)) {
    assert_eq!(pixels.len(), (side * side * 4) as usize);
    for (at, pixel) in (0..side * side).zip(pixels.chunks_exact(4)) {
        let mark = mark_pixel(at % side, at / side, side);
        // What cannot be seen may have any colour.
        let near = pixel.iter().zip(mark).all(|(&a, b)| a.abs_diff(b) <= 1);
        assert!(near || pixel[3] == 0 && mark[3] == 0, "{side}: pixel {at} is {pixel:?}, not {mark:?}");
    }
}

#[test]
fn pictures_are_the_mark() {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "png")).collect();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        is_the_mark(png(&fs::read(file).unwrap()));
    }
}

#[test]
fn the_windows_icon_is_the_mark_at_every_size() {
    let bytes = fs::read(folder().join("headroom.ico")).unwrap();
    let number = |at: usize, len: usize| bytes[at..at + len].iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
    for entry in 0..number(4, 2) {
        let at = 6 + 16 * entry;
        let picture = &bytes[number(at + 12, 4)..][..number(at + 8, 4)];
        is_the_mark(if picture.starts_with(b"\x89PNG") { png(picture) } else { bitmap(picture) });
    }
}
