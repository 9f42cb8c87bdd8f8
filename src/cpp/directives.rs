//! The preprocessor's directives.

use super::words::{line_end, word_end};
use std::ops::Range;

/// A preprocessor directive, with its continuation lines.
pub(super) struct Directive {
    /// From the first byte of its line to the end of the last one.
    pub lines: Range<usize>,
    /// The directive's name, such as `define`.
    pub word: Range<usize>,
}

impl Directive {
    /// Returns the range that follows the name.
    pub fn rest(&self) -> Range<usize> {
        self.word.end..self.lines.end
    }
}

/// Returns the directives of code without comments, in order.
pub(super) fn directives(code: &[u8]) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let mut end = line_end(code, at);
        let blank =
            |from: usize| code[from..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let hash = at + blank(at);
        if hash < end && code[hash] == b'#' {
            let word = hash + 1 + blank(hash + 1);
            // A line that ends with a backslash is continued.
            while code[at..end].trim_ascii_end().ends_with(b"\\") && end < code.len() {
                end = line_end(code, end + 1);
            }
            found.push(Directive { lines: at..end, word: word..word_end(&code[..end], word) });
        }
        at = end + 1;
    }
    found
}
