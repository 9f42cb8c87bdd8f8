//! Splits PTX text into tokens, one at a time, skipping blanks and comments.
//!
//! Source: PTX ISA 8.8, section 4.1 (source format), 4.4 (identifiers), 4.5 (literals).

/// What a token is; its text is in its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// End of the text.
    End,
    /// An identifier, with its `%`, `$` or `_`: `mov`, `%r1`, `$L__BB0_2`, `_`.
    Word,
    /// A dot and what belongs to it: `.global`, `.shared::cta`, `.2d`.
    Dotted,
    /// Any number; whether it is well-formed is decided when the literal is parsed.
    Number,
    /// `"…"`, quotes included.
    StringLiteral,
    Punct(u8),
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// A character that does not occur in PTX.
    Unknown,
    UnterminatedString,
    UnterminatedComment,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Bytes that may continue an identifier.
const NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
        i += 1;
    }
    table
};

fn is_name(byte: u8) -> bool {
    NAME[usize::from(byte)]
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    /// Moves to a byte offset, backwards or forwards.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks and comments; returns false if a comment does not end.
    fn skip_blanks(&mut self) -> bool {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.peek(1) == b'/' => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                b'/' if self.peek(1) == b'*' => {
                    let inside = self.bytes.get(self.at + 2..).unwrap_or_default();
                    match inside.windows(2).position(|pair| pair == b"*/") {
                        Some(length) => self.at += length + 4,
                        None => return false,
                    }
                }
                _ => return true,
            }
        }
    }

    pub fn next(&mut self) -> Token {
        let closed = self.skip_blanks();
        let start = self.at;
        let Some(&first) = self.bytes.get(start) else {
            return Token { kind: Kind::End, start, end: start };
        };
        let kind = if closed {
            self.token(first)
        } else {
            self.at = self.bytes.len();
            Kind::UnterminatedComment
        };
        Token { kind, start, end: self.at }
    }

    fn token(&mut self, first: u8) -> Kind {
        self.at += 1;
        match first {
            b'%' if !is_name(self.peek(0)) => Kind::Punct(b'%'),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'%' => {
                self.skip_name();
                Kind::Word
            }
            b'0'..=b'9' => {
                self.skip_number(first);
                Kind::Number
            }
            b'.' if is_name(self.peek(0)) => {
                self.skip_name();
                while self.peek(0) == b':' && self.peek(1) == b':' && is_name(self.peek(2)) {
                    self.at += 2;
                    self.skip_name();
                }
                Kind::Dotted
            }
            b'<' if self.peek(0) == b'<' => {
                self.at += 1;
                Kind::ShiftLeft
            }
            b'>' if self.peek(0) == b'>' => {
                self.at += 1;
                Kind::ShiftRight
            }
            b',' | b';' | b':' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'<' | b'>' | b'=' | b'@'
            | b'!' | b'|' | b'&' | b'^' | b'~' | b'+' | b'-' | b'*' | b'/' => Kind::Punct(first),
            b'"' => self.skip_text(),
            _ => {
                // The whole character, so that a token's text is valid UTF-8.
                while self.peek(0) & 0xc0 == 0x80 {
                    self.at += 1;
                }
                Kind::Unknown
            }
        }
    }

    fn skip_name(&mut self) {
        while is_name(self.peek(0)) {
            self.at += 1;
        }
    }

    fn skip_number(&mut self, first: u8) {
        let prefixed = first == b'0' && self.peek(0).is_ascii_alphabetic();
        if !prefixed {
            self.skip_digits();
            if self.peek(0) == b'.' {
                self.at += 1;
                self.skip_digits();
            }
            if matches!(self.peek(0), b'e' | b'E') {
                let signed = usize::from(matches!(self.peek(1), b'+' | b'-'));
                if self.peek(1 + signed).is_ascii_digit() {
                    self.at += 1 + signed;
                    self.skip_digits();
                }
            }
        }
        // Name characters that follow are its suffix, or make it malformed.
        self.skip_name();
    }

    fn skip_digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn skip_text(&mut self) -> Kind {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Kind::StringLiteral;
                }
                b'\n' => return Kind::UnterminatedString,
                b'\\' if matches!(self.peek(1), b'"' | b'\\') => self.at += 2,
                _ => self.at += 1,
            }
        }
        Kind::UnterminatedString
    }
}
