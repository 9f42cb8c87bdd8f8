//! Judges CUDA kernels and whole programs: runs a lesson's cases, builds their inputs, compares the results with
//! CPU references, checks the requirements and returns a verdict.
//!
//! - A submission: `text` reads it; `prepared` is the compiled one, of any kind: `run` for kernels that the tool
//!   launches, `program` for whole programs. `lesson_cache` has what all submissions to a lesson share.
//! - A case: `fill` generates its inputs, `value` holds them; `backend` is the interface to devices, and `case_run`
//!   runs it on one; `signature` and `mangled` find the kernels; `judged_case` is the case that a result is about.
//! - The right values: `reference` computes them, `compare` and `printed` compare (`float16` and `number` convert);
//!   `counter` is what requirements limit.
//! - The verdict: `verdict`, and `reason` without details; `finding_order` says which defect comes first, and
//!   `no_result` whose fault it is that there is no result. For wrong values `mismatch` collects evidence: `pattern`
//!   and `transposed` recognise mistakes, `sources` and `writer` find the inputs and the thread; `debug_lines`
//!   corrects source lines.
//! - More about a submission: `advise`, `profile`, `image`, `record` (for a debugger), `starter` (compared with it),
//!   `measure` (values by name) and `predict` (questions about them); `claims` evaluates the ledger of claims.
//! - Real GPUs: `on_gpu` has the verdict, `speed` the results of its bars, `bench` the timing.
//! - `course`: lessons and the learner's workspace.

mod advise;
pub mod backend;
pub mod bench;
mod case_run;
pub mod claims;
mod compare;
mod counter;
pub mod course;
mod debug_lines;
mod fill;
mod finding_order;
mod float16;
mod image;
mod judged_case;
mod lesson_cache;
mod mangled;
mod measure;
mod mismatch;
mod no_result;
mod number;
pub mod on_gpu;
mod pattern;
mod predict;
mod prepared;
mod printed;
mod profile;
mod program;
mod reason;
mod record;
pub mod reference;
mod run;
mod signature;
mod sources;
mod speed;
mod starter;
mod text;
mod transposed;
mod value;
mod verdict;
mod writer;

use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

/// Returns the value that is serialised as this name.
pub fn named<'n, T: Deserialize<'n>>(name: &'n str) -> Option<T> {
    T::deserialize(StrDeserializer::<Error>::new(name)).ok()
}

pub use counter::{Counted, Counter};
pub use image::Image;
pub use judged_case::{BlockOrder, JudgedCase, Rerun};
pub use lesson_cache::LessonCache;
pub use measure::{Measured, Measurement, Quantity};
pub use mismatch::decimal;
pub use no_result::NoResult;
pub use predict::{AnswerState, AnsweredQuestion, Mistake, ShownChoice, is_readable};
pub use prepared::Prepared;
pub use profile::{BufferExtents, CaseProfile, LaunchProfile};
pub use program::PreparedProgram;
pub use reason::{DeclaredVerdict, Reason};
pub use record::{Launches, Recorded, RecordedPart};
pub(crate) use run::simulation;
pub use run::{Answer, Options, PreparedKernel, RightValues, initial_values, judge, run};
pub use signature::{NoKernel, Parameter, Signature, fitting, signatures};
pub use speed::{Speed, SpeedBar, SpeedState};
pub use starter::{StarterComparison, compare_with_starter};
pub use text::{MAX_SOURCE_BYTES, is_cuda, name_of, text_of};
pub use value::{Scalar, Values};
pub use verdict::*;
