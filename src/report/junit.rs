//! Verdicts as JUnit XML, which CI servers read: one suite per lesson, one case per file.
//!
//! The XML is written by hand: quick-junit would bring in chrono and an XML reader for these few lines.

use super::{Style, VerdictView, escape, verdict};
use picture::escape as xml;

/// Renders verdicts as JUnit XML. A file that fails is a failure; one that could not be judged is an error.
/// Suites are in the order in which their lessons first occur, cases in that of `views`. `style` supplies the
/// program's name.
pub fn junit(views: &[VerdictView], style: &Style) -> String {
    let style = Style { width: 80, extra_columns: 0, verbose: false, watching: false, ..style.clone() };
    let mut suites: Vec<(&str, Vec<&VerdictView>)> = Vec::new();
    for view in views {
        match suites.iter_mut().find(|(lesson, _)| *lesson == view.subject.lesson) {
            Some((_, cases)) => cases.push(view),
            None => suites.push((&view.subject.lesson, vec![view])),
        }
    }
    let all: Vec<&VerdictView> = views.iter().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &format!("<testsuites name=\"gpulearn\" {}>\n", counts(&all));
    for (lesson, cases) in suites {
        let lesson = xml(&escape(lesson));
        out += &format!("    <testsuite name=\"{lesson}\" {}>\n", counts(&cases));
        for view in cases {
            let file = xml(&escape(&view.subject.file));
            let head =
                format!("testcase name=\"{file}\" classname=\"{lesson}\" time=\"{:.3}\"", view.run.seconds);
            out += &match outcome(view) {
                None => format!("        <{head}/>\n"),
                Some((kind, reason)) => format!(
                    "        <{head}>\n            <{kind} message=\"{}\" type=\"{}\">{}</{kind}>\n        </testcase>\n",
                    xml(&escape(&view.headline)),
                    xml(&escape(reason)),
                    xml(&verdict::verdict(view, &style)),
                ),
            };
        }
        out += "    </testsuite>\n";
    }
    out + "</testsuites>\n"
}

/// Returns the XML element (`failure` or `error`) and the reason for a file that did not pass; `None` if it
/// passed.
fn outcome(view: &VerdictView) -> Option<(&'static str, &str)> {
    let reason = view.reason.as_deref().filter(|_| !view.passed)?;
    Some((if view.is_undecided() { "error" } else { "failure" }, reason))
}

fn counts(views: &[&VerdictView]) -> String {
    let of = |kind| views.iter().filter(|view| outcome(view).is_some_and(|(its, _)| its == kind)).count();
    format!("tests=\"{}\" failures=\"{}\" errors=\"{}\"", views.len(), of("failure"), of("error"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SubjectView;

    fn view(file: &str, lesson: &str, reason: Option<&str>) -> VerdictView {
        VerdictView {
            subject: SubjectView::new(lesson, file),
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
        let text = junit(&views, &Style::default());
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
