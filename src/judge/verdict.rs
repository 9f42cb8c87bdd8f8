//! What the judge says of one submission.

use super::predict::Answered;
use super::speed::Speed;
use compiler::Diagnostic;
use cpp::source_name;
use host::device::Observed;
use host::device::timeline::Span;
use host::program::undefined::{Fault, fault, lacking};
use serde::{Deserialize, Serialize};
use sim::{Counts, Dim3, Finding};
use std::ops::Range;

/// The judge's word on one lesson's kernel.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Slug of the lesson.
    pub lesson: String,
    pub result: Result<Passed, Failure>,
    /// What the kernel printed, escaped.
    pub output: String,
    /// Warnings of the compiler.
    pub warnings: Vec<Diagnostic>,
    /// Of a program: what host and GPUs did over time in the case that is shown.
    pub spans: Vec<Span>,
}

impl Verdict {
    /// With nothing printed and nothing run.
    pub fn of(lesson: impl Into<String>, result: Result<Passed, Failure>) -> Verdict {
        let (output, warnings, spans) = (String::new(), Vec::new(), Vec::new());
        Verdict { lesson: lesson.into(), result, output, warnings, spans }
    }
}

impl Verdict {
    /// Whether every launch came to its end without a defect, in the case that it is about: there is a result, right
    /// or wrong.
    pub fn has_result(&self) -> bool {
        matches!(self.result, Ok(_) | Err(Failure::Wrong(_) | Failure::Work { .. } | Failure::Speed(_)))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Cases that were run.
    pub cases: usize,
    /// Sizes of the case that most thread instructions were executed for, as text: `n = 8`.
    pub case: String,
    /// Counts of that case.
    pub counts: Counts,
    /// Counters of that case that programs alone have.
    pub tally: Vec<Counted>,
    /// Every requirement, met, of that case.
    pub bars: Vec<Bar>,
    /// The bars of a lesson that has some for a GPU.
    pub speed: Option<Speed>,
    /// Every question, answered rightly, with what was measured.
    pub answers: Vec<Answered>,
}

/// A counter by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub name: &'static str,
    pub value: u64,
    pub meaning: &'static str,
}

/// One requirement against what was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    pub counter: String,
    pub meaning: String,
    pub yours: u64,
    pub limit: u64,
    /// `limit` is an upper bound; else a lower one.
    pub at_most: bool,
    pub why: String,
}

impl Bar {
    pub fn met(&self) -> bool {
        if self.at_most { self.yours <= self.limit } else { self.yours >= self.limit }
    }
}

impl std::fmt::Display for Bar {
    /// `load_sectors 128, at most 16`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bound = if self.at_most { "at most" } else { "at least" };
        write!(f, "{} {}, {bound} {}", self.counter, self.yours, self.limit)
    }
}

/// Why it does not pass. The slugs are what `lesson.toml` and wrong kernels name.
#[derive(Clone, Debug)]
pub enum Failure {
    /// `compile-error`
    Compile(Vec<Diagnostic>),
    /// `missing-kernel`: the function the lesson launches is not there, or has other parameters. Of some of those
    /// found it may not be known which parameters are pointers.
    MissingKernel { kernel: String, found: Vec<String>, hides_pointers: bool, detail: String },
    /// `missing-function`: as `missing-kernel`, of a host function that the lesson calls.
    MissingFunction { function: String, found: Vec<String>, detail: String },
    /// `wrong-result`
    Wrong(Mismatch),
    /// `wrong-output`: a program printed something else, or ended with another code.
    Printed(Misprint),
    /// `early-exit`: the program ended itself before the function that was called returned.
    Ended { code: i32, case: String },
    /// The finding's slug: values may be right or wrong, the defect comes first.
    Defect { findings: Vec<Finding>, values_right: bool, case: String, excess: ExcessThreads },
    /// `too-much-work`: values right and no defect, but a bar is missed.
    Work { bars: Vec<Bar>, case: String },
    /// `too-much-work`, too: stopped before the end, so that nothing is known of its values.
    Overwork(Overwork),
    /// `too-slow`, or `too-fast` where the time can't be true: right, and a bar on a GPU is missed.
    Speed(Box<Speed>),
    /// `unanswered`: no answer is wrong, and some are not there yet. All questions.
    Unanswered(Vec<Answered>),
    /// `wrong-answer`: at least one is. All questions.
    WrongAnswer(Vec<Answered>),
    /// `launch-error`
    Launch { name: String, message: String },
    /// `limit`: source, time or memory limit of the tool.
    Limit(String),
    /// `undefined-function`: it calls one that it only declares, by its name in the source; or a kernel calls one
    /// that only the host has.
    UndefinedFunction { function: String, only_for_host: bool, line: Option<u32> },
    /// `unsupported`: ours, never the learner's fault.
    Unsupported { what: String, line: Option<u32> },
}

/// Work far beyond what a case needs. All counts are warp instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overwork {
    /// Sizes, as text: `n = 8`.
    pub case: String,
    /// Of the lesson's cases, which.
    pub case_index: usize,
    /// Done when it was stopped.
    pub done: u64,
    /// What the lesson's solution takes in this case.
    pub solution: u64,
    /// Where most of it was done.
    pub line: Option<u32>,
}

/// Whether the threads of the first finding are too many: they have no element of an output to write.
/// `None` where that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcessThreads {
    /// Of `at`.
    pub at: Option<bool>,
    /// Of `other`.
    pub other: Option<bool>,
}

/// Wrong values of one case.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Sizes, as text: `n = 8`.
    pub case: String,
    pub buffer: String,
    /// Extents, slowest first.
    pub shape: Vec<usize>,
    pub differing: usize,
    pub total: usize,
    /// The first wrong element and its neighbours, for a table: a run of at most eight elements,
    /// or at most four whole rows where there are several rows of at most eight.
    pub window: Vec<Element>,
    /// Of every element, whether it is right and whether it was written; empty where there are very many.
    pub right: Vec<bool>,
    pub written: Vec<bool>,
    /// Who should have written the first wrong element, where that is known.
    pub writer: Option<ThreadPosition>,
    pub pattern: Option<Pattern>,
    /// Of floats: the element that is farthest off.
    pub worst: Option<Box<Worst>>,
    /// Places do not count: what is wanted beside a wrong value is one of those that are missing.
    pub any_order: bool,
    /// What the first wrong element is made of, where it is not what it should be made of.
    pub sources: Option<Sources>,
}

/// The elements of inputs that one element of an output changes with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// Index in the output, one number for each extent.
    pub element: Vec<usize>,
    pub inputs: Vec<InputUse>,
}

/// Elements of one input, by their places in the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputUse {
    pub buffer: String,
    /// Extents, slowest first.
    pub shape: Vec<usize>,
    /// Those that the learner's value changes with, and those that the right one does.
    pub yours: Vec<usize>,
    pub wanted: Vec<usize>,
}

impl Mismatch {
    /// The order of blocks that it shows in, where it does not in that of their numbers.
    pub fn order(&self) -> Option<BlockOrder> {
        BlockOrder::ALL.into_iter().find(|order| self.case.ends_with(order.words()))
    }
}

/// How blocks run, where it is not one after the other by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockOrder {
    /// One after the other, by other numbers.
    Other,
    /// A few instructions of each, by turns.
    Turns,
}

impl BlockOrder {
    const ALL: [BlockOrder; 2] = [BlockOrder::Other, BlockOrder::Turns];

    /// How the case ends that is played so.
    fn words(self) -> &'static str {
        match self {
            BlockOrder::Other => ", with the blocks in another order",
            BlockOrder::Turns => ", with the blocks taking turns",
        }
    }

    /// A case, as text, played so.
    pub(super) fn of_case(self, case: &str) -> String {
        format!("{case}{}", self.words())
    }
}

/// The element whose value is farthest from what it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    pub element: Element,
    /// Absolute difference.
    pub error: f64,
    /// The largest difference that would have done for this element.
    pub allowed: f64,
}

/// What a program printed beside what it should have printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misprint {
    /// Sizes, as text: `n = 8`.
    pub case: String,
    /// Lines that differ, of so many that are wanted; a line too many counts as one that differs.
    pub differing: usize,
    pub wanted: usize,
    /// The first line that differs and its neighbours.
    pub window: Vec<Line>,
    /// Exit codes, wanted and got.
    pub codes: (i32, i32),
    /// What was part of times that the program took.
    pub observed: Vec<Observed>,
}

/// A line of output; `None` where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// From 1.
    pub number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub want: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    pub right: bool,
}

/// A thread of the last launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPosition {
    pub block: Dim3,
    /// `None`: any thread of the block.
    pub thread: Option<Dim3>,
}

/// An element, what it should be and what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Index in the buffer, one number for each extent.
    pub index: Vec<usize>,
    /// As text, rounded to what differs.
    pub want: String,
    /// `None`: never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    pub right: bool,
}

/// Mistakes that the values give away.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// No element was ever written.
    Untouched,
    /// Only some were written: how many, and the others where they are neighbours.
    PartlyWritten {
        written: usize,
        gap: Option<Range<usize>>,
    },
    /// Every element of a buffer that is read and written holds what it held before.
    Unchanged,
    /// The wrong elements of a buffer that is read and written hold what they held before: how many,
    /// and which where they are neighbours.
    PartlyUnchanged {
        unchanged: usize,
        gap: Option<Range<usize>>,
    },
    /// Every element is zero.
    AllZero,
    /// Equal to an input buffer, unchanged.
    CopyOfInput {
        buffer: String,
    },
    /// `got[i] == want[i + by]`.
    Shifted {
        by: i64,
    },
    Transposed,
    /// Right if some matrices are read, and perhaps the output is written, at column * rows + row: the
    /// names of those that are read.
    ExchangedIndex {
        read: Vec<String>,
        written: bool,
    },
    /// Written are the elements of those threads whose x is taken for the row, and y for the column.
    ExchangedThreads,
    Reversed,
    /// Right in the first block's elements only.
    FirstBlockOnly {
        right: usize,
        others: Others,
    },
    /// Every element is the same.
    Constant,
    NotANumber,
    /// Some wrong elements are infinite where a number is wanted.
    Infinite,
    /// Wrong only at the last elements.
    TailWrong {
        from: usize,
        starts: TailStart,
    },
    /// All results are whole numbers, where the right ones are not; `cut`: each is the right one
    /// without its fraction.
    Whole {
        cut: bool,
    },
    /// Rounding only: the largest relative difference.
    NearlyRight {
        relative: f64,
    },
}

/// What the blocks after the first left where only the first is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Nothing: their elements were never written.
    Unset,
    /// The first block's values once more.
    Repeated,
    /// Other values.
    Wrong,
}

/// Where a wrong tail begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailStart {
    /// In the last of several blocks.
    InLastBlock,
    /// With the first element of that block.
    WithBlock(Dim3),
    Elsewhere,
}

impl Pattern {
    /// Whether it holds of the values wherever they stand.
    pub(crate) fn is_of_no_place(&self) -> bool {
        use Pattern::{AllZero, NotANumber, Unchanged, Untouched};
        matches!(self, Untouched | Unchanged | AllZero | NotANumber)
    }

    /// Stable name, as after the colon of `wrong-result: first-block-only`.
    pub fn slug(&self) -> &'static str {
        match self {
            Pattern::Untouched => "untouched",
            Pattern::PartlyWritten { .. } => "partly-written",
            Pattern::Unchanged => "unchanged",
            Pattern::PartlyUnchanged { .. } => "partly-unchanged",
            Pattern::AllZero => "all-zero",
            Pattern::CopyOfInput { .. } => "copy-of-input",
            Pattern::Shifted { .. } => "shifted",
            Pattern::Transposed => "transposed",
            Pattern::ExchangedIndex { .. } => "exchanged-index",
            Pattern::ExchangedThreads => "exchanged-threads",
            Pattern::Reversed => "reversed",
            Pattern::FirstBlockOnly { .. } => "first-block-only",
            Pattern::Constant => "constant",
            Pattern::NotANumber => "not-a-number",
            Pattern::Infinite => "infinite",
            Pattern::TailWrong { .. } => "tail-wrong",
            Pattern::Whole { .. } => "whole-numbers",
            Pattern::NearlyRight { .. } => "nearly-right",
        }
    }
}

impl Failure {
    /// A call of a function that nothing defines, by its name in the PTX.
    pub fn undefined(name: &str, line: Option<u32>) -> Failure {
        match fault(name) {
            Fault::Library => Failure::Unsupported { what: lacking(name), line },
            fault => Failure::UndefinedFunction {
                function: source_name(name),
                only_for_host: fault == Fault::HostOnly,
                line,
            },
        }
    }

    /// Stable name of the reason.
    pub fn slug(&self) -> &'static str {
        match self {
            Failure::Compile(_) => "compile-error",
            Failure::MissingKernel { .. } => "missing-kernel",
            Failure::MissingFunction { .. } => "missing-function",
            Failure::Wrong(_) => "wrong-result",
            Failure::Printed(_) => "wrong-output",
            Failure::Ended { .. } => "early-exit",
            Failure::Defect { findings, .. } => findings.first().map_or("defect", |f| f.kind.slug()),
            Failure::Work { .. } | Failure::Overwork(_) => "too-much-work",
            Failure::Speed(speed) if speed.suspicious.is_some() => "too-fast",
            Failure::Speed(_) => "too-slow",
            Failure::Unanswered(_) => "unanswered",
            Failure::WrongAnswer(_) => "wrong-answer",
            Failure::Launch { .. } => "launch-error",
            Failure::Limit(_) => "limit",
            Failure::UndefinedFunction { .. } => "undefined-function",
            Failure::Unsupported { .. } => "unsupported",
        }
    }
}
