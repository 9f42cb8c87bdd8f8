//! Rewrites what the headers cannot do about exceptions, which the compiler does not have. The headers turn a
//! handler into code that never runs, for which the caught object needs a name: `catch (...)` and
//! `catch (const Error &)` are given one. They also turn `throw` into an assignment, which needs an operand:
//! `throw;` is given one. Where it is an exception specification, `throw()`, it becomes the equivalent `noexcept`
//! (C++17, [except.spec]). A function whose body is a `try` block gets a body around it, `{ try {…} catch (…) {…} }`.
//! Some handlers run nevertheless: see [`handlers`].

use super::edits::{Edit, edited};
use super::handlers;
use cpp::{Scope, Source, Tokens};
use std::ops::Range;

/// The name of what a handler catches where the program gives none.
const CAUGHT: &str = "__gpulearn_caught";

/// Returns the rewritten text, with all lines where they were; `None` if nothing changes. `runs_handlers`: whether
/// those that can are to run.
pub fn rewritten(text: &str, runs_handlers: bool) -> Option<String> {
    if !text.contains("catch") && !text.contains("throw") {
        return None;
    }
    let source = Source::new(text);
    edited(text, (0..source.tokens().count()).flat_map(|at| changes(&source, at, runs_handlers)))
}

/// Returns the changes that begin at token `at`.
fn changes(source: &Source, at: usize, runs_handlers: bool) -> Vec<Edit> {
    let tokens = source.tokens();
    let one = |edit: Option<Edit>| edit.into_iter().collect();
    match tokens.word(at) {
        b"throw" => one(thrown(source, at)),
        b"catch" => one(handler(tokens, at)),
        b"try" if !matches!(source.scope(at), Scope::Function(_)) => {
            try_block(tokens, at).unwrap_or_default()
        }
        b"try" if runs_handlers => one(handlers::edit(source, at)),
        _ => Vec::new(),
    }
}

fn thrown(source: &Source, at: usize) -> Option<Edit> {
    let tokens = source.tokens();
    if tokens.is(at + 1, b";") && !handlers::is_literal_behind(source, at) {
        let end = tokens.start(at) + b"throw".len();
        return Some((end..end, " 0".into()));
    }
    // As an expression, `throw ()` with nothing in its parentheses is an error.
    let is_specification =
        tokens.is(at + 1, b"(") && tokens.is(at + 2, b")") && !handlers::is_literal_behind(source, at + 1);
    is_specification.then(|| (tokens.start(at)..tokens.start(at + 2) + 1, "noexcept".into()))
}

fn handler(tokens: &Tokens, at: usize) -> Option<Edit> {
    if !tokens.is(at + 1, b"(") {
        return None;
    }
    let close = tokens.partner(at + 1)?;
    let (from, to) = (tokens.start(at + 1) + 1, tokens.start(close));
    if tokens.is(at + 2, b".") {
        return Some((from..to, format!("int {CAUGHT}")));
    }
    is_unnamed(tokens, at + 2..close).then(|| (to..to, format!(" {CAUGHT}")))
}

/// Puts a body around a `try` block that is one; the initialisers of a constructor's members stay before it.
fn try_block(tokens: &Tokens, at: usize) -> Option<Vec<Edit>> {
    let behind = |open: usize| tokens.partner(open).map(|close| close + 1);
    let has_handler = |open: &usize| behind(*open).is_some_and(|next| tokens.is(next, b"catch"));
    let open = (at + 1..tokens.count()).find(|at| tokens.is(*at, b"{"))?;
    let open = std::iter::successors(Some(open), |open| {
        let next = behind(*open)?;
        (next..tokens.count()).find(|at| tokens.is(*at, b"{"))
    })
    .find(has_handler)?;
    let mut end = behind(open)?;
    while tokens.is(end, b"catch") {
        end = behind(behind(end + 1)?)?;
    }
    let start = tokens.start(at);
    let last = tokens.start(end - 1) + 1;
    Some(vec![
        (start..start + b"try".len(), String::new()),
        (tokens.start(open)..tokens.start(open), "{ try ".into()),
        (last..last, " }".into()),
    ])
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
            ("catch (...) {}", "catch (int __gpulearn_caught) {}"),
            ("catch(const std::exception &) {}", "catch(const std::exception & __gpulearn_caught) {}"),
            ("catch (std::exception) {}", "catch (std::exception __gpulearn_caught) {}"),
            ("catch (const Error) {}", "catch (const Error __gpulearn_caught) {}"),
            ("catch (unsigned int) {}", "catch (unsigned int __gpulearn_caught) {}"),
            ("catch (int) { throw; }", "catch (int __gpulearn_caught) { throw 0; }"),
            (
                "int main() try { f(); } catch (A &a) { g(); }",
                "int main()  { try { f(); } catch (A &a) { g(); } }",
            ),
            (
                "S::S() try : a{1}, b(2) { } catch (A &a) { } catch (B &b) { } int x;",
                "S::S()  : a{1}, b(2) { try { } catch (A &a) { } catch (B &b) { } } int x;",
            ),
            ("~A() throw() { throw 1; }", "~A() noexcept { throw 1; }"),
            ("int f() const throw ( );", "int f() const noexcept;"),
            (
                "catch (int) {} catch (...) {}",
                "catch (int __gpulearn_caught) {} catch (int __gpulearn_caught) {}",
            ),
        ] {
            assert_eq!(rewritten(text, false).as_deref(), Some(want));
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
            "int main() { try { } catch (A &a) { } }",
            "try",
            "int main() try {",
            "int main() try { } catch",
            "throw (1);",
            "throw \"text\";",
            "throw (\"text\");",
            "throw 'c';",
            "throw Error();",
            "throw",
        ] {
            assert_eq!(rewritten(text, false), None, "{text}");
        }
    }
}
