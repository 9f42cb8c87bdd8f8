//! Counts an access that is performed lane by lane as the single access it is: sectors shared by two lanes count
//! once. (Such an access has lanes in different buffers, or a faulting lane.)

use crate::engine::observer::Event;

const SECTOR: u64 = 32;
const SECTORS_A_LINE: u64 = 4;

/// What the lanes of one access to global memory have touched so far.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// The distinct addresses of the lanes, and their sectors.
    addresses: Vec<u64>,
    sectors: Vec<u64>,
}

/// The sectors and lines that one lane adds to its access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// New sectors of 32 bytes, and new lines of 128 bytes.
    pub sectors: u64,
    pub lines: u64,
    /// Increase of the fewest sectors that the access's bytes need.
    pub least: u64,
}

impl Pieces {
    /// Adds the access of one lane. Returns `None` for an event of several lanes, which is a whole access.
    pub fn added(&mut self, event: &Event) -> Option<Added> {
        if !event.mask.is_power_of_two() {
            return None;
        }
        if !event.continued {
            self.addresses.clear();
            self.sectors.clear();
        }
        let width = u64::from(event.width.max(1));
        let least = |addresses: &[u64]| (addresses.len() as u64 * width).div_ceil(SECTOR);
        let before = least(&self.addresses);
        if !self.addresses.contains(&event.first) {
            self.addresses.push(event.first);
        }
        let mut added = Added { least: least(&self.addresses) - before, ..Added::default() };
        for sector in event.first / SECTOR..=event.first.saturating_add(width - 1) / SECTOR {
            if self.sectors.contains(&sector) {
                continue;
            }
            let line = sector / SECTORS_A_LINE;
            added.lines += u64::from(!self.sectors.iter().any(|known| known / SECTORS_A_LINE == line));
            added.sectors += 1;
            self.sectors.push(sector);
        }
        Some(added)
    }
}
