//! Computes marks from verdicts.

use super::judging::{Earned, Outcome, Review};
use super::plan::{Assignment, Credit, LatePolicy};
use super::times::Timestamp;
use serde::{Deserialize, Serialize};

/// A number of points in hundredths, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hundredths(pub u64);

impl Hundredths {
    pub fn of_points(points: u32) -> Hundredths {
        Hundredths(u64::from(points) * 100)
    }

    /// Returns the points as a floating-point number, for formats that require one.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

impl std::ops::Add for Hundredths {
    type Output = Hundredths;

    fn add(self, other: Hundredths) -> Hundredths {
        Hundredths(self.0 + other.0)
    }
}

impl std::iter::Sum for Hundredths {
    fn sum<I: Iterator<Item = Hundredths>>(all: I) -> Hundredths {
        all.fold(Hundredths::default(), std::ops::Add::add)
    }
}

impl std::fmt::Display for Hundredths {
    /// Formats the points with two decimals: `7.50`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// A student's mark for a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    Points {
        points: Hundredths,
        /// Days late for which points were deducted.
        #[serde(default)]
        days_late: u32,
    },
    /// Nothing was submitted.
    Missing,
    /// A person must decide.
    Review(Review),
    /// What was submitted is not a file that can be read.
    Unreadable,
    /// There are files, but none that is named like the lesson.
    Unmatched,
    /// This machine failed to judge it.
    Failed,
}

impl Mark {
    /// Returns the points so far; 0 if there is no decision yet.
    pub fn points(self) -> Hundredths {
        match self {
            Mark::Points { points, .. } => points,
            _ => Hundredths::default(),
        }
    }

    /// Returns whether the points are final.
    pub fn is_final(self) -> bool {
        matches!(self, Mark::Points { .. } | Mark::Missing)
    }

    /// Returns the stable name: `graded`, `missing`, `unreadable`, `unmatched`, `failed`, or why a person must review
    /// it.
    pub fn slug(self) -> &'static str {
        match self {
            Mark::Points { .. } => "graded",
            Mark::Missing => "missing",
            Mark::Review(review) => review.reason().slug(),
            Mark::Unreadable => "unreadable",
            Mark::Unmatched => "unmatched",
            Mark::Failed => "failed",
        }
    }

    /// Computes the mark from the outcome of judging a text that was submitted at `time`, where that is known.
    pub fn of(outcome: &Outcome, assignment: &Assignment, credit: Credit, time: Option<Timestamp>) -> Mark {
        let earned = match outcome {
            Outcome::Judged(earned) => earned,
            Outcome::Review(review) => return Mark::Review(*review),
            Outcome::Failed => return Mark::Failed,
        };
        let full = Hundredths::of_points(assignment.points).0;
        let reached = match earned.answers {
            Some((right, all)) => full * u64::from(right) / u64::from(all.max(1)),
            None => full * u64::from(percent(*earned, credit)) / 100,
        };
        let days_late = days_late(assignment.late, time);
        let lost = u64::from(days_late) * u64::from(assignment.late.percent_a_day);
        let over = assignment.late.last_day > 0 && days_late > assignment.late.last_day;
        let left = if over { 0 } else { 100u64.saturating_sub(lost) };
        Mark::Points { points: Hundredths(reached * left / 100), days_late }
    }
}

/// Returns the percentage earned. A step counts only if all steps before it are reached.
fn percent(earned: Earned, credit: Credit) -> u32 {
    let steps = [(earned.right, credit.right), (earned.clean, credit.clean), (earned.bars, credit.bars)];
    steps.iter().take_while(|(reached, _)| *reached).map(|(_, percent)| percent).sum()
}

/// Returns the number of days late, counting each day begun; 0 within the grace period.
fn days_late(late: LatePolicy, time: Option<Timestamp>) -> u32 {
    let (Some(deadline), Some(time)) = (late.deadline, time) else { return 0 };
    let over = time.0.saturating_sub(deadline.0);
    if over <= late.grace_seconds {
        return 0;
    }
    u32::try_from(over.saturating_add(86_399) / 86_400).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_begin_after_the_grace() {
        let late =
            LatePolicy { deadline: Some(Timestamp(1000)), grace_seconds: 60, percent_a_day: 10, last_day: 5 };
        for (time, days) in [(0, 0), (1000, 0), (1060, 0), (1061, 1), (87_400, 1), (87_401, 2)] {
            assert_eq!(days_late(late, Some(Timestamp(time))), days, "{time}");
        }
        assert_eq!(days_late(late, None), 0);
        assert_eq!(days_late(LatePolicy { deadline: None, ..late }, Some(Timestamp(1 << 40))), 0);
    }

    #[test]
    fn a_step_counts_with_those_before_it() {
        let credit = Credit::default();
        for (right, clean, bars, of) in [
            (true, true, true, 100),
            (true, true, false, 80),
            (true, false, true, 60),
            (false, true, true, 0),
        ] {
            assert_eq!(percent(Earned { right, clean, bars, answers: None }, credit), of);
        }
    }
}
