//! Logic, shifts, bit fields, permutations and counts (PTX ISA 9.7.1.14 to 9.7.1.22, 9.7.8).

use super::int::Int;

/// `lop3.b32`: bit `4a + 2b + c` of the table for each bit position.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let table = table as u32;
    // Mask of bit `i` of the table, all ones or zero.
    let entry = |i: u32| 0u32.wrapping_sub((table >> i) & 1);
    let pick = |t: u32, if_set: u32, if_clear: u32| (t & if_set) | (!t & if_clear);
    let when_a_set = pick(b, pick(c, entry(7), entry(6)), pick(c, entry(5), entry(4)));
    let when_a_clear = pick(b, pick(c, entry(3), entry(2)), pick(c, entry(1), entry(0)));
    pick(a, when_a_set, when_a_clear)
}

/// `cnot`: one if `a` is zero, else zero.
#[inline(always)]
pub fn cnot<T: Int + From<bool>>(a: T) -> T {
    T::from(a == T::ZERO)
}

/// `shl`: zero once the amount reaches the width.
#[inline(always)]
pub fn shl<T: Int>(a: T, amount: u32) -> T {
    a.shift_left(amount)
}

/// `shr`: zero, or the sign for a signed type, once the amount reaches the width.
#[inline(always)]
pub fn shr<T: Int>(a: T, amount: u32) -> T {
    a.shift_right(amount)
}

/// Returns `b:a`, the 64-bit value that `shf` shifts.
#[inline(always)]
fn funnel(a: u32, b: u32) -> u64 {
    (b as u64) << 32 | a as u64
}

/// `shf.l.b32`, for an amount of at most 32.
#[inline(always)]
pub fn shf_l(a: u32, b: u32, amount: u32) -> u32 {
    ((funnel(a, b) << amount) >> 32) as u32
}

/// `shf.r.b32`, for an amount of at most 32.
#[inline(always)]
pub fn shf_r(a: u32, b: u32, amount: u32) -> u32 {
    (funnel(a, b) >> amount) as u32
}

/// `bfind.u64`, and `bfind.u32` of an extended operand: position of the highest set bit; all ones if there is none.
#[inline(always)]
pub fn bfind_u64(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

/// As [`bfind_u64`], of a signed operand: position of the highest bit that is not the sign.
#[inline(always)]
pub fn bfind_s64(a: i64) -> u32 {
    bfind_u64((a ^ (a >> 63)) as u64)
}

/// `.shiftamt` of a `bfind` of `width` bits: turns a position into the left shift that brings it to the top.
#[inline(always)]
pub fn shift_amount(position: u32, width: u32) -> u32 {
    if position == u32::MAX { position } else { (width - 1).wrapping_sub(position) }
}

/// `fns.b32`: position of the `|offset|`-th set bit of `mask` from `base`, upwards for a positive offset; all
/// ones if there is none.
#[inline]
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    // Set bits not yet visited, in the order of the search.
    let mut candidates = if offset > 0 { mask & (!0 << base) } else { mask & (!0 >> (31 - base)) };
    let skip = offset.unsigned_abs() - 1;
    if skip >= candidates.count_ones() {
        return u32::MAX;
    }
    for _ in 0..skip {
        let next = if offset > 0 { candidates.trailing_zeros() } else { 31 - candidates.leading_zeros() };
        candidates &= !(1 << next);
    }
    if offset > 0 { candidates.trailing_zeros() } else { 31 - candidates.leading_zeros() }
}

/// Returns a mask of the `width` low bits; all 32 from 32 on.
#[inline(always)]
fn low_mask_32(width: u32) -> u32 {
    !u32::MAX.shift_left(width)
}

/// Returns a mask of the `width` low bits; all 64 from 64 on.
#[inline(always)]
fn low_mask_64(width: u32) -> u64 {
    !u64::MAX.shift_left(width)
}

/// `bfe`: `length` bits from `position`; both count modulo 256. A signed type is extended from the field's top bit, or
/// from its own if the field extends beyond. (An H100 does not reduce a position or length of `bfe.u64` above 255.)
#[inline(always)]
pub fn bfe<T: Int>(a: T, position: u32, length: u32) -> T {
    szext(a.shift_right(position & 0xff), length & 0xff)
}

/// `bfi.b32`: `b` with its `length` bits from `position` on taken from the low bits of `a`.
#[inline(always)]
pub fn bfi_b32(a: u32, b: u32, position: u32, length: u32) -> u32 {
    let position = position & 0xff;
    let mask = low_mask_32(length & 0xff).shift_left(position);
    (a.shift_left(position) & mask) | (b & !mask)
}

/// Computes `bfi.b64`.
#[inline(always)]
pub fn bfi_b64(a: u64, b: u64, position: u32, length: u32) -> u64 {
    let position = position & 0xff;
    let mask = low_mask_64(length & 0xff).shift_left(position);
    (a.shift_left(position) & mask) | (b & !mask)
}

/// `bmsk.clamp.b32`: `width` set bits from `position` on.
#[inline(always)]
pub fn bmsk(position: u32, width: u32) -> u32 {
    low_mask_32(width).shift_left(position)
}

/// `szext.clamp`: the low `width` bits, extended by the sign for a signed type.
#[inline(always)]
pub fn szext<T: Int>(a: T, width: u32) -> T {
    let above = T::BITS - width.min(T::BITS);
    a.shift_left(above).shift_right(above)
}

/// The modes of `prmt.b32` that select a fixed pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permute {
    /// `.f4e`: four bytes forward from the selected one.
    Forward4,
    /// `.b4e`: four bytes backward.
    Backward4,
    /// `.rc8`: one byte to all four.
    Replicate8,
    /// `.ecl`: edge clamp left.
    ClampLeft,
    /// `.ecr`: edge clamp right.
    ClampRight,
    /// `.rc16`: one halfword to both.
    Replicate16,
}

/// `prmt.b32`: each nibble of `selector` picks one of the eight bytes of `b:a`; its top bit
/// replicates that byte's sign instead.
#[inline(always)]
pub fn prmt(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = funnel(a, b);
    let pick = |i: u32| {
        let nibble = selector >> (4 * i) & 15;
        let byte = (bytes >> ((nibble & 7) * 8)) as u8;
        let sign = (byte as i8 >> 7) as u8;
        (if nibble & 8 != 0 { sign } else { byte } as u32) << (8 * i)
    };
    pick(0) | pick(1) | pick(2) | pick(3)
}

/// `prmt.b32.mode`: the two low bits of `selector` choose the place in the pattern.
#[inline(always)]
pub fn prmt_mode(a: u32, b: u32, selector: u32, mode: Permute) -> u32 {
    // Rows of the ISA's table, as selectors of the generic form.
    let table: [u32; 4] = match mode {
        Permute::Forward4 => [0x3210, 0x4321, 0x5432, 0x6543],
        Permute::Backward4 => [0x5670, 0x6701, 0x7012, 0x0123],
        Permute::Replicate8 => [0x0000, 0x1111, 0x2222, 0x3333],
        Permute::ClampLeft => [0x3210, 0x3211, 0x3222, 0x3333],
        Permute::ClampRight => [0x0000, 0x1110, 0x2210, 0x3210],
        Permute::Replicate16 => [0x1010, 0x3232, 0x1010, 0x3232],
    };
    prmt(a, b, table[(selector & 3) as usize])
}
