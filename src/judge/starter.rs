//! Compares a right kernel with its lesson's slow starter in one figure.

use super::counter::Counter;
use super::options::Options;
use super::prepared::Prepared;
use super::verdict::{Bar, Failure};
use crate::course::Lesson;
use anyhow::Result;
use compiler::Compiler;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// A counter of which the starter has too much, and its value for a right kernel in the same case.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StarterComparison {
    /// The case in which the starter misses the bar, as text.
    pub case: String,
    pub counter: Counter,
    pub starter: u64,
    pub yours: u64,
}

impl Serialize for StarterComparison {
    /// Adds what the counter means.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut comparison = serializer.serialize_struct("StarterComparison", 5)?;
        comparison.serialize_field("case", &self.case)?;
        comparison.serialize_field("counter", &self.counter)?;
        comparison.serialize_field("meaning", self.counter.meaning())?;
        comparison.serialize_field("starter", &self.starter)?;
        comparison.serialize_field("yours", &self.yours)?;
        comparison.end()
    }
}

/// Finds the first bar that the starter misses and for which the source has a lower counter. Returns `None` if the
/// starter fails for another reason, if the source does not pass that case, or if no counter is lower.
///
/// # Errors
///
/// Fails if the lesson or the environment is at fault.
pub fn compare_with_starter(
    lesson: &Lesson,
    (source, file_name): (&str, &str),
    compiler: &Compiler,
    options: &Options,
) -> Result<Option<StarterComparison>> {
    if !lesson.has_slow_starter() {
        return Ok(None);
    }
    let prepared = Prepared::new(lesson, &lesson.starter, &lesson.kernel_path(), compiler)?;
    let Err(Failure::Work { bars, case }) = prepared.verdict(options)?.result else { return Ok(None) };
    let mut same = lesson.clone();
    same.spec.change(|spec| spec.cases = vec![spec.cases.swap_remove(case.index)]);
    let Ok(passed) = Prepared::new(&same, source, file_name, compiler)?.verdict(options)?.result else {
        return Ok(None);
    };
    let less = |theirs: &Bar| {
        let its = passed.bars.iter().find(|bar| bar.counter == theirs.counter)?;
        (its.yours < theirs.yours).then_some(its.yours)
    };
    let mut missed = bars.into_iter().filter(|bar| bar.at_most && !bar.met());
    let first = missed.find_map(|bar| Some((less(&bar)?, bar)));
    Ok(first.map(|(yours, bar)| StarterComparison {
        case: case.to_string(),
        counter: bar.counter,
        starter: bar.yours,
        yours,
    }))
}
