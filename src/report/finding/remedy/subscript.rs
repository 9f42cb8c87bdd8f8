//! Array subscripts, and how a loop contributes to them.

use crate::finding::gather::subscripts;
use cpp::{Source, names, operator, uses};
use std::collections::BTreeSet;

/// Returns the first subscript of an array on a line.
pub fn subscript_on<'a>(source: &'a Source, line: u32, array: &str) -> Option<&'a str> {
    let found = subscripts(source.code_line(line)).into_iter().find(|(name, _)| *name == array);
    found.map(|(_, inside)| inside)
}

/// Returns whether an expression on a line contains a variable that depends on the counter of the loop around it.
pub fn follows_a_loop(source: &Source, line: u32, expression: &str) -> bool {
    let counted = counted(source, line);
    names(expression).any(|word| counted.contains(word))
}

/// Returns whether a subscript on a line of a kernel selects one of several buffers in turn: it does not depend on the
/// thread, and in a loop it has a remainder, a variable that is set again or computed with a remainder, or one that stays
/// the number that it was given, whose exchange may have been forgotten.
pub fn takes_turns(source: &Source, line: u32, subscript: &str) -> bool {
    let in_loop = |line| source.loop_around(line).is_some();
    let fixed = |word: &str| word == "blockIdx" || source.is_of_thread(line, word);
    let Some(body) = source.kernel_lines(line).filter(|_| in_loop(line) && !names(subscript).any(fixed))
    else {
        return false;
    };
    let is_turned = |word| body.clone().any(|line| turns(source.code_line(line), word) && in_loop(line));
    let is_kept = |word| {
        let mut lines = body.clone().map(|line| source.code_line(line));
        lines.clone().any(|line| is_given_number(line, word)) && !lines.any(|line| counts(line, word))
    };
    names(subscript).any(|word| has_remainder(subscript) || is_turned(word) || is_kept(word))
}

fn has_remainder(text: &str) -> bool {
    text.contains(['%', '^', '&'])
}

/// `now = 1 - now;`, `int now = k % 2;`: returns whether a line sets an existing variable, or any with a remainder.
fn turns(line: &str, name: &str) -> bool {
    uses(line, name).any(|(before, behind)| {
        let before = before.trim_end();
        let again = before.is_empty() || before.ends_with([';', '{', '}', ')']);
        let changed = matches!(operator(behind), "^=" | "%=" | "&=");
        changed || cpp::assigned(behind).is_some_and(|value| again || has_remainder(value))
    })
}

/// `int now = 0;`, outside the head of a loop.
fn is_given_number(line: &str, name: &str) -> bool {
    let is_number = |value: &str| value.split(',').next().is_some_and(|it| it.trim().parse::<u32>().is_ok());
    uses(line, name)
        .any(|(before, behind)| !before.contains('(') && cpp::assigned(behind).is_some_and(is_number))
}

/// `k++`, `++k`, `k += 2`.
fn counts(line: &str, name: &str) -> bool {
    uses(line, name).any(|(before, behind)| before.ends_with("++") || matches!(operator(behind), "++" | "+="))
}

/// Returns the variables that the head of the loop around a line sets, and those computed from them inside.
fn counted<'a>(source: &'a Source, line: u32) -> BTreeSet<&'a str> {
    let Some(around) = source.loop_around(line) else { return BTreeSet::new() };
    let head = assigned(source.code_line(around.head));
    let mut counted: BTreeSet<&str> = head.map(|(name, _)| name).collect();
    for (name, value) in (around.head + 1..line).flat_map(|line| assigned(source.code_line(line))) {
        if names(value).any(|word| counted.contains(word)) {
            counted.insert(name);
        }
    }
    counted
}

/// Returns the variables that a line assigns, each with the assigned expression.
fn assigned(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split([';', ',', '(']).filter_map(|part| {
        let (left, value) = part.split_once('=')?;
        let left = left.trim_end_matches(['+', '-', '*', '/', ' ', '<', '>']);
        (!value.starts_with('=') && !left.contains('[')).then_some((names(left).last()?, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscript_follows_a_loop_by_its_variables() {
        let source = Source::new(
            "__global__ void f(float *a, int n) {
    int i = threadIdx.x;
    for (int k = 0; k < n; k++) {
        int at = 4 * k;
        a[at + i] = b[i];
    }
    a[i] = 1;
}
",
        );
        let follows = |line, name| {
            subscript_on(&source, line, name).map(|inside| follows_a_loop(&source, line, inside))
        };
        assert_eq!(
            (follows(5, "a"), follows(5, "b"), follows(7, "a")),
            (Some(true), Some(false), Some(false))
        );
        assert_eq!((follows(5, "c"), follows(99, "a")), (None, None));
    }

    #[test]
    fn buffers_take_turns_by_a_variable_that_a_loop_exchanges() {
        let takes = |declared: &str, subscript: &str, set: &str| {
            let source = format!(
                "__global__ void f(int n) {{
    int y = threadIdx.y, {declared};
    for (int k = 0; k < n; k++) {{
        for (int j = 0; j < 3; j++) {{
            s[{subscript}][j] = 1;
        }}
        {set}
    }}
}}
"
            );
            takes_turns(&Source::new(&source), 5, subscript)
        };
        for (declared, subscript, set) in [
            ("now = 0", "now", "now = 1 - now;"),
            ("now = 0", "1 - now", "now ^= 1;"),
            ("stage = 0", "stage", "if (++stage == 3) stage = 0;"),
            ("m = n", "k % 2", ""),
            ("now = 0", "now", ""),
        ] {
            assert!(takes(declared, subscript, set), "{subscript} {set}");
        }
        for (declared, subscript) in
            [("a = 0", "y"), ("a = 0", "threadIdx.y"), ("a = 0", "j"), ("w = y % 2", "w"), ("h = n % 2", "h")]
        {
            assert!(!takes(declared, subscript, ""), "{subscript}");
        }
    }
}
