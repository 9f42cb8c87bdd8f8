//! Parses numbers and constant expressions.
//!
//! Source: PTX ISA 8.8, sections 4.5 (literals and constant expressions) and 4.5.5 (their types).

use super::Immediate;
use super::lexer::Kind;
use super::parser::{Parsed, Parser, quoted};

/// Lanes per warp: the value of the predefined constant `WARP_SZ`.
const WARP_SZ: i64 = 32;

#[derive(Clone, Copy)]
enum Value {
    /// The bits, and whether division, remainder and right shift treat them as unsigned.
    Int(i64, bool),
    F32(u32),
    F64(u64),
}

#[derive(Clone, Copy)]
enum Binary {
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Precedence of sums. The terms of an address offset are parsed with a higher one, so that they end at the
/// next `+` or `-`.
const SUM: u8 = 5;
const PRODUCT: u8 = 6;

impl Binary {
    fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::Xor => 2,
            Self::And => 3,
            Self::ShiftLeft | Self::ShiftRight => 4,
            Self::Add | Self::Subtract => SUM,
            Self::Multiply | Self::Divide | Self::Remainder => PRODUCT,
        }
    }
}

impl<'a> Parser<'a> {
    /// Parses a constant: a number, or an expression of numbers.
    pub fn immediate(&mut self) -> Parsed<Immediate> {
        Ok(match self.expression(0)? {
            Value::Int(bits, _) => Immediate::Int(bits),
            Value::F32(bits) => Immediate::F32(bits),
            Value::F64(bits) => Immediate::F64(bits),
        })
    }

    /// Parses a whole number; `what` names it in the message.
    pub fn integer(&mut self, what: &str) -> Parsed<i64> {
        let start = self.token.start;
        match self.expression(0)? {
            Value::Int(bits, _) => Ok(bits),
            _ => self.fail_at(start, self.last_end, format!("{what} must be a whole number")),
        }
    }

    /// Parses a whole number from 0 to 2^32-1, written as one literal.
    pub fn count(&mut self, what: &str) -> Parsed<u32> {
        if self.token.kind != Kind::Number {
            return self.fail_expected(what);
        }
        let (start, end) = (self.token.start, self.token.end);
        let value = match self.literal()? {
            Value::Int(bits, _) => u32::try_from(bits).ok(),
            _ => None,
        };
        match value {
            Some(value) => Ok(value),
            None => self.fail_at(start, end, format!("expected {what}, a whole number below 2^32")),
        }
    }

    /// Parses `+4-8…` after a base; returns the sum, 0 if there is no offset.
    pub fn offset(&mut self) -> Parsed<i64> {
        let mut sum = 0_i64;
        loop {
            let negative = self.at(b'-');
            if !negative && !self.at(b'+') {
                return Ok(sum);
            }
            self.bump();
            let start = self.token.start;
            let Value::Int(term, _) = self.expression(PRODUCT)? else {
                return self.fail_at(start, self.last_end, "an offset must be a whole number".into());
            };
            sum = if negative { sum.wrapping_sub(term) } else { sum.wrapping_add(term) };
        }
    }

    /// Returns whether a constant expression can begin here.
    pub fn at_constant(&self) -> bool {
        match self.token.kind {
            Kind::Number | Kind::Punct(b'-' | b'+' | b'~' | b'(') => true,
            Kind::Dotted => self.current().as_bytes().get(1).is_some_and(u8::is_ascii_digit),
            Kind::Word => self.current() == "WARP_SZ",
            _ => false,
        }
    }

    fn expression(&mut self, loosest: u8) -> Parsed<Value> {
        let mut left = self.unary()?;
        while let Some(operator) = self.binary_operator() {
            if operator.precedence() < loosest {
                break;
            }
            let start = self.token.start;
            if self.token.kind == Kind::Word {
                // `8%3` was tokenised as a number and the name `%3`: continue after the `%`.
                self.resume_at(start + 1);
            } else {
                self.bump();
            }
            let right = self.expression(operator.precedence() + 1)?;
            left = match apply(operator, left, right) {
                Ok(value) => value,
                Err(message) => return self.fail_at(start, self.last_end, message.into()),
            };
        }
        Ok(left)
    }

    fn binary_operator(&self) -> Option<Binary> {
        Some(match self.token.kind {
            Kind::Punct(b'|') => Binary::Or,
            Kind::Punct(b'^') => Binary::Xor,
            Kind::Punct(b'&') => Binary::And,
            Kind::ShiftLeft => Binary::ShiftLeft,
            Kind::ShiftRight => Binary::ShiftRight,
            Kind::Punct(b'+') => Binary::Add,
            Kind::Punct(b'-') => Binary::Subtract,
            Kind::Punct(b'*') => Binary::Multiply,
            Kind::Punct(b'/') => Binary::Divide,
            Kind::Punct(b'%') => Binary::Remainder,
            Kind::Word if self.current().starts_with('%') => Binary::Remainder,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<Value> {
        let Kind::Punct(operator @ (b'-' | b'+' | b'~' | b'!' | b'(')) = self.token.kind else {
            return self.primary();
        };
        let start = self.token.start;
        self.bump();
        self.enter()?;
        let value = if operator == b'(' { self.parenthesised()? } else { self.unary()? };
        self.leave();
        Ok(match (operator, value) {
            (b'+' | b'(', value) => value,
            (b'-', Value::Int(bits, unsigned)) => Value::Int(bits.wrapping_neg(), unsigned),
            (b'-', Value::F32(bits)) => Value::F32(bits ^ (1 << 31)),
            (b'-', Value::F64(bits)) => Value::F64(bits ^ (1 << 63)),
            (b'~', Value::Int(bits, unsigned)) => Value::Int(!bits, unsigned),
            (b'!', Value::Int(bits, _)) => Value::Int(i64::from(bits == 0), false),
            _ => {
                let message = format!("`{}` needs a whole number", char::from(operator));
                return self.fail_at(start, self.last_end, message);
            }
        })
    }

    /// Parses what follows `(`: an expression and `)`, or the cast `.s64)` / `.u64)` and its operand.
    fn parenthesised(&mut self) -> Parsed<Value> {
        let unsigned = match (self.token.kind, self.current()) {
            (Kind::Dotted, ".s64") => Some(false),
            (Kind::Dotted, ".u64") => Some(true),
            _ => None,
        };
        let Some(unsigned) = unsigned else {
            let value = self.expression(0)?;
            self.expect(b')', "after the expression")?;
            return Ok(value);
        };
        self.bump();
        self.expect(b')', "after the type of the cast")?;
        Ok(match self.unary()? {
            Value::Int(bits, _) => Value::Int(bits, unsigned),
            other => other,
        })
    }

    fn primary(&mut self) -> Parsed<Value> {
        match self.token.kind {
            Kind::Number => self.literal(),
            Kind::Word if self.current() == "WARP_SZ" => {
                self.bump();
                Ok(Value::Int(WARP_SZ, false))
            }
            Kind::Dotted if self.at_constant() => self.dotted_fraction(),
            _ => self.fail_expected("a constant"),
        }
    }

    /// Parses `.5` and `.25e-3`, which the lexer takes for modifiers.
    fn dotted_fraction(&mut self) -> Parsed<Value> {
        let start = self.token.start;
        self.resume_at(start + 1);
        let digits = self.take();
        match format!("0.{digits}").parse::<f64>() {
            Ok(value) => Ok(Value::F64(value.to_bits())),
            Err(_) => self.fail_at(
                start,
                self.last_end,
                format!("{} is not a number", quoted(&format!(".{digits}"))),
            ),
        }
    }

    fn literal(&mut self) -> Parsed<Value> {
        let text = self.current();
        let Some(value) = decode(text) else {
            let message = match text.get(..2) {
                Some("0f" | "0F") => format!("{} must have 8 hexadecimal digits after `0f`", quoted(text)),
                Some("0d" | "0D") => format!("{} must have 16 hexadecimal digits after `0d`", quoted(text)),
                _ => format!("{} is not a number of at most 64 bits", quoted(text)),
            };
            return self.fail(message);
        };
        self.bump();
        Ok(value)
    }
}

fn decode(text: &str) -> Option<Value> {
    let bytes = text.as_bytes();
    let rest = text.get(2..).unwrap_or_default();
    match (bytes.first()?, bytes.get(1)) {
        (b'0', Some(b'f' | b'F')) => float_bits(rest, 8).map(|bits| Value::F32(bits as u32)),
        (b'0', Some(b'd' | b'D')) => float_bits(rest, 16).map(Value::F64),
        (b'0', Some(b'x' | b'X')) => integer(rest, 16),
        (b'0', Some(b'b' | b'B')) => integer(rest, 2),
        _ if bytes.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) => {
            text.parse::<f64>().ok().map(|value| Value::F64(value.to_bits()))
        }
        (b'0', Some(b'0'..=b'9')) => integer(text, 8),
        _ => integer(text, 10),
    }
}

/// Decodes exactly `digits` hexadecimal digits.
fn float_bits(text: &str, digits: usize) -> Option<u64> {
    let good = text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
    if good { u64::from_str_radix(text, 16).ok() } else { None }
}

fn integer(digits: &str, radix: u32) -> Option<Value> {
    let plain = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
    if !plain.bytes().next()?.is_ascii_alphanumeric() {
        return None;
    }
    let value = u64::from_str_radix(plain, radix).ok()?;
    let unsigned = plain.len() < digits.len() || i64::try_from(value).is_err();
    Some(Value::Int(value as i64, unsigned))
}

fn apply(operator: Binary, left: Value, right: Value) -> Result<Value, &'static str> {
    let (Value::Int(a, left_unsigned), Value::Int(b, right_unsigned)) = (left, right) else {
        return Err("arithmetic on floating-point constants is not read; write the result");
    };
    let unsigned = left_unsigned || right_unsigned;
    // A shift by 64 or more leaves only the sign.
    let shift = u32::try_from(b).ok().filter(|&count| count < 64);
    let zero = "division by zero";
    let (a_bits, b_bits) = (a as u64, b as u64);
    let bits = match operator {
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::And => a & b,
        Binary::ShiftLeft => shift.map_or(0, |count| a << count),
        Binary::ShiftRight if left_unsigned => shift.map_or(0, |count| (a_bits >> count) as i64),
        Binary::ShiftRight => a >> shift.unwrap_or(63),
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide if unsigned => a_bits.checked_div(b_bits).ok_or(zero)? as i64,
        Binary::Remainder if unsigned => a_bits.checked_rem(b_bits).ok_or(zero)? as i64,
        Binary::Divide | Binary::Remainder if b == 0 => return Err(zero),
        Binary::Divide => a.wrapping_div(b),
        Binary::Remainder => a.wrapping_rem(b),
    };
    let shifts = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
    Ok(Value::Int(bits, if shifts { left_unsigned } else { unsigned }))
}
