//! The operations a program may request of a machine's GPUs: memory, streams, events, graphs and launches.
//!
//! The trait [`Gpus`] has three implementations: the simulator (`simulated`), the driver of a machine with real GPUs
//! (`driver`), and the tally that wraps another one and counts what a program does (`tally`). The remaining semantics
//! of the CUDA runtime (handles, argument checks, the error state, which allocation an address belongs to, stream
//! capture) are common to both and live in `program`.
//!
//! Work is enqueued in streams and executed in stream order. Between streams, and between a stream and the
//! host, only events and waits impose an order. A simulated machine checks that order (happens-before) and
//! keeps a virtual clock; a real machine uses its real clock.

pub mod compute;
#[cfg(target_os = "linux")]
pub mod driver;
pub mod model;
mod observed;
mod randomised;
mod shares;
pub mod simulated;
mod tally;
pub mod timeline;
mod work;

pub use gpu::{ElementType, library};
use model::Properties;
pub use observed::{Interval, Observed, ObservedKind};
pub use shares::GpuShares;
pub use sim::CudaError;
use simulated::Simulated;
pub use tally::{Copies, Counter, CountingGpus, Tally, TransferCounts};
pub use work::{Copy, CopyShape, Launch, Library, Set, Work, WorkNode};

use sim::{
    Access, Address, Evidence, Finding, Image, ImageObject, MAP_BYTES, MapCondition, MemoryName, Module,
    Owner, PoolNumber, Request, RunLimit, SourceLocation, TensorMap, TensorMapRefusal, TensorMapRequest,
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

/// The kind of memory that a program allocates, without regard to pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Space {
    /// Device memory of one GPU; the host cannot dereference its pointers.
    Device(DeviceId),
    /// Page-locked host memory: the host and the GPUs access it directly.
    Pinned,
    /// Managed memory: the host and the GPUs access it, and its pages migrate as needed.
    Managed,
}

impl From<Space> for Owner {
    fn from(space: Space) -> Owner {
        match space {
            Space::Device(device) => Owner::Device(device),
            Space::Pinned => Owner::Pinned,
            Space::Managed => Owner::Managed,
        }
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// The result of what a program requests.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Returns the failure of what is not supported, where the call that asks for it is.
    pub fn unsupported(what: impl Into<String>) -> Failure {
        Failure::Unsupported { what: what.into(), line: None }
    }
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Failure {
        Failure::Cuda(error)
    }
}

/// Returns a CUDA error where a condition holds.
///
/// # Errors
///
/// This one.
pub fn fail_if(holds: bool, error: CudaError) -> Result<()> {
    if holds { Err(error.into()) } else { Ok(()) }
}

/// The host's side of enqueued work: its pageable memory and its functions.
///
/// # Errors
///
/// Every method returns a [`Failure`] if the memory may not be accessed, or the program ends.
pub trait Host {
    /// Reads pageable host memory. An address outside it is `cudaErrorInvalidValue` and a finding.
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<()>;
    /// Writes pageable host memory, under the same rule.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<()>;
    /// Records that a copy wrote this range of addresses with bytes of which some were never written at the copy's
    /// source; `from` is the copy's read access, `why` the reason if it is known.
    fn copied_unwritten(&mut self, _to: Range<u64>, _from: Access, _why: Option<Evidence>) {}
    /// Calls a host function `void f(void *argument)`, as `cudaLaunchHostFunc` requests. The function may
    /// access pinned and managed memory, hence `gpus`.
    fn call(&mut self, function: u64, argument: u64, gpus: &mut dyn Gpus) -> Result<()>;
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
    Sweep { bytes: u64 },
    /// A call of the CUDA runtime that does nothing slow.
    Call,
    /// The first use of a device, which creates its context.
    Context(DeviceId),
    /// Allocating memory.
    Allocate { space: Space, bytes: u64 },
    /// Freeing memory.
    Free { space: Space, bytes: u64 },
    /// Page-locking memory that already exists (`cudaHostRegister`).
    Register { bytes: u64 },
    /// Creating a stream.
    CreateStream,
    /// Creating an event.
    CreateEvent,
    /// Instantiating a graph.
    InstantiateGraph { nodes: usize },
    /// The host sleeps.
    Sleep { ns: u64 },
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

/// A memory pool of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolId {
    pub device: DeviceId,
    pub number: PoolNumber,
}

/// The GPUs of a machine.
///
/// Every call that starts work receives the [`Site`] in the program that it comes from. Calls that may have
/// to run copies of pageable memory or callbacks receive the [`Host`].
///
/// # Errors
///
/// Every method returns a [`Failure`]: CUDA's error, which the program receives, or a reason why it can't go on.
pub trait Gpus {
    /// Returns the number of GPUs of this machine.
    fn count(&self) -> u32;
    /// Returns the properties of one of them.
    fn properties(&self, device: DeviceId) -> &Properties;
    /// Returns the simulator, with what only it can do and tell; `None` for real GPUs.
    fn simulated(&mut self) -> Option<&mut Simulated> {
        None
    }

    /// Registers the program's kernels and variables. Called once, before any other method.
    fn load(&mut self, module: &Arc<Module>) -> Result<()>;
    /// Loads all kernels now, as with `CUDA_MODULE_LOADING=EAGER`. Without this call, each kernel is loaded
    /// by its first launch, which takes longer for it.
    fn load_kernels(&mut self) {}
    /// Returns the address and size in bytes of a module variable on a device (`.managed` variables: the same
    /// on all).
    fn variable(&mut self, device: DeviceId, index: u32) -> Result<(Address, u64)>;

    /// Allocates memory; `name` is empty where the program gives it none.
    fn allocate(&mut self, space: Space, bytes: u64, name: &str, site: &Site) -> Result<Address>;
    /// Allocates a CUDA array; `image` describes it, but for the address, and `flags` are those of
    /// `cudaMalloc3DArray`. What it returns stands for the address of the first texel in [`Copy`] and [`Image`], as if
    /// the array were memory with the image's rows; it is freed by [`Gpus::free`].
    fn allocate_array(
        &mut self,
        device: DeviceId,
        image: &Image,
        flags: u32,
        name: &str,
        site: &Site,
    ) -> Result<Address>;
    /// Creates a texture or surface object and returns its handle, which kernels use.
    fn create_image(&mut self, device: DeviceId, object: &ImageObject) -> Result<u64>;
    /// Destroys a texture object, or else a surface object.
    fn destroy_image(&mut self, device: DeviceId, handle: u64, is_texture: bool) -> Result<()>;
    /// Allocates memory from a memory pool (`cudaMallocAsync`) for later work in the stream. The
    /// caller enqueues [`Work::PoolAllocate`] afterwards.
    fn allocate_ordered(&mut self, stream: StreamId, pool: PoolId, bytes: u64, name: &str)
    -> Result<Address>;
    /// Sets whether `device` may access memory from a pool of another GPU (`cudaMemPoolSetAccess`).
    fn set_pool_access(&mut self, pool: PoolId, device: DeviceId, on: bool) -> Result<()>;
    /// Frees memory at once. The caller has waited for work that uses it, where CUDA does.
    fn free(&mut self, address: Address, site: &Site) -> Result<()>;
    /// Page-locks pageable memory (`cudaHostRegister`): from now on the GPUs' side holds it, at its existing
    /// address, and the host accesses it as pinned memory. Returns false if the memory remains with the host.
    fn register(&mut self, _address: Address, _name: &MemoryName, _contents: &[u8]) -> bool {
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
    fn enable_peer(&mut self, from: DeviceId, to: DeviceId, on: bool) -> Result<()>;

    /// Sets a limit of a device (`cudaDeviceSetLimit`), identified by its number, if the limit has any
    /// effect.
    fn set_limit(&mut self, _device: DeviceId, _limit: u32, _value: u64) -> Result<()> {
        Ok(())
    }
    /// Encodes a tensor map for kernels, or returns the condition that failed, if it is known.
    fn encode_tensor_map(&mut self, request: &TensorMapRequest) -> Result<EncodedMap> {
        match TensorMap::new(request) {
            Ok(map) => Ok(Ok(map.encode())),
            Err(TensorMapRefusal::Invalid(condition)) => Ok(Err(Some(condition))),
            Err(refusal) => Err(Failure::unsupported(match refusal {
                TensorMapRefusal::Rounding => "a tensor map that rounds to tf32 or flushes subnormals",
                _ => "an interleaved tensor map",
            })),
        }
    }
    /// Destroys a device's context, with everything left in it.
    fn reset(&mut self, _device: DeviceId) -> Result<()> {
        Ok(())
    }

    /// Performs the host's own load from pinned or managed memory.
    fn host_load(&mut self, address: Address, out: &mut [u8], site: &Site) -> Result<()>;
    /// Performs the host's own store to such memory.
    fn host_store(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<()>;

    /// Like [`Gpus::host_load`], but for a volatile or atomic load, with which a host polls for a value that
    /// a kernel writes. Work proceeds in the meantime, and the host is ordered after the work whose result it
    /// sees.
    fn host_load_strong(
        &mut self,
        address: Address,
        out: &mut [u8],
        site: &Site,
        _host: &mut dyn Host,
    ) -> Result<()> {
        self.host_load(address, out, site)
    }

    /// Like [`Gpus::host_store`], but for a volatile or atomic store, which a kernel may be polling for.
    fn host_store_strong(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<()> {
        self.host_store(address, bytes, site)
    }

    /// Creates a stream on a device.
    fn create_stream(&mut self, device: DeviceId, options: StreamOptions) -> Result<StreamId>;
    /// Destroys a stream. Work already in it is still executed.
    fn destroy_stream(&mut self, stream: StreamId) -> Result<()>;
    /// Creates an event; `timing`: whether it records when it is reached.
    fn create_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId>;
    /// Destroys an event.
    fn destroy_event(&mut self, event: EventId) -> Result<()>;

    /// Enqueues work in a stream. Returns when the host may continue: at once for asynchronous work; for
    /// copies of pageable memory, once the bytes are at their destination.
    fn enqueue(&mut self, stream: StreamId, work: Work, site: &Site, host: &mut dyn Host) -> Result<()>;
    /// Blocks the host until the work is complete. An error of earlier work, such as a kernel's out-of-bounds
    /// access, is returned here.
    fn wait(&mut self, until: WaitTarget, site: &Site, host: &mut dyn Host) -> Result<()>;
    /// Returns whether the work is complete, without waiting. `is_seen`: whether the program looks at the answer, and
    /// so knows of it.
    fn is_done(&mut self, until: WaitTarget, is_seen: bool, host: &mut dyn Host) -> Result<bool>;
    /// Returns the milliseconds between two events that are both complete.
    fn elapsed_ms(&mut self, start: EventId, end: EventId) -> Result<f32>;

    /// Instantiates a graph. The nodes are in an order that respects their dependencies.
    fn instantiate(&mut self, nodes: &[WorkNode]) -> Result<GraphId>;
    /// Replaces the work of a graph's nodes; the graph's shape stays the same.
    fn update_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<()>;
    /// Destroys an instantiated graph.
    fn destroy_graph(&mut self, graph: GraphId) -> Result<()>;

    /// Returns the clock that programs read, in nanoseconds since the program's start.
    fn now_ns(&mut self) -> u64;
    /// Records that the program reads that clock.
    fn record_clock_read(&mut self) {}
    /// Accounts for time that the host spent. A virtual clock advances; a real one advances by itself.
    fn spend(&mut self, cost: HostCost);

    /// Returns the findings since the last call, in the order in which they occurred.
    fn findings(&mut self) -> Vec<Finding>;
    /// Returns what kernels printed since the last call, as far as CUDA would have flushed it.
    fn output(&mut self) -> Vec<u8>;
    /// Ends the program: work that nobody waited for is completed or dropped, as at the end of a real
    /// process.
    fn end(&mut self, host: &mut dyn Host) -> Result<()>;
}
