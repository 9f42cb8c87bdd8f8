//! Judges predictions: compares the answers in a learner's file with what the lesson's own kernels do when measured
//! now. Changes that the learner makes to the code in their file have no effect on the right answers.

use super::answer::Answer;
use super::answered_question::{AnswerState, AnsweredQuestion, Mistake, ShownChoice};
use super::backend::Simulated;
use super::fill::inputs;
use super::judged_case::JudgedCase;
use super::measure::{Measured, kernels_fault, measure};
use super::measurement::Measurement;
use super::number::Ratio;
use super::verdict::{Failure, Mismatch, Passed};
use super::wrong_output::wrong_output;
use crate::course::{
    AnswerLine, AuthorError, Case, Formula, Lesson, Measure, Question, QuestionKind, TypicalMistake, answers,
};
use anyhow::Result;
use sim::Counts;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

/// Judges the answers in a file against what is `measured` of the lesson's own kernels.
///
/// # Errors
///
/// Fails if the lesson itself is at fault.
pub(super) fn judge(
    lesson: &Lesson,
    source: &str,
    measured: &dyn Fn() -> Result<Arc<BTreeMap<usize, Measured>>>,
) -> Result<Result<Passed, Failure>> {
    let lines = answers(source);
    let mut answered: Vec<AnsweredQuestion> =
        lesson.spec.questions.iter().map(|question| found(lesson, question, &lines)).collect();
    // Without any answer nothing is run, so no right answer can be given away.
    if answered.iter().all(AnsweredQuestion::waits) {
        return Ok(Err(Failure::Unanswered(answered)));
    }
    let all = measured()?;
    for (question, answered) in lesson.spec.questions.iter().zip(&mut answered) {
        MeasuredQuestion::of(lesson, question, &all)?.judge(answered)?;
    }
    Ok(match answered.iter().all(AnsweredQuestion::is_right) {
        true => Ok(Passed {
            cases: all.len(),
            counts: Counts::default(),
            bars: Vec::new(),
            answers: answered,
            ..Passed::default()
        }),
        false if answered.iter().all(|a| a.is_right() || a.waits()) => Err(Failure::Unanswered(answered)),
        false => Err(Failure::WrongAnswer(answered)),
    })
}

/// Runs and measures every case that a question is about. `program` holds the lesson's own kernels; their outputs
/// are checked against `reference`, where the lesson has one.
pub(super) fn measured(
    lesson: &Lesson,
    program: &Simulated,
    reference: Option<&Answer>,
    seed: u64,
) -> Result<BTreeMap<usize, Measured>> {
    let mut all = BTreeMap::new();
    for question in &lesson.spec.questions {
        let (case, sizes) =
            question.case(&lesson.spec).ok_or_else(|| fault(lesson, question, "at", "no such case"))?;
        if all.contains_key(&case) {
            continue;
        }
        let (measured, case_run) = measure(lesson, program, case, seed)?;
        if let Some(reference) = reference {
            let sized = lesson.spec.sized(sizes)?;
            let initial = inputs(lesson, &sized, case, seed);
            let expected = reference.expected(lesson, sizes, &sized, &initial)?;
            if let Some(mismatch) = wrong_output(
                &lesson.spec,
                &JudgedCase::new(case, sizes),
                &sized,
                &initial,
                &expected,
                &case_run.outputs,
            ) {
                let Mismatch { differing, total, buffer, case, .. } = mismatch;
                let message = format!("{differing} of {total} elements of {buffer} are wrong ({case})");
                return Err(kernels_fault(lesson, &message));
            }
        }
        all.insert(case, measured);
    }
    Ok(all)
}

/// Returns the location of a formula within `lesson.toml`, for messages.
fn place(question: &Question, key: &str) -> String {
    format!("question \"{}\": {key}", question.name)
}

/// Returns the error for a formula of a question.
fn fault(lesson: &Lesson, question: &Question, key: &str, message: impl Display) -> AuthorError {
    AuthorError::of_key(lesson, "questions", format!("{}: {message}", place(question, key)))
}

/// Returns a question with the answer found in the file, not yet judged.
fn found(lesson: &Lesson, question: &Question, lines: &[AnswerLine]) -> AnsweredQuestion {
    let mut own = lines.iter().filter(|line| line.name == question.name);
    let (first, second) = (own.next(), own.next());
    let known = |line: &AnswerLine| lesson.spec.questions.iter().any(|question| question.name == line.name);
    let state = match (first, second) {
        (None, _) => AnswerState::Missing { stray: lines.iter().find(|line| !known(line)).cloned() },
        (Some(_), Some(second)) => AnswerState::Twice { other: second.line },
        (Some(AnswerLine { text: None, .. }), _) => AnswerState::Unanswered,
        // A placeholder until the answer is judged.
        (Some(_), None) => AnswerState::Unreadable,
    };
    AnsweredQuestion {
        question: question.name.clone(),
        ask: question.ask.clone(),
        choices: question.choices.iter().map(ShownChoice::from).collect(),
        case: question.case(&lesson.spec).map_or(Case::new(), |(_, case)| case.clone()),
        line: first.map(|line| line.line),
        answer: first.and_then(|line| line.text.clone()),
        unit: question.unit.clone(),
        measured: None,
        values: Vec::new(),
        evidence: Vec::new(),
        state,
    }
}

/// The right answer to a question.
enum Right<'a> {
    Number(Ratio),
    /// Key of the choice.
    Choice(&'a str),
}

/// A question, with what was measured in its case.
struct MeasuredQuestion<'a> {
    lesson: &'a Lesson,
    question: &'a Question,
    measured: &'a Measured,
}

impl<'a> MeasuredQuestion<'a> {
    fn of(lesson: &'a Lesson, question: &'a Question, all: &'a BTreeMap<usize, Measured>) -> Result<Self> {
        let measured = question.case(&lesson.spec).and_then(|(case, _)| all.get(&case));
        let measured = measured.ok_or_else(|| fault(lesson, question, "at", "no such case"))?;
        Ok(MeasuredQuestion { lesson, question, measured })
    }

    fn fault(&self, key: &str, message: impl Display) -> AuthorError {
        fault(self.lesson, self.question, key, message)
    }

    /// Evaluates a formula; `key` is its name in messages.
    fn value(&self, key: &str, formula: &Formula) -> Result<i64> {
        let value = formula.value_with(&|name| self.measured.value(name));
        value.map_err(|error| self.fault(key, error).into())
    }

    /// Evaluates a measure; `key` is its name in messages.
    fn ratio(&self, measure: Measure, key: &str) -> Result<Ratio> {
        let over = self.value(key, measure.of)?;
        let under = measure.per.map_or(Ok(1), |per| self.value(key, per))?;
        Ok(Ratio::new(over, under).ok_or_else(|| self.fault(key, "`per` is zero"))?)
    }

    fn right(&self) -> Result<Right<'a>> {
        let choices = match self.question.kind() {
            QuestionKind::Number(of) => return self.ratio(of, "measure").map(Right::Number),
            QuestionKind::Choice(choices) => choices,
        };
        let mut holding = Vec::new();
        for choice in choices {
            if self.value("choices", &choice.right_when)? != 0 {
                holding.push(choice.key.as_str());
            }
        }
        let fault = |message: &str| self.fault("choices", message).into();
        match holding.as_slice() {
            [one] => Ok(Right::Choice(one)),
            [] => Err(fault("none of the choices is right")),
            several => Err(fault(&format!("several of the choices are right: {}", several.join(", ")))),
        }
    }

    /// Judges an answer, and fills in what was measured.
    fn judge(&self, answered: &mut AnsweredQuestion) -> Result<()> {
        let (question, right) = (self.question, self.right()?);
        let measurements =
            |formulas: &mut dyn Iterator<Item = &Formula>, key: &str| -> Result<Vec<Measurement>> {
                let mut all: Vec<Measurement> = Vec::new();
                for name in formulas.flat_map(Formula::names) {
                    let found = self.measured.measurement(name).map_err(|why| self.fault(key, why))?;
                    if name.contains('.') && !all.contains(&found) {
                        all.push(found);
                    }
                }
                Ok(all)
            };
        let of = question.measure.iter().chain(&question.per);
        answered.values =
            measurements(&mut of.chain(question.choices.iter().map(|choice| &choice.right_when)), "measure")?;
        answered.evidence = measurements(&mut question.evidence.iter(), "evidence")?;
        answered.measured = Some(match &right {
            Right::Number(number) => number.text(),
            Right::Choice(key) => (*key).to_owned(),
        });
        let (Some(text), AnswerState::Unreadable) = (answered.answer.as_deref(), &answered.state) else {
            return Ok(());
        };
        answered.state = match right {
            Right::Number(wanted) => match Ratio::parse(text, question.unit.as_deref()) {
                None => return Ok(()),
                Some(got) if got.is_near(wanted, question.tolerance) => AnswerState::Right,
                Some(got) => {
                    let mut typical = None;
                    for wrong in &question.wrong {
                        let Some(its) = wrong.measure() else { continue };
                        let its = self.ratio(its, "wrong")?;
                        if typical.is_none() && got.is_near(its, question.tolerance) {
                            typical = Some(wrong);
                        }
                    }
                    let more = Some(wanted.to_f64() > got.to_f64());
                    wrong(typical, more)
                }
            },
            Right::Choice(key) => {
                let Some(got) = choice(question, text) else { return Ok(()) };
                if got == key {
                    AnswerState::Right
                } else {
                    let typical = question.wrong.iter().find(|wrong| wrong.choice.as_deref() == Some(&got));
                    wrong(typical, None)
                }
            }
        };
        Ok(())
    }
}

/// Returns the key of the choice that a text names, or `None` where it names none.
fn choice(question: &Question, text: &str) -> Option<String> {
    let got = text.trim().trim_matches(['(', ')', '.']).to_ascii_lowercase();
    question.choices.iter().any(|choice| choice.key == got).then_some(got)
}

/// Returns whether a text can be an answer to a question, right or wrong: a number where one is asked for,
/// otherwise the key of a choice.
pub fn is_readable(question: &Question, text: &str) -> bool {
    match question.kind() {
        QuestionKind::Number(_) => Ratio::parse(text, question.unit.as_deref()).is_some(),
        QuestionKind::Choice(_) => choice(question, text).is_some(),
    }
}

/// Returns the state of a wrong answer.
fn wrong(typical: Option<&TypicalMistake>, more: Option<bool>) -> AnswerState {
    let mistake = typical.map_or(Mistake::General, |wrong| Mistake::Typical(wrong.name.clone()));
    AnswerState::Wrong { mistake, why: typical.map(|wrong| wrong.why.clone()), more }
}

/// Lists what is wrong with the questions themselves, once they are measured: a typical mistake that is right, or
/// two typical mistakes of one question with the same value. For lesson authors.
pub(super) fn doubts(lesson: &Lesson, all: &BTreeMap<usize, Measured>) -> Result<Vec<String>> {
    let mut doubts = Vec::new();
    for question in &lesson.spec.questions {
        let measured = MeasuredQuestion::of(lesson, question, all)?;
        let right = measured.right()?;
        let mut before: Vec<(Ratio, &str)> = Vec::new();
        for wrong in &question.wrong {
            let doubt =
                |what: &str| format!("{} {what}", place(question, &format!("wrong \"{}\"", wrong.name)));
            match (&right, wrong.measure(), &wrong.choice) {
                (Right::Number(wanted), Some(its), _) => {
                    let its = measured.ratio(its, "wrong")?;
                    if its.is_near(*wanted, question.tolerance) {
                        doubts.push(doubt("is right"));
                    }
                    if let Some((_, other)) = before.iter().find(|(b, _)| its.is_near(*b, question.tolerance))
                    {
                        doubts.push(doubt(&format!("is the same as \"{other}\"")));
                    }
                    before.push((its, &wrong.name));
                }
                (Right::Choice(key), _, Some(choice)) if choice == key => doubts.push(doubt("is right")),
                _ => {}
            }
        }
    }
    Ok(doubts)
}
