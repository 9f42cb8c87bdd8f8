//! Keeps integer divisions by constants that are zero, of which the compiler warns and which it then leaves out, so
//! that one that the program comes to is reported: `n / 0` becomes `n / __gpulearn_divisor(0)` (`gpulearn/divisor.h`).

use super::edits::Edit;
use compiler::Diagnostic;
use cpp::{Scope, Source, Space, Tokens};
use std::ops::Range;

/// The numbers of the compiler's warnings: a division by zero, and a remainder.
const WARNINGS: [u32; 2] = [39, 179];

pub fn is_by_zero(said: &Diagnostic) -> bool {
    said.number.is_some_and(|number| WARNINGS.contains(&number))
}

/// Returns the edits for a warning at a place, given as line and column: those of the division there or, if that is in
/// a macro, of all divisions in macros.
pub fn edits(source: &Source, (line, column): (u32, u32)) -> Vec<Edit> {
    let Some(at) = source.token_at(line, column) else { return Vec::new() };
    let tokens = source.tokens();
    if !matches!(source.scope(at), Scope::Function(Space::Host | Space::Both)) {
        return Vec::new();
    }
    let is_assigned = at > 1 && tokens.is(at - 1, b"=");
    let operator = [at, at.saturating_sub(1), at.saturating_sub(1 + usize::from(is_assigned))]
        .into_iter()
        .find(|at| is_division(tokens, *at));
    let mut found: Vec<Edit> =
        operator.and_then(|operator| divisor(tokens, operator, 0)).into_iter().flatten().collect();
    let name = tokens.word(at);
    if source.is_macro_with_arguments(name) || operator.is_none() && source.is_macro(name) {
        for Range { start, end } in source.definitions().map(|its| its.text) {
            let text = Source::new(&source.text()[start..end]);
            let tokens = text.tokens();
            let operators = (0..tokens.count()).filter(|at| is_division(tokens, *at));
            found.extend(operators.filter_map(|at| divisor(tokens, at, start)).flatten());
        }
    }
    found
}

fn is_division(tokens: &Tokens, at: usize) -> bool {
    tokens.is(at, b"/") || tokens.is(at, b"%")
}

/// Returns the edits around the divisor behind an operator, in a text that begins at a place of another.
fn divisor(tokens: &Tokens, operator: usize, begin: usize) -> Option<[Edit; 2]> {
    let first = operator + 1 + usize::from(tokens.is(operator + 1, b"="));
    let last = operand(tokens, first)?;
    let (start, end) = (begin + tokens.start(first), begin + tokens.start(last) + tokens.word(last).len());
    Some([(start..start, "__gpulearn_divisor(".into()), (end..end, ")".into())])
}

/// Returns the last token of the operand that begins at a token: signs and casts, a name, a number or what is in
/// parentheses, and what is behind that.
fn operand(tokens: &Tokens, mut at: usize) -> Option<usize> {
    let begins = |at: usize| {
        tokens.word(at).first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_(".contains(byte))
    };
    loop {
        at = match tokens.word(at) {
            b"-" | b"+" | b"~" => at + 1,
            b"(" if begins(tokens.partner(at)? + 1) => tokens.partner(at)? + 1,
            _ => break,
        };
    }
    if !begins(at) {
        return None;
    }
    let mut last = if tokens.is(at, b"(") { tokens.partner(at)? } else { at };
    loop {
        last = match tokens.word(last + 1) {
            b"(" | b"[" => tokens.partner(last + 1)?,
            b"." => last + 2,
            b":" if tokens.is(last + 2, b":") => last + 3,
            b"-" if tokens.is(last + 2, b">") => last + 3,
            _ => return Some(last),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::edits::edited;
    use super::*;

    fn rewritten(text: &str, line: u32, column: usize) -> String {
        let edits = edits(&Source::new(text), (line, column as u32 + 1));
        edited(text, edits).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn the_divisor_at_a_place_is_passed_through_a_function() {
        for (line, want) in [
            ("x = n / 0;", "x = n / __gpulearn_divisor(0);"),
            ("n %= S::z + 1;", "n %= __gpulearn_divisor(S::z) + 1;"),
            ("f(n / (B));", "f(n / __gpulearn_divisor((B)));"),
            ("f(n / -(int)p->b[2] * 3);", "f(n / __gpulearn_divisor(-(int)p->b[2]) * 3);"),
            ("f(n / sizeof(int) / 2);", "f(n / __gpulearn_divisor(sizeof(int)) / 2);"),
        ] {
            let of = |line: &str| format!("int f() {{ {line} }}");
            let operator = of(line).find(['/', '%']).unwrap();
            // The compiler names the operator or the divisor.
            let divisor = of(line)[operator + 1..].find(|c| c != ' ' && c != '=').unwrap() + operator + 1;
            assert_eq!(rewritten(&of(line), 1, operator), of(want));
            assert_eq!(rewritten(&of(line), 1, divisor), of(want));
        }
    }

    #[test]
    fn divisions_in_macros_are_found_where_a_macro_is_used() {
        let text = "#define UP(a, b) (((a) + (b) - 1) / (b)) // a/b\n#define HALF(a) a % 2\nint f() { g(UP(n, B)); }\n";
        let want = "#define UP(a, b) (((a) + (b) - 1) / __gpulearn_divisor((b))) // a/b\n\
                    #define HALF(a) a % __gpulearn_divisor(2)\nint f() { g(UP(n, B)); }\n";
        assert_eq!(rewritten(text, 3, 12), want);
        assert_eq!(rewritten(text, 3, 10), text);
    }

    #[test]
    fn kernels_and_what_is_no_division_are_left() {
        for text in
            ["__global__ void k() { a = n / 0; }", "int f() { n + 0; }", "int f() { n /", "int x = 1 / 0;"]
        {
            let column = text.rfind(['/', '+']).unwrap();
            assert_eq!(rewritten(text, 1, column), text);
        }
    }
}
