//! A verdict as plain values: the JSON of `check --format json`, the stored result for an unchanged file, and the
//! input of the text renderer.

use super::bars;
use super::mismatch::MismatchView;
use super::predict::{self, QuestionView};
use super::printed::MisprintView;
use super::speed::{self, SpeedView};
use super::unshared;
use crate::TimelineView;
use crate::about::About;
use crate::diagnostic::DiagnosticView;
use crate::finding::FindingView;
use crate::finding::defect;
use crate::finding::hoisted_reads;
use crate::finding::in_function;
use crate::finding::parameter_names::in_kernel_names;
use crate::finding::parameters::Parameters;
use crate::finding::remedy::remedy;
use crate::finding::split_shared;
use crate::image::ImageView;
use crate::lack::lack;
use crate::launch::launch_failure;
use crate::layout::grouped;
use crate::limit::tool_limit;
use crate::missing::missing;
use crate::undefined;
use compiler::Subject;
use cpp::{Source, Space};
use judge::{
    Bar, Counted, Counter, ExcessThreads, Failure, Mismatch, Pattern, Reason, StarterComparison, Verdict,
};
use serde::{Deserialize, Serialize};
use sim::Finding;
use std::collections::BTreeMap;

/// Cells per row of a verdict's timeline.
const TIMELINE_CELLS: usize = 56;

/// Returns the timeline of a program that ran to its end; that of a stopped program would show too little.
fn timeline_of(verdict: &Verdict, about: &About) -> Option<TimelineView> {
    let ended = matches!(verdict.result, Ok(_) | Err(Failure::Work { .. } | Failure::Printed(_)));
    let devices =
        verdict.spans.iter().filter_map(|span| span.device).max().map_or(0, |last| last as usize + 1);
    ended
        .then(|| TimelineView::new(&verdict.spans, devices, TIMELINE_CELLS))
        .flatten()
        .filter(|_| about.program)
}

/// The verdict on one lesson. Text that comes from the learner's file is not escaped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerdictView {
    #[serde(flatten)]
    pub subject: SubjectView,
    pub passed: bool,
    /// Why the file fails: a stable name such as `wrong-result`, `shared-race`, `compile-error`, `too-much-work`,
    /// `unsupported`. `None` when it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The reason in words.
    pub headline: String,
    #[serde(flatten)]
    pub run: JudgedRunView,
    /// Whether the lesson is about a whole program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub program: bool,
    /// Set while the file is still the lesson's starter: the line where to begin, or 0 where none stands out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starter: Option<u32>,
    /// Sizes of the failing case, such as `n = 8`; when passed, of the case that bars and counters are taken
    /// from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Number of cases that passed.
    #[serde(default)]
    pub cases: u64,
    #[serde(flatten)]
    pub evidence: EvidenceView,
    /// What happened, for reasons without other evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// A note on where it ran, or on what the values earn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What to try next, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// What the kernel printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Timeline of the host and the GPUs, for a program that ran to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineView>,
    /// Comparison with the starter, when the lesson passes for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<StarterComparison>,
    /// The image computed in the first case, for lessons that show one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageView>,
    /// Every counter of the case with the most thread instructions, when passed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<Counter, u64>,
}

/// What was judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubjectView {
    /// The lesson's slug.
    pub lesson: String,
    pub file: String,
    /// Whether it is the lesson's file in the workspace, so that the slug identifies it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// Line where the body of the file's only kernel begins; `None` where it has none or several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl SubjectView {
    pub fn new(lesson: &str, file: &str) -> SubjectView {
        SubjectView { lesson: lesson.into(), file: file.into(), own: false, line: None }
    }
}

/// Where kernels ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RanOn {
    /// Nothing ran.
    #[default]
    #[serde(rename = "")]
    Nothing,
    #[serde(rename = "sim")]
    Simulator,
    #[serde(rename = "gpu")]
    Gpu,
}

/// How it was judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedRunView {
    /// Wall-clock seconds of judging.
    pub seconds: f64,
    /// Whether the answer is the stored result for the same source.
    #[serde(default)]
    pub stored: bool,
    pub backend: RanOn,
    pub seed: u64,
}

impl JudgedRunView {
    /// Returns a run on the simulator with inputs from this seed.
    pub fn simulated(seed: u64) -> JudgedRunView {
        JudgedRunView { backend: RanOn::Simulator, seed, ..JudgedRunView::default() }
    }

    /// Returns ` on the GPU` if it ran there.
    pub(super) fn place(&self) -> &'static str {
        if self.backend == RanOn::Gpu { " on the GPU" } else { "" }
    }
}

/// The evidence for a verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvidenceView {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<MismatchView>,
    /// Wrong output of a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misprint: Option<MisprintView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingView>,
    /// Advice on what could be better though nothing is wrong, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<FindingView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Bar>,
    /// The lesson's bars on GPU time, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<SpeedView>,
    /// The lesson's questions and their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionView>,
    /// Errors and warnings of the compiler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<DiagnosticView>,
}

impl VerdictView {
    /// Creates the view of a file that could not be judged; `why` is a fault of the environment.
    pub fn not_judged(lesson: &str, file: &str, why: &str) -> Self {
        VerdictView {
            subject: SubjectView::new(lesson, file),
            reason: Some(Reason::NotJudged),
            headline: "not judged (not the file's fault)".into(),
            detail: Some(why.into()),
            ..VerdictView::default()
        }
    }

    pub fn new(verdict: &Verdict, about: &About, run: JudgedRunView) -> Self {
        let mut view = VerdictView {
            subject: SubjectView {
                line: only_kernel(about.source),
                ..SubjectView::new(&verdict.lesson, about.file)
            },
            passed: verdict.result.is_ok(),
            reason: verdict.result.as_ref().err().map(Failure::reason),
            run,
            program: about.program,
            starter: about.untouched_starter_line(),
            output: verdict.output.clone(),
            timeline: timeline_of(verdict, about),
            ..VerdictView::default()
        };
        // What the compiler warns of in an untouched starter is nothing that the learner has written.
        if view.starter.is_none() {
            view.evidence.diagnostics = diagnostics(&verdict.warnings, about);
        }
        match &verdict.result {
            Ok(passed) => {
                view.headline = "passed".into();
                view.cases = passed.cases as u64;
                view.case = passed.case.as_ref().map(ToString::to_string).filter(|case| !case.is_empty());
                view.evidence.bars = passed.bars.clone();
                view.evidence.speed = passed.speed.as_ref().map(SpeedView::from);
                view.evidence.questions = passed.answers.iter().map(QuestionView::new).collect();
                let counted = Counted::of_kernels(&passed.counts).chain(passed.tally.iter().copied());
                view.counters = counted.map(|its| (its.counter, its.value)).collect();
            }
            Err(failure) => {
                view.fill_failure(failure, about);
                if let Some(words) = unshared::describe(failure, about.source) {
                    view.explain(words);
                }
            }
        }
        view
    }

    /// Returns whether there is no verdict on the file, because the simulator or this machine lacks something, or
    /// because a limit was reached.
    pub fn is_undecided(&self) -> bool {
        matches!(self.reason, Some(Reason::Unsupported | Reason::Limit | Reason::NotJudged))
    }

    /// Replaces the guessed clues by the known cause: what it is, and what to do.
    fn explain(&mut self, [what, write]: [String; 2]) {
        match &mut self.evidence.mismatch {
            Some(mismatch) => mismatch.clues = vec![what, write],
            None => self.suggestion = Some(format!("{what} {write}")),
        }
    }

    /// Says in a few words why it failed, and in a sentence or two what happened.
    fn tell(&mut self, headline: impl Into<String>, detail: String) {
        self.headline = headline.into();
        self.detail = Some(detail);
    }

    fn fill_failure(&mut self, failure: &Failure, about: &About) {
        match failure {
            Failure::Compile(messages) => self.fill_messages(messages, about),
            Failure::MissingKernel(its) => {
                let kernel = &its.name;
                let found = if its.hides_pointers { as_written(about.source) } else { its.found.clone() };
                self.tell(
                    format!("no kernel {kernel} that the lesson can launch"),
                    with_found(&missing(its), &found),
                );
                self.suggestion = Some(match is_written(about.source, kernel) {
                    true => format!(
                        "`{kernel}` exists, but is not a kernel: extern \"C\" __global__ void {kernel}(…) makes it one."
                    ),
                    false => format!(
                        "The lesson calls extern \"C\" __global__ void {kernel}(…): keep its name and its parameters."
                    ),
                });
            }
            Failure::MissingFunction(its) => {
                let function = &its.name;
                self.tell(
                    format!("no function {function} that the lesson can call"),
                    with_found(&missing(its), &its.found),
                );
                self.suggestion = Some(format!(
                    "Keep the name of {function} and its parameters, and don't make it static."
                ));
            }
            Failure::Printed(misprint) => {
                self.headline = "wrong output".into();
                self.case = Some(misprint.case.to_string());
                self.evidence.misprint = Some(MisprintView::new(misprint));
            }
            Failure::Ended { code, case } => {
                self.case = Some(case.to_string());
                self.tell(
                    "ended before the function returned",
                    format!(
                        "The program ended itself with exit code {code}, as an error check does when a call fails."
                    ),
                );
            }
            Failure::Wrong(mismatch) => self.fill_mismatch(mismatch, about),
            Failure::Defect { findings, values_right, case, excess } => {
                let title = findings.first().map_or("a defect", defect::title);
                let right = if *values_right { "right result, but " } else { "" };
                self.headline = format!("{right}{title}");
                self.case = Some(case.to_string());
                let about = About { case: Some(&case.case), ..about.clone() };
                self.fill_findings(findings, *excess, &about);
            }
            Failure::Work { bars, case } => {
                self.evidence.bars = bars.clone();
                self.headline = bars::headline(&self.evidence.bars);
                self.case = Some(case.to_string());
                let missed = bars.iter().find(|bar| !bar.met());
                let printing = missed.filter(|bar| bar.at_most).and_then(|bar| printing(bar.counter, about));
                self.suggestion = printing.or(missed.map(|bar| bar.why.clone()));
            }
            Failure::Overwork(overwork) => {
                let most =
                    overwork.line.map_or(String::new(), |line| format!(", most of them at line {line}"));
                let detail = format!(
                    "With {} it was stopped after {} warp instructions{most}. Our solution executes {} in all.",
                    overwork.case,
                    grouped(overwork.done),
                    grouped(overwork.solution)
                );
                self.tell("too much work", detail);
                self.suggestion =
                    Some("When does each loop end, and how often does it run before that?".into());
            }
            Failure::Speed(speed) => {
                self.headline = speed::headline(speed).into();
                self.suggestion = speed::advice(speed);
                self.evidence.speed = Some(SpeedView::from(&**speed));
            }
            Failure::Unanswered(answers) | Failure::WrongAnswer(answers) => {
                self.evidence.questions = answers.iter().map(QuestionView::new).collect();
                // Begin at the first question.
                self.starter = self.starter.map(|_| answers.iter().find_map(|a| a.line).unwrap_or(0));
                self.headline = predict::headline(&self.evidence.questions, self.starter.is_none());
            }
            Failure::Launch { why, clean } => {
                let ran = self.run.backend == RanOn::Gpu;
                let headline = if ran { "the launch failed" } else { "the launch was refused" };
                self.tell(headline, format!("{}: {}", why.name(), launch_failure(why, *clean)));
            }
            Failure::Limit(limit) => self.tell("over a limit of this tool", tool_limit(limit)),
            Failure::UndefinedFunction { function, only_for_host, line } => {
                let line = line.map_or(String::new(), |line| format!("line {line}: "));
                let detail = match only_for_host {
                    true => undefined::host_function_in_kernel(function),
                    false => undefined::undefined_function(function),
                };
                self.tell("calls a function that nothing defines", line + &detail);
            }
            Failure::Unsupported { what, line } => {
                let line = line.map_or(String::new(), |line| format!(", line {line}"));
                self.tell(
                    "unsupported by the simulator (ours to fix)",
                    format!("{}{line}. Your code may well be right.", lack(what)),
                );
            }
        }
    }

    /// Fills in the compiler's errors, before its warnings.
    fn fill_messages(&mut self, messages: &[compiler::Diagnostic], about: &About) {
        let is_refused = messages.first().is_some_and(|first| first.subject == Some(Subject::SystemCalled));
        self.headline = if is_refused { "calls what lessons do not have" } else { "does not compile" }.into();
        let warnings = std::mem::replace(&mut self.evidence.diagnostics, diagnostics(messages, about));
        for warning in warnings {
            if !self.evidence.diagnostics.contains(&warning) {
                self.evidence.diagnostics.push(warning);
            }
        }
    }

    fn fill_mismatch(&mut self, mismatch: &Mismatch, about: &About) {
        let untouched = matches!(mismatch.pattern, Some(Pattern::Untouched | Pattern::Unchanged));
        let not_begun = self.starter.is_some() && untouched;
        self.headline = if not_begun { "not started yet" } else { "wrong result" }.into();
        self.case = Some(mismatch.case.to_string());
        let mut view = MismatchView::new(mismatch, about);
        if !untouched {
            view.clues.extend(Parameters::new(about).clue());
        }
        self.evidence.mismatch = Some(view);
    }

    /// Fills in the findings of the case in [`VerdictView::case`]. The excess threads are those of the first.
    fn fill_findings(&mut self, findings: &[Finding], excess: ExcessThreads, about: &About) {
        let parameters = Parameters::new(about);
        let about = &parameters.about(about);
        let excess = std::iter::once(excess).chain(std::iter::repeat(ExcessThreads::default()));
        let view = |(finding, excess): (&Finding, ExcessThreads)| {
            let finding = &*split_shared::joined(finding, about.source);
            let finding = &*hoisted_reads::at_its_line(finding, about);
            let (finding, about) = match about.program {
                true => in_kernel_names(finding, about),
                false => (parameters.in_own_names(finding), about.clone()),
            };
            let about = &about;
            let finding = in_function::at_its_call(&finding, about);
            let case = self.case.clone().filter(|case| !case.is_empty());
            let view = FindingView { case, ..defect::view(&finding, about) };
            let own = parameters.against(&finding);
            FindingView { help: own.unwrap_or_else(|| remedy(&finding, &view, excess, about)), ..view }
        };
        self.evidence.findings = findings.iter().zip(excess).map(view).collect();
        self.suggestion = self.evidence.findings.first().map(|first| first.help.clone());
    }
}

/// Adds to a sentence what the file has instead.
fn with_found(detail: &str, found: &[String]) -> String {
    match found {
        [] => detail.to_owned(),
        found => format!("{detail}\nThe file has: {}.", found.join(", ")),
    }
}

fn diagnostics(all: &[compiler::Diagnostic], about: &About) -> Vec<DiagnosticView> {
    all.iter().map(|d| DiagnosticView::new(d, about.source, about.program)).collect()
}

/// Returns the line where the body of the only kernel begins.
fn only_kernel(source: &Source) -> Option<u32> {
    let mut kernels = source.kernels();
    let kernel = kernels.next().filter(|_| kernels.next().is_none())?;
    Some(source.body_lines(kernel)?.start)
}

/// Returns whether the source has functions of that name, none of which is a kernel.
fn is_written(source: &Source, name: &str) -> bool {
    let functions = source.functions().unwrap_or_default();
    let mut named = functions.iter().filter(|function| source.name_of(function) == name).peekable();
    named.peek().is_some() && named.all(|function| function.space != Space::Kernel)
}

/// Returns the file's kernels with their parameters, as written.
fn as_written(source: &Source) -> Vec<String> {
    let kernel = |kernel| {
        let parameters = source.parameters_of(kernel);
        let parameters = parameters.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}({parameters})", source.name_of(kernel))
    };
    source.kernels().map(kernel).collect()
}

/// Returns what to say about too many reads in a kernel whose printf reads an element.
fn printing(counter: Counter, about: &About) -> Option<String> {
    use Counter::*;
    let reads = matches!(
        counter,
        GlobalReads
            | GlobalReadsPerThread
            | SharedReads
            | SharedReadsPerThread
            | LoadRequests
            | LoadSectors
            | SharedLoadWavefronts
            | HostBytesRead
            | BulkBytesLoaded
            | ThreadInstructions
    );
    let kernels = about.source.kernels().filter_map(|kernel| about.source.body_lines(kernel));
    let mut lines = kernels.flatten().filter(|_| reads);
    let line =
        lines.find(|line| about.source.calls_on(*line, "printf").any(|arguments| arguments.contains('[')))?;
    Some(format!("The printf of line {line} reads too: remove it, or print a variable that holds the value."))
}
