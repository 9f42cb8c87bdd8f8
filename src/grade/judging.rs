//! Judges one text in this process: its verdict as the tool displays it, and what earns points.

use super::plan::Sizes;
use anyhow::Result;
use compiler::Compiler;
use cpp::Source;
use judge::course::Lesson;
use judge::{AnswerState, Failure, LessonCache, Options, Prepared, Reason, RightValues, Verdict};
use report::{About, JudgedRunView, VerdictView};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A text to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The student's name: texts of one student may be compiled by one process.
    pub student: String,
    /// Slug of the lesson.
    pub lesson: String,
    /// Name of the file in messages.
    pub file: String,
    pub source: String,
    pub seed: u64,
    #[serde(default)]
    pub sizes: Sizes,
}

/// A reply of the judge process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    Judged(Box<Judged>),
    /// This machine or the lesson is at fault; holds the reason.
    Failed(String),
}

/// The achievements that earn points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earned {
    /// The values are right in every case.
    pub right: bool,
    /// In addition, there are no findings.
    pub clean: bool,
    /// In addition, all requirements are met.
    pub bars: bool,
    /// In a lesson with questions: the number of right answers, and the number of questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<(u32, u32)>,
}

/// Why a person must review a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Review {
    /// The submission uses something that the simulator does not support.
    Unsupported,
    /// Judging it exceeded the limit on processor or wall-clock time.
    TimeLimit,
    /// It exceeded another limit of the tool: memory, sizes, or the compiler's limits.
    Limit,
    /// The process that judged it died.
    JudgeDied,
}

impl Review {
    /// Returns why there is no verdict.
    pub fn reason(self) -> Reason {
        match self {
            Review::Unsupported => Reason::Unsupported,
            Review::TimeLimit => Reason::TimeLimit,
            Review::Limit => Reason::Limit,
            Review::JudgeDied => Reason::JudgeDied,
        }
    }
}

/// The outcome of judging a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Judged(Earned),
    Review(Review),
    /// This machine failed: there is no mark, and the text will be tried again.
    Failed,
}

/// The verdict on a text, and what it earns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub outcome: Outcome,
    /// The verdict without timing information, which differs between runs.
    pub view: VerdictView,
}

impl Judged {
    /// Creates the result for a text that has no verdict.
    pub fn none(request: &Request, outcome: Outcome, why: &str) -> Judged {
        let mut view = VerdictView::not_judged(&request.lesson, &request.file, why);
        if let Outcome::Review(review) = outcome {
            view.reason = Some(review.reason());
            view.headline = "not judged: needs review by a person".into();
        }
        Judged { outcome, view }
    }
}

/// Judges a text. `own` caches what is derived from the lesson's own files.
///
/// # Errors
///
/// Fails if the environment or the lesson is at fault, never the text.
pub fn judge(
    own: &Arc<LessonCache>,
    lesson: &Lesson,
    request: &Request,
    compiler: &Compiler,
) -> Result<Judged> {
    let options = Options { seed: request.seed, host_threads: 1, ..Options::default() };
    let prepared = Prepared::with_cache(own, lesson, &request.source, &request.file, compiler)?;
    let verdict = without_comparison(prepared.verdict(&options)?);
    let advice_report = match &verdict.result {
        Ok(_) | Err(Failure::Work { .. }) => Some(prepared.advice(&options)?),
        Err(_) => None,
    };
    let source = Source::new(&request.source);
    let about = About::of_lesson(lesson, &request.file, &source);
    let mut view = VerdictView::new(&verdict, &about, JudgedRunView::simulated(request.seed));
    if let Some(advice_report) = &advice_report {
        view.evidence.advice = report::advice_views(advice_report, |_| about.clone());
    }
    let outcome = outcome(&prepared, &verdict, &options, &mut view)?;
    Ok(Judged { outcome, view })
}

/// Removes from wrong answers whether more or less was measured: with it, repeated submissions could home in on the
/// right answers.
fn without_comparison(mut verdict: Verdict) -> Verdict {
    if let Err(Failure::WrongAnswer(answers)) = &mut verdict.result {
        for answer in answers {
            if let AnswerState::Wrong { more, .. } = &mut answer.state {
                *more = None;
            }
        }
    }
    verdict
}

/// Returns what the verdict earns. Why right values earn nothing becomes the view's note.
fn outcome(
    prepared: &Prepared,
    verdict: &Verdict,
    options: &Options,
    view: &mut VerdictView,
) -> Result<Outcome> {
    let all = Earned { right: true, clean: true, bars: true, answers: None };
    let none = Earned::default();
    Ok(Outcome::Judged(match &verdict.result {
        Ok(passed) => Earned { answers: share(&passed.answers), ..all },
        Err(Failure::Work { .. } | Failure::Speed(_)) => Earned { bars: false, ..all },
        Err(Failure::Defect { values_right: true, .. }) => {
            let values = prepared.right_values(options)?;
            view.note = why_not_right(&values).or(view.note.take());
            Earned { right: values == RightValues::InEveryCase, ..none }
        }
        Err(Failure::Unanswered(answers) | Failure::WrongAnswer(answers)) => {
            Earned { answers: share(answers), ..none }
        }
        Err(Failure::Unsupported { .. }) => return Ok(Outcome::Review(Review::Unsupported)),
        Err(Failure::Limit(_)) => return Ok(Outcome::Review(Review::Limit)),
        Err(_) => none,
    }))
}

/// Returns why values that are right in one case do not count as right.
fn why_not_right(values: &RightValues) -> Option<String> {
    match values {
        RightValues::InEveryCase => None,
        RightValues::NotIn(case) => Some(format!(
            "the values count as right only if every case ends with the right ones, which was not seen with {case}"
        )),
        RightValues::Unknown => Some(
            "the values do not count as right: with a finding it is not known what the other cases compute"
                .to_owned(),
        ),
    }
}

/// Returns the number of right answers and of questions; `None` if there are no questions.
fn share(answers: &[judge::AnsweredQuestion]) -> Option<(u32, u32)> {
    let right = answers.iter().filter(|answer| answer.state == AnswerState::Right).count();
    (!answers.is_empty()).then_some((right as u32, answers.len() as u32))
}
