//! The course as a list, its topics by notebook, and pages beside lessons.

use gpulearn::judge::course::{Part, Term, Topics};
use gpulearn::report::{self, LessonState, ListDetail, ListRow, ListView, Style};

fn row(number: usize, part: &str, slug: &str, state: LessonState) -> ListRow {
    ListRow {
        number,
        slug: slug.into(),
        part: part.into(),
        part_title: format!("Part {part}"),
        title: format!("About {slug}"),
        minutes: 15,
        state,
        reason: (state == LessonState::Tried).then(|| "wrong-result".into()),
        current: slug == "zip",
        passed_at: None,
        hints: 0,
        file: format!("kernels/{part}/{slug}.cu"),
    }
}

/// A part that is done, one in work, one that is begun, and one that is not.
fn course() -> ListView {
    use LessonState::{Done, New, Tried};
    ListView {
        done: 3,
        lessons: vec![
            row(1, "1-a", "map", Done),
            row(2, "2-b", "guards", Done),
            row(3, "2-b", "zip", Tried),
            row(4, "3-c", "softmax", Done),
            row(5, "3-c", "layernorm", New),
            row(6, "4-d", "strides", New),
        ],
    }
}

#[test]
fn only_the_part_in_work_is_unfolded() {
    colored::control::set_override(false);
    let style = Style::default();
    let folded = report::list(&course(), ListDetail::CurrentPart, &style);
    let all = report::list(&course(), ListDetail::All, &style);
    insta::assert_snapshot!(format!("{folded}\n\n{all}"));
    for width in [40, 60, 80] {
        let text = report::list(&course(), ListDetail::CurrentPart, &Style { width, ..Style::default() });
        assert!(text.lines().all(|line| report::text_width(line) <= width), "{text}");
    }
}

#[test]
fn topics_name_their_lessons_and_what_is_not_written() {
    colored::control::set_override(false);
    let topics: Topics = toml::from_str(
        r#"
        [[notebooks]]
        id = "N1"
        title = "A notebook"
        topics = [
            { topic = "maps", lessons = ["map", "guards"] },
            { topic = "norms", lessons = ["softmax", "layernorm"], planned = ["batchnorm"] },
        ]
        "#,
    )
    .unwrap();
    insta::assert_snapshot!(report::topics(&topics, &course(), &Style::default()));
}

#[test]
fn parts_words_and_the_welcome_have_pages() {
    colored::control::set_override(false);
    let style = Style::default();
    let text = Some("Why it is there.\n\n    a figure".into());
    let part =
        Part { folder: "1-a".into(), title: "A part".into(), about: "One line.".into(), text, learned: None };
    let term = Term {
        name: "SM".into(),
        also: vec!["multiprocessor".into()],
        ambiguous: Vec::new(),
        text: "It runs blocks.".into(),
        lessons: vec!["map".into()],
        of: None,
    };
    let pages = [
        report::part_page(&part, &style),
        report::welcome_page("## The machine\n\nHost and device.", &style),
        report::term_page(&term, &style),
    ];
    insta::assert_snapshot!(pages.join("=====\n"));
}
