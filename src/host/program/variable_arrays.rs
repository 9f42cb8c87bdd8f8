//! Rewrites variable-length arrays in host code, `float a[n];`, which gcc and nvcc accept in C++. NVRTC
//! compiles host code as device code, which has none. So the array becomes a pointer to memory owned by an
//! object declared next to it (`gpulearn/variable_array.h`):
//!
//! ```text
//! __gpulearn_array __gpulearn_array_of_a; float *a =  __gpulearn_array_of_a.of(n);
//! ```

use super::edits::{Edit, Rewrite};
use cpp::{Scope, Source, Space, Tokens};
use std::ops::Range;

/// The type of the owning object, which is also the prefix of the objects' names.
pub const NAME: &str = "__gpulearn_array";

/// The unsupported feature reported for an array that cannot be rewritten.
pub const UNSUPPORTED: &str = "an array like this one, whose size is computed at run time. This works for \
                           `Type name[size];`, also with `= {0}`, with values where it has one size, and with more sizes \
                           that are constants after the first, if only its elements are used, or it is passed to \
                           functions or measured with sizeof";

/// First words of declarations that no compiler accepts for such an array.
const OTHERS: [&[u8]; 6] = [b"static", b"extern", b"constexpr", b"typedef", b"using", b"thread_local"];
/// Keywords after which a name is a use, not a declaration.
const USED: [&[u8]; 7] = [b"return", b"sizeof", b"else", b"delete", b"throw", b"case", b"new"];

/// Rewrites the array whose size is at a place, given as line and column.
pub fn written(source: &Source, (line, column): (u32, u32)) -> Rewrite {
    let Some(open) = source.token_at(line, column).and_then(|size| size.checked_sub(1)) else {
        return Rewrite::Keep;
    };
    let tokens = source.tokens();
    if !tokens.is(open, b"[") || source.scope(open) != Scope::Function(Space::Host) {
        return Rewrite::Keep;
    }
    let Some(name) = name_before(source, open) else { return Rewrite::Keep };
    let first = source.declaration_start(name);
    if (first..name).any(|at| OTHERS.contains(&tokens.word(at))) || !is_declared(source, first, name) {
        return Rewrite::Keep;
    }
    // The size that is not constant is not the first.
    if name + 1 != open {
        return Rewrite::Unhandled;
    }
    edits(source, first, name).map_or(Rewrite::Unhandled, Rewrite::Edits)
}

/// Returns the token of an array's name, from the opening bracket of one of its sizes.
fn name_before(source: &Source, open: usize) -> Option<usize> {
    let tokens = source.tokens();
    let mut at = open.checked_sub(1)?;
    while tokens.is(at, b"]") {
        at = tokens.partner(at)?.checked_sub(1)?;
    }
    tokens.is_name(at).then_some(at)
}

/// Returns whether a statement declares a variable of this name.
fn is_declared(source: &Source, first: usize, name: usize) -> bool {
    let tokens = source.tokens();
    let Some(before) = name.checked_sub(1).filter(|_| name > first) else { return false };
    match tokens.word(before) {
        b">" => true,
        b"," | b"*" => may_be_type(tokens, first),
        _ => may_be_type(tokens, before),
    }
}

fn edits(source: &Source, first: usize, name: usize) -> Option<Vec<Edit>> {
    let tokens = source.tokens();
    let its_name = std::str::from_utf8(tokens.word(name)).ok()?;
    let owner = format!("__gpulearn_array_of_{its_name}");
    let insert = |at: usize, text: String| (at..at, text);
    let bracket = |at: usize, text: String| (tokens.start(at)..tokens.start(at) + 1, text);
    let (open, close) = (name + 1, tokens.partner(name + 1)?);
    let mut last = close;
    while tokens.is(last + 1, b"[") {
        last = tokens.partner(last + 1)?;
    }
    let behind = last + 1;
    let has_rows = last != close;
    let mut edits = vec![insert(tokens.start(first), format!("__gpulearn_array {owner}; "))];
    let make = match tokens.word(behind) {
        b";" | b"," => "of",
        b"=" if tokens.is(behind + 1, b"{") => {
            match zeros(source, behind) {
                Some(end) => edits.push((tokens.start(behind)..end, String::new())),
                None => {
                    let brace = tokens.partner(behind + 1)?;
                    let is_const =
                        !tokens.is(name - 1, b"*") && (first..name).any(|at| tokens.is(at, b"const"));
                    if has_rows || is_const || !tokens.is(brace + 1, b";") {
                        return None;
                    }
                    edits.push(bracket(behind, format!("; {owner}.set({its_name},")));
                    edits.push(insert(tokens.start(brace) + 1, ")".into()));
                }
            }
            "zeros"
        }
        _ => return None,
    };
    if has_rows {
        // `int a[n][3]` becomes `int (*a)[3] = ….of(n)`.
        let size = source.text().get(tokens.start(open) + 1..tokens.start(close))?;
        let sizes = tokens.start(close) + 1..tokens.start(last) + 1;
        let rows = source.text().get(sizes.clone())?;
        edits.push(insert(tokens.start(name), "(*".into()));
        edits.push((tokens.start(open)..sizes.end, format!("){rows} = {owner}.{make}({size})")));
    } else {
        edits.push(insert(tokens.start(name), "*".into()));
        edits.push(bracket(open, format!(" = {owner}.{make}(")));
        edits.push(bracket(close, ")".into()));
    }
    edits.extend(measured(source, name, behind, &owner)?);
    Some(edits)
}

/// Returns the byte offset at which `= {}` or `= {0}` ends. It must be on one line, so that removing it
/// removes no line.
fn zeros(source: &Source, equals: usize) -> Option<usize> {
    let tokens = source.tokens();
    let (open, close) = (equals + 1, tokens.partner(equals + 1)?);
    let all = source.text().get(tokens.start(equals)..tokens.start(close) + 1)?;
    let between = source.text().get(tokens.start(open) + 1..tokens.start(close))?;
    let is_zeros = matches!(between.trim(), "" | "0" | "0.0" | "0.0f" | "0.f") && !all.contains('\n');
    is_zeros.then_some(tokens.start(close) + 1)
}

/// Rewrites each `sizeof` of the array within its scope; `None` if the array is used in a way that a pointer
/// cannot be.
fn measured(source: &Source, name: usize, from: usize, owner: &str) -> Option<Vec<Edit>> {
    let tokens = source.tokens();
    let mut edits = Vec::new();
    let is_its = |at: usize| tokens.word(at) == tokens.word(name);
    let bytes = |range: Range<usize>| {
        tokens.start(range.start)..tokens.start(range.end - 1) + tokens.word(range.end - 1).len()
    };
    for at in (from..source.block_end(from)).filter(|&at| is_its(at)) {
        let (two, one, next) = (tokens.word(at - 2), tokens.word(at - 1), tokens.word(at + 1));
        // After `.`, `->` or `::` the name is that of something else.
        if one == b"." || matches!((two, one), (b"-", b">") | (b":", b":")) {
            continue;
        }
        let in_loop_head = || {
            let open = tokens.partner(at + 1).and_then(|open| open.checked_sub(1));
            open.is_some_and(|before| tokens.is(before, b"for"))
        };
        match (two, one, next) {
            (b"sizeof", b"(", b")") => edits.push((bytes(at - 2..at + 2), format!("({owner}.bytes())"))),
            (_, b"sizeof", next) if next != b"[" => {
                edits.push((bytes(at - 1..at + 1), format!("({owner}.bytes())")))
            }
            (b"decltype" | b"typeof" | b"__typeof__", b"(", b")") => return None,
            // A range-based loop over the array, its address, or a redeclaration of its name.
            (_, b":", b")") if in_loop_head() => return None,
            // The address of the whole array, as an argument: its start, whatever it is converted to.
            (b"(" | b"," | b")", b"&", b"," | b")") => edits.push((bytes(at - 1..at), String::new())),
            (b")", b"&", next) if next != b"[" => return None,
            (before, b"&", next) if next != b"[" && before != b"&" && !is_value(before) => return None,
            _ if is_shadow(source, at) => return None,
            _ => {}
        }
    }
    Some(edits)
}

/// Returns whether a name is redeclared: `int a`, `const int *a`.
fn is_shadow(source: &Source, at: usize) -> bool {
    let tokens = source.tokens();
    match tokens.word(at - 1) {
        b"*" => {
            let mut before = source.declaration_start(at)..at - 1;
            !before.is_empty() && before.all(|at| may_be_type(tokens, at))
        }
        _ => may_be_type(tokens, at - 1),
    }
}

/// Returns whether a token may end the type of a declaration whose name follows it.
fn may_be_type(tokens: &Tokens, at: usize) -> bool {
    tokens.is_name(at) && !USED.contains(&tokens.word(at))
}

/// Returns whether a token ends a value, so that a `&` after it is a binary operator.
fn is_value(word: &[u8]) -> bool {
    word.last().is_some_and(|&last| last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']'))
        && word != b"return"
}

#[cfg(test)]
mod tests {
    use super::super::edits;
    use super::*;

    /// Rewrites the array whose size is the last `n` after a bracket.
    fn of(text: &str) -> Rewrite {
        written(&Source::new(text), cpp::place(text.as_bytes(), text.rfind("[n").unwrap() + 1))
    }

    fn applied(text: &str) -> Option<String> {
        let Rewrite::Edits(edits) = of(text) else { return None };
        let out = edits::edited(text, edits)?;
        assert_eq!(out.matches('\n').count(), text.matches('\n').count(), "{text}");
        Some(out)
    }

    #[test]
    fn arrays_become_pointers() {
        const OWNER: &str = "__gpulearn_array __gpulearn_array_of_a; ";
        const OF: &str = "__gpulearn_array_of_a";
        for (body, made) in [
            ("float a[n];", format!("{OWNER}float *a = {OF}.of(n);")),
            ("const char *b, *a[n +\n 1], c;", format!("{OWNER}const char *b, **a = {OF}.of(n +\n 1), c;")),
            ("std::vector<int> a[n];", format!("{OWNER}std::vector<int> *a = {OF}.of(n);")),
            ("int a[n] = {0}; f(a);", format!("{OWNER}int *a = {OF}.zeros(n) ; f(a);")),
            ("int a[n] = {1,\n 2};", format!("{OWNER}int *a = {OF}.zeros(n) ; {OF}.set(a, {{1,\n 2}});")),
            (
                "int a[n]; f(&a, (void *)&a); y = (x) & a[1];",
                format!("{OWNER}int *a = {OF}.of(n); f(a, (void *)a); y = (x) & a[1];"),
            ),
            ("int a[n][3][4];", format!("{OWNER}int (*a)[3][4] = {OF}.of(n);")),
            (
                "int a[n]; g(sizeof(a), sizeof a / sizeof(a[0]), &a[1], x & a[0], b ? y : a);",
                format!(
                    "{OWNER}int *a = {OF}.of(n); g(({OF}.bytes()), ({OF}.bytes()) / sizeof(a[0]), &a[1], x & a[0], b ? y : a);"
                ),
            ),
            (
                "int a[n]; { s.a = sizeof(s.a); } y = x * a[1];",
                format!("{OWNER}int *a = {OF}.of(n); {{ s.a = sizeof(s.a); }} y = x * a[1];"),
            ),
        ] {
            let text = format!("int main() {{ {body} }} int a;");
            assert_eq!(applied(&text), Some(format!("int main() {{ {made} }} int a;")), "{body}");
        }
    }

    #[test]
    fn what_no_compiler_takes_stays() {
        for text in [
            "int a[n];",
            "struct S { int a[n]; };",
            "__global__ void k() { int a[n]; }",
            "__host__ __device__ void f() { int a[n]; }",
            "int main() { static int a[n]; }",
            "int main() { f([=] __device__ { int a[n]; }); }",
            "int main() { p = new int[3][n]; }",
            "int main() { return a[n]; }",
            "void f(int n, int a[n]) {}",
        ] {
            assert_eq!(of(text), Rewrite::Keep, "{text}");
        }
        assert_eq!(written(&Source::new("int x;"), (9, 9)), Rewrite::Keep);
    }

    #[test]
    fn what_a_pointer_does_not_do_is_told_apart() {
        for body in [
            "int a[3][n];",
            "int a[n] = {1, 2}, b = a[0];",
            "int a[n][2] = {{1, 2}};",
            "const int a[n] = {1, 2};",
            "int a[n] = x;",
            "int a[n]; for (int b : a) f(b);",
            "int a[n]; int (*p)[3] = &a;",
            "int a[n]; f((char *)&a + 1);",
            "int a[n]; decltype(a) *p;",
            "int a[n]; { int a = 1; f(sizeof(a)); }",
            "int a[n]; { const char *a = s; f(sizeof(a)); }",
        ] {
            assert_eq!(of(&format!("int main() {{ {body} }}")), Rewrite::Unhandled, "{body}");
        }
    }

    #[test]
    fn no_text_panics() {
        let pieces = [
            "int", "é", "a", "[n", "]", "(", ")", "{", "}", "=", ";", ",", ":", "&", "sizeof", "\n", "*",
            "<", ">", "\"",
        ];
        edits::tests::no_text_panics("int main() { ", &pieces, written);
    }
}
