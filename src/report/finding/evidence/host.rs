//! Facts about host code, and about the work and the calls that it gives to CUDA.

use super::fixed::WAIT_FIRST;
use crate::finding::operation::{UNREGISTER, noun, operation};
use crate::launch::launch_limit;
use crate::layout::{grouped, plural};
use cpp::source_name;
use picture::bytes;
use sim::{
    CaptureRule, Distance, Evidence, FindingKind, HostAllocator, HostBlockName, HostRelease, MapCondition,
    NotABlock, Untimed,
};

pub fn sentence(kind: FindingKind, evidence: &Evidence) -> Option<String> {
    host_code(evidence)
        .or_else(|| work(kind, evidence))
        .or_else(|| cuda_call(evidence))
        .or_else(|| library(evidence))
}

/// Host code: its memory, its calls and its arithmetic.
fn host_code(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::HostCallDepth { calls, call_bytes, local_bytes } => {
            let calls = plural(*calls, "call was", "calls were");
            let locals = match local_bytes {
                0 => String::new(),
                bytes => format!(", and {} bytes for the local variables of all together", grouped(*bytes)),
            };
            format!("{calls} in progress, with {call_bytes} bytes of stack for each{locals}.")
        }
        Evidence::HostLocals { function, bytes, stack_bytes } => format!(
            "The local variables of {} take {} bytes; the stack has {}.",
            source_name(function),
            grouped(*bytes),
            grouped(*stack_bytes)
        ),
        Evidence::Distance { block, at } => distance(block, *at),
        Evidence::AllocatedAt(line) => format!("It was allocated at line {line}."),
        Evidence::FreedAt(line) => format!("It was freed at line {line}."),
        Evidence::CalledAt(line) => format!("The function was called at line {line}."),
        Evidence::NotABlock(NotABlock::Inside { offset }) => {
            let bytes = if *offset == 1 { "byte" } else { "bytes" };
            format!("The address is {offset} {bytes} past the start of what malloc() or new returned.")
        }
        Evidence::NotABlock(NotABlock::Variable(name)) => {
            format!("The address is that of the variable {name}.")
        }
        Evidence::ReleasedAs { allocated, line, .. } => {
            let line = line.map_or(String::new(), |line| format!(" at line {line}"));
            let (by, needs) = match allocated {
                HostAllocator::C => ("malloc() or a function like it", HostRelease::Free),
                HostAllocator::New => ("new", HostRelease::Delete),
                HostAllocator::NewArray => ("new[]", HostRelease::DeleteArray),
            };
            format!("It was allocated{line} with {by}, and so needs {}.", release_name(needs))
        }
        Evidence::OnlyReserved { line } => {
            let line = line.map_or(String::new(), |line| format!(" in line {line}"));
            format!("The vector got memory{line}, but no elements: reserve() does not change its size.")
        }
        Evidence::DeviceOnly(what) => format!("Host code uses {what}, which only kernels have."),
        Evidence::BadFunctionPointer { address } => {
            format!("The pointer ({address:#x}) points to no function.")
        }
        Evidence::CallsKernel { kernel } => {
            format!("The pointer points to the kernel {}: launch it with <<<…>>>.", source_name(kernel))
        }
        Evidence::NoQuotient { dividend, divisor: 0 } => format!("{dividend} is divided by zero."),
        Evidence::NoQuotient { dividend, divisor } => format!(
            "{dividend} divided by {divisor} is {}, which the type cannot hold.",
            dividend.wrapping_neg()
        ),
        _ => return None,
    })
}

/// Returns how a program names what releases memory of the host's heap.
pub fn release_name(by: HostRelease) -> &'static str {
    match by {
        HostRelease::Free => "free()",
        HostRelease::Realloc => "realloc()",
        HostRelease::Delete => "delete",
        HostRelease::DeleteArray => "delete[]",
    }
}

fn distance(block: &HostBlockName, at: Distance) -> String {
    let what = match block {
        HostBlockName::Locals => "the local variables".to_string(),
        HostBlockName::Named { name, bytes } => format!("`{name}`, which has {bytes} bytes"),
        HostBlockName::Allocated { bytes } => format!("the {bytes} bytes that were allocated"),
    };
    match at {
        Distance::Before(bytes) => format!("The address is {bytes} bytes before the start of {what}."),
        Distance::Past(0) => format!("That is the first byte past the end of {what}."),
        Distance::Past(bytes) => format!("The address is {bytes} bytes past the end of {what}."),
        Distance::Inside if *block == HostBlockName::Locals => {
            format!("The address is inside {what}, where there is no variable.")
        }
        Distance::Inside => {
            let its = if matches!(block, HostBlockName::Named { .. }) { "its" } else { "their" };
            format!("It begins inside {what}, and ends past {its} end.")
        }
    }
}

/// Work that the program submitted to GPUs, and collectives.
fn work(kind: FindingKind, evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::Order { earlier, later }
            if kind == FindingKind::FreedInUse && later.function() == UNREGISTER =>
        {
            format!(
                "Nothing orders {} and {}: the memory may no longer be registered at its last use.",
                operation(earlier),
                operation(later)
            )
        }
        Evidence::Order { earlier, later } => order(kind, &operation(earlier), &operation(later)),
        Evidence::FoundIn { work, line, .. } => {
            let line = line.map_or(String::new(), |line| format!(" in line {line}"));
            format!("This is {}, launched{line}.", operation(work))
        }
        Evidence::SameInLaunches(launches) => {
            format!("This happens in {launches} launches; this is the first of them.")
        }
        Evidence::PartsGiven { given, parts } => {
            let were = if *given == 1 { "was" } else { "were" };
            format!("{given} of its {parts} parts {were} given, and the host waits here for all of them.")
        }
        Evidence::RanksDiffer { ranks: [one, other] } => {
            format!("Here rank {one} and rank {other} ask for different operations.")
        }
        Evidence::RanksGive { ranks, counts, types } => format!(
            "Here rank {} passes {} elements of type {} and rank {} passes {} of type {}.",
            ranks[0], counts[0], types[0], ranks[1], counts[1], types[1]
        ),
        _ => return None,
    })
}

/// Returns which ordering is missing between two pieces of work.
fn order(kind: FindingKind, first: &str, then: &str) -> String {
    match kind {
        FindingKind::UseAfterFree => format!("{first} freed the memory; {then} comes after it."),
        FindingKind::FreedInUse => {
            format!("Nothing orders {first} and {then}: the memory may be gone before its last use.")
        }
        FindingKind::PoolOrder => format!(
            "The memory can be used in the stream that allocates it, after the allocation; nothing orders {first} \
             before {then}."
        ),
        FindingKind::StreamRace => {
            format!("Nothing orders {first} and {then}: they may run at the same time.")
        }
        _ => format!(
            "The host continued after it requested {first}, and nothing made it wait until that was done."
        ),
    }
}

/// Arguments of CUDA's libraries.
fn library(evidence: &Evidence) -> Option<String> {
    let extents = |all: &[u64; 4]| all.map(|extent| extent.to_string()).join("×");
    Some(match evidence {
        Evidence::LeadingDimension { name, given, rows } => format!(
            "{name} is {given} and must be at least {}: cuBLAS stores a matrix column by column, this one has {} as it is \
             stored, and {name} is the number of elements from the start of a column to that of the next.",
            (*rows).max(1),
            plural(rows.unsigned_abs().into(), "row", "rows")
        ),
        Evidence::ConvolutionOutput { described, gives } => format!(
            "The descriptor of y says {} (N×C×H×W), and this convolution gives {}.",
            extents(described),
            extents(gives)
        ),
        Evidence::ConvolutionChannels { image, filter, groups: 1 } => {
            format!(
                "The descriptor of x has {image} channels, and that of w {filter}: both must be the same."
            )
        }
        Evidence::ConvolutionChannels { image, filter, groups } => format!(
            "The descriptor of x has {image} channels, and that of w {filter} for each of {groups} groups: x must have {}.",
            filter * groups
        ),
        Evidence::Workspace { given_bytes, needed_bytes } => format!(
            "The algorithm needs a workspace of {} bytes, and is given {}.",
            grouped(*needed_bytes),
            if *given_bytes == 0 { "none".into() } else { grouped(*given_bytes) }
        ),
        Evidence::TemporaryStorage { given_bytes, needed_bytes } => format!(
            "It needs {} bytes of temporary storage, and temp_storage_bytes is {}.",
            grouped(*needed_bytes),
            grouped(*given_bytes)
        ),
        Evidence::OnlyAskedForStorage { function, line } => format!(
            "{function} of line {line}, whose result would go there, did no work: d_temp_storage was null, so it only \
             said how many bytes it needs."
        ),
        _ => return None,
    })
}

/// What CUDA calls and the program's end are about.
fn cuda_call(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::LibraryNeeds { bytes, there: Some(there) } if there < bytes => {
            format!("It needs {bytes} bytes from there, but there are only {there}.")
        }
        Evidence::LibraryNeeds { bytes, .. } => format!("It needs {bytes} bytes from there."),
        Evidence::CallReadsMore { function, bytes, written } => {
            format!("{function} reads {bytes} bytes where only the first {written} were given a value.")
        }
        Evidence::KernelParameter { element, kernel, parameters } => {
            let (kernel, parameters) =
                (source_name(kernel), plural(*parameters as u64, "parameter", "parameters"));
            format!(
                "It follows kernelParams[{element}]: the elements of kernelParams are the addresses of the arguments, and \
                 the kernel {kernel} has {parameters}."
            )
        }
        Evidence::DuringCapture { since, why } => {
            let begun = since.map_or(String::new(), |line| format!(" that began in line {line}"));
            let why = match why {
                CaptureRule::NothingToWaitFor => {
                    "what its stream is given meanwhile becomes nodes of a graph and is not run, so there is nothing to wait \
                     for"
                }
                CaptureRule::MayWait => "in its mode, no call is allowed meanwhile that may wait for work",
                CaptureRule::DefaultStream => {
                    "the default stream would wait for its stream, so it may be given no work meanwhile"
                }
            };
            format!("The capture{begun} was still going on: {why}.")
        }
        Evidence::TensorMapCondition(condition) => format!("The reason: {}.", violated(*condition)),
        Evidence::OutOfMemory { asked_bytes, free_bytes, held_bytes, blocks, largest } => {
            let (asked, free) = (bytes(*asked_bytes), bytes(*free_bytes));
            let held = largest.as_ref().map_or(String::new(), |its| {
                let line = its.line.map_or(String::new(), |line| format!(", from line {line}"));
                let all = match blocks {
                    1 => "one allocation".into(),
                    _ => format!("{} in {} allocations, the largest", bytes(*held_bytes), grouped(*blocks)),
                };
                format!(" The program holds {all}: `{}` with {}{line}.", its.name, bytes(its.bytes))
            });
            format!("It asks for {asked} ({} bytes), and {free} are free.{held}", grouped(*asked_bytes))
        }
        Evidence::ExitCode(code) => format!("The program exits with code {code}."),
        Evidence::NotReady { between_events: true } => {
            format!("It leaves the time between the two events unchanged. {WAIT_FIRST}")
        }
        Evidence::Refused { error, limit } => format!("{}: {}", error.name(), launch_limit(limit)),
        Evidence::NoHandle(kind) => {
            format!("The {} that it is given was not created before.", noun(*kind))
        }
        Evidence::StreamOfOtherDevice { owner, current } => {
            format!("The stream belongs to device {owner}, but device {current} is the current one.")
        }
        Evidence::Untimed { event, why } => {
            let event = event.as_ref().map_or("an event".into(), |name| format!("`{name}`"));
            let why = match why {
                Untimed::NeverRecorded => "cudaEventRecord() was not called for it",
                Untimed::Disabled => "it was created with cudaEventDisableTiming",
            };
            format!("There is no time in {event}: {why}.")
        }
        Evidence::CopyEnds { request, line, written_bytes, memory_bytes } => {
            let (written, all) = (grouped(*written_bytes), grouped(*memory_bytes));
            format!("{request} of line {line} wrote the first {written} of its {all} bytes.")
        }
        Evidence::CopyEndsRows { request, line, written_bytes } => {
            let written = plural(*written_bytes, "byte", "bytes");
            format!("{request} of line {line} wrote the first {written} of each row.")
        }
        Evidence::CopiedUnwritten { request, line, from_host } => {
            let what = if *from_host { "host memory" } else { "memory" };
            format!("{request} of line {line} copied {what} there that was never written.")
        }
        Evidence::InputUsedUp { request, line } => format!(
            "It was the input of {request} in line {line}, which overwrites its input with values of no use."
        ),
        Evidence::AskedForNothing { request, line, pointer } => {
            format!("{request} of line {line} was asked for 0 bytes, and set `{pointer}` to a null pointer.")
        }
        Evidence::NullPointer { writes, pointer } => {
            let side = if *writes { "destination" } else { "source" };
            let name = pointer.as_ref().map_or(String::new(), |name| format!(", `{name}`,"));
            format!("Its {side}{name} is a null pointer.")
        }
        Evidence::StoredWithoutValue { line, all } => {
            let what = if *all { "it" } else { "some of what it copies" };
            format!("A kernel did store {what}, but without a value: it comes from line {line}.")
        }
        Evidence::AddressOfPointer(pointer) => {
            format!("`{pointer}` is the address already: leave out the &.")
        }
        Evidence::InputChanged(name) => {
            format!("`{name}` is an input, and its contents have changed.")
        }
        _ => return None,
    })
}

/// Describes a condition of `cuTensorMapEncodeTiled` that does not hold.
fn violated(condition: MapCondition) -> &'static str {
    match condition {
        MapCondition::DataType => "tensorDataType is not a CUtensorMapDataType",
        MapCondition::Interleave => "interleave is not a CUtensorMapInterleave",
        MapCondition::Swizzle => "swizzle is not a CUtensorMapSwizzle",
        MapCondition::Promotion => "l2Promotion is not a CUtensorMapL2promotion",
        MapCondition::Fill => "oobFill is not a CUtensorMapFloatOOBfill",
        MapCondition::NewerDataType => "GPUs of compute capability 9.0 lack the data type",
        MapCondition::NewerSwizzle => "GPUs of compute capability 9.0 lack the swizzle",
        MapCondition::Rank => "tensorRank must be 1 to 5",
        MapCondition::Address => "globalAddress must be a multiple of 16",
        MapCondition::Extent => "each entry of globalDim must be 1 to 2^32",
        MapCondition::StrideMultiple => "each entry of globalStrides, in bytes, must be a multiple of 16",
        MapCondition::StrideTooLarge => "each entry of globalStrides must be less than 2^40",
        MapCondition::BoxExtent => "each entry of boxDim must be 1 to 256",
        MapCondition::Step => "each entry of elementStrides must be 1 to 8",
        MapCondition::RowMultiple => "boxDim[0] elements must be a multiple of 16 bytes",
        MapCondition::RowBeyondSwizzle => "boxDim[0] elements must take no more bytes than the swizzle has",
        MapCondition::NanOfIntegers => "only floating-point types can be filled with NaN",
    }
}
