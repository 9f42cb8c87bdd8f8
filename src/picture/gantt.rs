//! The timeline of a program's host and streams.

use super::pauses::{covered, pauses, span_after_cuts, time_after_cuts};
use super::scene::{Align, Mark, Scene, Tone, count};
use host::device::StreamId;
use host::device::timeline::{OpId, OrderedBy, Resource, Span};
use sim::FindingKind;
use std::collections::{BTreeMap, HashMap};

const WIDE: f64 = 84.0;
const NAME: f64 = 18.0;
/// Maximum number of rows, and of spans per row, that are drawn.
const MAX_ROWS: usize = 24;
const MAX_SPANS: usize = 1500;
/// Maximum number of arrows, and of waits and findings that the words list individually.
const MAX_ARROWS: usize = 200;
const MAX_SENTENCES: usize = 8;
/// Width from which a gap in a row has room for a line.
const GAP: f64 = 0.4;

/// Sort key of a row: the host first, then streams by device and number.
pub type SpanRow = (u8, u32, u32);

/// Returns the row that a span is drawn in.
pub fn span_row(span: &Span) -> SpanRow {
    match (span.resource, span.stream) {
        (Resource::Host, _) => (0, 0, 0),
        (Resource::HostFunction, None) => (1, 0, 0),
        (_, stream) => (2, span.device.unwrap_or(0), stream.map_or(u32::MAX, |stream| stream.0)),
    }
}

fn name(row: SpanRow) -> String {
    match row {
        (0, ..) => "host".into(),
        (1, ..) => "host functions".into(),
        (_, device, stream) => match stream.checked_sub(StreamId::FIRST_CREATED) {
            _ if stream == u32::MAX => format!("GPU {device}"),
            None => format!("GPU {device}, default"),
            Some(number) => format!("GPU {device}, stream {}", number + 1),
        },
    }
}

fn tone(span: &Span) -> Tone {
    match span.resource {
        _ if span.finding.is_some() => Tone::Clash,
        Resource::Compute(_) => Tone::Used,
        Resource::CopyToDevice(_) | Resource::CopyToHost(_) | Resource::CopyToPeer(_) => Tone::Copy,
        Resource::HostFunction => Tone::Write,
        Resource::Host => Tone::Read,
    }
}

/// Where a span was drawn.
struct DrawnSpan<'a> {
    y: f64,
    /// Left and right end of its box.
    from: f64,
    to: f64,
    /// Whether its name is next to the box instead of inside.
    named_behind: bool,
    row: SpanRow,
    span: &'a Span,
}

/// Draws a row for the host and for each stream, from the first to the last work of a GPU; times are modelled.
/// Arrows lead from work to the work of another stream, or the host call, that waits for it; a line joins
/// successive work of a stream. Work that a finding is about is marked. Long pauses of all GPUs are cut out and
/// marked. `None` if no GPU worked.
pub fn gantt(spans: &[Span]) -> Option<Scene> {
    let cuts = pauses(spans);
    let spans: Vec<Span> = spans.iter().map(|span| span_after_cuts(span, &cuts)).collect();
    let on_gpu = || spans.iter().filter(|span| !matches!(span.resource, Resource::Host));
    let start = on_gpu().map(|span| span.start_ns).min()?;
    let end = on_gpu().map(|span| span.end_ns).max()?.max(start + 1);
    let mut rows: BTreeMap<SpanRow, Vec<&Span>> = BTreeMap::new();
    for span in spans.iter().filter(|span| span.end_ns > start && span.start_ns < end) {
        rows.entry(span_row(span)).or_default().push(span);
    }
    rows.values_mut().for_each(|row| row.sort_by_key(|span| (span.start_ns, span.end_ns)));
    let mut scene = Scene::new("What ran when, by stream (modelled)");
    let at = |ns: u64| NAME + WIDE * (ns.clamp(start, end) - start) as f64 / (end - start) as f64;
    let mut sentences = Vec::new();
    let mut places: Vec<DrawnSpan> = Vec::new();
    for (n, (key, its)) in rows.iter().take(MAX_ROWS).enumerate() {
        let y = n as f64;
        scene.label((0.0, y), name(*key));
        for (n, span) in its.iter().enumerate().take(MAX_SPANS) {
            let (from, to) = (at(span.start_ns), at(span.end_ns));
            let wide = (to - from).max(0.15);
            let label =
                if span.finding.is_some() { format!("▲ {}", span.name) } else { span.name.to_string() };
            let needs = label.chars().count() as f64 + 1.0;
            // The name is inside the box, or after it where nothing else is.
            let next = its.get(n + 1).map_or(NAME + WIDE, |next| at(next.start_ns));
            let (mut inside, mut behind) = (if span.finding.is_some() { "▲" } else { "" }, "");
            if wide > needs {
                inside = &label;
            } else if !matches!(span.resource, Resource::Host) && next - from - wide > needs {
                behind = &span.name;
            }
            scene.cell((from, y), wide, tone(span), inside);
            let (to, named_behind) = (from + wide, !behind.is_empty());
            places.push(DrawnSpan { y, from, to, named_behind, row: *key, span });
            if !behind.is_empty() {
                scene.label((from + wide + 0.5, y), behind);
            }
        }
        let shown = its.iter().map(|span| (span.start_ns.clamp(start, end), span.end_ns.clamp(start, end)));
        let busy = covered(shown.collect());
        sentences.push(format!(
            "{}: {} of work, busy {:.0} %.",
            name(*key),
            count(its.len() as u64, "piece", "pieces"),
            100.0 * busy as f64 / (end - start) as f64
        ));
    }
    sentences.extend(waits(&mut scene, &places));
    sentences.extend(found(&places));
    let y = scene.height;
    if rows.len() > MAX_ROWS {
        scene.label((0.0, y), format!("… and {} more", rows.len() - MAX_ROWS));
    }
    for (from, _) in &cuts {
        scene.text((at(time_after_cuts(*from, &cuts)), y), Align::Middle, Tone::Strong, "≈");
    }
    axis_and_legend(&mut scene, end - start);
    let left_out = match cuts.iter().map(|(from, to)| to - from).sum::<u64>() {
        0 => String::new(),
        ns => format!(" and {} left out (≈), while no GPU worked", time(ns)),
    };
    scene.words = format!("{} in all{left_out}. {}", time(end - start), sentences.join(" "));
    Some(scene)
}

/// Draws the axis of time below the rows, and what the marks that were drawn stand for.
fn axis_and_legend(scene: &mut Scene, length_ns: u64) {
    let y = scene.height;
    for (x, align, ns) in [
        (NAME, Align::Start, 0),
        (NAME + WIDE / 2.0, Align::Middle, length_ns / 2),
        (NAME + WIDE, Align::End, length_ns),
    ] {
        scene.text((x, y), align, Tone::Dim, time(ns));
    }
    if scene.marks.iter().any(|mark| matches!(mark, Mark::Arrow { .. })) {
        let y = scene.height;
        scene.label((NAME, y), "Arrows lead to what waits.");
    }
    let kinds = [
        (Tone::Read, "", "call of the host"),
        (Tone::Write, "", "host function"),
        (Tone::Copy, "", "copy"),
        (Tone::Used, "", "kernel"),
        (Tone::Clash, "▲", "a finding is about it"),
    ];
    let shown = |tone: Tone| {
        scene.marks.iter().any(|mark| matches!(mark, Mark::Cell { tone: its, .. } if *its == tone))
    };
    let kinds: Vec<_> = kinds.into_iter().filter(|(tone, ..)| shown(*tone)).collect();
    scene.legend((NAME + WIDE) as usize, kinds);
}

/// Draws the waits, and returns them in words.
fn waits(scene: &mut Scene, places: &[DrawnSpan]) -> Vec<String> {
    let by_op: HashMap<OpId, &DrawnSpan> =
        places.iter().filter_map(|place| Some((place.span.op?, place))).collect();
    let (mut arrows, mut of_host, mut sentences, mut more) = (0, 0, Vec::new(), 0);
    for place in places {
        for after in &place.span.after {
            let Some(earlier) = by_op.get(&after.op) else { continue };
            if earlier.y == place.y {
                if place.from - earlier.to > GAP && !earlier.named_behind {
                    scene.line((earlier.to, place.y + 0.5), (place.from, place.y + 0.5), Tone::Dim);
                }
                continue;
            }
            let (tone, to) = match after.by {
                // The host call ends when the work does.
                OrderedBy::Host => (Tone::Dim, place.to),
                _ => (Tone::Strong, place.from),
            };
            if arrows < MAX_ARROWS {
                let (leaves, comes) = if earlier.y < place.y { (1.0, 0.0) } else { (0.0, 1.0) };
                scene.arrow((earlier.to, earlier.y + leaves), (to, place.y + comes), tone);
                arrows += 1;
            }
            let by = match after.by {
                OrderedBy::Host => {
                    of_host += 1;
                    continue;
                }
                OrderedBy::Event => "an event",
                OrderedBy::Graph => "a graph's edge",
                OrderedBy::Implicit | OrderedBy::Stream => "the default stream or a copy between GPUs",
            };
            if sentences.len() == MAX_SENTENCES {
                more += 1;
                continue;
            }
            sentences.push(format!(
                "{} ({}) waits for {} ({}), by {by}.",
                place.span.name,
                name(place.row),
                earlier.span.name,
                name(earlier.row)
            ));
        }
    }
    if more > 0 {
        sentences.push(format!("So do {more} more."));
    }
    if of_host > 0 {
        let pieces = count(of_host, "piece of work", "pieces of work");
        sentences.push(format!("The host waits for {pieces}."));
    }
    sentences
}

/// Returns sentences on which work findings are about.
fn found(places: &[DrawnSpan]) -> Vec<String> {
    let found = places.iter().filter_map(|place| Some((place.span.finding?, place)));
    let say = |(finding, place): (FindingKind, &DrawnSpan)| {
        format!("{} is about {} ({}).", finding.code(), place.span.name, name(place.row))
    };
    let mut sentences: Vec<String> = found.map(say).collect();
    let more = sentences.len().saturating_sub(MAX_SENTENCES);
    sentences.truncate(MAX_SENTENCES);
    if more > 0 {
        sentences.push(format!("There are {more} more."));
    }
    sentences
}

pub(super) fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.1} s", ns as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::device::timeline::After;

    fn span(resource: Resource, stream: Option<u32>, start_ns: u64, end_ns: u64) -> Span {
        let device = (resource != Resource::Host).then_some(0);
        Span {
            resource,
            device,
            stream: stream.map(StreamId),
            name: "k".into(),
            start_ns,
            end_ns,
            args: Vec::new(),
            op: None,
            after: Vec::new(),
            finding: None,
        }
    }

    #[test]
    fn what_waits_is_led_to_by_an_arrow_and_what_is_found_is_marked() {
        let copy = Span { op: Some(OpId(1)), ..span(Resource::CopyToDevice(0), Some(256), 0, 1_000) };
        let after = |op, by| After { op: OpId(op), by };
        let own = Span {
            op: Some(OpId(2)),
            after: vec![after(1, OrderedBy::Stream)],
            ..span(Resource::Compute(0), Some(256), 1_500, 2_000)
        };
        let other = Span {
            op: Some(OpId(3)),
            after: vec![after(1, OrderedBy::Event), after(99, OrderedBy::Event)],
            finding: Some(FindingKind::StreamRace),
            ..span(Resource::Compute(0), Some(257), 3_000, 9_000)
        };
        let host = Span { after: vec![after(3, OrderedBy::Host)], ..span(Resource::Host, None, 0, 8_900) };
        let scene = gantt(&[copy, own, other, host]).unwrap();
        let arrows: Vec<_> = scene.marks.iter().filter(|mark| matches!(mark, Mark::Arrow { .. })).collect();
        let at = |ns: f64| NAME + WIDE * ns / 9_000.0;
        let to = [(at(8_900.0), 1.0), (at(3_000.0), 2.0)];
        let ends: Vec<_> = arrows
            .iter()
            .map(|mark| if let Mark::Arrow { to, .. } = mark { *to } else { (0.0, 0.0) })
            .collect();
        assert_eq!(ends, to);
        let joined = scene.marks.iter().filter(|mark| matches!(mark, Mark::Line { .. })).count();
        assert_eq!(joined, 1, "the copy and the kernel of its stream");
        assert!(
            scene.words.contains("k (GPU 0, stream 2) waits for k (GPU 0, stream 1), by an event."),
            "{}",
            scene.words
        );
        assert!(
            scene.words.contains("The host waits for 1 piece of work. O003 is about k"),
            "{}",
            scene.words
        );
        let marked =
            |mark: &Mark| matches!(mark, Mark::Cell { tone: Tone::Clash, text, .. } if text == "▲ k");
        assert!(scene.marks.iter().any(marked));
    }

    #[test]
    fn streams_have_rows_with_their_share() {
        let spans = [
            span(Resource::Host, None, 0, 5_000),
            span(Resource::CopyToDevice(0), Some(0), 1_000, 2_000),
            span(Resource::Compute(0), Some(0), 2_000, 3_000),
            span(Resource::Compute(0), Some(0), 2_500, 3_000),
        ];
        let scene = gantt(&spans).expect("a GPU worked");
        assert!(
            scene.words.contains("2.0 µs in all") && scene.words.contains("3 pieces of work, busy 100 %"),
            "{}",
            scene.words
        );
        assert_eq!(gantt(&spans[..1]), None);
    }
}
