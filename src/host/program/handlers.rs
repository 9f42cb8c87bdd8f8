//! Puts handlers of `main` into lambdas, which can run where something is thrown: the compiler has no exceptions, so
//! nothing can go back to them, but those that leave `main` need not. `gpulearn/handlers.h` does the rest.
//!
//! ```text
//! try { … } catch (const std::exception &e) { puts(e.what()); return 1; }
//! ```
//!
//! The handler itself stays, and never runs. A program is left as it is if destructors on the way from `throw` to the
//! handler may do more than free memory, which nobody sees, or if something may stop an exception on its way.

use super::edits::Edit;
use cpp::{Source, Tokens};
use std::ops::Range;

/// The option with which `handlers.h` is used.
pub const OPTION: &str = "-D__GPULEARN_HANDLERS";

/// Names of the library whose objects do more at their end than free memory, and of what stops exceptions.
const OTHERWISE: [&str; 18] = [
    "async",
    "device_vector",
    "fstream",
    "future",
    "host_vector",
    "ifstream",
    "jthread",
    "lock_guard",
    "noexcept",
    "ofstream",
    "pthread_create",
    "scoped_lock",
    "shared_lock",
    "shared_ptr",
    "thread",
    "unique_lock",
    "unique_ptr",
    "universal_vector",
];

/// Statements that end `main`, after `std::` or not.
const ENDS: [&[u8]; 5] = [b"return", b"exit", b"abort", b"_Exit", b"quick_exit"];

/// What may lead out of a handler that is no longer in its place, or refers to what is caught.
const LEADS_OUT: [&[u8]; 6] = [b"break", b"catch", b"continue", b"goto", b"throw", b"try"];

/// Returns whether a handler may run where something is thrown, as far as this text decides it.
pub fn may_run(text: &str) -> bool {
    if cpp::names(text).any(|name| OTHERWISE.contains(&name)) {
        return false;
    }
    let source = Source::new(text);
    let tokens = source.tokens();
    let is_destructor = |at: usize| tokens.is(at, b"~") && tokens.is_name(at + 1) && tokens.is(at + 2, b"(");
    let throws_again = |at: usize| tokens.is(at, b"throw") && tokens.is(at + 1, b";");
    !(0..tokens.count()).any(|at| is_destructor(at) || throws_again(at) && !is_literal_behind(&source, at))
}

/// Returns whether there is a literal between a token and the next one.
pub fn is_literal_behind(source: &Source, at: usize) -> bool {
    let tokens = source.tokens();
    source.text().get(tokens.start(at)..tokens.start(at + 1)).is_some_and(|text| text.contains(['"', '\'']))
}

/// Returns the edit that puts the handlers of a `try` block into lambdas, if it is one of `main` and each of them
/// leaves `main`.
pub fn edit(source: &Source, at: usize) -> Option<Edit> {
    let tokens = source.tokens();
    let main = source.functions()?.iter().filter(|its| source.name_of(its) == "main");
    let main = main.filter_map(|its| its.body.clone()).find(|body| body.contains(&at))?;
    if source.braces_around(at).next() != Some(main.start) || source.is_conditional(at) {
        return None;
    }
    let mut end = tokens.partner(at + 1).filter(|_| tokens.is(at + 1, b"{"))? + 1;
    let mut handlers = Vec::new();
    while tokens.is(end, b"catch") {
        let (caught, body) = (end + 1, tokens.partner(end + 1)? + 1);
        handlers.push((caught, body));
        end = tokens.partner(body)? + 1;
    }
    let behind = last_of_main(source, end..main.end);
    let lambdas = handlers.into_iter().map(|(caught, body)| lambda(source, caught, body, behind.as_deref()));
    let lambdas = lambdas.collect::<Option<Vec<String>>>().filter(|all| !all.is_empty())?.join(", ");
    let start = tokens.start(at);
    Some((
        start..start + b"try".len(),
        format!("if (::__gpulearn::Handlers __gpulearn_trying{{{lambdas}}}; true)"),
    ))
}

/// Returns a handler as a lambda, which returns what `main` does. `behind` is what follows it in `main`, if known.
fn lambda(source: &Source, caught: usize, body: usize, behind: Option<&str>) -> Option<String> {
    let tokens = source.tokens();
    let (close, end) = (tokens.partner(caught)?, tokens.partner(body)?);
    if (body + 1..end).any(|at| LEADS_OUT.contains(&tokens.word(at))) {
        return None;
    }
    let parameter = match tokens.is(caught + 1, b".") {
        true => "::__gpulearn::Anything".into(),
        false => one_line(source, tokens.start(caught) + 1..tokens.start(close))?,
    };
    let statements = one_line(source, tokens.start(body) + 1..tokens.start(end))?;
    let behind = if is_ended(tokens, body + 1..end) { "" } else { behind? };
    Some(format!("[&]({parameter}) -> ::__gpulearn::Left {{ {statements} {behind} return {{}}; }}"))
}

/// Returns what follows the last handler of `main`, if that is at most one `return`.
fn last_of_main(source: &Source, rest: Range<usize>) -> Option<String> {
    let tokens = source.tokens();
    if rest.is_empty() {
        return Some("return 0;".into());
    }
    let is_one = tokens.is(rest.start, b"return")
        && rest.clone().find(|at| tokens.is(*at, b";")) == Some(rest.end - 1);
    one_line(source, tokens.start(rest.start)..tokens.start(rest.end)).filter(|_| is_one)
}

/// Returns whether the last of these statements ends `main`.
fn is_ended(tokens: &Tokens, of: Range<usize>) -> bool {
    let Some(last) = of.clone().last().filter(|last| tokens.is(*last, b";")) else { return false };
    let before = (of.start..last).rev().find(|at| matches!(tokens.word(*at), b";" | b"{" | b"}"));
    let first = before.map_or(of.start, |before| before + 1);
    let is_std = tokens.is(first, b"std") && tokens.is(first + 1, b":") && tokens.is(first + 2, b":");
    ENDS.contains(&tokens.word(if is_std { first + 3 } else { first }))
}

/// Returns a part of the text on one line; `None` if it has comments or directives, which need their lines.
fn one_line(source: &Source, range: Range<usize>) -> Option<String> {
    let text = source.text().get(range)?;
    let needs_lines = ["//", "/*", "#", "\\\n", "R\""].iter().any(|its| text.contains(its));
    (!needs_lines).then(|| text.replace(['\r', '\n'], " ").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lambdas(text: &str) -> Option<String> {
        let source = Source::new(text);
        let at = (0..source.tokens().count()).find(|at| source.tokens().is(*at, b"try"))?;
        let (_, written) = edit(&source, at)?;
        let inner = written.strip_prefix("if (::__gpulearn::Handlers __gpulearn_trying{")?;
        Some(inner.strip_suffix("}; true)")?.to_owned())
    }

    #[test]
    fn handlers_that_leave_main_become_lambdas() {
        let (left, end) = ("-> ::__gpulearn::Left", "return {}; }");
        for (text, want) in [
            (
                "int main() { try { f(); } catch (const E &e) {\n  puts(e.what());\n  return 1;\n} g(); }",
                format!("[&](const E &e) {left} {{ puts(e.what());   return 1;  {end}"),
            ),
            (
                "int main() { try { f(); } catch (E &) { std::exit(2); } catch (...) { abort(); } g(); }",
                format!(
                    "[&](E &) {left} {{ std::exit(2);  {end}, [&](::__gpulearn::Anything) {left} {{ abort();  {end}"
                ),
            ),
            (
                "int main() { try { f(); } catch (int n) { puts(\"x\"); } return n + 1; }",
                format!("[&](int n) {left} {{ puts(\"x\"); return n + 1; {end}"),
            ),
            (
                "int main() { try { f(); } catch (int n) { if (n) { return 3; } } }",
                format!("[&](int n) {left} {{ if (n) {{ return 3; }} return 0; {end}"),
            ),
        ] {
            assert_eq!(lambdas(text), Some(want), "{text}");
        }
    }

    #[test]
    fn others_stay_where_they_are() {
        for text in [
            "int main() { try { f(); } catch (int n) { puts(\"x\"); } g(); }",
            "int main() { try { f(); } catch (int n) { if (n) return 1; } g(); }",
            "int main() { try { f(); } catch (int n) { throw; return 1; } }",
            "int main() { for (;;) { try { f(); } catch (int n) { return 1; } } }",
            "int main() { auto g = [] { try { f(); } catch (int n) { return 1; } }; }",
            "int main() { try { f(); } catch (int n) { // why\n return 1; } }",
            "int main() { try { f(); } }",
            "int main() { try",
            "int other() { try { f(); } catch (int n) { return 1; } }",
            "int main() {\n#ifdef X\n try { f(); } catch (int n) { return 1; }\n#endif\n }",
        ] {
            assert_eq!(lambdas(text), None, "{text}");
        }
    }

    #[test]
    fn what_else_happens_on_the_way_is_told_by_words() {
        assert!(may_run("struct E {}; int main() { std::vector<int> v; throw \"text\"; f(~mask); }"));
        for text in [
            "struct A { ~A() { puts(\"x\"); } };",
            "std::unique_ptr<int> p;",
            "void f() noexcept;",
            "void f() { try { g(); } catch (...) { throw; } }",
        ] {
            assert!(!may_run(text), "{text}");
        }
    }
}
