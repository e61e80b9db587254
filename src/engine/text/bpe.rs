//! CLIP's tokenizer: byte pairs over lower-case words, built from the vocabulary and merges that a model brings.
//!
//! As transformers' `CLIPTokenizer`, which the reference pipelines use.

use crate::job::Failure;
use crate::model::shapes::ClipShape;
use crate::model::{FileRef, TokenizerFiles};
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::PathBuf;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::replace::ReplacePattern;
use tokenizers::normalizers::{Lowercase, NFC, Replace, Sequence};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence as PreSequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, NormalizerWrapper, PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

const WORDS: &str = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";
/// The merges of `OpenAI`'s CLIP (MIT, see `assets/clip`), one a line.
static CLIP_MERGES: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/clip/merges.txt.gz"));
const ENDS: [&str; 2] = ["<|startoftext|>", "<|endoftext|>"];

pub(crate) struct Bpe {
    tokenizer: Tokenizer,
    /// For messages.
    path: PathBuf,
}

impl Bpe {
    pub(crate) fn load(files: &TokenizerFiles) -> Result<Self, Failure> {
        let path = files.display();
        let bad = |reason: String| Failure::Model { reason, path: path.clone() };
        let tokenizer = match files {
            TokenizerFiles::File(file) => {
                Tokenizer::from_bytes(bytes(file)?).map_err(|e| bad(format!("not a tokenizer: {e}")))?
            }
            TokenizerFiles::Merges { vocabulary, merges } => {
                let vocabulary: HashMap<String, u32> = serde_json::from_slice(&bytes(vocabulary)?)
                    .map_err(|e| bad(format!("not a vocabulary of tokens: {e}")))?;
                let merges = String::from_utf8(bytes(merges)?).map_err(|e| bad(format!("merges are no text: {e}")))?;
                build(vocabulary, pairs(&merges)).map_err(|e| bad(format!("vocabulary and merges do not fit: {e}")))?
            }
            TokenizerFiles::Clip => {
                let mut merges = String::new();
                GzDecoder::new(CLIP_MERGES).read_to_string(&mut merges).map_err(|e| bad(e.to_string()))?;
                let merges = pairs(&merges);
                build(vocabulary_of(&merges), merges).map_err(|e| bad(e.to_string()))?
            }
        };
        Ok(Self { tokenizer, path })
    }

    /// Token ids without ends, each checked to be in a vocabulary of `most`.
    pub(crate) fn ids(&self, text: &str, most: usize) -> Result<Vec<u32>, Failure> {
        let bad = |reason: String| Failure::Model { reason, path: self.path.clone() };
        let encoding =
            self.tokenizer.encode(text, false).map_err(|e| bad(format!("the prompt could not be split: {e}")))?;
        let ids = encoding.get_ids().to_vec();
        match ids.iter().find(|&&id| id as usize >= most) {
            Some(id) => Err(bad(format!("token {id} is outside the text encoder's vocabulary of {most}"))),
            None => Ok(ids),
        }
    }
}

/// One chunk with its ends, filled up behind them.
pub(super) fn framed(ids: &[u32], shape: &ClipShape) -> Vec<u32> {
    let mut chunk = Vec::with_capacity(shape.positions);
    chunk.push(shape.start());
    chunk.extend_from_slice(ids);
    chunk.push(shape.end());
    chunk.resize(shape.positions, shape.padding);
    chunk
}

fn bytes(file: &FileRef) -> Result<Vec<u8>, Failure> {
    match file {
        FileRef::Path(path) => {
            std::fs::read(path).map_err(|e| Failure::Model { reason: e.to_string(), path: path.clone() })
        }
        FileRef::Embedded { bytes, .. } => Ok(bytes.to_vec()),
    }
}

/// The vocabulary that follows from CLIP's merges: every byte, every byte at the end of a word, what each merge makes,
/// the two ends.
fn vocabulary_of(merges: &[(String, String)]) -> HashMap<String, u32> {
    // Bytes that print stand for themselves, the others for the characters from 256 on; CLIP numbers them after those.
    let prints = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let visible = (0..=u8::MAX).filter(prints).map(char::from);
    let hidden = (0..=u8::MAX).filter(|byte| !prints(byte)).zip('\u{100}'..).map(|(_, c)| c);
    let bytes: Vec<String> = visible.chain(hidden).map(String::from).collect();
    let at_end = bytes.iter().map(|byte| format!("{byte}</w>"));
    let made = merges.iter().map(|(a, b)| format!("{a}{b}"));
    let ends = ENDS.map(str::to_owned);
    bytes.iter().cloned().chain(at_end).chain(made).chain(ends).zip(0..).collect()
}

/// One merge a line, a comment in the first.
fn pairs(merges: &str) -> Vec<(String, String)> {
    let lines = merges.lines().filter(|line| !line.starts_with("#version"));
    lines.filter_map(|line| line.split_once(' ')).map(|(a, b)| (a.to_owned(), b.trim_end().to_owned())).collect()
}

fn build(vocabulary: HashMap<String, u32>, merges: Vec<(String, String)>) -> tokenizers::Result<Tokenizer> {
    let bpe = BPE::builder()
        .vocab_and_merges(vocabulary.into_iter().collect::<Vocab>(), merges)
        .unk_token(ENDS[1].to_owned())
        .continuing_subword_prefix(String::new())
        .end_of_word_suffix("</w>".to_owned())
        .build()?;
    let mut tokenizer = Tokenizer::new(bpe);
    let spaces = Replace::new(ReplacePattern::Regex(r"\s+".to_owned()), " ")?;
    tokenizer.with_normalizer(Some(Sequence::new(vec![
        NormalizerWrapper::NFC(NFC),
        NormalizerWrapper::Replace(spaces),
        NormalizerWrapper::Lowercase(Lowercase),
    ])))?;
    let words = Split::new(SplitPattern::Regex(WORDS.to_owned()), SplitDelimiterBehavior::Removed, true)?;
    tokenizer.with_pre_tokenizer(Some(PreSequence::new(vec![
        PreTokenizerWrapper::Split(words),
        PreTokenizerWrapper::ByteLevel(ByteLevel::default().add_prefix_space(false)),
    ])));
    tokenizer.add_special_tokens(ENDS.map(|end| AddedToken::from(end, true)))?;
    Ok(tokenizer)
}
