//! Files that are replaced as a whole, so that a kill at any moment leaves the old or the new one.

use anyhow::Result;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes a file so that others see the old one or the whole new one. `durable` waits until it is
/// on the disk.
pub fn replace_file(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let write = || -> std::io::Result<()> {
        // What a killed process of this number left, or a link that waits here, goes.
        match fs::remove_file(&beside) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut file = File::create_new(&beside)?;
        file.write_all(bytes)?;
        if durable {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&beside, path)?;
        #[cfg(unix)]
        if durable && let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    };
    write().map_err(|e| {
        let _ = fs::remove_file(&beside);
        anyhow::Error::new(e).context(format!("can't write {}", path.display()))
    })?;
    if durable {
        clear_leftovers(path);
    }
    Ok(())
}

/// Removes what killed processes left beside `path`; called under the lock, so no other writes.
fn clear_leftovers(path: &Path) {
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
