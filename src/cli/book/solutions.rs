//! What the solutions do and make, for the pages of their lessons: each is compiled, and run in its first case.

use anyhow::Result;
use book::{DrawnAccess, LessonAccesses, LessonImage};
use compiler::Compiler;
use judge::course::{Kind, Lesson};
use judge::{CaseProfile, Options, Prepared};
use report::{ImageView, access_line};
use sim::{AccessKind, LineAccess, PictureKind};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Steps of a block after which its lesson goes without pictures of accesses.
const MOST_STEPS: u64 = 2_000_000;

/// What one solution was seen doing.
pub struct Seen {
    pub image: Option<LessonImage>,
    pub accesses: Option<LessonAccesses>,
}

/// Whether a page shows something of the lesson's solution. Of a lesson that asks questions it would be the answers.
pub fn is_seen(lesson: &Lesson) -> bool {
    !lesson.spec.is_program() && lesson.spec.kind != Kind::Predict
}

/// What the solutions do, each with the slug of its lesson, in no particular order.
///
/// # Errors
///
/// The first that a lesson or the machine is at fault for.
pub fn seen(lessons: &[&Lesson], compiler: &Compiler) -> Result<Vec<(String, Seen)>> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        // A worker that is kept loads the compiler once, and compiles one source after the other: each thread has one.
        let compiler = compiler.clone().kept_with_headers();
        let mut all = Vec::new();
        // The last ones have most to do: they go first, so that nobody waits for them alone.
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

fn of(lesson: &Lesson, compiler: &Compiler) -> Result<Seen> {
    // All cores are at work on other lessons.
    let options = Options { host_threads: 1, ..Options::default() };
    let mut bounded = lesson.clone();
    bounded.spec.change(|spec| spec.step_budget = spec.step_budget.min(MOST_STEPS));
    let prepared = Prepared::new(&bounded, &lesson.solution, &lesson.solution_path(), compiler)?;
    // One that does not run to its end has nothing to show.
    let profile = prepared.profile(0, &options)?.ok();
    let image = prepared.image(&options)?.and_then(ImageView::new).map(|view| {
        let words = view.words_of("the solution");
        LessonImage { image: view.image, words }
    });
    Ok(Seen { image, accesses: profile.as_ref().and_then(drawn) })
}

/// Of global and of shared memory, what the line does that moves most.
fn drawn(profile: &CaseProfile) -> Option<LessonAccesses> {
    let most = [PictureKind::Sectors, PictureKind::Banks].into_iter().filter_map(|kind| {
        let accesses = profile.advised.profile.accesses.iter().filter(|access| access.picture.kind == kind);
        // The turns of atomics are nothing that moves. Of lines that move as much, the first.
        accesses.rev().max_by_key(|access| (access.at.kind != AccessKind::Atomic, access.units))
    });
    let drawn =
        |access: &LineAccess| DrawnAccess { words: access_line(access), picture: access.picture.clone() };
    let drawn: Vec<DrawnAccess> = most.map(drawn).collect();
    (!drawn.is_empty()).then(|| LessonAccesses { case: profile.case.clone(), drawn })
}
