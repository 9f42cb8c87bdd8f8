//! One text judged in this process: the verdict as the tool shows it, and what of it earns points.

use super::plan::Sizes;
use anyhow::Result;
use compiler::Compiler;
use cpp::Source;
use judge::course::Lesson;
use judge::{AnswerState, Failure, LessonCache, Options, Prepared, Verdict};
use report::{About, VerdictView};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A text to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Whose it is: texts of one student may be compiled by one process.
    pub student: String,
    /// Slug.
    pub lesson: String,
    /// What messages call the file.
    pub file: String,
    pub source: String,
    pub seed: u64,
    #[serde(default)]
    pub sizes: Sizes,
}

/// What earns points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earned {
    /// Right values in every case.
    pub right: bool,
    /// And no finding.
    pub clean: bool,
    /// And no bar missed.
    pub bars: bool,
    /// Of a lesson that asks: questions answered rightly, of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<(u32, u32)>,
}

/// Why a person must look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Review {
    /// The simulator lacks something that it uses.
    Unsupported,
    /// It took more processor time, or time by the clock, than a file has.
    TimeLimit,
    /// It broke another limit of the tool: memory, sizes, what the compiler may take.
    Limit,
    /// The process that judged it died.
    JudgeDied,
}

impl Review {
    /// Stable name.
    pub fn slug(self) -> &'static str {
        match self {
            Review::Unsupported => "unsupported",
            Review::TimeLimit => "time-limit",
            Review::Limit => "limit",
            Review::JudgeDied => "judge-died",
        }
    }
}

/// What came of judging a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Judged(Earned),
    Review(Review),
    /// This machine's fault: no mark, and it is tried again.
    Failed,
}

/// The verdict on a text, and what it earns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub outcome: Outcome,
    /// Without how long it took, which is another each time.
    pub view: VerdictView,
}

impl Judged {
    /// Of a text that there is no verdict on.
    pub fn none(request: &Request, outcome: Outcome, why: &str) -> Judged {
        let mut view = VerdictView::not_judged(&request.lesson, &request.file, why);
        if let Outcome::Review(review) = outcome {
            view.reason = Some(review.slug().into());
            view.headline = "not judged: somebody looks at it".into();
        }
        Judged { outcome, view }
    }
}

/// Judges a text. `own` keeps what the lesson's own files give.
///
/// # Errors
///
/// The environment's or the lesson's fault, never the text's.
pub fn judge(
    own: &Arc<LessonCache>,
    lesson: &Lesson,
    request: &Request,
    compiler: &Compiler,
) -> Result<Judged> {
    let options = Options { seed: request.seed, host_threads: 1 };
    let prepared = Prepared::beside(own, lesson, &request.source, &request.file, compiler)?;
    let verdict = without_directions(prepared.verdict(&options)?);
    let advised = match &verdict.result {
        Ok(_) | Err(Failure::Work { .. }) => Some(prepared.advice(&options)?),
        Err(_) => None,
    };
    let source = Source::new(&request.source);
    let about = About::of_lesson(lesson, &request.file, &source, request.seed);
    let mut view = VerdictView::new(&verdict, &about);
    if let Some(advised) = &advised {
        view.evidence.advice = report::advice_views(advised, |_| about.clone());
    }
    Ok(Judged { outcome: outcome(&prepared, &verdict, &options)?, view })
}

/// Wrong answers without the word whether more or less was measured: with it, handing in again and again finds them.
fn without_directions(mut verdict: Verdict) -> Verdict {
    if let Err(Failure::WrongAnswer(answers)) = &mut verdict.result {
        for answer in answers {
            if let AnswerState::Wrong { more, .. } = &mut answer.state {
                *more = None;
            }
        }
    }
    verdict
}

fn outcome(prepared: &Prepared, verdict: &Verdict, options: &Options) -> Result<Outcome> {
    let all = Earned { right: true, clean: true, bars: true, answers: None };
    let none = Earned::default();
    Ok(Outcome::Judged(match &verdict.result {
        Ok(passed) => Earned { answers: share(&passed.answers), ..all },
        Err(Failure::Work { .. } | Failure::Speed(_)) => Earned { bars: false, ..all },
        Err(Failure::Defect { values_right: true, .. }) => {
            Earned { right: prepared.right_everywhere(options)?, ..none }
        }
        Err(Failure::Unanswered(answers) | Failure::WrongAnswer(answers)) => {
            Earned { answers: share(answers), ..none }
        }
        Err(Failure::Unsupported { .. }) => return Ok(Outcome::Review(Review::Unsupported)),
        Err(Failure::Limit(_)) => return Ok(Outcome::Review(Review::Limit)),
        Err(_) => none,
    }))
}

/// Questions answered rightly, of all; `None` where there are none.
fn share(answers: &[judge::Answered]) -> Option<(u32, u32)> {
    let right = answers.iter().filter(|answer| answer.state == AnswerState::Right).count();
    (!answers.is_empty()).then_some((right as u32, answers.len() as u32))
}
