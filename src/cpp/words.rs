//! Words of a text, and where things stand in it.

use std::ops::Range;

/// Whether a byte is of a name or a number; those of letters outside ASCII are.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a character is of a name or a number.
pub fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The names in a text, those of the language too; no numbers.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_name_char(c))
        .filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// The index behind the word that begins at an index; that index where none does.
pub(super) fn word_end(code: &[u8], start: usize) -> usize {
    start + code[start..].iter().take_while(|byte| is_word(**byte)).count()
}

/// The first word of a text.
pub(super) fn first_word(text: &[u8]) -> Option<Range<usize>> {
    let start = text.iter().position(|byte| is_word(*byte))?;
    Some(start..word_end(text, start))
}

/// The index of the next line's end.
pub(super) fn line_end(code: &[u8], from: usize) -> usize {
    code[from..].iter().position(|byte| *byte == b'\n').map_or(code.len(), |n| from + n)
}

/// The index of `what`, looked for from an index on.
pub(super) fn find(code: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = code.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// The 1-based line and column, in characters, of a byte.
pub fn place(text: &[u8], at: usize) -> (u32, u32) {
    let before = &text[..at.min(text.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |n| n + 1);
    (line, String::from_utf8_lossy(&before[start..]).chars().count() as u32 + 1)
}
