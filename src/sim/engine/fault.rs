//! Refused accesses: which buffer an address refers to, and what is reported where it refers to none.

use super::access::resolve;
use super::cluster;
use super::findings::SideAddress;
use super::issue::Issue;
use super::launch::LaunchContext;
use super::warp::Warp;
use super::worker::WorkerState;
use crate::checks::origin::Origins;
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{File, LANES, Lanes64};
use crate::launch::Dim3;
use crate::memory::access::{Action, MemoryOp, SINK, Space};
use crate::memory::global::{Owner, POISON_DOUBLE, POISON_WORD};
use crate::memory::{NULL_PAGE_BYTES, is_host_pageable};

/// Why an access is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub FindingKind);

pub fn kind_of(action: &Action) -> AccessKind {
    match action {
        Action::Load => AccessKind::Read,
        Action::Store => AccessKind::Write,
        Action::Atomic { .. } => AccessKind::Atomic,
    }
}

/// Returns the number of the buffer that holds bytes `lowest..highest`, if the kernel may access it.
///
/// # Errors
/// Returns the finding that the access is, if the kernel may not make it.
#[inline(never)]
pub fn look_up(launch: &LaunchContext, lowest: u64, highest: u64) -> Result<usize, Fault> {
    if lowest < NULL_PAGE_BYTES {
        return Err(Fault(FindingKind::NullPointer));
    }
    // Page-locked memory is a buffer whatever its address.
    if is_host_pageable(lowest) && launch.memory.find(lowest).is_none() {
        return Err(Fault(FindingKind::HostPointer));
    }
    let n = launch.memory.nearest(lowest).ok_or(Fault(FindingKind::OutOfBounds))?;
    let buffer = &launch.memory.buffers[n];
    if lowest >= highest || highest > buffer.base + buffer.bytes {
        return Err(Fault(FindingKind::OutOfBounds));
    }
    if buffer.freed {
        return Err(Fault(FindingKind::UseAfterFree));
    }
    if !launch.gpu.may_use(buffer.owner) {
        return Err(Fault(FindingKind::OtherDevice));
    }
    Ok(n)
}

/// Returns what is wrong with an access to local memory past the frame of the running function: it is to the frame
/// of a function that has returned, unless the address is derived from an array of the running function.
#[inline(never)]
pub fn past_frame(worker: &mut WorkerState, warp: &Warp, pc: u32, lowest: u64) -> FindingKind {
    if lowest >= warp.local_used {
        return FindingKind::LocalOutOfBounds;
    }
    let launch = worker.launch;
    let own = worker.own_locals.entry(pc);
    let own = own.or_insert_with(|| Origins::new(launch.code, launch.kernel).is_own_local(pc));
    if *own { FindingKind::LocalOutOfBounds } else { FindingKind::DeadLocal }
}

/// Writes the result of a refused load: a poison value that no sum survives, so that a result which needs it is
/// wrong.
pub fn poison(op: &MemoryOp, warp: &mut Warp) {
    if let Action::Store = op.action {
        return;
    }
    for &register in &op.registers[..op.elements as usize] {
        match (register, op.file) {
            (SINK, _) => {}
            (r, File::R64) => {
                // A word that is extended, as an `int` that becomes an index, stays one.
                let value = match (op.element_bytes, op.signed) {
                    (4, true) => POISON_WORD as i32 as u64,
                    (4, false) => POISON_WORD.into(),
                    _ => POISON_DOUBLE,
                };
                warp.registers.set64(r, &[value; LANES]);
            }
            (r, _) => warp.registers.set32(r, &[POISON_WORD; LANES]),
        }
    }
}

/// A warp's access by one instruction, with the addresses as they were before any lane's access was performed.
pub struct Attempt<'a> {
    pub op: &'a MemoryOp,
    bases: Lanes64,
    mask: u32,
    block: Dim3,
}

impl<'a> Attempt<'a> {
    pub fn new(launch: &'a LaunchContext, warp: &Warp, index: usize, mask: u32) -> Attempt<'a> {
        let op = &launch.code.details.memory[index];
        Attempt { op, bases: *warp.registers.r64(op.base), mask, block: launch.extents.block }
    }

    /// Returns all lanes' addresses relative to that of one lane, as evidence.
    fn seen_from(&self, lane: usize) -> Evidence {
        let base = self.bases[lane];
        let takes_part = |other: usize| self.mask >> other & 1 != 0;
        let distance = |other: usize| takes_part(other).then(|| self.bases[other].wrapping_sub(base) as i64);
        let from_side = (0..LANES).map(distance).collect();
        Evidence::LanesAccess { lane: lane as u32, block: self.block, from_side }
    }
}

/// A refused access.
#[derive(Clone, Copy)]
pub struct RefusedAccess<'a> {
    pub lane: usize,
    pub kind: AccessKind,
    pub bytes: u32,
    /// The space its address refers to, and the address within that space.
    pub space: Space,
    pub offset: u64,
    /// The warp's access that it is part of.
    pub attempt: Option<&'a Attempt<'a>>,
}

impl<O> Issue<'_, '_, O> {
    /// Reports that a lane's access by a memory instruction is refused.
    pub fn report_fault(&mut self, attempt: &Attempt, lane: usize, code: FindingKind) {
        let op = attempt.op;
        let (space, offset) = resolve(op.space, attempt.bases[lane].wrapping_add(op.offset as u64));
        let (kind, bytes) = (kind_of(&op.action), op.width());
        self.report_refused(RefusedAccess { lane, kind, bytes, space, offset, attempt: Some(attempt) }, code);
    }

    /// Reports a refused access.
    pub fn report_refused(&mut self, stray: RefusedAccess, code: FindingKind) {
        let RefusedAccess { lane, kind, bytes, space, offset, attempt } = stray;
        let launch = self.launch();
        // The index is what a refused load left, which was reported.
        if code == FindingKind::OutOfBounds
            && self.worker.findings.has_stray_before(self.pc)
            && launch.memory.is_poisoned(offset)
        {
            return;
        }
        let place = match space {
            Space::Shared => SideAddress::Shared(cluster::within(launch, offset)),
            Space::Local => SideAddress::Local { offset, bytes: self.warp.group.activation.local_end },
            _ => launch.heap.describe(launch.memory, offset).unwrap_or(SideAddress::Device(offset)),
        };
        let side = self.access_side(lane, kind, bytes, place);
        self.worker.findings.add(code, side, None, || {
            let known = match code {
                FindingKind::OtherDevice => other_device(launch, offset),
                FindingKind::ClusterLifetime => Some(Evidence::BlockMayEnd),
                FindingKind::SharedOutOfBounds => cluster::no_such_block(launch, offset),
                _ => None,
            };
            let outside = matches!(code, FindingKind::OutOfBounds | FindingKind::SharedOutOfBounds);
            let lanes = attempt.filter(|_| outside).map(|attempt| attempt.seen_from(lane));
            known.into_iter().chain(lanes)
        });
    }
}

/// Returns which GPU owns memory that the kernel has no access to.
fn other_device(launch: &LaunchContext, address: u64) -> Option<Evidence> {
    let buffer = &launch.memory.buffers[launch.memory.find_any(address)?];
    let from_pool = matches!(buffer.owner, Owner::Pool { .. });
    let (buffer, owner) = (buffer.name.clone(), buffer.owner.device()?);
    Some(Evidence::OwnedBy { buffer, owner, from_pool, runs_on: launch.gpu.device })
}
