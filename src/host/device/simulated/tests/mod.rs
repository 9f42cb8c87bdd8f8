//! Small programs written against [`Gpus`]: their findings, results and durations.

mod findings;
mod graphs;
mod times;
mod values;

use super::{Schedule, Simulated};
use crate::device::model::Model;
use crate::device::{
    Copy, CopyShape, EventId, Failure, Gpus, Host, Launch, Set, Site, Space, StreamId, StreamOptions,
    WaitTarget, Work,
};
use sim::{Address, Dim3, Finding, LaunchConfig, Module, Options, Request, SourceLocation};
use std::sync::Arc;

/// First address of the pageable memory that tests use: that of the heap.
const HEAP: u64 = 0x5600_0000_0000;

/// A host with one block of pageable memory, and numbered functions.
#[derive(Default)]
pub(super) struct TestHost {
    pub memory: Vec<u8>,
    /// Called with the GPUs and the argument.
    pub functions: Vec<fn(&mut dyn Gpus, u64)>,
}

impl Host for TestHost {
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Failure> {
        let at = (address - HEAP) as usize;
        out.copy_from_slice(&self.memory[at..at + out.len()]);
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure> {
        let at = (address - HEAP) as usize;
        self.memory[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn call(&mut self, function: u64, argument: u64, gpus: &mut dyn Gpus) -> Result<(), Failure> {
        self.functions[function as usize](gpus, argument);
        Ok(())
    }
}

/// Returns the request for work: a launch of a kernel or a call, named `name`.
fn requested(work: &Work, name: &str) -> Request {
    match work {
        Work::Launch(_) => Request::Launch(Some(name.into())),
        _ => Request::Call(name.into()),
    }
}

/// A running program. Each step has its own line, counted from 1.
pub(super) struct Run {
    pub gpus: Simulated,
    pub host: TestHost,
    module: Arc<Module>,
    line: u32,
}

impl Run {
    pub fn with(schedule: Schedule, devices: usize, model: &str, host_threads: usize) -> Run {
        let model = Arc::new(Model::named(model).unwrap());
        let options = Options { host_threads, ..Options::default() };
        let mut gpus = Simulated::new(vec![model; devices], schedule, options);
        let module = Arc::new(Module::parse(include_str!("kernels.ptx")).unwrap());
        gpus.load(&module).unwrap();
        let host = TestHost { memory: vec![0; 64 << 20], functions: Vec::new() };
        Run { gpus, host, module, line: 0 }
    }

    pub fn site(&mut self, call: &str) -> Site {
        self.site_of(Request::Call(call.into()))
    }

    pub fn site_of(&mut self, what: Request) -> Site {
        self.line += 1;
        let location = SourceLocation { file: "a.cu".into(), line: self.line, column: 1 };
        Site { what, location: Some(location) }
    }

    pub fn device(&mut self, bytes: u64) -> Address {
        let site = self.site("cudaMalloc");
        self.gpus.allocate(Space::Device(0), bytes, "d", &site).unwrap()
    }

    pub fn on_device(&mut self, device: u32, bytes: u64) -> Address {
        let site = self.site("cudaMalloc");
        self.gpus.allocate(Space::Device(device), bytes, "d", &site).unwrap()
    }

    pub fn pinned(&mut self, bytes: u64) -> Address {
        let site = self.site("cudaMallocHost");
        self.gpus.allocate(Space::Pinned, bytes, "h", &site).unwrap()
    }

    pub fn managed(&mut self, bytes: u64) -> Address {
        let site = self.site("cudaMallocManaged");
        self.gpus.allocate(Space::Managed, bytes, "m", &site).unwrap()
    }

    /// Address of pageable memory, at offset `offset`.
    pub fn pageable(&self, offset: u64) -> Address {
        Address(HEAP + offset)
    }

    pub fn stream(&mut self) -> StreamId {
        self.gpus.create_stream(0, StreamOptions::default()).unwrap()
    }

    pub fn free_stream(&mut self) -> StreamId {
        self.gpus.create_stream(0, StreamOptions { non_blocking: true, priority: 0 }).unwrap()
    }

    pub fn event(&mut self) -> EventId {
        self.gpus.create_event(0, true).unwrap()
    }

    /// Enqueues work requested by a call, or by a kernel launch, of this name.
    pub fn give(&mut self, stream: StreamId, work: Work, name: &str) -> Result<(), Failure> {
        let site = self.site_of(requested(&work, name));
        self.gpus.enqueue(stream, work, &site, &mut self.host)
    }

    pub fn copy(&mut self, stream: StreamId, dst: Address, src: Address, bytes: u64) {
        let copy = Copy { dst, src, shape: CopyShape::linear(bytes), blocking: false };
        self.give(stream, Work::Copy(copy), "cudaMemcpyAsync").unwrap();
    }

    pub fn copy_now(&mut self, dst: Address, src: Address, bytes: u64) {
        let copy = Copy { dst, src, shape: CopyShape::linear(bytes), blocking: true };
        self.give(LEGACY, Work::Copy(copy), "cudaMemcpy").unwrap();
    }

    pub fn set(&mut self, stream: StreamId, dst: Address, value: u32, bytes: u64) {
        let set = Set { dst, value, element_bytes: 1, width: bytes, height: 1, pitch: bytes };
        self.give(stream, Work::Set(set), "cudaMemsetAsync").unwrap();
    }

    pub fn launch(&self, kernel: &str, blocks: u32, threads: u32, params: &[Param]) -> Launch {
        let number = self.module.kernel_named(kernel).unwrap();
        let mut bytes = Vec::new();
        for param in params {
            match param {
                Param::Address(a) => {
                    bytes.resize(bytes.len().next_multiple_of(8), 0);
                    bytes.extend(a.0.to_le_bytes());
                }
                Param::Word(w) => bytes.extend(w.to_le_bytes()),
            }
        }
        Launch {
            kernel: self.module.kernel(number).unwrap().address,
            config: LaunchConfig {
                grid: Dim3::new(blocks, 1, 1),
                block: Dim3::new(threads, 1, 1),
                dynamic_shared_bytes: 0,
            },
            shared_limit_bytes: 48 << 10,
            cooperative: false,
            cluster: None,
            large_clusters: false,
            registers: 0,
            params: bytes,
        }
    }

    /// `out[i] = in[i] + v` for `n` words.
    pub fn add(&mut self, stream: StreamId, out: Address, input: Address, n: u32, v: u32) {
        let params = [Param::Address(out), Param::Address(input), Param::Word(n), Param::Word(v)];
        let launch = self.launch("add", n.div_ceil(256), 256, &params);
        self.give(stream, Work::Launch(launch), "add").unwrap();
    }

    /// A long arithmetic loop, in `blocks` blocks of 256 threads.
    pub fn work(&mut self, stream: StreamId, out: Address, blocks: u32, rounds: u32) {
        let launch = self.launch("work", blocks, 256, &[Param::Address(out), Param::Word(rounds)]);
        self.give(stream, Work::Launch(launch), "work").unwrap();
    }

    pub fn record(&mut self, stream: StreamId, event: EventId) {
        self.give(stream, Work::Record(event), "cudaEventRecord").unwrap();
    }

    pub fn wait_event(&mut self, stream: StreamId, event: EventId) {
        self.give(stream, Work::Wait(event), "cudaStreamWaitEvent").unwrap();
    }

    pub fn wait(&mut self, until: WaitTarget) {
        self.try_wait(until).unwrap();
    }

    pub fn try_wait(&mut self, until: WaitTarget) -> Result<(), Failure> {
        let site = self.site("cudaStreamSynchronize");
        self.gpus.wait(until, &site, &mut self.host)
    }

    pub fn sync(&mut self) {
        self.wait(WaitTarget::Device(0));
    }

    pub fn load(&mut self, address: Address) -> u32 {
        let (mut out, site) = ([0; 4], self.site(""));
        self.gpus.host_load(address, &mut out, &site).unwrap();
        u32::from_le_bytes(out)
    }

    pub fn store(&mut self, address: Address, value: u32) {
        let site = self.site("");
        self.gpus.host_store(address, &value.to_le_bytes(), &site).unwrap();
    }

    pub fn end(&mut self) -> Vec<Finding> {
        self.gpus.end(&mut self.host).unwrap();
        self.gpus.findings()
    }
}

pub(super) enum Param {
    Address(Address),
    Word(u32),
}

pub(super) const LEGACY: StreamId = StreamId(0);

/// The schedules that the tests try.
pub(super) fn schedules() -> Vec<Schedule> {
    let mut all = vec![Schedule::Eager, Schedule::Lazy];
    all.extend((1..=6).map(Schedule::Random));
    all
}

/// Formats findings as `A003 5 -> 7`: the code and the lines of both sides, the earlier first.
pub(super) fn short(findings: &[Finding]) -> Vec<String> {
    let line = |a: &sim::Access| a.location.as_ref().map_or(0, |l| l.line);
    findings
        .iter()
        .map(|f| {
            let other = f.other.as_ref().map_or(String::new(), |o| format!("{} -> ", line(o)));
            format!("{} {other}{}", f.kind.code(), line(&f.at))
        })
        .collect()
}

/// Runs a program under every schedule, on one device and on two, with one host thread and with three; each
/// run must produce the expected findings.
pub(super) fn expect(expected: &[&str], program: impl Fn(&mut Run)) {
    for schedule in schedules() {
        for host_threads in [1, 3] {
            let mut run = Run::with(schedule, 2, "t4", host_threads);
            program(&mut run);
            assert_eq!(short(&run.end()), expected, "{schedule:?}");
        }
    }
}
