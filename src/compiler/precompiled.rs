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
use std::time::{Duration, SystemTime};

const NAME: &str = "gpulearn-headers-";

/// Silences the compiler where precompiled headers do not fit the source: it writes others then.
const OTHER_HEADERS: &str = "-diag-suppress=630";

/// What a folder may hold before no more is written: those of a program take 19 MB.
const MOST_BYTES: u64 = 256 << 20;

/// Folders of processes that are gone are left alone for so long: the process may be one of another container.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder for one worker, by its path, which options of the compiler hold as text.
#[derive(Debug)]
pub struct Folder(String);

impl Folder {
    /// `None` where nothing would keep the worker from other folders, or there is no place for one.
    pub fn new() -> Option<Folder> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        if !sandbox::guarantees().landlock {
            return None;
        }
        // The worker is in another folder than this process.
        let all = std::path::absolute(std::env::temp_dir()).ok()?;
        remove_abandoned(&all, SystemTime::now());
        (0..8).find_map(|_| {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let path = all.join(format!("{NAME}{}-{number}", std::process::id())).to_str()?.to_owned();
            // Fails where anybody made it before.
            fs::DirBuilder::new().mode(0o700).create(&path).ok()?;
            Some(Folder(path))
        })
    }

    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// Adds the options by which the compiler writes precompiled headers, or reads back its own. Not where a source has
    /// headers of its own: another source's may have the same name. Not with `--minimal`, which reads too little, nor
    /// for machine code, which is made once of most kernels.
    pub fn use_for(&self, job: &mut Job, source: &Source) {
        // The first job of a worker says what it may open.
        job.precompiled.clone_from(&self.0);
        let is_minimal = job.options.iter().any(|option| option == "--minimal");
        if job.cubin || !source.headers.is_empty() || is_minimal {
            return;
        }
        // The compiler names its files after the source: a folder for each set of options.
        let mut options = DefaultHasher::new();
        job.options.hash(&mut options);
        let folder = format!("{}/{:016x}", self.0, options.finish());
        let there = Path::new(&folder).is_dir() || fs::create_dir(&folder).is_ok();
        if there && bytes(self.path()) < MOST_BYTES {
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

/// What the files of a folder's folders take.
fn bytes(folder: &Path) -> u64 {
    let entries = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries(folder.to_owned()).flat_map(|entry| entries(entry.path()));
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

/// Removes the folders of processes that are no more.
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
        // No process has a number as large.
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
        file.set_len(MOST_BYTES).unwrap();
        assert_eq!(uses(), (true, 0));
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
