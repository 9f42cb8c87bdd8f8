//! What a host thread needs from its surroundings: the functions that it calls but does not define, and the
//! memory that is not its own.

use super::thread::HostThread;
use crate::finding::{AccessKind, Finding, SourceLocation};
use crate::run_limit::LimitReached;
use std::ops::Range;

/// Why a host thread stopped before its function returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The program ended itself with this exit status.
    Exit(i32),
    /// The program did something wrong.
    Finding(Box<Finding>),
    /// The program called a function that it declares but that nothing defines; `name` is its name in the PTX.
    UndefinedFunction { name: String, line: Option<SourceLocation> },
    /// The program needs something that the simulator lacks: an instruction, or a function of CUDA.
    Unsupported { what: String, line: Option<SourceLocation> },
    /// A limit was reached.
    Limit(LimitReached),
    /// [`Environment::cancelled`] returned true.
    Cancelled,
}

/// The surroundings of a host thread.
///
/// # Errors
/// Every method returns why the thread stops, if it can't go on.
pub trait Environment {
    /// Serves a call of a function that the program declares but does not define. The call returns what was
    /// passed to `HostThread::set_result_…`, or zero if nothing was.
    fn call(&mut self, thread: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop>;

    /// Reads memory that is not the thread's own: pinned, managed, a GPU's, or none at all.
    fn load(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop>;

    /// Writes memory that is not the thread's own.
    fn store(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop>;

    /// Writes back what the thread has changed in memory that it had cached ([`HostThread::cache`]).
    fn write_back(&mut self, _address: u64, _bytes: &[u8]) {}

    /// As [`Environment::load`], for a strong read (PTX ISA, memory consistency model): volatile or atomic.
    /// Programs use such reads to wait for what a running kernel writes.
    fn load_strong(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        self.load(thread, address, out)
    }

    /// As [`Environment::store`], for a strong write, for which a kernel may be waiting.
    fn store_strong(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.store(thread, address, bytes)
    }

    /// Returns how many of the `bytes` from `address` on, in memory that is not the thread's own, can be read
    /// (or written, if `write`) as one access with the same outcome as one by one and without a finding.
    fn accessible_bytes(&mut self, _: &HostThread<'_>, _address: u64, _bytes: u64, _write: bool) -> u64 {
        0
    }

    /// Called when the thread's own memory is accessed while it is observed
    /// ([`HostMemory::observe`](super::memory::HostMemory::observe)).
    fn observe(&mut self, _: &HostThread<'_>, _address: u64, _bytes: u64, _: AccessKind) {}

    /// As [`Environment::observe`], for a strong access: a read of what a strong write left is ordered after it.
    fn observe_strong(
        &mut self,
        thread: &mut HostThread<'_>,
        address: u64,
        kind: AccessKind,
    ) -> Result<(), Stop> {
        let _ = (thread, address, kind);
        Ok(())
    }

    /// Called when the thread is in a loop that copies a range of memory to one that overlaps it: either a loop
    /// of the program, or a memcpy() that the compiler turned into a loop.
    fn copied_onto_itself(&mut self, _: &HostThread<'_>) {}

    /// Returns what the program reads from a GPU's clock, in nanoseconds or in cycles.
    fn clock(&mut self, thread: &HostThread<'_>, _nanoseconds: bool) -> u64 {
        thread.instructions()
    }

    /// Returns which of the `bytes` bytes at `address`, in memory that is not the thread's own, have no value, as offsets
    /// from it: they were never written, or a kernel stored what has none.
    fn unwritten(&mut self, _address: u64, _bytes: u64) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// Called for a finding that does not end the program: an uninitialised value had an effect. `address` is
    /// where it was read; `None` for a variable in a register.
    fn found(&mut self, _: &HostThread<'_>, _: Finding, _address: Option<u64>) {}

    /// Returns the name by which programs call a function that they declare but do not define; `function` is
    /// its name in the PTX.
    fn name_of(&self, function: &str) -> String {
        function.to_string()
    }

    /// Returns whether to stop; called every few hundred thousand instructions.
    fn cancelled(&self) -> bool {
        false
    }
}

/// A call of a function that the program does not define, with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name in the PTX: mangled if the function is not `extern "C"`.
    pub name: &'a str,
    /// The function's number in its module: the same in every call of it.
    pub index: u32,
    pub(super) bytes: &'a [u8],
    /// For each argument, its offset in `bytes` and its size in bytes.
    pub(super) arguments: &'a [(u32, u32)],
}

impl<'a> Call<'a> {
    /// Returns the number of arguments.
    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    /// Returns the bytes of argument `n`: for a struct, its bytes; for the `...` of a variadic function, the
    /// values passed, each aligned to its own size (`float` as `double`, integers of 4 bytes or more). Empty if
    /// there is no such argument.
    pub fn bytes(&self, n: usize) -> &'a [u8] {
        let Some(&(start, bytes)) = self.arguments.get(n) else { return &[] };
        self.bytes.get(start as usize..(start + bytes) as usize).unwrap_or_default()
    }

    /// Returns the first `N` bytes of argument `n`, padded with zeros.
    fn array<const N: usize>(&self, n: usize) -> [u8; N] {
        let mut out = [0; N];
        for (o, b) in out.iter_mut().zip(self.bytes(n)) {
            *o = *b;
        }
        out
    }

    pub fn u32(&self, n: usize) -> u32 {
        u32::from_le_bytes(self.array(n))
    }

    pub fn i32(&self, n: usize) -> i32 {
        i32::from_le_bytes(self.array(n))
    }

    pub fn u64(&self, n: usize) -> u64 {
        u64::from_le_bytes(self.array(n))
    }

    pub fn i64(&self, n: usize) -> i64 {
        i64::from_le_bytes(self.array(n))
    }

    pub fn f32(&self, n: usize) -> f32 {
        f32::from_le_bytes(self.array(n))
    }

    pub fn f64(&self, n: usize) -> f64 {
        f64::from_le_bytes(self.array(n))
    }
}
