//! Buffers behind candle tensors: slices to read, slices to change in place, scratch for each thread.

#![expect(unsafe_code, reason = "disjoint parts of one buffer are written by several threads")]

use candle_core::{CpuStorage, Device, InplaceOp1, Layout, Result, Storage, Tensor, bail};
use std::cell::Cell;

/// A tensor that takes `values` over without a copy.
pub(crate) fn tensor(values: Vec<f32>, shape: impl Into<candle_core::Shape>) -> Result<Tensor> {
    Tensor::from_vec(values, shape.into(), &Device::Cpu)
}

/// Calls `read` with the values of a contiguous tensor on the processor.
pub(crate) fn read<R>(tensor: &Tensor, read: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(CpuStorage::F32(values)) = &*storage else { bail!("an f32 tensor on the processor is needed") };
    match layout.contiguous_offsets() {
        Some((from, to)) => Ok(read(&values[from..to])),
        None => bail!("a contiguous tensor is needed"),
    }
}

/// Calls `change` with the values of a contiguous tensor, to be changed in place. Views change what they look at.
pub(crate) fn update<R>(tensor: &Tensor, change: impl FnOnce(&mut [f32]) -> R) -> Result<R> {
    struct Change<F, R>(Cell<Option<F>>, Cell<Option<R>>);
    impl<F: FnOnce(&mut [f32]) -> R, R> InplaceOp1 for Change<F, R> {
        fn name(&self) -> &'static str {
            "update"
        }

        fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
            let CpuStorage::F32(values) = storage else { bail!("an f32 tensor is needed") };
            let Some((from, to)) = layout.contiguous_offsets() else { bail!("a contiguous tensor is needed") };
            if let Some(change) = self.0.take() {
                self.1.set(Some(change(&mut values[from..to])));
            }
            Ok(())
        }
    }
    // For candle, an empty tensor repeats its elements.
    if tensor.elem_count() == 0 {
        return Ok(change(&mut []));
    }
    let change = Change(Cell::new(Some(change)), Cell::new(None));
    tensor.inplace_op1(&change)?;
    change.1.take().ok_or_else(|| candle_core::Error::Msg("the tensor was not updated".to_owned()))
}

/// Copies the values of one tensor into another of the same shape, in place.
pub(crate) fn copy_into(from: &Tensor, into: &Tensor) -> Result<()> {
    if from.dims() != into.dims() {
        bail!("{:?} does not fit {:?}", from.dims(), into.dims());
    }
    read(from, |from| update(into, |into| into.copy_from_slice(from)))?
}

/// A buffer whose disjoint parts are written by several threads.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    start: *mut f32,
    len: usize,
}

// SAFETY: whoever takes a part promises that nobody else has it.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    pub(super) const fn new(values: &mut [f32]) -> Self {
        Self { start: values.as_mut_ptr(), len: values.len() }
    }

    /// # Safety
    /// No other part that overlaps `from..from + len` may be alive.
    #[expect(clippy::mut_from_ref, reason = "the promise of disjointness is the caller's")]
    pub(super) unsafe fn part(&self, from: usize, len: usize) -> &mut [f32] {
        assert!(from + len <= self.len, "a part of a shared buffer lies outside it");
        // SAFETY: inside the buffer, and disjoint by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(from), len) }
    }
}

impl Shared {
    /// The buffer from value `from` on.
    pub(super) fn offset(&self, from: usize) -> Self {
        assert!(from <= self.len, "a part of a shared buffer lies outside it");
        Self { start: self.start.wrapping_add(from), len: self.len - from }
    }

    /// Where values `from..from + len` start, for kernels that read rows between which other tasks write.
    pub(super) fn pointer(&self, from: usize, len: usize) -> *const f32 {
        self.writable(from, len)
    }

    /// Where values `from..from + len` start, for kernels that write rows between which other tasks write.
    pub(super) fn writable(&self, from: usize, len: usize) -> *mut f32 {
        assert!(from + len <= self.len, "a part of a shared buffer lies outside it");
        self.start.wrapping_add(from)
    }
}

/// One scratch buffer a thread of the current pool.
pub(super) struct Scratch {
    values: Vec<f32>,
    each: usize,
}

impl Scratch {
    pub(super) fn new(each: usize) -> Self {
        Self { values: vec![0.0; each * rayon::current_num_threads()], each }
    }

    pub(super) fn share(&mut self) -> ScratchParts {
        ScratchParts { all: Shared::new(&mut self.values), each: self.each }
    }
}

#[derive(Clone, Copy)]
pub(super) struct ScratchParts {
    all: Shared,
    each: usize,
}

impl ScratchParts {
    /// The calling thread's own buffer.
    ///
    /// # Safety
    /// Only from a thread of the pool that the scratch was made in, and one at a time for each thread.
    #[expect(clippy::mut_from_ref, reason = "each thread has a part of its own")]
    pub(super) unsafe fn mine(&self) -> &mut [f32] {
        let index = rayon::current_thread_index().unwrap_or(0);
        // SAFETY: thread indices are distinct, and a thread runs one task at a time.
        unsafe { self.all.part(index * self.each, self.each) }
    }
}
