//! `course`: third-party lessons next to the built-in ones. A course is a folder or a git repository with
//! `course.toml`. It is copied below the tool's data directory, and nothing in it is executed.

use super::git::{clone, is_git, shown_url};
use super::{Answer, CommandError, Context, Result, shown_path};
use etcetera::BaseStrategy;
use judge::course::{Course, CourseFiles, Installed, Record, Source};
use report::{escape, plural};
use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Maximum number of problems of a course that are listed.
const SHOWN: usize = 5;
/// Digits of a commit hash that are shown.
const DIGITS: usize = 12;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Add a course, whose lessons are then listed after ours as COURSE/LESSON
    Add {
        /// A folder with course.toml, lessons/, kernels/ and solutions/, or the URL of such a git repository
        #[arg(value_name = "FOLDER|URL")]
        source: String,
        /// Branch or tag of the repository, instead of the server's default
        #[arg(long, value_name = "NAME")]
        branch: Option<String>,
        #[command(flatten)]
        limit: Limit,
    },
    /// List the courses that were added, with version, licence and source
    List,
    /// Fetch one course, or all, from the source again
    Update {
        course: Option<String>,
        #[command(flatten)]
        limit: Limit,
    },
    /// Remove a course; the files that you wrote for it stay
    Remove { course: String },
}

#[derive(clap::Args)]
struct Limit {
    /// Time limit for git, in seconds
    #[arg(long = "limit-seconds", value_name = "N", default_value = "120")]
    seconds: NonZero<u32>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let text = match args.command {
        Command::Add { source, branch, limit } => add(&source, branch.as_deref(), &limit, context)?,
        Command::List => list(context)?,
        Command::Update { course, limit } => update(course.as_deref(), &limit, context)?,
        Command::Remove { course } => remove(&course, context)?,
    };
    context.answer(&text)
}

/// Returns the folder for installed courses.
pub fn folder() -> Option<PathBuf> {
    Some(data_folder()?.join("courses"))
}

/// Returns the user's own folder for what this program keeps: `gpulearn` in the system's folder for application data,
/// that is `~/.local/share` or `$XDG_DATA_HOME`, on Windows `%APPDATA%`. `None` if there is no home directory.
pub fn data_folder() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.data_dir().join("gpulearn"))
}

fn installed() -> Result<Installed> {
    let no_home = || CommandError::environment("there is no home directory to keep courses in: set HOME");
    folder().map(Installed::new).ok_or_else(no_home)
}

/// Returns the installed courses. Reports those that can't be read, and leaves them out.
pub fn added(context: &Context) -> Vec<Course> {
    let Some(installed) = folder().map(Installed::new) else { return Vec::new() };
    let records = match installed.records() {
        Ok(records) => records,
        Err(error) => {
            context.say(&format!(
                "Note: courses that were added are left out: {}",
                escape(&format!("{error:#}"))
            ));
            return Vec::new();
        }
    };
    let courses = records.into_iter().filter_map(|(name, record)| {
        let course = record.and_then(|record| installed.course(&record));
        let left_out = |error: &anyhow::Error| {
            let why = format!("{error:#}");
            let first = escape(why.lines().next().unwrap_or_default());
            context.say(&format!(
                "Note: the course {name} is left out: {first}. `{0} course update {name}` fetches it again, `{0} \
                 course remove {name}` removes it.",
                context.style.command
            ));
        };
        course.inspect_err(left_out).ok()
    });
    courses.collect()
}

fn add(source: &str, branch: Option<&str>, limit: &Limit, context: &Context) -> Result<String> {
    let installed = installed()?;
    let source = match is_git(source) {
        true => CourseOrigin::Git { url: source.to_owned(), branch: branch.map(String::from) },
        false if branch.is_some() => {
            return Err(CommandError::usage(
                "--branch is for git repositories: give a URL, such as file:///a/folder",
            ));
        }
        false => CourseOrigin::Folder(PathBuf::from(source)),
    };
    let (files, source) = source.fetch(limit, context)?;
    let (name, command) = (&files.manifest.name, &context.style.command);
    if let Some(there) = installed.record(name).ok().flatten() {
        return Err(CommandError::usage(format!(
            "the course {name} {} was added before, from {}: `{command} course update {name}` fetches it again, \
             `{command} course remove {name}` removes it",
            there.version,
            from(&there.source),
        )));
    }
    if context.base_course()?.lesson(name).is_some() {
        return Err(CommandError::usage(format!(
            "the course is called {name}, as one of our lessons is: another `name` in its course.toml is needed"
        )));
    }
    let (record, course) = kept(&installed, &files, source)?;
    let lessons = course.lessons();
    let first = lessons.first().map_or("", |lesson| &lesson.slug);
    let left_out = match files.left_out.as_slice() {
        [] => String::new(),
        some => format!("Left out: {}, which only our own course can have\n", some.join(" and ")),
    };
    Ok(format!(
        "Added {name} {} ({}): {} in {}, from {}\n{left_out}\nNow    {command} read {first}\n       {command} list --all\n",
        record.version,
        record.licence,
        plural(lessons.len() as u64, "lesson", "lessons"),
        plural(course.parts().len() as u64, "part", "parts"),
        from(&record.source),
    ))
}

fn list(context: &Context) -> Result<String> {
    let records = installed()?.records()?;
    let mut text = String::new();
    for (name, record) in &records {
        text += &match record {
            Ok(Record { version, licence, source, .. }) => {
                format!("{name}  {version}  {licence}  {}\n", from(source))
            }
            Err(error) => format!("{name}  {}\n", escape(&format!("{error:#}"))),
        };
    }
    if records.is_empty() {
        text += &format!(
            "No course was added yet: `{} course add FOLDER|URL` adds one.\n",
            context.style.command
        );
    }
    Ok(text)
}

fn update(course: Option<&str>, limit: &Limit, context: &Context) -> Result<String> {
    let installed = installed()?;
    let records = match course {
        Some(name) => vec![(name.to_owned(), known(&installed, name, context)?)],
        None => {
            let all = installed.records()?.into_iter();
            all.map(|(name, record)| Ok((name, record?))).collect::<Result<Vec<_>>>()?
        }
    };
    if records.is_empty() {
        return list(context);
    }
    let mut text = String::new();
    for (name, record) in records {
        let (files, source) = CourseOrigin::again(&record.source).fetch(limit, context)?;
        if files.manifest.name != name {
            return Err(CommandError::environment(format!(
                "{} is now the course {}, and no longer {name}: nothing was changed",
                from(&record.source),
                files.manifest.name
            )));
        }
        let before = installed.course(&record).ok();
        if before.is_some() && files.digest() == record.digest {
            text += &format!("{name} {} is up to date.\n", record.version);
            continue;
        }
        let (new, course) = kept(&installed, &files, source)?;
        let commit = |record: &Record| match &record.source {
            Source::Git { commit, .. } => format!(" (commit {})", shortened(commit)),
            Source::Folder { .. } => String::new(),
        };
        text += &format!(
            "{name}: from {}{} to {}{}\n",
            record.version,
            commit(&record),
            new.version,
            commit(&new)
        );
        text += &changes(before.as_ref(), &course, context);
    }
    Ok(text)
}

/// Lists the lessons that were added or removed, and those whose starter no longer is the one that the
/// workspace's file was made from.
fn changes(before: Option<&Course>, after: &Course, context: &Context) -> String {
    let slugs = |course: &Course| -> BTreeSet<String> {
        course.lessons().iter().map(|lesson| lesson.slug.clone()).collect()
    };
    let (old, new) = (before.map(slugs).unwrap_or_default(), slugs(after));
    let mut text = String::new();
    if before.is_some() {
        for (what, which) in [("new", &new - &old), ("gone", &old - &new)] {
            if !which.is_empty() {
                text += &format!("  {what}: {}\n", which.into_iter().collect::<Vec<_>>().join(", "));
            }
        }
    }
    for lesson in after.lessons() {
        if let Some(version) = context.workspace().and_then(|workspace| workspace.made_from(lesson)) {
            text += &format!(
                "  {}: your file was made from {version}, and the starter has changed. `{} reset {0}` uses the new \
                 one and keeps yours.\n",
                lesson.slug, context.style.command
            );
        }
    }
    text
}

fn remove(name: &str, context: &Context) -> Result<String> {
    let installed = installed()?;
    match installed.remove(name)? {
        true => Ok(format!("{name} was removed. What you wrote for it stays in your workspace.\n")),
        false => known(&installed, name, context).map(|_| String::new()),
    }
}

/// Returns the record of a course by name, or a usage error.
fn known(installed: &Installed, name: &str, context: &Context) -> Result<Record> {
    installed.record(name)?.ok_or_else(|| {
        CommandError::usage(format!(
            "no course \"{}\" was added: `{} course list` lists all",
            escape(name),
            context.style.command
        ))
    })
}

/// Installs a course. If the course is invalid, the error lists its problems.
fn kept(installed: &Installed, files: &CourseFiles, source: Source) -> Result<(Record, Course)> {
    installed.keep(files, source).map_err(|error| match error.downcast::<judge::course::CourseError>() {
        Ok(problems) => unsound(&problems),
        Err(error) => error.into(),
    })
}

fn unsound(error: &judge::course::CourseError) -> CommandError {
    let problems =
        error.problems.iter().take(SHOWN).map(|problem| format!("\n  {}", escape(&problem.to_string())));
    let more = match error.problems.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    CommandError::usage(format!("the course was not added:{}{more}", problems.collect::<String>()))
}

/// Formats a course's origin for the user.
fn from(source: &Source) -> String {
    match source {
        Source::Folder { path } => shown_path(path),
        Source::Git { url, branch, commit } => {
            let branch = branch.as_ref().map_or(String::new(), |branch| format!(", {}", escape(branch)));
            format!("{}{branch}, commit {}", shown_url(url), shortened(commit))
        }
    }
}

fn shortened(commit: &str) -> String {
    escape(&commit.chars().take(DIGITS).collect::<String>())
}

/// A course to fetch.
enum CourseOrigin {
    Folder(PathBuf),
    Git { url: String, branch: Option<String> },
}

impl CourseOrigin {
    fn again(source: &Source) -> CourseOrigin {
        match source {
            Source::Folder { path } => CourseOrigin::Folder(path.clone()),
            Source::Git { url, branch, .. } => CourseOrigin::Git { url: url.clone(), branch: branch.clone() },
        }
    }

    /// Fetches the course's files, and returns them with their exact origin.
    fn fetch(self, limit: &Limit, context: &Context) -> Result<(CourseFiles, Source)> {
        match self {
            CourseOrigin::Folder(path) => {
                let path = path.canonicalize().map_err(|error| {
                    CommandError::usage(format!("can't read {}: {error}", shown_path(&path)))
                })?;
                let files = CourseFiles::read(&path).map_err(|error| unsound(&error))?;
                Ok((files, Source::Folder { path }))
            }
            CourseOrigin::Git { url, branch } => {
                let local = url.starts_with("file://") || !url.contains("://") && Path::new(&url).exists();
                if context.global.offline && !local {
                    return Err(CommandError::usage(format!(
                        "--offline is set, so {} is not fetched",
                        shown_url(&url)
                    )));
                }
                let folder =
                    tempfile::Builder::new().prefix("gpulearn-course-").tempdir().map_err(|error| {
                        CommandError::environment(format!(
                            "can't create a temporary folder: {}",
                            escape(&error.to_string())
                        ))
                    })?;
                let commit = clone(&url, branch.as_deref(), folder.path(), limit.seconds)?;
                let files = CourseFiles::read(folder.path()).map_err(|error| unsound(&error))?;
                Ok((files, Source::Git { url, branch, commit }))
            }
        }
    }
}
