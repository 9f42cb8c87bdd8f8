//! The folder in which a worker's compiler keeps precompiled headers for the sources after the first.
//!
//! Precompiled headers contain addresses, so they are valid only in the process that wrote them. The folder
//! is therefore removed with the worker; one left behind by a process that was killed is removed when the
//! next one is created.

use super::protocol::{Job, Source};
use super::sandbox;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

const NAME: &str = "gpulearn-headers-";

/// Silences the warning that precompiled headers do not fit the source; the compiler then writes new ones.
const OTHER_HEADERS: &str = "-diag-suppress=630";

/// Size of a folder above which nothing more is written to it; the headers of a program take 19 MB.
const MAX_BYTES: u64 = 256 << 20;

/// Age below which folders of nonexistent processes are left alone: the process may be in another container.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder for one worker. The path is text because it becomes part of the compiler's options.
#[derive(Debug)]
pub struct Folder(String);

impl Folder {
    /// Creates a folder. `None` if nothing would restrict the worker to it, or if it cannot be created.
    pub fn new() -> Option<Folder> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        if !sandbox::guarantees().landlock {
            return None;
        }
        // Absolute, because the worker's current folder differs from this process's.
        let all = std::path::absolute(std::env::temp_dir()).ok()?;
        remove_abandoned(&all, SystemTime::now());
        (0..8).find_map(|_| {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let path = all.join(format!("{NAME}{}-{number}", std::process::id())).to_str()?.to_owned();
            // Fails if the folder already exists.
            fs::DirBuilder::new().mode(0o700).create(&path).ok()?;
            Some(Folder(path))
        })
    }

    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// Adds the options by which the compiler writes precompiled headers or reads its own. They are not added
    /// if a source has headers of its own, because another source's may have the same names; nor with
    /// `--minimal`, which parses too little; nor for machine code, which is generated only once for most
    /// kernels.
    pub fn use_for(&self, job: &mut Job, source: &Source) {
        // The worker's first job determines what it may open.
        job.precompiled.clone_from(&self.0);
        let is_minimal = job.options.iter().any(|option| option == "--minimal");
        if job.cubin || !source.headers.is_empty() || is_minimal {
            return;
        }
        // The compiler names its files after the source, so each set of options has a folder of its own.
        let mut options = DefaultHasher::new();
        job.options.hash(&mut options);
        let folder = format!("{}/{:016x}", self.0, options.finish());
        let there = Path::new(&folder).is_dir() || fs::create_dir(&folder).is_ok();
        if there && bytes(self.path()) < MAX_BYTES {
            let place = format!("--pch-dir={folder}");
            job.options.extend(["--pch", &place, "--pch-messages=false", OTHER_HEADERS].map(str::to_owned));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.path());
    }
}

/// Returns the size in bytes of the files in a folder's subfolders.
fn bytes(folder: &Path) -> u64 {
    let entries = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries(folder.to_owned()).flat_map(|entry| entries(entry.path()));
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

/// Removes the folders of processes that no longer exist.
fn remove_abandoned(all: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(all) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let numbers = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split_once('-'));
        let Some((Ok(process), Ok(_))) = numbers.map(|(a, b)| (a.parse::<u32>(), b.parse::<u32>())) else {
            continue;
        };
        let modified = entry.metadata().and_then(|folder| folder.modified()).ok();
        let is_old =
            modified.and_then(|then| now.duration_since(then).ok()).is_some_and(|age| age > ABANDONED);
        if is_old && !Path::new("/proc").join(process.to_string()).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_folders_of_processes_that_are_gone_are_removed() {
        let all = tempfile::tempdir().unwrap();
        // No process has such a large id.
        let gone = u32::MAX;
        let names = [
            format!("{NAME}{}-0", std::process::id()),
            format!("{NAME}{gone}-0"),
            format!("{NAME}notes-1"),
            format!("{NAME}{gone}-notes"),
            "headers".to_owned(),
        ];
        let folders = names.map(|name| all.path().join(name));
        for folder in &folders {
            fs::create_dir(folder).unwrap();
        }
        let left = || folders.each_ref().map(|folder| folder.exists());
        remove_abandoned(all.path(), SystemTime::now());
        assert_eq!(left(), [true; 5]);
        remove_abandoned(all.path(), SystemTime::now() + 2 * ABANDONED);
        assert_eq!(left(), [true, false, true, true, true]);
    }

    #[test]
    fn a_full_folder_takes_no_more() {
        let folder = Folder::new().expect("a folder");
        let source = Source::default();
        let uses = || {
            let mut job = Job::default();
            folder.use_for(&mut job, &source);
            (!job.precompiled.is_empty(), job.options.len())
        };
        assert_eq!(uses(), (true, 4));
        let within = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let file = fs::File::create(within.join("a.pch")).unwrap();
        file.set_len(MAX_BYTES).unwrap();
        assert_eq!(uses(), (true, 0));
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
