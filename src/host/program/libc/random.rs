//! Random numbers, in the same sequences as glibc's.

use super::{Context, c_functions};
use sim::Stop;

/// The states of `rand` and of `drand48`.
#[derive(Debug)]
pub struct Random {
    /// glibc's TYPE_3: x(i) = x(i-3) + x(i-31), of which the upper 31 bits are returned.
    words: [u32; 31],
    at: usize,
    /// State of `drand48`, of 48 bits.
    linear: u64,
}

impl Default for Random {
    fn default() -> Random {
        let mut random = Random { words: [0; 31], at: 0, linear: 0 };
        random.seed(1);
        random
    }
}

impl Random {
    fn seed(&mut self, seed: u32) {
        let mut word = if seed == 0 { 1 } else { seed } as i32;
        self.words[0] = word as u32;
        for next in &mut self.words[1..] {
            // 16807 x mod 2^31-1 without overflow, as glibc computes it, also for negative seeds.
            let (high, low) = (i64::from(word / 127_773), i64::from(word % 127_773));
            let product = 16_807 * low - 2836 * high;
            word = (if product < 0 { product + 2_147_483_647 } else { product }) as i32;
            *next = word as u32;
        }
        // The first three words count as generated already.
        self.at = 3;
        for _ in 0..310 {
            self.next();
        }
    }

    fn next(&mut self) -> u32 {
        let before = self.words[(self.at + 28) % 31];
        let word = &mut self.words[self.at];
        *word = word.wrapping_add(before);
        let given = *word >> 1;
        self.at = (self.at + 1) % 31;
        given
    }

    fn next_linear(&mut self) -> u64 {
        self.linear = linear_after(self.linear);
        self.linear
    }
}

/// Returns the state of `drand48` that follows another.
fn linear_after(state: u64) -> u64 {
    state.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & ((1 << 48) - 1)
}

/// Returns a state of `drand48` as a number from 0 to below 1.
fn fraction(state: u64) -> f64 {
    state as f64 / (1u64 << 48) as f64
}

/// Returns the upper 32 bits of a state of `drand48`, as a signed number.
fn signed(state: u64) -> i64 {
    i64::from((state >> 16) as i32)
}

/// Advances the state of 48 bits in the program's memory, and returns it.
fn next_in_memory(c: &mut Context<'_, '_, '_>, at: u64) -> Result<u64, Stop> {
    let mut bytes = [0; 8];
    c.read(at, &mut bytes[..6])?;
    let state = linear_after(u64::from_le_bytes(bytes));
    c.write(at, &state.to_le_bytes()[..6])?;
    Ok(state)
}

c_functions! {
    /// Returns a number from 0 to 2³¹−1.
    fn rand(c) -> u32 {
        Ok(c.library.random.next())
    }

    /// Sets the seed.
    fn srand, srandom(c, seed: u32) {
        c.library.random.seed(seed);
        Ok(())
    }

    /// Returns the result of `rand` as a `long`.
    fn random(c) -> u64 {
        Ok(c.library.random.next().into())
    }

    /// Returns a number computed from a state in the program's memory.
    fn rand_r(c, at: u64) -> u32 {
        let mut bytes = [0; 4];
        c.read(at, &mut bytes)?;
        let mut state = u32::from_le_bytes(bytes);
        let mut number = 0;
        for (bits, modulus) in [(0, 2048), (10, 1024), (10, 1024)] {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            number = (number << bits) ^ (state / 65_536 % modulus);
        }
        c.write(at, &state.to_le_bytes())?;
        Ok(number)
    }

    /// Returns a number from 0 to below 1.
    fn drand48(c) -> f64 {
        Ok(fraction(c.library.random.next_linear()))
    }

    /// The same, from a state in the program's memory.
    fn erand48(c, at: u64) -> f64 {
        Ok(fraction(next_in_memory(c, at)?))
    }

    /// Returns a number of 31 bits.
    fn lrand48(c) -> u64 {
        Ok(c.library.random.next_linear() >> 17)
    }

    /// The same, from a state in the program's memory.
    fn nrand48(c, at: u64) -> u64 {
        Ok(next_in_memory(c, at)? >> 17)
    }

    /// Returns a signed number of 32 bits.
    fn mrand48(c) -> i64 {
        Ok(signed(c.library.random.next_linear()))
    }

    /// The same, from a state in the program's memory.
    fn jrand48(c, at: u64) -> i64 {
        Ok(signed(next_in_memory(c, at)?))
    }

    /// Sets the seed of `drand48`.
    fn srand48(c, seed: u32) {
        c.library.random.linear = u64::from(seed) << 16 | 0x330E;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, fraction};

    /// The numbers that C programs print on Linux.
    #[test]
    fn the_series_of_glibc() {
        let mut random = Random::default();
        assert_eq!(
            [0; 5].map(|_| random.next()),
            [1804289383, 846930886, 1681692777, 1714636915, 1957747793]
        );
        random.seed(42);
        assert_eq!([0; 3].map(|_| random.next()), [71876166, 708592740, 1483128881]);
        random.seed(0);
        assert_eq!(random.next(), 1804289383);
        random.seed(123456789);
        let (first, many) = (random.next(), (0..100_000).fold(0u64, |sum, _| sum + u64::from(random.next())));
        assert_eq!((first, many), (1965102536, 107_507_733_266_425));
        random.seed(3_000_000_000);
        assert_eq!(random.next(), 2058147116);
        random.linear = 1 << 16 | 0x330E;
        assert!((fraction(random.next_linear()) - 0.041_630_344_771_878).abs() < 1e-12);
    }
}
