//! Classroom 50's `result.json`, following its schema `classroom50/result/v1` (foundation50/classroom50,
//! schemas/result-v1.schema.json). Scores are integers there, so points are written in hundredths.

use super::{line, views};
use crate::class::{Graded, StudentReport};
use serde::Serialize;

/// Identifies a submission and its author, as the runner of Classroom 50 describes them in an autograder's
/// environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Submission {
    pub classroom: String,
    pub assignment: String,
    /// `individual` or `group`.
    pub assignment_type: String,
    pub owner: String,
    /// The submission's tag, such as `submit/2026-06-01T14-32-05Z-a1b2c3d`.
    pub submission: String,
    /// URL of the commit; `release` and `review` are URLs, too.
    pub commit: String,
    pub release: String,
    pub review: String,
}

impl Submission {
    /// Reads the runner's variables, with `variable` returning the value of each. Returns `None` if a required one
    /// is missing, as it is outside of such a runner.
    pub fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Submission> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let commit = set("COMMIT_URL")?;
        Some(Submission {
            classroom: set("CLASSROOM")?,
            assignment: set("ASSIGNMENT")?,
            assignment_type: set("MODE").unwrap_or_else(|| "individual".into()),
            owner: set("OWNER").or_else(|| set("USERNAME"))?,
            submission: set("SUBMISSION_TAG").filter(|tag| tag.starts_with("submit/"))?,
            release: set("RELEASE_URL")?,
            review: set("REVIEW_URL").unwrap_or_else(|| commit.clone()),
            commit,
        })
    }

    /// Returns the time of submission according to the tag: `2026-06-01T14:32:05Z`. The runner replaces it by its
    /// own time.
    fn time(&self) -> String {
        let stamp: String = self.submission.trim_start_matches("submit/").chars().take(20).collect();
        match stamp.split_once('T') {
            Some((date, time)) => format!("{date}T{}", time.replace('-', ":")),
            None => stamp,
        }
    }
}

/// The result of one student's submission.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Classroom50 {
    schema: &'static str,
    #[serde(flatten)]
    submission: Submission,
    datetime: String,
    score: u64,
    #[serde(rename = "max-score")]
    max_score: u64,
    tests: Vec<Test>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Test {
    test_name: String,
    passed: bool,
    score: u64,
    max_score: u64,
    /// Not required by the schema, but allowed.
    message: String,
}

impl Classroom50 {
    pub fn of(student: &StudentReport, graded: &Graded, submission: Submission) -> Classroom50 {
        let tests = student.lessons.iter().zip(views(student, graded)).map(|(lesson, view)| Test {
            test_name: line(&lesson.lesson),
            passed: view.passed,
            score: lesson.mark.points().0,
            max_score: lesson.full.0,
            message: line(&view.headline),
        });
        Classroom50 {
            schema: "classroom50/result/v1",
            datetime: submission.time(),
            submission,
            score: student.total().0,
            max_score: student.full().0,
            tests: tests.collect(),
        }
    }
}
