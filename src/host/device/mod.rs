//! The operations a program may request of a machine's GPUs: memory, streams, events, graphs and launches.
//!
//! The trait [`Gpus`] has two implementations: the simulator (`simulated`), and the driver of a machine with
//! real GPUs (`driver`). The remaining semantics of the CUDA runtime (handles, argument checks, the error
//! state, which allocation an address belongs to, stream capture) are common to both and live in `program`.
//!
//! Work is enqueued in streams and executed in stream order. Between streams, and between a stream and the
//! host, only events and waits impose an order. A simulated machine checks that order (happens-before) and
//! keeps a virtual clock; a real machine uses its real clock.

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
pub use observed::{Observed, ObservedKind};
pub use tally::{Copies, Counter, CountingGpus, Tally, TransferCounts};
pub use work::{Copy, CopyShape, Launch, Library, Set, Work, WorkNode};

use sim::{
    Access, AccessKind, Address, ByteSet, Finding, MAP_BYTES, MapCondition, Module, Request, RunLimit,
    SourceLocation, TensorMap, TensorMapRefusal, TensorMapRequest,
};
use std::ops::Range;
use std::sync::Arc;

/// A GPU of the machine, identified by its CUDA ordinal.
pub type DeviceId = u32;

/// A stream. The legacy default stream of device `d` is [`StreamId::legacy`]`(d)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);

impl StreamId {
    /// First number of the streams that programs create; the numbers below it are legacy default streams.
    pub const FIRST_CREATED: u32 = 1 << 8;

    /// Returns the legacy default stream of a device. It waits for the device's blocking streams, and they
    /// wait for it (CUDA runtime API, "Stream synchronization behavior").
    pub fn legacy(device: DeviceId) -> StreamId {
        StreamId(device % Self::FIRST_CREATED)
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

/// An instantiated graph, ready to be launched (`cudaGraphExec_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GraphId(pub u32);

/// The kind of memory that a buffer lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Space {
    /// Device memory of one GPU; the host cannot dereference its pointers.
    Device(DeviceId),
    /// Page-locked host memory: the host and the GPUs access it directly.
    Pinned,
    /// Managed memory: the host and the GPUs access it, and its pages migrate as needed.
    Managed,
}

/// The options a stream is created with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOptions {
    /// Not ordered with the legacy default stream (`cudaStreamNonBlocking`).
    pub non_blocking: bool,
    /// Priority: lower numbers are scheduled first; 0 is the default.
    pub priority: i32,
}

/// What the host may wait for or query for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitTarget {
    Stream(StreamId),
    /// The event's most recently enqueued [`Work::Record`].
    Event(EventId),
    Device(DeviceId),
}

/// The reason why a GPU did not do what was requested.
#[derive(Debug)]
pub enum Failure {
    /// A CUDA error, which the program receives as the call's result.
    Cuda(CudaError),
    /// A kernel called a function that is declared but not defined anywhere; `name` is its name in the PTX.
    UndefinedFunction { name: String, line: Option<SourceLocation> },
    /// The simulator does not support the named feature; never the learner's fault.
    Unsupported { what: String, line: Option<SourceLocation> },
    /// The program ended inside a callback; the [`Host`] knows why.
    Ended,
    /// A limit of the run was exceeded.
    Limit(RunLimit),
    /// A fault of this machine rather than of the program.
    Environment(anyhow::Error),
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Failure {
        Failure::Cuda(error)
    }
}

/// The host's side of enqueued work: its pageable memory and its functions.
pub trait Host {
    /// Reads pageable host memory. An address outside it is `cudaErrorInvalidValue` and a finding.
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Failure>;
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure>;
    /// Records that a copy wrote `bytes` bytes at `address`, some of which were never initialised at the
    /// copy's source; `from` is the copy's read access.
    fn brought(&mut self, address: u64, bytes: u64, from: Access) {
        let _ = (address, bytes, from);
    }
    /// Calls a host function `void f(void *argument)`, as `cudaLaunchHostFunc` requests. The function may
    /// access pinned and managed memory, hence `gpus`.
    fn call(&mut self, function: u64, argument: u64, gpus: &mut dyn Gpus) -> Result<(), Failure>;
}

/// The call in the program that a request comes from, as it is named to the reader.
#[derive(Clone, Debug, Default)]
pub struct Site {
    pub what: Request,
    pub location: Option<SourceLocation>,
}

/// An activity on which the host spends time without involving a GPU, for the virtual clock to account for.
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
    /// The first use of a device, which creates its context.
    Context(DeviceId),
    Allocate {
        space: Space,
        bytes: u64,
    },
    Free {
        space: Space,
        bytes: u64,
    },
    /// Page-locking memory that already exists (`cudaHostRegister`).
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

/// The migrations of managed memory's pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Migrations {
    /// Bytes that migrated to devices, on demand (by page faults) or by prefetches.
    pub to_devices: u64,
    pub to_host: u64,
    /// The largest number of bytes of managed pages that resided on devices at once, whether they migrated
    /// there or were first touched there.
    pub most_on_devices: u64,
}

/// An encoded tensor map, or the condition that failed. The error is `None` where the condition is unknown.
pub type EncodedMap = Result<[u8; MAP_BYTES], Option<MapCondition>>;

/// A copy of bytes of pinned or managed memory that the host keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCopy {
    /// Address of the first byte.
    pub start: u64,
    pub contents: Vec<u8>,
    /// Byte ranges that have never been written, as offsets from `start`.
    pub unwritten: Vec<Range<u64>>,
}

/// The GPUs of a machine.
///
/// Every call that starts work receives the [`Site`] in the program that it comes from. Calls that may have
/// to run copies of pageable memory or callbacks receive the [`Host`].
pub trait Gpus {
    /// Returns the number of GPUs of this machine.
    fn count(&self) -> u32;
    /// Returns whether durations and clocks are modelled, and must be labelled as such.
    fn modelled(&self) -> bool;

    /// Registers the program's kernels and variables. Called once, before any other method.
    fn load(&mut self, module: &Arc<Module>) -> Result<(), Failure>;
    /// Loads all kernels now, as with `CUDA_MODULE_LOADING=EAGER`. Without this call, each kernel is loaded
    /// by its first launch, which takes longer for it.
    fn load_kernels(&mut self) {}
    /// Returns the address and size in bytes of a module variable on a device (`.managed` variables: the same
    /// on all).
    fn variable(&mut self, device: DeviceId, index: u32) -> Result<(Address, u64), Failure>;

    fn allocate(&mut self, space: Space, bytes: u64, name: &str, site: &Site) -> Result<Address, Failure>;
    /// Allocates memory from a device's memory pool (`cudaMallocAsync`) for later work in the stream. The
    /// caller enqueues [`Work::PoolAllocate`] afterwards.
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
    /// Frees memory at once. The caller has waited for work that uses it, where CUDA does.
    fn free(&mut self, address: Address, site: &Site) -> Result<(), Failure>;
    /// Announces that memory is about to be freed without waiting for work that uses it (`cudaFreeHost`). The
    /// caller waits after this call, so that no such work is lost.
    fn freeing(&mut self, _address: Address, _site: &Site) {}
    /// Page-locks pageable memory (`cudaHostRegister`): from now on the GPUs' side holds it, at its existing
    /// address, and the host accesses it as pinned memory. Returns false if the memory remains with the host.
    fn register(&mut self, _address: Address, _name: &str, _contents: &[u8]) -> bool {
        false
    }
    /// Returns registered memory to the host, with its contents; the caller has waited for work that uses it.
    /// `None` if the memory remained with the host.
    fn unregister(&mut self, _address: Address) -> Option<Vec<u8>> {
        None
    }
    /// Returns the free and the total bytes of a device's memory.
    fn memory(&mut self, device: DeviceId) -> (u64, u64);
    /// Returns whether `device` can be given access to memory of `peer`: on a modelled machine always.
    fn can_access_peer(&self, device: DeviceId, peer: DeviceId) -> bool {
        device != peer
    }
    /// Enables or disables access by `from` to memory of `to`.
    fn enable_peer(&mut self, from: DeviceId, to: DeviceId, on: bool) -> Result<(), Failure>;

    /// Sets a limit of a device (`cudaDeviceSetLimit`), identified by its number, if the limit has any
    /// effect.
    fn set_limit(&mut self, _device: DeviceId, _limit: u32, _value: u64) -> Result<(), Failure> {
        Ok(())
    }
    /// Encodes a tensor map for kernels, or returns the condition that failed, if it is known.
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
    /// Sets a limit, in bytes, on the memory of this machine that the simulated GPUs may use; a program that
    /// exceeds it is ended. Has no effect on real GPUs.
    fn limit_memory(&mut self, _bytes: u64) {}
    /// Destroys a device's context, with everything left in it.
    fn reset(&mut self, _device: DeviceId) -> Result<(), Failure> {
        Ok(())
    }

    /// Reports kernel writes to the buffer at `address` as findings from now on, where they can be observed.
    fn set_read_only(&mut self, address: Address) {
        let _ = address;
    }
    /// Marks the bytes of the buffer at `address` as written, with their current values: the work that should
    /// have filled the buffer has already been found to be wrong.
    fn assume_written(&mut self, address: Address) {
        let _ = address;
    }
    /// Returns which of the bytes at `address` have ever been written; `None` if that is not tracked.
    fn written(&self, address: Address, bytes: u64) -> Option<ByteSet> {
        let _ = (address, bytes);
        None
    }

    /// Returns whether reads of values that were never written are detected.
    fn checks(&self) -> bool {
        false
    }
    /// Returns a bit mask of those among up to eight host-readable bytes that have never been written; 0
    /// while work that may write them is pending.
    fn unwritten_mask(&self, address: Address, bytes: u64) -> u64 {
        let _ = (address, bytes);
        0
    }

    /// Returns the migrations of managed memory since the previous call, where they can be observed.
    fn migrations(&mut self) -> Migrations {
        Migrations::default()
    }

    /// Performs the host's own load from pinned or managed memory.
    fn host_load(&mut self, address: Address, out: &mut [u8], site: &Site) -> Result<(), Failure>;
    fn host_store(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<(), Failure>;

    /// Like [`Gpus::host_load`], but for a volatile or atomic load, with which a host polls for a value that
    /// a kernel writes. Work proceeds in the meantime, and the host is ordered after the work whose result it
    /// sees.
    fn host_load_strong(
        &mut self,
        address: Address,
        out: &mut [u8],
        site: &Site,
        _host: &mut dyn Host,
    ) -> Result<(), Failure> {
        self.host_load(address, out, site)
    }

    /// Like [`Gpus::host_store`], but for a volatile or atomic store, which a kernel may be polling for.
    fn host_store_strong(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<(), Failure> {
        self.host_store(address, bytes, site)
    }

    /// Records a volatile or atomic access by the host to its own memory, with which a host function and the host
    /// signal to each other. Work proceeds in the meantime, and the host is ordered after the host function whose
    /// write it reads.
    fn signal(&mut self, _address: Address, _kind: AccessKind, _host: &mut dyn Host) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns how many of the `bytes` bytes of pinned or managed memory from `address` on, which the host is
    /// about to access one by one, a single access could cover with the same outcome and without a finding.
    fn uniform_access_bytes(&self, _address: Address, bytes: u64, _write: bool) -> u64 {
        bytes
    }

    /// Returns the contents of bytes around `address`, within `range` of one allocation, which the host may
    /// cache until its next call, provided nothing else uses them until then. `None` if something else may
    /// use them, or if the host gains nothing from the cache.
    fn host_copy(&mut self, _address: Address, _range: Range<u64>) -> Option<HostCopy> {
        None
    }

    /// Returns whether host functions may run that the host has not waited for, so that its accesses of
    /// pageable memory must be reported through [`Gpus::record_host_access`].
    fn tracks_host_accesses(&self) -> bool {
        false
    }
    /// Reports the host's own access to pageable memory. Called where [`Gpus::tracks_host_accesses`] is true and in
    /// host functions.
    fn record_host_access(&mut self, _address: Address, _bytes: u64, _write: bool, _site: &Site) {}

    fn create_stream(&mut self, device: DeviceId, options: StreamOptions) -> Result<StreamId, Failure>;
    /// Destroys a stream. Work already in it is still executed.
    fn destroy_stream(&mut self, stream: StreamId) -> Result<(), Failure>;
    fn create_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId, Failure>;
    fn destroy_event(&mut self, event: EventId) -> Result<(), Failure>;

    /// Enqueues work in a stream. Returns when the host may continue: at once for asynchronous work; for
    /// copies of pageable memory, once the bytes are at their destination.
    fn enqueue(
        &mut self,
        stream: StreamId,
        work: Work,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<(), Failure>;
    /// Blocks the host until the work is complete. An error of earlier work, such as a kernel's out-of-bounds
    /// access, is returned here.
    fn wait(&mut self, until: WaitTarget, site: &Site, host: &mut dyn Host) -> Result<(), Failure>;
    /// Returns whether the work is complete, without waiting.
    fn is_done(&mut self, until: WaitTarget, host: &mut dyn Host) -> Result<bool, Failure>;
    /// Returns the milliseconds between two events that are both complete.
    fn elapsed_ms(&mut self, start: EventId, end: EventId) -> Result<f32, Failure>;

    /// Instantiates a graph. The nodes are in an order that respects their dependencies.
    fn instantiate(&mut self, nodes: &[WorkNode], site: &Site) -> Result<GraphId, Failure>;
    /// Replaces the work of a graph's nodes; the graph's shape stays the same.
    fn update_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<(), Failure>;
    fn launch_graph(
        &mut self,
        graph: GraphId,
        stream: StreamId,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<(), Failure>;
    fn destroy_graph(&mut self, graph: GraphId) -> Result<(), Failure>;

    /// Returns the clock that programs read, in nanoseconds since the program's start.
    fn now_ns(&mut self) -> u64;
    /// Records that the program reads that clock.
    fn record_clock_read(&mut self) {}
    /// Returns whether the host knows that all work with results is complete, as far as that is tracked.
    fn results_are_known(&self) -> bool {
        true
    }
    /// Accounts for time that the host spent. A virtual clock advances; a real one advances by itself.
    fn spend(&mut self, cost: HostCost);

    /// Returns the findings since the last call, in the order in which they occurred.
    fn findings(&mut self) -> Vec<Finding>;
    /// Returns what kernels printed since the last call, as far as CUDA would have flushed it.
    fn output(&mut self) -> Vec<u8>;
    /// Ends the program: work that nobody waited for is completed or dropped, as at the end of a real
    /// process.
    fn end(&mut self, host: &mut dyn Host) -> Result<(), Failure>;
}
