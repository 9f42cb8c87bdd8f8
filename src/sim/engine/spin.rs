//! Detects busy waiting: a warp that repeatedly reads the same value at the same address by the same instruction
//! waits for another thread, and gives up its turn early. So does one that reads the same values at the same addresses in
//! the same order again and again, such as one that looks for a free place in a full table.
//!
//! Only loads and atomics that may see other threads' effects are observed. Mistaking a warp for waiting is never
//! wrong, only slower: the warp gets its next turn.

use super::warp::Warp;
use crate::lanes::{File, LANES, lanes_of};
use crate::memory::access::{Action, MemoryOp, SINK};
use crate::random::finalise;

/// Consecutive equal observations after which a warp counts as waiting.
const SAME: u32 = 4;

/// Most warp instructions of the block between two observations: a loop that executes more is doing work.
const NEAR_STEPS: u64 = 256;

/// Polling instructions of one waiting loop that are tracked separately.
const MOST: usize = 4;

/// The recent observations of a warp.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// For each tracked instruction its pc, and a hash of what it saw.
    seen: [(u32, u64); MOST],
    next: usize,
    same: u32,
    steps: u64,
    cycle: Cycle,
}

/// Most observations in a cycle that is recognised.
const MAX_PERIOD: u32 = 1 << 20;

/// Recognises that a sequence of observations repeats. As in Brent's algorithm, each observation is compared with a single
/// earlier one, which is replaced at growing intervals.
#[derive(Clone, Debug, Default)]
struct Cycle {
    /// The earlier observation: the pc, and a hash of what was seen there.
    earlier: (u32, u64),
    /// The number of observations since then, and a hash of them.
    since: (u32, u64),
    /// The interval after which the earlier observation is replaced.
    interval: u32,
    /// The number and the hash of the observations between the last two times that the earlier one recurred.
    period: (u32, u64),
    /// Whether the last two periods were the same.
    repeats: bool,
}

impl Cycle {
    /// Adds an observation. Returns whether it is part of a sequence that has repeated so far.
    fn note(&mut self, pc: u32, value: u64) -> bool {
        let hash = (self.since.1 ^ value ^ u64::from(pc)).wrapping_mul(KEYS[1]).rotate_left(31);
        self.since = (self.since.0 + 1, hash);
        if self.earlier == (pc, value) {
            self.repeats = self.period == self.since;
            self.period = std::mem::take(&mut self.since);
        } else if self.since.0 >= self.interval {
            let interval = if self.interval >= MAX_PERIOD { 1 } else { (self.interval * 2).max(1) };
            *self = Cycle { earlier: (pc, value), interval, ..Cycle::default() };
        } else if self.since.0 >= self.period.0 {
            self.repeats = false;
        }
        self.repeats
    }
}

impl Watch {
    /// Returns whether the last observations all repeated earlier ones.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.same >= SAME
    }

    /// Returns the pcs of the polling instructions.
    pub fn polling_pcs(&self) -> [u32; MOST] {
        self.seen.map(|(pc, _)| pc)
    }

    /// Returns the block's warp instruction count at the warp's last observation.
    pub fn last_steps(&self) -> u64 {
        self.steps
    }

    /// Returns whether the last observation repeated an earlier one.
    pub fn repeats(&self) -> bool {
        self.same > 0
    }

    /// As [`Watch::waits`], but restarts the count: another group of the warp runs next.
    pub fn take_wait(&mut self) -> bool {
        let waits = self.waits();
        if waits {
            self.same = 0;
        }
        waits
    }

    /// Records an observation. Returns whether it is new.
    fn note(&mut self, pc: u32, value: u64, steps: u64) -> bool {
        let near = steps.wrapping_sub(std::mem::replace(&mut self.steps, steps)) <= NEAR_STEPS;
        let known = self.seen.iter().position(|(at, _)| *at == pc);
        let is_cycle = self.cycle.note(pc, value);
        if is_cycle || known.is_some_and(|n| self.seen[n].1 == value) {
            self.same = if near { self.same.saturating_add(1) } else { 0 };
            return false;
        }
        let slot = known.unwrap_or(self.next);
        if known.is_none() {
            self.next = (self.next + 1) % MOST;
        }
        self.seen[slot] = (pc, value);
        self.same = 0;
        true
    }
}

/// Observes the result of a load or an atomic of the warp, executed after `steps` warp instructions of the block.
/// Returns whether it saw something new, or changed memory without returning a value.
#[inline(never)]
pub fn observe(warp: &mut Warp, pc: u32, op: &MemoryOp, mask: u32, steps: u64) -> bool {
    if matches!(op.action, Action::Store) || op.registers[0] == SINK {
        warp.watch.same = 0;
        return true;
    }
    let registers = &warp.registers;
    let mut hash = u64::from(mask);
    let mut add = |register: u32, file: File| {
        let sum = match file {
            _ if register == SINK => return,
            File::R64 => sum(mask, |lane| registers.r64(register)[lane]),
            _ => sum(mask, |lane| registers.r32(register)[lane].into()),
        };
        hash = (hash ^ sum).wrapping_mul(KEYS[0]).rotate_left(29);
    };
    add(op.base, File::R64);
    op.registers[..op.elements as usize].iter().for_each(|&register| add(register, op.file));
    if let Action::Atomic { operand, comparand, .. } = op.action {
        add(operand, op.file);
        add(comparand, op.file);
    }
    warp.watch.note(pc, hash, steps)
}

/// One odd number for each lane, so that values exchanged between lanes do not give the same sum.
const KEYS: [u64; LANES] = {
    let mut keys = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        keys[lane] = finalise(lane as u64 + 1) | 1;
        lane += 1;
    }
    keys
};

/// Returns a hash of a register's values in the lanes of `mask`.
#[inline(always)]
fn sum(mask: u32, value: impl Fn(usize) -> u64) -> u64 {
    lanes_of(mask).fold(0, |sum, lane| sum.wrapping_add(value(lane).wrapping_mul(KEYS[lane])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_that_repeats_is_a_cycle() {
        for period in [1u64, 2, 3, 64, 1000] {
            let mut cycle = Cycle::default();
            let repeats: Vec<bool> = (0..10 * period).map(|n| cycle.note(7, n % period)).collect();
            assert!(repeats[7 * period as usize..].iter().all(|&its| its), "{period}");
            assert!(!cycle.note(7, period) || period == 1 || cycle.since.0 < cycle.period.0, "{period}");
        }
    }

    #[test]
    fn a_walk_that_goes_on_is_no_cycle() {
        let mut cycle = Cycle::default();
        assert!((0..10_000).all(|n| !cycle.note(7, n)));
        // Each round takes a step more.
        let mut cycle = Cycle::default();
        assert!((1..200).flat_map(|length| 0..length).all(|n| !cycle.note(7, n)));
    }
}
