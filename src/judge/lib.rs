//! Judges CUDA kernels and whole programs: runs a lesson's cases, builds their inputs, compares the results with
//! CPU references, checks the requirements and returns a verdict.
//!
//! - A submission: `text` reads it; `prepared` is the compiled one, of any kind: `kernel` for kernels that the tool
//!   launches, which `compile` compiles, `program` for whole programs. `options` is what else a verdict depends on;
//!   `lesson_cache` has what all submissions to a lesson share.
//! - A case: `fill` generates its inputs, `value` holds them; `backend` is the interface to devices, and `case_run`
//!   runs it on one; `cases` runs all of a lesson; `signature` and `mangled` find the kernels; `judged_case` is the
//!   case that a result is about.
//! - The right values: `answer` has them, which `reference` computes; `compare`, `wrong_output` and `printed` compare
//!   (`float16` and `number` convert); `counter` is what requirements limit.
//! - The verdict: `verdict`, and `reason` without details; `finding_order` says which defect comes first, and
//!   `no_result` whose fault it is that there is no result. For wrong values `mismatch` collects evidence: `pattern`
//!   and `transposed` recognise mistakes, `sources` and `writer` find the inputs and the thread; `debug_lines`
//!   corrects source lines.
//! - More about a submission: `advise`, `profile`, `image`, `record` (for a debugger), `starter` (compared with it),
//!   `measure` (values by name, each a `measurement` when shown) and `predict` (questions about them, each an
//!   `answered_question`); `claims` evaluates the ledger of claims.
//! - Real GPUs: `on_gpu` has the verdict, `speed` the results of its bars, `bench` the timing.
//! - `course`: lessons and the learner's workspace.

mod advise;
mod answer;
mod answered_question;
pub mod backend;
pub mod bench;
mod case_run;
mod cases;
pub mod claims;
mod compare;
mod compile;
mod counter;
pub mod course;
mod debug_lines;
mod fill;
mod finding_order;
mod float16;
mod image;
mod judged_case;
mod kernel;
mod lack;
mod launch_failure;
mod lesson_cache;
mod mangled;
mod measure;
mod measurement;
mod mismatch;
mod missing;
mod no_result;
mod number;
pub mod on_gpu;
mod options;
mod own_failure;
mod pattern;
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
mod tool_limit;
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
pub use case_run::LaunchRun;
pub use cases::judge;
pub use counter::{Counted, Counter};
pub use fill::initial_values;
pub use image::Image;
pub use judged_case::{BlockOrder, JudgedCase, Rerun};
pub use kernel::{PreparedKernel, RightValues};
pub use lack::{Lack, NotOnGpu};
pub use launch_failure::LaunchFailure;
pub use lesson_cache::LessonCache;
pub use measure::Measured;
pub use measurement::{Measurement, Quantity};
pub use mismatch::decimal;
pub use missing::{Caller, Misfit, Missing, ParameterMismatch, PassedArgument, Wanted};
pub use no_result::NoResult;
pub use options::Options;
pub(crate) use options::simulation;
pub use own_failure::OwnFailure;
pub use predict::is_readable;
pub use prepared::{Prepared, run};
pub use profile::{BufferExtents, CaseProfile, LaunchProfile};
pub use program::PreparedProgram;
pub use reason::{DeclaredVerdict, Reason};
pub use record::{Launches, Recorded, RecordedPart};
pub use signature::{Parameter, Signature, fitting, signatures};
pub use speed::{NotTimed, Speed, SpeedBar, SpeedState, TooFast};
pub use starter::{StarterComparison, compare_with_starter};
pub use text::{MAX_SOURCE_BYTES, is_cuda, name_of, text_of};
pub use tool_limit::ToolLimit;
pub use value::{Scalar, Values};
pub use verdict::*;
