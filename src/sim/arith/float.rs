//! What the float types have in common: NaN, subnormals, sign, `min` and `max`, classes.

/// A float type of PTX.
pub trait Float: Copy + PartialOrd {
    /// What arithmetic gives for NaN.
    const NAN: Self;
    const ZERO: Self;
    const ONE: Self;

    fn is_negative(self) -> bool;
    fn is_subnormal(self) -> bool;
    fn is_finite(self) -> bool;
    /// `self` with its sign bit set or cleared, NaN included.
    fn with_sign(self, negative: bool) -> Self;
}

macro_rules! float {
    ($($t:ident $bits:ident $nan:literal;)*) => {$(
        impl Float for $t {
            const NAN: $t = $t::from_bits($nan);
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;

            #[inline(always)]
            fn is_negative(self) -> bool {
                self.to_bits() >> ($bits::BITS - 1) != 0
            }
            #[inline(always)]
            fn is_subnormal(self) -> bool {
                (self.abs() < $t::MIN_POSITIVE) & (self != 0.0)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.abs() < $t::INFINITY
            }
            #[inline(always)]
            fn with_sign(self, negative: bool) -> $t {
                let sign = (negative as $bits) << ($bits::BITS - 1);
                $t::from_bits(self.to_bits() & ($bits::MAX >> 1) | sign)
            }
        }
    )*};
}
float! {
    f32 u32 0x7fff_ffff;
    f64 u64 0x7ff8_0000_0000_0000;
}

#[inline(always)]
#[allow(clippy::eq_op)]
pub fn is_nan<T: Float>(a: T) -> bool {
    a != a
}

/// Replaces any NaN by the one that arithmetic gives.
#[inline(always)]
pub fn canonical<T: Float>(a: T) -> T {
    if is_nan(a) { T::NAN } else { a }
}

/// `.ftz`: a subnormal becomes zero of the same sign.
#[inline(always)]
pub fn flush<T: Float>(a: T) -> T {
    if a.is_subnormal() { T::ZERO.with_sign(a.is_negative()) } else { a }
}

/// `flush` where `ftz`.
#[inline(always)]
pub fn flush_if<T: Float>(ftz: bool, a: T) -> T {
    if ftz { flush(a) } else { a }
}

/// `.sat`: clamps to [+0.0, 1.0]; NaN becomes +0.0.
#[inline(always)]
pub fn saturate<T: Float>(a: T) -> T {
    let low = if a > T::ZERO { a } else { T::ZERO };
    if low > T::ONE { T::ONE } else { low }
}

/// `.relu`: a negative result becomes +0.0, NaN the canonical one.
#[inline(always)]
pub fn relu<T: Float>(a: T) -> T {
    if a > T::ZERO { a } else { canonical_or(a, T::ZERO) }
}

#[inline(always)]
fn canonical_or<T: Float>(a: T, other: T) -> T {
    if is_nan(a) { T::NAN } else { other }
}

#[inline(always)]
pub fn neg<T: Float>(a: T) -> T {
    a.with_sign(!a.is_negative())
}

#[inline(always)]
pub fn abs<T: Float>(a: T) -> T {
    a.with_sign(false)
}

/// `copysign d, a, b`: the sign of `a` on the magnitude of `b`.
#[inline(always)]
pub fn copysign<T: Float>(a: T, b: T) -> T {
    b.with_sign(a.is_negative())
}

/// `min`: the other operand where one is NaN; -0.0 lies below +0.0.
#[inline(always)]
pub fn min<T: Float>(a: T, b: T) -> T {
    let takes_a = (a < b) | ((a == b) & a.is_negative()) | is_nan(b);
    canonical(if takes_a { a } else { b })
}

/// `max`: the other operand where one is NaN; +0.0 lies above -0.0.
#[inline(always)]
pub fn max<T: Float>(a: T, b: T) -> T {
    let takes_a = (a > b) | ((a == b) & !a.is_negative()) | is_nan(b);
    canonical(if takes_a { a } else { b })
}

/// `min.NaN`: NaN where either operand is.
#[inline(always)]
pub fn min_nan<T: Float>(a: T, b: T) -> T {
    if is_nan(a) | is_nan(b) { T::NAN } else { min(a, b) }
}

/// `max.NaN`: NaN where either operand is.
#[inline(always)]
pub fn max_nan<T: Float>(a: T, b: T) -> T {
    if is_nan(a) | is_nan(b) { T::NAN } else { max(a, b) }
}

/// Modifiers of `min` and `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub ftz: bool,
    /// `.NaN`
    pub nan: bool,
    /// `.xorsign.abs`: compares magnitudes and gives the product's sign.
    pub xorsign_abs: bool,
}

/// `min` with every modifier.
#[inline(always)]
pub fn min_with<T: Float>(a: T, b: T, mode: Selection) -> T {
    select_with(a, b, mode, min, min_nan)
}

/// `max` with every modifier.
#[inline(always)]
pub fn max_with<T: Float>(a: T, b: T, mode: Selection) -> T {
    select_with(a, b, mode, max, max_nan)
}

/// `min` of three operands.
#[inline(always)]
pub fn min3_with<T: Float>(a: T, b: T, c: T, mode: Selection) -> T {
    min_with(min_with(a, b, mode), c, mode)
}

/// `max` of three operands.
#[inline(always)]
pub fn max3_with<T: Float>(a: T, b: T, c: T, mode: Selection) -> T {
    max_with(max_with(a, b, mode), c, mode)
}

#[inline(always)]
fn select_with<T: Float>(
    a: T,
    b: T,
    mode: Selection,
    plain: impl Fn(T, T) -> T,
    with_nan: impl Fn(T, T) -> T,
) -> T {
    let (a, b) = (flush_if(mode.ftz, a), flush_if(mode.ftz, b));
    let negative = a.is_negative() ^ b.is_negative();
    let (x, y) = if mode.xorsign_abs { (abs(a), abs(b)) } else { (a, b) };
    let chosen = if mode.nan { with_nan(x, y) } else { plain(x, y) };
    if mode.xorsign_abs && !is_nan(chosen) { chosen.with_sign(negative) } else { chosen }
}

/// `testp.finite`
#[inline(always)]
pub fn testp_finite<T: Float>(a: T) -> bool {
    a.is_finite()
}

/// `testp.infinite`
#[inline(always)]
pub fn testp_infinite<T: Float>(a: T) -> bool {
    !a.is_finite() & !is_nan(a)
}

/// `testp.number`
#[inline(always)]
pub fn testp_number<T: Float>(a: T) -> bool {
    !is_nan(a)
}

/// `testp.notanumber`
#[inline(always)]
pub fn testp_notanumber<T: Float>(a: T) -> bool {
    is_nan(a)
}

/// `testp.normal`: zero counts as normal.
#[inline(always)]
pub fn testp_normal<T: Float>(a: T) -> bool {
    a.is_finite() & !a.is_subnormal()
}

/// `testp.subnormal`
#[inline(always)]
pub fn testp_subnormal<T: Float>(a: T) -> bool {
    a.is_subnormal()
}
