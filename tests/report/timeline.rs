//! Traces and charts of what host and GPUs did.

use gpulearn::host::device::StreamId;
use gpulearn::host::device::timeline::{Resource, Span};
use gpulearn::host::program::Range;
use gpulearn::report::{self, Style, TraceInput};

fn span(resource: Resource, stream: Option<u32>, name: &str, start_us: u64, end_us: u64) -> Span {
    let device = match resource {
        Resource::Host | Resource::HostFunction => None,
        Resource::Compute(d)
        | Resource::CopyToDevice(d)
        | Resource::CopyToHost(d)
        | Resource::CopyToPeer(d) => Some(d),
    };
    Span {
        resource,
        device,
        stream: stream.map(StreamId),
        name: name.into(),
        start_ns: start_us * 1000,
        end_ns: end_us * 1000,
        args: Vec::new(),
        op: None,
        after: Vec::new(),
        finding: None,
    }
}

/// Four chunks over three streams: copied, computed on, copied back.
fn pipeline() -> Vec<Span> {
    let mut spans = vec![span(Resource::Host, None, "cudaMemcpyAsync", 0, 4)];
    for chunk in 0..4 {
        let stream = Some(256 + chunk as u32 % 3);
        let at = 10 + chunk * 100;
        spans.push(span(Resource::CopyToDevice(0), stream, "copy in", at, at + 100));
        spans.push(span(Resource::Compute(0), stream, "scale<float>(float *, int)", at + 100, at + 190));
        spans.push(span(Resource::CopyToHost(0), stream, "copy out", at + 195, at + 295));
    }
    spans.push(span(Resource::Host, None, "cudaDeviceSynchronize", 20, 610));
    spans
}

fn chart(spans: &[Span], devices: usize) -> String {
    colored::control::set_override(false);
    for width in [30, 60, 80] {
        let style = Style { width, ..Style::default() };
        for line in report::gantt(spans, devices, style.width, &style).lines() {
            let chart = line.contains('·') || line.contains('█');
            assert!(!chart || report::text_width(line) <= width, "wider than {width}: {line}");
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
    report::gantt(spans, devices, 80, &Style::default())
}

#[test]
fn a_pipeline_shows_its_overlap() {
    insta::assert_snapshot!(chart(&pipeline(), 1));
}

#[test]
fn long_pauses_are_left_out() {
    let spans = vec![
        span(Resource::Compute(0), Some(0), "first", 0, 4),
        span(Resource::Host, None, "cudaMalloc", 4, 9_000),
        span(Resource::Compute(0), Some(0), "second", 9_004, 9_010),
        span(Resource::CopyToHost(0), Some(0), "copy", 9_010, 9_020),
    ];
    let text = chart(&spans, 1);
    assert!(text.contains("≈ 9.00 ms left out in 1 place"), "{text}");
    assert!(text.contains("kernels 50 %, copies to the host 50 %"), "{text}");
    let row = text.lines().find(|line| line.contains('█')).unwrap();
    let cells = |kind: char| row.chars().filter(|c| *c == kind).count();
    assert!(cells('█') > 20 && cells('<') > 20 && cells('≈') == 1 && cells('·') == 0, "{text}");
    assert!(!chart(&pipeline(), 1).contains('≈'));
}

/// Work between longer work has a cell, however short it is.
#[test]
fn a_short_kernel_between_copies_is_drawn() {
    let spans = vec![
        span(Resource::CopyToDevice(0), Some(0), "copy in", 0, 665),
        span(Resource::Compute(0), Some(0), "k", 665, 667),
        span(Resource::CopyToHost(0), Some(0), "copy out", 667, 1330),
    ];
    let text = chart(&spans, 1);
    let row = text.lines().find(|line| line.contains('█')).unwrap();
    let cells = |kind: char| row.chars().filter(|c| *c == kind).count();
    assert!(cells('█') == 1 && cells('>') > 20 && cells('<') > 20, "{text}");
    assert!(text.contains("█ kernel"), "{text}");
}

#[test]
fn two_gpus_have_their_streams() {
    let mut spans = vec![
        span(Resource::Compute(0), Some(0), "first", 0, 300),
        span(Resource::CopyToPeer(0), Some(0), "to peer", 300, 350),
        span(Resource::Compute(1), Some(1), "second", 352, 700),
    ];
    spans.push(Span { device: Some(1), ..span(Resource::HostFunction, Some(1), "done", 710, 720) });
    insta::assert_snapshot!(chart(&spans, 2));
}

#[test]
fn nothing_and_little_are_shown_without_a_panic() {
    assert_eq!(chart(&[], 1), "No work was given to a GPU.\n");
    let short = [span(Resource::Compute(0), None, "k", 5, 5)];
    assert!(chart(&short, 1).contains('█'));
    let mut long = span(Resource::Compute(0), Some(0), "k", 0, 0);
    long.end_ns = u64::MAX;
    assert!(chart(&[long], 1).contains('█'));
    let many: Vec<Span> = (0..100).map(|n| span(Resource::Compute(0), Some(n), "k", 0, 10)).collect();
    assert!(chart(&many, 1).contains("84 streams more") || chart(&many, 1).contains("and 84 streams"));
}

#[test]
fn a_trace_is_what_viewers_read() {
    let spans = pipeline();
    let range = |name: &str, start_ns, end_ns, depth| Range { name: name.into(), start_ns, end_ns, depth };
    // As they end: what was pushed last is done first.
    let ranges = [
        range("inner", 10_000, 20_000, 1),
        range("outer", 0, 40_000, 0),
        range("mark", 5_000, 5_000, 1),
        range("across", 15_000, 90_000, 0),
    ];
    let devices = ["NVIDIA H100"];
    let traced = TraceInput { spans: &spans, ranges: &ranges, devices: &devices, busy: &[] };
    let trace = serde_json::to_value(report::trace(&traced)).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = |name: &str| events.iter().filter(|e| e["args"]["name"] == name).count();
    assert_eq!(named("GPU 0: NVIDIA H100"), 1);
    assert_eq!(named("host"), 1);
    assert_eq!(named("stream 2"), 1);
    // Work of a GPU is on its stream's track and on its engine's.
    assert_eq!(events.iter().filter(|e| e["cat"] == "kernel").count(), 8);
    assert_eq!(events.iter().filter(|e| e["cat"] == "host").count(), 2);
    let copy = events.iter().find(|e| e["name"] == "copy in").unwrap();
    assert_eq!((copy["ts"].as_f64(), copy["dur"].as_f64()), (Some(10.0), Some(100.0)));
    let tracks: Vec<_> = ["outer", "mark", "inner", "across"]
        .iter()
        .map(|name| events.iter().find(|e| e["name"] == *name).and_then(|e| e["tid"].as_u64()))
        .collect();
    assert_eq!(tracks, [Some(2), Some(2), Some(2), Some(3)]);
    assert_eq!((named("ranges"), named("ranges, 2")), (1, 1));
    // On one track nothing lies over anything else, or viewers would nest them.
    let mut last = std::collections::BTreeMap::new();
    for event in events.iter().filter(|e| e["ph"] == "X" && e["cat"] != "range") {
        let track = (event["pid"].as_u64(), event["tid"].as_u64());
        let (start, end) =
            (event["ts"].as_f64().unwrap(), event["ts"].as_f64().unwrap() + event["dur"].as_f64().unwrap());
        let before = last.insert(track, end).unwrap_or(0.0);
        assert!(start >= before, "{event}");
    }
    assert_eq!(trace["otherData"]["times"], "modelled");
}
