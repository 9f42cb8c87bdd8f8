//! Judges CUDA kernels and whole programs: runs a lesson's cases, builds their inputs, compares the results with
//! CPU references, checks the requirements and returns a verdict.

mod advise;
mod answer;
mod answered_question;
pub mod backend;
pub mod bench;
mod blame;
mod cases;
pub mod claims;
mod compare;
mod compile;
mod counter;
pub mod course;
mod debug_lines;
mod fill;
mod float16;
mod image;
mod kernel;
mod lesson_cache;
mod mangled;
mod measure;
mod measurement;
mod mismatch;
mod no_result;
mod number;
pub mod on_gpu;
mod options;
mod pattern;
mod play;
mod played_case;
mod predict;
mod prepared;
mod printed;
mod profile;
mod program;
mod reason;
mod record;
pub mod reference;
mod signature;
mod sources;
mod speed;
mod starter;
mod text;
mod transposed;
mod value;
mod verdict;
mod writer;
mod wrong_output;

use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

/// Returns the value that is serialised as this name.
pub fn named<'n, T: Deserialize<'n>>(name: &'n str) -> Option<T> {
    T::deserialize(StrDeserializer::<Error>::new(name)).ok()
}

pub use answer::Answer;
pub use answered_question::{AnswerState, AnsweredQuestion, Mistake, ShownChoice};
pub use cases::judge;
pub use counter::{Counted, Counter};
pub use fill::initial_values;
pub use image::Image;
pub use kernel::RightValues;
pub use lesson_cache::LessonCache;
pub use measure::Measured;
pub use measurement::{Measurement, Quantity};
pub use mismatch::decimal;
pub use no_result::NoResult;
pub use options::Options;
pub(crate) use options::simulation;
pub use played_case::{BlockOrder, PlayedCase, Rerun};
pub use predict::is_readable;
pub use prepared::{Prepared, run};
pub use profile::{BufferExtents, CaseProfile, LaunchProfile};
pub use reason::{DeclaredVerdict, Reason};
pub use record::{Launches, Recorded, RecordedPart};
pub use signature::{NoKernel, Parameter, Signature, fitting, signatures};
pub use speed::{Speed, SpeedBar, SpeedState};
pub use starter::{StarterComparison, compare_with_starter};
pub use text::{MAX_SOURCE_BYTES, is_cuda, name_of, text_of};
pub use value::{Scalar, Values};
pub use verdict::*;
