//! What people read of questions and their answers.

use super::{case, shown, text, view};
use gpulearn::judge::course::AnswerLine;
use gpulearn::judge::{
    AnswerState, AnsweredQuestion, Failure, Measurement, Mistake, Passed, Quantity, ShownChoice,
};
use gpulearn::report::{self, Style};

fn measurement(name: &str, value: i64, meaning: &str) -> Measurement {
    let modelled = meaning.contains("modelled");
    let quantity = if name.ends_with("ns") { Quantity::Nanoseconds } else { Quantity::Number };
    Measurement { modelled, quantity, ..Measurement::counted(name, value, meaning) }
}

/// A question for a number, whose answer is 4.
fn number(answer: Option<&str>, state: AnswerState) -> AnsweredQuestion {
    AnsweredQuestion {
        question: "loads".into(),
        ask: "How many 32-byte sectors does one load of a warp touch in `direct`?".into(),
        choices: Vec::new(),
        case: case("n = 1024").case,
        line: Some(12),
        answer: answer.map(str::to_owned),
        unit: Some("sectors".into()),
        measured: Some("4".into()),
        values: vec![
            measurement("direct.load_sectors", 131_072, "32-byte sectors loaded"),
            measurement("direct.load_requests", 32_768, "global load requests, counted once a warp"),
        ],
        evidence: vec![measurement(
            "direct.load_requests",
            32_768,
            "global load requests, counted once a warp",
        )],
        state,
    }
}

/// A question with choices, of which b is right.
fn choice(answer: Option<&str>, state: AnswerState) -> AnsweredQuestion {
    AnsweredQuestion {
        question: "sooner".into(),
        ask: "Modelled on a T4: which has the sums sooner?".into(),
        choices: [("a", "copy first"), ("b", "directly")]
            .map(|(key, text)| ShownChoice { key: key.into(), text: text.into() })
            .into(),
        line: Some(20),
        unit: None,
        measured: Some("b".into()),
        values: vec![measurement("direct.t4.ns", 17_947, "modelled time on a Tesla T4")],
        evidence: Vec::new(),
        ..number(answer, state)
    }
}

fn wrong(name: &str, why: Option<&str>, more: Option<bool>) -> AnswerState {
    let mistake = if name == "general" { Mistake::General } else { Mistake::Typical(name.into()) };
    AnswerState::Wrong { mistake, why: why.map(str::to_owned), more }
}

/// A failure whose every text is `evil`.
pub fn all_wrong(evil: &str) -> Failure {
    let mut first = number(Some(evil), wrong(evil, Some(evil), None));
    first.question = evil.into();
    first.ask = evil.into();
    first.case = case(evil).case;
    first.unit = Some(evil.into());
    first.evidence = vec![measurement(evil, -1, evil)];
    let stray = AnswerLine { name: evil.into(), line: 1, text: Some(evil.into()) };
    let mut second = choice(None, AnswerState::Missing { stray: Some(stray) });
    second.question = evil.into();
    Failure::WrongAnswer(vec![first, second])
}

fn failed(answers: Vec<AnsweredQuestion>) -> String {
    let wrong = answers.iter().any(|a| !a.is_right() && !a.waits());
    let failure = if wrong { Failure::WrongAnswer(answers) } else { Failure::Unanswered(answers) };
    let text = shown("strided-sum", Err(Box::new(failure)), "// answer loads = 5\n");
    assert!(!text.contains("131 072"), "the answer is given away: {text}");
    text
}

#[test]
fn answers_that_are_wrong() {
    let typical = wrong("bytes", Some("That is how many bytes the warp asks for."), Some(false));
    let general = |more| wrong("general", None, Some(more));
    let texts = [
        failed(vec![number(Some("128"), typical), choice(None, AnswerState::Unanswered)]),
        failed(vec![number(Some("5"), general(false)), choice(Some("b"), AnswerState::Right)]),
        failed(vec![number(Some("3"), general(true)), choice(Some("a"), wrong("general", None, None))]),
        failed(vec![number(Some("4"), AnswerState::Right), choice(Some("a"), wrong("general", None, None))]),
        failed(vec![number(Some("many"), AnswerState::Unreadable), choice(None, AnswerState::Unanswered)]),
        failed(vec![number(Some("0,25"), AnswerState::Unreadable), choice(None, AnswerState::Unanswered)]),
        failed(vec![number(Some("4"), AnswerState::Right), choice(Some("x"), AnswerState::Unreadable)]),
        failed(vec![
            number(Some("4"), AnswerState::Twice { other: 14 }),
            choice(None, AnswerState::Unanswered),
        ]),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn questions_that_wait() {
    let stray = AnswerLine { name: "load".into(), line: 12, text: Some("4".into()) };
    let mut gone = number(None, AnswerState::Missing { stray: Some(stray) });
    gone.line = None;
    let open = || vec![number(None, AnswerState::Unanswered), choice(None, AnswerState::Unanswered)];
    let texts = [
        shown("strided-sum", Err(Box::new(Failure::Unanswered(open()))), super::STARTER),
        failed(open()),
        failed(vec![number(Some("4"), AnswerState::Right), choice(None, AnswerState::Unanswered)]),
        failed(vec![gone, choice(Some("b"), AnswerState::Right)]),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn answers_that_are_right() {
    let answers = vec![number(Some("4"), AnswerState::Right), choice(Some("b"), AnswerState::Right)];
    let passed = Passed { cases: 1, answers, ..Passed::default() };
    let passed = view("strided-sum", Ok(passed), "");
    insta::assert_snapshot!(text(&passed, &Style::default()));
}

/// What JSON tells of a wrong answer does not hold the right one.
#[test]
fn json_gives_nothing_away() {
    let answers = vec![
        number(Some("5"), wrong("general", None, Some(false))),
        choice(Some("a"), wrong("general", None, None)),
    ];
    let view = view("strided-sum", Err(Box::new(Failure::WrongAnswer(answers))), "");
    let json: serde_json::Value = serde_json::from_str(&report::json::to_line(&view)).unwrap();
    assert_eq!(json["reason"], "wrong-answer");
    let question = &json["questions"][0];
    assert_eq!((&question["state"], &question["mistake"]), (&"wrong".into(), &"general".into()));
    assert_eq!(question["values"][0]["value"], 32_768);
    for question in json["questions"].as_array().unwrap() {
        assert!(question.get("measured").is_none(), "{question}");
    }
    assert!(!json.to_string().contains("131072") && !json.to_string().contains("17947"), "{json}");
}
