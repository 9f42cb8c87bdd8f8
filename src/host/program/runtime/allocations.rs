//! The memory that the program has from CUDA: its owner and size, and where it was allocated and freed.

use super::advice::Advices;
use super::memory_use::MemoryLog;
use crate::device::{DeviceId, Site, Space};
use sim::{Evidence, HeldMemory, MemoryName, Target};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

/// The kind of an allocation, which determines the call that frees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// From `cudaMalloc` and similar calls, on a device.
    Device(DeviceId),
    /// From `cudaMallocAsync`, on a device.
    Pool(DeviceId),
    /// A CUDA array, on a device. Programs never see its address.
    Array(DeviceId),
    /// From `cudaMallocHost` or `cudaHostAlloc`.
    Pinned,
    /// From `cudaMallocManaged`.
    Managed,
    /// Pageable memory page-locked by `cudaHostRegister`.
    Registered,
    /// A variable of the module, on a device or managed (`None`); it is never freed.
    Variable(Option<DeviceId>),
}

impl Kind {
    /// Returns the device whose memory it is.
    pub fn device(self) -> Option<DeviceId> {
        match self {
            Kind::Device(its) | Kind::Pool(its) | Kind::Array(its) => Some(its),
            Kind::Variable(its) => its,
            Kind::Pinned | Kind::Managed | Kind::Registered => None,
        }
    }

    /// Returns the kind of memory without regard to the call that allocated it.
    pub fn space(self) -> Space {
        match self {
            Kind::Pinned | Kind::Registered => Space::Pinned,
            _ => self.device().map_or(Space::Managed, Space::Device),
        }
    }

    /// Returns whether the host's own code may dereference a pointer to it.
    pub fn host_visible(self) -> bool {
        matches!(self, Kind::Pinned | Kind::Managed | Kind::Registered | Kind::Variable(None))
    }
}

#[derive(Clone, Debug)]
pub struct Allocation {
    pub start: u64,
    pub bytes: u64,
    pub kind: Kind,
    /// The program's name for it.
    pub name: MemoryName,
    pub made: Site,
    /// Where it was freed; `None` while it is live.
    pub freed: Option<Site>,
    /// The device that was current at the allocation, whose context owns the memory.
    pub context: Option<DeviceId>,
}

impl Allocation {
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes)
    }

    /// Returns an address in or near the allocation as findings describe it.
    pub fn target(&self, address: u64) -> Target {
        Target::Buffer {
            name: self.name.clone(),
            size_bytes: self.bytes,
            offset_bytes: address.wrapping_sub(self.start) as i64,
        }
    }
}

/// All memory from CUDA, including freed memory. A simulated machine never uses an address twice; on a real
/// one, new memory replaces the freed memory at its addresses.
#[derive(Debug, Default)]
pub struct Allocations {
    by_start: BTreeMap<u64, Allocation>,
    /// Start addresses of the freed allocations, oldest first.
    freed: VecDeque<u64>,
    /// Allocations of no bytes, and the pointers that they set to null.
    pub empty: Vec<(Arc<str>, Site)>,
    pub registered: Registered,
    pub advices: Advices,
    /// The log of when the program held what memory.
    pub log: MemoryLog,
}

/// An address within this distance of an allocation is assumed to be derived from a pointer to it.
const NEAR_BYTES: u64 = 64 << 10;

/// Most freed allocations remembered.
const MAX_FREED: usize = 1 << 14;
/// Most allocations of no bytes remembered.
const MAX_EMPTY: usize = 64;

impl Allocations {
    /// Adds a live allocation and forgets freed ones that it overlaps: a real machine uses addresses again.
    pub fn insert(&mut self, allocation: Allocation) {
        let below = self.by_start.range(..allocation.end().max(allocation.start + 1)).rev();
        let gone =
            below.take_while(|(_, its)| its.end() > allocation.start).filter(|(_, its)| its.freed.is_some());
        for start in gone.map(|(&start, _)| start).collect::<Vec<u64>>() {
            self.by_start.remove(&start);
        }
        self.by_start.insert(allocation.start, allocation);
    }

    /// Notes that a call set a pointer to null, since it was asked for no bytes.
    pub fn note_empty(&mut self, pointer: Arc<str>, site: Site) {
        if self.empty.len() < MAX_EMPTY {
            self.empty.push((pointer, site));
        }
    }

    /// Adds an allocation made by a call, at a time on the program's clock.
    pub fn insert_logged(&mut self, allocation: Allocation, now_ns: u64) {
        self.log.made(&allocation, now_ns);
        self.insert(allocation);
    }

    /// Marks an allocation as freed by a call, at a time on the program's clock.
    pub fn free_logged(&mut self, address: u64, site: Site, now_ns: u64) {
        self.log.freed(address, now_ns);
        self.free(address, site);
        self.advices.remove(&address);
    }

    /// Records where the allocation that contains an address was freed, unless it is freed already.
    pub fn free(&mut self, address: u64, site: Site) {
        let Some((&start, its)) = self.by_start.range_mut(..=address).next_back() else { return };
        if address - start >= its.bytes.max(1) || its.freed.is_some() {
            return;
        }
        its.freed = Some(site);
        self.freed.push_back(start);
        if self.freed.len() > MAX_FREED
            && let Some(oldest) = self.freed.pop_front()
            && self.by_start.get(&oldest).is_some_and(|its| its.freed.is_some())
        {
            self.by_start.remove(&oldest);
        }
    }

    /// Returns the allocation that contains an address, live or freed.
    pub fn around(&self, address: u64) -> Option<&Allocation> {
        let (_, found) = self.by_start.range(..=address).next_back()?;
        (address - found.start < found.bytes.max(1)).then_some(found)
    }

    /// Returns the allocation nearest to an address that lies in none, if the distance is at most the
    /// allocation's size or `NEAR_BYTES`, whichever is larger; and the bytes past its end, or, if
    /// negative, before its start.
    pub fn nearest(&self, address: u64) -> Option<(&Allocation, i64)> {
        let before = self.by_start.range(..=address).next_back();
        let behind = self.by_start.range((Bound::Excluded(address), Bound::Unbounded)).next();
        let before = before.map(|(_, its)| (its, address.checked_sub(its.end())));
        let behind = behind.map(|(start, its)| (its, start.checked_sub(address)));
        let near = |(its, away): &(&Allocation, Option<u64>)| {
            away.is_some_and(|away| away <= its.bytes.max(NEAR_BYTES))
        };
        let before = before.filter(near).and_then(|(its, away)| Some((its, i64::try_from(away?).ok()?)));
        let behind = behind.filter(near).and_then(|(its, away)| Some((its, -i64::try_from(away?).ok()?)));
        before.into_iter().chain(behind).min_by_key(|(_, away)| away.unsigned_abs())
    }

    /// Returns whether the host may access all these bytes directly.
    pub fn host_visible(&self, address: u64, bytes: u64) -> bool {
        let found = self.around(address).filter(|a| a.freed.is_none() && a.kind.host_visible());
        found.is_some_and(|a| bytes <= a.end().saturating_sub(address))
    }

    /// Returns the number of bytes from an address on that the host may access directly.
    pub fn visible_from(&self, address: u64) -> u64 {
        let found = self.around(address).filter(|a| a.freed.is_none() && a.kind.host_visible());
        found.map_or(0, |a| a.end().saturating_sub(address))
    }

    /// Returns the sizes of live allocations that CUDA made.
    pub fn live_sizes(&self) -> impl Iterator<Item = u64> {
        let kinds = |a: &&Allocation| !matches!(a.kind, Kind::Registered | Kind::Variable(_));
        self.iter().filter(|a| a.freed.is_none()).filter(kinds).map(|a| a.bytes)
    }

    /// Returns why an allocation on a device failed: what the program holds of its memory.
    pub fn out_of_memory(&self, device: DeviceId, asked_bytes: u64, free_bytes: u64) -> Evidence {
        let its = |a: &&Allocation| a.kind.device() == Some(device) && !matches!(a.kind, Kind::Variable(_));
        let held: Vec<&Allocation> = self.iter().filter(|a| a.freed.is_none()).filter(its).collect();
        let largest = held.iter().max_by_key(|a| a.bytes).map(|a| HeldMemory {
            name: a.name.clone(),
            bytes: a.bytes,
            line: a.made.location.as_ref().map(|at| at.line),
        });
        Evidence::OutOfMemory {
            asked_bytes,
            free_bytes,
            held_bytes: held.iter().map(|a| a.bytes).sum(),
            blocks: held.len() as u64,
            largest,
        }
    }

    /// Forgets an allocation.
    pub fn remove(&mut self, start: u64) {
        self.by_start.remove(&start);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Allocation> {
        self.by_start.values()
    }
}

/// Page size, in bytes, of the hosts that CUDA runs on.
const PAGE_BYTES: u64 = 4096;

/// Pageable memory that was page-locked by `cudaHostRegister`.
#[derive(Debug, Default)]
pub struct Registered {
    by_start: BTreeMap<u64, (u64, Site)>,
}

impl Registered {
    /// Records a registration. Returns `false` if one of its pages is registered already: a driver locks
    /// whole pages, and refuses a page that is locked (seen with driver 580 on an H100).
    pub fn insert(&mut self, start: u64, bytes: u64, site: Site) -> bool {
        let page = |address: u64| address / PAGE_BYTES;
        let last = page(start.saturating_add(bytes - 1));
        let before = self.by_start.range(..(last + 1).saturating_mul(PAGE_BYTES)).next_back();
        if before.is_some_and(|(first, (length, _))| page(first + length - 1) >= page(start)) {
            return false;
        }
        self.by_start.insert(start, (bytes, site));
        true
    }

    pub fn remove(&mut self, start: u64) -> bool {
        self.by_start.remove(&start).is_some()
    }

    /// Returns the call that registered memory beginning in a range; `None` if none begins there.
    pub fn within(&self, start: u64, bytes: u64) -> Option<&Site> {
        self.by_start.range(start..start.saturating_add(bytes)).next().map(|(_, (_, site))| site)
    }

    /// Returns whether an address is in registered memory.
    pub fn holds(&self, address: u64) -> bool {
        let before = self.by_start.range(..=address).next_back();
        before.is_some_and(|(start, (bytes, _))| address - start < *bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_next_to_an_allocation_is_known_by_it() {
        let mut all = Allocations::default();
        for (start, bytes, name) in [(0x10_0000, 0x1000, "a"), (0x20_0000, 0x8_0000, "b")] {
            let (kind, made) = (Kind::Device(0), Site::default());
            let name = name.into();
            all.insert(Allocation { start, bytes, kind, name, made, freed: None, context: None });
        }
        let nearest = |address| all.nearest(address).map(|(its, away)| (its.name.to_string(), away));
        assert_eq!(nearest(0x10_1000), Some(("a".into(), 0)));
        assert_eq!(nearest(0x10_1010), Some(("a".into(), 16)));
        assert_eq!(nearest(0x10_1000 + NEAR_BYTES + 1), None);
        // As far before the start as it is long.
        assert_eq!(nearest(0x1f_fff0), Some(("b".into(), -16)));
        assert_eq!(nearest(0x18_0000), Some(("b".into(), -0x8_0000)));
        assert_eq!(nearest(0x17_ffff), None);
        assert_eq!((nearest(0x10_0000), nearest(0x20_0010), nearest(8)), (None, None, None));
    }

    #[test]
    fn memory_that_takes_the_place_of_freed_memory_is_known_as_itself() {
        let block = |start, bytes, name: &str| {
            let (kind, name, made) = (Kind::Pinned, name.into(), Site::default());
            Allocation { start, bytes, kind, name, made, freed: None, context: None }
        };
        let mut all = Allocations::default();
        for (start, name) in [(0x1000, "a"), (0x2000, "b"), (0x3000, "c"), (0x4000, "alive"), (0x9000, "d")] {
            all.insert(block(start, 0x1000, name));
        }
        for start in [0x1000, 0x2000, 0x3000, 0x9000] {
            all.free(start, Site::default());
        }
        all.insert(block(0x1800, 0x2000, "new"));
        let name = |address| all.around(address).map(|its| its.name.to_string());
        assert_eq!([0x1800, 0x2000, 0x37ff].map(name), [(); 3].map(|()| Some("new".to_owned())));
        // Freed memory is forgotten where it was replaced, and known elsewhere.
        assert_eq!([0x1000, 0x3800].map(name), [None, None]);
        assert_eq!((name(0x4000), name(0x9000)), (Some("alive".into()), Some("d".into())));
        assert!(all.host_visible(0x1800, 0x2000));
    }

    #[test]
    fn of_very_many_freed_blocks_the_latest_are_known() {
        let mut all = Allocations::default();
        let start = |n: u64| 0x1000 + n * 64;
        let many = MAX_FREED as u64 + 10;
        for n in 0..many {
            let (kind, name, made) = (Kind::Device(0), "x".into(), Site::default());
            let block =
                Allocation { start: start(n), bytes: 64, kind, name, made, freed: None, context: None };
            all.insert(block);
            if n > 0 {
                all.free(start(n) + 3, Site::default());
            }
        }
        assert_eq!(all.iter().count(), MAX_FREED + 1);
        assert!(all.around(start(0)).is_some_and(|a| a.freed.is_none()));
        assert!(all.around(start(1)).is_none() && all.around(start(many - 1)).is_some());
    }

    #[test]
    fn a_page_is_registered_once() {
        let mut all = Registered::default();
        let mut insert = |start, bytes| all.insert(start, bytes, Site::default());
        assert!(insert(0x1_0010, 0x20));
        assert!(!insert(0x1_0800, 0x10));
        assert!(!insert(0x0_f000, 0x1001));
        assert!(insert(0x0_f000, 0x1000));
        assert!(insert(0x1_1000, 0x3000));
        assert!(!insert(0x1_3fff, 1));
        assert!(insert(0x1_4000, u64::MAX - 0x1_4000));
    }
}
