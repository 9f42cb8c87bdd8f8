//! Questions about slips in the text that keep kernels from writing what they should: an assignment as a condition, a
//! pointer that is set instead of an element, the size of a pointer.

use cpp::{Function, Source};
use std::str::from_utf8;

/// Returns what to ask where elements of `buffer` were not written; `all`: where none was.
pub fn question(source: &Source, buffer: &str, all: bool) -> Option<String> {
    let assigned = || source.kernels().find_map(|kernel| assignment_as_condition(source, kernel));
    let moved = || source.kernels().find_map(|kernel| pointer_set(source, kernel, buffer)).filter(|_| all);
    let measured = || source.kernels().find_map(|kernel| pointer_measured(source, kernel));
    assigned().or_else(moved).or_else(measured)
}

/// `if (i = n)`.
fn assignment_as_condition(source: &Source, kernel: &Function) -> Option<String> {
    let tokens = source.tokens();
    let is_one = |at: &usize| {
        tokens.is(*at, b"if")
            && tokens.is(at + 1, b"(")
            && tokens.is_name(at + 2)
            && tokens.is(at + 3, b"=")
            && !tokens.is(at + 4, b"=")
            // `if (i = n; i < 3)` has another condition.
            && tokens.partner(at + 1).is_some_and(|close| !(at + 4..close).any(|at| tokens.is(at, b";")))
    };
    let at = kernel.body.clone()?.find(is_one)?;
    let (name, line) = (from_utf8(tokens.word(at + 2)).ok()?, tokens.line(at + 3));
    Some(format!(
        "`=` does not compare: line {line} sets `{name}`, and its condition holds if that is not 0. Is a comparison meant \
         there, with == or with <?"
    ))
}

/// `out = (float *)malloc(bytes)`: the parameter itself is set, and not to another place in the same memory.
fn pointer_set(source: &Source, kernel: &Function, buffer: &str) -> Option<String> {
    let tokens = source.tokens();
    let body = kernel.body.clone()?;
    let is_named = |at: usize| tokens.is(at, buffer.as_bytes());
    let is_set = |at: &usize| {
        is_named(*at)
            && matches!(tokens.word(at - 1), b";" | b"{" | b"}")
            && tokens.is(at + 1, b"=")
            && !(at + 2..body.end).take_while(|at| !tokens.is(*at, b";")).any(is_named)
    };
    let at = body.clone().find(is_set).filter(|_| is_pointer(source, kernel, buffer))?;
    Some(format!(
        "Does line {} make `{buffer}` point elsewhere? What is stored through it from there on is not in the memory that \
         the kernel was given. An element is set with `{buffer}[…] =`.",
        tokens.line(at)
    ))
}

/// `i < sizeof(in) / sizeof(in[0])`, where `in` is a parameter.
fn pointer_measured(source: &Source, kernel: &Function) -> Option<String> {
    let tokens = source.tokens();
    let name_at = |at: usize| from_utf8(tokens.word(at)).ok();
    let is_one = |at: &usize| {
        tokens.is(*at, b"sizeof")
            && tokens.is(at + 1, b"(")
            && tokens.is(at + 3, b")")
            && name_at(at + 2).is_some_and(|name| is_pointer(source, kernel, name))
    };
    let at = kernel.body.clone()?.find(is_one)?;
    Some(format!(
        "`{}` in line {} is a pointer, and sizeof a pointer is 8 bytes, however much it leads to. What else tells how many \
         elements there are?",
        name_at(at + 2)?,
        tokens.line(at)
    ))
}

/// Returns whether a name is that of a pointer among a kernel's parameters, and of nothing else in the kernel.
fn is_pointer(source: &Source, kernel: &Function, name: &str) -> bool {
    let tokens = source.tokens();
    let mut its = kernel.parameters.clone().filter(|at| tokens.is(*at, name.as_bytes()));
    let declared = |at: usize| {
        let before = if tokens.before(at, 1).starts_with(b"__restrict") { 2 } else { 1 };
        tokens.before(at, before) == b"*" || tokens.is(at + 1, b"[")
    };
    its.any(declared)
        && source.shared_arrays(name).is_empty()
        && !source.private_arrays().iter().any(|array| array.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(body: &str, all: bool) -> String {
        let text =
            format!("__global__ void f(const float *__restrict__ in, float *out, int n) {{\n{body}\n}}\n");
        question(&Source::new(&text), "out", all).unwrap_or_default()
    }

    #[test]
    fn an_assignment_as_a_condition_is_asked_about() {
        assert!(asked("if (i = n) return;", true).starts_with("`=` does not compare: line 2 sets `i`"));
        for fine in [
            "if (i == n) return;",
            "if (int k = n) return;",
            "if (i <= n) return;",
            "if (i = n; i < 3) return;",
        ] {
            assert_eq!(asked(fine, true), "", "{fine}");
        }
    }

    #[test]
    fn a_pointer_that_is_set_is_asked_about() {
        assert!(
            asked("out = (float *)malloc(4);", true).starts_with("Does line 2 make `out` point elsewhere?")
        );
        assert!(asked("int i = 0;\nout = in + 10;", true).contains("line 3"));
        for fine in ["out = out + 4;", "*out = 1;", "out[0] = 1;", "s.out = 1;", "if (out == in) return;"] {
            assert_eq!(asked(fine, true), "", "{fine}");
        }
        // Where some elements were written, it led there.
        assert_eq!(asked("out = (float *)malloc(4);", false), "");
    }

    #[test]
    fn the_size_of_a_pointer_is_asked_about() {
        let said = asked("for (int i = 0; i < sizeof(in) / sizeof(in[0]); i++) out[i] = in[i];", false);
        assert!(said.starts_with("`in` in line 2 is a pointer, and sizeof a pointer is 8 bytes"), "{said}");
        for fine in
            ["__shared__ float in[4]; int k = sizeof(in);", "int k = sizeof(n);", "int k = sizeof(*in);"]
        {
            assert_eq!(asked(fine, false), "", "{fine}");
        }
    }
}
