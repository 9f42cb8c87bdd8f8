//! When work is done, of all the times at which it may be.

/// The order in which work is done, where the program leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// As soon as it is given.
    #[default]
    Eager,
    /// When something waits for it.
    Lazy,
    /// At any time it may be done, as the seed has it.
    Random(u64),
}

impl std::str::FromStr for Schedule {
    type Err = String;

    /// `eager`, `lazy` or `random:SEED`.
    fn from_str(text: &str) -> Result<Schedule, String> {
        match text.split_once(':') {
            None if text == "eager" => Ok(Schedule::Eager),
            None if text == "lazy" => Ok(Schedule::Lazy),
            None if text == "random" => Ok(Schedule::Random(1)),
            Some(("random", seed)) if seed.parse::<u64>().is_ok() => {
                Ok(Schedule::Random(seed.parse().unwrap_or_default()))
            }
            _ => Err(format!("`{text}` is no schedule: there are eager, lazy and random:SEED")),
        }
    }
}

/// Pseudo-random numbers: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
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
