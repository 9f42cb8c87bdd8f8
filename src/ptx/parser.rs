//! The foundation of all parts of the parser: the current token, expectations about it, and errors.

use super::lexer::{Kind, Lexer, Token};
use super::{Location, ParseError, Span};

/// The error is boxed, so that results stay small.
pub(super) type Parsed<T> = Result<T, Box<ParseError>>;

/// How deep blocks, initialisers and expressions may nest, together. Compilers stay below ten; the bound keeps
/// malicious text from exhausting the stack.
const MAX_DEPTH: u32 = 128;

/// The most characters of the text that an error message quotes.
const QUOTED_CHARS: usize = 40;

pub(super) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    pub token: Token,
    /// Where the token before the current one ends.
    pub last_end: usize,
    /// The `.loc` in force.
    pub location: Option<Location>,
    depth: u32,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next();
        Self { text, lexer, token, last_end: 0, location: None, depth: 0 }
    }

    /// Returns the text of the current token.
    pub fn current(&self) -> &'a str {
        self.slice(self.token.start, self.token.end)
    }

    /// Returns the text between two token bounds.
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Advances to the next token.
    pub fn bump(&mut self) {
        self.last_end = self.token.end;
        self.token = self.lexer.next();
    }

    /// Continues at byte `at` instead of at the current token.
    pub fn resume_at(&mut self, at: usize) {
        self.lexer.seek(at);
        self.token = self.lexer.next();
    }

    /// Returns the current token's text and advances to the next token.
    pub fn take(&mut self) -> &'a str {
        let text = self.current();
        self.bump();
        text
    }

    pub fn at(&self, punct: u8) -> bool {
        self.token.kind == Kind::Punct(punct)
    }

    /// Returns whether the current token immediately follows the last one.
    pub fn adjacent(&self) -> bool {
        self.token.start == self.last_end
    }

    pub fn eat(&mut self, punct: u8) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes a punctuation mark, or fails; `place` says where it is missing: "after the operands of `ld`".
    pub fn expect(&mut self, punct: u8, place: &str) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        self.fail_expected(&format!("`{}` {place}", char::from(punct)))
    }

    /// Parses one item, and one more after each comma.
    pub fn separated(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        loop {
            item(self)?;
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }

    /// Consumes an identifier, or fails; `what` names it in the message: "a label".
    pub fn word(&mut self, what: &str) -> Parsed<&'a str> {
        if self.token.kind == Kind::Word { Ok(self.take()) } else { self.fail_expected(what) }
    }

    /// Enters a nesting level, which [`Self::leave`] leaves.
    pub fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        Ok(())
    }

    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Returns the span from the byte `start` to the end of the last token.
    pub fn span_from(&self, start: usize) -> Span {
        span(start, self.last_end)
    }

    pub fn fail_expected<T>(&self, what: &str) -> Parsed<T> {
        match self.token.kind {
            Kind::UnterminatedString => self.fail("the string that begins here has no closing quote".into()),
            Kind::UnterminatedComment => self.fail("the comment that begins here has no `*/`".into()),
            Kind::End => self.fail(format!("expected {what}, found the end of the text")),
            _ => self.fail(format!("expected {what}, found {}", quoted(self.current()))),
        }
    }

    /// Fails at the current token.
    pub fn fail<T>(&self, message: String) -> Parsed<T> {
        self.fail_at(self.token.start, self.token.end, message)
    }

    pub fn fail_at<T>(&self, start: usize, end: usize, message: String) -> Parsed<T> {
        let (line, column) = self.line_and_column(start);
        Err(Box::new(ParseError { span: span(start, end), line, column, location: self.location, message }))
    }

    pub fn line_and_column(&self, at: usize) -> (u32, u32) {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        (to_u32(line), to_u32(column))
    }
}

/// Quotes a piece of the text for a message: escaped and truncated.
pub(super) fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(QUOTED_CHARS).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("`{}{more}`", cut.escape_default())
}

fn span(start: usize, end: usize) -> Span {
    Span { start: to_u32(start), end: to_u32(end) }
}

/// Offsets fit, since longer texts are rejected before they are parsed.
fn to_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
