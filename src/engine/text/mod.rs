//! Text encoders, which several families share.

mod bpe;
mod clip;
mod emphasis;
mod feed_forward;
mod qwen3;
mod t5;
mod tokenizer;
mod words;

#[cfg(test)]
pub(crate) use bpe::Bpe;
pub(crate) use clip::Clip;
#[cfg(test)]
pub(crate) use clip::chunks;
pub(crate) use qwen3::Qwen3;
pub(crate) use t5::T5;
pub(crate) use words::{Chunk, Words, split};
