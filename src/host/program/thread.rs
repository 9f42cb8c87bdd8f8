//! The host thread as the calls that it makes see it.

use super::runtime::Runtime;
use crate::device::{Failure, Gpus};

/// Pageable memory of the host thread, and its functions.
pub trait HostThread {
    /// Copies pageable memory out; false where not all of it is such memory.
    fn read(&mut self, address: u64, out: &mut [u8]) -> bool;
    /// Copies into pageable memory; false, and nothing changed, where not all of it is such memory
    /// that may be written.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;
    /// A block of pageable memory that lives as long as the program; `None` when memory is at its
    /// limit.
    fn allocate(&mut self, bytes: u64) -> Option<u64>;
    /// Memory goes out of the thread's hands, which asks the GPUs for it from then on. Gives where it
    /// begins, with what it holds; `None` where that can't be done with it.
    fn lend(&mut self, address: u64, bytes: u64) -> Option<(u64, Vec<u8>)>;
    /// What was lent is the thread's own again.
    fn take_back(&mut self, start: u64, contents: &[u8]);
    /// The pageable block around an address, if it lies in one.
    fn block(&self, address: u64) -> Option<HostBlock>;
    /// Runs a function `void f(void *argument)` to its end.
    fn call(
        &mut self,
        function: u64,
        argument: u64,
        gpus: &mut dyn Gpus,
        runtime: &mut Runtime,
    ) -> Result<(), Failure>;
}

/// A block of pageable memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBlock {
    pub start: u64,
    pub bytes: u64,
    pub kind: HostKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// From `malloc` or `new`.
    Heap,
    Stack,
    /// A variable of the program, by index in the module.
    Variable(u32),
    /// Was given back.
    Freed,
}
