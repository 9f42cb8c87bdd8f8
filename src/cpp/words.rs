//! Words of a text, and positions in it.

use std::ops::Range;

/// Returns whether a byte is part of a name or a number; bytes of non-ASCII characters count as such.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns whether a character is part of a name or a number.
pub fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Keywords that may precede a name and are no type, as in `return x`.
const NO_TYPES: [&[u8]; 14] = [
    b"case",
    b"co_return",
    b"co_yield",
    b"delete",
    b"do",
    b"else",
    b"goto",
    b"namespace",
    b"new",
    b"return",
    b"sizeof",
    b"throw",
    b"typedef",
    b"using",
];

/// Returns whether a name that follows this word is not declared by it.
pub(super) fn is_no_type(word: &[u8]) -> bool {
    NO_TYPES.contains(&word)
}

/// Returns the names in a text, including keywords but excluding numbers.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_name_char(c))
        .filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns where a text has a name as a whole word: the text before it, and the text after it.
pub fn uses<'t>(text: &'t str, name: &str) -> impl Iterator<Item = (&'t str, &'t str)> + Clone {
    let places = text.match_indices(name).map(move |(at, _)| (&text[..at], &text[at + name.len()..]));
    places.filter(|(before, after)| !before.ends_with(is_name_char) && !after.starts_with(is_name_char))
}

/// Returns the index, in a text that begins with a bracket, of the bracket that closes it.
pub fn closing(text: impl IntoIterator<Item = u8>) -> Option<usize> {
    let mut depth = 0usize;
    text.into_iter().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// Returns the index after the word that begins at `start`; `start` itself if there is none.
pub(super) fn word_end(code: &[u8], start: usize) -> usize {
    start + code[start..].iter().take_while(|byte| is_word(**byte)).count()
}

/// Returns the range of the first word of a text.
pub(super) fn first_word(text: &[u8]) -> Option<Range<usize>> {
    let start = text.iter().position(|byte| is_word(*byte))?;
    Some(start..word_end(text, start))
}

/// Splits a text at the commas that are within no brackets.
pub fn comma_separated(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    text.split(move |c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// Returns the index of the end of the line that contains `from`.
pub(super) fn line_end(code: &[u8], from: usize) -> usize {
    code[from..].iter().position(|byte| *byte == b'\n').map_or(code.len(), |n| from + n)
}

/// Returns the index of the next occurrence of `what` at or after `from`.
pub(super) fn find(code: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = code.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// Returns the 1-based line and column of a byte, with the column in characters.
pub fn place(text: &[u8], at: usize) -> (u32, u32) {
    let before = &text[..at.min(text.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |n| n + 1);
    (line, String::from_utf8_lossy(&before[start..]).chars().count() as u32 + 1)
}
