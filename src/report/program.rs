//! The result of running a whole program: how it ended, and what was found.

mod sampled;

use super::diagnostic::DiagnosticView;
use super::diagnostic::plain::follows;
use super::finding::place::xyz;
use super::finding::{self, FindingView, advice};
use super::layout::{paragraph, plural};
use super::memory::MemoryView;
use super::{RanOn, Style, diagnostic, escape, paint};
use host::device::simulated::Launched;
use judge::{Counted, Counter};
use serde::Serialize;
use sim::FindingKind;
use std::collections::BTreeMap;

/// The JSON of `run`, from which its text is rendered.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProgramView {
    pub file: String,
    #[serde(flatten)]
    pub end: EndView,
    #[serde(flatten)]
    pub run: ProgramRunView,
    /// Kernels that ran, in launch order; below, how many more there were.
    pub launches: Vec<LaunchView>,
    pub launches_dropped: u64,
    /// Memory allocated through CUDA over time; left out where the program allocated none.
    #[serde(skip_serializing_if = "MemoryView::is_empty")]
    pub memory: MemoryView,
    pub findings: Vec<FindingView>,
    /// Performance advice, where it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<FindingView>,
    pub diagnostics: Vec<DiagnosticView>,
}

/// How a program ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EndView {
    pub ended: Ended,
    /// The program's exit code; `None` where it did not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it did not end by itself; `None` where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Line at which it was stopped; 0 where it is not known.
    pub line: u32,
}

impl EndView {
    /// Sets how the program ended, and why it did not end by itself.
    pub fn because(&mut self, ended: Ended, why: impl Into<String>) {
        (self.ended, self.detail) = (ended, Some(why.into()));
    }
}

/// What ended a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    Exit,
    /// By a finding.
    Stopped,
    /// It was not run.
    #[default]
    CompileError,
    UndefinedFunction,
    Unsupported,
    Limit,
    Cancelled,
}

/// Where a program ran, for how long, and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProgramRunView {
    /// Name of the GPUs; below, their number.
    pub device: String,
    pub devices: usize,
    pub backend: RanOn,
    /// When the program ended on its simulated clock, in nanoseconds; `None` on a real GPU and in a sampled run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modelled_ns: Option<u64>,
    /// When the program ended in real time, in nanoseconds; `None` where its clock is simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<u64>,
    /// What went wrong on the GPU, and whether the simulator found the place; `None` where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_gpu: Option<String>,
    /// Number of PTX instructions that host code executed.
    pub host_instructions: u64,
    /// Percentage of each kernel's blocks that ran, where the run was sampled. In a sampled run nothing is
    /// checked and no time is modelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled_percent: Option<f64>,
    pub stdout: String,
    pub stderr: String,
    /// The files that the program has left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ProgramFileView>,
}

/// A file that a program has left, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgramFileView {
    /// As the program wrote it.
    pub path: String,
    pub bytes: usize,
    /// Why it was not written; `None` where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<FileRefusal>,
}

/// Why a program's file is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRefusal {
    /// Its path leads out of the current folder.
    Outside,
    /// The folder that it would be in is not there.
    NoFolder,
    /// It is the program's own source.
    Source,
    /// The system refused it.
    Failed,
}

/// One kernel launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaunchView {
    /// The kernel's name in the source.
    pub kernel: String,
    /// Line of the launch; 0 where it is not known.
    pub line: u32,
    pub device: u32,
    pub stream: u32,
    /// x, y, z.
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    /// On the program's own clock; `None` where the kernel never started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_ns: Option<u64>,
    /// By name; zeros are left out.
    pub counts: BTreeMap<Counter, u64>,
}

impl LaunchView {
    /// Creates the view; `times_ns` is when the kernel started and ended.
    pub fn new(launched: &Launched, times_ns: Option<(u64, u64)>) -> LaunchView {
        let counts = Counted::of_kernels(&launched.work.counts).filter(|its| its.value > 0);
        LaunchView {
            kernel: launched.what.function().to_string(),
            line: launched.line.unwrap_or(0),
            device: launched.device,
            stream: launched.stream.0,
            grid: xyz(launched.config.grid),
            block: xyz(launched.config.block),
            dynamic_shared_bytes: launched.config.dynamic_shared_bytes,
            start_ns: times_ns.map(|(start, _)| start),
            end_ns: times_ns.map(|(_, end)| end),
            counts: counts.map(|its| (its.counter, its.value)).collect(),
        }
    }
}

/// Renders what is shown after the program's own output; empty where it ended by itself and nothing was found.
pub fn program(view: &ProgramView, style: &Style) -> String {
    let mut out = String::new();
    let file = escape(&view.file);
    if view.end.ended == Ended::CompileError {
        out += &format!("{}\n", paint::bad(&format!("✗ {file}: does not compile")));
    }
    let mut before: Option<&DiagnosticView> = None;
    for message in &view.diagnostics {
        let cascade = |b: &DiagnosticView| follows(&message.message, message.line, &b.message, b.line);
        if !style.verbose && before.is_some_and(cascade) {
            continue;
        }
        // A hint that the previous message had is not repeated.
        let known = before.is_some_and(|b| b.hint == message.hint);
        before = Some(message);
        let hint = message.hint.clone().filter(|_| !known);
        out += &diagnostic::render(&DiagnosticView { hint, ..message.clone() }, style.width);
    }
    if let Some(text) = &view.run.on_gpu {
        out += &paragraph(&format!("! {file}: {}", escape(text)), style.width, 0);
    }
    // Memory that the end of the program frees anyway is reported only as a remark.
    let leak = |finding: &&FindingView| finding.class.kind == FindingKind::Leak;
    let (leaks, findings): (Vec<&FindingView>, Vec<&FindingView>) = view.findings.iter().partition(leak);
    for finding in &findings {
        out += &format!("{}\n", paint::bad(&format!("✗ {file}: {}", finding.class.title)));
        out += &finding::render(finding, &view.file, style);
        out += &paragraph(&format!("Try: {}", escape(&finding.help)), style.width, 2);
    }
    if let EndView { ended, detail: Some(detail), line, .. } = &view.end {
        let place = if *line > 0 { format!(" (line {line})") } else { String::new() };
        let text = match ended {
            Ended::UndefinedFunction if *line > 0 => format!("✗ {file}:{line}: {}", escape(detail)),
            Ended::UndefinedFunction => format!("✗ {file}: {}", escape(detail)),
            Ended::Unsupported => {
                let who = if view.run.backend == RanOn::Gpu { "this tool" } else { "the simulator" };
                format!("! {file}: {who} lacks {}{place}. That is not your mistake.", escape(detail))
            }
            _ => format!("! {file}: {}{place}", escape(detail)),
        };
        out += &paragraph(&text, style.width, 0);
    }
    out += &advice::render(&view.advice, &view.file, true, style);
    if findings.len() > 1 {
        out += &paint::dim(&format!("{}\n", plural(findings.len() as u64, "finding", "findings")));
    }
    out += &left_behind(&leaks, &view.file, style.width);
    for file in &view.run.files {
        out += &paint::dim(&paragraph(&of_file(file), style.width, 0));
    }
    out + &sampled::table(view, style)
}

/// Returns the line on a file that the program has left.
fn of_file(file: &ProgramFileView) -> String {
    let (path, bytes) = (escape(&file.path), plural(file.bytes as u64, "byte", "bytes"));
    let why = match file.refused {
        None => return format!("· wrote {path}, {bytes}"),
        Some(FileRefusal::Outside) => "only files in the current folder are kept",
        Some(FileRefusal::NoFolder) => "the folder it would be in is not there",
        Some(FileRefusal::Source) => "it is this program's own source",
        Some(FileRefusal::Failed) => "the system refused it",
    };
    format!("· not written: {path}, {bytes}: {why}")
}

/// Renders the allocations that were never freed, one per line.
fn left_behind(leaks: &[&FindingView], of: &str, width: usize) -> String {
    const MOST: usize = 8;
    let Some(first) = leaks.first() else { return String::new() };
    let mut out = format!(
        "{}\n",
        paint::dim(&format!("· {}: {} [{}]", escape(of), first.class.title, first.class.kind.code()))
    );
    for leak in leaks.iter().take(MOST) {
        let own = leak.at.file.as_deref().filter(|name| *name != of);
        let place = match (leak.at.line, own) {
            (0, _) => String::new(),
            (line, None) => format!("line {line}: "),
            (line, Some(name)) => format!("{}:{line}: ", escape(name)),
        };
        out += &paragraph(&format!("{place}{}", escape(&leak.at.text)), width, 2);
    }
    if leaks.len() > MOST {
        out += &paragraph(&format!("and {} more places", leaks.len() - MOST), width, 2);
    }
    out
}
