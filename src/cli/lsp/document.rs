//! An open document: its text in the editor, and the problems found in the text that was judged last.

use crate::cli::judging::StoredVerdict;
use compiler::Severity;
use judge::course::{Lesson, Workspace};
use report::Problem;
use serde_json::{Value, json};
use sim::FindingKind;
use std::ops::Range;
use std::path::PathBuf;
use std::time::SystemTime;

/// The unit in which the editor counts columns (the position encoding).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    Utf16,
    /// Characters, as in findings.
    Utf32,
}

impl Columns {
    /// Chooses characters if the editor supports them, else UTF-16, which every editor supports.
    pub fn agreed(parameters: &Value) -> Columns {
        let known = parameters["capabilities"]["general"]["positionEncodings"].as_array();
        match known.is_some_and(|known| known.iter().any(|one| one == "utf-32")) {
            true => Columns::Utf32,
            false => Columns::Utf16,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Columns::Utf16 => "utf-16",
            Columns::Utf32 => "utf-32",
        }
    }

    /// Returns the editor's column of the character at index `characters`.
    fn before(self, line: &str, characters: usize) -> usize {
        let before = line.chars().take(characters);
        match self {
            Columns::Utf16 => before.map(char::len_utf16).sum(),
            Columns::Utf32 => before.count(),
        }
    }
}

/// The problems of the last verdict, and the text that it is about.
struct Judged {
    text: String,
    problems: Vec<Problem>,
}

pub struct Document {
    slug: String,
    kernel: PathBuf,
    workspace: Workspace,
    text: String,
    judged: Option<Judged>,
    /// Modification time of the stored result that `judged` was read from.
    stamp: Option<SystemTime>,
}

impl Document {
    /// Creates a document, with the stored result if there is one.
    pub fn new(lesson: &Lesson, workspace: &Workspace, text: String) -> Document {
        let (slug, kernel, workspace) = (lesson.slug.clone(), workspace.kernel(lesson), workspace.clone());
        let mut document = Document { slug, kernel, workspace, text, judged: None, stamp: None };
        document.refresh();
        document
    }

    pub fn set_text(&mut self, text: String) {
        self.text = text;
        // After an undo, the text may be the one that was judged.
        if self.judged.is_none() {
            self.stamp = None;
            self.refresh();
        }
    }

    /// Reads the stored result if it changed. Returns whether the diagnostics may have changed.
    pub fn refresh(&mut self) -> bool {
        let stamp =
            StoredVerdict::path(&self.slug, &self.workspace).metadata().and_then(|m| m.modified()).ok();
        if stamp == self.stamp {
            return false;
        }
        self.stamp = stamp;
        let stored = StoredVerdict::read(&self.slug, &self.workspace);
        // The judged text is the editor's, that of an earlier result, or, where the editor has unsaved changes,
        // the file's. If it is none of these, it is lost.
        let before = self.judged.take().map(|judged| judged.text);
        self.judged = stored.and_then(|stored| {
            let file = || std::fs::read_to_string(&self.kernel).ok();
            let known = [Some(self.text.clone()), before].into_iter().chain(std::iter::once_with(file));
            let text = known.flatten().find(|text| stored.is_verdict_on(text))?;
            let file = stored.view.subject.file.clone();
            let problems =
                stored.view.problems().into_iter().filter(|problem| problem.file == file).collect();
            Some(Judged { text, problems })
        });
        true
    }

    /// Returns the problems with their ranges in the current text.
    fn placed(&self, columns: Columns) -> impl Iterator<Item = (&Problem, Value)> {
        self.judged.iter().flat_map(move |judged| {
            let moved = LineMap::new(&judged.text, &self.text);
            judged.problems.iter().filter_map(move |problem| {
                let line = moved.line(problem.line)?;
                Some((problem, range(problem, line, self.text.lines().nth(line - 1)?, columns)))
            })
        })
    }

    pub fn diagnostics(&self, columns: Columns) -> Vec<Value> {
        let diagnostic = |(problem, range): (&Problem, Value)| {
            json!({
                "range": range,
                "severity": match problem.severity { Severity::Error => 1, Severity::Warning => 2, Severity::Note => 3 },
                "code": problem.code(),
                "source": "gpulearn",
                "message": problem.message,
            })
        };
        self.placed(columns).map(diagnostic).collect()
    }

    /// Returns the finding at a position, with its range; line and column are 0-based.
    pub fn finding_at(&self, (line, column): (u64, u64), columns: Columns) -> Option<(FindingKind, Value)> {
        self.placed(columns).find_map(|(problem, range)| {
            let columns = range["start"]["character"].as_u64()?..=range["end"]["character"].as_u64()?;
            let here = range["start"]["line"].as_u64() == Some(line) && columns.contains(&column);
            let kind = problem.kind?;
            here.then_some((kind, range))
        })
    }
}

/// Returns a problem's range on a line: what is marked in the report, or else the whole text of the line.
fn range(problem: &Problem, line: usize, text: &str, columns: Columns) -> Value {
    let length = text.trim_end().chars().count();
    let indent = text.chars().take_while(|c| c.is_whitespace()).count().min(length);
    let start = (problem.column as usize).checked_sub(1).map_or(indent, |start| start.min(length));
    let end = (problem.column_end as usize).checked_sub(1).filter(|end| *end > start).unwrap_or(length);
    let place = |characters| json!({ "line": line - 1, "character": columns.before(text, characters) });
    json!({ "start": place(start), "end": place(end.max(start)) })
}

/// Maps lines of a text to another text that an edit made of it: lines before and after the edit are found again.
struct LineMap {
    /// Lines of the old text that the edit removed or changed, 0-based.
    changed: Range<usize>,
    old: usize,
    new: usize,
}

impl LineMap {
    fn new(old: &str, new: &str) -> LineMap {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let (rest, new_rest) = (&old[before..], &new[before..]);
        let after = rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
        LineMap { changed: before..old.len() - after, old: old.len(), new: new.len() }
    }

    /// Maps a line; both are 1-based. `None` for a line that was changed.
    fn line(&self, line: u32) -> Option<usize> {
        let line = (line as usize).checked_sub(1)?;
        match line {
            _ if line < self.changed.start => Some(line + 1),
            _ if line >= self.changed.end && line < self.old => Some(line + 1 + self.new - self.old),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_stays_with_its_line() {
        let moved = LineMap::new("a\nb\nc\nd\n", "a\nx\ny\nz\nc\nd\n");
        assert_eq!([1, 2, 3, 4, 5].map(|line| moved.line(line)), [Some(1), None, Some(5), Some(6), None]);
        let shorter = LineMap::new("a\nb\nc\n", "a\nc");
        assert_eq!([1, 2, 3].map(|line| shorter.line(line)), [Some(1), None, Some(2)]);
        let same = LineMap::new("a\na\n", "a\na\na\n");
        assert_eq!([1, 2].map(|line| same.line(line)), [Some(1), Some(2)]);
        assert_eq!(LineMap::new("a\n", "").line(1), None);
    }

    #[test]
    fn columns_are_those_that_were_agreed_on() {
        let line = "𝛼 = s[i];";
        assert_eq!((Columns::Utf16.before(line, 4), Columns::Utf32.before(line, 4)), (5, 4));
        let editor = json!({ "capabilities": { "general": { "positionEncodings": ["utf-16", "utf-32"] } } });
        assert_eq!(Columns::agreed(&editor), Columns::Utf32);
        assert_eq!(Columns::agreed(&json!({})), Columns::Utf16);
    }
}
