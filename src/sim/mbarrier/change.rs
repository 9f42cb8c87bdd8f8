//! The state changes that `mbarrier` instructions make, as operators of atomic operations.

use super::Arrival;
use crate::memory::access::AtomicFn;

/// What an `mbarrier` instruction does to the object. Used both to make the change and to check it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Change {
    /// Reads the object without changing it.
    Read,
    /// `mbarrier.inval`.
    Invalidate,
    /// `mbarrier.arrive`.
    Arrive,
    /// `mbarrier.arrive_drop`.
    ArriveDrop,
    /// `mbarrier.arrive.noComplete`.
    ArriveNoComplete,
    /// `mbarrier.arrive.expect_tx`.
    ArriveExpect,
    /// `mbarrier.expect_tx`.
    Expect,
    /// `mbarrier.complete_tx`.
    Complete,
}

const CHANGES: [Change; 8] = [
    Change::Read,
    Change::Invalidate,
    Change::Arrive,
    Change::ArriveDrop,
    Change::ArriveNoComplete,
    Change::ArriveExpect,
    Change::Expect,
    Change::Complete,
];

impl Change {
    /// Returns the change with this number; [`Change::Read`] for unknown numbers.
    pub fn numbered(number: u32) -> Change {
        CHANGES.get(number as usize).copied().unwrap_or(Change::Read)
    }

    /// Returns the object's value after one thread made the change.
    ///
    /// # Errors
    /// The instruction misuses the object.
    pub fn apply(self, object: u64, operand: u64) -> Result<u64, super::Misuse> {
        let operand = operand as u32;
        let arrive = |count, arrival| super::arrive(object, count, arrival).map(|a| a.object);
        match self {
            Change::Read => super::expect_tx(object, 0),
            Change::Invalidate => super::invalidate(object),
            Change::Arrive => arrive(operand, Arrival::default()),
            Change::ArriveDrop => arrive(operand, Arrival { drop: true, ..Arrival::default() }),
            Change::ArriveNoComplete => arrive(operand, Arrival { no_complete: true, ..Arrival::default() }),
            Change::ArriveExpect => arrive(1, Arrival { expect_tx: operand, ..Arrival::default() }),
            Change::Expect => super::expect_tx(object, operand),
            Change::Complete => super::complete_tx(object, operand).map(|(object, _)| object),
        }
    }

    /// Returns the change as the operator of an atomic; a misuse leaves the object unchanged.
    pub fn function(self) -> AtomicFn {
        match self {
            Change::Read => |old, _, _| old,
            Change::Invalidate => |old, v, _| Change::Invalidate.apply(old, v).unwrap_or(old),
            Change::Arrive => |old, v, _| Change::Arrive.apply(old, v).unwrap_or(old),
            Change::ArriveDrop => |old, v, _| Change::ArriveDrop.apply(old, v).unwrap_or(old),
            Change::ArriveNoComplete => |old, v, _| Change::ArriveNoComplete.apply(old, v).unwrap_or(old),
            Change::ArriveExpect => |old, v, _| Change::ArriveExpect.apply(old, v).unwrap_or(old),
            Change::Expect => |old, v, _| Change::Expect.apply(old, v).unwrap_or(old),
            Change::Complete => |old, v, _| Change::Complete.apply(old, v).unwrap_or(old),
        }
    }
}
