//! The ledger as people read it, and as JSON.

use gpulearn::report::{self, ClaimFigure, ClaimView, ClaimsView, Style};

fn figure(says: &str, figure: Option<&str>, modelled: Option<f64>, measured: Option<f64>) -> ClaimFigure {
    ClaimFigure {
        lesson: "strided-sum".into(),
        says: says.into(),
        case: modelled.map(|_| "n = 1024".into()),
        figure: figure.map(str::to_owned),
        unit: Some("×".into()),
        modelled,
        measured,
        lacks: if modelled.is_none() { Some("no-lesson") } else { None },
    }
}

/// A row of the ledger itself, with figures of its shape.
fn row(measured: Option<f64>) -> ClaimView {
    let course = gpulearn::lessons::course();
    let mut view = ClaimView::new(course.claims().row("l7").unwrap(), &|slug| slug != "vector-loads");
    view.values = vec![
        figure("speed of copy and columns, direct being 1", Some("0.21×"), Some(0.251), measured),
        figure("sectors touched", None, Some(9.924), None),
        figure("a lesson that is still to come", Some("2×"), None, None),
    ];
    view.values[2].lesson = "vector-loads".into();
    view
}

#[test]
fn a_row_shows_notebook_modelled_and_measured() {
    colored::control::set_override(false);
    let mut text = String::new();
    for measured in [None, Some(0.2249)] {
        let gpu = measured.map(|_| "NVIDIA H100 80GB HBM3".to_owned());
        let view = ClaimsView {
            notebooks: vec!["PyTorch CUDA 101".into()],
            modelled: "Tesla T4".into(),
            measured: gpu,
            gpu_here: measured.is_some(),
            rows: Vec::new(),
        };
        text += &report::claims_head(&view, &Style::default());
        text += &report::claim(&row(measured), measured.is_some(), &Style::default());
        text += "\n";
    }
    insta::assert_snapshot!(text);
    for width in [20, 40, 60] {
        let style = Style { width, ..Style::default() };
        let text = report::claim(&row(None), false, &style);
        assert!(text.lines().all(|line| report::text_width(line) <= width), "{text}");
    }
}

#[test]
fn the_ledger_names_lessons_and_cases_that_there_are() {
    let course = gpulearn::lessons::course();
    assert!(course.claims().rows.len() >= 10);
    for row in &course.claims().rows {
        for value in &row.values {
            let Some(lesson) = course.lesson(&value.lesson) else { continue };
            let fits = lesson.spec.cases.iter().any(|case| value.at.as_ref().is_none_or(|at| at == case));
            assert!(fits, "{}: {} has no such case", row.id, value.lesson);
        }
    }
}
