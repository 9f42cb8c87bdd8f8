//! Judges whole programs: either the host functions that a lesson calls, or what `main` prints.

mod case_run;
pub(super) mod compiled;
mod on_gpu;
mod outside;
mod record;
mod tally;

use super::answer::{Answer, agree};
use super::case_run::Output;
use super::cases::{bars, printed};
use super::compare::compare;
use super::counter::{Counted, Counter};
use super::fill::{Stream, inputs};
use super::finding_order::causes_first;
use super::judged_case::JudgedCase;
use super::lack::Lack;
use super::lesson_cache::LessonCache;
use super::no_result::NoResult;
use super::options::Options;
use super::own_failure::OwnFailure;
use super::printed::{Tolerances, misprint};
use super::value::Values;
use super::verdict::{Bar, ExcessThreads, Failure, Misprint, Passed, Verdict};
use super::wrong_output::wrong_output;
use crate::course::{
    AuthorError, Case, ComparedCount, Lesson, Role, SEED, SizedCallArguments, SizedCase, Tolerance,
};
use anyhow::{Context, Result};
use case_run::{CaseRun, Machine};
use compiled::{Compiled, ExpectedResult, Printed, compile_by, symbols};
use compiler::{Compiler, Diagnostic, Request};
use host::device::model::Model;
use host::device::simulated::Schedule;
use host::device::timeline::Span;
use host::program::{self, CallBuffer};
use sim::{Access, AccessKind, Act, Actor, Evidence, Finding, FindingKind, Target};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Stream index for the costs of a randomised GPU model; no buffer has this index.
const GPU_STREAM: usize = usize::MAX;

/// A submission of a whole program, compiled once, to be judged any number of times.
#[derive(Debug)]
pub struct PreparedProgram<'a> {
    lesson: &'a Lesson,
    file_name: String,
    compiler: Box<Compiler>,
    /// The GPUs of every machine; those that are alike are shared.
    machines: Vec<Vec<Arc<Model>>>,
    compiled: Result<Compiled, Box<Failure>>,
    warnings: Vec<Diagnostic>,
    /// The lesson's `reference.cu`, where it has one.
    reference: Option<Arc<Compiled>>,
    /// The lesson's starter, where a requirement compares the program's speed with it.
    starter: Option<Arc<Compiled>>,
    cache: Arc<LessonCache>,
}

impl<'a> PreparedProgram<'a> {
    /// Compiles a submission; its own mistakes are kept for the verdict.
    ///
    /// # Errors
    ///
    /// Fails if the environment or the lesson is at fault.
    pub fn new(
        lesson: &'a Lesson,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
        cache: &Arc<LessonCache>,
    ) -> Result<Self> {
        let machines = machines(lesson)?;
        let capability = capability(&machines);
        let compile = |source: &str, file: &str| {
            compile_by(program::compile, &Request::new(source, file, capability), compiler)
        };
        let compiled = NoResult::separate(compile(source, file_name))?;
        let its = |source: &str, file: String| {
            let own = AuthorError::of_file(&file);
            cache.programs.get(file.clone(), || compile(source, &file).map_err(|why| why.into_error(own)))
        };
        let (mut reference, mut starter) = (None, None);
        if compiled.is_ok() {
            if let Some(source) = &lesson.reference_source {
                reference = Some(its(source, lesson.reference_path())?);
            }
            if lesson
                .spec
                .requirements
                .iter()
                .any(|requirement| requirement.counter == Some(Counter::SpeedupOverStarterPercent))
            {
                starter = Some(its(&lesson.starter, lesson.kernel_path())?);
            }
        }
        let warnings = compiled.as_ref().map_or(Vec::new(), |it| it.program.diagnostics.clone());
        Ok(PreparedProgram {
            lesson,
            file_name: file_name.to_owned(),
            compiler: Box::new(compiler.clone()),
            machines,
            compiled,
            warnings,
            reference,
            starter,
            cache: cache.clone(),
        })
    }

    /// Returns the simulator's verdict.
    ///
    /// # Errors
    ///
    /// Fails if the environment or the lesson is at fault.
    pub fn verdict(&self, options: &Options) -> Result<Verdict> {
        let judged = match &self.compiled {
            Ok(compiled) => self.judge(compiled, options)?,
            Err(failure) => ProgramOutcome::failed(failure),
        };
        let ProgramOutcome { result, output, spans } = judged;
        let warnings = self.warnings.clone();
        Ok(Verdict { lesson: self.lesson.slug.clone(), result, output, warnings, spans })
    }

    /// Returns the models of the GPUs that case number `case` runs on.
    fn models(&self, case: usize) -> &[Arc<Model>] {
        &self.machines[case % self.machines.len()]
    }

    /// Returns the machine that case number `case` runs on.
    fn machine(&self, options: &Options, case: usize) -> Machine<'_> {
        let numbers = Stream::new(options.seed, &self.lesson.slug, case, GPU_STREAM);
        let mut numbers = (0..).map(|n| numbers.unit(n));
        let mut models = self.models(case).to_vec();
        if self.lesson.spec.drawn_gpu {
            let mut drawn = BTreeMap::new();
            for model in &mut models {
                let draw = || Arc::new(model.randomised(&mut || numbers.next().unwrap_or_default()));
                *model = Arc::clone(drawn.entry(model.key).or_insert_with(draw));
            }
        }
        Machine { lesson: self.lesson, models, options: *options }
    }

    /// Runs every case.
    ///
    /// # Errors
    ///
    /// Fails if the environment or the lesson is at fault.
    fn judge(&self, compiled: &Compiled, options: &Options) -> Result<ProgramOutcome> {
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        let symbols = match symbols(lesson, compiled) {
            Ok(symbols) => symbols,
            Err(failure) => return Ok(ProgramOutcome::failed(&failure)),
        };
        let mut spans = Vec::new();
        let (mut first_output, mut missed) = (None, None);
        let mut passed = Passed::default();
        for (index, case) in spec.cases.iter().enumerate() {
            let machine = self.machine(options, index);
            let task = self.task(&machine, case, index)?;
            let (case_run, result) = self.one_case(&machine, compiled, &symbols, &task)?;
            let output = printed(&case_run.text);
            if let Err(failure) = result {
                return Ok(ProgramOutcome { result: Err(*failure), output, spans: case_run.spans });
            }
            let mut tally: Vec<Counted> = Counted::of_program(&case_run.tally).collect();
            if let Some(starter) = &self.starter {
                let theirs = self.cache.starter_ns.get((index, options.seed), || {
                    let case_run =
                        self.run_lesson_program(&machine, starter, &task, &lesson.kernel_path())?;
                    Ok(case_run.tally.modelled_ns)
                })?;
                let value = theirs.saturating_mul(100) / case_run.tally.modelled_ns.max(1);
                tally.push(Counted { counter: Counter::SpeedupOverStarterPercent, value });
            }
            let all: Vec<Counted> =
                Counted::of_kernels(&case_run.counts).chain(tally.iter().copied()).collect();
            let bars = bars(spec, &task.sized, &all);
            if missed.is_none() && !bars.iter().all(Bar::met) {
                let failure = missed_bars(&bars, case_run.host_threads, JudgedCase::new(index, case));
                missed = Some(ProgramOutcome {
                    result: Err(failure),
                    output: output.clone(),
                    spans: case_run.spans.clone(),
                });
            }
            first_output.get_or_insert(output);
            if passed.cases == 0 || case_run.counts.thread_instructions > passed.counts.thread_instructions {
                let case = Some(JudgedCase::new(index, case));
                passed = Passed { case, counts: case_run.counts, tally, bars, ..Passed::default() };
                spans = case_run.spans;
            }
            passed.cases = index + 1;
        }
        let output = first_output.unwrap_or_default();
        Ok(missed.unwrap_or(ProgramOutcome { result: Ok(passed), output, spans }))
    }

    /// Runs one case under every schedule that can make a difference. Returns the run under the eager schedule if
    /// all are right, otherwise the first failing run with its failure.
    fn one_case(
        &self,
        machine: &Machine,
        compiled: &Compiled,
        symbols: &[String],
        task: &Task,
    ) -> Result<(CaseRun, Result<(), Box<Failure>>)> {
        let first = machine.run(&compiled.program, symbols, task, Schedule::Eager, true)?;
        let verdict = self.failure_of(&first, task, Schedule::Eager);
        if verdict.is_err() || !first.tally.order_matters() {
            return Ok((first, verdict));
        }
        // What happens inside a kernel does not depend on when it runs, so kernels are not checked again.
        for schedule in [Schedule::Lazy, Schedule::Random(machine.options.seed)] {
            let case_run = machine.run(&compiled.program, symbols, task, schedule, false)?;
            if let Err(failure) = self.failure_of(&case_run, task, schedule) {
                return Ok((case_run, Err(failure)));
            }
        }
        Ok((first, Ok(())))
    }

    /// Returns whether the lesson compares printed output within tolerances, as lessons about measured times do.
    fn prints_times(&self) -> bool {
        let spec = &self.lesson.spec;
        spec.calls_main() && (spec.tolerance != Tolerance::default() || !spec.line_tolerances.is_empty())
    }

    /// Returns the failure of a run, if there is one.
    fn failure_of(&self, case_run: &CaseRun, task: &Task, schedule: Schedule) -> Result<(), Box<Failure>> {
        let (spec, case) = (&self.lesson.spec, JudgedCase::new(task.index, task.case));
        if let Some(failure) = &case_run.broken {
            return Err(failure.clone());
        }
        let mut findings = causes_first(case_run.findings.clone());
        findings.extend(self.changed_inputs(case_run, task));
        let wrong = match (&*task.wanted, case_run.code) {
            (ExpectedResult::Values(expected), Some(_)) if case_run.returned => {
                wrong_output(spec, &case, &task.sized, &task.initial, expected, &case_run.outputs)
                    .map(Failure::Wrong)
            }
            (ExpectedResult::Values(_), Some(code)) => Some(Failure::Ended { code, case: case.clone() }),
            // A schedule that defers work until something waits for it moves that work in modelled time, so times
            // printed under it are not a GPU's. Output that was read too early is found under any schedule.
            (ExpectedResult::Printed(reference), Some(code))
                if schedule != Schedule::Eager && self.prints_times() && code == reference.code =>
            {
                None
            }
            (ExpectedResult::Printed(reference), Some(code)) => {
                let tolerances = Tolerances { any: spec.tolerance, of_lines: &spec.line_tolerances };
                // What is part of the reference's times too does not explain the difference.
                let mut observed = case_run.tally.observed.clone();
                observed.retain(|its| reference.observed.iter().all(|other| other.what != its.what));
                misprint(
                    case.clone(),
                    (&reference.stdout, reference.code),
                    (&case_run.stdout, code),
                    tolerances,
                )
                .map(|misprint| Failure::Printed(Misprint { observed, ..misprint }))
            }
            // The run was stopped; a finding says why.
            (_, None) => Some(Failure::Ended { code: 0, case: case.clone() }),
        };
        if !findings.is_empty() {
            let values_right = wrong.is_none();
            return Err(Box::new(Failure::Defect {
                findings,
                values_right,
                case,
                excess: ExcessThreads::default(),
            }));
        }
        wrong.map_or(Ok(()), |failure| Err(Box::new(failure)))
    }

    /// Returns a finding for the first read-only input whose contents changed.
    fn changed_inputs(&self, case_run: &CaseRun, task: &Task) -> Option<Finding> {
        if !case_run.returned {
            return None;
        }
        let all = self.lesson.spec.buffers.iter().zip(&task.initial).zip(&case_run.inputs);
        let mut all = all.enumerate().filter(|(_, ((buffer, _), _))| buffer.role == Role::In);
        all.find_map(|(index, ((buffer, before), after))| {
            let (before, after) = (before.as_ref()?, after.as_ref()?);
            // Compared bitwise, because NaN is not equal to itself.
            let was = match &task.buffers {
                Some(buffers) => Cow::Borrowed(buffers.get(index)?.bytes.as_slice()),
                None => Cow::Owned(before.encode(buffer.ty)),
            };
            if *was == **after {
                return None;
            }
            let at = was.iter().zip(after).position(|(a, b)| a != b)?;
            let element = at / buffer.ty.bytes() * buffer.ty.bytes();
            Some(changed_input(&buffer.name, was.len() as u64, element as i64, buffer.ty.bytes() as u32))
        })
    }

    /// Builds a case with its right answer and with buffers that do not contain that answer yet.
    fn task<'t>(&self, machine: &Machine, case: &'t Case, index: usize) -> Result<Task<'t>> {
        let run = (index, machine.options.seed);
        let task = Task::new(self.lesson, case, index, machine.options.seed)?;
        let task =
            Task { wanted: self.cache.wanted.get(run, || self.compute_expected(machine, &task))?, ..task };
        let buffers = self.cache.call_buffers.get(run, || Ok(machine.buffers(&task)))?;
        Ok(Task { buffers: Some(buffers), ..task })
    }

    fn compute_expected(&self, machine: &Machine, task: &Task) -> Result<ExpectedResult> {
        let lesson = self.lesson;
        let Some(reference) = &self.reference else {
            let answer = Answer::by_name(lesson)?;
            return answer
                .expected(lesson, task.case, &task.sized, &task.initial)
                .map(ExpectedResult::Values);
        };
        let case_run = self.run_lesson_program(machine, reference, task, &lesson.reference_path())?;
        if lesson.spec.calls_main() {
            let (code, observed) = (case_run.code.unwrap_or(0), case_run.tally.observed);
            return Ok(ExpectedResult::Printed(Printed { stdout: case_run.stdout, code, observed }));
        }
        let in_part = |output: &Output| task.sized.first[output.buffer] != ComparedCount::All;
        let unwritten = |output: &&Output| output.written.contains(&false) && !in_part(output);
        if let Some(output) = case_run.outputs.iter().find(unwritten) {
            let name = &lesson.spec.buffers[output.buffer].name;
            let message = format!("it leaves elements of \"{name}\" unwritten");
            return Err(AuthorError::new(lesson.reference_path(), message).into());
        }
        let mut all: Vec<Values> = case_run.outputs.into_iter().map(|output| output.got).collect();
        agree(lesson, task.case, &task.sized, &mut all)?;
        Ok(ExpectedResult::Values(all))
    }

    /// Runs one of the lesson's own programs, which must run to its end.
    fn run_lesson_program(
        &self,
        machine: &Machine,
        compiled: &Compiled,
        task: &Task,
        file: &str,
    ) -> Result<CaseRun> {
        let own = || AuthorError::of_file(file);
        let symbols = symbols(self.lesson, compiled).map_err(OwnFailure::of).with_context(own)?;
        let case_run = machine.run(&compiled.program, &symbols, task, Schedule::Eager, false)?;
        if let Some(failure) = case_run.broken {
            return Err(OwnFailure::of(failure)).with_context(own);
        }
        let calls_main = self.lesson.spec.calls_main();
        if case_run.code.is_none() || !calls_main && !case_run.returned {
            let why = case_run.findings.first().map_or_else(|| "it ended itself".to_owned(), end_of);
            let message = format!("it does not reach its end with {}: {why}", task.case);
            return Err(AuthorError::new(file, message).into());
        }
        Ok(case_run)
    }
}

/// Returns the failure of a case in which a bar is missed. Threads of the host run one after the other here, so with
/// them it is not known that a program is too slow.
fn missed_bars(bars: &[Bar], host_threads: u64, case: JudgedCase) -> Failure {
    let known = |bar: &&Bar| host_threads == 0 || bar.met() || !bar.is_on_slowness();
    let bars: Vec<Bar> = bars.iter().filter(known).cloned().collect();
    if bars.iter().all(Bar::met) {
        return Failure::Unsupported { what: Lack::TimeOfHostThreads, line: None };
    }
    Failure::Work { bars, case }
}

/// The outcome of all cases.
struct ProgramOutcome {
    result: Result<Passed, Failure>,
    /// What the program printed.
    output: String,
    /// The timeline of the case that the result is about.
    spans: Vec<Span>,
}

impl ProgramOutcome {
    fn failed(failure: &Failure) -> ProgramOutcome {
        ProgramOutcome { result: Err(failure.clone()), output: String::new(), spans: Vec::new() }
    }
}

/// One case, ready to run.
pub(super) struct Task<'t> {
    case: &'t Case,
    index: usize,
    sized: SizedCase,
    initial: Vec<Option<Values>>,
    wanted: Arc<ExpectedResult>,
    /// The buffers before the first call, where they have been built already.
    buffers: Option<Arc<Vec<CallBuffer>>>,
}

impl<'t> Task<'t> {
    /// Creates a case with its inputs; its right answer is not known yet.
    fn new(lesson: &Lesson, case: &'t Case, index: usize, seed: u64) -> Result<Task<'t>> {
        let mut sized = lesson.sized(case)?;
        draw_seeds(&mut sized, lesson, index, seed);
        let initial = inputs(lesson, &sized, index, seed);
        let wanted = Arc::new(ExpectedResult::Values(Vec::new()));
        Ok(Task { case, index, sized, initial, wanted, buffers: None })
    }
}

/// Replaces `{seed}` in the program's arguments by a number from 0 to 999,999.
fn draw_seeds(sized: &mut SizedCase, lesson: &Lesson, case: usize, seed: u64) {
    for call in &mut sized.calls {
        if let SizedCallArguments::Words(words) = &mut call.args {
            let number = Stream::new(seed, &lesson.slug, case, 0).bits(0) % 1_000_000;
            words.iter_mut().for_each(|word| *word = word.replace(SEED, &number.to_string()));
        }
    }
}

/// Returns the models of the GPUs of a lesson's machines.
fn machines(lesson: &Lesson) -> Result<Vec<Vec<Arc<Model>>>> {
    let mut known = BTreeMap::new();
    let mut model = |name: &String| match known.entry(name.clone()) {
        Entry::Occupied(there) => Ok(Arc::clone(there.get())),
        Entry::Vacant(room) => Ok(Arc::clone(room.insert(Arc::new(Model::named(name)?)))),
    };
    lesson.spec.machines().iter().map(|gpus| gpus.iter().map(&mut model).collect()).collect()
}

/// Returns the compute capability to compile for: the lowest, whose code runs on all.
fn capability(machines: &[Vec<Arc<Model>>]) -> (u32, u32) {
    machines.iter().flatten().map(|model| model.capability()).min().unwrap_or_default()
}

/// Describes the finding that stopped one of the lesson's own programs.
fn end_of(finding: &Finding) -> String {
    let line =
        finding.at.location.as_ref().map_or(String::new(), |location| format!(" in line {}", location.line));
    let pointers = match finding.kind {
        FindingKind::HostFollows => {
            ". It is called with the pointers that a learner's function gets, and those of buffers with memory = \
             \"device\" point to GPU memory: launch a kernel there, or copy with cudaMemcpy; or give the right \
             values with a reference.py (author import), or with `expected` in each case"
        }
        _ => "",
    };
    format!("{}{line} ({}){pointers}", finding.kind.title(), finding.kind.code())
}

fn changed_input(name: &str, size_bytes: u64, offset_bytes: i64, bytes: u32) -> Finding {
    let target = Target::Buffer { name: name.into(), size_bytes, offset_bytes };
    let by = Access::by(Actor::Operation(Act::Program.into()), None);
    let at = Access { kind: AccessKind::Write, bytes, target, ..by };
    let evidence = vec![Evidence::InputChanged(name.into())];
    Finding { evidence, ..Finding::new(FindingKind::ReadOnly, at) }
}
