//! A submission, whatever its lesson asks for.

use super::image::Image;
use super::lesson_cache::LessonCache;
use super::measure::Measured;
use super::on_gpu::{Gpu, Values};
use super::profile::CaseProfile;
use super::program::PreparedProgram;
use super::record::{Launches, Recorded, RecordedPart};
use super::run::{Answer, Options, PreparedKernel};
use super::verdict::{Counted, Failure, Verdict};
use crate::course::Lesson;
use anyhow::Result;
use compiler::Compiler;
use sim::Advised;
use std::sync::Arc;

/// A submission, compiled once, to be judged any number of times.
#[derive(Debug)]
pub enum Prepared<'a> {
    Kernel(PreparedKernel<'a>),
    Program(Box<PreparedProgram<'a>>),
}

impl<'a> Prepared<'a> {
    pub fn new(
        lesson: &'a Lesson,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
    ) -> Result<Prepared<'a>> {
        Prepared::beside(&Arc::default(), lesson, source, file_name, compiler)
    }

    /// As [`Prepared::new`], one of many submissions to the same lesson: what the lesson's own files give
    /// is kept in `own`.
    pub fn beside(
        own: &Arc<LessonCache>,
        lesson: &'a Lesson,
        source: &str,
        file_name: &str,
        compiler: &Compiler,
    ) -> Result<Prepared<'a>> {
        if lesson.spec.is_program() {
            let program = PreparedProgram::new(lesson, source, file_name, compiler, own)?;
            return Ok(Prepared::Program(Box::new(program)));
        }
        Ok(Prepared::Kernel(PreparedKernel::new(lesson, source, file_name, compiler, own)?))
    }

    pub fn verdict(&self, options: &Options) -> Result<Verdict> {
        match self {
            Prepared::Kernel(kernel) => kernel.verdict(options),
            Prepared::Program(program) => program.verdict(options),
        }
    }

    /// The verdict without what a wrong element is made of: all that tells one verdict from another, in less time.
    pub fn judged(&self, options: &Options) -> Result<Verdict> {
        match self {
            Prepared::Kernel(kernel) => kernel.judged(options),
            Prepared::Program(program) => program.verdict(options),
        }
    }

    /// The verdict with values from a GPU where the submission is fit for one. `Err` with a
    /// [`gpu::GpuError`] inside where the GPU could not be used.
    pub fn verdict_on(&self, options: &Options, gpu: &Gpu) -> Result<(Verdict, Values)> {
        self.confirm(self.verdict(options)?, options, gpu)
    }

    /// As [`Prepared::verdict_on`], where the simulator's verdict with the same seed is there already.
    pub fn confirm(&self, simulated: Verdict, options: &Options, gpu: &Gpu) -> Result<(Verdict, Values)> {
        match self {
            Prepared::Kernel(kernel) => kernel.verdict_on(simulated, options, gpu),
            Prepared::Program(program) => program.verdict_on(simulated, options, gpu),
        }
    }

    /// What the kernels of the lesson did in a case: for lessons whose launches the tool makes.
    pub fn measure(&self, case: usize, options: &Options) -> Result<Measured> {
        match self {
            Prepared::Kernel(kernel) => kernel.measure(case, options),
            Prepared::Program(_) => anyhow::bail!(
                "a lesson of whole programs has no launches of its own to measure: `run` with the file shows what it does"
            ),
        }
    }

    /// What a whole program does in a case, by the names of its counters.
    pub fn tally(&self, case: usize, options: &Options) -> Result<Vec<Counted>> {
        match self {
            Prepared::Kernel(_) => anyhow::bail!("a lesson of kernels has no program"),
            Prepared::Program(program) => program.tally(case, options),
        }
    }

    /// What is doubtful about the lesson's questions; nothing where it asks none.
    pub fn doubts(&self, options: &Options) -> Result<Vec<String>> {
        match self {
            Prepared::Kernel(kernel) => kernel.doubts(options),
            Prepared::Program(_) => Ok(Vec::new()),
        }
    }

    /// What could be better in kernels that are right; nothing is said yet of whole programs.
    pub fn advice(&self, options: &Options) -> Result<Advised> {
        match self {
            Prepared::Kernel(kernel) => kernel.advice(options),
            Prepared::Program(_) => Ok(Advised::default()),
        }
    }

    /// What a case does, line by line: for lessons whose launches the tool makes.
    pub fn profile(&self, case: usize, options: &Options) -> Result<Result<CaseProfile, Failure>> {
        match self {
            Prepared::Kernel(kernel) => kernel.profile(case, options),
            Prepared::Program(_) => anyhow::bail!("a lesson of whole programs has no launches of its own"),
        }
    }

    /// A block of a case, recorded for a debugger. `Ok(Err)` where it does not compile or run.
    ///
    /// # Errors
    /// There is no such case or launch, or the lesson or the machine is at fault.
    pub fn record(&self, part: RecordedPart, options: &Options) -> Result<Result<Recorded, Failure>> {
        match self {
            Prepared::Kernel(kernel) => kernel.record(part, options),
            Prepared::Program(program) => program.record(part, options),
        }
    }

    /// What the kernels made, where the lesson shows it as an image and they left a result: see [`Image`].
    ///
    /// # Errors
    /// The lesson is at fault.
    pub fn image(&self, options: &Options) -> Result<Option<Image>> {
        match self {
            Prepared::Kernel(kernel) => kernel.image(options),
            Prepared::Program(_) => Ok(None),
        }
    }

    /// The launches of a case. `Ok(Err)` where it takes a run to know them, which comes to no end.
    ///
    /// # Errors
    /// There is no such case, or the lesson or the machine is at fault.
    pub fn launches(&self, case: usize, options: &Options) -> Result<Result<Launches, Failure>> {
        match self {
            Prepared::Kernel(kernel) => kernel.launches(case).map(Ok),
            Prepared::Program(program) => program.launches(case, options),
        }
    }

    /// Whether a submission in which something was found has the right values in every case all the same. Of whole
    /// programs that is not looked at: what a finding means for the cases behind it is open there.
    pub fn right_everywhere(&self, options: &Options) -> Result<bool> {
        match self {
            Prepared::Kernel(kernel) => kernel.right_everywhere(options),
            Prepared::Program(_) => Ok(false),
        }
    }

    /// Where the right answer comes from, for lessons whose launches the tool makes.
    pub fn answer(&self, options: &Options) -> Result<Answer> {
        match self {
            Prepared::Kernel(kernel) => kernel.answer(options),
            Prepared::Program(_) => anyhow::bail!("a lesson of whole programs has no launches of its own"),
        }
    }
}
