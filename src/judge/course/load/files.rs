//! The files of a course: embedded in the program, or read from a folder.

use crate::course::{CourseError, Embedded, Problem};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// Largest file of a course, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// Folders of a course and the depth of their subfolders: `kernels/<part>/<slug>.cu`,
/// `lessons/<part>/<slug>/<file>`.
const FOLDERS: [(&str, u32); 3] = [("kernels", 1), ("lessons", 2), ("solutions", 1)];

/// Texts by path from the root, separated by `/`.
pub type Files = BTreeMap<Cow<'static, str>, Cow<'static, str>>;

/// The files below a folder, and problems with reading them.
pub struct FoundFiles {
    pub files: Files,
    pub problems: Vec<Problem>,
}

/// Returns the files embedded in a program.
pub fn of_program(embedded: Embedded) -> Files {
    embedded.iter().map(|(path, text)| (Cow::Borrowed(*path), Cow::Borrowed(*text))).collect()
}

/// Reads the files of a folder.
///
/// # Errors
///
/// Fails if the folder cannot be a course.
pub fn of_folder(root: &Path) -> Result<FoundFiles, CourseError> {
    FoundFiles::below(root, &FOLDERS)
}

/// Reads the files of a clone in which somebody learns: all as they are on disk except the starters, because the
/// files in kernels/ are the learner's work. Also returns whether anything differs from the embedded files.
///
/// # Errors
///
/// Fails if there is no folder `lessons`; files that can't be read are problems of what is returned.
pub fn of_checkout(root: &Path, embedded: Embedded) -> Result<(FoundFiles, bool), CourseError> {
    // Other files in kernels/ are not part of the course.
    let [(_, _), course @ ..] = FOLDERS;
    let mut found = FoundFiles::below(root, &course)?;
    let kernel =
        |path: &str| Some(path.strip_suffix("/lesson.toml")?.replacen("lessons/", "kernels/", 1) + ".cu");
    let kernels: Vec<String> = found.files.keys().filter_map(|path| kernel(path)).collect();
    for path in kernels {
        match embedded.iter().find(|(built_in, _)| *built_in == path) {
            Some((path, text)) => drop(found.files.insert(Cow::Borrowed(path), Cow::Borrowed(text))),
            // The starter of a lesson that is being written.
            None => found.read_file(root, path),
        }
    }
    let same = |(path, text): &(&str, &str)| found.files.get(*path).is_some_and(|here| here == text);
    let differs = found.files.len() != embedded.len() || !embedded.iter().all(same);
    Ok((found, differs))
}

impl FoundFiles {
    fn below(root: &Path, folders: &[(&str, u32)]) -> Result<FoundFiles, CourseError> {
        if !root.join("lessons").is_dir() {
            let message = "no folder `lessons` here: a course has lessons/, kernels/ and solutions/";
            let problem = Problem::new(&root.display().to_string(), None, message);
            return Err(CourseError { problems: vec![problem] });
        }
        let mut found = FoundFiles { files: Files::new(), problems: Vec::new() };
        for (folder, depth) in folders {
            found.read_folder(root, folder, *depth);
        }
        Ok(found)
    }

    fn problem(&mut self, file: &str, message: String) {
        self.problems.push(Problem::new(file, None, message));
    }

    /// Reads a file of the course, if it exists.
    fn read_file(&mut self, root: &Path, path: String) {
        let here = root.join(&path);
        let Some(meta) = std::fs::metadata(&here).ok().filter(std::fs::Metadata::is_file) else { return };
        if meta.len() > LARGEST_FILE {
            return self.problem(&path, format!("larger than {LARGEST_FILE} bytes"));
        }
        match std::fs::read_to_string(here) {
            Ok(text) => drop(self.files.insert(path.into(), text.into())),
            Err(error) => self.problem(&path, format!("can't be read as text: {error}")),
        }
    }

    fn read_folder(&mut self, root: &Path, folder: &str, depth: u32) {
        let entries = match std::fs::read_dir(root.join(folder)) {
            Ok(entries) => entries.filter_map(Result::ok),
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => return self.problem(folder, format!("can't be read: {error}")),
        };
        let mut folders = Vec::new();
        for entry in entries {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let path = format!("{folder}/{name}");
            let Ok(meta) = std::fs::metadata(entry.path()) else { continue };
            if meta.is_dir() {
                folders.push(path);
            } else if meta.is_file()
                && [".toml", ".md", ".cu", ".txt"].iter().any(|ending| name.ends_with(ending))
            {
                self.read_file(root, path);
            }
        }
        if depth > 0 {
            folders.iter().for_each(|path| self.read_folder(root, path, depth - 1));
        }
    }
}
