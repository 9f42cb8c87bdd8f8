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
                1 => "the other one has ended and will never come".to_string(),
                _ => format!("the other {ended} have ended and will never come"),
            };
            format!("{waiting} of {total} threads {wait} here; {others}.")
        }
        Evidence::DifferentBarriers => "Threads of one block wait at different barriers.".into(),
        Evidence::BarrierInFunction { line, function } => {
            format!("The barrier is in line {line}, in {function}().")
        }
        Evidence::Waits { threads, line, awaited } => waits(*threads, *line, *awaited),
        Evidence::NothingChanges => {
            "Every block still running waits in a loop, and in this run nothing that any of them did let one leave it.".into()
        }
        Evidence::ArithmeticAlone => {
            "As it was compiled, the loop reads and writes no memory, and it came to the same place with the same values in \
             all registers: it never ends."
                .into()
        }
        Evidence::BlocksNotBegun { waiting, running } => format!(
            "{waiting} blocks have not begun, for want of room beside the {running} that wait: CUDA promises \
             neither that all blocks run at once nor in which order they begin."
        ),
        Evidence::StoppedAfter { steps } => {
            format!("The block had taken {steps} warp instructions when it was stopped.")
        }
        Evidence::StoppedForFindings => {
            "So much of this was found that the launch was stopped: later results of it are missing.".into()
        }
        Evidence::BarrierDoesNotOrder => {
            "A barrier stands between the two lines, but it does not order these two accesses.".into()
        }
        Evidence::LostUpdate => LOST_UPDATE.into(),
        Evidence::BarrierObjectMade => BARRIER_OBJECT_MADE.into(),
        Evidence::CopySourceChanged => "The copy may read the source after this has changed it.".into(),
        Evidence::CopyOverValues => COPY_OVER_VALUES.into(),
        Evidence::ProductSourceChanged => "The product may read this place after it was overwritten.".into(),
        Evidence::BulkCopy => BULK_COPY.into(),
        Evidence::BulkCopyOutlivesBlock => BULK_COPY_OUTLIVES_BLOCK.into(),
        Evidence::BulkUnaligned { what: BulkOperand::Size, value, multiple } => {
            format!("{value} bytes are to be copied: a bulk copy moves a multiple of {multiple}.")
        }
        Evidence::BulkUnaligned { what, value, multiple } => {
            let what = if *what == BulkOperand::Source { "source" } else { "destination" };
            format!(
                "The {what} is {} bytes past a multiple of {multiple}: a bulk copy needs such a multiple.",
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
                "barrier.cluster.arrive by threads that did not wait since the last."
            }
            ClusterMisuse::WaitsWithoutArrival => "barrier.cluster.wait by threads that did not arrive.",
        }
        .into(),
        Evidence::ProductRegister(used) => match used {
            ProductRegister::SumRead => {
                "A sum is read while the product that adds to it may still be under way."
            }
            ProductRegister::SumChanged => {
                "A sum is changed while the product that adds to it may still be under way."
            }
            ProductRegister::OperandChanged => {
                "A register of A is changed while the product that reads it may still be under way."
            }
        }
        .into(),
        Evidence::AddressFrom { line, kind } => {
            let what = match kind {
                FindingKind::DivergentBarrier => {
                    "from shared memory, behind a barrier that not all threads reached"
                }
                FindingKind::WarpMask => "from other lanes, in an operation with the wrong mask",
                FindingKind::CopyInFlight => "while the copy is still under way",
                FindingKind::Uninitialised => "where nobody wrote",
                _ => "where a race is",
            };
            format!(
                "The address is made of what line {line} reads {what} ({}): mend that first.",
                kind.code()
            )
        }
        Evidence::LanesGiveDescriptors => "The lanes of a warp give different descriptors.".into(),
        Evidence::DescriptorPlace { start, leading, stride, swizzle_bytes } => {
            let swizzle = match swizzle_bytes {
                None => "no swizzle".into(),
                Some(bytes) => format!("a swizzle of {bytes} bytes"),
            };
            format!(
                "The matrix lies there by its descriptor: a start at byte {start}, a leading offset of {leading} bytes, \
                 a stride offset of {stride}, {swizzle}."
            )
        }
        Evidence::DescriptorBits => DESCRIPTOR_BITS.into(),
        Evidence::SwizzleStart { start, swizzle_bytes, pattern_bytes } => format!(
            "The matrix begins at byte {start} of shared memory, but with a swizzle of {swizzle_bytes} bytes the \
             pattern begins at multiples of {pattern_bytes}."
        ),
        Evidence::WarpgroupNotFull { threads } => {
            format!("A warpgroup is four whole warps, 128 threads in a row; the block has {threads} threads.")
        }
        Evidence::WarpsDiffer { warps: [one, other], by } => {
            let what = match by {
                WarpDifference::Instruction => "come to different instructions",
                WarpDifference::DescriptorA => "give different descriptors for A",
                WarpDifference::DescriptorB => "give different descriptors for B",
                WarpDifference::Adds => "do not agree whether the sums are added to",
            };
            format!("Warps {one} and {other} are of one warpgroup, and {what}.")
        }
        Evidence::WarpBehind { ahead, most, behind, least } => {
            let s = if *most == 1 { "" } else { "s" };
            let least = if *least == 0 { "none".to_string() } else { least.to_string() };
            format!(
                "Warp {ahead} comes to {most} multiplication{s}, warp {behind} of the same warpgroup to {least}."
            )
        }
        Evidence::Unfenced(missing) => match missing {
            MissingFence::BetweenShapes => {
                "Only products of one shape may add to the same sums without wgmma.fence between them."
            }
            MissingFence::BeforeFirst => "No wgmma.fence stands before it, on some way to here.",
            MissingFence::AfterChange => {
                "Its registers were changed after the last wgmma.fence, on some way to here."
            }
        }
        .into(),
        Evidence::NamedButAbsent { operation, named, here, absent } => format!(
            "{operation} names {}, but only {} {} to it; {} {} elsewhere.",
            lane_list(*named),
            lane_list(*here),
            if here.count_ones() == 1 { "comes" } else { "come together" },
            lane_list(*absent),
            if absent.count_ones() == 1 { "waits" } else { "wait" }
        ),
        Evidence::MatrixLanes { here } => format!(
            "A matrix operation needs all 32 lanes of the warp, but only {} {} to it: the matrices lie in the \
             registers of all.",
            lane_list(*here),
            if here.count_ones() == 1 { "comes" } else { "come" },
        ),
        Evidence::CallersNotNamed { operation, lanes } => {
            let (call, do_not) =
                if lanes.count_ones() == 1 { ("calls", "is not") } else { ("call", "are not") };
            let lanes = capital(&lane_list(*lanes));
            format!("{lanes} {call} {operation} and {do_not} in the mask that is given.")
        }
        Evidence::ReadsAbsent { operation, lanes, named: false } => format!(
            "{operation} reads from {}, which does not take part: what it reads is undefined.",
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
        Evidence::ComputesWithUnwritten => "It computes with this element, which nobody has written.".into(),
        Evidence::QuotientUndefined => "CUDA C++ leaves undefined what comes out.".into(),
        Evidence::WrappedIndex(index) => format!(
            "The index is {index}, wrapped round to {}: it is unsigned, and unsigned numbers don't go below zero.",
            (1i64 << 32).wrapping_add(*index)
        ),
        Evidence::OwnedBy { buffer, owner, runs_on } => {
            format!("`{buffer}` is memory of device {owner}; the kernel runs on device {runs_on}.")
        }
        Evidence::NoFunction { address } => {
            format!("The call goes through a pointer ({address:#x}) that is no function.")
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
        Evidence::NotFromKernelMalloc => "free() in a kernel takes what malloc() in a kernel gave.".into(),
        Evidence::Mbarrier(misuse) => format!("mbarrier: {misuse}."),
        Evidence::Distance { block, at } => distance(block, *at),
        Evidence::AllocatedAt(line) => format!("It was allocated at line {line}."),
        Evidence::FreedAt(line) => format!("It was freed at line {line}."),
        Evidence::CalledAt(line) => format!("The function was called at line {line}."),
        Evidence::NotABlock(what) => match what {
            NotABlock::Inside { offset } => {
                let bytes = if *offset == 1 { "byte" } else { "bytes" };
                format!("The address lies {offset} {bytes} behind the start of what malloc() or new gave.")
            }
            NotABlock::Variable(name) => format!("The address is that of the variable {name}."),
            NotABlock::Local => "The address is that of a local variable.".into(),
        },
        Evidence::DeviceOnly(what) => format!("The host's code uses {what}, which only kernels have."),
        Evidence::BadFunctionPointer { address: 0 } => "The pointer is null.".into(),
        Evidence::BadFunctionPointer { address } => {
            format!("The pointer ({address:#x}) leads to no function.")
        }
        Evidence::CallsKernel { kernel } => {
            format!("The pointer leads to the kernel {kernel}: launch it with <<<…>>>.")
        }
        Evidence::NoQuotient { dividend, divisor: 0 } => format!("{dividend} is divided by zero."),
        Evidence::NoQuotient { dividend, divisor } => format!(
            "{dividend} divided by {divisor} is {}, which the type does not hold.",
            dividend.wrapping_neg()
        ),
        Evidence::Order { earlier, later } => order(kind, &operation(earlier), &operation(later)),
        Evidence::FoundIn { work, line } => {
            let line = line.map_or(String::new(), |line| format!(" in line {line}"));
            format!("This is {}, launched{line}.", operation(work))
        }
        Evidence::SameInLaunches(launches) => {
            format!("It is so in {launches} launches; this is the first of them.")
        }
        Evidence::PrintLost => "The program ended before it, so what it printed is lost.".into(),
        Evidence::LibraryNeeds { bytes, there: Some(there) } if there < bytes => {
            format!("It needs {bytes} bytes from there, and there are {there}.")
        }
        Evidence::LibraryNeeds { bytes, .. } => format!("It needs {bytes} bytes from there."),
        Evidence::KernelParameter(n) => {
            format!("It follows kernelParams[{n}]: its elements are the addresses of the arguments.")
        }
        Evidence::OtherRanksMissing => "The other ranks have not made their calls.".into(),
        Evidence::PartsGiven { given, parts } => {
            let were = if *given == 1 { "was" } else { "were" };
            format!("{given} of its {parts} parts {were} given, and the host waits here for all.")
        }
        Evidence::RanksDiffer { ranks: [one, other] } => {
            format!("Here rank {one} and rank {other} ask for different operations.")
        }
        Evidence::RanksGive { ranks, counts, types } => format!(
            "Here rank {} gives {} elements of type {} and rank {} gives {} of type {}.",
            ranks[0], counts[0], types[0], ranks[1], counts[1], types[1]
        ),
        Evidence::OutsideGroup => {
            "It may wait here for the other ranks, whose calls this same thread has still to make.".into()
        }
        Evidence::GroupNotEnded => {
            "It waits for the end of its group, and no ncclGroupEnd() came: nothing was sent.".into()
        }
        Evidence::FreedBy(by) => match by {
            FreedBy::CudaFree => "cudaFree() gives it back.",
            FreedBy::CudaFreeAsync => "cudaFreeAsync() gives it back.",
            FreedBy::CudaFreeHost => "cudaFreeHost() gives it back.",
            FreedBy::Unregister => {
                "cudaHostUnregister() comes first, then what frees memory of its kind, such as free()."
            }
            FreedBy::Nobody => "It is a variable of the program, which nobody frees.",
        }
        .into(),
        Evidence::StillRegistered => "cudaHostUnregister() must come first.".into(),
        Evidence::ExitCode(code) => format!("The program ends itself with exit code {code}."),
        Evidence::NotReady { between_events: false } => WAIT_FIRST.into(),
        Evidence::NotReady { between_events: true } => {
            format!("It leaves the time between the two events as it was. {WAIT_FIRST}")
        }
        Evidence::ErrorStays => {
            "cudaGetLastError() gave this error later: it stays the last error until it is asked for.".into()
        }
        Evidence::Refused { error, limit } => format!("{error}: {limit}"),
        Evidence::NoHandle(kind) => {
            format!("What it is given is no {} that was made before.", noun(*kind))
        }
        Evidence::Untimed { event, why } => {
            let event = event.as_ref().map_or("an event".into(), |name| format!("`{name}`"));
            match why {
                Untimed::NeverRecorded => {
                    format!("No time stands in {event}: cudaEventRecord() was not called for it.")
                }
                Untimed::Disabled => {
                    format!("No time stands in {event}: it was made with cudaEventDisableTiming.")
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
            format!("`{name}` is an input, and does not hold any more what it held.")
        }
    })
}

const LOST_UPDATE: &str = "Both read the value and write back what they made of it, or chose for it: where both read before either \
     writes, one of the two is lost. volatile orders nothing; atomicAdd(), atomicMax() and the like read and write \
     in one step.";
const BARRIER_OBJECT_MADE: &str = "One of the two makes the barrier object, or ends it, and nothing orders that with the \
                                   other's use of it: a thread that comes first finds no barrier there.";
const COPY_OVER_VALUES: &str = "Other values of this block stood there before. If the thread should get those, a \
     __syncthreads() is missing before the copy is asked for; if it should get what the copy brings, it has to \
     wait for the copy.";
const BULK_COPY: &str = "It is a bulk copy, which its mbarrier tells of: each thread that uses what it brings must \
     find the barrier's phase over first, or meet a thread that did.";
const BULK_COPY_OUTLIVES_BLOCK: &str = "The copy may still read shared memory when the block has ended, and its memory with it: the \
     thread that asked for it must wait first (cp.async.bulk.wait_group.read 0).";
const TENSOR_MAP_NOT_ENCODED: &str = "What lies there is no tensor map as cuTensorMapEncodeTiled() fills one: was it filled, has nothing changed it \
     since, and is this the map's address in memory of the GPU, not of the host?";
const TENSOR_STORE_BEFORE: &str = "A coordinate is negative: a box that is stored may reach beyond the end of a tensor, and not begin before its \
     first element.";
const TENSOR_MAP_MEMORY: &str = "The map lies in the kernel's shared or local memory: the copy takes it from a parameter that is \
     const __grid_constant__, from __constant__ or from global memory.";
const BLOCK_NOT_BEGUN: &str = "Nothing says that the other block has begun: its shared memory may not be there yet. A \
                               cluster.sync() before this says so.";
const BLOCK_MAY_END: &str = "Nothing keeps the other block from ending before this: its shared memory may be gone by \
                             then. A cluster.sync() behind this, in every block of the cluster, does.";
const DESCRIPTOR_BITS: &str = "The descriptor has bits where there must be none: an address or a stride was not cut to 14 bits, or not \
     divided by 16.";
const WAIT_FIRST: &str = "What it asks about is not done yet: wait for it first, as by cudaEventSynchronize() for the \
     later event.";

/// Returns why a tensor copy is not possible.
fn tensor_map(misuse: TensorMisuse) -> String {
    match misuse {
        TensorMisuse::NotEncoded => TENSOR_MAP_NOT_ENCODED.into(),
        TensorMisuse::Memory => TENSOR_MAP_MEMORY.into(),
        TensorMisuse::Unaligned { past } => {
            format!("The map begins {past} bytes past a multiple of 64: a tensor map needs such a multiple.")
        }
        TensorMisuse::Rank { map, copy } => {
            let dimensions = plural(map as u64, "dimension", "dimensions");
            format!("The map is of a tensor with {dimensions}, and the copy gives {copy}.")
        }
        TensorMisuse::FirstCoordinate { at, element_bytes } => format!(
            "The box begins at element {at} of the innermost dimension, which is byte {}: on a GPU of compute capability \
             9.0 it must be a multiple of 16 bytes.",
            i64::from(at) * element_bytes as i64
        ),
        TensorMisuse::StoreBefore => TENSOR_STORE_BEFORE.into(),
        TensorMisuse::Operator { element } => {
            format!("The map's elements are {}: there is no such reduction of these.", element.ptx())
        }
    }
}

/// Returns what blocked threads of a block wait for.
fn waits(threads: u64, line: Option<u32>, awaited: WaitsFor) -> String {
    let line = line.map_or(String::new(), |line| format!(" at line {line}"));
    let wait = if threads == 1 { "1 thread waits".to_string() } else { format!("{threads} threads wait") };
    match awaited {
        WaitsFor::Loop if threads == 1 => "1 thread goes round a loop.".into(),
        WaitsFor::Loop => format!("{threads} threads go round a loop."),
        WaitsFor::Barrier => format!("{wait}{line}."),
        WaitsFor::Object => format!("{wait}{line} for a barrier object."),
        WaitsFor::Phase { arrived, expected, bytes } => {
            let more = match bytes {
                0 => String::new(),
                bytes if bytes < 0 => {
                    format!(", and {} bytes have come that nobody announced", bytes.unsigned_abs())
                }
                bytes => format!(", and {bytes} bytes that were announced have not come"),
            };
            format!("{wait}{line} for a barrier object: {arrived} of {expected} arrivals have come{more}.")
        }
    }
}

fn use_of(used: &Use) -> String {
    match used {
        Use::Condition => "what happens next depends on it",
        Use::Address => "it is part of an address",
        Use::Atomic => "an atomic takes it",
        Use::ShuffleLane => "it says which lane a shuffle reads",
        Use::Vote => "the lanes of a warp vote on it",
        Use::Match => "the lanes of a warp compare it",
        Use::Reduction => "a reduction takes it",
        Use::Matrix => "a matrix operation takes it",
        Use::LeftIn(buffer) => return format!("it is left in `{buffer}`"),
        Use::Printed => "it is printed",
        Use::Text => "it is read as text",
        Use::Callee => "it says what is called",
        Use::GivenTo(function) => return format!("it is given to {function}()"),
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
            format!("The address is inside {what}, where no variable lies.")
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
            "The memory can be used in the stream that allocates it, from there on; nothing orders {first} before {then}."
        ),
        FindingKind::StreamRace => {
            format!("Nothing orders {first} and {then}: they may run at the same time.")
        }
        _ => format!(
            "The host went on after it asked for {first}, and nothing made it wait until that was done."
        ),
    }
}

/// Formats a mask's lanes as people count them: `lane 5`, `lanes 0, 2 and 16 to 23`; the mask itself where they
/// are too scattered to be listed.
fn lane_list(mask: u32) -> String {
    const MOST_RUNS: usize = 4;
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
        [..] if texts.len() > MOST_RUNS => format!("{} lanes ({mask:#010x})", mask.count_ones()),
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
                "What it is given is no event that was made before.",
                "No time stands in `start`: cudaEventRecord() was not called for it.",
                "No time stands in `start`: it was made with cudaEventDisableTiming.",
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
