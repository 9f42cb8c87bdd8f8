//! What memory tells of itself, and what it refuses.

use crate::finding::SourceLocation;

/// A block of the heap that was not freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAllocation {
    pub address: u64,
    pub bytes: u64,
    /// The line that asked for it.
    pub location: Option<SourceLocation>,
}

/// What an address of pageable memory lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBlock {
    pub start: u64,
    pub bytes: u64,
    pub kind: HostBlockKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostBlockKind {
    /// From `malloc` or `new`.
    Heap,
    /// Of the heap, and given back.
    Freed,
    /// The stack, all of it that is in use.
    Stack,
    /// The host's copy of a variable, by its number in the module.
    Variable(u32),
}

/// An access, or a `free`, that memory refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub address: u64,
    /// Bytes of the access; 0 for a `free`.
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Not pageable memory of the host.
    Elsewhere,
    /// Zero, or a small offset from it.
    Null,
    /// Outside every block; the nearest one, if any, and the line that asked for it.
    OutOfBounds { nearest: Option<HostBlock>, made: Option<SourceLocation> },
    /// In a block that was freed at this line.
    Freed { block: HostBlock, freed: Option<SourceLocation> },
    /// In the local variables of a function that has returned, or below those of any.
    DeadStack,
    /// The host's copy of a variable that kernels use, by number.
    DeviceVariable(u32),
    /// A `free` of what is no start of a block; the block it points into, if any.
    NotABlock(Option<HostBlock>),
    /// More than the limit, in bytes.
    Limit(u64),
}
