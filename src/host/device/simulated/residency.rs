//! Tracks where the pages of managed memory reside: they migrate to whichever processor accesses them.

use crate::device::{DeviceId, Migrations};
use std::collections::BTreeMap;
use std::ops::Range;

/// Unit of migration (CUDA programming guide: on x86 systems faults are served in pieces of 64 KiB).
const PAGE_BYTES: u64 = 64 << 10;

/// Where a page resides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PageLocation {
    /// Not accessed yet: the first access populates it at no cost.
    #[default]
    Nowhere,
    Host,
    Device(DeviceId),
}

#[derive(Debug)]
struct Pages {
    bytes: u64,
    at: Vec<PageLocation>,
}

impl Pages {
    /// Returns how many bytes of a page belong to the buffer.
    fn size(&self, page: usize) -> u64 {
        self.bytes.saturating_sub(page as u64 * PAGE_BYTES).min(PAGE_BYTES)
    }

    fn on_devices(&self) -> u64 {
        let on = |page: &usize| matches!(self.at[*page], PageLocation::Device(_));
        (0..self.at.len()).filter(on).map(|page| self.size(page)).sum()
    }
}

/// The pages of all managed memory.
#[derive(Debug, Default)]
pub struct Residency {
    buffers: BTreeMap<u64, Pages>,
    /// Range of a page known to reside on the host; caches the last lookup.
    last: Range<u64>,
    /// Bytes of pages that reside on devices.
    on_devices: u64,
    migrations: Migrations,
}

impl Residency {
    pub fn add(&mut self, base: u64, bytes: u64) {
        let at = || vec![PageLocation::Nowhere; bytes.div_ceil(PAGE_BYTES) as usize];
        self.buffers.entry(base).or_insert_with(|| Pages { bytes, at: at() });
    }

    pub fn remove(&mut self, base: u64) {
        if let Some(pages) = self.buffers.remove(&base) {
            self.on_devices = self.on_devices.saturating_sub(pages.on_devices());
        }
        self.last = 0..0;
    }

    /// Returns the migrations since the previous call.
    pub fn migrations(&mut self) -> Migrations {
        let next = Migrations { most_on_devices: self.on_devices, ..Migrations::default() };
        std::mem::replace(&mut self.migrations, next)
    }

    /// Records that bytes are copied to device memory: those residing on the host are moved from there.
    pub fn copied_from(&mut self, range: Range<u64>) {
        let Some((&base, pages)) = self.buffers.range(..=range.start).next_back() else { return };
        for (number, page) in pages.at.iter().enumerate() {
            let start = base + number as u64 * PAGE_BYTES;
            let (start, end) = (start.max(range.start), (start + pages.size(number)).min(range.end));
            if *page == PageLocation::Host {
                self.migrations.to_devices += end.saturating_sub(start);
            }
        }
    }

    /// Makes pages resident on a device because of a copy, which is counted separately.
    pub fn copied_to(&mut self, range: Range<u64>, to: DeviceId) {
        let (to_devices, to_host) = (self.migrations.to_devices, self.migrations.to_host);
        self.move_to(range, Some(to));
        (self.migrations.to_devices, self.migrations.to_host) = (to_devices, to_host);
    }

    /// Returns the page of managed memory that contains an address; `None` for other memory.
    pub fn page_around(&self, address: u64) -> Option<Range<u64>> {
        let (&base, pages) = self.buffers.range(..=address).next_back()?;
        let offset = address - base;
        let start = address - offset % PAGE_BYTES;
        (offset < pages.bytes).then(|| start..start + PAGE_BYTES)
    }

    /// Returns the number of bytes to the end of a page of managed memory; `u64::MAX` for other memory.
    pub fn to_page_end(&self, address: u64) -> u64 {
        self.page_around(address).map_or(u64::MAX, |page| page.end - address)
    }

    /// Records a host access, and returns how many bytes migrate to the host.
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

    /// Migrates bytes to a device, or to the host if `to` is `None`; returns how many bytes migrated.
    pub fn move_to(&mut self, range: Range<u64>, to: Option<DeviceId>) -> u64 {
        if to.is_some() {
            self.last = 0..0;
        }
        let target = to.map_or(PageLocation::Host, PageLocation::Device);
        let Some((&base, pages)) = self.buffers.range_mut(..=range.start).next_back() else { return 0 };
        let end = range.end.min(base + pages.bytes);
        if range.start >= end {
            return 0;
        }
        let mut moved = 0;
        let (first, last) = ((range.start - base) / PAGE_BYTES, (end - base).div_ceil(PAGE_BYTES));
        for page in first as usize..(last as usize).min(pages.at.len()) {
            let (from, size) = (std::mem::replace(&mut pages.at[page], target), pages.size(page));
            if from == target {
                continue;
            }
            if from != PageLocation::Nowhere {
                moved += PAGE_BYTES.min(pages.bytes);
                *(if to.is_some() {
                    &mut self.migrations.to_devices
                } else {
                    &mut self.migrations.to_host
                }) += size;
            }
            if matches!(from, PageLocation::Device(_)) {
                self.on_devices = self.on_devices.saturating_sub(size);
            }
            if to.is_some() {
                self.on_devices += size;
            }
        }
        self.migrations.most_on_devices = self.migrations.most_on_devices.max(self.on_devices);
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

    #[test]
    fn what_is_on_devices_is_counted_in_pages_of_buffers() {
        let mut pages = Residency::default();
        let (a, b) = (1 << 20, 2 << 20);
        pages.add(a, PAGE_BYTES + 100);
        pages.add(b, 40);
        pages.move_to(a..a + PAGE_BYTES + 100, Some(0));
        pages.add(a, PAGE_BYTES + 100);
        pages.host(b..b + 40);
        pages.move_to(b..b + 1, Some(0));
        let most = PAGE_BYTES + 140;
        assert_eq!(pages.migrations(), Migrations { to_devices: 40, to_host: 0, most_on_devices: most });
        pages.host(a + PAGE_BYTES..a + PAGE_BYTES + 4);
        pages.copied_to(a..a + PAGE_BYTES + 100, 0);
        pages.host(a..a + 4);
        let moved = PAGE_BYTES + 100;
        assert_eq!(pages.migrations(), Migrations { to_devices: 0, to_host: moved, most_on_devices: most });
        pages.copied_from(a + 50..a + PAGE_BYTES + 50);
        let moved = PAGE_BYTES - 50;
        assert_eq!(pages.migrations(), Migrations { to_devices: moved, to_host: 0, most_on_devices: 140 });
        pages.remove(a);
        assert_eq!(pages.migrations(), Migrations { most_on_devices: 140, ..Migrations::default() });
        assert_eq!(pages.migrations(), Migrations { most_on_devices: 40, ..Migrations::default() });
    }
}
