//! What to try for a finding: one sentence, worded for the place where it happened.

mod bounds;
mod copies;
mod guard;
mod launch;
mod loop_bound;
mod pass;
mod races;
mod subscript;
pub mod values;
mod vectors;
mod warp;

use super::FindingView;
use super::defect::{calls_astray, is_miscounted, is_of_a_library, launched_in, own_line, prints};
use super::help::help;
use super::operation::{copies_a_symbol, copies_a_vector, is_reset};
use super::scope;
use crate::about::About;
use cpp::{Family, Library};
use host::device::CudaError;
use judge::ExcessThreads;
use sim::{
    Access, AccessKind, Act, Actor, AllocatedBy, BulkOperand, CallPurpose, CaptureRule, CudaStatus, Distance,
    Evidence, Extent, Finding, FindingKind, HostBlockName, HostPart, LaunchLimit, MbarrierMisuse as Misuse,
    Operation, Target,
};

/// Returns the most specific remedy for a finding, or else the general help for its kind. `view` is the finding
/// as shown.
pub fn remedy(finding: &Finding, view: &FindingView, excess: ExcessThreads, about: &About) -> String {
    let fixed = of_a_library(finding, about)
        .or_else(|| of_a_call(finding, about))
        .or_else(|| of_an_access(finding, about))
        .or_else(|| of_a_wait(finding, about))
        .map(String::from);
    fixed.or_else(|| for_the_place(finding, view, excess, about)).unwrap_or_else(|| help(finding.kind).into())
}

/// Returns the remedy for a call of a library or a copy that accesses memory.
fn of_a_library(finding: &Finding, about: &About) -> Option<&'static str> {
    let Actor::Operation(operation) = &finding.at.actor else { return None };
    let library = Library::of(operation.function());
    let is_copy = finding.at.purpose() == Some(CallPurpose::Copies);
    Some(match finding.kind {
        FindingKind::OutOfBounds if library == Some(Library::Nccl) => {
            "NCCL counts elements of the given type, not bytes: are there as many in both buffers?"
        }
        FindingKind::OutOfBounds if library == Some(Library::Cufft) => {
            "Everything that the call reads and writes must be within GPU memory that is still allocated: look at both \
             pointers and their order, and at the numbers and the batch that the plan was created for."
        }
        FindingKind::OutOfBounds => {
            "Everything that the call reads and writes must be within its buffers: look at each of its pointers and \
             their order (a scalar may be read in host or in device memory, as the pointer mode says), then at counts, \
             strides and leading dimensions."
        }
        FindingKind::CopyOverlap if library == Some(Library::Cub) => "Give the result memory of its own.",
        FindingKind::Uninitialised
            if finding.evidence.iter().any(|its| matches!(its, Evidence::OnlyAskedForStorage { .. })) =>
        {
            return None;
        }
        FindingKind::Uninitialised if !is_copy => {
            "Was each input of the call filled before? And if beta is not 0, the output is read first: is that meant?"
        }
        FindingKind::Uninitialised
            if !about.source.launches_kernels()
                && (about.source.names(Family::Computing) || about.source.names(["cub", "thrust"])) =>
        {
            "What should have written it before: a call of a library? Look at the status that the call returned, and at \
             the pointers that it was given."
        }
        FindingKind::Uninitialised if !about.source.launches_kernels() => {
            "Launch the kernel before its result is copied: kernel<<<blocks, threads>>>(…)."
        }
        FindingKind::Uninitialised => {
            "Is the kernel that should write it launched before this line, and given this pointer?"
        }
        _ => return None,
    })
}

/// Returns the remedy for a CUDA call or a launch, or for work that was submitted by one.
fn of_a_call(finding: &Finding, about: &About) -> Option<&'static str> {
    let operation = match &finding.at.actor {
        Actor::Operation(operation) => Some(operation),
        _ => None,
    };
    let function = operation.map_or("", Operation::function);
    let known = |fact: Evidence| finding.evidence.contains(&fact);
    let has = |is: &dyn Fn(&Evidence) -> bool| finding.evidence.iter().any(is);
    let to_a_pointer = |its: &Evidence| matches!(its, Evidence::AddressOfPointer(_));
    let is_in_graph = |its: &Operation| matches!(its.act, Act::Work { in_graph: true, .. });
    Some(match finding.kind {
        FindingKind::HostPointerGiven if known(Evidence::DevicePointerMode) => {
            "In this pointer mode alpha, beta and results are in device memory, in CUBLAS_POINTER_MODE_HOST on the host: \
             which mode should this call use?"
        }
        FindingKind::DevicePointerGiven if Library::of(function) == Some(Library::Cublas) => {
            "In CUBLAS_POINTER_MODE_HOST, which is the default, alpha, beta and results are on the host; in \
             CUBLAS_POINTER_MODE_DEVICE they are in device memory: which mode should this call use?"
        }
        FindingKind::CopyDirection | FindingKind::HostPointerGiven if known(Evidence::NoMemory) => {
            "A pointer leads nowhere until it is given memory: call cudaMalloc(&pointer, bytes) before its first use."
        }
        FindingKind::CopyPastEnd if copies_a_vector(&finding.at) => {
            "Pass the address of the first element: data() of the vector. & takes the address of the vector itself, \
             which holds only a pointer to its elements."
        }
        FindingKind::CopyPastEnd if known(Evidence::BesideMemory) => {
            "What is added to the pointer? The number counts elements of its type, not bytes, and a negative one leads \
             to a place before its start."
        }
        FindingKind::CopyDirection if copies_a_symbol(&finding.at) => {
            "A __device__ or __constant__ variable is copied by its name: cudaMemcpyToSymbol(variable, source, bytes) \
             into it, cudaMemcpyFromSymbol(destination, variable, bytes) out of it. Or ask for its address: \
             cudaGetSymbolAddress()."
        }
        FindingKind::CopyPastEnd | FindingKind::CopyDirection
            if finding.evidence.iter().any(to_a_pointer) =>
        {
            "Pass the pointer itself: & takes the address of the pointer, which is a local variable."
        }
        FindingKind::HostFollows if finding.at.kind == AccessKind::Write => {
            "Write to host memory, and copy it to the device: cudaMemcpy(…, cudaMemcpyHostToDevice). Or should this have \
             been allocated on the host, with cudaMallocHost() if it should be pinned?"
        }
        FindingKind::UncheckedLaunch if launches_by_call(finding, about) => {
            "Look at what the call returns: cudaSuccess, or what is wrong with the launch."
        }
        FindingKind::InvalidLaunch => return refused(finding),
        FindingKind::FailedCall if let Some(rule) = capture_rule(finding) => {
            return Some(captured(finding, rule));
        }
        FindingKind::FailedCall if failed_with(operation, CudaError::StreamCaptureUnjoined) => {
            "Another stream takes part in the capture: record an event behind its last work, and let the stream in which \
             the capture began wait for that, before the capture ends: cudaEventRecord(), cudaStreamWaitEvent()."
        }
        FindingKind::FailedCall if failed_with(operation, CudaError::StreamCaptureIsolation) => {
            "Was the event recorded before the capture began? Record it in a stream that takes part in the capture, or wait \
             for it before cudaStreamBeginCapture()."
        }
        FindingKind::FailedCall if has(&|its| matches!(its, Evidence::OutOfMemory { .. })) => {
            "Is that the size that you mean: the number of elements, times the size of one? Then free what is no longer \
             needed first, or work on a part at a time."
        }
        FindingKind::FailedCall | FindingKind::IgnoredError
            if failed_with(operation, CudaError::InvalidSymbol) =>
        {
            "Pass the __device__ or __constant__ variable itself, not its address and not its name in quotes: \
             cudaMemcpyToSymbol(variable, source, bytes)."
        }
        FindingKind::FailedCall | FindingKind::UncheckedLaunch | FindingKind::IgnoredError
            if has(&|its| matches!(its, Evidence::StreamOfOtherDevice { .. })) =>
        {
            "On which GPU should this run? Make that the current one with cudaSetDevice(), and use a stream that was created \
             while it was."
        }
        FindingKind::FailedCall if failed_with(operation, CudaError::InvalidResourceHandle) => {
            match about.source.names("cudaSetDevice") {
                true => {
                    "Which GPU is current here? A stream belongs to the GPU that was current when it was created, and \
                     accepts work only for that one: call cudaSetDevice() first. If it is that one: was the stream, the \
                     event or the graph created before, and not destroyed yet?"
                }
                false => {
                    "Was the stream, the event or the graph that it is given created before, and not destroyed yet?"
                }
            }
        }
        FindingKind::FailedCall if has(&|its| matches!(its, Evidence::LeadingDimension { .. })) => {
            "How does this matrix lie in memory? An array that is stored row by row is, to cuBLAS, its transpose: the \
             leading dimension is then the length of a row, and m, n, k and the order of the factors must fit that."
        }
        FindingKind::FailedCall if has(&|its| matches!(its, Evidence::ConvolutionOutput { .. })) => {
            "Ask cudnnGetConvolution2dForwardOutputDim() for the extents, and set the descriptor of y to those. Or should \
             the padding, the stride or the dilation be others?"
        }
        FindingKind::FailedCall if function == "ncclGroupEnd" => {
            "The calls since ncclGroupStart() are made here: which of them can it be? Does each get a communicator, a \
             stream and buffers of one and the same GPU?"
        }
        FindingKind::StreamRace if operation.is_some_and(is_in_graph) => {
            "Should both nodes use this memory? If not, give each its own memory. If so, let the second depend on the \
             first: name it among its dependencies, or, where the graph is captured, let an event order the two streams."
        }
        FindingKind::HostDeadLocal if operation.is_some() => {
            "Keep what the call uses until it has run: in a variable of a function that waits for it, or in memory from new \
             or an allocation."
        }
        FindingKind::FreedInUse if function == "cudaFreeHost" => {
            "Wait for the work first, for example with cudaStreamSynchronize(), and then call cudaFreeHost()."
        }
        _ => return None,
    })
}

/// Returns the remedy for an access to memory by a kernel or by host code.
fn of_an_access(finding: &Finding, about: &About) -> Option<&'static str> {
    let known = |is: fn(&Evidence) -> bool| finding.evidence.iter().any(is);
    Some(match finding.kind {
        FindingKind::OutOfBounds if of_bulk_copy(&finding.at, about) => {
            "Which buffer should be copied from or to, starting where, and how much of it? With a tensor map: does the \
             buffer have as many columns and rows as the map says, and are its rows as far apart?"
        }
        FindingKind::OutOfBounds if known(|its| matches!(its, Evidence::KernelParameter { .. })) => {
            "Pass the address of each argument, one for each parameter of the kernel, as in void *args[] = {&x, &key}."
        }
        FindingKind::OutOfBounds if allocated_by_kernel(finding) => {
            "Compare the index, and the condition of a loop around it, with the size that was passed to malloc() or new."
        }
        FindingKind::NullPointer if known(|its| matches!(its, Evidence::AskedForNothing { .. })) => {
            "How many bytes should it ask for? Is what they are counted from, such as the size of a vector, known before that \
             line? With nothing to do, launch nothing."
        }
        FindingKind::NullPointer if calls_astray(finding) => {
            "Which address does the pointer to the function hold, and who stored it there? An object with virtual \
             functions must be constructed by the side that calls them; the address of a __device__ function must be \
             taken by device code."
        }
        FindingKind::HostPointer if known(|its| matches!(its, Evidence::HostAddressOf { .. })) => {
            "Let device code take the address: a __device__ variable that holds it can be read with \
             cudaMemcpyFromSymbol(). Or give the kernel a number, and let it choose the function."
        }
        FindingKind::HostPointer
            if matches!(finding.at.target, Target::Host { part: HostPart::Stack | HostPart::Heap })
                && about.source.captures_this(finding.at.line()) =>
        {
            "Does the lambda use a member of its object? It then holds `this`, a pointer to the object on the host. Capture \
             the object itself, with [=, *this], or copy the member to a local variable first, and use that."
        }
        FindingKind::HostPointer if values::calls_member_of_host(&finding.at, about) => {
            "Does the object have virtual functions? Then it points to a table of the side that constructed it: let a kernel \
             construct it. Otherwise give the kernel memory from cudaMalloc(), cudaMallocManaged() or cudaMallocHost(), and copy the \
             data there."
        }
        FindingKind::OtherDevice if known(|its| matches!(its, Evidence::OwnedBy { from_pool: true, .. })) => {
            "Give this GPU access to the pool first: cudaMemPoolSetAccess(). (cudaDeviceEnablePeerAccess() does not cover \
             memory of pools.) Or copy the data with cudaMemcpyPeer()."
        }
        FindingKind::UseAfterFree if allocated_by_kernel(finding) => {
            "Free the memory after the last use of any pointer to it."
        }
        FindingKind::GlobalRace if known(|its| *its == Evidence::SignalledWithoutFence) => {
            "Call __threadfence() after the value is written, and before the atomic or the flag that tells other blocks \
             that it is there."
        }
        FindingKind::Uninitialised if known(|its| *its == Evidence::StoredByOtherBlock) => {
            "Set it before the launch, for example with cudaMemset(): cudaMalloc() does not clear memory."
        }
        FindingKind::SharedOutOfBounds if known(|its| matches!(its, Evidence::DescriptorPlace { .. })) => {
            help(FindingKind::MatrixDescriptor)
        }
        FindingKind::HostOutOfBounds
            if known(|its| {
                matches!(its, Evidence::Distance { at: Distance::Inside, block: HostBlockName::Locals })
            }) =>
        {
            "Was every local variable that this line uses given a value first, or filled by a call? The compiler need \
             not keep a place for one that never is. Otherwise compare the index with the array's size."
        }
        FindingKind::HostOutOfBounds if values::follows_pointer(&finding.at, about) => {
            "Was the pointer given a value before: the address of something, or what new or an allocation returned? Set \
             a pointer that leads nowhere on purpose to nullptr, and compare it with that before dereferencing it."
        }
        FindingKind::HostNullPointer if values::uses_arguments(&finding.at, about) => {
            "argv ends with a null pointer behind the last argument: compare argc with what the line needs. Arguments are \
             given after --, as in gpulearn run FILE.cu -- 1024."
        }
        FindingKind::DivisionByZero => {
            "Should the divisor be 0 here? To round a quotient up, write (n + m - 1) / m. Otherwise test the divisor \
             first."
        }
        FindingKind::Misaligned
            if known(|its| matches!(its, Evidence::BulkUnaligned { what: BulkOperand::Size, .. })) =>
        {
            "How long should the copy be? Its size is in bytes, not in elements, and a multiple of 16; let threads copy \
             what is left over at the end of an array."
        }
        FindingKind::Misaligned if known(|its| matches!(its, Evidence::BulkUnaligned { .. })) => {
            "Give the shared array alignas(128), or alignas(1024) where a map swizzles 128 bytes; what is copied from or \
             to global memory must begin at a multiple of 16."
        }
        FindingKind::CopyInFlight if known(|its| *its == Evidence::CopySignalsBarrier) => {
            "Should this buffer be used now, and is it the one that should be copied to? If so, wait first for the barrier \
             that signals the copy: bar.arrive_and_wait(), or bar.wait() with what bar.arrive() returned; where a pipeline \
             has the barrier, consumer_wait()."
        }
        FindingKind::CopyInFlight if known(|its| *its == Evidence::CopyOverValues) => {
            "Which values should this thread get? The new ones: wait for the copy's group, then __syncthreads(). The \
             old ones: __syncthreads() between their last read and the next copy."
        }
        FindingKind::CopyInFlight if known(|its| *its == Evidence::BulkCopy) => {
            "Is this the buffer that should be used now, and is each part of it requested once? If so, wait first for \
             the phase of the mbarrier that the copy reports to."
        }
        _ => return None,
    })
}

/// Returns the remedy for a loop, a barrier object or a warp operation that threads wait at.
fn of_a_wait(finding: &Finding, about: &About) -> Option<&'static str> {
    let known = |fact: Evidence| finding.evidence.contains(&fact);
    let is_call = |its: &Evidence| matches!(its, Evidence::CallersNotNamed { .. });
    Some(match finding.kind {
        FindingKind::DivergentBarrier if is_miscounted(finding) => {
            "Each bar.sync and bar.arrive of one barrier must give the same number: that of the threads of all warps that meet \
             there. Groups that meet apart from each other need barriers with numbers of their own."
        }
        FindingKind::WarpMask if of_matrices(&finding.at, about) => {
            "All 32 lanes of the warp must reach it: remove the return above, or the branch around it, and let all lanes \
             of a warp pass or none."
        }
        FindingKind::WarpMask if finding.evidence.iter().any(is_call) => {
            "Name every lane that makes the call: all 32 are 0xffffffff. Or let only the lanes that the mask names call \
             it."
        }
        FindingKind::WarpMask if about.source.names("cooperative_groups") && !names_a_mask(about) => {
            "Move the call to a place that all lanes of its group reach. Where only some lanes are meant to reach it, \
             cooperative_groups::coalesced_threads() is the group of those that are there."
        }
        FindingKind::WarpMask if known(Evidence::UsesAbsentLane) => {
            "From which lane should the value come? It must be one that the mask names and that reaches the call: look \
             at the distance, at the mask, and at the condition around the call."
        }
        FindingKind::EndlessLoop if known(Evidence::NothingChanges) && races::has_locks(finding, about) => {
            "What would let the loop end, and who should make it happen: can it still? Does the loop itself change what \
             it waits for? A lock must be released on every path out, and all must take several locks in the same order."
        }
        FindingKind::EndlessLoop if known(Evidence::NothingChanges) => {
            "What would let the loop end, and who should make it happen: the same thread, or another that still runs? \
             What others change must be read again each time: by an atomic operation, or as volatile."
        }
        FindingKind::EndlessLoop if known(Evidence::ArithmeticAlone) => {
            "Which variable of the condition does the loop change? If it waits for memory that another thread writes: \
             the compiler reads that only once, unless it is volatile or read by an atomic operation."
        }
        FindingKind::StackOverflow if about.program => {
            "Bound the depth of the recursion, or turn it into a loop. If it is as deep as it should be, give threads a \
             larger stack: cudaDeviceSetLimit(cudaLimitStackSize, bytes)."
        }
        FindingKind::Trap => return finding.evidence.iter().find_map(Evidence::misuse).map(mbarrier),
        _ => return None,
    })
}

/// Returns a remedy that names the lines or the memory of the finding.
fn for_the_place(
    finding: &Finding,
    view: &FindingView,
    excess: ExcessThreads,
    about: &About,
) -> Option<String> {
    let at = &finding.at;
    match finding.kind {
        FindingKind::Misaligned if at.bytes > 1 => Some(vectors::row(at, about).unwrap_or_else(|| {
            format!(
                "An access of {0} bytes needs an address that is a multiple of {0}: check the cast or the offset.",
                at.bytes
            )
        })),
        FindingKind::Undefined => {
            let of_variable = values::unfilled(at, about).or_else(|| values::without_value(at, about));
            of_variable.or_else(|| prints(at, about).then(|| FORMAT.into()))
        }
        FindingKind::OutOfBounds if is_of_a_library(finding, about) => launched_in(finding).map(|line| {
            format!(
                "The kernel belongs to a library: is everything that line {line} gives it within its memory? Look at \
                 both ends of each range, and at counts."
            )
        }),
        FindingKind::ReadOnly => values::written_constant(at, about),
        FindingKind::OutOfBounds => bounds::stray(finding, excess.at, view.case.as_deref(), about),
        FindingKind::SharedOutOfBounds => bounds::stray_in_shared(at, about),
        FindingKind::GlobalRace if is_of_a_library(finding, about) => launched_in(finding).map(|line| {
            format!(
                "The kernel belongs to a library: does line {line} have it write where it also reads, or where other work \
                 does?"
            )
        }),
        FindingKind::GlobalRace => {
            let of_element =
                scope::remedy(finding, about).or_else(|| races::one_element(finding, excess, about));
            let of_block = || races::within_a_block(finding, &view.excerpt, about);
            of_element.or_else(of_block).or_else(|| races::mixed(finding))
        }
        FindingKind::SharedRace => {
            scope::remedy(finding, about).or_else(|| races::barrier(finding, &view.excerpt, about))
        }
        FindingKind::Uninitialised if at.actor == Actor::Host => Some(values::unset_by_host(finding, about)),
        FindingKind::Uninitialised if finding.other.is_some() => Some(values::COPIED_UNSET.into()),
        FindingKind::Uninitialised if is_of_a_library(finding, about) => launched_in(finding).map(|line| {
            format!("The kernel belongs to a library: was everything that line {line} has it read written before?")
        }),
        FindingKind::Uninitialised => values::short_of(finding, about).or_else(|| values::unset(at, about)),
        FindingKind::UseAfterFree | FindingKind::DoubleFree => {
            let by_object = || copied_object(finding, about).or_else(|| freed_by_a_member(finding, about));
            after_reset(finding, about).or_else(by_object)
        }
        FindingKind::DivergentBarrier => races::left(finding, about),
        FindingKind::CopyInFlight => copies::of_the_library(finding, about),
        FindingKind::Trap => values::trapped(at, about),
        _ => None,
    }
}

const FORMAT: &str = "Does the format read as much as it is given? %lld, %f and %p read 8 bytes, %d, %u and %x only 4: where the \
                      format reads more, the rest was never written. Otherwise give each variable a value first.";

/// Returns what to do where memory is freed after the reset of its GPU.
fn after_reset(finding: &Finding, about: &About) -> Option<String> {
    let reset = finding.other.as_ref()?;
    let Actor::Operation(Operation { act: Act::FreedFirst { by, .. }, .. }) = &reset.actor else {
        return None;
    };
    let line = own_line(reset, about).filter(|_| is_reset(by))?;
    let again = own_line(&finding.at, about)?;
    let is_called =
        about.source.destructor_around(again).is_none() && about.source.names_on(again, Family::Free);
    Some(match is_called {
        true => format!("Free it before {by}() of line {line}, or leave that call out."),
        false => format!(
            "A destructor frees it, which runs after {by}() of line {line}: leave that call out, for a program that ends \
             needs none, or let the scope of the object end before it."
        ),
    })
}

/// Returns what to ask where memory that is used again was freed by a destructor.
fn copied_object(finding: &Finding, about: &About) -> Option<String> {
    let line = own_line(finding.other.as_ref()?, about)?;
    let class = about.source.destructor_around(line)?;
    Some(format!(
        "The destructor of `{class}` freed it first. Did the object end before this use of its pointer? Or was it copied, \
         for example passed by value, so that each copy frees the same memory? Then pass it by reference, and delete its \
         copy constructor and copy assignment."
    ))
}

/// Returns what to do where a line frees memory through an object, as where a container grows.
fn freed_by_a_member(finding: &Finding, about: &About) -> Option<String> {
    let freed = finding.other.as_ref()?;
    let line = own_line(freed, about)?;
    let Actor::Operation(Operation { act: Act::Freed { by, .. }, .. }) = &freed.actor else { return None };
    let is_by_member = about.source.code_line(line).contains(['.', '>']);
    (by.purpose() == Some(CallPurpose::Frees) && is_by_member && !about.source.names_on(line, Family::Free)).then(|| {
        format!(
            "What line {line} calls frees the memory, as a container does that grows: take the pointer again after that \
             line, or call it before the pointer is taken."
        )
    })
}

/// Returns whether a finding is about memory that a kernel allocated.
fn allocated_by_kernel(finding: &Finding) -> bool {
    matches!(finding.at.target, Target::Allocated { by: AllocatedBy::Kernel, .. })
}

/// Returns whether the launch is a function call that returns a status.
fn launches_by_call(finding: &Finding, about: &About) -> bool {
    let line = own_line(&finding.at, about);
    line.is_some_and(|line| about.source.names_on(line, Family::LaunchCall))
}

/// Returns what a capture forbids, where a call failed because of it, or a capture ended because of a call.
fn capture_rule(finding: &Finding) -> Option<CaptureRule> {
    finding.evidence.iter().find_map(|evidence| match evidence {
        Evidence::DuringCapture { why, .. } => Some(*why),
        _ => None,
    })
}

/// Returns the remedy for a call that is not allowed during a capture.
fn captured(finding: &Finding, rule: CaptureRule) -> &'static str {
    let cause = finding.other.as_ref().unwrap_or(&finding.at);
    let blocks = match &cause.actor {
        Actor::Operation(operation) => !operation.function().ends_with("Async"),
        _ => false,
    };
    match rule {
        _ if blocks && matches!(cause.purpose(), Some(CallPurpose::Copies | CallPurpose::Sets)) => {
            "Is this meant for the graph? Then use the call whose name ends in Async, with the stream that captures. If not: \
             it belongs before cudaStreamBeginCapture() or after cudaStreamEndCapture()."
        }
        CaptureRule::NothingToWaitFor => {
            "Wait where the graph has been launched: after cudaStreamEndCapture(), cudaGraphInstantiate() and \
             cudaGraphLaunch()."
        }
        CaptureRule::MayWait => "Call it before cudaStreamBeginCapture() or after cudaStreamEndCapture().",
        CaptureRule::DefaultStream => {
            "Is this meant for the graph? Then give it the stream that captures, as the fourth value of <<<>>> or the last \
             argument. If not: it belongs before cudaStreamBeginCapture() or after cudaStreamEndCapture()."
        }
    }
}

fn failed_with(operation: Option<&Operation>, error: CudaError) -> bool {
    operation.is_some_and(|its| its.act == Act::Fails(CudaStatus::Cuda(error)))
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

/// Returns the remedy for a launch that exceeds a limit.
fn refused(finding: &Finding) -> Option<&'static str> {
    if finding.evidence.contains(&Evidence::LaunchHasNoValue) {
        return Some(
            "Look at how the numbers of blocks and threads are computed: is a divisor zero, or a variable not set?",
        );
    }
    finding.evidence.iter().find_map(|evidence| {
        let Evidence::Refused { limit, .. } = evidence else { return None };
        match limit {
            LaunchLimit::Empty { of: Extent::Grid, .. } => {
                Some("Round the number of blocks up, as in (n + 255) / 256, and launch nothing where n is 0.")
            }
            LaunchLimit::Empty { of: Extent::Block, .. } => {
                Some("A block needs at least one thread in x, in y and in z: was the number of threads set?")
            }
            LaunchLimit::TooMany { of: Extent::Block, axis: 'z', .. } => Some(
                "A block has at most 64 threads in z, 1024 in x and in y, and at most 1024 in all, x, y and z multiplied.",
            ),
            LaunchLimit::OptIn { .. } => Some(
                "Let the kernel have that much: cudaFuncSetAttribute(), before the launch, as said above. Or let a block use \
                 less shared memory.",
            ),
            LaunchLimit::LaunchBounds { .. } => Some(
                "Launch blocks of no more threads than __launch_bounds__() of the kernel says, or say more there.",
            ),
            LaunchLimit::Threads { .. } | LaunchLimit::TooMany { of: Extent::Block, .. } => Some(
                "Use more blocks with fewer threads each, such as 256: a block has at most 1024, x, y and z multiplied.",
            ),
            _ => None,
        }
    })
}

/// Returns whether a place is in a statement that requests a bulk copy: inline PTX of several lines.
fn of_bulk_copy(at: &Access, about: &About) -> bool {
    const LINES: u32 = 4;
    let line = at.line();
    let asks = |line| about.source.names_in_ptx(line, Family::BulkCopy);
    (line.saturating_sub(LINES)..=line).any(asks)
}

/// Returns whether the source names an operation of a warp that takes a mask.
fn names_a_mask(about: &About) -> bool {
    cpp::names(about.source.code()).any(|name| name.starts_with("__") && name.ends_with("_sync"))
}

/// Returns whether the place's operation is a matrix operation, which takes no mask.
fn of_matrices(at: &Access, about: &About) -> bool {
    about.source.names_on(at.line(), Family::Matrix)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::defect;
    use super::*;
    use cpp::Source;
    use sim::{AccessKind, Dim3, Request, SourceLocation, Target};

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

    /// Returns the remedy for a finding in a kernel, of whose threads nothing is known.
    pub fn told(kind: FindingKind, at: Access, other: Option<Access>, source: &str) -> String {
        describe(&finding(kind, at, other), ExcessThreads::default(), source)
    }

    pub fn finding(code: FindingKind, at: Access, other: Option<Access>) -> Finding {
        Finding { other, ..Finding::new(code, at) }
    }

    #[test]
    fn a_launch_that_is_refused_is_told_what_would_let_it() {
        let with = |limit, more: Option<Evidence>| {
            let error = CudaError::InvalidValue;
            let evidence = [Evidence::Refused { error, limit }].into_iter().chain(more).collect();
            let at = access(AccessKind::Read, 0, 1, Target::None);
            let found = Finding { evidence, ..Finding::new(FindingKind::InvalidLaunch, at) };
            describe(&found, ExcessThreads::default(), "f<<<1, 256, 80000>>>(p);")
        };
        let tell = |limit| with(limit, None);
        let bounds = LaunchLimit::LaunchBounds { threads: 512, most: 256 };
        let unset = with(bounds, Some(Evidence::LaunchHasNoValue));
        assert!(unset.contains("is a divisor zero"), "{unset}");
        let shared = tell(LaunchLimit::OptIn { dynamic_bytes: 80_000, static_bytes: 0 });
        assert!(shared.contains("cudaFuncSetAttribute()"), "{shared}");
        let bounds = tell(LaunchLimit::LaunchBounds { threads: 512, most: 256 });
        assert!(bounds.contains("__launch_bounds__()"), "{bounds}");
    }

    #[test]
    fn what_is_freed_after_a_reset_is_told_by_whom() {
        let call = |name: &str, line, act| {
            let request = Request::Call(name.into());
            let actor = Actor::Operation(Operation { request, act });
            Access { actor, ..access(AccessKind::Write, 0, line, Target::None) }
        };
        let tell = |source: &str, again| {
            let by = Request::Call("cudaDeviceReset".into());
            let reset = call("cudaDeviceReset", 2, Act::FreedFirst { memory: "p".into(), by });
            told(
                FindingKind::DoubleFree,
                call("cudaFree", again, Act::FreesAgain { pointer: None }),
                Some(reset),
                source,
            )
        };
        let called = tell("int main() {\ncudaDeviceReset();\ncudaFree(p);\n}\n", 3);
        assert!(called.starts_with("Free it before cudaDeviceReset() of line 2"), "{called}");
        let object = "int main() {\ncudaDeviceReset();\n}\nstruct A { int *p;\n~A() {\ncudaFree(p);\n}\n};\n";
        for again in [2, 6] {
            let text = tell(object, again);
            assert!(text.starts_with("A destructor frees it"), "{text}");
        }
    }

    #[test]
    fn a_constant_that_a_kernel_writes_is_named() {
        let at = |name: &str| {
            let target = Target::Buffer { name: name.into(), size_bytes: 64, offset_bytes: 0 };
            access(AccessKind::Write, 0, 2, target)
        };
        let tell = |name| {
            let source = "__constant__ float c[16];\n__global__ void f(float *p) { p[0] = 1; }\n";
            told(FindingKind::ReadOnly, at(name), None, source)
        };
        assert!(tell("c").starts_with("`c` is __constant__"), "{}", tell("c"));
        assert_eq!(tell("p"), help(FindingKind::ReadOnly));
    }

    #[test]
    fn a_lambda_with_this_and_a_group_of_a_branch_are_known_by_the_source() {
        let lambda =
            "struct S {\nint k;\nvoid run() { apply(p, [=] __device__ (int i) {\nreturn i * k;\n}); }\n};\n";
        let local = || access(AccessKind::Read, 0, 4, Target::Host { part: HostPart::Stack });
        let remedy = told(FindingKind::HostPointer, local(), None, lambda);
        assert!(remedy.contains("[=, *this]"), "{remedy}");
        let at = || access(AccessKind::Read, 0, 3, Target::None);
        let group =
            "namespace cg = cooperative_groups;\n__global__ void f() {\nif (x) cg::reduce(w, v, add);\n}\n";
        let remedy = told(FindingKind::WarpMask, at(), None, group);
        assert!(remedy.contains("coalesced_threads()"), "{remedy}");
        let both = group.replace("if (x)", "__syncwarp(); __shfl_sync(m, v, 0);");
        let remedy = told(FindingKind::WarpMask, at(), None, &both);
        assert!(remedy.contains("mask"), "{remedy}");
    }
}
