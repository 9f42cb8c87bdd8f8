//! What is to be judged: names from the command line as files, each with its lesson and where it came from.

use super::source_text::{is_cuda, name_of};
use super::{CommandError, Context, find_lesson};
use judge::course::Lesson;
use report::escape;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Folders within folders that are looked into.
const DEEPEST: usize = 16;

/// A file to judge.
#[derive(Clone, Debug)]
pub struct Target {
    pub lesson: Lesson,
    pub path: PathBuf,
    /// How the learner would name it.
    pub shown: String,
    pub origin: Origin,
}

/// Where a file to judge came from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The workspace's own file of the lesson: progress counts.
    Workspace,
    /// A file that was named, or is in a folder that was.
    Elsewhere {
        /// As it was typed, or found.
        name: OsString,
        /// Why it is not judged, where that can be seen without looking into it.
        refused: Option<&'static str>,
    },
}

impl Target {
    pub fn is_own(&self) -> bool {
        matches!(self.origin, Origin::Workspace)
    }
}

/// What was asked for.
pub enum Targets {
    /// Nothing was named, and every lesson is passed.
    Nothing,
    One(Box<Target>),
    /// Every lesson of the workspace.
    Lessons(Vec<Target>),
    /// The files that were named, and of folders every `.cu` file, by name.
    Files(Vec<Target>),
}

/// What `names` stand for; without any, the lesson to do.
///
/// # Errors
/// One of them is not there or belongs to no lesson: then nothing is judged.
pub fn resolve(names: &[OsString], lesson: Option<&str>, context: &Context) -> Result<Targets, CommandError> {
    match names {
        [] => match context.current()? {
            Some(lesson) => Ok(Targets::One(own(lesson, context)?.into())),
            None => Ok(Targets::Nothing),
        },
        [one] if !is_folder(one, lesson, context)? => Ok(Targets::One(named(one, lesson, context)?.into())),
        _ => files(names, lesson, context).map(Targets::Files),
    }
}

/// The workspace's own file of every lesson.
pub fn every_lesson(context: &Context) -> Result<Targets, CommandError> {
    let lessons = context.course()?.lessons().iter();
    lessons.map(|lesson| own(lesson, context)).collect::<Result<_, _>>().map(Targets::Lessons)
}

fn files(names: &[OsString], lesson: Option<&str>, context: &Context) -> Result<Vec<Target>, CommandError> {
    let mut targets = Vec::new();
    for name in names {
        if !is_folder(name, lesson, context)? {
            targets.push(named(name, lesson, context)?);
            continue;
        }
        let mut found = Found::default();
        files_of(Path::new(name), 0, &mut found)?;
        for (folder, why) in &found.left_out {
            context.say(&format!("Left out: {}, {why}.", escape(&name_of(folder))));
        }
        if found.files.is_empty() {
            return Err(CommandError::usage(format!("there is no .cu file in {}", escape(&name_of(name)))));
        }
        for (name, refused) in found.files {
            targets.push(file(name, (true, refused), lesson, context)?);
        }
    }
    let mut seen = BTreeSet::new();
    targets.retain(|target| seen.insert(target.path.clone()));
    Ok(targets)
}

/// What a folder holds.
#[derive(Default)]
struct Found {
    /// With why it is not judged, where that can be seen already.
    files: Vec<(OsString, Option<&'static str>)>,
    /// Folders that were not looked into, and why.
    left_out: Vec<(OsString, String)>,
}

/// Every .cu file of a folder and of those in it, by name. What begins with a dot is nobody's hand-in, and
/// a link to a folder may lead back. What is named like a file and is none is found too, so that nobody
/// drops out of the list in silence; a link is not followed, as it could lead to another's work, or to
/// what the one who hands in may not read.
fn files_of(folder: &Path, depth: usize, found: &mut Found) -> Result<(), CommandError> {
    let trouble = |e: std::io::Error| {
        CommandError::environment(format!("can't read {}: {e}", escape(&name_of(folder.as_os_str()))))
    };
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(why) if depth > 0 => {
            found.left_out.push((folder.into(), format!("which can't be read: {why}")));
            return Ok(());
        }
        Err(why) => return Err(trouble(why)),
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let path = folder.join(&name);
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let kind = entry.file_type().map_err(trouble)?;
        if kind.is_dir() {
            match depth < DEEPEST {
                true => files_of(&path, depth + 1, found)?,
                false => found.left_out.push((path.into(), format!("more than {DEEPEST} folders down"))),
            }
        } else if is_cuda(&name) {
            let refused = match () {
                _ if kind.is_file() => None,
                _ if kind.is_symlink() => Some("it is a link, and links in a folder are not followed"),
                _ => Some("it is no ordinary file"),
            };
            found.files.push((path.into(), refused));
        }
    }
    Ok(())
}

/// What one name or path stands for.
pub fn named(name: &OsStr, lesson: Option<&str>, context: &Context) -> Result<Target, CommandError> {
    if name.is_empty() {
        return Err(CommandError::usage("the name is empty: name a lesson or a .cu file"));
    }
    if !is_cuda(name) {
        return not_cuda(name, &name_of(name), lesson, context);
    }
    file(name.to_owned(), (false, None), lesson, context)
}

/// A `.cu` file. What a folder holds need not be a file that can be read: whose it is can be said all the same.
fn file(
    name: OsString,
    (in_folder, refused): (bool, Option<&'static str>),
    lesson: Option<&str>,
    context: &Context,
) -> Result<Target, CommandError> {
    let course = context.course()?;
    let command = &context.style.command;
    let shown = name_of(&name);
    let absolute = std::path::absolute(&name).map_err(anyhow::Error::from)?;
    let found = match lesson {
        Some(lesson) => Some(find_lesson::find(lesson, course, command)?),
        None => find_lesson::of_path(&absolute, course),
    };
    if let (Some(found), Some(workspace), None) = (found, context.workspace(), refused)
        && same_file(&workspace.kernel(found), &absolute)
    {
        return own(found, context);
    }
    if !in_folder && !absolute.is_file() {
        return Err(no_file(&shown, &absolute));
    }
    let found = found.ok_or_else(|| {
        CommandError::usage(format!(
            "{0} belongs to no lesson. Say which lesson it is for: {command} check {0} --lesson NAME",
            escape(&shown)
        ))
    })?;
    Ok(Target { lesson: found.clone(), shown, path: absolute, origin: Origin::Elsewhere { name, refused } })
}

/// A lesson's name, or one of its own texts, which stands for its kernel.
fn not_cuda(
    name: &OsStr,
    shown: &str,
    lesson: Option<&str>,
    context: &Context,
) -> Result<Target, CommandError> {
    let course = context.course()?;
    let absolute = std::path::absolute(name).map_err(anyhow::Error::from)?;
    if lesson.is_none() {
        if !is_path(shown) {
            let found = find_lesson::find(shown, course, &context.style.command);
            if found.is_ok() || !absolute.exists() {
                return own(found?, context);
            }
        }
        if let Some(found) = of_own_text(name, &absolute, context)? {
            let target = own(found, context)?;
            let (name, kernel) = (escape(shown), escape(&target.shown));
            context.say(&format!("{name} belongs to lesson {}: taking its kernel, {kernel}.", found.slug));
            return Ok(target);
        }
    }
    Err(no_file(shown, &absolute))
}

fn is_path(name: &str) -> bool {
    name.contains(['.', std::path::MAIN_SEPARATOR])
}

/// The lesson whose own text, or folder of texts, a path is: seen from where the lessons are, whatever the
/// folders above are called.
fn of_own_text<'a>(
    name: &OsStr,
    absolute: &Path,
    context: &'a Context,
) -> Result<Option<&'a Lesson>, CommandError> {
    let inside = context.workspace().and_then(|w| absolute.strip_prefix(w.root()).ok());
    Ok(find_lesson::of_path(inside.unwrap_or(Path::new(name)), context.course()?))
}

/// Whether a name is that of a folder whose files are meant, and not of a lesson.
fn is_folder(name: &OsStr, lesson: Option<&str>, context: &Context) -> Result<bool, CommandError> {
    if name.is_empty() || !Path::new(name).is_dir() {
        return Ok(false);
    }
    let shown = name_of(name);
    let absolute = std::path::absolute(name).map_err(anyhow::Error::from)?;
    let lesson_meant = lesson.is_none()
        && (!is_path(&shown) && find_lesson::find(&shown, context.course()?, "").is_ok()
            || of_own_text(name, &absolute, context)?.is_some());
    Ok(!lesson_meant)
}

/// Why a path is no CUDA file to judge.
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

/// The workspace's own file of a lesson, put there where it is missing.
pub fn own(lesson: &Lesson, context: &Context) -> Result<Target, CommandError> {
    let path = provide(lesson, context)?;
    Ok(Target { lesson: lesson.clone(), shown: context.shown(&path), path, origin: Origin::Workspace })
}

/// Where the workspace's own file of a lesson is. One that was missing is the starter again, which
/// is said.
pub fn provide(lesson: &Lesson, context: &Context) -> Result<PathBuf, CommandError> {
    let workspace = context.need_workspace()?;
    let path = workspace.kernel(lesson);
    if workspace.provide_kernel(lesson)? {
        context.say(&format!("{} was missing: the starter is back.", escape(&context.shown(&path))));
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
        let names = ["b.cu", "a/z.cu", "a/b.txt", ".git/c.cu", "c/.d.cu", "c/D.CU", "10.cu", "9.cu", &deep];
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/again")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("nowhere", folder.path().join("link.cu")).unwrap();
        let mut found = Found::default();
        files_of(folder.path(), 0, &mut found).unwrap();
        let name = |path| Path::new(path).strip_prefix(folder.path()).unwrap().to_owned();
        let (refused, files): (Vec<_>, Vec<_>) = found.files.iter().partition(|(_, why)| why.is_some());
        let files: Vec<_> = files.iter().map(|(path, _)| name(path)).collect();
        assert_eq!(files, ["10.cu", "9.cu", "a/z.cu", "b.cu", "c/D.CU"].map(Path::new));
        // A link is a hand-in too: that it is one is its verdict.
        if cfg!(unix) {
            assert_eq!(name(&refused[0].0), Path::new("link.cu"));
        }
        assert_eq!(found.left_out.len(), 1);
    }
}
