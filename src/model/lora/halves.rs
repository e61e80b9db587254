//! A patch as two narrow matrices, which is how it is applied: beside the weights, never into them.

use super::{Patch, Update};
use crate::model::header::TensorInfo;
use crate::model::inventory::Precision;
use crate::units::Bytes;

/// Most columns between the halves. A `LoHa` of rank 32 has 1024: what needs more is nearly a weight of its own.
const MOST_RANK: usize = 2048;

/// How the halves of a patch are made: first the one that goes down, (rank, inputs), then the one that goes up,
/// (outputs, rank).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halves<'a> {
    /// As the file stores them.
    Stored { down: &'a TensorInfo, up: &'a TensorInfo },
    /// With a small convolution that goes into the half that goes down, in f32.
    Core { down: &'a TensorInfo, core: &'a TensorInfo, up: &'a TensorInfo },
    /// The columns and rows of two products, each with each, in f32: their element-wise product is one of such a rank.
    Products { first: &'a [TensorInfo; 2], second: &'a [TensorInfo; 2] },
}

/// Why a patch cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotApplied {
    #[error("DoRA, which changes the lengths of the weights' rows")]
    Lengths,
    #[error("LoKr, which is no product of two narrow matrices")]
    Kronecker,
    #[error("a change of whole weights")]
    Whole,
    #[error("LoHa with cores for convolutions")]
    Cores,
    #[error("a rank of {0}")]
    Rank(usize),
    #[error("a type of number that is not read ({})", .0.name())]
    Precision(Precision),
    #[error("parts whose shapes do not fit")]
    OddShape,
}

impl Patch {
    /// What is known of a patch while its model is open: names, shapes and places of its tensors.
    pub const RECORD: Bytes = Bytes::kib(2);

    /// How the halves of this patch are made.
    ///
    /// # Errors
    /// Where it has none, or none that can be read.
    pub fn halves(&self) -> Result<Halves<'_>, NotApplied> {
        if self.magnitude.is_some() {
            return Err(NotApplied::Lengths);
        }
        let halves = match &self.update {
            Update::LowRank { down, up, mid: None } => Halves::Stored { down, up },
            Update::LowRank { down, up, mid: Some(core) } => Halves::Core { down, core, up },
            Update::Hadamard { first, second, cores: None } => Halves::Products { first, second },
            Update::Hadamard { .. } => return Err(NotApplied::Cores),
            Update::Kronecker { .. } => return Err(NotApplied::Kronecker),
            Update::Whole(_) => return Err(NotApplied::Whole),
        };
        for tensor in halves.tensors().into_iter().chain(&self.alpha) {
            if !matches!(tensor.precision, Precision::F32 | Precision::F16 | Precision::Bf16) {
                return Err(NotApplied::Precision(tensor.precision));
            }
        }
        halves.check(self)?;
        Ok(halves)
    }

    /// What the halves take in memory.
    ///
    /// # Errors
    /// As [`Self::halves`].
    pub fn bytes(&self) -> Result<Bytes, NotApplied> {
        let halves = self.halves()?;
        let (rank, columns, rows) = halves.sizes(self)?;
        let of = |tensor: &TensorInfo, count: usize| tensor.precision.bytes_of(count as u64).unwrap_or_default();
        Ok(match &halves {
            Halves::Stored { down, up } => of(down, rank * columns) + of(up, rows * rank),
            Halves::Core { up, .. } => Bytes::f32s(rank * columns) + of(up, rows * rank),
            Halves::Products { .. } => Bytes::f32s(rank * (columns + rows)),
        })
    }
}

impl<'a> Halves<'a> {
    fn tensors(&self) -> Vec<&'a TensorInfo> {
        match *self {
            Self::Stored { down, up } => vec![down, up],
            Self::Core { down, core, up } => vec![down, core, up],
            Self::Products { first, second } => first.iter().chain(second).collect(),
        }
    }

    /// Rank, inputs with kernel positions, and outputs of the changed module.
    ///
    /// # Errors
    /// Where the numbers are too large to be true.
    pub fn sizes(&self, patch: &Patch) -> Result<(usize, usize, usize), NotApplied> {
        let volume = |shape: &[usize]| shape.iter().try_fold(1_usize, |all, &n| all.checked_mul(n));
        let tail = |tensor: &TensorInfo| volume(tensor.shape.get(1..).unwrap_or_default());
        let (rank, columns, outputs) = match *self {
            Self::Stored { down, up } => (Some(patch.rank), tail(down), up.shape.first()),
            Self::Core { down, core, up } => {
                let kernel = volume(core.shape.get(2..).unwrap_or_default());
                let columns = tail(down).zip(kernel).and_then(|(inputs, kernel)| inputs.checked_mul(kernel));
                (Some(patch.rank), columns, up.shape.first())
            }
            Self::Products { first: [a, b], .. } => (patch.rank.checked_mul(patch.rank), tail(b), a.shape.first()),
        };
        let rows = patch.rows.map(|(_, count)| count).or(outputs.copied());
        let (Some(rank), Some(columns), Some(rows)) = (rank, columns, rows) else { return Err(NotApplied::OddShape) };
        Ok((rank, columns, rows))
    }

    /// Every part has the size that the others say.
    fn check(&self, patch: &Patch) -> Result<(), NotApplied> {
        let (rank, columns, rows) = self.sizes(patch)?;
        if rank > MOST_RANK {
            return Err(NotApplied::Rank(rank));
        }
        let flat = |tensor: &TensorInfo, first: usize, rest: usize| {
            let tail: usize = tensor.shape.iter().skip(1).product();
            tensor.shape.first() == Some(&first) && tail == rest
        };
        let fits = match *self {
            Self::Stored { up, .. } => up.shape.iter().skip(1).product::<usize>() == rank,
            Self::Core { down, core, up } => {
                let kernel: usize = core.shape.iter().skip(2).product();
                core.shape.get(..2) == Some(&[rank, rank][..])
                    && flat(down, rank, columns.checked_div(kernel).unwrap_or(0))
                    && up.shape.iter().skip(1).product::<usize>() == rank
            }
            Self::Products { first: [a1, b1], second: [a2, b2] } => {
                let outputs = a1.shape.first().copied().unwrap_or(0);
                [a1, a2].into_iter().all(|a| flat(a, outputs, patch.rank))
                    && [b1, b2].into_iter().all(|b| flat(b, patch.rank, columns))
            }
        };
        let whole = patch.rows.is_none_or(|(first, count)| first.checked_add(count).is_some()) && rows > 0;
        if fits && whole { Ok(()) } else { Err(NotApplied::OddShape) }
    }
}
