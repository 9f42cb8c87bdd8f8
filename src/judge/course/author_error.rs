//! Mistakes in a lesson's own files that only show when the lesson is run.

use super::{Case, KeyError, Lesson, SizedCase};
use std::fmt;

/// A mistake in one of a lesson's own files: its author's fault, not the learner's and not the environment's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorError {
    /// Path of the file from the root of the course.
    pub file: String,
    /// The key of `lesson.toml` that is at fault, such as `buffers[1].shape[0]`.
    pub key: Option<String>,
    /// Empty where the error's cause says it all.
    pub message: String,
}

impl fmt::Display for AuthorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.as_str() {
            "" => f.write_str(&self.file),
            message => write!(f, "{}: {message}", self.file),
        }
    }
}

impl std::error::Error for AuthorError {}

impl AuthorError {
    pub fn new(file: impl Into<String>, message: impl Into<String>) -> AuthorError {
        AuthorError { file: file.into(), key: None, message: message.into() }
    }

    /// Creates the context of an error whose cause says what is wrong with a file.
    pub fn of_file(file: impl Into<String>) -> AuthorError {
        AuthorError::new(file, "")
    }

    /// Creates the error for a key of a lesson's `lesson.toml`; the message names the key too.
    pub fn of_key(lesson: &Lesson, key: &str, message: impl Into<String>) -> AuthorError {
        let file = format!("{}/lesson.toml", lesson.folder());
        AuthorError { key: Some(key.to_owned()), ..AuthorError::new(file, message) }
    }
}

impl Lesson {
    /// Evaluates every formula for a case.
    ///
    /// # Errors
    ///
    /// As [`Spec::sized`](super::Spec::sized).
    pub fn sized(&self, case: &Case) -> Result<SizedCase, AuthorError> {
        let of_key = |error: KeyError| AuthorError::of_key(self, &error.key, error.to_string());
        self.spec.sized(case).map_err(of_key)
    }
}
