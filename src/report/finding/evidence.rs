//! Evidence for a finding, in sentences.

use super::operation::{noun, operation};
use crate::layout::{grouped, plural};
use cpp::source_name;
use sim::{
    BulkOperand, ClusterMisuse, Distance, Evidence, Finding, FindingKind, FreedBy, HostBlockName,
    MissingFence, NotABlock, ProductRegister, TensorMisuse, Untimed, Use, WaitsFor, WarpDifference,
};

/// Returns all evidence for a finding, a sentence or two per fact.
pub fn sentences(finding: &Finding) -> Vec<String> {
    finding.evidence.iter().filter_map(|evidence| sentence(finding.kind, evidence)).collect()
}

/// Returns one fact about a finding of this kind; `None` where the finding's sides say it already. Names are the
/// learner's and are not escaped.
fn sentence(kind: FindingKind, evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::NoMemory | Evidence::BesideMemory | Evidence::DevicePointerMode => return None,
        // These are drawn instead.
        Evidence::Stands { .. }
        | Evidence::LanesAccess { .. }
        | Evidence::WrittenAround { .. }
        | Evidence::Room { .. }
        | Evidence::GivenWork { .. } => return None,
        Evidence::EndedBeforeBarrier { waiting, total, ended } => {
            let wait = if *waiting == 1 { "waits" } else { "wait" };
            let others = match ended {
                1 => "the other one has ended and will never get here".to_string(),
                _ => format!("the other {ended} have ended and will never get here"),
            };
            format!("{waiting} of {total} threads {wait} here; {others}.")
        }
        Evidence::DifferentBarriers => "Threads of one block wait at different barriers.".into(),
        Evidence::BarrierInFunction { line, function } => {
            format!("The barrier is in line {line}, in {function}().")
        }
        Evidence::Waits { threads, line, awaited } => waits(*threads, *line, *awaited),
        Evidence::NothingChanges => {
            "Every block still running waits in a loop, and in this run nothing that any of them did let one leave \
             its loop.".into()
        }
        Evidence::ArithmeticAlone => {
            "As compiled, the loop reads and writes no memory, and it reached the same place again with the same \
             values in all registers: it never ends."
                .into()
        }
        Evidence::BlocksNotBegun { waiting, running } => format!(
            "{waiting} blocks have not started, because there is no room next to the {running} that wait: CUDA \
             promises neither that all blocks run at once nor in which order they start."
        ),
        Evidence::StoppedAfter { steps } => {
            format!("The block had executed {steps} warp instructions when it was stopped.")
        }
        Evidence::StoppedForFindings => {
            "This was found so often that the launch was stopped: its later results are missing.".into()
        }
        Evidence::BarrierDoesNotOrder => {
            "There is a barrier between the two lines, but it does not order these two accesses.".into()
        }
        Evidence::LostUpdate => LOST_UPDATE.into(),
        Evidence::SignalledWithoutFence => SIGNALLED_WITHOUT_FENCE.into(),
        Evidence::BarrierObjectMade => BARRIER_OBJECT_MADE.into(),
        Evidence::CopySourceChanged => "The copy may read the source after this has changed it.".into(),
        Evidence::CopyOverValues => COPY_OVER_VALUES.into(),
        Evidence::ProductSourceChanged => "The product may read this place after it was overwritten.".into(),
        Evidence::BulkCopy => BULK_COPY.into(),
        Evidence::BulkCopyOutlivesBlock => BULK_COPY_OUTLIVES_BLOCK.into(),
        Evidence::BulkUnaligned { what: BulkOperand::Size, value, multiple } => {
            format!("The size is {value} bytes: a bulk copy moves a multiple of {multiple}.")
        }
        Evidence::BulkUnaligned { what, value, multiple } => {
            let what = if *what == BulkOperand::Source { "source" } else { "destination" };
            format!(
                "The {what} is {} bytes past a multiple of {multiple}: a bulk copy needs an exact multiple.",
                value % multiple
            )
        }
        Evidence::TensorMap(misuse) => tensor_map(*misuse),
        Evidence::BlockNotBegun => BLOCK_NOT_BEGUN.into(),
        Evidence::BlockMayEnd => BLOCK_MAY_END.into(),
        Evidence::NoSuchRank { rank, blocks: 1 } => {
            format!("The launch has no clusters, so no block has rank {rank}.")
        }
        Evidence::NoSuchRank { rank, blocks } => {
            format!("A cluster has {blocks} blocks here: none has rank {rank}.")
        }
        Evidence::ClusterBarrier(how) => match how {
            ClusterMisuse::ArrivesTwice => {
                "barrier.cluster.arrive by threads that have not waited since their last arrival."
            }
            ClusterMisuse::WaitsWithoutArrival => "barrier.cluster.wait by threads that did not arrive.",
        }
        .into(),
        Evidence::ProductRegister(used) => match used {
            ProductRegister::SumRead => {
                "A sum is read while the product that adds to it may still be in progress."
            }
            ProductRegister::SumChanged => {
                "A sum is changed while the product that adds to it may still be in progress."
            }
            ProductRegister::OperandChanged => {
                "A register of A is changed while the product that reads it may still be in progress."
            }
        }
        .into(),
        Evidence::AddressFrom { line, kind } => {
            let what = match kind {
                FindingKind::DivergentBarrier => {
                    "from shared memory, after a barrier that not all threads reached"
                }
                FindingKind::WarpMask => "from other lanes, in an operation with the wrong mask",
                FindingKind::CopyInFlight => "while the copy is still in progress",
                FindingKind::Uninitialised => "where nothing was written",
                _ => "in a race",
            };
            format!(
                "The address is computed from what line {line} reads {what} ({}): fix that first.",
                kind.code()
            )
        }
        Evidence::LanesGiveDescriptors => "The lanes of a warp pass different descriptors.".into(),
        Evidence::DescriptorPlace { start, leading, stride, swizzle_bytes } => {
            let swizzle = match swizzle_bytes {
                None => "no swizzle".into(),
                Some(bytes) => format!("a swizzle of {bytes} bytes"),
            };
            format!(
                "The descriptor places the matrix there: a start at byte {start}, a leading offset of {leading} bytes, \
                 a stride offset of {stride}, {swizzle}."
            )
        }
        Evidence::DescriptorBits => DESCRIPTOR_BITS.into(),
        Evidence::SwizzleStart { start, swizzle_bytes, pattern_bytes } => format!(
            "The matrix begins at byte {start} of shared memory, but with a swizzle of {swizzle_bytes} bytes the \
             pattern begins at multiples of {pattern_bytes}."
        ),
        Evidence::WarpgroupNotFull { threads } => {
            format!("A warpgroup is four whole warps, 128 consecutive threads; the block has {threads} threads.")
        }
        Evidence::WarpsDiffer { warps: [one, other], by } => {
            let what = match by {
                WarpDifference::Instruction => "reach different instructions",
                WarpDifference::DescriptorA => "pass different descriptors for A",
                WarpDifference::DescriptorB => "pass different descriptors for B",
                WarpDifference::Adds => "do not agree on whether to add to the sums",
            };
            format!("Warps {one} and {other} belong to one warpgroup, but {what}.")
        }
        Evidence::WarpBehind { ahead, most, behind, least } => {
            let s = if *most == 1 { "" } else { "s" };
            let least = if *least == 0 { "none".to_string() } else { least.to_string() };
            format!(
                "Warp {ahead} reaches {most} multiplication{s}, but warp {behind} of the same warpgroup reaches \
                 {least}."
            )
        }
        Evidence::Unfenced(missing) => match missing {
            MissingFence::BetweenShapes => {
                "Only products of one shape may add to the same sums without wgmma.fence between them."
            }
            MissingFence::BeforeFirst => "On some path to here there is no wgmma.fence before it.",
            MissingFence::AfterChange => {
                "On some path to here its registers were changed after the last wgmma.fence."
            }
        }
        .into(),
        Evidence::NamedButAbsent { operation, named, here, absent } => format!(
            "{operation} names {}, but only {} {}; {} {} elsewhere.",
            lane_list(*named),
            lane_list(*here),
            if here.count_ones() == 1 { "reaches it" } else { "reach it together" },
            lane_list(*absent),
            if absent.count_ones() == 1 { "waits" } else { "wait" }
        ),
        Evidence::MatrixLanes { here } => format!(
            "A matrix operation needs all 32 lanes of the warp, but only {} {} it: the matrices are in the \
             registers of all.",
            lane_list(*here),
            if here.count_ones() == 1 { "reaches" } else { "reach" },
        ),
        Evidence::CallersNotNamed { operation, lanes } => {
            let (call, do_not) =
                if lanes.count_ones() == 1 { ("calls", "is not") } else { ("call", "are not") };
            let lanes = capital(&lane_list(*lanes));
            format!("{lanes} {call} {operation} but {do_not} in the mask that is passed.")
        }
        Evidence::ReadsAbsent { operation, lanes, named: false } => format!(
            "{operation} reads from {}, outside the lanes that take part: what it reads is undefined.",
            lane_list(*lanes)
        ),
        Evidence::ReadsAbsent { operation, lanes, named: true } => format!(
            "{operation} reads from {}, which the mask names but which {} not take part: what it reads is undefined.",
            lane_list(*lanes),
            if lanes.count_ones() == 1 { "does" } else { "do" }
        ),
        Evidence::UsesAbsentLane => {
            "It reads from a lane that does not take part: what it reads is undefined.".into()
        }
        Evidence::FirstMatters { line, used } => {
            format!("The value first matters in line {line}: {}.", use_of(used))
        }
        Evidence::NeverWritten => "No kernel and no copy has written anything there before.".into(),
        Evidence::ComputesWithUnwritten => "It computes with this element, which was never written.".into(),
        Evidence::QuotientUndefined => "In CUDA C++ the result is undefined.".into(),
        Evidence::WrappedIndex(index) => format!(
            "The index is {index}, wrapped round to {}: it is unsigned, and unsigned numbers don't go below zero.",
            (1i64 << 32).wrapping_add(*index)
        ),
        Evidence::OwnedBy { buffer, owner, runs_on } => {
            format!("`{buffer}` is memory of device {owner}; the kernel runs on device {runs_on}.")
        }
        Evidence::NoFunction { address } => {
            format!("The call goes through a pointer ({address:#x}) that points to no function.")
        }
        Evidence::HostAddressOf { function } => format!(
            "The call goes to `{}`, whose address was taken by host code: take it in device code.",
            source_name(function)
        ),
        Evidence::CallDepth { calls, bytes: 0 } => format!("{calls} calls were in progress."),
        Evidence::CallDepth { calls, bytes } => {
            format!("{calls} calls were in progress, with {bytes} bytes of local memory.")
        }
        Evidence::HostCallDepth { calls, call_bytes, local_bytes: 0 } => {
            format!("{calls} calls were in progress, with {call_bytes} bytes of stack for each.")
        }
        Evidence::HostCallDepth { calls, call_bytes, local_bytes } => format!(
            "{calls} calls were in progress, with {call_bytes} bytes of stack for each, and {local_bytes} bytes for the \
             local variables of all together."
        ),
        Evidence::Assertion(condition) => format!("assert({condition})"),
        Evidence::FreedInKernelBefore => "free() was called for this memory before.".into(),
        Evidence::NotFromKernelMalloc => "free() in a kernel frees only what malloc() in a kernel returned.".into(),
        Evidence::Mbarrier(misuse) => format!("mbarrier: {misuse}."),
        Evidence::Distance { block, at } => distance(block, *at),
        Evidence::AllocatedAt(line) => format!("It was allocated at line {line}."),
        Evidence::FreedAt(line) => format!("It was freed at line {line}."),
        Evidence::CalledAt(line) => format!("The function was called at line {line}."),
        Evidence::NotABlock(what) => match what {
            NotABlock::Inside { offset } => {
                let bytes = if *offset == 1 { "byte" } else { "bytes" };
                format!("The address is {offset} {bytes} past the start of what malloc() or new returned.")
            }
            NotABlock::Variable(name) => format!("The address is that of the variable {name}."),
            NotABlock::Local => "The address is that of a local variable.".into(),
        },
        Evidence::DeviceOnly(what) => format!("Host code uses {what}, which only kernels have."),
        Evidence::BadFunctionPointer { address: 0 } => "The pointer is null.".into(),
        Evidence::BadFunctionPointer { address } => {
            format!("The pointer ({address:#x}) points to no function.")
        }
        Evidence::CallsKernel { kernel } => {
            format!("The pointer points to the kernel {kernel}: launch it with <<<…>>>.")
        }
        Evidence::NoQuotient { dividend, divisor: 0 } => format!("{dividend} is divided by zero."),
        Evidence::NoQuotient { dividend, divisor } => format!(
            "{dividend} divided by {divisor} is {}, which the type cannot hold.",
            dividend.wrapping_neg()
        ),
        Evidence::Order { earlier, later } => order(kind, &operation(earlier), &operation(later)),
        Evidence::FoundIn { work, line } => {
            let line = line.map_or(String::new(), |line| format!(" in line {line}"));
            format!("This is {}, launched{line}.", operation(work))
        }
        Evidence::SameInLaunches(launches) => {
            format!("This happens in {launches} launches; this is the first of them.")
        }
        Evidence::PrintLost => "The program ended before the kernel did, so what the kernel printed is lost.".into(),
        Evidence::LibraryNeeds { bytes, there: Some(there) } if there < bytes => {
            format!("It needs {bytes} bytes from there, but there are only {there}.")
        }
        Evidence::LibraryNeeds { bytes, .. } => format!("It needs {bytes} bytes from there."),
        Evidence::KernelParameter(n) => {
            format!("It follows kernelParams[{n}]: the elements of kernelParams are the addresses of the arguments.")
        }
        Evidence::OtherRanksMissing => "The other ranks have not made their calls.".into(),
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
        Evidence::OutsideGroup => {
            "It may wait here for the other ranks, whose calls this same thread has yet to make.".into()
        }
        Evidence::GroupNotEnded => {
            "It waits for the end of its group, but ncclGroupEnd() was never called: nothing was sent.".into()
        }
        Evidence::FreedBy(by) => match by {
            FreedBy::CudaFree => "cudaFree() frees it.",
            FreedBy::CudaFreeAsync => "cudaFreeAsync() frees it.",
            FreedBy::CudaFreeHost => "cudaFreeHost() frees it.",
            FreedBy::Unregister => {
                "cudaHostUnregister() comes first, then what frees memory of its kind, such as free()."
            }
            FreedBy::Nobody => "It is a variable of the program, which nothing frees.",
        }
        .into(),
        Evidence::StillRegistered => "cudaHostUnregister() must come first.".into(),
        Evidence::ExitCode(code) => format!("The program exits with code {code}."),
        Evidence::NotReady { between_events: false } => WAIT_FIRST.into(),
        Evidence::NotReady { between_events: true } => {
            format!("It leaves the time between the two events unchanged. {WAIT_FIRST}")
        }
        Evidence::ErrorStays => {
            "cudaGetLastError() returned this error later: it stays the last error until it is asked for.".into()
        }
        Evidence::Refused { error, limit } => format!("{error}: {limit}"),
        Evidence::NoHandle(kind) => {
            format!("The {} that it is given was not created before.", noun(*kind))
        }
        Evidence::Untimed { event, why } => {
            let event = event.as_ref().map_or("an event".into(), |name| format!("`{name}`"));
            match why {
                Untimed::NeverRecorded => {
                    format!("There is no time in {event}: cudaEventRecord() was not called for it.")
                }
                Untimed::Disabled => {
                    format!("There is no time in {event}: it was created with cudaEventDisableTiming.")
                }
            }
        }
        Evidence::CopyEnds { request, line, written_bytes, memory_bytes } => {
            let (written, all) = (grouped(*written_bytes), grouped(*memory_bytes));
            format!("{request} of line {line} wrote the first {written} of its {all} bytes.")
        }
        Evidence::AddressOfPointer(pointer) => {
            format!("`{pointer}` is the address already: leave out the &.")
        }
        Evidence::InputChanged(name) => {
            format!("`{name}` is an input, and its contents have changed.")
        }
    })
}

const LOST_UPDATE: &str = "Both read the value and write back one computed from it, or chosen by it: if both read before either \
     writes, one of the two is lost. volatile orders nothing; atomicAdd(), atomicMax() and the like read and write \
     in one step.";
const SIGNALLED_WITHOUT_FENCE: &str = "The reader relied on a later write of the writer's block, such as a counter or a flag. No __threadfence() orders \
                                       the two writes, so the later one may be visible before the value is: volatile \
                                       and atomic accesses do not order others.";
const BARRIER_OBJECT_MADE: &str = "One of the two initialises or invalidates the barrier object, and nothing orders that with the \
                                   other's use of it: a thread that gets there first finds no barrier.";
const COPY_OVER_VALUES: &str = "Other values of this block were there before. If the thread should read those, a \
     __syncthreads() is missing before the copy is requested; if it should read what the copy brings, it has to \
     wait for the copy.";
const BULK_COPY: &str = "It is a bulk copy, whose end its mbarrier reports: each thread that uses what it brings must \
     first see the barrier's phase complete, or synchronise with a thread that did.";
const BULK_COPY_OUTLIVES_BLOCK: &str = "The copy may still read shared memory when the block has ended and its memory is gone: the \
     thread that requested it must wait first (cp.async.bulk.wait_group.read 0).";
const TENSOR_MAP_NOT_ENCODED: &str = "What is there is not a tensor map as cuTensorMapEncodeTiled() fills one: was it filled, has nothing changed it \
     since, and is this the map's address in GPU memory, not in host memory?";
const TENSOR_STORE_BEFORE: &str = "A coordinate is negative: a box that is stored may extend past the end of a tensor, but not begin before its \
     first element.";
const TENSOR_MAP_MEMORY: &str = "The map is in the kernel's shared or local memory: it must be in a parameter that is \
     const __grid_constant__, in __constant__ or in global memory.";
const BLOCK_NOT_BEGUN: &str = "Nothing guarantees that the other block has started: its shared memory may not be there yet. A \
                               cluster.sync() before this guarantees it.";
const BLOCK_MAY_END: &str = "Nothing keeps the other block from ending before this: its shared memory may be gone by \
                             then. A cluster.sync() after this, in every block of the cluster, does.";
const DESCRIPTOR_BITS: &str = "The descriptor has bits set where there must be none: an address or a stride was not cut to 14 bits, or not \
     divided by 16.";
const WAIT_FIRST: &str = "What it asks about is not done yet: wait for it first, for example with cudaEventSynchronize() for the \
     later event.";

/// Returns why a tensor copy is not possible.
fn tensor_map(misuse: TensorMisuse) -> String {
    match misuse {
        TensorMisuse::NotEncoded => TENSOR_MAP_NOT_ENCODED.into(),
        TensorMisuse::Memory => TENSOR_MAP_MEMORY.into(),
        TensorMisuse::Unaligned { past } => {
            format!(
                "The map begins {past} bytes past a multiple of 64: a tensor map needs an exact multiple."
            )
        }
        TensorMisuse::Rank { map, copy } => {
            let dimensions = plural(map as u64, "dimension", "dimensions");
            format!("The map describes a tensor with {dimensions}, but the copy gives {copy}.")
        }
        TensorMisuse::FirstCoordinate { at, element_bytes } => format!(
            "The box begins at element {at} of the innermost dimension, which is byte {}: on a GPU of compute capability \
             9.0 it must be a multiple of 16 bytes.",
            i64::from(at) * element_bytes as i64
        ),
        TensorMisuse::StoreBefore => TENSOR_STORE_BEFORE.into(),
        TensorMisuse::Operator { element } => {
            format!("The map's elements are {}: there is no such reduction for this type.", element.ptx())
        }
    }
}

/// Returns what blocked threads of a block wait for.
fn waits(threads: u64, line: Option<u32>, awaited: WaitsFor) -> String {
    let line = line.map_or(String::new(), |line| format!(" at line {line}"));
    let wait = if threads == 1 { "1 thread waits".to_string() } else { format!("{threads} threads wait") };
    match awaited {
        WaitsFor::Loop if threads == 1 => "1 thread keeps looping.".into(),
        WaitsFor::Loop => format!("{threads} threads keep looping."),
        WaitsFor::Barrier => format!("{wait}{line}."),
        WaitsFor::Object => format!("{wait}{line} for a barrier object."),
        WaitsFor::Phase { arrived, expected, bytes } => {
            let more = match bytes {
                0 => String::new(),
                bytes if bytes < 0 => {
                    format!(", and {} bytes have arrived that nobody announced", bytes.unsigned_abs())
                }
                bytes => format!(", and {bytes} bytes that were announced have not arrived"),
            };
            format!("{wait}{line} for a barrier object: {arrived} of {expected} arrivals so far{more}.")
        }
    }
}

fn use_of(used: &Use) -> String {
    match used {
        Use::Condition => "what happens next depends on it",
        Use::Address => "it is part of an address",
        Use::Atomic => "an atomic operation uses it",
        Use::ShuffleLane => "it selects the lane that a shuffle reads",
        Use::Vote => "the lanes of a warp vote on it",
        Use::Match => "the lanes of a warp compare it",
        Use::Reduction => "a reduction uses it",
        Use::Matrix => "a matrix operation uses it",
        Use::LeftIn(buffer) => return format!("it is left in `{buffer}`"),
        Use::Printed => "it is printed",
        Use::Text => "it is read as text",
        Use::Callee => "it decides what is called",
        Use::GivenTo(function) => return format!("it is passed to {function}()"),
    }
    .into()
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

/// Formats a mask's lanes as people count them: `lane 5`, `lanes 0, 2 and 16 to 23`; the mask itself where they
/// are too scattered to be listed.
fn lane_list(mask: u32) -> String {
    const MAX_RUNS: usize = 4;
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let texts: Vec<String> = runs
        .iter()
        .map(|&(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first} and {last}"),
            _ => format!("{first} to {last}"),
        })
        .collect();
    let word = if mask.count_ones() == 1 { "lane" } else { "lanes" };
    match texts.as_slice() {
        [] => "no lane".into(),
        [only] => format!("{word} {only}"),
        [..] if texts.len() > MAX_RUNS => format!("{} lanes ({mask:#010x})", mask.count_ones()),
        [rest @ .., last] => format!("{word} {} and {last}", rest.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::HandleKind;

    #[test]
    fn why_a_call_failed_or_a_copy_was_short_is_said() {
        let untimed = |why| Evidence::Untimed { event: Some("start".into()), why };
        let copy = Evidence::CopyEnds {
            request: "cudaMemcpy".into(),
            line: 7,
            written_bytes: 1000,
            memory_bytes: 4000,
        };
        let all = [
            Evidence::NoHandle(HandleKind::Event),
            untimed(Untimed::NeverRecorded),
            untimed(Untimed::Disabled),
            copy,
        ];
        let said: Vec<String> =
            all.iter().filter_map(|its| sentence(FindingKind::IgnoredError, its)).collect();
        assert_eq!(
            said,
            [
                "The event that it is given was not created before.",
                "There is no time in `start`: cudaEventRecord() was not called for it.",
                "There is no time in `start`: it was created with cudaEventDisableTiming.",
                "cudaMemcpy of line 7 wrote the first 1 000 of its 4 000 bytes.",
            ]
        );
    }

    #[test]
    fn lanes_are_listed_as_people_count_them() {
        for (mask, text) in [
            (0, "no lane"),
            (1 << 5, "lane 5"),
            (0x00ff_0000, "lanes 16 to 23"),
            (0b11, "lanes 0 and 1"),
            (0x00ff_0005, "lanes 0, 2 and 16 to 23"),
            (u32::MAX, "lanes 0 to 31"),
            (0x5555_5555, "16 lanes (0x55555555)"),
        ] {
            assert_eq!(lane_list(mask), text);
        }
    }
}
