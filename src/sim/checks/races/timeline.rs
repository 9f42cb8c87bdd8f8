//! The time of a launch on one host thread: it rises where something may be ordered.

use super::stamp::LAST_TIME;
use std::cell::Cell;

#[derive(Debug)]
pub struct Timeline {
    now: u32,
    /// Whether an access bears the present time.
    pub used: bool,
    /// Since when which block ran.
    turns: Vec<(u32, u64)>,
    /// The turns that were asked for last: accesses to one place are mostly by the same two.
    found: Cell<[usize; 2]>,
    /// How often times began anew.
    pub era: u32,
}

impl Default for Timeline {
    fn default() -> Timeline {
        // Times 0 and 1 are those of nobody known.
        Timeline { now: 2, used: false, turns: Vec::new(), found: Cell::default(), era: 0 }
    }
}

impl Timeline {
    pub fn now(&self) -> u32 {
        self.now
    }

    /// No more times are left: they must begin anew.
    pub fn is_spent(&self) -> bool {
        self.now >= LAST_TIME - 4
    }

    /// A time after all accesses so far.
    pub fn tick(&mut self) -> u32 {
        self.now += self.used as u32;
        self.used = false;
        self.now
    }

    /// From now on the block runs.
    pub fn turn(&mut self, block: u64) -> u32 {
        let now = self.tick();
        match self.turns.last_mut() {
            // Nothing bears the time of the turn before.
            Some(last) if last.0 == now => last.1 = block,
            _ => self.turns.push((now, block)),
        }
        now
    }

    /// The block that ran at a time.
    pub fn block_at(&self, time: u32) -> Option<u64> {
        let [last, other] = self.found.get();
        let holds = |n: usize| {
            self.turns.get(n).is_some_and(|turn| turn.0 <= time)
                && self.turns.get(n + 1).is_none_or(|next| next.0 > time)
        };
        let n = match () {
            () if holds(last) => return Some(self.turns[last].1),
            () if holds(other) => other,
            () => self.turns.partition_point(|turn| turn.0 <= time).checked_sub(1)?,
        };
        self.found.set([n, last]);
        Some(self.turns[n].1)
    }

    pub fn begin_anew(&mut self) {
        *self = Timeline { era: self.era + 1, ..Timeline::default() };
    }
}
