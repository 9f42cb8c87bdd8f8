//! Hints for characters that are not C++, and text around code that was copied along.

use super::{MessageContext, name_at_start};
use crate::escape::is_hidden;
use cpp::is_name_char;

/// Typographic characters from web pages and word processors, which C++ only allows in comments and literals, and
/// Markdown's fences.
pub fn not_cpp(here: &MessageContext) -> Option<String> {
    if here.rest().starts_with("```") {
        return Some(
            "``` encloses code in Markdown: delete it, the lines around the code, and the other ```.".into(),
        );
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
        _ if c.is_alphanumeric() => format!(
            "`{c}`, U+{number:04X}: this compiler takes only the letters a to z, A to Z, digits and _ in names."
        ),
        _ => format!("`{c}`, U+{number:04X}, means nothing in C++: was it copied from a web page?"),
    })
}

/// `include <cstdio>` and `define N 4`, without their `#`.
pub fn directive(here: &MessageContext) -> Option<String> {
    let line = here.source.line(here.line)?.trim();
    let word = name_at_start(line);
    let behind = line[word.len()..].trim_start();
    let is_directive = match word {
        "include" => behind.starts_with(['<', '"']),
        "define" => behind.starts_with(is_name_char),
        _ => false,
    };
    is_directive.then(|| format!("A # is missing before {word}: #{word} {behind}"))
}
