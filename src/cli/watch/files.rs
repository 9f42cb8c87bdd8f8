//! Detects which kernels were saved: by the system's notifications, and also by polling, because notifications
//! silently do not work on network and shared folders.

use super::Event;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant, SystemTime};

/// Modification time and size; `None` if the file is missing.
type Stamp = Option<(SystemTime, u64)>;

struct Kernel {
    slug: String,
    path: PathBuf,
    /// The stamp at the last check.
    stamp: Stamp,
    /// Since when the file has been missing.
    missing: Option<Instant>,
    /// Whether it was reported as missing.
    reported: bool,
}

pub struct Files {
    kernels: Vec<Kernel>,
    /// Notifications stop when this is dropped.
    _watcher: Option<RecommendedWatcher>,
}

impl Files {
    /// Watches these files; `wake` is sent when one may have changed.
    pub fn new(kernels: Vec<(String, PathBuf)>, folder: &Path, wake: Sender<Event>) -> Files {
        let watcher = notify::recommended_watcher(move |_| {
            // The receiving loop may have ended already.
            let _ = wake.send(Event::FilesMayHaveChanged);
        });
        let watcher = watcher.ok().and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::Recursive).ok()?;
            Some(watcher)
        });
        let kernel = |(slug, path): (String, PathBuf)| {
            let stamp = stamp(&path);
            // A file that never existed is not reported as missing.
            Kernel { slug, path, missing: None, reported: stamp.is_none(), stamp }
        };
        Files { kernels: kernels.into_iter().map(kernel).collect(), _watcher: watcher }
    }

    /// Returns the slugs whose file exists and has changed since the last call. A file that is missing is
    /// probably being replaced, and is checked again next time.
    pub fn changed(&mut self) -> Vec<String> {
        let mut changed = Vec::new();
        for kernel in &mut self.kernels {
            let now = stamp(&kernel.path);
            if now.is_none() {
                kernel.missing.get_or_insert_with(Instant::now);
                continue;
            }
            (kernel.missing, kernel.reported) = (None, false);
            if now != kernel.stamp {
                kernel.stamp = now;
                changed.push(kernel.slug.clone());
            }
        }
        changed
    }

    /// Returns the slugs whose file has been missing for at least `since`, each once. If the file comes back, it
    /// counts as changed.
    pub fn gone(&mut self, since: Duration) -> Vec<String> {
        let mut gone = Vec::new();
        for kernel in self.kernels.iter_mut().filter(|kernel| !kernel.reported) {
            if kernel.missing.is_some_and(|from| from.elapsed() >= since) {
                (kernel.reported, kernel.stamp) = (true, None);
                gone.push(kernel.slug.clone());
            }
        }
        gone
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
        // Editors often write a new file and rename it over the old one.
        std::fs::remove_file(&path).unwrap();
        assert!(files.changed().is_empty(), "gone for a moment");
        assert!(files.gone(Duration::from_secs(60)).is_empty());
        std::fs::write(folder.path().join("new"), "333").unwrap();
        std::fs::rename(folder.path().join("new"), &path).unwrap();
        assert_eq!(files.changed(), ["map"]);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(files.changed().is_empty());
        assert_eq!(files.gone(Duration::ZERO), ["map"]);
        assert!(files.changed().is_empty() && files.gone(Duration::ZERO).is_empty(), "told once");
        std::fs::write(&path, bytes).unwrap();
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
