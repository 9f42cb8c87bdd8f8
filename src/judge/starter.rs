//! What a learner has made of a lesson's starter, in one figure.

use super::prepared::Prepared;
use super::run::Options;
use super::verdict::{Bar, Failure};
use crate::course::Lesson;
use anyhow::Result;
use compiler::Compiler;

/// What a lesson's starter counts too much of, and a right kernel of the same work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Began {
    /// Sizes, as text: those with which the starter fails.
    pub case: String,
    /// As the starter misses it.
    pub starter: Bar,
    pub yours: u64,
}

/// Of the bars that the starter misses, the first for which the source needs less; `None` where the starter is not right, or does
/// not come to its end within what is counted, or the source needs as much.
///
/// # Errors
/// The lesson or the machine is at fault.
pub fn began(
    lesson: &Lesson,
    (source, file_name): (&str, &str),
    compiler: &Compiler,
    options: &Options,
) -> Result<Option<Began>> {
    if !lesson.has_slow_starter() {
        return Ok(None);
    }
    let prepared = Prepared::new(lesson, &lesson.starter, &lesson.kernel_path(), compiler)?;
    let Err(Failure::Work { bars, case }) = prepared.verdict(options)?.result else { return Ok(None) };
    let Some(number) = lesson.spec.case_named(&case) else { return Ok(None) };
    let mut same = lesson.clone();
    same.spec.change(|spec| spec.cases = vec![spec.cases.swap_remove(number)]);
    let Ok(passed) = Prepared::new(&same, source, file_name, compiler)?.verdict(options)?.result else {
        return Ok(None);
    };
    let less = |theirs: &Bar| {
        let its = passed.bars.iter().find(|bar| bar.counter == theirs.counter)?;
        (its.yours < theirs.yours).then_some(its.yours)
    };
    let mut missed = bars.into_iter().filter(|bar| bar.at_most && !bar.met());
    let first = missed.find_map(|bar| Some((less(&bar)?, bar)));
    Ok(first.map(|(yours, starter)| Began { case, starter, yours }))
}
