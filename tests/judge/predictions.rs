//! Answers judged against what the lesson's own kernels are measured doing.

use super::{failure, verdict};
use gpulearn::judge::{AnswerState, AnsweredQuestion, Failure, Mistake, Options, Prepared};

const LESSON: &str = "strided-sum";

/// A file with these answers, and the others right.
fn file(changed: &[(&str, &str)]) -> String {
    let course = gpulearn::lessons::course();
    let solution = course.lesson(LESSON).unwrap().solution.to_string();
    let lines = solution.lines().map(|line| {
        let its = changed.iter().find(|(name, _)| line.starts_with(&format!("// answer {name} = ")));
        its.map_or(line.to_owned(), |(name, answer)| format!("// answer {name} = {answer}"))
    });
    lines.map(|line| line + "\n").collect()
}

fn answered(changed: &[(&str, &str)]) -> Vec<AnsweredQuestion> {
    match failure(LESSON, &file(changed)) {
        Failure::Unanswered(all) | Failure::WrongAnswer(all) => all,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_right_answer_is_measured() {
    let passed = verdict(LESSON, &file(&[])).result.unwrap();
    let first = &passed.answers[0];
    assert_eq!((first.measured.as_deref(), first.line.is_some()), (Some("4"), true));
    let named: Vec<_> = first.values.iter().map(|v| (v.name.as_str(), v.value)).collect();
    assert_eq!(named, [("direct.load_sectors", 131_072), ("direct.load_requests", 32_768)]);
    // Another right answer once another kernel is measured.
    let course = gpulearn::lessons::course();
    let mut lesson = course.lesson(LESSON).unwrap().clone();
    let kernels = lesson.kernels_source.take().unwrap();
    lesson.kernels_source = Some(kernels.replace("x[row * n + i]", "x[i * n + row]").into());
    let compiler = crate::compiler();
    let verdict = |source: &str| {
        let prepared = Prepared::new(&lesson, source, "a.cu", &compiler).unwrap();
        prepared.verdict(&Options::default()).unwrap().result.map_err(Box::new)
    };
    assert_eq!(verdict(&file(&[])).unwrap_err().slug(), "wrong-answer");
    let failure = verdict(&file(&[("direct_loads", "32")])).unwrap_err();
    let Failure::WrongAnswer(all) = *failure else { panic!() };
    assert!(all[0].is_right(), "{:?}", all[0]);
}

#[test]
fn a_wrong_answer_is_told_from_another() {
    let state = |answer| answered(&[("direct_loads", answer)]).remove(0).state;
    let AnswerState::Wrong { mistake, why: Some(why), .. } = state("128") else { panic!() };
    assert_eq!((mistake, why.contains("bytes")), (Mistake::Typical("bytes".into()), true));
    for (answer, above) in [("3.5", true), ("4.5", false), ("-1", true)] {
        let general = AnswerState::Wrong { mistake: Mistake::General, why: None, more: Some(above) };
        assert_eq!(state(answer), general, "{answer}");
    }
    assert_eq!(state("four"), AnswerState::Unreadable);
    assert_eq!(state("?"), AnswerState::Unanswered);
    let AnswerState::Wrong { mistake, .. } = &answered(&[("sooner", "(B)")])[3].state else { panic!() };
    assert_eq!(*mistake, Mistake::Typical("tidy-first".into()));
}

#[test]
fn what_is_not_there_or_there_twice_is_told() {
    let stray = file(&[]).replace("answer traffic", "answer trafic");
    let Failure::Unanswered(all) = failure(LESSON, &stray) else { panic!() };
    let AnswerState::Missing { stray: Some(line) } = &all[2].state else { panic!("{:?}", all[2]) };
    assert_eq!(line.name, "trafic");
    let twice = file(&[]) + "// answer sooner = a\n";
    let Failure::WrongAnswer(all) = failure(LESSON, &twice) else { panic!() };
    assert_eq!(all[3].state, AnswerState::Twice { other: twice.lines().count() as u32 });
}
