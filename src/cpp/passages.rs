//! Finds the parts of a C++ text that are not code: comments and literals.

use super::words::{find, is_word, line_end, word_end};
use std::ops::Range;

/// The kind of a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    Comment,
    /// A string or character literal, including its quotes but not its prefix.
    Literal,
}

/// Maximum length of a raw literal's delimiter, in characters.
const LONGEST_DELIMITER: usize = 16;

/// Returns the byte ranges of a text's comments and literals, in order. An unterminated literal ends with its
/// line; an unterminated comment or raw literal, with the text.
pub(super) fn passages(text: &str) -> impl Iterator<Item = (Range<usize>, Passage)> + '_ {
    let code = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < code.len() {
            let start = at;
            let (end, kind) = match &code[at..] {
                [b'/', b'/', ..] => (line_end(code, at), Some(Passage::Comment)),
                [b'/', b'*', ..] => (behind(code, at + 2, b"*/"), Some(Passage::Comment)),
                [quote @ (b'"' | b'\''), ..] => (literal_end(code, at, *quote), Some(Passage::Literal)),
                [first, ..] if first.is_ascii_digit() => (number_end(code, at), None),
                [first, ..] if is_word(*first) => {
                    let end = word_end(code, at);
                    match (&code[at..end], code.get(end)) {
                        (b"R" | b"LR" | b"uR" | b"UR" | b"u8R", Some(b'"')) => {
                            at = raw_end(code, end);
                            return Some((end..at, Passage::Literal));
                        }
                        _ => (end, None),
                    }
                }
                _ => (at + 1, None),
            };
            at = end;
            if let Some(kind) = kind {
                return Some((start..end, kind));
            }
        }
        None
    })
}

/// Returns the index after the next occurrence of `what` at or after `from`; the end of the text if there is
/// none.
fn behind(code: &[u8], from: usize, what: &[u8]) -> usize {
    find(code, from, what).map_or(code.len(), |at| at + what.len())
}

/// Returns the index after a number, in which `'` separates digits.
fn number_end(code: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = code.get(at) {
        let parts = byte == b'\'' && code.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !parts && !is_word(byte) && byte != b'.' {
            break;
        }
        at += 1;
    }
    at
}

/// Returns the index after a literal, which ends with its line at the latest.
fn literal_end(code: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = code.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' if code.get(at + 1).is_some_and(|next| *next != b'\n') => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    code.len()
}

/// Returns the index after a raw literal, `"x(…)x"`, whose opening quote is at `quote`.
fn raw_end(code: &[u8], quote: usize) -> usize {
    let delimiter = code[quote + 1..].iter().take(LONGEST_DELIMITER + 1).position(|byte| *byte == b'(');
    let Some(length) = delimiter else { return literal_end(code, quote, b'"') };
    let open = quote + 1 + length;
    let closing = [b")", &code[quote + 1..open], b"\""].concat();
    behind(code, open, &closing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        passages(text).map(|(range, _)| &text[range]).collect()
    }

    #[test]
    fn comments_and_literals_are_found() {
        let text = "a /* é\n \" */ c \"x{\\\"\" 'q' L'\\'' R\"y({)\")y\" d // {\ne u8\"é\"";
        let found = ["/* é\n \" */", "\"x{\\\"\"", "'q'", "'\\''", "\"y({)\")y\"", "// {", "\"é\""];
        assert_eq!(texts(text), found);
        let kinds: Vec<Passage> = passages("'a' // b").map(|(_, kind)| kind).collect();
        assert_eq!(kinds, [Passage::Literal, Passage::Comment]);
    }

    #[test]
    fn a_quote_in_a_number_parts_digits() {
        assert_eq!(texts("1'000'000 0xff'ff 1.5'0f 'x' x1'y'"), ["'x'", "'y'"]);
        assert_eq!(texts("case'a': u8'{'"), ["'a'", "'{'"]);
    }

    #[test]
    fn what_is_not_closed_ends() {
        assert_eq!(texts("\"open\nnext 'o"), ["\"open", "'o"]);
        assert_eq!(texts("x\\ '\\\n'"), ["'\\", "'"]);
        for text in ["/*", "/* never", "R\"(", "R\"", "//", "\"\\", "'", "1'", "é'", "R\"é("] {
            passages(text).for_each(|(range, _)| assert!(text.get(range).is_some(), "{text}"));
        }
    }
}
