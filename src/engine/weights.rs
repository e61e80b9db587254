//! Weight files read a tensor at a time, by position, straight into the buffer where it stays.
//!
//! No mapping and no second copy: while loading, a process holds the weights so far and nothing else.

mod loras;

use super::ops::{Conv, GroupNorm, Linear, Weight, expand, noise, readable};
use crate::job::{Failure, Observer, Stop};
use crate::ledger::{Pool, in_pool};
use crate::model::{Arrangement, FileRef, Precision, Shard, TensorInfo};
use crate::planner::Arithmetic;
use crate::units::Bytes;
use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

/// What made-up weights say where a size is in no inventory: the width of Z-Image's embedding of time.
const MADE_UP_ROWS: usize = 1024;

/// The open files of one component.
pub(crate) struct Weights {
    files: Vec<OpenFile>,
    tensors: HashMap<String, (usize, TensorInfo)>,
    read_once: bool,
    arithmetic: Arithmetic,
    /// What `LoRAs` change, by the names of the tensors.
    changes: HashMap<String, Vec<loras::Change>>,
    /// Every tensor that is asked for is there, in this type, with values that mean nothing.
    made_up: Option<Precision>,
}

struct OpenFile {
    reader: Reader,
    path: PathBuf,
}

impl OpenFile {
    fn open(file: &FileRef) -> Result<Self, Failure> {
        let reader = match file {
            FileRef::Embedded { bytes, .. } => Reader::Embedded(bytes),
            FileRef::Path(path) => Reader::File(
                File::open(path).map_err(|e| Failure::Model { reason: e.to_string(), path: path.clone() })?,
            ),
        };
        Ok(Self { reader, path: file.display() })
    }
}

enum Reader {
    File(File),
    Embedded(&'static [u8]),
}

impl Reader {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        match self {
            Self::File(file) => read_exact_at(file, buffer, offset),
            Self::Embedded(bytes) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let part = from.checked_add(buffer.len()).and_then(|to| bytes.get(from..to));
                buffer.copy_from_slice(part.ok_or(std::io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

impl Reader {
    /// Drops a stretch of the file from the system's cache. Advice only: where it is not taken, nothing is lost.
    fn let_go(&self, offset: u64, length: Bytes) {
        #[cfg(target_os = "linux")]
        if let (Self::File(file), Some(length)) = (self, std::num::NonZeroU64::new(length.get())) {
            rustix::fs::fadvise(file, offset, Some(length), rustix::fs::Advice::DontNeed).unwrap_or_default();
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (self, offset, length);
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !buffer.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[n..];
        offset += n as u64;
    }
    Ok(())
}

impl Weights {
    pub(crate) fn open(shards: &[Shard]) -> Result<Self, Failure> {
        in_pool(Pool::Host, || Self::open_all(shards))
    }

    fn open_all(shards: &[Shard]) -> Result<Self, Failure> {
        let mut all = Self::empty();
        for (index, shard) in shards.iter().enumerate() {
            all.files.push(OpenFile::open(&shard.file)?);
            all.tensors.extend(shard.table.tensors.iter().map(|info| (info.name.clone(), (index, info.clone()))));
        }
        Ok(all)
    }

    /// Weights of no model, to measure with: tensors of any name and shape, vectors in f32.
    pub(crate) fn made_up(precision: Precision) -> Self {
        Self { made_up: Some(precision), ..Self::empty() }
    }

    fn empty() -> Self {
        Self {
            files: Vec::new(),
            tensors: HashMap::new(),
            read_once: false,
            arithmetic: Arithmetic::F32,
            changes: HashMap::new(),
            made_up: None,
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    fn bad(&self, file: usize, reason: String) -> Failure {
        Failure::Model { reason, path: self.files.get(file).map(|file| file.path.clone()).unwrap_or_default() }
    }

    /// A tensor as stored, with its shape checked.
    fn stored(&self, name: &str, shape: &[usize]) -> Result<(Precision, Vec<u8>), Failure> {
        if let Some(precision) = self.made_up {
            let precision = if shape.len() > 1 { precision } else { Precision::F32 };
            return Ok((precision, noise(precision, shape.iter().product())));
        }
        let Some((file, info)) = self.tensors.get(name) else {
            return Err(self.bad(0, format!("tensor {name} is missing")));
        };
        if info.shape != shape {
            return Err(self.bad(*file, format!("tensor {name} has shape {:?}, not {shape:?}", info.shape)));
        }
        let bytes = arranged(&self.files[*file].reader, info);
        let bytes = bytes.map_err(|e| self.bad(*file, format!("tensor {name} could not be read: {e}")))?;
        if self.read_once {
            self.files[*file].reader.let_go(info.offset, info.bytes);
        }
        Ok((info.precision, bytes))
    }

    /// What the values of a tensor are multiplied by: 1 where its file says nothing, else a number for all rows.
    fn scale(&self, name: &str) -> Result<f32, Failure> {
        let Some((file, info)) = self.tensors.get(name) else { return Ok(1.0) };
        let Some(scale) = info.scale else { return Ok(1.0) };
        if scale.count != 1 {
            let reason = format!("tensor {name} has a scale for each row, and only one for all of them is read");
            return Err(self.bad(*file, reason));
        }
        let mut bytes = vec![0; scale.precision.bytes_of(1).map_or(0, |bytes| bytes.get() as usize)];
        let read = self.files[*file].reader.read_exact_at(&mut bytes, scale.offset);
        read.map_err(|e| self.bad(*file, format!("the scale of tensor {name} could not be read: {e}")))?;
        let mut value = [1.0];
        expand(scale.precision, &bytes, &mut value);
        Ok(value[0])
    }

    /// Lets the system drop what is read from its cache of files: where all of it does not fit there, each pass over
    /// the file would push out what the next one wants, and everything else besides.
    pub(crate) fn read_once(mut self, once: bool) -> Self {
        self.read_once = once;
        self
    }

    /// The same weights for products of that kind.
    pub(crate) fn with(mut self, arithmetic: Arithmetic) -> Self {
        self.arithmetic = arithmetic;
        self
    }

    /// The first dimension of a tensor, for sizes that no inventory keeps.
    pub(crate) fn rows(&self, name: &str) -> Result<usize, Failure> {
        if self.made_up.is_some() {
            return Ok(MADE_UP_ROWS);
        }
        let info = self.tensors.get(name).and_then(|(_, info)| info.shape.first());
        info.copied().ok_or_else(|| self.bad(0, format!("tensor {name} is missing")))
    }

    /// A vector, in f32.
    pub(crate) fn vector(&self, name: &str, len: usize) -> Result<Vec<f32>, Failure> {
        self.flat(name, &[len])
    }

    /// A small tensor of any shape, flattened, in f32.
    pub(crate) fn flat(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Failure> {
        let (precision, bytes) = self.stored(name, shape)?;
        let mut values = vec![0.0; shape.iter().product()];
        if !readable(precision) {
            return Err(self.bad(0, format!("tensor {name} is stored as {}, which is not read", precision.name())));
        }
        expand(precision, &bytes, &mut values);
        let scale = self.scale(name)?;
        if scale != 1.0 {
            for value in &mut values {
                *value *= scale;
            }
        }
        Ok(values)
    }

    /// A matrix whose rows are looked up.
    pub(crate) fn table(&self, name: &str, rows: usize, columns: usize) -> Result<Weight, Failure> {
        self.unchanged(name)?;
        self.matrix(name, rows, columns)
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Weight, Failure> {
        let (precision, bytes) = self.stored(name, &[rows, columns])?;
        self.weight(name, precision, rows, columns, bytes)
    }

    fn weight(
        &self,
        name: &str,
        precision: Precision,
        rows: usize,
        columns: usize,
        bytes: Vec<u8>,
    ) -> Result<Weight, Failure> {
        let weight = Weight::new(precision, rows, columns, bytes).ok_or_else(|| {
            self.bad(0, format!("tensor {name} is stored as {}, which is not read", precision.name()))
        })?;
        self.changed(name, weight.scaled(self.scale(name)?).with(self.arithmetic))
    }

    /// `prefix.weight`, and `prefix.bias` where `bias` says that there must be one.
    pub(crate) fn linear(&self, prefix: &str, from: usize, to: usize, bias: bool) -> Result<Linear, Failure> {
        Ok(Linear {
            weight: self.matrix(&format!("{prefix}.weight"), to, from)?,
            bias: if bias { Some(self.vector(&format!("{prefix}.bias"), to)?) } else { None },
        })
    }

    pub(crate) fn conv(&self, prefix: &str, side: usize, from: usize, to: usize) -> Result<Conv, Failure> {
        let name = format!("{prefix}.weight");
        let (precision, bytes) = self.stored(&name, &[to, from, side, side])?;
        Ok(Conv {
            weight: self.weight(&name, precision, to, from * side * side, bytes)?,
            bias: self.vector(&format!("{prefix}.bias"), to)?,
            side,
            channels_in: from,
        })
    }

    /// A convolution as a product of gathered inputs: `prefix.weight` of (to, from, side, side), or of (to, from) where
    /// `side` is one.
    pub(crate) fn unfolded(&self, prefix: &str, side: usize, from: usize, to: usize) -> Result<Linear, Failure> {
        let name = format!("{prefix}.weight");
        let flat = side == 1 && self.tensors.get(&name).is_some_and(|(_, info)| info.shape.len() == 2);
        let shape: &[usize] = if flat { &[to, from] } else { &[to, from, side, side] };
        let (precision, bytes) = self.stored(&name, shape)?;
        Ok(Linear {
            weight: self.weight(&name, precision, to, from * side * side, bytes)?,
            bias: Some(self.vector(&format!("{prefix}.bias"), to)?),
        })
    }

    pub(crate) fn group_norm(&self, prefix: &str, groups: usize, channels: usize) -> Result<GroupNorm, Failure> {
        Ok(GroupNorm {
            groups,
            weight: self.vector(&format!("{prefix}.weight"), channels)?,
            bias: self.vector(&format!("{prefix}.bias"), channels)?,
            eps: 1e-6,
        })
    }
}

/// The bytes of a tensor in the order of its canonical shape, read into the buffer where they stay.
fn arranged(reader: &Reader, info: &TensorInfo) -> std::io::Result<Vec<u8>> {
    let length = usize::try_from(info.bytes.get()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length];
    match (info.arrangement, info.shape.as_slice()) {
        (Arrangement::Stored, _) => reader.read_exact_at(&mut bytes, info.offset)?,
        (Arrangement::HalvesSwapped, _) => {
            let (first, second) = bytes.split_at_mut(length / 2);
            reader.read_exact_at(second, info.offset)?;
            reader.read_exact_at(first, info.offset + second.len() as u64)?;
        }
        (Arrangement::Transposed, &[rows, columns]) if rows > 0 && columns > 0 => {
            let each = length / (rows * columns);
            // The file has a row where the tensor has a column.
            let length = rows * each;
            let mut line = vec![0; length];
            for column in 0..columns {
                reader.read_exact_at(&mut line, info.offset + (column * length) as u64)?;
                for (row, value) in line.chunks_exact(each).enumerate() {
                    bytes[(row * columns + column) * each..][..each].copy_from_slice(value);
                }
            }
        }
        (Arrangement::Transposed, _) => return Err(std::io::ErrorKind::InvalidData.into()),
    }
    Ok(bytes)
}

/// Tells an observer how much of a component is there, and passes its wish to stop on.
pub(crate) struct Progress<'a> {
    observer: &'a mut dyn Observer,
    done: Bytes,
    total: Bytes,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer, total: Bytes) -> Self {
        Self { observer, done: Bytes::ZERO, total }
    }

    /// Counts `bytes` as loaded.
    pub(crate) fn add(&mut self, bytes: Bytes) -> Result<(), Failure> {
        self.done = (self.done + bytes).min(self.total);
        self.observer.loading(self.done, self.total).map_err(|Stop(failure)| failure)
    }
}

impl From<candle_core::Error> for Failure {
    /// Shapes are checked while loading, so an error of an op is a bug here.
    fn from(error: candle_core::Error) -> Self {
        Self::Crash { what: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ops::books::TURN;
    use crate::engine::stable_diffusion::parity::tiny;
    use crate::ledger;
    use crate::model::ComponentKind;
    use crate::planner::footprint::table_bytes;

    static STORED: [u8; 14] = *b"xx0123456789ab";

    fn read(shape: &[usize], arrangement: Arrangement) -> Vec<u8> {
        let bytes = Bytes(shape.iter().product::<usize>() as u64 * 2);
        let info = TensorInfo::new("t".to_owned(), Precision::F16, shape.to_vec(), 2, bytes);
        arranged(&Reader::Embedded(&STORED), &TensorInfo { arrangement, ..info }).unwrap()
    }

    #[test]
    fn tensors_are_read_in_the_order_of_their_canonical_shape() {
        assert_eq!(read(&[2, 3], Arrangement::Stored), b"0123456789ab");
        assert_eq!(read(&[2, 3], Arrangement::HalvesSwapped), b"6789ab012345");
        assert_eq!(read(&[3, 2], Arrangement::Transposed), b"0167238945ab");
        assert_eq!(read(&[1, 4], Arrangement::Transposed), b"01234567");
    }

    #[test]
    fn an_open_file_takes_what_its_table_is_stated_to_take() {
        let _turn = TURN.lock();
        let files = tiny("sdxl_tiny");
        let tensors = files.inventory.denoiser.tensors();
        assert!(tensors > 200, "{tensors}");
        let before = ledger::live(Pool::Host);
        let weights = Weights::open(files.shards(ComponentKind::Denoiser)).unwrap();
        let taken = ledger::live(Pool::Host) - before;
        drop(weights);
        assert!(taken <= table_bytes(tensors), "{taken} for {tensors} tensors");
        assert!(table_bytes(tensors) <= taken * 4, "{taken} for {tensors} tensors");
    }
}
