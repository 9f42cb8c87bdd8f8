//! The work that can be enqueued in a stream.

use super::library::{Blas, Collective, Convolution, Fourier};
use super::{DeviceId, EventId, GraphId, Site};
pub use gpu::{Copy, CopyShape, Set};
use sim::{Address, Dim3, LaunchConfig};

/// A kernel launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Address of the kernel as the host program knows it.
    pub kernel: u64,
    pub config: LaunchConfig,
    /// Largest amount of dynamic shared memory that the kernel may use, in bytes
    /// (`cudaFuncAttributeMaxDynamicSharedMemorySize`).
    pub shared_limit_bytes: u32,
    pub cooperative: bool,
    /// Blocks per cluster, if the launch specifies them.
    pub cluster: Option<Dim3>,
    /// Whether clusters may have more blocks than every GPU supports
    /// (`cudaFuncAttributeNonPortableClusterSizeAllowed`).
    pub large_clusters: bool,
    /// Registers per thread; 0 if unknown.
    pub registers: u32,
    /// Parameters, laid out as in PTX.
    pub params: Vec<u8>,
}

/// A call of a numerical library, represented as data, so that a simulated machine can compute it and a real
/// one can pass it on to the library itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Library {
    Blas(Blas),
    Convolution(Convolution),
    Collective(Collective),
    Fourier(Fourier),
}

/// One operation in a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Copies memory.
    Copy(Copy),
    /// Sets the elements of memory to a value.
    Set(Set),
    /// Runs a kernel.
    Launch(Launch),
    /// A call of a numerical library.
    Library(Library),
    /// A host function and its argument (`cudaLaunchHostFunc`).
    /// `may_dangle`: the argument is the address of a local variable that may end before the function is called.
    HostFunction { function: u64, argument: u64, may_dangle: bool },
    /// Records an event.
    Record(EventId),
    /// Makes later work in the stream wait for the event's most recently enqueued record.
    Wait(EventId),
    /// Memory from a pool becomes usable at this point of the stream.
    PoolAllocate { address: Address, bytes: u64 },
    /// Memory from a pool stops being usable at this point of the stream.
    PoolFree { address: Address },
    /// Migrates managed memory to a device, or to the host if `to` is `None`.
    Prefetch { address: Address, bytes: u64, to: Option<DeviceId> },
    /// Launches a graph, whose nodes are work of their own.
    Graph(GraphId),
    /// Does nothing but order the work before it and after it.
    Empty,
}

/// Work as a node of a graph.
#[derive(Clone, Debug)]
pub struct WorkNode {
    pub work: Work,
    pub device: DeviceId,
    /// Indices of the earlier nodes that this node depends on.
    pub after: Vec<usize>,
    pub site: Site,
}
