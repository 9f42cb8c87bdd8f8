//! Runs the solutions' first cases for the pictures on their lessons' pages.

use anyhow::Result;
use book::{DrawnAccess, LessonAccesses, LessonImage};
use compiler::Compiler;
use judge::course::Lesson;
use judge::{CaseProfile, NoResult, Options, PreparedKernel};
use report::{ImageView, access_line};
use sim::{AccessKind, LineAccess, PictureKind};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Step limit of a case, beyond which a lesson gets no pictures of accesses.
const MAX_STEPS: u64 = 2_000_000;

/// What was recorded of one solution.
pub struct SolutionRun {
    pub image: Option<LessonImage>,
    pub accesses: Option<LessonAccesses>,
}

/// Runs the solutions and returns what was recorded of each, with its lesson's slug, in no particular order.
///
/// # Errors
///
/// The first error that a lesson or the machine causes.
pub fn seen(lessons: &[&Lesson], compiler: &Compiler) -> Result<Vec<(String, SolutionRun)>> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        // A persistent compiler worker loads the compiler once and compiles one source after another: one per
        // thread.
        let compiler = compiler.clone().kept_with_headers();
        let mut all = Vec::new();
        // The last lessons take longest and go first, so that no thread is left alone with one at the end.
        while let Some(lesson) = lessons.iter().rev().nth(next.fetch_add(1, Relaxed)) {
            all.push((lesson.slug.clone(), of(lesson, &compiler)?));
        }
        Ok(all)
    };
    let parts: Result<Vec<Vec<_>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores.min(lessons.len())).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    Ok(parts?.into_iter().flatten().collect())
}

fn of(lesson: &Lesson, compiler: &Compiler) -> Result<SolutionRun> {
    // The other lessons keep all cores busy.
    let options = Options { host_threads: 1, ..Options::default() };
    let mut bounded = lesson.clone();
    bounded.spec.change(|spec| spec.step_budget = spec.step_budget.min(MAX_STEPS));
    let path = lesson.solution_path();
    let kernel = PreparedKernel::new(&bounded, &lesson.solution, &path, compiler, &Arc::default())?;
    // A run that does not finish has nothing to show.
    let profile = NoResult::separate(kernel.profile(0, &options))?.ok();
    let image = kernel.image(&options)?.and_then(ImageView::new).map(|view| {
        let words = view.words_of("the solution");
        LessonImage { image: view.image, words }
    });
    Ok(SolutionRun { image, accesses: profile.as_ref().and_then(drawn) })
}

/// Returns, for global and for shared memory, the accesses of the line that moves the most.
fn drawn(profile: &CaseProfile) -> Option<LessonAccesses> {
    let most = [PictureKind::Sectors, PictureKind::Banks].into_iter().filter_map(|kind| {
        let accesses =
            profile.advice_report.profile.accesses.iter().filter(|access| access.picture.kind == kind);
        // Atomics are counted in turns, not in transfers, so they come last. Of lines that move equally much, the
        // first.
        accesses.rev().max_by_key(|access| (access.at.kind != AccessKind::Atomic, access.units))
    });
    let drawn =
        |access: &LineAccess| DrawnAccess { words: access_line(access), picture: access.picture.clone() };
    let drawn: Vec<DrawnAccess> = most.map(drawn).collect();
    (!drawn.is_empty()).then(|| LessonAccesses { case: profile.case.to_string(), drawn })
}
