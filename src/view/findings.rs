//! What is wrong: the elements of a wrong output, defects, advice, and drawings of races.

use super::Document;
use picture::escape;
use report::{FindingView, VerdictView, capitalised};

/// Columns of a picture: as wide as the page.
const COLUMNS: usize = 96;

pub fn section(of: &Document) -> Option<String> {
    let findings = of.findings.iter().enumerate().map(|(n, finding)| one(n, finding, of));
    let all: String =
        of.wrong.as_ref().map(|verdict| wrong(verdict, of)).into_iter().chain(findings).collect();
    Some(all).filter(|all| !all.is_empty())
}

/// Renders the verdict in a sentence, and which elements of an output are wrong.
fn wrong(verdict: &VerdictView, of: &Document) -> String {
    let with = verdict.case.as_ref().map_or(String::new(), |case| format!(", with {}", escape(case)));
    let mut out = format!("<p><strong>{}</strong>{with}</p>\n", escape(&verdict.headline));
    let Some(mismatch) = &verdict.evidence.mismatch else { return out };
    out = format!("<article class=\"defect\">\n{out}<p>{}.</p>\n", escape(&capitalised(&mismatch.count())));
    if let Some(elements) = &of.elements {
        out += &elements.figure("elements");
    }
    if let Some(drawing) = &mismatch.drawing {
        out += &drawing.scene(COLUMNS).figure("sources");
    }
    out += "<table>\n<thead><tr><th scope=\"col\">element</th><th scope=\"col\">expected</th><th scope=\"col\">\
            yours</th></tr></thead>\n<tbody>\n";
    for element in &mismatch.window {
        let index: Vec<String> = element.index.iter().map(usize::to_string).collect();
        out += &format!(
            "<tr{}><th scope=\"row\">{}[{}]</th><td>{}</td><td>{}{}</td></tr>\n",
            if element.right { "" } else { " class=\"wrong\"" },
            escape(&mismatch.buffer),
            index.join(", "),
            escape(&element.want),
            escape(element.got.as_deref().unwrap_or("never written")),
            if element.right { "" } else { " ×" },
        );
    }
    out += "</tbody>\n</table>\n";
    for clue in &mismatch.clues {
        out += &format!("<p>{}</p>\n", escape(clue));
    }
    out + "</article>\n"
}

fn one(n: usize, finding: &FindingView, of: &Document) -> String {
    let mut out = format!(
        "<article class=\"{}\">\n<h3>{} <small>{}</small></h3>\n",
        if finding.is_advice() { "advice" } else { "defect" },
        escape(finding.class.kind.title()),
        finding.class.kind.code()
    );
    if !finding.message.is_empty() {
        out += &format!("<p>{}</p>\n", escape(&finding.message));
    }
    for side in [Some(&finding.at), finding.other.as_ref()].into_iter().flatten().filter(|side| side.line > 0)
    {
        let line = side.line;
        let place = match of.has_line(side.file.as_deref(), line) {
            true => format!("<a href=\"#line-{line}\">line {line}</a>"),
            false => format!("{}:{line}", escape(side.file.as_deref().unwrap_or_default())),
        };
        out += &format!("<p class=\"note\">{place} {}</p>\n", escape(&side.text));
    }
    let shown = finding.drawing.as_ref().map(|drawing| drawing.scene(COLUMNS));
    match shown {
        Some(scene) => out += &scene.figure(&format!("finding-{n}")),
        None if !finding.picture.is_empty() => {
            out += &format!("<pre tabindex=\"0\">{}</pre>\n", escape(&finding.picture.join("\n")));
        }
        None => {}
    }
    for note in &finding.notes {
        out += &format!("<p>{}</p>\n", escape(note));
    }
    out + &format!("<p>Try: {}</p>\n</article>\n", escape(&finding.help))
}
