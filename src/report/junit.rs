//! Verdicts as JUnit XML, which CI servers read: one suite per lesson, one case per file.
//!
//! The XML is written by hand: quick-junit would bring in chrono and an XML reader for these few lines.

use super::{Style, VerdictView, escape, for_file, verdict};
use picture::escape as xml;

/// A verdict as a test case.
pub struct TestCase {
    pub view: VerdictView,
    /// Why it did not pass; `None` if it passed.
    pub failure: Option<TestFailure>,
}

/// Why a test case did not pass.
pub struct TestFailure {
    /// Whether the file could not be judged, which JUnit calls an error.
    pub is_error: bool,
    /// Stable name of the reason.
    pub reason: String,
}

impl From<VerdictView> for TestCase {
    fn from(view: VerdictView) -> TestCase {
        let reason = view.reason.filter(|_| !view.passed);
        let failure =
            reason.map(|reason| TestFailure { is_error: view.is_undecided(), reason: reason.to_string() });
        TestCase { view, failure }
    }
}

impl TestFailure {
    fn element(&self) -> &'static str {
        if self.is_error { "error" } else { "failure" }
    }
}

/// Renders verdicts as JUnit XML. A file that fails is a failure; one that could not be judged is an error.
/// Suites are in the order in which their lessons first occur, test cases in that of `cases`. `style` supplies the
/// program's name, and whether times are shown.
pub fn junit(cases: &[TestCase], style: &Style) -> String {
    let style = Style { command: style.command.clone(), timed: style.timed, ..Style::default() };
    for_file(|| document(cases, &style))
}

fn document(cases: &[TestCase], style: &Style) -> String {
    let mut suites: Vec<(&str, Vec<&TestCase>)> = Vec::new();
    for case in cases {
        let lesson = &case.view.subject.lesson;
        match suites.iter_mut().find(|(its, _)| its == lesson) {
            Some((_, cases)) => cases.push(case),
            None => suites.push((lesson, vec![case])),
        }
    }
    let all: Vec<&TestCase> = cases.iter().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &format!("<testsuites name=\"gpulearn\" {}>\n", counts(&all));
    for (lesson, cases) in suites {
        let lesson = xml(&escape(lesson));
        out += &format!("    <testsuite name=\"{lesson}\" {}>\n", counts(&cases));
        for TestCase { view, failure } in cases {
            let file = xml(&escape(&view.subject.file));
            let head =
                format!("testcase name=\"{file}\" classname=\"{lesson}\" time=\"{:.3}\"", view.run.seconds);
            out += &match failure {
                None => format!("        <{head}/>\n"),
                Some(failure) => format!(
                    "        <{head}>\n            <{kind} message=\"{}\" type=\"{}\">{}</{kind}>\n        </testcase>\n",
                    xml(&escape(&view.headline)),
                    xml(&escape(&failure.reason)),
                    xml(&verdict::verdict(view, style)),
                    kind = failure.element(),
                ),
            };
        }
        out += "    </testsuite>\n";
    }
    out + "</testsuites>\n"
}

fn counts(cases: &[&TestCase]) -> String {
    let failures = cases.iter().filter_map(|case| case.failure.as_ref());
    let (errors, failures): (Vec<_>, Vec<_>) = failures.partition(|failure| failure.is_error);
    format!("tests=\"{}\" failures=\"{}\" errors=\"{}\"", cases.len(), failures.len(), errors.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SubjectView;
    use judge::Reason;

    fn view(file: &str, lesson: &str, reason: Option<&str>) -> VerdictView {
        VerdictView {
            subject: SubjectView::new(lesson, file),
            passed: reason.is_none(),
            reason: reason.and_then(Reason::named),
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
        let text = junit(&views.map(TestCase::from), &Style::default());
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
