//! Barriers: the places where the threads of a block wait for each other.

use super::words::find;
use super::{Source, Space};
use std::collections::BTreeSet;
use std::ops::Range;

impl Source<'_> {
    /// Returns the line of each call of `__syncthreads()` (or one of its variants).
    pub fn barriers(&self) -> Vec<u32> {
        self.barrier_calls().map(|at| self.tokens().line(at)).collect()
    }

    /// Returns the first of some lines that names `__syncthreads` without calling it.
    pub fn uncalled_barrier(&self, lines: Range<u32>) -> Option<u32> {
        let tokens = self.tokens();
        let uncalled = self.named_barriers().filter(|at| tokens.word(at + 1) == b";");
        uncalled.map(|at| tokens.line(at)).find(|line| lines.contains(line))
    }

    /// Returns the lines of the barriers that stand right behind a `return`, so that no thread reaches them.
    pub fn unreached_barriers(&self) -> impl Iterator<Item = u32> {
        self.barrier_calls().filter(|at| self.follows_return(*at)).map(|at| self.tokens().line(at))
    }

    /// Returns whether the statement before a token is a `return` that is under no condition of its own.
    fn follows_return(&self, at: usize) -> bool {
        let tokens = self.tokens();
        let Some(end) = at.checked_sub(1).filter(|end| tokens.is(*end, b";")) else { return false };
        let mut before = (0..end).rev();
        let start = before.find(|at| matches!(tokens.word(*at), b";" | b"{" | b"}")).map_or(0, |at| at + 1);
        tokens.is(start, b"return") && !(start..=at).any(|at| self.is_conditional(at))
    }

    /// Returns whether a thread that executes a line surely passes a `__syncthreads()` of the same function `behind` it,
    /// or else before it.
    pub fn passes_barrier(&self, line: u32, behind: bool) -> bool {
        let leaves = |line| self.names_on(line, ["return", "break", "continue"]);
        let is_entered = |at| self.loop_around(at).is_none_or(|its| (its.head..=its.end).contains(&line));
        // No `if` contains line 0.
        let is_in_branch = |at| self.branch_apart(at, 0).is_some();
        self.barriers().into_iter().any(|at| {
            let is_there = at != line && (at > line) == behind && self.in_one_function(line, at);
            is_there && is_entered(at) && !is_in_branch(at) && !(line..at).any(leaves)
        })
    }

    fn barrier_calls(&self) -> impl Iterator<Item = usize> {
        self.named_barriers().filter(|at| self.tokens().word(at + 1) == b"(")
    }

    fn named_barriers(&self) -> impl Iterator<Item = usize> {
        let tokens = self.tokens();
        (0..tokens.count()).filter(|at| tokens.word(*at).starts_with(b"__syncthreads"))
    }

    /// Returns the nearest barriers before and after two lines of one kernel, of which `first` comes first; a
    /// side is `None` if there is no barrier up to the kernel's beginning or end. Returns `None` if the lines
    /// are not in one kernel, if there is a barrier between them, or if threads may wait in the kernel by
    /// other means, which would require knowing more.
    pub fn barriers_around(&self, first: u32, last: u32) -> Option<[Option<u32>; 2]> {
        let body = self.kernel_lines(first).filter(|body| first <= last && body.contains(&last))?;
        if self.has_other_waits(body.clone()) {
            return None;
        }
        let barriers = self.barriers();
        // A barrier in between would have ordered the accesses, unless it is that of a loop.
        if barriers.iter().any(|line| (first..last).contains(line)) {
            return None;
        }
        let mut inside = barriers.into_iter().filter(|line| body.contains(line));
        let around = [inside.clone().rfind(|line| *line < first), inside.find(|line| *line >= last)];
        let is_in_branch = |line: &u32| self.branch_apart(*line, first).is_some();
        (!around.iter().flatten().any(is_in_branch)).then_some(around)
    }

    /// Returns the barriers around the path from the later of two lines of a loop back to the earlier one in
    /// the next iteration, and the loop's line. The barriers are those between the two lines: the last of one
    /// iteration and the first of the next. `None` if there are none, if there is a barrier on the path, if
    /// not all threads may reach one of them, or if threads may wait by other means.
    pub fn barriers_around_pass(&self, first: u32, last: u32) -> Option<([u32; 2], u32)> {
        let body = self.kernel_lines(first).filter(|body| first <= last && body.contains(&last))?;
        if self.has_other_waits(body) {
            return None;
        }
        let around = self.loop_around_both(first, last)?;
        let of_loop = |line: &u32| (around.head..=around.end).contains(line);
        let barriers: Vec<u32> = self.barriers().into_iter().filter(of_loop).collect();
        let all_come = |line: &u32| {
            self.branch_of_threads(*line).is_none()
                && self.loop_around(*line).is_some_and(|its| its.head == around.head)
        };
        let between = |line: &u32| (first..last).contains(line);
        if !barriers.iter().all(|line| between(line) && all_come(line)) {
            return None;
        }
        Some(([*barriers.last()?, *barriers.first()?], around.head))
    }

    /// Returns whether threads may wait in some lines by means other than a `__syncthreads()` written there:
    /// for a cooperative group, at a barrier object, or in a macro or function that contains one.
    pub fn has_other_waits(&self, lines: Range<u32>) -> bool {
        let functions = self.functions_with_barriers();
        self.tokens().of_lines(lines).any(|at| {
            let word = self.tokens().word(at);
            let has = |what: &[u8]| find(word, 0, what).is_some();
            // Exchanges between the lanes of a warp, as by `__shfl_sync`, don't order memory accesses.
            let of_lanes = word.starts_with(b"__") && word.ends_with(b"_sync") && !has(b"barrier");
            let named = has(b"sync") && !of_lanes || has(b"barrier") || has(b"wait") || word == b"asm";
            !word.starts_with(b"__syncthreads")
                && (named || functions.contains(word) || self.macros().waits(word))
        })
    }

    /// Returns the names of functions that contain a barrier.
    fn functions_with_barriers(&self) -> BTreeSet<&[u8]> {
        let tokens = self.tokens();
        let is_one = |at: &usize| find(tokens.word(*at), 0, b"sync").is_some();
        let barriers: Vec<usize> = (0..tokens.count()).filter(is_one).collect();
        let waits = |body: &Range<usize>| {
            let next = barriers.partition_point(|at| *at < body.start);
            barriers.get(next).is_some_and(|at| *at < body.end)
        };
        // Kernels are not called.
        let called = self.defined_functions().filter(|(function, _)| function.space != Space::Kernel);
        called.filter(|(_, body)| waits(body)).map(|(function, _)| tokens.word(function.name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_has_other_names_too() {
        let source = "#define SYNC() \\
    __syncthreads()
#define TILE 16
__device__ void all_wait() { __syncthreads(); }
__global__ void f(int *p) {
    __syncthreads();
    p[TILE] = 1;
    SYNC();
    all_wait();
    block.sync();
    // sync
}
";
        let cpp = Source::new(source);
        let waits: Vec<u32> = (6..12).filter(|line| cpp.has_other_waits(*line..line + 1)).collect();
        assert_eq!(waits, [8, 9, 10]);
        assert!(!cpp.has_other_waits(99..100) && cpp.has_other_waits(1..100));
        assert_eq!(cpp.barriers(), [4, 6]);
        assert_eq!(cpp.barriers_around(7, 7), None, "it waits otherwise as well");
    }

    #[test]
    fn two_lines_stand_between_barriers() {
        let source = "__global__ void f(int *s) {
    s[0] = 1;
    s[1] = 2;
    __syncthreads();
    s[2] = 3;
}
";
        let cpp = Source::new(source);
        assert_eq!(cpp.barriers_around(2, 3), Some([None, Some(4)]));
        assert_eq!(cpp.barriers_around(5, 5), Some([Some(4), None]));
        assert_eq!((cpp.barriers_around(3, 5), cpp.barriers_around(3, 99)), (None, None));
        let under_condition = source.replace("    __sync", "    if (n) __sync");
        assert_eq!(Source::new(&under_condition).barriers_around(2, 3), None);
    }

    #[test]
    fn what_stands_behind_a_return_is_not_reached() {
        let source = "__device__ int f(int *s) {
    __syncthreads();
    if (s[1]) return 0;
    __syncthreads();
    return s[0];
    __syncthreads();
}
__device__ void g(int *s) {
    s[0] = 1;
    if (s[1])
        __syncthreads();
    for (int k = 0; k < 4; k++) {
        s[k] = 2;
        __syncthreads();
    }
    s[1] = 3;
}
";
        let cpp = Source::new(source);
        assert_eq!(cpp.unreached_barriers().collect::<Vec<_>>(), [6]);
        let passes = |line| [false, true].map(|behind| cpp.passes_barrier(line, behind));
        assert_eq!([1, 3, 5].map(passes), [[false, true], [true, false], [true, false]]);
        assert_eq!([9, 13, 16].map(passes), [[false, false], [false, true], [false, false]]);
    }
}
