//! Reads the headers of weight files, and says what a file is.

use super::error::{Cause, HubError};
use crate::model::{self, Detected, FileRef, HeaderError, Kind, TensorTable};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// First read of a GGUF header; it grows while the header asks for more.
const GGUF_START: u64 = 1 << 20;
/// Enough to tell a web page or a pickle from weights.
const SNIFF: u64 = 64;

/// The container of a weight file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Safetensors,
    Gguf,
}

impl FileKind {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Gguf => "gguf",
        }
    }
}

/// What a weight file is, told from its header.
#[derive(Clone, Debug)]
pub struct Inspected {
    pub container: FileKind,
    pub detected: Detected,
    pub table: TensorTable,
    pub file_len: u64,
}

impl Inspected {
    /// A line like `a Z-Image denoiser, bf16, 6.15 billion parameters, 11.46 GiB`.
    #[must_use]
    pub fn summary(&self) -> String {
        let Detected { kind, precision, parameters, bytes } = self.detected;
        format!("{}, {}, {} parameters, {bytes}", kind_words(kind), precision.name(), count_words(parameters))
    }
}

/// What a kind is called in a sentence.
const fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::ZImageDenoiser => "a Z-Image denoiser",
        Kind::Qwen3TextEncoder => "a Qwen3 text encoder",
        Kind::AutoencoderKl => "a VAE",
        Kind::Lora => "a LoRA",
        Kind::ClipTextEncoder => "a CLIP text encoder",
        Kind::T5TextEncoder => "a T5 text encoder",
        Kind::SdUnet => "a Stable Diffusion denoiser",
        Kind::Flux => "a FLUX denoiser",
        Kind::Unknown => "a weight file of an unknown kind",
    }
}

fn count_words(n: u64) -> String {
    match n {
        0..1_000_000 => n.to_string(),
        1_000_000..1_000_000_000 => format!("{:.1} million", n as f64 / 1e6),
        _ => format!("{:.2} billion", n as f64 / 1e9),
    }
}

/// Reads the header of a safetensors or GGUF file and says what it holds.
///
/// # Errors
/// Where it cannot be read, or is no weight file.
pub fn inspect(path: &Path) -> Result<Inspected, HubError> {
    let file = FileRef::Path(path.to_owned());
    let mut source = Source::open(&file)?;
    let container = if source.start(4)? == b"GGUF" { FileKind::Gguf } else { FileKind::Safetensors };
    let table = match container {
        FileKind::Gguf => source.gguf()?,
        FileKind::Safetensors => source.safetensors()?,
    };
    Ok(Inspected { container, detected: model::identify(&table), table, file_len: source.len })
}

/// The table of a safetensors file.
pub(super) fn safetensors(file: &FileRef) -> Result<TensorTable, HubError> {
    Source::open(file)?.safetensors()
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

    fn gguf(&mut self) -> Result<TensorTable, HubError> {
        let mut wanted = GGUF_START;
        loop {
            let start = self.start(wanted)?;
            match model::gguf(&start, self.len) {
                Err(HeaderError::NeedMore(more)) if more > wanted => wanted = more.max(wanted * 2),
                result => return result.map_err(|error| self.error(error)),
            }
        }
    }
}
