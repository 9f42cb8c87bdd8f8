//! What the float types have in common: NaN, subnormals, sign, `min` and `max`, and classes.

/// A float type of PTX.
pub trait Float: Copy + PartialOrd {
    /// The result of an operation that has no value, such as 0/0.
    const NAN: Self;
    const ZERO: Self;
    const ONE: Self;

    fn is_negative(self) -> bool;
    /// Returns whether it is NaN, by its bits: the compiler must not treat the result of an operation as an
    /// arbitrary NaN.
    fn is_nan(self) -> bool;
    fn is_subnormal(self) -> bool;
    fn is_finite(self) -> bool;
    /// Returns `self` with its sign bit set or cleared, even if it is NaN.
    fn with_sign(self, negative: bool) -> Self;
    /// Returns the result of an operation on the NaN operand `self`: [`Float::NAN`], except that `f64` keeps
    /// the payload and only sets the quiet bit.
    fn quieted(self) -> Self;
}

macro_rules! float {
    ($($t:ident $bits:ident $nan:literal $quieted:expr;)*) => {$(
        impl Float for $t {
            const NAN: $t = $t::from_bits($nan);
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;

            #[inline(always)]
            fn is_negative(self) -> bool {
                self.to_bits() >> ($bits::BITS - 1) != 0
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.to_bits() & ($bits::MAX >> 1) > $t::INFINITY.to_bits()
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
            #[inline(always)]
            fn quieted(self) -> $t {
                let quieted: fn($bits) -> $bits = $quieted;
                $t::from_bits(quieted(self.to_bits()))
            }
        }
    )*};
}
float! {
    f32 u32 0x7fff_ffff |_| 0x7fff_ffff;
    f64 u64 0xfff8_0000_0000_0000 |bits| bits | 1 << 51;
}

#[inline(always)]
pub fn is_nan<T: Float>(a: T) -> bool {
    a.is_nan()
}

/// Replaces a NaN operand by the NaN that operations on it return.
#[inline(always)]
pub fn canonical<T: Float>(a: T) -> T {
    if is_nan(a) { a.quieted() } else { a }
}

/// `.ftz`: a subnormal becomes zero of the same sign.
#[inline(always)]
pub fn flush<T: Float>(a: T) -> T {
    if a.is_subnormal() { T::ZERO.with_sign(a.is_negative()) } else { a }
}

/// Flushes subnormals if `ftz`.
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
    let positive = if a > T::ZERO { a } else { T::ZERO };
    if is_nan(a) { T::NAN } else { positive }
}

/// `neg`: a NaN keeps its sign.
#[inline(always)]
pub fn neg<T: Float>(a: T) -> T {
    if is_nan(a) { a.quieted() } else { a.with_sign(!a.is_negative()) }
}

/// `abs`: a NaN keeps its sign.
#[inline(always)]
pub fn abs<T: Float>(a: T) -> T {
    if is_nan(a) { a.quieted() } else { a.with_sign(false) }
}

/// `copysign d, a, b`: the sign of `a` on the magnitude of `b`.
#[inline(always)]
pub fn copysign<T: Float>(a: T, b: T) -> T {
    b.with_sign(a.is_negative())
}

/// `min`: the other operand if one is NaN; -0.0 is less than +0.0.
#[inline(always)]
pub fn min<T: Float>(a: T, b: T) -> T {
    choice_or_nan((a < b) | ((a == b) & a.is_negative()), a, b)
}

/// `max`: the other operand if one is NaN; +0.0 is greater than -0.0.
#[inline(always)]
pub fn max<T: Float>(a: T, b: T) -> T {
    choice_or_nan((a > b) | ((a == b) & !a.is_negative()), a, b)
}

/// Returns `a` if it was chosen or `b` is NaN, else `b`; if both are NaN, the second one counts.
#[inline(always)]
#[allow(clippy::eq_op)]
fn choice_or_nan<T: Float>(chosen: bool, a: T, b: T) -> T {
    let choice = if chosen | (b != b) { a } else { b };
    if is_nan(choice) { b.quieted() } else { choice }
}

/// `min.NaN`: NaN if either operand is.
#[inline(always)]
pub fn min_nan<T: Float>(a: T, b: T) -> T {
    if is_nan(a) | is_nan(b) { T::NAN } else { min(a, b) }
}

/// `max.NaN`: NaN if either operand is.
#[inline(always)]
pub fn max_nan<T: Float>(a: T, b: T) -> T {
    if is_nan(a) | is_nan(b) { T::NAN } else { max(a, b) }
}

/// Modifiers of `min` and `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub ftz: bool,
    /// `.NaN`: the result is NaN if either operand is.
    pub nan: bool,
    /// `.xorsign.abs`: compares magnitudes; the result has the product's sign.
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

/// Computes `testp.finite`.
#[inline(always)]
pub fn testp_finite<T: Float>(a: T) -> bool {
    a.is_finite()
}

/// Computes `testp.infinite`.
#[inline(always)]
pub fn testp_infinite<T: Float>(a: T) -> bool {
    !a.is_finite() & !is_nan(a)
}

/// Computes `testp.number`.
#[inline(always)]
pub fn testp_number<T: Float>(a: T) -> bool {
    !is_nan(a)
}

/// Computes `testp.notanumber`.
#[inline(always)]
pub fn testp_notanumber<T: Float>(a: T) -> bool {
    is_nan(a)
}

/// `testp.normal`: zero counts as normal.
#[inline(always)]
pub fn testp_normal<T: Float>(a: T) -> bool {
    a.is_finite() & !a.is_subnormal()
}

/// Computes `testp.subnormal`.
#[inline(always)]
pub fn testp_subnormal<T: Float>(a: T) -> bool {
    a.is_subnormal()
}
