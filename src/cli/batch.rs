//! Many files judged at once: a process each, so that whatever one of them does to its judge, the others
//! have their verdicts.

use super::judging::fresh_seed;
use super::target::{Origin, Target};
use super::{Backend, CommandError, Context};
use report::VerdictView;
use serde::Deserialize;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

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
    fn command(&self, target: &Target) -> Command {
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
        let (name, seed) = match &target.origin {
            Origin::Workspace => (target.path.as_os_str(), self.seed),
            Origin::Elsewhere { name, .. } => (name.as_os_str(), Some(self.common_seed)),
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
        command.arg("--").arg(name);
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

/// The verdicts, in the order of `targets`; `on_verdict` hears each as soon as all before it are there.
pub fn judge(
    targets: &[Target],
    settings: &Settings,
    mut on_verdict: impl FnMut(&VerdictView),
) -> Vec<VerdictView> {
    let next = AtomicUsize::new(0);
    let mut waiting: Vec<Option<VerdictView>> = targets.iter().map(|_| None).collect();
    let mut views = Vec::with_capacity(targets.len());
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..settings.jobs.min(targets.len()) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let n = next.fetch_add(1, Relaxed);
                    let Some(target) = targets.get(n) else { break };
                    if send.send((n, verdict(target, settings))).is_err() {
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

fn verdict(target: &Target, settings: &Settings) -> VerdictView {
    let Target { lesson, shown, origin, .. } = target;
    if let Origin::Elsewhere { refused: Some(why), .. } = origin {
        return VerdictView::not_judged(&lesson.slug, shown, why);
    }
    let answer = match settings.command(target).output() {
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
