//! What host memory contains, and why it refuses accesses.

use crate::finding::SourceLocation;

/// A block of the heap that has not been freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAllocation {
    pub address: u64,
    pub bytes: u64,
    /// The line that allocated it.
    pub location: Option<SourceLocation>,
}

/// A block of pageable memory that contains an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBlock {
    pub start: u64,
    pub bytes: u64,
    pub kind: HostBlockKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostBlockKind {
    /// Allocated by `malloc` or `new`.
    Heap,
    /// A block of the heap that was freed.
    Freed,
    /// The part of the stack that is in use.
    Stack,
    /// The host's copy of a variable, by its number in the module.
    Variable(u32),
}

/// An access, or a `free`, that memory refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub address: u64,
    /// Size of the access in bytes; 0 for a `free`.
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Outside the host's pageable memory.
    Elsewhere,
    /// Null, or null plus a small offset.
    Null,
    /// Outside every block; the nearest one, if any, and the line that allocated it.
    OutOfBounds { nearest: Option<HostBlock>, made: Option<SourceLocation> },
    /// In a block that was freed, at this line.
    Freed { block: HostBlock, freed: Option<SourceLocation> },
    /// In the part of a block, allocated in this line, that a container has no elements in.
    Reserved { block: HostBlock, made: Option<SourceLocation> },
    /// In the local variables of a function that has returned, or in a part of the stack that none has used.
    DeadStack,
    /// In the host's copy of a variable that kernels use; the variable's number.
    DeviceVariable(u32),
    /// A `free` of an address that is not the start of a block; the block that contains it, if any.
    NotABlock(Option<HostBlock>),
    /// An allocation beyond the limit, in bytes.
    Limit(u64),
}
