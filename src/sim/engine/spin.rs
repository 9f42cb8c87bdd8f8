//! Detects busy waiting: a warp that repeatedly reads the same value at the same address by the same instruction
//! waits for another thread, and gives up its turn early.
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
}

impl Watch {
    /// Returns whether the last observations all repeated earlier ones.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.same >= SAME
    }

    /// Returns the pcs of the polling instructions.
    pub fn looks(&self) -> [u32; MOST] {
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
        if known.is_some_and(|n| self.seen[n].1 == value) {
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
