//! Work that is given to a stream.

use super::library::{Blas, Collective, Convolution, Fourier};
use super::{DeviceId, EventId, Site};
use sim::{Address, Dim3, LaunchConfig};

/// Rows of bytes in two or three dimensions; a plain copy is one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyShape {
    /// Bytes of a row.
    pub width: u64,
    /// Rows of a slice.
    pub height: u64,
    pub depth: u64,
    /// Bytes from one row to the next, and from one slice to the next.
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

    /// From the first byte of the destination to the last.
    pub fn dst_span(&self) -> u64 {
        self.span(self.dst_pitch, self.dst_slice)
    }

    /// From the first byte of the source to the last.
    pub fn src_span(&self) -> u64 {
        self.span(self.src_pitch, self.src_slice)
    }

    fn span(&self, pitch: u64, slice: u64) -> u64 {
        let rows = self.height.saturating_sub(1).saturating_mul(pitch);
        let slices = self.depth.saturating_sub(1).saturating_mul(slice);
        slices.saturating_add(rows).saturating_add(self.width)
    }

    /// Bytes that are copied.
    pub fn bytes(&self) -> u64 {
        self.width.saturating_mul(self.height).saturating_mul(self.depth)
    }
}

/// A copy. Pageable host memory, pinned memory and device memory are told apart by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    pub dst: Address,
    pub src: Address,
    pub shape: CopyShape,
    /// The host waits for it whatever the memory is (`cudaMemcpy`).
    pub blocking: bool,
}

/// `cudaMemset` and its kin: `width` elements a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    pub dst: Address,
    pub value: u32,
    /// 1, 2 or 4.
    pub element_bytes: u32,
    pub width: u64,
    pub height: u64,
    pub pitch: u64,
}

impl Set {
    /// Bytes of a row; `None` where they are too many to be counted.
    pub fn row_bytes(&self) -> Option<u64> {
        self.width.checked_mul(self.element_bytes.into())
    }

    /// From the first byte to the last; `None` where they are too many to be counted.
    pub fn span(&self) -> Option<u64> {
        self.height.saturating_sub(1).checked_mul(self.pitch)?.checked_add(self.row_bytes()?)
    }
}

/// A kernel launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Address of the kernel, as the host program knows it.
    pub kernel: u64,
    pub config: LaunchConfig,
    /// Dynamic shared memory the kernel may have (`cudaFuncAttributeMaxDynamicSharedMemorySize`).
    pub shared_limit_bytes: u32,
    pub cooperative: bool,
    /// Blocks of a cluster, where the launch says so.
    pub cluster: Option<Dim3>,
    /// Clusters may have more blocks than every GPU has room for
    /// (`cudaFuncAttributeNonPortableClusterSizeAllowed`).
    pub large_clusters: bool,
    /// Registers a thread; 0 where they are not known.
    pub registers: u32,
    /// Parameters as PTX lays them out.
    pub params: Vec<u8>,
}

/// A call of a numerical library, as data, so that a simulated machine computes it and a real one
/// gives it to the library itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Library {
    Blas(Blas),
    Convolution(Convolution),
    Collective(Collective),
    Fourier(Fourier),
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    Copy(Copy),
    Set(Set),
    Launch(Launch),
    Library(Library),
    /// `cudaLaunchHostFunc`: a host function and its argument.
    HostFunction {
        function: u64,
        argument: u64,
    },
    Record(EventId),
    /// Work behind it waits for the last record of the event that was enqueued before.
    Wait(EventId),
    /// Memory from a pool becomes usable, or stops being so, at this place of the stream.
    PoolAllocate {
        address: Address,
        bytes: u64,
    },
    PoolFree {
        address: Address,
    },
    /// Managed memory moves to a device, or (`None`) to the host.
    Prefetch {
        address: Address,
        bytes: u64,
        to: Option<DeviceId>,
    },
    /// Does nothing; orders what is before and behind it.
    Empty,
}

/// Work as a node of a graph.
#[derive(Clone, Debug)]
pub struct WorkNode {
    pub work: Work,
    pub device: DeviceId,
    /// Earlier nodes, by index.
    pub after: Vec<usize>,
    pub site: Site,
}
