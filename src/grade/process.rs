//! The process that judges: it reads the plan and the lessons once, and judges each text in a fork of itself, which
//! has so much processor time, memory and time by the clock, and ends with its one answer.

use super::judging::{Judged, Outcome, Request, Review, judge};
use super::plan::Plan;
use anyhow::{Context, Result, bail};
use compiler::Compiler;
use judge::{LessonCache, Options, Prepared};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;

/// Largest message, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// What the process answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    Judged(Box<Judged>),
    /// This machine's fault, or the lesson's: why.
    Failed(String),
}

/// Writes a message: its length as eight bytes, and JSON.
pub fn send(to: &mut impl Write, message: &impl Serialize) -> Result<()> {
    let bytes = serde_json::to_vec(message)?;
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()?;
    Ok(())
}

/// Reads a message; `None` at the end.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> Result<Option<T>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_le_bytes(length);
    if length > MOST_BYTES {
        bail!("a message of {length} bytes");
    }
    let mut bytes = vec![0; usize::try_from(length)?];
    from.read_exact(&mut bytes).context("a message that is cut short")?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// Judges what comes in until the end of the input.
///
/// # Errors
///
/// Where input or output breaks off, or no process can be started.
pub fn serve(plan: &Plan, compiler: &Compiler, mut input: impl Read, mut output: impl Write) -> Result<()> {
    let mut judges =
        Warm { plan, compiler: compiler.clone().for_submissions(), trusted: compiler, own: HashMap::new() };
    while let Some(request) = receive::<Request>(&mut input)? {
        let reply = judges.reply(&request)?;
        send(&mut output, &reply)?;
    }
    Ok(())
}

/// What stays from one text to the next: nothing that a text has a part in.
struct Warm<'a> {
    plan: &'a Plan,
    compiler: Compiler,
    trusted: &'a Compiler,
    /// Of the lessons that were judged with the plan's seed: what their own files give.
    own: HashMap<String, Arc<LessonCache>>,
}

impl Warm<'_> {
    fn reply(&mut self, request: &Request) -> Result<Reply> {
        let Some(assignment) = self.plan.assignments.iter().find(|it| it.lesson.slug == request.lesson)
        else {
            return Ok(Reply::Failed("the plan has no such lesson".into()));
        };
        let lesson = assignment.lesson_with(&request.sizes);
        let common = request.sizes.0.iter().all(std::collections::BTreeMap::is_empty);
        let own = match self.own.get(&request.lesson) {
            Some(own) if common => own.clone(),
            _ => {
                let own = Arc::<LessonCache>::default();
                // The solution's own run leaves there what every other needs: compiled files and right answers.
                let options = Options { seed: request.seed, host_threads: 1 };
                let file = lesson.solution_path();
                let solution = Prepared::beside(&own, &lesson, &lesson.solution, &file, self.trusted);
                if let Err(error) = solution.and_then(|solution| solution.verdict(&options)) {
                    return Ok(Reply::Failed(format!("{error:#}")));
                }
                if common {
                    self.own.insert(request.lesson.clone(), own.clone());
                }
                own
            }
        };
        let answer = || match judge(&own, &lesson, request, &self.compiler) {
            Ok(judged) => Reply::Judged(Box::new(judged)),
            Err(error) => Reply::Failed(format!("{error:#}")),
        };
        Ok(match fork::run(self.plan.cpu_seconds, &answer)? {
            fork::Ended::Answered(reply) => reply,
            fork::Ended::OutOfTime => {
                let seconds = self.plan.cpu_seconds;
                let why = format!("judging it took more than {seconds} s of processor time");
                Reply::Judged(Box::new(Judged::none(request, Outcome::Review(Review::TimeLimit), &why)))
            }
            fork::Ended::Died(how) => {
                let why = format!("the process that judged it ended {how}");
                Reply::Judged(Box::new(Judged::none(request, Outcome::Review(Review::JudgeDied), &why)))
            }
        })
    }
}

/// A function run in a fork of this process.
#[cfg(unix)]
mod fork {
    use super::{Reply, receive, send};
    use anyhow::{Result, bail};
    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::time::{Duration, Instant};

    /// Address space of a judge, in bytes.
    const MEMORY_BYTES: u64 = 8 << 30;
    /// Times the processor time that a judge has by the clock, on a machine with other work; and what it has at least.
    const PATIENCE: u32 = 10;
    const LEAST_PATIENCE: Duration = Duration::from_secs(120);

    pub enum Ended {
        Answered(Reply),
        /// More processor time than it had, or far more by the clock.
        OutOfTime,
        /// By a signal, or without an answer.
        Died(String),
    }

    pub fn run(cpu_seconds: u64, answer: &dyn Fn() -> Reply) -> Result<Ended> {
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for the two descriptors that pipe writes.
        if unsafe { libc::pipe(ends.as_mut_ptr()) } != 0 {
            bail!("no pipe: {}", io::Error::last_os_error());
        }
        // SAFETY: the two are open, and nobody else's.
        let (mut from, mut to) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
        wait_for_threads();
        // SAFETY: this process has one thread, so that the copy may do what this may.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            bail!("no process: {}", io::Error::last_os_error());
        }
        if pid == 0 {
            drop(from);
            limit(cpu_seconds);
            let reply = std::panic::catch_unwind(std::panic::AssertUnwindSafe(answer));
            let sent = reply.is_ok_and(|reply| send(&mut to, &reply).is_ok());
            // SAFETY: ends this copy at once: what its parent began is its parent's to end.
            unsafe { libc::_exit(if sent { 0 } else { 101 }) };
        }
        drop(to);
        let patience = Duration::from_secs(cpu_seconds).saturating_mul(PATIENCE).max(LEAST_PATIENCE);
        let (said, late) = read_until(&mut from, Instant::now() + patience)?;
        if late {
            // SAFETY: the child is not reaped, so that its number is still its own.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        let mut status = 0;
        // SAFETY: the pointer is to a live variable.
        while unsafe { libc::waitpid(pid, &raw mut status, 0) } < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                bail!("a judge is lost: {error}");
            }
        }
        if late {
            return Ok(Ended::OutOfTime);
        }
        if libc::WIFSIGNALED(status) {
            return Ok(match libc::WTERMSIG(status) {
                libc::SIGXCPU => Ended::OutOfTime,
                signal => Ended::Died(format!("by signal {signal}")),
            });
        }
        Ok(match receive(&mut said.as_slice()) {
            Ok(Some(reply)) if status == 0 => Ended::Answered(reply),
            _ => Ended::Died("without an answer".into()),
        })
    }

    /// What comes until the end or the deadline; whether it was the deadline.
    fn read_until(from: &mut File, deadline: Instant) -> Result<(Vec<u8>, bool)> {
        let mut said = Vec::new();
        let mut piece = vec![0; 1 << 16];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut ready = libc::pollfd { fd: from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let milliseconds = i32::try_from(left.as_millis()).unwrap_or(i32::MAX);
            // SAFETY: one live entry, as is said.
            match unsafe { libc::poll(&raw mut ready, 1, milliseconds) } {
                0 => return Ok((said, true)),
                n if n < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => continue,
                _ => {}
            }
            match from.read(&mut piece)? {
                0 => return Ok((said, false)),
                n if (said.len() + n) as u64 > super::MOST_BYTES => return Ok((said, true)),
                n => said.extend_from_slice(&piece[..n]),
            }
        }
    }

    /// Threads that served a compile of ours may be about to end, and a copy that is made meanwhile would have their
    /// locks and not them.
    fn wait_for_threads() {
        #[cfg(target_os = "linux")]
        for _ in 0..100 {
            if std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count) <= 1 {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// What this process may take from now on. Where a limit can't be set, those above it hold.
    fn limit(cpu_seconds: u64) {
        let limits = [
            (libc::RLIMIT_CPU, cpu_seconds, cpu_seconds + 2),
            (libc::RLIMIT_AS, MEMORY_BYTES, MEMORY_BYTES),
            (libc::RLIMIT_CORE, 0, 0),
            (libc::RLIMIT_FSIZE, 0, 0),
        ];
        for (which, soft, hard) in limits {
            let most = libc::rlimit { rlim_cur: soft, rlim_max: hard };
            // SAFETY: a plain system call on a live value.
            unsafe { libc::setrlimit(which, &raw const most) };
        }
        #[cfg(target_os = "linux")]
        // SAFETY: a plain system call on numbers.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
    }
}

#[cfg(not(unix))]
mod fork {
    use super::Reply;
    use anyhow::Result;

    #[expect(dead_code, reason = "what can't be told here")]
    pub enum Ended {
        Answered(Reply),
        OutOfTime,
        Died(String),
    }

    /// In this process: this system has no forks.
    pub fn run(_cpu_seconds: u64, answer: &dyn Fn() -> Reply) -> Result<Ended> {
        Ok(Ended::Answered(answer()))
    }
}
