//! From source text to verdict, for kernels that the tool launches.

mod cases;
mod work;

pub use cases::judge;
pub(super) use cases::{Expected, bars, inputs, judge_against, printed, symbols, wrong_output};

use super::backend::{Kernels, Program, Simulated};
use super::case_run::{Output, run_case};
use super::lesson_cache::LessonCache;
use super::measure::{Measured, measure};
use super::no_result::NoResult;
use super::predict;
use super::prepared::Prepared;
use super::reference::{self, Buffer, Reference};
use super::value::Values;
use super::verdict::{Failure, Verdict};
use crate::course::{AuthorError, Case, Lesson, ReferenceSource, SizedCase};
use anyhow::{Context, Result, bail};
use compiler::{
    CompileError, Compiled, Compiler, Diagnostic, Request, active_masks, host_variables, misplaced_calls,
    open_arrays,
};
use sim::compiled::CompileWhen;
use std::collections::BTreeMap;
use std::sync::Arc;
use work::BudgetedVerdict;
pub(super) use work::MIN_WORK_BUDGET;
pub use work::RightValues;

/// What a verdict depends on apart from the lesson and the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Seed from which the inputs are drawn. The same seed gives the same verdict, byte for byte.
    pub seed: u64,
    /// Host threads of the simulator. The verdict does not depend on their number.
    pub host_threads: usize,
    /// When kernels, and loops and functions of host code, become machine code on the simulator; `None` means never. The
    /// verdict does not depend on it.
    pub machine_code: Option<CompileWhen>,
}

impl Default for Options {
    fn default() -> Self {
        let host_threads = sim::Options::default().host_threads;
        Options { seed: 0x006c_6561_726e, host_threads, machine_code: None }
    }
}

/// Bytes of `printf` output kept per launch.
const OUTPUT_LIMIT_BYTES: usize = 64 << 10;

/// Judges `source` as the kernel of `lesson`. `file_name` is the name used in messages.
///
/// Cases run in order up to the first wrong one; requirements are checked only for a kernel that is right in all of
/// them.
///
/// # Errors
///
/// Fails if the environment or the lesson is at fault, never the learner.
pub fn run(
    lesson: &Lesson,
    source: &str,
    file_name: &str,
    compiler: &Compiler,
    options: &Options,
) -> Result<Verdict> {
    Prepared::new(lesson, source, file_name, compiler)?.verdict(options)
}

/// A submission to a lesson whose kernels the tool launches, compiled once.
#[derive(Debug)]
pub struct PreparedKernel<'a> {
    pub(super) lesson: &'a Lesson,
    pub(super) source: String,
    pub(super) file_name: String,
    /// The submission's kernels, or the lesson's own where it asks questions about them; or why there are none.
    pub(super) kernels: Result<Arc<Kernels>, Box<Failure>>,
    warnings: Vec<Diagnostic>,
    /// The lesson's `reference.cu`, where it has one.
    reference: Option<Arc<Kernels>>,
    cache: Arc<LessonCache>,
    pub(super) compiler: Box<Compiler>,
}

impl<'a> PreparedKernel<'a> {
    pub fn new(
        lesson: &'a Lesson,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
        cache: &Arc<LessonCache>,
    ) -> Result<Self> {
        let (kernels, warnings) = match &lesson.kernels_source {
            // The submission holds answers to questions about the lesson's own kernels.
            Some(kernels) => {
                let file = predict::kernels_file(lesson);
                let own = || compile_own(lesson, kernels, &file, compiler);
                (Ok(cache.kernels.get(file.clone(), own)?), Vec::new())
            }
            None => match compile(&lesson.request(source, file_name), compiler) {
                Ok(compiled) => {
                    let kernels = kernels(&lesson.request(source, file_name), &compiled.ptx, compiler);
                    let mut warnings = compiled.diagnostics;
                    warnings.extend(active_masks(source, file_name));
                    warnings.extend(open_arrays(source, file_name));
                    (NoResult::separate(kernels.map(Arc::new))?, warnings)
                }
                Err(error) => (Err(NoResult::from(error).failure()?), Vec::new()),
            },
        };
        let reference = if kernels.is_ok() { compile_reference(lesson, compiler, cache)? } else { None };
        let (source, file_name) = (source.to_owned(), file_name.to_owned());
        let (cache, compiler) = (cache.clone(), Box::new(compiler.clone()));
        Ok(Self { lesson, source, file_name, kernels, warnings, reference, cache, compiler })
    }

    pub fn verdict(&self, options: &Options) -> Result<Verdict> {
        let verdict = self.judged(options)?;
        match verdict.result {
            Err(failure) if !self.asks() => {
                let result = Err(self.with_sources(failure, options)?);
                Ok(Verdict { result, ..verdict })
            }
            _ => Ok(verdict),
        }
    }

    /// Judges without determining which inputs a wrong element depends on, as that takes many runs.
    pub(super) fn judged(&self, options: &Options) -> Result<Verdict> {
        let lesson = self.lesson;
        let verdict = |result, output| Verdict {
            lesson: lesson.slug.clone(),
            result,
            output,
            warnings: self.warnings.clone(),
            spans: Vec::new(),
        };
        let program = match self.simulated(simulation(lesson, options)) {
            Ok(program) => program,
            Err(failure) => return Ok(verdict(Err(failure.clone()), String::new())),
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
            self.cache.expected.get((case, options.seed), of)
        };
        let mut judged = BudgetedVerdict::Again(MIN_WORK_BUDGET);
        let mut program = program;
        let (mut result, output) = loop {
            judged = match judged {
                BudgetedVerdict::Again(budget) => {
                    program = program.with_budget(budget);
                    let (result, output) = judge_against(lesson, &program, &answer, &expected, seed, None)?;
                    self.within(budget, result, output, options)?
                }
                BudgetedVerdict::Done(result, output) => break (*result, output),
            };
        };
        if let Err(failure) = result {
            result = Err(self.placed(failure, &answer, &expected, options)?);
        }
        Ok(verdict(result, output))
    }

    /// Returns whether the lesson asks questions about its own kernels; if so, those are what was compiled.
    pub(super) fn asks(&self) -> bool {
        self.lesson.kernels_source.is_some()
    }

    /// Measures the kernels in case number `case` (from 0); for a lesson that asks questions, these are the
    /// lesson's own kernels.
    ///
    /// # Errors
    ///
    /// Also fails if the kernels do not run to their end without a finding.
    pub fn measure(&self, case: usize, options: &Options) -> Result<Measured> {
        let program = self.simulated(simulation(self.lesson, options));
        let program = program.map_err(|failure| predict::kernels_fault(self.lesson, &failure.describe()))?;
        Ok(measure(self.lesson, &program, case, options.seed)?.0)
    }

    /// Lists what is doubtful about the lesson's own questions, for lesson authors.
    pub fn doubts(&self, options: &Options) -> Result<Vec<String>> {
        let program = self.simulated(simulation(self.lesson, options));
        let (true, Ok(program)) = (self.asks(), program) else { return Ok(Vec::new()) };
        let answer = self.answer_to_questions(options)?;
        let all = self.measured(&program, answer.as_ref(), options)?;
        predict::doubts(self.lesson, &all)
    }

    /// Measures the lesson's own kernels in every case that a question is about. The key is the case's index.
    fn measured(
        &self,
        program: &Simulated,
        answer: Option<&Answer>,
        options: &Options,
    ) -> Result<Arc<BTreeMap<usize, Measured>>> {
        let measure = || predict::measured(self.lesson, program, answer, options.seed);
        self.cache.measured.get(options.seed, measure)
    }

    /// Returns the source of the right values for the lesson's own kernels, or `None` where they are not compared.
    fn answer_to_questions(&self, options: &Options) -> Result<Option<Answer>> {
        match self.lesson.spec.reference {
            ReferenceSource::None => Ok(None),
            _ => self.answer(options).map(Some),
        }
    }

    /// Returns the kernels on the simulator, or why there are none.
    pub(super) fn simulated(&self, options: sim::Options) -> Result<Simulated, &Failure> {
        let kernels = self.kernels.as_ref().map_err(|failure| &**failure)?;
        Ok(Simulated::new(kernels.clone(), self.lesson.spec.compute_capability, options))
    }

    /// Returns the source of the right values.
    pub fn answer(&self, options: &Options) -> Result<Answer> {
        Answer::of(self.lesson, self.reference.clone(), simulation(self.lesson, options))
    }

    /// Like [`PreparedKernel::answer`], but without checks: the reference has already been found sound with the
    /// inputs of the case.
    pub(super) fn answer_unchecked(&self, options: &Options) -> Result<Answer> {
        let unchecked = sim::Options { checks: false, ..simulation(self.lesson, options) };
        Answer::of(self.lesson, self.reference.clone(), unchecked)
    }
}

impl Lesson {
    /// Returns the request to compile a file of kernels for this lesson.
    pub fn request<'r>(&self, source: &'r str, file_name: &'r str) -> Request<'r> {
        let capability = self.spec.compute_capability;
        Request::new(source, file_name, (capability.major, capability.minor))
    }
}

pub(super) fn compile(request: &Request, compiler: &Compiler) -> Result<Compiled, CompileError> {
    let Request { source, file_name, .. } = *request;
    let compiled = compiler.compile(request)?;
    let variables = host_variables(|| Some(&compiled.ptx), source, file_name);
    let misplaced = [misplaced_calls(source, file_name), variables].concat();
    if misplaced.is_empty() { Ok(compiled) } else { Err(CompileError::Rejected(misplaced)) }
}

/// Parses the kernels of a source that compiled.
fn kernels(request: &Request, ptx: &str, compiler: &Compiler) -> Result<Kernels, NoResult> {
    // The assembler refuses the inline assembly, so no GPU would run it even if the simulator could.
    if let Some(said) = compiler.refused_asm(request, ptx)? {
        return Err(Failure::Compile(said).into());
    }
    Ok(Kernels::parse(ptx, Some(request.source))?)
}

/// Returns the simulator options for a lesson's kernels.
pub(crate) fn simulation(lesson: &Lesson, options: &Options) -> sim::Options {
    let of_lesson = sim::Options {
        host_threads: options.host_threads,
        step_budget: lesson.spec.step_budget,
        output_limit_bytes: OUTPUT_LIMIT_BYTES,
        ..sim::Options::default()
    };
    jit::compiling(of_lesson, options.machine_code)
}

/// Returns the initial values of every buffer of a case, in the order of lesson.toml; `None` for a buffer that is
/// not filled.
///
/// # Errors
///
/// Fails if there is no such case, or if its sizes do not fit.
pub fn initial_values(lesson: &Lesson, case: usize, seed: u64) -> Result<Vec<Option<Values>>> {
    let sizes =
        lesson.spec.cases.get(case).with_context(|| format!("{}: there is no case {case}", lesson.slug))?;
    Ok(inputs(lesson, &lesson.spec.sized(sizes)?, case, seed))
}

/// Returns the path of a lesson's `reference.cu`.
pub(super) fn reference_file(lesson: &Lesson) -> String {
    format!("{}/reference.cu", lesson.folder())
}

/// Compiles one of the lesson's own files.
fn compile_own(lesson: &Lesson, source: &str, file: &str, compiler: &Compiler) -> Result<Kernels> {
    match compile(&lesson.request(source, file), compiler) {
        Ok(compiled) => {
            let kernels = Kernels::parse(&compiled.ptx, Some(source));
            kernels.map_err(|error| AuthorError::new(file, error.to_string()).into())
        }
        Err(CompileError::Rejected(diagnostics)) => {
            let first = diagnostics.first();
            let (line, message) =
                first.map_or((0, String::new()), |first| (first.line, first.with_notes(&first.notes)));
            Err(AuthorError::new(file, format!("does not compile: line {line}: {message}")).into())
        }
        Err(CompileError::Limit(limit)) => Err(AuthorError::new(file, limit).into()),
        Err(CompileError::Environment(error)) => Err(error),
    }
}

/// Compiles a lesson's `reference.cu`; `None` if it has none.
fn compile_reference(
    lesson: &Lesson,
    compiler: &Compiler,
    cache: &LessonCache,
) -> Result<Option<Arc<Kernels>>> {
    let (source, file) = (lesson.reference_source.as_deref(), reference_file(lesson));
    let compiled = |source| cache.kernels.get(file.clone(), || compile_own(lesson, source, &file, compiler));
    source.map(compiled).transpose()
}

/// The source of the right values.
pub enum Answer {
    Cpu(&'static Reference),
    /// The lesson's `reference.cu`.
    Kernel(Box<dyn Program>),
    /// Each case states its expected values.
    Cases,
}

impl Answer {
    /// Returns the answer of a lesson, independent of any submission.
    pub fn of_lesson(lesson: &Lesson, compiler: &Compiler, options: &Options) -> Result<Answer> {
        let reference = compile_reference(lesson, compiler, &LessonCache::default())?;
        Answer::of(lesson, reference, simulation(lesson, options))
    }

    /// Returns the lesson's `reference.cu` where it has one, otherwise the reference that lesson.toml names.
    fn of(lesson: &Lesson, reference: Option<Arc<Kernels>>, options: sim::Options) -> Result<Answer> {
        let Some(kernels) = reference else { return Answer::by_name(lesson) };
        let program = Simulated::new(kernels, lesson.spec.compute_capability, options);
        Ok(Answer::Kernel(Box::new(program)))
    }

    pub(super) fn by_name(lesson: &Lesson) -> Result<Answer> {
        let name = match &lesson.spec.reference {
            ReferenceSource::Cases => return Ok(Answer::Cases),
            other => other.to_string(),
        };
        reference::find(&name).map(Answer::Cpu).ok_or_else(|| {
            let known: Vec<_> = reference::TABLE.iter().map(|reference| reference.name).collect();
            let known = known.join(", ");
            let message = format!("reference: no CPU reference is called \"{name}\"; there are: {known}");
            AuthorError::of_key(lesson, "reference", message).into()
        })
    }

    /// Returns the right values of every output, in the order of lesson.toml.
    ///
    /// # Errors
    ///
    /// Fails if the case states expected values and the reference computes different ones.
    pub(super) fn expected(
        &self,
        lesson: &Lesson,
        case: &Case,
        sized: &SizedCase,
        initial: &[Option<Values>],
    ) -> Result<Vec<Values>> {
        if matches!(self, Answer::Cases) {
            return Ok(stated(lesson, sized).flatten().cloned().collect());
        }
        let mut all = self.expected_for_inputs(lesson, case, sized, initial)?;
        agree(lesson, case, sized, &mut all)?;
        Ok(all)
    }

    /// Returns the right values of every output for inputs that may differ from those of the case.
    ///
    /// # Errors
    ///
    /// Fails if the reference does not run, or if the cases alone state what is right.
    pub(super) fn expected_for_inputs(
        &self,
        lesson: &Lesson,
        case: &Case,
        sized: &SizedCase,
        initial: &[Option<Values>],
    ) -> Result<Vec<Values>> {
        let spec = &lesson.spec;
        match self {
            Answer::Cases => bail!("{}: only its cases say what is right", lesson.folder()),
            Answer::Cpu(reference) => reference_values(reference, lesson, case, sized, initial),
            Answer::Kernel(program) => {
                let fault = |message: String| AuthorError::new(reference_file(lesson), message);
                let symbols =
                    symbols(spec, program.signatures()).map_err(|failure| fault(failure.describe()))?;
                let case_run = run_case(program.as_ref(), spec, sized, &symbols, initial)
                    .map_err(|broken| fault(broken.failure.describe()))?;
                if let Some(finding) = case_run.findings.first() {
                    return Err(fault(format!("{} ({case})", finding.kind.slug())).into());
                }
                Ok(case_run.outputs.into_iter().map(|output| output.got).collect())
            }
        }
    }
}

/// Returns the values that a case itself states for each output; `None` where it states none.
fn stated<'s>(lesson: &'s Lesson, sized: &'s SizedCase) -> impl Iterator<Item = Option<&'s Values>> {
    let all = lesson.spec.buffers.iter().zip(&sized.expected);
    all.filter(|(buffer, _)| buffer.role.is_output()).map(|(_, values)| values.as_ref())
}

/// Replaces reference values by those that the case states, after checking that they agree.
pub(super) fn agree(lesson: &Lesson, case: &Case, sized: &SizedCase, all: &mut [Values]) -> Result<()> {
    let computed = lesson.spec.outputs().zip(&*all).map(|((buffer, _), values)| Output {
        buffer,
        got: values.clone(),
        written: vec![true; values.count()],
    });
    let computed: Vec<Output> = computed.collect();
    for (place, stated) in stated(lesson, sized).enumerate() {
        let (Some(stated), Some(output)) = (stated, computed.get(place)) else { continue };
        if let Some((i, wanted, got)) = cases::first_wrong(&lesson.spec, sized, stated, output, &computed) {
            let name = &lesson.spec.buffers[output.buffer].name;
            let message = format!(
                "cases: {case}: element {i} of \"{name}\" is expected to be {wanted}, but the reference computes \
                 {got}"
            );
            return Err(AuthorError::of_key(lesson, "cases", message).into());
        }
        all[place] = stated.clone();
    }
    Ok(())
}

/// Returns the values that a CPU reference computes for every output.
pub(super) fn reference_values(
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
    let all = spec.buffers.iter().enumerate();
    let inputs = all.filter(|(_, b)| b.role.is_input()).map(|(i, b)| buffer(i, b.ty));
    let outputs = spec.outputs().map(|(i, b)| buffer(i, b.ty));
    let (inputs, outputs) = (inputs.collect::<Vec<_>>(), outputs.collect::<Vec<_>>());
    reference.run(&inputs, &outputs, case).map_err(|misfit| {
        let message = format!("reference \"{}\" does not fit: {misfit}", reference.name);
        AuthorError::of_key(lesson, "reference", message).into()
    })
}
