//! Facts whose sentences have no figures or names.

use sim::{
    ClusterMisuse, Evidence, FreedBy, ImageMisuse, MissingFence, NotABlock, ProductRegister, TensorMisuse,
};

pub fn sentence(evidence: &Evidence) -> Option<&'static str> {
    of_order(evidence).or_else(|| of_products(evidence)).or_else(|| of_values_and_calls(evidence))
}

/// What orders threads, blocks and copies, or does not.
fn of_order(evidence: &Evidence) -> Option<&'static str> {
    Some(match evidence {
        Evidence::DifferentBarriers => "Threads of one block wait at different barriers.",
        Evidence::NothingChanges => {
            "Every block still running waits in a loop, and in this run nothing that any of them did let one leave \
             its loop."
        }
        Evidence::ArithmeticAlone => {
            "As compiled, the loop reads and writes no memory, and it reached the same place again with the same \
             values in all registers: it never ends."
        }
        Evidence::StoppedForFindings => {
            "This was found so often that the launch was stopped: its later results are missing."
        }
        Evidence::LaterReadsIgnored => {
            "There were so many reads of this memory that only the first were followed: it may happen more often."
        }
        Evidence::BarrierDoesNotOrder => {
            "There is a barrier between the two, but it does not order these accesses."
        }
        Evidence::LostUpdate => {
            "Both read the value and write back one computed from it, or chosen by it: if both read before either \
             writes, one of the two is lost. volatile orders nothing; atomicAdd(), atomicMax() and the like read and \
             write in one step."
        }
        Evidence::SignalledWithoutFence => {
            "The reader relied on a later write of the writer's block, such as a counter or a flag. No __threadfence() \
             orders the two writes, so the later one may be visible before the value is: volatile and atomic accesses \
             do not order others."
        }
        Evidence::BarrierObjectMade => {
            "One of the two initialises or invalidates the barrier object, and nothing orders that with the other's \
             use of it: a thread that gets there first finds no barrier."
        }
        Evidence::StoredByOtherBlock => {
            "Another block of this launch stores it, and this thread may read it before that: then it holds whatever \
             was left there, which may end the wait at once."
        }
        Evidence::CopySourceChanged => "The copy may read the source after this has changed it.",
        Evidence::CopyOverValues => {
            "Other values of this block were there before. If the thread should read those, a __syncthreads() is \
             missing before the copy is requested; if it should read what the copy brings, it has to wait for the copy."
        }
        Evidence::CopySignalsBarrier => {
            "A barrier object signals when the copy is done: each thread that uses what it brings must first see the \
             barrier's phase complete, or synchronise with a thread that did. A __syncthreads() alone does not wait \
             for the copy."
        }
        Evidence::BulkCopy => {
            "It is a bulk copy, whose end its mbarrier reports: each thread that uses what it brings must first see \
             the barrier's phase complete, or synchronise with a thread that did."
        }
        Evidence::BulkCopyOutlivesBlock => {
            "The copy may still read shared memory when the block has ended and its memory is gone: the thread that \
             requested it must wait first (cp.async.bulk.wait_group.read 0)."
        }
        Evidence::BlockNotBegun => {
            "Nothing guarantees that the other block has started: its shared memory may not be there yet. A \
             cluster.sync() before this guarantees it."
        }
        Evidence::BlockMayEnd => {
            "Nothing keeps the other block from ending before this: its shared memory may be gone by then. A \
             cluster.sync() after this, in every block of the cluster, does."
        }
        Evidence::ClusterBarrier(ClusterMisuse::ArrivesTwice) => {
            "barrier.cluster.arrive by threads that have not waited since their last arrival."
        }
        Evidence::ClusterBarrier(ClusterMisuse::WaitsWithoutArrival) => {
            "barrier.cluster.wait by threads that did not arrive."
        }
        _ => return None,
    })
}

/// Matrix products and what they are given, and operations of warps.
fn of_products(evidence: &Evidence) -> Option<&'static str> {
    Some(match evidence {
        Evidence::ProductSourceChanged => "The product may read this place after it was overwritten.",
        Evidence::ProductRegister(ProductRegister::SumRead) => {
            "A sum is read while the product that adds to it may still be in progress."
        }
        Evidence::ProductRegister(ProductRegister::SumChanged) => {
            "A sum is changed while the product that adds to it may still be in progress."
        }
        Evidence::ProductRegister(ProductRegister::OperandChanged) => {
            "A register of A is changed while the product that reads it may still be in progress."
        }
        Evidence::LanesGiveDescriptors => "The lanes of a warp pass different descriptors.",
        Evidence::DescriptorBits => {
            "The descriptor has bits set where there must be none: an address or a stride was not cut to 14 bits, or \
             not divided by 16."
        }
        Evidence::Unfenced(MissingFence::BetweenShapes) => {
            "Only products of one shape may add to the same sums without wgmma.fence between them."
        }
        Evidence::Unfenced(MissingFence::BeforeFirst) => {
            "On some path to here there is no wgmma.fence before it."
        }
        Evidence::Unfenced(MissingFence::AfterChange) => {
            "On some path to here its registers were changed after the last wgmma.fence."
        }
        Evidence::TensorMap(TensorMisuse::NotEncoded) => {
            "What is there is not a tensor map as cuTensorMapEncodeTiled() fills one: was it filled, has nothing \
             changed it since, and is this the map's address in GPU memory, not in host memory?"
        }
        Evidence::TensorMap(TensorMisuse::Memory) => {
            "The map is in the kernel's shared or local memory: it must be in a parameter that is const \
             __grid_constant__, in __constant__ or in global memory."
        }
        Evidence::TensorMap(TensorMisuse::StoreBefore) => {
            "A coordinate is negative: a box that is stored may extend past the end of a tensor, but not begin before \
             its first element."
        }
        Evidence::Image(ImageMisuse::NoObject) => {
            "No texture or surface object has this value: was the object created, did that call succeed, and is this what it \
             returned?"
        }
        Evidence::Image(ImageMisuse::Destroyed) => "The object was destroyed before the kernel was launched.",
        Evidence::Image(ImageMisuse::IsSurface) => {
            "It is a surface object: tex2D() and the other texture functions need a texture object."
        }
        Evidence::Image(ImageMisuse::IsTexture) => {
            "It is a texture object: surf2Dread() and the other surface functions need a surface object."
        }
        Evidence::Image(ImageMisuse::NotLinear) => {
            "tex1Dfetch() reads linear memory (cudaResourceTypeLinear): for arrays and rows with a pitch there are \
             tex1D(), tex2D() and tex3D()."
        }
        Evidence::Image(ImageMisuse::IsLinear) => {
            "The object is of linear memory (cudaResourceTypeLinear), which only tex1Dfetch() reads."
        }
        Evidence::Image(ImageMisuse::ReadsFloats) => {
            "Floats are read, but the texture returns integers: cudaReadModeNormalizedFloat makes floats of those of 8 \
             and 16 bits."
        }
        Evidence::Image(ImageMisuse::ReadsIntegers) => "Integers are read, but the texture returns floats.",
        Evidence::UsesAbsentLane => {
            "It reads from a lane that does not take part: what it reads is undefined."
        }
        _ => return None,
    })
}

/// Values that nobody wrote, memory that is freed, and calls.
fn of_values_and_calls(evidence: &Evidence) -> Option<&'static str> {
    Some(match evidence {
        Evidence::NeverWritten => "No kernel and no copy has stored a value there before.",
        Evidence::ComputesWithUnwritten => "It computes with this element, which was never written.",
        Evidence::QuotientUndefined => "In CUDA C++ the result is undefined.",
        Evidence::LaunchHasNoValue => {
            "Nothing has been computed that this number would be: a variable was never set, or C++ leaves the result \
             undefined, as that of a division by zero."
        }
        Evidence::MainHasNoValue => {
            "Nothing has been computed that main() would return: a variable was never set, or C++ leaves the result \
             undefined, as that of a division by zero."
        }
        Evidence::SourceAlone => {
            "This is read off the source: as compiled, nothing of the variable is left here, so whether this run \
             executed the line is not known."
        }
        Evidence::FreedInKernelBefore => "free() was called for this memory before.",
        Evidence::NotFromKernelMalloc => "free() in a kernel frees only what malloc() in a kernel returned.",
        Evidence::NotABlock(NotABlock::Local) => "The address is that of a local variable.",
        Evidence::BadFunctionPointer { address: 0 } => "The pointer is null.",
        Evidence::PrintLost => "The program ended before the kernel did, so what the kernel printed is lost.",
        Evidence::OtherRanksMissing => "The other ranks have not made their calls.",
        Evidence::OutsideGroup => {
            "It may wait here for the other ranks, whose calls this same thread has yet to make."
        }
        Evidence::GroupNotEnded => {
            "It waits for the end of its group, but ncclGroupEnd() was never called: nothing was sent."
        }
        Evidence::FreedBy(FreedBy::CudaFree) => "cudaFree() frees it.",
        Evidence::FreedBy(FreedBy::CudaFreeAsync) => "cudaFreeAsync() frees it.",
        Evidence::FreedBy(FreedBy::CudaFreeArray) => "cudaFreeArray() frees it.",
        Evidence::FreedBy(FreedBy::CudaFreeHost) => "cudaFreeHost() frees it.",
        Evidence::FreedBy(FreedBy::Unregister) => {
            "cudaHostUnregister() comes first, then what frees memory of its kind, such as free()."
        }
        Evidence::FreedBy(FreedBy::Nobody) => "It is a variable of the program, which nothing frees.",
        Evidence::StillRegistered => "cudaHostUnregister() must come first.",
        Evidence::NotReady { between_events: false } => WAIT_FIRST,
        Evidence::ErrorStays => {
            "cudaGetLastError() returned this error later: it stays the last error until it is asked for."
        }
        _ => return None,
    })
}

pub const WAIT_FIRST: &str = "What it asks about is not done yet: wait for it first, for example with cudaEventSynchronize() for the \
     later event.";
