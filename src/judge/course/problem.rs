//! Problems in the files of a course.

use std::fmt;

/// A problem in a file of a course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path from the root of the course, escaped.
    pub file: String,
    /// Line number, 1-based, where known.
    pub line: Option<u32>,
    /// The key and what is allowed, in one or two sentences.
    pub message: String,
    /// Slug of another lesson that it is about, or of one that is missing.
    pub lesson: Option<String>,
}

impl Problem {
    /// Creates a problem; escapes `file`.
    pub fn new(file: &str, line: Option<u32>, message: impl Into<String>) -> Problem {
        Problem { file: file.escape_debug().to_string(), line, message: message.into(), lesson: None }
    }

    /// Returns the problem as one that is also about a lesson of this slug.
    pub(super) fn about(self, lesson: &str) -> Problem {
        Problem { lesson: Some(lesson.to_owned()), ..self }
    }

    /// Returns whether it is in a file of a lesson or part of this name, or about a lesson of this name.
    pub fn concerns(&self, name: &str) -> bool {
        let steps = || self.file.split('/').map(|step| step.strip_suffix(".cu").unwrap_or(step));
        self.lesson.as_deref() == Some(name) || steps().any(|step| step == name)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Why a course could not be loaded: all problems, not only the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseError {
    pub problems: Vec<Problem>,
}

impl fmt::Display for CourseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for CourseError {}
