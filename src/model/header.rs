//! Tensor tables from the first bytes of weight files: safetensors and GGUF.
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
}

impl TensorInfo {
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
const MAX_HEADER: u64 = 100 << 20;

/// Length of a safetensors header from the file's first bytes.
///
/// # Errors
/// Names what the file is instead where it is no safetensors file, or how much of it is missing.
pub fn header_length(start: &[u8], file_len: u64) -> Result<u64, HeaderError> {
    if start.is_empty() {
        return Err(HeaderError::Empty);
    }
    if let Some(what) = look_alike(start) {
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
        table.tensors.push(TensorInfo { name, precision, shape, offset: start + from, bytes });
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

/// The table of a GGUF file (versions 2 and 3), from its first bytes.
///
/// # Errors
/// [`HeaderError::NeedMore`] where `start` is shorter than the header: call again with more of the file.
pub fn gguf(start: &[u8], file_len: u64) -> Result<TensorTable, HeaderError> {
    if start.is_empty() {
        return Err(HeaderError::Empty);
    }
    let mut reader = GgufReader { start, at: 0, file_len };
    if reader.bytes(4)? != b"GGUF" {
        return Err(HeaderError::NotWeights("a file of an unknown kind"));
    }
    let version = reader.u32()?;
    if !(2..=3).contains(&version) {
        return Err(HeaderError::Damaged(format!("GGUF version {version} is not known")));
    }
    let n_tensors = reader.count()?;
    let n_metadata = reader.count()?;
    let mut table = TensorTable::default();
    let mut alignment = 32_u64;
    for _ in 0..n_metadata {
        let key = reader.text()?;
        let kind = reader.u32()?;
        let value = reader.value(kind, 0)?;
        if key == "general.alignment"
            && let Some(asked) = value.as_deref().and_then(|text| text.parse::<u64>().ok())
        {
            if !asked.is_power_of_two() || asked > 1 << 20 {
                return Err(HeaderError::Damaged(format!("alignment {asked}")));
            }
            alignment = asked;
        }
        if let Some(value) = value {
            table.metadata.push((key, value));
        }
    }
    for _ in 0..n_tensors {
        let name = reader.text()?;
        let bad = |what: &str| HeaderError::Damaged(format!("tensor {name}: {what}"));
        let dimensions = reader.u32()?;
        if dimensions > 8 {
            return Err(bad("more than eight dimensions"));
        }
        let mut shape = Vec::with_capacity(dimensions as usize);
        for _ in 0..dimensions {
            shape.push(usize::try_from(reader.u64()?).map_err(|_range| bad("odd shape"))?);
        }
        shape.reverse();
        let kind = reader.u32()?;
        let precision = gguf_precision(kind)
            .ok_or_else(|| HeaderError::UnknownType { tensor: name.clone(), precision: kind.to_string() })?;
        let offset = reader.u64()?;
        let count = shape.iter().try_fold(1_u64, |all, &n| all.checked_mul(n as u64));
        let bytes = count.and_then(|count| precision.bytes_of(count)).ok_or_else(|| bad("impossible size"))?;
        table.tensors.push(TensorInfo { name, precision, shape, offset, bytes });
    }
    let data = (reader.at as u64).next_multiple_of(alignment);
    let mut end = data;
    for tensor in &mut table.tensors {
        let last = tensor.offset.checked_add(data).and_then(|from| from.checked_add(tensor.bytes.get()));
        let last = last.ok_or_else(|| HeaderError::Damaged(format!("tensor {}: odd offset", tensor.name)))?;
        tensor.offset += data;
        end = end.max(last);
    }
    if file_len < end {
        return Err(HeaderError::Truncated { expected: end, actual: file_len });
    }
    Ok(table)
}

const fn gguf_precision(kind: u32) -> Option<Precision> {
    Some(match kind {
        0 => Precision::F32,
        1 => Precision::F16,
        2 => Precision::Q4_0,
        3 => Precision::Q4_1,
        6 => Precision::Q5_0,
        7 => Precision::Q5_1,
        8 => Precision::Q8_0,
        10 => Precision::Q2K,
        11 => Precision::Q3K,
        12 => Precision::Q4K,
        13 => Precision::Q5K,
        14 => Precision::Q6K,
        15 => Precision::Q8K,
        20 => Precision::Iq4Nl,
        23 => Precision::Iq4Xs,
        24 => Precision::I8,
        25 => Precision::I16,
        26 => Precision::I32,
        27 => Precision::I64,
        28 => Precision::F64,
        30 => Precision::Bf16,
        _ => return None,
    })
}

struct GgufReader<'a> {
    start: &'a [u8],
    at: usize,
    file_len: u64,
}

impl<'a> GgufReader<'a> {
    fn bytes(&mut self, n: usize) -> Result<&'a [u8], HeaderError> {
        let end = self.at.checked_add(n).ok_or_else(|| HeaderError::Damaged("odd length".to_owned()))?;
        if let Some(bytes) = self.start.get(self.at..end) {
            self.at = end;
            return Ok(bytes);
        }
        let end = end as u64;
        if end > self.file_len {
            Err(HeaderError::Truncated { expected: end, actual: self.file_len })
        } else if end > MAX_HEADER {
            Err(HeaderError::Damaged("the header is too long".to_owned()))
        } else {
            Err(HeaderError::NeedMore(end))
        }
    }

    fn u32(&mut self) -> Result<u32, HeaderError> {
        let bytes = self.bytes(4)?;
        Ok(bytes.first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk)))
    }

    fn u64(&mut self) -> Result<u64, HeaderError> {
        let bytes = self.bytes(8)?;
        Ok(bytes.first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk)))
    }

    /// A number of things that take at least a byte each, so it cannot exceed the file.
    fn count(&mut self) -> Result<u64, HeaderError> {
        let count = self.u64()?;
        if count > self.file_len {
            return Err(HeaderError::Damaged(format!("{count} entries")));
        }
        Ok(count)
    }

    fn text(&mut self) -> Result<String, HeaderError> {
        let length = self.count()?;
        let length = usize::try_from(length).map_err(|_range| HeaderError::Damaged("odd length".to_owned()))?;
        Ok(String::from_utf8_lossy(self.bytes(length)?).into_owned())
    }

    /// A metadata value as text; arrays are skipped and give `None`.
    fn value(&mut self, kind: u32, depth: usize) -> Result<Option<String>, HeaderError> {
        let fixed = |bytes: &[u8]| {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(all)
        };
        Ok(Some(match kind {
            0 | 7 => fixed(self.bytes(1)?).to_string(),
            1 => (fixed(self.bytes(1)?) as i8).to_string(),
            2 => fixed(self.bytes(2)?).to_string(),
            3 => (fixed(self.bytes(2)?) as i16).to_string(),
            4 => fixed(self.bytes(4)?).to_string(),
            5 => (fixed(self.bytes(4)?) as i32).to_string(),
            6 => f32::from_bits(fixed(self.bytes(4)?) as u32).to_string(),
            8 => self.text()?,
            9 => {
                if depth > 4 {
                    return Err(HeaderError::Damaged("nested arrays".to_owned()));
                }
                let kind = self.u32()?;
                for _ in 0..self.count()? {
                    self.value(kind, depth + 1)?;
                }
                return Ok(None);
            }
            10 => fixed(self.bytes(8)?).to_string(),
            11 => (fixed(self.bytes(8)?) as i64).to_string(),
            12 => f64::from_bits(fixed(self.bytes(8)?)).to_string(),
            _ => return Err(HeaderError::Damaged(format!("metadata of kind {kind}"))),
        }))
    }
}
