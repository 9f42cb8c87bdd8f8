//! Determines who submitted what, from folders, archives and single files of a class as learning platforms export
//! them.

mod archive;
pub mod names;
mod submission;

pub use submission::{SubmittedFile, pack};

use super::class::Class;
use super::plan::Plan;
use super::times::records;
use anyhow::{Context, Result, bail};
use judge::course::{EntryKind, Folder, open_file};
use judge::{MAX_SOURCE_BYTES, is_cuda, name_of};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest depth of nested folders that are searched.
const DEEPEST: usize = 16;

/// Why a file next to the students' folders is skipped.
const NO_STUDENT: &str = "it is no student's folder, archive or .cu file";

/// A student of the class with the files that were found.
#[derive(Debug)]
pub struct Student {
    /// The student's name in the class.
    pub id: String,
    found: Vec<Found>,
}

/// A file, or why something is not one.
#[derive(Clone, Debug)]
struct Found {
    /// Path relative to the class's folder, separated by `/`.
    path: String,
    /// Path below the student's own folder, from which the lesson is derived; empty for an archive or a folder that is
    /// not read, in which any file may be.
    own: String,
    contents: Contents,
}

#[derive(Clone, Debug)]
enum Contents {
    Below(Arc<Folder>, PathBuf),
    /// The contents of a file in an archive.
    Bytes(Arc<Vec<u8>>),
    /// Why it is not read.
    Refused(String),
}

/// A student's submission to a lesson.
#[derive(Clone, Debug)]
pub struct LessonFile {
    /// Path relative to the class's folder, separated by `/`.
    pub path: String,
    /// The contents, truncated one byte after the largest size of a source; or why they cannot be read.
    pub bytes: Result<Vec<u8>, String>,
}

/// A student's submissions by lesson, and the remaining files.
#[derive(Debug, Default)]
pub struct StudentFiles {
    pub by_lesson: BTreeMap<String, LessonFile>,
    /// Files that were found but are not judged, and why.
    pub notes: Vec<String>,
    /// Paths of those that are named like no lesson.
    pub unnamed: Vec<String>,
}

impl StudentFiles {
    /// Returns why a lesson without a file may have been submitted; `None` if it was not.
    pub fn unmatched(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let names: Vec<&str> = self.unnamed.iter().take(SHOWN).map(String::as_str).collect();
        let more = if self.unnamed.len() > SHOWN { " and others" } else { "" };
        (!names.is_empty()).then(|| format!("{}{more}: not named like a lesson", names.join(", ")))
    }
}

/// A whole class, sorted by the students' names.
#[derive(Debug, Default)]
pub struct ClassList {
    pub students: Vec<Student>,
    /// Files that belong to no student, and why they are skipped.
    pub notes: Vec<String>,
}

/// Finds the students in a folder or an archive, and adds those that only the roster names. If the class is one
/// student, everything belongs to that student.
///
/// # Errors
///
/// Fails if the submissions cannot be read or contain no student.
pub fn find(submissions: &Path, class: &Class) -> Result<ClassList> {
    let shown = name_of(submissions.as_os_str());
    let mut finder =
        Finder { class, by_student: BTreeMap::new(), notes: Vec::new(), gradescope: BTreeMap::new() };
    if submissions.is_dir() {
        let root = Arc::new(Folder::open(submissions).with_context(|| format!("can't read {shown}"))?);
        match class.student {
            Some(student) => {
                finder.by_student.entry(student.to_owned()).or_default();
                finder.folder(&root, Path::new(""), student, "", 0);
            }
            None => finder.class(&root).with_context(|| format!("can't read {shown}"))?,
        }
    } else {
        let mut bytes = Vec::new();
        let file = open_file(submissions).with_context(|| format!("can't read {shown}"))?;
        file.take(archive::MAX_BYTES * 16 + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("can't read {shown}"))?;
        match class.student {
            Some(student) => {
                finder.by_student.entry(student.to_owned()).or_default();
                finder.archive(&bytes, &shown, student, "");
            }
            None => finder.class_archive(&bytes).map_err(|why| anyhow::anyhow!("{shown}: {why}"))?,
        }
    }
    for student in class.roster {
        finder.by_student.entry(student.clone()).or_default();
    }
    if finder.by_student.is_empty() {
        bail!("there is no student in {shown}: each needs a folder or an archive");
    }
    let students = finder.by_student.into_iter().map(|(id, found)| Student { id, found }).collect();
    Ok(ClassList { students, notes: finder.notes })
}

/// Reads the names in the column `student` of a CSV.
///
/// # Errors
///
/// Fails if there is no such column.
pub fn roster(csv: &str) -> Result<Vec<String>> {
    let mut rows = records(csv).into_iter();
    let header = rows.next().unwrap_or_default();
    let column = header.iter().position(|cell| cell.trim().eq_ignore_ascii_case("student"));
    let Some(column) = column else { bail!("the first line must name the columns, one of which is student") };
    let names = rows.filter_map(|row| Some(row.get(column)?.trim().to_owned()));
    Ok(names.filter(|name| !name.is_empty()).collect())
}

struct Finder<'a> {
    class: &'a Class<'a>,
    by_student: BTreeMap<String, Vec<Found>>,
    notes: Vec<String>,
    gradescope: BTreeMap<String, String>,
}

fn is_zip(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".zip")
}

fn is_archive(name: &str) -> bool {
    names::without_archive_ending(name).is_some()
}

/// Returns why an entry that is no folder is not read.
fn refusal(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Link => "it is a link, and links are not followed",
        EntryKind::File => "only zip archives are read",
        EntryKind::Folder | EntryKind::Other => "it is not a regular file",
    }
}

/// Returns whether a file may have been meant to be judged.
fn may_be_submission(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".cu") || name.contains(".cu.") || is_text(&name)
}

/// Returns whether a file is some text: a submission only if there is no other.
fn is_text(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".txt") && !name.contains(".cu.")
}

impl Finder<'_> {
    fn named(&self, name: &str) -> names::Named {
        match self.gradescope.get(name) {
            Some(student) => names::Named { student: student.clone(), file: None },
            None => names::read(name, &self.class.plan.prefix),
        }
    }

    fn add(&mut self, student: &str, path: String, own: String, contents: Contents) {
        self.by_student.entry(student.to_owned()).or_default().push(Found { path, own, contents });
    }

    /// Adds an archive or a folder of a student that is not read, so that nobody takes it for nothing.
    fn unopened(&mut self, student: &str, path: String, why: String) {
        self.notes.push(format!("{path}: {why}"));
        self.add(student, path, String::new(), Contents::Refused(why));
    }

    /// Searches the folder of a class.
    fn class(&mut self, root: &Arc<Folder>) -> std::io::Result<()> {
        const METADATA: &str = "submission_metadata.yml";
        if let Ok(text) = root.read(Path::new(METADATA), 16 << 20) {
            self.gradescope = names::gradescope(&String::from_utf8_lossy(&text)).into_iter().collect();
        }
        for (name, kind) in root.entries()? {
            let shown = name_of(&name);
            if shown.starts_with('.') || shown == METADATA {
                continue;
            }
            let named = self.named(&shown);
            match kind {
                EntryKind::Folder => {
                    self.by_student.entry(named.student.clone()).or_default();
                    self.folder(root, Path::new(&name), &named.student, "", 0);
                }
                EntryKind::File if is_zip(&shown) => {
                    self.archive_below(root, Path::new(&name), &named.student, "")
                }
                _ if is_archive(&shown) => self.unopened(&named.student, shown, refusal(kind).into()),
                EntryKind::File if named.file.is_some() || is_cuda(&name) => {
                    let own = named.file.unwrap_or_else(|| shown.clone());
                    self.file(
                        &named.student,
                        shown,
                        own,
                        Contents::Below(root.clone(), PathBuf::from(&name)),
                    );
                }
                EntryKind::Link => self.notes.push(format!("{shown}: {}", refusal(kind))),
                _ => self.notes.push(format!("{shown}: {NO_STUDENT}")),
            }
        }
        Ok(())
    }

    /// Adds a file that is located next to the students' folders.
    fn file(&mut self, student: &str, path: String, own: String, contents: Contents) {
        match may_be_submission(&own) {
            true => self.add(student, path, own, contents),
            false => {
                self.by_student.entry(student.to_owned()).or_default();
                self.notes.push(format!("{path}: it is not a .cu file"));
            }
        }
    }

    /// Adds all files below a student's folder; files that cannot be read are added with the reason.
    fn folder(&mut self, root: &Arc<Folder>, path: &Path, student: &str, own: &str, depth: usize) {
        let below = |name: &str| if own.is_empty() { name.to_owned() } else { format!("{own}/{name}") };
        let shown = |name: &OsStr| name_of(path.join(name).as_os_str());
        let opened = root.folder(if path.as_os_str().is_empty() { Path::new(".") } else { path });
        let entries = match opened.and_then(|folder| folder.entries()) {
            Ok(entries) if depth < DEEPEST => entries,
            Ok(_) => {
                let why = format!("nested more than {DEEPEST} folders deep");
                return self.unopened(student, name_of(path.as_os_str()), why);
            }
            Err(why) => {
                let why = format!("it can't be read: {why}");
                return self.unopened(student, name_of(path.as_os_str()), why);
            }
        };
        for (name, kind) in entries {
            let text = name_of(&name);
            if text.starts_with('.') || text == "__MACOSX" {
                continue;
            }
            let inside = path.join(&name);
            match kind {
                EntryKind::Folder => self.folder(root, &inside, student, &below(&text), depth + 1),
                EntryKind::File if is_zip(&text) => self.archive_below(root, &inside, student, &below("")),
                _ if is_archive(&text) => self.unopened(student, shown(&name), refusal(kind).into()),
                EntryKind::File if may_be_submission(&text) => {
                    self.add(student, shown(&name), below(&text), Contents::Below(root.clone(), inside));
                }
                EntryKind::Link | EntryKind::Other if may_be_submission(&text) => {
                    self.add(student, shown(&name), below(&text), Contents::Refused(refusal(kind).into()));
                }
                EntryKind::Link => self.notes.push(format!("{}: {}", shown(&name), refusal(kind))),
                EntryKind::File | EntryKind::Other => {}
            }
        }
    }

    fn archive_below(&mut self, root: &Folder, path: &Path, student: &str, own: &str) {
        let shown = name_of(path.as_os_str());
        self.by_student.entry(student.to_owned()).or_default();
        let bytes = match root.read(path, archive::MAX_BYTES) {
            Ok(bytes) if bytes.len() as u64 <= archive::MAX_BYTES => bytes,
            Ok(_) => {
                let why = format!("it is larger than {} MiB", archive::MAX_BYTES >> 20);
                return self.unopened(student, shown, why);
            }
            Err(why) => return self.unopened(student, shown, format!("it can't be read: {why}")),
        };
        self.archive(&bytes, &shown, student, own);
    }

    /// Adds the files in a student's archive.
    fn archive(&mut self, bytes: &[u8], shown: &str, student: &str, own: &str) {
        let members = match archive::members(bytes, &|path| may_be_submission(path) || is_archive(path)) {
            Ok(members) => members,
            Err(why) => return self.unopened(student, shown.to_owned(), why),
        };
        let (archives, members): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|(path, _)| is_archive(path));
        for (path, _) in archives {
            self.unopened(
                student,
                format!("{shown}/{path}"),
                "it is an archive within an archive".to_owned(),
            );
        }
        if archive::has_namesakes(bytes) {
            let note = "several files in it have the same name, and only the last of them is judged";
            self.notes.push(format!("{shown}: {note}"));
        }
        if let Ok(list) = archive::members(bytes, &|path| path == submission::LIST)
            && let Some((_, Ok(list))) = list.first()
        {
            let whole =
                members.iter().filter_map(|(path, bytes)| Some((path.clone(), bytes.as_deref().ok()?)));
            let remarks = submission::remarks(list, &self.class.lessons, &whole.collect::<Vec<_>>());
            self.notes.extend(remarks.into_iter().map(|remark| format!("{shown}: {remark}")));
        }
        for (path, bytes) in members {
            let contents = bytes.map_or_else(Contents::Refused, |bytes| Contents::Bytes(Arc::new(bytes)));
            self.add(student, format!("{shown}/{path}"), format!("{own}{path}"), contents);
        }
    }

    /// Searches the archive of a class, which contains folders, archives and files of students.
    fn class_archive(&mut self, bytes: &[u8]) -> Result<(), String> {
        let metadata = archive::members(bytes, &|path| path.ends_with("submission_metadata.yml"))?;
        if let Some((_, Ok(text))) = metadata.first() {
            self.gradescope = names::gradescope(&String::from_utf8_lossy(text)).into_iter().collect();
        }
        let members = archive::members(bytes, &|path| may_be_submission(path) || is_archive(path))?;
        // Some platforms put everything into one extra folder, perhaps with a text next to those of the students.
        let first = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
        let its: Vec<&String> = members.iter().map(|(path, _)| path).filter(|path| !is_text(path)).collect();
        let tops: BTreeSet<String> = its.iter().map(|path| first(path)).collect();
        let wrapped = tops.len() == 1 && its.iter().all(|path| path.matches('/').count() >= 2);
        for (path, bytes) in members {
            let contents = bytes.map_or_else(Contents::Refused, |bytes| Contents::Bytes(Arc::new(bytes)));
            let inside = path.split_once('/').filter(|_| wrapped).map_or(path.as_str(), |(_, rest)| rest);
            let (top, below) =
                inside.split_once('/').map_or((inside, None), |(top, below)| (top, Some(below)));
            let named = self.named(top);
            if is_text(top) && below.is_none() && named.file.is_none() {
                self.notes.push(format!("{path}: {NO_STUDENT}"));
                continue;
            }
            let own = below.map(str::to_owned).or(named.file.clone()).unwrap_or_else(|| top.to_owned());
            match contents {
                Contents::Bytes(bytes) if is_archive(&path) => match bytes.len() as u64 {
                    archive::MAX_OF_A_FILE.. => {
                        let why = format!("it is larger than {} MiB", archive::MAX_OF_A_FILE >> 20);
                        self.unopened(&named.student, path, why);
                    }
                    _ if is_zip(&path) => self.archive(&bytes, &path, &named.student, ""),
                    _ => self.unopened(&named.student, path, refusal(EntryKind::File).into()),
                },
                Contents::Refused(why) if is_archive(&path) => self.unopened(&named.student, path, why),
                contents => self.add(&named.student, path, own, contents),
            }
        }
        Ok(())
    }
}

impl Student {
    /// Reads the files for each lesson of the plan, each exactly once.
    pub fn submissions(&self, plan: &Plan) -> StudentFiles {
        let slugs: Vec<&str> = plan.assignments.iter().map(|it| it.lesson.slug.as_str()).collect();
        let mut files = StudentFiles::default();
        let mut candidates: BTreeMap<&str, Vec<(u32, &Found)>> = BTreeMap::new();
        // If only one lesson is graded, a student's only file is for that lesson, whatever its name.
        let sources = self.found.iter().filter(|found| !is_text(&found.own)).count();
        let only = match slugs.as_slice() {
            [slug] if sources == 1 => Some((*slug, 0)),
            _ => None,
        };
        let mut unopened = None;
        for found in &self.found {
            if let Contents::Refused(why) = &found.contents
                && found.own.is_empty()
            {
                let note = format!("{}: {why}", found.path);
                unopened.get_or_insert((&found.path, note.clone()));
                files.notes.push(note);
                continue;
            }
            let path: Vec<&str> = found.own.split('/').collect();
            let renamed = !is_cuda(OsStr::new(&found.own));
            match names::lesson_of(&path, &slugs).or(only) {
                _ if renamed => {
                    files.unnamed.push(found.path.clone());
                    files.notes.push(format!("{}: its name does not end with .cu", found.path));
                }
                Some((slug, again)) => candidates.entry(slug).or_default().push((again, found)),
                None => {
                    let why = match &found.contents {
                        Contents::Refused(why) => why,
                        Contents::Below(..) | Contents::Bytes(_) => "it is not for a graded lesson",
                    };
                    files.unnamed.push(found.path.clone());
                    files.notes.push(format!("{}: {why}", found.path));
                }
            }
        }
        for (slug, mut all) in candidates {
            // The latest submission comes first, then the file with the shortest path below the student's folder.
            all.sort_by_key(|(again, found)| {
                (std::cmp::Reverse(*again), found.own.matches('/').count(), found.path.clone())
            });
            let mut all = all.into_iter().map(|(_, found)| found);
            let Some(first) = all.next() else { continue };
            files.notes.extend(
                all.map(|other| format!("{}: {} is judged for this lesson instead", other.path, first.path)),
            );
            let bytes = match &first.contents {
                Contents::Below(folder, path) => {
                    folder.read(path, MAX_SOURCE_BYTES).map_err(|error| error.to_string())
                }
                Contents::Bytes(bytes) => Ok(bytes.to_vec()),
                Contents::Refused(why) => Err(why.clone()),
            };
            files.by_lesson.insert(slug.to_owned(), LessonFile { path: first.path.clone(), bytes });
        }
        // What was not found may be in what was not read.
        if let Some((path, why)) = unopened {
            for slug in slugs {
                let file = || LessonFile { path: path.clone(), bytes: Err(why.clone()) };
                files.by_lesson.entry(slug.to_owned()).or_insert_with(file);
            }
        }
        files
    }
}
