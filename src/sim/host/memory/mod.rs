//! Pageable memory of the host program: globals, heap, stack.

use crate::sim::finding::SourceLocation;

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
    /// Outside every block; the nearest one, if any.
    OutOfBounds(Option<HostBlock>),
    /// In a block that was freed at this line.
    Freed { block: HostBlock, location: Option<SourceLocation> },
    /// In the local variables of a function that has returned, or below the stack.
    DeadStack,
    /// The host's copy of a variable that kernels use, by number.
    DeviceVariable(u32),
    /// A `free` of what is no start of a block.
    NotABlock,
    /// More than the limit, in bytes.
    Limit(u64),
}

/// Globals, heap and stack of a host program.
#[derive(Debug, Default)]
pub struct HostMemory {}

impl HostMemory {
    /// A new block of the heap; what it holds is poison. `align` is a power of two.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> Result<u64, Fault> {
        let _ = align;
        Err(Fault { kind: FaultKind::Limit(0), address: 0, bytes })
    }

    /// A block of another size with the same contents; the old one is freed.
    pub fn reallocate(&mut self, address: u64, bytes: u64) -> Result<u64, Fault> {
        Err(Fault { kind: FaultKind::Elsewhere, address, bytes })
    }

    /// Gives a block of the heap back. Zero is no block, and no fault.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        Err(Fault { kind: FaultKind::Elsewhere, address, bytes: 0 })
    }

    /// Bytes of the heap's block that starts here.
    pub fn size_of(&self, address: u64) -> Option<u64> {
        let _ = address;
        None
    }

    /// What an address lies in.
    pub fn block(&self, address: u64) -> Option<HostBlock> {
        let _ = address;
        None
    }

    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Fault> {
        out.copy_from_slice(self.slice(address, out.len() as u64)?);
        Ok(())
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.slice_mut(address, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Memory as bytes.
    pub fn slice(&self, address: u64, bytes: u64) -> Result<&[u8], Fault> {
        Err(Fault { kind: FaultKind::Elsewhere, address, bytes })
    }

    /// Memory as bytes to change.
    pub fn slice_mut(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Fault> {
        Err(Fault { kind: FaultKind::Elsewhere, address, bytes })
    }

    /// The bytes of a C string before its zero, at most `limit` of them.
    pub fn c_string(&self, address: u64, limit: usize) -> Result<Vec<u8>, Fault> {
        let _ = limit;
        Err(Fault { kind: FaultKind::Elsewhere, address, bytes: 1 })
    }

    /// The variable that an address lies in, by its number in the module, and the offset there.
    pub fn variable(&self, address: u64) -> Option<(u32, u64)> {
        let _ = address;
        None
    }

    /// Where host code finds a variable.
    pub fn address_of_variable(&self, index: u32) -> Option<u64> {
        let _ = index;
        None
    }

    /// Blocks of the heap that were not freed, in the order of their making.
    pub fn allocations(&self) -> Vec<HostAllocation> {
        Vec::new()
    }

    /// Bytes of the heap in use.
    pub fn heap_bytes(&self) -> u64 {
        0
    }
}
