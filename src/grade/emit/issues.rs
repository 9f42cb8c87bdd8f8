//! What is wrong with whose file, and where: what annotations of all kinds are made from.

use crate::class::Graded;
use crate::digest::digest;
use crate::judging::Outcome;
use report::{Level, Problem, escape};

/// One thing that is wrong. All text is escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The file, from the class's folder; not escaped.
    pub path: String,
    pub lesson: String,
    /// Stable name, such as `shared-race`.
    pub rule: String,
    /// The kind, in a few words.
    pub title: String,
    pub level: Level,
    pub message: String,
    /// From 1; 1 where the whole file is meant.
    pub line: u32,
    /// From 1; 0 where it is not known.
    pub column: u32,
    /// The same for the same thing of the same file, whatever else changes.
    pub fingerprint: String,
}

/// All of a class, student by student.
pub fn issues(graded: &Graded) -> Vec<Issue> {
    let mut all = Vec::new();
    for student in &graded.students {
        for lesson in &student.lessons {
            let (Some(path), Some(text)) = (&lesson.path, graded.text(lesson)) else { continue };
            let of_own = |problem: &Problem| problem.file == text.judged.view.subject.file;
            for problem in text.judged.view.problems() {
                // What is wrong in a header is wrong with the file that includes it.
                let (line, column) = if of_own(&problem) { (problem.line, problem.column) } else { (1, 0) };
                let Problem { rule, message, .. } = &problem;
                let level = match text.judged.outcome {
                    Outcome::Judged(_) => problem.level,
                    // A person looks at it: nothing is held against the student yet.
                    _ => problem.level.max(Level::Warning),
                };
                let line_text = line.to_string();
                let parts = [&student.student, &lesson.lesson, path, rule, message, &line_text];
                all.push(Issue {
                    path: path.clone(),
                    lesson: lesson.lesson.clone(),
                    rule: escape(rule),
                    title: escape(&problem.title),
                    level,
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
