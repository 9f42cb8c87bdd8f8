//! Why an operation gave a NaN: the ways that IEEE 754 (7.2) names, and those of the functions of the
//! special function units.

use super::values::{self, Seen};
use super::watched::{FloatOp, Watched, watched};
use crate::code::DecodedModule;

/// What was wrong with the operands, in a sentence; `None` where the instruction makes no NaN by itself.
pub fn why(code: &DecodedModule, pc: u32, seen: &Seen) -> Option<&'static str> {
    let all = code.watched.get_or_init(|| watched(code));
    let Watched::Float { bytes, op } = *all.get(pc as usize)? else { return None };
    reason(op, seen.operands.map(|bits| values::float(bits, bytes)))
}

fn reason(op: FloatOp, [a, b, c]: [f64; 3]) -> Option<&'static str> {
    const SUM: &str =
        "Infinity less infinity has no value: both grew past what the type holds before they met.";
    const PRODUCT: &str = "Zero times infinity has no value: one factor grew past what the type holds.";
    let product = |a: f64, b: f64| a == 0.0 && b.is_infinite() || a.is_infinite() && b == 0.0;
    Some(match op {
        FloatOp::Add | FloatOp::Sub if a.is_infinite() && b.is_infinite() => SUM,
        FloatOp::Mul | FloatOp::Fma if product(a, b) => PRODUCT,
        FloatOp::Fma if c.is_infinite() && (a.is_infinite() || b.is_infinite()) => SUM,
        FloatOp::Div if a == 0.0 && b == 0.0 => {
            "Zero by zero has no value: may there be nothing to divide by, as a sum or a count of nothing?"
        }
        FloatOp::Div if a.is_infinite() && b.is_infinite() => {
            "Infinity by infinity has no value: both grew past what the type holds before they met."
        }
        FloatOp::Of("sqrt" | "rsqrt") if a < 0.0 => {
            "A negative number has no square root; what should be 0 can come out just below it."
        }
        FloatOp::Of("log2") if a < 0.0 => "A negative number has no logarithm.",
        FloatOp::Of("sin" | "cos") if a.is_infinite() => "Infinity is no angle.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_its_words() {
        let (inf, no) = (f64::INFINITY, 0.0);
        let ways = [
            (FloatOp::Add, [inf, -inf, no], "Infinity less"),
            (FloatOp::Sub, [-inf, -inf, no], "Infinity less"),
            (FloatOp::Mul, [0.0, inf, no], "Zero times"),
            (FloatOp::Mul, [-inf, -0.0, no], "Zero times"),
            (FloatOp::Fma, [0.0, inf, 1.0], "Zero times"),
            (FloatOp::Fma, [2.0, -inf, inf], "Infinity less"),
            (FloatOp::Div, [0.0, -0.0, no], "Zero by zero"),
            (FloatOp::Div, [inf, -inf, no], "Infinity by infinity"),
            (FloatOp::Of("sqrt"), [-1e-9, no, no], "A negative number has no square root"),
            (FloatOp::Of("rsqrt"), [-1.0, no, no], "A negative number has no square root"),
            (FloatOp::Of("log2"), [-1.0, no, no], "A negative number has no logarithm"),
            (FloatOp::Of("cos"), [-inf, no, no], "Infinity is no angle"),
        ];
        for (op, operands, words) in ways {
            assert!(reason(op, operands).is_some_and(|why| why.starts_with(words)), "{op:?} {operands:?}");
        }
        assert_eq!(reason(FloatOp::Add, [1.0, inf, no]), None);
        assert_eq!(reason(FloatOp::Of("exp2"), [inf, no, no]), None);
    }
}
