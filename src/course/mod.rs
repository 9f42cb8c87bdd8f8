//! Lessons: their files, order, embedding in the binary, the learner's workspace and progress.

mod formula;
mod lesson;

pub use formula::{Formula, FormulaError};
pub use lesson::*;
