//! Reads that the compiler has moved to a line that reads nothing, as where both branches of an `if` make them.

use super::parameters::pointer_parameter;
use crate::about::About;
use crate::finding::place::own_line;
use cpp::{Source, closing, is_name_char, names, uses};
use sim::{AccessKind, Actor, Evidence, Finding, Target};
use std::borrow::Cow;

const KEYWORDS: [&str; 4] = ["if", "for", "while", "switch"];

/// Returns the finding with the line that reads the memory, where the place of the read has another.
pub fn at_its_line<'f>(finding: &'f Finding, about: &About) -> Cow<'f, Finding> {
    let lines = lines_of_read(finding, about).unwrap_or_default();
    let Some(&line) = lines.first() else { return Cow::Borrowed(finding) };
    let mut moved = finding.clone();
    if let Some(at) = moved.at.location.as_mut() {
        (at.line, at.column) = (line, 0);
    }
    let also = moved.evidence.iter().filter_map(|fact| match fact {
        Evidence::ReadsAlso(name) => Some(name.clone()),
        _ => None,
    });
    let also: Vec<_> = also.collect();
    if lines.len() > 1 || !also.is_empty() {
        moved.evidence.insert(0, Evidence::ReadMoved { lines, also });
    }
    Cow::Owned(moved)
}

/// Returns the lines that may have made a kernel's read, if that of its place reads nothing.
fn lines_of_read(finding: &Finding, about: &About) -> Option<Vec<u32>> {
    let (at, code) = (&finding.at, about.source);
    let is_read = at.actor == Actor::Thread && at.kind == AccessKind::Read;
    if !is_read || finding.other.is_some() || !matches!(at.target, Target::Buffer { .. }) {
        return None;
    }
    let line = own_line(at, about)?;
    let name = pointer_parameter(code, line, at.parameter.as_ref()?.index)?;
    let kernel = code.kernel_lines(line)?;
    // References name memory without a sign of it.
    let refers = kernel.clone().any(|line| code.code_line(line).replace("&&", "").contains('&'));
    // What is below the head of an `if` or a loop is another statement.
    let is_of_statement =
        |its: &u32| *its == line || !is_head(code.code_line(line)) && code.in_one_statement(line, *its);
    if refers || !kernel.clone().filter(is_of_statement).all(|line| reads_nothing(code, line)) {
        return None;
    }
    Some(kernel.filter(|line| reads(code.code_line(*line), &name)).collect())
}

/// Returns whether a line is `if (…)` or the head of a loop, with nothing behind it but a brace.
fn is_head(line: &str) -> bool {
    let line = line.trim();
    let begins =
        |word: &&str| line.strip_prefix(*word).is_some_and(|behind| !behind.starts_with(is_name_char));
    KEYWORDS.iter().any(begins)
        && line.ends_with([')', '{'])
        && line.matches('(').count() == line.matches(')').count()
}

/// Returns whether a line neither accesses memory nor calls what might.
fn reads_nothing(code: &Source, line: u32) -> bool {
    let text = code.code_line(line);
    let is_call = |name: &&str| {
        !KEYWORDS.contains(name) && uses(text, name).any(|(_, behind)| behind.trim_start().starts_with('('))
    };
    let follows = |(star, _): (usize, &str)| !is_operand(&text[..star]);
    !text.contains('[')
        && !text.contains("->")
        && !text.match_indices('*').any(follows)
        && !names(text).any(|name| is_call(&name) || code.is_macro(name.as_bytes()))
}

/// Returns whether what ends here can be multiplied, or be the type of a pointer: a `*` behind it accesses nothing.
fn is_operand(text: &str) -> bool {
    text.trim_end().ends_with(|c: char| is_name_char(c) || matches!(c, ')' | ']'))
}

/// Returns whether a line reads an element of an array or what a pointer points to.
fn reads(line: &str, name: &str) -> bool {
    uses(line, name).any(|(before, behind)| {
        let behind = match closing(behind.bytes()).filter(|_| behind.starts_with('[')) {
            Some(close) => &behind[close + 1..],
            None if before.ends_with('*') && !is_operand(before.trim_end_matches('*')) => behind,
            None => return false,
        };
        let behind = behind.trim_start();
        !behind.starts_with('=') || behind.starts_with("==")
    })
}

#[cfg(test)]
mod tests {
    use super::super::remedy::tests::{access, finding};
    use super::*;
    use sim::{FindingKind, PointerParameter};

    fn placed(body: &str, line: u32) -> Option<Vec<u32>> {
        let text = format!("__global__ void k(const float *x, float *y, int n) {{\n{body}\n}}\n");
        let source = Source::new(&text);
        let target = Target::Buffer { name: "d".into(), size_bytes: 64, offset_bytes: 64 };
        let parameter = Some(PointerParameter { index: 0, buffer: "d".into(), offset_bytes: 0 });
        let at = sim::Access { parameter, ..access(AccessKind::Read, 0, line, target) };
        lines_of_read(&finding(FindingKind::OutOfBounds, at, None), &About::program("a.cu", &source))
    }

    #[test]
    fn a_read_is_placed_where_the_array_is_read() {
        let branches = "int i = blockDim.x * n;\nif (i % 5 == 0)\ny[i] = x[i];\nelse\ny[i] = x[i] + 1;";
        assert_eq!(placed(branches, 2), Some(vec![4, 6]));
        assert_eq!(placed(branches, 3), Some(vec![4, 6]));
        assert_eq!(placed("int i = n;\nif (n)\ny[i] = *x;", 3), Some(vec![4]));
        // The place is one that may read it.
        assert_eq!(placed(branches, 4), None);
        for first in ["const float *p = x;", "float v = *p;", "float v = p->v;", "float v = f(p);"] {
            let body = format!("{first}\ny[0] = x[n];");
            assert_eq!(placed(&body, 2).is_none(), !first.starts_with("const"), "{first}");
        }
        assert_eq!(placed("float v = w;\nconst float &w = x[n];", 2), None);
    }
}
