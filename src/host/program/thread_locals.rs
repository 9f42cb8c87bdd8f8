//! Rewrites `thread_local` variables of host code, which the compiler refuses as it does in device code. Host code runs
//! as one thread here, so such a variable is a static one.

use super::edits::{Edit, edited};
use cpp::{Scope, Source, Space};
use std::collections::BTreeSet;

/// The keyword, and those of C and of gcc.
const KEYWORDS: [&str; 3] = ["thread_local", "_Thread_local", "__thread"];

/// Returns the rewritten text, with all lines where they were; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    if !KEYWORDS.iter().any(|keyword| text.contains(keyword)) {
        return None;
    }
    let source = Source::new(text);
    let tokens = source.tokens();
    let edit = |at: usize| -> Option<Edit> {
        let mut neighbours = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let is_linked = neighbours.any(|near| tokens.is(near, b"static") || tokens.is(near, b"extern"));
        let kept = match source.scope(at) {
            Scope::Function(Space::Kernel | Space::Device) => return None,
            Scope::Function(_) if !is_linked => "static",
            _ => "",
        };
        let start = tokens.start(at);
        Some((start..start + tokens.word(at).len(), kept.into()))
    };
    let words: BTreeSet<&str> = KEYWORDS.into_iter().chain(macros(&source)).collect();
    edited(text, words.iter().flat_map(|word| tokens.all(word.as_bytes())).filter_map(edit))
}

/// Returns the names of the macros that stand for a keyword.
fn macros<'a>(source: &Source<'a>) -> impl Iterator<Item = &'a str> {
    let text = source.text();
    let of_keywords =
        source.definitions().filter(move |its| KEYWORDS.contains(&text[its.text.clone()].trim()));
    of_keywords.map(|its| its.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_its_variables_once() {
        for (text, want) in [
            ("thread_local int n = 3;", " int n = 3;"),
            ("static thread_local int n;", "static  int n;"),
            ("struct S { static thread_local int n; };", "struct S { static  int n; };"),
            ("void f() { thread_local int n; }", "void f() { static int n; }"),
            ("void f() { thread_local static int n; }", "void f() {  static int n; }"),
            ("static __thread int n;", "static  int n;"),
            (
                "#define LOCAL _Thread_local\nvoid f() { LOCAL int n; static LOCAL int m; }",
                "#define LOCAL _Thread_local\nvoid f() { static int n; static  int m; }",
            ),
        ] {
            assert_eq!(rewritten(text).as_deref(), Some(want));
        }
        for text in ["__device__ void f() { thread_local int n; }", "// thread_local", "int n;"] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
