//! Integer divisions. A GPU returns some number where there is no quotient; an x86-64 processor raises a divide error
//! (Intel SDM, volume 2, DIV and IDIV), which ends the program.

/// The type of a division or a remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    pub bits: u32,
    signed: bool,
}

/// The least packed division. Modes are smaller numbers.
const LEAST_PACKED: u32 = 16 << 1;

impl Division {
    /// Returns the division that a row performs, by the row's name; `None` if it does not divide integers.
    pub fn of(name: &str) -> Option<Division> {
        let of = name.strip_prefix("div.").or_else(|| name.strip_prefix("rem."))?;
        let (signed, bits) = match of.split_at_checked(1)? {
            ("s", bits) => (true, bits),
            ("u", bits) => (false, bits),
            _ => return None,
        };
        Some(Division { bits: bits.parse().ok().filter(|bits| [16, 32, 64].contains(bits))?, signed })
    }

    /// Packs the division into one number.
    pub fn pack(self) -> u32 {
        self.bits << 1 | u32::from(self.signed)
    }

    pub fn unpack(packed: u32) -> Division {
        Division { bits: packed >> 1, signed: packed & 1 != 0 }
    }

    /// Returns the division that is packed in an arithmetic instruction's `detail`; `None` if that is a mode.
    #[inline(always)]
    pub fn of_detail(detail: u32) -> Option<Division> {
        (detail >= LEAST_PACKED).then(|| Division::unpack(detail))
    }

    /// Interprets the low bits of a register as a number of this type.
    pub fn number(self, bits: u64) -> i128 {
        let shift = 64 - self.bits;
        if self.signed {
            i128::from((bits << shift) as i64 >> shift)
        } else {
            i128::from(bits << shift >> shift)
        }
    }

    /// Returns whether some dividend has no quotient by this divisor, given as bits.
    pub fn may_fail(self, divisor: u64) -> bool {
        matches!(self.number(divisor), -1 | 0)
    }

    /// Returns whether the quotient exists and fits the type.
    #[inline(always)]
    pub fn has_quotient(self, dividend: i128, divisor: i128) -> bool {
        // C divides a `short` as an `int`.
        let bits = self.bits.max(32);
        divisor != 0 && !(self.signed && divisor == -1 && dividend == -(1 << (bits - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_divide_integers_are_told_by_name() {
        let of = |name| Division::of(name).map(|d| (d.bits, d.signed));
        assert_eq!(of("div.s32"), Some((32, true)));
        assert_eq!(of("rem.u64"), Some((64, false)));
        for other in ["div.f32", "div.rn.f64", "mul.lo.s32", "div.full.f32", "rem.", "div.u"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn a_quotient_is_missing_for_zero_and_for_the_smallest_by_minus_one() {
        for name in ["div.s32", "div.u32", "rem.s64", "rem.u64", "div.s16"] {
            let division = Division::of(name).unwrap();
            assert_eq!(Division::unpack(division.pack()), division);
            assert!(!division.has_quotient(5, 0) && division.has_quotient(5, 1), "{name}");
        }
        let (int, long) = (Division::of("div.s32").unwrap(), Division::of("div.s64").unwrap());
        let least = |bits: u32| -(1i128 << (bits - 1));
        assert!(!int.has_quotient(least(32), -1) && int.has_quotient(least(32), 1));
        assert!(!long.has_quotient(least(64), -1) && long.has_quotient(least(32), -1));
        assert!(Division::of("div.s16").unwrap().has_quotient(least(16), -1));
        assert!(int.may_fail(0xffff_ffff) && int.may_fail(0) && !int.may_fail(7));
        assert!(!Division::of("div.u32").unwrap().may_fail(0xffff_ffff));
    }
}
