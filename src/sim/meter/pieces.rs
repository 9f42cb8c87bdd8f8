//! An access that is done lane by lane, since its lanes lie in different buffers or one has no memory there, is one
//! access still: what two lanes share counts once.

use crate::engine::observer::Event;

const SECTOR: u64 = 32;
const SECTORS_A_LINE: u64 = 4;

/// What the lanes of one access to global memory touched so far.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// Addresses of the lanes, those that are the same once, and their sectors.
    addresses: Vec<u64>,
    sectors: Vec<u64>,
}

/// What one lane adds to the access that it is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// Sectors of 32 bytes, and lines of 128.
    pub sectors: u64,
    pub lines: u64,
    /// Sectors that its bytes would need at the least.
    pub least: u64,
}

impl Pieces {
    /// `None` for an event of several lanes, which is a whole access.
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
