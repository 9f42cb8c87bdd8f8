//! Reads that the compiler has moved to a line that reads nothing, as where both branches of an `if` make them.

use super::parameters::pointer_parameter;
use crate::about::About;
use crate::finding::place::own_line;
use cpp::{Source, is_name_char};
use sim::{Access, AccessKind, Actor, Evidence, Finding, FindingKind, Target};
use std::borrow::Cow;

const KEYWORDS: [&str; 4] = ["if", "for", "while", "switch"];

/// Returns the finding with the line that reads the memory, where the place of the read has another.
pub fn at_its_line<'f>(finding: &'f Finding, about: &About) -> Cow<'f, Finding> {
    let sides = match (&finding.other, finding.kind) {
        (None, _) => [Some(&finding.at), None],
        (other, FindingKind::GlobalRace) => [Some(&finding.at), other.as_ref()],
        _ => return Cow::Borrowed(finding),
    };
    let mut read =
        sides.iter().enumerate().filter_map(|(n, side)| Some((n, lines_of_read((*side)?, finding, about)?)));
    let Some((n, lines)) = read.next().filter(|(_, lines)| !lines.is_empty()) else {
        return Cow::Borrowed(finding);
    };
    let mut moved = finding.clone();
    let side = if n == 0 { Some(&mut moved.at) } else { moved.other.as_mut() };
    if let Some(at) = side.and_then(|side| side.location.as_mut()) {
        (at.line, at.column) = (lines[0], 0);
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

/// Returns the lines that may have made a kernel's read, a side of a finding, if that of its place reads nothing.
fn lines_of_read(at: &Access, finding: &Finding, about: &About) -> Option<Vec<u32>> {
    let code = about.source;
    let is_read = matches!(at.actor, Actor::Thread | Actor::SomeThread) && at.kind == AccessKind::Read;
    if !is_read || !matches!(at.target, Target::Buffer { .. }) {
        return None;
    }
    let line = own_line(at, about)?;
    let parameter = at.parameter.as_ref().or(finding.at.parameter.as_ref())?;
    let name = pointer_parameter(code, line, parameter.index)?;
    let kernel = code.kernel_lines(line)?;
    // References name memory without a sign of it.
    let refers = kernel.clone().any(|line| code.code_line(line).replace("&&", "").contains('&'));
    // What is below the head of an `if` or a loop is another statement.
    let is_of_statement =
        |its: &u32| *its == line || !is_head(code.code_line(line)) && code.in_one_statement(line, *its);
    if refers || !kernel.clone().filter(is_of_statement).all(|line| reads_nothing(code, line)) {
        return None;
    }
    Some(kernel.filter(|line| reads(code, *line, &name)).collect())
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
    let tokens = code.tokens();
    let is_keyword = |word: &[u8]| KEYWORDS.iter().any(|its| its.as_bytes() == word);
    tokens.of_lines(line..line + 1).all(|at| match tokens.word(at) {
        b"[" => false,
        b"*" => !tokens.dereferences(at),
        b"-" => !tokens.is(at + 1, b">"),
        b"(" => !tokens.is_name(at.wrapping_sub(1)) || is_keyword(tokens.before(at, 1)),
        word => !code.is_macro(word),
    })
}

/// Returns whether a line reads an element of an array or what a pointer points to.
fn reads(code: &Source, line: u32, name: &str) -> bool {
    let tokens = code.tokens();
    tokens.of_lines(line..line + 1).filter(|at| tokens.is(*at, name.as_bytes())).any(|at| {
        let is_followed = tokens.before(at, 1) == b"*" && tokens.dereferences(at - 1);
        let behind = match tokens.is(at + 1, b"[") {
            true => tokens.partner(at + 1).map(|close| close + 1),
            false => is_followed.then_some(at + 1),
        };
        behind.is_some_and(|behind| !tokens.is_set(behind))
    })
}

#[cfg(test)]
mod tests {
    use super::super::remedy::tests::{access, finding};
    use super::*;
    use sim::PointerParameter;

    fn text_of(body: &str) -> String {
        format!("__global__ void k(const float *x, float *y, int n) {{\n{body}\n}}\n")
    }

    fn side(kind: AccessKind, line: u32) -> Access {
        let target = Target::Buffer { name: "d".into(), size_bytes: 64, offset_bytes: 64 };
        let parameter = Some(PointerParameter { index: 0, buffer: "d".into(), base: 256, offset_bytes: 0 });
        Access { parameter, ..access(kind, 0, line, target) }
    }

    fn placed(body: &str, line: u32) -> Option<Vec<u32>> {
        let text = text_of(body);
        let source = Source::new(&text);
        let finding = finding(FindingKind::OutOfBounds, side(AccessKind::Read, line), None);
        lines_of_read(&finding.at, &finding, &About::program("a.cu", &source))
    }

    #[test]
    fn the_read_of_a_race_is_placed_too() {
        let text = text_of("for (int j = 0; j < n; j++)\nsum += x[j];\nx[0] = sum;");
        let source = Source::new(&text);
        let about = About::program("a.cu", &source);
        let read = Access { actor: Actor::SomeThread, ..side(AccessKind::Read, 2) };
        let of = |kind, other: &Access| {
            let its = finding(kind, side(AccessKind::Write, 4), Some(other.clone()));
            let placed = at_its_line(&its, &about);
            (placed.at.line(), placed.other.as_ref().map(Access::line))
        };
        assert_eq!(of(FindingKind::GlobalRace, &read), (4, Some(3)));
        assert_eq!(of(FindingKind::UseAfterFree, &read), (4, Some(2)));
        assert_eq!(of(FindingKind::GlobalRace, &side(AccessKind::Read, 3)), (4, Some(3)));
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
