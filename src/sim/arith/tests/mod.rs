//! Edge cases and random operands against independent references.

mod approx;
mod atomic;
mod bits;
mod compare;
mod convert;
mod float;
mod h100;
mod half;
mod int;
mod rational;
mod tiny;

pub use crate::random::SplitMix64 as Random;

impl Random {
    /// Any bit pattern, with the edges of the type often met.
    pub fn f32(&mut self) -> f32 {
        let bits = self.next();
        match bits >> 60 {
            0 => EDGES_F32[(bits % EDGES_F32.len() as u64) as usize],
            // Exponents close together, so that sums cancel and round.
            1..=7 => f32::from_bits((bits as u32 & 0x807f_ffff) | (0x78 + (bits >> 40 & 15) as u32) << 23),
            // Few significant bits: ties.
            8..=9 => f32::from_bits(bits as u32 & 0xffff_f000),
            10 => f32::from_bits(bits as u32 & 0x81ff_ffff),
            _ => f32::from_bits(bits as u32),
        }
    }

    pub fn f64(&mut self) -> f64 {
        let (kind, bits) = (self.next(), self.next());
        match kind >> 60 {
            0 => EDGES_F64[(bits % EDGES_F64.len() as u64) as usize],
            1..=7 => f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | (0x3f0 + (kind & 63)) << 52),
            8..=9 => f64::from_bits(bits & 0xffff_ffff_f800_0000),
            10 => f64::from_bits(bits & 0x803f_ffff_ffff_ffff),
            _ => f64::from_bits(bits),
        }
    }

    /// Any integer of up to 64 bits, of every magnitude.
    pub fn int(&mut self) -> u64 {
        let (kind, bits) = (self.next(), self.next());
        match kind & 3 {
            0 => EDGES_INT[(bits % EDGES_INT.len() as u64) as usize],
            1 => bits >> (kind >> 58),
            2 => ((bits as i64) >> (kind >> 58)) as u64,
            _ => bits,
        }
    }
}

#[rustfmt::skip]
pub const EDGES_INT: [u64; 22] = [
    0, 1, 2, 3, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
    0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, u64::MAX - 1, u64::MAX,
];

#[rustfmt::skip]
pub const EDGES_F32: [f32; 24] = [
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, f32::MIN_POSITIVE, -f32::MIN_POSITIVE,
    f32::from_bits(1), f32::from_bits(0x8000_0001), f32::from_bits(0x007f_ffff), f32::from_bits(0x807f_ffff),
    f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::from_bits(0xff80_0001),
    1.0 + f32::EPSILON, 1.0 - f32::EPSILON / 2.0, 16777216.0,
];

#[rustfmt::skip]
pub const EDGES_F64: [f64; 24] = [
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, f64::MIN_POSITIVE, -f64::MIN_POSITIVE,
    f64::from_bits(1), f64::from_bits(0x8000_0000_0000_0001), f64::from_bits(0x000f_ffff_ffff_ffff),
    f64::from_bits(0x800f_ffff_ffff_ffff),
    f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::from_bits(0xfff0_0000_0000_0001),
    1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0, 9007199254740992.0,
];
