//! The judge's verdict on one submission.

use super::answered_question::AnsweredQuestion;
use super::case_run::LaunchRun;
use super::counter::{Counted, Counter};
use super::judged_case::JudgedCase;
use super::lack::Lack;
use super::launch_failure::LaunchFailure;
use super::missing::Missing;
use super::reason::Reason;
use super::speed::Speed;
use super::tool_limit::ToolLimit;
use compiler::Diagnostic;
use cpp::source_name;
use host::device::Observed;
use host::device::timeline::Span;
use host::program::undefined::{Fault, fault, lacking};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use sim::{Counts, Dim3, Finding, SourceLocation};
use std::ops::Range;

/// The verdict on one submission to one lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Slug of the lesson.
    pub lesson: String,
    pub result: Result<Passed, Failure>,
    /// What the submission printed in the case that is shown. Not escaped: whoever displays it escapes it.
    pub output: String,
    /// The compiler's warnings.
    pub warnings: Vec<Diagnostic>,
    /// For a whole program: the timeline of host and GPUs in the case that is shown. Empty for kernels.
    pub spans: Vec<Span>,
}

impl Verdict {
    /// Creates a verdict without output, warnings or spans, for a submission that was not run.
    pub fn of(lesson: impl Into<String>, result: Result<Passed, Failure>) -> Verdict {
        let (output, warnings, spans) = (String::new(), Vec::new(), Vec::new());
        Verdict { lesson: lesson.into(), result, output, warnings, spans }
    }
}

impl Verdict {
    /// Returns whether every launch of the reported case ran to its end without a defect, so that there is a
    /// result, right or wrong.
    pub fn has_result(&self) -> bool {
        matches!(self.result, Ok(_) | Err(Failure::Wrong(_) | Failure::Work { .. } | Failure::Speed(_)))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passed {
    /// Number of cases that were run.
    pub cases: usize,
    /// The case that executed the most thread instructions; `None` for lessons that ask questions.
    pub case: Option<JudgedCase>,
    /// The kernel counters of that case.
    pub counts: Counts,
    /// The launches of that case; empty for whole programs.
    pub launches: Vec<LaunchRun>,
    /// The counters of that case that only whole programs have.
    pub tally: Vec<Counted>,
    /// Every requirement of that case; all are met.
    pub bars: Vec<Bar>,
    /// The GPU time bars with their results, or why they were not measured; `None` where there is nothing to report.
    pub speed: Option<Speed>,
    /// Every question with its measured values; all are answered correctly. Empty unless the lesson asks questions.
    pub answers: Vec<AnsweredQuestion>,
}

/// One requirement compared with the measured counter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Bar {
    pub counter: Counter,
    pub yours: u64,
    pub limit: u64,
    /// Whether `limit` is an upper bound; otherwise it is a lower bound.
    pub at_most: bool,
    pub why: String,
}

impl Bar {
    pub fn met(&self) -> bool {
        if self.at_most { self.yours <= self.limit } else { self.yours >= self.limit }
    }

    /// Returns whether it is missed by a program that takes too long.
    pub fn is_on_slowness(&self) -> bool {
        match self.counter {
            Counter::ModelledNs => self.at_most,
            Counter::SpeedupOverStarterPercent => !self.at_most,
            _ => false,
        }
    }
}

impl Serialize for Bar {
    /// Adds what the counter means and whether the bar is met.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bar = serializer.serialize_struct("Bar", 7)?;
        bar.serialize_field("counter", &self.counter)?;
        bar.serialize_field("meaning", self.counter.meaning())?;
        bar.serialize_field("yours", &self.yours)?;
        bar.serialize_field("limit", &self.limit)?;
        bar.serialize_field("at_most", &self.at_most)?;
        bar.serialize_field("met", &self.met())?;
        bar.serialize_field("why", &self.why)?;
        bar.end()
    }
}

impl std::fmt::Display for Bar {
    /// Formats the bar as `load_sectors 128, at most 16`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bound = if self.at_most { "at most" } else { "at least" };
        write!(f, "{} {}, {bound} {}", self.counter, self.yours, self.limit)
    }
}

/// Why a submission does not pass. The slugs are the names used in `lesson.toml` and in the lessons' wrong kernels.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// `compile-error`
    Compile(Vec<Diagnostic>),
    /// `missing-kernel`: the function that the lesson launches does not exist or has different parameters.
    MissingKernel(Box<Missing>),
    /// `missing-function`: like `missing-kernel`, for a host function that the lesson calls.
    MissingFunction(Box<Missing>),
    /// `wrong-result`: an output buffer holds wrong values.
    Wrong(Mismatch),
    /// `wrong-output`: a program printed something else, or returned a different exit code.
    Printed(Misprint),
    /// `early-exit`: the program exited before the called function returned.
    Ended { code: i32, case: JudgedCase },
    /// The finding's slug. Reported whether the values are right or wrong: a defect takes precedence.
    Defect { findings: Vec<Finding>, values_right: bool, case: JudgedCase, excess: ExcessThreads },
    /// `too-much-work`: the values are right and there is no defect, but a requirement is not met.
    Work { bars: Vec<Bar>, case: JudgedCase },
    /// Also `too-much-work`: stopped before the end, so nothing is known about its values.
    Overwork(Overwork),
    /// `too-slow`, or `too-fast` where the measured time is implausible: the result is right, but a GPU time bar is
    /// missed.
    Speed(Box<Speed>),
    /// `unanswered`: no answer is wrong, but some are missing. Holds all questions.
    Unanswered(Vec<AnsweredQuestion>),
    /// `wrong-answer`: at least one answer is wrong. Holds all questions.
    WrongAnswer(Vec<AnsweredQuestion>),
    /// `launch-error`; `clean`: it failed on a GPU, and the simulator finds no defect.
    Launch { why: LaunchFailure, clean: bool },
    /// `limit`: a limit of the tool on source size, time or memory was reached.
    Limit(ToolLimit),
    /// `undefined-function`: the program calls a function that it only declares, or a kernel calls one that exists
    /// only on the host. `function` is the name as written in the source.
    UndefinedFunction { function: String, only_for_host: bool, line: Option<u32> },
    /// `unsupported`: something that this tool lacks; never the learner's fault.
    Unsupported { what: Lack, line: Option<u32> },
}

/// Work far beyond what a case needs. All counts are in warp instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overwork {
    pub case: JudgedCase,
    /// Warp instructions executed before the kernel was stopped.
    pub done: u64,
    /// Warp instructions that the lesson's solution executes in this case.
    pub solution: u64,
    /// The source line that executed most of them, 1-based.
    pub line: Option<u32>,
}

/// Whether the threads of the first finding are excess threads, that is, have no element of an output to write.
/// `None` where that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcessThreads {
    /// For the thread of the finding's `at` access.
    pub at: Option<bool>,
    /// For the thread of the finding's `other` access.
    pub other: Option<bool>,
}

/// The wrong values of one output in one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    pub case: JudgedCase,
    pub buffer: String,
    /// Extents, slowest dimension first.
    pub shape: Vec<usize>,
    pub differing: usize,
    pub total: usize,
    /// The first wrong element and its neighbours, for a table: a run of at most eight elements, or, where there
    /// are several rows of at most eight elements, at most four whole rows.
    pub window: Vec<Element>,
    /// For every element, whether it is right. `right` and `written` are empty where there are very many elements.
    pub right: Vec<bool>,
    pub written: Vec<bool>,
    /// The thread that should have written the first wrong element, where that is known.
    pub writer: Option<ThreadPosition>,
    pub pattern: Option<Pattern>,
    /// For floats: the element with the largest error.
    pub worst: Option<Box<Worst>>,
    /// The order of the elements does not matter: the wanted value shown next to a wrong one is any of the missing
    /// values.
    pub any_order: bool,
    /// The inputs that the first wrong element depends on, where they differ from those it should depend on.
    pub sources: Option<Sources>,
}

/// The input elements that one output element depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// Index in the output, one number per extent.
    pub element: Vec<usize>,
    pub inputs: Vec<InputUse>,
}

/// Elements of one input, by their flat indices in the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputUse {
    pub buffer: String,
    /// Extents, slowest dimension first.
    pub shape: Vec<usize>,
    /// `yours`: the elements that the learner's value depends on; `wanted`: those that the right value depends on.
    pub yours: Vec<usize>,
    pub wanted: Vec<usize>,
}

/// The element whose value is farthest from the wanted one.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    pub element: Element,
    /// Absolute difference.
    pub error: f64,
    /// The largest difference that the tolerance allows for this element.
    pub allowed: f64,
}

/// What a program printed compared with what it should have printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Misprint {
    pub case: JudgedCase,
    /// `differing` of `wanted` lines differ; a surplus line counts as one that differs.
    pub differing: usize,
    pub wanted: usize,
    /// The first line that differs and its neighbours.
    pub window: Vec<Line>,
    /// Exit codes: wanted, got.
    pub codes: (i32, i32),
    /// What contributed to the modelled times that the program measured, to explain why they differ.
    pub observed: Vec<Observed>,
}

/// A line of output. `want` or `got` is `None` where that side has no such line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Line number, 1-based.
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
    /// `None` stands for any thread of the block.
    pub thread: Option<Dim3>,
}

/// One element of a buffer: what it should be and what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Index in the buffer, one number per extent.
    pub index: Vec<usize>,
    /// As text, with as many digits as it takes to show the difference.
    pub want: String,
    /// `None`: the element was never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    pub right: bool,
}

/// Typical mistakes recognised from the wrong values.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// No element was ever written.
    Untouched,
    /// Only some elements were written: how many, and the range of the others where they are contiguous.
    PartlyWritten { written: usize, gap: Option<Range<usize>> },
    /// Every element of an in-out buffer still holds its initial value.
    Unchanged,
    /// The wrong elements of an in-out buffer still hold their initial values: how many, and their range where they
    /// are contiguous.
    PartlyUnchanged { unchanged: usize, gap: Option<Range<usize>> },
    /// Every element is zero.
    AllZero,
    /// Equal to an input buffer.
    CopyOfInput { buffer: String },
    /// `got[i] == want[i + by]`, in an in-out buffer for the elements that should change.
    Shifted { by: i64 },
    /// Every value is wrong by the same number: `got[i] == want[i] + by`.
    Offset { by: f64 },
    /// The matrix is transposed.
    Transposed,
    /// The result is that of indexing some matrices as column * rows + row: `read` names the inputs that are read
    /// so, `written` says whether the output is written so.
    ExchangedIndex { read: Vec<String>, written: bool },
    /// Written are the elements that threads would write if their x were the row and their y the column.
    ExchangedThreads,
    /// The elements are in reverse order.
    Reversed,
    /// Only the first block's elements are right.
    FirstBlockOnly { right: usize, others: LaterBlocks },
    /// Every element has the same value.
    Constant,
    /// Some wrong elements are not a number.
    NotANumber,
    /// Some wrong elements are infinite where a finite number is wanted.
    Infinite,
    /// Only the last elements are wrong.
    TailWrong { from: usize, starts: TailStart },
    /// All results are whole numbers where the right ones are not; `cut`: each is the right value truncated.
    Whole { cut: bool },
    /// The differences are rounding only; `relative` is the largest relative difference.
    NearlyRight { relative: f64 },
}

/// A [`Pattern`] without its details, serialised as its stable name, as after the colon of
/// `wrong-result: first-block-only`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternKind {
    Untouched,
    PartlyWritten,
    Unchanged,
    PartlyUnchanged,
    AllZero,
    CopyOfInput,
    Shifted,
    Offset,
    Transposed,
    ExchangedIndex,
    ExchangedThreads,
    Reversed,
    FirstBlockOnly,
    Constant,
    NotANumber,
    Infinite,
    TailWrong,
    #[serde(rename = "whole-numbers")]
    Whole,
    NearlyRight,
}

impl std::fmt::Display for PatternKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// What the blocks after the first left behind, where only the first is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaterBlocks {
    /// Their elements were never written.
    Unset,
    /// The first block's values repeated.
    Repeated,
    /// Other values.
    Wrong,
}

/// Where a wrong tail starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailStart {
    /// Within the last of several blocks, which has fewer elements than the first.
    InLastBlock,
    /// At the first element of this block.
    WithBlock(Dim3),
    Elsewhere,
}

impl Pattern {
    /// Returns whether the pattern does not depend on the positions of the values.
    pub(crate) fn is_position_independent(&self) -> bool {
        use Pattern::{AllZero, NotANumber, Unchanged, Untouched};
        matches!(self, Untouched | Unchanged | AllZero | NotANumber)
    }

    pub fn kind(&self) -> PatternKind {
        match self {
            Pattern::Untouched => PatternKind::Untouched,
            Pattern::PartlyWritten { .. } => PatternKind::PartlyWritten,
            Pattern::Unchanged => PatternKind::Unchanged,
            Pattern::PartlyUnchanged { .. } => PatternKind::PartlyUnchanged,
            Pattern::AllZero => PatternKind::AllZero,
            Pattern::CopyOfInput { .. } => PatternKind::CopyOfInput,
            Pattern::Shifted { .. } => PatternKind::Shifted,
            Pattern::Offset { .. } => PatternKind::Offset,
            Pattern::Transposed => PatternKind::Transposed,
            Pattern::ExchangedIndex { .. } => PatternKind::ExchangedIndex,
            Pattern::ExchangedThreads => PatternKind::ExchangedThreads,
            Pattern::Reversed => PatternKind::Reversed,
            Pattern::FirstBlockOnly { .. } => PatternKind::FirstBlockOnly,
            Pattern::Constant => PatternKind::Constant,
            Pattern::NotANumber => PatternKind::NotANumber,
            Pattern::Infinite => PatternKind::Infinite,
            Pattern::TailWrong { .. } => PatternKind::TailWrong,
            Pattern::Whole { .. } => PatternKind::Whole,
            Pattern::NearlyRight { .. } => PatternKind::NearlyRight,
        }
    }
}

impl Failure {
    /// Creates the failure for something at a place that this tool lacks.
    pub fn unsupported(what: String, at: Option<SourceLocation>) -> Failure {
        Failure::Unsupported { what: Lack::Of(what), line: at.map(|at| at.line) }
    }

    /// Creates the failure for a call of an undefined function, given its name in the PTX.
    pub fn undefined(name: &str, at: Option<SourceLocation>) -> Failure {
        match fault(name) {
            Fault::Library => Failure::unsupported(lacking(name), at),
            fault => Failure::UndefinedFunction {
                function: source_name(name),
                only_for_host: fault == Fault::HostOnly,
                line: at.map(|at| at.line),
            },
        }
    }

    /// Returns the case in which it fails, for failures that only show in some case.
    pub fn case(&self) -> Option<&JudgedCase> {
        match self {
            Failure::Wrong(mismatch) => Some(&mismatch.case),
            Failure::Printed(misprint) => Some(&misprint.case),
            Failure::Overwork(overwork) => Some(&overwork.case),
            Failure::Ended { case, .. } | Failure::Defect { case, .. } | Failure::Work { case, .. } => {
                Some(case)
            }
            _ => None,
        }
    }

    /// Returns the reason without its details.
    pub fn reason(&self) -> Reason {
        match self {
            Failure::Compile(_) => Reason::CompileError,
            Failure::MissingKernel(_) => Reason::MissingKernel,
            Failure::MissingFunction(_) => Reason::MissingFunction,
            Failure::Wrong(_) => Reason::WrongResult,
            Failure::Printed(_) => Reason::WrongOutput,
            Failure::Ended { .. } => Reason::EarlyExit,
            Failure::Defect { findings, .. } => {
                findings.first().map_or(Reason::Defect, |first| Reason::Finding(first.kind))
            }
            Failure::Work { .. } | Failure::Overwork(_) => Reason::TooMuchWork,
            Failure::Speed(speed) if speed.suspicious.is_some() => Reason::TooFast,
            Failure::Speed(_) => Reason::TooSlow,
            Failure::Unanswered(_) => Reason::Unanswered,
            Failure::WrongAnswer(_) => Reason::WrongAnswer,
            Failure::Launch { .. } => Reason::LaunchError,
            Failure::Limit(_) => Reason::Limit,
            Failure::UndefinedFunction { .. } => Reason::UndefinedFunction,
            Failure::Unsupported { .. } => Reason::Unsupported,
        }
    }

    /// Returns the stable name of the failure.
    pub fn slug(&self) -> &'static str {
        self.reason().slug()
    }
}
