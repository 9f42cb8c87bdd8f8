//! Recognises typical mistakes from the wrong values of an output.

use super::compare::{allowed, close, first_wrong};
use super::value::{Scalar, Values};
use super::verdict::{LaterBlocks, Pattern, TailStart, ThreadPosition};
use crate::course::Tolerance;
use sim::Dim3;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A wrong output together with what its values may come from.
pub struct WrongOutput<'a> {
    pub want: &'a Values,
    pub got: &'a Values,
    pub written: &'a [bool],
    /// For each element, whether it is right; at least one is not.
    pub right: &'a [bool],
    /// Extents, slowest dimension first.
    pub shape: &'a [usize],
    pub tolerance: Tolerance,
    /// The inputs with their names.
    pub inputs: &'a [(&'a str, &'a Values)],
    /// The thread that should write each element; `None` unless known for all elements.
    pub places: Option<&'a [ThreadPosition]>,
    /// The initial contents of an in-out buffer; `None` for a plain output.
    pub before: Option<&'a Values>,
}

impl<'a> WrongOutput<'a> {
    /// Creates a view that is compared exactly, without inputs and with unknown writers.
    pub fn new(
        [want, got]: [&'a Values; 2],
        written: &'a [bool],
        right: &'a [bool],
        shape: &'a [usize],
    ) -> WrongOutput<'a> {
        let (tolerance, inputs, places, before) = (Tolerance::default(), &[], None, None);
        WrongOutput { want, got, written, right, shape, tolerance, inputs, places, before }
    }
}

/// Largest relative difference that still counts as rounding.
const ROUNDING: f64 = 1e-3;
/// Largest shift that is tried, in either direction.
const FARTHEST_SHIFT: i64 = 4;

/// Returns the most specific pattern that matches, if any does.
pub fn recognise(seen: &WrongOutput) -> Option<Pattern> {
    let rules: [fn(&WrongOutput) -> Option<Pattern>; 17] = [
        untouched,
        unchanged,
        first_block_only,
        partly_written,
        partly_unchanged,
        not_a_number,
        infinite,
        all_zero,
        truncated,
        nearly_right,
        copy_of_input,
        rearranged,
        constant,
        shifted,
        offset,
        whole,
        tail_wrong,
    ];
    rules.iter().find_map(|rule| rule(seen))
}

impl WrongOutput<'_> {
    fn len(&self) -> usize {
        self.want.count()
    }

    /// Returns whether `got[i]` equals the value wanted at `map(i)`, for every `i` whose `map(i)` is an element.
    fn is(&self, map: impl Fn(usize) -> Option<usize>) -> bool {
        (0..self.len()).all(|i| {
            let want = map(i).and_then(|j| self.want.get(j));
            match (want, self.got.get(i)) {
                (Some(want), Some(got)) => close(want, got, self.tolerance),
                (want, _) => want.is_none(),
            }
        })
    }

    /// Returns whether an element of an in-out buffer still holds its initial value.
    fn kept(&self, i: usize) -> bool {
        self.before.is_some_and(|before| agree((before, i), (self.got, i), Tolerance::default()))
    }

    /// Returns the wanted value and what was got of every wrong element.
    fn wrong(&self) -> impl Iterator<Item = (Scalar, Scalar)> {
        let pairs = self.want.iter().zip(self.got.iter()).zip(self.right);
        pairs.filter(|(_, right)| !**right).map(|(pair, _)| pair)
    }
}

/// Returns whether two elements exist and agree.
fn agree(one: (&Values, usize), other: (&Values, usize), tolerance: Tolerance) -> bool {
    let pair = one.0.get(one.1).zip(other.0.get(other.1));
    pair.is_some_and(|(one, other)| close(one, other, tolerance))
}

fn untouched(seen: &WrongOutput) -> Option<Pattern> {
    (!seen.written.contains(&true)).then_some(Pattern::Untouched)
}

fn first_block_only(seen: &WrongOutput) -> Option<Pattern> {
    const FIRST: Dim3 = Dim3::new(0, 0, 0);
    let places = seen.places?;
    let of_first = || places.iter().map(|place| place.block == FIRST);
    let right = of_first().filter(|first| *first).count();
    if right == 0 || right == seen.len() || !of_first().eq(seen.right.iter().copied()) {
        return None;
    }
    let later = || (0..seen.len()).zip(places).filter(|(_, place)| place.block != FIRST);
    // Maps each thread of the first block to the element that it writes.
    let first = places.iter().enumerate().filter(|(_, place)| place.block == FIRST);
    let twins: HashMap<Option<Dim3>, usize> = first.map(|(i, place)| (place.thread, i)).collect();
    let repeated = |(i, place): (usize, &ThreadPosition)| {
        let twin = twins.get(&place.thread);
        twin.is_some_and(|twin| agree((seen.want, *twin), (seen.got, i), seen.tolerance))
    };
    let written = |(i, _): &(usize, &ThreadPosition)| seen.written.get(*i) == Some(&true);
    let others = if later().filter(written).all(|(i, _)| seen.kept(i)) {
        LaterBlocks::Unset
    } else if later().filter(written).all(repeated) {
        LaterBlocks::Repeated
    } else {
        LaterBlocks::Wrong
    };
    Some(Pattern::FirstBlockOnly { right, others })
}

fn partly_written(seen: &WrongOutput) -> Option<Pattern> {
    let written = seen.written.iter().filter(|written| **written).count();
    Some(Pattern::PartlyWritten { written, gap: gap(seen.written)? })
}

/// Returns the range of the elements that are `false`, or `Some(None)` if they are not contiguous; `None` if all
/// are `true`.
fn gap(holds: &[bool]) -> Option<Option<Range<usize>>> {
    let first = holds.iter().position(|holds| !holds)?;
    let last = holds.iter().rposition(|holds| !holds)?;
    let missing = holds.iter().filter(|holds| !**holds).count();
    Some((last + 1 - first == missing).then_some(first..last + 1))
}

fn unchanged(seen: &WrongOutput) -> Option<Pattern> {
    (0..seen.len()).all(|i| seen.kept(i)).then_some(Pattern::Unchanged)
}

fn partly_unchanged(seen: &WrongOutput) -> Option<Pattern> {
    let mut wrong = (0..seen.len()).zip(seen.right).filter(|(_, right)| !**right);
    let gap = gap(seen.right)?;
    wrong
        .all(|(i, _)| seen.kept(i))
        .then(|| Pattern::PartlyUnchanged { unchanged: seen.wrong().count(), gap })
}

fn not_a_number(seen: &WrongOutput) -> Option<Pattern> {
    seen.wrong().any(|(_, got)| got.is_nan()).then_some(Pattern::NotANumber)
}

fn infinite(seen: &WrongOutput) -> Option<Pattern> {
    let (Values::Float(want), Values::Float(got)) = (seen.want, seen.got) else { return None };
    let mut pairs = want.iter().zip(got);
    pairs.any(|(want, got)| want.is_finite() && got.is_infinite()).then_some(Pattern::Infinite)
}

fn all_zero(seen: &WrongOutput) -> Option<Pattern> {
    seen.got.iter().all(Scalar::is_zero).then_some(Pattern::AllZero)
}

fn nearly_right(seen: &WrongOutput) -> Option<Pattern> {
    let (Values::Float(want), Values::Float(got)) = (seen.want, seen.got) else { return None };
    let mut largest = 0.0f64;
    for ((want, got), _) in want.iter().zip(got).zip(seen.right).filter(|(_, right)| !**right) {
        let relative = (got - want).abs() / want.abs();
        // NaN or infinity (where zero is wanted) is no rounding.
        if relative.is_nan() || relative > ROUNDING {
            return None;
        }
        largest = largest.max(relative);
    }
    Some(Pattern::NearlyRight { relative: largest })
}

/// Returns the pairs (wanted, got) whose wanted value has a fraction; `None` unless everything that was got is
/// whole.
fn fractions<'a>(seen: &WrongOutput<'a>) -> Option<Vec<(f64, f64)>> {
    let (Values::Float(want), Values::Float(got)) = (seen.want, seen.got) else { return None };
    let whole = got.iter().all(|got| got.fract() == 0.0);
    let pairs = want.iter().copied().zip(got.iter().copied());
    whole.then(|| pairs.filter(|(want, _)| want.fract() != 0.0).collect())
}

/// Each value is the right one truncated.
fn truncated(seen: &WrongOutput) -> Option<Pattern> {
    let fractions = fractions(seen)?;
    let cut = fractions.iter().all(|(want, got)| want.trunc() == *got);
    (cut && fractions.len() == seen.wrong().count()).then_some(Pattern::Whole { cut })
}

/// From this magnitude on, bf16 cannot represent fractions.
const COARSE_FROM: f64 = 128.0;
/// The relative error that rounding to whole numbers at every step of a sum may cause.
const ROUNDED_AWAY: f64 = 0.05;

/// This many values are hardly all whole by chance.
const TELLING: usize = 4;

/// Most of the values are whole numbers close to the right ones.
fn whole(seen: &WrongOutput) -> Option<Pattern> {
    let fractions = fractions(seen)?;
    // Where a type no longer holds fractions, sums of many values are off by more than one.
    let coarse = |want: f64, off: f64| want.abs() >= COARSE_FROM && off <= want.abs() * ROUNDED_AWAY;
    let is_near = |&(want, got): &(f64, f64)| (want - got).abs() < 1.0 || coarse(want, (want - got).abs());
    let near = fractions.iter().filter(|pair| is_near(pair)).count();
    let enough = near >= TELLING || near >= TELLING / 2 && seen.len() >= 2 * TELLING;
    (enough && 2 * near > fractions.len()).then_some(Pattern::Whole { cut: false })
}

fn copy_of_input(seen: &WrongOutput) -> Option<Pattern> {
    // A single element may equal another value by chance.
    if seen.len() < 2 {
        return None;
    }
    let exact = Tolerance::default();
    let copied = seen.inputs.iter().find(|(_, values)| {
        values.count() == seen.len() && first_wrong(values, seen.got, seen.written, exact).is_none()
    });
    copied.map(|(name, _)| Pattern::CopyOfInput { buffer: (*name).to_owned() })
}

fn rearranged(seen: &WrongOutput) -> Option<Pattern> {
    let n = seen.len();
    if n < 3 {
        return None;
    }
    if seen.is(|i| n.checked_sub(i + 1)) && is_significant(seen.got, 0..n) {
        return Some(Pattern::Reversed);
    }
    let [rows, cols] = *seen.shape else { return None };
    // Written as (cols, rows): `got[c * rows + r]` is the value wanted at [r][c].
    let transposed = rows > 1 && cols > 1 && seen.is(|i| Some(i % rows * cols + i / rows));
    transposed.then_some(Pattern::Transposed)
}

fn constant(seen: &WrongOutput) -> Option<Pattern> {
    let alike =
        |values: &Values| values.get(0).is_some_and(|first| values.iter().all(|value| value == first));
    // Equal values mean nothing where all should be equal.
    (seen.len() > 1 && alike(seen.got) && !alike(seen.want)).then_some(Pattern::Constant)
}

fn shifted(seen: &WrongOutput) -> Option<Pattern> {
    if seen.before.is_some() {
        return shifted_among_old(seen);
    }
    let n = seen.len() as i64;
    let shifts = (1..=FARTHEST_SHIFT).flat_map(|by| [by, -by]);
    // Two elements may agree by chance; three in a row and half of all elements hardly do.
    let mut shifts = shifts.filter(|by| n - by.abs() >= 3 && by.abs() <= n / 2);
    let found =
        shifts.find(|by| seen.is(|i| usize::try_from(i as i64 + by).ok().filter(|j| *j < seen.len())))?;
    let (before, past) = (usize::try_from(-found).unwrap_or(0), usize::try_from(found).unwrap_or(0));
    (is_significant(seen.got, before..seen.len() - past) && !has_constant_error(seen))
        .then_some(Pattern::Shifted { by: found })
}

/// The values of the elements that should change are beside their places, and outside of those all is as before.
fn shifted_among_old(seen: &WrongOutput) -> Option<Pattern> {
    let before = seen.before?;
    let is_old = |values: &Values, i: usize| agree((before, i), (values, i), Tolerance::default());
    let changes = |i: &usize| !is_old(seen.want, *i);
    let range = (0..seen.len()).find(changes)?..(0..seen.len()).rfind(changes)? + 1;
    let moved = |by: i64| {
        let at = |i: usize, by: i64| usize::try_from(i as i64 + by).ok().filter(|at| *at < seen.len());
        // What was moved past an end is gone.
        let mut places = range.clone().filter_map(|i| Some((i, at(i, -by)?)));
        let arrived = places.all(|(i, at)| agree((seen.want, i), (seen.got, at), seen.tolerance));
        let is_inside = |i: usize| range.contains(&i) || at(i, by).is_some_and(|from| range.contains(&from));
        arrived && (0..seen.len()).all(|i| is_inside(i) || is_old(seen.got, i))
    };
    let most = FARTHEST_SHIFT.min(range.len() as i64 / 2).min(range.len() as i64 - 3);
    let by = (1..=most).flat_map(|by| [by, -by]).find(|by| moved(*by))?;
    (is_significant(seen.want, range) && !has_constant_error(seen)).then_some(Pattern::Shifted { by })
}

/// Every value is off by the same number. Of a single one that says something only if the number is 1, as where a sum
/// begins at 1.
fn offset(seen: &WrongOutput) -> Option<Pattern> {
    let (want, got) = (seen.want.get(0)?, seen.got.get(0)?);
    let by = number(got) - number(want);
    let telling = match seen.len() {
        1 => (by.abs() - 1.0).abs() <= allowed(number(want), seen.tolerance).min(0.01),
        n => n >= TELLING && !seen.want.iter().all(|value| value == want),
    };
    let is_off = |(want, got): (Scalar, Scalar)| {
        let off = number(got) - number(want) - by;
        off.abs() <= allowed(number(want), seen.tolerance).min(by.abs() / 100.0)
    };
    let all = !seen.right.contains(&true) && seen.want.iter().zip(seen.got.iter()).all(is_off);
    (telling && all).then_some(Pattern::Offset { by })
}

/// Returns whether all wrong values are off by the same amount: then they need not be other elements' values.
fn has_constant_error(seen: &WrongOutput) -> bool {
    let mut off = seen.wrong().map(|(want, got)| number(got) - number(want));
    let first = off.next();
    off.all(|next| Some(next) == first)
}

fn number(value: Scalar) -> f64 {
    match value {
        Scalar::Int(value) => value as f64,
        Scalar::Float(value) => value,
    }
}

/// Returns whether these values are unlikely to agree with others by chance. Values with few distinct ones among
/// them, or from a small range of whole numbers, agree more easily, so more of them are needed.
fn is_significant(values: &Values, agree: Range<usize>) -> bool {
    let agree: Vec<f64> = agree.filter_map(|i| values.get(i)).map(number).collect();
    let distinct = agree.iter().map(|value| value.to_bits()).collect::<HashSet<_>>().len();
    let (least, most) = agree.iter().fold((f64::MAX, f64::MIN), |(l, m), &v| (l.min(v), m.max(v)));
    let bits = |of: f64| agree.len() as f64 * of.log2();
    bits(distinct as f64) >= MIN_BITS && bits(most - least + 1.0) >= MIN_BITS_OF_RANGE
}

/// Information, in bits, of slightly less than three distinct values.
const MIN_BITS: f64 = 4.5;
/// Information of eight binary values, or of four numbers from 1 to 4, in bits.
const MIN_BITS_OF_RANGE: f64 = 8.0;

fn tail_wrong(seen: &WrongOutput) -> Option<Pattern> {
    let from = seen.right.iter().position(|right| !right)?;
    let tail = seen.right.get(from..)?;
    let block = |i: usize| Some(seen.places?.get(i)?.block);
    let starts = match (block(from), block(seen.len() - 1)) {
        (Some(its), last) if Some(its) == last && block(0) != last && partly_filled(seen) => {
            TailStart::InLastBlock
        }
        (Some(its), _) if block(from.checked_sub(1)?) != Some(its) => TailStart::WithBlock(its),
        _ => TailStart::Elsewhere,
    };
    // With fewer elements, the wrong ones may be last by chance.
    (seen.len() >= MIN_FOR_A_TAIL && from * 2 >= seen.len() && !tail.contains(&true))
        .then_some(Pattern::TailWrong { from, starts })
}

const MIN_FOR_A_TAIL: usize = 8;

/// Returns whether the last block has fewer elements than the first.
fn partly_filled(seen: &WrongOutput) -> bool {
    let Some(places) = seen.places else { return false };
    let in_block = |of: Option<&ThreadPosition>| {
        of.map_or(0, |of| places.iter().filter(|place| place.block == of.block).count())
    };
    in_block(places.last()) < in_block(places.first())
}

#[cfg(test)]
mod tests {
    use super::super::compare::compare;
    use super::*;

    const WANT: [f64; 12] = [3.0, 1.0, 4.0, 15.0, 9.0, 2.0, 6.0, 5.0, 35.0, 8.0, 97.0, 93.0];
    const INPUT: [f64; 12] = [1.5, 0.0, 2.0, 7.0, 4.0, 1.0, 3.0, 2.5, 17.0, 4.0, 48.0, 46.0];

    /// Element `i` belongs to thread `i % 4` of block `i / 4`.
    fn places() -> [ThreadPosition; 12] {
        std::array::from_fn(|i| ThreadPosition {
            block: Dim3::new(i as u32 / 4, 0, 0),
            thread: Some(Dim3::new(i as u32 % 4, 0, 0)),
        })
    }

    /// The shape is (3, 4).
    fn pattern_of(got: [f64; 12], written: [bool; 12]) -> Option<Pattern> {
        let tolerance = Tolerance { abs: 0.0, rel: 1e-6 };
        let (want, got) = (Values::Float(WANT.into()), Values::Float(got.into()));
        let right = compare(&want, &got, &written, tolerance);
        assert!(right.contains(&false));
        recognise(&WrongOutput {
            tolerance,
            inputs: &[("a", &Values::Float(vec![1.0])), ("b", &Values::Float(INPUT.into()))],
            places: Some(&places()),
            ..WrongOutput::new([&want, &got], &written, &right, &[3, 4])
        })
    }

    fn written(got: impl Fn(usize) -> f64) -> Option<Pattern> {
        pattern_of(std::array::from_fn(got), [true; 12])
    }

    #[test]
    fn each_pattern_is_recognised() {
        assert_eq!(pattern_of(WANT, [false; 12]), Some(Pattern::Untouched));
        assert_eq!(written(|_| 0.0), Some(Pattern::AllZero));
        assert_eq!(written(|_| 7.0), Some(Pattern::Constant));
        assert_eq!(written(|i| INPUT[i]), Some(Pattern::CopyOfInput { buffer: "b".into() }));
        assert_eq!(written(|i| WANT[11 - i]), Some(Pattern::Reversed));
        assert_eq!(written(|i| WANT[i % 3 * 4 + i / 3]), Some(Pattern::Transposed));
        assert_eq!(written(|i| *WANT.get(i + 1).unwrap_or(&-1.0)), Some(Pattern::Shifted { by: 1 }));
        assert_eq!(written(|i| if i < 2 { 0.5 } else { WANT[i - 2] }), Some(Pattern::Shifted { by: -2 }));
        assert_eq!(written(|i| if i == 5 { f64::NAN } else { WANT[i] }), Some(Pattern::NotANumber));
        assert_eq!(written(|i| if i == 5 { f64::INFINITY } else { WANT[i] }), Some(Pattern::Infinite));
        let nearly = written(|i| WANT[i] * if i == 3 { 1.0 + 1.0 / 4096.0 } else { 1.0 });
        assert_eq!(nearly, Some(Pattern::NearlyRight { relative: 1.0 / 4096.0 }));
    }

    #[test]
    fn values_without_their_fractions_are_known() {
        let pattern_of = |want: &[f64], got: &[f64]| {
            let (want, got) = (Values::Float(want.into()), Values::Float(got.into()));
            let written = vec![true; want.count()];
            let right = compare(&want, &got, &written, Tolerance::default());
            recognise(&WrongOutput::new([&want, &got], &written, &right, &[want.count()]))
        };
        let whole = |cut| Some(Pattern::Whole { cut });
        assert_eq!(pattern_of(&[1.5, 2.0, -7.5], &[1.0, 2.0, -7.0]), whole(true));
        assert_eq!(pattern_of(&[4000.5], &[4000.0]), whole(true));
        let sums = [1.5, 20.5, -7.5, 8.0, 3.5, 11.5];
        assert_eq!(pattern_of(&sums, &[1.0, 20.0, -7.0, 7.0, 4.0, 11.0]), whole(false));
        assert_eq!(pattern_of(&sums, &[1.5, 20.0, -7.0, 7.0, 4.0, 11.0]), None);
        assert_eq!(pattern_of(&sums[..3], &[1.0, 21.0, -7.0]), None);
        // Whole, but far from the right values.
        assert_eq!(pattern_of(&sums, &[12.0, 164.0, -60.0, 64.0, 28.0, 92.0]), None);
    }

    #[test]
    fn what_was_not_written_is_told_where_it_is_one_run() {
        let some = |written: fn(usize) -> bool| pattern_of(WANT, std::array::from_fn(written));
        let partly = |written, gap| Some(Pattern::PartlyWritten { written, gap });
        assert_eq!(some(|i| i % 3 == 0), partly(4, None));
        assert_eq!(some(|i| i != 7), partly(11, Some(7..8)));
        assert_eq!(some(|i| !(2..5).contains(&i)), partly(9, Some(2..5)));
    }

    #[test]
    fn what_an_output_held_before_is_known_again() {
        let pattern_of = |got: [f64; 12]| {
            let tolerance = Tolerance { abs: 0.0, rel: 1e-6 };
            let (want, got, before) =
                (Values::Float(WANT.into()), Values::Float(got.into()), Values::Float(INPUT.into()));
            let right = compare(&want, &got, &[true; 12], tolerance);
            recognise(&WrongOutput {
                tolerance,
                inputs: &[("data", &before)],
                places: Some(&places()),
                before: Some(&before),
                ..WrongOutput::new([&want, &got], &[true; 12], &right, &[12])
            })
        };
        let partly = |unchanged, gap| Some(Pattern::PartlyUnchanged { unchanged, gap });
        let mixed =
            |kept: fn(usize) -> bool| std::array::from_fn(|i| if kept(i) { INPUT[i] } else { WANT[i] });
        assert_eq!(pattern_of(INPUT), Some(Pattern::Unchanged));
        assert_eq!(pattern_of(mixed(|i| i % 2 == 0)), partly(6, None));
        assert_eq!(pattern_of(mixed(|i| i > 9)), partly(2, Some(10..12)));
        let only = Some(Pattern::FirstBlockOnly { right: 4, others: LaterBlocks::Unset });
        assert_eq!(pattern_of(mixed(|i| i > 3)), only);
    }

    #[test]
    fn the_first_block_alone_is_right_for_three_reasons() {
        let only = |others| Some(Pattern::FirstBlockOnly { right: 4, others });
        assert_eq!(pattern_of(WANT, std::array::from_fn(|i| i < 4)), only(LaterBlocks::Unset));
        assert_eq!(written(|i| WANT[i % 4]), only(LaterBlocks::Repeated));
        assert_eq!(written(|i| if i < 4 { WANT[i] } else { 0.0 }), only(LaterBlocks::Wrong));
        let some = std::array::from_fn(|i| i < 4 || i == 6);
        assert_eq!(pattern_of(std::array::from_fn(|i| WANT[i % 4]), some), only(LaterBlocks::Repeated));
    }

    #[test]
    fn a_wrong_tail_begins_somewhere() {
        let tail = |from: usize| written(move |i| if i >= from { -1.0 } else { WANT[i] });
        let wrong = |from, starts| Some(Pattern::TailWrong { from, starts });
        // All blocks are full.
        assert_eq!(tail(10), wrong(10, TailStart::Elsewhere));
        assert_eq!(tail(8), wrong(8, TailStart::WithBlock(Dim3::new(2, 0, 0))));
        assert_eq!(tail(7), wrong(7, TailStart::Elsewhere));
        assert_eq!(tail(3), None);
    }

    #[test]
    fn the_last_block_is_blamed_only_where_it_is_partly_filled() {
        let (want, places) = (&WANT[..11], &places()[..11]);
        let want = Values::Float(want.into());
        let got: Vec<f64> = (0..11).map(|i| if i > 8 { -1.0 } else { WANT[i] }).collect();
        let (got, written) = (Values::Float(got), [true; 11]);
        let right = compare(&want, &got, &written, Tolerance::default());
        let seen =
            WrongOutput { places: Some(places), ..WrongOutput::new([&want, &got], &written, &right, &[11]) };
        assert_eq!(recognise(&seen), Some(Pattern::TailWrong { from: 9, starts: TailStart::InLastBlock }));
    }

    #[test]
    fn what_other_mistakes_give_as_well_is_not_named() {
        let pattern_of = |want: &[i64], got: &[i64]| {
            let (want, got) = (Values::Int(want.into()), Values::Int(got.into()));
            let written = vec![true; want.count()];
            let right = compare(&want, &got, &written, Tolerance::default());
            recognise(&WrongOutput::new([&want, &got], &written, &right, &[want.count()]))
        };
        // Each value is one place too early, and also too small by one.
        assert_eq!(pattern_of(&[5, 4, 3, 2, 1, 1], &[4, 3, 2, 1, 1, 1]), None);
        assert_eq!(pattern_of(&[5, 9, 3, 2, 7, 1], &[9, 3, 2, 7, 1, 1]), Some(Pattern::Shifted { by: 1 }));
        // Small numbers with few distinct values, which repeat.
        assert_eq!(pattern_of(&[2, 1, 1, 2, 1, 1], &[1, 2, 1, 1, 2, 1]), None);
        assert_eq!(pattern_of(&[1, 2, 1, 2, 1, 1], &[3, 2, 1, 1, 2, 1]), None);
        // All equal, as they should be.
        assert_eq!(pattern_of(&[2, 2, 2, 2], &[1, 1, 1, 1]), None);
        assert_eq!(pattern_of(&[2, 3, 2, 2], &[1, 1, 1, 1]), Some(Pattern::Constant));
    }

    #[test]
    fn values_that_are_off_by_one_number_are_known() {
        let by = |by| Some(Pattern::Offset { by });
        assert_eq!(written(|i| WANT[i] + 2.0), by(2.0));
        assert_eq!(written(|i| if i == 5 { WANT[i] } else { WANT[i] + 2.0 }), None);
        let one = |want: f64, got: f64| {
            let (want, got) = (Values::Float(vec![want]), Values::Float(vec![got]));
            recognise(&WrongOutput::new([&want, &got], &[true], &[false], &[1]))
        };
        assert_eq!((one(-61.75, -60.75), one(8.5, 7.5)), (by(1.0), by(-1.0)));
        assert_eq!(one(-61.75, -60.25), None);
    }

    #[test]
    fn a_shift_among_old_values_is_known() {
        let pattern_of = |got: &[i64]| {
            let old = [-7, -3, -8, -1, -6, -2, -9, -4];
            let want = Values::Int(vec![9, 3, 8, 5, 6, -2, -9, -4]);
            let (before, got) = (Values::Int(old.into()), Values::Int(got.into()));
            let written = [true; 8];
            let right = compare(&want, &got, &written, Tolerance::default());
            recognise(&WrongOutput {
                before: Some(&before),
                ..WrongOutput::new([&want, &got], &written, &right, &[8])
            })
        };
        assert_eq!(pattern_of(&[-7, 9, 3, 8, 5, 6, -9, -4]), Some(Pattern::Shifted { by: -1 }));
        assert_eq!(pattern_of(&[-7, 9, 3, 8, 5, 0, -9, -4]), None);
    }

    #[test]
    fn what_fits_none_is_not_named() {
        assert_eq!(written(|i| if i % 5 == 0 { WANT[i] + 1.0 } else { WANT[i] }), None);
    }

    #[test]
    fn one_element_is_not_over_interpreted() {
        let (want, got) = (Values::Int(vec![9]), Values::Int(vec![7]));
        let seen = |got: &Values| recognise(&WrongOutput::new([&want, got], &[true], &[false], &[1]));
        assert_eq!(seen(&got), None);
        assert_eq!(seen(&Values::Int(vec![0])), Some(Pattern::AllZero));
    }
}
