//! The time of a launch on one host thread: it rises where something may be ordered.

use super::stamp::LAST_TIME;

#[derive(Debug)]
pub struct Timeline {
    now: u32,
    /// Whether an access bears the present time.
    pub used: bool,
    /// Since when which block ran.
    turns: Vec<(u32, u64)>,
    /// How often times began anew.
    pub era: u32,
}

impl Default for Timeline {
    fn default() -> Timeline {
        // Times 0 and 1 are those of nobody known.
        Timeline { now: 2, used: false, turns: Vec::new(), era: 0 }
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
        let after = self.turns.partition_point(|turn| turn.0 <= time);
        Some(self.turns.get(after.checked_sub(1)?)?.1)
    }

    pub fn begin_anew(&mut self) {
        *self = Timeline { era: self.era + 1, ..Timeline::default() };
    }
}
