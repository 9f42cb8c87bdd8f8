//! What surrounds a host thread: the functions it calls and does not define, and the memory that
//! is not its own.

use super::thread::HostThread;
use crate::finding::{AccessKind, Finding, SourceLocation};
use crate::run_limit::LimitReached;

/// Why a host thread stopped before its function returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The program ended itself, with this exit code.
    Exit(i32),
    /// The program did something wrong.
    Finding(Box<Finding>),
    /// A function was called that is declared and that no code defines: its name in the PTX.
    UndefinedFunction { name: String, line: Option<SourceLocation> },
    /// Something we lack: an instruction, a call of CUDA.
    Unsupported { what: String, line: Option<SourceLocation> },
    /// A limit was reached.
    Limit(LimitReached),
    /// [`Environment::cancelled`] said so.
    Cancelled,
}

/// The surroundings of a host thread.
pub trait Environment {
    /// A call of a function that the program declares and does not define. What
    /// `HostThread::set_result_…` was given is what it returns; zero where nothing was.
    fn call(&mut self, thread: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop>;

    /// Reads memory that is not the thread's own: pinned, managed, a GPU's, or none at all.
    fn load(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop>;

    /// Writes memory that is not the thread's own.
    fn store(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop>;

    /// Writes what the thread has changed of memory that it kept ([`HostThread::cache`]).
    fn write_back(&mut self, address: u64, bytes: &[u8]) {
        let _ = (address, bytes);
    }

    /// As [`Environment::load`], by a strong read (PTX ISA, memory consistency model): volatile, or of an
    /// atomic. With such a read a program waits for what a kernel writes while it runs.
    fn load_strong(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        self.load(thread, address, out)
    }

    /// As [`Environment::store`], by a strong write, which a kernel may wait for.
    fn store_strong(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.store(thread, address, bytes)
    }

    /// Of `bytes` at an address that is not the thread's own, those from the first on that can be read, or
    /// written, as one access, with the same outcome as one by one, and nothing found.
    fn stretch(&mut self, thread: &HostThread<'_>, address: u64, bytes: u64, write: bool) -> u64 {
        let _ = (thread, address, bytes, write);
        0
    }

    /// The thread's own memory was accessed while it is observed
    /// ([`HostMemory::observe`](super::memory::HostMemory::observe)).
    fn observe(&mut self, thread: &HostThread<'_>, address: u64, bytes: u64, kind: AccessKind) {
        let _ = (thread, address, bytes, kind);
    }

    /// The thread is in a loop that copies one stretch of memory to another which shares bytes with it: what
    /// the program wrote as a loop, or as memcpy(), which the compiler makes a loop of.
    fn copied_onto_itself(&mut self, thread: &HostThread<'_>) {
        let _ = thread;
    }

    /// What the program reads of a GPU's clock: nanoseconds, or cycles.
    fn clock(&mut self, thread: &HostThread<'_>, nanoseconds: bool) -> u64 {
        let _ = nanoseconds;
        thread.instructions()
    }

    /// Of up to eight bytes that are not the thread's own, those that were never written: a bit each.
    fn unwritten(&mut self, address: u64, bytes: u64) -> u64 {
        let _ = (address, bytes);
        0
    }

    /// Something was found that does not end the program: a value that nobody wrote mattered, at an address or of a
    /// variable.
    fn found(&mut self, thread: &HostThread<'_>, finding: Finding, address: Option<u64>) {
        let _ = (thread, finding, address);
    }

    /// What programs call a function by that they declare and do not define.
    fn name_of(&self, function: &str) -> String {
        function.to_string()
    }

    /// Whether to stop; asked every few hundred thousand instructions.
    fn cancelled(&self) -> bool {
        false
    }
}

/// A call of a function that the program does not define, with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// As in the PTX: mangled where the function is not `extern "C"`.
    pub name: &'a str,
    /// Number of the function in its module: the same at every call of it.
    pub index: u32,
    pub(super) bytes: &'a [u8],
    /// For each argument, its start and its bytes.
    pub(super) arguments: &'a [(u32, u32)],
}

impl<'a> Call<'a> {
    /// How many arguments there are.
    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    /// The bytes of argument `n`: of a struct, or of what a variadic function was given for its
    /// dots, each value aligned to its own size (`float` as `double`, integers of 4 bytes or more).
    /// Empty where there is no such argument.
    pub fn bytes(&self, n: usize) -> &'a [u8] {
        let Some(&(start, bytes)) = self.arguments.get(n) else { return &[] };
        self.bytes.get(start as usize..(start + bytes) as usize).unwrap_or_default()
    }

    /// The first `N` bytes of argument `n`, zeros where there are fewer.
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
