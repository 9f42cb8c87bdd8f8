//! A pool of judge processes.

use super::judging::{Judged, Outcome, Reply, Request, Review};
use super::process::{receive, send};
use super::results::Key;
use anyhow::{Context, Result};
use compiler::process::{self, Group, Process};
use std::ffi::OsString;
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// How judge processes are started.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A program that runs [`super::serve`] on its standard input and output, and its arguments.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Number of processes that judge concurrently.
    pub jobs: usize,
}

/// A pool of judge processes.
#[derive(Clone, Debug)]
pub struct Judges {
    settings: Settings,
}

impl Judges {
    pub fn new(settings: Settings) -> Judges {
        Judges { settings }
    }

    /// Judges every text and calls `done` with each result as it arrives. An error returned by `done` ends the run.
    ///
    /// # Errors
    ///
    /// Fails if no judge process can be started, or if `done` fails.
    pub fn judge(
        &self,
        requests: &[(Key, Request)],
        mut done: impl FnMut(&Key, Judged) -> Result<()>,
    ) -> Result<()> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let jobs = self.settings.jobs.clamp(1, requests.len().max(1));
        let batches = batches(requests, jobs);
        thread::scope(|scope| {
            let (tell, hear) = mpsc::channel();
            for _ in 0..jobs {
                let (tell, next, stop, batches) = (tell.clone(), &next, &stop, &batches);
                scope.spawn(move || {
                    let mut judge = None;
                    while let Some(batch) = batches.get(next.fetch_add(1, Relaxed)) {
                        for (key, request) in *batch {
                            if stop.load(Relaxed) {
                                return;
                            }
                            let judged = self.one(&mut judge, request);
                            let ends = judged.is_err();
                            if tell.send((key, judged)).is_err() || ends {
                                return;
                            }
                        }
                    }
                });
            }
            drop(tell);
            for (key, judged) in hear {
                if let Err(error) = judged.and_then(|judged| done(key, judged)) {
                    stop.store(true, Relaxed);
                    return Err(error);
                }
            }
            Ok(())
        })
    }

    /// Judges a text with this thread's judge process. If that dies, the text is tried once more with a new one.
    fn one(&self, judge: &mut Option<Judge>, request: &Request) -> Result<Judged> {
        for _ in 0..2 {
            let its = match judge {
                Some(judge) => judge,
                None => judge.insert(Judge::start(&self.settings)?),
            };
            match its.ask(request) {
                Ok(Reply::Judged(judged)) => return Ok(*judged),
                Ok(Reply::Failed(why)) => return Ok(Judged::none(request, Outcome::Failed, &why)),
                Err(_) => *judge = None,
            }
        }
        let why = "the judging process ended twice on it";
        Ok(Judged::none(request, Outcome::Review(Review::JudgeDied), why))
    }
}

/// Groups texts into batches for judge processes: each has texts of one student, and is small if there are few
/// texts in total.
fn batches(requests: &[(Key, Request)], jobs: usize) -> Vec<&[(Key, Request)]> {
    let most = (requests.len() / (4 * jobs)).clamp(1, 16);
    requests
        .chunk_by(|(_, one), (_, next)| one.student == next.student)
        .flat_map(|student| student.chunks(most))
        .collect()
}

struct Judge {
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// A judge ends when its input is closed, unless it hangs: it is killed when this is dropped.
    _process: Process,
}

impl Judge {
    fn start(settings: &Settings) -> Result<Judge> {
        let mut command = Command::new(&settings.program);
        // Runs in a neutral working directory, never in a folder of submissions, and only with lessons that were
        // named explicitly.
        let safe =
            if cfg!(windows) { std::env::var_os("SystemRoot").unwrap_or("C:\\".into()) } else { "/".into() };
        command.args(&settings.arguments).current_dir(safe).env_remove("GPULEARN_LESSONS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        process::bind(&mut command, None);
        let mut process = Process::start(&mut command, Group::Ours)
            .with_context(|| format!("can't start {}", settings.program.display()))?;
        let input = BufWriter::new(process.stdin.take().context("the judge has no input")?);
        let output = BufReader::new(process.stdout.take().context("the judge has no output")?);
        Ok(Judge { input, output, _process: process })
    }

    fn ask(&mut self, request: &Request) -> Result<Reply> {
        send(&mut self.input, request)?;
        receive(&mut self.output)?.context("the judge ended")
    }
}
