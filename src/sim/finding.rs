//! What a run found wrong with the learner's kernel: one row a kind, one value a defect.

use super::evidence::Evidence;
use super::launch::Dim3;
use std::sync::Arc;

macro_rules! findings {
    (
        defects { $($variant:ident $code:literal $slug:literal $title:literal $help:literal;)* }
        advice { $($av:ident $ac:literal $aslug:literal $at:literal $ah:literal;)* }
    ) => {
        findings! {
            @all [$($av)*]
            $($variant $code $slug $title $help;)* $($av $ac $aslug $at $ah;)*
        }
    };
    (@all [$($advice:ident)*]
        $($variant:ident $code:literal $slug:literal $title:literal $help:literal;)*) => {
        /// The kinds of defect and of advice, each with a stable code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum FindingKind { $($variant),* }

        impl FindingKind {
            pub const ALL: &[FindingKind] = &[$(FindingKind::$variant),*];
            /// It may be done better, or gives pause; the program is not wrong for it.
            pub fn is_advice(self) -> bool { matches!(self, $(FindingKind::$advice)|*) }
            /// Stable code, such as `R001`.
            pub fn code(self) -> &'static str { match self { $(FindingKind::$variant => $code),* } }
            /// Stable name, such as `shared-race`.
            pub fn slug(self) -> &'static str { match self { $(FindingKind::$variant => $slug),* } }
            /// What happened, in a few words that also read well after "right result, but".
            pub fn title(self) -> &'static str { match self { $(FindingKind::$variant => $title),* } }
            /// What to try, in one sentence.
            pub fn help(self) -> &'static str { match self { $(FindingKind::$variant => $help),* } }
        }
    };
}

findings! {
defects {
    OutOfBounds "M001" "out-of-bounds" "an access outside its buffer"
        "Compare the index with the size before the access: threads past the end must do nothing.";
    Misaligned "M002" "misaligned" "a misaligned address"
        "An access of n bytes needs an address that is a multiple of n: check the cast or the offset.";
    NullPointer "M003" "null-pointer" "a null pointer followed"
        "Check which pointer is passed here, and whether it was ever set.";
    ReadOnly "M004" "read-only-write" "a write to an input"
        "Write the result to the output buffer and leave the inputs as they are.";
    SharedOutOfBounds "M005" "shared-out-of-bounds" "an access outside a shared array"
        "Which element does this thread need here, if any, and how many must the array have for it?";
    LocalOutOfBounds "M006" "local-out-of-bounds" "an access outside a local array"
        "Which element is needed here, if any, and how many must the array have for it?";
    UseAfterFree "M007" "use-after-free" "memory used after free"
        "Free the memory after its last use: a kernel that was launched may still be using it.";
    OtherDevice "M008" "other-device" "another GPU's memory"
        "Call cudaDeviceEnablePeerAccess() first, or copy the data with cudaMemcpyPeer().";
    HostPointer "M009" "host-pointer-followed" "a host pointer in a kernel"
        "Give the kernel memory from cudaMalloc(), cudaMallocManaged() or cudaMallocHost(), and copy the data there.";
    MatrixDescriptor "M010" "matrix-descriptor" "a matrix descriptor that does not fit"
        "Look at how the descriptor is made: addresses and strides in units of 16 bytes, and a start that the swizzle allows.";
    DeadLocal "M011" "kernel-dead-local" "a local variable used after its end"
        "Return the value itself, or let the caller give the memory.";
    ClusterLifetime "M012" "cluster-lifetime" "shared memory of a block that may not run"
        "Let the cluster meet, with cluster.sync(), before the first access to another block's shared memory and behind the last one.";
    Uninitialised "I001" "uninitialised-read" "a read of memory never written"
        "Give the element a value before it is read, in every thread that can get here.";
    Undefined "I002" "undefined-variable" "a variable used before it has a value"
        "Give the variable a value where it is declared, such as `float sum = 0;`.";
    SharedRace "R001" "shared-race" "a race in shared memory"
        "If both should come to this element: put __syncthreads() between the two accesses, where every thread of the block reaches it.";
    GlobalRace "R002" "global-race" "a race in global memory"
        "Should both come to this element? If so, let one thread write it, add with atomicAdd(), or order the two; where one looks while the other writes, both must be atomic or volatile.";
    CopyInFlight "R003" "copy-in-flight" "a copy not waited for"
        "Is this the buffer that should be used now, and the one that should be copied to? If so, wait for the copy's group first (__pipeline_wait_prior(), cp.async.wait_group), then __syncthreads().";
    ProductInFlight "R004" "product-in-flight" "a matrix product not waited for"
        "Is this the tile that should be overwritten now, or the sum that is complete? If so, close the group with wgmma.commit_group and wait for it with wgmma.wait_group first.";
    ProxyFence "R005" "proxy-fence" "tiles that the tensor cores may not see yet"
        "Behind the writes, and before the barrier, let every thread that wrote execute fence.proxy.async.";
    RegisterFence "R006" "register-fence" "a matrix product without wgmma.fence"
        "Execute wgmma.fence.sync.aligned after the registers of sums (or of A) were last changed, and before the first wgmma.mma_async.";
    DivergentBarrier "B001" "divergent-barrier" "a barrier that not all threads reach"
        "Move the barrier out of the branch: all threads of the block must reach the same one.";
    Deadlock "B002" "deadlock" "a wait that never ends"
        "Look at who waits where: each must be released by somebody who still runs.";
    EndlessLoop "S001" "endless-loop" "a loop that does not end"
        "Check that the loop's condition changes, and that it can become false.";
    Trap "T001" "trap" "a kernel that stopped itself"
        "Look for a __trap(), for a function that should return a value and ends without one, or for an atomic operation on a variable of the thread's own.";
    AssertFailed "T002" "assert-failed" "a failed assertion"
        "The condition was false for this thread: print or work out the values it compares.";
    StackOverflow "T003" "stack-overflow" "calls nested too deep"
        "Bound the depth of the recursion, or turn it into a loop.";
    WarpMask "B003" "warp-mask" "a warp operation with the wrong mask"
        "Move the call to where all lanes that its mask names come; where some are not meant to, the mask must name only those that do.";
    WarpGroup "B005" "warpgroup" "warps of a warpgroup that disagree"
        "Let the four warps of a warpgroup, 128 threads in a row, come to the same wgmma with the same descriptors.";
    HostReadsEarly "O001" "host-reads-early" "a result read too early"
        "Wait before the host reads: cudaStreamSynchronize(), cudaEventSynchronize() or cudaDeviceSynchronize().";
    HostWritesInFlight "O002" "host-writes-in-flight" "memory changed while in flight"
        "Let the host wait until the work that uses this memory is done, or give each piece of work memory of its own.";
    StreamRace "O003" "stream-race" "a race between streams"
        "Record an event behind the first with cudaEventRecord(), and let the other stream wait for it with cudaStreamWaitEvent().";
    ManagedInUse "O004" "managed-in-use" "managed memory touched too early"
        "Call cudaDeviceSynchronize(), or wait for the stream, before the host touches this memory.";
    FreedInUse "O005" "freed-in-use" "memory freed while in use"
        "Free the memory behind its last use: in the same stream with cudaFreeAsync(), or after waiting for that stream.";
    PoolOrder "O006" "pool-order" "pool memory used too early"
        "Use the memory in the stream that allocates it, or let the other stream wait for an event recorded behind cudaMallocAsync().";
    NeverAwaited "O007" "never-awaited" "work nobody waited for"
        "Call cudaDeviceSynchronize() before the program ends.";
    CollectiveDeadlock "O008" "collective-deadlock" "a collective that never begins"
        "Every rank must make the same call; calls of one thread for several ranks belong between ncclGroupStart() and ncclGroupEnd().";
    CollectiveMismatch "O009" "collective-mismatch" "ranks that disagree"
        "Give the same operation, count and type on every rank.";
    GridBarrier "B004" "grid-barrier" "a grid barrier in a plain launch"
        "Launch the kernel with cudaLaunchCooperativeKernel(), so that all its blocks run at once.";
    CopyPastEnd "A001" "copy-past-end" "a copy past an end"
        "Count bytes on both sides: n * sizeof(element), where memory is allocated and where it is copied.";
    CopyDirection "A002" "copy-direction" "a copy in the wrong direction"
        "The destination comes first; the last argument must say where both are.";
    HostPointerGiven "A003" "host-pointer" "a host pointer given to the device"
        "Pass memory from cudaMalloc(), or another kind that the GPU can use.";
    DevicePointerGiven "A004" "device-pointer" "a device pointer given to the host"
        "Pass host memory here; the host can't use a pointer from cudaMalloc().";
    HostFollows "A005" "device-pointer-followed" "a device pointer followed by the host"
        "Copy the data to host memory with cudaMemcpy() first, or use cudaMallocManaged().";
    DoubleFree "A006" "double-free" "memory given back twice"
        "Give it back once, and set the pointer to nullptr afterwards.";
    WrongFree "A007" "wrong-free" "memory given back in the wrong way"
        "Give back the pointer that the allocation gave, with the function that belongs to it.";
    DestroyedHandle "A008" "use-after-destroy" "a handle used after its end"
        "Destroy it after its last use, at the end of the program where in doubt.";
    Leak "A009" "leak" "never given back"
        "Give it back when it is no longer needed; a destructor does that on every way out.";
    IgnoredError "A010" "ignored-error" "an error that nobody looked at"
        "Look at the result of every call of CUDA, with a macro such as CHECK().";
    UncheckedLaunch "A011" "unchecked-launch" "a failed launch that nobody noticed"
        "Call cudaGetLastError() after the launch: <<<>>> itself gives no result.";
    InvalidLaunch "A012" "invalid-launch" "a launch that CUDA refuses"
        "Choose a grid and a block within the limits of the GPU.";
    FailedCall "A013" "failed-call" "a call of CUDA that failed"
        "Look at what this call was given: the program ended itself because of it.";
    CopyOverlap "A014" "copy-overlap" "a copy onto its own source"
        "Copy by way of other memory, or in pieces that do not overlap; on the host, memmove() may overlap.";
    HostOutOfBounds "H001" "host-out-of-bounds" "host code outside its memory"
        "Compare the index with the size of the array or of the block that was allocated.";
    HostUseAfterFree "H002" "host-use-after-free" "host memory used after free"
        "Free the memory after the last use of it, and set the pointer to nullptr.";
    HostDoubleFree "H003" "host-double-free" "memory freed twice"
        "Free each block once, in one place; copies of an object must not share what its destructor frees.";
    HostBadFree "H004" "bad-free" "a free of what was not allocated"
        "Give free() and delete only what malloc() or new gave; device memory goes to cudaFree().";
    HostNullPointer "H005" "host-null-pointer" "a null pointer followed by host code"
        "Check that the pointer was set, and that what should have given it succeeded.";
    HostDeadLocal "H006" "dead-local" "a local variable used after its end"
        "Return the value itself, or let the caller give the memory.";
    HostDeviceVariable "H007" "device-variable" "a __device__ variable on the host"
        "Copy it with cudaMemcpyFromSymbol() or cudaMemcpyToSymbol(): the host has a copy that no kernel sees.";
    DeviceCodeOnHost "H008" "device-code-on-host" "device code run by the host"
        "Call this function from a kernel; what stands under #ifdef __CUDA_ARCH__ is compiled for the host too here.";
    HostBadCall "H009" "bad-call" "a call through a bad pointer"
        "Check that the function pointer, or the object whose virtual function is called, was set and is still alive.";
    HostTrap "H010" "host-trap" "host code that stopped itself"
        "Look for a __trap(), for a function that should return a value and ends without one, or for an index or a pointer that leads nowhere, as into an empty vector.";
    HostStackOverflow "H011" "host-stack-overflow" "host calls nested too deep"
        "Bound the depth of the recursion, or turn it into a loop; put large arrays on the heap.";
    HostDivision "H012" "host-division" "host code divided where there is no quotient"
        "Test the divisor before the division: it may not be zero, nor -1 under the smallest integer.";
}
advice {
    Uncoalesced "P001" "uncoalesced" "scattered memory traffic"
        "Let neighbouring threads touch neighbouring elements: which index should be the fast one?";
    BankConflict "P002" "bank-conflict" "lanes that wait for one bank"
        "Pad the rows by one element, as in tile[32][33], or let another index run along the lanes.";
    Divergence "P003" "divergence" "warps that split"
        "Let the condition be the same for all lanes of a warp: part the work by warps, not by odd and even threads.";
    RedundantBarrier "P004" "redundant-barrier" "a barrier that orders nothing"
        "Take this barrier out, and check again.";
    RegisterSpill "P005" "register-spill" "registers spilled to memory"
        "Keep fewer values alive at once, or let a block have fewer threads: __launch_bounds__() says how many.";
    LowOccupancy "P006" "low-occupancy" "few warps at once"
        "Take less of what limits it, or choose another size of block.";
    HotAtomic "P007" "hot-atomic" "atomics on one address"
        "Let each warp or block add up its own part first, and add that once.";
    LocalArray "P008" "local-array" "an array in local memory"
        "Let its indices be constants, by unrolling the loop, or put the array in shared memory.";
    NotANumber "N001" "not-a-number" "a NaN that is stored"
        "Look at the operands: should they have these values?";
    Infinity "N002" "infinity" "an infinity that is stored"
        "Look at the operands: scale them, subtract the greatest first, or keep the divisor from zero.";
    IndexOverflow "N003" "index-overflow" "an index that wraps around"
        "Work the index out in 64 bits: give one operand the type size_t or long long.";
    DivisionByZero "N004" "division-by-zero" "an integer divided by zero"
        "Test the divisor first.";
    LossyConversion "N005" "lossy-conversion" "a value that does not fit its new type"
        "Clamp the value first, or choose a type that holds it.";
    Cancellation "N006" "cancellation" "a difference of nearly equal values"
        "Rearrange the formula so that what is nearly equal is not subtracted, or work it out in double.";
}
}

/// Position in the learner's file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SourceLocation {
    pub file: Arc<str>,
    /// 1-based.
    pub line: u32,
    /// 1-based; 0 where it is not known.
    pub column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

/// Who made an access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Actor {
    /// A thread of a kernel: [`Access::block`] and [`Access::thread`] say which.
    #[default]
    Thread,
    /// One of several threads of [`Access::block`]: which is not known.
    SomeThread,
    /// The host's code.
    Host,
    /// Work that the host gave to a GPU, or a call of CUDA. Its location is the line that asked for it.
    Operation(Operation),
}

/// Work that the host gave to a GPU, or a call of CUDA.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Operation {
    /// In words: `cudaMemcpyAsync on stream copies`.
    pub words: Arc<str>,
    /// The function that is called, or the kernel that is launched; empty where it is neither.
    pub function: Arc<str>,
    /// It is a node of a graph.
    pub in_graph: bool,
}

impl Operation {
    /// What is neither a call nor a launch.
    pub fn in_words(words: impl Into<Arc<str>>) -> Operation {
        Operation { words: words.into(), function: "".into(), in_graph: false }
    }
}

/// One access: who, where in the source, and what memory.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Access {
    pub kind: AccessKind,
    pub actor: Actor,
    /// Of a thread; zero for others.
    pub block: Dim3,
    pub thread: Dim3,
    pub location: Option<SourceLocation>,
    /// Where that is in a function that was inlined, the lines of the learner's file that call it: from
    /// the call itself out to the kernel's line.
    pub calls: Vec<u32>,
    /// Bytes accessed, by this thread where it is one.
    pub bytes: u32,
    /// Where it points.
    pub target: Target,
}

/// What an address is, in the learner's terms.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// In a global buffer: its name, its size in bytes, and the byte offset of the access from
    /// its start. Negative, or past `size_bytes`, when outside; the nearest buffer is named.
    Buffer { name: Arc<str>, size_bytes: u64, offset_bytes: i64 },
    /// In a variable of shared memory (`name` as in the source; `dynamic` for `extern` arrays).
    Shared { name: Arc<str>, size_bytes: u64, offset_bytes: i64 },
    /// In the thread's own local memory.
    Local { offset_bytes: i64, size_bytes: u64 },
    /// In `__constant__` memory or kernel parameters.
    Constant { name: Arc<str>, size_bytes: u64, offset_bytes: i64 },
    /// In pageable memory of the host.
    Host { part: HostPart },
    /// Nowhere near anything that is allocated.
    Nowhere { address: u64 },
    /// No memory is involved (barriers, traps, endless loops).
    None,
}

/// A part of the host's pageable memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HostPart {
    Stack,
    Heap,
    Globals,
}

/// One defect. Many hits at the same place fold into one, with the lowest block and thread.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    pub code: FindingKind,
    /// Where it happened, or the later side of a race.
    pub at: Access,
    /// The earlier side of a race, or the barrier that others wait at.
    pub other: Option<Access>,
    /// Hits folded into this one: a thread in a loop counts each time.
    pub hits: u64,
    /// Threads that `at` stands for; `None` where they are too many to be told apart.
    pub threads: Option<u64>,
    /// What else is known of it.
    pub evidence: Vec<Evidence>,
    /// The kind of defect that this one follows from, told beside it: the cause comes first.
    pub follows: Option<FindingKind>,
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
