//! Where a worker's compiler keeps the headers that it has read, for the sources behind the first.
//!
//! What it keeps is good in its own process alone: it holds addresses. So the folder goes with the worker; one that was
//! left behind by a process that was killed goes when the next is made.

use super::protocol::{Job, Source};
use super::sandbox;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const NAME: &str = "gpulearn-headers-";

/// Says that the headers which were kept for another source do not fit this one: others are kept then.
const OTHER_HEADERS: &str = "-diag-suppress=630";

/// A folder for one worker.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// `None` where nothing would keep the worker from other folders, or there is no place for one.
    pub fn new() -> Option<Folder> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        if !sandbox::guarantees().landlock {
            return None;
        }
        let all = std::env::temp_dir();
        remove_abandoned(&all);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = all.join(format!("{NAME}{}-{number}", std::process::id()));
        // Fails where anybody made it before.
        fs::DirBuilder::new().mode(0o700).create(&path).ok()?;
        Some(Folder(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Has the compiler keep the headers of a source, or use those it kept. A header of the source's own has its name
    /// in common with that of another; and what needs few headers is compiled sooner than they are written.
    pub fn use_for(&self, job: &mut Job, source: &Source) {
        // The first job of a worker says what it may open.
        job.precompiled = self.0.to_string_lossy().into_owned();
        let few = |option: &String| option == "--minimal";
        if job.cubin || !source.headers.is_empty() || job.options.iter().any(few) {
            return;
        }
        // Files have the name of the source; those of other options are of no use.
        let mut options = DefaultHasher::new();
        job.options.hash(&mut options);
        let folder = self.0.join(format!("{:016x}", options.finish()));
        if folder.is_dir() || fs::create_dir(&folder).is_ok() {
            let place = format!("--pch-dir={}", folder.display());
            job.options.extend(["--pch", &place, "--pch-messages=false", OTHER_HEADERS].map(str::to_owned));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes the folders of processes that are no more.
fn remove_abandoned(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split_once('-'));
        if process.is_some_and(|(id, _)| !Path::new("/proc").join(id).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_processes_that_are_gone_are_removed() {
        let all = tempfile::tempdir().unwrap();
        let mine = all.path().join(format!("{NAME}{}-0", std::process::id()));
        // No process has a number as large.
        let abandoned = all.path().join(format!("{NAME}{}-0", u32::MAX));
        let other = all.path().join("headers");
        for folder in [&mine, &abandoned, &other] {
            fs::create_dir(folder).unwrap();
        }
        remove_abandoned(all.path());
        assert_eq!([&mine, &abandoned, &other].map(|folder| folder.exists()), [true, false, true]);
    }
}
