//! Opens and reads a learner's file.

use super::{CommandError, Result};
use judge::course::{Folder, open_file};
use judge::{Failure, text_of};
use report::escape;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

pub use judge::{MAX_SOURCE_BYTES, is_cuda, name_of};

/// Returns the text to judge, or the failure that the learner has to fix.
///
/// # Errors
///
/// The file does not exist or can't be read.
pub fn read_source(path: &Path, name: &str) -> Result<Result<String, Box<Failure>>> {
    text_in(open_file(path), name)
}

fn text_in(file: std::io::Result<File>, name: &str) -> Result<Result<String, Box<Failure>>> {
    let shown = escape(name);
    let file = match file {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Err(CommandError::usage(format!("there is no file {shown}")));
        }
        Err(e) if e.kind() == ErrorKind::InvalidInput => {
            return Err(CommandError::usage(format!("{shown} was not read: {e}")));
        }
        Err(e) => return Err(CommandError::environment(format!("can't read {shown}: {e}"))),
    };
    source_of(file, name)
}

/// Like [`read_source`], for a file in a folder, below which no symbolic link is followed.
///
/// # Errors
///
/// As for [`read_source`]; also if the path leads through a link.
pub fn read_below(folder: &Path, path: &Path, name: &str) -> Result<Result<String, Box<Failure>>> {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    text_in(Folder::open(folder).and_then(|folder| folder.file(relative)), name)
}

/// Like [`read_source`], for an open file.
///
/// # Errors
///
/// It can't be read.
pub fn source_of(file: impl Read, name: &str) -> Result<Result<String, Box<Failure>>> {
    let mut bytes = Vec::new();
    if let Err(e) = file.take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes) {
        return Err(CommandError::environment(format!("can't read {}: {e}", escape(name))));
    }
    Ok(text_of(bytes, name))
}
