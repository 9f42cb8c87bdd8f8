//! A trace as Perfetto's own format: `TracePacket`s with `TrackEvent`s, as protos/perfetto/trace of its sources
//! describes them. Of all the messages a dozen fields are needed, so they are written here rather than by generated code.

use super::{Trace, TraceEvent};
use std::collections::BTreeMap;

/// Numbers of fields.
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
/// The one sequence of packets.
const SEQUENCE: u64 = 1;
/// Track ids of counters, behind those of tracks.
const COUNTERS: u64 = 1 << 40;

/// A message that is being written.
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

/// Id of a track; that of a process is of its track 0 less one.
fn track(pid: u32, tid: u32) -> u64 {
    (u64::from(pid) + 1) << 32 | (u64::from(tid) + 1)
}

fn process_track(pid: u32) -> u64 {
    (u64::from(pid) + 1) << 32
}

impl Trace<'_> {
    /// The bytes of a `.pftrace` file. Slices of a track lie within each other or behind: one that would reach over
    /// the end of the one around it ends with that.
    pub fn perfetto(&self) -> Vec<u8> {
        let mut out = Message::default();
        let mut tracks: BTreeMap<(u32, u32), Vec<&TraceEvent>> = BTreeMap::new();
        for event in &self.trace_events {
            match (event.ph, event.name) {
                ("M", name) => {
                    out = out.message(field::TRACE_PACKET, described(event, name == "process_name"))
                }
                _ => tracks.entry((event.pid, event.tid)).or_default().push(event),
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
            let packet = Message::default()
                .number(field::SEQUENCE, SEQUENCE)
                .message(field::TRACK_DESCRIPTOR, descriptor);
            out = out.message(field::TRACE_PACKET, packet);
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

    /// Of each GPU, the bytes of copies that are under way and the kernels that run: name, unit, and changes by time.
    fn counters(&self) -> Vec<(String, &'static str, BTreeMap<u64, i64>)> {
        let mut counters: BTreeMap<(u32, &str), BTreeMap<u64, i64>> = BTreeMap::new();
        let engines =
            self.trace_events.iter().filter(|event| event.pid > super::HOST && event.tid < super::STREAMS);
        for event in engines {
            let (kind, amount) = match event.cat {
                Some("copy") => {
                    ("bytes", event.args.get("bytes").and_then(|bytes| bytes.parse().ok()).unwrap_or(0))
                }
                Some("kernel") => ("kernels", 1),
                _ => continue,
            };
            let steps = counters.entry((event.pid, kind)).or_default();
            *steps.entry(start_ns(event)).or_default() += amount;
            *steps.entry(end_ns(event)).or_default() -= amount;
        }
        let named = counters.into_iter().map(|((pid, kind), steps)| {
            let device = pid - 1;
            match kind {
                "bytes" => (format!("GPU {device}: bytes under way"), "bytes", steps),
                _ => (format!("GPU {device}: kernels running"), "kernels", steps),
            }
        });
        named.collect()
    }
}

fn start_ns(event: &TraceEvent) -> u64 {
    (event.ts.unwrap_or(0.0) * 1000.0).round() as u64
}

fn end_ns(event: &TraceEvent) -> u64 {
    start_ns(event) + (event.dur.unwrap_or(0.0) * 1000.0).round() as u64
}

/// The packet that names a process or a track.
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
    Message::default().number(field::SEQUENCE, SEQUENCE).message(field::TRACK_DESCRIPTOR, descriptor)
}

fn packet_at(ns: u64, event: Message) -> Message {
    Message::default()
        .number(field::TIMESTAMP, ns)
        .number(field::SEQUENCE, SEQUENCE)
        .message(field::TRACK_EVENT, event)
}

/// The slices of one track, in the order of time.
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
            slice = slice.text(field::CATEGORY, category);
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
    use super::super::trace;
    use host::device::StreamId;
    use host::device::timeline::{Resource, Span};

    /// Fields of a message: number, and value or bytes.
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

    #[test]
    fn slices_nest_counters_end_at_zero_and_flows_join_the_work_of_a_stream() {
        let span = |resource, stream: Option<u32>, name: &str, start_ns, end_ns, bytes: &str| Span {
            resource,
            device: stream.map(|_| 0),
            stream: stream.map(StreamId),
            name: name.into(),
            start_ns,
            end_ns,
            args: if bytes.is_empty() { Vec::new() } else { vec![("bytes", bytes.into())] },
        };
        let spans = [
            span(Resource::Host, None, "main", 0, 9_000, ""),
            span(Resource::CopyToDevice(0), Some(256), "copy", 1_000, 2_000, "4096"),
            span(Resource::Compute(0), Some(256), "scale", 2_000, 3_000, ""),
            span(Resource::Compute(0), Some(257), "other", 2_500, 3_500, ""),
        ];
        let bytes = trace(&spans, &[], &["X"], true).perfetto();
        let mut open: std::collections::BTreeMap<u64, Vec<u64>> = Default::default();
        let (mut names, mut flows, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for (_, _, packet) in fields(&bytes) {
            let packet = fields(packet);
            let at = number(&packet, 8);
            for (field, _, inner) in packet {
                let inner = fields(inner);
                match (field, number(&inner, 9)) {
                    (11, Some(1)) => {
                        open.entry(number(&inner, 11).unwrap()).or_default().push(at.unwrap());
                        flows.extend(inner.iter().filter(|(n, ..)| *n == 47).map(|(_, flow, _)| *flow));
                    }
                    (11, Some(2)) => {
                        let begun = open.get_mut(&number(&inner, 11).unwrap()).and_then(Vec::pop);
                        assert!(begun.unwrap() <= at.unwrap());
                    }
                    (11, Some(4)) => {
                        counts.push((number(&inner, 11).unwrap(), number(&inner, 30).unwrap() as i64))
                    }
                    (60, _) => names.extend(
                        inner
                            .iter()
                            .filter(|(n, ..)| *n == 2)
                            .map(|(.., name)| String::from_utf8(name.to_vec()).unwrap()),
                    ),
                    _ => {}
                }
            }
        }
        assert!(open.values().all(Vec::is_empty), "every slice ends");
        assert_eq!(flows.len(), 2, "the copy and the kernel behind it, {flows:?}");
        assert_eq!(flows[0], flows[1]);
        for name in [
            "program",
            "stream 1",
            "kernels",
            "kernels, 2",
            "GPU 0: bytes under way",
            "GPU 0: kernels running",
        ] {
            assert!(names.iter().any(|known| known == name), "{name} of {names:?}");
        }
        let most = counts.iter().map(|(_, count)| *count).max();
        assert_eq!(most, Some(4096));
        let last: std::collections::BTreeMap<u64, i64> = counts.into_iter().collect();
        assert!(last.values().all(|count| *count == 0), "{last:?}");
    }
}
