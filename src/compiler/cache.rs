//! A content-addressed cache of results: what has been compiled once is not compiled again.
//!
//! An entry holds the worker's reply, in the compiler's own words: what this tool makes of it, such as the text of a
//! diagnostic, is made anew each time, so it is always that of the running build.
//!
//! An entry is a file named by the hash of everything that determines the result (its key). It begins with a
//! hash of the key and the contents, so an entry that is damaged, or was copied to another name, is a miss.
//! It is written to a temporary file next to it and renamed into place. The least recently used entries are
//! removed when the folder exceeds its size limit.

use super::digest::{digest, hex, sha256};
use super::protocol::Reply;
use super::wire;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// First bytes of an entry. The number changes with every change of the format of [`Reply`], so that
/// entries of other builds are misses.
const FORMAT_TAG: &[u8] = b"gpulearn result 10\n";
const TEMPORARY: &str = ".tmp-";
/// Maximum size of the folder.
const MAX_FOLDER_BYTES: u64 = 256 << 20;
/// Maximum size of an entry; larger results are not cached.
const MAX_ENTRY_BYTES: usize = 24 << 20;
/// A use updates the entry's time only if that is older than this.
const NOTE_AFTER: Duration = Duration::from_secs(3600);

/// The hash of everything that determines a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// Returns the key for a list of parts. Each part is preceded by its length, so that no two lists hash
    /// the same bytes.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
        Key(digest(parts))
    }

    fn name(&self) -> String {
        hex(&self.0)
    }
}

/// A folder of cached results.
#[derive(Clone, Debug)]
pub struct ResultCache {
    folder: PathBuf,
    bound_bytes: u64,
    read_only: bool,
}

impl ResultCache {
    pub fn in_folder(folder: PathBuf) -> ResultCache {
        ResultCache { folder, bound_bytes: MAX_FOLDER_BYTES, read_only: false }
    }

    /// Returns the same cache, except that nothing is added to it.
    pub fn read_only(self) -> ResultCache {
        ResultCache { read_only: true, ..self }
    }

    /// Returns the result cached under a key; anything unexpected is a miss.
    pub fn get(&self, key: &Key) -> Option<Reply> {
        let mut file = File::open(self.folder.join(key.name())).ok()?;
        let found = file.metadata().ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok()?.min(MAX_ENTRY_BYTES));
        (&mut file).take(MAX_ENTRY_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
        let reply = decode(key, &bytes)?;
        if self.read_only {
            return Some(reply);
        }
        let now = SystemTime::now();
        if found.modified().is_ok_and(|noted| now.duration_since(noted).is_ok_and(|age| age > NOTE_AFTER)) {
            let _ = File::options()
                .append(true)
                .open(self.folder.join(key.name()))
                .and_then(|file| file.set_modified(now));
        }
        Some(reply)
    }

    /// Caches a result. If the cache cannot be written, that only costs time.
    pub fn put(&self, key: &Key, reply: &Reply) {
        if self.read_only {
            return;
        }
        let Ok(bytes) = encode(key, reply) else { return };
        if bytes.len() > MAX_ENTRY_BYTES || fs::create_dir_all(&self.folder).is_err() {
            return;
        }
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!("{TEMPORARY}{}-{count}", std::process::id()));
        let written = File::create(&temporary)
            .and_then(|mut file| file.write_all(&bytes))
            .and_then(|()| fs::rename(&temporary, self.folder.join(key.name())));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        // Inspecting all entries takes a while if there are many, so it is done only now and then.
        if key.0[0].is_multiple_of(16) {
            self.prune();
        }
    }

    /// Returns the size of all results in bytes.
    pub fn bytes(&self) -> u64 {
        self.entries().iter().map(|entry| entry.bytes).sum()
    }

    fn entries(&self) -> Vec<Entry> {
        fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
                Some(Entry { used: found.modified().ok()?, bytes: found.len(), path: entry.path() })
            })
            .collect()
    }

    fn prune(&self) {
        let mut entries = self.entries();
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        entries.sort_by_key(|entry| entry.used);
        let stale = SystemTime::now() - NOTE_AFTER;
        for entry in entries {
            let unfinished =
                entry.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY));
            if total > self.bound_bytes || (unfinished && entry.used < stale) {
                total -= entry.bytes;
                let _ = fs::remove_file(&entry.path);
            }
        }
    }
}

struct Entry {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

fn encode(key: &Key, reply: &Reply) -> io::Result<Vec<u8>> {
    let payload = wire::encode(reply)?;
    Ok([FORMAT_TAG, &bound(key, &payload), &payload].concat())
}

/// Returns the hash that binds contents to the key they are stored under.
fn bound(key: &Key, payload: &[u8]) -> [u8; 32] {
    sha256(&[&key.0, payload].concat())
}

fn decode(key: &Key, bytes: &[u8]) -> Option<Reply> {
    let (hash, payload) = bytes.strip_prefix(FORMAT_TAG)?.split_at_checked(32)?;
    if bound(key, payload) != hash {
        return None;
    }
    wire::decode(payload).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(ptx: &str) -> Reply {
        Reply::Compiled { ptx: ptx.into(), cubin: ptx.as_bytes().repeat(2), log: b"log".to_vec() }
    }

    #[test]
    fn what_was_kept_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let results = ResultCache::in_folder(folder.path().join("compile"));
        let (a, b) = (Key::of([b"a".as_slice()]), Key::of([b"b".as_slice()]));
        assert!(results.get(&a).is_none());
        results.put(&a, &compiled("ptx"));
        results.put(&b, &Reply::Rejected { log: b"log".to_vec() });
        assert_eq!(results.get(&a), Some(compiled("ptx")));
        assert_eq!(results.get(&b), Some(Reply::Rejected { log: b"log".to_vec() }));
        let names: Vec<_> = fs::read_dir(&results.folder).unwrap().collect();
        assert_eq!(names.len(), 2, "a temporary file was left");
    }

    #[test]
    fn keys_tell_lists_apart() {
        let key = |parts: &[&str]| Key::of(parts.iter().map(|part| part.as_bytes()));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a"]), key(&["a", ""]));
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
    }

    #[test]
    fn a_damaged_entry_is_a_miss() {
        let folder = tempfile::tempdir().unwrap();
        let results = ResultCache::in_folder(folder.path().to_owned());
        let key = Key::of([b"a".as_slice()]);
        results.put(&key, &compiled("some ptx"));
        let path = folder.path().join(key.name());
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x40;
            fs::write(&path, &damaged).unwrap();
            assert!(results.get(&key).is_none(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(results.get(&key).is_none(), "cut at {at}");
        }
        results.put(&key, &compiled("some ptx"));
        assert!(results.get(&key).is_some(), "a damaged entry is replaced");
    }

    #[test]
    fn an_entry_is_its_key_s_alone() {
        let folder = tempfile::tempdir().unwrap();
        let results = ResultCache::in_folder(folder.path().to_owned());
        let (right, wrong) = (Key::of([b"right".as_slice()]), Key::of([b"wrong".as_slice()]));
        results.put(&right, &compiled("the right kernel"));
        fs::copy(folder.path().join(right.name()), folder.path().join(wrong.name())).unwrap();
        assert!(results.get(&right).is_some() && results.get(&wrong).is_none());
    }

    #[test]
    fn what_is_read_only_keeps_nothing_new() {
        let folder = tempfile::tempdir().unwrap();
        let results = ResultCache::in_folder(folder.path().to_owned());
        let (a, b) = (Key::of([b"a".as_slice()]), Key::of([b"b".as_slice()]));
        results.put(&a, &compiled("ptx"));
        let reader = results.clone().read_only();
        reader.put(&b, &compiled("ptx"));
        assert!(reader.get(&a).is_some() && results.get(&b).is_none());
    }

    #[test]
    fn an_entry_of_another_form_is_a_miss() {
        let folder = tempfile::tempdir().unwrap();
        let results = ResultCache::in_folder(folder.path().to_owned());
        let key = Key::of([b"a".as_slice()]);
        // As this build would write it, except for the format's number or the version.
        let payload = wire::encode(&compiled("some ptx")).unwrap();
        let entry = |form: &[u8], payload: &[u8]| [form, &bound(&key, payload), payload].concat();
        for damaged in [
            entry(b"gpulearn result 2\n", &payload),
            entry(FORMAT_TAG, b"gpulearn 0.0.0\n\0\0\0\0\0\0\0\0"),
            entry(FORMAT_TAG, b""),
        ] {
            fs::write(folder.path().join(key.name()), damaged).unwrap();
            assert_eq!(results.get(&key), None);
        }
        fs::write(folder.path().join(key.name()), entry(FORMAT_TAG, &payload)).unwrap();
        assert!(results.get(&key).is_some());
    }

    /// Two builds of one version share a folder of results.
    #[test]
    fn another_form_has_another_number() {
        let bytes = postcard::to_stdvec(&compiled("ptx")).unwrap();
        let hash = hex(&sha256(&bytes));
        assert_eq!(
            hash, "fc11c8a81b509c53624485fb1055d9aa2e93535f2b97862f9020b6d7ae753233",
            "entries are written in another form: give FORMAT_TAG another number"
        );
    }

    #[test]
    fn the_oldest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = ResultCache::in_folder(folder.path().to_owned());
        let keys: Vec<Key> = (0..10u8).map(|n| Key::of([[n].as_slice()])).collect();
        let text = "x".repeat(1000);
        for (age, key) in keys.iter().enumerate() {
            results.put(key, &compiled(&text));
            let file = File::options().append(true).open(folder.path().join(key.name())).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age as u64 * 10_000)).unwrap();
        }
        // A use makes the oldest entry the newest.
        assert!(results.get(&keys[9]).is_some());
        results.bound_bytes = results.bytes() / 2;
        results.prune();
        let there: Vec<bool> = keys.iter().map(|key| results.get(key).is_some()).collect();
        assert_eq!(there, [true, true, true, true, false, false, false, false, false, true]);
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let results = ResultCache::in_folder(file.path().join("below-a-file"));
        let key = Key::of([b"a".as_slice()]);
        results.put(&key, &compiled("ptx"));
        assert!(results.get(&key).is_none());
        assert_eq!(results.bytes(), 0);
    }
}
