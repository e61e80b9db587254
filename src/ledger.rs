//! The books of memory: a counting allocator that knows at each moment what this process holds, and the most it held.
//!
//! Every heap allocation of every thread passes here, so a peak is what was really asked for, not a sample. Counted are
//! the bytes asked for; the allocator's own headers, stacks, code and file mappings are not (see `Policy::image`).
//! [`Pool::Device`] holds what a simulated GPU allocates: blocks of [`TAGGED`] bytes and more, made inside [`in_pool`],
//! remember their pool in a header of their own, so that any thread may free them. Smaller ones count as the host's.

use crate::units::Bytes;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

/// Where an allocation counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    Host,
    /// Memory of the simulated GPU.
    Device,
}

/// Blocks of this size and more carry a header that names their pool: small enough for the norm vectors of a network.
pub const TAGGED: usize = 4 << 10;
/// Blocks under this size are counted in batches, a thread at a time.
pub const BATCHED: usize = 1 << 10;
/// How far one thread's uncounted small blocks may add up: the precision of [`live`] per thread.
pub const BATCH: i64 = 32 << 10;

/// Room for the tag in front of a block; keeps every alignment up to a cache line.
const HEADER: usize = 64;

#[global_allocator]
static LEDGER: Ledger = Ledger;

static BOOKS: [Book; 2] = [Book::new(), Book::new()];

thread_local! {
    // Constant and without destructors: usable inside the allocator, also while a thread ends.
    static SMALL: Cell<i64> = const { Cell::new(0) };
    static POOL: Cell<Pool> = const { Cell::new(Pool::Host) };
}

/// What the process holds in `pool` now.
#[must_use]
pub fn live(pool: Pool) -> Bytes {
    settle();
    clamp(BOOKS[pool as usize].live.load(Relaxed))
}

/// The most that was held in `pool` since the start or the last [`reset_peak`].
#[must_use]
pub fn peak(pool: Pool) -> Bytes {
    settle();
    clamp(BOOKS[pool as usize].peak.load(Relaxed))
}

/// Lets the peaks of both pools begin anew at what is held now.
pub fn reset_peak() {
    settle();
    for book in &BOOKS {
        let live = book.live.load(Relaxed);
        book.peak.store(live, Relaxed);
        // What another thread added between the two lines.
        book.peak.fetch_max(book.live.load(Relaxed), Relaxed);
    }
}

/// Enters this thread's batch of small blocks in the books when it is dropped. Threads that come and go must hold one:
/// each that ends without it leaves the books off by up to [`BATCH`] bytes, for good.
pub struct Settles;

impl Drop for Settles {
    fn drop(&mut self) {
        settle();
    }
}

/// Enters this thread's batch of small blocks in the books.
pub fn settle() {
    let pending = SMALL.replace(0);
    if pending != 0 {
        BOOKS[Pool::Host as usize].add(pending);
    }
}

/// Runs `work` with this thread's large allocations counted in `pool`. Threads that it starts count for themselves:
/// hand them [`current`].
pub fn in_pool<T>(pool: Pool, work: impl FnOnce() -> T) -> T {
    struct Restore(Pool);
    impl Drop for Restore {
        fn drop(&mut self) {
            POOL.set(self.0);
        }
    }
    let _restore = Restore(POOL.replace(pool));
    work()
}

/// Lets this thread's large allocations count in `pool` from now on.
pub fn enter(pool: Pool) {
    POOL.set(pool);
}

/// Room of the simulated GPU, and what it does when it is full.
static ROOM: AtomicI64 = AtomicI64::new(i64::MAX);
static SPILLS: AtomicBool = AtomicBool::new(false);
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Gives [`Pool::Device`] a size, for a simulated GPU. Where it spills, what is beyond the size is [`spilled`]; where it
/// does not, the first block that does not fit is [`refused`], as a driver's error would come: at the end of the op that
/// asked for it. `None` takes the size away, and both forget what they saw.
pub fn simulate(room: Option<Bytes>, spills: bool) {
    ROOM.store(room.map_or(i64::MAX, |room| i64::try_from(room.get()).unwrap_or(i64::MAX)), Relaxed);
    SPILLS.store(spills, Relaxed);
    REFUSED.store(0, Relaxed);
}

/// The first request that the simulated GPU had no room for.
#[must_use]
pub fn refused() -> Option<Bytes> {
    Some(REFUSED.load(Relaxed)).filter(|bytes| *bytes != 0).map(Bytes)
}

/// What the simulated GPU's driver has moved into the host's memory now.
#[must_use]
pub fn spilled() -> Bytes {
    if !SPILLS.load(Relaxed) {
        return Bytes::ZERO;
    }
    clamp(BOOKS[Pool::Device as usize].live.load(Relaxed).saturating_sub(ROOM.load(Relaxed)))
}

/// Notes a block that was made in a full simulated GPU.
fn see_overflow(pool: Pool, size: usize) {
    if pool == Pool::Device && !SPILLS.load(Relaxed) && BOOKS[pool as usize].live.load(Relaxed) > ROOM.load(Relaxed) {
        // Only the first: what follows in the same op would not have been asked for.
        REFUSED.compare_exchange(0, size as u64, Relaxed, Relaxed).unwrap_or_default();
    }
}

/// The pool that this thread's large allocations count in.
#[must_use]
pub fn current() -> Pool {
    POOL.get()
}

/// A stretch of work and the most that was held during it. The books are the whole process's: spans of two threads at
/// the same time see each other's bytes, and the later start resets the peak of the earlier.
#[derive(Debug)]
pub struct Span {
    before: [Bytes; 2],
}

/// What a [`Span`] measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    before: [Bytes; 2],
    peak: [Bytes; 2],
}

impl Span {
    #[must_use]
    pub fn start() -> Self {
        reset_peak();
        Self { before: [live(Pool::Host), live(Pool::Device)] }
    }

    #[must_use]
    pub fn finish(self) -> Held {
        Held { before: self.before, peak: [peak(Pool::Host), peak(Pool::Device)] }
    }
}

impl Held {
    /// The most that was held, all that was there before included.
    #[must_use]
    pub const fn peak(&self, pool: Pool) -> Bytes {
        self.peak[pool as usize]
    }

    /// The most that was held on top of what was there at the start.
    #[must_use]
    pub const fn above(&self, pool: Pool) -> Bytes {
        self.peak[pool as usize].minus(self.before[pool as usize])
    }
}

/// Blocks of this size and more go back to the system the moment they are freed.
pub const RETURNED: usize = 4 << 20;
/// What smaller freed blocks may keep for reuse, until [`trim`]: without it each op of a small picture would have its
/// buffers cleared anew by the system, which takes longer than some ops.
pub const KEPT: usize = 32 << 20;

/// The size of a page once large blocks are known to be mappings of their own, else zero.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Makes the system's allocator give large freed blocks back at once. Call it once, first thing: without it glibc
/// raises its limit with every large block freed, until gigabytes of dead memory stay with the process.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "the C library's allocator has no other switch")]
    {
        // SAFETY: mallopt and sysconf take numbers and may be called at any time from any thread.
        let (fixed, page) = unsafe {
            let fixed = libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED as libc::c_int)
                & libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT as libc::c_int)
                // One arena for all threads: each would keep as much, and only the first can be trimmed.
                & libc::mallopt(libc::M_ARENA_MAX, 1);
            (fixed == 1, libc::sysconf(libc::_SC_PAGESIZE))
        };
        if fixed && let Ok(page) = usize::try_from(page) {
            PAGE.store(page, Relaxed);
        }
    }
}

/// Asks for large pages under a fresh block of [`RETURNED`] bytes or more: the system clears them several times faster.
/// Only pages wholly inside the block's own mapping become large, so it never takes more than was asked for.
fn prefer_large_pages(block: *mut u8, size: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "advice to the system goes through the C library")]
    {
        let page = PAGE.load(Relaxed);
        if page == 0 || size < RETURNED {
            return;
        }
        // The mapping begins with the allocator's header, in the same page as the byte before the block.
        let into_page = (block.addr() - 1) % page + 1;
        // SAFETY: the range is memory of the process, and this advice changes none of its contents. Where the system
        // does not follow it, nothing is lost.
        unsafe {
            libc::madvise(block.sub(into_page).cast(), size + into_page, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = (block, size);
}

/// Gives back what smaller freed blocks still hold. Worth a millisecond after a job, not inside one.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "the C library's allocator has no other switch")]
    // SAFETY: malloc_trim takes a number and may be called at any time from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn clamp(bytes: i64) -> Bytes {
    // Negative for a moment where one thread entered its frees before another its allocations.
    Bytes(bytes.max(0) as u64)
}

/// Live and peak of one pool, on a cache line of its own.
#[repr(align(128))]
struct Book {
    live: AtomicI64,
    peak: AtomicI64,
}

impl Book {
    const fn new() -> Self {
        Self { live: AtomicI64::new(0), peak: AtomicI64::new(0) }
    }

    fn add(&self, bytes: i64) {
        let live = self.live.fetch_add(bytes, Relaxed) + bytes;
        if live > self.peak.load(Relaxed) {
            self.peak.fetch_max(live, Relaxed);
        }
    }
}

/// Counts `change` bytes of a block of `size` bytes without a tag.
fn count_untagged(size: usize, change: i64) {
    if size >= BATCHED {
        BOOKS[Pool::Host as usize].add(change);
        return;
    }
    let pending = SMALL.get() + change;
    if pending.abs() < BATCH {
        SMALL.set(pending);
    } else {
        SMALL.set(0);
        BOOKS[Pool::Host as usize].add(pending);
    }
}

/// The block that holds header and data of a tagged allocation, and where the data begins in it.
fn tagged(layout: Layout) -> Option<(Layout, usize)> {
    let offset = HEADER.max(layout.align());
    let size = layout.size().checked_add(offset)?;
    Some((Layout::from_size_align(size, layout.align()).ok()?, offset))
}

struct Ledger;

impl Ledger {
    /// Writes the tag into a fresh block and counts it.
    ///
    /// # Safety
    /// `base` is null or a block of [`tagged`]`(layout)`, whose offset is `offset`.
    #[expect(unsafe_code, reason = "pointer arithmetic of the allocator")]
    unsafe fn tag(base: *mut u8, offset: usize, layout: Layout) -> *mut u8 {
        if base.is_null() {
            return base;
        }
        prefer_large_pages(base, layout.size());
        let pool = current();
        // SAFETY: the block is `offset` bytes longer than the data, and `offset >= HEADER >= 1`.
        let data = unsafe {
            let data = base.add(offset);
            data.sub(1).write(pool as u8);
            data
        };
        BOOKS[pool as usize].add(layout.size() as i64);
        see_overflow(pool, layout.size());
        data
    }

    /// The pool of a tagged block.
    ///
    /// # Safety
    /// `data` came from [`Ledger::tag`] and is still allocated.
    #[expect(unsafe_code, reason = "pointer arithmetic of the allocator")]
    unsafe fn book(data: *mut u8) -> &'static Book {
        // SAFETY: the byte before the data is the tag that was written there.
        let tag = unsafe { data.sub(1).read() };
        &BOOKS[usize::from(tag == Pool::Device as u8)]
    }
}

// SAFETY: every call is passed on to `System` with a layout that is the caller's, or the caller's with room in front
// that is a multiple of its alignment. Which of both is decided by the size alone, so `dealloc` and `realloc`, which
// get the same layout as `alloc`, decide alike. Nothing here allocates or unwinds.
#[expect(unsafe_code, reason = "a global allocator is an unsafe trait")]
unsafe impl GlobalAlloc for Ledger {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= TAGGED {
            let Some((block, offset)) = tagged(layout) else { return std::ptr::null_mut() };
            // SAFETY: `block` is not empty, and `tag` gets the block that it asks for.
            return unsafe { Self::tag(System.alloc(block), offset, layout) };
        }
        // SAFETY: the caller's own promise.
        let data = unsafe { System.alloc(layout) };
        if !data.is_null() {
            count_untagged(layout.size(), layout.size() as i64);
        }
        data
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= TAGGED {
            let Some((block, offset)) = tagged(layout) else { return std::ptr::null_mut() };
            // SAFETY: as in `alloc`; the tag lies before the data, which stays zero.
            return unsafe { Self::tag(System.alloc_zeroed(block), offset, layout) };
        }
        // SAFETY: the caller's own promise.
        let data = unsafe { System.alloc_zeroed(layout) };
        if !data.is_null() {
            count_untagged(layout.size(), layout.size() as i64);
        }
        data
    }

    unsafe fn dealloc(&self, data: *mut u8, layout: Layout) {
        if layout.size() >= TAGGED {
            let Some((block, offset)) = tagged(layout) else { return };
            // SAFETY: the caller's block was made by `alloc` with this layout, so it begins `offset` bytes earlier.
            unsafe {
                Self::book(data).add(-(layout.size() as i64));
                System.dealloc(data.sub(offset), block);
            }
            return;
        }
        // SAFETY: the caller's own promise.
        unsafe { System.dealloc(data, layout) };
        count_untagged(layout.size(), -(layout.size() as i64));
    }

    unsafe fn realloc(&self, data: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Ok(new_layout) = Layout::from_size_align(new_size, layout.align()) else { return std::ptr::null_mut() };
        match (layout.size() >= TAGGED, new_size >= TAGGED) {
            (false, false) => {
                // SAFETY: the caller's own promise.
                let moved = unsafe { System.realloc(data, layout, new_size) };
                if !moved.is_null() {
                    count_untagged(layout.size(), -(layout.size() as i64));
                    count_untagged(new_size, new_size as i64);
                }
                moved
            }
            (true, true) => {
                let (Some((block, offset)), Some((new_block, _))) = (tagged(layout), tagged(new_layout)) else {
                    return std::ptr::null_mut();
                };
                // SAFETY: the block begins `offset` bytes before the data, before and after, and takes its tag along.
                unsafe {
                    let base = System.realloc(data.sub(offset), block, new_block.size());
                    if base.is_null() {
                        return base;
                    }
                    let moved = base.add(offset);
                    Self::book(moved).add(new_size as i64 - layout.size() as i64);
                    moved
                }
            }
            // Gains or loses its header: a new block, counted beside the old one while both are there.
            // SAFETY: the new block does not overlap the old one, and both hold the bytes that are copied.
            _ => unsafe {
                let moved = self.alloc(new_layout);
                if !moved.is_null() {
                    std::ptr::copy_nonoverlapping(data, moved, layout.size().min(new_size));
                    self.dealloc(data, layout);
                }
                moved
            },
        }
    }
}
