//! A compiled submission to any kind of lesson.

use super::image::Image;
use super::kernel::{PreparedKernel, RightValues};
use super::lesson_cache::LessonCache;
use super::no_result::NoResult;
use super::on_gpu::{Gpu, ValueOrigin};
use super::options::Options;
use super::program::PreparedProgram;
use super::record::{Launches, Recorded, RecordedPart};
use super::verdict::Verdict;
use crate::course::Lesson;
use anyhow::Result;
use compiler::Compiler;
use sim::AdviceReport;
use std::sync::Arc;

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

/// A submission, compiled once, to be judged any number of times.
#[derive(Debug)]
pub enum Prepared<'a> {
    Kernel(PreparedKernel<'a>),
    Program(Box<PreparedProgram<'a>>),
}

impl<'a> Prepared<'a> {
    /// Compiles a submission, which messages call `file_name`; its own mistakes are kept for the verdict.
    ///
    /// # Errors
    ///
    /// Fails if the environment or the lesson is at fault, never the learner.
    pub fn new(lesson: &'a Lesson, source: &str, file_name: &str, compiler: &Compiler) -> Result<Self> {
        Prepared::with_cache(&Arc::default(), lesson, source, file_name, compiler)
    }

    /// Like [`Prepared::new`], for one of many submissions to the same lesson: results derived from the lesson's
    /// own files are shared through `cache`.
    ///
    /// # Errors
    ///
    /// Fails as [`Prepared::new`] does.
    pub fn with_cache(
        cache: &Arc<LessonCache>,
        lesson: &'a Lesson,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
    ) -> Result<Prepared<'a>> {
        if lesson.spec.is_program() {
            let program = PreparedProgram::new(lesson, source, file_name, compiler, cache)?;
            return Ok(Prepared::Program(Box::new(program)));
        }
        Ok(Prepared::Kernel(PreparedKernel::new(lesson, source, file_name, compiler, cache)?))
    }

    /// Returns the submission to a lesson whose launches the tool makes.
    fn kernel(&self) -> Option<&PreparedKernel<'a>> {
        match self {
            Prepared::Kernel(kernel) => Some(kernel),
            Prepared::Program(_) => None,
        }
    }

    /// Returns the simulator's verdict.
    ///
    /// # Errors
    ///
    /// Fails as [`Prepared::new`] does.
    pub fn verdict(&self, options: &Options) -> Result<Verdict> {
        match self {
            Prepared::Kernel(kernel) => kernel.verdict(options),
            Prepared::Program(program) => program.verdict(options),
        }
    }

    /// Returns the verdict without determining which inputs a wrong element depends on: enough to distinguish
    /// verdicts, in less time.
    ///
    /// # Errors
    ///
    /// Fails as [`Prepared::new`] does.
    pub fn judged(&self, options: &Options) -> Result<Verdict> {
        match self {
            Prepared::Kernel(kernel) => kernel.judged(options),
            Prepared::Program(program) => program.verdict(options),
        }
    }

    /// Returns the verdict, with values from a GPU where the submission can run there.
    ///
    /// # Errors
    ///
    /// Fails with a [`gpu::GpuError`] inside if the GPU could not be used.
    pub fn verdict_on(&self, options: &Options, gpu: &Gpu) -> Result<(Verdict, ValueOrigin)> {
        self.confirm(self.verdict(options)?, options, gpu)
    }

    /// Like [`Prepared::verdict_on`], given the simulator's verdict with the same seed.
    ///
    /// # Errors
    ///
    /// Fails as [`Prepared::verdict_on`] does.
    pub fn confirm(
        &self,
        simulated: Verdict,
        options: &Options,
        gpu: &Gpu,
    ) -> Result<(Verdict, ValueOrigin)> {
        match self {
            Prepared::Kernel(kernel) => kernel.verdict_on(simulated, options, gpu),
            Prepared::Program(program) => program.verdict_on(simulated, options, gpu),
        }
    }

    /// Lists what is doubtful about the lesson's questions; empty if it asks none.
    ///
    /// # Errors
    ///
    /// Fails if the lesson or the environment is at fault.
    pub fn doubts(&self, options: &Options) -> Result<Vec<String>> {
        self.kernel().map_or(Ok(Vec::new()), |kernel| kernel.doubts(options))
    }

    /// Returns advice on how right kernels could be improved; always empty for whole programs so far.
    ///
    /// # Errors
    ///
    /// Fails if the lesson or the environment is at fault.
    pub fn advice(&self, options: &Options) -> Result<AdviceReport> {
        self.kernel().map_or(Ok(AdviceReport::default()), |kernel| kernel.advice(options))
    }

    /// Records one block of a case for a debugger.
    ///
    /// # Errors
    ///
    /// Fails if the submission does not compile or run, if there is no such case or launch, or if the lesson or the
    /// environment is at fault.
    pub fn record(&self, part: RecordedPart, options: &Options) -> Result<Recorded, NoResult> {
        match self {
            Prepared::Kernel(kernel) => kernel.record(part, options),
            Prepared::Program(program) => program.record(part, options),
        }
    }

    /// Renders the kernels' result, where the lesson shows it as an image and there is one: see [`Image`].
    ///
    /// # Errors
    ///
    /// Fails if the lesson is at fault.
    pub fn image(&self, options: &Options) -> Result<Option<Image>> {
        self.kernel().map_or(Ok(None), |kernel| kernel.image(options))
    }

    /// Returns the launches of a case. For a whole program this takes a run.
    ///
    /// # Errors
    ///
    /// Fails if that run comes to no conclusive end, if there is no such case, or if the lesson or the environment is
    /// at fault.
    pub fn launches(&self, case: usize, options: &Options) -> Result<Launches, NoResult> {
        match self {
            Prepared::Kernel(kernel) => Ok(kernel.launches(case)?),
            Prepared::Program(program) => program.launches(case, options),
        }
    }

    /// Finds out whether a submission that has a defect computes the right values in every case all the same. For
    /// whole programs that is unknown: what a finding means for their later cases is not clear.
    ///
    /// # Errors
    ///
    /// Fails if the lesson or the environment is at fault.
    pub fn right_values(&self, options: &Options) -> Result<RightValues> {
        self.kernel().map_or(Ok(RightValues::Unknown), |kernel| kernel.right_values(options))
    }
}
