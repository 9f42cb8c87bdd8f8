//! What a program's host and GPUs did over time, as rows of characters: one row a stream.

use super::layout::{pad, pad_left, paragraph, plural, text_width, truncate, unit_of_time};
use super::{Style, escape, paint, trace};
use host::device::timeline::{OpId, OrderedBy, Resource, Span};
use picture::{SpanRow, pauses, shortened, span_row, without};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// A chart of what host and GPUs did: all that is needed to print it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineView {
    pub rows: Vec<TimelineRow>,
    /// From the left edge to the right one.
    pub length_ns: u64,
    /// Times are a model's.
    pub modelled: bool,
    /// Streams for which there is no row.
    #[serde(default)]
    pub rows_left_out: u64,
    /// What was left out, and how busy each engine was, in sentences.
    pub notes: Vec<String>,
}

/// The host, or a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineRow {
    pub name: String,
    /// One character for each stretch of time; the legend says what they mean.
    pub cells: String,
}

/// Streams that get a row; more would not fit a screen.
const MOST_ROWS: usize = 16;

/// Kinds of activity, in the order of the legend: character and meaning.
const KINDS: [(char, &str); 6] = [
    ('█', "kernel"),
    ('>', "copy to the GPU"),
    ('<', "copy to the host"),
    ('=', "copy to another GPU"),
    ('f', "host function"),
    ('─', "host call"),
];
const IDLE: char = '·';
/// Where time is left out.
const CUT: char = '≈';
/// Work that a finding is about.
const FOUND: char = '▲';
/// Marks of waits: work that begins with one waits for that which ends with it.
const WAITS: [char; 8] = ['A', 'B', 'C', 'D', 'E', 'G', 'H', 'J'];
/// Columns of work that has room for a mark at both ends.
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

/// A chart of `spans`, `columns` wide, and what each engine was busy with, in lines of at most `style.width`.
/// `devices` is the number of GPUs, `modelled` whether times are a model's. Long pauses of all GPUs,
/// such as for the first use of each kernel, are left out, and it is said where.
pub fn gantt(spans: &[Span], devices: usize, modelled: bool, columns: usize, style: &Style) -> String {
    let label = label_width(spans, devices, style.width);
    match TimelineView::new(spans, devices, modelled, columns.saturating_sub(label + 2).max(8)) {
        Some(view) => timeline(&view, style.width, 0),
        None => "Nothing was given to a GPU.\n".into(),
    }
}

/// How wide the names of rows are at most.
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

/// The chart in lines of at most `width` columns, where its cells leave that, behind `indent` spaces.
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
    lines.push(axis(view.length_ns, label, columns));
    lines.extend(legend(view, width.saturating_sub(indent)));
    let mut out: String = lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect();
    view.notes.iter().for_each(|note| out += &paragraph(&escape(note), width, indent));
    out
}

impl TimelineView {
    /// Columns that its rows take.
    pub fn width(&self) -> usize {
        let row = |row: &TimelineRow| text_width(&row.name).clamp(8, 24) + 2 + text_width(&row.cells);
        self.rows.iter().map(row).max().unwrap_or(0)
    }

    /// Of `columns` cells a row; `None` where nothing was given to a GPU. Long pauses of all GPUs, such as for the
    /// first use of each kernel, are left out, and it is said where.
    pub fn new(spans: &[Span], devices: usize, modelled: bool, columns: usize) -> Option<TimelineView> {
        let cuts = pauses(spans);
        let spans: Vec<Span> = spans.iter().map(|span| shortened(span, &cuts)).collect();
        let on_gpu = || spans.iter().filter(|s| s.resource != Resource::Host);
        // What the host did before the first and after the last of the GPUs' work says little about it.
        let start = on_gpu().map(|s| s.start_ns).min()?;
        let end = on_gpu().map(|s| s.end_ns).max()?.max(start + 1);
        let mut rows: BTreeMap<SpanRow, Vec<&Span>> = BTreeMap::new();
        let ends = |span: &Span| span.end_ns.max(span.start_ns.saturating_add(1));
        for span in spans.iter().filter(|s| ends(s) > start && s.start_ns < end) {
            rows.entry(span_row(span)).or_default().push(span);
        }
        let rows_left_out = rows.len().saturating_sub(MOST_ROWS) as u64;
        let mut drawn: Vec<Vec<char>> =
            rows.values().take(MOST_ROWS).map(|row| cells(row, start, end, columns)).collect();
        mark(&mut drawn, &rows, (start, end), columns);
        let drawn = rows.iter().zip(drawn).map(|((key, row), mut cells)| {
            for cut in &cuts {
                let at = without(cut.0, &cuts).clamp(start, end) - start;
                let column = (u128::from(at) * columns as u128 / u128::from(end - start)) as usize;
                // Beside a mark, which the other end of a wait has too.
                let is_mark = |column: &usize| cells[*column] == FOUND || WAITS.contains(&cells[*column]);
                let column = (column.min(columns - 1)..columns).find(|column| !is_mark(column));
                if let Some(column) = column {
                    cells[column] = CUT;
                }
            }
            let name = row.first().map_or(String::new(), |span| row_name(key, span, devices));
            TimelineRow { name, cells: cells.into_iter().collect() }
        });
        let mut notes: Vec<String> = left_out_of(&cuts).into_iter().collect();
        notes.extend(summary(&spans, devices, (start, end)));
        Some(TimelineView { rows: drawn.collect(), length_ns: end - start, modelled, rows_left_out, notes })
    }
}

/// Marks, where there is room, what waits for work of another row, and what findings are about.
fn mark(
    cells: &mut [Vec<char>],
    rows: &BTreeMap<SpanRow, Vec<&Span>>,
    (start, end): (u64, u64),
    columns: usize,
) {
    let column = |ns: u64| {
        let at = u128::from(ns.clamp(start, end) - start) * columns as u128 / u128::from(end - start);
        (at as usize).min(columns - 1)
    };
    // Row, first and last column.
    let place = |row: usize, span: &Span| (row, column(span.start_ns), column(span.end_ns.saturating_sub(1)));
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

/// What fills most of each column; a column with anything in it is not idle.
fn cells(row: &[&Span], start: u64, end: u64, columns: usize) -> Vec<char> {
    let mut filled = vec![[0u64; KINDS.len()]; columns];
    let length = u128::from(end - start);
    let edge = |column: usize| start + (length * column as u128 / columns as u128) as u64;
    let column_of = |ns: u64| {
        let at = u128::from(ns.clamp(start, end) - start) * columns as u128 / length;
        (at as usize).min(columns - 1)
    };
    for span in row {
        let (first, last) = (column_of(span.start_ns), column_of(span.end_ns.saturating_sub(1)));
        for (column, kinds) in filled.iter_mut().enumerate().take(last + 1).skip(first) {
            let (from, to) = (span.start_ns.max(edge(column)), span.end_ns.min(edge(column + 1)));
            // Even the shortest is seen.
            kinds[kind(span.resource)] += to.saturating_sub(from).max(1);
        }
    }
    let most = |kinds: &[u64; KINDS.len()]| {
        let best = (0..KINDS.len()).rev().max_by_key(|&kind| kinds[kind]).unwrap_or(0);
        if kinds[best] == 0 { IDLE } else { KINDS[best].0 }
    };
    filled.iter().map(most).collect()
}

fn axis(length: u64, label: usize, columns: usize) -> String {
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

/// What the characters mean.
fn legend(view: &TimelineView, width: usize) -> Vec<String> {
    let used = |kind: char| view.rows.iter().any(|row| row.cells.contains(kind));
    let kinds =
        KINDS.iter().filter(|(kind, _)| used(*kind)).map(|(kind, meaning)| format!("{kind} {meaning}"));
    let letters: String = WAITS.into_iter().filter(|mark| used(*mark)).collect();
    let waits = (!letters.is_empty()).then(|| format!("{letters} what begins so waits for what ends so"));
    let found = used(FOUND).then(|| format!("{FOUND} a finding is about it"));
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

/// What the chart does not show.
fn left_out_of(cuts: &[(u64, u64)]) -> Option<String> {
    if cuts.is_empty() {
        return None;
    }
    let all = time(cuts.iter().map(|(start, end)| end - start).sum());
    let places = plural(cuts.len() as u64, "place", "places");
    Some(format!(
        "{CUT} {all} left out in {places}, where nothing ran on a GPU: the first use of a kernel, allocations \
         and other calls take the host that long. Shares are of what is shown."
    ))
}

/// How busy each engine was, and what overlapping brought.
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
    for ((device, kind), mut times) in engines {
        let ns = union(&mut times);
        sum = sum.saturating_add(ns);
        all.extend(times);
        let what = ["kernels", "copies to it", "copies to the host", "copies to other GPUs"][kind];
        busy.entry(device).or_default().push(format!("{what} {} %", share(ns)));
    }
    let mut notes: Vec<String> = Vec::new();
    for (device, parts) in busy {
        let name = if devices > 1 { format!("GPU {device}") } else { "GPU".to_string() };
        notes.push(format!("{name} busy with {}", parts.join(", ")));
    }
    let together = union(&mut all);
    if together > 0 && sum as f64 / together as f64 >= 1.05 {
        let at_once = sum as f64 / together as f64;
        notes.push(format!(
            "While any engine was busy, {at_once:.1} were on average (1.0: never two at once)."
        ));
    }
    notes
}

/// Nanoseconds covered by at least one of the stretches.
fn union(times: &mut [(u64, u64)]) -> u64 {
    times.sort_unstable();
    let (mut covered, mut reached) = (0u64, 0u64);
    for &(start, end) in times.iter() {
        let from = start.max(reached);
        covered += end.saturating_sub(from);
        reached = reached.max(end);
    }
    covered
}

/// Nanoseconds with the unit that suits them.
fn time(ns: u64) -> String {
    let Some((unit, scale)) = unit_of_time(ns) else { return format!("{ns} ns") };
    match ns as f64 / scale {
        value @ 99.95.. => format!("{value:.0} {unit}"),
        value @ 9.995.. => format!("{value:.1} {unit}"),
        value => format!("{value:.2} {unit}"),
    }
}
