//! What a program may ask of the GPUs of a machine: memory, streams, events, graphs, launches.
//!
//! [`Gpus`] is answered by the simulator (`simulated`) and by the driver of a machine with GPUs
//! (`driver`). What a call of the CUDA
//! runtime means beyond that (handles, argument checks, the error state, which memory is whose,
//! capture) is the same for both and lives in `program`.
//!
//! Work goes to streams and is done in their order; between streams, and between a stream and the
//! host, only events and waits order it. A simulated machine checks that (happens-before) and keeps
//! a virtual clock; a real one has a real clock.

pub mod compute;
#[cfg(target_os = "linux")]
pub mod driver;
mod error;
pub mod library;
pub mod model;
mod observed;
mod randomised;
pub mod simulated;
mod tally;
pub mod timeline;
mod work;

pub use error::CudaError;
pub use observed::{Observed, Timed};
pub use tally::{Copies, Counter, Moves, Tallied, Tally};
pub use work::{Copy, CopyShape, Launch, Library, Set, Work, WorkNode};

use sim::{
    Access, Address, ByteSet, Finding, MAP_BYTES, MapCondition, Module, Request, RunLimit, SourceLocation,
    TensorMap, TensorMapRefusal, TensorMapRequest,
};
use std::ops::Range;
use std::sync::Arc;

/// A GPU of the machine, by its CUDA ordinal.
pub type DeviceId = u32;

/// A stream. The legacy default stream of device `d` is [`StreamId::legacy`]`(d)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);

impl StreamId {
    /// First number of streams that programs create; below it stand the legacy default streams.
    pub const FIRST_CREATED: u32 = 1 << 8;

    /// The legacy default stream of a device: it waits for the device's blocking streams and they
    /// wait for it (CUDA runtime API, "Stream synchronization behavior").
    pub fn legacy(device: DeviceId) -> StreamId {
        StreamId(device % Self::FIRST_CREATED)
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

/// A graph made ready to be launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GraphId(pub u32);

/// Whose memory a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Space {
    /// Of one GPU; the host can't follow its pointers.
    Device(DeviceId),
    /// Page-locked host memory: host and GPUs use it directly.
    Pinned,
    /// Managed memory: host and GPUs use it, pages move as needed.
    Managed,
}

/// How a stream behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOptions {
    /// Not ordered with the legacy default stream (`cudaStreamNonBlocking`).
    pub non_blocking: bool,
    /// Lower numbers go first; 0 is the default.
    pub priority: i32,
}

/// What the host may wait for, or ask whether it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    Stream(StreamId),
    /// The last [`Work::Record`] of it that was enqueued.
    Event(EventId),
    Device(DeviceId),
}

/// Why a GPU did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// CUDA's error: goes to the program as the call's result.
    Cuda(CudaError),
    /// A kernel called a function that is declared and that no code defines: its name in the PTX.
    UndefinedFunction { name: String, line: Option<SourceLocation> },
    /// The simulator lacks something, named; never the learner's fault.
    Unsupported { what: String, line: Option<SourceLocation> },
    /// The program came to its end inside a callback; the [`Host`] knows why.
    Ended,
    /// A limit of the run.
    Limit(RunLimit),
    /// The machine's fault.
    Environment(anyhow::Error),
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Failure {
        Failure::Cuda(error)
    }
}

/// What the host offers to the work it gave away: its pageable memory, and its functions.
pub trait Host {
    /// Reads pageable host memory. An address outside it is `cudaErrorInvalidValue` and a finding.
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Failure>;
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure>;
    /// A copy brought bytes there of which some were never written; `from` says what it read.
    fn brought(&mut self, address: u64, bytes: u64, from: Access) {
        let _ = (address, bytes, from);
    }
    /// Calls a host function `void f(void *argument)`, as `cudaLaunchHostFunc` asks. It may use
    /// pinned and managed memory, so the GPUs come along.
    fn call(&mut self, function: u64, argument: u64, gpus: &mut dyn Gpus) -> Result<(), Failure>;
}

/// Where in the program something was asked for, and how a reader knows it.
#[derive(Clone, Debug, Default)]
pub struct Site {
    pub what: Request,
    pub location: Option<SourceLocation>,
}

/// Things on which a host spends time without a GPU's doing, so that a virtual clock can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HostCost {
    /// PTX instructions of host code.
    Instructions(u64),
    /// Bytes that the C library's `memset` or `memcpy` writes.
    Sweep {
        bytes: u64,
    },
    /// A call of the CUDA runtime that does nothing slow.
    Call,
    /// The first use of a device: its context is made.
    Context(DeviceId),
    Allocate {
        space: Space,
        bytes: u64,
    },
    Free {
        space: Space,
        bytes: u64,
    },
    /// Page-locking memory that exists.
    Register {
        bytes: u64,
    },
    CreateStream,
    CreateEvent,
    InstantiateGraph {
        nodes: usize,
    },
    /// The host sleeps.
    Sleep {
        ns: u64,
    },
}

/// What became of the pages of managed memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paged {
    /// Bytes that moved because somebody came to them who was elsewhere, or by prefetches.
    pub to_devices: u64,
    pub to_host: u64,
    /// Most bytes of pages that were on devices at once, whether they moved or were first touched there.
    pub most_on_devices: u64,
}

/// An encoded tensor map, or why there is none.
pub type EncodedMap = Result<[u8; MAP_BYTES], Option<MapCondition>>;

/// Bytes of pinned or managed memory as the host keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCopy {
    /// Address of the first.
    pub start: u64,
    pub contents: Vec<u8>,
    /// By their offsets, those that nothing has written.
    pub unwritten: Vec<Range<u64>>,
}

/// The GPUs of a machine.
///
/// Every call that starts work is given the `Site` it comes from. Calls that may have to run
/// pageable copies or callbacks are given the [`Host`].
pub trait Gpus {
    /// GPUs of this machine.
    fn count(&self) -> u32;
    /// Whether durations and clocks are modelled (and must be called so).
    fn modelled(&self) -> bool;

    /// Makes the program's kernels and variables known. Once, before anything else.
    fn load(&mut self, module: &Arc<Module>) -> Result<(), Failure>;
    /// Loads every kernel now, as with `CUDA_MODULE_LOADING=EAGER`; else each is loaded by its first
    /// launch, which takes longer for it.
    fn load_kernels(&mut self) {}
    /// Address and bytes of a module variable on a device (`.managed` ones: the same on all).
    fn variable(&mut self, device: DeviceId, index: u32) -> Result<(Address, u64), Failure>;

    fn allocate(&mut self, space: Space, bytes: u64, name: &str, site: &Site) -> Result<Address, Failure>;
    /// Memory from a pool of a device, for what comes later in the stream; [`Work::PoolAllocate`]
    /// follows.
    fn allocate_ordered(
        &mut self,
        _stream: StreamId,
        device: DeviceId,
        bytes: u64,
        name: &str,
        site: &Site,
    ) -> Result<Address, Failure> {
        self.allocate(Space::Device(device), bytes, name, site)
    }
    /// Frees now. The caller has waited for work that uses it, where CUDA does.
    fn free(&mut self, address: Address, site: &Site) -> Result<(), Failure>;
    /// Memory is about to be given back without waiting for what uses it (`cudaFreeHost`). The caller
    /// waits then, so that nothing is lost.
    fn freeing(&mut self, _address: Address, _site: &Site) {}
    /// Pageable memory is page-locked (`cudaHostRegister`): from now on it lies with the GPUs, at the
    /// address that it has, and the host asks for it as for pinned memory. False: it stays the host's.
    fn register(&mut self, _address: Address, _name: &str, _contents: &[u8]) -> bool {
        false
    }
    /// Registered memory goes back to the host, with what it holds; the caller has waited for work
    /// that uses it.
    fn unregister(&mut self, _address: Address) -> Option<Vec<u8>> {
        None
    }
    /// Free and total bytes of a device.
    fn memory(&mut self, device: DeviceId) -> (u64, u64);
    /// Whether `device` can be let use memory of `peer`: all of a modelled machine can.
    fn can_access_peer(&self, device: DeviceId, peer: DeviceId) -> bool {
        device != peer
    }
    /// `from` may use memory of `to`.
    fn enable_peer(&mut self, from: DeviceId, to: DeviceId, on: bool) -> Result<(), Failure>;

    /// `cudaDeviceSetLimit`, by the number of the limit: where that changes anything.
    fn set_limit(&mut self, _device: DeviceId, _limit: u32, _value: u64) -> Result<(), Failure> {
        Ok(())
    }
    /// A tensor map as kernels take it, or the condition that does not hold, where that is known.
    fn encode_tensor_map(&mut self, request: &TensorMapRequest) -> Result<EncodedMap, Failure> {
        match TensorMap::new(request) {
            Ok(map) => Ok(Ok(map.encode())),
            Err(TensorMapRefusal::Invalid(condition)) => Ok(Err(Some(condition))),
            Err(refusal) => {
                let what = match refusal {
                    TensorMapRefusal::Rounding => "a tensor map that rounds to tf32 or flushes subnormals",
                    _ => "an interleaved tensor map",
                };
                Err(Failure::Unsupported { what: what.into(), line: None })
            }
        }
    }
    /// Ends a program whose GPUs hold more than so many bytes of this machine's memory, where they do
    /// at all.
    fn limit_memory(&mut self, _bytes: u64) {}
    /// The context of a device goes, with what is left in it.
    fn reset(&mut self, _device: DeviceId) -> Result<(), Failure> {
        Ok(())
    }

    /// Makes kernel writes to the buffer at `address` findings, where that can be seen.
    fn set_read_only(&mut self, address: Address) {
        let _ = address;
    }
    /// Takes the bytes of the buffer at `address` for written, as they are: what should have filled it was found wrong.
    fn assume_written(&mut self, address: Address) {
        let _ = address;
    }
    /// Which of the bytes at `address` were ever written; `None` where that can't be told.
    fn written(&self, address: Address, bytes: u64) -> Option<ByteSet> {
        let _ = (address, bytes);
        None
    }

    /// Whether values never written are looked for.
    fn checks(&self) -> bool {
        false
    }
    /// Of up to eight bytes that the host can read, those that nothing has written, a bit each; none where
    /// work is under way that may.
    fn never_written(&self, address: Address, bytes: u64) -> u64 {
        let _ = (address, bytes);
        0
    }

    /// What became of managed memory since this was last asked, where that can be seen.
    fn paged(&mut self) -> Paged {
        Paged::default()
    }

    /// The host's own loads and stores of pinned and managed memory.
    fn host_load(&mut self, address: Address, out: &mut [u8], site: &Site) -> Result<(), Failure>;
    fn host_store(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<(), Failure>;

    /// As [`Gpus::host_load`], by a volatile or atomic load, with which a host waits for what a kernel
    /// writes: work goes on meanwhile, and the host knows of the work whose result it sees.
    fn host_load_strong(
        &mut self,
        address: Address,
        out: &mut [u8],
        site: &Site,
        _host: &mut dyn Host,
    ) -> Result<(), Failure> {
        self.host_load(address, out, site)
    }

    /// As [`Gpus::host_store`], by a volatile or atomic store, which a kernel may wait for.
    fn host_store_strong(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<(), Failure> {
        self.host_store(address, bytes, site)
    }

    /// Of `bytes` of pinned or managed memory that the host goes through one by one, those from the first
    /// on of which one access of all has the same outcome, and nothing to be said of it.
    fn host_stretch(&self, _address: Address, bytes: u64, _write: bool) -> u64 {
        bytes
    }

    /// What bytes around `address`, within `range` of one allocation, hold, which the host may keep until its next
    /// call, if nothing else uses them meanwhile. `None`: something may, or the host is better off without.
    fn host_copy(&mut self, _address: Address, _range: Range<u64>) -> Option<HostCopy> {
        None
    }

    /// Whether host functions may run that the host has not waited for, so that its accesses of
    /// pageable memory are to be told too.
    fn watches_host(&self) -> bool {
        false
    }
    /// The host's own access of pageable memory, told where [`Gpus::watches_host`] and in host
    /// functions.
    fn host_touch(&mut self, _address: Address, _bytes: u64, _write: bool, _site: &Site) {}

    fn create_stream(&mut self, device: DeviceId, options: StreamOptions) -> Result<StreamId, Failure>;
    /// Work already in it is still done.
    fn destroy_stream(&mut self, stream: StreamId) -> Result<(), Failure>;
    fn create_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId, Failure>;
    fn destroy_event(&mut self, event: EventId) -> Result<(), Failure>;

    /// Gives work to a stream. Returns when the host may go on: at once for asynchronous work, when
    /// the bytes are where they belong for copies of pageable memory.
    fn enqueue(
        &mut self,
        stream: StreamId,
        work: Work,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<(), Failure>;
    /// Blocks the host. An error of earlier work, such as a stray access of a kernel, comes out here.
    fn wait(&mut self, until: Until, site: &Site, host: &mut dyn Host) -> Result<(), Failure>;
    /// Whether it is done, without waiting.
    fn is_done(&mut self, until: Until, host: &mut dyn Host) -> Result<bool, Failure>;
    /// Milliseconds between two events that are both done.
    fn elapsed_ms(&mut self, start: EventId, end: EventId) -> Result<f32, Failure>;

    /// Makes a graph ready. Nodes come in an order that respects their dependencies.
    fn instantiate(&mut self, nodes: &[WorkNode], site: &Site) -> Result<GraphId, Failure>;
    /// Exchanges the work of a graph with the same shape.
    fn update_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<(), Failure>;
    fn launch_graph(
        &mut self,
        graph: GraphId,
        stream: StreamId,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<(), Failure>;
    fn destroy_graph(&mut self, graph: GraphId) -> Result<(), Failure>;

    /// The clock programs read, in nanoseconds since the program's start.
    fn now_ns(&mut self) -> u64;
    /// The program reads that clock.
    fn clock_read(&mut self) {}
    /// Whether the host knows all work to be done, as far as that is known.
    fn is_idle(&self) -> bool {
        true
    }
    /// The host spent time (a virtual clock moves on; a real one does so by itself).
    fn spend(&mut self, cost: HostCost);

    /// What was found wrong since the last call, in the order in which it happened.
    fn findings(&mut self) -> Vec<Finding>;
    /// What kernels printed since the last call (only as far as CUDA would have flushed it).
    fn output(&mut self) -> Vec<u8>;
    /// The end of the program: work that nobody waited for is done or dropped, as a real end of a
    /// process would.
    fn end(&mut self, host: &mut dyn Host) -> Result<(), Failure>;
}
