//! Issues in students' files with their locations, from which all kinds of annotations are created.

use crate::class::Graded;
use crate::digest::digest;
use crate::judging::Outcome;
use compiler::Severity;
use report::{Problem, escape};

/// One issue in a file. All text is escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Path of the file, relative to the class's folder. Not escaped.
    pub path: String,
    pub lesson: String,
    /// Stable name of the kind of issue, such as `shared-race`.
    pub rule: String,
    /// The kind of issue in a few words.
    pub title: String,
    pub severity: Severity,
    pub message: String,
    /// Line from 1; also 1 if the whole file is meant.
    pub line: u32,
    /// Column from 1; 0 if it is not known.
    pub column: u32,
    /// Digest that is the same for the same issue in the same file, whatever else changes.
    pub fingerprint: String,
}

/// Returns all issues of a class, student by student.
pub fn issues(graded: &Graded) -> Vec<Issue> {
    let mut all = Vec::new();
    for student in &graded.students {
        for lesson in &student.lessons {
            let (Some(path), Some(text)) = (&lesson.path, graded.text(lesson)) else { continue };
            let of_own = |problem: &Problem| problem.file == text.judged.view.subject.file;
            for problem in text.judged.view.problems() {
                // A problem in a header is attributed to the file that includes it.
                let (line, column) = if of_own(&problem) { (problem.line, problem.column) } else { (1, 0) };
                let Problem { rule, message, .. } = &problem;
                let severity = match text.judged.outcome {
                    Outcome::Judged(_) => problem.severity,
                    // A person will review it: nothing counts against the student yet.
                    _ => problem.severity.max(Severity::Warning),
                };
                let line_text = line.to_string();
                let parts = [&student.student, &lesson.lesson, path, rule, message, &line_text];
                all.push(Issue {
                    path: path.clone(),
                    lesson: lesson.lesson.clone(),
                    rule: escape(rule),
                    title: escape(&problem.title),
                    severity,
                    message: escape(message),
                    line,
                    column,
                    fingerprint: digest(parts.iter().map(|part| part.as_bytes())),
                });
            }
        }
    }
    all
}
