//! Judges many files at once, each in a process of its own, so that a file that crashes its judge does not affect
//! the verdicts on the others.

use super::judging::fresh_seed;
use super::target::{Origin, Submission, Target};
use super::{Backend, CommandError, Context, Result};
use compiler::process::{self, Exit, Group, Process};
use report::VerdictView;
use serde::Deserialize;
use std::fs::File;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How the files are judged.
pub struct Settings {
    jobs: usize,
    again: bool,
    program: PathBuf,
    /// The seed from the command line, if any. Without one, each of the workspace's own files may have its own
    /// inputs.
    seed: Option<u64>,
    /// The seed shared by all other files.
    common_seed: u64,
    backend: Backend,
    lessons: Option<PathBuf>,
}

impl Settings {
    /// Returns the settings of a batch, having fetched the compiler if it was missing.
    ///
    /// # Errors
    ///
    /// There is no compiler, `--backend gpu` finds no usable GPU, or the path of this program is unknown.
    pub fn new(jobs: Option<NonZero<u16>>, again: bool, context: &Context) -> Result<Settings> {
        // Fetches the compiler once, before the processes need it.
        context.compiler()?;
        // Kernels that share a GPU would disturb each other's timings.
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

    /// Returns the command of the process that judges one file and answers in JSON. `opened` is its standard
    /// input.
    fn command(&self, target: &Target, opened: Option<File>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["check", "--format", "json", "--offline", "--lesson", &target.lesson.slug]);
        command.args(["--backend", self.backend.name()]);
        let (name, seed) = match &target.origin {
            Origin::Named(name) | Origin::InFolder { name, .. } => (name.as_os_str(), Some(self.common_seed)),
            Origin::Workspace | Origin::Piped => (target.path.as_os_str(), self.seed),
        };
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
        command.arg("--").arg(name);
        command.stdin(opened.map_or_else(Stdio::null, Stdio::from));
        process::bind(&mut command, Some(CPU_SECONDS));
        command
    }
}

/// CPU time limit of a judging process, in seconds: far more than the limits on a kernel's work allow it to use.
const CPU_SECONDS: u64 = 600;
/// Wall-clock limit of a judging process, generous for machines with other work.
const WALL: Duration = Duration::from_secs(1800);

/// Judges the submissions and returns the verdicts in the order of `submissions`. `on_verdict` is called with
/// each one as soon as all before it are there.
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
    let target = match submission {
        Submission::File(target) => target,
        Submission::Refused { lesson, shown, why } => {
            return VerdictView::not_judged(lesson.as_deref().unwrap_or("?"), shown, why);
        }
    };
    let opened = match &target.origin {
        Origin::InFolder { folder, path, .. } => folder.file(path).map(Some),
        Origin::Workspace | Origin::Named(_) | Origin::Piped => Ok(None),
    };
    let answer = match opened {
        Ok(opened) => answer(settings.command(target, opened), settings),
        Err(error) => Err(error.to_string()),
    };
    answer.unwrap_or_else(|why| VerdictView::not_judged(&target.lesson.slug, &target.shown, &why))
}

/// Runs a judging process within its time limit and reads its verdict.
fn answer(mut command: Command, settings: &Settings) -> Result<VerdictView, String> {
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = Process::start(&mut command, Group::Ours)
        .map_err(|error| format!("can't start {}: {error}", settings.program.display()))?;
    let said = process::read_to_end(process.stdout.take(), u64::MAX);
    let exit = process.wait(WALL);
    match exit.map_err(|error| format!("can't wait for the process that judged it: {error}"))? {
        // Truncated output does not parse as an answer.
        Some(exit) => read(&said.join().unwrap_or_default(), exit),
        None => Err(format!("judging it took longer than {} s", WALL.as_secs())),
    }
}

/// Parses a judging process's output: its only verdict, or why there is none.
fn read(output: &[u8], exit: Exit) -> Result<VerdictView, String> {
    #[derive(Deserialize)]
    struct Said {
        #[serde(default)]
        results: Vec<VerdictView>,
        message: Option<String>,
    }
    let said: Said = serde_json::from_slice(output).map_err(|_| match exit.out_of_time() {
        true => format!("judging it took more than {CPU_SECONDS} s of processor time"),
        false => format!("the process that judged it ended without an answer ({})", exit.status),
    })?;
    let mut results = said.results;
    results.pop().ok_or_else(|| said.message.unwrap_or_else(|| "there was no answer".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_says_nothing_judged_nothing() {
        let exit =
            Exit { status: std::process::ExitStatus::default(), peak_bytes: 0, cpu_time: Duration::ZERO };
        assert!(read(b"", exit).unwrap_err().contains("without an answer"));
        let error = b"{\"schema\":\"gpulearn.error/1\",\"tool\":\"1\",\"message\":\"busy\",\"exit\":3}";
        assert_eq!(read(error, exit).unwrap_err(), "busy");
    }
}
