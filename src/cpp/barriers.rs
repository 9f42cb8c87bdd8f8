//! Where the threads of a block wait for each other.

use super::words::find;
use super::{Source, Space};
use std::collections::BTreeSet;
use std::ops::Range;

impl Source<'_> {
    /// Lines that have a `__syncthreads()`, once for each.
    pub fn barriers(&self) -> Vec<u32> {
        let tokens = self.tokens();
        let barriers = (0..tokens.count()).filter(|at| tokens.word(*at).starts_with(b"__syncthreads"));
        barriers.map(|at| tokens.line(at)).collect()
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

    /// Whether threads may wait in some lines otherwise than by a `__syncthreads()` that is written there:
    /// for a group, at a barrier, in a macro or a function of theirs.
    pub fn waits_otherwise(&self, lines: Range<u32>) -> bool {
        let functions = self.functions_with_barriers();
        self.tokens().of_lines(lines).any(|at| {
            let word = self.tokens().word(at);
            let has = |what: &[u8]| find(word, 0, what).is_some();
            let named = has(b"sync") || has(b"barrier") || has(b"wait") || word == b"asm";
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
