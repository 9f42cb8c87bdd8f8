//! Courses of others, kept below the tool's data directory: a record `NAME.toml` for each, and beside it the folder
//! that it names, which is replaced as a whole.

use super::manifest::CourseFiles;
use super::replace::replace_file;
use super::validate::is_slug;
use super::{Course, CourseError, load, read_beneath};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Largest record.
const MOST_BYTES: u64 = 1 << 16;
/// Digits of the digest in a folder's name.
const DIGITS: usize = 16;

/// Where courses are kept.
#[derive(Clone, Debug)]
pub struct Installed {
    root: PathBuf,
}

/// What is known of a course that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub name: String,
    pub version: String,
    pub licence: String,
    pub source: Source,
    /// Of its files.
    pub digest: String,
}

/// Where a course came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    Folder {
        path: PathBuf,
    },
    Git {
        url: String,
        /// Of which the newest commit is taken; that of the server's choice if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// What was taken.
        commit: String,
    },
}

impl Record {
    /// Its folder in that of all courses.
    fn folder(&self) -> String {
        format!("{}-{}", self.name, &self.digest[..DIGITS.min(self.digest.len())])
    }
}

impl Installed {
    /// Below a folder, which is made when a course is added.
    pub fn new(root: PathBuf) -> Installed {
        Installed { root }
    }

    fn record_file(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.toml"))
    }

    /// Every course by name, or why its record can't be read.
    ///
    /// # Errors
    ///
    /// The folder can't be read.
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

    /// One record.
    fn read(&self, name: &str) -> Result<Record> {
        let file = format!("{name}.toml");
        let shown = self.root.join(&file);
        let bytes = read_beneath(&self.root, Path::new(&file), MOST_BYTES)
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

    /// The record of a course; `None` where there is none of that name.
    ///
    /// # Errors
    ///
    /// It can't be read.
    pub fn record(&self, name: &str) -> Result<Option<Record>> {
        match is_slug(name) && self.record_file(name).exists() {
            true => self.read(name).map(Some),
            false => Ok(None),
        }
    }

    /// The lessons of a course, by the names that they have beside ours.
    ///
    /// # Errors
    ///
    /// Its files are not as they were kept.
    pub fn course(&self, record: &Record) -> Result<Course> {
        let files = CourseFiles::read(&self.root.join(record.folder()))?;
        ensure!(files.digest() == record.digest, "its files are not as they were added");
        Ok(lessons_of(&files)?)
    }

    /// Keeps a course, in place of the one of its name; its lessons come back.
    ///
    /// # Errors
    ///
    /// Its lessons are not as they should be, or it can't be written.
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
        // What a killed process left is no course of that digest.
        if !CourseFiles::read(&folder).is_ok_and(|kept| kept.digest() == record.digest) {
            let beside = self.root.join(format!(".{}.{}", record.folder(), std::process::id()));
            for folder in [&beside, &folder] {
                remove_folder(folder)?;
            }
            for (path, text) in files.files() {
                let path = beside.join(path);
                let folder = path.parent().unwrap_or(&beside);
                fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
                fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
            }
            fs::rename(&beside, &folder).with_context(|| format!("can't make {}", folder.display()))?;
        }
        let text = toml::to_string(&record).context("a course's record")?;
        replace_file(&self.record_file(&record.name), text.as_bytes(), true)?;
        if let Some(before) = before.filter(|before| before.folder() != record.folder()) {
            remove_folder(&self.root.join(before.folder()))?;
        }
        Ok((record, course))
    }

    /// Forgets a course. False where there is none of that name.
    ///
    /// # Errors
    ///
    /// It can't be removed.
    pub fn remove(&self, name: &str) -> Result<bool> {
        if !is_slug(name) || !self.record_file(name).exists() {
            return Ok(false);
        }
        // Also one whose record is damaged: then its folder stays, which nothing reads.
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
        Ok(meta) if !meta.is_dir() => bail!("{} is no folder: move it away", folder.display()),
        Ok(_) => fs::remove_dir_all(folder).with_context(|| format!("can't remove {}", folder.display())),
    }
}

/// The lessons of a course's files, named by it.
fn lessons_of(files: &CourseFiles) -> Result<Course, CourseError> {
    let mut lessons = files.files.clone();
    lessons.remove(super::manifest::FILE);
    let mut course = load::of_files(lessons)?;
    course.name_by(&files.manifest.name, &files.manifest.version);
    Ok(course)
}
