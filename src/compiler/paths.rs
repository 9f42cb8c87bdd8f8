//! The location of our cache, and the size of what is in a folder.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the folder in which compilers and their headers are installed.
///
/// # Errors
///
/// Fails as [`cache_dir`] does.
pub fn compilers_dir() -> Result<PathBuf> {
    Ok(cache_dir()?.join("compiler"))
}

/// Returns the folder in which compile results are cached.
///
/// # Errors
///
/// Fails as [`cache_dir`] does.
pub fn results_dir() -> Result<PathBuf> {
    Ok(cache_dir()?.join("compile"))
}

/// Returns `$XDG_CACHE_HOME/gpulearn`, otherwise `~/.cache/gpulearn` (`%LOCALAPPDATA%\gpulearn` on Windows).
/// The folder is not created; a relative `XDG_CACHE_HOME` is ignored, as the XDG specification requires.
///
/// # Errors
///
/// Fails if no variable names a folder and there is no home directory.
pub fn cache_dir() -> Result<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(base) = absolute("XDG_CACHE_HOME") {
        return Ok(base.join("gpulearn"));
    }
    if cfg!(windows)
        && let Some(base) = absolute("LOCALAPPDATA")
    {
        return Ok(base.join("gpulearn"));
    }
    env::home_dir()
        .filter(|home| home.is_absolute())
        .map(|home| home.join(".cache").join("gpulearn"))
        .context("no home directory to keep the compiler in: set XDG_CACHE_HOME to a folder you may write to")
}

/// Returns the size of all files in a folder and its subfolders; files that disappear meanwhile are skipped.
pub fn bytes_below(folder: &Path) -> u64 {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |found| found.len()),
            _ => 0,
        })
        .sum()
}
