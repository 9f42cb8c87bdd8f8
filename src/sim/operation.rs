//! The host's requests to CUDA, as findings describe them.

use crate::cuda_error::CudaError;
use crate::memory_name::MemoryName;
use std::fmt;
use std::sync::Arc;

/// A request of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Request {
    /// No request: its own code runs.
    #[default]
    Nothing,
    Call(Function),
    /// A launch of the kernel with this name, if known.
    Launch(Option<Arc<str>>),
    /// None of the program's own: an access by the caller of one of its functions to the buffers that it passes.
    Caller,
}

impl Request {
    /// Returns the kernel, if this is a launch of a known one.
    pub fn kernel(&self) -> Option<&str> {
        match self {
            Request::Launch(kernel) => kernel.as_deref(),
            _ => None,
        }
    }

    /// Returns the function that is called or the kernel that is launched; empty where it is neither.
    pub fn function(&self) -> &str {
        match self {
            Request::Nothing | Request::Caller => "",
            Request::Call(function) => &function.name,
            Request::Launch(kernel) => kernel.as_deref().unwrap_or("kernel"),
        }
    }

    /// Returns what the call does, if it is one of the CUDA runtime's for memory or for waiting.
    pub fn purpose(&self) -> Option<CallPurpose> {
        let Request::Call(function) = self else { return None };
        function.purpose
    }

    pub fn is_nothing(&self) -> bool {
        *self == Request::Nothing
    }
}

impl fmt::Display for Request {
    /// Writes, for example, `cudaMemcpyAsync` or `kernel scale`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Request::Nothing => Ok(()),
            Request::Call(function) => f.write_str(&function.name),
            Request::Launch(Some(kernel)) => write!(f, "kernel {kernel}"),
            Request::Launch(None) => f.write_str("kernel"),
            Request::Caller => f.write_str("the caller"),
        }
    }
}

/// A function that the host calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Function {
    /// Such as `cudaMemcpyAsync`.
    pub name: Arc<str>,
    /// `None` where it is none of those that findings distinguish.
    pub purpose: Option<CallPurpose>,
}

impl From<&str> for Function {
    /// Creates a function of no particular purpose.
    fn from(name: &str) -> Function {
        Function { name: name.into(), purpose: None }
    }
}

/// What a call of the CUDA runtime does: with memory, or with work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CallPurpose {
    Allocates,
    Frees,
    Copies,
    Sets,
    /// Waits for work at the program's request. Other calls, such as `cudaFree`, wait too.
    Synchronises,
}

/// A stream, as findings identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StreamName {
    /// The number of a stream that the program created; `None`: the legacy default stream.
    pub made: Option<u32>,
    /// Its device, on a machine with several.
    pub device: Option<u32>,
}

impl fmt::Display for StreamName {
    /// Writes, for example, `stream 1`, `the default stream` or `stream 2 of device 1`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.made {
            Some(number) => write!(f, "stream {number}"),
            None => f.write_str("the default stream"),
        }?;
        self.device.map_or(Ok(()), |device| write!(f, " of device {device}"))
    }
}

/// Work that the host submitted to a GPU, a CUDA call, or something else at a line that a finding names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Operation {
    /// The call or the launch; [`Request::Nothing`] if it is neither.
    pub request: Request,
    pub act: Act,
}

/// An operation that is neither a call nor a launch.
impl From<Act> for Operation {
    fn from(act: Act) -> Operation {
        Operation { request: Request::Nothing, act }
    }
}

impl Operation {
    /// Returns the function that is called or the kernel that is launched; empty where it is neither.
    pub fn function(&self) -> &str {
        self.request.function()
    }
}

/// What a finding says about an operation. Names are the program's own; sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Act {
    /// It was requested; nothing more is said.
    IsAsked,
    /// It is work in a stream, by itself or as a node of a graph.
    Work { stream: StreamName, in_graph: bool },
    /// It frees memory.
    Frees,
    /// It is the host's own code.
    Host,
    /// It is a lesson's program as a whole.
    Program,

    // Errors.
    /// A call returns this error.
    Fails(CudaStatus),
    /// A launch is rejected with this error.
    LaunchFails(CudaStatus),
    /// A capture of a stream ended with this error.
    EndedCapture(CudaStatus),

    // Memory: where it was allocated and freed.
    /// This memory was allocated here.
    Made(CudaAllocation),
    /// The memory was freed here.
    Freed { memory: MemoryName, by: Request },
    /// The memory was freed here for the first time.
    FreedFirst { memory: MemoryName, by: Request },
    /// The memory of this pointer is freed a second time.
    FreesAgain { pointer: Option<Arc<str>> },
    /// Host memory is freed while still registered.
    FreesRegistered,
    /// Host memory was registered here.
    Registered { by: Request },
    /// `count` of these were created here and never freed; `bytes`: the total size, if they are memory.
    Leaked { name: Option<Arc<str>>, what: Leakable, count: u64, bytes: u64 },

    // What a call is passed.
    /// Memory.
    IsGiven { memory: MemoryName },
    /// Memory of another kind than the call frees.
    IsGivenKind(CudaAllocation),
    /// More bytes than this memory has.
    IsGivenBytes { bytes: u64, of: CudaAllocation },
    /// An address `offset` bytes after the start of this memory.
    IsGivenInside { memory: MemoryName, offset: u64 },
    /// Memory to be freed that CUDA did not allocate; `None`: no memory at all.
    IsGivenForeign(Option<HostMemoryKind>),
    /// The handle of an object that was destroyed.
    IsGivenDestroyed(HandleKind),
    /// The object of a handle was destroyed here.
    Destroyed { handle: HandleKind, by: Request },
    /// A pointer that does not refer to device memory, which the call needs.
    NeedsDeviceMemory { pointer: Option<Arc<str>>, leads_to: Pointee },
    /// A library reads its scalars from device memory, and is passed a pointer to this host memory.
    NeedsDeviceScalars(HostMemoryKind),

    // Copies, and other accesses of calls.
    /// A call reads or writes memory that it must not.
    Accesses { writes: bool, place: Place },
    /// A node of a graph accesses memory that is gone.
    NodeAccesses { node: Request, line: Option<u32>, writes: bool, memory: GoneMemory },
    /// Host code accesses freed CUDA memory.
    HostAccesses { writes: bool, memory: MemoryName },
    /// The host is to dereference a pointer to this device memory.
    HostFollows { writes: bool, memory: MemoryName },
    /// A copy writes to bytes that it reads; no request: the C library's memcpy().
    CopyOverlaps,
    /// An algorithm of CUB has no temporary storage, and returns only its size.
    OnlyAskedForStorage,
    /// The direction of a copy, such as `cudaMemcpyHostToDevice`, does not match these pointers.
    CopyDirection { said: Arc<str>, wrong: Vec<CopySide> },
    /// A copy between GPUs names other GPUs than those that these sides are on.
    CopyDevices(Vec<NamedDevice>),

    // Collectives.
    /// A part of a collective.
    Collective { rank: u32, ranks: u32 },
    /// A call for one rank is outside a group.
    OutsideGroup { rank: u32, ranks: u32 },
}

/// Memory that a graph's node accesses, and that no longer exists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GoneMemory {
    /// Memory of CUDA that was freed, by its name.
    Freed(MemoryName),
    /// Pageable memory that was freed.
    FreedByHost,
    /// A local variable of a function of the host that has returned.
    Local,
}

/// Memory that a call is to access and must not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Place {
    /// An address in no memory.
    Nowhere,
    /// Memory of CUDA that was freed.
    Freed { memory: MemoryName },
    /// A local variable of a function of the host that has returned.
    DeadLocal,
    /// Freed pageable memory, by the name of the pointer.
    FreedByHost { pointer: Option<Arc<str>> },
    /// `bytes` bytes from `offset` on, which extend past the end.
    PastEnd { bytes: u64, offset: u64, of: CudaAllocation },
    /// `bytes` bytes outside this memory: `away` bytes after its end, or, if negative, before its start.
    Outside { bytes: u64, away: i64, of: CudaAllocation },
    /// `bytes` bytes of pageable memory, which has only `room` from there on.
    PastHost { bytes: u64, pointer: Option<Arc<str>>, room: u64, on_stack: bool },
    /// Where from the address that was passed on, the local variable that it is in has at most `room` bytes.
    PastLocal { bytes: u64, pointer: Option<Arc<str>>, room: u64 },
    /// `bytes` bytes at the address of a pointer variable, which has a size of `room`.
    OnPointer { bytes: u64, pointer: Arc<str>, room: u64 },
    /// `bytes` bytes at the address of a `std::vector`, whose elements are elsewhere.
    OnVector { bytes: u64, vector: Arc<str> },
}

/// The source or the destination of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CopySide {
    /// Whether it is the destination.
    pub writes: bool,
    /// The pointer's name.
    pub pointer: Option<Arc<str>>,
    pub leads_to: Pointee,
}

/// A side of a copy between GPUs, and the GPU that the call names for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NamedDevice {
    /// Whether it is the destination.
    pub writes: bool,
    /// The pointer's name.
    pub pointer: Option<Arc<str>>,
    pub named: u32,
    /// The GPU whose memory it is.
    pub is_on: u32,
}

/// Memory that the program obtained from CUDA.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CudaAllocation {
    pub name: MemoryName,
    pub bytes: u64,
    pub kind: CudaMemoryKind,
}

/// How the program obtained memory from CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CudaMemoryKind {
    Device,
    Managed,
    Pinned,
    Registered,
    /// A CUDA array.
    Array,
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
    /// The host's symbol of a variable that kernels use.
    Symbol,
    /// Freed memory.
    Freed,
}

/// What a pointer refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pointee {
    Cuda(CudaMemoryKind),
    Host(HostMemoryKind),
    Nothing,
}

/// What a program has to free or destroy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Leakable {
    Handle(HandleKind),
    Memory(CudaMemoryKind),
}

/// The kind of object that a handle of CUDA or of one of its libraries refers to.
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
    Array,
    TextureObject,
    SurfaceObject,
}

/// A CUDA error or a status of one of its libraries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CudaStatus {
    Cuda(CudaError),
    /// Its name, and the library's description.
    Library {
        name: Arc<str>,
        text: Arc<str>,
    },
}

impl CudaStatus {
    pub fn name(&self) -> &str {
        match self {
            CudaStatus::Cuda(error) => error.name(),
            CudaStatus::Library { name, .. } => name,
        }
    }

    /// Returns the description.
    pub fn text(&self) -> &str {
        match self {
            CudaStatus::Cuda(error) => error.text(),
            CudaStatus::Library { text, .. } => text,
        }
    }
}
