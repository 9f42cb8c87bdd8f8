//! The sides of a finding, before they are described in the learner's terms.

use crate::memory::access::AccessKind;

/// A thread: linear index of its block in the grid, and its linear index within the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadId {
    pub block: u64,
    pub thread: u32,
}

impl ThreadId {
    /// Used for the thread of a finding's other side when it was one of several and which one is not known.
    pub const UNKNOWN: u32 = u32::MAX;
}

/// One side of a finding, before it is described in the learner's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    pub pc: u32,
    pub thread: ThreadId,
    pub kind: AccessKind,
    pub bytes: u32,
    pub place: SideAddress,
}

/// The address of a side's access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideAddress {
    /// Device address.
    Device(u64),
    /// Byte offset in the block's shared memory.
    Shared(u64),
    /// Byte offset in the thread's local memory, and the size of that memory in bytes.
    Local { offset: u64, bytes: u64 },
    /// In or near a block of `bytes` bytes that a kernel obtained from `malloc()`; `offset` is from the block's start.
    Allocated { bytes: u64, offset: i64 },
    /// No memory involved.
    Nowhere,
}
