//! Submissions of kernels that the tool launches.

mod work;

use super::answer::Answer;
use super::backend::{Kernels, Simulated};
use super::cases::judge_against;
use super::compile::{compile, compile_own, compile_reference, kernels};
use super::lesson_cache::LessonCache;
use super::measure::{Measured, kernels_failure, measure};
use super::no_result::NoResult;
use super::options::{Options, simulation};
use super::own_failure::OwnFailure;
use super::predict;
use super::value::Values;
use super::verdict::{Failure, Verdict};
use crate::course::{Lesson, ReferenceSource, SizedCase};
use anyhow::Result;
use compiler::{Compiler, Diagnostic, active_masks, open_arrays};
use std::collections::BTreeMap;
use std::sync::Arc;
use work::BudgetedVerdict;
pub(super) use work::MIN_WORK_BUDGET;
pub use work::RightValues;

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
        let (kernels, warnings) = match &lesson.kernels_source {
            // The submission holds answers to questions about the lesson's own kernels.
            Some(kernels) => {
                let file = lesson.kernels_path();
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

    /// Returns the simulator's verdict.
    ///
    /// # Errors
    ///
    /// Fails if the environment or the lesson is at fault.
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
        let program =
            program.map_err(|failure| kernels_failure(self.lesson, OwnFailure::of(failure.clone())))?;
        Ok(measure(self.lesson, &program, case, options.seed)?.0)
    }

    /// Lists what is doubtful about the lesson's own questions, for lesson authors.
    ///
    /// # Errors
    ///
    /// Fails if the environment or the lesson is at fault.
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
    ///
    /// # Errors
    ///
    /// Fails if the lesson names a CPU reference that does not exist.
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
