//! Tables of what `torch.save` writes: a zip archive of a pickle and storages, or the older row of pickles.

use super::header::{HeaderError, TensorTable};
use super::pickle::{self, PickleError, Storage};
use std::collections::HashMap;

/// Why such a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TorchError {
    #[error(transparent)]
    Pickle(#[from] PickleError),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error("the archive is not one of weights: {0}")]
    NotWeights(&'static str),
    #[error("the archive is packed, which weights never are")]
    Packed,
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipEntry {
    pub name: String,
    /// Where its local header is; its bytes follow that.
    pub header: u64,
    pub length: u64,
    packed: bool,
}

/// Longest end of an archive: the record and its comment.
pub const ZIP_TAIL: u64 = 22 + 65_535 + 20 + 56;
/// Length of a local header before its name and extra field.
pub const ZIP_LOCAL_HEADER: u64 = 30;

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut all = [0; 8];
    all[..N].copy_from_slice(bytes.get(at..at.checked_add(N)?)?);
    Some(u64::from_le_bytes(all))
}

/// Where an archive's directory lies and how long it is, from the file's last bytes, which start at `from`.
///
/// # Errors
/// Where there is no end record, or it points outside of the file.
pub fn zip_directory(tail: &[u8], from: u64) -> Result<(u64, u64), TorchError> {
    let end = from + tail.len() as u64;
    let find = || {
        let at = tail.windows(4).rposition(|window| window == b"PK\x05\x06")?;
        let (mut length, mut offset) = (number::<4>(tail, at + 12)?, number::<4>(tail, at + 16)?);
        // Large archives have their numbers in a second record in front of this one.
        if let Some(wide) = tail[..at].windows(4).rposition(|window| window == b"PK\x06\x06")
            && (offset == 0xffff_ffff || length == 0xffff_ffff || number::<2>(tail, at + 10) == Some(0xffff))
        {
            length = number::<8>(tail, wide + 40)?;
            offset = number::<8>(tail, wide + 48)?;
        }
        Some((offset, length))
    };
    let (offset, length) = find().ok_or(HeaderError::Truncated { expected: end + 22, actual: end })?;
    if offset.checked_add(length).is_none_or(|directory_end| directory_end > end) || length > 64 << 20 {
        return Err(HeaderError::Damaged("the archive's directory is outside of it".to_owned()).into());
    }
    Ok((offset, length))
}

/// The files of an archive, from its directory.
///
/// # Errors
/// Where an entry ends too early.
pub fn zip_entries(directory: &[u8]) -> Result<Vec<ZipEntry>, TorchError> {
    let damaged = || HeaderError::Damaged("the archive's directory ends too early".to_owned());
    let mut entries = Vec::new();
    let mut at = 0;
    while directory.get(at..).is_some_and(|rest| rest.starts_with(b"PK\x01\x02")) {
        let entry = entry(directory, at).ok_or_else(damaged)?;
        at = entry.1;
        entries.push(entry.0);
    }
    Ok(entries)
}

fn entry(directory: &[u8], at: usize) -> Option<(ZipEntry, usize)> {
    let method = number::<2>(directory, at + 10)?;
    let mut length = number::<4>(directory, at + 24)?;
    let packed_length = number::<4>(directory, at + 20)?;
    let name_length = number::<2>(directory, at + 28)? as usize;
    let extra_length = number::<2>(directory, at + 30)? as usize;
    let comment_length = number::<2>(directory, at + 32)? as usize;
    let mut header = number::<4>(directory, at + 42)?;
    let name = directory.get(at + 46..at + 46 + name_length)?;
    let mut extra = directory.get(at + 46 + name_length..at + 46 + name_length + extra_length)?;
    while extra.len() >= 4 {
        let (kind, size) = (number::<2>(extra, 0)?, number::<2>(extra, 2)? as usize);
        let field = extra.get(4..4 + size)?;
        if kind == 1 {
            // Wide numbers stand here in a fixed order, each only where its narrow one is full.
            let mut place = 0;
            for (narrow, wide) in [(length, &mut length), (packed_length, &mut 0), (header, &mut header)] {
                if narrow == 0xffff_ffff {
                    *wide = number::<8>(field, place)?;
                    place += 8;
                }
            }
        }
        extra = &extra[4 + size..];
    }
    let name = String::from_utf8_lossy(name).into_owned();
    let end = at + 46 + name_length + extra_length + comment_length;
    Some((ZipEntry { name, header, length, packed: method != 0 }, end))
}

/// Where an entry's bytes start, from its local header.
///
/// # Errors
/// Where that is none.
pub fn zip_data_start(entry: &ZipEntry, local_header: &[u8]) -> Result<u64, TorchError> {
    let lengths = number::<2>(local_header, 26).zip(number::<2>(local_header, 28));
    match lengths {
        Some((name, extra)) if local_header.starts_with(b"PK\x03\x04") => {
            Ok(entry.header.saturating_add(ZIP_LOCAL_HEADER + name + extra))
        }
        _ => Err(HeaderError::Damaged(format!("the archive's file {} is not where it should be", entry.name)).into()),
    }
}

/// The entry of the pickle in an archive, and the folder of its storages.
///
/// # Errors
/// Where the archive is another one than `torch.save` writes.
pub fn pickle_entry(entries: &[ZipEntry]) -> Result<(&ZipEntry, String), TorchError> {
    let found = entries.iter().find(|entry| entry.name == "data.pkl" || entry.name.ends_with("/data.pkl"));
    let pickle = found.ok_or(TorchError::NotWeights("it has no data.pkl"))?;
    if entries.iter().any(|entry| entry.packed) {
        return Err(TorchError::Packed);
    }
    let folder = pickle.name.strip_suffix("data.pkl").unwrap_or_default();
    Ok((pickle, format!("{folder}data/")))
}

/// The table of an archive: `pickle` is its data.pkl, `start` tells where the storage of a key starts and how long it is.
///
/// # Errors
/// Where the pickle is a program, or a storage is missing or too short.
pub fn torch_archive(
    pickle: &[u8],
    mut start: impl FnMut(&str) -> Option<(u64, u64)>,
) -> Result<TensorTable, TorchError> {
    let pickle = pickle::read(pickle)?;
    let mut places = HashMap::new();
    for storage in &pickle.storages {
        places.insert(storage.key.to_string(), checked(storage, start(&storage.key))?);
    }
    table(&pickle.tensors, &places)
}

fn checked(storage: &Storage, place: Option<(u64, u64)>) -> Result<u64, TorchError> {
    let missing = || HeaderError::Damaged(format!("storage {} is missing", storage.key));
    let (start, length) = place.ok_or_else(missing)?;
    let needed = storage.precision.bytes_of(storage.count).map_or(u64::MAX, crate::units::Bytes::get);
    if needed > length {
        return Err(HeaderError::Truncated { expected: start.saturating_add(needed), actual: start + length }.into());
    }
    Ok(start)
}

fn table(tensors: &[pickle::Pickled], places: &HashMap<String, u64>) -> Result<TensorTable, TorchError> {
    if tensors.is_empty() {
        return Err(PickleError::Empty.into());
    }
    let mut table = TensorTable::default();
    for tensor in tensors {
        let info = places.get(&*tensor.storage).and_then(|&start| tensor.info(start));
        let odd = || HeaderError::Damaged(format!("tensor {}: impossible size", tensor.name));
        table.tensors.push(info.ok_or_else(odd)?);
    }
    Ok(table)
}

/// The first bytes of files that torch before 1.6 wrote: a pickle of one large number.
const OLD_START: [u8; 15] = *b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e";

#[must_use]
pub fn is_old_torch(start: &[u8]) -> bool {
    start.starts_with(&OLD_START)
}

/// The table of an old file: the number, two pickles of no interest, the weights, their storages' keys, the storages.
///
/// # Errors
/// As [`torch_archive`]; [`HeaderError::NeedMore`] where `start` ends before the storages do begin.
pub fn old_torch(start: &[u8], file_len: u64) -> Result<TensorTable, TorchError> {
    let mut at = OLD_START.len();
    let mut next = || {
        let rest = start.get(at..).unwrap_or_default();
        match pickle::read(rest) {
            Ok(pickle) => {
                at += pickle.length;
                Ok((pickle, at))
            }
            Err(PickleError::Damaged(_)) if (start.len() as u64) < file_len => {
                Err(TorchError::Header(HeaderError::NeedMore(start.len() as u64 * 2)))
            }
            Err(error) => Err(error.into()),
        }
    };
    next()?;
    next()?;
    let (weights, _) = next()?;
    let (keys, end) = next()?;
    let mut places = HashMap::new();
    let mut from = end as u64;
    for key in keys.texts {
        let storage = weights.storages.iter().find(|storage| *storage.key == *key);
        let Some(storage) = storage else { return Err(PickleError::Damaged("it lists unknown storages").into()) };
        // Each storage has its length in front.
        from = from.saturating_add(8);
        checked(storage, Some((from, file_len.saturating_sub(from))))?;
        places.insert(key, from);
        from = from.saturating_add(storage.precision.bytes_of(storage.count).map_or(0, crate::units::Bytes::get));
    }
    table(&weights.tensors, &places)
}
