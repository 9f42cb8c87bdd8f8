//! Traffic of each memory instruction, compared with the minimum that its bytes need.

use crate::engine::observer::{Event, MemorySpace};
use crate::finding::AccessKind;
use crate::lanes::{LANES, lanes_of};
use crate::memory::shape::Shape;
use crate::meter::pieces::{Added, Pieces};
use std::collections::BTreeMap;

/// One access of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub block: u64,
    pub warp: u32,
    pub mask: u32,
    pub width: u32,
    /// Address of the first active lane: a device address, or a byte offset in the block's shared memory.
    pub first: u64,
    /// Each lane's address minus `first`.
    pub offsets: [i64; LANES],
    /// Sectors, wavefronts or passes beyond the minimum.
    pub excess: u64,
}

/// The tally of one memory instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    pub place: SiteSpace,
    pub writes: bool,
    /// Warp-level accesses.
    pub requests: u64,
    /// Sectors for global and local memory, wavefronts for shared memory. For atomics, passes: as many as there are
    /// lanes at the address that has the most.
    pub units: u64,
    /// The fewest units that would have been enough.
    pub least: u64,
    /// Lowest and highest address of the first active lane, and whether the lanes of one access had different
    /// addresses.
    pub range: Option<(u64, u64)>,
    pub apart: bool,
    /// The access with the greatest excess; among equals, that of the lowest block and warp.
    pub worst: Option<Box<Sample>>,
    /// Whether `worst` is the most recent access.
    is_worst_last: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SiteSpace {
    /// Global memory.
    #[default]
    Global,
    /// Shared memory.
    Shared,
    /// Local memory.
    Local,
    /// An atomic, in global or in shared memory.
    Atomic { shared: bool },
}

impl Site {
    /// Returns whether the address is not always the same.
    pub fn varies(&self) -> bool {
        self.apart || self.range.is_some_and(|(low, high)| low != high)
    }

    pub fn add(&mut self, other: &Site) {
        (self.place, self.writes) = (other.place, other.writes);
        self.requests += other.requests;
        self.units += other.units;
        self.least += other.least;
        self.apart |= other.apart;
        self.range = match (self.range, other.range) {
            (Some(mine), Some(theirs)) => Some((mine.0.min(theirs.0), mine.1.max(theirs.1))),
            (mine, theirs) => mine.or(theirs),
        };
        if let Some(theirs) = &other.worst
            && self.worst.as_ref().is_none_or(|mine| theirs.is_worse(mine))
        {
            self.worst = Some(theirs.clone());
        }
    }
}

impl Sample {
    /// Adds further lanes of the same access.
    fn take_in(&mut self, event: &Event, shape: &Shape) {
        for lane in lanes_of(event.mask) {
            let at = event.first.wrapping_add(shape.offsets[lane]);
            self.offsets[lane] = at.wrapping_sub(self.first) as i64;
        }
        self.mask |= event.mask;
    }

    fn is_worse(&self, other: &Sample) -> bool {
        let key = |s: &Sample| (std::cmp::Reverse(s.excess), s.block, s.warp);
        key(self) < key(other)
    }
}

#[derive(Debug, Default)]
pub struct Sites {
    /// Indexed by program counter.
    sites: Vec<Option<Box<Site>>>,
    pieces: Pieces,
}

impl Sites {
    pub fn access(&mut self, block: u64, event: &Event, shape: &mut Shape) {
        let lanes = u64::from(event.mask.count_ones());
        let (place, units, least) = match (event.place, event.kind) {
            (MemorySpace::Constant, _) => return,
            (MemorySpace::Global | MemorySpace::Shared, AccessKind::Atomic) => {
                let shared = event.place == MemorySpace::Shared;
                (SiteSpace::Atomic { shared }, most_at_one_address(event, shape), 1)
            }
            (MemorySpace::Global, _) => match self.pieces.added(event) {
                Some(Added { sectors, least, .. }) => (SiteSpace::Global, sectors, least),
                None => {
                    let packed = distinct_bytes(event, shape).div_ceil(32);
                    (SiteSpace::Global, shape.sectors(event.first), packed)
                }
            },
            (MemorySpace::Shared, _) => {
                (SiteSpace::Shared, shape.wavefronts(event.first), shape.least_wavefronts())
            }
            (MemorySpace::Local, _) => {
                let sectors = if shape.low == shape.high {
                    (lanes * u64::from(event.width)).div_ceil(32)
                } else {
                    lanes
                };
                (SiteSpace::Local, sectors, 0)
            }
        };
        let pc = event.pc as usize;
        if self.sites.len() <= pc {
            self.sites.resize_with(pc + 1, || None);
        }
        let site = self.sites[pc].get_or_insert_default();
        (site.place, site.writes) = (place, event.kind == AccessKind::Write);
        site.requests += u64::from(!event.continued);
        site.units += units;
        let (low, high) = site.range.unwrap_or((event.first, event.first));
        site.range = Some((low.min(event.first), high.max(event.first)));
        if event.continued && event.place == MemorySpace::Global {
            // In an access that is executed in pieces, a piece may need an extra sector that the other pieces already
            // count.
            site.least += least;
            if let Some(worst) = site.worst.as_mut().filter(|_| site.is_worst_last) {
                worst.take_in(event, shape);
            }
            return;
        }
        site.least += least.min(units);
        site.apart |= shape.low != shape.high;
        let excess = units.saturating_sub(least);
        site.is_worst_last = site.worst.as_ref().is_none_or(|worst| {
            excess > worst.excess || excess == worst.excess && (block, event.warp) < (worst.block, worst.warp)
        });
        if site.is_worst_last {
            site.worst = Some(Box::new(Sample {
                block,
                warp: event.warp,
                mask: event.mask,
                width: event.width,
                first: event.first,
                offsets: std::array::from_fn(|lane| shape.offsets[lane] as i64),
                excess,
            }));
        }
    }

    pub fn tally(&self) -> BTreeMap<u32, Site> {
        let sites = self.sites.iter().enumerate();
        sites.filter_map(|(pc, site)| Some((pc as u32, (**site.as_ref()?).clone()))).collect()
    }
}

/// Returns the number of distinct bytes that the lanes touch.
fn distinct_bytes(event: &Event, shape: &Shape) -> u64 {
    let width = i64::from(event.width);
    if let Some(runs) = shape.runs() {
        let bytes = |run: &crate::memory::shape::Run| {
            if run.rising { i64::from(run.lanes) * width } else { width }
        };
        return runs.iter().map(bytes).sum::<i64>() as u64;
    }
    let (offsets, count) = shape.sorted_offsets(event.mask);
    let mut end = i64::MIN;
    let mut bytes = 0;
    for &offset in &offsets[..count] {
        bytes += (offset + width) - offset.max(end).min(offset + width);
        end = end.max(offset + width);
    }
    bytes as u64
}

/// Returns the number of lanes at the address that has the most.
fn most_at_one_address(event: &Event, shape: &Shape) -> u64 {
    let (offsets, count) = shape.sorted_offsets(event.mask);
    offsets[..count].chunk_by(|a, b| a == b).map(|same| same.len() as u64).max().unwrap_or(0)
}
