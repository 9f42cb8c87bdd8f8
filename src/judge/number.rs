//! Numbers that people write as answers, compared exactly with measured ones.

use crate::course::Tolerance;

/// Largest number of digits in an answer, including those that its exponent adds.
const MAX_DIGITS: usize = 18;

/// A ratio of two integers with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    over: i128,
    under: i128,
}

impl Ratio {
    /// Creates the ratio `over / under`; `None` if `under` is zero.
    pub fn new(over: i64, under: i64) -> Option<Ratio> {
        let sign = i128::from(under.signum());
        (under != 0).then(|| Ratio { over: i128::from(over) * sign, under: i128::from(under) * sign })
    }

    /// Parses `32`, `4 096`, `4_096`, `0.25`, `1.9e3`, `1/12`, `3 3/4`, each optionally followed by `unit`, in which µ may
    /// be typed as u. Returns `None` for anything else.
    pub fn parse(text: &str, unit: Option<&str>) -> Option<Ratio> {
        let text = text.trim();
        let without = |unit: &str| text.strip_suffix(unit).or(text.strip_suffix(&*unit.replace('µ', "u")));
        let bare = unit.and_then(without).unwrap_or(text);
        let Some((over, under)) = bare.split_once('/') else { return decimal(bare) };
        let under = decimal(under)?;
        match (decimal(over), over.trim().rsplit_once(' ')) {
            (Some(over), _) => over.divided_by(under),
            (None, Some((whole, over))) => {
                let (whole, part) = (decimal(whole)?, decimal(over)?.divided_by(under)?);
                let (over, under) =
                    (whole.over.checked_mul(part.under)?, whole.under.checked_mul(part.under)?);
                let more = part.over.checked_mul(whole.under)?;
                let over = if whole.over < 0 { over.checked_sub(more) } else { over.checked_add(more) };
                Some(Ratio { over: over?, under })
            }
            (None, None) => None,
        }
    }

    fn divided_by(self, other: Ratio) -> Option<Ratio> {
        // With at most 18 digits each, products of two numbers fit in 128 bits.
        let sign = other.over.signum();
        (sign != 0)
            .then(|| Ratio { over: self.over * other.under * sign, under: self.under * other.over * sign })
    }

    pub fn to_f64(self) -> f64 {
        self.over as f64 / self.under as f64
    }

    /// Returns whether the number is within `tolerance` of `wanted`; with a zero tolerance, whether they are equal.
    pub fn is_near(self, wanted: Ratio, tolerance: Tolerance) -> bool {
        if tolerance == Tolerance::default() {
            let sides = (self.over.checked_mul(wanted.under), wanted.over.checked_mul(self.under));
            return matches!(sides, (Some(a), Some(b)) if a == b);
        }
        let (got, wanted) = (self.to_f64(), wanted.to_f64());
        (got - wanted).abs() <= tolerance.abs + tolerance.rel * wanted.abs()
    }

    /// Formats the number as an integer if it is one, otherwise with three significant digits: `4096`, `0.0833`.
    pub fn text(self) -> String {
        if self.over % self.under == 0 {
            return (self.over / self.under).to_string();
        }
        let value = self.to_f64();
        let before_point = value.abs().log10().floor() as i32 + 1;
        format!("{value:.*}", (3 - before_point).clamp(0, 12) as usize)
    }
}

/// Parses digits with at most one decimal point and an optional decimal exponent; spaces and `_` may stand before groups
/// of three digits.
fn decimal(text: &str) -> Option<Ratio> {
    let text = text.trim();
    let (text, exponent) = match text.split_once(['e', 'E']) {
        Some((text, exponent)) => (text, exponent.parse::<i8>().ok()?),
        None => (text, 0),
    };
    let shift = u32::from(exponent.unsigned_abs());
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let mut over: i128 = 0;
    let mut under: i128 = 1;
    let mut seen = 0;
    let mut point = false;
    for (at, c) in digits.char_indices() {
        let group = || digits[at + c.len_utf8()..].split(|c: char| !c.is_ascii_digit()).next();
        match c {
            '0'..='9' => {
                seen += 1;
                over = over * 10 + i128::from(c as u8 - b'0');
                under *= if point { 10 } else { 1 };
            }
            '.' if !point => point = true,
            '_' | ' ' | '\u{a0}' | '\u{202f}' if seen > 0 && group().is_some_and(|its| its.len() == 3) => {}
            _ => return None,
        }
        if seen + shift as usize > MAX_DIGITS {
            return None;
        }
    }
    let tens = 10i128.checked_pow(shift)?;
    let (up, down) = if exponent < 0 { (1, tens) } else { (tens, 1) };
    (seen > 0).then_some(Ratio { over: sign * over * up, under: under * down })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str, over: i64, under: i64, tolerance: Tolerance) -> bool {
        Ratio::parse(text, Some("%")).unwrap().is_near(Ratio::new(over, under).unwrap(), tolerance)
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let exact = Tolerance::default();
        for (text, over, under) in [
            ("32", 32, 1),
            ("4 096", 4096, 1),
            ("4_096", 4096, 1),
            ("0.25", 1, 4),
            (".5", 1, 2),
            ("-3", 3, -1),
            ("1/12", 1, 12),
            ("3 3/4", 15, 4),
            ("-26 2/3", -80, 3),
            ("1 024/3", 1024, 3),
            ("3 / -0.5", -6, 1),
            ("50 %", 50, 1),
            ("1.9e3", 1900, 1),
            ("25E-2", 1, 4),
        ] {
            assert!(near(text, over, under, exact), "{text}");
            assert!(!near(text, over + 1, under, exact), "{text}");
        }
        for text in [
            "",
            "?",
            "1,5",
            "4 09",
            "3 3/0",
            "a",
            "1e",
            "e3",
            "1e99",
            "1/0",
            "1/",
            "--1",
            "1.2.3",
            "0x20",
            "_1",
            "9999999999999999999",
        ] {
            assert_eq!(Ratio::parse(text, None), None, "{text}");
        }
    }

    #[test]
    fn a_unit_may_be_typed_without_its_greek_letter() {
        let describe = |text| Ratio::parse(text, Some("µs")).map(Ratio::text);
        assert_eq!(
            [describe("25 µs"), describe("25us"), describe("25 ms")],
            [Some("25".into()), Some("25".into()), None]
        );
    }

    #[test]
    fn tolerance_is_relative_to_what_was_measured() {
        let rel = Tolerance { abs: 0.0, rel: 0.05 };
        assert!(near("105", 100, 1, rel) && !near("105.1", 100, 1, rel) && near("0.08", 1, 12, rel));
        assert!(near("0", 1, 3, Tolerance { abs: 0.34, rel: 0.0 }));
    }

    #[test]
    fn numbers_are_shown_with_three_digits() {
        for (over, under, text) in [
            (4096, 1, "4096"),
            (8, 4, "2"),
            (1, 12, "0.0833"),
            (10, 3, "3.33"),
            (100_000, 3, "33333"),
            (-1, 3, "-0.333"),
        ] {
            assert_eq!(Ratio::new(over, under).unwrap().text(), text);
        }
    }
}
