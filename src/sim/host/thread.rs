//! The host thread: registers, stack, memory, and how it is asked to run.

use super::environment::{Environment, Stop};
use super::memory::{Fault, HostMemory};
use crate::sim::finding::{AccessKind, SourceLocation};
use crate::sim::module::Module;

/// What a host thread may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// Heap and global variables, in bytes.
    pub memory_bytes: u64,
    pub stack_bytes: u64,
    /// PTX instructions.
    pub instructions: u64,
}

impl Default for HostLimits {
    /// 4 GiB of memory, a stack of 8 MiB as on Linux, 50 thousand million instructions.
    fn default() -> Self {
        HostLimits { memory_bytes: 4 << 30, stack_bytes: 8 << 20, instructions: 50_000_000_000 }
    }
}

/// The one thread that runs a program's host code.
#[derive(Debug)]
pub struct HostThread<'m> {
    module: &'m Module,
    limits: HostLimits,
    memory: HostMemory,
    result: Vec<u8>,
}

impl<'m> HostThread<'m> {
    /// A thread with the module's variables in place, as host code sees them.
    pub fn new(module: &'m Module, limits: HostLimits) -> Result<HostThread<'m>, Stop> {
        Ok(HostThread { module, limits, memory: HostMemory::default(), result: Vec::new() })
    }

    /// Runs a function by its name in the PTX; what it returns, as bits. An argument is the low
    /// bytes of its `u64`; those that the function does not take are left out.
    pub fn run(&mut self, env: &mut dyn Environment, function: &str, args: &[u64]) -> Result<u64, Stop> {
        let Some(address) = self.module.function_address(function) else {
            let what = format!("a call of `{function}`, which the program does not have");
            return Err(Stop::Unsupported { what, line: None });
        };
        self.call(env, address, args)
    }

    /// Runs a function by its address; what it returns, as bits. An environment may do so in the
    /// midst of a call that it answers.
    pub fn call(&mut self, env: &mut dyn Environment, function: u64, args: &[u64]) -> Result<u64, Stop> {
        let _ = (env, function, args, self.limits);
        Err(Stop::Unsupported { what: "host code".into(), line: None })
    }

    /// Says where a `__managed__` variable lies; before the first run.
    pub fn place_variable(&mut self, index: u32, address: u64) {
        let _ = (index, address);
    }

    /// Host code that touches the variable's copy from now on is a finding: a GPU has its own.
    pub fn guard_variable(&mut self, index: u32) {
        let _ = index;
    }

    pub fn module(&self) -> &'m Module {
        self.module
    }

    pub fn memory(&self) -> &HostMemory {
        &self.memory
    }

    pub fn memory_mut(&mut self) -> &mut HostMemory {
        &mut self.memory
    }

    /// The line in the learner's own file of what is in progress: through what was inlined, and
    /// through functions of headers.
    pub fn location(&self) -> Option<SourceLocation> {
        None
    }

    /// PTX instructions run so far.
    pub fn instructions(&self) -> u64 {
        0
    }

    /// The stop for an access, or a `free`, that memory refuses, at the line in progress.
    pub fn fault(&self, fault: Fault, kind: AccessKind) -> Stop {
        let _ = (fault, kind);
        Stop::Limit(String::new())
    }

    /// What the call in progress returns.
    pub fn set_result_bytes(&mut self, bytes: &[u8]) {
        self.result.clear();
        self.result.extend_from_slice(bytes);
    }

    pub fn set_result_u32(&mut self, value: u32) {
        self.set_result_bytes(&value.to_le_bytes());
    }

    pub fn set_result_i32(&mut self, value: i32) {
        self.set_result_bytes(&value.to_le_bytes());
    }

    pub fn set_result_u64(&mut self, value: u64) {
        self.set_result_bytes(&value.to_le_bytes());
    }

    pub fn set_result_f32(&mut self, value: f32) {
        self.set_result_bytes(&value.to_le_bytes());
    }

    pub fn set_result_f64(&mut self, value: f64) {
        self.set_result_bytes(&value.to_le_bytes());
    }
}
