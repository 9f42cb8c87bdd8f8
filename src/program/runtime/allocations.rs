//! Which memory the program has from CUDA: whose it is, how large, where it was made and freed.

use crate::device::{DeviceId, Site};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What memory is, and so which call gives it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `cudaMalloc` and its kin, on a device.
    Device(DeviceId),
    /// `cudaMallocAsync`, on a device.
    Pool(DeviceId),
    /// `cudaMallocHost`, `cudaHostAlloc`.
    Pinned,
    /// `cudaMallocManaged`.
    Managed,
    /// Pageable memory that `cudaHostRegister` page-locked.
    Registered,
    /// A module's variable on a device, or a managed one (`None`); nobody frees it.
    Variable(Option<DeviceId>),
}

impl Kind {
    /// Whether the host's own code may follow a pointer to it.
    pub fn host_visible(self) -> bool {
        matches!(self, Kind::Pinned | Kind::Managed | Kind::Registered | Kind::Variable(None))
    }
}

#[derive(Clone, Debug)]
pub struct Allocation {
    pub start: u64,
    pub bytes: u64,
    pub kind: Kind,
    /// The learner's name for it.
    pub name: Arc<str>,
    pub made: Site,
    /// Where it was given back.
    pub freed: Option<Site>,
    /// The device that was current when it was made: its context has the memory.
    pub context: Option<DeviceId>,
}

impl Allocation {
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes)
    }
}

/// All memory from CUDA, also what was freed: addresses are not used twice on a simulated machine,
/// and on a real one what is new takes the place of what is gone.
#[derive(Debug, Default)]
pub struct Allocations {
    by_start: BTreeMap<u64, Allocation>,
}

impl Allocations {
    pub fn insert(&mut self, allocation: Allocation) {
        self.by_start.insert(allocation.start, allocation);
    }

    /// The allocation around an address, alive or freed.
    pub fn around(&self, address: u64) -> Option<&Allocation> {
        let (_, found) = self.by_start.range(..=address).next_back()?;
        (address - found.start < found.bytes.max(1)).then_some(found)
    }

    /// As [`Allocations::around`], to be changed.
    pub fn around_mut(&mut self, address: u64) -> Option<&mut Allocation> {
        let (_, found) = self.by_start.range_mut(..=address).next_back()?;
        (address - found.start < found.bytes.max(1)).then_some(found)
    }

    /// Whether these bytes are the host's to use directly.
    pub fn host_visible(&self, address: u64, bytes: u64) -> bool {
        self.around(address).is_some_and(|a| {
            a.freed.is_none() && a.kind.host_visible() && bytes <= a.end().saturating_sub(address)
        })
    }

    /// Forgets an allocation.
    pub fn remove(&mut self, start: u64) {
        self.by_start.remove(&start);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Allocation> {
        self.by_start.values()
    }
}

/// Pageable memory that was page-locked by `cudaHostRegister`.
#[derive(Debug, Default)]
pub struct Registered {
    by_start: BTreeMap<u64, (u64, Site)>,
}

impl Registered {
    /// False where a part of it is registered.
    pub fn insert(&mut self, start: u64, bytes: u64, site: Site) -> bool {
        let before = self.by_start.range(..start.saturating_add(bytes)).next_back();
        if before.is_some_and(|(first, (length, _))| first + length > start) {
            return false;
        }
        self.by_start.insert(start, (bytes, site));
        true
    }

    pub fn remove(&mut self, start: u64) -> bool {
        self.by_start.remove(&start).is_some()
    }

    /// What registered memory that begins in a range; `None` where none does.
    pub fn within(&self, start: u64, bytes: u64) -> Option<&Site> {
        self.by_start.range(start..start.saturating_add(bytes)).next().map(|(_, (_, site))| site)
    }

    /// Whether an address is in registered memory.
    pub fn holds(&self, address: u64) -> bool {
        let before = self.by_start.range(..=address).next_back();
        before.is_some_and(|(start, (bytes, _))| address - start < *bytes)
    }
}
