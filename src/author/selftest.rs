//! Proves this machine: that lessons judge rightly on it, and that its GPU and the simulator agree.

use super::expect::{Expected, describe};
use crate::course::{Kind, Lesson};
use crate::gpu::Trouble;
use crate::judge::on_gpu::{Agreement, Gpu, agreement};
use crate::judge::{Options, Prepared, Verdict};
use crate::nvrtc::Compiler;
use anyhow::Result;

/// Floats of simulator and GPU may differ by so many units of the last place: what library functions
/// and matrix units leave open.
pub const ULP_BOUND: u64 = 4;

/// What became of a lesson.
#[derive(Clone, Debug)]
pub struct LessonTest {
    pub slug: String,
    /// Of the solution, where both ran.
    pub agreement: Option<Agreement>,
    /// Empty when all is well.
    pub problems: Vec<String>,
}

/// Whether a lesson is one of kernels: those that a GPU is given.
pub fn has_kernels(lesson: &Lesson) -> bool {
    !matches!(lesson.spec.kind, Kind::Program | Kind::Predict)
}

/// The solution passes, the starter fails as declared, and the solution's values agree. `Err` is the
/// environment's fault.
pub fn selftest(lesson: &Lesson, compiler: &Compiler, gpu: Option<&Gpu>) -> Result<LessonTest> {
    let options = Options::default();
    let mut test = LessonTest { slug: lesson.slug.clone(), agreement: None, problems: Vec::new() };
    let verdict = |source: &str, file: &str| -> Result<Verdict> {
        let prepared = Prepared::new(lesson, source, file, compiler)?;
        match gpu {
            Some(gpu) => Ok(prepared.verdict_on(&options, gpu)?.0),
            None => prepared.verdict(&options),
        }
    };
    let file = lesson.solution_path();
    if let Err(failure) = &verdict(&lesson.solution, &file)?.result {
        test.problems.push(format!("the solution does not pass: {}", describe(failure)));
    }
    let starter = verdict(&lesson.starter, &lesson.kernel_path())?;
    if let Err(problem) = Expected::of_text(&lesson.spec.starter).is_met(&starter) {
        test.problems.push(format!("the starter: {problem}"));
    }
    let Some(gpu) = gpu else { return Ok(test) };
    match agreement(lesson, &lesson.solution, &file, compiler, gpu, &options) {
        Ok(found) => {
            if found.differing > 0 || found.largest_ulp > ULP_BOUND {
                test.problems.push(format!(
                    "simulator and GPU differ in {} of {} values, and by up to {} units of the last place",
                    found.differing, found.elements, found.largest_ulp
                ));
            }
            test.agreement = Some(found);
        }
        Err(error) if error.is::<Trouble>() => return Err(error),
        Err(error) => test.problems.push(format!("values were not compared: {error:#}")),
    }
    Ok(test)
}
