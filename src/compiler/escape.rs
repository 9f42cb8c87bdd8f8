//! Makes untrusted text safe to print on a terminal or in a log.

use std::fmt::Write;

/// Replaces everything that could move a cursor, colour a terminal, reorder text or start a new line by a
/// visible escape (`\x1b`, `\u{202e}`); a tab becomes a space.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c.is_ascii_control() => write_to(&mut out, format_args!("\\x{:02x}", c as u32)),
            c if is_hidden(c) => write_to(&mut out, format_args!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// Like [`escape`], for bytes that need not be UTF-8.
pub fn escape_bytes(bytes: &[u8]) -> String {
    escape(&String::from_utf8_lossy(bytes))
}

/// Applies [`escape`] line by line: line breaks are kept, and a carriage return before one is removed.
pub fn escape_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive('\n') {
        let (line, end) = match piece.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), "\n"),
            None => (piece, ""),
        };
        out.push_str(&escape(line));
        out.push_str(end);
    }
    out
}

fn write_to(out: &mut String, what: std::fmt::Arguments) {
    out.write_fmt(what).expect("writing to a String cannot fail");
}

/// Returns whether a character can control a terminal, or hide or reorder text: control characters,
/// bidirectional marks and overrides (Unicode UAX 9), zero-width and invisible characters, line and paragraph
/// separators, tags, and noncharacters, which XML forbids (XML 1.0, production 2).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_become_visible() {
        assert_eq!(escape("a\x1b[31mb\x07\x7f\u{9b}c"), "a\\x1b[31mb\\x07\\x7f\\u{9b}c");
        assert_eq!(escape("x\u{202e}y\u{200b}z"), "x\\u{202e}y\\u{200b}z");
        assert_eq!(
            escape("\u{fffe}\u{ffff}\u{1ffff}\u{fdd0}\u{fffd}"),
            "\\u{fffe}\\u{ffff}\\u{1ffff}\\u{fdd0}\u{fffd}"
        );
        assert_eq!(escape("tab\there\r\n::error"), "tab here\\r\\n::error");
        assert_eq!(escape("größe 尺寸 → ok"), "größe 尺寸 → ok");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(escape_lines("a\r\nb\x1b\n"), "a\nb\\x1b\n");
        assert_eq!(escape_lines("no end"), "no end");
    }

    #[test]
    fn bytes_need_not_be_text() {
        assert_eq!(escape_bytes(b"a\xff\x00"), "a\u{fffd}\\x00");
    }
}
