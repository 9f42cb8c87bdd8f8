#![doc = include_str!("README.md")]

mod ast;
mod declaration;
mod expression;
mod lexer;
mod module;
mod operand;
mod parser;
mod print;
mod statement;
#[cfg(test)]
mod tests;

pub use ast::*;

/// Why a text can't be parsed: where, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub span: Span,
    /// 1-based line and column in the PTX text.
    pub line: u32,
    pub column: u32,
    /// The `.loc` in force there. The compiler does not check inline PTX, so a mistake in it is found only
    /// here, and this is the line of CUDA that contains it.
    pub location: Option<Location>,
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PTX line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Parses a whole PTX module.
///
/// Names and opcodes in the tree are slices of `text`. Nothing is resolved: a name may be undeclared and an
/// opcode unknown.
///
/// # Errors
/// Returns the first place where the text is not PTX, or is PTX that is not supported (the message says which
/// directive or operand).
pub fn parse(text: &str) -> Result<Module<'_>, ParseError> {
    if u32::try_from(text.len()).is_err() {
        let message = "the text is longer than 4 GiB".into();
        return Err(ParseError { span: Span::default(), line: 1, column: 1, location: None, message });
    }
    parser::Parser::new(text).module().map_err(|error| *error)
}
