//! Making text from a learner's file harmless to a terminal and to a reader.

/// Whether a character can move the cursor, change colours, or hide or reorder what is read:
/// C0 and C1 controls, bidirectional marks and overrides (Unicode UAX 9), zero-width and tag
/// characters, line separators.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        c if (c as u32) < 0x80 => out.push_str(&format!("\\x{:02x}", c as u32)),
        c => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
    }
}

/// One line of text, safe to print: a tab becomes a space, what is hidden is spelt out.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            c if is_hidden(c) => push_escaped(&mut out, c),
            c => out.push(c),
        }
    }
    out
}

/// Like [`escape`], but line breaks stay (`\r\n` counts as one) and tabs become four spaces.
pub fn escape_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        out.push_str(&escape(&line.replace('\t', "    ")));
    }
    out
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
