//! Stores results on disk, one file each; a result counts only once it is completely on disk.

use super::digest::digest;
use super::judging::{Judged, Request};
use anyhow::{Context, Result};
use judge::course::replace_file;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of results in a report.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
}

/// A digest of everything that determines a verdict, used as a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Computes the key from a request, the digests of its lesson and of the program that judges, and the limits
    /// that apply.
    pub fn of(request: &Request, lesson: &str, program: &str, limits: &str) -> Key {
        // The file's name appears in messages; equal texts have the same name: see `class`.
        let sizes = serde_json::to_string(&request.sizes).unwrap_or_default();
        Key(digest([
            lesson.as_bytes(),
            program.as_bytes(),
            limits.as_bytes(),
            request.lesson.as_bytes(),
            request.file.as_bytes(),
            request.source.as_bytes(),
            &request.seed.to_le_bytes(),
            sizes.as_bytes(),
        ]))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The contents of a file: the result, and a key and digest that show that it is complete and the right one.
#[derive(Serialize, Deserialize)]
struct StoredResult {
    key: Key,
    digest: String,
    judged: Judged,
}

fn sum(key: &Key, judged: &Judged) -> Result<String> {
    Ok(digest([key.0.as_bytes(), &serde_json::to_vec(judged)?]))
}

impl Results {
    /// Opens the results of a report and creates their folder if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created.
    pub fn of_report(report: &Path) -> Result<Results> {
        let folder = report.join("results");
        fs::create_dir_all(&folder).with_context(|| format!("can't create {}", folder.display()))?;
        Ok(Results { folder })
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.json", key.0))
    }

    /// Returns a stored result; a file that is incomplete or belongs to another key is ignored.
    pub fn get(&self, key: &Key) -> Option<Judged> {
        let kept: StoredResult = serde_json::from_slice(&fs::read(self.path(key)).ok()?).ok()?;
        (kept.key == *key && kept.digest == sum(key, &kept.judged).ok()?).then_some(kept.judged)
    }

    /// Stores a result, which is on disk when this returns.
    ///
    /// # Errors
    ///
    /// Fails if the result cannot be written, most likely because the disk is full.
    pub fn put(&self, key: &Key, judged: &Judged) -> Result<()> {
        let kept = StoredResult { key: key.clone(), digest: sum(key, judged)?, judged: judged.clone() };
        replace_file(&self.path(key), &serde_json::to_vec(&kept)?, true)
    }
}
