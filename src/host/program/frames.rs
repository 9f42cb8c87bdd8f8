//! Gives functions that hand addresses to the CUDA runtime frames of their own. The compiler would place the variables
//! of a function that it inlines among those of the caller, where they outlive it, and a node of a graph or a host
//! function that uses them too late would go unnoticed.

use super::edits::{Edit, edited};
use cpp::{Function, Source, Space, Tokens};

const ATTRIBUTE: &str = " __attribute__((noinline)) ";

/// Returns the rewritten text, with all lines where they were; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    const WORDS: [&str; 4] =
        ["cudaGraph", "cudaLaunchHostFunc", "cudaStreamAddCallback", "cudaStreamBeginCapture"];
    if !WORDS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let source = Source::new(text);
    let tokens = source.tokens();
    let keeps = |word: &[u8]| {
        let is_copy = word.starts_with(b"cudaMemcpy") && word.ends_with(b"Async");
        is_copy || WORDS.iter().any(|its| word.starts_with(its.as_bytes()))
    };
    let keeping = source.functions().unwrap_or_default().iter().filter(|function| {
        function.space == Space::Host
            && !function.has_unclear_space
            && function.body.clone().is_some_and(|mut body| body.any(|at| keeps(tokens.word(at))))
    });
    edited(text, keeping.filter_map(|function| edit(text, tokens, function)))
}

/// Returns the edit that marks a function. If possible, it goes behind what precedes the function, so that what is on
/// the function's own line stays where it is.
fn edit(text: &str, tokens: &Tokens, function: &Function) -> Option<Edit> {
    let ends =
        |at: &usize| matches!(tokens.word(*at), b";" | b"{" | b"}" | b":") && !is_qualifier(tokens, *at);
    let before = (0..function.name).rev().find(ends);
    let head = before.map_or(0, |before| before + 1);
    if [&b"template"[..], b"extern", b"["].iter().any(|word| tokens.is(head, word)) {
        return None;
    }
    let start = tokens.start(head);
    let behind = before.map(|before| tokens.start(before) + 1);
    let has_directive = |between: &str| between.lines().any(|line| line.trim_start().starts_with('#'));
    let place =
        behind.filter(|&behind| text.get(behind..start).is_some_and(|between| !has_directive(between)));
    let place = place.unwrap_or(start);
    Some((place..place, ATTRIBUTE.into()))
}

/// Returns whether a colon is part of `::`.
fn is_qualifier(tokens: &Tokens, at: usize) -> bool {
    tokens.is(at, b":") && (tokens.is(at + 1, b":") || at > 0 && tokens.is(at - 1, b":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_make_graphs_have_frames_of_their_own() {
        for (text, want) in [
            (
                "void f() { cudaGraphLaunch(g, s); }",
                " __attribute__((noinline)) void f() { cudaGraphLaunch(g, s); }",
            ),
            (
                "int n; // one\nstd::vector<int> f() { cudaGraphLaunch(g, s); }",
                "int n; __attribute__((noinline))  // one\nstd::vector<int> f() { cudaGraphLaunch(g, s); }",
            ),
            (
                "int n;\n#if 1\nint f() { cudaGraphLaunch(g, s); }\n#endif",
                "int n;\n#if 1\n __attribute__((noinline)) int f() { cudaGraphLaunch(g, s); }\n#endif",
            ),
            (
                "struct S { public: void f() { cudaLaunchHostFunc(s, g, p); } };",
                "struct S { public: __attribute__((noinline))  void f() { cudaLaunchHostFunc(s, g, p); } };",
            ),
        ] {
            assert_eq!(rewritten(text).as_deref(), Some(want));
        }
        for text in [
            "void f() { cudaMemcpyAsync(d, h, 4, k, s); }",
            "void f(); // cudaGraph",
            "template <class T> void f() { cudaGraphLaunch(g, s); }",
            "__device__ void f() { cudaGraphLaunch(g, s); }",
        ] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
