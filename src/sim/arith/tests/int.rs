//! Integer operations against 128-bit arithmetic.

use super::super::int::*;
use super::Random;

/// `value` as the type of `BITS` bits holds it, back in 128 bits.
fn wrap<T: Int>(value: i128) -> i128 {
    let shift = 128 - T::BITS;
    // All bits set are below zero.
    let signed = T::ZERO.quotient(T::ZERO).to_i128() < 0;
    if signed { value << shift >> shift } else { ((value as u128) << shift >> shift) as i128 }
}

fn clamp_s32(value: i128) -> i128 {
    value.clamp(i32::MIN as i128, i32::MAX as i128)
}

fn unsigned<T: Int>(value: T) -> u128 {
    (value.to_i128() as u128) & (u128::MAX >> (128 - T::BITS))
}

macro_rules! check_type {
    ($name:ident, $t:ident) => {
        #[test]
        fn $name() {
            let mut random = Random(1);
            for _ in 0..20_000 {
                let (a, b, c) = (random.int() as $t, random.int() as $t, random.int() as $t);
                let carry = random.next() & 1 == 1;
                let (x, y, z) = (a as i128, b as i128, c as i128);
                let product = x.wrapping_mul(y);
                // For two 64-bit unsigned operands the product needs all of `u128`.
                let high = if $t::MIN == 0 {
                    ((x as u128 * y as u128) >> $t::BITS) as i128
                } else {
                    product >> $t::BITS
                };
                let holds = |got: $t, wanted: i128| {
                    assert_eq!(got as i128, wrap::<$t>(wanted), "{a} {b} {c} {carry}");
                };
                holds(add(a, b), x + y);
                holds(sub(a, b), x - y);
                holds(mul_lo(a, b), product);
                holds(mul_hi(a, b), high);
                holds(mad_lo(a, b, c), product.wrapping_add(z));
                holds(mad_hi(a, b, c), high + z);
                holds(div(a, b), if y == 0 { -1 } else { x / y });
                holds(rem(a, b), if y == 0 { -1 } else { x % y });
                holds(abs(a), x.abs());
                holds(neg(a), -x);
                holds(min(a, b), x.min(y));
                holds(max(a, b), x.max(y));
                holds(relu(a), x.max(0));
                holds(sad(a, b, c), z + (x - y).abs());

                let carry_in = carry as u128;
                let (ux, uy, uz) = (unsigned(a), unsigned(b), unsigned(c));
                let limit = 1u128 << $t::BITS;
                let (sum, out) = addc_cc(a, b, carry);
                assert_eq!((unsigned(sum), out), ((ux + uy + carry_in) % limit, ux + uy + carry_in >= limit));
                assert_eq!(add_cc(a, b), addc_cc(a, b, false));
                let (difference, out) = subc_cc(a, b, carry);
                let whole = limit + ux - uy + carry_in - 1 + limit;
                assert_eq!((unsigned(difference), out), (whole % limit, ux + carry_in > uy));
                assert_eq!(sub_cc(a, b), subc_cc(a, b, true));
                let (low, out) = madc_lo_cc(a, b, c, carry);
                let whole = unsigned(mul_lo(a, b)) + uz + carry_in;
                assert_eq!((unsigned(low), out), (whole % limit, whole >= limit));
                let (top, out) = madc_hi_cc(a, b, c, carry);
                let whole = unsigned(mul_hi(a, b)) + uz + carry_in;
                assert_eq!((unsigned(top), out), (whole % limit, whole >= limit));
            }
        }
    };
}
check_type!(u16_against_128_bits, u16);
check_type!(i16_against_128_bits, i16);
check_type!(u32_against_128_bits, u32);
check_type!(i32_against_128_bits, i32);
check_type!(u64_against_128_bits, u64);
check_type!(i64_against_128_bits, i64);

#[test]
fn wide_saturating_and_24_bit() {
    let mut random = Random(2);
    for _ in 0..20_000 {
        let (a, b, c) = (random.int(), random.int(), random.int());
        let (sa, sb, sc) = (a as i32, b as i32, c as i32);
        let (x, y, z) = (sa as i128, sb as i128, sc as i128);
        let (ux, uy) = (a as u32 as u128, b as u32 as u128);
        assert_eq!(mul_wide(sa, sb) as i128, x * y);
        assert_eq!(mul_wide(a as u32, b as u32) as u128, ux * uy);
        assert_eq!(mul_wide(a as u16, b as u16), (a as u16 as u32) * (b as u16 as u32));
        assert_eq!(mul_wide(a as i16, b as i16), (a as i16 as i32) * (b as i16 as i32));
        assert_eq!(mad_wide(sa, sb, c as i64) as i128, wrap::<i64>(x * y + c as i64 as i128));
        assert_eq!(sa.saturating_add(sb) as i128, clamp_s32(x + y));
        assert_eq!(sa.saturating_sub(sb) as i128, clamp_s32(x - y));
        assert_eq!(mul_hi(sa, sb).saturating_add(sc) as i128, clamp_s32(((x * y) >> 32) + z));

        let (sx, sy) = (wrap_24(x), wrap_24(y));
        let (ux, uy) = (ux & 0xff_ffff, uy & 0xff_ffff);
        assert_eq!(mul24_lo_u32(a as u32, b as u32), (ux * uy) as u32);
        assert_eq!(mul24_hi_u32(a as u32, b as u32), ((ux * uy) >> 16) as u32);
        assert_eq!(mul24_lo_s32(sa, sb), (sx * sy) as i32);
        assert_eq!(mul24_hi_s32(sa, sb), ((sx * sy) >> 16) as i32);
        assert_eq!(mul24_hi_s32(sa, sb).saturating_add(sc) as i128, clamp_s32(((sx * sy) >> 16) + z));
    }
}

fn wrap_24(value: i128) -> i128 {
    value << 104 >> 104
}

/// The value of `width` bits of `word` from `position` on.
fn field(word: u32, position: u32, width: u32, signed: bool) -> i64 {
    let value = (word as i64 >> position) & ((1 << width) - 1);
    if signed && value >= 1 << (width - 1) { value - (1 << width) } else { value }
}

fn dot4(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    let sum: i64 = (0..4).map(|i| field(a, 8 * i, 8, a_signed) * field(b, 8 * i, 8, b_signed)).sum();
    (sum + c as i64) as u32
}

fn dot2(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, base: u32) -> u32 {
    let sum: i64 = (0..2).map(|i| field(a, 16 * i, 16, a_signed) * field(b, base + 8 * i, 8, b_signed)).sum();
    (sum + c as i64) as u32
}

#[test]
fn dot_products_and_packed_halves() {
    let mut random = Random(3);
    for _ in 0..10_000 {
        let (a, b, c) = (random.next() as u32, random.next() as u32, random.int() as u32);
        assert_eq!(dp4a::<false, false>(a, b, c), dot4(a, b, c, false, false));
        assert_eq!(dp4a::<false, true>(a, b, c), dot4(a, b, c, false, true));
        assert_eq!(dp4a::<true, false>(a, b, c), dot4(a, b, c, true, false));
        assert_eq!(dp4a::<true, true>(a, b, c), dot4(a, b, c, true, true));
        assert_eq!(dp2a::<false, false, false>(a, b, c), dot2(a, b, c, false, false, 0));
        assert_eq!(dp2a::<true, false, false>(a, b, c), dot2(a, b, c, true, false, 0));
        assert_eq!(dp2a::<false, true, true>(a, b, c), dot2(a, b, c, false, true, 16));
        assert_eq!(dp2a::<true, true, true>(a, b, c), dot2(a, b, c, true, true, 16));

        let halves = |op: fn(i64, i64) -> i64, signed| {
            let of = |i: u32| op(field(a, 16 * i, 16, signed), field(b, 16 * i, 16, signed)) as u16 as u32;
            of(1) << 16 | of(0)
        };
        assert_eq!(packed_u16(a, b, u16::wrapping_add), halves(|x, y| x + y, true));
        assert_eq!(packed_u16(a, b, Ord::min), halves(i64::min, false));
        assert_eq!(packed_u16(a, b, Ord::max), halves(i64::max, false));
        assert_eq!(packed_s16(a, b, Ord::min), halves(i64::min, true));
        assert_eq!(packed_s16(a, b, Ord::max), halves(i64::max, true));
        assert_eq!(packed_s16(a, b, |a, b| a.min(b).max(0)), halves(|x, y| x.min(y).max(0), true));
        assert_eq!(packed_s16(a, b, |a, b| a.max(b).max(0)), halves(|x, y| x.max(y).max(0), true));
    }
}
