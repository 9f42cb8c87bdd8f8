//! Many files judged at once: a process each, so that whatever one of them does to its judge, the others
//! have their verdicts.

use super::judging::{self, Target, fresh_seed};
use super::source_text::{is_cuda, name_of};
use super::{Backend, CommandError, Context};
use judge::course::{EntryKind, Folder};
use report::{VerdictView, escape};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Folders within folders that are looked into.
const DEEPEST: usize = 16;

/// A file to judge.
pub struct Submission {
    /// As it was typed, or found in a folder that was.
    name: OsString,
    what: What,
}

enum What {
    /// What was typed, or the workspace's own.
    Named(Target),
    /// A file of a folder that was named, by its path below it.
    Below { folder: Arc<Folder>, path: PathBuf, target: Target },
    /// Why it is not judged, where that can be seen without looking into it; and its lesson, where that is known.
    Refused { lesson: Option<String>, why: String },
}

impl Submission {
    /// Of somebody else, perhaps.
    pub fn is_foreign(&self) -> bool {
        match &self.what {
            What::Named(target) => !target.own,
            What::Below { .. } => true,
            What::Refused { .. } => false,
        }
    }
}

/// How files are judged.
pub struct Settings {
    jobs: usize,
    again: bool,
    program: PathBuf,
    /// Asked for; each of the workspace's own files may have inputs of its own where none is.
    seed: Option<u64>,
    /// The same inputs for all others.
    common_seed: u64,
    backend: Backend,
    lessons: Option<PathBuf>,
}

impl Settings {
    pub fn new(jobs: Option<NonZero<u16>>, again: bool, context: &Context) -> Result<Settings, CommandError> {
        // Fetched once, and not by every process.
        context.compiler()?;
        // Kernels that share a GPU disturb each other's times.
        let usual = match context.gpu()? {
            Some(_) => 1,
            None => thread::available_parallelism().map_or(1, NonZero::get),
        };
        let program = std::env::current_exe()
            .map_err(|e| CommandError::environment(format!("can't find the path of this program: {e}")))?;
        Ok(Settings {
            jobs: jobs.map_or(usual, |jobs| usize::from(jobs.get())),
            again,
            program,
            seed: context.global.seed,
            common_seed: context.global.seed.unwrap_or_else(fresh_seed),
            backend: context.global.backend,
            lessons: context.global.lessons.clone(),
        })
    }

    /// The process that judges one file, and answers in JSON.
    fn command(&self, name: &OsStr, target: &Target, opened: Option<File>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["check", "--format", "json", "--offline", "--lesson", &target.lesson.slug]);
        command.args([
            "--backend",
            match self.backend {
                Backend::Auto => "auto",
                Backend::Gpu => "gpu",
                Backend::Sim => "sim",
            },
        ]);
        let seed = if target.own { self.seed } else { Some(self.common_seed) };
        if let Some(seed) = seed {
            command.arg("--seed").arg(seed.to_string());
        }
        if let Some(lessons) = &self.lessons {
            command.arg("--lessons").arg(lessons);
        }
        if self.again {
            command.arg("--again");
        }
        if opened.is_some() {
            command.arg("--piped");
        }
        command.arg("--").arg(if target.own { target.path.as_os_str() } else { name });
        command.stdin(opened.map_or_else(Stdio::null, Stdio::from));
        bounded(&mut command);
        command
    }
}

/// Processor time of a process that judges a file, in seconds: far beyond what the bounds on the work of a kernel
/// leave it.
const CPU_SECONDS: u64 = 600;
/// As long by the clock, of a machine that has other work.
const WALL: Duration = Duration::from_secs(1800);

/// A judge outlives nobody who could hear it: where the batch is killed, it goes too. Nor does it compute for ever.
fn bounded(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        // SAFETY: a plain system call on numbers, which may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                let most = libc::rlimit { rlim_cur: CPU_SECONDS, rlim_max: CPU_SECONDS + 5 };
                libc::setrlimit(libc::RLIMIT_CPU, &raw const most);
                Ok(())
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Whether more than one file may be meant.
pub fn is_meant(names: &[OsString], lesson: Option<&str>, context: &Context) -> Result<bool, CommandError> {
    match names {
        [] => Ok(false),
        [one] => judging::is_folder(one, lesson, context),
        _ => Ok(true),
    }
}

/// What is named, in that order: of folders every .cu file, by name. Nothing is judged where one that was named is
/// not there or belongs to no lesson; what a folder holds beside hand-ins is listed as not judged.
pub fn submissions(
    names: &[OsString],
    lesson: Option<&str>,
    context: &Context,
) -> Result<Vec<Submission>, CommandError> {
    let mut seen = BTreeSet::new();
    let mut submissions = Vec::new();
    let mut submit = |path: PathBuf, name: OsString, what: What| {
        if seen.insert(path) {
            submissions.push(Submission { name, what });
        }
    };
    for name in names {
        if !judging::is_folder(name, lesson, context)? {
            let target = judging::target(Some(name), lesson, context)?;
            submit(target.path.clone(), name.clone(), What::Named(target));
            continue;
        }
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
        let mut hand_ins = 0;
        for (path, refused) in found.files {
            let file = Path::new(name).join(&path).into_os_string();
            let target = judging::target_in_folder(&file, lesson, context);
            let place = target.as_ref().map_or_else(|_| PathBuf::from(&file), |target| target.path.clone());
            hand_ins += usize::from(target.is_ok());
            let what = match (refused, target) {
                (Some(why), target) => {
                    What::Refused { lesson: target.ok().map(|t| t.lesson.slug), why: why.into() }
                }
                (None, Ok(target)) if target.own => What::Named(target),
                (None, Ok(target)) => What::Below { folder: folder.clone(), path, target },
                (None, Err(trouble)) => {
                    let why = trouble.message.clone();
                    of_no_lesson.get_or_insert(trouble);
                    What::Refused { lesson: None, why }
                }
            };
            submit(place, file, what);
        }
        // Not one odd name, but all of them: something was meant that was not said.
        if let Some(trouble) = of_no_lesson.filter(|_| hand_ins == 0) {
            return Err(trouble);
        }
    }
    Ok(submissions)
}

/// What a folder holds.
#[derive(Default)]
struct FolderContents {
    /// With why it is not judged, where that can be seen already.
    files: Vec<(PathBuf, Option<&'static str>)>,
    /// Folders and links that were not looked into, and why.
    left_out: Vec<(PathBuf, String)>,
}

/// Whether a name is that of a CUDA file to which a program for mail or text has put its own ending.
fn was_cuda(name: &OsStr) -> bool {
    name.as_encoded_bytes().to_ascii_lowercase().windows(4).any(|four| four == b".cu.")
}

/// Every .cu file of a folder and of those in it, by name. What begins with a dot is nobody's hand-in, and
/// a link to a folder may lead back. What is named like a file and is none is found too, so that nobody
/// drops out of the list in silence; a link is not followed, as it could lead to another's work, or to
/// what the one who hands in may not read.
fn files_of(folder: &Folder, place: &Path, depth: usize, found: &mut FolderContents) -> io::Result<()> {
    let mut any = false;
    for (name, kind) in folder.entries()? {
        any = true;
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = place.join(&name);
        match kind {
            EntryKind::Folder if depth >= DEEPEST => {
                found.left_out.push((path, format!("more than {DEEPEST} folders down")));
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
            _ if is_cuda(&name) => found.files.push((path, Some("it is no ordinary file"))),
            _ if was_cuda(&name) => found.files.push((path, Some("its name does not end with .cu"))),
            EntryKind::Link => {
                found.left_out.push((path, "a link, and links in a folder are not followed".into()));
            }
            EntryKind::File | EntryKind::Other => {}
        }
    }
    if !any && depth > 0 {
        found.left_out.push((place.to_owned(), "an empty folder".into()));
    }
    Ok(())
}

/// The verdicts, in the order of `submissions`; `on_verdict` hears each as soon as all before it are there.
pub fn judge(
    submissions: &[Submission],
    settings: &Settings,
    mut on_verdict: impl FnMut(&VerdictView),
) -> Vec<VerdictView> {
    let next = AtomicUsize::new(0);
    let mut waiting: Vec<Option<VerdictView>> = submissions.iter().map(|_| None).collect();
    let mut views = Vec::with_capacity(submissions.len());
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..settings.jobs.min(submissions.len()) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let n = next.fetch_add(1, Relaxed);
                    let Some(submission) = submissions.get(n) else { break };
                    if send.send((n, verdict(submission, settings))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        for (n, view) in receive {
            waiting[n] = Some(view);
            while let Some(view) = waiting.get_mut(views.len()).and_then(Option::take) {
                on_verdict(&view);
                views.push(view);
            }
        }
    });
    views
}

fn verdict(submission: &Submission, settings: &Settings) -> VerdictView {
    let name = &submission.name;
    let (target, opened) = match &submission.what {
        What::Named(target) => (target, Ok(None)),
        What::Below { folder, path, target } => (target, folder.file(path).map(Some)),
        What::Refused { lesson, why } => {
            return VerdictView::not_judged(lesson.as_deref().unwrap_or("?"), &name_of(name), why);
        }
    };
    let answer = match opened {
        Ok(opened) => answer(settings.command(name, target, opened), settings),
        Err(error) => Err(error.to_string()),
    };
    answer.unwrap_or_else(|why| VerdictView::not_judged(&target.lesson.slug, &target.shown, &why))
}

/// Runs a judging process, no longer than it may.
fn answer(mut command: Command, settings: &Settings) -> Result<VerdictView, String> {
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn();
    let mut child = child.map_err(|error| format!("can't start {}: {error}", settings.program.display()))?;
    let Some(mut stdout) = child.stdout.take() else { return Err("a process without output".into()) };
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        // What is cut short is no answer.
        let _ = stdout.read_to_end(&mut said);
        let _ = send.send(said);
    });
    let said = receive.recv_timeout(WALL);
    if said.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("the process that judged it is lost: {error}"))?;
    match said {
        Ok(stdout) => read(&Output { status, stdout, stderr: Vec::new() }),
        Err(_) => Err(format!("judging it took longer than {} s", WALL.as_secs())),
    }
}

#[cfg(unix)]
fn ended_by_cpu_limit(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(libc::SIGXCPU)
}

#[cfg(not(unix))]
fn ended_by_cpu_limit(_status: ExitStatus) -> bool {
    false
}

/// What a judging process says: its one verdict, or why there is none.
fn read(output: &Output) -> Result<VerdictView, String> {
    #[derive(Deserialize)]
    struct Said {
        #[serde(default)]
        results: Vec<VerdictView>,
        message: Option<String>,
    }
    let said: Said =
        serde_json::from_slice(&output.stdout).map_err(|_| match ended_by_cpu_limit(output.status) {
            true => format!("judging it took more than {CPU_SECONDS} s of processor time"),
            false => format!("the process that judged it ended without an answer ({})", output.status),
        })?;
    let mut results = said.results;
    results.pop().ok_or_else(|| said.message.unwrap_or_else(|| "there was no answer".into()))
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
        // A link is a hand-in too: that it is one is its verdict.
        if cfg!(unix) {
            let refused: Vec<_> = refused.iter().map(|(path, _)| path.as_path()).collect();
            assert_eq!(refused, ["c/E.Cu.txt", "link.cu"].map(Path::new));
            assert_eq!(found.left_out.len(), 3, "{:?}", found.left_out);
        }
    }

    #[test]
    fn a_process_that_says_nothing_judged_nothing() {
        let output = |text: &str| Output {
            status: std::process::ExitStatus::default(),
            stdout: text.as_bytes().to_vec(),
            stderr: Vec::new(),
        };
        assert!(read(&output("")).unwrap_err().contains("without an answer"));
        let error = "{\"schema\":\"gpulearn.error/1\",\"tool\":\"1\",\"message\":\"busy\",\"exit\":3}";
        assert_eq!(read(&output(error)).unwrap_err(), "busy");
    }
}
