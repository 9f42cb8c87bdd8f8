//! The drawings that go with findings: facts about the finding, in the learner's terms.

use super::access_words::{actor, does, thread_and_block};
use super::element::element;
use super::order::{in_order, order_is_unknown};
use super::place::{own_line, same_file, who, xyz};
use super::sides::{AccessView, BufferView};
use crate::about::About;
use picture::{
    AtBarrier, Drawing, Extent, GivenWork, LaneElement, Lifetime, Outside, Race, RaceSide, Unordered, Ways,
    Written,
};
use sim::{
    Access, AccessKind, Actor, Advice, BarrierPosition, Dim3, Evidence, Finding, FindingKind, Observation,
    Target, WrittenWhen,
};

/// Width of the lines of a finding's picture.
const COLUMNS: usize = 76;

/// Distance in bytes of two lanes' addresses from which they are in different memories, not in one buffer.
const FAR: u64 = 1 << 36;

/// Number of values of an unsigned index, which wraps round below zero.
const WRAPS: i64 = 1 << 32;

/// Returns the drawing for a defect; `at` is its side as shown.
pub fn of_defect(finding: &Finding, at: &AccessView, about: &About) -> Option<Drawing> {
    let by_threads = finding.at.actor == Actor::Thread;
    let buffer = at.buffer.as_ref().filter(|_| by_threads);
    let of_memory = |known: &Evidence| match known {
        Evidence::LanesAccess { lane, block, from_side } => {
            outside(finding, (*lane, *block), from_side, buffer?, about).map(Drawing::Outside)
        }
        Evidence::WrittenAround { offset_bytes, written, when } => {
            let by = who(finding.at.thread, finding.at.block, about);
            let at_read = *when == WrittenWhen::Read;
            let read = Written {
                by,
                line: own_line(&finding.at, about).unwrap_or(0),
                at_read,
                ..Written::default()
            };
            // What an atomic operation changes counts as written, also where it compares and leaves it as it is.
            let may_store = finding.at.kind == AccessKind::Atomic;
            around(*offset_bytes, written, may_store, buffer?, read).map(Drawing::Written)
        }
        _ => None,
    };
    let of_call = |known: &Evidence| match (known, &finding.at.actor) {
        (Evidence::Room { memory, asked_bytes, room_bytes }, Actor::Operation(operation)) => {
            Some(Drawing::Extent(Extent {
                memory: memory.to_string(),
                call: operation.function().to_string(),
                asked_bytes: *asked_bytes,
                room_bytes: *room_bytes,
            }))
        }
        _ => None,
    };
    let of_streams = || finding.evidence.iter().find_map(|known| unordered(finding, known, about));
    (finding.evidence.iter().find_map(of_memory))
        .or_else(|| finding.evidence.iter().find_map(of_call))
        .or_else(|| lifetime(finding, about).map(Drawing::Lifetime))
        .or_else(|| race(finding, about).map(Drawing::Race))
        .or_else(|| at_barrier(finding, about).map(Drawing::AtBarrier))
        .or_else(|| of_streams().map(Drawing::Unordered))
}

/// Returns the drawing for a piece of advice.
pub fn of_advice(advice: &Advice) -> Option<Drawing> {
    let Observation::Divergence { ways, .. } = &advice.observation else { return None };
    let line = advice.at.line();
    Some(Drawing::Ways(Ways { line, ways: ways.map(|way| (way.lanes, way.line)) }))
}

/// Renders a drawing as lines of plain text.
pub fn lines(drawing: &Drawing) -> Vec<String> {
    drawing.scene(COLUMNS).plain_lines()
}

/// Draws the warp's lanes near the end of the buffer; `None` if the places are not whole elements, or if all
/// lanes access the same element.
fn outside(
    finding: &Finding,
    (lane, block): (u32, Dim3),
    from_side: &[Option<i64>],
    buffer: &BufferView,
    about: &About,
) -> Option<Outside> {
    let (size, bytes) = (i64::from(buffer.element_bytes), i64::from(finding.at.bytes));
    let first = buffer.index.filter(|_| bytes % size == 0)?;
    let wrapped = finding.evidence.iter().any(|its| matches!(its, Evidence::WrappedIndex(_)));
    let at = finding.at.thread;
    let row =
        u64::from(block.x) * u64::from(at.y) + u64::from(block.x) * u64::from(block.y) * u64::from(at.z);
    let thread = |other: u32| (row + u64::from(at.x) + u64::from(other)).checked_sub(u64::from(lane));
    let element = |other: u32, distance: i64| {
        let is_near = distance % size == 0 && distance.unsigned_abs() < FAR;
        let element = is_near.then_some(first.saturating_add(distance / size))?;
        // The index of another thread has not wrapped round.
        let element = if wrapped && element < -WRAPS / 2 { element + WRAPS } else { element };
        Some(LaneElement { thread: xyz(block.at(thread(other)?)), element })
    };
    let others = (0u32..).zip(from_side).filter(|(other, _)| *other != lane);
    let others = others.filter_map(|(other, distance)| Some((other, (*distance)?)));
    let lanes: Option<Vec<LaneElement>> =
        std::iter::once((lane, 0)).chain(others).map(|(other, distance)| element(other, distance)).collect();
    let lanes = lanes.filter(|lanes| lanes.iter().any(|lane| lane.element != first))?;
    let named = finding.at.target.region().is_none_or(|region| region.is_named);
    Some(Outside {
        buffer: if named { buffer.name.clone() } else { "memory".into() },
        elements: buffer.size_bytes / u64::from(buffer.element_bytes),
        dims: about.thread_dims.max(if at.z > 0 { 3 } else { 1 + usize::from(at.y > 0) }),
        lanes,
        each: (bytes / size) as u32,
        line: own_line(&finding.at, about).unwrap_or(0),
    })
}

/// Draws which part of the buffer was written around the element that a thread reads, as described by `by`;
/// `None` if none of it was. `may_store`: whether the read may itself have written its element, or not.
fn around(
    offset_bytes: u64,
    written: &[bool],
    may_store: bool,
    buffer: &BufferView,
    by: Written,
) -> Option<Written> {
    let read = u64::try_from(buffer.index?).ok()?;
    let first = offset_bytes / u64::from(buffer.element_bytes);
    let known = first..first + written.len() as u64;
    let buffer = buffer.name.clone();
    let mut written = written.to_vec();
    if let Some(its) = written.get_mut(read.wrapping_sub(first) as usize) {
        *its &= !may_store;
    }
    // A global buffer that was never written needs no picture; for a shared array the picture says everything.
    let is_drawn = known.contains(&read) && (by.at_read || written.contains(&true));
    is_drawn.then_some(Written { buffer, first, written, read, ..by })
}

/// Draws the two sides of a race within a block, if the barriers around them are known.
fn race(finding: &Finding, about: &About) -> Option<Race> {
    let other = finding.other.as_ref().filter(|other| other.block == finding.at.block)?;
    let [(one, first), (two, then)] = in_order(finding, about)?;
    let is_race = matches!(finding.kind, FindingKind::SharedRace | FindingKind::GlobalRace);
    if !is_race || order_is_unknown(about.source, first, then) {
        return None;
    }
    let (barriers, next_pass_of) = if first > then {
        let (barriers, head) = about.source.barriers_around_pass(then, first)?;
        (barriers.map(Some), Some(head))
    } else {
        (about.source.barriers_around(first, then)?, None)
    };
    let side = |access: &Access, line| RaceSide {
        line,
        who: actor(access, about),
        lines: thread_and_block(access, about),
        does: does(access, about),
        writes: access.kind != AccessKind::Read,
    };
    let what = element(&finding.at, about).or_else(|| element(other, about))?.text;
    Some(Race { what, sides: [side(one, first), side(two, then)], barriers, next_pass_of })
}

/// Draws memory that threads use after it was freed, if the line of the free is known.
fn lifetime(finding: &Finding, about: &About) -> Option<Lifetime> {
    let (FindingKind::UseAfterFree, Actor::Thread, Some(freed)) =
        (finding.kind, &finding.at.actor, &finding.other)
    else {
        return None;
    };
    let Target::Buffer { name, .. } = &finding.at.target else { return None };
    Some(Lifetime {
        memory: name.to_string(),
        freed_line: own_line(freed, about).unwrap_or(0),
        used_by: format!("{} {}", who(finding.at.thread, finding.at.block, about), does(&finding.at, about)),
        used_line: own_line(&finding.at, about).unwrap_or(0),
    })
}

/// Draws the streams' work around two sides that nothing orders.
fn unordered(finding: &Finding, known: &Evidence, about: &About) -> Option<Unordered> {
    // What comes after a free is ordered: that is the mistake.
    if finding.kind == FindingKind::UseAfterFree {
        return None;
    }
    let (Evidence::SubmittedWork { works, sides: [earlier, later] }, Some(other)) = (known, &finding.other)
    else {
        return None;
    };
    let own = finding.at.location.as_ref().is_some_and(|at| same_file(&at.file, about.file));
    let branches = works.iter().any(|work| work.branch > Some(0));
    let column = |work: &sim::SubmittedWork| match work.branch {
        Some(branch) if branches => format!("{}: branch {} of a graph", work.stream, branch + 1),
        Some(_) => format!("{}: a graph", work.stream),
        None => work.stream.to_string(),
    };
    let work = |work: &sim::SubmittedWork| GivenWork {
        name: work.request.to_string(),
        kernel: work.request.kernel().map(str::to_owned),
        stream: column(work),
        line: work.line.filter(|_| own).unwrap_or(0),
        after: work.after,
        left_out: work.left_out,
    };
    let does = |access| does(access, about);
    let sides = [(*earlier, does(other)), (*later, does(&finding.at))];
    // A side that accesses the memory from its start names only the memory.
    let from_beginning = |access: &Access| match access.target {
        Target::Buffer { offset_bytes: 0, .. } => access.bytes == 0,
        _ => false,
    };
    let byte = (from_beginning(&finding.at) || from_beginning(other)).then_some(0);
    Some(Unordered { works: works.iter().map(work).collect(), sides, byte })
}

/// Draws where the threads of the block are. A barrier in a header is shown without its line.
fn at_barrier(finding: &Finding, about: &About) -> Option<AtBarrier> {
    let own = finding.at.location.as_ref().is_some_and(|at| same_file(&at.file, about.file));
    let barriers = if own { about.source.barriers() } else { Vec::new() };
    let place = |known: &Evidence| match known {
        Evidence::Stands { place: BarrierPosition::Barrier { line }, warps } => {
            let line = line.filter(|line| barriers.contains(line));
            Some((BarrierPosition::Barrier { line }, warps.clone()))
        }
        Evidence::Stands { place, warps } => Some((*place, warps.clone())),
        _ => None,
    };
    let places: Vec<_> = finding.evidence.iter().filter_map(place).collect();
    (places.len() > 1).then_some(AtBarrier { places })
}
