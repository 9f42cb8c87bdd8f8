//! Reads that the compiler has moved to a line that cannot make them, as where both branches of an `if` make them.

use super::parameters::pointer_parameter;
use crate::about::About;
use crate::finding::place::own_line;
use cpp::{Source, Tokens, is_name_char};
use sim::{Access, AccessKind, Actor, Evidence, Finding, FindingKind, Target};
use std::borrow::Cow;
use std::ops::Range;

const KEYWORDS: [&str; 4] = ["if", "for", "while", "switch"];

/// Returns the finding with the line that reads the memory, where the place of the read has another.
pub fn at_its_line<'f>(finding: &'f Finding, about: &About) -> Cow<'f, Finding> {
    let sides = match (&finding.other, finding.kind) {
        (None, _) => [Some(&finding.at), None],
        (other, FindingKind::GlobalRace | FindingKind::SharedRace) => [Some(&finding.at), other.as_ref()],
        _ => return Cow::Borrowed(finding),
    };
    let mut read =
        sides.iter().enumerate().filter_map(|(n, side)| Some((n, lines_of_read((*side)?, finding, about)?)));
    let Some((n, lines)) = read.next() else { return Cow::Borrowed(finding) };
    let mut moved = finding.clone();
    let side = if n == 0 { Some(&mut moved.at) } else { moved.other.as_mut() };
    if let (Some(at), Some(line)) = (side.and_then(|side| side.location.as_mut()), lines.first()) {
        (at.line, at.column) = (*line, 0);
    }
    let also = moved.evidence.iter().filter_map(|fact| match fact {
        Evidence::ReadsAlso(name) => Some(name.clone()),
        _ => None,
    });
    let also: Vec<_> = also.collect();
    if lines.len() != 1 || !also.is_empty() {
        moved.evidence.insert(0, Evidence::ReadMoved { lines, also });
    }
    Cow::Owned(moved)
}

/// Returns the lines that may have made a kernel's read, a side of a finding, if that of its place cannot have made it.
fn lines_of_read(at: &Access, finding: &Finding, about: &About) -> Option<Vec<u32>> {
    let code = about.source;
    let is_read = matches!(at.actor, Actor::Thread | Actor::SomeThread) && at.kind == AccessKind::Read;
    let line = own_line(at, about).filter(|_| is_read)?;
    let memory = Memory::of(at, finding, line, code)?;
    let kernel = code.kernel_lines(line)?;
    // What is below the head of an `if` or a loop is another statement.
    let is_of_statement =
        |its: &u32| *its == line || !is_head(code.code_line(line)) && code.in_one_statement(line, *its);
    if may_refer(code.tokens(), code.tokens().of_lines(kernel.clone()))
        || !kernel.clone().filter(is_of_statement).all(|line| memory.is_unread_on(code, line))
    {
        return None;
    }
    let names = memory.names(code.tokens(), code.tokens().of_lines(kernel.clone()));
    Some(kernel.filter(|line| memory.is_read_on(code, *line, &names)).collect())
}

/// What a kernel reads, by its name in the file.
struct Memory {
    name: String,
    /// Whether it is a variable without extents, which is read by its name alone.
    is_single: bool,
}

impl Memory {
    fn of(at: &Access, finding: &Finding, line: u32, code: &Source) -> Option<Memory> {
        let (name, declared, of_launch) = match &at.target {
            Target::Buffer { name, .. } => (&**name, code.module_arrays(name), at.parameter.as_ref()),
            Target::Shared { name, .. } => (&**name, code.shared_arrays(name), None),
            _ => return None,
        };
        if let (None, Some(array)) = (of_launch, declared.first()) {
            return Some(Memory { name: name.to_owned(), is_single: array.extents.is_empty() });
        }
        let parameter = of_launch.or(finding.at.parameter.as_ref())?;
        Some(Memory { name: pointer_parameter(code, line, parameter.index)?, is_single: false })
    }

    /// Returns the name and those of the pointers that are set to it or into it.
    fn names<'t>(&'t self, tokens: &'t Tokens, kernel: Range<usize>) -> Vec<&'t [u8]> {
        let mut known = vec![self.name.as_bytes()];
        let mut next = 0;
        while let Some(name) = known.get(next).copied().filter(|_| !self.is_single) {
            for at in kernel.clone().filter(|at| tokens.is_set(*at) && tokens.is_name(at - 1)) {
                let leads_into = |its: usize| {
                    let before = tokens.before(its, 1);
                    let is_element =
                        tokens.is(its + 1, b"[") || before == b"*" && tokens.dereferences(its - 1);
                    tokens.is(its, name) && (before == b"&" || !is_element)
                };
                let pointer = tokens.word(at - 1);
                if !known.contains(&pointer) && value(tokens, at + 1).any(leads_into) {
                    known.push(pointer);
                }
            }
            next += 1;
        }
        known
    }

    /// Returns whether a line certainly does not read it: it reads no memory at all, and calls nothing that might.
    fn is_unread_on(&self, code: &Source, line: u32) -> bool {
        let tokens = code.tokens();
        let reads_nothing =
            |word: &[u8]| KEYWORDS.iter().any(|its| its.as_bytes() == word) || word.starts_with(b"__sync");
        tokens.of_lines(line..line + 1).all(|at| match tokens.word(at) {
            b"[" => is_assigned(tokens, at),
            b"*" => !tokens.dereferences(at),
            b"-" => !tokens.is(at + 1, b">"),
            b"(" => !tokens.is_name(at.wrapping_sub(1)) || reads_nothing(tokens.before(at, 1)),
            word => !(code.is_macro(word) || self.is_single && self.is_value(tokens, at)),
        })
    }

    /// Returns whether a line reads it, by one of its names.
    fn is_read_on(&self, code: &Source, line: u32, names: &[&[u8]]) -> bool {
        let tokens = code.tokens();
        let is_read = |at: usize| match self.is_single {
            true => self.is_value(tokens, at),
            false => {
                let is_followed = tokens.before(at, 1) == b"*" && tokens.dereferences(at - 1);
                (tokens.is(at + 1, b"[") || is_followed) && !is_assigned(tokens, at + 1)
            }
        };
        let mut named = tokens.of_lines(line..line + 1).filter(|at| names.contains(&tokens.word(*at)));
        !code.names_on(line, "__shared__") && named.any(is_read)
    }

    /// Returns whether a token is its name where its value is read.
    fn is_value(&self, tokens: &Tokens, at: usize) -> bool {
        let has_left = |sign: usize| tokens.is_name(sign) || matches!(tokens.word(sign), b")" | b"]");
        let is_address = tokens.before(at, 1) == b"&" && !has_left(at.wrapping_sub(2));
        tokens.is(at, self.name.as_bytes()) && !is_address && !is_assigned(tokens, at + 1)
    }
}

/// Returns the tokens of what a variable is set to.
fn value(tokens: &Tokens, first: usize) -> Range<usize> {
    let mut end = first;
    while !matches!(tokens.word(end), b";" | b"," | b")" | b"{" | b"}" | b"") {
        let bracket = Some(end).filter(|at| matches!(tokens.word(*at), b"(" | b"["));
        end = bracket.and_then(|at| tokens.partner(at)).unwrap_or(end) + 1;
    }
    first..end
}

/// Returns whether a reference may be declared there, or captured, which names memory without a sign of it.
fn may_refer(tokens: &Tokens, mut kernel: Range<usize>) -> bool {
    kernel.any(|at| match tokens.word(at) {
        b"]" => tokens.is(at + 1, b"("),
        b"&" => {
            let is_double = tokens.before(at, 1) == b"&";
            let is_given = tokens.is_set(at + 2)
                || tokens.is(at + 2, b":")
                || !is_double && matches!(tokens.word(at + 2), b"(" | b"{");
            tokens.is_name(at + 1) && is_given || tokens.is(at + 1, b"[") || tokens.before(at, 1) == b"["
        }
        _ => false,
    })
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

/// Returns whether what is behind an array's name or a variable's, subscripts and members, ends before a plain `=`.
fn is_assigned(tokens: &Tokens, behind: usize) -> bool {
    match tokens.word(behind) {
        b"[" => tokens.partner(behind).is_some_and(|close| is_assigned(tokens, close + 1)),
        b"." => is_assigned(tokens, behind + 2),
        _ => tokens.is_set(behind),
    }
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
        // An operator is no reference, and what is only assigned is not read.
        assert_eq!(placed("if ((n & 1) == 0) {\ny[0] = x[n & 3];\n}", 2), Some(vec![3]));
        assert_eq!(placed("if (x[0] > x[1]) v = x[0];\nx[2] = v;", 3), Some(vec![2]));
        assert_eq!(placed("if (x[0] > x[1]) v = x[0];\nx[2] += v;", 3), None);
        // A read that no line is known to make.
        assert_eq!(placed("if (n > 1) {\nf(x);\n}", 2), Some(vec![]));
    }

    #[test]
    fn variables_of_the_file_are_read_by_their_names_or_through_pointers() {
        let lines = |declared: &str, target: fn(sim::MemoryName) -> Target, body: &str, line| {
            let text = format!("{declared}\n{}", text_of(body));
            let source = Source::new(&text);
            let at = access(AccessKind::Read, 0, line, target("s".into()));
            let finding = finding(FindingKind::SharedRace, at, None);
            lines_of_read(&finding.at, &finding, &About::program("a.cu", &source))
        };
        let shared = |name| Target::Shared { name, size_bytes: 64, offset_bytes: 0 };
        let global = |name| Target::Buffer { name, size_bytes: 4, offset_bytes: 0 };
        let through = "__shared__ float s[9], t[9];\nfloat *p = s, *q = t;\n__syncthreads();\nq[1] = p[0];\nq = p;\nx = q[2];";
        assert_eq!(lines("", shared, through, 5), Some(vec![6, 8]));
        let spin = "if (n != 0) {\nwhile (s != n) {}\n}\natomicAdd(&s, 1);\ns = 1;";
        assert_eq!(lines("__device__ int s;", global, spin, 3), Some(vec![4]));
        assert_eq!(lines("__device__ int s;", global, spin, 4), None);
    }
}
