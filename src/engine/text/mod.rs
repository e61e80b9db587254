//! Text encoders, which several families share.

mod bpe;
mod clip;
mod qwen3;
mod tokenizer;

#[cfg(test)]
pub(crate) use bpe::Bpe;
pub(crate) use clip::Clip;
#[cfg(test)]
pub(crate) use clip::chunks;
pub(crate) use qwen3::Qwen3;
#[cfg(test)]
pub(crate) use qwen3::tokenize;
