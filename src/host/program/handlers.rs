//! Handlers of exceptions that name nothing: `catch (...)`, `catch (const Error &)`. The compiler has no
//! exceptions; the headers make of a handler code that never runs, for which what is caught needs a name.

use cpp::{Source, Tokens};
use std::ops::Range;

/// The text with a name in every handler, its lines where they were; `None` where nothing lacks one.
pub fn named(text: &str) -> Option<String> {
    if !text.contains("catch") {
        return None;
    }
    let source = Source::new(text);
    let tokens = source.tokens();
    let mut out = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    for at in (0..tokens.count()).filter(|&at| tokens.is(at, b"catch") && tokens.is(at + 1, b"(")) {
        let Some(close) = tokens.partner(at + 1) else { continue };
        let (from, to) = (tokens.start(at + 1) + 1, tokens.start(close));
        if tokens.is(at + 2, b".") {
            out += &text[copied..from];
            out += "int caught";
        } else if is_unnamed(tokens, at + 2..close) {
            out += &text[copied..to];
            out += " caught";
        } else {
            continue;
        }
        copied = to;
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Whether what a handler is given is a type alone.
fn is_unnamed(tokens: &Tokens, of: Range<usize>) -> bool {
    const OF_TYPES: [&[u8]; 12] = [
        b"const",
        b"volatile",
        b"unsigned",
        b"signed",
        b"long",
        b"short",
        b"int",
        b"char",
        b"float",
        b"double",
        b"struct",
        b"class",
    ];
    let Some(last) = of.clone().last() else { return false };
    let of_type = |at: usize| OF_TYPES.contains(&tokens.word(at));
    if !tokens.is_name(last) || of_type(last) || of.len() == 1 {
        return true;
    }
    let before = last - 1;
    // `unsigned code` has a name, `const Error` has none.
    tokens.is(before, b":")
        || tokens.is(before, b"const")
        || tokens.is(before, b"struct")
        || tokens.is(before, b"class")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_without_a_name_get_one() {
        for (text, want) in [
            ("catch (...) {}", "catch (int caught) {}"),
            ("catch(const std::exception &) {}", "catch(const std::exception & caught) {}"),
            ("catch (std::exception) {}", "catch (std::exception caught) {}"),
            ("catch (const Error) {}", "catch (const Error caught) {}"),
            ("catch (unsigned int) {}", "catch (unsigned int caught) {}"),
            ("catch (int) {} catch (...) {}", "catch (int caught) {} catch (int caught) {}"),
        ] {
            assert_eq!(named(text).as_deref(), Some(want));
        }
        for text in [
            "catch (const std::exception &e) {}",
            "catch (std::exception e) {}",
            "catch (Error *error) {}",
            "catch (int code) {}",
            "catch (unsigned code) {}",
            "catch (std::vector<int> v) {}",
            "// catch (...)",
            "catch",
            "catch (",
            "catch ()",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
