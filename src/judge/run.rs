//! From source text to verdict.

use super::backend::{Program, Simulated};
use super::compare::compare;
use super::exchanged;
use super::fill::{Stream, fill};
use super::measure::{Measured, measure};
use super::mismatch::{Setting, mismatch};
use super::own::Own;
use super::pattern::Seen;
use super::play::{Output, Played, play};
use super::predict;
use super::prepared::Prepared;
use super::reference::{self, Buffer, Reference};
use super::signature::resolve;
use super::value::Values;
use super::verdict::{Bar, Counted, Failure, Mismatch, Passed, Place, Spare, Verdict, in_another_order};
use super::writer::place_of;
use crate::course::{Case, Lesson, SizedCase, Spec, Writer, case_text};
use crate::nvrtc::{CompileError, Compiled, Compiler, Diagnostic, Request, misplaced_calls};
use crate::sim::{self, Access, Code, Counts, Dim3, Finding, LaunchConfig, LoadError};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a verdict depends on, apart from lesson and source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Inputs are drawn from it; the same seed gives the same verdict, byte for byte.
    pub seed: u64,
    /// Host threads of the simulator; the verdict does not depend on them.
    pub host_threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 0x006c_6561_726e, host_threads: sim::Options::default().host_threads }
    }
}

/// Bytes of printf output kept of a launch.
const OUTPUT_LIMIT_BYTES: usize = 64 << 10;

/// Judges `source` as the kernel of `lesson`. `file_name` is what messages call it.
///
/// All cases run, up to the first that is wrong; bars are held only against a kernel that is right
/// in all of them. `Err` is the environment's or the lesson's fault, never the learner's.
pub fn run(
    lesson: &Lesson,
    source: &str,
    file_name: &str,
    compiler: &Compiler,
    options: &Options,
) -> Result<Verdict> {
    Prepared::new(lesson, source, file_name, compiler)?.verdict(options)
}

/// Kernels that the tool launches.
#[derive(Debug)]
pub struct PreparedKernel<'a> {
    pub(super) lesson: &'a Lesson,
    pub(super) source: String,
    pub(super) file_name: String,
    /// PTX, or why there is none.
    compiled: Result<Arc<String>, Box<Failure>>,
    warnings: Vec<Diagnostic>,
    /// PTX of the lesson's `reference.cu`, where it has one.
    reference: Option<Arc<String>>,
    own: Arc<Own>,
    pub(super) compiler: Box<Compiler>,
}

impl<'a> PreparedKernel<'a> {
    pub(super) fn new(
        lesson: &'a Lesson,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
        own: &Arc<Own>,
    ) -> Result<PreparedKernel<'a>> {
        if let Some(kernels) = &lesson.kernels_source {
            return PreparedKernel::questions(lesson, kernels, source, file_name, compiler, own);
        }
        let (compiled, warnings) = match compile(lesson, source, file_name, compiler) {
            Ok(compiled) => (Ok(compiled.ptx.into()), compiled.diagnostics),
            Err(CompileError::Rejected(diagnostics)) => (Err(Failure::Compile(diagnostics)), Vec::new()),
            Err(CompileError::Limit(limit)) => (Err(Failure::Limit(limit)), Vec::new()),
            Err(CompileError::Environment(error)) => return Err(error),
        };
        let reference = match &lesson.reference_source {
            Some(_) if compiled.is_ok() => compile_reference(lesson, compiler, own)?,
            _ => None,
        };
        let (source, file_name) = (source.to_owned(), file_name.to_owned());
        let compiled = compiled.map_err(Box::new);
        let (own, compiler) = (own.clone(), Box::new(compiler.clone()));
        Ok(PreparedKernel { lesson, source, file_name, compiled, warnings, reference, own, compiler })
    }

    /// Answers about the lesson's own kernels.
    fn questions(
        lesson: &'a Lesson,
        kernels: &str,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
        own: &Arc<Own>,
    ) -> Result<PreparedKernel<'a>> {
        let file = predict::kernels_file(lesson);
        let kernels = own.kernels(&file, || compile_own(lesson, kernels, &file, compiler))?;
        let reference = compile_reference(lesson, compiler, own)?;
        Ok(PreparedKernel {
            lesson,
            source: source.to_owned(),
            file_name: file_name.to_owned(),
            compiled: Ok(kernels),
            warnings: Vec::new(),
            reference,
            own: own.clone(),
            compiler: Box::new(compiler.clone()),
        })
    }

    pub(super) fn lesson(&self) -> &'a Lesson {
        self.lesson
    }

    /// The PTX, if it compiles.
    pub(super) fn ptx(&self) -> Option<&str> {
        self.compiled.as_ref().ok().map(|text| text.as_str())
    }

    pub(super) fn verdict(&self, options: &Options) -> Result<Verdict> {
        let lesson = self.lesson;
        let verdict = |result, output| Verdict {
            lesson: lesson.slug.clone(),
            result,
            output,
            warnings: self.warnings.clone(),
        };
        let text = match &self.compiled {
            Ok(text) => text,
            Err(failure) => return Ok(verdict(Err((**failure).clone()), String::new())),
        };
        let program = match self.load(text, options) {
            Ok(program) => program,
            Err((what, line)) => {
                let refused = self.refused_by_assembler(text, line)?;
                let failure = refused.unwrap_or(Failure::Unsupported { what, line });
                return Ok(verdict(Err(failure), String::new()));
            }
        };
        if self.asks() {
            let answer = self.answer_to_questions(options)?;
            let measured = || self.measured(&program, answer.as_ref(), options);
            let result = predict::judge(lesson, &self.source, &measured)?;
            return Ok(verdict(result, String::new()));
        }
        let (answer, seed) = (self.answer(options)?, options.seed);
        let expected = |case: usize, sized: &SizedCase, initial: &[Option<Values>]| {
            let of = || answer.expected(lesson, &lesson.spec.cases[case], sized, initial);
            self.own.expected((case, *options), of)
        };
        let (mut result, output) = judge_against(lesson, &program, &answer, &expected, seed, None)?;
        if let Err(failure) = result {
            result = Err(self.placed(failure, &answer, options)?);
        }
        if let Err(Failure::Unsupported { line, .. }) = &result
            && let Some(refused) = self.refused_by_assembler(text, *line)?
        {
            result = Err(refused);
        }
        Ok(verdict(result, output))
    }

    /// The lesson asks questions about its own kernels: those were compiled.
    pub(super) fn asks(&self) -> bool {
        self.lesson.kernels_source.is_some()
    }

    /// What its kernels are measured doing at case number `case`; those of a lesson that asks questions
    /// are the lesson's own. `Err` also where they do not run to their end without a finding.
    pub fn measure(&self, case: usize, options: &Options) -> Result<Measured> {
        let what = if self.asks() { predict::kernels_file(self.lesson) } else { self.lesson.slug.clone() };
        let text = self.compiled.as_ref().map_err(|failure| anyhow!("{what}: {}", failure.slug()))?;
        let program = self.load(text, options).map_err(|(lacks, _)| anyhow!("{what}: {lacks}"))?;
        Ok(measure(self.lesson, &program, &what, case, options.seed)?.0)
    }

    /// What is doubtful about the lesson's own questions, for those who write them.
    pub fn doubts(&self, options: &Options) -> Result<Vec<String>> {
        let (true, Ok(text)) = (self.asks(), &self.compiled) else { return Ok(Vec::new()) };
        let program = self.load(text, options);
        let program =
            program.map_err(|(what, _)| anyhow!("{}: {what}", predict::kernels_file(self.lesson)))?;
        let answer = self.answer_to_questions(options)?;
        let all = self.measured(&program, answer.as_ref(), options)?;
        predict::doubts(self.lesson, &all)
    }

    /// What the lesson's own kernels do in every case that a question is about.
    fn measured(
        &self,
        program: &Simulated,
        answer: Option<&Answer>,
        options: &Options,
    ) -> Result<Arc<BTreeMap<usize, Measured>>> {
        let measure = || predict::measured(self.lesson, program, answer, options.seed);
        self.own.measured(*options, measure)
    }

    /// Where the values of the lesson's own kernels come from, if they are compared at all.
    fn answer_to_questions(&self, options: &Options) -> Result<Option<Answer>> {
        if self.lesson.spec.reference.is_empty() { Ok(None) } else { self.answer(options).map(Some) }
    }

    /// Why the assembler takes not what `asm` holds; `None` where it does, so that what is lacking is ours.
    fn refused_by_assembler(&self, ptx: &str, line: Option<u32>) -> Result<Option<Failure>> {
        if self.asks() {
            return Ok(None);
        }
        let capability = self.lesson.spec.compute_capability;
        let request = Request::new(&self.source, &self.file_name, (capability.major, capability.minor));
        Ok(self.compiler.refused_asm(&request, ptx, line)?.map(Failure::Compile))
    }

    /// `Err`: what the simulator lacks, and where.
    fn load(&self, text: &str, options: &Options) -> Result<Simulated, (String, Option<u32>)> {
        let capability = self.lesson.spec.compute_capability;
        Simulated::load(text, capability, simulation(self.lesson, options)).map_err(unsupported)
    }

    /// Where the right answer comes from.
    pub fn answer(&self, options: &Options) -> Result<Answer> {
        Answer::of(self.lesson, self.reference.as_ref().map(|text| text.as_str()), options)
    }
}

pub(super) fn compile(
    lesson: &Lesson,
    source: &str,
    file_name: &str,
    compiler: &Compiler,
) -> Result<Compiled, CompileError> {
    let capability = lesson.spec.compute_capability;
    let compiled =
        compiler.compile(&Request::new(source, file_name, (capability.major, capability.minor)))?;
    match misplaced_calls(source, file_name) {
        none if none.is_empty() => Ok(compiled),
        misplaced => Err(CompileError::Rejected(misplaced)),
    }
}

/// How the simulator runs a lesson's kernels.
pub(crate) fn simulation(lesson: &Lesson, options: &Options) -> sim::Options {
    sim::Options {
        host_threads: options.host_threads,
        step_budget: lesson.spec.step_budget,
        output_limit_bytes: OUTPUT_LIMIT_BYTES,
        ..sim::Options::default()
    }
}

/// What the simulator lacks, and where.
pub(crate) fn unsupported(error: LoadError) -> (String, Option<u32>) {
    match error {
        LoadError::Parse(error) => (error.to_string(), error.location.map(|location| location.line)),
        LoadError::Unsupported { what, line } => (what, line.map(|location| location.line)),
    }
}

/// What messages call a lesson's `reference.cu`.
pub(super) fn reference_file(lesson: &Lesson) -> String {
    format!("{}/reference.cu, the lesson's own reference", lesson.folder())
}

/// Compiles a file of the lesson's own; `what` is what messages call it.
fn compile_own(lesson: &Lesson, source: &str, what: &str, compiler: &Compiler) -> Result<String> {
    let file_name = what.split(',').next().unwrap_or(what);
    match compile(lesson, source, file_name, compiler) {
        Ok(compiled) => Ok(compiled.ptx),
        Err(CompileError::Rejected(diagnostics)) => {
            let first = diagnostics.first();
            let (line, message) = first.map_or((0, ""), |first| (first.line, first.message.as_str()));
            bail!("{what} does not compile: line {line}: {message}")
        }
        Err(CompileError::Limit(limit)) => bail!("{what}: {limit}"),
        Err(CompileError::Environment(error)) => Err(error),
    }
}

/// PTX of a lesson's `reference.cu`; `None` where it has none.
fn compile_reference(lesson: &Lesson, compiler: &Compiler, own: &Own) -> Result<Option<Arc<String>>> {
    let (source, file) = (lesson.reference_source.as_deref(), reference_file(lesson));
    let compiled = |source| own.kernels(&file, || compile_own(lesson, source, &file, compiler));
    source.map(compiled).transpose()
}

/// Where the right answer comes from.
pub enum Answer {
    Cpu(&'static Reference),
    /// A `reference.cu`.
    Kernel(Box<dyn Program>),
}

impl Answer {
    /// Of a lesson, whatever is submitted to it.
    pub fn of_lesson(lesson: &Lesson, compiler: &Compiler, options: &Options) -> Result<Answer> {
        let reference = compile_reference(lesson, compiler, &Own::default())?;
        Answer::of(lesson, reference.as_ref().map(|text| text.as_str()), options)
    }

    /// From the PTX of its `reference.cu`, where it has one.
    fn of(lesson: &Lesson, reference: Option<&str>, options: &Options) -> Result<Answer> {
        let Some(text) = reference else { return Answer::by_name(lesson) };
        let program = Simulated::load(text, lesson.spec.compute_capability, simulation(lesson, options));
        let program =
            program.map_err(|error| anyhow!("{}: {}", reference_file(lesson), unsupported(error).0))?;
        Ok(Answer::Kernel(Box::new(program)))
    }

    pub(super) fn by_name(lesson: &Lesson) -> Result<Answer> {
        let name = &lesson.spec.reference;
        reference::find(name).map(Answer::Cpu).ok_or_else(|| {
            let known: Vec<_> = reference::TABLE.iter().map(|reference| reference.name).collect();
            anyhow!(
                "{}/lesson.toml: reference: no CPU reference is called \"{name}\"; there are: {}",
                lesson.folder(),
                known.join(", ")
            )
        })
    }

    /// What every output should hold, in the order of lesson.toml.
    pub(super) fn expected(
        &self,
        lesson: &Lesson,
        case: &Case,
        sized: &SizedCase,
        initial: &[Option<Values>],
    ) -> Result<Vec<Values>> {
        let spec = &lesson.spec;
        match self {
            Answer::Cpu(reference) => of_reference(reference, lesson, case, sized, initial),
            Answer::Kernel(program) => {
                let symbols = symbols(spec, program.signatures())
                    .map_err(|failure| anyhow!("{}: {}", reference_file(lesson), failure.slug()))?;
                let played = play(program.as_ref(), spec, sized, &symbols, initial)
                    .map_err(|broken| anyhow!("{}: {}", reference_file(lesson), broken.failure.slug()))?;
                if let Some(finding) = played.findings.first() {
                    bail!("{}: {} ({})", reference_file(lesson), finding.code.slug(), case_text(case));
                }
                Ok(played.outputs.into_iter().map(|output| output.got).collect())
            }
        }
    }
}

/// What a CPU reference says every output should hold.
pub(super) fn of_reference(
    reference: &Reference,
    lesson: &Lesson,
    case: &Case,
    sized: &SizedCase,
    initial: &[Option<Values>],
) -> Result<Vec<Values>> {
    let spec = &lesson.spec;
    let buffer = |index: usize, ty| {
        let shape: &[usize] = &sized.shapes[index];
        let zeros = || Values::Int(vec![0; shape.iter().product()]);
        Buffer { ty, shape, values: initial[index].clone().unwrap_or_else(zeros) }
    };
    let all = || spec.buffers.iter().enumerate();
    let inputs = all().filter(|(_, b)| b.role.is_input()).map(|(i, b)| buffer(i, b.ty));
    let outputs = all().filter(|(_, b)| b.role.is_output()).map(|(i, b)| buffer(i, b.ty));
    let (inputs, outputs) = (inputs.collect::<Vec<_>>(), outputs.collect::<Vec<_>>());
    reference.run(&inputs, &outputs, case).with_context(|| {
        format!("{}/lesson.toml: reference \"{}\" does not fit", lesson.folder(), reference.name)
    })
}

/// The kernel of every launch.
pub(super) fn symbols(
    spec: &Spec,
    signatures: &[super::signature::Signature],
) -> Result<Vec<String>, Box<Failure>> {
    let symbols = spec.launches.iter().enumerate().map(|(index, launch)| {
        resolve(spec, index, signatures).map_err(|missing| missing.failure(&launch.kernel))
    });
    symbols.collect()
}

type Judged = (Result<Passed, Failure>, String);

/// Runs every case of the lesson on a program. `Err` is the lesson's own fault.
pub fn judge(lesson: &Lesson, program: &dyn Program, answer: &Answer, seed: u64) -> Result<Judged> {
    judge_some(lesson, program, answer, seed, None)
}

/// What is wrong in the case that is called `name` in a failure, if anything is.
pub(super) fn judge_case(
    lesson: &Lesson,
    program: &dyn Program,
    answer: &Answer,
    seed: u64,
    name: &str,
) -> Result<Option<Failure>> {
    Ok(judge_some(lesson, program, answer, seed, Some(name))?.0.err())
}

fn judge_some(
    lesson: &Lesson,
    program: &dyn Program,
    answer: &Answer,
    seed: u64,
    only: Option<&str>,
) -> Result<Judged> {
    let expected = |case: usize, sized: &SizedCase, initial: &[Option<Values>]| {
        answer.expected(lesson, &lesson.spec.cases[case], sized, initial).map(Arc::new)
    };
    judge_against(lesson, program, answer, &expected, seed, only)
}

/// What every output of a case should hold: of the case's number, its sizes and its inputs.
type Expected<'e> = &'e dyn Fn(usize, &SizedCase, &[Option<Values>]) -> Result<Arc<Vec<Values>>>;

/// As [`judge`], with what is expected from elsewhere; `answer` says what other inputs would give. `only`:
/// the case to run, by the name that a failure has for it, which may go on behind the case's own.
fn judge_against(
    lesson: &Lesson,
    program: &dyn Program,
    answer: &Answer,
    expected: Expected,
    seed: u64,
    only: Option<&str>,
) -> Result<Judged> {
    let spec = &lesson.spec;
    let is_meant = |case: &Case| {
        only.is_none_or(|name| {
            let text = case_text(case);
            name == text || name.strip_prefix(&text).is_some_and(|rest| rest.starts_with(", with the "))
        })
    };
    let symbols = match symbols(spec, program.signatures()) {
        Ok(symbols) => symbols,
        Err(failure) => return Ok((Err(*failure), String::new())),
    };
    let shuffled = program.shuffled(&symbols, seed);
    let mut first_output = None;
    let mut missed = None;
    let mut passed = Passed::default();
    for (index, case) in spec.cases.iter().enumerate().filter(|(_, case)| is_meant(case)) {
        let sized = spec.sized(case).with_context(|| format!("{}/lesson.toml", lesson.folder()))?;
        let initial = inputs(lesson, &sized, index, seed);
        let expected = expected(index, &sized, &initial)?;
        // What a run left, or what was wrong with it and what it printed.
        let run = |program: &dyn Program, name: String| -> Result<Result<Played, (Failure, String)>> {
            let played = match play(program, spec, &sized, &symbols, &initial) {
                Ok(played) => played,
                Err(broken) => return Ok(Err((broken.failure, printed(&broken.text)))),
            };
            let wrong = wrong_output(spec, &name, &sized, &initial, &expected, &played.outputs);
            let of = |inputs: &[Option<Values>]| answer.expected(lesson, case, &sized, inputs).ok();
            // Beside a defect values are not told, and the reference need not run again.
            let wrong = match played.findings.is_empty() {
                true => wrong.map(|it| exchanged::told(it, spec, &sized, &initial, &played.outputs, &of)),
                false => wrong,
            };
            Ok(match look(spec, &sized, &played, wrong, name) {
                Some(failure) => Err((failure, printed(&played.text))),
                None => Ok(played),
            })
        };
        let played = match run(program, case_text(case))? {
            Ok(played) => played,
            Err((failure, output)) => return Ok((Err(failure), output)),
        };
        // What is counted is always that of the blocks in order.
        let several = sized.launches.iter().any(|launch| launch.config.grid.count() > 1);
        if let Some(shuffled) = shuffled.as_deref().filter(|_| several)
            && let Err((failure, output)) = run(shuffled, in_another_order(&case_text(case)))?
        {
            return Ok((Err(failure), output));
        }
        let case = case_text(case);
        let counts = || counted(&played.counts);
        let bars = if program.counts() { bars(spec, &sized, &counts()) } else { Vec::new() };
        if missed.is_none() && !bars.iter().all(Bar::met) {
            missed = Some((Failure::Work { bars: bars.clone(), case: case.clone() }, printed(&played.text)));
        }
        first_output.get_or_insert_with(|| printed(&played.text));
        passed = Passed { cases: index + 1, case, counts: played.counts, bars, ..Passed::default() };
    }
    Ok(match missed {
        Some((failure, output)) => (Err(failure), output),
        None => (Ok(passed), first_output.unwrap_or_default()),
    })
}

/// What is wrong with a case that was played: a defect, or else what is `wrong` with its values.
fn look(
    spec: &Spec,
    sized: &SizedCase,
    played: &Played,
    wrong: Option<Mismatch>,
    case: String,
) -> Option<Failure> {
    let Some(first) = played.findings.first() else { return wrong.map(Failure::Wrong) };
    let spare = spare(spec, sized, first);
    // What was stopped has no result.
    let values_right = wrong.is_none() && !played.stopped;
    Some(Failure::Defect { findings: played.findings.clone(), values_right, case, spare })
}

/// The values of every input, fresh for this seed and case.
pub(super) fn inputs(lesson: &Lesson, sized: &SizedCase, case: usize, seed: u64) -> Vec<Option<Values>> {
    let buffers = lesson.spec.buffers.iter().zip(&sized.shapes).enumerate();
    buffers
        .map(|(index, (buffer, shape))| {
            let stream = Stream::new(seed, &lesson.slug, case, index);
            let how = buffer.fill.as_ref().filter(|_| buffer.role.is_input())?;
            Some(fill(how, buffer.ty, shape.iter().product(), stream))
        })
        .collect()
}

/// The first output that is not as expected.
pub(super) fn wrong_output(
    spec: &Spec,
    case: &str,
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
        let right = compare(want, &output.got, &output.written, spec.tolerance);
        if right.iter().all(|right| *right) {
            return None;
        }
        let takes_it = |launch: &&crate::course::SizedLaunch| {
            launch.args.contains(&crate::course::SizedArgument::Buffer(output.buffer))
        };
        let seen = Seen {
            want,
            got: &output.got,
            written: &output.written,
            right: &right,
            shape: &sized.shapes[output.buffer],
            tolerance: spec.tolerance,
            inputs: &inputs,
            places: None,
            before: None,
        };
        let launch = sized.launches.iter().rev().find(takes_it).or(sized.launches.last());
        // Where host code chooses the launches, who writes what is open.
        const OPEN: LaunchConfig =
            LaunchConfig { grid: Dim3::new(1, 1, 1), block: Dim3::new(1, 1, 1), dynamic_shared_bytes: 0 };
        let setting = Setting {
            case: case.to_owned(),
            buffer: &buffer.name,
            ty: buffer.ty,
            writer: if launch.is_some() { buffer.writer } else { Writer::Any },
            config: launch.map_or(&OPEN, |launch| &launch.config),
        };
        mismatch(&seen, &setting)
    })
}

/// Whether the threads of a stray access, or of a race, have no element of an output to write.
fn spare(spec: &Spec, sized: &SizedCase, finding: &Finding) -> Spare {
    if !matches!(finding.code, Code::OutOfBounds | Code::GlobalRace) {
        return Spare::default();
    }
    let is_spare = |access| is_spare(spec, sized, access);
    Spare { at: is_spare(&finding.at), other: finding.other.as_ref().and_then(is_spare) }
}

/// `None` where it is not known which thread writes what.
fn is_spare(spec: &Spec, sized: &SizedCase, access: &Access) -> Option<bool> {
    let [launch] = sized.launches.as_slice() else { return None };
    let outputs = spec.buffers.iter().zip(&sized.shapes);
    let mut outputs = outputs.filter(|(b, _)| b.role.is_output() && b.writer == Writer::Thread).peekable();
    outputs.peek()?;
    let its_place = Place { block: access.block, thread: Some(access.thread) };
    Some(!outputs.any(|(buffer, shape)| {
        let elements = shape.iter().product();
        (0..elements).any(|i| place_of(i, shape, buffer.writer, &launch.config) == Some(its_place))
    }))
}

/// The counters of kernels.
pub(super) fn counted(counts: &Counts) -> Vec<Counted> {
    counts.named().into_iter().map(|(name, value, meaning)| Counted { name, value, meaning }).collect()
}

/// Every requirement against what was counted.
pub(super) fn bars(spec: &Spec, sized: &SizedCase, counted: &[Counted]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for (requirement, limits) in spec.requirements.iter().zip(&sized.bars) {
        let Some(Counted { value: yours, meaning, .. }) =
            counted.iter().find(|counted| counted.name == requirement.counter)
        else {
            continue;
        };
        for (limit, at_most) in [(limits.at_most, true), (limits.at_least, false)] {
            bars.extend(limit.map(|limit| Bar {
                counter: requirement.counter.clone(),
                meaning: (*meaning).to_owned(),
                yours: *yours,
                limit,
                at_most,
                why: requirement.why.clone(),
            }));
        }
    }
    bars
}

/// What a kernel printed, as text; whoever shows it escapes it.
pub(super) fn printed(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests;
