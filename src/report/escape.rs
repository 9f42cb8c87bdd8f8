//! Making text from a learner's file harmless to a terminal and to a reader.

pub use compiler::escape::escape;
pub(super) use compiler::escape::is_hidden;
use std::borrow::Cow;

/// Like [`escape`], but keeps line breaks and replaces each tab by four spaces, as code is indented.
pub fn escape_lines(text: &str) -> String {
    compiler::escape::escape_lines(&text.replace('\t', "    "))
}

/// Escapes printed text so that no CI job reads a command in it: `::` at the start of a line (GitHub, which skips
/// blanks before it), and `##[`, `##vso[` and the like anywhere (GitHub, Azure Pipelines, TeamCity), have their
/// first character escaped. Since wrapping may put any word at the start of a line, this has to be applied to the
/// finished text.
pub fn without_ci_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    // CI systems also end a line at a lone carriage return and at some other characters.
    for line in text.split_inclusive(['\n', '\r', '\u{b}', '\u{c}']) {
        let begin = line.len() - line.trim_start().len();
        let (blanks, mut rest) = line.split_at(begin);
        out.push_str(blanks);
        if let Some(behind) = rest.strip_prefix("::") {
            out.push_str("\\x3a:");
            rest = behind;
        }
        while let Some(at) = rest.find("##") {
            let word = rest[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            out.push_str(&rest[..at]);
            out.push_str(if word.starts_with('[') { "\\x23" } else { "#" });
            rest = &rest[at + 1..];
        }
        out.push_str(rest);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_comes_through() {
        let evil = "a\x1b[2Jb\x07\u{9b}31m\u{202e}cba\u{200b}\x7f\0";
        let safe = escape(evil);
        assert_eq!(safe, "a\\x1b[2Jb\\x07\\u{9b}31m\\u{202e}cba\\u{200b}\\x7f\\x00");
        assert!(!safe.chars().any(is_hidden));
        assert_eq!(escape("x\ty\n"), "x y\\n");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(escape_lines("a\r\n\tb\rc\n"), "a\n    b\\rc\n");
    }

    #[test]
    fn no_line_is_a_command_of_a_ci_job() {
        for (text, safe) in [
            ("::error::x\n", "\\x3a:error::x\n"),
            ("a\n \t ::stop-commands::t", "a\n \t \\x3a:stop-commands::t"),
            ("std::sort a::b", "std::sort a::b"),
            ("a ##[error] b ##vso[x] ###[y]", "a \\x23#[error] b \\x23#vso[x] #\\x23#[y]"),
            ("# ## heading", "# ## heading"),
        ] {
            assert_eq!(without_ci_commands(text), safe);
        }
    }

    #[test]
    fn ordinary_text_is_untouched() {
        for text in ["naïve — “déjà vu” 漢字", "s[threadIdx.x] = 1; // ✓"] {
            assert_eq!(escape(text), text);
        }
    }
}
