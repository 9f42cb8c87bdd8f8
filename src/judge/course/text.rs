//! `lesson.md`: what is read before, during and after a lesson.
//!
//! ```text
//! The idea: a picture before a definition, two to four lines a paragraph. No title:
//! lesson.toml has it.
//!
//!     figures and code are indented by four spaces, and printed as they stand
//!
//! ## Task
//!
//! What to do, one block of text.
//!
//! ## Checked
//!
//! - what must hold for it to pass, as a list
//!
//! ## Afterwards
//!
//! Shown once it passes: what the solution teaches, and where it leads.
//! ```
//!
//! The three headings appear in this order, and there are no others. A section contains paragraphs, lists (`- `),
//! figures and code (indented, or between lines of three backticks), `` `code` `` and `*emphasis*`. Every line is
//! shorter than 80 columns.

/// The sections of `lesson.md`, without headings and without empty lines at either end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text before the first heading.
    pub idea: String,
    pub task: String,
    pub checked: String,
    /// Shown only to those who have passed.
    pub afterwards: String,
}

const HEADINGS: [&str; 3] = ["Task", "Checked", "Afterwards"];

impl Text {
    /// Splits a text into sections.
    ///
    /// # Errors
    ///
    /// Fails with a line (1-based) and what is wrong there.
    pub fn parse(markdown: &str) -> Result<Text, (u32, String)> {
        let mut sections: [String; 4] = Default::default();
        let mut section = 0;
        let mut fenced = false;
        let mut lines = 0;
        for (line, number) in markdown.lines().zip(1..) {
            lines = number;
            fenced ^= line.trim_start().starts_with("```");
            if fenced || !line.starts_with('#') {
                sections[section].push_str(line.trim_end());
                sections[section].push('\n');
                continue;
            }
            let expected = HEADINGS.get(section).copied();
            let heading = line.strip_prefix("## ").map(str::trim);
            if expected.is_none() || heading != expected {
                let expected = match expected {
                    Some(heading) => format!("expected \"## {heading}\""),
                    None => "no heading may follow \"## Afterwards\"".to_owned(),
                };
                return Err((number, format!("{expected}, found \"{}\"", line.trim().escape_debug())));
            }
            section += 1;
        }
        if let Some(missing) = HEADINGS.get(section) {
            return Err((lines, format!("ends before \"## {missing}\"")));
        }
        if let Some(empty) = sections.iter().position(|text| text.trim().is_empty()) {
            let name = empty.checked_sub(1).map_or("the idea, before \"## Task\",", |i| HEADINGS[i]);
            return Err((lines, format!("{name} is empty")));
        }
        let [idea, task, checked, afterwards] = sections.map(|text| outer_lines_off(&text));
        Ok(Text { idea, task, checked, afterwards })
    }
}

/// Removes empty lines at both ends; the first line keeps its indentation.
fn outer_lines_off(text: &str) -> String {
    let start = text.lines().take_while(|line| line.trim().is_empty()).map(|line| line.len() + 1).sum();
    text.get(start..).unwrap_or("").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_split() {
        let text = Text::parse(
            "\n    in [1]\n\nAn idea.\n\n## Task\n\nDo it.\n\n## Checked\n- all\n\n## Afterwards\n\n```\n# no heading\n```\n",
        );
        assert_eq!(
            text.unwrap(),
            Text {
                idea: "    in [1]\n\nAn idea.".into(),
                task: "Do it.".into(),
                checked: "- all".into(),
                afterwards: "```\n# no heading\n```".into(),
            }
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let cases = [
            ("An idea.\n", (1, "ends before \"## Task\"")),
            ("# Map\n", (1, "expected \"## Task\", found \"# Map\"")),
            ("An idea.\n## Checked\n", (2, "expected \"## Task\", found \"## Checked\"")),
            ("## Task\nx\n## Checked\nx\n## Afterwards\nx", (6, "the idea, before \"## Task\", is empty")),
            ("x\n## Task\nx\n## Checked\n\n## Afterwards\nx", (7, "Checked is empty")),
            (
                "x\n## Task\nx\n## Checked\nx\n## Afterwards\nx\n## More",
                (8, "no heading may follow \"## Afterwards\", found \"## More\""),
            ),
        ];
        for (markdown, (line, message)) in cases {
            assert_eq!(Text::parse(markdown), Err((line, message.to_owned())), "{markdown:?}");
        }
    }
}
