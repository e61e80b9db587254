//! Tensor tables from the first bytes of weight files: what a table is, and safetensors.
//!
//! A table says where each tensor lies and how it is stored; every offset is checked against the file's length, so
//! whoever reads by the table cannot read past the end.

use super::inventory::Precision;
use super::json::{self, Value};
use crate::units::Bytes;

/// One tensor in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    pub name: String,
    pub precision: Precision,
    /// Outermost dimension first.
    pub shape: Vec<usize>,
    /// From the start of the file.
    pub offset: u64,
    pub bytes: Bytes,
    /// Which of several files it is in, where a table was made of several.
    pub file: usize,
    /// How the bytes become the values of this shape.
    pub arrangement: Arrangement,
    /// What the stored values are multiplied by: scaled fp8 files have one or one a row.
    pub scale: Option<Scale>,
}

/// The order of a tensor's stored values, seen from its canonical shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    #[default]
    Stored,
    /// The second half of the rows comes first in the file.
    HalvesSwapped,
    /// Rows and columns of a matrix are exchanged in the file.
    Transposed,
}

/// Factors of a tensor's rows, in the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    pub offset: u64,
    pub precision: Precision,
    /// One for all rows, or as many as there are rows.
    pub count: usize,
}

impl TensorInfo {
    #[must_use]
    pub const fn new(name: String, precision: Precision, shape: Vec<usize>, offset: u64, bytes: Bytes) -> Self {
        Self { name, precision, shape, offset, bytes, file: 0, arrangement: Arrangement::Stored, scale: None }
    }

    #[must_use]
    pub fn count(&self) -> u64 {
        self.shape.iter().map(|&n| n as u64).product()
    }
}

/// All tensors of a file, and its metadata as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TensorTable {
    pub tensors: Vec<TensorInfo>,
    pub metadata: Vec<(String, String)>,
}

impl TensorTable {
    /// One table of the tables of several files, which their tensors remember.
    #[must_use]
    pub fn merged(tables: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for (file, table) in tables.into_iter().enumerate() {
            all.tensors.extend(table.tensors.into_iter().map(|tensor| TensorInfo { file, ..tensor }));
            all.metadata.extend(table.metadata);
        }
        all
    }

    /// The tables of single files again, without those that hold nothing of this one.
    #[must_use]
    pub fn by_file(self) -> Vec<(usize, Self)> {
        let mut files: Vec<(usize, Self)> = Vec::new();
        for tensor in self.tensors {
            let at = files.iter().position(|(file, _)| *file == tensor.file).unwrap_or_else(|| {
                files.push((tensor.file, Self::default()));
                files.len() - 1
            });
            files[at].1.tensors.push(tensor);
        }
        files
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    #[must_use]
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// What is wrong with a file that should hold weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("the file is empty")]
    Empty,
    #[error("the file ends too early: {actual} of {expected} bytes are there")]
    Truncated { expected: u64, actual: u64 },
    #[error("the file is {actual} bytes long but its tensors end at {expected}")]
    Trailing { expected: u64, actual: u64 },
    #[error("this is {0}, not weights")]
    NotWeights(&'static str),
    #[error("the header is damaged: {0}")]
    Damaged(String),
    #[error("tensor {tensor} has a type that is not known: {precision}")]
    UnknownType { tensor: String, precision: String },
    /// More of the file must be read to know; asks for this many bytes.
    #[error("the header needs {0} bytes")]
    NeedMore(u64),
}

/// Largest header that is believed.
pub(super) const MAX_HEADER: u64 = 100 << 20;

/// Length of a safetensors header from the file's first bytes.
///
/// # Errors
/// Names what the file is instead where it is no safetensors file, or how much of it is missing.
pub fn header_length(start: &[u8], file_len: u64) -> Result<u64, HeaderError> {
    if start.is_empty() {
        return Err(HeaderError::Empty);
    }
    // A length may look like the first bytes of anything: of 640, 1,152 or 131,712 they are those of a pickle.
    let is_length = start.get(4..9).is_some_and(|rest| rest == b"\0\0\0\0{");
    if let Some(what) = look_alike(start).filter(|_| !is_length) {
        return Err(HeaderError::NotWeights(what));
    }
    let Some(length) = start.first_chunk::<8>() else {
        return Err(HeaderError::Truncated { expected: 8, actual: file_len });
    };
    let length = u64::from_le_bytes(*length);
    // A header always starts with a brace; anything else makes the length meaningless.
    if length > MAX_HEADER || start.get(8).is_some_and(|&byte| byte != b'{') {
        return Err(HeaderError::NotWeights(
            if start.iter().all(|&b| b.is_ascii_graphic() || b.is_ascii_whitespace()) {
                "a text file"
            } else {
                "a file of an unknown kind"
            },
        ));
    }
    if file_len < 8 + length {
        return Err(HeaderError::Truncated { expected: 8 + length, actual: file_len });
    }
    Ok(length)
}

/// What a file is, told from its first bytes, where it is a common thing that is no weights.
fn look_alike(start: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&start[..start.len().min(64)]).trim_start().to_ascii_lowercase();
    if text.starts_with("<!doctype") || text.starts_with("<html") {
        Some("a web page")
    } else if text.starts_with("version https://git-lfs") {
        Some("a Git LFS pointer: the real file was not downloaded")
    } else if start.starts_with(b"PK\x03\x04") {
        Some("a zip archive or a pickled checkpoint")
    } else if start.starts_with(b"\x80\x02") || start.starts_with(b"\x80\x04") {
        Some("a pickle")
    } else if start.starts_with(b"\x89PNG") || start.starts_with(b"\xff\xd8\xff") {
        Some("a picture")
    } else if start.starts_with(b"GGUF") {
        Some("a GGUF file under another name")
    } else {
        None
    }
}

/// The table of a safetensors file, from its JSON header.
///
/// # Errors
/// Damaged JSON, unknown types, offsets that overlap nothing but the file's end, a file of another length.
pub fn safetensors(header: &[u8], file_len: u64) -> Result<TensorTable, HeaderError> {
    let damaged = |what: &str| HeaderError::Damaged(what.to_owned());
    let text = std::str::from_utf8(header).map_err(|_utf8| damaged("not UTF-8"))?;
    let Some(Value::Object(entries)) = json::parse(text) else { return Err(damaged("not a JSON object")) };
    let start = 8 + header.len() as u64;
    let mut table = TensorTable::default();
    let mut end = start;
    for (name, value) in entries {
        if name == "__metadata__" {
            if let Value::Object(pairs) = value {
                table
                    .metadata
                    .extend(pairs.into_iter().filter_map(|(key, value)| Some((key, value.as_str()?.to_owned()))));
            }
            continue;
        }
        let bad = |what: &str| HeaderError::Damaged(format!("tensor {name}: {what}"));
        let precision = value.get("dtype").and_then(Value::as_str).ok_or_else(|| bad("no type"))?;
        let precision = safetensors_precision(precision)
            .ok_or_else(|| HeaderError::UnknownType { tensor: name.clone(), precision: precision.to_owned() })?;
        let shape = value.get("shape").and_then(Value::as_array).ok_or_else(|| bad("no shape"))?;
        let shape: Vec<usize> =
            shape.iter().map(Value::as_usize).collect::<Option<_>>().ok_or_else(|| bad("odd shape"))?;
        let offsets = value.get("data_offsets").and_then(Value::as_array).ok_or_else(|| bad("no offsets"))?;
        let [from, to] = offsets else { return Err(bad("odd offsets")) };
        let (Some(from), Some(to)) = (from.as_u64(), to.as_u64()) else { return Err(bad("odd offsets")) };
        let count = shape.iter().try_fold(1_u64, |all, &n| all.checked_mul(n as u64));
        let bytes = count.and_then(|count| precision.bytes_of(count)).ok_or_else(|| bad("impossible size"))?;
        if to.checked_sub(from) != Some(bytes.get()) {
            return Err(bad("offsets do not match type and shape"));
        }
        let last = start.checked_add(to).ok_or_else(|| bad("odd offsets"))?;
        end = end.max(last);
        table.tensors.push(TensorInfo::new(name, precision, shape, start + from, bytes));
    }
    if file_len < end {
        return Err(HeaderError::Truncated { expected: end, actual: file_len });
    }
    if file_len > end {
        return Err(HeaderError::Trailing { expected: end, actual: file_len });
    }
    Ok(table)
}

fn safetensors_precision(name: &str) -> Option<Precision> {
    Some(match name {
        "F64" => Precision::F64,
        "F32" => Precision::F32,
        "F16" => Precision::F16,
        "BF16" => Precision::Bf16,
        "F8_E4M3" => Precision::F8E4M3,
        "F8_E5M2" => Precision::F8E5M2,
        "I64" | "U64" => Precision::I64,
        "I32" | "U32" => Precision::I32,
        "I16" | "U16" => Precision::I16,
        "I8" => Precision::I8,
        "U8" => Precision::U8,
        "BOOL" => Precision::Bool,
        _ => return None,
    })
}
