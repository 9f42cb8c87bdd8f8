//! The archive that `gpulearn submit` writes: a file a lesson, and a list of them.

use crate::digest::digest;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Name of the list in the archive.
pub const LIST: &str = "submission.json";
const SCHEMA: &str = "gpulearn.submission/1";

/// A file to hand in.
#[derive(Clone, Debug)]
pub struct SubmittedFile {
    /// Slug.
    pub lesson: String,
    /// What the student's own machine made of it: their word, which no mark depends on.
    pub passed: bool,
    pub bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct List {
    schema: String,
    /// Version of the program that wrote it, and the digest of its lessons.
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

/// The archive of files, made with the lessons of a digest: the same bytes for the same files.
///
/// # Errors
///
/// Two files of one lesson.
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

/// What a person may want to know of an archive that holds `members` beside its list: whether it was made with other
/// lessons than those of the digest `lessons`, or changed since.
pub fn remarks(list: &[u8], lessons: &str, members: &[(String, &[u8])]) -> Vec<String> {
    let Ok(list) = serde_json::from_slice::<List>(list) else {
        return vec!["its submission.json can't be read".into()];
    };
    let mut remarks = Vec::new();
    if list.lessons != lessons {
        let tool: String = list.tool.chars().take(20).collect();
        remarks.push(format!("made with other lessons than those that grade it (gpulearn {tool})"));
    }
    for (path, bytes) in members {
        let same = |entry: &Entry| entry.path == *path && entry.sha256 == digest([*bytes]);
        if !list.files.iter().any(same) {
            remarks.push(format!("{path} was changed after gpulearn submit"));
        }
    }
    remarks
}
