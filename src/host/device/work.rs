//! The work that can be enqueued in a stream.

use super::library::{Blas, Collective, Convolution, Fourier};
use super::{DeviceId, EventId, GraphId, Site};
use sim::{Address, Dim3, LaunchConfig};

/// Rows of bytes in two or three dimensions; a plain copy is a single row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyShape {
    /// Bytes per row.
    pub width: u64,
    /// Rows per slice.
    pub height: u64,
    pub depth: u64,
    /// Distance in bytes from one row to the next (pitch), and from one slice to the next.
    pub dst_pitch: u64,
    pub dst_slice: u64,
    pub src_pitch: u64,
    pub src_slice: u64,
}

impl CopyShape {
    pub fn linear(bytes: u64) -> CopyShape {
        CopyShape {
            width: bytes,
            height: 1,
            depth: 1,
            dst_pitch: bytes,
            dst_slice: bytes,
            src_pitch: bytes,
            src_slice: bytes,
        }
    }

    /// Returns the number of bytes from the destination's first byte to the end of its last.
    pub fn dst_span(&self) -> u64 {
        self.span(self.dst_pitch, self.dst_slice)
    }

    /// Returns the number of bytes from the source's first byte to the end of its last.
    pub fn src_span(&self) -> u64 {
        self.span(self.src_pitch, self.src_slice)
    }

    fn span(&self, pitch: u64, slice: u64) -> u64 {
        let rows = self.height.saturating_sub(1).saturating_mul(pitch);
        let slices = self.depth.saturating_sub(1).saturating_mul(slice);
        slices.saturating_add(rows).saturating_add(self.width)
    }

    /// Returns the number of bytes copied.
    pub fn bytes(&self) -> u64 {
        self.width.saturating_mul(self.height).saturating_mul(self.depth)
    }
}

/// A copy. Pageable host memory, pinned memory and device memory are distinguished by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    pub dst: Address,
    pub src: Address,
    pub shape: CopyShape,
    /// Whether the host waits for the copy whatever the kind of memory (`cudaMemcpy`).
    pub blocking: bool,
}

/// A memory set (`cudaMemset` and its variants): `height` rows of `width` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    pub dst: Address,
    pub value: u32,
    /// Bytes per element: 1, 2 or 4.
    pub element_bytes: u32,
    pub width: u64,
    pub height: u64,
    pub pitch: u64,
}

impl Set {
    /// Returns the bytes per row; `None` on overflow.
    pub fn row_bytes(&self) -> Option<u64> {
        self.width.checked_mul(self.element_bytes.into())
    }

    /// Returns the number of bytes from the first byte set to the last; `None` on overflow.
    pub fn span(&self) -> Option<u64> {
        self.height.saturating_sub(1).checked_mul(self.pitch)?.checked_add(self.row_bytes()?)
    }
}

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
