//! A program's timeline as JSON that Perfetto and chrome://tracing open (Trace Event Format: complete events `X`,
//! metadata `M`, times in microseconds).
//!
//! The host is one process of the trace, each GPU another. A GPU has a track for each stream and one for each
//! engine, so work on it appears twice: under the stream that it was issued to, and under the engine that did it.
//! Concurrent kernels are on several compute tracks.

mod perfetto;

use host::device::timeline::{OpId, Resource, Span};
use host::program::Range;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// A trace; serialises to JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace<'a> {
    trace_events: Vec<TraceEvent<'a>>,
    display_time_unit: &'static str,
    other_data: BTreeMap<&'static str, String>,
    /// For each GPU, the number of busy multiprocessors from a time in nanoseconds on. Not part of the JSON.
    #[serde(skip)]
    busy: &'a [Vec<(u64, u32)>],
}

#[derive(Debug, Default, Serialize)]
struct TraceEvent<'a> {
    name: &'a str,
    ph: Phase,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<Category>,
    pid: u32,
    tid: u32,
    /// Microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    args: BTreeMap<&'a str, String>,
    /// Flow ids, one per pair of ordered work: shared with the work that this one waits for, or that waits for
    /// this one. Not part of the JSON.
    #[serde(skip)]
    flows: Vec<u64>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
enum Phase {
    /// It has a duration.
    #[default]
    #[serde(rename = "X")]
    Slice,
    /// It names a process.
    #[serde(rename = "M")]
    ProcessName,
    /// It names a track.
    #[serde(rename = "M")]
    TrackName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Category {
    Copy,
    Host,
    Kernel,
    Range,
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

const HOST: u32 = 0;
/// Tracks of the host.
const PROGRAM: u32 = 0;
const FUNCTIONS: u32 = 1;
const RANGES: u32 = 2;
/// Tracks of a GPU: its engines, then its streams.
const TO_DEVICE: u32 = 1;
const TO_HOST: u32 = 2;
const TO_PEER: u32 = 3;
const COMPUTE: u32 = 10;
const STREAMS: u32 = 1000;

fn process(device: u32) -> u32 {
    device.saturating_add(1)
}

/// A program's timeline on modelled GPUs, the input of [`trace`].
#[derive(Clone, Copy, Debug)]
pub struct TraceInput<'a> {
    pub spans: &'a [Span],
    /// Ranges that the program named.
    pub ranges: &'a [Range],
    /// Names of the GPUs.
    pub devices: &'a [&'a str],
    /// For each GPU, the number of busy multiprocessors from a time in nanoseconds on; empty where it is not
    /// known.
    pub busy: &'a [Vec<(u64, u32)>],
}

/// Builds the trace of a program.
pub fn trace<'a>(traced: &TraceInput<'a>) -> Trace<'a> {
    let TraceInput { spans, ranges, devices, busy } = *traced;
    let mut tracks: BTreeMap<(u32, u32), String> = BTreeMap::new();
    let mut events = Vec::new();
    // For each compute track of a device, the time from which it is free.
    let mut lanes: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    // Index of the event of each GPU operation.
    let mut works: HashMap<OpId, usize> = HashMap::new();
    let mut order: Vec<&Span> = spans.iter().collect();
    order.sort_by_key(|s| (s.start_ns, s.end_ns));
    for span in order {
        let (pid, tid, name) = match span.resource {
            Resource::Host => (HOST, PROGRAM, "program".to_string()),
            Resource::HostFunction => (HOST, FUNCTIONS, "host functions".to_string()),
            Resource::CopyToDevice(d) => (process(d), TO_DEVICE, "copies to the GPU".to_string()),
            Resource::CopyToHost(d) => (process(d), TO_HOST, "copies to the host".to_string()),
            Resource::CopyToPeer(d) => (process(d), TO_PEER, "copies to other GPUs".to_string()),
            Resource::Compute(d) => {
                let free = lanes.entry(d).or_default();
                let lane = free.iter().position(|at| *at <= span.start_ns).unwrap_or(free.len());
                match free.get_mut(lane) {
                    Some(at) => *at = span.end_ns,
                    None => free.push(span.end_ns),
                }
                let name = if lane == 0 { "kernels".to_string() } else { format!("kernels, {}", lane + 1) };
                (process(d), COMPUTE + lane as u32, name)
            }
        };
        tracks.entry((pid, tid)).or_insert(name);
        events.push(event(span, pid, tid));
        if let (Some(stream), Some(device)) = (span.stream, span.device) {
            works.extend(span.op.map(|op| (op, events.len() - 1)));
            let (pid, tid) = (process(device), STREAMS.saturating_add(stream.0));
            tracks.entry((pid, tid)).or_insert_with(|| stream_name(span, devices.len()));
            events.push(event(span, pid, tid));
        }
    }
    // A flow leads from the event that begins earlier to the one that begins later. A flow to a waiting host call
    // would point the wrong way, because such a call begins before the work is done.
    let waits = spans.iter().filter_map(|span| Some((span.op?, &span.after)));
    let pairs = waits.flat_map(|(op, after)| after.iter().map(move |after| (after.op, op)));
    let known = pairs.filter_map(|(earlier, later)| Some((*works.get(&earlier)?, *works.get(&later)?)));
    for (flow, (earlier, later)) in (1..).zip(known) {
        events[earlier].flows.push(flow);
        events[later].flows.push(flow);
    }
    named_ranges(ranges, &mut tracks, &mut events);
    let mut all = names(&tracks, devices);
    all.append(&mut events);
    Trace {
        trace_events: all,
        display_time_unit: "ns",
        other_data: BTreeMap::from([("times", "modelled".to_string())]),
        busy,
    }
}

/// Adds the program's ranges. On one track, ranges nest or follow each other.
fn named_ranges<'a>(
    ranges: &'a [Range],
    tracks: &mut BTreeMap<(u32, u32), String>,
    events: &mut Vec<TraceEvent<'a>>,
) {
    /// Maximum number of tracks; ranges that overlap more deeply share the last one.
    const MOST: usize = 16;
    let mut order: Vec<&Range> = ranges.iter().collect();
    order.sort_by_key(|range| (range.start_ns, std::cmp::Reverse(range.end_ns), range.depth));
    // For each track, the ends of the open ranges.
    let mut open: Vec<Vec<u64>> = Vec::new();
    for range in order {
        open.iter_mut().for_each(|ends| ends.retain(|end| *end > range.start_ns));
        let fits = |ends: &Vec<u64>| ends.last().is_none_or(|end| *end >= range.end_ns);
        let lane = match open.iter().position(fits) {
            Some(lane) => lane,
            None if open.len() < MOST => {
                open.push(Vec::new());
                open.len() - 1
            }
            None => MOST - 1,
        };
        open[lane].push(range.end_ns);
        let name = if lane == 0 { "ranges".to_string() } else { format!("ranges, {}", lane + 1) };
        let tid = RANGES + lane as u32;
        tracks.entry((HOST, tid)).or_insert(name);
        events.push(slice((&range.name, Category::Range), (HOST, tid), (range.start_ns, range.end_ns)));
    }
}

/// Returns a stream's name for readers.
pub(super) fn stream_name(span: &Span, devices: usize) -> String {
    use host::device::StreamId;
    let Some(stream) = span.stream else { return "no stream".into() };
    let of = match span.device {
        Some(device) if devices > 1 => format!(" of GPU {device}"),
        _ => String::new(),
    };
    match stream.0.checked_sub(StreamId::FIRST_CREATED) {
        None => format!("default stream{of}"),
        Some(number) => format!("stream {}{of}", number + 1),
    }
}

fn event(span: &Span, pid: u32, tid: u32) -> TraceEvent<'_> {
    let category = match span.resource {
        Resource::Host | Resource::HostFunction => Category::Host,
        Resource::Compute(_) => Category::Kernel,
        Resource::CopyToDevice(_) | Resource::CopyToHost(_) | Resource::CopyToPeer(_) => Category::Copy,
    };
    let args = span.args.iter().map(|(name, value)| (*name, value.clone())).collect();
    TraceEvent { args, ..slice((&span.name, category), (pid, tid), (span.start_ns, span.end_ns)) }
}

/// Returns an event with a duration, given by name and category, process and track, start and end in nanoseconds.
fn slice<'a>(
    (name, category): (&'a str, Category),
    (pid, tid): (u32, u32),
    (start, end): (u64, u64),
) -> TraceEvent<'a> {
    TraceEvent {
        name,
        cat: Some(category),
        pid,
        tid,
        ts: Some(start as f64 / 1000.0),
        dur: Some(end.saturating_sub(start) as f64 / 1000.0),
        ..TraceEvent::default()
    }
}

fn names<'a>(tracks: &BTreeMap<(u32, u32), String>, devices: &[&str]) -> Vec<TraceEvent<'a>> {
    let name = |ph: Phase, pid: u32, tid: u32, name: String| TraceEvent {
        name: if ph == Phase::ProcessName { "process_name" } else { "thread_name" },
        ph,
        pid,
        tid,
        args: BTreeMap::from([("name", name)]),
        ..TraceEvent::default()
    };
    let mut out = Vec::new();
    let mut last = None;
    for (&(pid, tid), track) in tracks {
        if last != Some(pid) {
            last = Some(pid);
            let process = match pid.checked_sub(1) {
                None => "host".to_string(),
                Some(device) => match devices.get(device as usize) {
                    Some(model) => format!("GPU {device}: {model}"),
                    None => format!("GPU {device}"),
                },
            };
            out.push(name(Phase::ProcessName, pid, 0, process));
        }
        out.push(name(Phase::TrackName, pid, tid, track.clone()));
    }
    out
}
