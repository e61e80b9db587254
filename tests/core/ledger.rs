//! The books of memory. Exact counts are asked of the device pool, which nothing else in this suite touches; the host's
//! books are shared with the tests that run at the same time.

use headroom::ledger::{self, BATCH, Pool, Span, TAGGED};
use headroom::units::Bytes;
use proptest::prelude::*;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::hint::black_box;
use std::sync::MutexGuard;

/// One test at a time looks at the books.
fn books() -> MutexGuard<'static, ()> {
    crate::support::large_blocks()
}

fn device() -> u64 {
    ledger::live(Pool::Device).get()
}

fn on_device<T>(work: impl FnOnce() -> T) -> T {
    ledger::in_pool(Pool::Device, work)
}

#[test]
fn a_large_block_counts_to_the_byte_and_leaves_nothing() {
    let _books = books();
    let block = on_device(|| black_box(vec![7_u8; 1_000_003]));
    assert_eq!(device(), 1_000_003);
    drop(block);
    assert_eq!(device(), 0);
}

#[test]
fn threads_that_come_and_go_leave_the_books_right() {
    const THREADS: usize = 2000;
    let _books = books();
    let before = ledger::live(Pool::Host).get() as i64;
    for _ in 0..THREADS {
        let make = || {
            let _books = ledger::Settles;
            // Less than a batch, in blocks that are too small to be counted one by one.
            black_box((0..60).map(|_| vec![1_u8; 500]).collect::<Vec<_>>())
        };
        drop(std::thread::Builder::new().spawn(make).unwrap().join());
    }
    // Unsettled, each thread would take its 30 kB along. The other tests' own blocks come and go meanwhile.
    let drift = ledger::live(Pool::Host).get() as i64 - before;
    assert!(drift.abs() < (THREADS * 15_000) as i64, "{drift}");
}

#[test]
fn a_peak_is_the_most_that_was_held_at_once() {
    let _books = books();
    let hold = |mib: usize| on_device(|| black_box(vec![0_u8; mib << 20]));
    let measure = || {
        let before = hold(1);
        let span = Span::start();
        drop(hold(3));
        drop((hold(2), hold(2)));
        drop(hold(3));
        let held = span.finish();
        drop(before);
        (held.above(Pool::Device), held.peak(Pool::Device))
    };
    // Jobs of other tests reset the peak that all share: asked until one measurement was left alone.
    let right = (Bytes::mib(4), Bytes::mib(5));
    assert!((0..50).any(|_| measure() == right), "{:?}", measure());
    ledger::reset_peak();
    assert_eq!(ledger::peak(Pool::Device), Bytes::ZERO);
}

#[test]
fn a_block_freed_by_another_thread_is_credited_to_its_own_pool() {
    let _books = books();
    let block = on_device(|| vec![1_u8; 64 << 20]);
    std::thread::scope(|scope| {
        scope.spawn(move || drop(block));
    });
    assert_eq!(device(), 0);
}

/// Whether the host's books grow by `told` bytes while `make`'s value lives, to within a batch of each of a few threads.
/// Other tests move them too, so one quiet moment out of many is asked for; wrong books never show one.
fn host_grows_by<T>(told: u64, make: impl Fn() -> T) -> bool {
    (0..200).any(|_| {
        let before = ledger::live(Pool::Host).get();
        let value = black_box(make());
        let during = ledger::live(Pool::Host).get();
        drop(value);
        let after = ledger::live(Pool::Host).get();
        let near = |a: u64, b: u64| a.abs_diff(b) < 8 * BATCH.unsigned_abs();
        near(during, before + told) && near(after, before)
    })
}

#[test]
fn the_host_counts_large_blocks_too() {
    let _books = books();
    assert!(host_grows_by(8 << 20, || vec![1_u8; 8 << 20]));
}

#[test]
fn a_pool_ends_with_its_scope_even_by_a_panic() {
    let _books = books();
    assert_eq!(ledger::current(), Pool::Host);
    on_device(|| {
        assert_eq!(ledger::current(), Pool::Device);
        ledger::in_pool(Pool::Host, || assert_eq!(ledger::current(), Pool::Host));
        assert_eq!(ledger::current(), Pool::Device);
    });
    let panicked = std::panic::catch_unwind(|| on_device(|| std::panic::resume_unwind(Box::new(()))));
    assert!(panicked.is_err());
    assert_eq!(ledger::current(), Pool::Host);
}

#[test]
fn many_threads_leave_no_trace() {
    let _books = books();
    std::thread::scope(|scope| {
        for thread in 0..8_usize {
            scope.spawn(move || {
                on_device(|| {
                    for round in 0..500_usize {
                        let mut block = vec![0_u8; TAGGED + thread * 1000 + round];
                        block.extend_from_slice(&[1; 5000]);
                        block.shrink_to(0);
                        let small: Vec<Box<[u8]>> = (1..40).map(|n| vec![1; n * 20].into_boxed_slice()).collect();
                        assert!(small.len() == 39 && block[TAGGED - 1] == 0);
                    }
                });
                ledger::settle();
            });
        }
    });
    assert_eq!(device(), 0);
}

#[test]
fn small_blocks_are_counted_within_a_batch() {
    let _books = books();
    let make = || (0..4_000).map(|_| Box::new([3_u8; 512])).collect::<Vec<_>>();
    assert!(host_grows_by(4_000 * (512 + 8), make));
}

#[test]
fn every_alignment_is_kept_and_zeroed_means_zero() {
    let _books = books();
    for shift in 0..=16 {
        let align = 1_usize << shift;
        for size in [TAGGED - 1, TAGGED, TAGGED + 1, 3 * TAGGED] {
            let layout = Layout::from_size_align(size, align).unwrap();
            on_device(|| check_block(layout));
        }
    }
    assert_eq!(device(), 0);
}

#[expect(unsafe_code, reason = "the allocator's own interface")]
fn check_block(layout: Layout) {
    // SAFETY: the layouts are those that the blocks were made with, and not empty.
    unsafe {
        let dirty = alloc(layout);
        assert!(!dirty.is_null() && dirty.addr().is_multiple_of(layout.align()));
        dirty.write_bytes(0xA5, layout.size());
        dealloc(dirty, layout);
        let clean = alloc_zeroed(layout);
        assert!(!clean.is_null() && clean.addr().is_multiple_of(layout.align()));
        let bytes = std::slice::from_raw_parts(clean, layout.size());
        assert!(bytes.iter().all(|byte| *byte == 0), "{layout:?}");
        dealloc(clean, layout);
    }
}

#[test]
#[expect(unsafe_code, reason = "the allocator's own interface")]
fn an_impossible_size_fails_and_counts_nothing() {
    let _books = books();
    let layout = Layout::from_size_align(isize::MAX as usize - 8, 8).unwrap();
    // SAFETY: the layout is not empty; nothing is done with the block.
    assert!(on_device(|| black_box(unsafe { alloc(layout) })).is_null());
    assert_eq!(device(), 0);
}

/// Walks one block through `sizes` with `realloc`, and checks data, alignment and books at each.
#[expect(unsafe_code, reason = "the allocator's own interface")]
fn walk(sizes: &[usize], align: usize) {
    let counted = |size: usize| if size >= TAGGED { size as u64 } else { 0 };
    let layout = |size| Layout::from_size_align(size, align).unwrap();
    let mut size = sizes[0];
    // SAFETY: each call gets the layout of the block as it is, and only bytes that were written are read.
    unsafe {
        let mut block = alloc(layout(size));
        assert!(!block.is_null());
        block.write_bytes(0x5A, size);
        for &next in &sizes[1..] {
            block = realloc(block, layout(size), next);
            assert!(!block.is_null() && block.addr().is_multiple_of(align));
            let kept = std::slice::from_raw_parts(block, size.min(next));
            assert!(kept.iter().all(|byte| *byte == 0x5A), "{size} to {next}");
            block.write_bytes(0x5A, next);
            size = next;
            assert_eq!(device(), counted(size));
        }
        dealloc(block, layout(size));
    }
    assert_eq!(device(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn growing_and_shrinking_keeps_bytes_and_books(
        sizes in prop::collection::vec(prop_oneof![1..2_000_usize, TAGGED - 3..TAGGED + 3, 1..(3_usize << 20)], 2..8),
        align in (0..9_u32).prop_map(|shift| 1_usize << shift),
    ) {
        let _books = books();
        on_device(|| walk(&sizes, align));
    }
}
