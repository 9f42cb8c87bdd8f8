//! The judge process: it reads the plan and the lessons once, and judges each text in a sandboxed fork of itself,
//! which has limited processor time, memory and wall-clock time and ends with one verdict.

use super::judge_process::{self, JudgeExit};
use super::judging::{Judged, Outcome, Reply, Request, Review, judge};
use super::plan::Plan;
use anyhow::{Context, Result, bail};
use compiler::Compiler;
use judge::{LessonCache, Options, Prepared};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;

/// Largest message, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Writes a message: its length as eight bytes, little-endian, followed by JSON.
///
/// # Errors
///
/// Fails if the message can't be serialised or written.
pub fn send(to: &mut impl Write, message: &impl Serialize) -> Result<()> {
    let bytes = serde_json::to_vec(message)?;
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()?;
    Ok(())
}

/// Reads a message; `None` at the end of the input.
///
/// # Errors
///
/// Fails if the input can't be read, ends within a message, or has a message that is too long or of another type.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> Result<Option<T>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_le_bytes(length);
    if length > MAX_BYTES {
        bail!("a message of {length} bytes is too long");
    }
    let mut bytes = vec![0; usize::try_from(length)?];
    from.read_exact(&mut bytes).context("a message was cut short")?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// Judges requests until the end of the input.
///
/// # Errors
///
/// Fails if input or output is interrupted, or if no process can be started.
pub fn serve(plan: &Plan, compiler: &Compiler, mut input: impl Read, mut output: impl Write) -> Result<()> {
    let mut judges = JudgeState {
        plan,
        compiler: compiler.clone().for_submissions().kept(),
        trusted: compiler,
        own: HashMap::new(),
        student: String::new(),
    };
    while let Some(request) = receive::<Request>(&mut input)? {
        let reply = judges.reply(&request)?;
        send(&mut output, &reply)?;
    }
    Ok(())
}

/// The state that is kept between texts. No text has any influence on it.
struct JudgeState<'a> {
    plan: &'a Plan,
    compiler: Compiler,
    trusted: &'a Compiler,
    /// Caches of lessons that were judged with the plan's own sizes: what is derived from their own files.
    own: HashMap<String, Arc<LessonCache>>,
    /// The student whose text was judged last.
    student: String,
}

impl JudgeState<'_> {
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
                // Running the solution fills the cache with what all other runs need: compiled files and right
                // answers.
                let options = Options { seed: request.seed, host_threads: 1, ..Options::default() };
                let file = lesson.solution_path();
                let solution = Prepared::with_cache(&own, &lesson, &lesson.solution, &file, self.trusted);
                if let Err(error) = solution.and_then(|solution| solution.verdict(&options)) {
                    return Ok(Reply::Failed(report::error(error.chain())));
                }
                if common {
                    self.own.insert(request.lesson.clone(), own.clone());
                }
                own
            }
        };
        if self.student != request.student {
            self.student.clone_from(&request.student);
            self.compiler.renew();
        }
        let answer = |compiler: &Compiler| match judge(&own, &lesson, request, compiler) {
            Ok(judged) => Reply::Judged(Box::new(judged)),
            Err(error) => Reply::Failed(report::error(error.chain())),
        };
        Ok(match judge_process::run(self.plan.cpu_seconds, &self.compiler, &answer)? {
            JudgeExit::Answered(reply) => reply,
            JudgeExit::OutOfTime => {
                let seconds = self.plan.cpu_seconds;
                let why = format!("judging it took more than {seconds} s of processor time");
                Reply::Judged(Box::new(Judged::none(request, Outcome::Review(Review::TimeLimit), &why)))
            }
            JudgeExit::Died(how) => {
                let why = format!("the process that judged it ended {how}");
                Reply::Judged(Box::new(Judged::none(request, Outcome::Review(Review::JudgeDied), &why)))
            }
        })
    }
}
