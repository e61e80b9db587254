//! What a model is made of, told from the headers of its files: nothing is loaded to know it.
//!
//! `header` and `gguf` turn the first bytes of a weight file into a table of tensors, `layout` brings the tables of
//! every published layout under one set of names, `contents` says what a file is, and `detect` turns tables and
//! configs into an [`Inventory`]: the shapes and byte counts that the planner prices and the engine loads.

mod contents;
mod detect;
mod files;
mod gguf;
mod header;
mod inventory;
pub mod json;
pub mod layout;
pub mod lora;
pub mod noise;
mod pickle;
pub mod shapes;
mod tokens;
mod torch_file;

pub use contents::{Contents, Kind, LoraStyle, contents, place_words, words};
pub use detect::{
    ClipPadding, ClipParts, DetectError, FluxParts, StableDiffusionParts, T5Parts, ZImageParts, flux, stable_diffusion,
    z_image,
};
pub use files::{FileRef, LatentRgb, LoraFile, ModelFiles, Shard, TextFiles, TokenizerFiles};
pub use gguf::{gguf, gguf_tokens};
pub use header::{Arrangement, HeaderError, Scale, TensorInfo, TensorTable, header_length, safetensors};
pub use inventory::{Component, ComponentKind, Family, Inventory, Precision, TextEncoder, Unit};
pub use layout::{LayoutError, Part};
pub use pickle::PickleError;
pub use tokens::{TokenList, TokenListError};
pub use torch_file::{
    TorchError, ZIP_LOCAL_HEADER, ZIP_TAIL, ZipEntry, is_old_torch, old_torch, pickle_entry, torch_archive,
    zip_data_start, zip_directory, zip_entries,
};
