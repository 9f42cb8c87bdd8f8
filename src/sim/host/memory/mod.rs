//! Pageable memory of the host program: globals, heap, stack; and what it keeps of the memory of GPUs.

mod cached;
mod fault;
mod globals;
mod heap;
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
use crate::finding::SourceLocation;
use crate::memory::{
    HOST_GLOBALS_WINDOW, HOST_HEAP_WINDOW, HOST_STACK_WINDOW, HOST_WINDOW_BYTES, LOCAL_WINDOW,
    NULL_PAGE_BYTES, is_host_pageable,
};
use cached::Cached;
use globals::Globals;
use heap::Heap;
use pages::{GRANULE_BYTES, Pages};
use stack::Stack;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::Arc;

/// Globals, heap and stack of a host program.
#[derive(Debug)]
pub struct HostMemory {
    pages: Pages,
    globals: Globals,
    heap: Heap,
    stack: Stack,
    limit_bytes: u64,
    /// Where the call in progress stands: one more than its number in `locations`; 0: unknown.
    pub(super) place: u32,
    locations: Vec<SourceLocation>,
    /// Stretches that were lent: first address, and one past the last.
    lent: BTreeMap<u64, u64>,
    /// Set, it makes every address a strange one to [`HostMemory::access`], so that each access
    /// goes the long way and is told.
    observed: u64,
    /// What findings call blocks of the heap that have a name, by their start.
    names: BTreeMap<u64, Arc<str>>,
    /// Bytes that were asked for last and not given, as the limit was met, and where.
    refused: Option<(u64, u32)>,
    /// Parts of pinned and managed memory.
    cached: Cached,
}

/// No window lies here.
const OBSERVED: u64 = 1 << 63;

impl HostMemory {
    /// Memory with the variables in place. `None`: more than the limit, or than we have.
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
        Some(HostMemory {
            pages,
            globals,
            heap: Heap::default(),
            stack,
            limit_bytes,
            place: 0,
            refused: None,
            locations,
            lent: BTreeMap::new(),
            observed: 0,
            names: BTreeMap::new(),
            cached: Cached::default(),
        })
    }

    /// A new block of the heap; what it holds is poison. `align` is a power of two, 65536 at most.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> Result<u64, Fault> {
        self.new_block(bytes, align, false)
    }

    /// A block that lives as long as the program, and is no leak: arguments, buffers of the
    /// library's own.
    pub fn allocate_permanent(&mut self, bytes: u64) -> Result<u64, Fault> {
        self.new_block(bytes, 1, true)
    }

    /// As [`HostMemory::allocate_permanent`], in pages of its own; findings call it by `name`.
    pub fn allocate_named(&mut self, name: &str, bytes: u64) -> Result<u64, Fault> {
        let address = self.new_block(bytes, pages::PAGE_BYTES, true)?;
        self.names.insert(address, name.into());
        Ok(address)
    }

    /// What findings call the block that starts here, where it has a name.
    pub(super) fn name_of(&self, start: u64) -> Option<Arc<str>> {
        self.names.get(&start).cloned()
    }

    fn new_block(&mut self, bytes: u64, align: u64, permanent: bool) -> Result<u64, Fault> {
        let limit = Fault { kind: FaultKind::Limit(self.limit_bytes), address: 0, bytes };
        let used = self.heap.bytes + self.globals.bytes;
        let fits = bytes <= self.limit_bytes.saturating_sub(used) && align <= pages::PAGE_BYTES;
        let given = fits.then(|| self.heap.allocate(&mut self.pages, bytes, align, self.place, permanent));
        given.flatten().ok_or_else(|| {
            self.refused = Some((bytes, self.place));
            limit
        })
    }

    /// Bytes that were asked for last and not given, though a machine may have as many; where that was, and the
    /// limit.
    pub(super) fn refused(&self) -> Option<(u64, Option<SourceLocation>, u64)> {
        /// What no machine has: the size is a mistake.
        const NO_SIZE: u64 = 1 << 44;
        let (bytes, place) = self.refused.filter(|(bytes, _)| *bytes < NO_SIZE)?;
        Some((bytes, self.location(place), self.limit_bytes))
    }

    /// A block of another size with the same contents as far as they go; the old one is freed. Zero
    /// for the old one makes a new one.
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

    /// Gives a block of the heap back. Zero is no block, and no fault.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        if address == 0 {
            return Ok(());
        }
        match self.heap.starts(&self.pages, address) {
            Some((place, bytes)) => {
                // The address of what is lent can't be used for something else.
                let lent = self.forget_lent(address, bytes);
                self.heap.free(&mut self.pages, place, self.place, lent);
                Ok(())
            }
            None => Err(self.bad_free(address)),
        }
    }

    /// Gives memory out of our hands: from now on it is no memory of ours, and accesses of it are
    /// [`FaultKind::Elsewhere`]. Gives where the stretch begins, with what it holds; it has whole
    /// granules, as far as its block goes; of the stack, as far as the variables of one function go. `None`
    /// where it is not part of one block of the heap, of one variable or of the stack.
    pub fn lend(&mut self, address: u64, bytes: u64) -> Option<(u64, Vec<u8>)> {
        let block = self.block(address)?;
        let block_end = block.start + block.bytes;
        let end = address.checked_add(bytes).filter(|&end| end <= block_end)?;
        let start = address / GRANULE_BYTES * GRANULE_BYTES;
        let end = match block.kind {
            HostBlockKind::Heap | HostBlockKind::Variable(_) => {
                end.next_multiple_of(GRANULE_BYTES).min(block_end)
            }
            HostBlockKind::Stack if end.is_multiple_of(GRANULE_BYTES) => end,
            HostBlockKind::Stack => end + self.pages.accessible(end),
            HostBlockKind::Freed => return None,
        };
        let contents = self.pages.slice(start, end - start).ok()?.to_vec();
        self.pages.set_accessible(start, end - start, false);
        self.lent.insert(start, end);
        Some((start, contents))
    }

    /// Takes back what was lent. Where its block was freed meanwhile, there is nothing to take.
    pub fn take_back(&mut self, start: u64, contents: &[u8]) {
        if self.lent.remove(&start).is_some() {
            let bytes = contents.len() as u64;
            // What a function left behind stays so.
            let is_left = window_of(start) == Some(HOST_STACK_WINDOW) && !self.stack.holds(start);
            self.pages.set_accessible(start, bytes, !is_left);
            if let Ok(memory) = self.pages.slice_mut(start, bytes) {
                memory.copy_from_slice(contents);
            }
        }
    }

    fn is_lent(&self, address: u64) -> bool {
        self.lent.range(..=address).next_back().is_some_and(|(_, &end)| address < end)
    }

    /// Forgets what was lent of a block. Whether anything was.
    fn forget_lent(&mut self, start: u64, bytes: u64) -> bool {
        let inside: Vec<u64> = self.lent.range(start..start + bytes.max(1)).map(|(&at, _)| at).collect();
        for at in &inside {
            self.lent.remove(at);
        }
        !inside.is_empty()
    }

    /// From now on every load and store of host code is told to the environment, or no longer. What
    /// was so before.
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

    /// Bytes of the heap's block that starts here.
    pub fn size_of(&self, address: u64) -> Option<u64> {
        self.heap.starts(&self.pages, address).map(|(_, bytes)| bytes)
    }

    /// What an address lies in.
    pub fn block(&self, address: u64) -> Option<HostBlock> {
        let inside = |b: &HostBlock| address.wrapping_sub(b.start) < b.bytes.max(1);
        match window_of(address)? {
            HOST_HEAP_WINDOW => {
                self.heap.nearest(&self.pages, address).map(|(block, ..)| block).filter(inside)
            }
            HOST_GLOBALS_WINDOW => self.globals.find(address).map(variable_block),
            _ => self.stack.holds(address).then(|| HostBlock {
                start: self.stack.pointer,
                bytes: self.stack.used(),
                kind: HostBlockKind::Stack,
            }),
        }
    }

    /// Copies memory out.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Fault> {
        out.copy_from_slice(self.slice(address, out.len() as u64)?);
        Ok(())
    }

    /// Copies into memory; nothing is changed where not all of it may be written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.slice_mut(address, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Memory as bytes.
    pub fn slice(&self, address: u64, bytes: u64) -> Result<&[u8], Fault> {
        let found = self.pages.slice(address, bytes).map_err(|at| self.refuse(address, bytes, at))?;
        match self.lacks(address, bytes) {
            true => Err(Fault { kind: FaultKind::Elsewhere, address, bytes }),
            false => Ok(found),
        }
    }

    /// Memory as bytes to change.
    pub fn slice_mut(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Fault> {
        if let Err(at) = self.pages.range(address, bytes) {
            return Err(self.refuse(address, bytes, at));
        }
        // Found a moment ago: what the error would be no longer matters.
        self.pages.slice_mut(address, bytes).map_err(|at| Fault {
            kind: FaultKind::Elsewhere,
            address: at,
            bytes,
        })
    }

    /// Of `bytes` at an address, those from the first on that may be accessed and that nobody observes.
    pub(super) fn stretch(&self, address: u64, bytes: u64) -> u64 {
        if self.is_observed() {
            return 0;
        }
        self.pages.range(address, bytes).map_or_else(|at| at.saturating_sub(address), |_| bytes)
    }

    /// The bytes of a C string before its zero, at most `limit` of them.
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

    /// The variable that an address lies in, by its number in the module, and the offset there.
    pub fn variable(&self, address: u64) -> Option<(u32, u64)> {
        self.globals.find(address).map(|(number, start, _)| (number, address - start))
    }

    /// Where host code finds a variable.
    pub fn address_of_variable(&self, index: u32) -> Option<u64> {
        self.globals.address_of(index)
    }

    pub(super) fn place_variable(&mut self, index: u32, address: u64) {
        self.globals.place(&mut self.pages, index, address);
    }

    /// Writes the addresses that variables hold at the start.
    pub(super) fn write_addresses(&mut self, variables: &[GlobalVariable]) {
        self.globals.write_addresses(&mut self.pages, variables);
    }

    pub(super) fn guard_variable(&mut self, index: u32) {
        if self.globals.address_of(index).is_some_and(is_host_pageable) {
            self.globals.guard(&mut self.pages, index);
        }
    }

    /// Blocks of the heap that were not freed, in the order of their making.
    pub fn allocations(&self) -> Vec<HostAllocation> {
        let made =
            |(address, bytes, place)| HostAllocation { address, bytes, location: self.location(place) };
        self.heap.live().into_iter().map(made).collect()
    }

    /// Bytes of the heap in use.
    pub fn heap_bytes(&self) -> u64 {
        self.heap.bytes
    }

    /// A source location by its place.
    pub(super) fn location(&self, place: u32) -> Option<SourceLocation> {
        self.locations.get((place as usize).checked_sub(1)?).cloned()
    }

    /// Where the bytes of an access of up to eight bytes are, if it may be made.
    #[inline(always)]
    pub(super) fn access(&self, address: u64, bytes: u64) -> Option<NonNull<u8>> {
        self.pages.granule(address | self.observed, bytes)
    }

    /// For machine code: how often pages have changed; `None` while somebody observes accesses.
    pub(super) fn changes(&self) -> Option<u64> {
        (!self.is_observed()).then(|| self.pages.changes())
    }

    /// For machine code: where everything is, until pages change.
    pub(super) fn windows(&self) -> Option<([Window; WINDOW_SLOTS], StackBytes)> {
        Some((self.pages.windows(), self.pages.segment_bytes(HOST_STACK_WINDOW)?))
    }

    /// What functions' variables may still take of the stack, where machine code may see to that.
    pub(super) fn room(&self) -> u64 {
        if self.lent.is_empty() { self.stack.room() } else { 0 }
    }

    /// Machine code has made room for a function's variables.
    pub(super) fn was_entered(&mut self, local_bytes: u64) {
        self.stack.was_entered(local_bytes);
    }

    /// Machine code has taken a function's variables back.
    pub(super) fn was_left(&mut self, local_bytes: u64) {
        self.stack.was_left(local_bytes);
    }

    /// Makes room for a function's variables; false when the stack is full.
    #[inline(always)]
    pub(super) fn enter(&mut self, local_bytes: u64) -> bool {
        let entered = self.stack.enter(&mut self.pages, local_bytes);
        if entered && !self.lent.is_empty() {
            self.keep_lent(self.stack.pointer, local_bytes);
        }
        entered
    }

    /// What was lent of these bytes stays so, whoever has them now.
    #[cold]
    fn keep_lent(&mut self, start: u64, bytes: u64) {
        for (&from, &to) in self.lent.range(..start + bytes) {
            let (from, to) = (from.max(start), to.min(start + bytes));
            if from < to {
                self.pages.set_accessible(from, to - from, false);
            }
        }
    }

    #[inline(always)]
    pub(super) fn leave(&mut self, local_bytes: u64) {
        self.stack.leave(&mut self.pages, local_bytes);
    }

    /// Address of the running function's variables.
    #[inline(always)]
    pub(super) fn frame(&self) -> u64 {
        self.stack.pointer
    }

    /// The lowest address of the stack that is in use.
    pub fn stack_pointer(&self) -> u64 {
        self.stack.pointer
    }

    /// Whether an address is on the stack, below another.
    pub fn is_on_stack(&self, address: u64, below: u64) -> bool {
        address < below && window_of(address) == Some(HOST_STACK_WINDOW)
    }

    /// Bytes of the stack in use.
    pub(super) fn stack_used(&self) -> u64 {
        self.stack.used()
    }

    /// Why an access that reaches a forbidden byte `at` is refused.
    fn refuse(&self, address: u64, bytes: u64, at: u64) -> Fault {
        // An access that begins outside is told by its start, one that runs out by where it does.
        let at = if self.pages.accessible(address) == 0 { address } else { at };
        Fault { address, ..self.diagnose(at, bytes) }
    }

    /// What is wrong with an access at a byte that may not be accessed.
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
            Some(_) if self.stack.holds(address) => out(
                Some(HostBlock {
                    start: self.stack.pointer,
                    bytes: self.stack.used(),
                    kind: HostBlockKind::Stack,
                }),
                None,
            ),
            Some(_) => FaultKind::DeadStack,
        };
        Fault { kind, address, bytes }
    }
}

/// Whether an address is null and an index. A null pointer that the compiler takes for one to a local
/// variable is zero in the local space.
fn is_null(address: u64) -> bool {
    address < NULL_PAGE_BYTES || address.wrapping_sub(LOCAL_WINDOW) < NULL_PAGE_BYTES
}

/// The window of pageable memory that an address lies in.
fn window_of(address: u64) -> Option<u64> {
    [HOST_HEAP_WINDOW, HOST_GLOBALS_WINDOW, HOST_STACK_WINDOW]
        .into_iter()
        .find(|window| address.wrapping_sub(*window) < HOST_WINDOW_BYTES)
}

fn variable_block((number, start, bytes): (u32, u64, u64)) -> HostBlock {
    HostBlock { start, bytes, kind: HostBlockKind::Variable(number) }
}
