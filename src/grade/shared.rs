//! Checks whether one student's answers are right for all students, although each has their own sizes.

use super::plan::{Assignment, Plan, Sizes};
use anyhow::{Result, bail};
use compiler::Compiler;
use judge::{AnsweredQuestion, Failure, LessonCache, Options, Prepared};
use std::sync::Arc;

/// Returns the lessons with questions in which one file of answers is right for all of these students.
///
/// # Errors
///
/// Fails if the compiler cannot be run or a lesson is at fault.
pub fn shared_answers<'a>(
    plan: &'a Plan,
    students: &[String],
    compiler: &Compiler,
) -> Result<Vec<&'a Assignment>> {
    let mut shared = Vec::new();
    let asking = plan.assignments.iter().filter(|assignment| assignment.lesson.kernels_source.is_some());
    for assignment in asking.filter(|_| students.len() > 1) {
        let mut all: Vec<Sizes> = Vec::new();
        for sizes in students.iter().map(|student| assignment.sizes_of(plan.seed, student)) {
            if !all.contains(&sizes) {
                all.push(sizes);
            }
        }
        let answers = |source: &str, sizes: &Sizes| answered(assignment, source, sizes, plan.seed, compiler);
        let Some((first, others)) = all.split_first() else { continue };
        let theirs = answers(&assignment.lesson.solution, first)?;
        let file: String = theirs
            .iter()
            .filter_map(|answer| {
                Some(format!("// answer {} = {}\n", answer.question, answer.measured.as_ref()?))
            })
            .collect();
        let mut differs = false;
        for sizes in others {
            differs |= !answers(&file, sizes)?.iter().all(AnsweredQuestion::is_right);
        }
        if !differs {
            shared.push(assignment);
        }
    }
    Ok(shared)
}

/// Judges a file's answers to a lesson with a student's sizes.
fn answered(
    assignment: &Assignment,
    source: &str,
    sizes: &Sizes,
    seed: u64,
    compiler: &Compiler,
) -> Result<Vec<AnsweredQuestion>> {
    let lesson = assignment.lesson_with(sizes);
    let file = lesson.solution_path();
    let options = Options { seed, host_threads: 1, ..Options::default() };
    let prepared = Prepared::with_cache(&Arc::<LessonCache>::default(), &lesson, source, &file, compiler)?;
    match prepared.verdict(&options)?.result {
        Ok(passed) => Ok(passed.answers),
        Err(Failure::WrongAnswer(answers) | Failure::Unanswered(answers)) => Ok(answers),
        Err(failure) => bail!("{}: the lesson's own kernels end with {}", lesson.slug, failure.slug()),
    }
}
