//! Prompts as text encoders read them: tokens in chunks.

use super::bpe::Bpe;
use super::emphasis::weighted_chunks;
use super::{qwen3, t5, tokenizer};
use crate::job::Failure;
use crate::model::TokenizerFiles;
use crate::model::shapes::TextEncoderShape;

/// Tokens that an encoder takes at once.
pub(crate) struct Chunk {
    pub ids: Vec<u32>,
    /// What each token counts, where words can be stressed at all.
    pub weights: Vec<f32>,
}

/// A prompt: one chunk, or as many as it fills where the encoder has a longest one.
pub(crate) type Words = Vec<Chunk>;

/// Splits prompts for an encoder of that shape. The tokenizer is gone when this returns: it takes far more than what it
/// is made from, and need not stand beside the weights.
///
/// # Errors
/// Where the vocabulary cannot be read, or does not belong to the encoder.
pub(crate) fn split(files: &TokenizerFiles, shape: &TextEncoderShape, prompts: &[&str]) -> Result<Vec<Words>, Failure> {
    let bad = |reason: String| Failure::Model { reason, path: files.display() };
    let vocabulary = || match files {
        TokenizerFiles::File(file) => tokenizer::load(file),
        _ => Err(bad("a tokenizer.json is needed".to_owned())),
    };
    let plain = |ids: Vec<u32>, most: usize| match ids.iter().find(|&&id| id as usize >= most) {
        Some(id) => Err(bad(format!("token {id} is outside the text encoder's vocabulary of {most}"))),
        None => Ok(vec![Chunk { ids, weights: Vec::new() }]),
    };
    let failed = |error: tokenizers::Error| bad(format!("the prompt could not be split: {error}"));
    match shape {
        TextEncoderShape::Clip(shape) => {
            let tokenizer = Bpe::load(files)?;
            prompts.iter().map(|prompt| weighted_chunks(&tokenizer, prompt, shape)).collect()
        }
        TextEncoderShape::Qwen3(shape) => {
            let tokenizer = vocabulary()?;
            if let Some(absent) = qwen3::TURNS.into_iter().find(|turn| tokenizer.token_to_id(turn).is_none()) {
                return Err(bad(format!("this is not the vocabulary of the text encoder: it has no token {absent}")));
            }
            let ids = |prompt: &&str| qwen3::ids(&tokenizer, prompt, shape).map_err(failed);
            prompts.iter().map(|prompt| plain(ids(prompt)?, shape.vocabulary)).collect()
        }
        TextEncoderShape::T5(shape) => {
            let tokenizer = vocabulary()?;
            let ids = |prompt: &&str| t5::ids(&tokenizer, prompt, shape).map_err(failed);
            prompts.iter().map(|prompt| plain(ids(prompt)?, shape.vocabulary)).collect()
        }
    }
}

/// The only chunk's tokens, for encoders of prompts of any length.
pub(super) fn one(words: &[Chunk]) -> Result<&[u32], Failure> {
    match words {
        [chunk] => Ok(&chunk.ids),
        _ => Err(Failure::Crash { what: format!("a prompt in {} chunks", words.len()) }),
    }
}
