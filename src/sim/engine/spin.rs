//! Waiting in a loop: a warp that reads the same value at the same address by the same instruction,
//! again and again, waits for somebody else, and gives its turn away early.
//!
//! Only loads and atomics that may see what other threads do are looked at. To be taken for waiting
//! is never wrong, only slower: the warp gets its next turn.

use super::warp::Warp;
use crate::lanes::{File, LANES, lanes_of};
use crate::memory::access::{Action, MemoryOp, SINK};
use crate::random::finalise;

/// Equal observations in a row after which a warp counts as waiting.
const SAME: u32 = 4;

/// Warp instructions of the block between two observations, at most: a loop that does more than
/// that is at work.
const NEAR_STEPS: u64 = 256;

/// Instructions of one waiting loop that are told apart.
const MOST: usize = 4;

/// What a warp saw lately.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Instruction, and what it saw.
    seen: [(u32, u64); MOST],
    next: usize,
    same: u32,
    steps: u64,
}

impl Watch {
    /// Whether the last observations were all known before.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.same >= SAME
    }

    /// The instructions that looked.
    pub fn looks(&self) -> [u32; MOST] {
        self.seen.map(|(pc, _)| pc)
    }

    /// How far the block had come with its warp instructions when the warp last looked.
    pub fn last_steps(&self) -> u64 {
        self.steps
    }

    /// Whether the last observation was known before.
    pub fn repeats(&self) -> bool {
        self.same > 0
    }

    /// As [`Watch::waits`], and begins anew: another group of the warp goes on.
    pub fn take_wait(&mut self) -> bool {
        let waits = self.waits();
        if waits {
            self.same = 0;
        }
        waits
    }

    /// Notes an observation; true when it is a new one.
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

/// Looks at what a load or an atomic of the warp brought, `steps` into the block's run. True when it
/// changed memory or saw something new.
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

/// One odd number for each lane, so that values that change against each other do not add up to the same.
const KEYS: [u64; LANES] = {
    let mut keys = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        keys[lane] = finalise(lane as u64 + 1) | 1;
        lane += 1;
    }
    keys
};

/// Of what a register holds in some lanes.
#[inline(always)]
fn sum(mask: u32, value: impl Fn(usize) -> u64) -> u64 {
    lanes_of(mask).fold(0, |sum, lane| sum.wrapping_add(value(lane).wrapping_mul(KEYS[lane])))
}
