//! What a model is made of, told from the headers of its files: nothing is loaded to know it.
//!
//! `header` and `gguf` turn the first bytes of a weight file into a table of tensors, `layout` brings the tables of
//! every published layout under one set of names, and `detect` turns tables and configs into an [`Inventory`]:
//! the shapes and byte counts that the planner prices and the engine loads.

mod detect;
mod files;
mod gguf;
mod header;
mod inventory;
pub mod json;
pub mod layout;
pub mod noise;
pub mod shapes;
mod tokens;

pub use detect::{
    ClipPadding, ClipParts, DetectError, Detected, Kind, StableDiffusionParts, ZImageParts, identify, stable_diffusion,
    z_image,
};
pub use files::{FileRef, LatentRgb, ModelFiles, Shard, TextFiles, TokenizerFiles};
pub use gguf::{gguf, gguf_tokens};
pub use header::{Arrangement, HeaderError, Scale, TensorInfo, TensorTable, header_length, safetensors};
pub use inventory::{Component, ComponentKind, Family, Inventory, Precision, TextEncoder, Unit};
pub use tokens::{TokenList, TokenListError};
