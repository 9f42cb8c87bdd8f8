//! Where the pages of managed memory are: they move to whoever touches them.

use crate::device::DeviceId;
use std::collections::BTreeMap;
use std::ops::Range;

/// What moves at once (CUDA programming guide: on x86 systems faults are served in pieces of 64 KiB).
const PAGE_BYTES: u64 = 64 << 10;

/// Where a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Where {
    /// Nobody touched it yet: it costs nothing to be first.
    #[default]
    Nowhere,
    Host,
    Device(DeviceId),
}

#[derive(Debug)]
struct Pages {
    bytes: u64,
    at: Vec<Where>,
}

/// The pages of all managed memory.
#[derive(Debug, Default)]
pub struct Residency {
    buffers: BTreeMap<u64, Pages>,
    /// A page that is known to be at the host.
    last: Range<u64>,
}

impl Residency {
    pub fn add(&mut self, base: u64, bytes: u64) {
        let at = vec![Where::Nowhere; bytes.div_ceil(PAGE_BYTES) as usize];
        self.buffers.insert(base, Pages { bytes, at });
    }

    pub fn remove(&mut self, base: u64) {
        self.buffers.remove(&base);
        self.last = 0..0;
    }

    /// The host touches bytes; gives how many move to it.
    #[inline]
    pub fn host(&mut self, range: Range<u64>) -> u64 {
        if self.last.start <= range.start && range.end <= self.last.end {
            return 0;
        }
        let moved = self.move_to(range.clone(), None);
        let base = self.buffers.range(..=range.start).next_back().map_or(0, |(&base, _)| base);
        let first = base + (range.start - base) / PAGE_BYTES * PAGE_BYTES;
        self.last = first..first + PAGE_BYTES;
        moved
    }

    /// Bytes move to a device, or (`None`) to the host; gives how many had to.
    pub fn move_to(&mut self, range: Range<u64>, to: Option<DeviceId>) -> u64 {
        if to.is_some() {
            self.last = 0..0;
        }
        let target = to.map_or(Where::Host, Where::Device);
        let Some((&base, pages)) = self.buffers.range_mut(..=range.start).next_back() else { return 0 };
        let end = range.end.min(base + pages.bytes);
        if range.start >= end {
            return 0;
        }
        let mut moved = 0;
        let (first, last) = ((range.start - base) / PAGE_BYTES, (end - base).div_ceil(PAGE_BYTES));
        for page in pages.at.iter_mut().take(last as usize).skip(first as usize) {
            if *page != target {
                moved += if *page == Where::Nowhere { 0 } else { PAGE_BYTES.min(pages.bytes) };
                *page = target;
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_move_to_who_touches_them() {
        let mut pages = Residency::default();
        pages.add(1 << 20, 3 * PAGE_BYTES);
        let all = 1 << 20..(1 << 20) + 3 * PAGE_BYTES;
        assert_eq!(pages.host(all.start..all.start + 4), 0, "the first touch moves nothing");
        assert_eq!(pages.move_to(all.clone(), Some(0)), PAGE_BYTES);
        assert_eq!(pages.move_to(all.clone(), Some(0)), 0);
        assert_eq!(pages.host(all.start..all.start + 4), PAGE_BYTES);
        assert_eq!(pages.host(all.start + 8..all.start + 12), 0);
        assert_eq!(pages.move_to(all, None), 2 * PAGE_BYTES);
    }
}
