//! Reads zip archives of submissions into memory: nothing is unpacked to disk.

use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Limits in bytes on an archive, on one file in it and on all files together; and the largest number of files.
pub const MAX_BYTES: u64 = 64 << 20;
const MAX_OF_A_FILE: u64 = (1 << 20) + 1;
const MAX_TOGETHER: u64 = 64 << 20;
const MAX_FILES: usize = 4096;

/// A file of an archive: its path, separated by `/`, and its bytes or why they cannot be read.
pub type Member = (String, Result<Vec<u8>, String>);

/// Returns the files of an archive whose paths `wanted` accepts, in the order of the archive; folders and hidden
/// files are skipped. A file larger than any source may be is truncated one byte after that limit.
pub fn members(bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Member>, String> {
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is not a zip archive: {error}"))?;
    if archive.len() > MAX_FILES {
        return Err(format!("it has {} files, more than {MAX_FILES}", archive.len()));
    }
    let mut together = 0;
    let mut all = Vec::new();
    for n in 0..archive.len() {
        let mut member = match archive.by_index(n) {
            Ok(member) => member,
            Err(error) => {
                all.push((format!("file {}", n + 1), Err(format!("it can't be read: {error}"))));
                continue;
            }
        };
        let Some(path) = member.enclosed_name() else {
            all.push((member.name().to_owned(), Err("its path leads out of the archive".into())));
            continue;
        };
        let path = path.to_string_lossy().replace('\\', "/");
        if member.is_dir() || hidden(&path) || !wanted(&path) {
            continue;
        }
        if member.is_symlink() {
            all.push((path, Err("it is a link, and links are not followed".into())));
            continue;
        }
        let mut bytes = Vec::new();
        let read = member.by_ref().take(MAX_OF_A_FILE).read_to_end(&mut bytes);
        together += bytes.len() as u64;
        if together > MAX_TOGETHER {
            return Err(format!("its files are larger than {} MiB in total", MAX_TOGETHER >> 20));
        }
        all.push((path, read.map(|_| bytes).map_err(|error| format!("it can't be read: {error}"))));
    }
    Ok(all)
}

/// Returns whether a path is hidden (a component starts with a dot) or was added by macOS.
fn hidden(path: &str) -> bool {
    path.split('/').any(|step| step.starts_with('.') || step == "__MACOSX")
}
