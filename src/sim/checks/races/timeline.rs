//! The logical clock of a launch on one host thread: it advances where accesses may be ordered.

use super::stamp::LAST_TIME;
use std::cell::Cell;

#[derive(Debug)]
pub struct Timeline {
    now: u32,
    /// Whether an access was stamped with the current time.
    pub used: bool,
    /// Pairs of a time and the block that has run since then, in ascending order.
    turns: Vec<(u32, u64)>,
    /// The turns that were looked up last: accesses to one place are mostly by the same two.
    found: Cell<[usize; 2]>,
    /// How often the timeline was restarted.
    pub era: u32,
}

impl Default for Timeline {
    fn default() -> Timeline {
        // Times 0 and 1 belong to no known block.
        Timeline { now: 2, used: false, turns: Vec::new(), found: Cell::default(), era: 0 }
    }
}

impl Timeline {
    pub fn now(&self) -> u32 {
        self.now
    }

    /// Returns whether the times are used up, so that the timeline must be restarted.
    pub fn is_spent(&self) -> bool {
        !self.has_left(0)
    }

    /// Returns whether there are times for a number of turns, so that it need not be restarted for them.
    pub fn has_left(&self, turns: u32) -> bool {
        self.now + turns < LAST_TIME - 4
    }

    /// Returns a time after all accesses so far.
    pub fn tick(&mut self) -> u32 {
        self.now += self.used as u32;
        self.used = false;
        self.now
    }

    /// Starts a turn of a block, and returns its time.
    pub fn turn(&mut self, block: u64) -> u32 {
        let now = self.tick();
        match self.turns.last_mut() {
            // No access was stamped during the previous turn.
            Some(last) if last.0 == now => last.1 = block,
            _ => self.turns.push((now, block)),
        }
        now
    }

    /// Returns the block that ran at a time.
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

    pub fn restart(&mut self) {
        *self = Timeline { era: self.era + 1, ..Timeline::default() };
    }
}
