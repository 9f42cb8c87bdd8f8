//! Verdicts as JUnit XML, which servers that run tests read: a suite a lesson, a case a file.

use super::{Style, VerdictView, escape, verdict};
use anyhow::{Context, Result};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// A file that fails is a failure; one that could not be judged is an error. Suites come in the order in
/// which their lessons first do, cases in that of `views`. `style` names the program.
pub fn junit(views: &[VerdictView], style: &Style) -> Result<String> {
    let style = Style { width: 80, verbose: false, watching: false, ..style.clone() };
    let mut suites: Vec<TestSuite> = Vec::new();
    for view in views {
        let lesson = escape(&view.lesson);
        let mut case = TestCase::new(escape(&view.file), status(view, &style));
        case.set_classname(lesson.clone());
        case.set_time(Duration::try_from_secs_f64(view.seconds).unwrap_or_default());
        match suites.iter_mut().find(|suite| suite.name.as_str() == lesson) {
            Some(suite) => {
                suite.add_test_case(case);
            }
            None => {
                let mut suite = TestSuite::new(lesson);
                suite.add_test_case(case);
                suites.push(suite);
            }
        }
    }
    let mut report = Report::new("gpulearn");
    report.add_test_suites(suites);
    report.to_string().context("the verdicts can't be written as XML")
}

fn status(view: &VerdictView, style: &Style) -> TestCaseStatus {
    let Some(reason) = view.reason.as_deref().filter(|_| !view.passed) else {
        return TestCaseStatus::success();
    };
    let kind = match reason {
        "unsupported" | "not-judged" => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(escape(reason));
    status.set_message(escape(&view.headline));
    status.set_description(verdict::verdict(view, style));
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(file: &str, lesson: &str, reason: Option<&str>) -> VerdictView {
        VerdictView {
            lesson: lesson.into(),
            file: file.into(),
            passed: reason.is_none(),
            reason: reason.map(str::to_owned),
            headline: "wrong <result> & more\u{1b}[31m".into(),
            ..VerdictView::default()
        }
    }

    #[test]
    fn a_lesson_is_a_suite_and_a_file_a_case() {
        let views = [
            view("a/ada.cu", "map", None),
            view("a/\u{202e}bob.cu", "zip", Some("wrong-result")),
            view("a/cy.cu", "map", Some("unsupported")),
            VerdictView::not_judged("map", "a/di.cu", "the machine is busy"),
        ];
        let text = junit(&views, &Style::default()).unwrap();
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in {text}"));
        assert!(at("<testsuite name=\"map\" tests=\"3\"") < at("<testsuite name=\"zip\" tests=\"1\""));
        assert!(at("name=\"a/ada.cu\"") < at("name=\"a/cy.cu\""));
        at("<failure message=\"wrong &lt;result&gt; &amp; more\\x1b[31m\" type=\"wrong-result\">");
        at("name=\"a/\\u{202e}bob.cu\"");
        assert!(text.contains("tests=\"4\" failures=\"1\" errors=\"2\""), "{text}");
        assert!(at("type=\"not-judged\"") < at("the machine is busy"));
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
    }
}
