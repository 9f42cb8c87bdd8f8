//! Results as text and JSON: pure functions of values, so that what people read can be tested without a terminal.
//!
//! A result first becomes a *view* (plain serialisable values, the JSON schema of [`json`]). Text is rendered
//! from the view, so a stored result reads exactly like a fresh one. Each view is in the same module as its text.
//!
//! - [`verdict()`]: values, figures, bars and answers of one lesson.
//! - [`finding`](FindingView): the simulator's findings as views: who accessed what, which side came first, what
//!   to try; and performance advice. A finding is rendered for one source, with its context in [`About`].
//! - [`diagnostic`](DiagnosticView): compiler messages, and hints in plain words.
//! - [`excerpt`](Excerpt): lines of a source with the relevant expressions marked.
//! - Pages of their own: [`lesson_page()`], [`list()`], [`topics()`], [`explain()`], [`inspect()`],
//!   [`program()`], [`bench()`], [`claim()`], [`doctor()`].
//! - [`Problem`]: what is wrong, by place, for editors and lists of many files.
//! - For machines: [`json`], [`junit()`], [`trace()`].
//! - [`pictures()`]: the memory accesses of warps, drawn. [`ImageView`]: an image that a kernel computed.
//! - Text layout: `layout`, `paint`, [`escape()`].

mod about;
mod bench;
mod claims;
mod diagnostic;
mod doctor;
mod escape;
mod excerpt;
mod explain;
mod finding;
mod gantt;
mod image;
mod inspect;
pub mod json;
mod junit;
mod keys;
mod lack;
mod lane_value;
mod launch;
mod layout;
mod lesson;
mod limit;
mod list;
mod memory;
mod missing;
mod own_failure;
mod paint;
mod pictures;
mod problem;
mod problems;
mod program;
mod prose;
mod stats;
mod topics;
mod trace;
mod undefined;
mod verdict;

pub use about::{About, Files};
pub use bench::{BenchView, RoofView, TimesView, TimingMethod, WorkView, bench, bench_csv};
pub use claims::{ClaimFigure, ClaimLesson, ClaimView, ClaimsView, claim, claim_of, claims_head};
pub use diagnostic::DiagnosticView;
pub use doctor::{Check, DoctorView, Health, doctor};
pub use escape::{escape, escape_lines, without_ci_commands};
pub use excerpt::{Excerpt, ExcerptLine, Mark, Spot};
pub use explain::{explain, explain_all, explain_markdown, explain_verdict};
pub use finding::evidence::sentences;
pub use finding::extents::{Shared, extents, shared_array};
pub use finding::{AccessView, BufferView, FindingClass, FindingSeverity, FindingView, advice_views};
pub use gantt::{TimelineRow, TimelineView, gantt};
pub use image::ImageView;
pub use inspect::{
    ClassShare, InspectView, KernelAdvice, KernelView, OccupancyView, PtxLine, UnsupportedView,
    advice as kernel_advice, inspect,
};
pub use junit::{TestCase, TestFailure, junit};
pub use keys::keys;
pub use lack::{lack, not_on_gpu};
pub use lane_value::{lane_value, lane_value_in_words};
pub use launch::launch_failure;
pub use layout::{capitalised, char_width, grouped, hanging, plural, seconds, text_width, truncate, wrap};
pub use lesson::{
    LessonPage, afterwards, hints, lesson_page, part_page, solution_page, term_page, welcome_page,
};
pub use limit::{limit_reached, tool_limit};
pub use list::{LessonState, ListDetail, ListRow, ListView, list};
pub use memory::{AreaView, MemoryView, PeakView, memory};
pub use missing::missing;
pub use own_failure::{error, own_failure};
pub use paint::for_file;
pub use pictures::{RunAccesses, access_line, on_buffer, pictures, scene, wrong_elements};
pub use problem::Problem;
pub use problems::shell_word;
pub use program::{
    EndView, Ended, FileRefusal, LaunchView, ProgramFileView, ProgramRunView, ProgramView, program,
};
pub use stats::{achievements, stats, stats_card};
pub use topics::topics;
pub use trace::{Trace, TraceInput, trace};
pub use undefined::{
    defined_elsewhere, host_function_in_kernel, undefined_c_function, undefined_function, undefined_kernel,
};
pub use verdict::{
    AnswerStatus, EvidenceView, JudgedRunView, MismatchView, PlaceView, QuestionView, RanOn, SpeedView,
    SubjectView, ValueView, VerdictView, WorstView, headline, measurements, question, submission, sum,
    too_fast, verdict,
};

use picture::ImageForm;

/// How text is rendered for a reader.
#[derive(Clone, Debug)]
pub struct Style {
    /// Columns to fill with text, at most 80.
    pub width: usize,
    /// Further columns of the terminal, which only code and pictures use.
    pub extra_columns: usize,
    /// What the learner types to run this program, such as `gpulearn`.
    pub command: String,
    /// Whether to show everything instead of what fits a screen.
    pub verbose: bool,
    /// Whether the watch page is shown, on which keys are named instead of commands.
    pub watching: bool,
    /// How images are drawn.
    pub image: ImageForm,
    /// Whether to show how long judging took.
    pub timed: bool,
}

impl Default for Style {
    fn default() -> Self {
        let command = "gpulearn".into();
        Style {
            width: 80,
            extra_columns: 0,
            command,
            verbose: false,
            watching: false,
            image: ImageForm::Shades,
            timed: true,
        }
    }
}

impl Style {
    /// Returns the number of columns for code and pictures.
    pub fn columns(&self) -> usize {
        self.width + self.extra_columns
    }
}
