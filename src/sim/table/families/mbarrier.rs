//! Values of mbarrier objects, for the pieces into which lowering splits `mbarrier` instructions. An invalid
//! object is reported by a separate check; here it only must not cause a panic.

use crate::mbarrier;
use crate::table::rows;

rows! {
    /// An object that expects this many arrivals; an invalid object if the count is out of range.
    ["%mbarrier.init"] Barrier (count: u32) -> u64 { mbarrier::init(count).unwrap_or(0) }
    /// Whether the phase in which a state was taken is complete.
    ["%mbarrier.state"] Barrier (object: u64, state: u64) -> bool {
        mbarrier::test_state(object, state).unwrap_or(false)
    }
    /// Whether the phase of this parity is complete.
    ["%mbarrier.parity"] Barrier (object: u64, parity: u32) -> bool {
        mbarrier::test_parity(object, parity).unwrap_or(false)
    }
    /// Arrivals that were pending when a state was taken.
    ["%mbarrier.pending"] Barrier (state: u64) -> u32 { mbarrier::pending_count(state).unwrap_or(0) }
}

pub static TABLES: &[&[crate::table::Row]] = &[ROWS];
