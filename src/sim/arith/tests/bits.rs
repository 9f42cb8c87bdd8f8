//! Bit operations against the ISA's loops, one bit at a time.

use super::super::bits::*;
use super::Random;

fn bit(word: u64, index: u32) -> u64 {
    word >> index & 1
}

/// The loop of the ISA's `bfe`, for a type of `msb + 1` bits.
fn bfe_by_loop(a: u64, position: u32, length: u32, msb: u32, signed: bool) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let sign = if !signed || length == 0 { 0 } else { bit(a, (position + length - 1).min(msb)) };
    (0..=msb).fold(0, |d, i| {
        let taken = if i < length && position + i <= msb { bit(a, position + i) } else { sign };
        d | taken << i
    })
}

fn bfi_by_loop(a: u64, b: u64, position: u32, length: u32, msb: u32) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let mut f = b;
    for i in 0..length {
        if position + i <= msb {
            f = f & !(1 << (position + i)) | bit(a, i) << (position + i);
        }
    }
    f
}

fn bmsk_by_loop(a: u32, b: u32, clamp: bool) -> u32 {
    let (a, b) = if clamp { (a, b) } else { (a & 31, b & 31) };
    (0..32).filter(|&i| i >= a && (i as u64) < a as u64 + b as u64).fold(0, |d, i| d | 1 << i)
}

fn fns_by_loop(mask: u32, base: u32, offset: i32) -> u32 {
    let mut d = u32::MAX;
    if offset == 0 {
        if mask >> base & 1 == 1 {
            d = base;
        }
        return d;
    }
    let mut position = base as i64;
    let mut count = offset.unsigned_abs() - 1;
    while (0..32).contains(&position) {
        if mask >> position & 1 == 1 {
            if count == 0 {
                d = position as u32;
                break;
            }
            count -= 1;
        }
        position += if offset > 0 { 1 } else { -1 };
    }
    d
}

#[test]
fn fields_against_loops() {
    let mut random = Random(4);
    for _ in 0..5_000 {
        let (a, b) = (random.int(), random.int());
        let (position, length) = (random.int() as u32 % 300, random.int() as u32 % 300);
        let (low, high) = (a as u32 as u64, a);
        assert_eq!(bfe(a as u32, position, length) as u64, bfe_by_loop(low, position, length, 31, false));
        assert_eq!(
            bfe(a as i32, position, length) as u32 as u64,
            bfe_by_loop(low, position, length, 31, true)
        );
        assert_eq!(bfe(high, position, length), bfe_by_loop(high, position, length, 63, false));
        assert_eq!(bfe(high as i64, position, length) as u64, bfe_by_loop(high, position, length, 63, true));
        assert_eq!(
            bfi_b32(a as u32, b as u32, position, length) as u64,
            bfi_by_loop(low, b as u32 as u64, position, length, 31)
        );
        assert_eq!(bfi_b64(a, b, position, length), bfi_by_loop(a, b, position, length, 63));
        assert_eq!(bmsk(position, length), bmsk_by_loop(position, length, true));
        assert_eq!(bmsk(position & 31, length & 31), bmsk_by_loop(position, length, false));
        let base = b as u32 & 31;
        for offset in [0, 1, -1, 2, -2, 5, -5, 31, -31, 32, -32, i32::MIN, i32::MAX] {
            assert_eq!(
                fns(a as u32, base, offset),
                fns_by_loop(a as u32, base, offset),
                "{a:x} {base} {offset}"
            );
        }
    }
    assert_eq!(bmsk(1, 2), 6);
    assert_eq!(bmsk(u32::MAX, u32::MAX), 0);
    assert_eq!([fns(0xaaaa_aaaa, 3, 1), fns(0xaaaa_aaaa, 2, 1), fns(0xaaaa_aaaa, 2, -1)], [3, 3, 1]);
    assert_eq!(fns(u32::MAX, 32, 1), u32::MAX);
}

#[test]
fn extension_by_width() {
    for width in (0..40).chain([64, u32::MAX]) {
        for a in [0u32, 1, 0x80, 0x7f, 0xdead_beef, u32::MAX, 0x8000_0000] {
            for clamp in [true, false] {
                // The ISA's formula.
                let b1 = width & 31;
                let too_large = width >= 32 && clamp;
                let mask = if too_large { 0 } else { !0u32 << b1 };
                let sign = b1 != 0 && !too_large && a >> (b1 - 1) & 1 == 1;
                let (u, s) = (a & !mask, a & !mask | if sign { mask } else { 0 });
                let got = if clamp {
                    (szext(a, width), szext(a as i32, width) as u32)
                } else {
                    (szext(a, width & 31), szext(a as i32, width & 31) as u32)
                };
                assert_eq!(got, (u, s), "{a:x} {width} {clamp}");
            }
        }
    }
}

#[test]
fn shifts_and_funnels() {
    let mut random = Random(5);
    let amounts = (0..70).chain([127, 128, 255, 256, u32::MAX]).collect::<Vec<_>>();
    for _ in 0..50 {
        let (a, b) = (random.int(), random.int());
        for &n in &amounts {
            let wide = n.min(100);
            assert_eq!(shl(a as u32, n), ((a as u32 as u128) << wide) as u32);
            assert_eq!(shl(a as u16, n), ((a as u16 as u128) << wide) as u16);
            assert_eq!(shl(a, n), (((a as u128) << wide.min(64)) & u64::MAX as u128) as u64);
            assert_eq!(shr(a as u32, n), ((a as u32 as u128) >> wide) as u32);
            assert_eq!(shr(a as i32, n), ((a as i32 as i128) >> wide) as i32);
            assert_eq!(shr(a as i16, n), ((a as i16 as i128) >> wide) as i16);
            assert_eq!(shr(a as i64, n), ((a as i64 as i128) >> wide) as i64);
            let pair = (b as u32 as u128) << 32 | a as u32 as u128;
            assert_eq!(shf_l(a as u32, b as u32, n & 31), (pair << (n & 31) >> 32) as u32);
            assert_eq!(shf_l(a as u32, b as u32, n.min(32)), (pair << n.min(32) >> 32) as u32);
            assert_eq!(shf_r(a as u32, b as u32, n & 31), (pair >> (n & 31)) as u32);
            assert_eq!(shf_r(a as u32, b as u32, n.min(32)), (pair >> n.min(32)) as u32);
        }
    }
}

#[test]
fn counts_and_positions() {
    let mut random = Random(6);
    for a in [0, 1, u64::MAX, 1 << 63].into_iter().chain((0..2000).map(|_| random.int())) {
        let highest = |word: u64, width: u32| (0..width).rev().find(|&i| bit(word, i) == 1);
        let none = u32::MAX;
        assert_eq!(bfind_u64(a), highest(a, 64).unwrap_or(none));
        assert_eq!(bfind_u64((a as u32).into()), highest(a as u32 as u64, 32).unwrap_or(none));
        let not_sign = |word: i64| if word < 0 { !word as u64 } else { word as u64 };
        assert_eq!(bfind_s64(a as i64), highest(not_sign(a as i64), 64).unwrap_or(none));
        assert_eq!(bfind_s64((a as i32).into()), highest(not_sign(a as i32 as i64), 32).unwrap_or(none));
        assert_eq!(a.count_ones(), (0..64).map(|i| bit(a, i) as u32).sum::<u32>());
        assert_eq!((a as u32).leading_zeros(), highest(a as u32 as u64, 32).map_or(32, |i| 31 - i));
        assert_eq!(a.leading_zeros(), highest(a, 64).map_or(64, |i| 63 - i));
        assert_eq!(a.reverse_bits(), (0..64).fold(0, |d, i| d | bit(a, i) << (63 - i)));
        assert_eq!((a as u32).reverse_bits(), (a << 32).reverse_bits() as u32);
        assert_eq!(cnot(a as u32), (a as u32 == 0) as u32);
    }
    assert_eq!((shift_amount(31, 32), shift_amount(0, 32), shift_amount(u32::MAX, 32)), (0, 31, u32::MAX));
    assert_eq!((shift_amount(63, 64), shift_amount(0, 64), shift_amount(u32::MAX, 64)), (0, 63, u32::MAX));
}

#[test]
fn logic_by_table() {
    let (a, b, c) = (0xf0f0_aa12, 0xcccc_5534, 0xaaaa_f056);
    for table in 0..=255u8 {
        let wanted = (0..32).fold(0, |d, i| {
            let row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
            d | (table as u32 >> row & 1) << i
        });
        assert_eq!(lop3(a, b, c, table), wanted);
    }
    assert_eq!(lop3(a, b, c, 0x80), a & b & c);
    assert_eq!(lop3(a, b, c, 0x1a), (a & b | c) ^ a);
}

#[test]
fn permutations() {
    let (a, b) = (0x8302_8100, 0x0706_8504);
    assert_eq!(prmt(a, b, 0x7654), b);
    assert_eq!(prmt(a, b, 0x3210), a);
    assert_eq!(prmt(a, b, 0xffff_0123), 0x0081_0283);
    // Signs: bytes 1, 3 and 5 are negative, byte 2 is not.
    assert_eq!(prmt(a, b, 0x9bad), 0xffff_00ff);
    assert_eq!(prmt_mode(a, b, 1, Permute::Forward4), 0x0483_0281);
    assert_eq!(prmt_mode(a, b, 1, Permute::Backward4), 0x0607_0081);
    assert_eq!(prmt_mode(a, b, 3, Permute::Replicate8), 0x8383_8383);
    assert_eq!(prmt_mode(a, b, 6, Permute::ClampLeft), 0x8302_0202);
    assert_eq!(prmt_mode(a, b, 5, Permute::ClampRight), 0x8181_8100);
    assert_eq!(prmt_mode(a, b, 1, Permute::Replicate16), 0x8302_8302);
}
