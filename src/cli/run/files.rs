//! Files that a program has left: written where it would have written them itself, within the current folder.

use host::program::WrittenFile;
use judge::course::replace_file;
use report::{FileRefusal, ProgramFileView};
use std::path::{Component, Path};

/// Writes the files, and returns what became of each. The program's own `source` is not overwritten.
pub fn keep(files: &[WrittenFile], source: &Path) -> Vec<ProgramFileView> {
    let kept = |file: &WrittenFile| ProgramFileView {
        path: String::from_utf8_lossy(&file.path).into_owned(),
        bytes: file.bytes.len(),
        refused: keep_one(file, source).err(),
    };
    files.iter().map(kept).collect()
}

fn keep_one(file: &WrittenFile, source: &Path) -> Result<(), FileRefusal> {
    let path = std::str::from_utf8(&file.path).map(Path::new).map_err(|_| FileRefusal::Failed)?;
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(FileRefusal::Outside);
    }
    let here = Path::new(".").canonicalize().map_err(|_| FileRefusal::Failed)?;
    // A folder within this one may be a link that leads out of it.
    let folder =
        here.join(path.parent().unwrap_or(path)).canonicalize().map_err(|_| FileRefusal::NoFolder)?;
    if !folder.starts_with(&here) {
        return Err(FileRefusal::Outside);
    }
    let name = path.file_name().ok_or(FileRefusal::Failed)?;
    let written = folder.join(name);
    // The same file may have several names.
    if source.canonicalize().is_ok_and(|source| written.canonicalize().is_ok_and(|its| its == source)) {
        return Err(FileRefusal::Source);
    }
    replace_file(&written, &file.bytes, false).map_err(|_| FileRefusal::Failed)
}
