//! Proving and scaffolding lessons.
//!
//! A lesson is sound when its starter fails for the reason that lesson.toml declares, its solution passes every
//! case with any seed on any number of host threads, and each of its wrong kernels, `tests/wrong/<slug>/*.cu`, is
//! refused for the reason that a comment in it declares. Right kernels that work differently from the solution,
//! `tests/right/<slug>/*.cu`, must pass.
//!
//! ```text
//! s[t] = in[i];
//! out[i] = s[t + 1]; //~ shared-race
//! ```
//!
//! The word is a verdict's name. A defect must be found on this very line, and so must a compiler error;
//! `wrong-result`, `too-much-work` and the others may be declared on any line. After a colon may follow the
//! pattern of the wrong values, `//~ wrong-result: first-block-only`; the counter of the missed bar,
//! `//~ too-much-work: load_sectors`; or the question that is answered wrongly, alone or with its typical
//! mistake, `//~ wrong-answer: sectors.bytes`. `//~ too-slow: speedup_over_starter` names a bar that only a GPU
//! shows to be missed: without one the kernel must be right.

mod check;
mod expect;
mod files;
mod import;
mod mistakes;
mod programs;
mod scaffold;
mod selftest;
mod timed;
mod workers;

pub use check::{LessonReport, Report, Stage, check, check_with};
pub use import::{Import, Imported, import};
pub use programs::{Outcome, ProgramTest, programs, test as test_program};
pub use scaffold::{About, scaffold};
pub use selftest::{LessonTest, ULP_BOUND, selftest};
pub use timed::LessonTiming;
