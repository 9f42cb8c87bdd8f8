//! Timing: how long a kernel takes, how certain that is, and how far it is from what the card can do.
//!
//! On a GPU each sample lies between two events, with the caches flushed before it; kernels that are shorter than a
//! launch takes are replayed in a graph. Warm-up continues until times are steady, and sampling until the 95 %
//! confidence interval of the median is under 1 % of it, or until the time is up, in which case the result is
//! reported as unstable. The outputs are compared with the lesson's reference before timing and must not have
//! changed after it. Without a GPU, the time model is used, and its results are reported as modelled.

mod bars;
mod limits;
mod measured;
mod modelled;
mod pair;
mod roofline;
mod sampling;
mod statistics;

pub use bars::{GpuBench, Times, verdict};
pub use limits::Limits;
pub use measured::{Measured, NotMeasured, measure, time_launches};
pub use modelled::{Estimate, model};
pub use pair::{Pair, measure_pair};
pub use roofline::{Bound, Roofline};
pub use sampling::{Method, Settings, Timer, sample};
pub use statistics::Summary;

use crate::course::{Lesson, Role};

/// Largest step budget that a lesson gets for sizes chosen by the caller: a few minutes.
const MAX_STEPS: u64 = 10_000_000_000;

/// Returns the lesson reduced to its last case, with the given sizes in place of the case's own and a step budget
/// that grows with them.
///
/// # Errors
///
/// Fails with the name of a size that the case does not have.
pub fn at_sizes(lesson: &Lesson, sizes: &[(String, i64)]) -> Result<Lesson, String> {
    let last = lesson.spec.cases.last().cloned().unwrap_or_default();
    if let Some((name, _)) = sizes.iter().find(|(name, _)| last.get(name).is_none()) {
        return Err(name.clone());
    }
    let asked = |name: &str| sizes.iter().rev().find(|(its, _)| its == name).map(|(_, value)| *value);
    let case = last.resized(|name, value| asked(name).unwrap_or(value));
    let mut sized = lesson.clone();
    // Work grows at most with the product of all sizes.
    let growth = sizes.iter().fold(1u64, |growth, (name, value)| {
        let old = last.get(name).copied().unwrap_or(1).max(1);
        growth.saturating_mul(u64::try_from(*value / old).unwrap_or(1).max(1))
    });
    sized.spec.change(|spec| {
        spec.step_budget = spec.step_budget.max(spec.step_budget.saturating_mul(growth).min(MAX_STEPS));
        spec.cases = vec![case];
    });
    Ok(sized)
}

/// Returns the bytes that a lesson's kernels must move at least: each input read once, each output written once.
pub fn least_bytes(lesson: &Lesson) -> u64 {
    let sized = lesson.spec.cases.first().and_then(|case| lesson.spec.sized(case).ok());
    let Some(sized) = sized else { return 0 };
    let bytes = lesson.spec.buffers.iter().zip(&sized.shapes).map(|(buffer, shape)| {
        let bytes = (shape.iter().product::<usize>() * buffer.ty.bytes()) as u64;
        match buffer.role {
            Role::In | Role::Out => bytes,
            Role::InOut => 2 * bytes,
            Role::Scratch => 0,
        }
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::Course;

    #[test]
    fn a_budget_of_steps_grows_with_the_sizes() {
        let course =
            Course::from_dir(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))).unwrap();
        let lesson = course.lesson("matmul").unwrap();
        let names: Vec<(String, i64)> =
            lesson.spec.cases.last().unwrap().iter().map(|(name, value)| (name.to_owned(), *value)).collect();
        let budget = |factor: i64| {
            let sizes: Vec<(String, i64)> =
                names.iter().map(|(name, value)| (name.clone(), value * factor)).collect();
            at_sizes(lesson, &sizes).unwrap().spec.step_budget
        };
        let own = lesson.spec.step_budget;
        assert_eq!(budget(1), own);
        assert_eq!(budget(3), own * 3u64.pow(names.len() as u32));
        assert_eq!(budget(1 << 20), MAX_STEPS);
        assert_eq!(at_sizes(lesson, &[("none".into(), 1)]).err().as_deref(), Some("none"));
    }
}
