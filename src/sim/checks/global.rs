//! Clashes in global memory: lanes of one warp store different values to the same bytes with one
//! instruction, and nothing says whose value stays (CUDA programming guide, "SIMT Architecture").
//!
//! What it does not see: races between instructions, warps or blocks.

use crate::sim::code::Code as Program;
use crate::sim::counts::Counts;
use crate::sim::engine::findings::{FindingLog, Side, ThreadId, Whereabouts};
use crate::sim::engine::observer::{Event, Observer, Place};
use crate::sim::finding::{AccessKind, Code};
use crate::sim::lanes::LANES;
use crate::sim::memory::shape::Shape;

#[derive(Debug, Default)]
pub struct GlobalClash;

impl Observer for GlobalClash {
    fn begin(&mut self, _: usize, _: u64, _: u32) {}

    #[inline(always)]
    fn access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        if event.clash && event.place == Place::Global && !event.watching {
            report(event, shape, findings);
        }
    }

    fn barrier(&mut self) {}
    fn warp_sync(&mut self, _: u32) {}
    fn fence(&mut self, _: u32, _: u32) {}
    fn end(&mut self) {}
    fn report(&self, _: &Program, _: &mut Counts) {}
}

/// Names the first two lanes that meet.
#[inline(never)]
fn report(event: &Event, shape: &Shape, findings: &mut FindingLog) {
    let active = || (0..LANES).filter(|lane| event.mask >> lane & 1 != 0);
    let meets =
        |a: usize, b: usize| (shape.offsets[a] as i64).abs_diff(shape.offsets[b] as i64) < event.width as u64;
    let pair = active().find_map(|a| active().find(|&b| b > a && meets(a, b)).map(|b| (a, b)));
    let Some((first, second)) = pair else { return };
    let side = |lane: usize| Side {
        pc: event.pc,
        thread: ThreadId { block: findings.block, thread: event.warp * LANES as u32 + lane as u32 },
        kind: AccessKind::Write,
        bytes: event.width,
        place: Whereabouts::Device(event.first.wrapping_add(shape.offsets[lane])),
    };
    findings.add(Code::GlobalRace, side(first), Some(side(second)), Vec::new);
}
