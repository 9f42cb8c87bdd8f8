//! Questions of a lesson, with the learner's answers and what was measured.

use super::measurement::Measurement;
use crate::course::{AnswerLine, Case, Choice};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// A question and the state of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredQuestion {
    /// Name of the question.
    pub question: String,
    pub ask: String,
    /// Empty where a number is asked for.
    pub choices: Vec<ShownChoice>,
    pub case: Case,
    /// Line of the answer in the file, 1-based; `None` where there is none.
    pub line: Option<u32>,
    /// The answer as it was written.
    pub answer: Option<String>,
    /// The unit to show after a number.
    pub unit: Option<String>,
    /// The right answer, where it was measured: a number as text, or the key of a choice.
    pub measured: Option<String>,
    /// The measured values that determine the right answer.
    pub values: Vec<Measurement>,
    /// The measured values that may be shown with a wrong answer.
    pub evidence: Vec<Measurement>,
    pub state: AnswerState,
}

/// One of several answers to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownChoice {
    pub key: String,
    pub text: String,
}

impl From<&Choice> for ShownChoice {
    fn from(choice: &Choice) -> ShownChoice {
        ShownChoice { key: choice.key.clone(), text: choice.text.clone() }
    }
}

/// What a wrong answer may come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mistake {
    /// Unknown.
    General,
    /// The lesson's typical mistake of this name.
    #[serde(untagged)]
    Typical(String),
}

impl Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mistake::General => f.write_str("general"),
            Mistake::Typical(name) => f.write_str(name),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerState {
    /// The answer is right.
    Right,
    /// The answer is still `?`.
    Unanswered,
    /// The file has no line for the question. `stray` is a line whose name matches no question; perhaps it was
    /// meant.
    Missing { stray: Option<AnswerLine> },
    /// Another line, number `other`, answers the same question.
    Twice { other: u32 },
    /// The answer is no number, or none of the choices.
    Unreadable,
    /// The answer is wrong.
    Wrong {
        mistake: Mistake,
        /// Explanation of that mistake.
        why: Option<String>,
        /// For numbers: whether more was measured than answered.
        more: Option<bool>,
    },
}

impl AnsweredQuestion {
    pub fn is_right(&self) -> bool {
        self.state == AnswerState::Right
    }

    /// Returns whether there is no answer yet.
    pub fn waits(&self) -> bool {
        matches!(self.state, AnswerState::Unanswered | AnswerState::Missing { .. })
    }

    /// Returns the names by which a wrong file declares this answer: `sectors`, and `sectors.bytes` with the name
    /// of the typical mistake.
    pub fn slugs(&self) -> Vec<String> {
        let mut slugs = vec![self.question.clone()];
        match &self.state {
            AnswerState::Wrong { mistake, .. } => slugs.push(format!("{}.{mistake}", self.question)),
            AnswerState::Unreadable => slugs.push(format!("{}.unreadable", self.question)),
            AnswerState::Twice { .. } => slugs.push(format!("{}.twice", self.question)),
            _ => {}
        }
        slugs
    }
}
