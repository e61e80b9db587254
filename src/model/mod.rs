//! What a model is made of, told from the headers of its files: nothing is loaded to know it.
//!
//! `header` turns the first bytes of a safetensors or GGUF file into a table of tensors, `detect` turns tables and
//! configs into an [`Inventory`]: the shapes and byte counts that the planner prices and the engine loads.

mod detect;
mod files;
mod header;
mod inventory;
pub mod json;
pub mod noise;
pub mod shapes;

pub use detect::{
    ClipPadding, ClipParts, DetectError, Detected, Kind, StableDiffusionParts, ZImageParts, identify, stable_diffusion,
    z_image,
};
pub use files::{FileRef, LatentRgb, ModelFiles, Shard, TextFiles, TokenizerFiles};
pub use header::{HeaderError, TensorInfo, TensorTable, gguf, header_length, safetensors};
pub use inventory::{Component, ComponentKind, Family, Inventory, Precision, TextEncoder, Unit};
