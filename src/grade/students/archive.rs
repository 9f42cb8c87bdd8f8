//! Reads zip archives of submissions into memory: nothing is unpacked to disk.

use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Limits in bytes on an archive, on one file in it and on all files together; and the largest number of files.
pub const MAX_BYTES: u64 = 64 << 20;
pub const MAX_OF_A_FILE: u64 = (1 << 20) + 1;
const MAX_TOGETHER: u64 = 64 << 20;
const MAX_FILES: usize = 4096;

/// A file of an archive: its path, separated by `/`, and its bytes or why they cannot be read.
pub type Member = (String, Result<Vec<u8>, String>);

/// Returns the files of an archive whose paths `wanted` accepts, in the order of the archive; folders and hidden
/// files are skipped. A file larger than any source may be is truncated one byte after that limit.
///
/// # Errors
///
/// Fails if it is no zip archive, or has too many files or too many bytes in total.
pub fn members(bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Member>, String> {
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is not a zip archive: {error}"))?;
    if archive.len() > MAX_FILES {
        return Err(format!("it has {} files, more than {MAX_FILES}", archive.len()));
    }
    let mut together = 0;
    let mut all = Vec::new();
    for n in 0..archive.len() {
        let name = archive.name_for_index(n).unwrap_or_default().to_owned();
        let mut member = match archive.by_index(n) {
            Ok(member) => member,
            // With a password, for one.
            Err(error) if !hidden(&name) && wanted(&name) => {
                all.push((name, Err(format!("it can't be read: {error}"))));
                continue;
            }
            Err(_) => continue,
        };
        // Windows writes paths in its own way, and some programs keep them so.
        let path = member.enclosed_name().map(|path| path.to_string_lossy().replace('\\', "/"));
        let Some(path) = path.filter(|path| path.split('/').all(|step| step != "..")) else {
            all.push((name, Err("its path leads out of the archive".into())));
            continue;
        };
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

/// Returns whether files of an archive have one name, of which only the last can be read.
pub fn has_namesakes(bytes: &[u8]) -> bool {
    let read = ZipArchive::new(Cursor::new(bytes)).map_or(0, |archive| archive.len());
    entries(bytes).is_some_and(|entries| entries > read)
}

/// Returns how many entries an archive says that it has (APPNOTE.TXT, 4.3.16); `None` if there are too many to say.
fn entries(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).rposition(|signature| signature == b"PK\x05\x06")?;
    let number = u16::from_le_bytes(bytes.get(end + 10..end + 12)?.try_into().ok()?);
    (number < u16::MAX).then_some(number.into())
}

/// Returns whether a path is hidden (a component starts with a dot) or was added by macOS.
fn hidden(path: &str) -> bool {
    path.split('/').any(|step| step.starts_with('.') || step == "__MACOSX")
}
