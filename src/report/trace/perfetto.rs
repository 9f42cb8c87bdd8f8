//! A trace in Perfetto's own format: `TracePacket`s with `TrackEvent`s, as described in protos/perfetto/trace of
//! its sources. Only a dozen fields of all the messages are needed, so they are encoded by hand instead of by
//! generated code.

use super::{Category, Phase, Trace, TraceEvent};
use std::collections::BTreeMap;

/// Field numbers.
mod field {
    pub const TRACE_PACKET: u32 = 1;
    // TracePacket
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    // TrackDescriptor
    pub const UUID: u32 = 1;
    pub const TRACK_NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
    // ProcessDescriptor
    pub const PID: u32 = 1;
    pub const PROCESS_NAME: u32 = 6;
    // CounterDescriptor
    pub const UNIT_NAME: u32 = 6;
    // TrackEvent
    pub const ANNOTATION: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const TRACK: u32 = 11;
    pub const CATEGORY: u32 = 22;
    pub const EVENT_NAME: u32 = 23;
    pub const COUNTER_VALUE: u32 = 30;
    pub const FLOW: u32 = 47;
    // DebugAnnotation
    pub const STRING_VALUE: u32 = 6;
    pub const ANNOTATION_NAME: u32 = 10;
}

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const COUNTER_EVENT: u64 = 4;
/// The id of the only packet sequence.
const SEQUENCE: u64 = 1;
/// First track id of the counters, after those of the tracks.
const COUNTERS: u64 = 1 << 40;

/// A protobuf message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u32, wire: u64) {
        self.varint(u64::from(field) << 3 | wire);
    }

    fn number(mut self, field: u32, value: u64) -> Self {
        self.key(field, 0);
        self.varint(value);
        self
    }

    fn fixed(mut self, field: u32, value: u64) -> Self {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u32, message: Message) -> Self {
        self.bytes(field, &message.0)
    }
}

/// Returns the id of a track. A process's own id is that of its track 0 minus one.
fn track(pid: u32, tid: u32) -> u64 {
    (u64::from(pid) + 1) << 32 | (u64::from(tid) + 1)
}

fn process_track(pid: u32) -> u64 {
    (u64::from(pid) + 1) << 32
}

impl Trace<'_> {
    /// Returns the bytes of a `.pftrace` file. Slices of a track nest or follow each other; one that would
    /// outlast the slice around it is cut at that one's end.
    pub fn perfetto(&self) -> Vec<u8> {
        let mut out = Message::default();
        let mut tracks: BTreeMap<(u32, u32), Vec<&TraceEvent>> = BTreeMap::new();
        for event in &self.trace_events {
            match event.ph {
                Phase::ProcessName => out = out.message(field::TRACE_PACKET, described(event, true)),
                Phase::TrackName => out = out.message(field::TRACE_PACKET, described(event, false)),
                Phase::Slice => tracks.entry((event.pid, event.tid)).or_default().push(event),
            }
        }
        for ((pid, tid), events) in &tracks {
            out = slices(out, track(*pid, *tid), events);
        }
        for (n, (name, unit, steps)) in self.counters().into_iter().enumerate() {
            let uuid = COUNTERS + n as u64;
            let counter = Message::default().text(field::UNIT_NAME, unit);
            let descriptor = Message::default()
                .number(field::UUID, uuid)
                .text(field::TRACK_NAME, &name)
                .message(field::COUNTER, counter);
            out = out.message(field::TRACE_PACKET, packet_of(descriptor));
            let mut value = 0i64;
            for (at, change) in steps {
                value += change;
                let event = Message::default()
                    .number(field::TYPE, COUNTER_EVENT)
                    .number(field::TRACK, uuid)
                    .number(field::COUNTER_VALUE, value as u64);
                out = out.message(field::TRACE_PACKET, packet_at(at, event));
            }
        }
        out.0
    }

    /// Returns for each GPU the bytes of copies in flight, the running kernels and the busy multiprocessors, as
    /// name, unit, and changes by time.
    fn counters(&self) -> Vec<(String, &'static str, BTreeMap<u64, i64>)> {
        let mut counters: BTreeMap<(u32, bool), BTreeMap<u64, i64>> = BTreeMap::new();
        let engines =
            self.trace_events.iter().filter(|event| event.pid > super::HOST && event.tid < super::STREAMS);
        for event in engines {
            let (is_copy, amount) = match event.cat {
                Some(Category::Copy) => {
                    (true, event.args.get("bytes").and_then(|bytes| bytes.parse().ok()).unwrap_or(0))
                }
                Some(Category::Kernel) => (false, 1),
                _ => continue,
            };
            let steps = counters.entry((event.pid, !is_copy)).or_default();
            *steps.entry(start_ns(event)).or_default() += amount;
            *steps.entry(end_ns(event)).or_default() -= amount;
        }
        let named = counters.into_iter().map(|((pid, is_kernels), steps)| {
            let device = pid - 1;
            match is_kernels {
                false => (format!("GPU {device}: bytes under way"), "bytes", steps),
                true => (format!("GPU {device}: kernels running"), "kernels", steps),
            }
        });
        let busy =
            self.busy.iter().enumerate().filter(|(_, steps)| !steps.is_empty()).map(|(device, steps)| {
                let mut before = 0;
                let change = |&(at, sms): &(u64, u32)| {
                    (at, i64::from(sms) - std::mem::replace(&mut before, i64::from(sms)))
                };
                let mut changes: BTreeMap<u64, i64> = BTreeMap::new();
                for (at, change) in steps.iter().map(change) {
                    // Changes within the same nanosecond are added up.
                    *changes.entry(at).or_default() += change;
                }
                (format!("GPU {device}: multiprocessors busy"), "multiprocessors", changes)
            });
        named.chain(busy).collect()
    }
}

fn start_ns(event: &TraceEvent) -> u64 {
    (event.ts.unwrap_or(0.0) * 1000.0).round() as u64
}

fn end_ns(event: &TraceEvent) -> u64 {
    start_ns(event) + (event.dur.unwrap_or(0.0) * 1000.0).round() as u64
}

/// Returns the packet that names a process or a track.
fn described(event: &TraceEvent, process: bool) -> Message {
    let name = event.args.get("name").map_or("", String::as_str);
    let descriptor = match process {
        true => {
            let process = Message::default()
                .number(field::PID, u64::from(event.pid) + 1)
                .text(field::PROCESS_NAME, name);
            Message::default().number(field::UUID, process_track(event.pid)).message(field::PROCESS, process)
        }
        false => Message::default()
            .number(field::UUID, track(event.pid, event.tid))
            .number(field::PARENT, process_track(event.pid))
            .text(field::TRACK_NAME, name),
    };
    packet_of(descriptor)
}

fn packet_of(descriptor: Message) -> Message {
    Message::default().number(field::SEQUENCE, SEQUENCE).message(field::TRACK_DESCRIPTOR, descriptor)
}

fn packet_at(ns: u64, event: Message) -> Message {
    Message::default()
        .number(field::TIMESTAMP, ns)
        .number(field::SEQUENCE, SEQUENCE)
        .message(field::TRACK_EVENT, event)
}

/// Appends the slices of one track, ordered by time.
fn slices(mut out: Message, uuid: u64, events: &[&TraceEvent]) -> Message {
    let mut order: Vec<&TraceEvent> = events.to_vec();
    order.sort_by_key(|event| (start_ns(event), std::cmp::Reverse(end_ns(event))));
    let mut open: Vec<u64> = Vec::new();
    let end = |out: Message, at: u64| {
        let event = Message::default().number(field::TYPE, SLICE_END).number(field::TRACK, uuid);
        out.message(field::TRACE_PACKET, packet_at(at, event))
    };
    for event in order {
        let start = start_ns(event);
        while let Some(at) = open.pop_if(|at| *at <= start) {
            out = end(out, at);
        }
        let mut slice = Message::default()
            .number(field::TYPE, SLICE_BEGIN)
            .number(field::TRACK, uuid)
            .text(field::EVENT_NAME, event.name);
        if let Some(category) = event.cat {
            slice = slice.text(field::CATEGORY, &category.to_string());
        }
        for (name, value) in &event.args {
            let annotation =
                Message::default().text(field::ANNOTATION_NAME, name).text(field::STRING_VALUE, value);
            slice = slice.message(field::ANNOTATION, annotation);
        }
        slice = event.flows.iter().fold(slice, |slice, flow| slice.fixed(field::FLOW, *flow));
        out = out.message(field::TRACE_PACKET, packet_at(start, slice));
        open.push(end_ns(event).min(open.last().copied().unwrap_or(u64::MAX)));
    }
    while let Some(at) = open.pop() {
        out = end(out, at);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{TraceInput, trace};
    use host::device::StreamId;
    use host::device::timeline::{After, OpId, OrderedBy, Resource, Span};
    use host::program::Range;
    use std::collections::BTreeMap;

    /// Returns the fields of a message: number, and value or bytes.
    fn fields(mut bytes: &[u8]) -> Vec<(u32, u64, &[u8])> {
        fn varint(bytes: &mut &[u8]) -> u64 {
            let mut value = 0;
            for shift in (0..).step_by(7) {
                let byte = bytes[0];
                *bytes = &bytes[1..];
                value |= u64::from(byte & 0x7f) << shift;
                if byte < 0x80 {
                    break;
                }
            }
            value
        }
        let mut out = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let (value, length) = match key & 7 {
                0 => (varint(&mut bytes), 0),
                1 => (u64::from_le_bytes(bytes[..8].try_into().unwrap()), 8),
                _ => (0, varint(&mut bytes) as usize),
            };
            let (inner, rest) = bytes.split_at(length);
            out.push(((key >> 3) as u32, value, inner));
            bytes = rest;
        }
        out
    }

    fn number(fields: &[(u32, u64, &[u8])], field: u32) -> Option<u64> {
        fields.iter().find(|(number, ..)| *number == field).map(|(_, value, _)| *value)
    }

    /// What a reader of the trace sees.
    #[derive(Default)]
    struct Read {
        /// Names by track.
        names: BTreeMap<u64, String>,
        /// Slices: track, name, start, end, flows.
        slices: Vec<(u64, String, u64, u64, Vec<u64>)>,
        /// By counter track: values over time.
        counts: BTreeMap<u64, Vec<(u64, i64)>>,
    }

    /// Reads a trace like Perfetto's trace processor; panics if a slice is not within the one around it, or if
    /// time goes backwards on a track.
    fn read(bytes: &[u8]) -> Read {
        let mut out = Read::default();
        let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        let text = |fields: &[(u32, u64, &[u8])], field: u32| {
            let found = fields.iter().find(|(number, ..)| *number == field);
            found.map(|(.., bytes)| String::from_utf8(bytes.to_vec()).unwrap()).unwrap_or_default()
        };
        for (_, _, packet) in fields(bytes) {
            let packet = fields(packet);
            let at = number(&packet, 8);
            for (field, _, inner) in packet {
                let inner = fields(inner);
                let track = number(&inner, if field == 60 { 1 } else { 11 }).unwrap_or(0);
                if field == 60 {
                    out.names.insert(track, text(&inner, 2));
                }
                if field != 11 {
                    continue;
                }
                let at = at.expect("an event has its time");
                assert!(out.names.contains_key(&track), "track {track} is described before it is used");
                assert!(
                    last.insert(track, at).is_none_or(|before| before <= at),
                    "time goes back on {track}"
                );
                match number(&inner, 9) {
                    Some(1) => {
                        let flows =
                            inner.iter().filter(|(n, ..)| *n == 47).map(|(_, flow, _)| *flow).collect();
                        open.entry(track).or_default().push(out.slices.len());
                        out.slices.push((track, text(&inner, 23), at, u64::MAX, flows));
                    }
                    Some(2) => {
                        let its = open.get_mut(&track).and_then(Vec::pop).expect("a slice is open that ends");
                        out.slices[its].3 = at;
                        let around = open[&track].last().map(|around| &out.slices[*around]);
                        assert!(around.is_none_or(|around| around.2 <= out.slices[its].2));
                    }
                    Some(4) => {
                        let value = number(&inner, 30).unwrap() as i64;
                        out.counts.entry(track).or_default().push((at, value));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(open.values().all(Vec::is_empty), "every slice ends");
        out
    }

    /// A copy and two kernels after it, one of them in another stream that has work of its own.
    fn spans() -> Vec<Span> {
        let span =
            |op: u64, resource, stream: Option<u32>, name: &str, times: (u64, u64), after: &[u64]| Span {
                resource,
                device: stream.map(|_| 0),
                stream: stream.map(StreamId),
                name: name.into(),
                start_ns: times.0,
                end_ns: times.1,
                args: if name == "copy" { vec![("bytes", "4096".into())] } else { Vec::new() },
                op: stream.map(|_| OpId(op)),
                after: after.iter().map(|op| After { op: OpId(*op), by: OrderedBy::Event }).collect(),
                finding: None,
            };
        vec![
            span(1, Resource::CopyToDevice(0), Some(256), "copy", (1_000, 2_000), &[]),
            span(2, Resource::Compute(0), Some(256), "scale", (2_000, 3_000), &[1]),
            span(3, Resource::Compute(0), Some(257), "other", (2_500, 3_500), &[1, 77]),
            span(0, Resource::Host, None, "main", (0, 9_000), &[3]),
        ]
    }

    #[test]
    fn slices_nest_and_counters_end_at_zero() {
        let busy = [vec![(2_000, 4), (2_500, 7), (2_500, 9), (3_500, 0)]];
        let range = |name: &str, start_ns, end_ns| Range { name: name.into(), start_ns, end_ns, depth: 0 };
        let ranges = [range("outer", 0, 5_000), range("inner", 1_000, 4_000), range("across", 3_000, 6_000)];
        let (spans, devices) = (spans(), ["X"]);
        let traced = TraceInput { spans: &spans, ranges: &ranges, devices: &devices, busy: &busy };
        let read = read(&trace(&traced).perfetto());
        let track = |name: &str| {
            *read.names.iter().find(|(_, its)| *its == name).unwrap_or_else(|| panic!("no {name}")).0
        };
        for name in ["program", "stream 1", "stream 2", "kernels", "kernels, 2", "ranges", "ranges, 2"] {
            track(name);
        }
        let inside = |name: &str| {
            let (of, _, start, end, _) = read.slices.iter().find(|slice| slice.1 == name).unwrap();
            (*of, *start, *end)
        };
        assert_eq!(inside("inner"), (track("ranges"), 1_000, 4_000));
        assert_eq!(inside("across"), (track("ranges, 2"), 3_000, 6_000));
        let counts = |name: &str| &read.counts[&track(name)];
        assert_eq!(*counts("GPU 0: bytes under way"), [(1_000, 4096), (2_000, 0)]);
        assert_eq!(*counts("GPU 0: kernels running"), [(2_000, 1), (2_500, 2), (3_000, 1), (3_500, 0)]);
        assert_eq!(*counts("GPU 0: multiprocessors busy"), [(2_000, 4), (2_500, 9), (3_500, 0)]);
    }

    #[test]
    fn flows_lead_from_work_to_what_comes_behind_it() {
        let (spans, devices) = (spans(), ["X"]);
        let traced = TraceInput { spans: &spans, ranges: &[], devices: &devices, busy: &[] };
        let read = read(&trace(&traced).perfetto());
        let mut flows: BTreeMap<u64, Vec<(u64, &str)>> = BTreeMap::new();
        for (_, name, start, _, its) in &read.slices {
            its.iter().for_each(|flow| flows.entry(*flow).or_default().push((*start, name)));
        }
        flows.values_mut().for_each(|flow| flow.sort_unstable());
        let pairs: Vec<_> =
            flows.values().map(|flow| flow.iter().map(|(_, name)| *name).collect::<Vec<_>>()).collect();
        assert_eq!(pairs, [["copy", "scale"], ["copy", "other"]]);
    }
}
