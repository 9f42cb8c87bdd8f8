//! Grading a class: untrusted hand-ins in, marks and reports out.
//!
//! ```text
//! plan (plan.toml) ───┐
//! students ── files ──┼─ class ── pool ═ process a file ═ judging ── results (kept) ── marks ── emit
//! times (CSV) ────────┘                                                       └─ part ─ merge
//! ```
//!
//! - What is judged is text that was read once; equal texts of one lesson, with equal inputs, are judged once.
//! - A result is on the disk before it counts, whole or not at all: a run that was killed goes on where it was.
//! - Everything that is written is a function of the plan, the lessons, the hand-ins and the program: the order, the
//!   number of processes and the time it took leave no trace, so that parts merge into the whole.
//! - Three outcomes never mix here either: marks, what a person must look at ([`Outcome::Review`]), and what this
//!   machine failed to do ([`Outcome::Failed`]), which has no mark and is tried again.

mod apart;
mod class;
mod digest;
pub mod emit;
mod judging;
mod marks;
mod part;
mod plan;
mod pool;
mod process;
mod results;
mod shared;
mod similar;
mod slurm;
pub mod students;
mod times;

pub use class::{Class, Graded, StudentReport, grade};
pub use digest::digest_of_course;
pub use judging::{Judged, Outcome, Request, Review};
pub use marks::{Hundredths, Mark};
pub use part::{Part, Shard, merge};
pub use plan::{Assignment, Credit, Late, Plan};
pub use pool::{Judges, Settings};
pub use process::serve;
pub use shared::shared_answers;
pub use similar::{Fingerprint, Pair, Side, fingerprint, pairs};
pub use slurm::{Jobs, MERGE, PARTS, Scripts};
pub use times::{Times, Timestamp};
