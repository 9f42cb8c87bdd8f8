//! Digits of a finite, non-negative double for `%f`, `%e`, `%g` and `%a`.

/// Returns the digits. `conversion` is one of `f`, `e`, `g`, `a`; `%a` comes without its `0x`. `point` is the
/// `#` flag.
pub(super) fn magnitude(conversion: u8, value: f64, precision: Option<usize>, point: bool) -> String {
    match conversion {
        b'a' => hexadecimal(value, precision, point),
        b'f' => fixed(value, precision.unwrap_or(6), point),
        b'e' => scientific(value, precision.unwrap_or(6), point),
        _ => shortest(value, precision.unwrap_or(6).max(1), point),
    }
}

/// Formats as `%f`. Rust rounds the exact value half to even, as C does.
fn fixed(value: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

/// Returns the digits before the `e`, and the decimal exponent.
fn decimal(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_string(), exponent.parse().unwrap_or(0))
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

fn scientific(value: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = decimal(value, precision);
    if point && precision == 0 {
        digits.push('.');
    }
    with_exponent(&digits, exponent)
}

/// Formats as `%g`: `precision` significant digits, in fixed notation if the exponent is small; without `#`,
/// trailing zeros are removed.
fn shortest(value: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = decimal(value, precision - 1);
    let small = (-4..precision as i64).contains(&i64::from(exponent));
    if small {
        let after_point = (precision as i64 - 1 - i64::from(exponent)) as usize;
        digits = fixed(value, after_point, point);
    } else if point && precision == 1 {
        digits.push('.');
    }
    if !point && digits.contains('.') {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    if small { digits } else { with_exponent(&digits, exponent) }
}

fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let (mantissa, biased) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let exponent = match (biased, mantissa) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    // The digit before the point, followed by the 52 bits after it.
    let mut significand = mantissa | u64::from(biased != 0) << 52;
    let kept = precision.map_or(DIGITS, |precision| precision.min(DIGITS));
    let dropped_bits = 4 * (DIGITS - kept);
    if dropped_bits > 0 {
        let (half, rest) = (1u64 << (dropped_bits - 1), significand & ((1 << dropped_bits) - 1));
        significand >>= dropped_bits;
        significand += u64::from(rest > half || (rest == half && significand & 1 == 1));
    }
    let lead = significand >> (4 * kept);
    let mut digits = match kept {
        0 => String::new(),
        _ => format!("{:0kept$x}", significand & ((1 << (4 * kept)) - 1)),
    };
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) => digits.push_str(&"0".repeat(precision - kept)),
    }
    let dot = if point || !digits.is_empty() { "." } else { "" };
    format!("{lead}{dot}{digits}p{exponent:+}")
}
