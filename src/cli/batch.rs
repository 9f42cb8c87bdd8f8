//! Many files judged at once: a process each, so that whatever one of them does to its judge, the others
//! have their verdicts.

use super::judging::{self, Target, fresh_seed};
use super::source_text::{is_cuda, name_of};
use super::{Backend, Context, Trouble};
use report::{VerdictView, escape};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// Folders within folders that are looked into.
const DEEPEST: usize = 16;

/// A file to judge.
pub struct Submission {
    /// As it was typed, or found in a folder that was.
    name: OsString,
    pub target: Target,
    /// Why it is not judged, where that can be seen without looking into it.
    refused: Option<&'static str>,
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
    pub fn new(jobs: Option<NonZero<u16>>, again: bool, context: &Context) -> Result<Settings, Trouble> {
        // Fetched once, and not by every process.
        context.compiler()?;
        // Kernels that share a GPU disturb each other's times.
        let usual = match context.gpu()? {
            Some(_) => 1,
            None => thread::available_parallelism().map_or(1, NonZero::get),
        };
        let program = std::env::current_exe()
            .map_err(|e| Trouble::environment(format!("can't find the path of this program: {e}")))?;
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
    fn command(&self, submission: &Submission) -> Command {
        let Submission { name, target, .. } = submission;
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
        command.arg("--").arg(if target.own { target.path.as_os_str() } else { name });
        command.stdin(Stdio::null());
        ends_with_its_parent(&mut command);
        command
    }
}

/// A judge outlives nobody who could hear it: where the batch is killed, it goes too.
fn ends_with_its_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        // SAFETY: a plain system call on numbers, which may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Whether more than one file may be meant.
pub fn is_meant(names: &[OsString], lesson: Option<&str>, context: &Context) -> Result<bool, Trouble> {
    match names {
        [] => Ok(false),
        [one] => judging::is_folder(one, lesson, context),
        _ => Ok(true),
    }
}

/// What is named, in that order: of folders every .cu file, by name. Nothing is judged where one of them
/// is not there or belongs to no lesson.
pub fn submissions(
    names: &[OsString],
    lesson: Option<&str>,
    context: &Context,
) -> Result<Vec<Submission>, Trouble> {
    let mut seen = BTreeSet::new();
    let mut submissions = Vec::new();
    let mut submit = |name: OsString, target: Target, refused: Option<&'static str>| {
        if seen.insert(target.path.clone()) {
            submissions.push(Submission { name, target, refused });
        }
    };
    for name in names {
        if !judging::is_folder(name, lesson, context)? {
            submit(name.clone(), judging::target(Some(name), lesson, context)?, None);
            continue;
        }
        let mut found = Found::default();
        files_of(Path::new(name), 0, &mut found)?;
        for (folder, why) in &found.left_out {
            context.say(&format!("Left out: {}, {why}.", escape(&name_of(folder))));
        }
        if found.files.is_empty() {
            return Err(Trouble::usage(format!("there is no .cu file in {}", escape(&name_of(name)))));
        }
        for (file, refused) in found.files {
            let target = judging::target_in_folder(&file, lesson, context)?;
            submit(file, target, refused);
        }
    }
    Ok(submissions)
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
fn files_of(folder: &Path, depth: usize, found: &mut Found) -> Result<(), Trouble> {
    let trouble = |e: std::io::Error| {
        Trouble::environment(format!("can't read {}: {e}", escape(&name_of(folder.as_os_str()))))
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

/// The verdicts, in the order of `submissions`; `told` hears each as soon as all before it are there.
pub fn judge(
    submissions: &[Submission],
    settings: &Settings,
    mut told: impl FnMut(&VerdictView),
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
                told(&view);
                views.push(view);
            }
        }
    });
    views
}

fn verdict(submission: &Submission, settings: &Settings) -> VerdictView {
    let Target { lesson, shown, .. } = &submission.target;
    if let Some(why) = submission.refused {
        return VerdictView::not_judged(&lesson.slug, shown, why);
    }
    let answer = match settings.command(submission).output() {
        Ok(output) => read(&output),
        Err(error) => Err(format!("can't start {}: {error}", settings.program.display())),
    };
    answer.unwrap_or_else(|why| VerdictView::not_judged(&lesson.slug, shown, &why))
}

/// What a judging process says: its one verdict, or why there is none.
fn read(output: &Output) -> Result<VerdictView, String> {
    #[derive(Deserialize)]
    struct Said {
        #[serde(default)]
        results: Vec<VerdictView>,
        message: Option<String>,
    }
    let said: Said = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("the process that judged it ended without an answer ({})", output.status))?;
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
