//! Remedies for calls of CUDA and of its libraries, and for what was submitted by them.

use super::super::operation::{UNREGISTER, copies_a_vector, passes_a_symbol};
use super::values::COPIED_UNINITIALISED;
use crate::about::About;
use crate::finding::place::own_line;
use cpp::{Family, Library};
use host::device::CudaError;
use sim::{
    Access, AccessKind, Act, Actor, CallPurpose, CaptureRule, CudaStatus, Evidence, Extent, Finding,
    FindingKind, LaunchLimit, Operation, StreamName,
};

/// Returns the remedy for a call of a library or a copy that accesses memory.
pub fn of_a_library(finding: &Finding, about: &About) -> Option<&'static str> {
    let Actor::Operation(operation) = &finding.at.actor else { return None };
    let library = Library::of(operation.function());
    let is_copy = finding.at.purpose() == Some(CallPurpose::Copies);
    let brought = |host: bool| {
        let is =
            |its: &Evidence| matches!(its, Evidence::CopiedUnwritten { from_host, .. } if *from_host == host);
        finding.evidence.iter().any(is)
    };
    Some(match finding.kind {
        FindingKind::OutOfBounds if library == Some(Library::Nccl) => {
            "NCCL counts elements of the given type, not bytes: are there as many in both buffers?"
        }
        FindingKind::OutOfBounds if library == Some(Library::Cufft) => {
            "Everything that the call reads and writes must be within GPU memory that is still allocated: look at both \
             pointers and their order, and at the numbers and the batch that the plan was created for."
        }
        FindingKind::OutOfBounds => {
            "Everything that the call reads and writes must be within its buffers, which must still be allocated: look \
             at each of its pointers and their order (a scalar may be read in host or in device memory, as the pointer \
             mode says), then at counts, strides and leading dimensions."
        }
        FindingKind::CopyOverlap if library == Some(Library::Cub) => "Give the result memory of its own.",
        FindingKind::Uninitialised
            if finding.evidence.iter().any(|its| {
                matches!(its, Evidence::OnlyAskedForStorage { .. } | Evidence::InputUsedUp { .. })
            }) =>
        {
            return None;
        }
        FindingKind::Uninitialised if !is_copy => {
            "Was each input of the call filled before? And if beta is not 0, the output is read first: is that meant?"
        }
        FindingKind::Uninitialised if brought(true) => COPIED_UNINITIALISED,
        FindingKind::Uninitialised if brought(false) => {
            "Fill what is copied from first, with a kernel, cudaMemset() or a copy: memory is not cleared when it is \
             allocated."
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
            "Is the kernel that should write it launched before this line, and given this pointer? If so, is what it \
             stores computed from variables that were all given a value? Otherwise the compiler may leave the store out."
        }
        _ => return None,
    })
}

/// Returns the remedy for a CUDA call or a launch, or for work that was submitted by one.
pub fn of_a_call(finding: &Finding, about: &About) -> Option<&'static str> {
    let operation = match &finding.at.actor {
        Actor::Operation(operation) => Some(operation),
        _ => None,
    };
    let function = operation.map_or("", Operation::function);
    let known = |fact: Evidence| finding.evidence.contains(&fact);
    let has = |is: &dyn Fn(&Evidence) -> bool| finding.evidence.iter().any(is);
    let to_a_pointer = |its: &Evidence| matches!(its, Evidence::AddressOfPointer(_));
    let graphs = [graph_stream(&finding.at), finding.other.as_ref().and_then(graph_stream)];
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
        FindingKind::CopyPastEnd if known(Evidence::OutsideMemory) => {
            "What is added to the pointer? The number counts elements of its type, not bytes, and a negative one leads \
             to a place before its start."
        }
        FindingKind::HostPointerGiven if passes_a_symbol(&finding.at) => {
            "Ask for the variable's address on the GPU, with cudaGetSymbolAddress((void **)&pointer, variable), and pass that. \
             Or copy into the variable by its name: cudaMemcpyToSymbol(variable, source, bytes)."
        }
        FindingKind::FailedCall | FindingKind::IgnoredError
            if failed_with(operation, CudaError::InvalidValue) && copies_from_null(finding, about) =>
        {
            "The second argument of a copy is the memory to copy from, and there is none at address 0. To fill memory with \
             zeros: cudaMemset(pointer, 0, bytes)."
        }
        FindingKind::CopyDirection if passes_a_symbol(&finding.at) => {
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
            "Another stream takes part in the capture: record an event after its last work, and let the stream in which \
             the capture began wait for that, before the capture ends: cudaEventRecord(), cudaStreamWaitEvent()."
        }
        FindingKind::FailedCall if failed_with(operation, CudaError::StreamCaptureIsolation) => {
            "Was the event recorded before the capture began? Record it in a stream that takes part in the capture, or wait \
             for it before cudaStreamBeginCapture()."
        }
        FindingKind::FailedCall | FindingKind::IgnoredError
            if has(&|its| matches!(its, Evidence::NullPointer { .. })) =>
        {
            "Was memory allocated for this pointer before, and did that allocation succeed? Or was it freed, and the \
             pointer set to null?"
        }
        FindingKind::FailedCall if has(&|its| matches!(its, Evidence::OutOfMemory { .. })) => {
            "Is that the size that you mean: the number of elements, times the size of one? Then free what is no longer \
             needed first, or work on a part at a time."
        }
        FindingKind::FailedCall | FindingKind::IgnoredError
            if failed_with(operation, CudaError::NotPermitted) =>
        {
            "A function that a stream calls must not call CUDA. Let the thread that waits for the stream make this call, after \
             cudaStreamSynchronize() or cudaDeviceSynchronize()."
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
        FindingKind::FailedCall | FindingKind::IgnoredError
            if failed_with(operation, CudaError::InvalidDevice) =>
        {
            "GPUs are numbered from 0, and cudaGetDeviceCount() tells how many there are. For a program that needs more, \
             gpulearn run --devices N models N of them."
        }
        FindingKind::FailedCall if failed_with(operation, CudaError::InvalidResourceHandle) => {
            match about.source.names("cudaSetDevice") {
                true if function.starts_with("cudaEventRecord") => {
                    "An event belongs to the GPU that was current when it was created, and only a stream of that GPU can \
                     record it: create the event while the stream's GPU is current. If they are of one GPU: were both \
                     created before, and not destroyed yet?"
                }
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
        FindingKind::FailedCall if has(&|its| matches!(its, Evidence::Workspace { .. })) => {
            "Allocate as many bytes as cudnnGetConvolutionForwardWorkspaceSize() returns for this algorithm, and pass \
             that memory and their number."
        }
        FindingKind::FailedCall if function == "ncclGroupEnd" => {
            "The calls since ncclGroupStart() are made here: which of them can it be? Does each get a communicator, a \
             stream and buffers of one and the same GPU?"
        }
        FindingKind::StreamRace
            if let [Some(one), Some(other)] = graphs
                && one == other =>
        {
            "Should both nodes use this memory? If not, give each its own memory. If so, let the second depend on the \
             first: name it among its dependencies, or, where the graph is captured, let an event order the two streams."
        }
        FindingKind::StreamRace if let [Some(_), None] | [None, Some(_)] = graphs => {
            "Only one of the two is a node of the graph. Should the other be one too? Then let its stream join the capture \
             first: it waits for an event that was recorded in the stream that captures. If not, let an event order the \
             launch of the graph and that work, or give each its own memory."
        }
        FindingKind::FailedCall
            if matches!(operation.map(|its| &its.act), Some(Act::Fails(CudaStatus::Library { .. }))) =>
        {
            "Look at the call's arguments, and at whether it may be called here. The program ended itself because of it."
        }
        FindingKind::HostDeadLocal if operation.is_some() => {
            "Keep what the call uses until it has run: in a variable of a function that waits for it, or in memory from new \
             or an allocation."
        }
        FindingKind::FreedInUse if function == UNREGISTER => {
            "Wait for the work first, for example with cudaStreamSynchronize(), and then call cudaHostUnregister()."
        }
        FindingKind::FreedInUse if function == "cudaFreeHost" => {
            "Wait for the work first, for example with cudaStreamSynchronize(), and then call cudaFreeHost()."
        }
        _ => return None,
    })
}

/// Returns the stream in which the graph was launched that a side is a node of.
fn graph_stream(side: &Access) -> Option<StreamName> {
    match &side.actor {
        Actor::Operation(Operation { act: Act::Work { stream, in_graph: true }, .. }) => Some(*stream),
        _ => None,
    }
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
            LaunchLimit::Local { .. } => Some(
                "Each thread has these arrays: make them smaller, or use memory from cudaMalloc(), a part for each thread.",
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

/// Returns whether a call that failed is a copy from a null pointer, as it is written.
fn copies_from_null(finding: &Finding, about: &About) -> bool {
    let line = own_line(&finding.at, about).unwrap_or(0);
    let mut calls = about.source.calls_on(line, ["cudaMemcpy", "cudaMemcpyAsync"]);
    calls.any(|call| {
        let source = cpp::comma_separated(call).nth(1).map(str::trim);
        matches!(source, Some("0" | "NULL" | "nullptr"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{access, describe, remedy_for};
    use super::*;
    use judge::ExcessThreads;
    use sim::{Request, Target};

    #[test]
    fn what_a_call_is_given_by_mistake_is_told() {
        let tell = |kind, function: &str, act, line: &str| {
            let actor = Actor::Operation(Operation { request: Request::Call(function.into()), act });
            let at = Access { actor, ..access(AccessKind::Read, 0, 2, Target::None) };
            remedy_for(kind, at, None, &format!("int main() {{\n{line}\n}}\n"))
        };
        let fails = || Act::Fails(CudaStatus::Cuda(CudaError::InvalidValue));
        let copy = |line| tell(FindingKind::IgnoredError, "cudaMemcpy", fails(), line);
        let zeros = "cudaMemcpy(p, 0, n * sizeof(int), cudaMemcpyHostToDevice);";
        assert!(copy(zeros).contains("cudaMemset(pointer, 0, bytes)"), "{}", copy(zeros));
        assert!(!copy("cudaMemcpy(p, h, n, cudaMemcpyHostToDevice);").contains("cudaMemset"));
        let in_callback = Act::Fails(CudaStatus::Cuda(CudaError::NotPermitted));
        let in_callback = tell(FindingKind::IgnoredError, "cudaEventElapsedTime", in_callback, "f();");
        assert!(
            in_callback.starts_with("A function that a stream calls must not call CUDA"),
            "{in_callback}"
        );
        let device = Act::Fails(CudaStatus::Cuda(CudaError::InvalidDevice));
        let device = tell(FindingKind::FailedCall, "cudaSetDevice", device, "cudaSetDevice(2);");
        assert!(device.contains("gpulearn run --devices"), "{device}");
        let leads_to = sim::Pointee::Host(sim::HostMemoryKind::Symbol);
        let act = Act::NeedsDeviceMemory { pointer: Some("lock".into()), leads_to };
        let symbol = tell(FindingKind::HostPointerGiven, "cudaMemset", act, "cudaMemset(&lock, 0, 4);");
        assert!(symbol.contains("cudaGetSymbolAddress"), "{symbol}");
        let of_another_gpu = Act::Fails(CudaStatus::Cuda(CudaError::InvalidResourceHandle));
        let recorded = tell(FindingKind::FailedCall, "cudaEventRecord", of_another_gpu, "cudaSetDevice(1);");
        assert!(recorded.contains("while the stream's GPU is current"), "{recorded}");
    }

    #[test]
    fn a_status_of_a_library_is_no_error_of_an_earlier_call() {
        let tell = |status| {
            let act = Act::Fails(status);
            let request = Request::Call("cudnnConvolutionForward".into());
            let actor = Actor::Operation(Operation { request, act });
            let at = Access { actor, ..access(AccessKind::Read, 0, 1, Target::None) };
            remedy_for(FindingKind::FailedCall, at, None, "f();\n").contains("cudaGetLastError()")
        };
        let library =
            CudaStatus::Library { name: "CUDNN_STATUS_BAD_PARAM".into(), text: "bad parameter".into() };
        assert_eq!((tell(library), tell(CudaStatus::Cuda(CudaError::InvalidValue))), (false, true));
    }

    #[test]
    fn what_is_no_node_of_a_graph_gets_no_dependencies() {
        let tell = |[one, other]: [(u32, bool); 2]| {
            let side = |(stream, in_graph)| {
                let act = Act::Work { stream: StreamName { made: Some(stream), device: None }, in_graph };
                let request = Request::Launch(Some("fill".into()));
                let actor = Actor::Operation(Operation { request, act });
                Access { actor, ..access(AccessKind::Write, 0, 1, Target::None) }
            };
            remedy_for(FindingKind::StreamRace, side(one), Some(side(other)), "f<<<1, 1>>>(p);\n")
        };
        for (sides, says) in [
            ([(1, true), (1, true)], "Should both nodes"),
            ([(1, true), (2, false)], "Only one of the two is a node of the graph"),
            ([(2, false), (1, true)], "Only one of the two is a node of the graph"),
            ([(1, true), (2, true)], "record an event after the first"),
            ([(1, false), (2, false)], "record an event after the first"),
        ] {
            let text = tell(sides);
            assert!(text.contains(says), "{sides:?}: {text}");
        }
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
        let without_value = with(bounds, Some(Evidence::LaunchHasNoValue));
        assert!(without_value.contains("is a divisor zero"), "{without_value}");
        let shared = tell(LaunchLimit::OptIn { dynamic_bytes: 80_000, static_bytes: 0 });
        assert!(shared.contains("cudaFuncSetAttribute()"), "{shared}");
        let bounds = tell(LaunchLimit::LaunchBounds { threads: 512, most: 256 });
        assert!(bounds.contains("__launch_bounds__()"), "{bounds}");
    }
}
