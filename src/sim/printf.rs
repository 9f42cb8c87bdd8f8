//! Formats a device `printf` exactly as C does (ISO C 7.21.6.1; `%p`, null strings and subnormal `%a` as glibc
//! writes them, because CUDA formats on the host).
//!
//! The device passes a format and a packed buffer of promoted arguments: integers of up to four bytes take
//! four, everything else (long integers, doubles, pointers) takes eight, each aligned to its size. The caller
//! reads that buffer.

mod float;

use crate::finding::SourceLocation;

/// The largest width or precision, so that `%999999999d` cannot exhaust memory.
pub const MAX_FIELD: usize = 4096;
/// The most bytes that one call prints; the rest is dropped (the size of CUDA's own buffer).
pub const MAX_OUTPUT: usize = 1 << 20;

/// The calls of `printf()` and the like that pass fewer values than their format asks for, as the compiler says, and
/// the values that each passes. It packs the values without their number.
#[derive(Clone, Debug, Default)]
pub struct ShortCalls(pub Vec<(SourceLocation, usize)>);

impl ShortCalls {
    /// Returns the number of values that the call at a location passes; `None` if it is not known to be too small.
    pub fn values(&self, at: &SourceLocation) -> Option<usize> {
        let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let mut known = self.0.iter().filter(|(its, _)| its.line == at.line);
        known.find(|(its, _)| last(&its.file) == last(&at.file)).map(|(_, values)| *values)
    }
}

/// Formats one call. `read_arg` returns the next argument of that many bytes (4 or 8), zero-extended;
/// `read_string` returns the bytes of a device string without its terminating zero, at most so many: what lies after
/// them is not read. A conversion that C does not know is printed as written and takes no argument.
pub fn render(
    format: &[u8],
    read_arg: &mut dyn FnMut(usize) -> u64,
    read_string: &mut dyn FnMut(u64, usize) -> Vec<u8>,
) -> Vec<u8> {
    let mut output = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.iter().position(|&byte| byte == b'%') {
        output.extend_from_slice(&rest[..start]);
        rest = &rest[start..];
        let mut cursor = Cursor { bytes: rest, at: 1 };
        let spec = Spec::read(&mut cursor, read_arg);
        match cursor.next().and_then(|conversion| spec.convert(conversion, read_arg, read_string)) {
            Some(text) => output.extend_from_slice(&text),
            None => output.extend_from_slice(&rest[..cursor.at]),
        }
        rest = &rest[cursor.at..];
        if output.len() >= MAX_OUTPUT {
            rest = &[];
        }
    }
    output.extend_from_slice(rest);
    output.truncate(MAX_OUTPUT);
    output
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Reads decimal digits; 0 if there are none. Large numbers saturate.
    fn number(&mut self) -> usize {
        let mut value = 0usize;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            self.at += 1;
        }
        value
    }
}

/// A conversion specification without its conversion letter.
#[derive(Clone, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The bytes of an integer argument, according to its length modifier.
    bytes: u32,
}

impl Spec {
    fn read(cursor: &mut Cursor, read_arg: &mut dyn FnMut(usize) -> u64) -> Spec {
        let mut spec = Spec::default();
        loop {
            match cursor.peek() {
                Some(b'-') => spec.left = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.alternative = true,
                Some(b'0') => spec.zero = true,
                _ => break,
            }
            cursor.at += 1;
        }
        if cursor.accept(b'*') {
            let width = read_arg(4) as u32 as i32;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        } else {
            spec.width = cursor.number();
        }
        spec.width = spec.width.min(MAX_FIELD);
        if cursor.accept(b'.') {
            let precision = if cursor.accept(b'*') {
                usize::try_from(read_arg(4) as u32 as i32).ok()
            } else {
                Some(cursor.number())
            };
            spec.precision = precision.map(|precision| precision.min(MAX_FIELD));
        }
        spec.bytes = match cursor.peek() {
            Some(b'h') => {
                cursor.at += 1;
                if cursor.accept(b'h') { 1 } else { 2 }
            }
            Some(b'l') => {
                cursor.at += 1;
                cursor.accept(b'l');
                8
            }
            Some(b'z' | b't' | b'j' | b'L') => {
                cursor.at += 1;
                8
            }
            _ => 4,
        };
        spec
    }

    fn convert(
        &self,
        conversion: u8,
        read_arg: &mut dyn FnMut(usize) -> u64,
        read_string: &mut dyn FnMut(u64, usize) -> Vec<u8>,
    ) -> Option<Vec<u8>> {
        let integer_bytes = self.bytes.max(4) as usize;
        Some(match conversion {
            b'%' => b"%".to_vec(),
            b'd' | b'i' => {
                let value = self.signed(read_arg(integer_bytes));
                let digits = value.unsigned_abs().to_string();
                self.integer(value < 0, "", &digits, true)
            }
            b'u' => self.integer(false, "", &self.unsigned(read_arg(integer_bytes)).to_string(), false),
            b'x' | b'X' => {
                let value = self.unsigned(read_arg(integer_bytes));
                let (prefix, digits) = match conversion {
                    b'x' => ("0x", format!("{value:x}")),
                    _ => ("0X", format!("{value:X}")),
                };
                let prefix = if self.alternative && value != 0 { prefix } else { "" };
                self.integer(false, prefix, &digits, false)
            }
            b'o' => {
                let value = self.unsigned(read_arg(integer_bytes));
                let mut digits = format!("{value:o}");
                let wanted = self.precision.unwrap_or(1);
                // The alternative form raises the precision until the first digit is a zero.
                if self.alternative && wanted <= digits.len() && value != 0 {
                    digits.insert(0, '0');
                }
                if self.alternative && value == 0 && wanted == 0 {
                    return Some(self.pad(b"", b"0"));
                }
                self.integer(false, "", &digits, false)
            }
            b'p' => match read_arg(8) {
                0 => Spec { zero: false, ..self.clone() }.pad(b"", b"(nil)"),
                address => self.integer(false, "0x", &format!("{address:x}"), true),
            },
            b'c' => self.text(&[read_arg(4) as u8]),
            b's' => match read_arg(8) {
                // glibc omits "(null)" if it does not fit.
                0 if self.precision.is_some_and(|precision| precision < 6) => self.text(b""),
                0 => self.text(b"(null)"),
                address => self.text(&read_string(address, self.precision.unwrap_or(usize::MAX))),
            },
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                self.float(conversion, f64::from_bits(read_arg(8)))
            }
            _ => return None,
        })
    }

    fn signed(&self, raw: u64) -> i64 {
        let unused = 64 - 8 * self.bytes;
        (raw << unused) as i64 >> unused
    }

    fn unsigned(&self, raw: u64) -> u64 {
        raw & u64::MAX >> (64 - 8 * self.bytes)
    }

    /// Returns the sign that precedes a number.
    fn sign(&self, negative: bool) -> &'static str {
        match () {
            _ if negative => "-",
            _ if self.plus => "+",
            _ if self.space => " ",
            _ => "",
        }
    }

    fn integer(&self, negative: bool, prefix: &str, digits: &str, signed: bool) -> Vec<u8> {
        let digits = if self.precision == Some(0) && digits == "0" { "" } else { digits };
        let sign = if signed { self.sign(negative) } else { "" };
        let zeros = "0".repeat(self.precision.unwrap_or(0).saturating_sub(digits.len()));
        // A precision disables the zero flag.
        let zero = self.zero && self.precision.is_none();
        Spec { zero, ..self.clone() }
            .pad(format!("{sign}{prefix}").as_bytes(), format!("{zeros}{digits}").as_bytes())
    }

    fn float(&self, conversion: u8, value: f64) -> Vec<u8> {
        let sign = self.sign(value.is_sign_negative());
        let upper = conversion.is_ascii_uppercase();
        let finite = value.is_finite();
        let mut body = if value.is_nan() {
            "nan".to_string()
        } else if !finite {
            "inf".to_string()
        } else {
            float::magnitude(conversion.to_ascii_lowercase(), value.abs(), self.precision, self.alternative)
        };
        let mut prefix = sign.to_string();
        if finite && conversion.eq_ignore_ascii_case(&b'a') {
            prefix.push_str("0x");
        }
        if upper {
            body.make_ascii_uppercase();
            prefix.make_ascii_uppercase();
        }
        Spec { zero: self.zero && finite, ..self.clone() }.pad(prefix.as_bytes(), body.as_bytes())
    }

    /// Formats characters and strings, which are padded with blanks only.
    fn text(&self, body: &[u8]) -> Vec<u8> {
        Spec { zero: false, ..self.clone() }.pad(b"", body)
    }

    /// Pads to the width: with blanks after, zeros between prefix and body, or blanks before.
    fn pad(&self, prefix: &[u8], body: &[u8]) -> Vec<u8> {
        let missing = self.width.saturating_sub(prefix.len() + body.len());
        let fill = |byte: u8| vec![byte; missing];
        match () {
            _ if self.left => [prefix, body, &fill(b' ')].concat(),
            _ if self.zero => [prefix, &fill(b'0'), body].concat(),
            _ => [&fill(b' '), prefix, body].concat(),
        }
    }
}

#[cfg(test)]
mod tests;
