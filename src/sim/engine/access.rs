//! Loads, stores and atomics of a warp.
//!
//! The fast path performs a warp's access as a whole: the shape is recognised, one range check covers all lanes,
//! and runs of lanes are copied together. Whatever does not fit (a fault, a misaligned lane, lanes in several
//! buffers) is repeated lane by lane, and the faulting lane is reported.

use super::cluster;
use super::endless_loop;
use super::fault::{self, Attempt, Fault, kind_of, look_up, poison};
use super::findings::{FindingLog, Side, SideAddress};
use super::interleaving::Interleaving;
use super::issue::Issue;
use super::launch::LaunchContext;
use super::note::{Saving, all_written, note_touch, note_write};
use super::observer::{Event, MemorySpace, NO_BUFFER, Observer};
use super::spin;
use super::step_budget;
use super::transfer::{kept, transfer};
use super::undefined;
use super::unwritten::{self, is_unset, missing};
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::Inst;
use crate::finding::FindingKind;
use crate::lanes::lanes_of;
use crate::memory::access::{Action, MemoryOp, Order, Space};
use crate::memory::bytes::ByteSet;
use crate::memory::global::{Buffer, Owner, Saved};
use crate::memory::shape::Shape;
use crate::memory::touch::Touched;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

/// Runs one memory instruction. Returns whether the block's turn may end with it (interleaved order only). `WIDE`: it is
/// part of code for a processor with more features, so that the access is compiled again there.
#[inline(always)]
pub fn execute<O: Observer, const WIDE: bool>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    inst: &Inst,
) -> bool {
    let active = warp.registers.mask();
    let mask = inst.guard.lanes(&warp.registers, active);
    if mask == 0 {
        return false;
    }
    if mask != active {
        warp.registers.set_mask(mask);
    }
    let index = inst.detail as usize;
    let done = match WIDE {
        true => warp_access(worker, cta, warp, (pc, index), mask, false),
        false => Issue { worker, cta, warp, pc }.access(index, mask, false),
    };
    if done.is_err() {
        Issue { worker, cta, warp, pc }.lane_by_lane(index, mask);
    }
    let op = &worker.launch.code.details.memory[index];
    let mut ends = false;
    if op.order != Order::Weak {
        ends = worker.turns.as_mut().is_some_and(Interleaving::ends);
        warp.spun = true;
        worker.progress += spin::observe(warp, pc, op, mask, cta.steps.done) as u64;
        if worker.patient && warp.watch.repeats() {
            endless_loop::compare(worker, warp, pc);
        }
    } else if worker.turns.is_some() && matches!(op.action, Action::Load) && may_change(worker, index) {
        // Another block may write between a block's read and its use of the value.
        ends = worker.turns.as_mut().is_some_and(Interleaving::ends);
    }
    if mask != active {
        warp.registers.set_mask(active);
    }
    ends
}

/// Returns whether kernels may write to the buffer that a memory instruction last accessed.
fn may_change(worker: &WorkerState, index: usize) -> bool {
    let buffer =
        worker.accesses.recent.get(index).and_then(|&n| worker.launch.memory.buffers.get(n as usize));
    buffer.is_some_and(|buffer| !buffer.read_only)
}

impl<O: Observer> Issue<'_, '_, O> {
    /// Runs a memory instruction, which is part of another, for the lanes of `mask`, the active ones.
    pub fn access_lanes(&mut self, index: u32, mask: u32) {
        let index = index as usize;
        if self.access(index, mask, false).is_err() {
            self.lane_by_lane(index, mask);
        }
    }

    /// Runs a memory instruction for one lane, the only active one. Returns false if the access faulted.
    pub fn access_lane(&mut self, index: u32, lane: usize) -> bool {
        let index = index as usize;
        match self.access(index, 1 << lane, false) {
            Ok(()) => true,
            Err(Fault(code)) => {
                let attempt = Attempt::new(self.launch(), self.warp, index, 1 << lane);
                self.report_fault(&attempt, lane, code);
                step_budget::charge_lanes(self.worker, self.cta, 1);
                false
            }
        }
    }

    /// [`warp_access`], out of line.
    #[inline(never)]
    fn access(&mut self, index: usize, mask: u32, continued: bool) -> Result<(), Fault> {
        warp_access(self.worker, self.cta, self.warp, (self.pc, index), mask, continued)
    }

    #[inline(never)]
    fn lane_by_lane(&mut self, index: usize, mask: u32) {
        let attempt = Attempt::new(self.launch(), self.warp, index, mask);
        let mut continued = false;
        let mut faults = 0;
        for lane in lanes_of(mask) {
            self.warp.registers.set_mask(1 << lane);
            match self.access(index, 1 << lane, continued) {
                Ok(()) => continued = true,
                Err(Fault(code)) => {
                    self.report_fault(&attempt, lane, code);
                    poison(attempt.op, self.warp);
                    faults += 1;
                }
            }
        }
        if faults > 0 || self.worker.findings.tracks_undefined {
            step_budget::charge_lanes(self.worker, self.cta, mask.count_ones());
        }
        self.warp.registers.set_mask(mask);
    }

    /// Reads the byte at a generic address for one lane, for strings and argument buffers of built-ins. Returns
    /// `None` if there is none.
    pub fn read_byte(&self, lane: usize, address: u64) -> Option<u8> {
        let (space, at) = resolve(Space::Generic, address);
        let of_word = |word: u32| (word >> (at % 4 * 8)) as u8;
        match space {
            Space::Shared => (at < self.cta.shared_bytes).then(|| of_word(self.cta.shared[at as usize / 4])),
            Space::Local => self.warp.local.byte(lane, at),
            Space::Param => {
                let word = self.launch().param_words.get(at as usize / 4)?;
                Some(of_word(word.load(Relaxed)))
            }
            _ => {
                let memory = self.launch().memory;
                let buffer = &memory.buffers[memory.find(at)?];
                let offset = at - buffer.base;
                let word = buffer.words.get(offset as usize / 4)?.load(Relaxed);
                Some((word >> (offset % 4 * 8)) as u8)
            }
        }
    }
}

/// Returns the space that a generic address lies in, and the address within that space.
#[inline(always)]
pub fn resolve(space: Space, address: u64) -> (Space, u64) {
    match space {
        Space::Generic => {
            for (window, space) in
                [(SHARED_WINDOW, Space::Shared), (LOCAL_WINDOW, Space::Local), (PARAM_WINDOW, Space::Param)]
            {
                if address.wrapping_sub(window) < WINDOW_BYTES {
                    return (space, address - window);
                }
            }
            (Space::Global, address)
        }
        Space::Const => (Space::Global, address),
        Space::Cluster => (Space::Shared, address),
        named => (named, address),
    }
}

/// Returns the sum of a base and an offset. In a space whose addresses may have 32 bits, the sum wraps around if
/// the base has 32 bits, so that elements of an array can be addressed from below it.
#[inline(always)]
fn wrapped(space: Space, base: u64, sum: u64) -> u64 {
    const NARROW: u64 = u32::MAX as u64;
    match space {
        Space::Shared | Space::Local | Space::Cluster if base <= NARROW && sum > NARROW => sum & NARROW,
        _ => sum,
    }
}

/// A warp's access by one instruction: what its lanes address.
struct WarpAccess<'a> {
    op: &'a MemoryOp,
    mask: u32,
    /// Whether every lane's address is a multiple of the access's width.
    aligned: bool,
    /// Address of the first active lane within the space; that of the lowest byte accessed, and of the byte after the
    /// highest.
    first: u64,
    lowest: u64,
    highest: u64,
}

/// Performs the access of all lanes in `mask` at once.
///
/// # Errors
///
/// The fault of one of the lanes; nothing is done then.
#[inline(always)]
fn warp_access<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    (pc, index): (u32, usize),
    mask: u32,
    continued: bool,
) -> Result<(), Fault> {
    let (launch, saving) = (worker.launch, worker.saving());
    let op = &launch.code.details.memory[index];
    let width = op.width();
    let (shapes, again) = worker.accesses.shape_of[index];
    let again = again && worker.accesses.whole;
    let (shape, base) =
        worker.accesses.shapes[shapes as usize].take(warp.registers.r64(op.base), mask, again);
    let first = wrapped(op.space, base, base.wrapping_add(op.offset as u64));
    let (space, first) = resolve(op.space, first);
    if !shape.compact {
        return Err(Fault(FindingKind::OutOfBounds));
    }
    let mut access = WarpAccess {
        op,
        mask,
        aligned: first & (width as u64 - 1) == 0 && shape.alignment >= width,
        first,
        lowest: first.wrapping_add(shape.low as u64),
        highest: first.wrapping_add(shape.high as u64).wrapping_add(width as u64),
    };
    let mut event = Event {
        pc,
        warp: warp.index,
        mask,
        kind: kind_of(&op.action),
        place: MemorySpace::Global,
        first,
        width,
        clash: false,
        strong: op.order == Order::Strong,
        watching: op.order != Order::Weak,
        continued,
        role: op.role,
        buffer: NO_BUFFER,
        base: 0,
        host: false,
        kept: 0,
        overwriting: 0,
    };
    match space {
        Space::Shared => {
            if !access.is_within(cta.shared_bytes) {
                let WarpAccess { lowest, highest, .. } = access;
                if !cluster::names_own(cta, op.space, lowest) {
                    return cluster::access(worker, cta, warp, (index, first, lowest, highest), event);
                }
                (access.first, access.lowest, access.highest) = cluster::strip_block(first, lowest, highest);
                event.first = access.first;
            }
            // Bytes next to a variable belong to another one.
            let variable = launch.intended_shared.get(index).copied().flatten();
            let findings = worker.checks.then_some(&mut worker.findings);
            let is_outside = |(start, end)| access.lowest < start || access.highest > end;
            if !access.is_within(cta.shared_bytes) || variable.is_some_and(is_outside) {
                return Err(Fault(FindingKind::SharedOutOfBounds));
            }
            in_shared(cta, warp, &access, shape, &mut event, findings)?;
        }
        Space::Local => {
            if !access.is_within(warp.group.activation.local_end) {
                return Err(Fault(fault::past_frame(worker, warp, pc, access.lowest)));
            }
            if !access.aligned {
                return Err(Fault(FindingKind::Misaligned));
            }
            event.place = MemorySpace::Local;
            let unwritten = super::local_access::transfer(op, shape, first, mask, warp);
            let stores = matches!(op.action, Action::Store);
            let follows = stores && (warp.undefined.any || !warp.undefined.local.is_empty());
            if worker.checks && (unwritten != 0 || follows) {
                worker.findings.tracks_undefined = true;
                let place = (first, &shape.offsets.clone());
                unwritten::follow_local(worker, cta.index, (pc, op), place, (mask, unwritten), warp);
                let shape = worker.accesses.shapes[shapes as usize].taken();
                cta.observer.memory_access(&event, shape, &mut worker.findings);
                return Ok(());
            }
        }
        Space::Param => {
            if !access.is_within(launch.param_words.len() as u64 * 4) {
                return Err(Fault(FindingKind::OutOfBounds));
            }
            if !access.aligned {
                return Err(Fault(FindingKind::Misaligned));
            }
            if !matches!(op.action, Action::Load) {
                return Err(Fault(FindingKind::ReadOnly));
            }
            transfer(&launch.param_words[..], op, shape, first, mask, warp);
            event.place = MemorySpace::Constant;
        }
        _ => {
            let n = buffer_of(launch, &mut worker.accesses.recent[index], &access)?;
            if !access.aligned {
                return Err(Fault(FindingKind::Misaligned));
            }
            if worker.checks && launch.heap.buffer == Some(n) {
                launch.heap.check(first, &shape.offsets, width, mask)?;
            }
            let buffer = &launch.memory.buffers[n];
            if !buffer.read_only {
                (event.buffer, event.base) = (n as u32, buffer.base);
            }
            let mut access = BufferAccess {
                access: &access,
                buffer,
                offset: first - buffer.base,
                shape,
                touched: &mut worker.log.buffers[n],
                findings: &mut worker.findings,
                block: cta.index,
            };
            if worker.noted.include(buffer, op) {
                note_touch(access.touched, buffer, op, access.shape, access.offset, mask);
            }
            let unwritten =
                if worker.checks { access.unwritten(warp, &event)? } else { Unwritten::default() };
            let is_new = access.note_store(&launch.saved[n], saving)?;
            access.perform::<O>(warp, unwritten, is_new, &mut event);
        }
    }
    cta.observer.memory_access(&event, shape, &mut worker.findings);
    if worker.findings.tracks_undefined {
        let offsets = shape.offsets;
        step_budget::charge(worker, cta, step_budget::ALERT_STEPS);
        unwritten::follow(worker, cta, warp, index, &event, &offsets);
    }
    Ok(())
}

impl WarpAccess<'_> {
    /// Returns whether it is within the first `bytes` bytes of its space.
    #[inline(always)]
    fn is_within(&self, bytes: u64) -> bool {
        self.lowest <= self.highest && self.highest <= bytes
    }
}

/// Performs an access to the block's own shared memory, within its bounds. `findings`: if it is to be checked.
#[inline(always)]
fn in_shared<O: Observer>(
    cta: &mut Cta<O>,
    warp: &mut Warp,
    access: &WarpAccess,
    shape: &mut Shape,
    event: &mut Event,
    findings: Option<&mut FindingLog>,
) -> Result<(), Fault> {
    let &WarpAccess { op, mask, first, .. } = access;
    if !access.aligned {
        return Err(Fault(FindingKind::Misaligned));
    }
    if O::VALUES && matches!(op.action, Action::Store) {
        event.kept = kept(&cta.shared.as_mut_slice(), op, shape, first, mask, warp);
    }
    if let (Action::Atomic { .. }, Some(findings)) = (op.action, findings) {
        unwritten::before_shared_atomic(findings, cta, warp, op, event, &shape.offsets);
    }
    event.clash = transfer(cta.shared.as_mut_slice(), op, shape, first, mask, warp);
    event.place = MemorySpace::Shared;
    (event.buffer, event.base) = cta.name;
    Ok(())
}

/// Returns the number of the buffer that holds all bytes of an access. `recent`: that of the instruction's last access.
#[inline(always)]
fn buffer_of(launch: &LaunchContext, recent: &mut u32, access: &WarpAccess) -> Result<usize, Fault> {
    let &WarpAccess { lowest, highest, .. } = access;
    let inside = |b: &Buffer| lowest >= b.base && highest <= b.base + b.bytes && lowest < highest && !b.freed;
    if !launch.memory.buffers.get(*recent as usize).is_some_and(inside) {
        *recent = look_up(launch, lowest, highest)? as u32;
    }
    Ok(*recent as usize)
}

/// An access to a buffer in global or constant memory, by a warp of this block.
struct BufferAccess<'a, 's> {
    access: &'a WarpAccess<'a>,
    buffer: &'a Buffer,
    /// Offset of the first active lane's bytes.
    offset: u64,
    shape: &'s mut Shape,
    touched: &'s mut Touched,
    findings: &'s mut FindingLog,
    block: u64,
}

/// What an access reads that nobody wrote.
#[derive(Clone, Copy, Default)]
struct Unwritten {
    /// It is an atomic whose result depends on it, and so is undefined.
    open: bool,
    /// The bytes, one bit each, of the value that a single lane reads otherwise.
    lacks: u64,
}

impl BufferAccess<'_, '_> {
    /// Finds out whether bytes are read that nobody wrote.
    ///
    /// # Errors
    ///
    /// A fault if several lanes access them: they have to be looked at one by one.
    #[inline(always)]
    fn unwritten(&mut self, warp: &Warp, event: &Event) -> Result<Unwritten, Fault> {
        let &WarpAccess { op, mask, .. } = self.access;
        let (written, offset, width) = (self.buffer.written.as_ref(), self.offset, event.width);
        let mut found = Unwritten::default();
        if self.touched.presumed_written {
            self.findings.polls_unset = false;
            return Ok(found);
        }
        if op.role.polls {
            self.findings.polls_unset =
                written.is_some_and(|before| !before.contains(offset, u64::from(width)));
        }
        let all = matches!(op.action, Action::Store)
            || written.is_none_or(|w| all_written(w, self.touched, self.shape, offset, mask))
                && !(self.touched.unset.is_some()
                    && is_unset(self.touched, &self.shape.offsets, offset, width, mask));
        if all {
            return Ok(found);
        }
        if mask.count_ones() > 1 {
            return Err(Fault(FindingKind::Uninitialised));
        }
        // An atomic exchange, too, may read bytes that nobody wrote and not use the value.
        if matches!(op.action, Action::Load) || !unwritten::depends_on_old_value(op, warp, mask) {
            found.lacks = missing(written, self.touched, offset, width as u64);
        } else {
            self.findings.add(FindingKind::Uninitialised, whose(event, self.block), None, Vec::new);
            found.open = true;
        }
        Ok(found)
    }

    /// Notes the range that is read, and what is stored. Returns whether nothing was written near it before the launch, nor
    /// there during it.
    #[inline(always)]
    fn note_store(&mut self, saved: &OnceLock<Saved>, saving: Saving) -> Result<bool, Fault> {
        let &WarpAccess { op, mask, lowest, highest, .. } = self.access;
        let (low, high) = (lowest - self.buffer.base, highest - self.buffer.base);
        if !self.buffer.read_only && !matches!(op.action, Action::Store) {
            self.touched.read_first = self.touched.read_first.min(low);
            self.touched.read_end = self.touched.read_end.max(high);
        }
        if matches!(op.action, Action::Load) {
            return Ok(false);
        }
        if self.buffer.read_only {
            return Err(Fault(FindingKind::ReadOnly));
        }
        let noted = note_write(self.touched, (self.buffer, saved, saving), self.shape, self.offset, mask);
        let is_far = |before: &ByteSet| before.is_far_from(low, high - low);
        Ok(noted == Some(false) && self.buffer.written.as_ref().is_some_and(is_far))
    }

    /// Moves the data. `is_new`: nothing was ever written there, so that no store keeps a value, and pages that are read
    /// before they are written cost twice.
    #[inline(always)]
    fn perform<O: Observer>(
        &mut self,
        warp: &mut Warp,
        unwritten: Unwritten,
        is_new: bool,
        event: &mut Event,
    ) {
        let &WarpAccess { op, mask, .. } = self.access;
        let BufferAccess { buffer, offset, ref mut shape, .. } = *self;
        let Unwritten { open, lacks } = unwritten;
        let width = event.width;
        event.host = buffer.owner == Owner::Pinned;
        if O::VALUES && !is_new && matches!(op.action, Action::Store) {
            event.kept = kept(&&buffer.words[..], op, shape, offset, mask, warp);
        }
        // The result of an undefined value is undefined too: the memory stays as it is.
        if !open {
            event.clash = transfer(&buffer.words[..], op, shape, offset, mask, warp);
        }
        if let Action::Atomic { .. } = op.action
            && (open || self.touched.unset.is_some())
        {
            let size = buffer.words.len() as u64 * 4;
            let by = whose(event, self.block);
            unwritten::after_atomic(self.touched, size, (offset, &shape.offsets), (mask, width), open, by);
            self.findings.tracks_undefined |= open;
        }
        if open {
            poison(op, warp);
        }
        if lacks != 0 {
            self.findings.tracks_undefined = true;
            self.touched.undefined_reads += 1;
            let at = offset + u64::from(lacks.trailing_zeros());
            let known = self.touched.unset.as_ref().and_then(|unset| unset.read(at));
            let read = known.unwrap_or_else(|| whose(event, self.block));
            let lane = (mask.trailing_zeros() % 32) as usize;
            let held = unwritten::held(buffer.stored.as_ref(), self.touched, offset, width as u64);
            undefined::loaded(warp, op, lane, lacks, read, lacks & !held);
        }
        if buffer.constant {
            event.place = MemorySpace::Constant;
        }
    }
}

/// Returns the side of a finding for an access to global memory by one lane.
fn whose(event: &Event, block: u64) -> Side {
    unwritten::side(event, block, event.mask.trailing_zeros() as usize, SideAddress::Device(event.first))
}
