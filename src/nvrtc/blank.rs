//! A source with blanks for what is no code: comments, literals, directives, and what `#if 0` takes
//! out. Bytes and lines keep their places.

use super::passages::{is_word, line_end, passages};

/// Blanks for comments and literals.
pub fn without_comments(source: &str) -> Vec<u8> {
    let mut code = source.as_bytes().to_vec();
    for (mut range, _) in passages(source) {
        // A literal's prefix, such as R, is no word of the code.
        let prefix = code[..range.start].iter().rev().take_while(|byte| is_word(**byte)).count();
        if matches!(
            &code[range.start - prefix..range.start],
            b"R" | b"LR" | b"uR" | b"UR" | b"u8R" | b"L" | b"u" | b"U" | b"u8"
        ) {
            range.start -= prefix;
        }
        blank(&mut code[range]);
    }
    code
}

/// Besides, blanks for directives, and for the lines between `#if 0` and its end. `code` has no comments.
pub fn without_directives(code: &[u8]) -> Vec<u8> {
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
pub fn blanked(source: &str) -> String {
    let code = without_comments(source);
    source.char_indices().map(|(at, c)| if code[at] == b' ' { ' ' } else { c }).collect()
}

fn blank(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_is_blank_and_places_stay() {
        let source = "a /* é\n b */ c \"x{\\\"\" 'q' 1'000 R\"y({)\")y\" L'x' d // {\ne";
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
