//! Timeline of a program's host and GPUs as rows of characters, one row per stream.

use super::layout::{pad, pad_left, paragraph, plural, text_width, truncate, unit_of_time};
use super::{Style, escape, paint, trace};
use host::device::timeline::{OpId, OrderedBy, Resource, Span};
use picture::{SpanRow, covered, pauses, span_after_cuts, span_row, time_after_cuts};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// A Gantt chart of the host's and the GPUs' work, complete enough to be printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineView {
    pub rows: Vec<TimelineRow>,
    /// Nanoseconds from the left edge to the right edge.
    pub length_ns: u64,
    /// Whether the times come from the time model.
    pub modelled: bool,
    /// Number of streams that got no row.
    #[serde(default)]
    pub rows_left_out: u64,
    /// Which stretches of time were left out, and how busy each engine was, in sentences.
    pub notes: Vec<String>,
}

/// The host, or a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineRow {
    pub name: String,
    /// One character per column of time; the legend explains them.
    pub cells: String,
}

/// Maximum number of rows; more would not fit a screen.
const MAX_ROWS: usize = 16;

/// Kinds of activity in the order of the legend: character and meaning.
const KINDS: [(char, &str); 6] = [
    ('█', "kernel"),
    ('>', "copy to the GPU"),
    ('<', "copy to the host"),
    ('=', "copy to another GPU"),
    ('f', "host function"),
    ('─', "host call"),
];
const IDLE: char = '·';
/// Marks a place where a stretch of time is left out.
const CUT: char = '≈';
/// Marks work that a finding is about.
const FOUND: char = '▲';
/// Marks for waits: work that begins with a letter waits for the work that ends with the same letter.
const WAITS: [char; 8] = ['A', 'B', 'C', 'D', 'E', 'G', 'H', 'J'];
/// Columns that work needs to have room for a mark at both ends.
const ROOM: usize = 3;

fn kind(resource: Resource) -> usize {
    match resource {
        Resource::Compute(_) => 0,
        Resource::CopyToDevice(_) => 1,
        Resource::CopyToHost(_) => 2,
        Resource::CopyToPeer(_) => 3,
        Resource::HostFunction => 4,
        Resource::Host => 5,
    }
}

/// Renders a chart of `spans`, `columns` wide, followed by how busy each engine was, in lines of at most
/// `style.width` columns. `devices` is the number of GPUs, which are modelled.
/// Long pauses of all GPUs, such as for the first use of each kernel, are cut out and marked.
pub fn gantt(spans: &[Span], devices: usize, columns: usize, style: &Style) -> String {
    let label = label_width(spans, devices, style.width);
    match TimelineView::new(spans, devices, columns.saturating_sub(label + 2).max(8)) {
        Some(view) => timeline(&view, style.width, 0),
        None => "No work was given to a GPU.\n".into(),
    }
}

/// Returns the width reserved for row names, in columns.
fn label_width(spans: &[Span], devices: usize, width: usize) -> usize {
    let rows: BTreeMap<SpanRow, &Span> = spans.iter().map(|span| (span_row(span), span)).collect();
    let names = rows.iter().map(|(key, span)| text_width(&row_name(key, span, devices)));
    bounded(names.max().unwrap_or(0), width)
}

fn bounded(label: usize, width: usize) -> usize {
    label.min(24.min(width * 2 / 5)).max(8)
}

fn row_name(key: &SpanRow, span: &Span, devices: usize) -> String {
    match key.0 {
        0 => "host".to_string(),
        1 => "host functions".to_string(),
        _ => trace::stream_name(span, devices),
    }
}

/// Renders the chart after `indent` spaces, in lines of at most `width` columns unless its cells need more.
pub fn timeline(view: &TimelineView, width: usize, indent: usize) -> String {
    let label = bounded(view.rows.iter().map(|row| text_width(&row.name)).max().unwrap_or(0), width);
    let columns = view.rows.first().map_or(0, |row| row.cells.chars().count());
    let mut lines: Vec<String> = view
        .rows
        .iter()
        .map(|row| {
            format!(
                "{}  {}",
                paint::accent(&pad(&truncate(&escape(&row.name), label), label)),
                escape(&row.cells)
            )
        })
        .collect();
    if view.rows_left_out > 0 {
        lines.push(format!(
            "{}  and {} more",
            pad("", label),
            plural(view.rows_left_out, "stream", "streams")
        ));
    }
    lines.push(time_axis(view.length_ns, label, columns));
    lines.extend(legend(view, width.saturating_sub(indent)));
    let mut out: String = lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect();
    view.notes.iter().for_each(|note| out += &paragraph(&escape(note), width, indent));
    out
}

impl TimelineView {
    /// Returns the number of columns that the rows occupy.
    pub fn width(&self) -> usize {
        let row = |row: &TimelineRow| text_width(&row.name).clamp(8, 24) + 2 + text_width(&row.cells);
        self.rows.iter().map(row).max().unwrap_or(0)
    }

    /// Builds a chart with `columns` cells per row; `None` if the GPUs were given no work. Long pauses of all
    /// GPUs, such as for the first use of each kernel, are cut out and marked.
    pub fn new(spans: &[Span], devices: usize, columns: usize) -> Option<TimelineView> {
        let cuts = pauses(spans);
        let spans: Vec<Span> = spans.iter().map(|span| span_after_cuts(span, &cuts)).collect();
        let on_gpu = || spans.iter().filter(|s| s.resource != Resource::Host);
        // The chart spans the GPUs' first to last work: host activity before and after is of little interest.
        let start = on_gpu().map(|s| s.start_ns).min()?;
        let end = on_gpu().map(|s| s.end_ns).max()?.max(start + 1);
        let mut rows: BTreeMap<SpanRow, Vec<&Span>> = BTreeMap::new();
        let ends = |span: &Span| span.end_ns.max(span.start_ns.saturating_add(1));
        for span in spans.iter().filter(|s| ends(s) > start && s.start_ns < end) {
            rows.entry(span_row(span)).or_default().push(span);
        }
        let rows_left_out = rows.len().saturating_sub(MAX_ROWS) as u64;
        let axis = Axis { start, end, columns };
        let mut drawn: Vec<Vec<char>> = rows.values().take(MAX_ROWS).map(|row| cells(row, &axis)).collect();
        mark(&mut drawn, &rows, &axis);
        let drawn = rows.iter().zip(drawn).map(|((key, row), mut cells)| {
            for cut in &cuts {
                let column = axis.column(time_after_cuts(cut.0, &cuts));
                // Skip cells that hold a mark, since the other end of a wait shows the same one.
                let is_mark = |column: &usize| cells[*column] == FOUND || WAITS.contains(&cells[*column]);
                let column = (column..columns).find(|column| !is_mark(column));
                if let Some(column) = column {
                    cells[column] = CUT;
                }
            }
            let name = row.first().map_or(String::new(), |span| row_name(key, span, devices));
            TimelineRow { name, cells: cells.into_iter().collect() }
        });
        let mut notes: Vec<String> = left_out_of(&cuts).into_iter().collect();
        notes.extend(summary(&spans, devices, (start, end)));
        Some(TimelineView {
            rows: drawn.collect(),
            length_ns: end - start,
            modelled: true,
            rows_left_out,
            notes,
        })
    }
}

/// The axis of time.
struct Axis {
    /// Left and right edge, in nanoseconds.
    start: u64,
    end: u64,
    columns: usize,
}

impl Axis {
    fn column(&self, ns: u64) -> usize {
        let at = u128::from(ns.clamp(self.start, self.end) - self.start) * self.columns as u128;
        ((at / u128::from(self.end - self.start)) as usize).min(self.columns - 1)
    }

    /// Returns the first and the last column of a span.
    fn columns_of(&self, span: &Span) -> (usize, usize) {
        (self.column(span.start_ns), self.column(span.end_ns.saturating_sub(1)))
    }

    /// Returns the time at the left edge of a column.
    fn time(&self, column: usize) -> u64 {
        self.start + (u128::from(self.end - self.start) * column as u128 / self.columns as u128) as u64
    }
}

/// Marks, where there is room, waits for work in another row and work that findings are about.
fn mark(cells: &mut [Vec<char>], rows: &BTreeMap<SpanRow, Vec<&Span>>, axis: &Axis) {
    // Row, first column and last column.
    let place = |row: usize, span: &Span| {
        let (first, last) = axis.columns_of(span);
        (row, first, last)
    };
    let all = || {
        rows.values()
            .take(cells.len())
            .enumerate()
            .flat_map(|(row, its)| its.iter().map(move |span| (row, *span)))
    };
    let by_op: HashMap<OpId, (usize, usize, usize)> =
        all().filter_map(|(row, span)| Some((span.op?, place(row, span)))).collect();
    let mut waits: Vec<_> = all()
        .flat_map(|(row, span)| span.after.iter().map(move |after| (row, span, after)))
        .filter(|(.., after)| after.by != OrderedBy::Host)
        .filter_map(|(row, span, after)| Some((span.start_ns, *by_op.get(&after.op)?, place(row, span))))
        .filter(|(_, earlier, later)| earlier.0 != later.0)
        .filter(|(_, earlier, later)| {
            [earlier, later].iter().all(|(_, first, last)| last - first + 1 >= ROOM)
        })
        .collect();
    let found: Vec<_> =
        all().filter(|(_, span)| span.finding.is_some()).map(|(row, span)| place(row, span)).collect();
    waits.sort_unstable();
    let mut marks = WAITS.iter();
    for (_, (row, _, last), (other, first, _)) in waits {
        let free = |cell: char| KINDS.iter().any(|(kind, _)| *kind == cell);
        if free(cells[row][last])
            && free(cells[other][first])
            && let Some(mark) = marks.next()
        {
            (cells[row][last], cells[other][first]) = (*mark, *mark);
        }
    }
    for (row, first, last) in found {
        cells[row][first + (last - first) / 2] = FOUND;
    }
}

/// Returns for each column the kind of activity that fills most of it. A column with any activity is not idle, and
/// work that is too short to fill a column comes first in the one that has most of it.
fn cells(row: &[&Span], axis: &Axis) -> Vec<char> {
    // For each column: work that is too short, and all of it.
    let mut filled = vec![[[0u64; KINDS.len()]; 2]; axis.columns];
    for span in row {
        let (first, last) = axis.columns_of(span);
        let part = |column: usize| {
            let (from, to) = (span.start_ns.max(axis.time(column)), span.end_ns.min(axis.time(column + 1)));
            // Counts at least 1 ns, so that even the shortest activity shows.
            to.saturating_sub(from).max(1)
        };
        let kind = kind(span.resource);
        (first..=last).for_each(|column| filled[column][1][kind] += part(column));
        if last <= first + 1 {
            let most = if part(first) < part(last) { last } else { first };
            filled[most][0][kind] += part(most);
        }
    }
    let most = |kinds: &[u64; KINDS.len()]| {
        let best = (0..KINDS.len()).rev().max_by_key(|&kind| kinds[kind]).unwrap_or(0);
        (kinds[best] > 0).then_some(KINDS[best].0)
    };
    filled.iter().map(|[short, all]| most(short).or_else(|| most(all)).unwrap_or(IDLE)).collect()
}

fn time_axis(length: u64, label: usize, columns: usize) -> String {
    let end = time(length);
    let middle = time(length / 2);
    let mut line = pad("0", columns / 2);
    if columns >= 40 {
        line = pad(&pad("0", columns / 2 - text_width(&middle) / 2), columns / 2 - text_width(&middle) / 2);
        line += &middle;
    }
    let line = format!("{line}{}", pad_left(&end, columns.saturating_sub(text_width(&line))));
    format!("{}  {}", pad("", label), paint::dim(&line))
}

/// Renders the legend of the characters that occur.
fn legend(view: &TimelineView, width: usize) -> Vec<String> {
    let used = |kind: char| view.rows.iter().any(|row| row.cells.contains(kind));
    let kinds =
        KINDS.iter().filter(|(kind, _)| used(*kind)).map(|(kind, meaning)| format!("{kind} {meaning}"));
    let letters: String = WAITS.into_iter().filter(|mark| used(*mark)).collect();
    let waits = (!letters.is_empty()).then(|| format!("{letters} a start waits for the end with its letter"));
    let found = used(FOUND).then(|| format!("{FOUND} has a finding"));
    let clock = view.modelled.then(|| "(modelled times)".to_string());
    let mut lines: Vec<String> = vec![String::new()];
    for part in kinds.chain(waits).chain(found).chain(clock) {
        let line = lines.last_mut().expect("there is a line");
        if text_width(line) + 2 + text_width(&part) > width && !line.is_empty() {
            lines.push(part);
        } else {
            *line += &format!("{}{part}", if line.is_empty() { "" } else { "  " });
        }
    }
    lines.iter().map(|line| paint::dim(line)).collect()
}

/// Returns a sentence about the stretches of time that the chart leaves out.
fn left_out_of(cuts: &[(u64, u64)]) -> Option<String> {
    if cuts.is_empty() {
        return None;
    }
    let all = time(cuts.iter().map(|(start, end)| end - start).sum());
    let places = plural(cuts.len() as u64, "place", "places");
    Some(format!(
        "{CUT} {all} left out in {places}, where nothing ran on a GPU: the first use of a kernel, allocations \
         and other calls take the host that long. Shares refer to what is shown."
    ))
}

/// Returns sentences on how busy each engine was, and how much work overlapped.
fn summary(spans: &[Span], devices: usize, (start, end): (u64, u64)) -> Vec<String> {
    let mut engines: BTreeMap<(u32, usize), Vec<(u64, u64)>> = BTreeMap::new();
    for span in spans {
        if let (Some(device), 0..=3) = (span.device, kind(span.resource)) {
            let its = engines.entry((device, kind(span.resource))).or_default();
            its.push((span.start_ns, span.end_ns));
        }
    }
    let mut busy: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let (mut sum, mut all) = (0u64, Vec::new());
    let share = |ns: u64| (100.0 * ns as f64 / (end - start) as f64).round();
    for ((device, kind), times) in engines {
        all.extend(times.iter().copied());
        let ns = covered(times);
        sum = sum.saturating_add(ns);
        let what = ["kernels", "copies to it", "copies to the host", "copies to other GPUs"][kind];
        busy.entry(device).or_default().push(format!("{what} {} %", share(ns)));
    }
    let mut notes: Vec<String> = Vec::new();
    for (device, parts) in busy {
        let name = if devices > 1 { format!("GPU {device}") } else { "GPU".to_string() };
        notes.push(format!("{name} busy with {}", parts.join(", ")));
    }
    let together = covered(all);
    if together > 0 && sum as f64 / together as f64 >= 1.05 {
        let at_once = sum as f64 / together as f64;
        notes.push(format!(
            "While any engine was busy, {at_once:.1} were busy on average (1.0: never two at once)."
        ));
    }
    notes
}

/// Formats nanoseconds in the unit that suits them.
fn time(ns: u64) -> String {
    let Some((unit, scale)) = unit_of_time(ns) else { return format!("{ns} ns") };
    match ns as f64 / scale {
        value @ 99.95.. => format!("{value:.0} {unit}"),
        value @ 9.995.. => format!("{value:.1} {unit}"),
        value => format!("{value:.2} {unit}"),
    }
}
