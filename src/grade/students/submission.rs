//! The archive that `gpulearn submit` writes: one file per lesson, and a list of them.

use crate::digest::digest;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Name of the list in the archive.
pub const LIST: &str = "submission.json";
const SCHEMA: &str = "gpulearn.submission/1";

/// A file to submit.
#[derive(Clone, Debug)]
pub struct SubmittedFile {
    /// Slug of the lesson.
    pub lesson: String,
    /// The result on the student's own machine; it is only a claim, and no mark depends on it.
    pub passed: bool,
    pub bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct List {
    schema: String,
    /// Version of the program that wrote the archive; `lessons` is the digest of its lessons.
    tool: String,
    lessons: String,
    files: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    path: String,
    lesson: String,
    sha256: String,
    passed: bool,
}

/// Creates the archive; `lessons` is the digest of the lessons it was made with. The same files give the same
/// bytes.
///
/// # Errors
///
/// Fails if two files are for the same lesson.
pub fn pack(files: &[SubmittedFile], lessons: &str) -> Result<Vec<u8>> {
    let path = |file: &SubmittedFile| format!("{}.cu", file.lesson);
    let entry = |file: &SubmittedFile| Entry {
        path: path(file),
        lesson: file.lesson.clone(),
        sha256: digest([file.bytes.as_slice()]),
        passed: file.passed,
    };
    let list = List {
        schema: SCHEMA.into(),
        tool: report::json::TOOL.into(),
        lessons: lessons.to_owned(),
        files: files.iter().map(entry).collect(),
    };
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(LIST, SimpleFileOptions::default())?;
    archive.write_all(&serde_json::to_vec_pretty(&list)?)?;
    for file in files {
        archive.start_file(path(file), SimpleFileOptions::default())?;
        archive.write_all(&file.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Returns remarks on an archive that contains `members` in addition to its list: whether it was made with lessons
/// other than those with the digest `lessons`, and which files were changed afterwards.
pub fn remarks(list: &[u8], lessons: &str, members: &[(String, &[u8])]) -> Vec<String> {
    let Ok(list) = serde_json::from_slice::<List>(list) else {
        return vec!["its submission.json can't be read".into()];
    };
    let mut remarks = Vec::new();
    if list.lessons != lessons {
        let tool: String = list.tool.chars().take(20).collect();
        remarks.push(format!("made with different lessons from those that grade it (gpulearn {tool})"));
    }
    for (path, bytes) in members {
        let same = |entry: &Entry| entry.path == *path && entry.sha256 == digest([*bytes]);
        if !list.files.iter().any(same) {
            remarks.push(format!("{path} was changed after gpulearn submit"));
        }
    }
    remarks
}
