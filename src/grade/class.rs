//! A class: the inputs with which it is graded, and the report on it.

use super::judging::Judged;
use super::marks::{Hundredths, Mark};
use super::plan::Plan;
use super::results::Key;
use super::shard::Shard;
use super::times::Times;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The inputs with which a class is graded.
pub struct Class<'a> {
    pub plan: &'a Plan,
    pub times: &'a Times,
    /// Students who must appear in the report, whether they submitted anything or not.
    pub roster: &'a [String],
    /// Digest of the lessons: see [`super::digest_of_course`].
    pub lessons: String,
    /// Digest of the program that judges.
    pub program: String,
    /// The part of the class to grade; `None` for all of it.
    pub shard: Option<Shard>,
    /// The only student, if all submissions belong to one student and not to a class.
    pub student: Option<&'a str>,
}

/// Everything that marks depend on; it is equal in all parts of one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub course: String,
    /// The digest of `plan.toml` and of the times and roster used with it. `lessons` and `program` are digests,
    /// too.
    pub plan: String,
    pub lessons: String,
    pub program: String,
    /// Version of the program, such as `0.1.0`.
    pub version: String,
    /// Digest of the seed: the seed itself remains secret.
    pub seed: String,
    /// All students of the class, in order.
    pub students: Vec<String>,
}

/// A text that was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Text {
    pub source: String,
    pub judged: Judged,
}

/// A student's result in one lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LessonReport {
    pub lesson: String,
    pub full: Hundredths,
    pub mark: Mark,
    /// Path of the file, relative to the class's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Key of the judged text in [`Graded::texts`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Key>,
    /// Why there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The report on a student.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudentReport {
    pub student: String,
    /// One entry per lesson, in the order of the plan.
    pub lessons: Vec<LessonReport>,
    /// Files that were found but not judged, and why.
    pub notes: Vec<String>,
}

impl StudentReport {
    pub fn total(&self) -> Hundredths {
        self.lessons.iter().map(|lesson| lesson.mark.points()).sum()
    }

    pub fn full(&self) -> Hundredths {
        self.lessons.iter().map(|lesson| lesson.full).sum()
    }

    /// Returns whether no mark is waiting for a person or a machine.
    pub fn is_final(&self) -> bool {
        self.lessons.iter().all(|lesson| lesson.mark.is_final())
    }
}

/// A graded class, or a graded part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Graded {
    pub header: Header,
    pub students: Vec<StudentReport>,
    pub texts: BTreeMap<Key, Text>,
    /// Notes that concern no student.
    pub notes: Vec<String>,
}

impl Graded {
    /// Returns the judged text of a student's lesson.
    pub fn text(&self, lesson: &LessonReport) -> Option<&Text> {
        self.texts.get(lesson.text.as_ref()?)
    }
}
