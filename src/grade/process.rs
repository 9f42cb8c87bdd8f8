//! The process that judges: it reads the plan and the lessons once, and judges each text in a fork of itself, which is
//! locked in, has so much processor time, memory and time by the clock, and ends with its one verdict.

use super::apart::{self, Ended};
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
    let mut judges = Warm {
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

/// What stays from one text to the next: nothing that a text has a part in.
struct Warm<'a> {
    plan: &'a Plan,
    compiler: Compiler,
    trusted: &'a Compiler,
    /// Of the lessons that were judged with the plan's seed: what their own files give.
    own: HashMap<String, Arc<LessonCache>>,
    /// Whose text came last.
    student: String,
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
        if self.student != request.student {
            self.student.clone_from(&request.student);
            self.compiler.renew();
        }
        let answer = |compiler: &Compiler| match judge(&own, &lesson, request, compiler) {
            Ok(judged) => Reply::Judged(Box::new(judged)),
            Err(error) => Reply::Failed(format!("{error:#}")),
        };
        Ok(match apart::run(self.plan.cpu_seconds, &self.compiler, &answer)? {
            Ended::Answered(reply) => reply,
            Ended::OutOfTime => {
                let seconds = self.plan.cpu_seconds;
                let why = format!("judging it took more than {seconds} s of processor time");
                Reply::Judged(Box::new(Judged::none(request, Outcome::Review(Review::TimeLimit), &why)))
            }
            Ended::Died(how) => {
                let why = format!("the process that judged it ended {how}");
                Reply::Judged(Box::new(Judged::none(request, Outcome::Review(Review::JudgeDied), &why)))
            }
        })
    }
}
