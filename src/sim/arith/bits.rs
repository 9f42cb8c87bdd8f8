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

/// Computes `shf.l.wrap.b32`.
#[inline(always)]
pub fn shf_l_wrap(a: u32, b: u32, amount: u32) -> u32 {
    ((funnel(a, b) << (amount & 31)) >> 32) as u32
}

/// Computes `shf.l.clamp.b32`.
#[inline(always)]
pub fn shf_l_clamp(a: u32, b: u32, amount: u32) -> u32 {
    ((funnel(a, b) << amount.min(32)) >> 32) as u32
}

/// Computes `shf.r.wrap.b32`.
#[inline(always)]
pub fn shf_r_wrap(a: u32, b: u32, amount: u32) -> u32 {
    (funnel(a, b) >> (amount & 31)) as u32
}

/// Computes `shf.r.clamp.b32`.
#[inline(always)]
pub fn shf_r_clamp(a: u32, b: u32, amount: u32) -> u32 {
    (funnel(a, b) >> amount.min(32)) as u32
}

#[inline(always)]
pub fn popc_b32(a: u32) -> u32 {
    a.count_ones()
}

#[inline(always)]
pub fn popc_b64(a: u64) -> u32 {
    a.count_ones()
}

#[inline(always)]
pub fn clz_b32(a: u32) -> u32 {
    a.leading_zeros()
}

#[inline(always)]
pub fn clz_b64(a: u64) -> u32 {
    a.leading_zeros()
}

#[inline(always)]
pub fn brev_b32(a: u32) -> u32 {
    a.reverse_bits()
}

#[inline(always)]
pub fn brev_b64(a: u64) -> u64 {
    a.reverse_bits()
}

/// `bfind.u64`: position of the highest set bit; all ones if there is none.
#[inline(always)]
pub fn bfind_u64(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

/// Computes `bfind.u32`.
#[inline(always)]
pub fn bfind_u32(a: u32) -> u32 {
    31u32.wrapping_sub(a.leading_zeros())
}

/// `bfind.s32`: position of the highest bit that is not the sign.
#[inline(always)]
pub fn bfind_s32(a: i32) -> u32 {
    bfind_u32((a ^ (a >> 31)) as u32)
}

/// Computes `bfind.s64`.
#[inline(always)]
pub fn bfind_s64(a: i64) -> u32 {
    bfind_u64((a ^ (a >> 63)) as u64)
}

/// `.shiftamt` of a 32-bit `bfind`: turns a position into the left shift that brings it to the top.
#[inline(always)]
pub fn shift_amount_32(position: u32) -> u32 {
    if position == u32::MAX { position } else { 31u32.wrapping_sub(position) }
}

/// `.shiftamt` of a 64-bit `bfind`.
#[inline(always)]
pub fn shift_amount_64(position: u32) -> u32 {
    if position == u32::MAX { position } else { 63u32.wrapping_sub(position) }
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

/// `bfe.u32`: `length` bits from `position`; both count modulo 256.
#[inline(always)]
pub fn bfe_u32(a: u32, position: u32, length: u32) -> u32 {
    a.shift_right(position & 0xff) & low_mask_32(length & 0xff)
}

/// `bfe.u64`, according to the ISA (an H100 does not reduce a position or length above 255).
#[inline(always)]
pub fn bfe_u64(a: u64, position: u32, length: u32) -> u64 {
    a.shift_right(position & 0xff) & low_mask_64(length & 0xff)
}

/// `bfe.s32`: sign-extended from the field's top bit, or from bit 31 if the field extends beyond.
#[inline(always)]
pub fn bfe_s32(a: i32, position: u32, length: u32) -> i32 {
    let length = (length & 0xff).min(32);
    let field = a.shift_right(position & 0xff).shift_left(32 - length);
    field.shift_right(32 - length)
}

/// Computes `bfe.s64`.
#[inline(always)]
pub fn bfe_s64(a: i64, position: u32, length: u32) -> i64 {
    let length = (length & 0xff).min(64);
    let field = a.shift_right(position & 0xff).shift_left(64 - length);
    field.shift_right(64 - length)
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
pub fn bmsk_clamp(position: u32, width: u32) -> u32 {
    low_mask_32(width).shift_left(position)
}

/// `bmsk.wrap.b32`: the same with both operands modulo 32.
#[inline(always)]
pub fn bmsk_wrap(position: u32, width: u32) -> u32 {
    bmsk_clamp(position & 31, width & 31)
}

/// `szext.clamp.u32`: the low `width` bits.
#[inline(always)]
pub fn szext_clamp_u32(a: u32, width: u32) -> u32 {
    a & low_mask_32(width)
}

/// Computes `szext.wrap.u32`.
#[inline(always)]
pub fn szext_wrap_u32(a: u32, width: u32) -> u32 {
    szext_clamp_u32(a, width & 31)
}

/// `szext.clamp.s32`: the low `width` bits, sign-extended.
#[inline(always)]
pub fn szext_clamp_s32(a: i32, width: u32) -> i32 {
    let width = width.min(32);
    a.shift_left(32 - width).shift_right(32 - width)
}

/// Computes `szext.wrap.s32`.
#[inline(always)]
pub fn szext_wrap_s32(a: i32, width: u32) -> i32 {
    szext_clamp_s32(a, width & 31)
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
