//! Rewrites what the headers cannot do about exceptions, which the compiler does not have. The headers turn a
//! handler into code that never runs, for which the caught object needs a name: `catch (...)` and
//! `catch (const Error &)` are given one. They also turn `throw` into a statement: where it is an exception
//! specification, `throw()`, it becomes the equivalent `noexcept` (C++17, [except.spec]).

use cpp::{Source, Tokens};
use std::ops::Range;

/// Returns the rewritten text, with all lines where they were; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    if !text.contains("catch") && !text.contains("throw") {
        return None;
    }
    let source = Source::new(text);
    let tokens = source.tokens();
    let mut out = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    for at in 0..tokens.count() {
        let Some((from, to, new)) = change(tokens, at) else { continue };
        out += &text[copied..from];
        out += new;
        copied = to;
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Returns the byte range to replace and its replacement, if a change begins at token `at`.
fn change(tokens: &Tokens, at: usize) -> Option<(usize, usize, &'static str)> {
    if !tokens.is(at + 1, b"(") {
        return None;
    }
    if tokens.is(at, b"throw") {
        // As an expression, `throw ()` with nothing in its parentheses is an error.
        return tokens.is(at + 2, b")").then(|| (tokens.start(at), tokens.start(at + 2) + 1, "noexcept"));
    }
    if !tokens.is(at, b"catch") {
        return None;
    }
    let close = tokens.partner(at + 1)?;
    let (from, to) = (tokens.start(at + 1) + 1, tokens.start(close));
    if tokens.is(at + 2, b".") {
        return Some((from, to, "int caught"));
    }
    is_unnamed(tokens, at + 2..close).then_some((to, to, " caught"))
}

/// Returns whether a handler's parameter is a type without a name.
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
    // `unsigned code` has a name, `const Error` does not.
    tokens.is(before, b":")
        || tokens.is(before, b"const")
        || tokens.is(before, b"struct")
        || tokens.is(before, b"class")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_get_names_and_specifications_become_noexcept() {
        for (text, want) in [
            ("catch (...) {}", "catch (int caught) {}"),
            ("catch(const std::exception &) {}", "catch(const std::exception & caught) {}"),
            ("catch (std::exception) {}", "catch (std::exception caught) {}"),
            ("catch (const Error) {}", "catch (const Error caught) {}"),
            ("catch (unsigned int) {}", "catch (unsigned int caught) {}"),
            ("~A() throw() { throw 1; }", "~A() noexcept { throw 1; }"),
            ("int f() const throw ( );", "int f() const noexcept;"),
            ("catch (int) {} catch (...) {}", "catch (int caught) {} catch (int caught) {}"),
        ] {
            assert_eq!(rewritten(text).as_deref(), Some(want));
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
            "throw (1);",
            "throw Error();",
            "throw",
        ] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
