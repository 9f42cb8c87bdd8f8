//! Finds the calls of `printf()` and the like that the compiler says pass too few values for their format, and how many
//! they pass.

use compiler::Diagnostic;
use cpp::Source;
use sim::{ShortCalls, SourceLocation};
use std::collections::BTreeSet;

/// The number of the compiler's warning that "the format string requires additional arguments"; its line is that of the
/// closing parenthesis.
const TOO_FEW: u32 = 224;

/// The functions, and how many arguments each has before the values.
const FUNCTIONS: [(&str, usize); 6] =
    [("printf", 1), ("fprintf", 2), ("sprintf", 2), ("snprintf", 3), ("asprintf", 2), ("dprintf", 2)];

/// A call in the text.
struct Call {
    first_line: u32,
    last_line: u32,
    /// `None` if the text does not show how many there are.
    values: Option<usize>,
}

/// Returns the calls in the text of a file. Those that share a line with others are left out, since neither the warning
/// nor the code tells them apart.
pub fn short_calls(said: &[Diagnostic], text: &str, file: &str) -> ShortCalls {
    let warned = said.iter().filter(|its| its.number == Some(TOO_FEW) && its.file == file);
    let lines: BTreeSet<u32> = warned.map(|its| its.line).collect();
    if lines.is_empty() {
        return ShortCalls::default();
    }
    let source = Source::new(text);
    let calls = calls(&source);
    let is_alone = |its: &Call| {
        let shares = |other: &&Call| other.first_line <= its.last_line && its.first_line <= other.last_line;
        calls.iter().filter(shares).count() == 1
    };
    let short = calls.iter().filter(|its| lines.contains(&its.last_line) && is_alone(its));
    let place = |line| SourceLocation { file: file.into(), line, column: 0 };
    ShortCalls(short.filter_map(|its| Some((place(its.first_line), its.values?))).collect())
}

fn calls(source: &Source) -> Vec<Call> {
    let tokens = source.tokens();
    let of = |(name, before): (&'static str, usize)| {
        tokens.all(name.as_bytes()).filter_map(move |at| {
            let arguments = tokens.arguments(at + 1)?;
            let end = tokens.partner(at + 1)?;
            // Macros and packs may be several arguments, and a comma may be part of a list of template arguments.
            let is_plain = |at: usize| {
                let word = tokens.word(at);
                let is_pack = tokens.is(at, b".") && tokens.is(at + 1, b".");
                word != b"<" && !is_pack && !source.is_macro(word) && !source.is_macro_with_arguments(word)
            };
            let values = arguments.len().checked_sub(before).filter(|_| (at + 2..end).all(is_plain));
            Some(Call { first_line: tokens.line(at), last_line: tokens.line(end), values })
        })
    };
    FUNCTIONS.into_iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_where_the_text_shows_them() {
        let values = |text: &str, line: u32| {
            let said =
                Diagnostic { number: Some(TOO_FEW), ..Diagnostic::error("a.cu", (line, 1), String::new()) };
            let short = short_calls(&[said], text, "a.cu");
            short.0.first().map(|(at, values)| (at.line, *values))
        };
        assert_eq!(values("\nprintf(\"%d, %d\\n\",\n a[f(1, 2)]\n);", 4), Some((2, 1)));
        assert_eq!(values("printf(\"%d\");", 1), Some((1, 0)));
        assert_eq!(values("printf(\"%d\");", 2), None);
        assert_eq!(values("snprintf(b, 9, \"%d %d\", x);", 1), Some((1, 1)));
        for text in [
            "printf(\"%d\"); printf(\"%d\", x);",
            "printf(\"%d %d\", pack...);",
            "printf(\"%d %d\", std::max<int, int>(x, y));",
        ] {
            assert_eq!(values(text, 1), None, "{text}");
        }
        assert_eq!(values("#define XY(v) v.x, v.y\nprintf(\"%d %d %d\", XY(p));", 2), None);
    }
}
