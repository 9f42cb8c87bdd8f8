//! What to try for a finding: one sentence, worded for the place where it happened.

mod bounds;
mod guard;
mod loop_bound;
mod pass;
mod races;
mod subscript;
pub mod values;

use super::FindingView;
use super::defect::own_location;
use super::help::help;
use super::operation::copies_a_symbol;
use crate::about::About;
use judge::ExcessThreads;
use sim::{
    Access, AccessKind, Act, Actor, AllocatedBy, BulkOperand, Distance, Evidence, Extent, Finding,
    FindingKind, HostBlockName, LaunchLimit, MbarrierMisuse as Misuse, Operation, Target,
};

/// Returns the most specific remedy for a finding, or else the general help for its kind. `view` is the finding
/// as shown.
pub fn remedy(finding: &Finding, view: &FindingView, excess: ExcessThreads, about: &About) -> String {
    let operation = match &finding.at.actor {
        Actor::Operation(operation) => Some(operation),
        _ => None,
    };
    let calls = |name: &str| operation.is_some_and(|its| its.function().starts_with(name));
    let known = |is: fn(&Evidence) -> bool| finding.evidence.iter().any(is);
    let special = match finding.kind {
        FindingKind::OutOfBounds if calls("nccl") => Some(BY_NCCL.into()),
        FindingKind::OutOfBounds if calls("cufft") => Some(BY_CUFFT.into()),
        FindingKind::OutOfBounds if operation.is_some() => Some(BY_A_LIBRARY.into()),
        FindingKind::OutOfBounds if of_bulk_copy(&finding.at, about) => Some(BULK_OUTSIDE.into()),
        FindingKind::OutOfBounds if known(|its| matches!(its, Evidence::KernelParameter(_))) => {
            Some(KERNEL_PARAMS.into())
        }
        FindingKind::OutOfBounds if allocated_by_kernel(finding) => Some(PAST_ALLOCATED.into()),
        FindingKind::UseAfterFree if allocated_by_kernel(finding) => Some(FREED_BY_KERNEL.into()),
        FindingKind::HostPointerGiven if finding.evidence.contains(&Evidence::DevicePointerMode) => {
            Some(POINTER_MODE.into())
        }
        FindingKind::CopyPastEnd if finding.evidence.contains(&Evidence::BesideMemory) => {
            Some(POINTER_MOVED.into())
        }
        FindingKind::DivisionByZero => Some(DIVIDED.into()),
        FindingKind::UncheckedLaunch if launches_by_call(finding, about) => Some(LAUNCHED_BY_CALL.into()),
        FindingKind::Misaligned
            if known(|its| matches!(its, Evidence::BulkUnaligned { what: BulkOperand::Size, .. })) =>
        {
            Some(BULK_SIZE.into())
        }
        FindingKind::Misaligned if known(|its| matches!(its, Evidence::BulkUnaligned { .. })) => {
            Some(BULK_ADDRESS.into())
        }
        FindingKind::Misaligned if finding.at.bytes > 1 => Some(format!(
            "An access of {0} bytes needs an address that is a multiple of {0}: check the cast or the offset.",
            finding.at.bytes
        )),
        FindingKind::Undefined => {
            values::unfilled(&finding.at, about).or_else(|| values::without_value(&finding.at, about))
        }
        FindingKind::Uninitialised if operation.is_some() && !calls("cudaMemcpy") => {
            Some(UNSET_IN_A_LIBRARY.into())
        }
        FindingKind::Uninitialised if operation.is_some() && !about.source.code().contains("<<<") => {
            Some(NOT_LAUNCHED.into())
        }
        FindingKind::Uninitialised if operation.is_some() => Some(NOT_WRITTEN.into()),
        FindingKind::CopyDirection | FindingKind::HostPointerGiven
            if finding.evidence.contains(&Evidence::NoMemory) =>
        {
            Some(NO_MEMORY.into())
        }
        FindingKind::CopyDirection if copies_a_symbol(&finding.at) => Some(BY_SYMBOL.into()),
        FindingKind::CopyPastEnd | FindingKind::CopyDirection
            if known(|its| matches!(its, Evidence::AddressOfPointer(_))) =>
        {
            Some(NO_AMPERSAND.into())
        }
        FindingKind::WarpMask if of_matrices(&finding.at, about) => Some(WHOLE_WARP.into()),
        FindingKind::WarpMask if known(|its| matches!(its, Evidence::CallersNotNamed { .. })) => {
            Some(ALL_CALLERS.into())
        }
        FindingKind::WarpMask if finding.evidence.contains(&Evidence::UsesAbsentLane) => {
            Some(ABSENT_LANE.into())
        }
        FindingKind::EndlessLoop if finding.evidence.contains(&Evidence::NothingChanges) => {
            Some(if races::has_locks(about) { LOCKED } else { NOBODY_CHANGES }.into())
        }
        FindingKind::EndlessLoop if finding.evidence.contains(&Evidence::ArithmeticAlone) => {
            Some(NEVER_READ_ANEW.into())
        }
        FindingKind::HostOutOfBounds
            if known(|its| {
                matches!(its, Evidence::Distance { at: Distance::Inside, block: HostBlockName::Locals })
            }) =>
        {
            Some(UNFILLED_LOCAL.into())
        }
        FindingKind::HostOutOfBounds if values::follows_pointer(&finding.at, about) => {
            Some(UNSET_POINTER.into())
        }
        FindingKind::HostFollows if finding.at.kind == AccessKind::Write => Some(HOST_WRITES.into()),
        FindingKind::FailedCall if failed_with(operation, "cudaErrorStreamCaptureImplicit") => {
            Some(OUTSIDE_THE_CAPTURE.into())
        }
        FindingKind::FailedCall if failed_with(operation, "cudaErrorInvalidResourceHandle") => {
            Some(match about.source.code().contains("cudaSetDevice") {
                true => NO_HANDLE_OF_MANY.into(),
                false => NO_HANDLE.into(),
            })
        }
        FindingKind::FailedCall if calls("ncclGroupEnd") => Some(GROUP_OF_CALLS.into()),
        FindingKind::InvalidLaunch => refused(finding).map(String::from),
        FindingKind::StreamRace
            if operation.is_some_and(|its| matches!(its.act, Act::Work { in_graph: true, .. })) =>
        {
            Some(IN_A_GRAPH.into())
        }
        FindingKind::FreedInUse if calls("cudaFreeHost") => Some(FREED_BY_THE_HOST.into()),
        FindingKind::OutOfBounds => bounds::stray(&finding.at, excess.at, view.case.as_deref(), about),
        FindingKind::SharedOutOfBounds if known(|its| matches!(its, Evidence::DescriptorPlace { .. })) => {
            Some(help(FindingKind::MatrixDescriptor).into())
        }
        FindingKind::SharedOutOfBounds => bounds::stray_in_shared(&finding.at, about),
        FindingKind::GlobalRace if finding.evidence.contains(&Evidence::SignalledWithoutFence) => {
            Some(FENCE_BEFORE_SIGNAL.into())
        }
        FindingKind::GlobalRace => races::one_element(finding, excess, about),
        FindingKind::Uninitialised if finding.at.actor == Actor::Host => {
            Some(values::unset_by_host(finding, about))
        }
        FindingKind::Uninitialised if finding.other.is_some() => Some(values::COPIED_UNSET.into()),
        FindingKind::Uninitialised => values::unset(&finding.at, about),
        FindingKind::DivergentBarrier => races::left(finding, about),
        FindingKind::CopyInFlight if finding.evidence.contains(&Evidence::CopyOverValues) => {
            Some(ROUND_OF_COPIES.into())
        }
        FindingKind::CopyInFlight if finding.evidence.contains(&Evidence::BulkCopy) => {
            Some(BULK_IN_FLIGHT.into())
        }
        FindingKind::Trap => match finding.evidence.iter().find_map(|it| it.misuse()) {
            Some(misuse) => Some(mbarrier(misuse).into()),
            None => values::trapped(&finding.at, about),
        },
        FindingKind::SharedRace => races::barrier(finding, &view.excerpt, about),
        _ => None,
    };
    special.unwrap_or_else(|| help(finding.kind).into())
}

/// Returns whether a finding is about memory that a kernel allocated.
fn allocated_by_kernel(finding: &Finding) -> bool {
    matches!(finding.at.target, Target::Allocated { by: AllocatedBy::Kernel, .. })
}

/// Returns whether the launch is a function call that returns a status.
fn launches_by_call(finding: &Finding, about: &About) -> bool {
    let at = own_location(&finding.at, about);
    at.is_some_and(|at| about.source.code_line(at.line).contains("cudaLaunch"))
}

fn failed_with(operation: Option<&Operation>, error: &str) -> bool {
    operation.is_some_and(|its| matches!(&its.act, Act::Fails(status) if *status.name == *error))
}

fn mbarrier(misuse: Misuse) -> &'static str {
    match misuse {
        Misuse::NotInitialised => {
            "Which thread initialises the barrier, and what orders that with this use? A __syncthreads() does. Nothing \
             else may write where the barrier is."
        }
        Misuse::TooManyArrivals { .. } => {
            "How many arrivals was the barrier initialised for, and should each of the threads that get here arrive? \
             Where one thread announces the bytes of a copy, that is its arrival, and the others only wait."
        }
        Misuse::BadInitialCount { .. } | Misuse::BadArrivalCount { .. } => {
            "How many threads arrive in each phase? The barrier is initialised for that count."
        }
        Misuse::NothingExpected => "Which threads still use the barrier? Those must not drop out of it.",
        Misuse::MustNotComplete => {
            "Should this be the arrival that ends the phase? Then it must not be a noComplete one."
        }
        Misuse::TxCountOutOfRange { .. } => {
            "How many bytes does each copy bring, and can that number be below 0? Announce those, once: expect_tx \
             counts bytes, not elements."
        }
    }
}

const OUTSIDE_THE_CAPTURE: &str = "While a stream is being captured, the default stream may be given no work. Is this meant for the graph? Then \
                                   give it the stream that captures, as the fourth value of <<<>>> or the last \
                                   argument.";
const NO_HANDLE: &str =
    "Was the stream, the event or the graph that it is given created before, and not destroyed yet?";
const NO_HANDLE_OF_MANY: &str = "Which GPU is current here? A stream belongs to the GPU that was current when it was created, and accepts work \
                                 only for that one: call cudaSetDevice() first. If it is that one: was the stream, \
                                 the event or the graph created before, and not destroyed yet?";
const HOST_WRITES: &str = "Write to host memory, and copy it to the device: cudaMemcpy(…, cudaMemcpyHostToDevice). Or should this have \
                           been allocated on the host, with cudaMallocHost() if it should be pinned?";
const BULK_SIZE: &str = "How long should the copy be? Its size is in bytes, not in elements, and a multiple of 16; let threads copy what is \
                         left over at the end of an array.";
const BULK_ADDRESS: &str = "Give the shared array alignas(128), or alignas(1024) where a map swizzles 128 bytes; what is copied from or to \
                            global memory must begin at a multiple of 16.";
const BULK_OUTSIDE: &str = "Which buffer should be copied from or to, starting where, and how much of it? With a tensor map: does the \
                            buffer have as many columns and rows as the map says, and are its rows as far apart?";
const BULK_IN_FLIGHT: &str = "Is this the buffer that should be used now, and is each part of it requested once? If so, wait first for the \
                              phase of the mbarrier that the copy reports to.";
const BY_CUFFT: &str = "Everything that the call reads and writes must be within GPU memory that is still allocated: look at both pointers \
                        and their order, and at the numbers and the batch that the plan was created for.";
const BY_A_LIBRARY: &str = "Everything that the call reads and writes must be within its buffers: look at each of its pointers and their order \
                            (a scalar may be read in host or in device memory, as the pointer mode says), then at counts, \
                            strides and leading dimensions.";
const KERNEL_PARAMS: &str = "Pass the address of each argument, one for each parameter of the kernel, as in void *args[] = {&x, &key}.";
const POINTER_MODE: &str = "In this pointer mode alpha, beta and results are in device memory, in CUBLAS_POINTER_MODE_HOST on the host: which \
                            mode should this call use?";
const POINTER_MOVED: &str = "What is added to the pointer? The number counts elements of its type, not bytes, and a negative one leads to a \
                             place before its start.";
const DIVIDED: &str = "Should the divisor be 0 here? To round a quotient up, write (n + m - 1) / m. Otherwise test the divisor first.";
const BY_NCCL: &str = "NCCL counts elements of the given type, not bytes: are there as many in both buffers?";
const UNSET_IN_A_LIBRARY: &str = "Was each input of the call filled before? And if beta is not 0, the output is read first: is that meant?";
const ROUND_OF_COPIES: &str = "Which values should this thread get? The new ones: wait for the copy's group, then __syncthreads(). The old \
                               ones: __syncthreads() between their last read and the next copy.";
const NO_BLOCKS: &str =
    "Round the number of blocks up, as in (n + 255) / 256, and launch nothing where n is 0.";
const MANY_THREADS: &str =
    "Use more blocks with fewer threads each, such as 256: a block has at most 1024, x, y and z multiplied.";
const IN_A_GRAPH: &str = "Should both nodes use this memory? If not, give each its own memory. If so, let the second depend on \
                          the first: name it among its dependencies, or, where the graph is captured, let an event order \
                          the two streams.";
const NOT_LAUNCHED: &str = "Launch the kernel before its result is copied: kernel<<<blocks, threads>>>(…).";
const NOT_WRITTEN: &str =
    "Is the kernel that should write it launched before this line, and given this pointer?";
const NO_MEMORY: &str = "A pointer leads nowhere until it is given memory: call cudaMalloc(&pointer, bytes) before its first use.";
const UNFILLED_LOCAL: &str = "Was every local variable that this line uses given a value first, or filled by a call? The \
                              compiler need not keep a place for one that never is. Otherwise compare the index with \
                              the array's size.";
const BY_SYMBOL: &str = "A __device__ or __constant__ variable is copied by its name: cudaMemcpyToSymbol(variable, source, bytes) into it, \
                         cudaMemcpyFromSymbol(destination, variable, bytes) out of it. Or ask for its address: cudaGetSymbolAddress().";
const NO_AMPERSAND: &str =
    "Pass the pointer itself: & takes the address of the pointer, which is a local variable.";
const WHOLE_WARP: &str = "All 32 lanes of the warp must reach it: remove the return above, or the branch around it, and let all lanes of a \
     warp pass or none.";
const ALL_CALLERS: &str = "Name every lane that makes the call: all 32 are 0xffffffff. Or let only the lanes that the mask names call it.";
const ABSENT_LANE: &str = "From which lane should the value come? It must be one that the mask names and that reaches the call: look at \
                           the distance, at the mask, and at the condition around the call.";
const LOCKED: &str = "What would let the loop end, and who should make it happen: can it still? Does the loop itself change what it \
                      waits for? A lock must be released on every path out, and all must take several locks in the \
                      same order.";
const NOBODY_CHANGES: &str = "What would let the loop end, and who should make it happen: the same thread, or another that still runs? What \
                              others change must be read again each time: by an atomic operation, or as volatile.";
const NEVER_READ_ANEW: &str = "Which variable of the condition does the loop change? If it waits for memory that another thread \
                               writes: the compiler reads that only once, unless it is volatile or read by an atomic \
                               operation.";
const FENCE_BEFORE_SIGNAL: &str = "Call __threadfence() after the value is written, and before the atomic or the flag that tells other blocks \
                                   that it is there.";
const PAST_ALLOCATED: &str = "Compare the index, and the condition of a loop around it, with the size that was passed to malloc() or new.";
const FREED_BY_KERNEL: &str = "Free the memory after the last use of any pointer to it.";
const LAUNCHED_BY_CALL: &str =
    "Look at what the call returns: cudaSuccess, or what is wrong with the launch.";
const UNSET_POINTER: &str = "Was the pointer given a value before: the address of something, or what new or an allocation returned? Set a \
                             pointer that leads nowhere on purpose to nullptr, and compare it with that before \
                             dereferencing it.";
const GROUP_OF_CALLS: &str = "The calls since ncclGroupStart() are made here: which of them can it be? Does each get a communicator, a stream and \
                              buffers of one and the same GPU?";
const FREED_BY_THE_HOST: &str =
    "Wait for the work first, for example with cudaStreamSynchronize(), and then call cudaFreeHost().";

/// Returns the remedy for a launch that exceeds a limit.
fn refused(finding: &Finding) -> Option<&'static str> {
    finding.evidence.iter().find_map(|evidence| {
        let Evidence::Refused { limit, .. } = evidence else { return None };
        match limit {
            LaunchLimit::Empty { of: Extent::Grid, .. } => Some(NO_BLOCKS),
            LaunchLimit::Threads { .. } | LaunchLimit::Empty { .. } => Some(MANY_THREADS),
            LaunchLimit::TooMany { of: Extent::Block, .. } => Some(MANY_THREADS),
            _ => None,
        }
    })
}

/// Returns whether a place is in a statement that requests a bulk copy: inline PTX of several lines.
fn of_bulk_copy(at: &Access, about: &About) -> bool {
    const LINES: u32 = 4;
    let line = at.location.as_ref().map_or(0, |at| at.line);
    let asks = |line| about.source.line(line).is_some_and(|text| text.contains("cp.async.bulk"));
    (line.saturating_sub(LINES)..=line).any(asks)
}

/// Returns whether the place's operation is a matrix operation, which takes no mask.
fn of_matrices(at: &Access, about: &About) -> bool {
    let line = at.location.as_ref().map_or(0, |at| at.line);
    let text = about.source.code_line(line);
    ["mma_sync", "load_matrix_sync", "store_matrix_sync"].iter().any(|call| text.contains(call))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::defect;
    use super::*;
    use cpp::Source;
    use sim::{AccessKind, Dim3, SourceLocation, Target};

    pub fn access(kind: AccessKind, thread: u32, line: u32, target: Target) -> Access {
        let location = Some(SourceLocation { file: "a.cu".into(), line, column: 1 });
        let by = Access::by(Actor::Thread, location);
        Access { kind, thread: Dim3::new(thread, 0, 0), bytes: 4, target, ..by }
    }

    pub fn describe(finding: &Finding, excess: ExcessThreads, source: &str) -> String {
        let source = Source::new(source);
        let about = About { program: false, ..About::program("a.cu", &source) };
        remedy(finding, &defect::view(finding, &about), excess, &about)
    }

    pub fn finding(code: FindingKind, at: Access, other: Option<Access>) -> Finding {
        Finding { other, ..Finding::new(code, at) }
    }
}
