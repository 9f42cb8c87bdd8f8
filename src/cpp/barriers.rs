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
    }
}
