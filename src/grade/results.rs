//! What was judged, kept on the disk: a file each, on the disk and whole before it counts.

use super::digest::digest;
use super::judging::{Judged, Request};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The folder of results in a report.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
}

/// All that decides a verdict, as a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Of a request, a lesson by its digest, and the program that judges, by its own; `limits` are what a file has.
    pub fn of(request: &Request, lesson: &str, program: &str, limits: &str) -> Key {
        // The name is in the messages, and equal texts have one name for them: see `class`.
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

/// What a file holds: the result, and what says that it is whole and its own.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: Key,
    digest: String,
    judged: Judged,
}

fn sum(key: &Key, judged: &Judged) -> Result<String> {
    Ok(digest([key.0.as_bytes(), &serde_json::to_vec(judged)?]))
}

impl Results {
    /// Those of a report, whose folder is made where it is missing.
    ///
    /// # Errors
    ///
    /// Where it can't be made.
    pub fn of_report(report: &Path) -> Result<Results> {
        let folder = report.join("results");
        fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
        Ok(Results { folder })
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.json", key.0))
    }

    /// What was kept; a file that is not whole, or another's, counts as none.
    pub fn get(&self, key: &Key) -> Option<Judged> {
        let kept: Kept = serde_json::from_slice(&fs::read(self.path(key)).ok()?).ok()?;
        (kept.key == *key && kept.digest == sum(key, &kept.judged).ok()?).then_some(kept.judged)
    }

    /// Keeps a result: it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// Where it can't be written: a full disk, above all.
    pub fn put(&self, key: &Key, judged: &Judged) -> Result<()> {
        let kept = Kept { key: key.clone(), digest: sum(key, judged)?, judged: judged.clone() };
        write_whole(&self.path(key), &serde_json::to_vec(&kept)?)
    }
}

/// Writes a file so that it is there whole or not at all, and stays after a power cut.
///
/// # Errors
///
/// Where it can't be written, with its name; nothing half written is left by that name.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let write = || -> std::io::Result<()> {
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = File::create_new(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        #[cfg(unix)]
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&beside);
        anyhow::Error::new(error).context(format!("can't write {}", path.display()))
    })
}
