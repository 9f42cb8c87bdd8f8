//! Hints for unbalanced brackets, code where none is allowed, and characters that are not C++.

use super::{MessageContext, at_file_scope};
use crate::escape::is_hidden;
use compiler::{Expected, MessageKind};

/// Unbalanced brackets, and code where none is allowed.
pub fn astray(here: &MessageContext) -> Option<String> {
    let rest = here.rest();
    Some(match here.kind {
        MessageKind::UnclosedComment => {
            "The comment that begins here with /* continues to the end: close it with */.".into()
        }
        MessageKind::UnclosedQuote => {
            "The text that begins here has no end: a \" is missing in this line.".into()
        }
        MessageKind::Expected(Expected::Declaration) if rest.starts_with('}') => {
            "This } closes nothing: is there one too many, or a { missing above?".into()
        }
        kind if at_file_scope(kind) && here.has("<<<") => match here.program {
            true => "A launch belongs inside a host function, such as main().".into(),
            false => "The lesson launches the kernel: leave the launch out.".into(),
        },
        kind if at_file_scope(kind) => {
            "Statements belong inside a function: is there one } too many above?".into()
        }
        MessageKind::Expected(Expected::Statement) if rest.starts_with("else") => {
            "This else has no if before it: is there a ; after the if (…), or are { } missing?".into()
        }
        MessageKind::Expected(Expected::ClosingBrace) => {
            "One { is never closed: the one below, or another after it.".into()
        }
        MessageKind::DeclaredAgain => {
            "To change it, leave out the type; for another variable use another name.".into()
        }
        MessageKind::NoEffect if here.has("==") => "== compares; a single = stores.".into(),
        _ => return None,
    })
}

/// Typographic characters from web pages and word processors, which C++ only allows in comments and literals.
pub fn not_cpp(here: &MessageContext) -> Option<String> {
    if here.kind != MessageKind::UnrecognizedToken {
        return None;
    }
    let c = here.rest().chars().next().filter(|c| !c.is_ascii())?;
    let number = u32::from(c);
    Some(match c {
        '\u{201c}'..='\u{201f}' => {
            format!("`{c}` is a curly quote, as on web pages: type a straight one, \".")
        }
        '\u{2018}'..='\u{201b}' => {
            format!("`{c}` is a curly quote, as on web pages: type a straight one, '.")
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' => {
            format!("`{c}` is a dash, as on web pages: minus is typed -.")
        }
        '\u{d7}' => "`×` is typed * here.".into(),
        _ if c.is_whitespace() => format!(
            "There is a space that the compiler does not accept, U+{number:04X}, as on web pages: type a plain one."
        ),
        _ if is_hidden(c) => {
            format!(
                "There is a character that can't be seen, U+{number:04X}: delete it, or type the line again."
            )
        }
        _ => format!("`{c}`, U+{number:04X}, means nothing in C++: was it copied from a web page?"),
    })
}
