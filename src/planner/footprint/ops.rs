//! Workspace of single ops on the processor, and the tile sizes that both the statement and the op use.
//!
//! All sizes follow from the shapes alone, except where a buffer per thread is needed: then the thread count counts.

use crate::units::Bytes;

/// Columns of half a packed strip: one AVX-512 register, two of AVX2.
pub const HALF: usize = 16;
/// Columns that one packed strip of weights holds.
pub const STRIP: usize = 2 * HALF;
/// Stretch of the inner dimension that one pass takes, so that half a strip of it stays in the first cache.
pub const K_BLOCK: usize = 256;
/// Rows of one task of a product.
pub const TASK_ROWS: usize = 96;
/// Aim for the packed panel of weights.
const PANEL_BYTES: usize = 8 << 20;
/// Most columns of a packed panel.
const PANEL_COLUMNS: usize = 512;

/// Output tile of one convolution task; half as high and wide where the convolution takes every second position.
pub const TILE_HEIGHT: usize = 8;
pub const TILE_WIDTH: usize = 48;

/// Queries of one attention task, and the keys that it scores at a time.
pub const QUERY_BLOCK: usize = 48;
pub const KEY_BLOCK: usize = 256;
/// Aim for the packed keys and values of the heads that are worked on together.
const HEAD_GROUP_BYTES: usize = 16 << 20;

/// Tokens that a feed-forward layer takes at a time.
pub const FEED_FORWARD_CHUNK: usize = 512;

/// Parts in which a group norm gathers its sums: fixed, so that the sums do not depend on the thread count.
pub const NORM_PARTS: usize = 64;

/// Columns of the packed panel for weights of `n` rows and `k` columns.
#[must_use]
pub fn panel_columns(k: usize, n: usize) -> usize {
    let fit = PANEL_BYTES / 4 / k.max(1) / STRIP * STRIP;
    fit.clamp(STRIP, PANEL_COLUMNS).min(n.next_multiple_of(STRIP))
}

/// `(rows x k) * (n x k)^T`: the packed panel.
#[must_use]
pub fn linear(k: usize, n: usize) -> Bytes {
    Bytes::f32s(k * panel_columns(k, n))
}

/// A convolution with a kernel of `side` x `side`: the packed panel, and a padded input tile with its sums a thread.
#[must_use]
pub fn conv(side: usize, channels_in: usize, channels_out: usize, threads: usize) -> Bytes {
    linear(conv_taps(side, false) * channels_in, channels_out) + Bytes::f32s(threads * conv_scratch(side, channels_in))
}

/// The same after nearest upsampling by two: a kernel for each of the four phases of the output.
#[must_use]
pub fn conv_doubled(side: usize, channels_in: usize, channels_out: usize, threads: usize) -> Bytes {
    linear(4 * conv_taps(side, true) * channels_in, channels_out)
        + Bytes::f32s(threads * conv_scratch(side, channels_in))
}

/// Kernel positions that see different inputs. After nearest upsampling some of them see the same one.
#[must_use]
pub const fn conv_taps(side: usize, doubled: bool) -> usize {
    if doubled && side == 3 { 4 } else { side * side }
}

/// Values that one convolution task needs: a padded input tile, and the sums of one strip of outputs.
#[must_use]
pub const fn conv_scratch(side: usize, channels_in: usize) -> usize {
    conv_tile(side, channels_in) + TILE_HEIGHT * TILE_WIDTH * STRIP
}

/// Values of a padded input tile.
#[must_use]
pub const fn conv_tile(side: usize, channels_in: usize) -> usize {
    (TILE_HEIGHT + side - 1) * (TILE_WIDTH + side - 1) * channels_in
}

/// Heads whose keys and values are packed together.
#[must_use]
pub fn attention_head_group(kv_heads: usize, keys: usize, head_dim: usize) -> usize {
    (HEAD_GROUP_BYTES / 4 / packed_head(keys, head_dim).max(1)).clamp(1, kv_heads.max(1))
}

/// Values of the packed keys and values of one head.
#[must_use]
pub const fn packed_head(keys: usize, head_dim: usize) -> usize {
    keys.next_multiple_of(STRIP) * head_dim + keys * head_dim.next_multiple_of(HALF)
}

/// Values that one attention task needs: scores, output and the running maximum and sum of each query.
#[must_use]
pub const fn attention_scratch(head_dim: usize) -> usize {
    QUERY_BLOCK * (KEY_BLOCK + head_dim.next_multiple_of(HALF) + 2)
}

/// Attention whose output replaces its queries.
#[must_use]
pub fn attention(kv_heads: usize, keys: usize, head_dim: usize, threads: usize) -> Bytes {
    let group = attention_head_group(kv_heads, keys, head_dim);
    Bytes::f32s(group * packed_head(keys, head_dim) + threads * attention_scratch(head_dim))
}

/// Attention with biases by distance: the scores of one query a thread.
#[must_use]
pub const fn biased_attention(tokens: usize, threads: usize) -> Bytes {
    Bytes::f32s(tokens * threads)
}

/// Statistics of a group norm: partial sums in f64, then a scale and a shift for each channel.
#[must_use]
pub const fn group_norm(channels: usize) -> Bytes {
    Bytes((NORM_PARTS * channels * 16 + channels * 8) as u64)
}
