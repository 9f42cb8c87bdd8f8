//! Making text from a learner's file harmless to a terminal and to a reader.

pub use compiler::escape::escape;
pub(super) use compiler::escape::is_hidden;

/// Like [`escape`], but line breaks stay and tabs become four spaces, as code is indented.
pub fn escape_lines(text: &str) -> String {
    compiler::escape::escape_lines(&text.replace('\t', "    "))
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
    fn ordinary_text_is_untouched() {
        for text in ["naïve — “déjà vu” 漢字", "s[threadIdx.x] = 1; // ✓"] {
            assert_eq!(escape(text), text);
        }
    }
}
