//! What the host and the streams of a program did over time.

use super::pauses::{pauses, shortened, without};
use super::scene::{Align, Scene, Tone};
use host::device::StreamId;
use host::device::timeline::{Resource, Span};
use std::collections::BTreeMap;

const WIDE: f64 = 84.0;
const NAME: f64 = 18.0;
/// Rows, and pieces of a row, that are drawn of those that there are.
const MOST_ROWS: usize = 24;
const MOST_SPANS: usize = 1500;

/// The host first, then streams by device and number.
type Row = (u8, u32, u32);

fn row(span: &Span) -> Row {
    match (span.resource, span.stream) {
        (Resource::Host, _) => (0, 0, 0),
        (Resource::HostFunction, None) => (1, 0, 0),
        (_, stream) => (2, span.device.unwrap_or(0), stream.map_or(u32::MAX, |stream| stream.0)),
    }
}

fn name(row: Row) -> String {
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

fn tone(resource: Resource) -> Tone {
    match resource {
        Resource::Compute(_) => Tone::Used,
        Resource::CopyToDevice(_) | Resource::CopyToHost(_) | Resource::CopyToPeer(_) => Tone::Copy,
        Resource::HostFunction => Tone::Write,
        Resource::Host => Tone::Read,
    }
}

/// A row for the host and for each stream, from the first work of a GPU to the last; times are modelled. Long pauses of
/// all GPUs are left out, and marked. Nothing where no GPU worked.
pub fn gantt(spans: &[Span]) -> Option<Scene> {
    let cuts = pauses(spans);
    let spans: Vec<Span> = spans.iter().map(|span| shortened(span, &cuts)).collect();
    let on_gpu = || spans.iter().filter(|span| !matches!(span.resource, Resource::Host));
    let start = on_gpu().map(|span| span.start_ns).min()?;
    let end = on_gpu().map(|span| span.end_ns).max()?.max(start + 1);
    let mut rows: BTreeMap<Row, Vec<&Span>> = BTreeMap::new();
    for span in spans.iter().filter(|span| span.end_ns > start && span.start_ns < end) {
        rows.entry(row(span)).or_default().push(span);
    }
    rows.values_mut().for_each(|row| row.sort_by_key(|span| (span.start_ns, span.end_ns)));
    let mut scene = Scene::new("What ran when, by stream (modelled)");
    let at = |ns: u64| NAME + WIDE * (ns.clamp(start, end) - start) as f64 / (end - start) as f64;
    let mut told = Vec::new();
    for (n, (key, its)) in rows.iter().take(MOST_ROWS).enumerate() {
        let y = n as f64;
        scene.text((0.0, y), Align::Start, Tone::Dim, name(*key));
        for (n, span) in its.iter().enumerate().take(MOST_SPANS) {
            let (from, to) = (at(span.start_ns), at(span.end_ns));
            let wide = (to - from).max(0.15);
            let needs = span.name.chars().count() as f64 + 1.0;
            // The name stands in the box, or behind it where nothing else does.
            let next = its.get(n + 1).map_or(NAME + WIDE, |next| at(next.start_ns));
            let (mut inside, mut behind) = ("", "");
            if wide > needs {
                inside = &span.name;
            } else if !matches!(span.resource, Resource::Host) && next - from - wide > needs {
                behind = &span.name;
            }
            scene.cell((from, y), wide, tone(span.resource), inside);
            if !behind.is_empty() {
                scene.text((from + wide + 0.5, y), Align::Start, Tone::Dim, behind);
            }
        }
        let busy = covered(its, start, end);
        told.push(format!(
            "{}: {} pieces of work, busy {:.0} %.",
            name(*key),
            its.len(),
            100.0 * busy as f64 / (end - start) as f64
        ));
    }
    let y = scene.height;
    if rows.len() > MOST_ROWS {
        scene.text((0.0, y), Align::Start, Tone::Dim, format!("… and {} more", rows.len() - MOST_ROWS));
    }
    for (from, _) in &cuts {
        scene.text((at(without(*from, &cuts)), y), Align::Middle, Tone::Strong, "≈");
    }
    let y = scene.height;
    for (x, align, ns) in [
        (NAME, Align::Start, 0),
        (NAME + WIDE / 2.0, Align::Middle, (end - start) / 2),
        (NAME + WIDE, Align::End, end - start),
    ] {
        scene.text((x, y), align, Tone::Dim, time(ns));
    }
    let left_out = match cuts.iter().map(|(from, to)| to - from).sum::<u64>() {
        0 => String::new(),
        ns => format!(" and {} left out (≈), while no GPU worked", time(ns)),
    };
    scene.words = format!("{} in all{left_out}. {}", time(end - start), told.join(" "));
    Some(scene)
}

/// Nanoseconds in which at least one of them ran.
fn covered(spans: &[&Span], start: u64, end: u64) -> u64 {
    let mut times: Vec<(u64, u64)> =
        spans.iter().map(|span| (span.start_ns.clamp(start, end), span.end_ns.clamp(start, end))).collect();
    times.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for (from, to) in times {
        sum += to.saturating_sub(from.max(reached));
        reached = reached.max(to);
    }
    sum
}

fn time(ns: u64) -> String {
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
        }
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
