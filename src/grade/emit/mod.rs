//! Writes a graded class in the formats of other tools. Each format is a pure function of the graded class, and
//! escapes every text of a student as the format requires.

mod annotations;
mod classroom50;
mod coderunner;
mod csv;
mod gitlab;
mod gradescope;
mod issues;
mod page;
mod sarif;
mod similarity;
#[cfg(test)]
mod tests;

pub use annotations::annotations;
pub use classroom50::{Classroom50, Submission};
pub use coderunner::CodeRunner;
pub use compiler::Severity;
pub use csv::{gradebook, nbgrader};
pub use gitlab::{CodeQuality, code_quality};
pub use gradescope::Gradescope;
pub use issues::{Issue, issues};
pub use page::page;
pub use sarif::{Sarif, sarif};
pub use similarity::similarity;

use super::class::{Graded, Header, LessonReport, StudentReport};
use super::digest::digest;
use super::marks::Mark;
use super::plan::Plan;
use anyhow::{Context, Result};
use judge::Reason;
use judge::course::replace_file;
use report::{Style, SubjectView, TestCase, TestFailure, VerdictView, escape};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// A summary of the report in a few numbers.
#[derive(Serialize)]
struct Summary<'a> {
    schema: &'static str,
    #[serde(flatten)]
    header: &'a Header,
    texts: usize,
    waiting: usize,
    notes: &'a [String],
}

/// Writes all formats into a report's folder. `report.json` is written last, so that the report is complete if that
/// file exists.
///
/// # Errors
///
/// Fails if a file cannot be written.
pub fn write(graded: &Graded, plan: &Plan, report: &Path) -> Result<()> {
    for folder in ["gradescope", "coderunner", "students"] {
        let folder = report.join(folder);
        fs::create_dir_all(&folder).with_context(|| format!("can't create {}", folder.display()))?;
    }
    for (name, bytes) in report::for_file(|| files(graded, plan))? {
        let path = report.join(&name);
        let temporary = report.join(format!("{name}.tmp"));
        let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, &path));
        written.with_context(|| format!("can't write {}", path.display()))?;
    }
    let waiting = graded.students.iter().filter(|student| !student.is_final()).count();
    let summary = Summary {
        schema: "gpulearn.grade/1",
        header: &graded.header,
        texts: graded.texts.len(),
        waiting,
        notes: &graded.notes,
    };
    replace_file(&report.join("report.json"), &json(&summary)?, true)
}

/// Returns the names and contents of all files but `report.json`.
fn files(graded: &Graded, plan: &Plan) -> Result<Vec<(String, Vec<u8>)>> {
    // A time would differ from run to run.
    let style = Style { timed: false, ..Style::default() };
    let issues = issues(graded);
    let mut all: Vec<(String, Vec<u8>)> = vec![
        ("gradebook.csv".into(), gradebook(graded).into_bytes()),
        ("nbgrader.csv".into(), nbgrader(graded, plan).into_bytes()),
        ("junit.xml".into(), junit(graded, &style).into_bytes()),
        ("results.sarif".into(), json(&sarif(&issues))?),
        ("gl-code-quality.json".into(), json(&code_quality(&issues))?),
        ("annotations.txt".into(), annotations(&issues).into_bytes()),
        ("similarity.csv".into(), similarity(graded, plan).into_bytes()),
    ];
    for student in &graded.students {
        let name = file_name(&student.student);
        all.push((format!("gradescope/{name}.json"), json(&Gradescope::of(student, graded, &style))?));
        all.push((format!("coderunner/{name}.json"), json(&CodeRunner::of(student, graded, &style))?));
        all.push((format!("students/{name}.html"), page(student, graded, &style).into_bytes()));
    }
    Ok(all)
}

/// Writes `classroom50.json` if one student's submission was graded by a job of Classroom 50.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub fn write_classroom50(graded: &Graded, submission: Submission, report: &Path) -> Result<()> {
    let Some(student) = graded.students.first() else { return Ok(()) };
    let result = Classroom50::of(student, graded, submission);
    replace_file(&report.join("classroom50.json"), &json(&result)?, true)
}

/// Returns a value as JSON that is indented for human readers.
fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Returns a file name for a student that is valid on any system; different students have different file names.
pub fn file_name(student: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    // Some systems ignore the case of file names.
    let exact = student.chars().all(|c| plain(c) && !c.is_ascii_uppercase());
    if exact && !student.is_empty() && !student.starts_with('.') && student.len() <= 100 {
        return student.to_owned();
    }
    let safe: String = student.chars().map(|c| if plain(c) { c } else { '-' }).take(60).collect();
    format!("{}-{}", safe.trim_matches(['.', '-']), &digest([student.as_bytes()])[..8])
}

/// Describes the state of a lesson in words.
fn words(mark: Mark) -> &'static str {
    match mark {
        Mark::Points { .. } => "graded",
        Mark::Missing => "nothing was handed in",
        Mark::Review(_) => "needs review by a person",
        Mark::Unreadable => "no readable file",
        Mark::Unmatched => "needs review by a person",
        Mark::Failed => "not judged yet: this machine failed, not the file",
    }
}

/// Describes the state of a lesson without a verdict, and why there is none.
fn state(lesson: &LessonReport) -> String {
    let why = lesson.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
    words(lesson.mark).to_owned() + &why
}

/// Returns a student's verdicts with the names of their own files; for lessons without a verdict, a description of
/// their state.
fn views(student: &StudentReport, graded: &Graded) -> Vec<VerdictView> {
    let its = student.lessons.iter().map(|lesson| {
        let file = lesson.path.clone().unwrap_or_else(|| student.student.clone());
        let mut view = match graded.text(lesson) {
            Some(text) => text.judged.view.clone(),
            None => VerdictView {
                subject: SubjectView::new(&lesson.lesson, &file),
                headline: words(lesson.mark).into(),
                detail: lesson.why.clone(),
                ..VerdictView::default()
            },
        };
        view.subject.file = file;
        view.reason = match lesson.mark {
            Mark::Points { .. } => view.reason,
            Mark::Failed => Some(Reason::NotJudged),
            _ => None,
        };
        view
    });
    its.collect()
}

/// Returns the test case of a lesson for JUnit. Submissions that need review are failures of a type of their own.
fn test_case(lesson: &LessonReport, view: VerdictView) -> TestCase {
    let reason = match lesson.mark {
        Mark::Points { .. } | Mark::Failed => return view.into(),
        Mark::Review(review) => format!("needs-review/{}", review.reason()),
        other => other.slug().to_owned(),
    };
    TestCase { view, failure: Some(TestFailure { is_error: false, reason }) }
}

/// Writes JUnit XML: one suite per lesson, one test case per student's file. Submissions that need review are
/// failures of a type of their own; those that this machine failed to judge are errors.
pub fn junit(graded: &Graded, style: &Style) -> String {
    let of = |student: &StudentReport| {
        let cases = student.lessons.iter().zip(views(student, graded));
        cases.map(|(lesson, view)| test_case(lesson, view)).collect::<Vec<_>>()
    };
    let cases: Vec<TestCase> = graded.students.iter().flat_map(of).collect();
    report::junit(&cases, style)
}

/// Formats a verdict as the tool displays it.
fn shown(view: &VerdictView, style: &Style) -> String {
    report::without_ci_commands(&report::verdict(view, style)).into_owned()
}

/// Escapes one line of text for a format without escapes of its own.
fn line(text: &str) -> String {
    escape(text)
}
