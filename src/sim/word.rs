//! The contents of registers: words of 32 or 64 bits, and the types as which instructions interpret them.

use super::arith::half::{Bf16, F16};
use super::lanes::{File, LANES, Lane, Registers};

/// The content of a register of 32 or of 64 bits.
pub trait Word: Copy + Default {
    const FILE: File;
    /// Reads the register in every lane.
    fn load(registers: &Registers, register: u32) -> &[Self; LANES];
    /// Writes the register in the active lanes.
    fn store(registers: &mut Registers, register: u32, words: &[Self; LANES]);
}

impl Word for u32 {
    const FILE: File = File::R32;
    #[inline(always)]
    fn load(registers: &Registers, register: u32) -> &[u32; LANES] {
        registers.r32(register)
    }
    #[inline(always)]
    fn store(registers: &mut Registers, register: u32, words: &[u32; LANES]) {
        registers.set32(register, words);
    }
}

impl Word for u64 {
    const FILE: File = File::R64;
    #[inline(always)]
    fn load(registers: &Registers, register: u32) -> &[u64; LANES] {
        registers.r64(register)
    }
    #[inline(always)]
    fn store(registers: &mut Registers, register: u32, words: &[u64; LANES]) {
        registers.set64(register, words);
    }
}

/// A value stored in the low bits of a word; the bits above are zero.
pub trait OfWord: Copy + Default {
    type Word: Word;
    fn of(word: Self::Word) -> Self;
    fn word(self) -> Self::Word;
}

macro_rules! of_words {
    ($($t:ty: $word:ty, $of:expr, $to:expr;)*) => { $(
        impl OfWord for $t {
            type Word = $word;
            #[inline(always)]
            fn of(word: $word) -> $t {
                $of(word)
            }
            #[inline(always)]
            fn word(self) -> $word {
                $to(self)
            }
        }
    )* };
}

of_words! {
    u32: u32, |v: u32| v, |v: u32| v;
    i32: u32, |v: u32| v as i32, |v: i32| v as u32;
    f32: u32, f32::from_bits, f32::to_bits;
    u16: u32, |v: u32| v as u16, |v: u16| v as u32;
    i16: u32, |v: u32| v as i16, |v: i16| v as u16 as u32;
    u8: u32, |v: u32| v as u8, |v: u8| v as u32;
    i8: u32, |v: u32| v as i8, |v: i8| v as u8 as u32;
    F16: u32, |v: u32| F16(v as u16), |v: F16| v.0 as u32;
    Bf16: u32, |v: u32| Bf16(v as u16), |v: Bf16| v.0 as u32;
    u64: u64, |v: u64| v, |v: u64| v;
    i64: u64, |v: u64| v as i64, |v: i64| v as u64;
    f64: u64, f64::from_bits, f64::to_bits;
}

impl<T: OfWord> Lane for T {
    const FILE: File = <T::Word as Word>::FILE;
    #[inline(always)]
    fn load(registers: &Registers, register: u32) -> [T; LANES] {
        let words = T::Word::load(registers, register);
        let mut out = [T::default(); LANES];
        for lane in 0..LANES {
            out[lane] = T::of(words[lane]);
        }
        out
    }
    #[inline(always)]
    fn store(registers: &mut Registers, register: u32, value: &[T; LANES]) {
        let mut words = [T::Word::default(); LANES];
        for lane in 0..LANES {
            words[lane] = value[lane].word();
        }
        T::Word::store(registers, register, &words);
    }
}
