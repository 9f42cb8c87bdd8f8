//! The questions of a `predict` lesson, and how their right answers are measured.
//!
//! ```toml
//! [[questions]]
//! name = "sectors"                 # as in the learner's file: // answer sectors = ?
//! ask = "How many sectors does one load request of `row` touch?"
//! at = { n = 33 }                  # optional: which of the cases; the first if left out
//! measure = "row.load_sectors"     # a formula over sizes and measured values
//! per = "row.load_requests"        # optional: the answer is `measure` over `per`, with decimals
//! unit = "sectors"                 # optional: said after the number
//! tolerance = { rel = 0.05 }       # optional; as [tolerance]; absent means exactly
//! evidence = ["row.load_requests"] # optional: measured values shown with a wrong answer
//!
//! [[questions.wrong]]              # a typical wrong answer
//! name = "bytes"                   # so that wrong files can say which they are refused by
//! answer = "row.load_bytes"        # a formula, here too with a `per` of its own where it has one
//! why = "That is how many bytes the warp asks for."
//!
//! [[questions]]
//! name = "slower"
//! ask = "Which takes longer on a T4?"
//! choices = [                      # in place of `measure`: exactly one holds
//!     { key = "a", text = "by rows", right_when = "row.t4.ns > column.t4.ns" },
//!     { key = "b", text = "by columns", right_when = "row.t4.ns <= column.t4.ns" },
//! ]
//!
//! [[questions.wrong]]
//! name = "rows"
//! choice = "a"
//! why = "It has fewer requests."
//! ```
//!
//! `judge/measure.rs` documents what can be measured and how it is named.

use super::keys::KeyErrors;
use super::{Case, Formula, Kind, Spec, Tolerance, is_identifier, is_slug};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One question of a lesson.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The name used in the learner's file.
    pub name: String,
    pub ask: String,
    /// The case that the question is about; the first if left out.
    pub at: Option<Case>,
    pub measure: Option<Formula>,
    pub per: Option<Formula>,
    pub unit: Option<String>,
    #[serde(default)]
    pub tolerance: Tolerance,
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// Names of measured values that are shown with a wrong answer.
    #[serde(default)]
    pub evidence: Vec<Formula>,
    #[serde(default)]
    pub wrong: Vec<TypicalMistake>,
}

/// One of several answers to choose from.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The letter that selects it.
    pub key: String,
    pub text: String,
    /// The condition on measured values under which it is right.
    pub right_when: Formula,
}

/// A typical wrong answer, and the mistake behind it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TypicalMistake {
    /// Slug of the mistake within the question.
    pub name: String,
    pub answer: Option<Formula>,
    pub per: Option<Formula>,
    /// Key of the choice that it is about.
    pub choice: Option<String>,
    pub why: String,
}

/// What the answer to a question is compared with.
#[derive(Clone, Copy, Debug)]
pub enum QuestionKind<'a> {
    Number(Measure<'a>),
    Choice(&'a [Choice]),
}

/// A measured number: `of`, divided by `per` if present.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    pub of: &'a Formula,
    pub per: Option<&'a Formula>,
}

impl TypicalMistake {
    /// Returns the wrong number, if the question asks for a number.
    pub fn measure(&self) -> Option<Measure<'_>> {
        self.answer.as_ref().map(|of| Measure { of, per: self.per.as_ref() })
    }
}

impl Question {
    /// Returns whether the question asks for a number or a choice.
    pub fn kind(&self) -> QuestionKind<'_> {
        match &self.measure {
            Some(of) => QuestionKind::Number(Measure { of, per: self.per.as_ref() }),
            None => QuestionKind::Choice(&self.choices),
        }
    }

    /// Returns the case that the question is about: its index in the lesson, and its sizes.
    pub fn case<'a>(&self, spec: &'a Spec) -> Option<(usize, &'a Case)> {
        let wanted = self.at.as_ref();
        spec.cases.iter().enumerate().find(|(_, case)| wanted.is_none_or(|wanted| wanted.same_sizes(case)))
    }
}

/// Checks the questions of a lesson.
pub(super) fn problems(spec: &Spec, found: &mut KeyErrors) {
    found.unless(
        (spec.kind == Kind::Predict) != spec.questions.is_empty(),
        "questions",
        "lessons of kind \"predict\" have questions, and no others do",
    );
    found.unless(
        spec.kind != Kind::Predict || spec.requirements.is_empty(),
        "requirements",
        "a lesson that asks questions has no bars",
    );
    let mut names = BTreeSet::new();
    for (q, question) in spec.questions.iter().enumerate() {
        let key = |key: &str| format!("questions[{q}].{key}");
        found.unless(is_identifier(&question.name), key("name"), "a C identifier is needed");
        found.unless(names.insert(&question.name), key("name"), "a second question of that name");
        found.unless(!question.ask.trim().is_empty(), key("ask"), "empty");
        found.unless(
            question.case(spec).is_some(),
            key("at"),
            format!("no case has {}", question.at.as_ref().unwrap_or(&Case::new())),
        );
        shape(question, &key, found);
    }
}

/// Checks that the keys of one question fit together; `of` returns the whole name of a key.
fn shape(question: &Question, of: &dyn Fn(&str) -> String, found: &mut KeyErrors) {
    let mut unless = |right: bool, key: &str, message: &str| found.unless(right, of(key), message);
    let number = question.measure.is_some();
    unless(number == question.choices.is_empty(), "measure", "either `measure` or `choices` is needed");
    let tolerance = question.tolerance;
    let fits = tolerance.abs >= 0.0 && tolerance.abs.is_finite() && (0.0..1.0).contains(&tolerance.rel);
    unless(fits, "tolerance", "`abs` of zero or more and `rel` below 1 are needed");
    unless(
        question.per.is_none() || tolerance != Tolerance::default(),
        "tolerance",
        "an answer with decimals needs one",
    );
    let keys: BTreeSet<&str> = question.choices.iter().map(|choice| choice.key.as_str()).collect();
    let letters = keys.iter().all(|key| matches!(key.as_bytes(), [b'a'..=b'z']));
    unless(
        letters && keys.len() == question.choices.len() && question.choices.len() != 1,
        "choices",
        "two or more are needed, each with its own lower-case letter as `key`",
    );
    let mut names = BTreeSet::new();
    for (w, wrong) in question.wrong.iter().enumerate() {
        let fresh = is_slug(&wrong.name) && wrong.name != "general" && names.insert(wrong.name.as_str());
        unless(fresh, &format!("wrong[{w}].name"), "its own slug is needed, not \"general\"");
        unless(!wrong.why.trim().is_empty(), &format!("wrong[{w}].why"), "empty");
        let fits = match (&wrong.answer, &wrong.choice) {
            (Some(_), None) => number,
            (None, Some(key)) if wrong.per.is_none() => keys.contains(key.as_str()),
            _ => false,
        };
        unless(
            fits,
            &format!("wrong[{w}]"),
            "`answer` is needed if a number is asked for, otherwise `choice` with one of the keys",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBER: &str = r#"name = "sectors"
ask = "How many?"
measure = "row.load_sectors"
wrong = [{ name = "one", answer = 1, why = "No." }]"#;

    fn wrong_with(old: &str, new: &str) -> Vec<String> {
        assert!(NUMBER.contains(old), "{old}");
        let question: Question = toml::from_str(&NUMBER.replacen(old, new, 1)).unwrap();
        let mut found = KeyErrors::default();
        shape(&question, &str::to_owned, &mut found);
        found.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_question_asks_for_a_number_or_a_choice() {
        assert_eq!(wrong_with("How", "How"), [""; 0]);
        let both = "either `measure` or `choices` is needed";
        for (old, new, wanted) in [
            ("measure = \"row.load_sectors\"", "", format!("measure: {both}")),
            (
                "wrong =",
                "choices = [{ key = \"a\", text = \"\", right_when = 1 }, { key = \"b\", text = \"\", right_when = 0 }]\nwrong =",
                format!("measure: {both}"),
            ),
            ("wrong =", "per = 2\nwrong =", "tolerance: an answer with decimals needs one".into()),
            (
                "wrong =",
                "tolerance = { rel = 1.0 }\nwrong =",
                "tolerance: `abs` of zero or more and `rel` below 1 are needed".into(),
            ),
            ("\"one\"", "\"general\"", "wrong[0].name: its own slug is needed, not \"general\"".into()),
            (
                "answer = 1",
                "choice = \"a\"",
                "wrong[0]: `answer` is needed if a number is asked for, otherwise `choice` with one of the keys"
                    .into(),
            ),
            (
                "wrong =",
                "choices = [{ key = \"A\", text = \"\", right_when = 1 }]\nwrong =",
                "choices: two or more are needed, each with its own lower-case letter as `key`".into(),
            ),
        ] {
            assert!(wrong_with(old, new).contains(&wanted), "{new}: {:?}", wrong_with(old, new));
        }
    }
}
