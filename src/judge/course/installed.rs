//! Stores added courses below the tool's data directory: for each a record `NAME.toml`, and next to it the folder
//! that the record names, which is replaced as a whole.

use super::keys::is_slug;
use super::manifest::CourseFiles;
use super::replace::{clear_leftovers, replace_file};
use super::{Course, CourseError, load, read_confined};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Largest size of a record in bytes.
const MAX_BYTES: u64 = 1 << 16;
/// Number of digest digits in a folder's name.
const DIGITS: usize = 16;

/// The folder that stores added courses.
#[derive(Clone, Debug)]
pub struct Installed {
    root: PathBuf,
}

/// The record of an added course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub name: String,
    pub version: String,
    pub licence: String,
    pub source: Source,
    /// Digest of the course's files, in hexadecimal.
    pub digest: String,
}

/// Where a course came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    /// A folder of this machine.
    Folder { path: PathBuf },
    /// A repository.
    Git {
        url: String,
        /// The branch whose newest commit is used; the server's default branch if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// The commit that was used.
        commit: String,
    },
}

impl Record {
    /// Returns the name of the course's folder.
    fn folder(&self) -> String {
        format!("{}-{}", self.name, &self.digest[..DIGITS.min(self.digest.len())])
    }
}

impl Installed {
    /// Creates a store in a folder. The folder itself is created when a course is added.
    pub fn new(root: PathBuf) -> Installed {
        Installed { root }
    }

    fn record_file(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.toml"))
    }

    /// Returns every course by name, with its record or why that cannot be read.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read.
    pub fn records(&self) -> Result<Vec<(String, Result<Record>)>> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(error).with_context(|| format!("can't read {}", self.root.display())),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter_map(|name| name.strip_suffix(".toml").filter(|name| is_slug(name)).map(String::from))
            .collect();
        names.sort();
        Ok(names.into_iter().map(|name| (name.clone(), self.read(&name))).collect())
    }

    /// Reads one record.
    fn read(&self, name: &str) -> Result<Record> {
        let file = format!("{name}.toml");
        let shown = self.root.join(&file);
        let bytes = read_confined(&self.root, Path::new(&file), MAX_BYTES)
            .with_context(|| format!("can't read {}", shown.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let record: Record =
            toml::from_str(&text).with_context(|| format!("{} is damaged", shown.display()))?;
        let sound = record.name == name
            && record.digest.len() == 64
            && record.digest.chars().all(|c| c.is_ascii_hexdigit());
        ensure!(sound, "{} is damaged", shown.display());
        Ok(record)
    }

    /// Returns the record of a course; `None` if there is no course of that name.
    ///
    /// # Errors
    ///
    /// Fails if the record cannot be read.
    pub fn record(&self, name: &str) -> Result<Option<Record>> {
        match is_slug(name) && self.record_file(name).exists() {
            true => self.read(name).map(Some),
            false => Ok(None),
        }
    }

    /// Loads the lessons of a course, with the course's name as prefix of their slugs.
    ///
    /// # Errors
    ///
    /// Fails if the course's files have changed since it was added.
    pub fn course(&self, record: &Record) -> Result<Course> {
        let files = CourseFiles::read(&self.root.join(record.folder()))?;
        ensure!(files.digest() == record.digest, "its files have changed since they were added");
        Ok(lessons_of(&files)?)
    }

    /// Stores a course, replacing one of the same name. Returns its record and its lessons.
    ///
    /// # Errors
    ///
    /// Fails if the course has problems or cannot be written.
    pub fn keep(&self, files: &CourseFiles, source: Source) -> Result<(Record, Course)> {
        let course = lessons_of(files)?;
        let manifest = &files.manifest;
        let record = Record {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            licence: manifest.licence.clone(),
            source,
            digest: files.digest(),
        };
        let before = self.record(&record.name).ok().flatten();
        let folder = self.root.join(record.folder());
        // The folder may be incomplete if a process was killed; its digest then differs.
        if !CourseFiles::read(&folder).is_ok_and(|kept| kept.digest() == record.digest) {
            let temporary = self.root.join(format!(".{}.{}", record.folder(), std::process::id()));
            for folder in [&temporary, &folder] {
                remove_folder(folder)?;
            }
            for (path, text) in files.files() {
                let path = temporary.join(path);
                let folder = path.parent().unwrap_or(&temporary);
                fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
                fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
            }
            fs::rename(&temporary, &folder).with_context(|| format!("can't create {}", folder.display()))?;
        }
        let text = toml::to_string(&record).context("a course's record")?;
        replace_file(&self.record_file(&record.name), text.as_bytes(), true)?;
        clear_leftovers(&self.record_file(&record.name));
        if let Some(before) = before.filter(|before| before.folder() != record.folder()) {
            remove_folder(&self.root.join(before.folder()))?;
        }
        Ok((record, course))
    }

    /// Removes a course. Returns `false` if there is no course of that name.
    ///
    /// # Errors
    ///
    /// Fails if the course cannot be removed.
    pub fn remove(&self, name: &str) -> Result<bool> {
        if !is_slug(name) || !self.record_file(name).exists() {
            return Ok(false);
        }
        // A course with a damaged record is removed too; its folder stays behind, but nothing reads it.
        let record = self.read(name).ok();
        let file = self.record_file(name);
        fs::remove_file(&file).with_context(|| format!("can't remove {}", file.display()))?;
        if let Some(record) = record {
            remove_folder(&self.root.join(record.folder()))?;
        }
        Ok(true)
    }
}

fn remove_folder(folder: &Path) -> Result<()> {
    match fs::symlink_metadata(folder) {
        Err(_) => Ok(()),
        Ok(meta) if !meta.is_dir() => bail!("{} is not a folder: move it away", folder.display()),
        Ok(_) => fs::remove_dir_all(folder).with_context(|| format!("can't remove {}", folder.display())),
    }
}

/// Loads the lessons of a course's files, with the course's name as prefix of their slugs.
fn lessons_of(files: &CourseFiles) -> Result<Course, CourseError> {
    let mut lessons = files.files.clone();
    lessons.remove(super::manifest::FILE);
    let mut course = load::of_files(lessons)?;
    course.prefix_names(&files.manifest.name, &files.manifest.version);
    Ok(course)
}
