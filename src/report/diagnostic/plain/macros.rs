//! Hints for names that a macro replaces.

use super::{MessageContext, name_at_start};
use cpp::is_name_char;

/// A variable, a parameter or a member that is called like a macro: `int N` after `#define N 1024`.
pub fn declared_as_macro(here: &MessageContext) -> Option<String> {
    let name = here.word();
    let behind_type = here.before().trim_end().ends_with(|c: char| is_name_char(c) || matches!(c, '*' | '&'));
    if name.is_empty() || !behind_type {
        return None;
    }
    let above = (1..).zip(here.code.lines()).take_while(|(line, _)| *line < here.line);
    let (line, text) = above.filter_map(|(line, text)| Some((line, replacement(text, name)?))).last()?;
    // What a macro of another name stands for may be declared.
    text.starts_with(|c: char| !is_name_char(c) || c.is_ascii_digit()).then(|| {
        format!(
            "`{name}` is a macro: since the #define of line {line}, the compiler reads {text} wherever {name} stands. \
             Give one of the two another name."
        )
    })
}

/// Returns what a line that defines a macro without arguments replaces it by.
fn replacement<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let defined = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
    let text = defined.strip_prefix(name).filter(|_| name_at_start(defined) == name)?;
    (text.starts_with(char::is_whitespace) && !text.trim().is_empty()).then(|| text.trim())
}
