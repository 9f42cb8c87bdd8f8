//! Translation of host addresses to memory of this process, with a check of every access.
//!
//! The windows of host memory are divided into pages, and mapped pages belong to segments. Shadow memory has a
//! count for each granule of eight bytes: how many of them, from the first, may be accessed. So one look-up
//! decides whether an access is inside a block. The unsafe code that maintains pages and counts is in this
//! file.

use crate::memory::{
    GLOBAL_WINDOW, HOST_GLOBALS_WINDOW, HOST_HEAP_WINDOW, HOST_STACK_WINDOW, HOST_WINDOW_BYTES,
};
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// Bits of an address within a page: the address shifted right by this is its page's number.
pub const PAGE_BITS: u32 = 16;

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 1 << PAGE_BITS;

/// Bytes that share one count.
pub const GRANULE_BYTES: u64 = 8;

/// Bits of an address within a window: the address shifted right by this is its window's number.
pub const WINDOW_BITS: u32 = HOST_WINDOW_BYTES.trailing_zeros();

/// The first window's number, and how many there are up to the last: the host's own, and the memory of GPUs, of
/// which a thread may cache a part.
const FIRST_WINDOW: u64 = HOST_GLOBALS_WINDOW >> WINDOW_BITS;
const WINDOWS: usize = (GLOBAL_WINDOW >> WINDOW_BITS) as usize - FIRST_WINDOW as usize + 1;

/// The number of windows that machine code has: it distinguishes them by the low bits of their numbers.
pub const WINDOW_SLOTS: usize = 16;
const _: () = {
    let windows = [HOST_GLOBALS_WINDOW, HOST_HEAP_WINDOW, HOST_STACK_WINDOW, GLOBAL_WINDOW];
    let mut slots = 0u32;
    let mut n = 0;
    while n < windows.len() {
        assert!(windows[n].is_multiple_of(HOST_WINDOW_BYTES));
        slots |= 1 << ((windows[n] >> WINDOW_BITS) % WINDOW_SLOTS as u64);
        n += 1;
    }
    assert!(slots.count_ones() as usize == windows.len());
};

/// The counts of a page in which nothing may be accessed.
static NO_ACCESS: [u8; (PAGE_BYTES / GRANULE_BYTES) as usize] = [0; (PAGE_BYTES / GRANULE_BYTES) as usize];

/// The segment of a page that was never mapped.
const NO_SEGMENT: u32 = u32::MAX;

/// A page of 2^16 bytes of host memory, aligned to its size.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Page {
    /// The page's first byte, if it is mapped.
    pub data: *mut u8,
    /// For each granule of eight bytes, how many of them, from the first, may be accessed. If that is not zero,
    /// all eight can be read.
    pub counts: *const u8,
    segment: u32,
}

/// A window of host memory as machine code sees it; valid until pages change.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Window {
    /// Number of the first page: its address divided by the size of a page.
    pub first: u64,
    /// The number of pages.
    pub pages: u64,
    pub page: *const Page,
}

impl Window {
    /// A window without pages.
    pub const NONE: Window = Window { first: 0, pages: 0, page: std::ptr::null() };
}

// SAFETY: the pointer is followed only by machine code, in the thread that owns the pages.
unsafe impl Send for Window {}

/// Where one segment's bytes are, for machine code.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct StackBytes {
    /// What to add to an address to obtain where its byte is.
    pub data: u64,
    /// What to add to an eighth of an address to obtain where its count is.
    pub counts: u64,
}

const UNMAPPED: Page = Page { data: std::ptr::null_mut(), counts: NO_ACCESS.as_ptr(), segment: NO_SEGMENT };

/// What mapped bytes hold initially.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialContents {
    Zero,
    /// Anything: they are written when they become accessible. Bytes that are never used cost no time.
    Uninitialised,
}

/// Memory of this process; pages that are never touched take no physical memory.
#[derive(Debug)]
struct Storage {
    start: NonNull<u8>,
    layout: Layout,
}

impl Storage {
    fn new(bytes: u64, begins: InitialContents) -> Option<Storage> {
        let layout = Layout::from_size_align(usize::try_from(bytes).ok()?.max(16), 16).ok()?;
        // SAFETY: the layout's size is not zero.
        let start = unsafe {
            match begins {
                InitialContents::Zero => alloc_zeroed(layout),
                InitialContents::Uninitialised => alloc(layout),
            }
        };
        let start = NonNull::new(start)?;
        Some(Storage { start, layout })
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Consecutive pages, with their contents and counts.
#[derive(Debug)]
struct Segment {
    start: u64,
    pages: u64,
    begins: InitialContents,
    data: Storage,
    counts: Storage,
}

/// The pages of all windows.
#[derive(Debug)]
pub struct Pages {
    windows: [Vec<Page>; WINDOWS],
    /// By number; `None` if unmapped.
    segments: Vec<Option<Segment>>,
    /// How often pages were mapped or unmapped.
    changes: u64,
}

// SAFETY: the pointers lead to storage that the segments own, or to a constant.
unsafe impl Send for Pages {}

impl Default for Pages {
    fn default() -> Pages {
        Pages { windows: [const { Vec::new() }; WINDOWS], segments: Vec::new(), changes: 0 }
    }
}

/// Returns the window of an address and the page in it, as indices.
#[inline(always)]
fn place(address: u64) -> (usize, usize) {
    let window = (address >> WINDOW_BITS).wrapping_sub(FIRST_WINDOW);
    (window as usize, ((address & (HOST_WINDOW_BYTES - 1)) >> PAGE_BITS) as usize)
}

impl Pages {
    /// Returns where the bytes of an access are, if all of them may be accessed and lie in one granule; for any
    /// other access see [`Pages::range`].
    #[inline(always)]
    pub fn granule(&self, address: u64, bytes: u64) -> Option<NonNull<u8>> {
        let (window, page) = place(address);
        let page = self.windows.get(window)?.get(page)?;
        let within = address & (PAGE_BYTES - 1);
        // SAFETY: every page has a count for each of its granules.
        let count = unsafe { *page.counts.add((within / GRANULE_BYTES) as usize) };
        if within % GRANULE_BYTES + bytes > count as u64 {
            return None;
        }
        // SAFETY: a count is above zero only in a mapped page, and only where its storage has the bytes
        // (`Segment::set_counts`).
        Some(unsafe { NonNull::new_unchecked(page.data.add(within as usize)) })
    }

    /// Returns how often pages were mapped or unmapped: while this stays the same, so does what [`Page`]s lead
    /// to.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// For machine code: returns the windows that have pages, at the low bits of their numbers.
    pub fn windows(&self) -> [Window; WINDOW_SLOTS] {
        let mut windows = [Window::NONE; WINDOW_SLOTS];
        for (number, pages) in (FIRST_WINDOW..).zip(&self.windows).filter(|(_, pages)| !pages.is_empty()) {
            let first = number << (WINDOW_BITS - PAGE_BITS);
            windows[number as usize % WINDOW_SLOTS] =
                Window { first, pages: pages.len() as u64, page: pages.as_ptr() };
        }
        windows
    }

    /// For machine code: returns where the segment that contains an address is; `None` if there is none.
    pub fn segment_bytes(&self, address: u64) -> Option<StackBytes> {
        let segment = self.segments.get(self.segment_of(address)? as usize)?.as_ref()?;
        let (data, counts) = (segment.data.start.as_ptr() as u64, segment.counts.start.as_ptr() as u64);
        Some(StackBytes {
            data: data.wrapping_sub(segment.start),
            counts: counts.wrapping_sub(segment.start / GRANULE_BYTES),
        })
    }

    /// Returns how many bytes from `address` to the end of its granule may be accessed.
    pub fn accessible(&self, address: u64) -> u64 {
        let (window, page) = place(address);
        let Some(page) = self.windows.get(window).and_then(|pages| pages.get(page)) else { return 0 };
        let within = address & (PAGE_BYTES - 1);
        // SAFETY: as above.
        let count = unsafe { *page.counts.add((within / GRANULE_BYTES) as usize) };
        (count as u64).saturating_sub(within % GRANULE_BYTES)
    }

    /// Returns where the bytes of an access of any size are.
    ///
    /// # Errors
    /// Returns the first address that may not be accessed. Bytes of two segments are not in one piece, so those from
    /// the second one on count as not accessible.
    pub fn range(&self, address: u64, bytes: u64) -> Result<NonNull<u8>, u64> {
        if bytes == 0 {
            return Ok(NonNull::dangling());
        }
        let Some(first) = self.granule(address, 1) else { return Err(address) };
        let mut at = address;
        let end = address.checked_add(bytes).ok_or(address)?;
        let segment = self.segment_of(address);
        while at < end {
            if at.is_multiple_of(PAGE_BYTES) && self.segment_of(at) != segment {
                return Err(at);
            }
            let whole = self.whole_granules(at, end);
            if whole > 0 {
                at += whole * GRANULE_BYTES;
                continue;
            }
            let next = (at / GRANULE_BYTES + 1) * GRANULE_BYTES;
            let want = next.min(end) - at;
            let have = self.accessible(at);
            if have < want {
                return Err(at + have);
            }
            at = next;
        }
        Ok(first)
    }

    /// Returns how many granules from `address` on may be accessed whole, up to `end` and within one page.
    fn whole_granules(&self, address: u64, end: u64) -> u64 {
        let (window, page) = place(address);
        let Some(page) = self.windows.get(window).and_then(|pages| pages.get(page)) else { return 0 };
        let within = address % PAGE_BYTES;
        if !within.is_multiple_of(GRANULE_BYTES) {
            return 0;
        }
        let count = (end - address).min(PAGE_BYTES - within) / GRANULE_BYTES;
        // SAFETY: every page has a count for each of its granules.
        let counts = unsafe {
            let first = page.counts.add((within / GRANULE_BYTES) as usize);
            std::slice::from_raw_parts(first, count as usize)
        };
        // Without an early exit, the loop is vectorised.
        let other = counts.iter().fold(0, |other, count| other | (count ^ GRANULE_BYTES as u8));
        match other {
            0 => count,
            _ => counts.iter().take_while(|count| **count == GRANULE_BYTES as u8).count() as u64,
        }
    }

    /// Returns bytes as a slice.
    ///
    /// # Errors
    /// Returns the error of [`Self::range`].
    pub fn slice(&self, address: u64, bytes: u64) -> Result<&[u8], u64> {
        let start = self.range(address, bytes)?;
        // SAFETY: `range` found `bytes` bytes of one segment's storage there, which were
        // initialised when they became accessible (`Segment::set_counts`); nothing changes them while `self` is
        // borrowed.
        Ok(unsafe { std::slice::from_raw_parts(start.as_ptr(), bytes as usize) })
    }

    /// As [`Self::slice`], to write to.
    ///
    /// # Errors
    /// Returns the error of [`Self::range`].
    pub fn slice_mut(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], u64> {
        let start = self.range(address, bytes)?;
        // SAFETY: as `slice`, and `self` is borrowed exclusively.
        Ok(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), bytes as usize) })
    }

    /// Returns the number of the segment that an address belongs to or belonged to.
    pub fn segment_of(&self, address: u64) -> Option<u32> {
        let (window, page) = place(address);
        let page = self.windows.get(window)?.get(page)?;
        (page.segment != NO_SEGMENT).then_some(page.segment)
    }

    /// Returns the numbers of the nearest segments below and above an address whose page has none.
    pub fn segments_around(&self, address: u64) -> [Option<u32>; 2] {
        let (window, page) = place(address);
        let pages = self.windows.get(window).map_or(&[][..], |pages| &pages[..]);
        let (below, above) = pages.split_at(page.min(pages.len()));
        let known = |p: &Page| Some(p.segment).filter(|&s| s != NO_SEGMENT);
        [below.iter().rev().find_map(known), above.iter().find_map(known)]
    }

    /// Maps pages for `bytes` bytes at `start`, a page's first address; none of them may be accessed yet.
    /// Returns the segment's number, or `None` if this machine has no more memory.
    pub fn map(
        &mut self,
        start: u64,
        bytes: u64,
        begins: InitialContents,
        reuse: Option<u32>,
    ) -> Option<u32> {
        let pages = bytes.div_ceil(PAGE_BYTES).max(1);
        let segment = Segment {
            start,
            pages,
            begins,
            data: Storage::new(bytes.next_multiple_of(GRANULE_BYTES), begins)?,
            counts: Storage::new(pages * (PAGE_BYTES / GRANULE_BYTES), InitialContents::Zero)?,
        };
        let number = reuse.unwrap_or(self.segments.len() as u32);
        let (window, first) = place(start);
        self.changes += 1;
        let table = self.windows.get_mut(window)?;
        let end = first + pages as usize;
        if table.len() < end {
            table.try_reserve(end - table.len()).ok()?;
            table.resize(end, UNMAPPED);
        }
        for (n, page) in table[first..end].iter_mut().enumerate() {
            let n = n as u64;
            let data = segment.data.start.as_ptr().wrapping_add((n * PAGE_BYTES) as usize);
            let counts = segment.counts.start.as_ptr();
            *page = Page {
                data,
                counts: counts.wrapping_add((n * (PAGE_BYTES / GRANULE_BYTES)) as usize),
                segment: number,
            };
        }
        match reuse {
            Some(number) => self.segments[number as usize] = Some(segment),
            None => self.segments.push(Some(segment)),
        }
        Some(number)
    }

    /// Frees the storage of a segment; its pages remain attributed to it.
    pub fn unmap(&mut self, number: u32) {
        let Some(segment) = self.segments.get_mut(number as usize).and_then(Option::take) else { return };
        self.changes += 1;
        let (window, first) = place(segment.start);
        for page in &mut self.windows[window][first..first + segment.pages as usize] {
            *page = Page { segment: number, ..UNMAPPED };
        }
    }

    /// Makes `bytes` bytes from `address` on accessible, each word of four bytes set to `word`. Does nothing if the
    /// bytes do not lie in one mapped segment, or do not begin with a granule.
    #[inline]
    pub fn open(&mut self, address: u64, bytes: u64, word: u32) {
        let Some((segment, from)) = self.in_segment(address, bytes) else { return };
        // SAFETY: within the segment's storage, which nothing else borrows.
        let start = unsafe { segment.data.start.as_ptr().add(from as usize) };
        for n in 0..(bytes / 4) as usize {
            // SAFETY: as above.
            unsafe { start.cast::<u32>().add(n).write_unaligned(word) }
        }
        for n in (bytes / 4 * 4) as usize..bytes as usize {
            // SAFETY: as above.
            unsafe { start.add(n).write(word.to_le_bytes()[n % 4]) }
        }
        // SAFETY: the bytes were written.
        unsafe { segment.set_counts(from, bytes, true) }
    }

    /// As [`Pages::open`], for bytes with these contents.
    pub fn open_with(&mut self, address: u64, contents: &[u8]) {
        let bytes = contents.len() as u64;
        let Some((segment, from)) = self.in_segment(address, bytes) else { return };
        // SAFETY: within the segment's storage, which nothing else borrows; they are written before they become
        // accessible.
        unsafe {
            let start = segment.data.start.as_ptr().add(from as usize);
            std::ptr::copy_nonoverlapping(contents.as_ptr(), start, contents.len());
            segment.set_counts(from, bytes, true);
        }
    }

    /// As [`Pages::open`], for bytes that are zero because they were mapped so. Does nothing if they were not.
    pub fn open_zeroed(&mut self, address: u64, bytes: u64) {
        match self.in_segment(address, bytes) {
            // SAFETY: the storage was zeroed when it was allocated.
            Some((segment, from)) if segment.begins == InitialContents::Zero => unsafe {
                segment.set_counts(from, bytes, true);
            },
            _ => {}
        }
    }

    /// Makes `bytes` bytes from `address` on inaccessible. Does nothing if they do not lie in one mapped segment, or
    /// do not begin with a granule.
    #[inline]
    pub fn close(&mut self, address: u64, bytes: u64) {
        if let Some((segment, from)) = self.in_segment(address, bytes) {
            // SAFETY: nothing becomes accessible.
            unsafe { segment.set_counts(from, bytes, false) }
        }
    }

    /// Sets whether some bytes of a block may be accessed: those from an offset on up to the block's end. They were
    /// accessible before. Does nothing if the block does not lie in one mapped segment, or does not begin with a granule.
    pub fn set_accessible(&mut self, block: u64, bytes: Range<u64>, accessible: bool) {
        let Some((segment, start)) = self.in_segment(block, bytes.end) else { return };
        let first = bytes.start / GRANULE_BYTES * GRANULE_BYTES;
        // SAFETY: within the segment, as the block is, and its bytes were written when they became accessible first.
        unsafe {
            segment.set_counts(start + first, bytes.end - first, accessible);
            // A count says how many bytes of a granule, from the first, may be accessed.
            if !accessible {
                segment.set_counts(start + first, bytes.start - first, true);
            }
        }
    }

    /// Returns the mapped segment that contains bytes, and their offset in it; `None` if there are no bytes, or if they
    /// do not begin with a granule.
    #[inline]
    fn in_segment(&mut self, address: u64, bytes: u64) -> Option<(&mut Segment, u64)> {
        let number = self.segment_of(address)?;
        let segment = self.segments[number as usize].as_mut()?;
        let from = address - segment.start;
        let fits = from.checked_add(bytes)? <= segment.data.layout.size() as u64;
        (fits && bytes != 0 && from.is_multiple_of(GRANULE_BYTES)).then_some((segment, from))
    }
}

impl Segment {
    /// Sets whether `bytes` bytes at an offset may be accessed. Both lie in the segment, and the offset is a granule's.
    ///
    /// # Safety
    /// Bytes that become accessible are initialised.
    #[inline]
    unsafe fn set_counts(&mut self, from: u64, bytes: u64, accessible: bool) {
        let (whole, rest) = (bytes / GRANULE_BYTES, bytes % GRANULE_BYTES);
        let count = |bytes: u64| if accessible { bytes as u8 } else { 0 };
        // SAFETY: the segment has counts for all bytes of its storage, and nothing else borrows them.
        unsafe {
            let first = self.counts.start.as_ptr().add((from / GRANULE_BYTES) as usize);
            first.write_bytes(count(GRANULE_BYTES), whole as usize);
            if rest != 0 {
                first.add(whole as usize).write(count(rest));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_with_its_segment() {
        let start = HOST_HEAP_WINDOW;
        let mut pages = Pages::default();
        for page in [start, start + PAGE_BYTES] {
            pages.map(page, PAGE_BYTES, InitialContents::Zero, None).unwrap();
            pages.open_zeroed(page, PAGE_BYTES);
        }
        let next = start + PAGE_BYTES;
        assert!(pages.slice(start, PAGE_BYTES).is_ok() && pages.slice(next, PAGE_BYTES).is_ok());
        for (first, bytes) in [(start, 2 * PAGE_BYTES), (next - 1, 2), (next - 8, 9)] {
            assert_eq!(pages.slice(first, bytes), Err(next));
        }
    }

    #[test]
    fn a_range_ends_where_the_first_byte_may_not_be_accessed() {
        let (start, bytes) = (HOST_HEAP_WINDOW, 3 * PAGE_BYTES);
        let mut pages = Pages::default();
        pages.map(start, bytes, InitialContents::Zero, None).unwrap();
        pages.open_zeroed(start + 16, bytes - 19);
        let end = start + bytes - 3;
        for first in [start + 16, start + 21, start + PAGE_BYTES, end - 5, end - 1] {
            assert!(pages.range(first, end - first).is_ok(), "{first:x}");
            assert_eq!(pages.range(first, end - first + 1), Err(end), "{first:x}");
        }
        assert_eq!(pages.range(start, 32), Err(start));
        for gap in [start + 80, start + PAGE_BYTES, start + 2 * PAGE_BYTES - 8] {
            pages.close(gap, 8);
            assert_eq!(pages.range(start + 19, bytes - 64), Err(gap));
            pages.open_with(gap, &[1; 8]);
        }
    }
}
