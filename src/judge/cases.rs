//! Runs every case of a lesson on a program and returns the first failure, or the counters of a passing run.

use super::answer::Answer;
use super::backend::Program;
use super::case_run::{CaseRun, run_case};
use super::counter::Counted;
use super::fill::inputs;
use super::judged_case::JudgedCase;
use super::signature::symbols;
use super::transposed::recognise;
use super::value::Values;
use super::verdict::{Bar, ExcessThreads, Failure, Mismatch, Passed, ThreadPosition};
use super::writer::place_of;
use super::wrong_output::wrong_output;
use crate::course::{Lesson, SizedCase, Spec, Writer};
use anyhow::Result;
use sim::{Access, Finding, FindingKind};
use std::sync::Arc;

/// `MAX_REPLAYED`: approximate limit on the thread instructions executed by replays of a case under other block
/// schedules. `MIN_REPLAYED`: number of schedules that are replayed whatever they cost.
const MAX_REPLAYED: u64 = 1 << 21;
const MIN_REPLAYED: usize = 2;

type CasesOutcome = (Result<Passed, Failure>, String);

/// Runs every case of the lesson on a program.
///
/// # Errors
///
/// Fails if the lesson itself is at fault.
pub fn judge(lesson: &Lesson, program: &dyn Program, answer: &Answer, seed: u64) -> Result<CasesOutcome> {
    let expected = |case: usize, sized: &SizedCase, initial: &[Option<Values>]| {
        answer.expected(lesson, &lesson.spec.cases[case], sized, initial).map(Arc::new)
    };
    judge_against(lesson, program, answer, &expected, seed, None)
}

/// Returns the right values of every output, given the case's index, its sizes and its inputs.
pub type Expected<'e> = &'e dyn Fn(usize, &SizedCase, &[Option<Values>]) -> Result<Arc<Vec<Values>>>;

/// Like [`judge`], but with the right values supplied by `expected`; `answer` computes what other inputs would
/// give. If `only` is set, only the case with that index runs.
pub(super) fn judge_against(
    lesson: &Lesson,
    program: &dyn Program,
    answer: &Answer,
    expected: Expected,
    seed: u64,
    only: Option<usize>,
) -> Result<CasesOutcome> {
    let spec = &lesson.spec;
    let symbols = match symbols(spec, program.signatures()) {
        Ok(symbols) => symbols,
        Err(failure) => return Ok((Err(*failure), String::new())),
    };
    let reordered = program.reordered(&symbols, seed);
    let mut first_output = None;
    let mut missed = None;
    let mut passed = Passed::default();
    for (index, case) in
        spec.cases.iter().enumerate().filter(|(index, _)| only.is_none_or(|only| only == *index))
    {
        let sized = lesson.sized(case)?;
        let initial = inputs(lesson, &sized, index, seed);
        let want = expected(index, &sized, &initial)?;
        // What a run left behind, or its failure and what it printed.
        let run = |program: &dyn Program, case: JudgedCase| -> Result<Result<CaseRun, (Failure, String)>> {
            let case_run = match run_case(program, spec, &sized, &symbols, &initial) {
                Ok(case_run) => case_run,
                Err(broken) => {
                    let mut failure = *broken.why.failure()?;
                    if let Failure::Overwork(overwork) = &mut failure {
                        overwork.case = case;
                    }
                    return Ok(Err((failure, printed(&broken.text))));
                }
            };
            let mut wrong = wrong_output(spec, &case, &sized, &initial, &want, &case_run.outputs);
            let of = |inputs: &[Option<Values>]| {
                answer.expected_for_inputs(lesson, &spec.cases[index], &sized, inputs).ok()
            };
            // Next to a defect no values are reported, so the reference need not run again.
            if let Some(wrong) = &mut wrong
                && wrong.pattern.is_none()
                && case_run.findings.is_empty()
            {
                wrong.pattern = recognise(&wrong.buffer, spec, &sized, &initial, &case_run.outputs, &of);
            }
            Ok(match failure_of(spec, &sized, &case_run, wrong, case) {
                Some(failure) => Err((failure, printed(&case_run.text))),
                None => Ok(case_run),
            })
        };
        let case_run = match run(program, JudgedCase::new(index, case))? {
            Ok(case_run) => case_run,
            Err((failure, output)) => {
                let again =
                    only.is_none() && matches!(failure, Failure::Wrong(_)) && elements(&sized) > LARGE;
                let smaller = |case| judge_against(lesson, program, answer, expected, seed, Some(case));
                let smaller_case = if again { smallest_wrong(spec, index, &smaller)? } else { None };
                return Ok(smaller_case.unwrap_or((Err(failure), output)));
            }
        };
        // The reported counters are always those of blocks run in order.
        let several = sized.launches.iter().any(|launch| launch.config.grid.count() > 1);
        // Large cases are replayed under fewer schedules.
        let work = case_run.counts.thread_instructions.max(1);
        let mut replayed = 0;
        for (n, (order, reordered)) in reordered.iter().enumerate().filter(|_| several) {
            if n >= MIN_REPLAYED && replayed + work > MAX_REPLAYED {
                break;
            }
            match run(reordered.as_ref(), JudgedCase::new(index, case).reordered(*order))? {
                // When blocks take turns, threads that wait for others execute more instructions.
                Ok(again) => replayed += again.counts.thread_instructions.max(work),
                Err((failure, output)) => return Ok((Err(failure), output)),
            }
        }
        let case = JudgedCase::new(index, case);
        let counted: Vec<Counted> = Counted::of_kernels(&case_run.counts).collect();
        let bars = if program.counts() { bars(spec, &sized, &counted) } else { Vec::new() };
        if missed.is_none() && !bars.iter().all(Bar::met) {
            missed =
                Some((Failure::Work { bars: bars.clone(), case: case.clone() }, printed(&case_run.text)));
        }
        first_output.get_or_insert_with(|| printed(&case_run.text));
        if passed.cases == 0 || case_run.counts.thread_instructions > passed.counts.thread_instructions {
            let CaseRun { counts, launches, .. } = case_run;
            passed = Passed { case: Some(case), counts, launches, bars, ..Passed::default() };
        }
        passed.cases = index + 1;
    }
    Ok(match missed {
        Some((failure, output)) => (Err(failure), output),
        None => (Ok(passed), first_output.unwrap_or_default()),
    })
}

/// If the buffers have more elements than this in total, a smaller case that is also wrong is looked for.
const LARGE: usize = 1 << 12;

fn elements(sized: &SizedCase) -> usize {
    let products = sized.shapes.iter().map(|shape| shape.iter().product());
    products.fold(0, usize::saturating_add)
}

/// Returns the verdict on the smallest later case whose values are wrong as well, because that is easier to work
/// out by hand; `large` is the index of the case that failed.
fn smallest_wrong(
    spec: &Spec,
    large: usize,
    judge: &dyn Fn(usize) -> Result<CasesOutcome>,
) -> Result<Option<CasesOutcome>> {
    let sized = |case: usize| spec.sized(&spec.cases[case]).ok().map(|sized| (elements(&sized), case));
    let mut smaller: Vec<(usize, usize)> = (large + 1..spec.cases.len()).filter_map(sized).collect();
    smaller.retain(|(elements, _)| *elements <= LARGE);
    smaller.sort_by_key(|(elements, _)| *elements);
    for (_, case) in smaller {
        let judged = judge(case)?;
        if matches!(judged.0, Err(Failure::Wrong(_))) {
            return Ok(Some(judged));
        }
    }
    Ok(None)
}

/// Returns the failure of a case that was run: a defect if there is one, otherwise the mismatch `wrong`.
fn failure_of(
    spec: &Spec,
    sized: &SizedCase,
    case_run: &CaseRun,
    wrong: Option<Mismatch>,
    case: JudgedCase,
) -> Option<Failure> {
    let Some(first) = case_run.findings.first() else { return wrong.map(Failure::Wrong) };
    let excess = excess(spec, sized, first);
    // A run that was stopped has no result.
    let values_right = wrong.is_none() && !case_run.stopped;
    Some(Failure::Defect { findings: case_run.findings.clone(), values_right, case, excess })
}

/// Determines whether the threads of an out-of-bounds access or a race have no output element to write.
fn excess(spec: &Spec, sized: &SizedCase, finding: &Finding) -> ExcessThreads {
    if !matches!(finding.kind, FindingKind::OutOfBounds | FindingKind::GlobalRace) {
        return ExcessThreads::default();
    }
    let is_excess = |access| is_excess(spec, sized, access);
    ExcessThreads { at: is_excess(&finding.at), other: finding.other.as_ref().and_then(is_excess) }
}

/// Returns whether the accessing thread has no output element to write, or `None` where it is not known which
/// thread writes what.
fn is_excess(spec: &Spec, sized: &SizedCase, access: &Access) -> Option<bool> {
    let [launch] = sized.launches.as_slice() else { return None };
    let outputs = spec.buffers.iter().zip(&sized.shapes);
    let mut outputs = outputs.filter(|(b, _)| b.role.is_output() && b.writer == Writer::Thread).peekable();
    outputs.peek()?;
    let writer = |i, shape: &[usize]| place_of(i, shape, Writer::Thread, &launch.config);
    let its_place = ThreadPosition { block: access.block, thread: Some(access.thread) };
    let mut written = false;
    for (_, shape) in outputs {
        let mut writers = (0..shape.iter().product()).map(|i| writer(i, shape));
        // A thread may own several elements where the grid does not cover them all.
        written |= writers.try_fold(false, |own, writer| Some(own || writer? == its_place))?;
    }
    Some(!written)
}

/// Compares every requirement with the counters.
pub fn bars(spec: &Spec, sized: &SizedCase, counted: &[Counted]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for (requirement, limits) in spec.requirements.iter().zip(&sized.bars) {
        let Some(Counted { counter, value: yours }) =
            counted.iter().find(|counted| Some(counted.counter) == requirement.counter)
        else {
            continue;
        };
        for (limit, at_most) in [(limits.at_most, true), (limits.at_least, false)] {
            let (counter, yours, why) = (*counter, *yours, requirement.why.clone());
            bars.extend(limit.map(|limit| Bar { counter, yours, limit, at_most, why }));
        }
    }
    bars
}

/// Converts what a kernel printed to text; whoever displays it escapes it.
pub fn printed(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests;
