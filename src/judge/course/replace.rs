//! Replaces files as a whole, so that a crash at any moment leaves either the old or the new file.

use anyhow::Result;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Replaces a file atomically: readers see either the old or the new contents. With `durable`, returns only once
/// the file is on disk, where it survives a power failure.
///
/// # Errors
///
/// Fails, naming the file, if it cannot be written; no incomplete file is left under that name.
pub fn replace_file(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let write = || -> std::io::Result<()> {
        // Removes what a killed process with the same id left, or a link that somebody has put here.
        match fs::remove_file(&temporary) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut file = File::create_new(&temporary)?;
        file.write_all(bytes)?;
        if durable {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&temporary, path)?;
        #[cfg(unix)]
        if durable && let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    };
    write().map_err(|e| {
        let _ = fs::remove_file(&temporary);
        anyhow::Error::new(e).context(format!("can't write {}", path.display()))
    })
}

/// Removes temporary files that killed processes left next to `path`. No other process may be replacing `path` at
/// the same time; progress is written under a lock.
pub(super) fn clear_leftovers(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|n| n.to_str())) else {
        return;
    };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let left = entry.file_name();
        let ours = left.to_str().is_some_and(|l| {
            l.strip_prefix(name).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".tmp"))
        });
        if ours {
            let _ = fs::remove_file(entry.path());
        }
    }
}
