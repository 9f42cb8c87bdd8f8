//! A source with blanks for what is no code: comments, literals, directives, and what `#if 0` takes
//! out. Bytes and lines keep their places.

/// Blanks for comments and the contents of literals.
pub(super) fn without_comments(source: &str) -> Vec<u8> {
    let mut code = source.as_bytes().to_vec();
    let mut at = 0;
    while at < code.len() {
        let end = match &code[at..] {
            [b'/', b'/', ..] => line_end(&code, at),
            [b'/', b'*', ..] => find(&code, at + 2, b"*/").map_or(code.len(), |end| end + 2),
            [b'R', b'"', ..] if !at.checked_sub(1).is_some_and(|before| is_word(code[before])) => {
                raw_literal_end(&code, at + 2)
            }
            // In a number such as 1'000 it parts digits.
            [b'\'', ..] if at.checked_sub(1).is_some_and(|before| code[before].is_ascii_hexdigit()) => {
                at += 1;
                continue;
            }
            [quote @ (b'"' | b'\''), ..] => literal_end(&code, at, *quote),
            _ => {
                at += 1;
                continue;
            }
        };
        blank(&mut code[at..end]);
        at = end.max(at + 1);
    }
    code
}

/// Besides, blanks for directives, and for the lines between `#if 0` and its end. `code` has no comments.
pub(super) fn without_directives(code: &[u8]) -> Vec<u8> {
    let mut out = code.to_vec();
    // Conditions that are open within one that is never true.
    let mut dead = 0usize;
    let mut at = 0;
    while at < out.len() {
        let mut end = line_end(&out, at);
        let line = out[at..end].trim_ascii();
        if let Some(directive) = line.strip_prefix(b"#").map(<[u8]>::trim_ascii) {
            let is = |word: &[u8]| directive.starts_with(word);
            let never = directive.strip_prefix(b"if").is_some_and(|rest| rest.trim_ascii() == b"0");
            match dead {
                0 => dead = usize::from(never),
                1 if is(b"endif") || is(b"else") || is(b"elif") => dead = 0,
                n if is(b"endif") => dead = n - 1,
                n if is(b"if") => dead = n + 1,
                _ => {}
            }
            // It goes on where a line ends with a backslash.
            while out[at..end].trim_ascii_end().ends_with(b"\\") && end < out.len() {
                end = line_end(&out, end + 1);
            }
            blank(&mut out[at..end]);
        } else if dead > 0 {
            blank(&mut out[at..end]);
        }
        at = end + 1;
    }
    out
}

/// The source as text, with a blank for each character of comments and literals.
pub(super) fn blanked(source: &str) -> String {
    let code = without_comments(source);
    source.char_indices().map(|(at, c)| if code[at] == b' ' { ' ' } else { c }).collect()
}

fn blank(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub(super) fn find(code: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = code.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

fn line_end(code: &[u8], from: usize) -> usize {
    find(code, from, b"\n").unwrap_or(code.len())
}

/// The index after a literal, which ends with its line at the latest.
fn literal_end(code: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = code.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    code.len()
}

/// The index after a raw literal, `R"x(…)x"`; `start` is that of its delimiter.
fn raw_literal_end(code: &[u8], start: usize) -> usize {
    /// As many characters as a delimiter may have.
    const LONGEST: usize = 16;
    let opening = code[start..].iter().take(LONGEST + 1).position(|byte| *byte == b'(');
    let Some(length) = opening else { return literal_end(code, start - 1, b'"') };
    let closing = [b")", &code[start..start + length], b"\""].concat();
    find(code, start + length, &closing).map_or(code.len(), |end| end + closing.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_is_blank_and_places_stay() {
        let source = "a /* é\n b */ c \"x{\\\"\" 'q' 1'000 R\"y({)\")y\" d // {\ne";
        let code = blanked(source);
        assert_eq!(code.chars().count(), source.chars().count());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "c", "1'000", "d", "e"]);
        assert_eq!(blanked("\"open\nnext"), "     \nnext");
        assert_eq!(blanked("/* never"), " ".repeat(8));
        assert_eq!(blanked("R\"("), "   ");
    }

    #[test]
    fn directives_and_dead_code_are_blank() {
        let source =
            "#define A {\\\n {\nx\n#if 0\ny\n#if 1\nz\n#endif\n#else\nu\n#endif\n  #  pragma once\nv";
        let code = String::from_utf8(without_directives(&without_comments(source))).unwrap();
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["x", "u", "v"]);
        assert_eq!(code.lines().count(), source.lines().count());
        assert_eq!(without_directives(b"#if 0"), b"     ");
        assert_eq!(without_directives(b"#x \\"), b"    ");
    }
}
