//! Chooses when work is executed, among the times at which it may be.

use sim::random::SplitMix64;

/// The order in which work is executed, where the program leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// As soon as it is enqueued.
    #[default]
    Eager,
    /// When something waits for it.
    Lazy,
    /// At any permitted time, chosen by a generator with this seed.
    Random(u64),
}

/// Makes the decisions of a schedule.
#[derive(Debug, Default)]
pub(super) struct Scheduler {
    schedule: Schedule,
    random: SplitMix64,
}

impl Scheduler {
    pub fn new(schedule: Schedule) -> Scheduler {
        let seed = if let Schedule::Random(seed) = schedule { seed } else { 0 };
        Scheduler { schedule, random: SplitMix64(seed) }
    }

    pub fn is_eager(&self) -> bool {
        self.schedule == Schedule::Eager
    }

    pub fn is_random(&self) -> bool {
        matches!(self.schedule, Schedule::Random(_))
    }

    /// Returns whether one more piece of work is executed before the host continues.
    pub fn runs_one_more(&mut self) -> bool {
        self.is_random() && self.random.below(2) == 0
    }

    /// Chooses which of `count` candidates is executed next.
    pub fn pick(&mut self, count: usize) -> usize {
        self.random.below(count)
    }
}

impl std::str::FromStr for Schedule {
    type Err = String;

    /// Parses `eager`, `lazy`, `random` (seed 1) or `random:SEED`.
    fn from_str(text: &str) -> Result<Schedule, String> {
        match text.split_once(':') {
            None if text == "eager" => Ok(Schedule::Eager),
            None if text == "lazy" => Ok(Schedule::Lazy),
            None if text == "random" => Ok(Schedule::Random(1)),
            Some(("random", seed)) if seed.parse::<u64>().is_ok() => {
                Ok(Schedule::Random(seed.parse().unwrap_or_default()))
            }
            _ => Err(format!("`{text}` is not a schedule: use eager, lazy or random:SEED")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read() {
        assert_eq!("lazy".parse(), Ok(Schedule::Lazy));
        assert_eq!("random:7".parse(), Ok(Schedule::Random(7)));
        assert!("random:x".parse::<Schedule>().is_err() && "late".parse::<Schedule>().is_err());
    }
}
