//! Where the threads of a block wait for each other.

use super::words::find;
use super::{Source, Space};
use std::collections::BTreeSet;
use std::ops::Range;

impl Source<'_> {
    /// Lines that have a `__syncthreads()`, once for each.
    pub fn barriers(&self) -> Vec<u32> {
        let tokens = self.tokens();
        self.named_barriers().filter(|at| tokens.word(at + 1) == b"(").map(|at| tokens.line(at)).collect()
    }

    /// The first of some lines that names `__syncthreads` and does not call it.
    pub fn uncalled_barrier(&self, lines: Range<u32>) -> Option<u32> {
        let tokens = self.tokens();
        let uncalled = self.named_barriers().filter(|at| tokens.word(at + 1) == b";");
        uncalled.map(|at| tokens.line(at)).find(|line| lines.contains(line))
    }

    fn named_barriers(&self) -> impl Iterator<Item = usize> {
        let tokens = self.tokens();
        (0..tokens.count()).filter(|at| tokens.word(*at).starts_with(b"__syncthreads"))
    }

    /// The barriers before and behind two lines of one kernel, the first line first: of each side the nearest,
    /// `None` where there is none up to the kernel's end. Nothing where the lines are not of one kernel, a barrier
    /// stands between them, or threads may wait in the kernel otherwise, so that more would have to be known.
    pub fn barriers_around(&self, first: u32, last: u32) -> Option<[Option<u32>; 2]> {
        let body = self.kernel_lines(first).filter(|body| first <= last && body.contains(&last))?;
        if self.waits_otherwise(body.clone()) {
            return None;
        }
        let barriers = self.barriers();
        // A barrier on the way would have ordered them, but for that of a loop.
        if barriers.iter().any(|line| (first..last).contains(line)) {
            return None;
        }
        let mut inside = barriers.into_iter().filter(|line| body.contains(line));
        Some([inside.clone().rfind(|line| *line < first), inside.find(|line| *line >= last)])
    }

    /// The barriers around the way from the second of two lines of a loop to the first one in the next pass, and the
    /// line of the loop: those between the two lines, the last of one pass and the first of the next. Nothing where
    /// none stands between them, one stands on the way, not all threads may come to one, or threads may wait otherwise.
    pub fn barriers_around_pass(&self, first: u32, last: u32) -> Option<([u32; 2], u32)> {
        let body = self.kernel_lines(first).filter(|body| first <= last && body.contains(&last))?;
        if self.waits_otherwise(body) {
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

    /// Whether threads may wait in some lines otherwise than by a `__syncthreads()` that is written there:
    /// for a group, at a barrier, in a macro or a function of theirs.
    pub fn waits_otherwise(&self, lines: Range<u32>) -> bool {
        let functions = self.functions_with_barriers();
        self.tokens().of_lines(lines).any(|at| {
            let word = self.tokens().word(at);
            let has = |what: &[u8]| find(word, 0, what).is_some();
            // Lanes that exchange values, as by `__shfl_sync`, order no memory.
            let of_lanes = word.starts_with(b"__") && word.ends_with(b"_sync") && !has(b"barrier");
            let named = has(b"sync") && !of_lanes || has(b"barrier") || has(b"wait") || word == b"asm";
            !word.starts_with(b"__syncthreads")
                && (named || functions.contains(word) || self.macros().waits(word))
        })
    }

    /// The names of functions that have a barrier in them.
    fn functions_with_barriers(&self) -> BTreeSet<&[u8]> {
        let tokens = self.tokens();
        let is_one = |at: &usize| find(tokens.word(*at), 0, b"sync").is_some();
        let barriers: Vec<usize> = (0..tokens.count()).filter(is_one).collect();
        let waits = |body: &Range<usize>| {
            let next = barriers.partition_point(|at| *at < body.start);
            barriers.get(next).is_some_and(|at| *at < body.end)
        };
        // Nobody calls a kernel.
        let called = self.written_functions().filter(|(function, _)| function.space != Space::Kernel);
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
        let waits: Vec<u32> = (6..12).filter(|line| cpp.waits_otherwise(*line..line + 1)).collect();
        assert_eq!(waits, [8, 9, 10]);
        assert!(!cpp.waits_otherwise(99..100) && cpp.waits_otherwise(1..100));
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
    }
}
