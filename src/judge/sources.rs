//! Determines which input elements a wrong output element depends on, compared with those that the right value
//! depends on. Both are found by replacing input values and running again, with replacements that another seed
//! could have drawn; so every dependency found is proven, but some may be missed. A difference within the lesson's
//! tolerance is no dependency: it may be rounding alone.

use super::answer::Answer;
use super::backend::Program;
use super::case_run::run_case;
use super::compare::close;
use super::fill::inputs;
use super::judged_case::JudgedCase;
use super::kernel::PreparedKernel;
use super::options::{Options, simulation};
use super::signature::symbols;
use super::value::{Scalar, Values};
use super::verdict::{Failure, InputUse, Mismatch, Sources};
use crate::course::{Buffer, Content, SizedCase, SizedFill, Spec, Tolerance};
use anyhow::Result;
use std::cell::Cell;
use std::ops::Range;

/// `MAX_WORK`: approximate limit on the thread instructions of all runs together; `MAX_RUNS`: limit on the number
/// of runs. Both include the reference's runs.
const MAX_WORK: u64 = 1 << 25;
const MAX_RUNS: u64 = 1 << 11;
/// With fewer runs than this the search would find next to nothing and is not started.
const MIN_RUNS: u64 = 1 << 5;
/// Inputs with more elements than this are skipped.
const MAX_ELEMENTS: usize = 1 << 14;
/// Warp instructions after which a run is abandoned.
const BUDGET: u64 = 1 << 20;

impl PreparedKernel<'_> {
    /// Adds the inputs that the first wrong element depends on to the failure, where they can be determined.
    pub(super) fn with_sources(&self, failure: Failure, options: &Options) -> Result<Failure> {
        let Failure::Wrong(mismatch) = failure else { return Ok(failure) };
        let sources = self.sources(&mismatch, &self.answer_unchecked(options)?, options)?;
        Ok(Failure::Wrong(Mismatch { sources, ..mismatch }))
    }

    fn sources(&self, mismatch: &Mismatch, answer: &Answer, options: &Options) -> Result<Option<Sources>> {
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        // If the order of elements is free, or if another order of the blocks matters, dependencies say nothing.
        let wrong = mismatch.window.iter().find(|element| !element.right && element.got.is_some());
        let JudgedCase { index, case, rerun: None } = &mismatch.case else { return Ok(None) };
        let (Some(wrong), false) = (wrong, mismatch.any_order) else { return Ok(None) };
        let mut outputs = spec.outputs().enumerate();
        let shown = outputs.find(|(_, (_, buffer))| buffer.name == mismatch.buffer);
        let Some((output, (_, &Buffer { ty, .. }))) = shown else { return Ok(None) };
        let place =
            wrong.index.iter().zip(&mismatch.shape).fold(0, |all, (index, extent)| all * extent + index);
        let sized = lesson.sized(case)?;
        let unchecked = sim::Options { checks: false, ..simulation(lesson, options) };
        let Ok(program) = self.simulated(unchecked) else { return Ok(None) };
        let program = program.with_budget(BUDGET);
        let Ok(symbols) = symbols(spec, program.signatures()) else { return Ok(None) };
        let drawn = |n: u64| inputs(lesson, &sized, *index, options.seed.wrapping_add(n));
        let [first, second, third] = [drawn(0), drawn(1), drawn(2)];
        // Inputs of each of two draws, with zeros replaced where possible.
        let base = |its: &[Option<Values>]| -> Vec<Option<Values>> {
            let all = its.iter().zip(&third).zip(&sized.contents);
            all.map(|((values, third), content)| match fill_of(content) {
                Some(fill) => Some(without_zeros(values.clone()?, &replacements(fill, third.as_ref()?))),
                None => values.clone(),
            })
            .collect()
        };
        let (initial, again) = (base(&first), base(&second));
        let case_run = |inputs: &[Option<Values>]| {
            let case_run = run_case(&program, spec, &sized, &symbols, inputs).ok()?;
            let whole = case_run.findings.is_empty() && !case_run.stopped;
            let value = case_run.outputs.get(output)?.got.get(place).filter(|_| whole)?;
            Some((value, case_run.counts.thread_instructions))
        };
        let Some((_, work)) = case_run(&initial) else { return Ok(None) };
        // A reference on the simulator often executes far more work than the submission.
        let reference = match answer {
            Answer::Kernel(program) => work_of(program.as_ref(), spec, &sized, &initial),
            Answer::Cpu(_) | Answer::Cases => Some(work),
        };
        let Some(reference) = reference else { return Ok(None) };
        let runs = Cell::new((MAX_WORK / work.max(reference).max(1)).min(MAX_RUNS));
        if runs.get() < MIN_RUNS {
            return Ok(None);
        }
        let yours = |inputs: &[Option<Values>]| case_run(inputs).map(|(value, _)| value);
        // Differences that the output's type cannot represent do not count.
        let wanted = |inputs: &[Option<Values>]| {
            let all = answer.expected_for_inputs(lesson, case, &sized, inputs).ok()?;
            all.get(output)?.at(&[place]).rounded(ty).get(0)
        };
        let mut found = Vec::new();
        for (buffer, its) in spec.buffers.iter().enumerate().filter(|(_, its)| its.role.is_input()) {
            let (Some(fill), Some(third)) = (fill_of(&sized.contents[buffer]), &third[buffer]) else {
                continue;
            };
            let replacements = &replacements(fill, third);
            let search =
                |initial, tolerance| Search { initial, buffer, replacements, tolerance, runs: &runs };
            let first = search(&initial, spec.tolerance);
            let (Some(right), Some(left)) = (first.dependencies(&wanted), first.dependencies(&yours)) else {
                continue;
            };
            // A dependency that only one side seems to have is tried with other inputs, which may reveal it on the
            // other side. There any difference counts, so that it is certain that the other side has none.
            let exact = search(&again, Tolerance::default());
            let also = |mine: &[usize], theirs: &[usize], value| {
                let more = theirs.iter().copied().filter(|element| !mine.contains(element));
                exact.with_dependencies_among(mine, more, value)
            };
            let (Some(wanted), Some(yours)) = (also(&right, &left, &wanted), also(&left, &right, &yours))
            else {
                continue;
            };
            let shape = sized.shapes[buffer].clone();
            found.push(InputUse { buffer: its.name.clone(), shape, yours, wanted });
        }
        let several = |input: &InputUse| input.shape.iter().product::<usize>() > 1;
        let differs = found.iter().any(|input| several(input) && input.yours != input.wanted);
        Ok(differs.then(|| Sources { element: wrong.index.clone(), inputs: found }))
    }
}

/// Returns the thread instructions of one run; `None` if it does not run to its end.
fn work_of(program: &dyn Program, spec: &Spec, sized: &SizedCase, inputs: &[Option<Values>]) -> Option<u64> {
    let symbols = symbols(spec, program.signatures()).ok()?;
    let case_run = run_case(program, spec, sized, &symbols, inputs).ok()?;
    (!case_run.stopped).then_some(case_run.counts.thread_instructions)
}

/// Returns the fill of a buffer if its elements are drawn independently of each other, so that each may be
/// replaced.
fn fill_of(content: &Content) -> Option<&SizedFill> {
    match content {
        Content::Fill(fill) if !fill.needs_whole_buffer() && *fill != SizedFill::Iota {} => Some(fill),
        _ => None,
    }
}

/// Replaces zeros by other values, because a product with zero hides its other factors.
fn without_zeros(values: Values, replacements: &[Values]) -> Values {
    fn filled<T: Copy + PartialEq + Default>(values: &mut [T], replacements: &[T]) {
        let zeros = values.iter_mut().zip(replacements).filter(|(value, _)| **value == T::default());
        zeros.for_each(|(value, other)| *value = *other);
    }
    let fill = |mut values: Values, replacements: &Values| {
        match (&mut values, replacements) {
            (Values::Float(values), Values::Float(replacements)) => filled(values, replacements),
            (Values::Int(values), Values::Int(replacements)) => filled(values, replacements),
            _ => {}
        }
        values
    };
    replacements.iter().fold(values, fill)
}

/// Returns the replacement values: drawn ones, and the largest and the smallest.
fn replacements(fill: &SizedFill, drawn: &Values) -> Vec<Values> {
    let whole = matches!(drawn, Values::Int(_));
    let all = |value: f64| match whole {
        true => Values::Int(vec![value as i64; drawn.count()]),
        false => Values::Float(vec![value; drawn.count()]),
    };
    let ends = match *fill {
        SizedFill::Integers { low, high } | SizedFill::Halves { low, high } => {
            Some((low as f64, high as f64))
        }
        SizedFill::Uniform { low, high } => Some((low, high)),
        _ => None,
    };
    let ends = ends.into_iter().flat_map(|(low, high)| [all(high), all(low)]);
    std::iter::once(drawn.clone()).chain(ends).collect()
}

/// Computes an output value from the contents of the inputs; `None` if there is none.
type Value<'a> = &'a dyn Fn(&[Option<Values>]) -> Option<Scalar>;

/// A search for the elements of one input that a value depends on.
struct Search<'a> {
    initial: &'a [Option<Values>],
    buffer: usize,
    /// Replacement values, tried one after the other.
    replacements: &'a [Values],
    /// The largest difference between values that count as the same.
    tolerance: Tolerance,
    /// Number of runs left.
    runs: &'a Cell<u64>,
}

impl Search<'_> {
    /// Returns the elements that the value depends on, in order. `None` if the runs are used up, or if a run yields
    /// no value.
    fn dependencies(&self, value: Value) -> Option<Vec<usize>> {
        let count = self.initial.get(self.buffer)?.as_ref()?.count();
        if count == 0 || count > MAX_ELEMENTS {
            return None;
        }
        let mut found = Vec::new();
        self.narrow(value, value(self.initial)?, 0..count, &mut found)?;
        Some(found)
    }

    /// Bisects the range until single elements are left.
    fn narrow(&self, value: Value, was: Scalar, range: Range<usize>, found: &mut Vec<usize>) -> Option<()> {
        let middle = range.start + range.len() / 2;
        match (self.changes(value, was, range.clone())?, range.len()) {
            (false, _) => {}
            (true, 1) => found.push(range.start),
            (true, _) => {
                self.narrow(value, was, range.start..middle, found)?;
                self.narrow(value, was, middle..range.end, found)?;
            }
        }
        Some(())
    }

    /// Returns `known` and those elements of `more` that the value depends on, sorted. `None` if the runs are used
    /// up, or if a run yields no value.
    fn with_dependencies_among(
        &self,
        known: &[usize],
        more: impl Iterator<Item = usize>,
        value: Value,
    ) -> Option<Vec<usize>> {
        let (was, mut all) = (value(self.initial)?, known.to_vec());
        for element in more {
            if self.changes(value, was, element..element + 1)? {
                all.push(element);
            }
        }
        all.sort_unstable();
        Some(all)
    }

    /// Returns whether replacing the elements in `range` changes the value; `None` if the replacement yields no
    /// value, or if no run is left.
    fn changes(&self, value: Value, was: Scalar, range: Range<usize>) -> Option<bool> {
        for replacements in self.replacements {
            self.runs.set(self.runs.get().checked_sub(1)?);
            if !close(was, value(&self.with(replacements, range.clone())?)?, self.tolerance) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Returns the inputs with the elements in `range` of one buffer replaced.
    fn with(&self, replacements: &Values, range: Range<usize>) -> Option<Vec<Option<Values>>> {
        let mut inputs = self.initial.to_vec();
        match (inputs.get_mut(self.buffer)?.as_mut()?, replacements) {
            (Values::Float(values), Values::Float(replacements)) => {
                values.get_mut(range.clone())?.copy_from_slice(replacements.get(range)?);
            }
            (Values::Int(values), Values::Int(replacements)) => {
                values.get_mut(range.clone())?.copy_from_slice(replacements.get(range)?);
            }
            _ => return None,
        }
        Some(inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_that_a_value_changes_with() {
        let initial = [Some(Values::Float((0..40).map(|n| f64::from(n % 7) + 0.5).collect()))];
        let value = |inputs: &[Option<Values>]| match inputs {
            [Some(Values::Float(of))] => {
                Some(Scalar::Float(of[3] - of[4] + of[39].max(of[38]) + 1e-9 * of[5]))
            }
            _ => None,
        };
        let drawn = Values::Float((0..40).map(|n| f64::from(n % 5)).collect());
        let replacements = replacements(&SizedFill::Halves { low: -9, high: 9 }, &drawn);
        let search = |runs| {
            let (replacements, tolerance) = (&replacements, Tolerance { abs: 1e-6, rel: 0.0 });
            let (initial, runs) = (&initial, &Cell::new(runs));
            Search { initial, buffer: 0, replacements, tolerance, runs }.dependencies(&value)
        };
        assert_eq!(search(200), Some(vec![3, 4, 38, 39]), "of[5] changes it by less than the tolerance");
        assert_eq!(search(10), None, "too many runs");
    }
}
