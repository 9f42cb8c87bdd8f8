//! Array subscripts, and whether a loop variable contributes to them.

use crate::finding::gather::subscripts;
use cpp::{Source, names};
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
}
