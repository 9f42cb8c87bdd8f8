//! Values of mbarrier objects, for the steps that lowering makes of `mbarrier` instructions.
//! A wrong object is reported by the check beside them; here it only must not panic.

use crate::mbarrier;
use crate::table::rows;

rows! {
    /// An object that expects this many arrivals; one that is no mbarrier when the count is wrong.
    ["%mbarrier.init"] Barrier (count: u32) -> u64 { mbarrier::init(count).unwrap_or(0) }
    /// Whether the phase that a state was taken in is over.
    ["%mbarrier.state"] Barrier (object: u64, state: u64) -> bool {
        mbarrier::test_state(object, state).unwrap_or(false)
    }
    /// Whether the phase of this parity is over.
    ["%mbarrier.parity"] Barrier (object: u64, parity: u32) -> bool {
        mbarrier::test_parity(object, parity).unwrap_or(false)
    }
    /// Arrivals pending at the time of a state.
    ["%mbarrier.pending"] Barrier (state: u64) -> u32 { mbarrier::pending_count(state).unwrap_or(0) }
}

pub static TABLES: &[&[crate::table::Row]] = &[ROWS];
