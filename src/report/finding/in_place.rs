//! Statements that modify an element in place, such as `x[i] += 1` or `x[i] = x[i] + 1`.

use super::parameter_names::host_name;
use super::place::own_line;
use crate::about::About;
use cpp::{Launch, Source, changes, names, uses};
use sim::{Access, AccessKind, Finding, Target};
use std::ops::Range;

const OPERATORS: [&str; 9] = ["++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "^="];

/// Returns whether a launch is passed the buffer of an access twice, so that a line may access it under several names.
pub fn has_several_names(source: &Source, access: &Access) -> bool {
    let tokens = source.tokens();
    let arguments = |its: Launch| its.open()..tokens.partner(its.open()).unwrap_or(its.open());
    let count = |of: Range<usize>, name: &str| of.filter(|at| tokens.is(*at, name.as_bytes())).count();
    let twice = |name: &str| tokens.launches().any(|its| count(arguments(its), name) > 1);
    host_name(access).is_some_and(twice)
}

/// Returns whether the sides of a race are a statement's read and write of one element that is the same for all threads:
/// in `s[n] += s[t]`, each of them reads and writes s[n].
pub fn updates_one_element(finding: &Finding, about: &About) -> bool {
    let code = about.source;
    let sides = [Some(&finding.at), finding.other.as_ref()];
    let [Some(here), Some(there)] = sides.map(|side| own_line(side?, about)) else { return false };
    let kinds = sides.map(|side| side.map(|side| side.kind));
    let mixed = kinds.contains(&Some(AccessKind::Read)) && kinds.contains(&Some(AccessKind::Write));
    let (Some(lines), true) = (code.kernel_lines(here), mixed && here == there) else { return false };
    let text = code.code_line(here);
    let Some(at) = OPERATORS[2..].iter().find_map(|operator| text.find(operator)) else { return false };
    let left = text[..at].trim_end();
    let Some(name) = changed(left).filter(|name| finding.at.target.name() == Some(*name)) else {
        return false;
    };
    let mut own = uses(left, name);
    let (Some((_, index)), None) = (own.next(), own.next()) else { return false };
    let is_fixed = |name: &str| {
        let mut changed = lines
            .clone()
            .filter(|line| uses(code.code_line(*line), name).any(|(before, behind)| changes(before, behind)));
        let first = changed.next();
        changed.next().is_none() && first.is_none_or(|line| code.loop_around(line).is_none())
    };
    !index.contains('(') && names(index).all(|its| is_fixed(its) && !code.is_of_thread(here, its))
}

/// Returns the operator of [`operator_of`] for a line of a source that makes an access; `None` where the line may access the
/// buffer under several names.
pub fn operator_in(source: &Source, line: u32, access: &Access) -> Option<&'static str> {
    let buffer = match &access.target {
        Target::Buffer { name, .. } => Some(&**name),
        _ => None,
    };
    operator_of(source.code_line(line), buffer).filter(|_| !has_several_names(source, access))
}

/// Returns the operator of the only statement on a line that reads an element and writes it back, provided that
/// everything else that it reads has another name than the element's array, both in the line and as `buffer`. That of
/// `x = x + y` is `+=`.
fn operator_of(line: &str, buffer: Option<&str>) -> Option<&'static str> {
    let mut found = OPERATORS.iter().flat_map(|operator| line.match_indices(operator));
    let Some((at, _)) = found.next() else { return written_out(line, buffer) };
    if found.next().is_some() {
        return None;
    }
    let (left, right) = line.split_at(at);
    let operator = *OPERATORS.iter().find(|operator| right.starts_with(**operator))?;
    let right = &right[operator.len()..];
    // A prefix `++` has only the changed element to its right.
    let own = changed(left);
    let elsewhere = names(right).any(|word| Some(word) == own || Some(word) == buffer);
    (own.is_none() || !elsewhere).then_some(operator)
}

/// Returns `+=` or `-=` for a line with one assignment, of a sum or a difference of what is assigned to and something
/// else.
fn written_out(line: &str, buffer: Option<&str>) -> Option<&'static str> {
    let (left, right) = line.split_once('=')?;
    let (right, _) = right.split_once(';').filter(|(_, behind)| !behind.contains('='))?;
    let own = changed(left)?;
    let start = left.rfind([';', '{', '}']).map_or(0, |end| end + 1);
    // A condition may stand before it.
    let target = left[start..].rsplit_once(") ").map_or(&left[start..], |(_, target)| target);
    let compact = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (target, right) = (compact(target), compact(right));
    let (operator, rest) = match right.strip_prefix(&target) {
        Some(rest) if rest.starts_with('+') => ("+=", &rest[1..]),
        Some(rest) if rest.starts_with('-') => ("-=", &rest[1..]),
        _ => ("+=", right.strip_suffix(&target)?.strip_suffix('+')?),
    };
    let elsewhere = names(rest).any(|word| word == own || Some(word) == buffer);
    // Operators that bind less closely make it something else than a sum.
    (!elsewhere && !rest.contains(['=', '<', '>', '?', '&', '|', '^'])).then_some(operator)
}

/// Returns the name before an operator, skipping subscripts: `sums` for `sums[i][j] `.
fn changed(left: &str) -> Option<&str> {
    let mut left = left.trim_end();
    while left.ends_with(']') {
        let mut depth = 0;
        let open = left.bytes().rposition(|byte| {
            depth += i32::from(byte == b']') - i32::from(byte == b'[');
            depth == 0
        })?;
        left = left[..open].trim_end();
    }
    names(left).last().filter(|name| left.ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::super::remedy::tests::{access, finding};
    use super::*;
    use sim::{Actor, FindingKind};

    #[test]
    fn an_update_of_one_element_reads_what_it_writes() {
        let updates = |statement: &str| {
            let text = format!(
                "__global__ void k(int n) {{\nint t = threadIdx.x, h = 8;\nfor (int i = 4; i; i /= 2) {{\n{statement}\n}}\n}}\n"
            );
            let source = Source::new(&text);
            let side = |thread, kind| {
                let target = Target::Shared { name: "s".into(), size_bytes: 64, offset_bytes: 32 };
                access(kind, thread, 4, target)
            };
            let read = side(1, AccessKind::Read);
            let race = finding(FindingKind::SharedRace, side(0, AccessKind::Write), Some(read));
            updates_one_element(&race, &About::program("a.cu", &source))
        };
        for statement in ["s[n] += s[t + i];", "if (t < i) s[h] *= s[t];", "s[blockIdx.x % 8] += s[t];"] {
            assert!(updates(statement), "{statement}");
        }
        for statement in ["s[t] += s[t + i];", "s[i] += s[t];", "s[n] = s[t];", "v += s[t];"] {
            assert!(!updates(statement), "{statement}");
        }
    }

    #[test]
    fn a_buffer_that_a_kernel_has_twice_may_be_any() {
        let own = |launch: &str| {
            let text = format!("x[i] += y[i];\n{launch}\n");
            let target = Target::Buffer { name: "d".into(), size_bytes: 4, offset_bytes: 0 };
            operator_in(&Source::new(&text), 1, &Access { target, ..Access::by(Actor::Thread, None) })
        };
        assert_eq!(own("k<<<n, d>>>(d, e); k<<<1, 1>>>(e, d);"), Some("+="));
        assert_eq!(own("k<<<1, 1>>>(d, d + n);"), None);
    }

    #[test]
    fn what_is_read_on_the_right_is_another_array() {
        let own = |line| operator_of(line, Some("d"));
        assert_eq!(own("if (i < n) sums[i] += in[i];"), Some("+="));
        assert_eq!(own("sums[place[i]]++;"), Some("++"));
        assert_eq!(own("++sums[i];"), Some("++"));
        assert_eq!(own("*total += value;"), Some("+="));
        assert_eq!(own("sums[i][0] += sums[i][4];"), None);
        assert_eq!(own("tail[i] += d[i + 4];"), None);
        assert_eq!(own("a[i] += 1; b[i] += 1;"), None);
        assert_eq!(own("a[i] = b[i];"), None);
    }

    #[test]
    fn a_sum_written_out_is_one_that_is_added() {
        let own = |line| operator_of(line, Some("d"));
        for line in ["{ *c = *c + 1; }", "if (i < n) x[i] = x[i] + v;", "x[i+1] = f(v) * 2 + x[i + 1];"] {
            assert_eq!(own(line), Some("+="), "{line}");
        }
        assert_eq!(own("x[i] = x[i] - y[i] + z;"), Some("-="));
        for line in [
            "x[i] = x[i + 1] + v;",
            "x[i] = x[i] + x[j];",
            "x[i] = x[i] + d[j];",
            "x[i] = x[i] * v;",
            "x[i] = v - x[i];",
            "x[i] = x[i] + v > w;",
            "x[i] = 2 * (v + x[i]);",
            "int i = t; x[i] = x[i] + v;",
            "x[i] = x[i] + v; y[i] = x[j];",
            "if (x == y + x) z = 0;",
            "p = p->next;",
        ] {
            assert_eq!(own(line), None, "{line}");
        }
    }
}
