//! The host thread: registers, stack, memory, and how it is asked to run.

use super::compiled::Compiled;
use super::environment::{Environment, Stop};
use super::memory::HostMemory;
use super::op::{Constant, HostProgram};
use super::sweep::Swept;
use super::undefined::Undefined;
use crate::finding::SourceLocation;
use crate::module::Module;
use crate::run_limit::RunLimit;
use std::sync::Arc;

/// Bytes that a call moves in the time of one of the program's instructions, roughly.
const BYTES_AN_INSTRUCTION: u64 = 16;

/// What a host thread may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostLimits {
    /// Heap and global variables, in bytes.
    pub memory_bytes: u64,
    pub stack_bytes: u64,
    /// PTX instructions, and what calls are charged as.
    pub instructions: u64,
}

impl Default for HostLimits {
    /// 4 GiB of memory, a stack of 8 MiB as on Linux, 50 thousand million instructions.
    fn default() -> Self {
        HostLimits { memory_bytes: 4 << 30, stack_bytes: 8 << 20, instructions: 50_000_000_000 }
    }
}

/// A caller that waits for what it called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub function: u32,
    /// Start of its frame, in bytes.
    pub base: usize,
    /// The operation that called; [`OUTSIDE`] where the call came from outside.
    pub pc: u32,
}

/// The operation of a caller that is no host code.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The one thread that runs a program's host code.
#[derive(Debug)]
pub struct HostThread<'m> {
    pub(super) module: &'m Module,
    pub(super) program: Arc<HostProgram>,
    pub(super) limits: HostLimits,
    pub(super) memory: HostMemory,
    /// Frames, one above the other, in units of eight bytes.
    pub(super) registers: Vec<u64>,
    /// Values of the program's constants.
    pub(super) constants: Vec<u64>,
    pub(super) waiting: Vec<Waiting>,
    /// The function that runs, its operation, and the start of its frame in bytes.
    pub(super) function: u32,
    pub(super) pc: u32,
    pub(super) base: usize,
    /// Instructions run, less those of the code up to the operation that runs.
    pub(super) count: i64,
    /// `count` at which to look at limits again.
    pub(super) look_at: i64,
    /// `count` from which on rounds of loops are done together where they can be.
    pub(super) sweep_at: i64,
    pub(super) swept: Swept,
    /// Runs from outside in progress.
    pub(super) nested: u32,
    /// What calls were charged with, in instructions.
    pub(super) charged: u64,
    /// Machine code of loops and functions, where somebody makes it.
    pub(super) compiled: Option<Box<Compiled>>,
    /// Instructions that it has run.
    pub(super) ran_compiled: u64,
    /// Values from memory that nobody wrote.
    pub(super) undefined: Undefined,
    /// What the call in progress returns.
    pub(super) result: Vec<u8>,
    /// Name of the learner's own file: that of the function that was run first.
    own_file: Option<Arc<str>>,
    /// For each place in the source, whether it is in that file.
    own: Vec<bool>,
}

impl<'m> HostThread<'m> {
    /// A thread with the module's variables in place, as host code sees them.
    pub fn new(module: &'m Module, limits: HostLimits) -> Result<HostThread<'m>, Stop> {
        let code = &module.code;
        let memory =
            HostMemory::new(&code.variables, &code.locations, limits.memory_bytes, limits.stack_bytes);
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
            waiting: Vec::new(),
            function: 0,
            pc: OUTSIDE,
            base: 0,
            count: 0,
            look_at: 0,
            sweep_at: 0,
            swept: Swept::default(),
            nested: 0,
            charged: 0,
            compiled: None,
            ran_compiled: 0,
            undefined: Undefined::default(),
            result: Vec::new(),
            own_file: None,
            own: vec![true; code.locations.len()],
        };
        for (number, usage) in module.usage().iter().enumerate() {
            if usage.is_for_kernels() && !code.variables[number].managed {
                thread.memory.guard_variable(number as u32);
            }
        }
        thread.resolve();
        Ok(thread)
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

    /// Says where a `__managed__` variable lies; before the first run.
    pub fn place_variable(&mut self, index: u32, address: u64) {
        self.memory.place_variable(index, address);
        self.resolve();
    }

    /// Host code that touches the variable's copy from now on is a finding: a GPU has its own.
    pub fn guard_variable(&mut self, index: u32) {
        self.memory.guard_variable(index);
    }

    /// Works out the constants, and the variables that hold addresses of others.
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

    /// The learner's own file is that of the first function that is run.
    pub(super) fn learn_own_file(&mut self, start: u32) {
        if self.own_file.is_some() {
            return;
        }
        let code = &self.module.code;
        let first = self.program.places.get(start as usize..).unwrap_or_default().iter().find(|p| **p != 0);
        let Some(first) = first.and_then(|&place| self.memory.location(place)) else { return };
        let own = |file: &Arc<str>| *file == first.file || code.own_files.contains(file);
        self.own = code.locations.iter().map(|l| own(&l.file)).collect();
        self.own_file = Some(first.file);
    }

    /// The place in the learner's own file of what is in progress; else the innermost that is
    /// known; 0: none.
    pub(super) fn place(&self) -> u32 {
        let place = |pc: u32| self.program.places.get(pc as usize).copied().unwrap_or(0);
        let callers = self.waiting.iter().rev().map(|w| w.pc);
        let mut any = 0;
        for pc in std::iter::once(self.pc).chain(callers).filter(|&pc| pc != OUTSIDE) {
            let at = place(pc);
            if at != 0 && self.own.get(at as usize - 1) == Some(&true) {
                return at;
            }
            any = if any == 0 { at } else { any };
        }
        any
    }

    /// The line in the learner's own file of what is in progress: through what was inlined, and
    /// through functions of headers.
    pub fn location(&self) -> Option<SourceLocation> {
        self.memory.location(self.place())
    }

    /// Calls in progress, innermost first: each function's name in the PTX, and where it is.
    pub fn calls(&self) -> Vec<(&'m str, Option<SourceLocation>)> {
        let mut found = Vec::new();
        let (mut function, mut pc) = (self.function, self.pc);
        for waiting in self.waiting.iter().rev() {
            if pc != OUTSIDE {
                let place = self.program.places.get(pc as usize).copied().unwrap_or(0);
                let name = self.module.code.functions.get(function as usize).map_or("", |f| &f.name);
                found.push((name, self.memory.location(place)));
            }
            (function, pc) = (waiting.function, waiting.pc);
        }
        found
    }

    /// PTX instructions run so far.
    pub fn instructions(&self) -> u64 {
        let counted = self.program.counted.get(self.pc as usize).copied().unwrap_or(0);
        u64::try_from(self.count + counted as i64).unwrap_or(0)
    }

    /// Of [`HostThread::instructions`], those of loops that fill or copy memory and do nothing else, as far as
    /// they were done in one go: a compiler makes calls of `memset` and `memcpy` of them.
    pub fn swept(&self) -> Swept {
        self.swept
    }

    /// Counts what a call takes this machine as so many instructions towards the limit, so that a loop
    /// which does nothing but call ends as soon as one that does not. No clock of the program sees it.
    pub fn charge(&mut self, instructions: u64) {
        self.charged = self.charged.saturating_add(instructions);
    }

    /// Charges for bytes that a call moves.
    pub fn charge_bytes(&mut self, bytes: u64) {
        self.charge(bytes / BYTES_AN_INSTRUCTION);
    }

    /// What the call in progress returns; the last one given counts.
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
