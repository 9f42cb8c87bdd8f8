//! Pageable memory of the host program (globals, heap and stack), and what it caches of the memory that GPUs
//! share.

mod cached;
mod fault;
mod globals;
mod heap;
mod lent;
mod pages;
mod stack;
#[cfg(test)]
mod tests;
mod unwritten;

pub use fault::{Fault, FaultKind, HostAllocation, HostBlock, HostBlockKind};
pub use pages::{PAGE_BITS, Page, StackBytes, WINDOW_BITS, WINDOW_SLOTS, Window};
pub(super) use stack::frame_bytes as stack_bytes;
pub use unwritten::{UNWRITTEN, mark_at, marked, may_be_unwritten};

use crate::code::GlobalVariable;
use crate::evidence::{HostAllocator, HostRelease};
use crate::finding::SourceLocation;
use crate::memory::{
    HOST_GLOBALS_WINDOW, HOST_HEAP_WINDOW, HOST_STACK_WINDOW, HOST_WINDOW_BYTES, LOCAL_WINDOW,
    NULL_PAGE_BYTES, is_host_pageable,
};
use cached::Cached;
use globals::Globals;
use heap::Heap;
use pages::Pages;
use stack::Stack;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::Arc;

/// The globals, heap and stack of a host program.
#[derive(Debug, Default)]
pub struct HostMemory {
    pages: Pages,
    globals: Globals,
    heap: Heap,
    stack: Stack,
    limit_bytes: u64,
    /// Source location of the call in progress: one more than its index in `locations`; 0 if unknown.
    pub(super) place: u32,
    locations: Vec<SourceLocation>,
    /// Ranges that are lent: first address, and one past the last.
    lent: BTreeMap<u64, u64>,
    /// If set, puts every address outside all windows for [`HostMemory::access`], so that each access takes the
    /// slow path and is reported.
    observed: u64,
    /// Names of blocks of the heap in findings, by the blocks' start.
    names: BTreeMap<u64, Arc<str>>,
    /// Size and source location of the last allocation that was refused because of the limit.
    refused: Option<(u64, u32)>,
    /// The cached parts of pinned and managed memory.
    cached: Cached,
}

/// Bytes from the start of an array of objects with destructors to the first of them, by their alignment.
const BEFORE_ARRAYS: [u64; 2] = [8, 16];

/// A bit that no window's addresses have.
const OBSERVED: u64 = 1 << 63;

impl HostMemory {
    /// Creates memory with the variables in place. `None` if that is more than the limit, or than this machine
    /// has.
    pub(super) fn new(
        variables: &[GlobalVariable],
        locations: &[SourceLocation],
        limit_bytes: u64,
        stack_bytes: u64,
    ) -> Option<HostMemory> {
        let mut pages = Pages::default();
        let globals = Globals::new(&mut pages, variables, limit_bytes)?;
        globals.initialise(&mut pages, variables);
        let stack = Stack::new(&mut pages, stack_bytes)?;
        let locations = locations.to_vec();
        Some(HostMemory { pages, globals, stack, limit_bytes, locations, ..HostMemory::default() })
    }

    /// Allocates a block of the heap; its contents are marked as unwritten. `align` is a power of two, at most
    /// 65536.
    ///
    /// # Errors
    /// Returns [`FaultKind::Limit`] if the block does not fit.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> Result<u64, Fault> {
        self.new_block(bytes, align, false)
    }

    /// Sets what allocated the block that starts at an address; the C library if this is not called.
    pub fn set_allocator(&mut self, address: u64, by: HostAllocator) {
        if let Some((place, _)) = self.heap.starts(&self.pages, address) {
            self.heap.set_allocator(place, by);
        }
    }

    /// Sets whether the bytes of the block at an address that come after its first `bytes` may be accessed. They keep their
    /// contents.
    pub fn set_accessible_behind(&mut self, address: u64, bytes: u64, accessible: bool) {
        if let Some(size) = self.size_of(address) {
            self.pages.set_accessible(address, bytes.min(size)..size, accessible);
        }
    }

    /// Makes the whole block accessible if these bytes are in one that a container uses only a part of. A call that is given
    /// its address may use all of it.
    pub fn open_reserved(&mut self, address: u64, bytes: u64) {
        if let Err(Fault { kind: FaultKind::Reserved { block, .. }, .. }) = self.slice(address, bytes) {
            self.set_accessible_behind(block.start, 0, true);
        }
    }

    /// Returns the block that is about to be released at this address by other means than it was allocated for: where it
    /// starts, what allocated it, and the source location.
    pub(super) fn mismatched(&self, address: u64, used: HostRelease) -> Option<(u64, HostAllocator, u32)> {
        let block = |start: u64| self.heap.allocator(&self.pages, start).map(|(by, made)| (start, by, made));
        let is_array = |start: u64, before: u64| {
            block(start).is_some_and(|(_, by, _)| by == HostAllocator::NewArray)
                && self.begins_with_length(start, before)
        };
        match block(address) {
            // The compiler lets `delete[]` of such an array call free() itself.
            Some(_) if used == HostRelease::Free && BEFORE_ARRAYS.iter().any(|n| is_array(address, *n)) => {
                None
            }
            None if used == HostRelease::Delete => {
                let before = BEFORE_ARRAYS.into_iter().find(|n| is_array(address.wrapping_sub(*n), *n))?;
                block(address - before)
            }
            found => found.filter(|(_, by, _)| *by != used.allocator()),
        }
    }

    /// Returns whether a block may be an array of objects with destructors, whose first comes so many bytes after its
    /// start: the number of objects is before that.
    fn begins_with_length(&self, start: u64, before: u64) -> bool {
        let Some(room) = self.size_of(start).and_then(|bytes| bytes.checked_sub(before)) else {
            return false;
        };
        let mut length = [0; 8];
        if self.read(start + before - 8, &mut length).is_err() {
            return false;
        }
        let length = u64::from_le_bytes(length);
        match room.checked_div(length) {
            None => room == 0,
            // Objects that are aligned to 16 bytes have as many before them.
            Some(size) => size > 0 && size * length == room && (before == 8 || size.is_multiple_of(before)),
        }
    }

    /// Allocates a block that lives as long as the program and is not a leak, in pages of its own; findings call it
    /// `name`.
    ///
    /// # Errors
    /// Returns [`FaultKind::Limit`] if the block does not fit.
    pub fn allocate_named(&mut self, name: &str, bytes: u64) -> Result<u64, Fault> {
        let address = self.new_block(bytes, pages::PAGE_BYTES, true)?;
        self.name_block(address, name);
        Ok(address)
    }

    /// Makes findings call the block that starts here `name`.
    pub fn name_block(&mut self, start: u64, name: &str) {
        self.names.insert(start, name.into());
    }

    /// Returns the name of the block that starts here, if it has one.
    pub(super) fn name_of(&self, start: u64) -> Option<Arc<str>> {
        self.names.get(&start).cloned()
    }

    fn new_block(&mut self, bytes: u64, align: u64, permanent: bool) -> Result<u64, Fault> {
        let limit = Fault { kind: FaultKind::Limit(self.limit_bytes), address: 0, bytes };
        let used = self.heap.bytes + self.globals.bytes;
        let fits = bytes <= self.limit_bytes.saturating_sub(used) && align <= pages::PAGE_BYTES;
        let allocated =
            fits.then(|| self.heap.allocate(&mut self.pages, bytes, align, self.place, permanent));
        allocated.flatten().ok_or_else(|| {
            self.refused = Some((bytes, self.place));
            limit
        })
    }

    /// Returns the size of the last allocation that was refused although a real machine may have had the
    /// memory, with its source location and the limit.
    pub(super) fn refused(&self) -> Option<(u64, Option<SourceLocation>, u64)> {
        /// No machine has this much: the size is a mistake.
        const NO_SIZE: u64 = 1 << 44;
        let (bytes, place) = self.refused.filter(|(bytes, _)| *bytes < NO_SIZE)?;
        Some((bytes, self.location(place), self.limit_bytes))
    }

    /// Allocates a block of another size with the same contents as far as they go, and frees the old one. If
    /// `address` is zero, only allocates.
    ///
    /// # Errors
    /// Returns the fault if `address` is not the start of a live block, or [`FaultKind::Limit`] if the new
    /// block does not fit.
    pub fn reallocate(&mut self, address: u64, bytes: u64) -> Result<u64, Fault> {
        if address == 0 {
            return self.allocate(bytes, 1);
        }
        let Some((_, old)) = self.heap.starts(&self.pages, address) else {
            return Err(self.bad_free(address));
        };
        let new = self.allocate(bytes, 1)?;
        let kept = self.slice(address, old.min(bytes))?.to_vec();
        self.write(new, &kept)?;
        self.free(address)?;
        Ok(new)
    }

    /// Frees a block of the heap; does nothing if `address` is zero.
    ///
    /// # Errors
    /// Returns the fault if `address` is not the start of a live block.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        if address == 0 {
            return Ok(());
        }
        match self.heap.starts(&self.pages, address) {
            Some((place, bytes)) => {
                // The address of lent memory must not be reused.
                let lent = self.forget_lent(address, bytes);
                self.heap.free(&mut self.pages, place, self.place, lent);
                Ok(())
            }
            None => Err(self.bad_free(address)),
        }
    }

    /// Sets whether every load and store of host code is reported to the environment. Returns the previous
    /// setting.
    pub fn observe(&mut self, on: bool) -> bool {
        std::mem::replace(&mut self.observed, if on { OBSERVED } else { 0 }) != 0
    }

    pub(super) fn is_observed(&self) -> bool {
        self.observed != 0
    }

    fn bad_free(&self, address: u64) -> Fault {
        let fault = self.diagnose(address, 0);
        match fault.kind {
            FaultKind::Freed { .. } | FaultKind::Elsewhere | FaultKind::Null => fault,
            _ => Fault { kind: FaultKind::NotABlock(self.block(address)), ..fault },
        }
    }

    /// Returns the size in bytes of the heap's block that starts here.
    pub fn size_of(&self, address: u64) -> Option<u64> {
        self.heap.starts(&self.pages, address).map(|(_, bytes)| bytes)
    }

    /// Returns the block that contains an address.
    pub fn block(&self, address: u64) -> Option<HostBlock> {
        let inside = |b: &HostBlock| address.wrapping_sub(b.start) < b.bytes.max(1);
        match window_of(address)? {
            HOST_HEAP_WINDOW => {
                self.heap.nearest(&self.pages, address).map(|(block, ..)| block).filter(inside)
            }
            HOST_GLOBALS_WINDOW => self.globals.find(address).map(variable_block),
            _ => self.stack.holds(address).then(|| self.stack_block()),
        }
    }

    /// Returns the part of the stack that is in use.
    fn stack_block(&self) -> HostBlock {
        HostBlock { start: self.stack.pointer, bytes: self.stack.used(), kind: HostBlockKind::Stack }
    }

    /// Copies memory to `out`.
    ///
    /// # Errors
    /// Returns the fault if not all of the bytes may be accessed.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Fault> {
        out.copy_from_slice(self.slice(address, out.len() as u64)?);
        Ok(())
    }

    /// Copies bytes to memory.
    ///
    /// # Errors
    /// Returns the fault if not all of the bytes may be accessed; nothing is written then.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.slice_mut(address, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Returns memory as a slice.
    ///
    /// # Errors
    /// Returns the fault if not all of the bytes may be accessed.
    pub fn slice(&self, address: u64, bytes: u64) -> Result<&[u8], Fault> {
        let found = self.pages.slice(address, bytes).map_err(|at| self.refuse(address, bytes, at))?;
        match self.lacks(address, bytes) {
            true => Err(Fault { kind: FaultKind::Elsewhere, address, bytes }),
            false => Ok(found),
        }
    }

    /// Returns memory as a mutable slice.
    ///
    /// # Errors
    /// Returns the fault if not all of the bytes may be accessed.
    pub fn slice_mut(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Fault> {
        if let Err(at) = self.pages.range(address, bytes) {
            return Err(self.refuse(address, bytes, at));
        }
        // The range was found a moment ago, so that the error never occurs.
        self.pages.slice_mut(address, bytes).map_err(|at| Fault {
            kind: FaultKind::Elsewhere,
            address: at,
            bytes,
        })
    }

    /// Returns how many of the `bytes` from `address` on may be accessed; 0 while accesses are observed.
    pub(super) fn accessible_bytes(&self, address: u64, bytes: u64) -> u64 {
        if self.is_observed() {
            return 0;
        }
        self.reach(address, bytes)
    }

    /// Returns how many of the bytes at an address may be accessed, up to the first that may not.
    pub fn reach(&self, address: u64, bytes: u64) -> u64 {
        self.pages.range(address, bytes).map_or_else(|at| at.saturating_sub(address), |_| bytes)
    }

    /// Returns the bytes of a C string before its terminating zero, at most `limit` of them.
    ///
    /// # Errors
    /// Returns the fault if not all of the bytes up to there may be accessed.
    pub fn c_string(&self, address: u64, limit: usize) -> Result<Vec<u8>, Fault> {
        let mut found = Vec::new();
        let mut at = address;
        while found.len() < limit {
            let Some(byte) = self.pages.granule(at, 1) else {
                return Err(self.refuse(address, (at - address).max(1), at));
            };
            // SAFETY: a byte that may be accessed.
            let byte = unsafe { byte.as_ptr().read() };
            if byte == 0 {
                break;
            }
            found.push(byte);
            at += 1;
        }
        self.slice(address, found.len() as u64)?;
        Ok(found)
    }

    /// Returns the variable that contains an address, by its number in the module, and the offset in it.
    pub fn variable(&self, address: u64) -> Option<(u32, u64)> {
        self.globals.find(address).map(|(number, start, _)| (number, address - start))
    }

    /// Returns the address of a variable in host code.
    pub fn address_of_variable(&self, index: u32) -> Option<u64> {
        self.globals.address_of(index)
    }

    pub(super) fn place_variable(&mut self, index: u32, address: u64) {
        self.globals.place(&mut self.pages, index, address);
    }

    /// Writes the addresses that variables initially hold.
    pub(super) fn write_addresses(&mut self, variables: &[GlobalVariable]) {
        self.globals.write_addresses(&mut self.pages, variables);
    }

    pub(super) fn guard_variable(&mut self, index: u32) {
        if self.globals.address_of(index).is_some_and(is_host_pageable) {
            self.globals.guard(&mut self.pages, index);
        }
    }

    /// Returns the blocks of the heap that were not freed, in the order of their allocation.
    pub fn allocations(&self) -> Vec<HostAllocation> {
        let made =
            |(address, bytes, place)| HostAllocation { address, bytes, location: self.location(place) };
        self.heap.live().into_iter().map(made).collect()
    }

    /// Returns the bytes of the heap in use.
    pub fn heap_bytes(&self) -> u64 {
        self.heap.bytes
    }

    /// Returns the source location with a number as in `place`.
    pub(super) fn location(&self, place: u32) -> Option<SourceLocation> {
        self.locations.get((place as usize).checked_sub(1)?).cloned()
    }

    /// Returns where the bytes of an access of up to eight bytes are, if they lie in one granule and may be
    /// accessed.
    #[inline(always)]
    pub(super) fn access(&self, address: u64, bytes: u64) -> Option<NonNull<u8>> {
        self.pages.granule(address | self.observed, bytes)
    }

    /// For machine code: returns how often pages have changed; `None` while accesses are observed.
    pub(super) fn changes(&self) -> Option<u64> {
        (!self.is_observed()).then(|| self.pages.changes())
    }

    /// For machine code: returns where everything is, which is valid until pages change.
    pub(super) fn windows(&self) -> Option<([Window; WINDOW_SLOTS], StackBytes)> {
        Some((self.pages.windows(), self.pages.segment_bytes(HOST_STACK_WINDOW)?))
    }

    /// Returns the bytes of the stack that functions' variables may still take; 0 if machine code may not
    /// allocate them, because something is lent.
    pub(super) fn room(&self) -> u64 {
        if self.lent.is_empty() { self.stack.room() } else { 0 }
    }

    /// Records that machine code has allocated a function's variables.
    pub(super) fn record_enter(&mut self, local_bytes: u64) {
        self.stack.record_enter(local_bytes);
    }

    /// Records that machine code has freed a function's variables.
    pub(super) fn record_leave(&mut self, local_bytes: u64) {
        self.stack.record_leave(local_bytes);
    }

    /// Allocates a function's variables on the stack; returns false if the stack is full.
    #[inline(always)]
    pub(super) fn enter(&mut self, local_bytes: u64) -> bool {
        let entered = self.stack.enter(&mut self.pages, local_bytes);
        if entered && !self.lent.is_empty() {
            self.keep_lent(self.stack.pointer, local_bytes);
        }
        entered
    }

    /// Makes the gaps between the running function's variables inaccessible.
    #[inline(always)]
    pub(super) fn close_gaps(&mut self, gaps: &[(u64, u64)]) {
        for (from, bytes) in gaps {
            self.pages.close(self.stack.pointer + from, *bytes);
        }
    }

    #[inline(always)]
    pub(super) fn leave(&mut self, local_bytes: u64) {
        self.stack.leave(&mut self.pages, local_bytes);
    }

    /// Returns the lowest address of the stack that is in use, which is that of the running function's variables.
    #[inline(always)]
    pub fn stack_pointer(&self) -> u64 {
        self.stack.pointer
    }

    /// Returns whether an address is that of a variable of a function in progress, other than the outermost one, which is
    /// `main`: such a variable may end before the program does.
    pub fn is_inner_local(&self, address: u64) -> bool {
        self.stack.is_inner(address)
    }

    /// Returns whether an address is on the stack and below another.
    pub fn is_on_stack(&self, address: u64, below: u64) -> bool {
        address < below && window_of(address) == Some(HOST_STACK_WINDOW)
    }

    /// Returns the bytes of the stack in use.
    pub(super) fn stack_used(&self) -> u64 {
        self.stack.used()
    }

    /// Returns why an access that includes the inaccessible byte `at` is refused.
    fn refuse(&self, address: u64, bytes: u64, at: u64) -> Fault {
        // An access that begins outside is reported by its start, one that runs out of a block by where it
        // does.
        let at = if self.pages.accessible(address) == 0 { address } else { at };
        Fault { address, ..self.diagnose(at, bytes) }
    }

    /// Returns what is wrong with an access to a byte that may not be accessed.
    pub(super) fn diagnose(&self, address: u64, bytes: u64) -> Fault {
        let out = |nearest, made| FaultKind::OutOfBounds { nearest, made };
        let kind = match window_of(address) {
            None if is_null(address) => FaultKind::Null,
            None => FaultKind::Elsewhere,
            Some(_) if self.is_lent(address) => FaultKind::Elsewhere,
            Some(HOST_HEAP_WINDOW) => match self.heap.nearest(&self.pages, address) {
                Some((block, _, freed))
                    if block.kind == HostBlockKind::Freed
                        && address.wrapping_sub(block.start) < block.bytes.max(1) =>
                {
                    FaultKind::Freed { block, freed: self.location(freed) }
                }
                Some((block, made, _)) if address.wrapping_sub(block.start) < block.bytes => {
                    FaultKind::Reserved { block, made: self.location(made) }
                }
                Some((block, made, _)) => out(Some(block), self.location(made)),
                None => out(None, None),
            },
            Some(HOST_GLOBALS_WINDOW) => match self.globals.nearest(address) {
                Some((number, start, length))
                    if self.globals.is_guarded(number) && address.wrapping_sub(start) < length =>
                {
                    FaultKind::DeviceVariable(number)
                }
                Some(found) => out(Some(variable_block(found)), None),
                None => out(None, None),
            },
            Some(_) if self.stack.is_below_all(address) => FaultKind::DeadStack,
            Some(_) => out(Some(self.stack_block()), None),
        };
        Fault { kind, address, bytes }
    }
}

/// Returns whether an address is null, or null plus a small offset. A null pointer that the compiler
/// takes for one to a local variable is zero in the local space.
fn is_null(address: u64) -> bool {
    address < NULL_PAGE_BYTES || address.wrapping_sub(LOCAL_WINDOW) < NULL_PAGE_BYTES
}

/// Returns the window of pageable memory that contains an address.
fn window_of(address: u64) -> Option<u64> {
    [HOST_HEAP_WINDOW, HOST_GLOBALS_WINDOW, HOST_STACK_WINDOW]
        .into_iter()
        .find(|window| address.wrapping_sub(*window) < HOST_WINDOW_BYTES)
}

fn variable_block((number, start, bytes): (u32, u64, u64)) -> HostBlock {
    HostBlock { start, bytes, kind: HostBlockKind::Variable(number) }
}
