//! Vocabularies that text encoders bring along, as the `tokenizer.json` that the library of that name reads.
//!
//! GGUF files carry tokens and merges in their metadata, T5 a sentencepiece model. What neither says (how text is cut
//! before the merges, which marks are added) is fixed by the family: the published `tokenizer.json` of Qwen3 and the
//! converter of T5 in transformers (`convert_slow_tokenizer.py`) were followed.

use std::fmt::Write as _;

/// The words of a text encoder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenList {
    /// `gpt2` for merges of bytes, `t5` for words with scores.
    pub model: String,
    /// How text is cut before the merges.
    pub pre: String,
    pub tokens: Vec<String>,
    pub merges: Vec<String>,
    pub scores: Vec<f32>,
    /// 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte.
    pub kinds: Vec<u32>,
    /// Compiled character map of sentencepiece.
    pub normaliser: Vec<u8>,
}

/// Why a vocabulary cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenListError {
    #[error("a vocabulary of the kind {0:?} is not read")]
    Unknown(String),
    #[error("the vocabulary is damaged: {0}")]
    Damaged(&'static str),
}

const NORMAL: u32 = 1;
const UNKNOWN: u32 = 2;
const CONTROL: u32 = 3;
const USER_DEFINED: u32 = 4;

/// How Qwen2 and Qwen3 cut text: contractions, words, single digits, marks, line ends, spaces.
const QWEN_SPLIT: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

impl TokenList {
    /// Whether this is a sentencepiece model: its first field is a list of pieces.
    #[must_use]
    pub fn is_sentencepiece(start: &[u8]) -> bool {
        matches!(start, [0x0a, length, 0x0a, ..] if *length < 0x80)
    }

    /// Reads a sentencepiece model (`spiece.model`, a protocol buffer: pieces in field 1, the normaliser in field 3),
    /// with the hundred marks that T5 adds.
    ///
    /// # Errors
    /// Where the bytes end early or say what no such file says.
    pub fn from_sentencepiece(bytes: &[u8]) -> Result<Self, TokenListError> {
        let mut all = Self { model: "t5".to_owned(), ..Self::default() };
        let mut fields = Fields { bytes };
        while let Some((number, value)) = fields.next()? {
            match (number, value) {
                (1, Field::Bytes(bytes)) => {
                    let (mut piece, mut score, mut kind) = (String::new(), 0.0, NORMAL);
                    let mut fields = Fields { bytes };
                    while let Some(field) = fields.next()? {
                        match field {
                            (1, Field::Bytes(bytes)) => piece = String::from_utf8_lossy(bytes).into_owned(),
                            (2, Field::Fixed32(bits)) => score = f32::from_bits(bits),
                            (3, Field::Number(number)) => kind = u32::try_from(number).unwrap_or(0),
                            _ => {}
                        }
                    }
                    all.tokens.push(piece);
                    all.scores.push(score);
                    all.kinds.push(kind);
                }
                (3, Field::Bytes(bytes)) => {
                    let mut fields = Fields { bytes };
                    while let Some(field) = fields.next()? {
                        if let (2, Field::Bytes(bytes)) = field {
                            all.normaliser = bytes.to_vec();
                        }
                    }
                }
                _ => {}
            }
        }
        if all.tokens.is_empty() {
            return Err(TokenListError::Damaged("it has no pieces"));
        }
        for number in (0..100).rev() {
            all.tokens.push(format!("<extra_id_{number}>"));
            all.scores.push(0.0);
            all.kinds.push(USER_DEFINED);
        }
        Ok(all)
    }

    /// The text of a `tokenizer.json` with these words.
    ///
    /// # Errors
    /// Where the kind is not known, or lists of different lengths belong together.
    pub fn tokenizer_json(&self) -> Result<String, TokenListError> {
        if !self.kinds.is_empty() && self.kinds.len() != self.tokens.len() {
            return Err(TokenListError::Damaged("tokens and their kinds are not as many"));
        }
        match (self.model.as_str(), self.pre.as_str()) {
            ("gpt2", "qwen2" | "qwen3") => Ok(self.merges_json()),
            ("t5", _) => self.scores_json(),
            ("gpt2", pre) => Err(TokenListError::Unknown(format!("gpt2 {pre}"))),
            (model, _) => Err(TokenListError::Unknown(model.to_owned())),
        }
    }

    fn kind(&self, index: usize) -> u32 {
        self.kinds.get(index).copied().unwrap_or(NORMAL)
    }

    /// Tokens that are cut out of the text before anything else.
    fn added_json(&self) -> String {
        let mut out = String::new();
        for (id, token) in self.tokens.iter().enumerate() {
            let kind = self.kind(id);
            if !matches!(kind, CONTROL | USER_DEFINED) {
                continue;
            }
            let comma = if out.is_empty() { "" } else { "," };
            let special = kind == CONTROL;
            write!(
                out,
                r#"{comma}{{"id":{id},"content":{},"single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":{special}}}"#,
                quoted(token)
            )
            .unwrap_or_default();
        }
        out
    }

    fn merges_json(&self) -> String {
        let vocabulary: Vec<String> =
            self.tokens.iter().enumerate().map(|(id, token)| format!("{}:{id}", quoted(token))).collect();
        let merges: Vec<String> = self.merges.iter().map(|merge| quoted(merge)).collect();
        format!(
            concat!(
                r#"{{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{}],"normalizer":{{"type":"NFC"}},"#,
                r#""pre_tokenizer":{{"type":"Sequence","pretokenizers":[{{"type":"Split","pattern":{{"Regex":{}}},"#,
                r#""behavior":"Isolated","invert":false}},{{"type":"ByteLevel","add_prefix_space":false,"#,
                r#""trim_offsets":false,"use_regex":false}}]}},"post_processor":null,"decoder":null,"#,
                r#""model":{{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":"","#,
                r#""end_of_word_suffix":"","fuse_unk":false,"byte_fallback":false,"ignore_merges":false,"#,
                r#""vocab":{{{}}},"merges":[{}]}}}}"#,
            ),
            self.added_json(),
            quoted(QWEN_SPLIT),
            vocabulary.join(","),
            merges.join(","),
        )
    }

    fn scores_json(&self) -> Result<String, TokenListError> {
        if self.scores.len() != self.tokens.len() {
            return Err(TokenListError::Damaged("tokens and their scores are not as many"));
        }
        let unknown = (0..self.tokens.len()).find(|&id| self.kind(id) == UNKNOWN).unwrap_or(2);
        let end = self.tokens.iter().position(|token| token == "</s>");
        let end = end.ok_or(TokenListError::Damaged("it has no end mark"))?;
        let words: Vec<String> = self
            .tokens
            .iter()
            .zip(&self.scores)
            .map(|(token, score)| format!("[{},{}]", quoted(token), if score.is_finite() { *score } else { 0.0 }))
            .collect();
        let normaliser = if self.normaliser.is_empty() {
            String::new()
        } else {
            format!(r#"{{"type":"Precompiled","precompiled_charsmap":"{}"}},"#, base64(&self.normaliser))
        };
        Ok(format!(
            concat!(
                r#"{{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{added}],"#,
                r#""normalizer":{{"type":"Sequence","normalizers":[{normaliser}"#,
                r#"{{"type":"Strip","strip_left":false,"strip_right":true}},"#,
                r#"{{"type":"Replace","pattern":{{"Regex":" {{2,}}"}},"content":"▁"}}]}},"#,
                r#""pre_tokenizer":{{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}},"#,
                r#""post_processor":{{"type":"TemplateProcessing","single":[{{"Sequence":{{"id":"A","type_id":0}}}},"#,
                r#"{{"SpecialToken":{{"id":"</s>","type_id":0}}}}],"pair":[{{"Sequence":{{"id":"A","type_id":0}}}},"#,
                r#"{{"Sequence":{{"id":"B","type_id":0}}}}],"special_tokens":{{"</s>":{{"id":"</s>","#,
                r#""ids":[{end}],"tokens":["</s>"]}}}}}},"decoder":null,"#,
                r#""model":{{"type":"Unigram","unk_id":{unknown},"vocab":[{words}],"byte_fallback":false}}}}"#,
            ),
            added = self.added_json(),
            normaliser = normaliser,
            end = end,
            unknown = unknown,
            words = words.join(","),
        ))
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32).unwrap_or_default(),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let all = chunk.iter().chain([0; 2].iter()).take(3).fold(0_usize, |all, &byte| all << 8 | usize::from(byte));
        for place in 0..4 {
            let letter = if place <= chunk.len() { LETTERS[all >> (18 - 6 * place) & 63] } else { b'=' };
            out.push(char::from(letter));
        }
    }
    out
}

/// Fields of a protocol buffer.
struct Fields<'a> {
    bytes: &'a [u8],
}

enum Field<'a> {
    Number(u64),
    Fixed32(u32),
    Fixed64,
    Bytes(&'a [u8]),
}

impl<'a> Fields<'a> {
    fn take(&mut self, n: u64) -> Result<&'a [u8], TokenListError> {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        let (taken, rest) = self.bytes.split_at_checked(n).ok_or(TokenListError::Damaged("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, TokenListError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?.first().copied().unwrap_or(0);
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(TokenListError::Damaged("a number does not end"))
    }

    fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, TokenListError> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let tag = self.number()?;
        let field = match tag & 7 {
            0 => Field::Number(self.number()?),
            1 => {
                self.take(8)?;
                Field::Fixed64
            }
            2 => {
                let length = self.number()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Fixed32(self.take(4)?.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))),
            _ => return Err(TokenListError::Damaged("a field of an unknown kind")),
        };
        Ok(Some((tag >> 3, field)))
    }
}
