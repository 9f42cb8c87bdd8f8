//! Compares actual values with wanted ones.

use super::case_run::Output;
use super::value::{Scalar, Values};
use crate::course::Tolerance;
use std::borrow::Cow;
use std::iter::repeat_n;

/// Returns whether `got` is close enough to `want`. Written to accept rather than to reject, so that values for
/// which no comparison holds, such as NaN, are wrong. NaN is right only where NaN is wanted.
pub fn close(want: Scalar, got: Scalar, tolerance: Tolerance) -> bool {
    match (want, got) {
        (Scalar::Int(want), Scalar::Int(got)) => ints_close(want, got, tolerance),
        (want, got) => floats_close(want.to_f64(), got.to_f64(), tolerance),
    }
}

fn ints_close(want: i64, got: i64, tolerance: Tolerance) -> bool {
    let difference = || (i128::from(got) - i128::from(want)).unsigned_abs();
    want == got || difference() as f64 <= allowed(want as f64, tolerance)
}

fn floats_close(want: f64, got: f64, tolerance: Tolerance) -> bool {
    if want.is_nan() {
        return got.is_nan();
    }
    // Infinities must be equal; an infinite `allowed` would accept anything.
    want == got || want.is_finite() && (got - want).abs() <= allowed(want, tolerance)
}

/// Returns the largest difference that the tolerance allows.
pub fn allowed(want: f64, tolerance: Tolerance) -> f64 {
    tolerance.abs + tolerance.rel * want.abs()
}

/// Returns, for each element, whether it was written and is close enough. Elements that are missing in `got` or
/// `written` are wrong.
pub fn compare(want: &Values, got: &Values, written: &[bool], tolerance: Tolerance) -> Vec<bool> {
    match (want, got) {
        (Values::Int(want), Values::Int(got)) => {
            right(want, got, written, |want, got| ints_close(want, got, tolerance)).collect()
        }
        (Values::Float(want), Values::Float(got)) => {
            right(want, got, written, |want, got| floats_close(want, got, tolerance)).collect()
        }
        (want, got) => {
            let (want, got) = (want.to_floats(), got.to_floats());
            right(&want, &got, written, |want, got| floats_close(want, got, tolerance)).collect()
        }
    }
}

/// Returns the index of the first element that [`compare`] considers wrong.
pub fn first_wrong(want: &Values, got: &Values, written: &[bool], tolerance: Tolerance) -> Option<usize> {
    match (want, got) {
        (Values::Int(want), Values::Int(got)) => {
            right(want, got, written, |want, got| ints_close(want, got, tolerance)).position(|right| !right)
        }
        (Values::Float(want), Values::Float(got)) => {
            right(want, got, written, |want, got| floats_close(want, got, tolerance)).position(|right| !right)
        }
        (want, got) => compare(want, got, written, tolerance).iter().position(|right| !right),
    }
}

/// Iterates over the wanted elements: whether each was written and is close enough.
fn right<T: Copy>(
    want: &[T],
    got: &[T],
    written: &[bool],
    close: impl Fn(T, T) -> bool,
) -> impl Iterator<Item = bool> {
    let there = want.iter().zip(got).zip(written);
    let missing = want.len() - there.len();
    let there = there.map(move |((want, got), written)| *written && close(*want, *got));
    there.chain(repeat_n(false, missing))
}

/// Returns whether the first `first` elements of an output, or all of them, are right at their positions.
pub fn is_right(want: &Values, output: &Output, first: Option<usize>, tolerance: Tolerance) -> bool {
    let wrong = first_wrong(want, &output.got, &output.written, tolerance);
    wrong.is_none_or(|at| first.is_some_and(|first| at >= first))
}

/// An output compared with what is wanted.
pub struct Compared<'a> {
    /// Wanted values. Where the order is free, each is moved to the position of an equal value of the output, and
    /// those that are missing fill the positions of the wrong ones.
    pub want: Cow<'a, Values>,
    pub got: Cow<'a, Values>,
    pub written: &'a [bool],
    pub right: Vec<bool>,
}

impl<'a> Compared<'a> {
    /// Compares the first `first` elements, or all of them, by position or in any order.
    pub fn new(
        want: &'a Values,
        output: &'a Output,
        first: Option<usize>,
        any_order: bool,
        tolerance: Tolerance,
    ) -> Compared<'a> {
        let cut = |values: &'a Values| match first {
            Some(count) if count < values.count() => Cow::Owned(values.first(count)),
            _ => Cow::Borrowed(values),
        };
        let (mut want, got) = (cut(want), cut(&output.got));
        let written = &output.written[..output.written.len().min(want.count())];
        if any_order {
            want = Cow::Owned(aligned_with(&want, &got, written, tolerance));
        }
        let right = compare(&want, &got, written, tolerance);
        Compared { want, got, written, right }
    }
}

/// Rearranges the wanted values: each moves to the position of a value in `got` that is close to it, as far as
/// there is one; the others fill the remaining positions. Both sides are matched greedily in ascending order, which
/// makes all pairs close if any assignment does.
fn aligned_with(want: &Values, got: &Values, written: &[bool], tolerance: Tolerance) -> Values {
    let by_size = |values: &Values, places: Vec<usize>| {
        let mut places = places;
        let at = |place: usize| values.get(place).map_or(f64::NAN, Scalar::to_f64);
        let int = |place: usize| match values.get(place) {
            Some(Scalar::Int(int)) => int,
            _ => 0,
        };
        // f64 cannot distinguish all 64-bit integers.
        places.sort_by(|a, b| at(*a).total_cmp(&at(*b)).then(int(*a).cmp(&int(*b))));
        places
    };
    let wanted = by_size(want, (0..want.count()).collect());
    let found = by_size(got, (0..got.count()).filter(|place| written.get(*place) == Some(&true)).collect());
    let mut from: Vec<Option<usize>> = vec![None; want.count()];
    let mut missing = Vec::new();
    let (mut w, mut g) = (0, 0);
    while let (Some(&wanted_at), Some(&found_at)) = (wanted.get(w), found.get(g)) {
        let (Some(want), Some(got)) = (want.get(wanted_at), got.get(found_at)) else { break };
        if close(want, got, tolerance) {
            if let Some(from) = from.get_mut(found_at) {
                *from = Some(wanted_at);
            }
            (w, g) = (w + 1, g + 1);
        } else if got.to_f64().total_cmp(&want.to_f64()).is_lt() {
            g += 1;
        } else {
            missing.push(wanted_at);
            w += 1;
        }
    }
    missing.extend(wanted.get(w..).unwrap_or_default());
    let mut missing = missing.into_iter();
    let from: Vec<usize> = from.into_iter().filter_map(|place| place.or_else(|| missing.next())).collect();
    want.at(&from)
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

    fn of_any_order(want: &[i64], got: &[i64], written: &[bool], abs: f64) -> (Vec<i64>, Vec<bool>) {
        let want = Values::Int(want.to_vec());
        let output = Output { buffer: 0, got: Values::Int(got.to_vec()), written: written.to_vec() };
        let compared = Compared::new(&want, &output, None, true, Tolerance { abs, rel: 0.0 });
        (compared.want.to_ints(), compared.right)
    }

    #[test]
    fn in_any_order_each_value_counts_as_often_as_it_is_wanted() {
        let all = [true; 4];
        assert_eq!(of_any_order(&[1, 2, 2, 3], &[3, 2, 1, 2], &all, 0.0), (vec![3, 2, 1, 2], vec![true; 4]));
        let (want, right) = of_any_order(&[1, 2, 2, 3], &[3, 2, 1, 1], &all, 0.0);
        assert_eq!((right.iter().filter(|right| !**right).count(), want[0], want[1]), (1, 3, 2));
        let last = right.iter().position(|right| !right).unwrap();
        assert!(last >= 2 && want[last] == 2, "the second 2 is missing: {want:?}");
        let (want, right) = of_any_order(&[1, 2, 3, 4], &[4, 3, 2, 1], &[true, false, true, true], 0.0);
        assert_eq!((want, right), (vec![4, 3, 2, 1], vec![true, false, true, true]));
        assert_eq!(of_any_order(&[10, 11, 12, 13], &[14, 12, 11, 11], &all, 1.0).1, [true; 4]);
        assert_eq!(
            of_any_order(&[i64::MAX, i64::MAX - 1], &[i64::MAX - 1, i64::MAX], &[true; 2], 0.0).1,
            [true; 2]
        );
    }

    #[test]
    fn the_first_elements_alone_may_count() {
        let want = Values::Int(vec![1, 2, 3]);
        let output = Output { buffer: 0, got: Values::Int(vec![1, 2, 9]), written: vec![true, true, false] };
        let right = |first| {
            let right = Compared::new(&want, &output, first, false, EXACT).right;
            assert_eq!(right.iter().all(|right| *right), is_right(&want, &output, first, EXACT), "{first:?}");
            right
        };
        assert_eq!(right(None), [true, true, false]);
        assert_eq!((right(Some(2)), right(Some(0)), right(Some(7)).len()), (vec![true, true], vec![], 3));
    }

    #[test]
    fn what_was_not_written_is_wrong_whatever_it_holds() {
        let want = Values::Int(vec![1, 2, 3]);
        assert_eq!(compare(&want, &want, &[true, false], EXACT), [true, false, false]);
        assert_eq!(compare(&want, &Values::Int(vec![1]), &[true; 3], EXACT), [true, false, false]);
        assert_eq!(first_wrong(&want, &want, &[true, false], EXACT), Some(1));
        assert_eq!(first_wrong(&want, &Values::Int(vec![1]), &[true; 3], EXACT), Some(1));
        assert_eq!(first_wrong(&want, &Values::Float(vec![1.0, 2.0, 4.0]), &[true; 3], EXACT), Some(2));
        assert_eq!(first_wrong(&want, &want, &[true; 3], EXACT), None);
    }
}
