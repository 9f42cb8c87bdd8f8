//! Rewrites compound literals of C, `(struct P){1, 2}`, which nvcc accepts as its host compiler does, to `P{1, 2}`.

use super::edits::{Edit, edited};
use cpp::Source;
use std::ops::Range;

/// What may stand before an expression that begins with a parenthesis, and before nothing else with a brace behind it.
const BEFORE: [&[u8]; 8] = [b"=", b"(", b",", b"?", b":", b"return", b"<", b"<<<"];

/// Returns the rewritten text, with everything where it was; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    let source = Source::new(text);
    let mut all = edits(&source, false);
    for Range { start, end } in source.definitions().map(|its| its.text) {
        let within = edits(&Source::new(&text[start..end]), true);
        all.extend(within.into_iter().map(|(its, written)| (start + its.start..start + its.end, written)));
    }
    edited(text, all)
}

/// Returns the edits of a text, or of the replacement text of a macro, which may begin with a compound literal.
fn edits(source: &Source, is_of_macro: bool) -> Vec<Edit> {
    let (text, tokens) = (source.text(), source.tokens());
    let begins_macro = |open: usize, brace: usize| {
        let is_list = |end: usize| (brace..end).all(|at| !tokens.is(at, b";"));
        let is_first = (0..open).all(|at| tokens.is(at, b"\\"));
        is_of_macro && is_first && tokens.partner(brace).is_some_and(is_list)
    };
    let edit = |open: usize| -> Option<Edit> {
        let close = tokens.partner(open)?;
        let is_behind = |word: &[u8]| open.checked_sub(1).is_some_and(|before| tokens.is(before, word));
        // `P &operator=(P) {…}` defines one.
        let before = (0..open).rev().take(4).find(|&at| tokens.is_name(at));
        if !tokens.is(close + 1, b"{")
            || before.is_some_and(|at| tokens.is(at, b"operator"))
            || !(BEFORE.into_iter().any(is_behind) || begins_macro(open, close + 1))
        {
            return None;
        }
        let is_class = tokens.is(open + 1, b"struct") || tokens.is(open + 1, b"union");
        let name = open + 1 + usize::from(is_class);
        // One name, which others may qualify.
        let is_part = |at: usize| match tokens.is_name(at) {
            true => at == name || !tokens.is_name(at - 1),
            false => tokens.is(at, b"::") || tokens.is(at, b":"),
        };
        if name >= close || !tokens.is_name(close - 1) || !(name..close).all(is_part) {
            return None;
        }
        let (start, end) = (tokens.start(open), tokens.start(close) + 1);
        let written = text.get(tokens.start(name)..end - 1)?.trim_end();
        let width = end - start;
        (!text[start..end].contains('\n')).then(|| (start..end, format!("{written:>width$}")))
    };
    tokens.all(b"(").filter_map(edit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_becomes_a_braced_value_of_its_type() {
        for (text, want) in [
            ("p = (struct P){1, 2};", "p = P{1, 2};"),
            ("f((P){.x = 1}, (float4) {1});", "f( P{.x = 1}, float4 {1});"),
            ("return (own::P){};", "return own::P{};"),
            ("p = n ? (P){1} : (P){2};", "p = n ? P{1} : P{2};"),
            ("#define ONE (P){1, 2}", "#define ONE P{1, 2}"),
            ("#define OF(x, y) \\\n  (P){x, y}\nint n;", "#define OF(x, y) \\\n P{x, y}\nint n;"),
            ("  #define SUM(a) f(a, (P){3})", " #define SUM(a) f(a, P{3})"),
        ] {
            let found = rewritten(text).unwrap();
            assert_eq!(found.len(), text.len());
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(plain(&found), plain(want), "{found}");
        }
        for text in [
            "void f(P) {}",
            "if (p) { }",
            "P &operator=(P) { return *this; }",
            "bool operator==(P) { return true; }",
            "Q operator,(own::P) {}",
            "auto f = [](P) { };",
            "x = (unsigned int){3};",
            "a = (int[]){1, 2};",
            "x = (p) + 1;",
            "for (int x : (P)) { }",
            "// p = (P){1};",
            "#define IN (p) { f(); }",
            "#define OPENS (p) {",
            "#define CALL(p) {p}",
            "puts(\"#define ONE (P){1}\");",
            "t = R\"(\n#define ONE (P){1}\n)\";",
        ] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
