//! Reads the headers of weight files, and says what a file is.

use super::error::{Cause, HubError};
use super::set::FileSet;
use crate::model::layout::Network;
use crate::model::{
    self, Contents, FileRef, HeaderError, Kind, Part, Precision, TensorInfo, TensorTable, TorchError, ZipEntry,
};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// First read of a header of unknown length; it grows while the header asks for more.
const GGUF_START: u64 = 1 << 20;
/// Enough to tell a web page or a pickle from weights.
const SNIFF: u64 = 64;
/// No pickle that only names tensors is longer.
const MAX_PICKLE: u64 = 64 << 20;
/// Bytes of a vector that is looked into.
const MOST_VALUES: u64 = 1 << 16;

/// The container of a weight file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Safetensors,
    Gguf,
    /// What `torch.save` writes, read as data.
    Torch,
}

impl FileKind {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Gguf => "gguf",
            Self::Torch => "torch",
        }
    }
}

/// What a weight file is, told from its header.
#[derive(Clone, Debug)]
pub struct Inspected {
    pub container: FileKind,
    pub contents: Contents,
    /// Of all parts, where the file was split.
    pub table: TensorTable,
    /// How many files the parts are.
    pub files: usize,
    /// Length of all of them.
    pub file_len: u64,
}

impl Inspected {
    /// A line like `a Z-Image denoiser, bf16, 6.15 billion parameters, 11.46 GiB`.
    #[must_use]
    pub fn summary(&self) -> String {
        let Contents { precision, parameters, bytes, .. } = self.contents;
        format!("{}, {}, {} parameters, {bytes}", self.kind_words(), precision.name(), count_words(parameters))
    }

    /// What the file is called in a sentence.
    #[must_use]
    pub fn kind_words(&self) -> String {
        let words = match self.contents.kind {
            Kind::Checkpoint => {
                let of = |part: &Part| is_denoiser(part).then(|| model::words(part));
                let denoiser = self.contents.parts.iter().find_map(of).unwrap_or_default();
                format!("{} checkpoint", denoiser.replacen(" denoiser", "", 1))
            }
            Kind::Denoiser | Kind::TextEncoder | Kind::Vae => {
                self.contents.parts.iter().map(model::words).collect::<Vec<_>>().join(" and a ")
            }
            Kind::Lora(style) => format!("LoRA with {} names", style.name()),
            Kind::ControlNet => "ControlNet".to_owned(),
            Kind::TextualInversion => "textual inversion".to_owned(),
            Kind::Upscaler(what) => format!("{what} upscaler"),
            Kind::Foreign(name) => return name.to_owned(),
            Kind::Unknown => "weight file of an unknown kind".to_owned(),
        };
        let vowel = words.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']) || words.starts_with("SDXL");
        format!("{} {words}", if vowel { "an" } else { "a" })
    }
}

pub(super) const fn is_denoiser(part: &Part) -> bool {
    matches!(part.network, Network::ZImage | Network::Flux | Network::Sd3 | Network::Unet)
}

fn count_words(n: u64) -> String {
    match n {
        0..1_000_000 => n.to_string(),
        1_000_000..1_000_000_000 => format!("{:.1} million", n as f64 / 1e6),
        _ => format!("{:.2} billion", n as f64 / 1e9),
    }
}

/// Reads the headers of a weight file, and of the other parts where it was split, and says what it holds.
///
/// # Errors
/// Where it cannot be read, or is no weight file.
pub fn inspect(path: &Path) -> Result<Inspected, HubError> {
    let set = FileSet::open(path)?;
    let container = read(&FileRef::Path(path.to_owned()))?.0;
    let contents = model::contents(&set.table).map_err(|error| HubError::new(error, path))?;
    let mut file_len = 0;
    for file in &set.files {
        file_len += std::fs::metadata(file).map_err(|error| HubError::io(&error, file))?.len();
    }
    Ok(Inspected { container, contents, files: set.files.len(), table: set.table, file_len })
}

/// The container and the table of a weight file.
pub(super) fn read(file: &FileRef) -> Result<(FileKind, TensorTable), HubError> {
    let mut source = Source::open(file)?;
    let start = source.start(16)?;
    Ok(if start.starts_with(b"GGUF") {
        (FileKind::Gguf, source.grown(GGUF_START, model::gguf)?)
    } else if start.starts_with(b"PK\x03\x04") {
        (FileKind::Torch, source.torch_archive()?)
    } else if model::is_old_torch(&start) {
        (FileKind::Torch, source.old_torch()?)
    } else {
        (FileKind::Safetensors, source.safetensors()?)
    })
}

/// The kind of the vocabulary that a GGUF file brings.
pub(super) fn tokens_kind(file: &FileRef) -> Option<String> {
    let tokens = Source::open(file).ok()?.grown(GGUF_START, model::gguf_tokens).ok()?;
    tokens.map(|tokens| tokens.model)
}

/// The first bytes of a file.
pub(super) fn start(file: &FileRef, n: u64) -> Result<Vec<u8>, HubError> {
    Source::open(file)?.start(n)
}

/// The values of a short vector.
pub(super) fn values(file: &FileRef, tensor: &TensorInfo) -> Result<Vec<f32>, HubError> {
    let mut source = Source::open(file)?;
    let bytes = source.range(tensor.offset, tensor.bytes.get().min(MOST_VALUES))?;
    let halves = || bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
    Ok(match tensor.precision {
        Precision::F32 => bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
        Precision::Bf16 => halves().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
        Precision::F16 => halves().map(half).collect(),
        _ => Vec::new(),
    })
}

/// A number of 16 bits (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    sign * if exponent == 0 { fraction * 2_f32.powi(-14) } else { (1.0 + fraction) * 2_f32.powi(exponent - 15) }
}

pub(super) fn read_small(file: &FileRef, most: u64) -> Result<Vec<u8>, HubError> {
    let mut source = Source::open(file)?;
    if source.len > most {
        return Err(source.error(Cause::TooLarge(source.len)));
    }
    source.start(source.len)
}

enum Bytes {
    File(File),
    Memory(&'static [u8]),
}

struct Source<'a> {
    file: &'a FileRef,
    bytes: Bytes,
    len: u64,
}

impl<'a> Source<'a> {
    fn open(file: &'a FileRef) -> Result<Self, HubError> {
        match file {
            FileRef::Embedded { bytes, .. } => Ok(Self { file, bytes: Bytes::Memory(bytes), len: bytes.len() as u64 }),
            FileRef::Path(path) => {
                let failed = |error: std::io::Error| HubError::io(&error, path);
                // Looked at before it is opened: opening a pipe would wait for a writer.
                let metadata = std::fs::metadata(path).map_err(failed)?;
                if !metadata.is_file() {
                    return Err(HubError::new(Cause::NotAFile, path));
                }
                let opened = File::open(path).map_err(failed)?;
                Ok(Self { file, bytes: Bytes::File(opened), len: metadata.len() })
            }
        }
    }

    fn error(&self, cause: impl Into<Cause>) -> HubError {
        HubError::new(cause, &self.file.display())
    }

    /// The first `n` bytes, fewer where the file is shorter.
    fn start(&mut self, n: u64) -> Result<Vec<u8>, HubError> {
        self.range(0, n)
    }

    fn range(&mut self, from: u64, n: u64) -> Result<Vec<u8>, HubError> {
        let n = n.min(self.len.saturating_sub(from));
        match &mut self.bytes {
            Bytes::Memory(bytes) => Ok(bytes.get(from as usize..(from + n) as usize).unwrap_or_default().to_vec()),
            Bytes::File(file) => {
                let mut buffer = Vec::new();
                let read = file
                    .seek(SeekFrom::Start(from))
                    .and_then(|_| file.take(n).read_to_end(&mut buffer))
                    .map_err(|error| HubError::io(&error, &self.file.display()))?;
                if (read as u64) < n {
                    return Err(self.error(HeaderError::Truncated { expected: from + n, actual: from + read as u64 }));
                }
                Ok(buffer)
            }
        }
    }

    fn safetensors(&mut self) -> Result<TensorTable, HubError> {
        let start = self.start(SNIFF)?;
        let length = model::header_length(&start, self.len).map_err(|error| self.error(error))?;
        let header = self.range(8, length)?;
        model::safetensors(&header, self.len).map_err(|error| self.error(error))
    }

    /// What `reader` makes of the file's start, of which it is given more for as long as it asks.
    fn grown<T>(
        &mut self,
        mut wanted: u64,
        reader: impl Fn(&[u8], u64) -> Result<T, HeaderError>,
    ) -> Result<T, HubError> {
        loop {
            let start = self.start(wanted)?;
            match reader(&start, self.len) {
                Err(HeaderError::NeedMore(more)) if more > wanted && wanted < self.len => {
                    wanted = more.max(wanted * 2);
                }
                result => return result.map_err(|error| self.error(error)),
            }
        }
    }

    fn torch_archive(&mut self) -> Result<TensorTable, HubError> {
        let from = self.len.saturating_sub(model::ZIP_TAIL);
        let tail = self.range(from, model::ZIP_TAIL)?;
        let (at, length) = model::zip_directory(&tail, from).map_err(|error| self.error(error))?;
        let directory = self.range(at, length)?;
        let entries = model::zip_entries(&directory).map_err(|error| self.error(error))?;
        let (pickle, storages) = model::pickle_entry(&entries).map_err(|error| self.error(error))?;
        if pickle.length > MAX_PICKLE {
            return Err(self.error(Cause::TooLarge(pickle.length)));
        }
        let start = self.data_start(pickle)?;
        let bytes = self.range(start, pickle.length)?;
        let mut failed = None;
        let table = model::torch_archive(&bytes, |key| {
            let name = format!("{storages}{key}");
            let entry = entries.iter().find(|entry| entry.name == name)?;
            match self.data_start(entry) {
                Ok(start) => Some((start, entry.length.min(self.len.saturating_sub(start)))),
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        });
        match (table, failed) {
            (_, Some(error)) => Err(error),
            (table, None) => table.map_err(|error| self.error(error)),
        }
    }

    fn data_start(&mut self, entry: &ZipEntry) -> Result<u64, HubError> {
        let header = self.range(entry.header, model::ZIP_LOCAL_HEADER)?;
        model::zip_data_start(entry, &header).map_err(|error| self.error(error))
    }

    fn old_torch(&mut self) -> Result<TensorTable, HubError> {
        let mut wanted = GGUF_START;
        loop {
            let start = self.start(wanted)?;
            match model::old_torch(&start, self.len) {
                Err(TorchError::Header(HeaderError::NeedMore(more))) if wanted < self.len.min(MAX_PICKLE) => {
                    wanted = more.max(wanted * 2);
                }
                result => return result.map_err(|error| self.error(error)),
            }
        }
    }
}
