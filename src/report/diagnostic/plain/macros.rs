//! Hints for names that a macro replaces.

use super::MessageContext;
use cpp::{is_name_char, uncommented};

/// A variable, a parameter or a member that is called like a macro: `int N` after `#define N 1024`.
pub fn declared_as_macro(here: &MessageContext) -> Option<String> {
    let name = here.word();
    let behind_type = here.before().trim_end().ends_with(|c: char| is_name_char(c) || matches!(c, '*' | '&'));
    if name.is_empty() || !behind_type {
        return None;
    }
    let above = here.source.definitions().take_while(|its| its.line < here.line);
    let its = above.filter(|its| its.name == name && !its.takes_arguments).last()?;
    let text = uncommented(&here.source.text()[its.text]);
    let text = text.lines().next().unwrap_or_default().trim();
    // What a macro of another name stands for may be declared.
    text.starts_with(|c: char| !is_name_char(c) || c.is_ascii_digit()).then(|| {
        format!(
            "`{name}` is a macro: since the #define of line {}, the compiler reads {text} wherever {name} stands. \
             Give one of the two another name.",
            its.line
        )
    })
}
