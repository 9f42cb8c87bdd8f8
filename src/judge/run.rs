//! From source text to verdict.

mod cases;
mod work;

pub use cases::judge;
pub(super) use cases::{Expected, bars, counted, inputs, judge_against, printed, symbols, wrong_output};

use super::backend::{Program, Simulated};
use super::lesson_cache::LessonCache;
use super::measure::{Measured, measure};
use super::play::play;
use super::predict;
use super::prepared::Prepared;
use super::reference::{self, Buffer, Reference};
use super::value::Values;
use super::verdict::{Failure, Verdict};
use crate::course::{Case, Lesson, SizedCase, case_text};
use anyhow::{Context, Result, anyhow, bail};
use compiler::{CompileError, Compiled, Compiler, Diagnostic, Request, misplaced_calls};
use sim::{self, LoadError};
use std::collections::BTreeMap;
use std::sync::Arc;
use work::{ENOUGH, Judged};

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
    own: Arc<LessonCache>,
    pub(super) compiler: Box<Compiler>,
}

impl<'a> PreparedKernel<'a> {
    pub(super) fn new(
        lesson: &'a Lesson,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
        own: &Arc<LessonCache>,
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
        own: &Arc<LessonCache>,
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
        // No GPU would run it, whatever the simulator makes of it.
        if !self.asks()
            && let Some(refused) = self.refused_by_assembler(text)?
        {
            return Ok(verdict(Err(refused), String::new()));
        }
        let program = match self.load(text, options) {
            Ok(program) => program,
            Err((what, line)) => return Ok(verdict(Err(Failure::Unsupported { what, line }), String::new())),
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
        let mut judged = Judged::Again(ENOUGH);
        let mut program = program;
        let (mut result, output) = loop {
            judged = match judged {
                Judged::Again(budget) => {
                    program = program.with_budget(budget);
                    let (result, output) = judge_against(lesson, &program, &answer, &expected, seed, None)?;
                    self.within(budget, result, output, options)?
                }
                Judged::Done(result, output) => break (*result, output),
            };
        };
        if let Err(failure) = result {
            result = Err(self.placed(failure, &answer, &expected, options)?);
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
    fn refused_by_assembler(&self, ptx: &str) -> Result<Option<Failure>> {
        let capability = self.lesson.spec.compute_capability;
        let request = Request::new(&self.source, &self.file_name, (capability.major, capability.minor));
        Ok(self.compiler.refused_asm(&request, ptx)?.map(Failure::Compile))
    }

    /// `Err`: what the simulator lacks, and where.
    fn load(&self, text: &str, options: &Options) -> Result<Simulated, (String, Option<u32>)> {
        let capability = self.lesson.spec.compute_capability;
        let program = Simulated::load(text, capability, simulation(self.lesson, options));
        program.map(|program| program.with_source(&self.source)).map_err(unsupported)
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
fn compile_reference(lesson: &Lesson, compiler: &Compiler, own: &LessonCache) -> Result<Option<Arc<String>>> {
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
        let reference = compile_reference(lesson, compiler, &LessonCache::default())?;
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
