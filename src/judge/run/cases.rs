//! Runs every case of a lesson on a program and returns the first failure, or the counters of a passing run.

use super::Answer;
use crate::backend::Program;
use crate::case_run::{CaseRun, Output, run_case};
use crate::compare::{Compared, is_right};
use crate::counter::Counted;
use crate::course::{ComparedCount, Lesson, Order, SizedCase, Spec, Writer};
use crate::fill::{Stream, content};
use crate::judged_case::JudgedCase;
use crate::mismatch::{Setting, mismatch};
use crate::pattern::WrongOutput;
use crate::signature::{Signature, resolve};
use crate::transposed::recognise;
use crate::value::{Scalar, Values};
use crate::verdict::{Bar, ExcessThreads, Failure, Mismatch, Passed, ThreadPosition};
use crate::writer::place_of;
use anyhow::Result;
use sim::{Access, Dim3, Finding, FindingKind, LaunchConfig};
use std::sync::Arc;

/// Returns the PTX name of the kernel of every launch.
pub(crate) fn symbols(spec: &Spec, signatures: &[Signature]) -> Result<Vec<String>, Box<Failure>> {
    let symbols = spec.launches.iter().enumerate().map(|(index, launch)| {
        resolve(spec, index, signatures).map_err(|missing| missing.failure(&launch.kernel))
    });
    symbols.collect()
}

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
pub(crate) type Expected<'e> = &'e dyn Fn(usize, &SizedCase, &[Option<Values>]) -> Result<Arc<Vec<Values>>>;

/// Like [`judge`], but with the right values supplied by `expected`; `answer` computes what other inputs would
/// give. If `only` is set, only the case with that index runs.
pub(crate) fn judge_against(
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
                    let mut failure = broken.failure;
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
            passed = Passed { case: Some(case), counts: case_run.counts, bars, ..Passed::default() };
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

/// Returns the values of every buffer that is filled, drawn from the seed for this case.
pub(crate) fn inputs(lesson: &Lesson, sized: &SizedCase, case: usize, seed: u64) -> Vec<Option<Values>> {
    let buffers = lesson.spec.buffers.iter().zip(&sized.shapes).enumerate();
    buffers
        .map(|(index, (buffer, shape))| {
            let stream = Stream::new(seed, &lesson.slug, case, index);
            content(&sized.contents[index], buffer.ty, shape.iter().product(), stream)
        })
        .collect()
}

/// Returns the mismatch of the first output that is not as expected.
pub(crate) fn wrong_output(
    spec: &Spec,
    case: &JudgedCase,
    sized: &SizedCase,
    initial: &[Option<Values>],
    expected: &[Values],
    outputs: &[Output],
) -> Option<Mismatch> {
    let all = spec.buffers.iter().zip(initial);
    let inputs: Vec<(&str, &Values)> =
        all.filter_map(|(buffer, values)| Some((buffer.name.as_str(), values.as_ref()?))).collect();
    expected.iter().zip(outputs).find_map(|(want, output)| {
        let buffer = &spec.buffers[output.buffer];
        let right_value = |buffer: usize| {
            let place = outputs.iter().position(|output| output.buffer == buffer)?;
            expected.get(place)?.get(0)
        };
        let first = first(sized, output.buffer, &right_value);
        let any_order = buffer.compare.order == Order::Any;
        if !any_order && is_right(want, output, first, spec.tolerance) {
            return None;
        }
        let seen = Compared::new(want, output, first, any_order, spec.tolerance);
        let (want, got, written, right) = (&*seen.want, &*seen.got, seen.written, &seen.right);
        if right.iter().all(|right| *right) {
            return None;
        }
        let whole = &sized.shapes[output.buffer];
        let cut = [right.len()];
        let takes_it = |launch: &&crate::course::SizedLaunch| {
            launch.args.contains(&crate::course::SizedArgument::Buffer(output.buffer))
        };
        let shape: &[usize] = if first.is_some() { &cut } else { whole };
        let plain = WrongOutput::new([want, got], written, right, shape);
        let seen = WrongOutput { tolerance: spec.tolerance, inputs: &inputs, ..plain };
        let launch = sized.launches.iter().rev().find(takes_it).or(sized.launches.last());
        // Where host code chooses the launch configuration, it is not known which thread writes what.
        const OPEN: LaunchConfig =
            LaunchConfig { grid: Dim3::new(1, 1, 1), block: Dim3::new(1, 1, 1), dynamic_shared_bytes: 0 };
        let setting = Setting {
            case,
            buffer: &buffer.name,
            ty: buffer.ty,
            writer: if launch.is_some() { buffer.writer } else { Writer::Any },
            config: launch.map_or(&OPEN, |launch| &launch.config),
        };
        let found = mismatch(&seen, &setting)?;
        Some(match any_order {
            true => Mismatch {
                pattern: found.pattern.filter(|it| it.is_position_independent()),
                any_order,
                ..found
            },
            false => found,
        })
    })
}

/// Returns how many leading elements of a buffer are compared, or `None` for all; `right` returns the first right
/// value of a buffer.
fn first(sized: &SizedCase, buffer: usize, right: &dyn Fn(usize) -> Option<Scalar>) -> Option<usize> {
    match *sized.first.get(buffer)? {
        ComparedCount::All => None,
        ComparedCount::Elements(count) => Some(count),
        ComparedCount::Of(other) => right(other).map(|count| count.to_f64().max(0.0) as usize),
    }
}

/// Finds the first place where a reference's output differs from what the case states. Returns the index, the
/// stated value and the reference's value.
pub(super) fn first_wrong(
    spec: &Spec,
    sized: &SizedCase,
    stated: &Values,
    output: &Output,
    all: &[Output],
) -> Option<(usize, f64, f64)> {
    let right = |buffer: usize| all.iter().find(|output| output.buffer == buffer)?.got.get(0);
    let first = first(sized, output.buffer, &right);
    let any_order = spec.buffers[output.buffer].compare.order == Order::Any;
    let seen = Compared::new(stated, output, first, any_order, spec.tolerance);
    let place = seen.right.iter().position(|right| !right)?;
    Some((place, seen.want.get(place)?.to_f64(), seen.got.get(place)?.to_f64()))
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
pub(crate) fn bars(spec: &Spec, sized: &SizedCase, counted: &[Counted]) -> Vec<Bar> {
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
pub(crate) fn printed(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests;
