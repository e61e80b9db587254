//! `bench`: what this program needs and does on this computer, measured.

mod memory;
mod speed;

pub(in crate::cli) use memory::memory;
pub(in crate::cli) use speed::speed;
