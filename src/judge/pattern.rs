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
    pub fn len(&self) -> usize {
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
    // Fewer wrong values show nothing of what the blocks have in common.
    const FEWEST: usize = 3;
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
    } else if later().count() >= FEWEST {
        LaterBlocks::Wrong
    } else {
        return None;
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

/// The values of the elements that should change are next to their places, and outside of those all is as before.
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
