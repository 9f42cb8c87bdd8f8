//! Filling and copying in one go what a loop fills or copies bit by bit.
//!
//! The loop runs as it is written; where it is about to begin another round, as many rounds are done
//! together as would all go through without anything to be said of them, and counters and the count
//! of instructions become what they would be. The round after those, the last one at least, is run as
//! written again: so all that the loop leaves behind is what it would leave, and what goes wrong
//! is met by the very access that does it.

use super::environment::{Environment, Stop};
use super::op::Op;
use super::run::{get, set};
use super::thread::HostThread;

/// What a thread's loops filled and copied in one go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Bytes written.
    pub bytes: u64,
    /// PTX instructions that the loops have for that, which [`HostThread::instructions`] counts.
    pub instructions: u64,
}

/// Fewer rounds than these are not worth it.
const FEWEST_ROUNDS: u64 = 16;
/// Bytes that are written together.
const MOST_BYTES: u64 = 1 << 20;
/// Instructions until it is tried again, where it could not be done.
const PAUSE: i64 = 1 << 12;

/// A register that a loop adds a number to, once a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Offset in the frame.
    pub register: u32,
    /// It has 64 bits; else 32.
    pub wide: bool,
    pub step: i64,
}

/// A counter as it is at the beginning of a round, with a register that the loop leaves alone and a number
/// added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterOffset {
    pub counter: Counter,
    pub plus: Option<u32>,
    pub ahead: i64,
}

/// Addresses that a loop goes through: round after round the next [`Counter::step`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Of a round's first byte.
    pub at: CounterOffset,
    /// The first access.
    pub op: u32,
}

/// The loop goes on while the value is below the register `bound` (unsigned), or else while it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    pub at: CounterOffset,
    pub bound: u32,
    pub below: bool,
}

/// What is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// The low bytes of registers, one behind the other in each round.
    Values(Vec<(u32, u32)>),
    CopyOf(Stream),
}

/// A loop that fills memory or copies it, and does nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    pub counters: Vec<Counter>,
    pub test: Test,
    pub to: Stream,
    pub put: Put,
}

impl HostThread<'_> {
    /// Before the next round of a loop: does as many of its rounds as can be done together.
    #[cold]
    #[inline(never)]
    pub(super) fn sweep(&mut self, env: &mut dyn Environment, op: &Op) -> Result<(), Stop> {
        let program = std::sync::Arc::clone(&self.program);
        let Some(sweep) = program.sweeps.get(op.operands.s[3] as usize) else { return Ok(()) };
        let here = self.pc;
        let done = self.rounds(env, sweep, op.immediate.max(1));
        self.pc = here;
        match done? {
            0 => self.sweep_at = self.count.saturating_add(PAUSE),
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

    /// A register of 64 bits or of 32.
    fn register(&mut self, register: u32, wide: bool) -> u64 {
        let frame = self.frame();
        // SAFETY: decoding placed the register in the frame.
        unsafe { if wide { get::<u64>(frame, register) } else { get::<u32>(frame, register) as u64 } }
    }

    /// Of the next round.
    fn value(&mut self, place: &CounterOffset) -> u64 {
        let wide = place.counter.wide;
        let plus = place.plus.map_or(0, |register| self.register(register, wide));
        let value = self.register(place.counter.register, wide);
        let value = value.wrapping_add(plus).wrapping_add(place.ahead as u64);
        if wide { value } else { value as u32 as u64 }
    }

    /// Rounds that surely have another behind them.
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

    /// Does rounds, of `instructions` each; gives how many.
    fn rounds(&mut self, env: &mut dyn Environment, sweep: &Sweep, instructions: i64) -> Result<u64, Stop> {
        let each = sweep.to.at.counter.step.unsigned_abs().max(1);
        if let Put::CopyOf(from) = &sweep.put {
            let (to, from) = (self.value(&sweep.to.at), self.value(&from.at));
            // One more is run as written.
            let bytes = self.rounds_to_go(&sweep.test).saturating_add(1).saturating_mul(each);
            if to != from && to.abs_diff(from) < bytes {
                env.copied_onto_itself(self);
            }
        }
        let left = self.limits.instructions.saturating_sub(self.instructions());
        let most = (left / instructions as u64).min(MOST_BYTES / each).min(self.rounds_to_go(&sweep.test));
        if most < FEWEST_ROUNDS {
            return Ok(0);
        }
        let to = self.value(&sweep.to.at);
        self.pc = sweep.to.op;
        let mut rounds = self.stretch(env, to, most * each, true) / each;
        match &sweep.put {
            Put::Values(values) => {
                if rounds < FEWEST_ROUNDS {
                    return Ok(0);
                }
                let mut round = Vec::with_capacity(each as usize);
                for &(register, bytes) in values {
                    let value = self.register(register, bytes == 8).to_le_bytes();
                    round.extend_from_slice(value.get(..bytes as usize).unwrap_or_default());
                }
                self.put(env, to, &round.repeat(rounds as usize))?;
            }
            Put::CopyOf(from) => {
                let (stream, from) = (from, self.value(&from.at));
                self.pc = stream.op;
                rounds = rounds.min(self.stretch(env, from, rounds * each, false) / each);
                let bytes = rounds * each;
                // Each round would see what the ones before it wrote.
                let sees_itself = to > from && to.wrapping_sub(from) < bytes;
                if rounds < FEWEST_ROUNDS || sees_itself {
                    return Ok(0);
                }
                let mut copied = vec![0; bytes as usize];
                if self.memory.read(from, &mut copied).is_err() {
                    env.load(self, from, &mut copied)?;
                }
                self.pc = sweep.to.op;
                self.put(env, to, &copied)?;
            }
        }
        Ok(rounds)
    }

    /// Of `bytes` at an address, those from the first on that can be had in one piece with nothing to
    /// be said of it.
    fn stretch(&mut self, env: &mut dyn Environment, address: u64, bytes: u64, write: bool) -> u64 {
        match self.memory.stretch(address, bytes) {
            0 => env.stretch(self, address, bytes, write).min(bytes),
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
