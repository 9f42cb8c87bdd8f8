//! Builds the evidence to show for wrong values.

use super::compare::allowed;
use super::judged_case::JudgedCase;
use super::pattern::{WrongOutput, recognise};
use super::value::{Scalar, Values};
use super::verdict::{Element, Mismatch, Pattern, ThreadPosition, Worst};
use super::writer::place_of;
use crate::course::{ElementType, Writer};
use sim::LaunchConfig;
use std::ops::Range;

/// Number of elements shown of a run.
const RUN: usize = 8;
/// Number of rows shown where rows are no longer than [`RUN`].
const ROWS: usize = 4;
/// Largest number of elements for which the state of every element is kept.
const MAX_KEPT: usize = 1 << 16;

/// Describes a wrong output within its lesson.
pub struct Setting<'a> {
    pub case: &'a JudgedCase,
    pub buffer: &'a str,
    pub ty: ElementType,
    pub writer: Writer,
    /// Whether the output has as many elements in every case.
    pub fixed_shape: bool,
    /// The configuration of the last launch that is passed the buffer.
    pub config: &'a LaunchConfig,
}

/// Returns the evidence for a wrong output; `None` if all of it is right.
pub fn mismatch(seen: &WrongOutput, setting: &Setting) -> Option<Mismatch> {
    let first = seen.right.iter().position(|right| !right)?;
    let place = |i| place_of(i, seen.shape, setting.writer, setting.config);
    let places: Option<Vec<ThreadPosition>> = (0..seen.want.count()).map(place).collect();
    let before = seen.inputs.iter().find(|(name, _)| *name == setting.buffer).map(|(_, values)| *values);
    let pattern = recognise(&WrongOutput { places: places.as_deref(), before, ..*seen });
    let pattern = match pattern {
        Some(Pattern::PartlyWritten { .. }) if has_exchanged_thread_axes(seen, setting) => {
            Some(Pattern::ExchangedThreads)
        }
        // Of an array that happens to be short in this case, these say nothing.
        Some(Pattern::AllZero) if seen.len() < 2 && !setting.fixed_shape => None,
        Some(Pattern::Offset { .. }) if seen.len() < 3 && !setting.fixed_shape => None,
        pattern => pattern,
    };
    let window = window(first, seen.shape);
    let kept = |all: &[bool]| if all.len() <= MAX_KEPT { all.to_vec() } else { Vec::new() };
    Some(Mismatch {
        case: setting.case.clone(),
        buffer: setting.buffer.to_owned(),
        shape: seen.shape.to_vec(),
        differing: seen.right.iter().filter(|right| !**right).count(),
        total: seen.right.len(),
        window: window.filter_map(|i| element(i, seen, setting.ty)).collect(),
        right: kept(seen.right),
        written: kept(seen.written),
        writer: place(first),
        pattern,
        worst: worst(seen, setting.ty),
        any_order: false,
        sources: None,
    })
}

/// Returns whether the written elements are exactly those that threads would own if x were the row and y the
/// column, although every element has a thread with y as the row.
fn has_exchanged_thread_axes(seen: &WrongOutput, setting: &Setting) -> bool {
    let (&[rows, columns], Writer::Thread) = (seen.shape, setting.writer) else { return false };
    let extent = |blocks: u32, threads: u32| (blocks as usize).saturating_mul(threads as usize);
    let LaunchConfig { grid, block, .. } = setting.config;
    let (x, y) = (extent(grid.x, block.x), extent(grid.y, block.y));
    let there = |i: usize| i / columns < x && i % columns < y;
    columns <= x && rows <= y && (0..rows * columns).all(|i| seen.written.get(i) == Some(&there(i)))
}

/// Returns the wrong float with the largest error; values that are not finite have no error.
fn worst(seen: &WrongOutput, ty: ElementType) -> Option<Box<Worst>> {
    let (Values::Float(want), Values::Float(got)) = (seen.want, seen.got) else { return None };
    let wrong = want.iter().zip(got).zip(seen.right).zip(seen.written).enumerate();
    let wrong = wrong.filter(|(_, ((_, right), written))| !**right && **written);
    let errors =
        wrong.map(|(i, (((want, got), _), _))| (i, (got - want).abs(), allowed(*want, seen.tolerance)));
    let (i, error, allowed) = errors
        .filter(|(_, error, _)| error.is_finite())
        .reduce(|most, next| if next.1 > most.1 { next } else { most })?;
    Some(Box::new(Worst { element: element(i, seen, ty)?, error, allowed }))
}

/// Returns the range of elements to show around the first wrong one.
fn window(first: usize, shape: &[usize]) -> Range<usize> {
    let total: usize = shape.iter().product();
    let row = shape.last().copied().unwrap_or(1).max(1);
    let rows = total / row;
    if shape.len() > 1 && row <= RUN && rows > 1 {
        let start = (first / row).saturating_sub(1).min(rows.saturating_sub(ROWS));
        return start * row..(start + ROWS).min(rows) * row;
    }
    // Stays within one row, so that neighbours in the table are neighbours in the buffer.
    let row_start = first / row * row;
    let start = (first - row_start).saturating_sub(1).min(row.saturating_sub(RUN)) + row_start;
    start..(start + RUN).min(row_start + row)
}

fn element(i: usize, seen: &WrongOutput, ty: ElementType) -> Option<Element> {
    let (want, got) = (seen.want.get(i)?, seen.got.get(i)?);
    let mut index = Vec::with_capacity(seen.shape.len());
    let mut rest = i;
    for extent in seen.shape.iter().rev() {
        index.push(rest % extent.max(&1));
        rest /= extent.max(&1);
    }
    index.reverse();
    let written = seen.written.get(i).copied().unwrap_or(false);
    let right = seen.right.get(i).copied().unwrap_or(false);
    let bits = (!right).then(|| in_bits(want, got, ty)).flatten();
    let (want, got) = bits.unwrap_or_else(|| texts(want, got, ty, right));
    Some(Element { index, want, got: written.then_some(got), right })
}

/// Unsigned numbers from here on may be bit patterns.
const BITS_FROM: u64 = 1 << 16;

/// Formats two unsigned values with their bits in hexadecimal, if one of them is large.
fn in_bits(want: Scalar, got: Scalar, ty: ElementType) -> Option<(String, String)> {
    let unsigned = |value| match (value, ty) {
        (Scalar::Int(value), ElementType::U32 | ElementType::U64) => Some(value as u64),
        _ => None,
    };
    let (want, got) = (unsigned(want)?, unsigned(got)?);
    let describe = |value: u64| format!("{value} (0x{value:x})");
    (want.max(got) >= BITS_FROM).then(|| (describe(want), describe(got)))
}

/// Formats both values with as few digits as show that they differ, but at least six.
fn texts(want: Scalar, got: Scalar, ty: ElementType, right: bool) -> (String, String) {
    let pairs = (6..=17).map(|digits| (text(want, ty, digits), text(got, ty, digits)));
    let mut shown = (String::new(), String::new());
    for pair in pairs {
        shown = pair;
        if right || shown.0 != shown.1 {
            break;
        }
    }
    shown
}

/// Formats a value with `digits` significant digits, without trailing zeros.
fn text(value: Scalar, ty: ElementType, digits: usize) -> String {
    match value {
        Scalar::Int(value) if ty == ElementType::U64 => (value as u64).to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) => decimal(value, digits),
    }
}

/// Formats a number with `digits` significant digits, without trailing zeros.
pub fn decimal(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-5..10).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return zeros_off(&format!("{value:.decimals$}"));
    }
    format!("{}e{exponent}", zeros_off(mantissa))
}

fn zeros_off(decimal: &str) -> String {
    let short =
        if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal };
    if short == "-0" { "0".into() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::compare::compare;
    use super::super::value::Values;
    use super::super::{LaterBlocks, Pattern};
    use super::*;
    use crate::course::Tolerance;
    use sim::Dim3;

    #[test]
    fn numbers_are_as_short_as_shows_the_difference() {
        let float =
            |want: f64, got: f64| texts(Scalar::Float(want), Scalar::Float(got), ElementType::F32, false);
        let pair = |want: &str, got: &str| (want.to_owned(), got.to_owned());
        assert_eq!(float(14.0, 0.0), pair("14", "0"));
        assert_eq!(float(0.1, -2.5), pair("0.1", "-2.5"));
        assert_eq!(float(1.0, 1.000000119), pair("1", "1.0000001"));
        assert_eq!(float(1.5e20, 2e-9), pair("1.5e20", "2e-9"));
        assert_eq!(float(f64::NAN, f64::INFINITY), pair("NaN", "inf"));
        assert_eq!(float(0.0, -1e-30), pair("0", "-1e-30"));
        let ints = texts(Scalar::Int(-1), Scalar::Int(3), ElementType::U64, false);
        assert_eq!(ints, pair("18446744073709551615", "3"));
    }

    #[test]
    fn large_unsigned_numbers_come_with_their_bits() {
        let describe = |want, got, ty| in_bits(Scalar::Int(want), Scalar::Int(got), ty);
        let pair = |want: &str, got: &str| Some((want.to_owned(), got.to_owned()));
        assert_eq!(describe(0x3f80_0000, 1, ElementType::U32), pair("1065353216 (0x3f800000)", "1 (0x1)"));
        assert_eq!(describe(7, 9, ElementType::U32), None);
        assert_eq!(describe(-1, 9, ElementType::I32), None);
    }

    #[test]
    fn the_window_surrounds_the_first_wrong_element() {
        assert_eq!(window(0, &[4]), 0..4);
        assert_eq!(window(1, &[100]), 0..8);
        assert_eq!(window(50, &[100]), 49..57);
        assert_eq!(window(99, &[100]), 92..100);
        assert_eq!(window(0, &[1]), 0..1);
        assert_eq!(window(4, &[3, 3]), 0..9);
        assert_eq!(window(22, &[5, 5]), 5..25);
        assert_eq!(window(35, &[4, 30]), 34..42);
        assert_eq!(window(30, &[4, 30]), 30..38);
        assert_eq!(window(119, &[4, 30]), 112..120);
    }

    /// Returns the mismatch of an output of which each thread should write one element.
    fn found(seen: &WrongOutput, config: &LaunchConfig) -> Mismatch {
        let case = &JudgedCase::default();
        let (ty, writer) = (ElementType::I32, Writer::Thread);
        mismatch(seen, &Setting { case, buffer: "out", ty, writer, fixed_shape: false, config }).unwrap()
    }

    #[test]
    fn an_array_that_happens_to_be_short_has_no_pattern() {
        let pattern = |want: Vec<i64>, got: Vec<i64>| {
            let (want, got) = (Values::Int(want), Values::Int(got));
            let written = vec![true; want.count()];
            let right = compare(&want, &got, &written, Tolerance::default());
            let block = Dim3::new(8, 1, 1);
            let config = LaunchConfig { grid: Dim3::new(1, 1, 1), block, dynamic_shared_bytes: 0 };
            found(&WrongOutput::new([&want, &got], &written, &right, &[want.count()]), &config).pattern
        };
        assert_eq!(pattern(vec![-85], vec![0]), None);
        assert_eq!(pattern(vec![1], vec![2]), None);
        assert_eq!(pattern(vec![1, 2, 3], vec![0, 0, 0]), Some(Pattern::AllZero));
    }

    #[test]
    fn threads_that_take_x_for_the_row_are_known_by_what_they_write() {
        let pattern = |shape: [usize; 2], written: fn(usize) -> bool| {
            let n = shape[0] * shape[1];
            let want = Values::Int((1..=n as i64).collect());
            let written: Vec<bool> = (0..n).map(written).collect();
            let right = compare(&want, &want, &written, Tolerance::default());
            let seen = WrongOutput::new([&want, &want], &written, &right, &shape);
            let block = Dim3::new(shape[1] as u32 + 1, shape[0] as u32 + 1, 1);
            let config = LaunchConfig { grid: Dim3::new(1, 1, 1), block, dynamic_shared_bytes: 0 };
            found(&seen, &config).pattern
        };
        assert_eq!(pattern([1, 7], |i| i < 2), Some(Pattern::ExchangedThreads));
        assert_eq!(pattern([5, 3], |i| i < 12), Some(Pattern::ExchangedThreads));
        let other = pattern([1, 7], |i| i < 3);
        assert_eq!(other, Some(Pattern::PartlyWritten { written: 3, gap: Some(3..7) }));
    }

    #[test]
    fn a_mismatch_says_which_thread_should_have_written() {
        let want = Values::Int((0..9).collect());
        let got = Values::Int([0, 1, 2, 3, 0, 0, 0, 0, 0].into());
        let written: Vec<bool> = (0..9).map(|i| i < 4).collect();
        let right = compare(&want, &got, &written, Tolerance::default());
        let seen = WrongOutput::new([&want, &got], &written, &right, &[9]);
        let config =
            LaunchConfig { grid: Dim3::new(3, 1, 1), block: Dim3::new(4, 1, 1), dynamic_shared_bytes: 0 };
        let found = found(&seen, &config);
        assert_eq!((found.differing, found.total), (5, 9));
        assert_eq!(found.pattern, Some(Pattern::FirstBlockOnly { right: 4, others: LaterBlocks::Unset }));
        let writer = found.writer.unwrap();
        assert_eq!((writer.block, writer.thread), (Dim3::new(1, 0, 0), Some(Dim3::new(0, 0, 0))));
        assert_eq!(found.window[0].index, [1]);
        assert_eq!(
            (found.window[3].want.as_str(), &found.window[3].got, found.window[3].right),
            ("4", &None, false)
        );
    }
}
