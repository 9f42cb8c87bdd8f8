//! Grades a class: reads untrusted submissions and writes marks and reports.
//!
//! ```text
//! plan (plan.toml) ───┐
//! students ── files ──┼─ class ── pool ═ process a file ═ judging ── results (kept) ── marks ── emit
//! times (CSV) ────────┘                                                       └─ part ─ merge
//! ```
//!
//! - Texts are read once before they are judged; equal texts of one lesson, with equal inputs, are judged once.
//! - A result counts only once it is completely on disk, so that an interrupted run can be continued.
//! - Everything written is a function of the plan, the lessons, the submissions and the program. The order of work,
//!   the number of processes and the time taken have no influence, so that parts can be merged into the whole.
//! - Three outcomes are kept apart: marks, submissions that a person must review ([`Outcome::Review`]), and
//!   failures of this machine ([`Outcome::Failed`]), which have no mark and are tried again.

mod class;
mod digest;
pub mod emit;
mod grading;
mod judge_process;
mod judging;
mod marks;
mod part;
mod plan;
mod pool;
mod process;
mod results;
mod shard;
mod shared;
mod similar;
mod slurm;
pub mod students;
mod times;

pub use class::{Class, Graded, StudentReport};
pub use digest::digest_of_course;
pub use grading::grade;
pub use judging::{Judged, Outcome, Request, Review};
pub use marks::{Hundredths, Mark};
pub use part::{Part, merge};
pub use plan::{Assignment, Credit, LatePolicy, Plan};
pub use pool::{Judges, Settings};
pub use process::serve;
pub use shard::Shard;
pub use shared::shared_answers;
pub use similar::{Fingerprint, Pair, Side, fingerprint, pairs};
pub use slurm::{Jobs, MERGE, PARTS, Scripts};
pub use times::{Times, Timestamp};
