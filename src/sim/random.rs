//! Pseudo-random numbers, the same on every machine: SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", OOPSLA 2014).

/// The increment of the state: 2⁶⁴ divided by the golden ratio.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator of pseudo-random numbers; the field is its state.
#[derive(Clone, Debug, Default)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the next 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        finalise(self.0)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Mixes a state into an output number.
pub const fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_its_published_numbers() {
        let mut random = SplitMix64(0);
        let wanted = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([(); 3].map(|()| random.next()), wanted);
    }
}
