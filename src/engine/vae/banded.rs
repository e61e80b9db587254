//! Residual blocks by bands of rows: what a block makes on the way exists for one band at a time.
//!
//! A group norm needs the sums of a whole picture, so a first pass over the bands gathers them and a second one makes
//! the values again. Every output is the same sum in the same order as in one piece, so only the last bits of the
//! norms' sums can differ.

use super::parts::Residual;
use crate::engine::ops::{self, Before, Conv, Resize, Store};
use crate::job::{Failure, Observer};
use crate::planner::footprint::vae::band_rows;
use candle_core::Tensor;
use std::ops::Range;

/// Bands that cover `height` rows.
fn bands(height: usize, rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..height).step_by(rows.max(1)).map(move |from| from..height.min(from + rows))
}

/// `range` with `halo` more rows on both sides, as far as there are any.
fn widened(range: &Range<usize>, halo: usize, height: usize) -> Range<usize> {
    range.start.saturating_sub(halo)..height.min(range.end + halo)
}

/// `range` counted from the start of `around`.
fn within(range: &Range<usize>, around: &Range<usize>) -> Range<usize> {
    range.start - around.start..range.end - around.start
}

fn zeros(rows: usize, width: usize, channels: usize) -> Result<Tensor, Failure> {
    Ok(ops::tensor(vec![0.0; rows * width * channels], (rows, width, channels))?)
}

fn part(x: &Tensor, rows: &Range<usize>) -> Result<Tensor, Failure> {
    Ok(x.narrow(0, rows.start, rows.len())?)
}

/// One block, in place where it keeps the number of channels.
pub(super) fn residual(block: &Residual, x: Tensor, observer: &mut dyn Observer) -> Result<Tensor, Failure> {
    let (height, width, _) = x.dims3()?;
    let channels = block.conv1.channels_out();
    let rows = band_rows(width, channels);
    let norm = block.norm1.affine(&x)?;
    let before = Before { norm: Some(&norm), resize: Resize::Keep };
    let mut sums = block.norm2.no_sums();
    for band in bands(height, rows) {
        observer.block()?;
        let h = zeros(band.len(), width, channels)?;
        ops::conv_rows(&x, &block.conv1, before, band, &h, Store::Set)?;
        sums.add(&block.norm2.sums(&h)?);
    }
    let norm = block.norm2.affine_of(&sums);
    let after = Before { norm: Some(&norm), resize: Resize::Keep };
    let out = if block.shortcut.is_some() { Some(zeros(height, width, channels)?) } else { None };
    // In place, the input of a row is gone once the row is done: the last rows of one band's hidden values, which the
    // next one needs as well, are kept.
    let mut kept: Option<Tensor> = None;
    for band in bands(height, rows) {
        observer.block()?;
        let around = widened(&band, 1, height);
        let h = zeros(around.len(), width, channels)?;
        let mut done = 0;
        if let Some(kept) = kept.take() {
            done = kept.dim(0)?;
            ops::copy_into(&kept, &part(&h, &(0..done))?)?;
        }
        let fresh = around.start + done..around.end;
        ops::conv_rows(&x, &block.conv1, before, fresh, &part(&h, &(done..around.len()))?, Store::Set)?;
        let into = part(out.as_ref().unwrap_or(&x), &band)?;
        if let Some(shortcut) = &block.shortcut {
            ops::conv_rows(&x, shortcut, Before::default(), band.clone(), &into, Store::Set)?;
        } else if band.end < height {
            let last = zeros(2.min(around.len()), width, channels)?;
            ops::copy_into(&part(&h, &(around.len() - last.dim(0)?..around.len()))?, &last)?;
            kept = Some(last);
        }
        ops::conv_rows(&h, &block.conv2, after, within(&band, &around), &into, Store::Add)?;
    }
    Ok(out.unwrap_or(x))
}

/// Nearest upsampling by two, its convolution, and the first block after it: the upsampled picture is made again for
/// every pass and never whole.
pub(super) fn doubled(
    block: &Residual,
    upsample: &Conv,
    x: &Tensor,
    observer: &mut dyn Observer,
) -> Result<Tensor, Failure> {
    let (height, width, _) = x.dims3()?;
    let (height, width) = (2 * height, 2 * width);
    let (from, to) = (upsample.channels_out(), block.conv1.channels_out());
    let rows = band_rows(width, from.max(to));
    let large = |rows: Range<usize>| -> Result<Tensor, Failure> {
        let u = zeros(rows.len(), width, from)?;
        let before = Before { norm: None, resize: Resize::Double };
        ops::conv_rows(x, upsample, before, rows, &u, Store::Set)?;
        Ok(u)
    };
    let mut sums = block.norm1.no_sums();
    for band in bands(height, rows) {
        observer.block()?;
        sums.add(&block.norm1.sums(&large(band)?)?);
    }
    let norm = block.norm1.affine_of(&sums);
    let before = Before { norm: Some(&norm), resize: Resize::Keep };
    let mut sums = block.norm2.no_sums();
    for band in bands(height, rows) {
        observer.block()?;
        let around = widened(&band, 1, height);
        let u = large(around.clone())?;
        let h = zeros(band.len(), width, to)?;
        ops::conv_rows(&u, &block.conv1, before, within(&band, &around), &h, Store::Set)?;
        sums.add(&block.norm2.sums(&h)?);
    }
    let norm = block.norm2.affine_of(&sums);
    let after = Before { norm: Some(&norm), resize: Resize::Keep };
    let out = zeros(height, width, to)?;
    for band in bands(height, rows) {
        observer.block()?;
        let (wide, around) = (widened(&band, 2, height), widened(&band, 1, height));
        let u = large(wide.clone())?;
        let h = zeros(around.len(), width, to)?;
        ops::conv_rows(&u, &block.conv1, before, within(&around, &wide), &h, Store::Set)?;
        let (into, same) = (part(&out, &band)?, within(&band, &wide));
        match &block.shortcut {
            Some(shortcut) => ops::conv_rows(&u, shortcut, Before::default(), same, &into, Store::Set)?,
            None => ops::copy_into(&part(&u, &same)?, &into)?,
        }
        ops::conv_rows(&h, &block.conv2, after, within(&band, &around), &into, Store::Add)?;
    }
    Ok(out)
}
