//! What is wrong with whose file, and where: what annotations of all kinds are made from.

use crate::class::Graded;
use crate::digest::digest;
use crate::judging::Outcome;
use report::escape;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    /// A remark on what is right.
    Note,
}

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
            let view = &text.judged.view;
            let mut add = |rule: &str, title: &str, level, message: &str, (line, column): (u32, u32)| {
                let number = all.len().to_string();
                let parts = [
                    student.student.as_str(),
                    &lesson.lesson,
                    path,
                    rule,
                    message,
                    &line.to_string(),
                    &number,
                ];
                all.push(Issue {
                    path: path.clone(),
                    lesson: lesson.lesson.clone(),
                    rule: escape(rule),
                    title: escape(title),
                    level,
                    message: escape(message),
                    line: line.max(1),
                    column,
                    fingerprint: digest(parts[..6].iter().map(|part| part.as_bytes())),
                });
            };
            for finding in &view.findings {
                let message = format!("{} {}", finding.message, finding.help);
                add(
                    &finding.slug,
                    &finding.title,
                    Level::Error,
                    message.trim(),
                    (finding.at.line, finding.at.column),
                );
            }
            for diagnostic in &view.diagnostics {
                let level = match diagnostic.severity.as_str() {
                    "error" => Level::Error,
                    "warning" => Level::Warning,
                    _ => Level::Note,
                };
                let message = match &diagnostic.hint {
                    Some(hint) => format!("{}. {hint}", diagnostic.message.trim_end_matches('.')),
                    None => diagnostic.message.clone(),
                };
                let rule = format!("compiler-{}", diagnostic.severity);
                add(
                    &rule,
                    "a message of the compiler",
                    level,
                    &message,
                    (diagnostic.line, diagnostic.column),
                );
            }
            for advice in &view.advice {
                add(
                    &advice.slug,
                    &advice.title,
                    Level::Note,
                    &advice.message,
                    (advice.at.line, advice.at.column),
                );
            }
            let told = !view.findings.is_empty() || view.diagnostics.iter().any(|it| it.severity == "error");
            if let (Some(reason), false) = (&view.reason, told) {
                let level = if matches!(text.judged.outcome, Outcome::Judged(_)) {
                    Level::Error
                } else {
                    Level::Warning
                };
                let rest = view
                    .detail
                    .iter()
                    .chain(&view.suggestion)
                    .map(|text| format!(" {text}"))
                    .collect::<String>();
                add(reason, &view.headline, level, &format!("{}.{rest}", view.headline), (1, 0));
            }
        }
    }
    all
}
