//! Where the code of a source ends, before the comments and blanks that may follow.

/// 1-based line and the column behind the last character that is neither blank nor in a comment, in
/// characters; `(0, 0)` where there is none.
pub fn end_of_code(source: &str) -> (u32, u32) {
    let mut state = State::Code;
    let (mut line, mut column) = (1u32, 1u32);
    let mut end = (0, 0);
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let mut width = 1;
        match (state, c, next) {
            (State::Code, '/', Some('/')) => state = State::Line,
            (State::Code, '/', Some('*')) => {
                // Its star closes nothing.
                (state, width) = (State::Block, 2);
                chars.next();
            }
            (State::Block, '*', Some('/')) => {
                (state, width) = (State::Code, 2);
                chars.next();
            }
            (State::Line, '\n', _) => state = State::Code,
            (State::Literal(_), '\\', Some(quoted)) if quoted != '\n' => {
                width = 2;
                chars.next();
                end = (line, column.saturating_add(2));
            }
            // An apostrophe may also part digits: no literal goes over the end of its line.
            (State::Literal(quote), _, _) => {
                if c == quote || c == '\n' {
                    state = State::Code;
                }
                if !c.is_whitespace() {
                    end = (line, column.saturating_add(1));
                }
            }
            (State::Code, _, _) if !c.is_whitespace() => {
                if c == '"' || c == '\'' {
                    state = State::Literal(c);
                }
                end = (line, column.saturating_add(1));
            }
            _ => {}
        }
        (line, column) = match c {
            '\n' => (line.saturating_add(1), 1),
            _ => (line, column.saturating_add(width)),
        };
    }
    end
}

#[derive(Clone, Copy)]
enum State {
    Code,
    /// In a comment up to the end of the line.
    Line,
    /// In a comment up to a star and a slash.
    Block,
    /// In a literal up to this character.
    Literal(char),
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
