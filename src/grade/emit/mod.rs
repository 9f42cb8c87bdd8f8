//! A graded class in the formats that others read. Each is a function of what was graded; every text of a student's is
//! escaped as its format asks.

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
pub use csv::{gradebook, nbgrader};
pub use gitlab::{CodeQuality, code_quality};
pub use gradescope::Gradescope;
pub use issues::{Issue, issues};
pub use page::page;
pub use report::Level;
pub use sarif::{Sarif, sarif};
pub use similarity::similarity;

use super::class::{Graded, Header, StudentReport};
use super::digest::digest;
use super::marks::Mark;
use super::plan::Plan;
use super::results::write_whole;
use anyhow::{Context, Result};
use report::{Style, SubjectView, VerdictView, escape};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// What the report is about, in a few numbers.
#[derive(Serialize)]
struct Summary<'a> {
    schema: &'static str,
    #[serde(flatten)]
    header: &'a Header,
    texts: usize,
    waiting: usize,
    notes: &'a [String],
}

/// Writes every format into a report's folder; `report.json` last, so that where it is the rest is whole.
///
/// # Errors
///
/// Where something can't be written.
pub fn write(graded: &Graded, plan: &Plan, report: &Path) -> Result<()> {
    let style = Style::default();
    let json = |value: &dyn erased::Json| value.pretty();
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
    for folder in ["gradescope", "coderunner", "students"] {
        let folder = report.join(folder);
        fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    }
    for student in &graded.students {
        let name = file_name(&student.student);
        all.push((format!("gradescope/{name}.json"), json(&Gradescope::of(student, graded, &style))?));
        all.push((format!("coderunner/{name}.json"), json(&CodeRunner::of(student, graded, &style))?));
        all.push((format!("students/{name}.html"), page(student, graded, &style).into_bytes()));
    }
    for (name, bytes) in all {
        let path = report.join(&name);
        let beside = report.join(format!("{name}.tmp"));
        let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, &path));
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
    write_whole(&report.join("report.json"), &json(&summary)?)
}

/// Writes `classroom50.json`, where one student's submission was graded by a job of Classroom 50.
///
/// # Errors
///
/// Where it can't be written.
pub fn write_classroom50(graded: &Graded, submission: Submission, report: &Path) -> Result<()> {
    let Some(student) = graded.students.first() else { return Ok(()) };
    let result = Classroom50::of(student, graded, submission);
    write_whole(&report.join("classroom50.json"), &erased::Json::pretty(&result)?)
}

/// Anything that is written as JSON for people to look into, too.
mod erased {
    use anyhow::Result;
    use serde::Serialize;

    pub trait Json {
        fn pretty(&self) -> Result<Vec<u8>>;
    }

    impl<T: Serialize> Json for T {
        fn pretty(&self) -> Result<Vec<u8>> {
            let mut bytes = serde_json::to_vec_pretty(self)?;
            bytes.push(b'\n');
            Ok(bytes)
        }
    }
}

/// A student's name as that of a file, on any system; no two names give one.
pub fn file_name(student: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    // Some systems take capitals for small letters.
    let exact = student.chars().all(|c| plain(c) && !c.is_ascii_uppercase());
    if exact && !student.is_empty() && !student.starts_with('.') && student.len() <= 100 {
        return student.to_owned();
    }
    let safe: String = student.chars().map(|c| if plain(c) { c } else { '-' }).take(60).collect();
    format!("{}-{}", safe.trim_matches(['.', '-']), &digest([student.as_bytes()])[..8])
}

/// What became of a lesson, in words.
fn words(mark: Mark) -> &'static str {
    match mark {
        Mark::Points { .. } => "graded",
        Mark::Missing => "nothing was handed in",
        Mark::Review(_) => "somebody looks at it",
        Mark::Unreadable => "no file that can be read",
        Mark::Failed => "not judged yet: this machine failed, not the file",
    }
}

/// The verdicts of a student with the names of their own files; of lessons without one, what became of them.
fn views(student: &StudentReport, graded: &Graded) -> Vec<VerdictView> {
    let its = student.lessons.iter().map(|lesson| {
        let file = lesson.path.clone().unwrap_or_else(|| student.student.clone());
        let reason = match lesson.mark {
            Mark::Points { .. } => None,
            Mark::Failed => Some("not-judged".to_owned()),
            Mark::Review(review) => Some(format!("needs-review/{}", review.slug())),
            other => Some(other.slug().to_owned()),
        };
        match (graded.text(lesson), reason) {
            (Some(text), reason) => {
                let mut view = text.judged.view.clone();
                view.subject.file = file;
                VerdictView { reason: reason.or(view.reason), ..view }
            }
            (None, reason) => VerdictView {
                subject: SubjectView::new(&lesson.lesson, &file),
                reason,
                headline: words(lesson.mark).into(),
                detail: lesson.why.clone(),
                ..VerdictView::default()
            },
        }
    });
    its.collect()
}

/// JUnit: a suite a lesson, a case a student's file. What a person must look at is a failure of its own type; an error
/// is what this machine failed in.
pub fn junit(graded: &Graded, style: &Style) -> String {
    let views: Vec<VerdictView> = graded.students.iter().flat_map(|student| views(student, graded)).collect();
    report::junit(&views, style)
}

/// The verdict as the tool shows it, without colours.
fn shown(view: &VerdictView, style: &Style) -> String {
    report::without_ci_commands(&report::verdict(view, style)).into_owned()
}

/// One line of text for a format without escapes of its own.
fn line(text: &str) -> String {
    escape(text)
}
