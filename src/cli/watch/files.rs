//! Which kernels were saved: told by the system where it can, and looked up besides, because on
//! network and shared folders it can't and does not say so.

use super::Event;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::SystemTime;

/// What a save changes.
type Stamp = Option<(SystemTime, u64)>;

pub struct Files {
    /// Slug, file, how it was last.
    kernels: Vec<(String, PathBuf, Stamp)>,
    /// Dropped, it stops telling.
    _watcher: Option<RecommendedWatcher>,
}

impl Files {
    /// Watches these files; `wake` is sent when one may have changed.
    pub fn new(kernels: Vec<(String, PathBuf)>, folder: &Path, wake: Sender<Event>) -> Files {
        let watcher = notify::recommended_watcher(move |_| {
            // The loop may have ended already.
            let _ = wake.send(Event::FilesMayHaveChanged);
        });
        let watcher = watcher.ok().and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::Recursive).ok()?;
            Some(watcher)
        });
        let kernels = kernels.into_iter().map(|(slug, path)| (slug, stamp(&path), path));
        Files { kernels: kernels.map(|(slug, stamp, path)| (slug, path, stamp)).collect(), _watcher: watcher }
    }

    /// Slugs whose file changed since the last call and is there. A file that is missing is being
    /// replaced, most likely, and is looked at again.
    pub fn changed(&mut self) -> Vec<String> {
        let mut changed = Vec::new();
        for (slug, path, before) in &mut self.kernels {
            let now = stamp(path);
            if now.is_some() && now != *before {
                *before = now;
                changed.push(slug.clone());
            }
        }
        changed
    }
}

fn stamp(path: &Path) -> Stamp {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_save_is_seen_once_however_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.cu");
        std::fs::write(&path, "1").unwrap();
        let (wake, woken) = mpsc::channel();
        let mut files = Files::new(vec![("map".into(), path.clone())], folder.path(), wake);
        assert!(files.changed().is_empty());
        std::fs::write(&path, "22").unwrap();
        assert_eq!(files.changed(), ["map"]);
        assert!(files.changed().is_empty());
        // As editors do: another file, renamed over it.
        std::fs::remove_file(&path).unwrap();
        assert!(files.changed().is_empty(), "gone for a moment");
        std::fs::write(folder.path().join("new"), "333").unwrap();
        std::fs::rename(folder.path().join("new"), &path).unwrap();
        assert_eq!(files.changed(), ["map"]);
        drop(files);
        drop(woken);
    }

    #[test]
    fn a_folder_that_cannot_be_watched_is_still_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.cu");
        let (wake, _woken) = mpsc::channel();
        let mut files = Files::new(vec![("map".into(), path.clone())], Path::new("/nowhere/at/all"), wake);
        std::fs::write(&path, "1").unwrap();
        assert_eq!(files.changed(), ["map"]);
    }
}
