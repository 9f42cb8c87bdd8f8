//! Why an operation returned a NaN: the invalid operations that IEEE 754 (7.2) lists, and those of the functions
//! computed by the special function units.

use super::watched::FloatOp;

/// What was wrong with the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanCause {
    InfinityMinusInfinity,
    ZeroTimesInfinity,
    ZeroByZero,
    InfinityByInfinity,
    RootOfNegative,
    LogarithmOfNegative,
    AngleOfInfinity,
}

/// Returns why the operation yields a NaN for these operands; `None` where it yields none by itself.
pub fn cause(op: FloatOp, [a, b, c]: [f64; 3]) -> Option<NanCause> {
    use NanCause::*;
    let product = |a: f64, b: f64| a == 0.0 && b.is_infinite() || a.is_infinite() && b == 0.0;
    Some(match op {
        FloatOp::Add | FloatOp::Sub if a.is_infinite() && b.is_infinite() => InfinityMinusInfinity,
        FloatOp::Mul | FloatOp::Fma if product(a, b) => ZeroTimesInfinity,
        FloatOp::Fma if c.is_infinite() && (a.is_infinite() || b.is_infinite()) => InfinityMinusInfinity,
        FloatOp::Div if a == 0.0 && b == 0.0 => ZeroByZero,
        FloatOp::Div if a.is_infinite() && b.is_infinite() => InfinityByInfinity,
        FloatOp::Of("sqrt" | "rsqrt") if a < 0.0 => RootOfNegative,
        FloatOp::Of("log2") if a < 0.0 => LogarithmOfNegative,
        FloatOp::Of("sin" | "cos") if a.is_infinite() => AngleOfInfinity,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::NanCause::*;
    use super::*;

    #[test]
    fn every_way_has_its_cause() {
        let (inf, no) = (f64::INFINITY, 0.0);
        let ways = [
            (FloatOp::Add, [inf, -inf, no], InfinityMinusInfinity),
            (FloatOp::Sub, [-inf, -inf, no], InfinityMinusInfinity),
            (FloatOp::Mul, [0.0, inf, no], ZeroTimesInfinity),
            (FloatOp::Mul, [-inf, -0.0, no], ZeroTimesInfinity),
            (FloatOp::Fma, [0.0, inf, 1.0], ZeroTimesInfinity),
            (FloatOp::Fma, [2.0, -inf, inf], InfinityMinusInfinity),
            (FloatOp::Div, [0.0, -0.0, no], ZeroByZero),
            (FloatOp::Div, [inf, -inf, no], InfinityByInfinity),
            (FloatOp::Of("sqrt"), [-1e-9, no, no], RootOfNegative),
            (FloatOp::Of("rsqrt"), [-1.0, no, no], RootOfNegative),
            (FloatOp::Of("log2"), [-1.0, no, no], LogarithmOfNegative),
            (FloatOp::Of("cos"), [-inf, no, no], AngleOfInfinity),
        ];
        for (op, operands, expected) in ways {
            assert_eq!(cause(op, operands), Some(expected), "{op:?} {operands:?}");
        }
        assert_eq!(cause(FloatOp::Add, [1.0, inf, no]), None);
        assert_eq!(cause(FloatOp::Of("exp2"), [inf, no, no]), None);
    }
}
