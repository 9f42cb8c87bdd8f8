//! What of a finding is drawn: facts that are known of it, in the learner's terms.

use super::defect::{same_file, who};
use super::sides::{AccessView, BufferView};
use crate::about::About;
use picture::{AtBarrier, Drawing, LaneElement, Outside, Ways, Written};
use sim::{Actor, Advice, Evidence, Finding, Observation, Stand};

/// Columns of the lines of a finding's picture.
const COLUMNS: usize = 76;

/// Of a defect; `at` is its side as it is shown.
pub fn of_defect(finding: &Finding, at: &AccessView, about: &About) -> Option<Drawing> {
    let by_threads = finding.at.actor == Actor::Thread;
    let buffer = at.buffer.as_ref().filter(|_| by_threads);
    let of_memory = |known: &Evidence| match known {
        Evidence::LanesAccess { lane, from_side } => {
            outside(finding, (*lane, from_side), buffer?, about).map(Drawing::Outside)
        }
        Evidence::WrittenAround { offset_bytes, written } => {
            let by = who(finding.at.thread, finding.at.block, about);
            around(*offset_bytes, written, buffer?, by).map(Drawing::Written)
        }
        _ => None,
    };
    finding.evidence.iter().find_map(of_memory).or_else(|| at_barrier(finding, about).map(Drawing::AtBarrier))
}

/// Of a piece of advice.
pub fn of_advice(advice: &Advice) -> Option<Drawing> {
    let Observation::Divergence { ways, .. } = &advice.observation else { return None };
    let line = advice.at.location.as_ref().map_or(0, |at| at.line);
    Some(Drawing::Ways(Ways { line, ways: ways.map(|way| (way.lanes, way.line)) }))
}

/// The picture as lines of plain text.
pub fn lines(drawing: &Drawing) -> Vec<String> {
    drawing.scene(COLUMNS).lines(&|_, text| text.to_owned())
}

/// The lanes of the warp beside the end of the buffer; `None` where places are not elements, or nobody is outside.
fn outside(
    finding: &Finding,
    (lane, from_side): (u32, &[Option<i64>]),
    buffer: &BufferView,
    about: &About,
) -> Option<Outside> {
    let size = i64::from(buffer.element_bytes);
    let first = buffer.index?;
    let bytes = i64::from(finding.at.bytes);
    if size == 0 || bytes % size != 0 {
        return None;
    }
    let thread = finding.at.thread;
    let by_thread = about.thread_dims == 1 && thread.y == 0 && thread.z == 0;
    let number = |other: u32| if by_thread { (thread.x + other).checked_sub(lane) } else { Some(other) };
    let element = |other: u32, distance: i64| {
        let whole = distance % size == 0;
        Some(LaneElement { number: number(other)?, element: whole.then_some(first + distance / size)? })
    };
    let others = (0u32..).zip(from_side).filter(|(other, _)| *other != lane);
    let others = others.filter_map(|(other, distance)| Some((other, (*distance)?)));
    let lanes: Option<Vec<LaneElement>> =
        std::iter::once((lane, 0)).chain(others).map(|(other, distance)| element(other, distance)).collect();
    Some(Outside {
        buffer: buffer.name.clone(),
        elements: buffer.size_bytes / u64::from(buffer.element_bytes),
        by_thread,
        lanes: lanes?,
        each: (bytes / size) as u32,
    })
}

/// What of the buffer was written, where an element is what a thread reads.
fn around(offset_bytes: u64, written: &[bool], buffer: &BufferView, by: String) -> Option<Written> {
    let read = u64::try_from(buffer.index?).ok()?;
    let first = offset_bytes / u64::from(buffer.element_bytes);
    let known = first..first + written.len() as u64;
    (known.contains(&read) && written.len() > 1).then(|| Written {
        buffer: buffer.name.clone(),
        first,
        written: written.to_vec(),
        read,
        by,
    })
}

/// Where the threads of the block are; lines of other files are not named.
fn at_barrier(finding: &Finding, about: &About) -> Option<AtBarrier> {
    let own = finding.at.location.as_ref().is_some_and(|at| same_file(&at.file, about.file));
    let place = |known: &Evidence| match known {
        Evidence::Stands { place: Stand::Barrier { .. }, warps } if !own => {
            Some((Stand::Barrier { line: None }, warps.clone()))
        }
        Evidence::Stands { place, warps } => Some((*place, warps.clone())),
        _ => None,
    };
    let places: Vec<_> = finding.evidence.iter().filter_map(place).collect();
    (places.len() > 1).then_some(AtBarrier { places })
}
