//! Detects functions that use several arrays whose size the launch gives, `extern __shared__ T name[]`: all of them
//! begin at the same address (CUDA C++ Programming Guide, "`__shared__`"). A warning only, because the code may intend
//! that.

use super::{Diagnostic, Severity, Subject};
use cpp::Source;
use std::fmt::Display;
use std::ops::Range;

/// Returns a warning, in the file named `file_name`, for the first function that uses two such arrays.
pub fn open_arrays(source: &str, file_name: &str) -> Option<Diagnostic> {
    if source.matches("extern").nth(1).is_none() || !source.contains("__shared__") {
        return None;
    }
    let source = Source::new(source);
    let tokens = source.tokens();
    let arrays: Vec<usize> = tokens.all(b"__shared__").filter_map(|mark| open_array(&source, mark)).collect();
    source.functions()?.iter().find_map(|function| {
        let body = function.body.clone()?;
        // A declaration in an inner block may be one of several that exclude each other.
        let brace = |at: usize| source.braces_around(at).next();
        let is_seen =
            |at: &&usize| brace(**at).is_none_or(|open| open == body.start || source.opens_namespace(open));
        let names =
            |mut range: Range<usize>, at: usize| range.any(|n| n != at && tokens.word(n) == tokens.word(at));
        let is_used = |at: &&usize| names(body.clone(), **at) && !names(function.parameters.clone(), **at);
        let mut used = arrays.iter().filter(is_seen).filter(is_used);
        let first = *used.next()?;
        let second = *used.find(|at| tokens.word(**at) != tokens.word(first))?;
        let (one, other) = (tokens.text_of(first), tokens.text_of(second));
        let message = same_memory(one, other);
        let warning =
            Diagnostic::error(file_name, source.place_of(second), message).about(Subject::SameSharedMemory);
        Some(Diagnostic { severity: Severity::Warning, ..warning })
    })
}

/// Says that two such arrays are one, and what to do.
pub fn same_memory(one: impl Display, other: impl Display) -> String {
    format!(
        "`{one}` and `{other}` are the same memory: all extern __shared__ arrays begin at the same address. Declare one, and \
         let the other be a pointer to the place after its elements."
    )
}

/// Returns the name that `extern __shared__ T name[]` declares, given the token `__shared__`.
fn open_array(source: &Source, mark: usize) -> Option<usize> {
    let tokens = source.tokens();
    let start = source.declaration_start(mark);
    let end = (mark..tokens.count()).find(|at| tokens.is(*at, b";"))?;
    let is_open = |at: &usize| tokens.is_name(*at) && tokens.is(at + 1, b"[") && tokens.is(at + 2, b"]");
    let is_extern = (start..end).any(|at| tokens.is(at, b"extern"));
    (mark + 1..end).find(is_open).filter(|at| is_extern && !source.is_conditional(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(source: &str) -> Option<(u32, u32, String)> {
        open_arrays(source, "a.cu").map(|said| {
            let names = said.message.split('`').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
            (said.line, said.column, names)
        })
    }

    #[test]
    fn two_arrays_whose_size_the_launch_gives_are_one() {
        let kernel = |body: &str| format!("__global__ void k(float *o) {{\n  {body}\n}}\n");
        let two = "extern __shared__ float a[]; extern __shared__ int b[]; a[0] = 1; b[0] = 2; o[0] = a[0];";
        assert_eq!(said(&kernel(two)), Some((2, 54, "a b".to_owned())));
        let outside = "extern __shared__ float a[];\nextern __shared__ __align__(16) int b[];\n";
        let uses = kernel("a[0] = 1; b[0] = 2; o[0] = a[0];");
        assert_eq!(said(&format!("{outside}{uses}")), Some((2, 37, "a b".to_owned())));
        assert_eq!(said(&format!("namespace n {{\n{outside}{uses}}}\n")), Some((3, 37, "a b".to_owned())));
    }

    #[test]
    fn one_array_by_any_means_is_one() {
        let kernel = |name: &str, body: &str| format!("__global__ void {name}(float *o) {{ {body} }}\n");
        let cut = "extern __shared__ float a[]; float *b = a + 32; a[0] = 1; b[0] = 2; o[0] = a[0];";
        let own = "extern __shared__ int b[]; b[0] = 2; o[0] = b[0];";
        let fixed = "extern __shared__ float a[]; __shared__ float b[32]; a[0] = 1; b[0] = 2; o[0] = a[0];";
        let either =
            "if (o) { extern __shared__ float a[]; a[0] = 1; } else { extern __shared__ int b[]; b[0] = 1; }";
        let unused = "extern __shared__ float a[]; extern __shared__ int b[]; a[0] = 1;";
        let ours = "extern __shared__ float a[]; a[0] = 1;";
        for fine in [cut, fixed, either, unused] {
            assert_eq!(said(&kernel("k", fine)), None, "{fine}");
        }
        let parameter = "extern __shared__ float a[];\nextern __shared__ int o[];\n".to_owned();
        assert_eq!(said(&(parameter + &kernel("k", "a[0] = 1; o[0] = a[0];"))), None);
        assert_eq!(said(&(kernel("k", ours) + &kernel("l", own))), None);
        assert_eq!(said(&(kernel("k", ours) + &kernel("l", ours))), None);
    }
}
