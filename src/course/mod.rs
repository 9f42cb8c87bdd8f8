//! Lessons: their files, order, embedding in the binary, the learner's workspace and progress.

mod lesson;

pub use lesson::*;
