//! What the host asks of CUDA, as findings know it.

use std::fmt;
use std::sync::Arc;

/// What the host asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Request {
    /// Nothing: its own code runs.
    #[default]
    Nothing,
    /// A call of a function by its name, such as `cudaMemcpyAsync`.
    Call(Arc<str>),
    /// A launch of a kernel by its name, where that is known.
    Launch(Option<Arc<str>>),
    /// A call of a function of the program's, by who reads and writes the memory that it is given.
    Caller,
}

impl Request {
    /// The kernel, where one is launched.
    pub fn kernel(&self) -> Option<&str> {
        match self {
            Request::Launch(kernel) => kernel.as_deref(),
            _ => None,
        }
    }

    /// The function that is called, or the kernel that is launched; empty where it is neither.
    pub fn function(&self) -> &str {
        match self {
            Request::Nothing | Request::Caller => "",
            Request::Call(name) => name,
            Request::Launch(kernel) => kernel.as_deref().unwrap_or("kernel"),
        }
    }

    pub fn is_nothing(&self) -> bool {
        *self == Request::Nothing
    }
}

impl fmt::Display for Request {
    /// `cudaMemcpyAsync`, `kernel scale`
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Request::Nothing => Ok(()),
            Request::Call(name) => f.write_str(name),
            Request::Launch(Some(kernel)) => write!(f, "kernel {kernel}"),
            Request::Launch(None) => f.write_str("kernel"),
            Request::Caller => f.write_str("the caller"),
        }
    }
}

/// A stream, as findings tell it from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StreamName {
    /// The legacy default stream of a device.
    Default { device: u32 },
    /// One that the program made, by its number.
    Made(u32),
}

impl fmt::Display for StreamName {
    /// `stream 1`, `the default stream`
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StreamName::Default { device: 0 } => f.write_str("the default stream"),
            StreamName::Default { device } => write!(f, "the default stream of device {device}"),
            StreamName::Made(number) => write!(f, "stream {number}"),
        }
    }
}

/// Work that the host gave to a GPU, a call of CUDA, or what a line is named for beside one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Operation {
    /// The call or the launch that it is; nothing where it is neither.
    pub request: Request,
    pub act: Act,
}

/// What is neither a call nor a launch.
impl From<Act> for Operation {
    fn from(act: Act) -> Operation {
        Operation { request: Request::Nothing, act }
    }
}

impl Operation {
    /// The function that is called, or the kernel that is launched; empty where it is neither.
    pub fn function(&self) -> &str {
        self.request.function()
    }
}

/// What is said of an operation. Names are the program's own; sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Act {
    /// That it was asked for, and no more.
    IsAsked,
    /// It is work of a stream, as a node of a graph or by itself.
    Work {
        stream: StreamName,
        in_graph: bool,
    },
    /// It gives memory back.
    Frees,
    /// It is the host's own code.
    Host,
    /// A program of a lesson's own, as a whole.
    Program,

    // Errors.
    Fails(CudaStatus),
    /// A launch is refused with this error.
    LaunchFails(CudaStatus),
    /// A capture of a stream ended with this error.
    EndedCapture(CudaStatus),

    // Memory: where it was made and freed.
    Made(CudaAllocation),
    Freed {
        memory: Arc<str>,
        by: Request,
    },
    FreedFirst {
        memory: Arc<str>,
        by: Request,
    },
    /// The memory of this pointer is freed a second time.
    FreesAgain {
        pointer: Option<Arc<str>>,
    },
    /// Memory of the host's is freed that is registered still.
    FreesRegistered,
    Registered {
        by: Request,
    },
    /// So many of these were made here and not given back; `bytes`: of all of them, where they are memory.
    Leaked {
        name: Option<Arc<str>>,
        what: Leakable,
        count: u64,
        bytes: u64,
    },

    // What a call is given.
    IsGiven {
        memory: Arc<str>,
    },
    /// Other memory than the call frees.
    IsGivenKind(CudaAllocation),
    /// More bytes than this memory has.
    IsGivenBytes {
        bytes: u64,
        of: CudaAllocation,
    },
    /// An address so far behind the start of this memory.
    IsGivenInside {
        memory: Arc<str>,
        offset: u64,
    },
    /// Memory to be freed that is none of CUDA's; `None`: no memory at all.
    IsGivenForeign(Option<HostMemoryKind>),
    IsGivenDestroyed(HandleKind),
    /// The object of a handle ends here.
    Destroyed {
        handle: HandleKind,
        by: Request,
    },
    /// A pointer to what is no device memory, which the call needs.
    NeedsDeviceMemory {
        pointer: Option<Arc<str>>,
        leads_to: Pointee,
    },
    /// A library takes its scalars from device memory, and is given one here.
    NeedsDeviceScalars(HostMemoryKind),

    // Copies, and other accesses of calls.
    Accesses {
        writes: bool,
        place: Place,
    },
    /// A node of a graph uses memory that was freed; no name: the host's.
    NodeAccesses {
        node: Request,
        line: Option<u32>,
        writes: bool,
        memory: Option<Arc<str>>,
    },
    /// The host's code uses freed memory of CUDA's.
    HostAccesses {
        writes: bool,
        memory: Arc<str>,
    },
    /// The host is to follow a pointer to this memory of a device.
    HostFollows {
        writes: bool,
        memory: Arc<str>,
    },
    /// A copy writes to bytes that it reads; no request: the C library's memcpy().
    CopyOverlaps,
    /// The direction, as `cudaMemcpyHostToDevice`, is not that of these pointers.
    CopyDirection {
        said: Arc<str>,
        wrong: Vec<CopySide>,
    },

    // Collectives.
    /// A part of a collective.
    Collective {
        rank: u32,
        ranks: u32,
    },
    /// A call for one rank stands outside a group.
    OutsideGroup {
        rank: u32,
        ranks: u32,
    },
}

/// Memory that a call is to read or write, and that it should not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Place {
    Nowhere,
    Freed {
        memory: Arc<str>,
    },
    /// Pageable memory that was freed, by the pointer's name.
    FreedByHost {
        pointer: Option<Arc<str>>,
    },
    /// So many bytes from this offset on.
    PastEnd {
        bytes: u64,
        offset: u64,
        of: CudaAllocation,
    },
    /// So many bytes from a place outside this memory on: `away` bytes behind its end, or, where that is negative,
    /// before its start.
    Beside {
        bytes: u64,
        away: i64,
        of: CudaAllocation,
    },
    /// So many bytes of pageable memory that has `room` from there on.
    PastHost {
        bytes: u64,
        pointer: Option<Arc<str>>,
        room: u64,
        on_stack: bool,
    },
    /// So many bytes at the address of a pointer, which has `room`.
    OnPointer {
        bytes: u64,
        pointer: Arc<str>,
        room: u64,
    },
}

/// A side of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CopySide {
    /// The destination.
    pub writes: bool,
    /// The pointer's name.
    pub pointer: Option<Arc<str>>,
    pub leads_to: Pointee,
}

/// Memory that the program has from CUDA.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CudaAllocation {
    pub name: Arc<str>,
    pub bytes: u64,
    pub kind: CudaMemoryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CudaMemoryKind {
    Device,
    Managed,
    Pinned,
    Registered,
}

/// Pageable memory of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HostMemoryKind {
    /// From `malloc` or `new`.
    Heap,
    /// A local variable.
    Local,
    /// A variable of the program.
    Variable,
    /// What the host has of a variable that kernels use: its symbol.
    Symbol,
    /// Was given back.
    Freed,
}

/// What a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pointee {
    Cuda(CudaMemoryKind),
    Host(HostMemoryKind),
    Nothing,
}

/// What a program is to give back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Leakable {
    Handle(HandleKind),
    Memory(CudaMemoryKind),
}

/// What a handle of CUDA or of one of its libraries stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HandleKind {
    Communicator,
    ConvolutionDescriptor,
    Cublas,
    Cudnn,
    CufftPlan,
    FilterDescriptor,
    Graph,
    Pool,
    Stream,
    TensorDescriptor,
    Event,
    ExecutableGraph,
}

/// An error of CUDA or a status of one of its libraries: its name, and what the library says of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CudaStatus {
    pub name: Arc<str>,
    pub text: Arc<str>,
}
