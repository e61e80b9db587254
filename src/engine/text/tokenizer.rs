//! Tokenizers by what a file is: `tokenizer.json`, the vocabulary of a GGUF file, a sentencepiece model.

use crate::job::Failure;
use crate::model::{FileRef, HeaderError, TokenList, gguf_tokens};
use std::fs::File;
use std::io::Read as _;
use tokenizers::Tokenizer;

/// First read of a GGUF header; it grows while the header asks for more.
const GGUF_START: u64 = 4 << 20;

/// Reads the tokenizer that a file holds.
///
/// # Errors
/// Where the file cannot be read or holds none.
pub(crate) fn load(file: &FileRef) -> Result<Tokenizer, Failure> {
    let bad = |reason: String| Failure::Model { reason, path: file.display() };
    let bytes = match file {
        FileRef::Embedded { bytes, .. } => return Tokenizer::from_bytes(bytes).map_err(|e| bad(not_one(&e))),
        FileRef::Path(path) => {
            let mut opened = File::open(path).map_err(|e| bad(e.to_string()))?;
            let length = opened.metadata().map_err(|e| bad(e.to_string()))?.len();
            let mut start = Vec::new();
            let mut read = |start: &mut Vec<u8>, more: u64| {
                (&mut opened).take(more).read_to_end(start).map_err(|e| bad(e.to_string()))
            };
            read(&mut start, 4)?;
            if start != b"GGUF" {
                read(&mut start, u64::MAX)?;
                start
            } else {
                read(&mut start, GGUF_START)?;
                let tokens = loop {
                    match gguf_tokens(&start, length) {
                        Err(HeaderError::NeedMore(more)) if more > start.len() as u64 => {
                            let wanted = more.max(start.len() as u64 * 2) - start.len() as u64;
                            read(&mut start, wanted)?;
                        }
                        found => break found.map_err(|e| bad(e.to_string()))?,
                    }
                };
                drop(start);
                json(&tokens.ok_or_else(|| bad("this file has no vocabulary".to_owned()))?, &bad)?
            }
        }
    };
    let bytes = if TokenList::is_sentencepiece(&bytes) {
        json(&TokenList::from_sentencepiece(&bytes).map_err(|e| bad(e.to_string()))?, &bad)?
    } else {
        bytes
    };
    Tokenizer::from_bytes(bytes).map_err(|e| bad(not_one(&e)))
}

fn not_one(error: &tokenizers::Error) -> String {
    format!("not a tokenizer: {error}")
}

fn json(tokens: &TokenList, bad: &impl Fn(String) -> Failure) -> Result<Vec<u8>, Failure> {
    tokens.tokenizer_json().map(String::into_bytes).map_err(|e| bad(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

    fn ids(file: &str, text: &str) -> Vec<u32> {
        let tokenizer = load(&FileRef::Path(format!("{GOLDEN}/{file}").into())).unwrap();
        tokenizer.encode(text, true).unwrap().get_ids().to_vec()
    }

    /// The same words as `tokenizer.json`, as GGUF metadata and as a sentencepiece model: the reference's tokens.
    #[test]
    fn every_kind_of_vocabulary_splits_text_as_the_reference_does() {
        let text = std::fs::read_to_string(format!("{GOLDEN}/tokenizers.json")).unwrap();
        let cases: Value = serde_json::from_str(&text).unwrap();
        let mut texts = 0;
        for (file, cases) in cases.as_object().unwrap() {
            for (text, expected) in cases.as_object().unwrap() {
                let expected: Vec<u32> = serde_json::from_value(expected.clone()).unwrap();
                assert_eq!(ids(file, text), expected, "{file}: {text:?}");
                texts += 1;
            }
        }
        assert!(texts > 20, "{texts}");
    }

    #[test]
    fn what_is_no_tokenizer_says_so() {
        let error = load(&FileRef::Path(format!("{GOLDEN}/layouts/z_image_q8_0.gguf").into())).unwrap_err();
        assert!(error.to_string().contains("no vocabulary"), "{error}");
        let error = load(&FileRef::Path(format!("{GOLDEN}/README.md").into())).unwrap_err();
        assert!(error.to_string().contains("not a tokenizer"), "{error}");
    }
}
