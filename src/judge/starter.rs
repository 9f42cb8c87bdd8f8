//! What the starter of a lesson does, to be compared with what a learner has made of it.

use super::prepared::Prepared;
use super::run::Options;
use super::verdict::{Bar, Failure};
use crate::course::Lesson;
use anyhow::Result;
use compiler::Compiler;

/// The bars of a lesson's last case, as its starter misses them; empty where the starter is not right, or does not come
/// to its end within what is counted.
///
/// # Errors
/// The lesson or the machine is at fault.
pub fn starter_bars(lesson: &Lesson, compiler: &Compiler, options: &Options) -> Result<Vec<Bar>> {
    if !lesson.has_slow_starter() {
        return Ok(Vec::new());
    }
    // A pass is told with the counts of its last case.
    let mut last = lesson.clone();
    last.spec.change(|spec| drop(spec.cases.drain(..spec.cases.len().saturating_sub(1))));
    let prepared = Prepared::new(&last, &lesson.starter, &lesson.kernel_path(), compiler)?;
    Ok(match prepared.verdict(options)?.result {
        Err(Failure::Work { bars, .. }) => bars,
        _ => Vec::new(),
    })
}
