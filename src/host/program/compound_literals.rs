//! Rewrites compound literals of C, `(struct P){1, 2}`, which nvcc accepts as its host compiler does, to `P{1, 2}`.

use super::rewriting::{Edit, edited};
use cpp::Source;

/// What may stand before an expression that begins with a parenthesis, and before nothing else with a brace behind it.
const BEFORE: [&[u8]; 7] = [b"=", b"(", b",", b"?", b"return", b"<", b"<<<"];

/// Returns the rewritten text, with everything where it was; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    let source = Source::new(text);
    let tokens = source.tokens();
    let edit = |open: usize| -> Option<Edit> {
        let close = tokens.partner(open)?;
        let before = open.checked_sub(1)?;
        if !tokens.is(close + 1, b"{") || !BEFORE.iter().any(|word| tokens.is(before, word)) {
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
    let edits: Vec<Edit> = tokens.all(b"(").filter_map(edit).collect();
    if edits.is_empty() { None } else { edited(text, edits) }
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
        ] {
            let found = rewritten(text).unwrap();
            assert_eq!(found.len(), text.len());
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(plain(&found), plain(want), "{found}");
        }
        for text in [
            "void f(P) {}",
            "if (p) { }",
            "auto f = [](P) { };",
            "x = (unsigned int){3};",
            "a = (int[]){1, 2};",
            "x = (p) + 1;",
            "// p = (P){1};",
        ] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
