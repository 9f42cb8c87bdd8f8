//! A verdict as text: the outcome and its reason in one line, then the evidence, then one suggestion; no more
//! than a screenful unless everything is asked for.

mod bars;
mod mismatch;
mod predict;
mod printed;
mod speed;
mod unshared;
mod view;

pub use mismatch::{MismatchView, PlaceView, WorstView};
pub use predict::{AnswerStatus, QuestionView, ValueView, measurements, question};
pub use speed::{SpeedView, too_fast};
pub use view::{EvidenceView, JudgedRunView, RanOn, SubjectView, VerdictView};

use super::diagnostic::DiagnosticView;
use super::diagnostic::plain::follows;
use super::finding::advice;
use super::layout::{and_more, hanging, paragraph, plural, seconds, spread, text_width, wrap};
use super::{Style, diagnostic, escape, escape_lines, finding, paint};
use compiler::{Expected, MessageKind, Severity};
use judge::{Counter, PatternKind, Reason};

/// Lines shown of the kernel's own output, unless verbose.
const OUTPUT_LINES: usize = 5;
/// Lines shown of compiler messages, unless verbose.
const DIAGNOSTIC_LINES: usize = 16;

/// Renders the verdict on one lesson, and the image that its kernels computed.
pub fn verdict(view: &VerdictView, style: &Style) -> String {
    let image = view.image.as_ref().map_or(String::new(), |image| image.render(style));
    headline(view, style) + &body(view, style) + &image
}

/// Renders what comes after the first line.
fn body(view: &VerdictView, style: &Style) -> String {
    let mut out = String::new();
    if view.passed {
        out += &passed(view, style);
    } else if let Some(text) = not_begun(view, style) {
        out += &text;
    } else {
        if view.starter.is_some() && view.evidence.questions.is_empty() {
            out += &paragraph("The file is unchanged. This is what it does so far:", style.width, 2);
        }
        out += &evidence(view, style);
        out += &suggestion(view, style);
    }
    out += &output(view, style);
    // On a narrow page the chart's rows would be broken.
    if let Some(timeline) = view.timeline.as_ref().filter(|its| style.width >= its.width() + 2) {
        out += &super::gantt::timeline(timeline, style.width, 2);
    }
    if let Some(note) = &view.note {
        out += &paragraph(&format!("Note: {}.", escape(note.trim_end_matches('.'))), style.width, 2);
    }
    if let Some(same) = view.again(style).filter(|_| style.verbose) {
        out += &paint::dim(&format!("  The same inputs again: {same}\n"));
    }
    if view.passed {
        out += &advice::render(&view.evidence.advice, &view.subject.file, true, style);
        out += &next_steps(view, style);
    }
    out
}

/// Renders only the first line.
pub fn headline(view: &VerdictView, style: &Style) -> String {
    first_line(view, &escape(&view.subject.lesson), style)
}

/// Renders one of many files: one line; for a failing file a second line with the reason and the place; with
/// `verbose` the whole verdict.
pub fn submission(view: &VerdictView, style: &Style) -> String {
    let line = first_line(
        view,
        &format!("{} ({})", escape(&view.subject.file), escape(&view.subject.lesson)),
        style,
    );
    let mut problems = view.problems().into_iter();
    match problems.find(|problem| problem.severity != Severity::Note).filter(|_| !view.passed) {
        _ if style.verbose || view.reason == Some(Reason::NotJudged) => line + &body(view, style) + "\n",
        Some(problem) => line + &problem.compiler_line(),
        None => line,
    }
}

/// Renders how many files pass, how many could not be judged, and the command that shows details of the first one
/// that fails.
pub fn sum(views: &[VerdictView], style: &Style) -> String {
    let passed = views.iter().filter(|view| view.passed).count();
    let rest = match views.iter().filter(|view| view.is_undecided()).count() {
        0 => String::new(),
        unknown => format!(", {unknown} could not be judged"),
    };
    let failing = views.iter().find(|view| !view.passed && view.reason != Some(Reason::NotJudged));
    let details =
        failing.filter(|_| !style.verbose).and_then(|view| view.again(style).or(view.check_command(style)));
    let details = details.map_or(String::new(), |command| format!("Details: {}\n", paint::accent(&command)));
    format!("\n{passed} of {} pass{rest}\n{details}", views.len())
}

fn first_line(view: &VerdictView, name: &str, style: &Style) -> String {
    let time = match view.run.stored {
        _ if !style.timed => String::new(),
        true => "unchanged".to_owned(),
        false => seconds(view.run.seconds),
    };
    let headline = escape(&view.headline);
    let (text, paint): (String, fn(&str) -> String) = match () {
        () if view.passed => (format!("✓ {name}"), paint::good),
        // Not the learner's fault: no cross.
        () if view.is_undecided() => (format!("! {name}: {headline}"), paint::accent),
        () => (format!("✗ {name}: {headline}"), paint::bad),
    };
    spread(&text, &time, style.width, paint)
}

fn passed(view: &VerdictView, style: &Style) -> String {
    if !view.evidence.questions.is_empty() {
        return predict::passed(view, style);
    }
    let mut parts: Vec<String> = Vec::new();
    for bar in &view.evidence.bars {
        let (yours, limit) = bars::values_to_compare(bar.counter, bar.yours, bar.limit);
        let least = if bar.at_most { "" } else { "at least " };
        parts.push(format!("{}: {yours} (bar {least}{limit})", bar.counter.meaning()));
    }
    let place = view.run.place();
    let clean = format!("{}{place}, no findings", plural(view.cases, "size", "sizes"));
    let mut out = String::new();
    // Bars are those of the case with the most thread instructions.
    let case = view.case.as_deref().filter(|case| !case.is_empty());
    let with = case.map_or("Counted".into(), |case| format!("With {}", escape(case)));
    match parts.len() {
        0 => out += &paragraph(&format!("Correct for {clean}."), style.width, 2),
        1 => out += &paragraph(&format!("Correct for {clean}. {with}: {}.", parts[0]), style.width, 2),
        _ => {
            out += &paragraph(&format!("Correct for {clean}. {with}:"), style.width, 2);
            out += &bars::table(&view.evidence.bars, style.width);
        }
    }
    if let Some(view) = &view.began {
        out += &paragraph(&bars::starter_comparison(view), style.width, 2);
    }
    if let Some(view) = &view.evidence.speed {
        out += &speed::render(view, style.width);
    }
    for warning in &view.evidence.diagnostics {
        out += &diagnostic::render(warning, style.width);
    }
    if style.verbose {
        out += &counters(view, style.width);
    }
    out
}

/// Renders the nonzero counters with their meanings.
fn counters(view: &VerdictView, width: usize) -> String {
    let mut rows = Vec::new();
    for counter in Counter::of_kernels().chain(Counter::of_programs()) {
        if let Some(n) = view.counters.get(&counter).filter(|n| **n > 0) {
            rows.push((super::grouped(*n), format!("{} ({counter})", counter.meaning())));
        }
    }
    let column = rows.iter().map(|(n, _)| n.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (n, meaning) in rows {
        let lines = hanging(&format!("  {n:>column$}  "), &meaning, width);
        lines.iter().for_each(|line| out += &paint::dim(&format!("{line}\n")));
    }
    out
}

fn next_steps(view: &VerdictView, style: &Style) -> String {
    let command = &style.command;
    let left = format!("  Our solution: {command} solution {}", escape(&view.subject.lesson));
    let right = if style.watching { "n: next lesson".into() } else { format!("Next: {command} next") };
    if text_width(&left) + 3 + text_width(&right) <= style.width {
        let gap = (style.width - text_width(&left) - text_width(&right)).min(5);
        format!("{left}{:gap$}{right}\n", "")
    } else {
        paragraph(&left, style.width, 2) + &paragraph(&right, style.width, 2)
    }
}

fn evidence(view: &VerdictView, style: &Style) -> String {
    let width = style.width;
    let mut out = String::new();
    // A note may have the place that matters: the opening brace that is never closed.
    let mut placeless = false;
    let mut before: Option<&DiagnosticView> = None;
    let errors: Vec<&DiagnosticView> = (view.evidence.diagnostics.iter())
        .filter(|d| {
            let error = d.severity == Severity::Error;
            let follows = error && before.is_some_and(|b| follows(&d.message, d.line, &b.message, b.line));
            let shown = error && !follows || (placeless && d.severity == Severity::Note && d.line > 0);
            let unclosed = MessageKind::Expected(Expected::ClosingBrace);
            let elsewhere = d.line == 0 || MessageKind::of(&d.message) == unclosed;
            placeless = (error && elsewhere && !follows) || (placeless && !shown);
            if shown && error {
                before = Some(d);
            }
            shown
        })
        .collect();
    let shown: Vec<&DiagnosticView> =
        if style.verbose || errors.is_empty() { view.evidence.diagnostics.iter().collect() } else { errors };
    out += &diagnostics(&shown, view.evidence.diagnostics.len(), style);
    if let Some(detail) = &view.detail {
        for line in escape_lines(detail).lines() {
            out += &paragraph(line, width, 2);
        }
    }
    let place = view.run.place();
    let case = view.case.as_deref().filter(|c| !c.is_empty());
    let case = case.map(|c| format!("With {}{place}: ", escape(c)));
    let case = case.unwrap_or_default();
    match (&view.evidence.mismatch, &view.evidence.misprint) {
        (Some(mismatch), _) => out += &mismatch::render(mismatch, &case, width),
        (None, Some(misprint)) => out += &printed::render(misprint, &case, width),
        (None, None) => out += &paragraph(&case, width, 2),
    }
    let count =
        if style.verbose { view.evidence.findings.len() } else { view.evidence.findings.len().min(1) };
    for finding in view.evidence.findings.iter().take(count) {
        out += &finding::render(finding, &view.subject.file, style);
    }
    out += &and_more(view.evidence.findings.len() - count, "more finding", "more findings", style);
    if !view.evidence.bars.is_empty() {
        out += &bars::table(&view.evidence.bars, width);
        // Advice shows where the excess work is done; what to try is in the lesson.
        out += &advice::render(&view.evidence.advice, &view.subject.file, false, style);
    }
    if let Some(view) = &view.evidence.speed {
        out += &speed::render(view, width);
    }
    out + &predict::evidence(view, style)
}

/// Renders as many messages as fit a screen, at least one.
fn diagnostics(shown: &[&DiagnosticView], all: usize, style: &Style) -> String {
    let mut out = String::new();
    let mut lines = 0;
    let mut printed = 0;
    let mut hints = Vec::new();
    for d in shown {
        // A hint that was printed already is not repeated.
        let known = d.hint.as_ref().is_some_and(|hint| hints.contains(&hint));
        hints.extend(d.hint.as_ref());
        let text = match known {
            true => diagnostic::render(&DiagnosticView { hint: None, ..(*d).clone() }, style.width),
            false => diagnostic::render(d, style.width),
        };
        lines += text.lines().count();
        if printed > 0 && lines > DIAGNOSTIC_LINES && !style.verbose {
            break;
        }
        out += &text;
        printed += 1;
    }
    let left = if style.verbose { 0 } else { all - printed };
    out + &and_more(left, "more message", "more messages", style)
}

fn suggestion(view: &VerdictView, style: &Style) -> String {
    let mut out = String::new();
    let explain =
        view.evidence.findings.first().map(|f| format!("{} explain {}", style.command, f.class.kind.code()));
    let try_this = view.suggestion.as_ref().map(|s| format!("Try: {}", escape(s)));
    let lines = try_this.map(|t| wrap(&t, style.width, 2)).unwrap_or_default();
    let columns = lines.last().map_or(0, |last| text_width(last));
    let mut lines = paint::code(lines);
    let last = lines.pop().unwrap_or_default();
    for line in lines {
        out += &format!("{line}\n");
    }
    match explain {
        Some(explain) if columns + 3 + text_width(&explain) <= style.width => {
            let gap = style.width - columns - text_width(&explain);
            out += &format!("{last}{:gap$}{}\n", "", paint::accent(&explain));
        }
        Some(explain) => out += &format!("{last}\n  {}\n", paint::accent(&explain)),
        None if last.is_empty() => {}
        None => out += &format!("{last}\n"),
    }
    // There is neither a suggestion nor a clue: point to the hints.
    if view.suggestion.is_none() && view.evidence.mismatch.as_ref().is_some_and(|m| m.clues.is_empty()) {
        let hint = match style.watching {
            true => "h: hint".into(),
            false => format!("{} hint {}", style.command, escape(&view.subject.lesson)),
        };
        out += &format!("  Stuck? {}\n", paint::accent(&hint));
    }
    out
}

/// Renders where to begin, if the file is the unchanged starter and has written nothing; `None` otherwise.
fn not_begun(view: &VerdictView, style: &Style) -> Option<String> {
    let line = view.starter?;
    let untouched = matches!(
        view.evidence.mismatch.as_ref()?.pattern,
        Some(PatternKind::Untouched | PatternKind::Unchanged)
    );
    if !untouched {
        return None;
    }
    let (file, lesson) = (escape(&view.subject.file), escape(&view.subject.lesson));
    let place = if line > 0 { format!("{file}:{line}") } else { file };
    let what = if view.program { "program" } else { "kernel" };
    let text = format!("The file is unchanged: the {what} does nothing yet.");
    let mut out = paragraph(&text, style.width, 2);
    for (what, answer) in
        [("Write it here", place), ("What it should do", format!("{} read {lesson}", style.command))]
    {
        let room = style.width >= 19 + 2 + text_width(&answer);
        let answer = paint::accent(&answer);
        out += &if room { format!("  {what:17}  {answer}\n") } else { format!("  {what}:\n  {answer}\n") };
    }
    Some(out)
}

fn output(view: &VerdictView, style: &Style) -> String {
    if view.output.is_empty() {
        return String::new();
    }
    let text = escape_lines(view.output.trim_end_matches('\n'));
    let lines: Vec<&str> = text.lines().collect();
    let keep = if style.verbose { lines.len() } else { lines.len().min(OUTPUT_LINES) };
    let who = if view.program { "The program" } else { "The kernel" };
    let mut out = format!("  {who} printed:\n");
    for line in &lines[..keep] {
        let line = super::layout::truncate(line, style.width.saturating_sub(4));
        out += &format!("  {} {line}\n", paint::dim("│"));
    }
    out + &and_more(lines.len() - keep, "more line", "more lines", style)
}
