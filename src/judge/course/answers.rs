//! Parses and edits the answers in a learner's file: lines such as `// answer sectors = 4`.

/// A line of a file that holds an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerLine {
    /// Name of the question.
    pub name: String,
    /// Line number, 1-based.
    pub line: u32,
    /// The answer as written; `None` for `?` or nothing.
    pub text: Option<String>,
}

/// Returns every answer of a file, from top to bottom. A second `//` ends the answer.
pub fn answers(source: &str) -> Vec<AnswerLine> {
    let lines = source.lines().zip(1u32..);
    lines
        .filter_map(|(text, line)| {
            let (name, value) = parts(text)?;
            let value = text.get(value)?.trim();
            let text = Some(value).filter(|value| !value.is_empty() && *value != "?").map(str::to_owned);
            Some(AnswerLine { name: name.to_owned(), line, text })
        })
        .collect()
}

/// Returns the source with `answer` written into line `line` (1-based), keeping that line's comment and line
/// ending; `None` if the line holds no answer.
pub fn with_answer(source: &str, line: u32, answer: &str) -> Option<String> {
    let mut out = String::with_capacity(source.len() + answer.len());
    let mut found = false;
    for (text, number) in source.split_inclusive('\n').zip(1u32..) {
        match parts(text).filter(|_| number == line) {
            Some((_, value)) => {
                let kept = text.get(value.end..)?;
                let gap = if kept.starts_with("//") { " " } else { "" };
                out += text.get(..value.start)?.trim_end();
                out += &format!(" {answer}{gap}{kept}");
                found = true;
            }
            None => out += text,
        }
    }
    found.then_some(out)
}

/// Returns the question's name, and the range of the value: after `=`, up to a second comment or the end of the
/// line.
fn parts(line: &str) -> Option<(&str, std::ops::Range<usize>)> {
    let comment = line.trim_start().strip_prefix("//")?.trim_start();
    let rest = comment.strip_prefix("answer").filter(|rest| rest.starts_with([' ', '\t']))?;
    let (name, value) = rest.split_once('=')?;
    let name = name.trim();
    if !super::is_identifier(name) {
        return None;
    }
    let start = line.len() - value.len();
    let end = value.find("//").unwrap_or_else(|| value.trim_end_matches(['\r', '\n']).len());
    Some((name, start..start + end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_are_found_where_they_stand() {
        let source = "// answer a = ?\nint x = 1; // answer b = 2\n  //answer c=  7 // why\n\
                      // answer d =\n// answers e = 1\n// answer f g = 1\r\n//\tanswer\th = 1 000\r\n";
        let found = answers(source);
        let listed: Vec<_> = found.iter().map(|a| (a.name.as_str(), a.line, a.text.as_deref())).collect();
        assert_eq!(listed, [("a", 1, None), ("c", 3, Some("7")), ("d", 4, None), ("h", 7, Some("1 000"))]);
    }

    #[test]
    fn an_answer_is_written_and_nothing_else_changes() {
        let source = "x\r\n  // answer a = ? // note\r\n// answer b = ?";
        assert_eq!(
            with_answer(source, 2, "12").unwrap(),
            "x\r\n  // answer a = 12 // note\r\n// answer b = ?"
        );
        assert_eq!(
            with_answer(source, 3, "12").unwrap(),
            "x\r\n  // answer a = ? // note\r\n// answer b = 12"
        );
        assert_eq!(with_answer(source, 1, "12"), None);
        assert_eq!(with_answer(source, 9, "12"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(before in "[ -~\n]{0,40}", after in "[ -~]{0,10}\n?") {
            let source = format!("{before}\n// answer q = {after}");
            let line = before.lines().count().max(before.matches('\n').count() + 1) as u32 + 1;
            let line = answers(&source).iter().rev().find(|a| a.name == "q").map_or(line, |a| a.line);
            let written = with_answer(&source, line, "42").unwrap();
            let read = answers(&written);
            prop_assert_eq!(read.last().and_then(|a| a.text.clone()), Some("42".into()));
        }
    }
}
