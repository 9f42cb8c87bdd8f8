//! The host thread: its registers, stack and memory, and the functions that run it.

use super::compiled::Compiled;
use super::environment::{Environment, Stop};
use super::memory::HostMemory;
use super::op::{Constant, HostProgram};
use super::sweep::BulkWork;
use super::undefined::Undefined;
use crate::finding::SourceLocation;
use crate::module::Module;
use crate::run_limit::RunLimit;
use std::sync::Arc;

/// Roughly how many bytes a call moves in the time of one of the program's instructions.
const BYTES_PER_INSTRUCTION: u64 = 16;

/// The resources that a host thread may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostLimits {
    /// The size of heap and global variables, in bytes.
    pub memory_bytes: u64,
    pub stack_bytes: u64,
    /// PTX instructions, including those that calls are charged as ([`HostThread::charge`]).
    pub instructions: u64,
}

impl Default for HostLimits {
    /// 4 GiB of memory, a stack of 8 MiB as on Linux, and 50 billion (5 * 10^10) instructions.
    fn default() -> Self {
        HostLimits { memory_bytes: 4 << 30, stack_bytes: 8 << 20, instructions: 50_000_000_000 }
    }
}

/// A caller that waits for its callee to return.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallFrame {
    pub function: u32,
    /// Start of the caller's frame, in bytes.
    pub base: usize,
    /// The operation that made the call; [`EXTERNAL_CALLER`] if the call came from outside.
    pub pc: u32,
}

/// The operation of a caller that is not host code.
pub(super) const EXTERNAL_CALLER: u32 = u32::MAX;

/// The one thread that runs a program's host code.
#[derive(Debug)]
pub struct HostThread<'m> {
    pub(super) module: &'m Module,
    pub(super) program: Arc<HostProgram>,
    pub(super) limits: HostLimits,
    pub(super) memory: HostMemory,
    /// The frames of all active calls, one after the other, in units of eight bytes.
    pub(super) registers: Vec<u64>,
    /// The values of the program's constants.
    pub(super) constants: Vec<u64>,
    pub(super) call_stack: Vec<CallFrame>,
    /// The running function, its current operation, and the start of its frame in bytes.
    pub(super) function: u32,
    pub(super) pc: u32,
    pub(super) base: usize,
    /// PTX instructions executed, minus [`HostProgram::counted`] of the current operation: straight-line code
    /// leaves it as it is.
    pub(super) count: i64,
    /// The `count` at which to check limits again.
    pub(super) check_limits_at: i64,
    /// The `count` from which on loops that fill or copy memory are executed in bulk, if possible.
    pub(super) bulk_from: i64,
    pub(super) swept: BulkWork,
    /// The number of active calls from outside.
    pub(super) nested: u32,
    /// What calls were charged as, in PTX instructions.
    pub(super) charged: u64,
    /// Machine code of loops and functions, if an emitter was given.
    pub(super) compiled: Option<Box<Compiled>>,
    /// PTX instructions that machine code has executed.
    pub(super) ran_compiled: u64,
    /// The uninitialised values that are followed.
    pub(super) undefined: Undefined,
    /// The result of the call in progress.
    pub(super) result: Vec<u8>,
    /// Name of the learner's own source file: that of the function that was run first.
    own_file: Option<Arc<str>>,
    /// For each source location, whether it is in one of the learner's own files.
    own: Vec<bool>,
}

impl<'m> HostThread<'m> {
    /// Creates a thread with the module's variables in place, as host code sees them.
    ///
    /// # Errors
    /// Returns [`Stop::Limit`] if there is no memory for the variables and the stack.
    pub fn new(module: &'m Module, limits: HostLimits) -> Result<HostThread<'m>, Stop> {
        let code = &module.code;
        let memory =
            HostMemory::new(&code.variables, &code.source.locations, limits.memory_bytes, limits.stack_bytes);
        let memory = memory
            .ok_or_else(|| Stop::Limit(RunLimit::HostVariables { most_bytes: limits.memory_bytes }.into()))?;
        let program = Arc::clone(module.host_program());
        let mut thread = HostThread {
            module,
            program,
            limits,
            memory,
            registers: Vec::new(),
            constants: Vec::new(),
            call_stack: Vec::new(),
            function: 0,
            pc: EXTERNAL_CALLER,
            base: 0,
            count: 0,
            check_limits_at: 0,
            bulk_from: 0,
            swept: BulkWork::default(),
            nested: 0,
            charged: 0,
            compiled: None,
            ran_compiled: 0,
            undefined: Undefined::default(),
            result: Vec::new(),
            own_file: None,
            own: vec![true; code.source.locations.len()],
        };
        for (number, usage) in module.usage().iter().enumerate() {
            if usage.is_for_kernels() && !code.variables[number].managed {
                thread.memory.guard_variable(number as u32);
            }
        }
        thread.resolve();
        Ok(thread)
    }

    /// Runs a function by its name in the PTX and returns its result as bits. An argument is the low bytes of
    /// its `u64`; arguments that the function does not take are ignored.
    ///
    /// # Errors
    /// Returns why the thread stopped before the function returned; [`Stop::Unsupported`] if there is no such
    /// function.
    pub fn run(&mut self, env: &mut dyn Environment, function: &str, args: &[u64]) -> Result<u64, Stop> {
        let Some(address) = self.module.function_address(function) else {
            let what = format!("a call to `{function}`, which the program does not have");
            return Err(Stop::Unsupported { what, line: None });
        };
        self.call(env, address, args)
    }

    /// Sets the address of a `__managed__` variable; to be called before the first run.
    pub fn place_variable(&mut self, index: u32, address: u64) {
        self.memory.place_variable(index, address);
        self.resolve();
    }

    /// Makes any access of host code to its copy of the variable a finding, from now on: a GPU has its own
    /// copy.
    pub fn guard_variable(&mut self, index: u32) {
        self.memory.guard_variable(index);
    }

    /// Computes the constants, and writes the variables that initially hold addresses of others.
    fn resolve(&mut self) {
        let memory = &self.memory;
        let value = |constant: &Constant| match *constant {
            Constant::Bits(bits) => bits,
            Constant::Variable(number, offset) => {
                memory.address_of_variable(number).unwrap_or(0).wrapping_add(offset as u64)
            }
        };
        self.constants = self.program.constants.iter().map(value).collect();
        self.memory.write_addresses(&self.module.code.variables);
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

    /// Takes the file of the first function that is run as the learner's own, unless it is already known.
    pub(super) fn learn_own_file(&mut self, start: u32) {
        if self.own_file.is_some() {
            return;
        }
        let code = &self.module.code;
        let first = self.program.places.get(start as usize..).unwrap_or_default().iter().find(|p| **p != 0);
        let Some(first) = first.and_then(|&place| self.memory.location(place)) else { return };
        let own = |file: &Arc<str>| *file == first.file || code.source.own_files.contains(file);
        self.own = code.source.locations.iter().map(|l| own(&l.file)).collect();
        self.own_file = Some(first.file);
    }

    /// Returns the source location in progress in one of the learner's own files; failing that, the innermost
    /// that is known; 0 if there is none. It is one more than the location's index.
    pub(super) fn place(&self) -> u32 {
        let place = |pc: u32| self.program.places.get(pc as usize).copied().unwrap_or(0);
        let callers = self.call_stack.iter().rev().map(|w| w.pc);
        let mut any = 0;
        for pc in std::iter::once(self.pc).chain(callers).filter(|&pc| pc != EXTERNAL_CALLER) {
            let at = place(pc);
            if at != 0 && self.own.get(at as usize - 1) == Some(&true) {
                return at;
            }
            any = if any == 0 { at } else { any };
        }
        any
    }

    /// Returns the line in progress in the learner's own files: inlined code and functions of headers are
    /// attributed to the line that called them.
    pub fn location(&self) -> Option<SourceLocation> {
        self.memory.location(self.place())
    }

    /// Returns the active calls, innermost first: each function's name in the PTX, and the location in it.
    pub fn calls(&self) -> Vec<(&'m str, Option<SourceLocation>)> {
        let mut found = Vec::new();
        let (mut function, mut pc) = (self.function, self.pc);
        for caller in self.call_stack.iter().rev() {
            if pc != EXTERNAL_CALLER {
                let place = self.program.places.get(pc as usize).copied().unwrap_or(0);
                let name = self.module.code.functions.get(function as usize).map_or("", |f| &f.name);
                found.push((name, self.memory.location(place)));
            }
            (function, pc) = (caller.function, caller.pc);
        }
        found
    }

    /// Returns the number of PTX instructions executed so far.
    pub fn instructions(&self) -> u64 {
        let counted = self.program.counted.get(self.pc as usize).copied().unwrap_or(0);
        u64::try_from(self.count + counted as i64).unwrap_or(0)
    }

    /// Returns how much of [`HostThread::instructions`] was executed in bulk, in loops that fill or copy memory
    /// and do nothing else: a compiler turns those into calls of `memset` and `memcpy`.
    pub fn swept(&self) -> BulkWork {
        self.swept
    }

    /// Counts bytes that a call moves as a loop would, so that the program's clocks include them.
    pub fn count_moved(&mut self, bytes: u64) {
        self.swept.bytes += bytes;
    }

    /// Counts what a call costs this machine as `instructions` towards the limit, so that a loop that does
    /// nothing but call ends as soon as any other. The program's clocks do not include it.
    pub fn charge(&mut self, instructions: u64) {
        self.charged = self.charged.saturating_add(instructions);
    }

    /// Charges for the bytes that a call moves.
    pub fn charge_bytes(&mut self, bytes: u64) {
        self.charge(bytes / BYTES_PER_INSTRUCTION);
    }

    /// Sets the result of the call in progress; the last one set counts.
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
}
