//! The host thread as the calls it makes see it.

use super::runtime::Runtime;
use crate::device::{Gpus, Result};
use sim::{AccessKind, Finding, HostBlock, HostPart, host_part};

/// The pageable memory and the functions of the host thread.
pub trait HostThread {
    /// Copies pageable memory out. Returns `false` if not all of the range is pageable memory.
    fn read(&mut self, address: u64, out: &mut [u8]) -> bool;
    /// Copies into pageable memory. Returns `false`, and changes nothing, if not all of the range is writable
    /// pageable memory.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;
    /// Returns the finding about an access to a range that is not wholly in the thread's pageable memory; `None` if
    /// it is, or was lent.
    fn stray(&self, range: (u64, u64), kind: AccessKind) -> Option<Finding>;
    /// Allocates pageable memory that lives as long as the program; `None` if memory is at its limit.
    fn allocate(&mut self, bytes: u64) -> Option<u64>;
    /// Hands memory over to the GPUs, which the thread asks for it from then on. Returns the start and the
    /// contents of the range that was handed over, or `None` if the memory cannot be handed over.
    fn lend(&mut self, address: u64, bytes: u64) -> Option<(u64, Vec<u8>)>;
    /// Takes lent memory back, with these contents.
    fn take_back(&mut self, start: u64, contents: &[u8]);
    /// Returns the pageable block that contains an address.
    fn block(&self, address: u64) -> Option<HostBlock>;
    /// Returns how many of the bytes at an address of pageable memory may be accessed, up to the first that may not.
    fn accessible_bytes(&self, address: u64, bytes: u64) -> u64;
    /// Returns whether an address is that of a local variable that may end before the program does: not one of `main`.
    fn is_inner_local(&self, address: u64) -> bool;
    /// Returns whether an address is that of a local variable of a function that has returned.
    fn is_dead_local(&self, address: u64) -> bool {
        host_part(address) == Some(HostPart::Stack) && self.block(address).is_none()
    }
    /// Reports bytes of pageable memory that were never written, and that the call in progress, `function`, uses.
    fn check_initialised(
        &mut self,
        range: (u64, u64),
        function: &str,
        gpus: &mut dyn Gpus,
        runtime: &mut Runtime,
    );
    /// Runs a function `void f(void *argument)` until it returns.
    ///
    /// # Errors
    ///
    /// The program ended in it.
    fn call(
        &mut self,
        function: u64,
        argument: u64,
        gpus: &mut dyn Gpus,
        runtime: &mut Runtime,
    ) -> Result<()>;
}
