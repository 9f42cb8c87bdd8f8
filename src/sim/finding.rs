//! The defects that a run found in the learner's program: the table of their kinds, and the type of a single
//! finding.

use super::dim3::Dim3;
use super::evidence::Evidence;
pub use super::memory::HostPart;
pub use super::memory::access::AccessKind;
pub use super::memory_name::MemoryName;
use super::operation::{CallPurpose, Operation};
use std::sync::Arc;

macro_rules! findings {
    (
        defects { $($variant:ident $code:literal $slug:literal $title:literal;)* }
        advice { $($av:ident $ac:literal $aslug:literal $at:literal;)* }
    ) => {
        findings! {
            @all [$($av)*]
            $($variant $code $slug $title;)* $($av $ac $aslug $at;)*
        }
    };
    (@all [$($advice:ident)*]
        $($variant:ident $code:literal $slug:literal $title:literal;)*) => {
        /// The kinds of defect and of advice, each with a stable code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum FindingKind { $($variant),* }

        impl FindingKind {
            pub const ALL: &[FindingKind] = &[$(FindingKind::$variant),*];
            /// Returns whether this is advice: something that could be improved or is suspicious, but is not an
            /// error.
            pub fn is_advice(self) -> bool { matches!(self, $(FindingKind::$advice)|*) }
            /// Returns whether this is about a call of the host to CUDA: what it is passed, what its result is, and
            /// whether that is looked at.
            pub fn is_of_a_call(self) -> bool {
                (FindingKind::CopyPastEnd..=FindingKind::CopyDevice).contains(&self)
            }
            /// Returns the stable code, such as `R001`.
            pub fn code(self) -> &'static str { match self { $(FindingKind::$variant => $code),* } }
            /// Returns the stable name, such as `shared-race`.
            pub fn slug(self) -> &'static str { match self { $(FindingKind::$variant => $slug),* } }
            /// Returns what happened, in a few words that also read well after "right result, but".
            pub fn title(self) -> &'static str { match self { $(FindingKind::$variant => $title),* } }
        }
    };
}

findings! {
defects {
    OutOfBounds "M001" "out-of-bounds" "an access outside its buffer";
    Misaligned "M002" "misaligned" "a misaligned address";
    NullPointer "M003" "null-pointer" "a null pointer dereferenced";
    ReadOnly "M004" "read-only-write" "a write to an input";
    SharedOutOfBounds "M005" "shared-out-of-bounds" "an access outside a shared array";
    LocalOutOfBounds "M006" "local-out-of-bounds" "an access outside a local array";
    UseAfterFree "M007" "use-after-free" "memory used after free";
    OtherDevice "M008" "other-device" "another GPU's memory";
    HostPointer "M009" "host-pointer-followed" "a host pointer in a kernel";
    MatrixDescriptor "M010" "matrix-descriptor" "a matrix descriptor that does not fit";
    DeadLocal "M011" "kernel-dead-local" "a local variable used after its lifetime";
    ClusterLifetime "M012" "cluster-lifetime" "shared memory of a block that may not be running";
    TensorMap "M013" "tensor-map" "a tensor map that does not fit";
    TextureObject "M014" "texture-object" "a texture or surface object that does not fit";
    Uninitialised "I001" "uninitialised-read" "a read of memory never written";
    Undefined "I002" "undefined-variable" "a variable used before it has a value";
    FormatValues "I003" "format-values" "a format that asks for more values";
    DivisionByZero "N004" "division-by-zero" "an integer divided by zero";
    SharedRace "R001" "shared-race" "a race in shared memory";
    GlobalRace "R002" "global-race" "a race in global memory";
    CopyInFlight "R003" "copy-in-flight" "a copy not waited for";
    ProductInFlight "R004" "product-in-flight" "a matrix product not waited for";
    ProxyFence "R005" "proxy-fence" "a missing proxy fence";
    RegisterFence "R006" "register-fence" "a matrix product without wgmma.fence";
    StaleTexture "R007" "stale-texture" "a texture read of what the same kernel wrote";
    ReadOnlyLoad "R008" "read-only-load" "a read-only load of memory that the kernel writes";
    DivergentBarrier "B001" "divergent-barrier" "a barrier that not all threads reach";
    Deadlock "B002" "deadlock" "a wait that never ends";
    EndlessLoop "S001" "endless-loop" "a loop that did not end";
    Trap "T001" "trap" "a kernel that stopped itself";
    AssertFailed "T002" "assert-failed" "a failed assertion";
    StackOverflow "T003" "stack-overflow" "calls nested too deeply";
    WarpMask "B003" "warp-mask" "a warp operation with the wrong mask";
    WarpGroup "B005" "warpgroup" "warps of a warpgroup that disagree";
    HostReadsEarly "O001" "host-reads-early" "a result read too early";
    HostWritesInFlight "O002" "host-writes-in-flight" "memory changed while in flight";
    StreamRace "O003" "stream-race" "a race between streams";
    ManagedInUse "O004" "managed-in-use" "managed memory accessed too early";
    FreedInUse "O005" "freed-in-use" "memory freed while in use";
    PoolOrder "O006" "pool-order" "pool memory used too early";
    NeverAwaited "O007" "never-awaited" "work nobody waited for";
    CollectiveDeadlock "O008" "collective-deadlock" "a collective that never begins";
    CollectiveMismatch "O009" "collective-mismatch" "ranks that disagree";
    GridBarrier "B004" "grid-barrier" "a grid barrier in a plain launch";
    CopyPastEnd "A001" "copy-past-end" "a copy past an end";
    CopyDirection "A002" "copy-direction" "a copy in the wrong direction";
    HostPointerGiven "A003" "host-pointer" "a host pointer given to the device";
    DevicePointerGiven "A004" "device-pointer" "a device pointer given to the host";
    HostFollows "A005" "device-pointer-followed" "a device pointer dereferenced by the host";
    DoubleFree "A006" "double-free" "memory freed twice";
    WrongFree "A007" "wrong-free" "memory freed in the wrong way";
    DestroyedHandle "A008" "use-after-destroy" "a handle used after it was destroyed";
    Leak "A009" "leak" "never freed";
    IgnoredError "A010" "ignored-error" "an error that nobody checked";
    UncheckedLaunch "A011" "unchecked-launch" "a failed launch that nobody noticed";
    InvalidLaunch "A012" "invalid-launch" "a launch that CUDA rejects";
    FailedCall "A013" "failed-call" "a CUDA call that failed";
    CopyOverlap "A014" "copy-overlap" "a copy onto its own source";
    CollectiveOverlap "A015" "collective-overlap" "a collective that overwrites its input";
    TemporaryStorage "A016" "temporary-storage" "an algorithm without its temporary storage";
    CopyDevice "A017" "copy-device" "a copy that names another GPU";
    HostOutOfBounds "H001" "host-out-of-bounds" "a host access outside its memory";
    HostUseAfterFree "H002" "host-use-after-free" "host memory used after free";
    HostDoubleFree "H003" "host-double-free" "memory freed twice";
    HostBadFree "H004" "bad-free" "a free of unallocated memory";
    HostNullPointer "H005" "host-null-pointer" "a null pointer dereferenced by host code";
    HostDeadLocal "H006" "dead-local" "a local variable used after its lifetime";
    HostDeviceVariable "H007" "device-variable" "a __device__ variable on the host";
    DeviceCodeOnHost "H008" "device-code-on-host" "device code run by the host";
    HostBadCall "H009" "bad-call" "a call through a bad pointer";
    HostTrap "H010" "host-trap" "host code that stopped itself";
    HostStackOverflow "H011" "host-stack-overflow" "host calls nested too deeply";
    HostDivision "H012" "host-division" "a division without a result in host code";
    HostMismatchedFree "H013" "mismatched-free" "memory freed by the wrong function";
    HostNoElement "H014" "no-element" "an element that a container does not have";
}
advice {
    Uncoalesced "P001" "uncoalesced" "scattered memory traffic";
    BankConflict "P002" "bank-conflict" "lanes that wait for one bank";
    Divergence "P003" "divergence" "warps that split";
    RedundantBarrier "P004" "redundant-barrier" "a barrier that orders nothing";
    RegisterSpill "P005" "register-spill" "registers spilled to memory";
    LowOccupancy "P006" "low-occupancy" "few warps at once";
    HotAtomic "P007" "hot-atomic" "atomics on one address";
    LocalArray "P008" "local-array" "an array in local memory";
    NotANumber "N001" "not-a-number" "a NaN that is stored";
    Infinity "N002" "infinity" "an infinity that is stored";
    IndexOverflow "N003" "index-overflow" "an index that wraps around";
    LossyConversion "N005" "lossy-conversion" "a value that does not fit its new type";
    Cancellation "N006" "cancellation" "a difference of nearly equal values";
}
}

/// A position in the learner's source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SourceLocation {
    pub file: Arc<str>,
    /// 1-based.
    pub line: u32,
    /// 1-based; 0 where it is not known.
    pub column: u32,
}

/// Who made an access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Actor {
    /// A thread of a kernel: [`Access::block`] and [`Access::thread`] say which.
    #[default]
    Thread,
    /// One of several threads of [`Access::block`]; which one is not known.
    SomeThread,
    /// The host's code.
    Host,
    /// Work that the host submitted to a GPU, or a CUDA call. Its location is the line that requested it.
    Operation(Operation),
}

/// One access: who, where in the source, and what memory.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Access {
    pub kind: AccessKind,
    pub actor: Actor,
    /// Index of the block of a thread; zero for other actors.
    pub block: Dim3,
    pub thread: Dim3,
    pub location: Option<SourceLocation>,
    /// If `location` is in an inlined function, the lines of the learner's file that call it: from the call itself
    /// out to the kernel's line.
    pub calls: Vec<u32>,
    /// Bytes accessed, by this thread if the actor is a thread.
    pub bytes: u32,
    /// The memory that was accessed.
    pub target: Target,
    /// The pointer that the kernel was passed and computed the address from; `None` where the code does not show that
    /// it is this one alone, or the address is in another buffer.
    pub parameter: Option<PointerParameter>,
}

/// A pointer that a launch passes to its kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointerParameter {
    /// Its index among the kernel's parameters.
    pub index: u32,
    /// The buffer that it points into, by the name that the host gave it.
    pub buffer: MemoryName,
    /// The buffer's address, which tells it from others of the same name.
    pub base: u64,
    /// Where in the buffer it points to.
    pub offset_bytes: u64,
}

impl Access {
    /// Returns a placeholder for something `actor` does at a source location, without a memory access: a read of
    /// no bytes, by the first thread if it is a thread.
    pub fn by(actor: Actor, location: Option<SourceLocation>) -> Access {
        Access { actor, location, ..Access::default() }
    }

    /// Returns the line; 0 where it is not known.
    pub fn line(&self) -> u32 {
        self.location.as_ref().map_or(0, |at| at.line)
    }

    /// Returns what the call does, if the access is by a call of the CUDA runtime for memory.
    pub fn purpose(&self) -> Option<CallPurpose> {
        match &self.actor {
            Actor::Operation(operation) => operation.request.purpose(),
            _ => None,
        }
    }
}

/// The meaning of an address, in the learner's terms.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// In a global buffer: its name, its size in bytes, and the byte offset of the access from
    /// its start. Negative, or past `size_bytes`, when outside; the nearest buffer is named.
    Buffer { name: MemoryName, size_bytes: u64, offset_bytes: i64 },
    /// In a variable of shared memory (`name` as in the source; `dynamic` for `extern` arrays).
    Shared { name: MemoryName, size_bytes: u64, offset_bytes: i64 },
    /// In the thread's own local memory.
    Local { offset_bytes: i64, size_bytes: u64 },
    /// In `__constant__` memory or kernel parameters.
    Constant { name: MemoryName, size_bytes: u64, offset_bytes: i64 },
    /// In pageable memory of the host.
    Host { part: HostPart },
    /// In or near a block that host code or a kernel obtained from `malloc()` or `new`, which has no name; offsets as
    /// for [`Target::Buffer`].
    Allocated { by: AllocatedBy, size_bytes: u64, offset_bytes: i64 },
    /// Not near any allocated memory.
    Nowhere { address: u64 },
    /// No memory is involved (barriers, traps, endless loops).
    #[default]
    None,
}

/// Whose `malloc()` or `new` returned a block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AllocatedBy {
    Host,
    Kernel,
}

impl Target {
    /// Returns the name of the buffer or the variable that is accessed.
    pub fn name(&self) -> Option<&str> {
        self.region().map(|region| region.name)
    }

    /// Returns the buffer or the variable that is accessed, and where in it.
    pub fn region(&self) -> Option<Region<'_>> {
        match self {
            Target::Buffer { name, size_bytes, offset_bytes }
            | Target::Shared { name, size_bytes, offset_bytes }
            | Target::Constant { name, size_bytes, offset_bytes } => {
                let is_named = matches!(name, MemoryName::Named(_) | MemoryName::Part { .. });
                Some(Region { name, is_named, size_bytes: *size_bytes, offset_bytes: *offset_bytes })
            }
            _ => None,
        }
    }
}

/// A place in a buffer, or in a variable of shared or constant memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region<'a> {
    pub name: &'a str,
    /// Whether `name` is the program's, such as `in`. Otherwise it says what the memory is.
    pub is_named: bool,
    pub size_bytes: u64,
    /// Negative, or past `size_bytes`, when outside.
    pub offset_bytes: i64,
}

/// One defect. Many hits at the same place are merged into one, with the lowest block and thread.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    pub kind: FindingKind,
    /// Where it happened, or the later side of a race.
    pub at: Access,
    /// The earlier side of a race, or the barrier at which others wait.
    pub other: Option<Access>,
    /// Hits merged into this one: a thread in a loop counts each time.
    pub hits: u64,
    /// Number of distinct threads with this finding; `None` if there are too many to count.
    pub threads: Option<u64>,
    /// Further facts about it.
    pub evidence: Vec<Evidence>,
    /// The kind of defect that caused this one and is reported along with it: the cause comes first.
    pub follows: Option<FindingKind>,
}

impl Finding {
    /// Creates a finding that occurred once, without further evidence.
    pub fn new(kind: FindingKind, at: Access) -> Finding {
        let threads = (at.actor == Actor::Thread).then_some(1);
        Finding { kind, at, other: None, hits: 1, threads, evidence: Vec::new(), follows: None }
    }

    /// Iterates over the accesses: one, or two where there is another.
    pub fn sides(&self) -> impl Iterator<Item = &Access> {
        std::iter::once(&self.at).chain(&self.other)
    }

    /// Like [`Finding::sides`], to change them.
    pub fn sides_mut(&mut self) -> impl Iterator<Item = &mut Access> {
        std::iter::once(&mut self.at).chain(&mut self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_and_names_are_unique() {
        let names: HashSet<&str> = FindingKind::ALL.iter().flat_map(|c| [c.code(), c.slug()]).collect();
        assert_eq!(names.len(), FindingKind::ALL.len() * 2);
    }
}
