//! Determines which values in a kernel depend on the thread's index.

use super::Source;
use std::collections::BTreeSet;
use std::ops::Range;

/// Maximum number of variables tracked.
const MAX_NAMES: usize = 256;

impl Source<'_> {
    /// Returns whether some tokens refer to the thread's index, or to a variable computed from it.
    pub(super) fn depends_on_thread(&self, range: Range<usize>) -> bool {
        let tokens = self.tokens();
        let line = tokens.line(range.start);
        let names = self.names_of_the_thread(line);
        range.clone().any(|at| names.contains(tokens.word(at)) && !tokens.is(at.wrapping_sub(1), b"."))
    }

    /// Returns whether a line refers to the thread's index, or to a variable computed from it.
    pub fn line_depends_on_thread(&self, line: u32) -> bool {
        self.depends_on_thread(self.tokens().of_lines(line..line.saturating_add(1)))
    }

    /// Returns whether a name means the thread's index, or a variable computed from it, in the function that contains a
    /// line.
    pub fn is_of_thread(&self, line: u32, name: &str) -> bool {
        self.names_of_the_thread(line).contains(name.as_bytes())
    }

    /// Returns the variables that depend on the thread's index within its block, in the function that
    /// contains a line.
    fn names_of_the_thread(&self, line: u32) -> BTreeSet<&[u8]> {
        let tokens = self.tokens();
        let mut names: BTreeSet<&[u8]> = BTreeSet::from([&b"threadIdx"[..], b"thread_rank"]);
        let Some(lines) = self.function_lines(line) else { return names };
        for at in tokens.of_lines(lines) {
            let is_assigned = tokens.is_set(at);
            let Some(name) = at.checked_sub(1).filter(|name| is_assigned && tokens.is_name(*name)) else {
                continue;
            };
            let end = tokens.semicolon(at + 1);
            if names.len() < MAX_NAMES && (at + 1..end).any(|n| names.contains(tokens.word(n))) {
                names.insert(tokens.word(name));
            }
        }
        names
    }

    /// Returns the lines of the body of the function that contains a line.
    pub(super) fn function_lines(&self, line: u32) -> Option<Range<u32>> {
        let mut bodies = self.defined_functions().map(|(_, body)| self.lines_of(body));
        bodies.find(|body| body.contains(&line))
    }

    /// Returns the line of a kernel at which a line is executed: the line itself in a kernel, or the line of
    /// the call in a function that is called once. `None` if that is unknown.
    pub fn line_in_kernel(&self, line: u32) -> Option<u32> {
        if self.kernel_lines(line).is_some() {
            return Some(line);
        }
        let tokens = self.tokens();
        let inside = |body: &Range<usize>| self.lines_of(body).contains(&line);
        let (function, _) = self.defined_functions().find(|(_, body)| inside(body))?;
        let mut calls = (0..tokens.count()).filter(|&at| {
            at != function.name
                && tokens.word(at) == tokens.word(function.name)
                && matches!(tokens.word(at + 1), b"(" | b"<")
        });
        let (call, more) = (calls.next()?, calls.next());
        let line = tokens.line(call);
        (more.is_none() && self.kernel_lines(line).is_some()).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_is_called_once_is_done_where_it_is_called() {
        let source = "__device__ float once(float *s) {
    return s[0];
}
__device__ float twice(float *s) {
    return s[1];
}
__global__ void f(float *s) {
    s[2] = once(s);
    s[3] = twice(s) + twice(s);
}
";
        let source = Source::new(source);
        let lines = [2, 5, 8, 3, 99].map(|line| source.line_in_kernel(line));
        assert_eq!(lines, [Some(8), None, Some(8), Some(8), None]);
    }

    #[test]
    fn what_comes_of_the_thread_is_known() {
        let source = "__global__ void f(int n) {
    int t = threadIdx.x, row = n;
    int i = t * 2;
    if (i < n) a();
    if (row < n) a();
}
void g(int i) {
    if (i) a();
}
";
        let source = Source::new(source);
        let asks = |line| {
            let tokens = source.tokens();
            let at = tokens.of_lines(line..line + 1).find(|at| tokens.is(*at, b"if")).unwrap();
            source.depends_on_thread(source.condition(at).unwrap())
        };
        assert_eq!([4, 8].map(asks), [true, false]);
    }
}
