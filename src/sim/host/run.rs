//! The interpreter's loop over operations.

use super::environment::{Environment, Stop};
use super::memory::may_be_unwritten;
use super::op::{Kind, Op};
use super::thread::{EXTERNAL_CALLER, HostThread};
use crate::division::Division;
use crate::memory::LOCAL_WINDOW;
use crate::run_limit::RunLimit;
use std::sync::Arc;

/// The number of instructions between two checks of the limits.
const CHECK_LIMITS_EVERY: i64 = 1 << 18;

/// Returns the value at an offset of a frame.
///
/// # Safety
/// The value's bytes must lie in the frame.
#[inline(always)]
pub(super) unsafe fn get<T: Copy>(frame: *mut u8, at: u32) -> T {
    // SAFETY: the caller's promise; the bytes of a frame are initialised.
    unsafe { frame.add(at as usize).cast::<T>().read_unaligned() }
}

/// Writes the value at an offset of a frame.
///
/// # Safety
/// The value's bytes must lie in the frame.
#[inline(always)]
pub(super) unsafe fn set<T: Copy>(frame: *mut u8, at: u32, value: T) {
    // SAFETY: the caller's promise.
    unsafe { frame.add(at as usize).cast::<T>().write_unaligned(value) }
}

impl HostThread<'_> {
    /// Returns the frame of the running function.
    #[inline(always)]
    pub(super) fn frame(&mut self) -> *mut u8 {
        // SAFETY: `open` made room for the frame at `base`, which is 0 before the first call.
        unsafe { self.registers.as_mut_ptr().cast::<u8>().add(self.base) }
    }

    /// Runs from the current operation until the call from outside returns.
    pub(super) fn execute(&mut self, env: &mut dyn Environment) -> Result<(), Stop> {
        loop {
            self.compile();
            let ended = match self.undefined.any() {
                false => self.interpret::<false>(env)?,
                true => self.interpret::<true>(env)?,
            };
            if ended {
                return Ok(());
            }
        }
    }

    /// Runs as [`HostThread::execute`] and returns true at the end. Returns false earlier if the other mode
    /// must take over, because uninitialised values have turned up or (with `TRACKS_UNDEFINED`) none is left, or if
    /// something is due for compilation.
    fn interpret<const TRACKS_UNDEFINED: bool>(&mut self, env: &mut dyn Environment) -> Result<bool, Stop> {
        let program = Arc::clone(&self.program);
        // Machine code does not follow uninitialised values.
        let running = if TRACKS_UNDEFINED { None } else { self.running() };
        let ops = running.as_ref().map_or(&program.ops[..], |ops| &ops[..]);
        let mut pc = self.pc as usize;
        let mut frame = self.frame();
        let mut count = self.count;

        // Code outside this loop needs to know where the thread is, and may move the frames.
        macro_rules! out_of_line {
            ($body:expr) => {{
                self.pc = pc as u32;
                self.count = count;
                let done = $body;
                frame = self.frame();
                done
            }};
        }
        // Ends the run with a stop.
        macro_rules! stop {
            ($body:expr) => {{
                self.pc = pc as u32;
                self.count = count;
                return Err($body);
            }};
        }
        // Lets the other mode continue at an operation, if the reason for this one is gone.
        macro_rules! switch_mode {
            ($to:expr) => {{
                if TRACKS_UNDEFINED != self.undefined.any() {
                    self.pc = ($to) as u32;
                    self.count = count;
                    return Ok(false);
                }
            }};
        }
        macro_rules! jump {
            ($op:expr) => {{
                count += $op.immediate;
                if count >= self.check_limits_at {
                    out_of_line!(self.check_limits(env))?;
                    let due = self.sample_jump(pc as u32);
                    pc = $op.target as usize;
                    if due {
                        self.pc = pc as u32;
                        return Ok(false);
                    }
                } else {
                    pc = $op.target as usize;
                }
            }};
        }
        macro_rules! load {
            ($op:expr, $from:ty, $to:ty) => {{
                // SAFETY: decoding placed the operands in the frame; `access` returned the address of bytes
                // that may be read.
                unsafe {
                    let address = get::<u64>(frame, $op.operands.s[0]).wrapping_add($op.immediate as u64);
                    match self.memory.access(address, size_of::<$from>() as u64) {
                        Some(at) => {
                            let value = at.as_ptr().cast::<$from>().read_unaligned();
                            set::<$to>(frame, $op.operands.d, value as $to);
                            if may_be_unwritten(value as u64, size_of::<$from>()) {
                                out_of_line!(self.loaded_maybe_unwritten(env, $op, address))?;
                                switch_mode!(pc + 1);
                            }
                        }
                        None => {
                            out_of_line!(self.load_slow(env, $op, address))?;
                            switch_mode!(pc + 1);
                        }
                    }
                }
                pc += 1;
            }};
        }
        macro_rules! store {
            ($op:expr, $t:ty) => {{
                // SAFETY: as for loads.
                unsafe {
                    let address = get::<u64>(frame, $op.operands.s[0]).wrapping_add($op.immediate as u64);
                    match self.memory.access(address, size_of::<$t>() as u64) {
                        Some(at) => {
                            let value = get::<$t>(frame, $op.operands.s[1]);
                            at.as_ptr().cast::<$t>().write_unaligned(value);
                        }
                        None => out_of_line!(self.store_slow(env, $op, address))?,
                    }
                }
                pc += 1;
            }};
        }

        // Decoding placed every operand in the frame, for which `open` made room.
        macro_rules! row {
            ($op:expr) => {
                // SAFETY: the operands are in the frame; `run` is a build that the processor supports.
                unsafe { ($op.run)(frame, &$op.operands) }
            };
        }
        macro_rules! read {
            ($t:ty, $at:expr) => {
                // SAFETY: the value is in the frame.
                unsafe { get::<$t>(frame, $at) }
            };
        }
        macro_rules! write {
            ($at:expr, $value:expr) => {{
                let value = $value;
                // SAFETY: the value is in the frame.
                unsafe { set(frame, $at, value) }
            }};
        }

        let mut op: &Op = &ops[pc];
        loop {
            if TRACKS_UNDEFINED {
                out_of_line!(self.follow(env, op, &program))?;
                switch_mode!(pc);
            }
            match op.kind {
                Kind::Row => {
                    row!(op);
                    pc += 1;
                }
                Kind::RowBranchIf => {
                    row!(op);
                    if read!(u8, op.operands.d) != 0 {
                        jump!(op);
                    } else {
                        pc += 1;
                    }
                }
                Kind::RowBranchUnless => {
                    row!(op);
                    if read!(u8, op.operands.d) == 0 {
                        jump!(op);
                    } else {
                        pc += 1;
                    }
                }
                Kind::SweepIf | Kind::SweepUnless => {
                    row!(op);
                    let holds = read!(u8, op.operands.d) != 0;
                    if holds == (op.kind == Kind::SweepIf) {
                        jump!(op);
                        if count >= self.bulk_from {
                            out_of_line!(self.sweep(env, op))?;
                            count = self.count;
                        }
                    } else {
                        pc += 1;
                    }
                }
                Kind::Divide => {
                    let division = Division::unpack(op.target);
                    // SAFETY: decoding placed both operands in the frame.
                    let (dividend, divisor) = unsafe { division.operands(frame, &op.operands) };
                    if !division.has_quotient(dividend, divisor) {
                        stop!(self.bad_division(dividend, divisor));
                    }
                    row!(op);
                    pc += 1;
                }
                Kind::Move32 => {
                    write!(op.operands.d, read!(u32, op.operands.s[0]));
                    pc += 1;
                }
                Kind::Move64 => {
                    write!(op.operands.d, read!(u64, op.operands.s[0]));
                    pc += 1;
                }
                Kind::Branch => jump!(op),
                Kind::BranchIf => {
                    if read!(u8, op.operands.s[0]) != 0 {
                        jump!(op);
                    } else {
                        pc += 1;
                    }
                }
                Kind::BranchUnless => {
                    if read!(u8, op.operands.s[0]) == 0 {
                        jump!(op);
                    } else {
                        pc += 1;
                    }
                }
                Kind::Load8To32 => load!(op, u8, u32),
                Kind::LoadSigned8To32 => load!(op, i8, i32),
                Kind::Load16To32 => load!(op, u16, u32),
                Kind::LoadSigned16To32 => load!(op, i16, i32),
                Kind::Load32 => load!(op, u32, u32),
                Kind::Load64 => load!(op, u64, u64),
                Kind::LoadTo64 => {
                    match op.operands.detail {
                        1 => load!(op, u8, u64),
                        2 => load!(op, u16, u64),
                        4 => load!(op, u32, u64),
                        17 => load!(op, i8, i64),
                        18 => load!(op, i16, i64),
                        _ => load!(op, i32, i64),
                    };
                }
                Kind::Store8 => store!(op, u8),
                Kind::Store16 => store!(op, u16),
                Kind::Store32 => store!(op, u32),
                Kind::Store64 => store!(op, u64),
                Kind::BranchIndexed => {
                    let table = &program.tables[op.target as usize];
                    let index = read!(u32, op.operands.s[0]) as usize;
                    // PTX leaves the behaviour of an index past the table undefined; here it takes the last
                    // entry.
                    let Some(&(target, counted)) = table.get(index).or(table.last()) else {
                        stop!(self.trapped());
                    };
                    count += counted;
                    if count >= self.check_limits_at {
                        out_of_line!(self.check_limits(env))?;
                    }
                    pc = target as usize;
                }
                Kind::Call => {
                    let call = pc as u32;
                    out_of_line!(self.enter(env, &program, op.target))?;
                    pc = self.pc as usize;
                    count = self.count;
                    if count >= self.check_limits_at {
                        out_of_line!(self.check_limits(env))?;
                        if self.sample_call(call) && !TRACKS_UNDEFINED {
                            return Ok(false);
                        }
                    }
                }
                Kind::Return => {
                    out_of_line!(self.leave(&program));
                    pc = self.pc as usize;
                    count = self.count;
                    if self.pc == EXTERNAL_CALLER {
                        return Ok(true);
                    }
                }
                Kind::LocalAddress => {
                    let address = self.memory.stack_pointer().wrapping_add(op.immediate as u64);
                    write!(op.operands.d, address.wrapping_sub(LOCAL_WINDOW));
                    pc += 1;
                }
                Kind::Atomic => {
                    out_of_line!(self.atomic(env, &program.atomics[op.target as usize]))?;
                    pc += 1;
                }
                Kind::Unset => {
                    out_of_line!(self.unset(op));
                    pc += 1;
                    switch_mode!(pc);
                }
                Kind::IsSpace => {
                    let address = read!(u64, op.operands.s[0]);
                    let is = super::access::is_space(address, op.operands.detail);
                    write!(op.operands.d, is as u8);
                    pc += 1;
                }
                Kind::Clock => {
                    let value = out_of_line!(env.clock(self, op.operands.detail == 2));
                    match op.operands.detail {
                        0 => write!(op.operands.d, value as u32),
                        _ => write!(op.operands.d, value),
                    }
                    pc += 1;
                }
                Kind::Exit => stop!(Stop::Exit(0)),
                Kind::Trap => stop!(self.trapped()),
                Kind::DeviceOnly => {
                    let what = program.device_only[op.target as usize];
                    stop!(self.device_only(what));
                }
                Kind::Unsupported => {
                    let what = program.unsupported[op.target as usize].clone();
                    stop!(Stop::Unsupported { what, line: self.location() });
                }
                Kind::Compiled => {
                    out_of_line!(self.run_compiled(op, &program));
                    pc = self.pc as usize;
                    count = self.count;
                    if self.pc == EXTERNAL_CALLER {
                        return Ok(true);
                    }
                    if self.is_compiling_due() {
                        return Ok(false);
                    }
                    // The code has exited before this operation, which the interpreter executes.
                    op = &program.ops[pc];
                    continue;
                }
            }
            op = &ops[pc];
        }
    }

    /// Checks what may end a run: the limit on instructions, and cancellation.
    #[cold]
    #[inline(never)]
    fn check_limits(&mut self, env: &mut dyn Environment) -> Result<(), Stop> {
        self.check_limits_at = self.count.saturating_add(CHECK_LIMITS_EVERY);
        if self.instructions().saturating_add(self.charged) > self.limits.instructions {
            let (most, calls) = (self.limits.instructions, self.charged != 0);
            return Err(self.limit(RunLimit::HostInstructions { most, calls }));
        }
        if env.cancelled() {
            return Err(Stop::Cancelled);
        }
        Ok(())
    }
}
