//! Text encoders, which several families share.

mod qwen3;

pub(crate) use qwen3::Qwen3;
#[cfg(test)]
pub(crate) use qwen3::tokenize;
