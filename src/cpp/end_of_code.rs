//! Finds where the code of a source ends, ignoring comments and blanks after it.

use super::blank::uncommented;

/// Returns the 1-based line of the last character that is neither blank nor in a comment, and the column
/// after it, in characters; `(0, 0)` if there is none.
pub fn end_of_code(source: &str) -> (u32, u32) {
    let code = uncommented(source);
    let code = code.trim_end();
    let Some(last) = code.lines().last() else { return (0, 0) };
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (count(code.matches('\n').count() + 1), count(last.chars().count() + 1))
}

#[cfg(test)]
mod tests {
    use super::end_of_code;

    #[test]
    fn comments_and_blanks_are_no_code() {
        for (source, end) in [
            ("", (0, 0)),
            ("// nothing\n/* at all */", (0, 0)),
            ("int x", (1, 6)),
            ("int x  \n\n// hm\n", (1, 6)),
            ("a /* b\n*/ c // d\n/*/", (2, 5)),
            ("é = 1; /**/", (1, 7)),
            ("p(\"// no\\\" comment\")", (1, 21)),
            ("n = 1'000'000;\n// x", (1, 15)),
            ("x \"open\ny\n// z", (2, 2)),
            ("x '\\", (1, 5)),
            ("a\r\n\r\n", (1, 2)),
        ] {
            assert_eq!(end_of_code(source), end, "{source:?}");
        }
    }
}
