//! Tensor tables and vocabularies from the first bytes of GGUF files, versions 2 and 3.
//!
//! The format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

use super::header::{HeaderError, MAX_HEADER, TensorInfo, TensorTable};
use super::inventory::Precision;
use super::tokens::TokenList;

/// The table of a GGUF file, from its first bytes.
///
/// # Errors
/// [`HeaderError::NeedMore`] where `start` is shorter than the header: call again with more of the file.
pub fn gguf(start: &[u8], file_len: u64) -> Result<TensorTable, HeaderError> {
    if start.is_empty() {
        return Err(HeaderError::Empty);
    }
    let mut reader = GgufReader { start, at: 0, file_len };
    let (n_tensors, n_metadata) = reader.counts()?;
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
        table.tensors.push(TensorInfo::new(name, precision, shape, offset, bytes));
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
    /// Numbers of tensors and of metadata entries, behind the magic.
    fn counts(&mut self) -> Result<(u64, u64), HeaderError> {
        if self.bytes(4)? != b"GGUF" {
            return Err(HeaderError::NotWeights("a file of an unknown kind"));
        }
        let version = self.u32()?;
        if !(2..=3).contains(&version) {
            return Err(HeaderError::Damaged(format!("GGUF version {version} is not known")));
        }
        let n_tensors = self.count()?;
        Ok((n_tensors, self.count()?))
    }

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

    /// An array whose entries are of `kind`; signed and unsigned bytes count as one kind.
    fn array<T>(
        &mut self,
        kind: u32,
        each: impl Fn(&mut Self) -> Result<T, HeaderError>,
    ) -> Result<Vec<T>, HeaderError> {
        let found = self.u32()?;
        if found != kind && !(found == 1 && kind == 0) && !(found == 4 && kind == 5) {
            return Err(HeaderError::Damaged(format!("an array of kind {found} in the vocabulary")));
        }
        let count = self.count()?;
        // Entries are pushed one by one: a count that lies cannot ask for more than the file's bytes.
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(each(self)?);
        }
        Ok(all)
    }

    /// A metadata value as text. Short arrays are written with commas, long ones are skipped and give `None`.
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
                let count = self.count()?;
                let mut short = (count <= 8).then(Vec::new);
                for _ in 0..count {
                    let value = self.value(kind, depth + 1)?;
                    if let Some(values) = &mut short {
                        values.push(value.unwrap_or_default());
                    }
                }
                return Ok(short.map(|values| values.join(",")));
            }
            10 => fixed(self.bytes(8)?).to_string(),
            11 => (fixed(self.bytes(8)?) as i64).to_string(),
            12 => f64::from_bits(fixed(self.bytes(8)?)).to_string(),
            _ => return Err(HeaderError::Damaged(format!("metadata of kind {kind}"))),
        }))
    }
}

/// The vocabulary of a text encoder, from the first bytes of its GGUF file; `None` where it has none.
///
/// # Errors
/// As [`gguf`].
pub fn gguf_tokens(start: &[u8], file_len: u64) -> Result<Option<TokenList>, HeaderError> {
    let mut reader = GgufReader { start, at: 0, file_len };
    let (_, n_metadata) = reader.counts()?;
    let mut vocabulary = TokenList::default();
    for _ in 0..n_metadata {
        let key = reader.text()?;
        let kind = reader.u32()?;
        match (key.strip_prefix("tokenizer.ggml."), kind) {
            (Some("model"), 8) => vocabulary.model = reader.text()?,
            (Some("pre"), 8) => vocabulary.pre = reader.text()?,
            (Some("tokens"), 9) => vocabulary.tokens = reader.array(8, GgufReader::text)?,
            (Some("merges"), 9) => vocabulary.merges = reader.array(8, GgufReader::text)?,
            (Some("scores"), 9) => {
                vocabulary.scores = reader.array(6, |reader| Ok(f32::from_bits(reader.u32()?)))?;
            }
            (Some("token_type"), 9) => vocabulary.kinds = reader.array(5, GgufReader::u32)?,
            (Some("precompiled_charsmap"), 9) => {
                let bytes = reader.array(0, |reader| Ok(reader.bytes(1)?.first().copied().unwrap_or(0)));
                vocabulary.normaliser = bytes?;
            }
            _ => {
                reader.value(kind, 0)?;
            }
        }
    }
    Ok((!vocabulary.tokens.is_empty()).then_some(vocabulary))
}
