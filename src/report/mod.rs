//! Results as text and JSON: pure functions of values, so that what people read can be tested
//! without a terminal.
//!
//! A result first becomes a *view* (plain serialisable values, the JSON schema of [`json`]); text
//! is rendered from the view, so a stored result reads exactly like a fresh one. Each view stands
//! beside its text.
//!
//! - A verdict: `verdict`, and in it `mismatch`, `printed`, `predict`, `bars`, `speed`.
//! - A finding: `finding`, made of what the simulator found by `defect`; `sides` and `element` say who
//!   touched what, `order` which came first, `remedy` what to try; `improve` tells what could be
//!   better. All are told of one source, with what is known `about` it.
//! - Messages of the compiler: `diagnostic`, and `plain` words for them.
//! - Lines of a source: an `excerpt`, the `expression` that is meant on each, drawn by `snippet`.
//! - Pages of their own: `lesson`, `list`, `explain`, `inspect`, `program`, `bench`, `claims`, `doctor`.
//! - For machines: [`json`], `junit`, `trace`.
//! - How text is laid out: `layout`, `paint`, `escape`.

mod about;
mod bars;
mod bench;
mod claims;
mod defect;
mod diagnostic;
mod doctor;
mod element;
mod escape;
mod excerpt;
mod explain;
mod expression;
mod extents;
mod finding;
mod gantt;
mod gather;
mod improve;
mod inspect;
pub mod json;
mod junit;
mod keys;
mod layout;
mod lesson;
mod list;
mod mismatch;
mod order;
mod paint;
mod parameters;
mod picture;
mod plain;
mod predict;
mod printed;
mod program;
mod remedy;
mod sides;
mod snippet;
mod speed;
mod trace;
mod verdict;

pub use about::About;
pub use bars::BarView;
pub use bench::{BenchView, RoofView, bench, bench_csv};
pub use claims::{ClaimFigure, ClaimLesson, ClaimView, ClaimsView, claim, claim_of, claims_head};
pub use diagnostic::DiagnosticView;
pub use doctor::{Check, DoctorView, Health, doctor};
pub use escape::{escape, escape_lines};
pub use excerpt::{Excerpt, ExcerptLine, Mark, Spot};
pub use explain::{explain, explain_all};
pub use finding::{CostView, FindingView};
pub use gantt::gantt;
pub use improve::advice_views;
pub use inspect::{
    ClassShare, InspectView, KernelAdvice, KernelView, OccupancyView, PtxLine, UnsupportedView,
    advice as kernel_advice, inspect,
};
pub use junit::junit;
pub use keys::keys;
pub use layout::{char_width, grouped, seconds, text_width, wrap};
pub use lesson::{LessonPage, afterwards, hints, lesson_page, solution_page};
pub use list::{LessonState, ListRow, ListView, list};
pub use mismatch::{ElementView, MismatchView, PlaceView, WorstView};
pub use predict::{ChoiceView, QuestionView, ValueView, measurements, question};
pub use program::{LaunchView, ONLY_THE_HOST, ProgramView, program};
pub use sides::{AccessView, BufferView};
pub use speed::{SpeedBarView, SpeedView};
pub use trace::{Trace, trace};
pub use verdict::{VerdictView, headline, submission, verdict};

/// How to write for whoever reads.
#[derive(Clone, Debug)]
pub struct Style {
    /// Columns to fill, at most 80.
    pub width: usize,
    /// What the learner types to run this program, such as `gpulearn`.
    pub command: String,
    /// Everything, not only what fits a screen.
    pub verbose: bool,
    /// Keys are answered to, so they are named instead of commands.
    pub watching: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style { width: 80, command: "gpulearn".into(), verbose: false, watching: false }
    }
}
