//! A log of the memory that the program allocated from CUDA, and when it was freed.

use super::allocations::{Allocation, Kind};
use crate::device::Space;
use serde::{Deserialize, Serialize};
use sim::SourceLocation;
use std::collections::{BTreeMap, HashMap};

/// One allocation of memory from CUDA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// The program's name for it.
    pub name: String,
    pub space: Space,
    pub bytes: u64,
    /// Where it was allocated.
    pub made: Option<SourceLocation>,
    /// Time on the program's clock, in nanoseconds, at the end of the allocating call.
    pub start_ns: u64,
    /// Time on the same clock when it was freed; `None` if it never was. For memory from a pool this is the
    /// time of the freeing call, which the stream executes later.
    pub end_ns: Option<u64>,
}

/// All allocations of a program.
#[derive(Debug, Default)]
pub struct MemoryLog {
    pub uses: Vec<MemoryUse>,
    /// Number of allocations beyond those in `uses`.
    pub dropped: u64,
    /// Indices into `uses` of the allocations not yet freed, by start address.
    alive: HashMap<u64, usize>,
}

/// Most allocations that are kept; a loop may make any number.
const MOST: usize = 100_000;

impl MemoryLog {
    /// Records an allocation. Variables of the module and registered memory are skipped: CUDA did not
    /// allocate them.
    pub fn made(&mut self, allocation: &Allocation, now_ns: u64) {
        let Allocation { start, bytes, kind, ref name, ref made, .. } = *allocation;
        if matches!(kind, Kind::Registered | Kind::Variable(_)) {
            return;
        }
        if self.uses.len() >= MOST {
            self.dropped += 1;
            return;
        }
        self.alive.insert(start, self.uses.len());
        let (name, space, made) = (name.to_string(), kind.space(), made.location.clone());
        self.uses.push(MemoryUse { name, space, bytes, made, start_ns: now_ns, end_ns: None });
    }

    /// Records that memory was freed.
    pub fn freed(&mut self, address: u64, now_ns: u64) {
        if let Some(its) = self.alive.remove(&address).and_then(|n| self.uses.get_mut(n)) {
            its.end_ns = Some(now_ns);
        }
    }
}

/// Returns, for each memory space, the steps of its use over time: the time in nanoseconds and the bytes in
/// use from then on.
pub fn in_use(uses: &[MemoryUse]) -> BTreeMap<Space, Vec<(u64, u64)>> {
    let mut changes: BTreeMap<Space, BTreeMap<u64, i128>> = BTreeMap::new();
    for its in uses {
        let changes = changes.entry(its.space).or_default();
        *changes.entry(its.start_ns).or_default() += i128::from(its.bytes);
        if let Some(end) = its.end_ns {
            *changes.entry(end).or_default() -= i128::from(its.bytes);
        }
    }
    let summed = |changes: BTreeMap<u64, i128>| {
        let mut bytes = 0;
        let sum = |(at, change)| {
            bytes += change;
            (at, u64::try_from(bytes).unwrap_or(0))
        };
        changes.into_iter().map(sum).collect()
    };
    changes.into_iter().map(|(space, changes)| (space, summed(changes))).collect()
}

/// Returns the step with the most bytes in use; the first of them if there are several.
pub fn peak(steps: &[(u64, u64)]) -> Option<(u64, u64)> {
    steps.iter().copied().reduce(|most, step| if step.1 > most.1 { step } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Site;

    #[test]
    fn what_is_in_use_at_once_is_summed_by_space() {
        let mut log = MemoryLog::default();
        let made = |log: &mut MemoryLog, start, kind, bytes, now_ns| {
            let (name, made) = ("a".into(), Site::default());
            log.made(&Allocation { start, bytes, kind, name, made, freed: None, context: None }, now_ns);
        };
        made(&mut log, 0x1000, Kind::Device(0), 100, 10);
        made(&mut log, 0x2000, Kind::Pool(0), 50, 20);
        made(&mut log, 0x9000, Kind::Pinned, 7, 20);
        made(&mut log, 0xa000, Kind::Registered, 9, 25);
        log.freed(0x1000, 30);
        log.freed(0x7777, 30);
        // The address is used again.
        made(&mut log, 0x1000, Kind::Device(0), 60, 40);
        let all = in_use(&log.uses);
        assert_eq!(all[&Space::Device(0)], [(10, 100), (20, 150), (30, 50), (40, 110)]);
        assert_eq!((all.len(), peak(&all[&Space::Device(0)])), (2, Some((20, 150))));
        let ends: Vec<Option<u64>> = log.uses.iter().map(|its| its.end_ns).collect();
        assert_eq!(ends, [Some(30), None, None, None]);
    }
}
