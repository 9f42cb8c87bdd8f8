//! Judging kernels and whole programs: cases, inputs, CPU references, comparison, requirements, verdict.

mod advise;
pub mod backend;
mod blame;
pub mod claims;
mod compare;
mod exchanged;
mod fill;
mod float16;
mod mangled;
mod measure;
mod mismatch;
mod number;
pub mod on_gpu;
mod pattern;
mod play;
mod predict;
mod prepared;
mod printed;
mod program;
pub mod reference;
mod run;
mod signature;
mod speed;
mod value;
mod verdict;
mod writer;

pub use measure::{Measured, Measurement};
pub use mismatch::decimal;
pub use predict::{AnswerState, Answered, is_readable};
pub use prepared::Prepared;
pub use run::{Answer, Options, judge, run};
pub(crate) use run::{simulation, unsupported};
pub use signature::{NoKernel, Parameter, Signature, fitting, signatures};
pub use speed::{Speed, SpeedBar, SpeedState};
pub use value::{Scalar, Values};
pub use verdict::*;
