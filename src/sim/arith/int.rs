//! Integer arithmetic (PTX ISA 9.7.1, 9.7.2). Everything wraps unless the name says `sat`.

/// The integer types of PTX, with the methods that the generic functions below are built from.
pub trait Int: Copy + Eq + Ord {
    const BITS: u32;
    const ZERO: Self;

    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    /// Returns the upper half of the double-width product.
    fn high_mul(self, other: Self) -> Self;
    /// Returns the quotient; all ones if `other` is zero.
    fn quotient(self, other: Self) -> Self;
    /// Returns the remainder; all ones if `other` is zero.
    fn remainder(self, other: Self) -> Self;
    /// Returns `self + other + carry`, and whether it carries as an unsigned sum.
    fn carries(self, other: Self, carry: bool) -> (Self, bool);
    /// Returns `self - other - borrow`, and whether it borrows as an unsigned difference.
    fn borrows(self, other: Self, borrow: bool) -> (Self, bool);
    /// Returns `self << amount`; zero from `BITS` on.
    fn shift_left(self, amount: u32) -> Self;
    /// Returns `self >> amount`; from `BITS` on zero, or the sign of a signed type.
    fn shift_right(self, amount: u32) -> Self;
    fn to_i128(self) -> i128;
}

/// Types whose product `mul.wide` returns in double width.
pub trait Widen: Int {
    type Wide: Int;
    fn wide_mul(self, other: Self) -> Self::Wide;
}

macro_rules! int {
    ($($t:ident $unsigned:ident $wide:ident $signed:literal;)*) => {$(
        impl Int for $t {
            const BITS: u32 = $t::BITS;
            const ZERO: $t = 0;

            #[inline(always)]
            fn wrapping_add(self, other: $t) -> $t {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn wrapping_sub(self, other: $t) -> $t {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn wrapping_mul(self, other: $t) -> $t {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn high_mul(self, other: $t) -> $t {
                ((self as $wide).wrapping_mul(other as $wide) >> $t::BITS) as $t
            }
            #[inline(always)]
            fn quotient(self, other: $t) -> $t {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn remainder(self, other: $t) -> $t {
                if other == 0 { !0 } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn carries(self, other: $t, carry: bool) -> ($t, bool) {
                let (first, c1) = (self as $unsigned).overflowing_add(other as $unsigned);
                let (sum, c2) = first.overflowing_add(carry as $unsigned);
                (sum as $t, c1 | c2)
            }
            #[inline(always)]
            fn borrows(self, other: $t, borrow: bool) -> ($t, bool) {
                let (first, b1) = (self as $unsigned).overflowing_sub(other as $unsigned);
                let (difference, b2) = first.overflowing_sub(borrow as $unsigned);
                (difference as $t, b1 | b2)
            }
            #[inline(always)]
            fn shift_left(self, amount: u32) -> $t {
                let shifted = self.wrapping_shl(amount);
                if amount < $t::BITS { shifted } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, amount: u32) -> $t {
                if $signed {
                    self.wrapping_shr(if amount < $t::BITS { amount } else { $t::BITS - 1 })
                } else {
                    let shifted = self.wrapping_shr(amount);
                    if amount < $t::BITS { shifted } else { 0 }
                }
            }
            #[inline(always)]
            fn to_i128(self) -> i128 {
                self as i128
            }
        }
    )*};
}
int! {
    u8 u8 u16 false; u16 u16 u32 false; u32 u32 u64 false; u64 u64 u128 false;
    i8 u8 i16 true; i16 u16 i32 true; i32 u32 i64 true; i64 u64 i128 true;
}

macro_rules! widen {
    ($($t:ident $wide:ident;)*) => {$(
        impl Widen for $t {
            type Wide = $wide;
            #[inline(always)]
            fn wide_mul(self, other: $t) -> $wide {
                (self as $wide).wrapping_mul(other as $wide)
            }
        }
    )*};
}
widen! { u16 u32; i16 i32; u32 u64; i32 i64; }

#[inline(always)]
pub fn add<T: Int>(a: T, b: T) -> T {
    a.wrapping_add(b)
}

#[inline(always)]
pub fn sub<T: Int>(a: T, b: T) -> T {
    a.wrapping_sub(b)
}

#[inline(always)]
pub fn mul_lo<T: Int>(a: T, b: T) -> T {
    a.wrapping_mul(b)
}

#[inline(always)]
pub fn mul_hi<T: Int>(a: T, b: T) -> T {
    a.high_mul(b)
}

#[inline(always)]
pub fn mul_wide<T: Widen>(a: T, b: T) -> T::Wide {
    a.wide_mul(b)
}

#[inline(always)]
pub fn mad_lo<T: Int>(a: T, b: T, c: T) -> T {
    a.wrapping_mul(b).wrapping_add(c)
}

#[inline(always)]
pub fn mad_hi<T: Int>(a: T, b: T, c: T) -> T {
    a.high_mul(b).wrapping_add(c)
}

#[inline(always)]
pub fn mad_wide<T: Widen>(a: T, b: T, c: T::Wide) -> T::Wide {
    a.wide_mul(b).wrapping_add(c)
}

/// `div`: all ones for a zero divisor, as on an H100 (the ISA leaves it unspecified); the smallest signed value
/// divided by -1 wraps.
#[inline(always)]
pub fn div<T: Int>(a: T, b: T) -> T {
    a.quotient(b)
}

/// `rem`: has the dividend's sign; all ones for a zero divisor, as `div`.
#[inline(always)]
pub fn rem<T: Int>(a: T, b: T) -> T {
    a.remainder(b)
}

/// `abs`; the smallest value stays as it is.
#[inline(always)]
pub fn abs<T: Int>(a: T) -> T {
    if a < T::ZERO { T::ZERO.wrapping_sub(a) } else { a }
}

#[inline(always)]
pub fn neg<T: Int>(a: T) -> T {
    T::ZERO.wrapping_sub(a)
}

#[inline(always)]
pub fn min<T: Int>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

#[inline(always)]
pub fn max<T: Int>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// `.relu`: negative results become zero.
#[inline(always)]
pub fn relu<T: Int>(a: T) -> T {
    max(a, T::ZERO)
}

/// `sad`: `c + |a - b|`
#[inline(always)]
pub fn sad<T: Int>(a: T, b: T, c: T) -> T {
    c.wrapping_add(if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) })
}

/// `add.cc`: the sum and its carry.
#[inline(always)]
pub fn add_cc<T: Int>(a: T, b: T) -> (T, bool) {
    a.carries(b, false)
}

/// `addc.cc`: the sum with a carry in, and its carry.
#[inline(always)]
pub fn addc_cc<T: Int>(a: T, b: T, carry: bool) -> (T, bool) {
    a.carries(b, carry)
}

/// `sub.cc`: the difference and the carry flag, which is clear if it borrowed.
///
/// A GPU subtracts by adding the complement, so a borrow is a missing carry; code that mixes `sub.cc` with
/// `addc` observes this.
#[inline(always)]
pub fn sub_cc<T: Int>(a: T, b: T) -> (T, bool) {
    subc_cc(a, b, true)
}

/// `subc.cc`: the difference, minus one if the carry flag is clear, and the flag as for `sub.cc`.
#[inline(always)]
pub fn subc_cc<T: Int>(a: T, b: T, carry: bool) -> (T, bool) {
    let (difference, borrow) = a.borrows(b, !carry);
    (difference, !borrow)
}

/// `madc.lo.cc` (with `carry` false `mad.lo.cc`)
#[inline(always)]
pub fn madc_lo_cc<T: Int>(a: T, b: T, c: T, carry: bool) -> (T, bool) {
    a.wrapping_mul(b).carries(c, carry)
}

/// `madc.hi.cc` (with `carry` false `mad.hi.cc`)
#[inline(always)]
pub fn madc_hi_cc<T: Int>(a: T, b: T, c: T, carry: bool) -> (T, bool) {
    a.high_mul(b).carries(c, carry)
}

/// Returns the 24 low bits of a register as a signed value.
#[inline(always)]
fn low24_s32(a: i32) -> i64 {
    ((a << 8) >> 8) as i64
}

/// Returns the 24 low bits of a register.
#[inline(always)]
fn low24_u32(a: u32) -> u64 {
    (a & 0xff_ffff) as u64
}

/// `mul24.lo.u32`: bits 31..0 of the 48-bit product.
#[inline(always)]
pub fn mul24_lo_u32(a: u32, b: u32) -> u32 {
    low24_u32(a).wrapping_mul(low24_u32(b)) as u32
}

/// `mul24.hi.u32`: bits 47..16 of the 48-bit product.
#[inline(always)]
pub fn mul24_hi_u32(a: u32, b: u32) -> u32 {
    (low24_u32(a).wrapping_mul(low24_u32(b)) >> 16) as u32
}

/// `mul24.lo.s32`: bits 31..0 of the 48-bit product.
#[inline(always)]
pub fn mul24_lo_s32(a: i32, b: i32) -> i32 {
    low24_s32(a).wrapping_mul(low24_s32(b)) as i32
}

/// `mul24.hi.s32`: bits 47..16 of the 48-bit product.
#[inline(always)]
pub fn mul24_hi_s32(a: i32, b: i32) -> i32 {
    (low24_s32(a).wrapping_mul(low24_s32(b)) >> 16) as i32
}

/// Applies an operation to both 16-bit halves: `u16x2` forms.
#[inline(always)]
pub fn packed_u16(a: u32, b: u32, op: impl Fn(u16, u16) -> u16) -> u32 {
    let low = op(a as u16, b as u16) as u32;
    let high = op((a >> 16) as u16, (b >> 16) as u16) as u32;
    high << 16 | low
}

/// Applies an operation to both 16-bit halves: `s16x2` forms.
#[inline(always)]
pub fn packed_s16(a: u32, b: u32, op: impl Fn(i16, i16) -> i16) -> u32 {
    packed_u16(a, b, |a, b| op(a as i16, b as i16) as u16)
}

/// Returns byte `index` of a register, sign-extended if `SIGNED`.
#[inline(always)]
fn byte<const SIGNED: bool>(word: u32, index: u32) -> i32 {
    let byte = (word >> (8 * index)) as u8;
    if SIGNED { byte as i8 as i32 } else { byte as i32 }
}

/// Returns halfword `index` of a register, sign-extended if `SIGNED`.
#[inline(always)]
fn half<const SIGNED: bool>(word: u32, index: u32) -> i32 {
    let half = (word >> (16 * index)) as u16;
    if SIGNED { half as i16 as i32 } else { half as i32 }
}

/// `dp4a.atype.btype`: `c` plus four products of bytes. `A` and `B` say which side is signed.
#[inline(always)]
pub fn dp4a<const A: bool, const B: bool>(a: u32, b: u32, c: u32) -> u32 {
    let product = |i| byte::<A>(a, i).wrapping_mul(byte::<B>(b, i)) as u32;
    let low = product(0).wrapping_add(product(1));
    c.wrapping_add(low).wrapping_add(product(2).wrapping_add(product(3)))
}

/// `dp2a.mode.atype.btype`: `c` plus two products of the halves of `a` with the lower
/// (`HI` false) or upper two bytes of `b`.
#[inline(always)]
pub fn dp2a<const A: bool, const B: bool, const HI: bool>(a: u32, b: u32, c: u32) -> u32 {
    let base = if HI { 2 } else { 0 };
    let product = |i| half::<A>(a, i).wrapping_mul(byte::<B>(b, base + i)) as u32;
    c.wrapping_add(product(0)).wrapping_add(product(1))
}
