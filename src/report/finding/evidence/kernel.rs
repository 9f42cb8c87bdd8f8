//! Facts about kernels: waits, copies, lanes, addresses.

use crate::layout::{capitalised, grouped, listed, plural};
use cpp::source_name;
use sim::{
    BulkOperand, Evidence, FindingKind, ImageMisuse, ImageShape, MBARRIER_COUNT, MBARRIER_TX_COUNT,
    MbarrierMisuse, TensorMisuse, Use, WaitsFor, WarpDifference,
};

pub fn sentence(evidence: &Evidence) -> Option<String> {
    waiting(evidence)
        .or_else(|| bulk_copy(evidence))
        .or_else(|| image(evidence))
        .or_else(|| warpgroup(evidence))
        .or_else(|| lanes(evidence))
        .or_else(|| address(evidence))
}

/// Barriers, and waits that never end.
fn waiting(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::EndedBeforeBarrier { waiting, total, ended } => {
            let wait = if *waiting == 1 { "waits" } else { "wait" };
            let others = match ended {
                1 => "the other one has ended and will never get here".to_string(),
                _ => format!("the other {ended} have ended and will never get here"),
            };
            format!("{waiting} of {total} threads {wait} here; {others}.")
        }
        Evidence::BarrierCounts([one, other]) => format!(
            "Threads wait at the same barrier for different numbers of threads, {one} and {other}: which of them holds is not \
             defined."
        ),
        Evidence::BarrierCrowd { here, threads } => format!(
            "{here} threads were at a barrier for {threads} at once: which of them go on together is not determined."
        ),
        Evidence::BarrierInFunction { line, function } => {
            format!("The barrier is in line {line}, in {function}().")
        }
        Evidence::Waits { threads, line, awaited } => waits(*threads, *line, *awaited),
        Evidence::ThreadsEnded(1) => "Another thread of the block has ended.".into(),
        Evidence::ThreadsEnded(threads) => {
            format!("{} other threads of the block have ended.", grouped(*threads))
        }
        Evidence::BlocksNotBegun { waiting, running } => format!(
            "{waiting} blocks have not started, because there is no room next to the {running} that wait: CUDA \
             promises neither that all blocks run at once nor in which order they start."
        ),
        Evidence::StoppedAfter { steps } => {
            format!("The block had executed {steps} warp instructions when it was stopped.")
        }
        Evidence::Mbarrier(misuse) => format!("mbarrier: {}.", mbarrier(*misuse)),
        Evidence::NoSuchRank { rank, blocks: 1 } => {
            format!("The launch has no clusters, so no block has rank {rank}.")
        }
        Evidence::NoSuchRank { rank, blocks } => {
            format!("A cluster has {blocks} blocks here: none has rank {rank}.")
        }
        _ => return None,
    })
}

/// How an mbarrier is misused.
fn mbarrier(misuse: MbarrierMisuse) -> String {
    match misuse {
        MbarrierMisuse::NotInitialised => {
            "the memory contains no mbarrier: initialise it before use, and do not overwrite it".into()
        }
        MbarrierMisuse::BadInitialCount { count } => {
            format!("an mbarrier expects 1 to {MBARRIER_COUNT} arrivals, not {count}")
        }
        MbarrierMisuse::BadArrivalCount { count } => {
            format!("one arrival counts for 1 to {MBARRIER_COUNT} threads, not {count}")
        }
        MbarrierMisuse::TooManyArrivals { arriving, pending } => {
            format!("{arriving} arrive, but the phase has {pending} pending")
        }
        MbarrierMisuse::NothingExpected => "every thread has dropped out of this mbarrier".into(),
        MbarrierMisuse::MustNotComplete => "arrive.noComplete must not complete the phase".into(),
        MbarrierMisuse::TxCountOutOfRange { tx_count } => {
            format!("a tx-count of {tx_count} is beyond ±{MBARRIER_TX_COUNT}")
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
        WaitsFor::Grid => format!("{wait}{line} for the other blocks, on behalf of its own."),
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

/// Bulk copies, with tensor maps or without.
fn bulk_copy(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
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
        Evidence::TensorMap(TensorMisuse::Unaligned { past }) => {
            format!(
                "The map begins {past} bytes past a multiple of 64: a tensor map needs an exact multiple."
            )
        }
        Evidence::TensorMap(TensorMisuse::Rank { map, copy }) => {
            let dimensions = plural(*map as u64, "dimension", "dimensions");
            format!("The map describes a tensor with {dimensions}, but the copy gives {copy}.")
        }
        Evidence::TensorMap(TensorMisuse::FirstCoordinate { at, element_bytes }) => format!(
            "The box begins at element {at} of the innermost dimension, which is byte {}: on a GPU of compute capability \
             9.0 it must be a multiple of 16 bytes.",
            i64::from(*at) * *element_bytes as i64
        ),
        Evidence::TensorMap(TensorMisuse::Operator { element }) => {
            format!("The map's elements are {}: there is no such reduction for this type.", element.ptx())
        }
        _ => return None,
    })
}

/// Textures and surfaces.
fn image(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::Image(ImageMisuse::Shape { access, image }) => format!(
            "The function accesses {} image, but the object has {} one.",
            shape_name(*access),
            shape_name(*image)
        ),
        Evidence::Image(ImageMisuse::Channel { read, channels }) => {
            let component = ["x", "y", "z", "w"].get(usize::from(*read)).unwrap_or(&"w");
            let channels = plural(u64::from(*channels), "channel", "channels");
            format!("The component {component} is used, but a texel of this texture has {channels}.")
        }
        Evidence::OutsideImage { at: [x, y, z], extents: [width, height, depth], in_bytes, shape } => {
            let (unit, units) = if *in_bytes { ("byte", "bytes") } else { ("texel", "texels") };
            let slice = if shape.is_layered() { ("layer", "layers") } else { ("slice", "slices") };
            let (mut place, mut has) = (format!("{unit} {x}"), plural(*width, unit, units));
            if shape.dimensions() > 1 {
                place += &format!(" of row {y}");
                has += &format!(" in a row, {}", plural(*height, "row", "rows"));
            }
            if shape.dimensions() > 2 || shape.is_layered() {
                place += &format!(" of {} {z}", slice.0);
                has += &format!(", {}", plural(*depth, slice.0, slice.1));
            }
            let what = if *in_bytes { "surface" } else { "texture" };
            format!("The access is to {place}, counted from 0; the {what} has {has}.")
        }
        _ => return None,
    })
}

fn shape_name(shape: ImageShape) -> &'static str {
    match shape {
        ImageShape::OneD => "a 1D",
        ImageShape::TwoD => "a 2D",
        ImageShape::ThreeD => "a 3D",
        ImageShape::LayeredOneD => "a layered 1D",
        ImageShape::LayeredTwoD => "a layered 2D",
    }
}

/// Warpgroups and the descriptors of their matrices.
fn warpgroup(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
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
        Evidence::SwizzleStart { start, swizzle_bytes, pattern_bytes } => format!(
            "The matrix begins at byte {start} of shared memory, but with a swizzle of {swizzle_bytes} bytes the \
             pattern begins at multiples of {pattern_bytes}."
        ),
        Evidence::WarpgroupNotFull { threads } => {
            format!(
                "A warpgroup is four whole warps, 128 consecutive threads; the block has {threads} threads."
            )
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
        _ => return None,
    })
}

/// The lanes of a warp that take part in an operation, and those that should.
fn lanes(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::NamedButAbsent { operation, named, here, absent } => format!(
            "{} names {}, but only {} {}; {} {} elsewhere.",
            operation.name(),
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
            let lanes = capitalised(&lane_list(*lanes));
            format!("{lanes} {call} {} but {do_not} in the mask that is passed.", operation.name())
        }
        Evidence::ReadsAbsent { operation, lanes, named: false } => format!(
            "{} reads from {}, outside the lanes that take part: what it reads is undefined.",
            operation.name(),
            lane_list(*lanes)
        ),
        Evidence::ReadsAbsent { operation, lanes, named: true } => format!(
            "{} reads from {}, which the mask names but which {} not take part: what it reads is undefined.",
            operation.name(),
            lane_list(*lanes),
            if lanes.count_ones() == 1 { "does" } else { "do" }
        ),
        Evidence::WarpIsShort { threads } => {
            let missing = u32::MAX.checked_shl(*threads).unwrap_or(0);
            let do_not = if missing.count_ones() == 1 { "does not" } else { "do not" };
            let threads = plural((*threads).into(), "thread", "threads");
            format!("This warp has only {threads}, so {} {do_not} exist.", lane_list(missing))
        }
        _ => return None,
    })
}

/// Addresses and calls in kernels.
fn address(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::ReadMoved { lines, also } => {
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            let also: Vec<String> = also.iter().map(|name| format!("`{name}`")).collect();
            let which = match lines.len() {
                0 => Some("The compiler has moved this read to a line that does not make it itself.".into()),
                1 => None,
                _ => Some(format!(
                    "The compiler has moved this read: which of lines {} it belongs to is not known.",
                    listed(&lines)
                )),
            };
            let others = (!also.is_empty()).then(|| {
                format!(
                    "At the place to which the compiler has moved it, memory outside {} is read, too.",
                    listed(&also)
                )
            });
            which.into_iter().chain(others).collect::<Vec<_>>().join(" ")
        }
        Evidence::AddressFrom { line, kind } => {
            let what = match kind {
                FindingKind::DivergentBarrier => {
                    "from shared memory, after a barrier that not all threads reached"
                }
                FindingKind::WarpMask => "from other lanes, in an operation with the wrong mask",
                FindingKind::CopyInFlight => "while the copy is still in progress",
                FindingKind::Uninitialised => "where nothing was written",
                FindingKind::UseAfterFree => "after the memory was freed",
                FindingKind::HostPointer => "from memory of the host",
                FindingKind::OutOfBounds | FindingKind::SharedOutOfBounds | FindingKind::LocalOutOfBounds => {
                    "outside the array"
                }
                _ => "in a race",
            };
            let code = kind.code();
            format!("The address is computed from what line {line} reads {what} ({code}): fix that first.")
        }
        Evidence::FirstMatters { line, used } => {
            format!("The value first matters in line {line}: {}.", use_of(used))
        }
        Evidence::WrappedIndex(index) => format!(
            "The index is {index}, wrapped round to {}: it is unsigned, and unsigned numbers don't go below zero.",
            (1i64 << 32).wrapping_add(*index)
        ),
        Evidence::OwnedBy { buffer, owner, from_pool, runs_on } => {
            let whose = if *from_pool { "comes from a memory pool of" } else { "is memory of" };
            format!("`{buffer}` {whose} device {owner}; the kernel runs on device {runs_on}.")
        }
        Evidence::NoFunction { address } => {
            format!("The call goes through a pointer ({address:#x}) that points to no function.")
        }
        Evidence::HostAddressOf { function } => format!(
            "The call goes to `{}`, whose address was taken by host code: take it in device code.",
            source_name(function)
        ),
        Evidence::CallDepth { calls, bytes, limit } => format!(
            "{calls} calls were in progress. Their variables and return addresses take {bytes} bytes or more, but a \
             thread's stack has {limit}."
        ),
        Evidence::Assertion(condition) => format!("assert({condition})"),
        Evidence::FormatValues { wanted, given } => format!(
            "The format asks for {}, and {given} {} passed: what would be printed instead is not defined.",
            plural(*wanted as u64, "value", "values"),
            if *given == 1 { "was" } else { "were" }
        ),
        _ => return None,
    })
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
    match texts.len() {
        0 => "no lane".into(),
        1..=MAX_RUNS => format!("{word} {}", listed(&texts)),
        _ => format!("{} lanes ({mask:#010x})", mask.count_ones()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
