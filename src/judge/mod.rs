//! Judging a kernel: cases, inputs, CPU references, comparison, requirements, verdict.

mod verdict;

pub use verdict::*;
