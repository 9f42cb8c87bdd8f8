//! Conversion of text to numbers.

use super::{Context, c_functions, process};
use sim::Stop;

c_functions! {
    /// Parses an `int`.
    fn atoi(c, text: u64) -> i32 {
        Ok(integer(c, text, 10)?.clamped() as i32)
    }

    /// Parses a `long` or `long long`.
    fn atol, atoll(c, text: u64) -> i64 {
        Ok(integer(c, text, 10)?.clamped())
    }

    /// Parses a `double`.
    fn atof(c, text: u64) -> f64 {
        Ok(float(&c.text(text)?).0)
    }

    /// Parses a `long` or `long long`, and returns where it ends.
    fn strtol, strtoll(c, text: u64, end: u64, base: i32) -> i64 {
        let parsed = integer(c, text, base)?;
        put_end(c, text, end, parsed.length)?;
        let value = parsed.clamped();
        if i128::from(value) != parsed.value {
            c.set_errno(process::ERANGE)?;
        }
        Ok(value)
    }

    /// Parses an `unsigned long` or `unsigned long long`, and returns where it ends.
    fn strtoul, strtoull(c, text: u64, end: u64, base: i32) -> u64 {
        let parsed = integer(c, text, base)?;
        put_end(c, text, end, parsed.length)?;
        if parsed.value.unsigned_abs() > u128::from(u64::MAX) {
            return c.failed(process::ERANGE, u64::MAX);
        }
        // A minus sign negates the unsigned number.
        Ok(parsed.value as u64)
    }

    /// Parses a `double`, and returns where it ends.
    fn strtod(c, text: u64, end: u64) -> f64 {
        let (value, length) = float(&c.text(text)?);
        put_end(c, text, end, length)?;
        Ok(value)
    }

    /// Parses a `float`, and returns where it ends.
    fn strtof(c, address: u64, end: u64) -> f32 {
        let text = c.text(address)?;
        let (value, length) = float(&text);
        put_end(c, address, end, length)?;
        // Decimal text is rounded once, not by way of `double`.
        let decimal = std::str::from_utf8(text.get(..length).unwrap_or_default()).unwrap_or_default();
        Ok(decimal.trim_start().parse().unwrap_or(value as f32))
    }
}

/// Writes where the number in a text ends, unless nobody asks for that.
fn put_end(c: &mut Context<'_, '_, '_>, text: u64, to: u64, length: usize) -> Result<(), Stop> {
    if to == 0 { Ok(()) } else { c.write_u64(to, text.wrapping_add(length as u64)) }
}

/// An integer parsed from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    /// The value; its magnitude is clamped to 2⁶⁵.
    pub value: i128,
    /// Bytes consumed, including leading blanks; 0 if there is no number.
    pub length: usize,
}

impl Integer {
    fn clamped(self) -> i64 {
        self.value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }
}

fn integer(c: &mut Context<'_, '_, '_>, text: u64, base: i32) -> Result<Integer, Stop> {
    Ok(parse_integer(&c.text(text)?, base))
}

/// Parses as `strtol` does: blanks, a sign, `0x` or `0` where the base allows it, digits.
pub(super) fn parse_integer(text: &[u8], base: i32) -> Integer {
    const NONE: Integer = Integer { value: 0, length: 0 };
    let mut at = text.iter().take_while(|byte| is_space(**byte)).count();
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'+' | b'-')) {
        at += 1;
    }
    let digit = |at: usize, base: u32| text.get(at).and_then(|&byte| char::from(byte).to_digit(base));
    let hexadecimal = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && digit(at + 2, 16).is_some();
    let base = match base {
        0 | 16 if hexadecimal => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        2..=36 => base as u32,
        _ => return NONE,
    };
    let start = at;
    let mut value: i128 = 0;
    while let Some(digit) = digit(at, base) {
        value = (value * i128::from(base) + i128::from(digit)).min(1 << 65);
        at += 1;
    }
    if at == start {
        return NONE;
    }
    Integer { value: if negative { -value } else { value }, length: at }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Parses as `strtod` does. Returns the value and the bytes consumed, including leading blanks; 0 bytes if
/// there is no number.
pub(super) fn float(text: &[u8]) -> (f64, usize) {
    let blanks = text.iter().take_while(|byte| is_space(**byte)).count();
    let mut at = blanks;
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'+' | b'-')) {
        at += 1;
    }
    let signed = |value: f64| if negative { -value } else { value };
    let word =
        |word: &[u8]| text.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word));
    if word(b"infinity") {
        return (signed(f64::INFINITY), at + 8);
    }
    if word(b"inf") {
        return (signed(f64::INFINITY), at + 3);
    }
    if word(b"nan") {
        return (signed(f64::NAN), at + 3);
    }
    if word(b"0x")
        && let Some((value, length)) = hexadecimal(&text[at + 2..])
    {
        return (signed(value), at + 2 + length);
    }
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return (0.0, 0);
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits((at + 1 + sign).min(text.len()));
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    let number = std::str::from_utf8(&text[blanks..at]).unwrap_or_default();
    (number.parse().unwrap_or(0.0), at)
}

/// Parses hexadecimal digits with an optional point and a binary exponent. Returns the value and the bytes
/// consumed.
fn hexadecimal(text: &[u8]) -> Option<(f64, usize)> {
    let (mut mantissa, mut exponent, mut at, mut seen, mut point) = (0u64, 0i64, 0, false, false);
    while let Some(&byte) = text.get(at) {
        if byte == b'.' && !point {
            point = true;
        } else if let Some(digit) = char::from(byte).to_digit(16) {
            seen = true;
            if mantissa >> 58 == 0 {
                mantissa = mantissa << 4 | u64::from(digit);
                exponent -= if point { 4 } else { 0 };
            } else {
                exponent += if point { 0 } else { 4 };
            }
        } else {
            break;
        }
        at += 1;
    }
    if !seen {
        return None;
    }
    if matches!(text.get(at), Some(b'p' | b'P')) {
        let power = parse_integer(&text[at + 1..], 10);
        if power.length > 0 && !text.get(at + 1).copied().is_some_and(is_space) {
            exponent += power.value.clamp(-100_000, 100_000) as i64;
            at += 1 + power.length;
        }
    }
    // In two steps: a single power of two may be out of range although the product is not.
    let half = exponent.clamp(-4000, 4000) / 2;
    let rest = exponent.clamp(-4000, 4000) - half;
    Some((mantissa as f64 * 2f64.powi(half as i32) * 2f64.powi(rest as i32), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_strtol_reads_them() {
        for (text, base, value, length) in [
            ("12", 10, 12, 2),
            (" \t-12abc", 10, -12, 5),
            ("+7", 10, 7, 2),
            ("0x1F", 16, 31, 4),
            ("0x1F", 0, 31, 4),
            ("017", 0, 15, 3),
            ("0xg", 0, 0, 1),
            ("z", 36, 35, 1),
            ("", 10, 0, 0),
            ("-", 10, 0, 0),
            ("abc", 10, 0, 0),
            ("9", 8, 0, 0),
            ("1", 1, 0, 0),
        ] {
            assert_eq!(parse_integer(text.as_bytes(), base), Integer { value, length }, "{text:?}");
        }
        let large = parse_integer("9".repeat(100).as_bytes(), 10);
        assert_eq!(large.clamped(), i64::MAX);
    }

    #[test]
    fn floats_are_read_as_strtod_reads_them() {
        for (text, value, length) in [
            ("1.5", 1.5, 3),
            ("  -2e3x", -2000.0, 6),
            (".5", 0.5, 2),
            ("5.", 5.0, 2),
            ("1e", 1.0, 1),
            ("1e+", 1.0, 1),
            (".", 0.0, 0),
            ("-", 0.0, 0),
            ("", 0.0, 0),
            ("0x1.8p3", 12.0, 7),
            ("0x", 0.0, 1),
            ("INFx", f64::INFINITY, 3),
            ("-infinity", f64::NEG_INFINITY, 9),
            ("1e400", f64::INFINITY, 5),
            ("0x1p-1074", 5e-324, 9),
            ("0.1", 0.1, 3),
        ] {
            assert_eq!(float(text.as_bytes()), (value, length), "{text:?}");
        }
        assert!(float(b"nan").0.is_nan());
    }
}
