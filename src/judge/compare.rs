//! Got against want.

use super::value::{Scalar, Values};
use crate::course::Tolerance;

/// Whether `got` will do for `want`. Written to accept, not to reject: whatever no comparison
/// holds for, such as NaN, is wrong. NaN is right only where NaN is wanted.
pub fn close(want: Scalar, got: Scalar, tolerance: Tolerance) -> bool {
    match (want, got) {
        (Scalar::Int(want), Scalar::Int(got)) => {
            let difference = (i128::from(got) - i128::from(want)).unsigned_abs();
            difference == 0 || difference as f64 <= allowed(want as f64, tolerance)
        }
        (want, got) => {
            let (want, got) = (want.to_f64(), got.to_f64());
            if want.is_nan() {
                return got.is_nan();
            }
            // Infinities are equal or wrong; `allowed` would let everything pass.
            want == got || want.is_finite() && (got - want).abs() <= allowed(want, tolerance)
        }
    }
}

/// The largest difference that will do.
pub fn allowed(want: f64, tolerance: Tolerance) -> f64 {
    tolerance.abs + tolerance.rel * want.abs()
}

/// For each element whether it was written and is close enough. Elements that are missing in `got`
/// or `written` are wrong.
pub fn compare(want: &Values, got: &Values, written: &[bool], tolerance: Tolerance) -> Vec<bool> {
    want.iter()
        .enumerate()
        .map(|(i, want)| {
            let written = written.get(i).copied().unwrap_or(false);
            written && got.get(i).is_some_and(|got| close(want, got, tolerance))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Tolerance = Tolerance { abs: 0.0, rel: 0.0 };

    fn floats(want: f64, got: f64, tolerance: Tolerance) -> bool {
        close(Scalar::Float(want), Scalar::Float(got), tolerance)
    }

    #[test]
    fn what_is_not_finite_is_right_only_where_wanted() {
        let loose = Tolerance { abs: 1e300, rel: 0.9 };
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        for (want, got, right) in [
            (1.0, nan, false),
            (nan, 1.0, false),
            (nan, nan, true),
            (infinity, nan, false),
            (infinity, 1.0, false),
            (infinity, -infinity, false),
            (infinity, infinity, true),
            (1.0, infinity, false),
            (0.0, -0.0, true),
        ] {
            assert_eq!(floats(want, got, loose), right, "{want} {got}");
        }
    }

    #[test]
    fn the_tolerance_is_absolute_and_relative_to_the_wanted() {
        let tolerance = Tolerance { abs: 0.5, rel: 0.125 };
        assert!(floats(8.0, 9.5, tolerance) && floats(8.0, 6.5, tolerance));
        assert!(!floats(8.0, 9.501, tolerance) && !floats(8.0, 6.499, tolerance));
        assert!(!floats(1.0, 1.0 + f64::EPSILON, EXACT));
        assert!(
            close(Scalar::Int(8), Scalar::Int(9), tolerance)
                && !close(Scalar::Int(8), Scalar::Int(10), tolerance)
        );
        assert!(!close(Scalar::Int(i64::MIN), Scalar::Int(i64::MAX), tolerance));
    }

    #[test]
    fn what_was_not_written_is_wrong_whatever_it_holds() {
        let want = Values::Int(vec![1, 2, 3]);
        assert_eq!(compare(&want, &want, &[true, false], EXACT), [true, false, false]);
        assert_eq!(compare(&want, &Values::Int(vec![1]), &[true; 3], EXACT), [true, false, false]);
    }
}
