//! Calls: frames, arguments and results, within the program and to the environment.

use super::environment::{Call, Environment, Stop};
use super::op::{CallSite, Function, HostProgram, Target};
use super::run::get;
use super::thread::{CallFrame, EXTERNAL_CALLER, HostThread};
use crate::memory::FUNCTION_WINDOW;
use crate::run_limit::RunLimit;
use std::sync::Arc;

/// Bytes of the stack that a call takes in addition to the function's variables: what a compiler would keep
/// there.
pub(super) const CALL_BYTES: u64 = 64;

/// The most bytes that all frames may take.
const MAX_FRAME_BYTES: usize = 1 << 30;

/// The most calls from outside that may be nested: callbacks that call functions which call back.
const MAX_NESTED: u32 = 64;

/// The most bytes of arguments that are passed without an allocation.
const SMALL_ARGUMENTS: usize = 256;

impl HostThread<'_> {
    /// Runs a function by its address and returns its result as bits. An environment may call this while it
    /// serves a call itself: for `qsort` or `atexit`.
    ///
    /// # Errors
    /// Returns why the thread stopped before the function returned.
    pub fn call(&mut self, env: &mut dyn Environment, function: u64, args: &[u64]) -> Result<u64, Stop> {
        let program = Arc::clone(&self.program);
        let number = self.function_number(&program, function)?;
        let callee = &program.functions[number as usize];
        let Some(start) = callee.start else {
            let name = self.module.code.functions[number as usize].name.clone();
            return Err(Stop::UndefinedFunction { name, line: self.location() });
        };
        if self.nested >= MAX_NESTED {
            return Err(Stop::Limit(RunLimit::Callbacks { most: MAX_NESTED as usize }.into()));
        }
        self.learn_own_file(start);
        let (depth, outer) = (self.call_stack.len(), (self.function, self.pc, self.base, self.count));
        let base = match self.pc {
            EXTERNAL_CALLER => 0,
            _ => self.base + program.functions[self.function as usize].frame_bytes as usize,
        };
        self.open(&program, number, base)?;
        self.call_stack.push(CallFrame { function: self.function, base: self.base, pc: EXTERNAL_CALLER });
        let counted = self.program.counted.get(self.pc as usize).copied().unwrap_or(0);
        (self.function, self.base, self.pc) = (number, base, start);
        self.count += counted as i64 - callee.counted as i64;
        for (&(at, bytes), value) in callee.params.iter().zip(args) {
            let bytes = (bytes as usize).min(8);
            self.frame_bytes(base, at, bytes).copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        self.nested += 1;
        let done = self.execute(env);
        self.nested -= 1;
        if self.nested == 0 {
            self.write_back(env, 0..u64::MAX);
        }
        let instructions = self.instructions();
        let mut result = [0; 8];
        if done.is_ok()
            && let Some(&(at, bytes)) = callee.returns.first()
        {
            let bytes = (bytes as usize).min(8);
            result[..bytes].copy_from_slice(self.frame_bytes(base, at, bytes));
        }
        // A stop leaves frames behind.
        while self.call_stack.len() > depth {
            self.memory.leave(program.functions[self.function as usize].local_bytes);
            if let Some(caller) = self.call_stack.pop() {
                (self.function, self.base) = (caller.function, caller.base);
            }
        }
        (self.function, self.pc, self.base) = (outer.0, outer.1, outer.2);
        let counted = self.program.counted.get(self.pc as usize).copied().unwrap_or(0);
        self.count = instructions as i64 - counted as i64;
        done.map(|()| u64::from_le_bytes(result))
    }

    /// Returns bytes of the frame at `base`.
    pub(super) fn frame_bytes(&mut self, base: usize, at: u32, bytes: usize) -> &mut [u8] {
        let start = (base + at as usize).min(self.registers.len() * 8);
        let bytes = bytes.min(self.registers.len() * 8 - start);
        // SAFETY: within the registers, whose bytes are initialised.
        unsafe { std::slice::from_raw_parts_mut(self.registers.as_mut_ptr().cast::<u8>().add(start), bytes) }
    }

    /// Returns the number of the function at an address.
    fn function_number(&self, program: &HostProgram, address: u64) -> Result<u32, Stop> {
        let number = address.wrapping_sub(FUNCTION_WINDOW);
        match program.functions.get(usize::try_from(number).unwrap_or(usize::MAX)) {
            Some(function) if function.kernel => Err(self.called_kernel(number as u32)),
            Some(_) => Ok(number as u32),
            None => Err(self.bad_call(address)),
        }
    }

    /// Makes room for a function's frame at `base`, fills in its constants, and makes room for its variables.
    #[inline]
    fn open(&mut self, program: &HostProgram, number: u32, base: usize) -> Result<(), Stop> {
        let callee = &program.functions[number as usize];
        let deep = self.call_room() == 0;
        if !self.reserve_frames(base + callee.frame_bytes as usize)
            || deep
            || !self.memory.enter(callee.local_bytes)
        {
            return Err(self.stack_overflow(number, callee.local_bytes));
        }
        self.memory.close_gaps(&callee.gaps);
        self.place_constants(callee, base);
        Ok(())
    }

    /// Returns the bytes of the stack that are left, after the variables of active calls and [`CALL_BYTES`] for
    /// each.
    #[inline(always)]
    pub(super) fn call_room(&self) -> u64 {
        let room = self.limits.stack_bytes.saturating_sub(self.memory.stack_used());
        room.saturating_sub(self.call_stack.len() as u64 * CALL_BYTES)
    }

    /// Makes room for frames up to `end`, in bytes; returns whether that is within the limit.
    #[inline(always)]
    pub(super) fn reserve_frames(&mut self, end: usize) -> bool {
        if end > self.registers.len() * 8 {
            if end > MAX_FRAME_BYTES {
                return false;
            }
            let words = (end / 8 + 1).next_power_of_two();
            self.registers.resize(words.clamp(1 << 12, MAX_FRAME_BYTES / 8), 0);
        }
        true
    }

    /// Copies a function's constants into its frame at `base`, for which there must be room.
    #[inline(always)]
    pub(super) fn place_constants(&mut self, callee: &Function, base: usize) {
        let (first, last) = callee.constants;
        let constants = &self.constants[first as usize..last as usize];
        let at = base + callee.constants_start as usize;
        // SAFETY: the constants end with the frame, for which there is room; decoding placed them at a multiple
        // of eight, as frames are.
        unsafe {
            let to = self.registers.as_mut_ptr().cast::<u8>().add(at).cast::<u64>();
            std::ptr::copy_nonoverlapping(constants.as_ptr(), to, constants.len());
        }
    }

    /// Performs the call at the current operation. Afterwards the current operation is the callee's first, or
    /// the one after the call if the environment has served it.
    #[inline]
    pub(super) fn enter(
        &mut self,
        env: &mut dyn Environment,
        program: &HostProgram,
        site: u32,
    ) -> Result<(), Stop> {
        let site = &program.calls[site as usize];
        let number = match site.target {
            Target::Function(number) => number,
            Target::Register(at) => {
                // SAFETY: decoding placed the register in the frame.
                let address = unsafe { get::<u64>(self.frame(), at) };
                self.function_number(program, address)?
            }
        };
        let callee = &program.functions[number as usize];
        let Some(start) = callee.start else {
            self.call_environment(env, site, number)?;
            self.pc += 1;
            return Ok(());
        };
        let base = self.base + program.functions[self.function as usize].frame_bytes as usize;
        self.open(program, number, base)?;
        for (&(from, have), &(to, want)) in site.arguments.iter().zip(&callee.params) {
            // SAFETY: decoding placed both in their frames, for which there is room, and the caller's frame
            // lies below the callee's.
            unsafe {
                copy(
                    self.frame(),
                    from,
                    self.registers.as_mut_ptr().cast::<u8>().add(base),
                    to,
                    have.min(want),
                )
            };
        }
        // A call by address does not tell that nothing is passed for the callee's `...`.
        for &(to, bytes) in callee.params.iter().skip(site.arguments.len()) {
            self.frame_bytes(base, to, bytes as usize).fill(0);
        }
        self.call_stack.push(CallFrame { function: self.function, base: self.base, pc: self.pc });
        self.count += program.counted[self.pc as usize] as i64 - callee.counted as i64;
        (self.function, self.base, self.pc) = (number, base, start);
        Ok(())
    }

    /// Returns to the caller with the results. Afterwards the current operation is the one after the call, or
    /// [`EXTERNAL_CALLER`].
    #[inline]
    pub(super) fn leave(&mut self, program: &HostProgram) {
        let callee = &program.functions[self.function as usize];
        self.memory.leave(callee.local_bytes);
        self.count += program.counted[self.pc as usize] as i64;
        self.return_to_caller(program);
    }

    /// Returns to the caller with the results that are in the callee's frame.
    #[inline(always)]
    pub(super) fn return_to_caller(&mut self, program: &HostProgram) {
        let callee = &program.functions[self.function as usize];
        let from = self.frame();
        let Some(caller) = self.call_stack.pop() else {
            self.pc = EXTERNAL_CALLER;
            return;
        };
        (self.function, self.base, self.pc) = (caller.function, caller.base, caller.pc);
        if caller.pc == EXTERNAL_CALLER {
            return;
        }
        let to = self.frame();
        let site = &program.calls[program.ops[caller.pc as usize].target as usize];
        for (&(at, want), &(start, have)) in site.results.iter().zip(&callee.returns) {
            // SAFETY: as for arguments.
            unsafe { copy(from, start, to, at, have.min(want)) };
        }
        self.count -= program.counted[caller.pc as usize] as i64;
        self.pc = caller.pc + 1;
    }

    #[inline(never)]
    fn call_environment(
        &mut self,
        env: &mut dyn Environment,
        site: &CallSite,
        number: u32,
    ) -> Result<(), Stop> {
        let called = &self.module.code.functions[number as usize];
        if let (Target::Register(_), true) = (site.target, called.variadic) {
            let what = format!("a call of {}() by its address", called.name);
            return Err(Stop::Unsupported { what, line: self.location() });
        }
        let mut small = [0; SMALL_ARGUMENTS];
        let mut large = Vec::new();
        let bytes: &mut [u8] = match site.packed_bytes as usize {
            few if few <= SMALL_ARGUMENTS => &mut small[..few],
            many => {
                large.resize(many, 0);
                &mut large
            }
        };
        let base = self.base;
        for (&(from, count), &(to, _)) in site.arguments.iter().zip(&site.packed) {
            bytes[to as usize..(to + count) as usize].copy_from_slice(self.frame_bytes(
                base,
                from,
                count as usize,
            ));
        }
        self.result.clear();
        self.memory.place = self.place();
        let name: &str = &self.module.code.functions[number as usize].name;
        env.call(self, &Call { name, index: number, bytes, arguments: &site.packed })?;
        if let Some(&(at, want)) = site.results.first() {
            let result = std::mem::take(&mut self.result);
            let out = self.frame_bytes(base, at, want as usize);
            out.fill(0);
            let have = result.len().min(out.len());
            out[..have].copy_from_slice(&result[..have]);
            self.result = result;
        }
        Ok(())
    }
}

/// Copies bytes from one frame to another.
///
/// # Safety
/// The bytes must lie in their frames, which must not overlap.
#[inline(always)]
unsafe fn copy(from: *mut u8, start: u32, to: *mut u8, at: u32, bytes: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        let (from, to) = (from.add(start as usize), to.add(at as usize));
        match bytes {
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            _ => std::ptr::copy_nonoverlapping(from, to, bytes as usize),
        }
    }
}
