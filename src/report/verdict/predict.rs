//! Prediction questions and their answers: one wrong answer is explained at a time, and after passing comes a
//! table of the measured values. A measured value is shown only if the answer is right.

use super::VerdictView;
use crate::bench::time;
use crate::layout::{grouped, hanging, pad, pad_left, paragraph, plural, text_width};
use crate::{Style, escape, paint};
use judge::course::Question;
use judge::{AnswerState, AnsweredQuestion, Measurement, Mistake, Quantity, ShownChoice};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A question and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuestionView {
    /// Name of the question.
    pub question: String,
    pub ask: String,
    /// The choices of a multiple-choice question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ShownChoice>,
    /// Sizes, as text.
    pub case: String,
    pub state: AnswerStatus,
    /// Line of the answer; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The answer as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The right answer; only if it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// Whether the right answer depends on the time model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub modelled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<Mistake>,
    /// What is wrong with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Values from which the right answer is derived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueView>,
}

/// How a question was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerStatus {
    Right,
    #[default]
    Unanswered,
    /// The line of the answer is missing.
    Missing,
    Twice,
    Unreadable,
    Wrong,
}

impl fmt::Display for AnswerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueView {
    /// Such as `row.load_sectors`.
    pub name: String,
    pub meaning: String,
    /// `None` where it would reveal the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// `number`, `nanoseconds`, or `yes-no` (1 is yes).
    #[serde(default)]
    pub quantity: Quantity,
    /// Whether it comes from the time model instead of being counted.
    #[serde(default)]
    pub modelled: bool,
}

impl ValueView {
    fn new(m: &Measurement, shown: bool) -> ValueView {
        ValueView {
            name: m.name.clone(),
            meaning: m.meaning.clone(),
            value: shown.then_some(m.value),
            quantity: m.quantity,
            modelled: m.modelled,
        }
    }
}

impl QuestionView {
    pub fn new(answered: &AnsweredQuestion) -> QuestionView {
        let right = answered.is_right();
        let mistake = match &answered.state {
            AnswerState::Wrong { mistake, .. } => Some(mistake.clone()),
            _ => None,
        };
        // The values in a choice's condition would reveal which choice is right.
        let general = mistake == Some(Mistake::General);
        let shown = right || general && answered.choices.is_empty();
        let mut values: Vec<ValueView> = Vec::new();
        if mistake.is_some() {
            values.extend(answered.evidence.iter().map(|m| ValueView::new(m, true)));
        }
        for m in answered.values.iter().filter(|_| shown) {
            if !values.iter().any(|v| v.name == m.name) {
                values.push(ValueView::new(m, right));
            }
        }
        QuestionView {
            question: answered.question.clone(),
            ask: answered.ask.clone(),
            choices: answered.choices.clone(),
            case: answered.case.to_string(),
            state: match answered.state {
                AnswerState::Right => AnswerStatus::Right,
                AnswerState::Unanswered => AnswerStatus::Unanswered,
                AnswerState::Missing { .. } => AnswerStatus::Missing,
                AnswerState::Twice { .. } => AnswerStatus::Twice,
                AnswerState::Unreadable => AnswerStatus::Unreadable,
                AnswerState::Wrong { .. } => AnswerStatus::Wrong,
            },
            line: answered.line,
            answer: answered.answer.clone(),
            unit: answered.unit.clone(),
            measured: answered.measured.clone().filter(|_| right),
            modelled: answered.values.iter().any(|m| m.modelled),
            mistake,
            why: why(answered),
            values,
        }
    }

    /// Creates the view of a question without an answer.
    pub fn open(question: &Question, case: String) -> QuestionView {
        QuestionView {
            question: question.name.clone(),
            ask: question.ask.clone(),
            choices: question.choices.iter().map(ShownChoice::from).collect(),
            case,
            unit: question.unit.clone(),
            ..QuestionView::default()
        }
    }

    fn is_right(&self) -> bool {
        self.state == AnswerStatus::Right
    }

    fn is_unanswered(&self) -> bool {
        matches!(self.state, AnswerStatus::Unanswered | AnswerStatus::Missing)
    }
}

/// Returns what is wrong with an answer, in a sentence or two.
fn why(answered: &AnsweredQuestion) -> Option<String> {
    let name = &answered.question;
    Some(match &answered.state {
        AnswerState::Right | AnswerState::Unanswered => return None,
        AnswerState::Missing { stray: None } => {
            format!("The line `// answer {name} = ?` is missing: put it back, anywhere in the file.")
        }
        AnswerState::Missing { stray: Some(stray) } => format!(
            "There is no line `// answer {name} = …`. Line {} answers `{}`, which is not asked: is that it?",
            stray.line, stray.name
        ),
        AnswerState::Twice { other } => format!("Line {other} answers it too: keep one of the two."),
        AnswerState::Unreadable if answered.choices.is_empty() => {
            let comma = answered.answer.as_ref().is_some_and(|answer| answer.contains(','));
            let comma =
                if comma { " A comma can mean two things: leave it out, or write a point." } else { "" };
            format!("That is not a number. Write one such as 12, 4096, 0.25 or 1/3.{comma}")
        }
        AnswerState::Unreadable => {
            let keys: Vec<&str> = answered.choices.iter().map(|choice| choice.key.as_str()).collect();
            format!("That is not one of the choices: write {}.", keys.join(" or "))
        }
        AnswerState::Wrong { why: Some(why), .. } => why.clone(),
        AnswerState::Wrong { more: Some(more), .. } => {
            let word = if *more { "More" } else { "Less" };
            match answered.values.iter().any(|m| m.modelled) {
                true => format!("{word} is what the model gives, from these:"),
                false => format!(
                    "{word} was measured. It is computed from these, which the tool counts while the kernel runs:"
                ),
            }
        }
        AnswerState::Wrong { .. } => "That is not the result.".into(),
    })
}

/// Returns in a few words why the answers do not pass.
pub fn headline(questions: &[QuestionView], begun: bool) -> String {
    let all = questions.len() as u64;
    let waiting = questions.iter().filter(|q| q.is_unanswered()).count() as u64;
    match questions.iter().find(|q| !q.is_right() && !q.is_unanswered()) {
        None if !begun => "not started yet".into(),
        None if waiting == all => format!("{} to answer", plural(all, "question", "questions")),
        None => format!("{waiting} of {} still open", plural(all, "question", "questions")),
        Some(first) => match first.state {
            AnswerStatus::Twice => format!("{} is answered twice", first.question),
            AnswerStatus::Unreadable => format!("{} can't be read", first.question),
            _ if first.modelled => format!("{} is not what the model gives", first.question),
            _ => format!("{} is not what was measured", first.question),
        },
    }
}

/// Renders the explanation of one question: the first wrong one, else the first unanswered one.
pub fn evidence(view: &VerdictView, style: &Style) -> String {
    let wrong = view.evidence.questions.iter().find(|q| !q.is_right() && !q.is_unanswered());
    let Some(first) = wrong.or(view.evidence.questions.iter().find(|q| !q.is_right())) else {
        return String::new();
    };
    let width = style.width;
    let mut out = String::new();
    if view.starter.is_some() && wrong.is_none() {
        out += &paragraph("The file is unchanged: nothing is answered yet. The first question:", width, 2);
    }
    let file = escape(&view.subject.file);
    let place = first.line.map_or(file.clone(), |line| format!("{file}:{line}"));
    out += &format!("  {}\n", paint::accent(&place));
    out += &question(first, width);
    if let Some(answer) = &first.answer {
        let unreadable = first.state == AnswerStatus::Unreadable;
        let answer = if unreadable { format!("\"{}\"", escape(answer)) } else { shown(first, answer) };
        out += &paragraph(&format!("Your answer: {answer}."), width, 2);
    }
    if let Some(why) = &first.why {
        out += &paragraph(&escape(why), width, 2);
    }
    out += &values(&first.values, width);
    if first.state == AnswerStatus::Unanswered {
        let what = if first.choices.is_empty() { "a number" } else { "a letter" };
        let line = first.line.unwrap_or(0);
        out += &paragraph(
            &format!("Work it out first, then write {what} in place of the ? in line {line}."),
            width,
            2,
        );
    }
    out += &others(&view.evidence.questions, first, width);
    if first.mistake == Some(Mistake::General) {
        let hint = format!("{} hint {}", style.command, escape(&view.subject.lesson));
        out += &format!("  Stuck? {}\n", paint::accent(&hint));
    }
    out
}

/// Renders a question with its sizes and choices.
pub fn question(view: &QuestionView, width: usize) -> String {
    let case = if view.case.is_empty() { String::new() } else { format!(" ({})", escape(&view.case)) };
    let mut out = paragraph(&format!("{}{case}", escape(view.ask.trim())), width, 4);
    for choice in &view.choices {
        let lines = hanging(&format!("      {}  ", escape(&choice.key)), &escape(&choice.text), width);
        lines.iter().for_each(|line| out += &format!("{line}\n"));
    }
    out
}

/// Renders the state of the other questions in a sentence.
fn others(questions: &[QuestionView], first: &QuestionView, width: usize) -> String {
    let named = |wanted: &dyn Fn(&QuestionView) -> bool| {
        let names = questions.iter().filter(|q| q.question != first.question && wanted(q));
        names.map(|q| escape(&q.question)).collect::<Vec<_>>().join(", ")
    };
    let groups = [
        ("Right so far", named(&QuestionView::is_right)),
        ("Also wrong", named(&|q| !q.is_right() && !q.is_unanswered())),
        ("Still open", named(&QuestionView::is_unanswered)),
    ];
    let shown = groups.iter().filter(|(_, names)| !names.is_empty());
    let text: Vec<String> = shown.map(|(what, names)| format!("{what}: {names}.")).collect();
    if text.is_empty() { String::new() } else { paragraph(&text.join(" "), width, 2) }
}

/// Renders every answer next to the measured value, and the values that it is derived from.
pub fn passed(view: &VerdictView, style: &Style) -> String {
    let width = style.width;
    let count = plural(view.evidence.questions.len() as u64, "answer matches", "answers match");
    let all = if view.evidence.questions.len() > 1 { format!("All {count}") } else { format!("The {count}") };
    let sources = |modelled: bool| if modelled { "measured and modelled" } else { "measured" };
    let modelled = view.evidence.questions.iter().any(|q| q.modelled);
    let mut out = paragraph(&format!("{all} what was {}.", sources(modelled)), width, 2);
    let rows: Vec<[String; 2]> = (view.evidence.questions.iter())
        .map(|q| {
            let answer = q.answer.as_deref().unwrap_or_default();
            let measured = q.measured.as_deref().unwrap_or_default();
            let text = match q.choices.iter().find(|choice| choice.key == measured) {
                Some(choice) => format!("{}  {}", choice.key, choice.text),
                None if answer == measured => shown(q, answer),
                None => {
                    let word = if q.modelled { "modelled" } else { "measured" };
                    format!("{} ({word}: {})", shown(q, answer), shown(q, measured))
                }
            };
            [escape(&q.question), text]
        })
        .collect();
    let name = rows.iter().map(|row| text_width(&row[0])).max().unwrap_or(0);
    for [question, text] in &rows {
        let lines = hanging(&format!("    {}  ", pad(question, name)), text, width);
        lines.iter().for_each(|line| out += &format!("{line}\n"));
    }
    let mut cases: Vec<&str> = Vec::new();
    for question in &view.evidence.questions {
        if !cases.contains(&question.case.as_str()) {
            cases.push(&question.case);
        }
    }
    for case in cases {
        let mut measured: Vec<ValueView> = Vec::new();
        for value in view.evidence.questions.iter().filter(|q| q.case == case).flat_map(|q| &q.values) {
            if !measured.contains(value) {
                measured.push(value.clone());
            }
        }
        let heading =
            if measured.iter().any(|value| value.modelled) { "Measured and modelled" } else { "Measured" };
        out += &paragraph(&format!("{heading}, {}:", escape(case)), width, 2);
        out += &values(&measured, width);
    }
    out
}

/// Formats an answer with its unit, digits in groups.
fn shown(question: &QuestionView, answer: &str) -> String {
    let grouped = answer.parse().map_or_else(|_| escape(answer), grouped);
    match &question.unit {
        // As answers are parsed, where u may stand for µ.
        Some(unit) if !answer.ends_with(unit.as_str()) && !answer.ends_with(&unit.replace('µ', "u")) => {
            let one = unit.strip_suffix('s').filter(|one| answer == "1" && one.len() > 2);
            format!("{grouped} {}", escape(one.unwrap_or(unit)))
        }
        _ => grouped,
    }
}

/// Renders measurements as a table.
pub fn measurements(all: &[Measurement], width: usize) -> String {
    values(&all.iter().map(|m| ValueView::new(m, true)).collect::<Vec<_>>(), width)
}

/// Formats a measured value.
fn number(view: &ValueView) -> String {
    let Some(value) = view.value else { return "?".into() };
    match (view.quantity, value) {
        (Quantity::YesNo, 0) => "no".into(),
        (Quantity::YesNo, _) => "yes".into(),
        (Quantity::Nanoseconds, 0..) => time(value as f64),
        (_, 0..) => grouped(value.unsigned_abs()),
        _ => format!("-{}", grouped(value.unsigned_abs())),
    }
}

/// Renders measured values as rows of number, meaning and name.
fn values(values: &[ValueView], width: usize) -> String {
    let column = values.iter().map(|v| text_width(&number(v))).max().unwrap_or(0);
    let mut out = String::new();
    for v in values {
        let text = format!("{} ({})", v.meaning, v.name);
        let lines = hanging(&format!("    {}  ", pad_left(&number(v), column)), &escape(&text), width);
        lines.iter().for_each(|line| out += &paint::dim(&format!("{line}\n")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_said_once() {
        let time =
            |answer| shown(&QuestionView { unit: Some("µs".into()), ..QuestionView::default() }, answer);
        assert_eq!(time("24.7"), "24.7 µs");
        assert_eq!((time("24.7 us"), time("24.7 µs")), ("24.7 us".into(), "24.7 µs".into()));
    }
}
