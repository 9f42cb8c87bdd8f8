//! Bulk execution of loops that fill or copy memory.
//!
//! Such a loop starts out interpreted. When it is about to begin another iteration, as many iterations are
//! executed at once as are certain to complete without a finding, and the loop's counters and the instruction
//! count are advanced accordingly. At least the last iteration is interpreted again, so that the loop leaves
//! every register as it would have anyway, and a faulty access is found at the very access that makes it.

use super::environment::{Environment, Stop};
use super::memory::mark_at;
use super::op::Op;
use super::run::{get, set};
use super::thread::HostThread;
use crate::memory::is_host_pageable;

/// What a thread's loops have filled and copied in bulk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BulkWork {
    /// Bytes written; also those that calls have moved ([`HostThread::count_moved`]).
    pub bytes: u64,
    /// PTX instructions of the loops that did so, included in [`HostThread::instructions`].
    pub instructions: u64,
}

/// Fewer iterations than this are not worth executing in bulk.
const MIN_ROUNDS: u64 = 16;
/// The most bytes to write at a time.
const MAX_BYTES: u64 = 1 << 20;
/// The number of instructions until the next attempt, after one that failed.
const PAUSE: i64 = 1 << 12;

/// A register to which a loop adds a constant once per iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Offset of the register in the frame.
    pub register: u32,
    /// Whether the register has 64 bits rather than 32.
    pub wide: bool,
    pub step: i64,
}

/// The value of a counter at the beginning of an iteration, plus a register that the loop does not change
/// (`plus`) and a constant (`ahead`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterOffset {
    pub counter: Counter,
    pub plus: Option<u32>,
    pub ahead: i64,
}

/// The addresses that a loop goes through: the next [`Counter::step`] bytes in each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Address of an iteration's first byte.
    pub at: CounterOffset,
    /// The operation that makes the iteration's first access.
    pub op: u32,
}

/// The loop's condition: it continues while the value `at` is below the register `bound` (unsigned), or, unless
/// `below`, while the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    pub at: CounterOffset,
    pub bound: u32,
    pub below: bool,
}

/// What a loop stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FillOrCopy {
    /// The low bytes of registers, one after the other in each iteration: the register's offset and the number
    /// of bytes.
    Values(Vec<(u32, u32)>),
    CopyOf(Stream),
}

/// A loop that fills or copies memory and does nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    pub counters: Vec<Counter>,
    pub test: Test,
    pub to: Stream,
    pub put: FillOrCopy,
}

impl HostThread<'_> {
    /// Executes as many of a loop's iterations in bulk as possible; called before its next iteration.
    #[cold]
    #[inline(never)]
    pub(super) fn sweep(&mut self, env: &mut dyn Environment, op: &Op) -> Result<(), Stop> {
        let program = std::sync::Arc::clone(&self.program);
        let Some(sweep) = program.sweeps.get(op.operands.s[3] as usize) else { return Ok(()) };
        let here = self.pc;
        let done = self.rounds(env, sweep, op.immediate.max(1));
        self.pc = here;
        match done? {
            0 => self.bulk_from = self.count.saturating_add(PAUSE),
            rounds => {
                let frame = self.frame();
                for counter in &sweep.counters {
                    let by = (counter.step as u64).wrapping_mul(rounds);
                    // SAFETY: decoding placed the registers in the frame.
                    unsafe {
                        if counter.wide {
                            let value = get::<u64>(frame, counter.register);
                            set(frame, counter.register, value.wrapping_add(by));
                        } else {
                            let value = get::<u32>(frame, counter.register);
                            set(frame, counter.register, value.wrapping_add(by as u32));
                        }
                    }
                }
                self.count += rounds as i64 * op.immediate;
                self.swept.instructions += rounds * op.immediate.unsigned_abs();
                self.swept.bytes += rounds * sweep.to.at.counter.step.unsigned_abs();
            }
        }
        Ok(())
    }

    /// Reads a register of 64 bits if `wide`, otherwise of 32.
    fn register(&mut self, register: u32, wide: bool) -> u64 {
        let frame = self.frame();
        // SAFETY: decoding placed the register in the frame.
        unsafe { if wide { get::<u64>(frame, register) } else { get::<u32>(frame, register) as u64 } }
    }

    /// Returns the value that `place` has in the next iteration.
    fn value(&mut self, place: &CounterOffset) -> u64 {
        let wide = place.counter.wide;
        let plus = place.plus.map_or(0, |register| self.register(register, wide));
        let value = self.register(place.counter.register, wide);
        let value = value.wrapping_add(plus).wrapping_add(place.ahead as u64);
        if wide { value } else { value as u32 as u64 }
    }

    /// Returns the number of iterations that are certain to be followed by another.
    fn rounds_to_go(&mut self, test: &Test) -> u64 {
        let wide = test.at.counter.wide;
        let (value, bound) = (self.value(&test.at), self.register(test.bound, wide));
        let step = test.at.counter.step;
        if test.below {
            let left = bound.checked_sub(1).and_then(|last| last.checked_sub(value));
            return left.map_or(0, |left| left / step.unsigned_abs().max(1) + 1);
        }
        let way = if step > 0 { bound.wrapping_sub(value) } else { value.wrapping_sub(bound) };
        let way = if wide { way } else { way as u32 as u64 };
        if step != 0 && way.is_multiple_of(step.unsigned_abs()) { way / step.unsigned_abs() } else { 0 }
    }

    /// Executes iterations of `instructions` PTX instructions each in bulk; returns how many.
    fn rounds(&mut self, env: &mut dyn Environment, sweep: &Sweep, instructions: i64) -> Result<u64, Stop> {
        let each = sweep.to.at.counter.step.unsigned_abs().max(1);
        if let FillOrCopy::CopyOf(from) = &sweep.put {
            let (to, from) = (self.value(&sweep.to.at), self.value(&from.at));
            // One more iteration is interpreted.
            let bytes = self.rounds_to_go(&sweep.test).saturating_add(1).saturating_mul(each);
            if to != from && to.abs_diff(from) < bytes {
                env.copied_onto_itself(self);
            }
        }
        let left = self.limits.instructions.saturating_sub(self.instructions());
        let most = (left / instructions as u64).min(MAX_BYTES / each).min(self.rounds_to_go(&sweep.test));
        if most < MIN_ROUNDS {
            return Ok(0);
        }
        let to = self.value(&sweep.to.at);
        self.pc = sweep.to.op;
        let mut rounds = self.accessible_bytes(env, to, most * each, true) / each;
        match &sweep.put {
            FillOrCopy::Values(values) => {
                if rounds < MIN_ROUNDS {
                    return Ok(0);
                }
                let mut round = Vec::with_capacity(each as usize);
                for &(register, bytes) in values {
                    let value = self.register(register, bytes == 8).to_le_bytes();
                    round.extend_from_slice(value.get(..bytes as usize).unwrap_or_default());
                }
                self.put(env, to, &round.repeat(rounds as usize))?;
            }
            FillOrCopy::CopyOf(from) => {
                let (stream, from) = (from, self.value(&from.at));
                self.pc = stream.op;
                rounds = rounds.min(self.accessible_bytes(env, from, rounds * each, false) / each);
                let bytes = rounds * each;
                // Each iteration would read what the ones before it wrote.
                let sees_itself = to > from && to.wrapping_sub(from) < bytes;
                if rounds < MIN_ROUNDS || sees_itself {
                    return Ok(0);
                }
                let mut copied = vec![0; bytes as usize];
                if self.memory.read(from, &mut copied).is_err() {
                    env.load(self, from, &mut copied)?;
                    if self.undefined.wanted && is_host_pageable(to) {
                        for n in env.unwritten(from, bytes).into_iter().flatten() {
                            copied[n as usize] = mark_at(to.wrapping_add(n));
                        }
                    }
                }
                self.pc = sweep.to.op;
                self.put(env, to, &copied)?;
            }
        }
        Ok(rounds)
    }

    /// Returns how many of the `bytes` from `address` on can be accessed in one piece without a finding.
    fn accessible_bytes(&mut self, env: &mut dyn Environment, address: u64, bytes: u64, write: bool) -> u64 {
        match self.memory.accessible_bytes(address, bytes) {
            0 => env.accessible_bytes(self, address, bytes, write).min(bytes),
            own => own,
        }
    }

    fn put(&mut self, env: &mut dyn Environment, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        match self.memory.write(address, bytes) {
            Ok(()) => Ok(()),
            Err(_) => env.store(self, address, bytes),
        }
    }
}
