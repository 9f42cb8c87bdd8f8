//! The learner's progress: `.gpulearn/progress.json` in the workspace, by lesson slug.
//!
//! The file is replaced and never modified in place: a temporary file is written, synced and renamed, so that a
//! crash at any moment leaves either the old or the new file. Every change is applied under a lock to the current
//! contents of the file, and only adds information (a pass stays a pass, hints shown stay shown), so that
//! concurrent processes do not lose each other's changes. A file that cannot be parsed is moved aside and a new one
//! is started. Fields written by later versions are preserved.

use super::confined_path::{make_own_folder, open_to_lock, read_confined};
use super::replace::{clear_leftovers, replace_file};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SCHEMA: &str = "gpulearn.progress/";
const VERSION: u32 = 1;
const FILE: &str = "progress.json";
/// Largest size in bytes: far more than a course can need, so a larger file is not ours.
const MAX_BYTES: u64 = 16 << 20;
/// How long to wait for another process to release the lock.
const PATIENCE: Duration = Duration::from_secs(3);

/// The progress in every lesson that was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The schema, `gpulearn.progress/1`.
    schema: String,
    #[serde(default)]
    lessons: BTreeMap<String, Entry>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

impl Default for Progress {
    fn default() -> Self {
        Progress { schema: format!("{SCHEMA}{VERSION}"), lessons: BTreeMap::new(), rest: Default::default() }
    }
}

/// The progress in one lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Time of the first pass, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_at: Option<u64>,
    /// Number of hints shown, 0 to 3.
    #[serde(default)]
    pub hints: u8,
    /// The last check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastCheck>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// The result of the last check of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastCheck {
    /// SHA-256 digest of the text that was judged, in hexadecimal.
    pub source: String,
    /// Slug of the failure, such as `wrong-result`; absent if the check passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Time of the check, in seconds since 1970.
    pub at: u64,
}

impl Progress {
    /// Returns the progress in a lesson; `None` if it was not started.
    pub fn entry(&self, slug: &str) -> Option<&Entry> {
        self.lessons.get(slug)
    }

    /// Returns whether no lesson was started yet.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// Returns whether a lesson has passed.
    pub fn passed(&self, slug: &str) -> bool {
        self.entry(slug).is_some_and(|e| e.passed_at.is_some())
    }

    /// Returns how many hints of a lesson were shown.
    pub fn hints(&self, slug: &str) -> u8 {
        self.entry(slug).map_or(0, |e| e.hints)
    }

    fn lesson(&mut self, slug: &str) -> &mut Entry {
        self.lessons.entry(slug.to_string()).or_default()
    }

    /// Records a check; a pass is never withdrawn.
    pub fn checked(&mut self, slug: &str, check: LastCheck) {
        let entry = self.lesson(slug);
        if check.reason.is_none() {
            entry.passed_at.get_or_insert(check.at);
        }
        if entry.last.as_ref().is_none_or(|last| last.at <= check.at) {
            entry.last = Some(check);
        }
    }

    /// Records that hints up to `level` were shown.
    pub fn hints_shown(&mut self, slug: &str, level: u8) {
        let entry = self.lesson(slug);
        entry.hints = entry.hints.max(level);
    }
}

/// Returns the current time in seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// The progress, with a notice about the state in which it was found.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    pub progress: Progress,
    /// A sentence to show: a damaged file was moved aside, and where to.
    pub notice: Option<String>,
}

enum StoredProgress {
    Nothing,
    Good(Progress),
    Damaged(String),
}

/// The store of progress: the folder `.gpulearn` of a workspace.
#[derive(Clone, Debug)]
pub struct ProgressStore {
    folder: PathBuf,
}

impl ProgressStore {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        ProgressStore { folder: folder.into() }
    }

    fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Reads the stored progress. A damaged file is moved aside.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or was written by a later version.
    pub fn read(&self) -> Result<Loaded> {
        let stored = self.look()?;
        // Another process may be moving a damaged file aside or have started a new one: read again under the lock. If
        // nothing can be written there, continue without the lock.
        let lock = matches!(stored, StoredProgress::Damaged(_)).then(|| self.lock().ok()).flatten();
        let stored = if lock.is_some() { self.look()? } else { stored };
        Ok(self.loaded(stored))
    }

    fn loaded(&self, stored: StoredProgress) -> Loaded {
        match stored {
            StoredProgress::Nothing => Loaded::default(),
            StoredProgress::Good(progress) => Loaded { progress, notice: None },
            StoredProgress::Damaged(why) => self.set_aside(&why),
        }
    }

    /// Applies a change to what is stored now, and stores the result. `change` must only add information.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written, or was written by a later version.
    pub fn update(&self, change: impl FnOnce(&mut Progress)) -> Result<Loaded> {
        make_own_folder(&self.folder, "")?;
        let _lock = self.lock()?;
        let mut loaded = self.loaded(self.look()?);
        let before = loaded.progress.clone();
        change(&mut loaded.progress);
        if loaded.progress != before || loaded.notice.is_some() {
            let mut text = serde_json::to_vec_pretty(&loaded.progress)?;
            text.push(b'\n');
            replace_file(&self.file(), &text, true)?;
            clear_leftovers(&self.file());
        }
        Ok(loaded)
    }

    fn look(&self) -> Result<StoredProgress> {
        let file = self.file();
        let shown = file.display();
        let text = match read_confined(&self.folder, Path::new(FILE), MAX_BYTES) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(StoredProgress::Nothing),
            Err(e) => return Err(e).with_context(|| format!("can't read {shown}")),
        };
        if text.len() as u64 > MAX_BYTES {
            return Ok(StoredProgress::Damaged("too large".into()));
        }
        let progress: Progress = match serde_json::from_slice(&text) {
            Ok(progress) => progress,
            Err(e) if e.is_eof() => return Ok(StoredProgress::Damaged("cut short".into())),
            Err(_) => return Ok(StoredProgress::Damaged("not what was written".into())),
        };
        match progress.schema.strip_prefix(SCHEMA).and_then(|v| v.parse::<u32>().ok()) {
            None => Ok(StoredProgress::Damaged("not a progress file".into())),
            Some(version) if version > VERSION => bail!(
                "{shown} was written by a later gpulearn (version {version} of the file, this one supports {VERSION}): update gpulearn, or move the file away"
            ),
            Some(_) => Ok(StoredProgress::Good(progress)),
        }
    }

    /// Renames a damaged file, using the first free number.
    fn set_aside(&self, why: &str) -> Loaded {
        let file = self.file();
        let aside =
            (1..1000).map(|n| self.folder.join(format!("progress.damaged-{n}.json"))).find(|p| !p.exists());
        let notice = match aside.map(|to| fs::rename(&file, &to).map(|()| to)) {
            Some(Ok(to)) => {
                format!("progress was damaged ({why}): kept as {}, started afresh", to.display())
            }
            _ => format!(
                "progress in {} is damaged ({why}) and can't be moved: continuing without it",
                file.display()
            ),
        };
        Loaded { progress: Progress::default(), notice: Some(notice) }
    }

    /// Takes the lock, which is held until the file is dropped and released by the system if the process dies.
    fn lock(&self) -> Result<File> {
        let path = self.folder.join("lock");
        let file = open_to_lock(&path).with_context(|| format!("can't write {}", path.display()))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    bail!("another gpulearn has locked {}: is one stopped or stuck?", path.display())
                }
                // The file system does not support locks: unlocked access is better than none.
                Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => return Ok(file),
                Err(TryLockError::Error(e)) => {
                    return Err(e).with_context(|| format!("can't lock {}", path.display()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, ProgressStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = ProgressStore::new(folder.path().join(".gpulearn"));
        (folder, store)
    }

    fn check(reason: Option<&str>, at: u64) -> LastCheck {
        LastCheck { source: "ab".into(), reason: reason.map(String::from), at }
    }

    #[test]
    fn nothing_stored_is_no_progress() {
        let (_folder, store) = store();
        let loaded = store.read().unwrap();
        assert!(!loaded.progress.passed("map") && loaded.notice.is_none());
        assert!(!store.folder.exists(), "reading makes nothing");
    }

    #[test]
    fn passing_and_hints_only_go_up() {
        let (_folder, store) = store();
        store.update(|p| p.checked("map", check(None, 100))).unwrap();
        store.update(|p| p.checked("map", check(Some("wrong-result"), 200))).unwrap();
        store.update(|p| p.hints_shown("map", 2)).unwrap();
        store.update(|p| p.hints_shown("map", 1)).unwrap();
        let progress = store.read().unwrap().progress;
        let entry = progress.entry("map").unwrap();
        assert_eq!((entry.passed_at, entry.hints), (Some(100), 2));
        assert_eq!(entry.last.as_ref().unwrap().reason.as_deref(), Some("wrong-result"));
    }

    #[test]
    fn a_damaged_file_is_kept_aside_and_said_once() {
        let (_folder, store) = store();
        for (n, damage) in
            [&b"{\"schema\": \"gpulearn.progress/1\", \"les"[..], b"\xff\xfe", b"[]", b"{\"schema\":\"x\"}"]
                .iter()
                .enumerate()
        {
            fs::create_dir_all(&store.folder).unwrap();
            fs::write(store.file(), damage).unwrap();
            assert!(store.read().unwrap().notice.unwrap().contains(&format!("progress.damaged-{}", n + 1)));
            assert_eq!(store.read().unwrap().notice, None);
            let kept = store.folder.join(format!("progress.damaged-{}.json", n + 1));
            assert_eq!(fs::read(kept).unwrap(), *damage);
        }
        fs::write(store.file(), b"").unwrap();
        let loaded = store.update(|p| p.checked("zip", check(None, 1))).unwrap();
        assert!(loaded.notice.is_some() && store.read().unwrap().progress.passed("zip"));
    }

    #[test]
    fn a_later_version_is_left_alone() {
        let (_folder, store) = store();
        fs::create_dir_all(&store.folder).unwrap();
        let text = br#"{"schema":"gpulearn.progress/2","lessons":{}}"#;
        fs::write(store.file(), text).unwrap();
        assert!(store.read().unwrap_err().to_string().contains("later gpulearn"));
        assert!(store.update(|p| p.hints_shown("map", 1)).is_err());
        assert_eq!(fs::read(store.file()).unwrap(), text);
    }

    #[test]
    fn unknown_fields_are_carried_along() {
        let (_folder, store) = store();
        fs::create_dir_all(&store.folder).unwrap();
        let text = r#"{"schema":"gpulearn.progress/1","colour":1,"lessons":{"map":{"stars":3}}}"#;
        fs::write(store.file(), text).unwrap();
        store.update(|p| p.checked("map", check(None, 1))).unwrap();
        let text = fs::read_to_string(store.file()).unwrap();
        assert!(text.contains("\"colour\": 1") && text.contains("\"stars\": 3"), "{text}");
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let (_folder, store) = store();
        std::thread::scope(|scope| {
            for t in 0..4 {
                let store = &store;
                scope.spawn(move || {
                    for i in 0..10 {
                        store.update(|p| p.checked(&format!("l{t}-{i}"), check(None, 1))).unwrap();
                    }
                });
            }
        });
        let progress = store.read().unwrap().progress;
        assert_eq!(
            (0..4)
                .flat_map(|t| (0..10).map(move |i| (t, i)))
                .filter(|(t, i)| progress.passed(&format!("l{t}-{i}")))
                .count(),
            40
        );
        let left: Vec<_> = fs::read_dir(&store.folder).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(left.len(), 2, "only the file and the lock: {left:?}");
    }

    #[test]
    fn leftovers_of_a_killed_writer_are_harmless_and_go_away() {
        let (_folder, store) = store();
        store.update(|p| p.checked("map", check(None, 1))).unwrap();
        let left = store.folder.join("progress.json.99999999.tmp");
        fs::write(&left, "{\"sch").unwrap();
        assert!(store.read().unwrap().progress.passed("map"));
        store.update(|p| p.hints_shown("map", 1)).unwrap();
        assert!(!left.exists());
    }
}
