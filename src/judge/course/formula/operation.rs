//! Operations on 64-bit integers.

/// An operation on one or two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    CeilDiv,
    Min,
    Max,
    Log2,
    Abs,
    Less,
    AtMost,
    Equal,
    Not,
    And,
    Or,
}

impl Operation {
    /// Returns the number of operands: one or two.
    pub fn operands(self) -> usize {
        match self {
            Operation::Negate | Operation::Log2 | Operation::Abs | Operation::Not => 1,
            _ => 2,
        }
    }

    /// Returns the operation for a function name.
    pub fn function(name: &str) -> Option<Operation> {
        Some(match name {
            "ceil_div" => Operation::CeilDiv,
            "min" => Operation::Min,
            "max" => Operation::Max,
            "log2" => Operation::Log2,
            "abs" => Operation::Abs,
            "not" => Operation::Not,
            _ => return None,
        })
    }

    /// Applies the operation; `b` is ignored by operations with one operand.
    ///
    /// # Errors
    ///
    /// Fails with the reason: a division by zero, a logarithm of a number that is not positive, or a result that does
    /// not fit in 64 bits.
    pub fn apply(self, a: i64, b: i64) -> Result<i64, &'static str> {
        const OVERFLOW: &str = "the value does not fit in 64 bits";
        match self {
            Operation::Divide | Operation::Remainder | Operation::CeilDiv if b == 0 => {
                Err("division by zero")
            }
            Operation::Add => a.checked_add(b).ok_or(OVERFLOW),
            Operation::Subtract => a.checked_sub(b).ok_or(OVERFLOW),
            Operation::Multiply => a.checked_mul(b).ok_or(OVERFLOW),
            Operation::Divide => a.checked_div(b).ok_or(OVERFLOW),
            // `i64::MIN % -1` is 0, although the division overflows.
            Operation::Remainder => Ok(a.wrapping_rem(b)),
            Operation::Negate => a.checked_neg().ok_or(OVERFLOW),
            Operation::CeilDiv => {
                let quotient = a.checked_div(b).ok_or(OVERFLOW)?;
                let inexact = a.wrapping_rem(b) != 0;
                Ok(quotient + i64::from(inexact && (a < 0) == (b < 0)))
            }
            Operation::Min => Ok(a.min(b)),
            Operation::Max => Ok(a.max(b)),
            Operation::Log2 if a <= 0 => Err("log2 of a number that is not positive"),
            Operation::Log2 => Ok(i64::from(a.ilog2())),
            Operation::Abs => a.checked_abs().ok_or(OVERFLOW),
            Operation::Less => Ok(i64::from(a < b)),
            Operation::AtMost => Ok(i64::from(a <= b)),
            Operation::Equal => Ok(i64::from(a == b)),
            Operation::Not => Ok(i64::from(a == 0)),
            Operation::And => Ok(i64::from(a != 0 && b != 0)),
            Operation::Or => Ok(i64::from(a != 0 || b != 0)),
        }
    }
}
