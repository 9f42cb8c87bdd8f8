//! Remembers which version of its course a learner's file was created from: `.gpulearn/courses.json`, by lesson.

use super::Lesson;
use super::confined_path::{make_own_folder, read_confined};
use super::replace::replace_file;
use anyhow::{Context, Result};
use compiler::digest::{hex, sha256};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const FILE: &str = "courses.json";
const SCHEMA: &str = "gpulearn.courses/1";
const MAX_BYTES: u64 = 4 << 20;

#[derive(Serialize, Deserialize)]
struct MadeFrom {
    schema: String,
    lessons: BTreeMap<String, Starter>,
}

#[derive(Serialize, Deserialize)]
struct Starter {
    /// The version of the course.
    version: String,
    /// SHA-256 digest of the starter, in hexadecimal.
    starter: String,
}

fn digest(text: &str) -> String {
    hex(&sha256(text.as_bytes()))
}

fn read(state: &Path) -> BTreeMap<String, Starter> {
    let bytes = read_confined(state, Path::new(FILE), MAX_BYTES).unwrap_or_default();
    let known = serde_json::from_slice::<MadeFrom>(&bytes).ok().filter(|known| known.schema == SCHEMA);
    known.map(|known| known.lessons).unwrap_or_default()
}

/// Records that the files of these lessons are now their starters. Only lessons of added courses are recorded.
///
/// # Errors
///
/// Fails if the file that has it can't be written.
pub fn remember<'l>(state: &Path, lessons: impl IntoIterator<Item = &'l Lesson>) -> Result<()> {
    let new = lessons.into_iter().filter_map(|lesson| {
        let version = lesson.of.as_ref()?.version.clone();
        Some((lesson.slug.clone(), Starter { version, starter: digest(&lesson.starter) }))
    });
    let new: Vec<_> = new.collect();
    if new.is_empty() {
        return Ok(());
    }
    let mut lessons = read(state);
    lessons.extend(new);
    let bytes = serde_json::to_vec_pretty(&MadeFrom { schema: SCHEMA.into(), lessons }).context(FILE)?;
    replace_file(&make_own_folder(state, "")?.join(FILE), &bytes, false)
}

/// Returns the course version that a lesson's file was created from, if the lesson had another starter then.
pub fn other_version(state: &Path, lesson: &Lesson) -> Option<String> {
    lesson.of.as_ref()?;
    let known = read(state).remove(&lesson.slug)?;
    (known.starter != digest(&lesson.starter)).then_some(known.version)
}
