//! Results as text and JSON: pure functions of values, so that what people read can be tested
//! without a terminal.
//!
//! A result first becomes a *view* (plain serialisable values, the JSON schema of [`json`]); text
//! is rendered from the view, so a stored result reads exactly like a fresh one.

mod advice;
mod arguments;
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
mod explain_advice;
mod explain_order;
mod explain_program;
mod expression;
mod extents;
mod gantt;
mod gather;
mod guard;
mod improve;
mod inside;
mod inspect;
pub mod json;
mod junit;
mod keys;
mod layout;
mod lesson;
mod list;
mod mismatch;
mod paint;
mod parameters;
mod picture;
mod plain;
mod predict;
mod printed;
mod program;
mod race;
mod sides;
mod snippet;
mod speed;
mod trace;
mod unshared;
mod verdict;
mod view;

pub use bench::{BenchView, RoofView, bench, bench_csv};
pub use claims::{ClaimFigure, ClaimLesson, ClaimView, ClaimsView, claim, claim_of, claims_head};
pub use doctor::{Check, DoctorView, Health, doctor};
pub use escape::{escape, escape_lines};
pub use excerpt::{Excerpt, ExcerptLine, Mark, Spot};
pub use explain::{explain, explain_all};
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
pub use verdict::{headline, submission, verdict};
pub use view::{About, BarView, CostView, DiagnosticView, FindingView, VerdictView};

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
