//! Writes the files that options name, but none over a source file: its name may have been meant for the command.

use super::{CommandError, Result, shown_path};
use std::path::Path;

const SOURCES: [&str; 9] = ["cu", "cuh", "c", "cc", "cpp", "cxx", "h", "hh", "hpp"];

/// Refuses the name of a source file.
///
/// # Errors
///
/// It is one.
pub fn refuse_source(path: &Path) -> Result<()> {
    let ending = path.extension().unwrap_or_default();
    if SOURCES.iter().any(|source| ending.eq_ignore_ascii_case(source)) {
        let shown = shown_path(path);
        return Err(CommandError::usage(format!(
            "{shown} has the name of a source file, so it is not overwritten"
        )));
    }
    Ok(())
}

/// Writes a file that is no source file, and creates the folders above it.
///
/// # Errors
///
/// The path has the name of a source file, or can't be written.
pub fn write(path: &Path, contents: &[u8]) -> Result<()> {
    refuse_source(path)?;
    let folder = path.parent().unwrap_or(path);
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, contents));
    made.map_err(|error| failed(path, &error))
}

/// Returns the error of a file that can't be written.
pub fn failed(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::environment(format!("can't write {}: {error}", shown_path(path)))
}
