//! Pickles read as data: the tensors that a checkpoint names, and nothing ever called.
//!
//! A pickle is a program for a small stack machine (`CPython`'s `Lib/pickletools.py` describes it) that may name any
//! function. Here functions are only names: two of them are known to describe a tensor, one an ordered dictionary, what
//! others would have made is left out, and a file that names one which reaches outside of weights is refused.

mod machine;
mod weights;

use super::header::TensorInfo;
use super::inventory::Precision;
use machine::Machine;
use std::rc::Rc;

/// Why a pickle gives no tensors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickleError {
    #[error("the pickle would call {0}: it is a program, not only weights")]
    Code(String),
    #[error("the pickle is damaged: {0}")]
    Damaged(&'static str),
    #[error("tensor {0} is stored in an order that is not read")]
    OddOrder(String),
    #[error("the pickle holds no tensors")]
    Empty,
}

/// A tensor by the storage that it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pickled {
    pub name: String,
    pub precision: Precision,
    pub shape: Vec<usize>,
    pub storage: Rc<str>,
    /// Where it starts in its storage, in values.
    pub offset: u64,
}

/// A storage as a pickle names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Storage {
    pub precision: Precision,
    pub key: Rc<str>,
    pub count: u64,
}

/// Nested deeper than this is no checkpoint.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Debug)]
enum Value {
    /// Anything that weights have no use for.
    Other,
    Mark,
    Integer(i64),
    Text(Rc<str>),
    Tuple(Rc<[Self]>),
    /// Number of a list or dictionary, which may still grow.
    List(usize),
    Dictionary(usize),
    /// A function or class by its name.
    Global(Rc<str>),
    Storage(Rc<Storage>),
    Tensor(Rc<Pickled>),
    /// A tensor whose strides are not those of rows.
    OddTensor,
}

/// One pickle: its tensors, its storages in order of appearance, and how many bytes it is long.
#[derive(Debug, Default)]
pub(super) struct Pickle {
    pub tensors: Vec<Pickled>,
    pub storages: Vec<Storage>,
    /// Strings of a list, where the pickle is one.
    pub texts: Vec<String>,
    pub length: usize,
}

/// Reads one pickle from the start of `bytes`.
pub(super) fn read(bytes: &[u8]) -> Result<Pickle, PickleError> {
    let mut machine = Machine::new(bytes);
    let root = machine.run()?;
    let mut pickle =
        Pickle { storages: std::mem::take(&mut machine.storages), length: machine.at, ..Pickle::default() };
    machine.collect(&machine.weights_in(&root), "", 0, &mut pickle.tensors)?;
    if let Value::List(list) = root {
        let texts = machine.lists.get(list).into_iter().flatten().filter_map(|value| match value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        });
        pickle.texts = texts.collect();
    }
    Ok(pickle)
}

impl Pickled {
    /// The tensor in a file in which its storage starts at `start`.
    pub(super) fn info(&self, start: u64) -> Option<TensorInfo> {
        let count = self.shape.iter().try_fold(1_u64, |all, &n| all.checked_mul(n as u64))?;
        let offset = start.checked_add(self.precision.bytes_of(self.offset)?.get())?;
        let bytes = self.precision.bytes_of(count)?;
        Some(TensorInfo::new(self.name.clone(), self.precision, self.shape.clone(), offset, bytes))
    }
}
