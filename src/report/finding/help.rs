//! What to try, for each kind of finding: one sentence or two, for where nothing more is known.

use sim::FindingKind;

/// What to try.
pub fn help(kind: FindingKind) -> &'static str {
    use FindingKind::*;
    match kind {
        OutOfBounds => {
            "Compare the index with the size before the access: threads past the end must do nothing."
        }
        Misaligned => {
            "An access of n bytes needs an address that is a multiple of n: check the cast or the offset."
        }
        NullPointer => "Check which pointer is passed here, and whether it was ever set.",
        ReadOnly => "Write the result to the output buffer and leave the inputs as they are.",
        SharedOutOfBounds => {
            "Which element does this thread need here, if any, and how many must the array have for it?"
        }
        LocalOutOfBounds => "Which element is needed here, if any, and how many must the array have for it?",
        UseAfterFree => {
            "Free the memory after its last use: a kernel that was launched may still be using it."
        }
        OtherDevice => "Call cudaDeviceEnablePeerAccess() first, or copy the data with cudaMemcpyPeer().",
        HostPointer => {
            "Give the kernel memory from cudaMalloc(), cudaMallocManaged() or cudaMallocHost(), and copy the data there."
        }
        MatrixDescriptor => {
            "Look at how the descriptor is made: addresses and strides in units of 16 bytes, and a start that the swizzle allows."
        }
        TensorMap => {
            "Look at the map and the coordinates: the map is filled by cuTensorMapEncodeTiled(), whose result says whether it was, and handed on whole."
        }
        DeadLocal => "Return the value itself, or let the caller give the memory.",
        ClusterLifetime => {
            "Let the cluster meet, with cluster.sync(), before the first access to another block's shared memory and behind the last one."
        }
        Uninitialised => "Give the element a value before it is read, in every thread that can get here.",
        Undefined => "Give the variable a value where it is declared, such as `float sum = 0;`.",
        SharedRace => {
            "If both should come to this element: put __syncthreads() between the two accesses, where every thread of the block reaches it."
        }
        GlobalRace => {
            "Should both come to this element? If so, let one thread write it, add with atomicAdd(), or order the two; where one looks while the other writes, both must be atomic or volatile."
        }
        CopyInFlight => {
            "Is this the buffer that should be used now, and the one that should be copied to? If so, wait for the copy's group first (__pipeline_wait_prior(), cp.async.wait_group), then __syncthreads()."
        }
        ProductInFlight => {
            "Is this the tile that should be overwritten now, or the sum that is complete? If so, close the group with wgmma.commit_group and wait for it with wgmma.wait_group first."
        }
        ProxyFence => {
            "Behind the writes, and before the barrier, let every thread that wrote execute fence.proxy.async."
        }
        RegisterFence => {
            "Execute wgmma.fence.sync.aligned after the registers of sums (or of A) were last changed, and before the first wgmma.mma_async."
        }
        DivergentBarrier => {
            "Move the barrier out of the branch: all threads of the block must reach the same one."
        }
        Deadlock => "Look at who waits where: each must be released by somebody who still runs.",
        EndlessLoop => "Check that the loop's condition changes, and that it can become false.",
        Trap => {
            "Look for a __trap(), for a function that should return a value and ends without one, or for an atomic operation on a variable of the thread's own."
        }
        AssertFailed => "The condition was false for this thread: print or work out the values it compares.",
        StackOverflow => "Bound the depth of the recursion, or turn it into a loop.",
        WarpMask => {
            "Move the call to where all lanes that its mask names come; where some are not meant to, the mask must name only those that do."
        }
        WarpGroup => {
            "Let the four warps of a warpgroup, 128 threads in a row, come to the same wgmma with the same descriptors."
        }
        HostReadsEarly => {
            "Wait before the host reads: cudaStreamSynchronize(), cudaEventSynchronize() or cudaDeviceSynchronize()."
        }
        HostWritesInFlight => {
            "Let the host wait until the work that uses this memory is done, or give each piece of work memory of its own."
        }
        StreamRace => {
            "Should both use this memory? If not, look at the pointers that they are given. If so, record an event behind the first with cudaEventRecord(), and let the other stream wait for it with cudaStreamWaitEvent()."
        }
        ManagedInUse => {
            "Call cudaDeviceSynchronize(), or wait for the stream, before the host touches this memory."
        }
        FreedInUse => {
            "Free the memory behind its last use: in the same stream with cudaFreeAsync(), or after waiting for that stream."
        }
        PoolOrder => {
            "Use the memory in the stream that allocates it, or let the other stream wait for an event recorded behind cudaMallocAsync()."
        }
        NeverAwaited => "Call cudaDeviceSynchronize() before the program ends.",
        CollectiveDeadlock => {
            "Every rank must make the same call; calls of one thread for several ranks belong between ncclGroupStart() and ncclGroupEnd()."
        }
        CollectiveMismatch => "Give the same operation, count and type on every rank.",
        GridBarrier => {
            "Launch the kernel with cudaLaunchCooperativeKernel(), so that all its blocks run at once."
        }
        CopyPastEnd => {
            "Count bytes on both sides: n * sizeof(element), where memory is allocated and where it is copied."
        }
        CopyDirection => "The destination comes first; the last argument must say where both are.",
        HostPointerGiven => "Pass memory from cudaMalloc(), or another kind that the GPU can use.",
        DevicePointerGiven => "Pass host memory here; the host can't use a pointer from cudaMalloc().",
        HostFollows => {
            "The host reaches that memory by copies alone: cudaMemcpy(), before it reads or after it has written to memory of its own."
        }
        DoubleFree => "Free it once, and set the pointer to nullptr afterwards.",
        WrongFree => "Free the pointer that the allocation returned, with the function that belongs to it.",
        DestroyedHandle => "Destroy it after its last use, at the end of the program where in doubt.",
        Leak => "Free it when it is no longer needed; a destructor does that on every way out.",
        IgnoredError => "Look at the result of every call of CUDA, with a macro such as CHECK().",
        UncheckedLaunch => "Call cudaGetLastError() after the launch: <<<>>> itself gives no result.",
        InvalidLaunch => "Choose a grid and a block within the limits of the GPU.",
        FailedCall => "Look at what this call was given: the program ended itself because of it.",
        CopyOverlap => {
            "Copy by way of other memory, or in pieces that do not overlap; on the host, memmove() may overlap."
        }
        HostOutOfBounds => "Compare the index with the size of the array or of the block that was allocated.",
        HostUseAfterFree => "Free the memory after the last use of it, and set the pointer to nullptr.",
        HostDoubleFree => {
            "Free each block once, in one place; copies of an object must not share what its destructor frees."
        }
        HostBadFree => {
            "Give free() and delete only what malloc() or new gave; cudaFree() takes device and managed memory, cudaFreeHost() what cudaMallocHost() gave."
        }
        HostNullPointer => "Check that the pointer was set, and that what should have given it succeeded.",
        HostDeadLocal => "Return the value itself, or let the caller give the memory.",
        HostDeviceVariable => {
            "Copy it with cudaMemcpyFromSymbol() or cudaMemcpyToSymbol(): the host has a copy that no kernel sees."
        }
        DeviceCodeOnHost => {
            "Call this function from a kernel; what stands under #ifdef __CUDA_ARCH__ is compiled for the host too here."
        }
        HostBadCall => {
            "Check that the function pointer, or the object whose virtual function is called, was set and is still alive."
        }
        HostTrap => {
            "Look for a __trap(), for a function that should return a value and ends without one, or for an index or a pointer that leads nowhere, as into an empty vector."
        }
        HostStackOverflow => {
            "Bound the depth of the recursion, or turn it into a loop; put large arrays on the heap."
        }
        HostDivision => {
            "Test the divisor before the division: it may not be zero, nor -1 under the smallest integer."
        }
        Uncoalesced => {
            "Let neighbouring threads touch neighbouring elements: which index should be the fast one?"
        }
        BankConflict => {
            "Pad the rows by one element, as in tile[32][33], or let another index run along the lanes."
        }
        Divergence => {
            "Let the condition be the same for all lanes of a warp: part the work by warps, not by odd and even threads."
        }
        RedundantBarrier => "Take this barrier out, and check again.",
        RegisterSpill => {
            "Keep fewer values alive at once, or let a block have fewer threads: __launch_bounds__() says how many."
        }
        LowOccupancy => "Take less of what limits it, or choose another size of block.",
        HotAtomic => "Let each warp or block add up its own part first, and add that once.",
        LocalArray => {
            "Let its indices be constants, by unrolling the loop, or put the array in shared memory."
        }
        NotANumber => "Look at the operands: should they have these values?",
        Infinity => {
            "Look at the operands: scale them, subtract the greatest first, or keep the divisor from zero."
        }
        IndexOverflow => "Work the index out in 64 bits: give one operand the type size_t or long long.",
        DivisionByZero => "Test the divisor first.",
        LossyConversion => "Clamp the value first, or choose a type that holds it.",
        Cancellation => {
            "Rearrange the formula so that what is nearly equal is not subtracted, or work it out in double."
        }
    }
}
