//! A verdict as plain values: what `check --format json` prints, what is stored for an unchanged
//! file, and what the text is rendered from.

use super::advice::advice;
use super::defect;
use super::excerpt::{Excerpt, Spot};
use super::inside;
use super::mismatch::MismatchView;
use super::parameters::Parameters;
use super::plain::plain;
use super::predict::{self, QuestionView};
use super::printed::MisprintView;
use super::sides::AccessView;
use super::speed::{self, SpeedView};
use super::unshared;
use crate::cpp::Source;
use crate::judge::{Bar, Failure, Pattern, Spare, Verdict};
use crate::nvrtc::{Diagnostic, Severity};
use crate::sim::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a verdict does not say of itself.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// How the learner would name the file.
    pub file: &'a str,
    /// The text that was judged.
    pub source: &'a Source<'a>,
    /// What the lesson's file holds before anything is written.
    pub starter: &'a str,
    /// From reading the file to the verdict.
    pub seconds: f64,
    /// `sim` or `gpu`.
    pub backend: &'a str,
    pub seed: u64,
    /// Dimensions in which the lesson's launches count threads, and blocks: 1 to 3.
    pub thread_dims: usize,
    pub block_dims: usize,
    /// Block 0 is named like the others, since several have a part in what is told.
    pub every_block: bool,
    /// The lesson has a bar of none on atomics.
    pub atomics_barred: bool,
    /// The lesson is about a whole program.
    pub program: bool,
    /// Bytes of one element, by buffer.
    pub element_bytes: BTreeMap<String, u32>,
}

/// One lesson's verdict. All text is the learner's own where it comes from their file: not escaped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerdictView {
    /// Slug.
    pub lesson: String,
    pub file: String,
    pub passed: bool,
    /// Why not: a stable name such as `wrong-result`, `shared-race`, `compile-error`,
    /// `too-much-work`, `unsupported`. Absent when passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The same in words.
    pub headline: String,
    /// Wall-clock seconds of the judging.
    pub seconds: f64,
    /// Answered from the stored result of the same source.
    #[serde(default)]
    pub stored: bool,
    pub backend: String,
    pub seed: u64,
    /// The lesson is about a whole program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub program: bool,
    /// The file is still the lesson's starter: the line where to begin, 0 where none stands out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starter: Option<u32>,
    /// Sizes of the case it is about: `n = 8`. When passed, of the one that bars and counters are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Cases that passed.
    #[serde(default)]
    pub cases: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<MismatchView>,
    /// What a program printed, where it should have printed something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misprint: Option<MisprintView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingView>,
    /// What could be better though nothing is wrong, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<FindingView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<BarView>,
    /// The bars of a lesson that has some for a GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<SpeedView>,
    /// What the lesson asks, and how it was answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionView>,
    /// Errors and warnings of the compiler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<DiagnosticView>,
    /// What happened, for reasons that carry nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What there is to say of where it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What to try next, one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// What the kernel printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Every counter of the last case, when passed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingView {
    /// `R001`
    pub code: String,
    /// `shared-race`
    pub slug: String,
    /// `defect` or `advice`.
    #[serde(default)]
    pub severity: String,
    pub title: String,
    /// What happened, in one sentence.
    #[serde(default)]
    pub message: String,
    pub help: String,
    pub at: AccessView,
    /// The earlier side of a race, or the barrier that others wait at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<AccessView>,
    /// The kernel whose body has the line of `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Sizes of the case it was found with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Hits folded into this one.
    pub hits: u64,
    /// Threads it happens to, where they can be told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// Operands and result, of advice about values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostView>,
    pub notes: Vec<String>,
    /// The lines concerned, marked.
    pub excerpt: Excerpt,
    /// Lines of plain text, a dozen at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub picture: Vec<String>,
}

impl<'a> About<'a> {
    /// Of a program that belongs to no lesson.
    pub fn program(file: &'a str, source: &'a Source<'a>) -> About<'a> {
        About {
            file,
            source,
            starter: "",
            seconds: 0.0,
            backend: "sim",
            seed: 0,
            thread_dims: 1,
            block_dims: 1,
            every_block: false,
            atomics_barred: false,
            program: true,
            element_bytes: BTreeMap::new(),
        }
    }
}

impl FindingView {
    /// A finding of a program that belongs to no lesson.
    pub fn of_program(finding: &Finding, file: &str, source: &Source) -> FindingView {
        let about = About::program(file, source);
        let mut view = defect::view(finding, &about);
        view.help = advice(finding, &view, Spare::default(), &about);
        view
    }
}

/// What is spent, and what would do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostView {
    /// `sectors`, `wavefronts`, `idle lane steps`, `barriers`, `passes`, `warps`
    pub what: String,
    pub yours: u64,
    pub least: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarView {
    pub counter: String,
    pub meaning: String,
    pub yours: u64,
    pub limit: u64,
    /// `limit` is an upper bound; else a lower one.
    pub at_most: bool,
    pub met: bool,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiagnosticView {
    /// `error`, `warning` or `note`.
    pub severity: String,
    pub file: String,
    /// 1-based; 0 where the compiler gave none.
    pub line: u32,
    pub column: u32,
    pub message: String,
    /// What to do about it, in plain words, where newcomers often meet it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    pub excerpt: Excerpt,
}

impl From<&Bar> for BarView {
    fn from(bar: &Bar) -> Self {
        BarView {
            counter: bar.counter.clone(),
            meaning: bar.meaning.clone(),
            yours: bar.yours,
            limit: bar.limit,
            at_most: bar.at_most,
            met: bar.met(),
            why: bar.why.clone(),
        }
    }
}

/// Where to begin, when nothing was changed yet: at the first comment inside a kernel; in a program
/// at the first comment that says so.
fn begun_nowhere(about: &About) -> Option<u32> {
    if about.starter.trim().is_empty() || about.source.text().trim_end() != about.starter.trim_end() {
        return None;
    }
    let lines = about.source.text().lines().zip(1u32..);
    if about.program {
        let mut lines = lines;
        let place = lines.find(|(line, _)| line.trim_start().starts_with("// Write"));
        return Some(place.map_or(0, |(_, number)| number));
    }
    let mut inside = lines.skip_while(|(line, _)| !line.contains("__global__"));
    let comment =
        inside.find(|(line, _)| line.starts_with([' ', '\t']) && line.trim_start().starts_with("//"));
    Some(comment.map_or(0, |(_, number)| number))
}

/// The kernels of a file with their parameters.
fn as_written(source: &Source) -> Vec<String> {
    let kernel = |kernel| {
        let parameters = source.parameters_of(kernel);
        let parameters = parameters.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}({parameters})", source.name_of(kernel))
    };
    source.kernels().map(kernel).collect()
}

/// What to say of too many reads in a kernel that prints what it reads.
fn printing(counter: &str, about: &About) -> Option<String> {
    let kernels = about.source.kernels().filter_map(|kernel| about.source.body_lines(kernel));
    let mut lines = kernels.flatten().filter(|_| counter.contains("read") || counter.contains("load"));
    let line = lines.find(|line| {
        let text = about.source.code_line(*line);
        text.split_once("printf").is_some_and(|(_, behind)| behind.contains('['))
    })?;
    Some(format!(
        "The printf of line {line} reads, too: take it out, or print a variable that has the value."
    ))
}

/// Where a semicolon may be missing instead: the end of the code before the place that the compiler
/// gives, when that begins its line. Line and column, both 1-based.
fn end_before(diagnostic: &Diagnostic, source: &Source) -> Option<(u32, u32)> {
    let lines: Vec<&str> = source.text().lines().take(diagnostic.line as usize).collect();
    let (here, before) = lines.split_last()?;
    let column = (diagnostic.column as usize).checked_sub(1)?;
    let begins = here.chars().take(column).all(char::is_whitespace);
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim_end().chars().count();
    let last = before.iter().rposition(|line| code(line) > 0)?;
    (begins && before.len() - last <= 3).then_some((last as u32 + 1, code(before[last]) as u32))
}

impl DiagnosticView {
    /// `program`: the source is a whole program, not kernels alone.
    pub fn new(diagnostic: &Diagnostic, source: &Source, program: bool) -> Self {
        // Why each of many functions of one name does not fit helps nobody.
        let whole = &diagnostic.message;
        let notes = if whole.starts_with("no instance of overloaded function") {
            "; note: "
        } else {
            "; note: number of"
        };
        let mut message = whole.split(notes).next().unwrap_or(whole).to_string();
        let hint = plain(&message, diagnostic.line, diagnostic.column, source, program);
        let mut spots = Vec::new();
        if message == "expected a \";\""
            && let Some((line, column)) = end_before(diagnostic, source)
        {
            message += &format!(", here or at the end of line {line}");
            spots.push(Spot { line, column, ..Spot::default() });
        }
        if diagnostic.line > 0 {
            let line = diagnostic.line;
            // Past the end of a line there is nothing to mark but its end.
            let text = source.line(line).unwrap_or_default();
            let length = text.chars().count();
            let column = match text.trim_start().starts_with('#') {
                // What is wrong with one is all of it.
                true => 0,
                false => diagnostic.column.min(u32::try_from(length).unwrap_or(u32::MAX)),
            };
            spots.push(Spot { line, column, primary: true, ..Spot::default() });
        }
        let excerpt = Excerpt::of(source, &spots);
        DiagnosticView {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            }
            .into(),
            file: diagnostic.file.clone(),
            line: diagnostic.line,
            column: diagnostic.column,
            message,
            hint,
            excerpt,
        }
    }
}

impl VerdictView {
    /// Of a file that there is no verdict on: `why` is the environment's fault.
    pub fn not_judged(lesson: &str, file: &str, why: &str) -> Self {
        VerdictView {
            lesson: lesson.into(),
            file: file.into(),
            reason: Some("not-judged".into()),
            headline: "not judged (not the file's fault)".into(),
            detail: Some(why.into()),
            ..VerdictView::default()
        }
    }

    pub fn new(verdict: &Verdict, about: &About) -> Self {
        let mut view = VerdictView {
            lesson: verdict.lesson.clone(),
            file: about.file.into(),
            passed: verdict.result.is_ok(),
            reason: verdict.result.as_ref().err().map(|f| f.slug().to_string()),
            headline: String::new(),
            seconds: about.seconds,
            stored: false,
            backend: about.backend.into(),
            seed: about.seed,
            program: about.program,
            starter: begun_nowhere(about),
            case: None,
            cases: 0,
            mismatch: None,
            misprint: None,
            findings: Vec::new(),
            advice: Vec::new(),
            bars: Vec::new(),
            speed: None,
            questions: Vec::new(),
            diagnostics: verdict
                .warnings
                .iter()
                .map(|d| DiagnosticView::new(d, about.source, about.program))
                .collect(),
            detail: None,
            note: None,
            suggestion: None,
            output: verdict.output.clone(),
            counters: BTreeMap::new(),
        };
        match &verdict.result {
            Ok(passed) => {
                view.headline = "passed".into();
                view.cases = passed.cases as u64;
                view.case = Some(passed.case.clone()).filter(|case| !case.is_empty());
                view.bars = passed.bars.iter().map(BarView::from).collect();
                view.speed = passed.speed.as_ref().map(SpeedView::from);
                view.questions = passed.answers.iter().map(QuestionView::new).collect();
                view.counters =
                    passed.counts.named().into_iter().map(|(name, n, _)| (name.to_string(), n)).collect();
                view.counters.extend(passed.tally.iter().map(|c| (c.name.to_string(), c.value)));
            }
            Err(failure) => {
                view.fill_failure(failure, about);
                if let Some(told) = unshared::told(failure, about.source) {
                    view.explain(told);
                }
            }
        }
        view
    }

    /// Puts the cause in the place of what was guessed: what it is, and what to do.
    fn explain(&mut self, [what, write]: [String; 2]) {
        match &mut self.mismatch {
            Some(mismatch) => mismatch.clues = vec![what, write],
            None => self.suggestion = Some(format!("{what} {write}")),
        }
    }

    fn fill_failure(&mut self, failure: &Failure, about: &About) {
        match failure {
            Failure::Compile(diagnostics) => {
                self.headline = "does not compile".into();
                let errors = diagnostics.iter().map(|d| DiagnosticView::new(d, about.source, about.program));
                let warnings = std::mem::take(&mut self.diagnostics);
                self.diagnostics = errors.collect();
                for warning in warnings {
                    if !self.diagnostics.contains(&warning) {
                        self.diagnostics.push(warning);
                    }
                }
            }
            Failure::MissingKernel { kernel, found, detail } => {
                self.headline = format!("no kernel {kernel} as the lesson launches it");
                let mut text = detail.clone();
                // PTX forgets the types of parameters that have C's names.
                let written = found.iter().any(|kernel| kernel.contains("64-bit integer"));
                let found = if written { as_written(about.source) } else { found.clone() };
                if !found.is_empty() {
                    text += &format!("\nThe file has: {}.", found.join(", "));
                }
                self.detail = Some(text);
                self.suggestion = Some(format!(
                    "The lesson calls extern \"C\" __global__ void {kernel}(…): keep its name and its parameters."
                ));
            }
            Failure::MissingFunction { function, found, detail } => {
                self.headline = format!("no function {function} as the lesson calls it");
                let mut text = detail.clone();
                if !found.is_empty() {
                    text += &format!("\nThe file has: {}.", found.join(", "));
                }
                self.detail = Some(text);
                self.suggestion = Some(format!(
                    "Keep the name of {function} and its parameters, and don't make it static."
                ));
            }
            Failure::Printed(misprint) => {
                self.headline = "wrong output".into();
                self.case = Some(misprint.case.clone());
                self.misprint = Some(MisprintView::new(misprint));
            }
            Failure::Ended { code, case } => {
                self.headline = "ended before the function returned".into();
                self.case = Some(case.clone());
                self.detail = Some(format!(
                    "The program ended itself with exit code {code}, as a check of errors does when one fails."
                ));
            }
            Failure::Wrong(mismatch) => {
                let untouched = matches!(mismatch.pattern, Some(Pattern::Untouched | Pattern::Unchanged));
                self.headline =
                    if self.starter.is_some() && untouched { "not begun yet" } else { "wrong result" }.into();
                self.case = Some(mismatch.case.clone());
                let mut mismatch = MismatchView::new(mismatch, about);
                if !untouched {
                    mismatch.clues.extend(Parameters::new(about).clue());
                }
                self.mismatch = Some(mismatch);
            }
            Failure::Defect { findings, values_right, case, spare } => {
                let title = findings.first().map_or("a defect", defect::title);
                self.headline =
                    if *values_right { format!("right result, but {title}") } else { title.to_string() };
                self.case = Some(case.clone());
                let parameters = Parameters::new(about);
                let (about, findings) = (&parameters.about(about), findings.iter());
                let findings: Vec<Finding> =
                    findings.map(|f| inside::at_its_call(&parameters.in_own_names(f), about)).collect();
                self.findings = findings.iter().map(|f| defect::view(f, about)).collect();
                self.findings
                    .iter_mut()
                    .for_each(|f| f.case = Some(case.clone()).filter(|case| !case.is_empty()));
                let first = findings.first().zip(self.findings.first());
                self.suggestion = first
                    .map(|(f, view)| parameters.against(f).unwrap_or_else(|| advice(f, view, *spare, about)));
            }
            Failure::Work { bars, case } => {
                self.bars = bars.iter().map(BarView::from).collect();
                self.headline = super::bars::headline(&self.bars);
                self.case = Some(case.clone());
                let missed = bars.iter().find(|bar| !bar.met());
                let printing = missed.filter(|bar| bar.at_most).and_then(|bar| printing(&bar.counter, about));
                self.suggestion = printing.or(missed.map(|bar| bar.why.clone()));
            }
            Failure::Speed(speed) => {
                let speed = SpeedView::from(speed.as_ref());
                self.headline = speed::headline(&speed).into();
                self.suggestion = speed.advice();
                self.speed = Some(speed);
            }
            Failure::Unanswered(answers) | Failure::WrongAnswer(answers) => {
                self.questions = answers.iter().map(QuestionView::new).collect();
                // Where to begin is where the first question is.
                self.starter = self.starter.map(|_| answers.iter().find_map(|a| a.line).unwrap_or(0));
                self.headline = predict::headline(&self.questions, self.starter.is_none());
            }
            Failure::Launch { name, message } => {
                let ran = self.backend == "gpu";
                self.headline = if ran { "the launch failed" } else { "the launch was refused" }.into();
                self.detail = Some(format!("{name}: {message}"));
            }
            Failure::Limit(what) => {
                self.headline = "over a limit of this tool".into();
                self.detail = Some(what.clone());
            }
            Failure::Unsupported { what, line } => {
                self.headline = "unsupported by the simulator (ours to fix)".into();
                self.detail = Some(match line {
                    Some(line) => format!("{what}, line {line}. Your code may well be right."),
                    None => format!("{what}. Your code may well be right."),
                });
            }
        }
    }
}
