//! Classroom 50's `result.json`, as its schema `classroom50/result/v1` has it (foundation50/classroom50,
//! schemas/result-v1.schema.json). Scores are whole numbers there: points stand in hundredths.

use super::{line, views};
use crate::class::{Graded, StudentReport};
use serde::Serialize;

/// Whose work it is and where, as the runner of Classroom 50 tells an autograder in its environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Submission {
    pub classroom: String,
    pub assignment: String,
    /// `individual` or `group`.
    pub assignment_type: String,
    pub owner: String,
    /// The tag: `submit/2026-06-01T14-32-05Z-a1b2c3d`.
    pub submission: String,
    /// Links.
    pub commit: String,
    pub release: String,
    pub review: String,
}

impl Submission {
    /// From the runner's variables by name; `None` where one that is needed is missing, as outside of such a runner.
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

    /// When it was handed in, as the tag says: `2026-06-01T14:32:05Z`. The runner puts its own time in its place.
    fn time(&self) -> String {
        let stamp: String = self.submission.trim_start_matches("submit/").chars().take(20).collect();
        match stamp.split_once('T') {
            Some((date, time)) => format!("{date}T{}", time.replace('-', ":")),
            None => stamp,
        }
    }
}

/// What one student's submission earned.
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
    /// More than the schema asks for, which it allows.
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
