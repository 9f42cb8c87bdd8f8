//! Resolves names on the command line to the files to judge, each with its lesson and its origin.

use super::source_text::{is_cuda, name_of};
use super::{CommandError, Context, Result, find_lesson};
use judge::course::{Course, EntryKind, Folder, Lesson};
use report::escape;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum depth of nested folders that are searched.
const DEEPEST: usize = 16;

/// A file to judge.
#[derive(Clone, Debug)]
pub struct Target {
    pub lesson: Lesson,
    pub path: PathBuf,
    /// The file's name as the learner would type it.
    pub shown: String,
    pub origin: Origin,
}

/// Where a file to judge came from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The workspace's own file of the lesson, for which progress is recorded.
    Workspace,
    /// A file given by name, as typed.
    Named(OsString),
    /// A file in a folder given by name. It is opened relative to the open folder, even if its path changes
    /// meanwhile.
    InFolder { name: OsString, folder: Arc<Folder>, path: PathBuf },
    /// The text comes on standard input, from the process that opened the file.
    Piped,
}

impl Target {
    pub fn is_own(&self) -> bool {
        matches!(self.origin, Origin::Workspace)
    }
}

/// One of many files, each of which gets a line in the list.
pub enum Submission {
    /// A file to judge.
    File(Box<Target>),
    /// A file that is not judged for a reason that is known without reading it, with its lesson if known.
    Refused { shown: String, lesson: Option<String>, why: String },
}

impl Submission {
    /// Returns whether the file may be somebody else's.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Submission::File(target) if !target.is_own())
    }
}

/// The targets of a command.
pub enum Targets {
    /// Nothing was named, and every lesson is passed.
    Nothing,
    One(Box<Target>),
    /// Every lesson of the workspace.
    Lessons(Vec<Target>),
    /// The files named, and every `.cu` file of the folders named, ordered by name.
    Files(Vec<Submission>),
}

/// Resolves `names`; without any, the lesson to do.
///
/// # Errors
/// A name does not exist or belongs to no lesson, or a folder has no file of a lesson. Nothing is judged then.
pub fn resolve(names: &[OsString], lesson: Option<&str>, context: &Context) -> Result<Targets> {
    match names {
        [] => match context.current()? {
            Some(lesson) => Ok(Targets::One(own(lesson, context)?.into())),
            None => Ok(Targets::Nothing),
        },
        [one] if !is_folder(one, lesson, context)? => Ok(Targets::One(named(one, lesson, context)?.into())),
        _ => files(names, lesson, context).map(Targets::Files),
    }
}

/// Returns the workspace's own files of every lesson.
///
/// # Errors
/// As for [`own`]. The lessons can't be read.
pub fn every_lesson(context: &Context) -> Result<Targets> {
    let lessons = context.course()?.lessons().iter();
    lessons.map(|lesson| own(lesson, context)).collect::<Result<_, _>>().map(Targets::Lessons)
}

/// Returns a file whose text another process opened; `lesson` names its lesson.
///
/// # Errors
/// As for [`find_lesson::named_or_current`].
pub fn piped(name: &OsStr, lesson: Option<&str>, context: &Context) -> Result<Targets> {
    let lesson = find_lesson::named_or_current(lesson, context)?.clone();
    let target = Target { lesson, path: name.into(), shown: name_of(name), origin: Origin::Piped };
    Ok(Targets::One(target.into()))
}

fn files(names: &[OsString], lesson: Option<&str>, context: &Context) -> Result<Vec<Submission>> {
    let mut seen = BTreeSet::new();
    let mut submissions = Vec::new();
    for name in names {
        let found = match is_folder(name, lesson, context)? {
            true => in_folder(name, lesson, context)?,
            false => {
                let target = named(name, lesson, context)?;
                vec![(target.path.clone(), Submission::File(target.into()))]
            }
        };
        submissions.extend(found.into_iter().filter_map(|(path, one)| seen.insert(path).then_some(one)));
    }
    Ok(submissions)
}

/// Returns the submissions in a folder, each with its path. Other entries are reported, or listed as not judged.
fn in_folder(name: &OsStr, lesson: Option<&str>, context: &Context) -> Result<Vec<(PathBuf, Submission)>> {
    let unreadable =
        |e: io::Error| CommandError::environment(format!("can't read {}: {e}", escape(&name_of(name))));
    let folder = Arc::new(Folder::open(Path::new(name)).map_err(unreadable)?);
    let mut found = FolderContents::default();
    files_of(&folder, Path::new(""), 0, &mut found).map_err(unreadable)?;
    for (folder, why) in &found.left_out {
        let folder = Path::new(name).join(folder);
        context.say(&format!("Left out: {}, {why}.", escape(&name_of(folder.as_os_str()))));
    }
    if found.files.is_empty() {
        return Err(CommandError::usage(format!("there is no .cu file in {}", escape(&name_of(name)))));
    }
    let mut of_no_lesson = None;
    let mut submissions = Vec::new();
    for (below, refused) in found.files {
        let path = Path::new(name).join(&below);
        let shown = name_of(path.as_os_str());
        let target = file(path.clone().into(), lesson, context);
        let submission = match (target, refused) {
            (Ok(target), Some(why)) => {
                Submission::Refused { shown, lesson: Some(target.lesson.slug), why: why.into() }
            }
            (Err(_), Some(why)) => Submission::Refused { shown, lesson: None, why: why.into() },
            (Ok(mut target), None) => {
                if !target.is_own() {
                    target.origin =
                        Origin::InFolder { name: path.clone().into(), folder: folder.clone(), path: below };
                }
                Submission::File(target.into())
            }
            (Err(error), None) => {
                let why = error.message.clone();
                of_no_lesson.get_or_insert(error);
                Submission::Refused { shown, lesson: None, why }
            }
        };
        submissions.push((std::path::absolute(&path).unwrap_or(path), submission));
    }
    let known = |submission: &Submission| match submission {
        Submission::File(_) => true,
        Submission::Refused { lesson, .. } => lesson.is_some(),
    };
    // If none of the names belongs to a lesson, the learner probably forgot `--lesson`.
    match of_no_lesson {
        Some(error) if !submissions.iter().any(|(_, submission)| known(submission)) => Err(error),
        _ => Ok(submissions),
    }
}

/// The contents of a folder.
#[derive(Default)]
struct FolderContents {
    /// Files, each with the reason why it is not judged, if that is known already.
    files: Vec<(PathBuf, Option<&'static str>)>,
    /// Folders and links that were not searched, and why.
    left_out: Vec<(PathBuf, String)>,
}

/// Returns whether a name is that of a CUDA file to which a mail program or text editor has added its own
/// extension.
fn was_cuda(name: &OsStr) -> bool {
    name.as_encoded_bytes().to_ascii_lowercase().windows(4).any(|four| four == b".cu.")
}

/// Finds every `.cu` file of a folder and its subfolders, ordered by name. Hidden entries are skipped. A link to
/// a folder is not followed, since it may form a cycle. Entries that are named like a CUDA file and are none are
/// found too, so that no submission is silently dropped. A link to a file is not followed either: it could lead
/// to somebody else's work, or to a file that the student may not read.
fn files_of(folder: &Folder, place: &Path, depth: usize, found: &mut FolderContents) -> io::Result<()> {
    let entries = folder.entries()?;
    if entries.is_empty() && depth > 0 {
        found.left_out.push((place.to_owned(), "an empty folder".into()));
    }
    for (name, kind) in entries {
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = place.join(&name);
        match kind {
            EntryKind::Folder if depth >= DEEPEST => {
                found.left_out.push((path, format!("nested more than {DEEPEST} folders deep")));
            }
            EntryKind::Folder => {
                let inside = folder.folder(Path::new(&name));
                if let Err(why) = inside.and_then(|inside| files_of(&inside, &path, depth + 1, found)) {
                    found.left_out.push((path, format!("which can't be read: {why}")));
                }
            }
            EntryKind::File if is_cuda(&name) => found.files.push((path, None)),
            EntryKind::Link if is_cuda(&name) => {
                found.files.push((path, Some("it is a link, and links in a folder are not followed")));
            }
            _ if is_cuda(&name) => found.files.push((path, Some("it is not a regular file"))),
            _ if was_cuda(&name) => found.files.push((path, Some("its name does not end with .cu"))),
            EntryKind::Link => {
                found.left_out.push((path, "a link, and links in a folder are not followed".into()));
            }
            EntryKind::File | EntryKind::Other => {}
        }
    }
    Ok(())
}

/// Resolves one name or path.
///
/// # Errors
/// There is no such lesson or file, or the file belongs to no lesson.
pub fn named(name: &OsStr, lesson: Option<&str>, context: &Context) -> Result<Target> {
    if name.is_empty() {
        return Err(CommandError::usage("the name is empty: name a lesson or a .cu file"));
    }
    if !is_cuda(name) {
        return not_cuda(name, &name_of(name), lesson, context);
    }
    let target = file(name.to_owned(), lesson, context);
    let path = std::path::absolute(name).map_err(anyhow::Error::from)?;
    match path.is_file() {
        true => target,
        false => match target {
            Ok(target) if target.is_own() => Ok(target),
            _ => Err(no_file(&name_of(name), &path)),
        },
    }
}

/// Resolves a command's only name; without it, the lesson to do.
///
/// # Errors
/// As for [`named`] and [`own`]. Without a name: all lessons are passed.
pub fn named_or_current(name: Option<&OsStr>, lesson: Option<&str>, context: &Context) -> Result<Target> {
    match (name, context.current()?) {
        (Some(name), _) => named(name, lesson, context),
        (None, Some(lesson)) => own(lesson, context),
        (None, None) => Err(CommandError::usage("all lessons are passed: name one")),
    }
}

/// Returns the path of an existing `.cu` file that belongs to no lesson; `None` otherwise, or if `lesson` is
/// given.
///
/// # Errors
/// The lessons can't be read, or the name is empty.
pub fn own_program(name: Option<&OsStr>, lesson: Option<&str>, context: &Context) -> Result<Option<PathBuf>> {
    let Some(name) = name.filter(|_| lesson.is_none()) else { return Ok(None) };
    let path = std::path::absolute(name).map_err(anyhow::Error::from)?;
    let is_own = is_cuda(name) && path.is_file() && find_lesson::of_path(&path, context.course()?).is_none();
    Ok(is_own.then(|| name.into()))
}

/// Resolves a `.cu` file. The file need not be readable to determine its lesson.
fn file(name: OsString, lesson: Option<&str>, context: &Context) -> Result<Target> {
    let course = context.course()?;
    let command = &context.style.command;
    let shown = name_of(&name);
    let absolute = std::path::absolute(&name).map_err(anyhow::Error::from)?;
    let found = match lesson {
        Some(lesson) => Some(find_lesson::find(lesson, course, command)?),
        None => find_lesson::of_path(&absolute, course),
    };
    if let (Some(found), Some(workspace)) = (found, context.workspace())
        && same_file(&workspace.kernel(found), &absolute)
    {
        return own(found, context);
    }
    let found = found.ok_or_else(|| {
        CommandError::usage(format!(
            "{} belongs to no lesson: say which lesson it is for with --lesson NAME",
            escape(&shown)
        ))
    })?;
    Ok(Target { lesson: found.clone(), shown, path: absolute, origin: Origin::Named(name) })
}

/// Resolves a lesson's name, or one of the lesson's own texts, which stands for its kernel.
fn not_cuda(name: &OsStr, shown: &str, lesson: Option<&str>, context: &Context) -> Result<Target> {
    let course = context.course()?;
    let absolute = std::path::absolute(name).map_err(anyhow::Error::from)?;
    if lesson.is_none() {
        if !is_path(shown, course) {
            let found = find_lesson::find(shown, course, &context.style.command);
            if found.is_ok() || !absolute.exists() {
                return own(found?, context);
            }
        }
        if let Some(found) = of_own_text(name, &absolute, context)? {
            let target = own(found, context)?;
            let (name, kernel) = (escape(shown), escape(&target.shown));
            context.say(&format!("{name} belongs to lesson {}: using its kernel, {kernel}.", found.slug));
            return Ok(target);
        }
    }
    Err(no_file(shown, &absolute))
}

/// Returns whether a name is a path. Names of lessons in added courses contain a slash, too.
fn is_path(name: &str, course: &Course) -> bool {
    name.contains(['.', std::path::MAIN_SEPARATOR]) && course.lesson(name).is_none()
}

/// Returns the lesson whose text, or folder of texts, a path is. The path is taken relative to the workspace, so
/// that the names of folders above do not matter.
fn of_own_text<'a>(name: &OsStr, absolute: &Path, context: &'a Context) -> Result<Option<&'a Lesson>> {
    let inside = context.workspace().and_then(|w| absolute.strip_prefix(w.root()).ok());
    Ok(find_lesson::of_path(inside.unwrap_or(Path::new(name)), context.course()?))
}

/// Returns whether a name stands for a folder of files instead of a lesson.
fn is_folder(name: &OsStr, lesson: Option<&str>, context: &Context) -> Result<bool> {
    if name.is_empty() || !Path::new(name).is_dir() {
        return Ok(false);
    }
    let shown = name_of(name);
    let absolute = std::path::absolute(name).map_err(anyhow::Error::from)?;
    let course = context.course()?;
    let lesson_meant = lesson.is_none()
        && (!is_path(&shown, course) && find_lesson::find(&shown, course, "").is_ok()
            || of_own_text(name, &absolute, context)?.is_some());
    Ok(!lesson_meant)
}

/// Returns why a path is no CUDA file to judge.
fn no_file(name: &str, absolute: &Path) -> CommandError {
    let name = escape(name);
    CommandError::usage(if absolute.is_dir() {
        format!("{name} is a folder: name a lesson or a .cu file here")
    } else if absolute.exists() {
        format!("{name} is not a CUDA file: name a lesson or a .cu file")
    } else {
        format!("there is no file {name}: name a lesson or a .cu file")
    })
}

/// Returns the workspace's own file of a lesson, restored if it is missing.
///
/// # Errors
/// As for [`provide`].
pub fn own(lesson: &Lesson, context: &Context) -> Result<Target> {
    let path = provide(lesson, context)?;
    Ok(Target { lesson: lesson.clone(), shown: context.shown(&path), path, origin: Origin::Workspace })
}

/// Returns the path of the workspace's own file of a lesson. If it is missing, restores the starter and reports
/// that.
///
/// # Errors
/// There is no workspace, or the starter can't be written.
pub fn provide(lesson: &Lesson, context: &Context) -> Result<PathBuf> {
    let workspace = context.need_workspace()?;
    let path = workspace.kernel(lesson);
    if workspace.provide_kernel(lesson)? {
        context.say(&format!("{} was missing: the starter was restored.", escape(&context.shown(&path))));
    }
    if let (Some(of), Some(version)) = (&lesson.of, workspace.made_from(lesson)) {
        context.say(&format!(
            "{} was made from {} {version}; the starter of {} differs: `{} reset {}` uses it and keeps your file.",
            escape(&context.shown(&path)),
            of.name,
            of.version,
            context.style.command,
            lesson.slug
        ));
    }
    Ok(path)
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_by_name_and_what_is_hidden_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let deep = "deep/".repeat(DEEPEST + 1) + "e.cu";
        let names = [
            "b.cu",
            "a/z.cu",
            "a/b.txt",
            ".git/c.cu",
            "c/.d.cu",
            "c/D.CU",
            "10.cu",
            "9.cu",
            "c/E.Cu.txt",
            &deep,
        ];
        std::fs::create_dir(folder.path().join("nobody")).unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/again")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("nowhere", folder.path().join("link.cu")).unwrap();
        let mut found = FolderContents::default();
        files_of(&Folder::open(folder.path()).unwrap(), Path::new(""), 0, &mut found).unwrap();
        let (refused, files): (Vec<_>, Vec<_>) = found.files.iter().partition(|(_, why)| why.is_some());
        let files: Vec<_> = files.iter().map(|(path, _)| path.as_path()).collect();
        assert_eq!(files, ["10.cu", "9.cu", "a/z.cu", "b.cu", "c/D.CU"].map(Path::new));
        // A link counts as a submission too; its verdict says that it is a link.
        if cfg!(unix) {
            let refused: Vec<_> = refused.iter().map(|(path, _)| path.as_path()).collect();
            assert_eq!(refused, ["c/E.Cu.txt", "link.cu"].map(Path::new));
            assert_eq!(found.left_out.len(), 3, "{:?}", found.left_out);
        }
    }
}
