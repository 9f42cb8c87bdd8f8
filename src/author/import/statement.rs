//! Converts the statement of an imported lesson to lesson.md.

use super::starter::{Entry, Passed};
use std::fs;
use std::path::Path;

/// File names of a statement, in order of preference.
const FILES: [&str; 6] =
    ["README.md", "problem.md", "statement.md", "statement.txt", "statement.html", "problem.html"];
/// Maximum columns of a line.
const COLUMNS: usize = 79;
const LONGEST_TITLE: usize = 60;

pub struct Statement {
    pub title: String,
    /// Paragraphs, lists and code.
    text: String,
}

/// Reads the statement of a folder; if there is none, only a title derived from the slug.
pub fn of(folder: &Path, slug: &str) -> Statement {
    let found = FILES.iter().find_map(|name| {
        let text = fs::read_to_string(folder.join(name)).ok()?;
        Some(if name.ends_with(".html") { without_tags(&text) } else { text })
    });
    let text = found.unwrap_or_default();
    let heading = text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    let fits = |title: &&str| {
        (1..=LONGEST_TITLE).contains(&title.chars().count()) && !title.contains(char::is_control)
    };
    let title = heading.filter(fits).map_or_else(|| super::super::scaffold::sentence(slug), String::from);
    Statement { title, text }
}

impl Statement {
    /// Returns the sections of lesson.md; the closing section is left for the author.
    pub fn markdown(&self, entry: &Entry) -> String {
        let mut paragraphs: Vec<String> = Vec::new();
        let mut fenced = false;
        let mut begin = true;
        for line in self.text.lines().filter(|line| !line.starts_with("# ")) {
            let line: String = line.trim_end().chars().filter(|c| !c.is_control() || *c == '\t').collect();
            fenced ^= line.trim_start().starts_with("```");
            // lesson.md has fixed sections, so the statement's headings become emphasised text.
            let heading = line.trim_start_matches('#').trim();
            let code = fenced || line.starts_with("    ") || line.trim_start().starts_with("```");
            let item = line.trim_start().starts_with(['-', '*', '|'])
                || line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            match paragraphs.last_mut() {
                _ if line.is_empty() && !fenced => begin = true,
                _ if line.starts_with('#') && !fenced => {
                    paragraphs.push(format!("*{heading}*"));
                    begin = true;
                }
                Some(last) if code && !begin => *last += &format!("\n{line}"),
                Some(last) if item && !begin => *last += &format!("\n{}", line.trim()),
                Some(last) if !begin && !last.ends_with("```") => *last += &format!(" {}", line.trim()),
                _ => {
                    paragraphs.push(if code { line } else { line.trim().to_owned() });
                    begin = false;
                }
            }
        }
        let wrapped = paragraphs.iter().map(|paragraph| wrap(paragraph));
        let wrapped: Vec<String> = wrapped.collect();
        let (idea, task) = match wrapped.split_first() {
            Some((first, [])) => ("The idea is still to be written.".to_owned(), first.clone()),
            Some((first, rest)) => (first.clone(), rest.join("\n\n")),
            None => {
                ("The idea is still to be written.".to_owned(), "The task is still to be written.".to_owned())
            }
        };
        let outputs = entry
            .parameters
            .iter()
            .filter(|p| matches!(p.passed, Passed::Buffer { role } if role.is_output()));
        let checked: Vec<String> = outputs
            .map(|output| format!("- `{}` contains what the reference computes", output.name))
            .collect();
        format!("{idea}\n\n## Task\n\n{task}\n\n## Checked\n\n{}\n\n## Afterwards\n", checked.join("\n"))
    }
}

/// Wraps a paragraph at [`COLUMNS`]; code is unchanged.
fn wrap(paragraph: &str) -> String {
    if paragraph.starts_with("    ") || paragraph.contains("```") {
        return paragraph.to_owned();
    }
    let mut out = String::new();
    for line in paragraph.lines() {
        let mut columns = 0;
        for word in line.split_whitespace() {
            let width = word.chars().count();
            if columns > 0 && columns + 1 + width > COLUMNS {
                out.push('\n');
                columns = 0;
            } else if columns > 0 {
                out.push(' ');
                columns += 1;
            }
            out += word;
            columns += width;
        }
        out.push('\n');
    }
    out.trim_end().to_owned()
}

/// Converts HTML to text: separates paragraphs and headings, and removes tags.
fn without_tags(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, tagged)) = rest.split_once('<') {
        out += before;
        let (tag, after) = tagged.split_once('>').unwrap_or((tagged, ""));
        match tag.split_whitespace().next().unwrap_or_default().to_lowercase().as_str() {
            "h1" => out += "\n\n# ",
            "h2" | "h3" | "h4" => out += "\n\n## ",
            "li" => out += "\n- ",
            "pre" | "/pre" => out += "\n```\n",
            "p" | "div" | "ul" | "ol" | "/h1" | "/h2" | "/h3" | "/h4" | "/p" | "/ul" | "/ol" => out += "\n\n",
            "br" | "br/" => out.push('\n'),
            "code" | "/code" => out.push('`'),
            _ => {}
        }
        rest = after;
    }
    out += rest;
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    entities.iter().fold(out, |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_becomes_the_sections_of_a_lesson() {
        let folder = tempfile::tempdir().unwrap();
        let html = "<h1>Vector addition</h1><p>Add <code>A</code> &amp; <code>B</code>.</p>\n<h2>Requirements</h2>\n\
            <ul><li>External libraries are not permitted</li><li>N &lt; 10</li></ul><pre>\nA = [1.0]\n</pre>";
        fs::write(folder.path().join("statement.html"), html).unwrap();
        let statement = of(folder.path(), "vector-add");
        assert_eq!(statement.title, "Vector addition");
        let entry = Entry::of("void solve(const float *A, float *C, int N) {}").unwrap();
        let text = statement.markdown(&entry);
        assert!(text.starts_with("Add `A` & `B`.\n\n## Task\n\n*Requirements*\n"), "{text}");
        assert!(
            text.contains("- N < 10\n") && text.contains("```\n\nA = [1.0]\n\n```")
                || text.contains("A = [1.0]"),
            "{text}"
        );
        assert!(text.ends_with("- `C` contains what the reference computes\n\n## Afterwards\n"), "{text}");
        fs::remove_file(folder.path().join("statement.html")).unwrap();
        assert_eq!(of(folder.path(), "vector-add").title, "Vector add");
        assert!(wrap(&"word ".repeat(40)).lines().all(|line| line.len() <= COLUMNS));
    }
}
