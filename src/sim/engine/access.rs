//! Loads, stores and atomics of a warp.
//!
//! The fast path performs a warp's access as a whole: the shape is recognised, one range check covers all lanes,
//! and runs of lanes are copied together. Whatever does not fit (a fault, a misaligned lane, lanes in several
//! buffers) is repeated lane by lane, and the faulting lane is reported.

use super::bank::{Bank, gather_words, get_bytes, scatter_words, set_bytes};
use super::cluster;
use super::endless_loop;
use super::fault::{self, Attempt, Fault, kind_of, look_up, poison};
use super::findings::{Side, SideAddress, ThreadId};
use super::interleaving::Interleaving;
use super::note::{all_written, note_touch, note_write};
use super::observer::{Event, MemorySpace, NO_BUFFER, Observer};
use super::spin;
use super::step_budget;
use super::undefined;
use super::unwritten::{self, is_unset, missing};
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::Inst;
use crate::finding::FindingKind;
use crate::lanes::{File, LANES, Lanes32, lanes_of};
use crate::memory::access::{Action, MemoryOp, Order, SINK, Space};
use crate::memory::global::{Buffer, Owner};
use crate::memory::shape::Shape;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use std::sync::atomic::Ordering::Relaxed;

fn extend(value: u64, bytes: u8, signed: bool) -> u64 {
    match (signed, bytes) {
        (true, 1) => value as i8 as i64 as u64,
        (true, 2) => value as i16 as i64 as u64,
        (true, 4) => value as i32 as i64 as u64,
        _ => value,
    }
}

/// Moves data between registers and a bank; `first` is the byte offset of the first active lane there. Returns
/// whether lanes stored different values to the same bytes.
#[inline(always)]
pub fn transfer<B: Bank>(
    mut bank: B,
    op: &MemoryOp,
    shape: &mut Shape,
    first: u64,
    mask: u32,
    warp: &mut Warp,
) -> bool {
    match op.action {
        Action::Load => {
            load(&bank, op, shape, first, mask, warp);
            false
        }
        Action::Store => {
            store(&mut bank, op, shape, first, mask, warp);
            shape.overlaps() && clash(&bank, op, shape, first, mask, warp)
        }
        Action::Atomic { apply, operand, comparand } => {
            let wide = op.file == File::R64;
            let read = |warp: &Warp, register: u32, lane: usize| match (register, wide) {
                (SINK, _) => 0,
                (r, false) => warp.registers.r32(r)[lane] as u64,
                (r, true) => warp.registers.r64(r)[lane],
            };
            let mut old = [0u64; LANES];
            for lane in lanes_of(mask) {
                let at = first.wrapping_add(shape.offsets[lane]);
                let bytes = op.element_bytes as u32;
                old[lane] = get_bytes(&bank, at, bytes);
                let new = apply(old[lane], read(warp, operand, lane), read(warp, comparand, lane));
                set_bytes(&mut bank, at, bytes, new);
            }
            if op.registers[0] != SINK {
                if wide {
                    warp.registers.set64(op.registers[0], &old);
                } else {
                    warp.registers.set32(op.registers[0], &old.map(|v| v as u32));
                }
            }
            false
        }
    }
}

#[inline(always)]
fn load<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &mut Warp) {
    match (op.element_bytes, op.file) {
        (4, File::R32) => {
            for k in 0..op.elements as usize {
                let words = gather_words(bank, first, k, shape, mask);
                if op.registers[k] != SINK {
                    warp.registers.set32(op.registers[k], &words);
                }
            }
        }
        (8, _) => {
            for k in 0..op.elements as usize {
                let low = gather_words(bank, first, k * 2, shape, mask);
                let high = gather_words(bank, first, k * 2 + 1, shape, mask);
                let mut out = [0u64; LANES];
                for lane in 0..LANES {
                    out[lane] = low[lane] as u64 | (high[lane] as u64) << 32;
                }
                if op.registers[k] != SINK {
                    warp.registers.set64(op.registers[k], &out);
                }
            }
        }
        _ => {
            for k in 0..op.elements as usize {
                let mut out = [0u64; LANES];
                for lane in lanes_of(mask) {
                    let at = first.wrapping_add(shape.offsets[lane]) + k as u64 * op.element_bytes as u64;
                    let value = get_bytes(bank, at, op.element_bytes as u32);
                    out[lane] = extend(value, op.element_bytes, op.signed);
                }
                if op.registers[k] == SINK {
                } else if op.file == File::R64 {
                    warp.registers.set64(op.registers[k], &out);
                } else {
                    warp.registers.set32(op.registers[k], &out.map(|v| v as u32));
                }
            }
        }
    }
}

#[inline(always)]
fn store<B: Bank>(bank: &mut B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &Warp) {
    match (op.element_bytes, op.file) {
        (4, File::R32) => {
            for k in 0..op.elements as usize {
                scatter_words(bank, first, k, shape, mask, warp.registers.r32(op.registers[k]));
            }
        }
        (8, _) => {
            for k in 0..op.elements as usize {
                let value = warp.registers.r64(op.registers[k]);
                let low: Lanes32 = value.map(|v| v as u32);
                let high: Lanes32 = value.map(|v| (v >> 32) as u32);
                scatter_words(bank, first, k * 2, shape, mask, &low);
                scatter_words(bank, first, k * 2 + 1, shape, mask, &high);
            }
        }
        _ => {
            for lane in lanes_of(mask) {
                for k in 0..op.elements as usize {
                    let at = first.wrapping_add(shape.offsets[lane]) + k as u64 * op.element_bytes as u64;
                    set_bytes(bank, at, op.element_bytes as u32, stored(op, k, lane, warp));
                }
            }
        }
    }
}

/// Returns the value that a lane stores as its `k`-th element.
fn stored(op: &MemoryOp, k: usize, lane: usize, warp: &Warp) -> u64 {
    match op.file {
        File::R64 => warp.registers.r64(op.registers[k])[lane],
        _ => warp.registers.r32(op.registers[k])[lane] as u64,
    }
}

/// Returns the lanes whose store would change nothing.
#[inline(always)]
fn kept<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &Warp) -> u32 {
    if op.element_bytes == 4 && op.elements == 1 && op.file == File::R32 {
        let (old, new) = (gather_words(bank, first, 0, shape, mask), warp.registers.r32(op.registers[0]));
        let same = old.iter().zip(new).enumerate();
        return same.fold(0, |bits, (lane, (old, new))| bits | ((old == new) as u32) << lane) & mask;
    }
    lanes_of(mask)
        .filter(|&lane| !differs(bank, op, shape, first, lane, warp))
        .fold(0, |bits, lane| bits | 1 << lane)
}

/// Returns whether a lane's value differs from the memory's contents.
fn differs<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, lane: usize, warp: &Warp) -> bool {
    (0..op.elements as usize).any(|k| {
        let at = first.wrapping_add(shape.offsets[lane]) + k as u64 * op.element_bytes as u64;
        let bits = 64 - op.element_bytes as u32 * 8;
        let value = stored(op, k, lane, warp) << bits >> bits;
        get_bytes(bank, at, op.element_bytes as u32) != value
    })
}

#[inline(never)]
fn clash<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &Warp) -> bool {
    lanes_of(mask).any(|lane| differs(bank, op, shape, first, lane, warp))
}

/// Runs one memory instruction. Returns whether the block's turn may end with it (interleaved order only).
#[inline(always)]
pub fn execute<O: Observer>(
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
    if warp_access(worker, cta, warp, (pc, index), mask, false).is_err() {
        lane_by_lane(worker, cta, warp, pc, index, mask);
    }
    let op = &worker.launch.code.memory[index];
    let mut ends = false;
    if op.order != Order::Weak {
        ends = worker.turns.as_mut().is_some_and(Interleaving::ends);
        warp.spun = true;
        worker.progress += spin::observe(warp, pc, op, mask, cta.steps) as u64;
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

/// Runs a memory instruction for one lane, the only active one. Returns false if the access faulted.
pub fn one_lane<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    index: u32,
    lane: usize,
) -> bool {
    let index = index as usize;
    match warp_access(worker, cta, warp, (pc, index), 1 << lane, false) {
        Ok(()) => true,
        Err(Fault(code)) => {
            let attempt = Attempt::new(worker.launch, warp, pc, index, 1 << lane);
            fault::report(worker, cta, warp, &attempt, lane as u32, code);
            step_budget::charge_lanes(worker, cta, 1);
            false
        }
    }
}

#[inline(never)]
fn lane_by_lane<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    index: usize,
    mask: u32,
) {
    let attempt = Attempt::new(worker.launch, warp, pc, index, mask);
    let mut continued = false;
    let mut faults = 0;
    for lane in 0..LANES as u32 {
        if mask >> lane & 1 == 0 {
            continue;
        }
        warp.registers.set_mask(1 << lane);
        match warp_access(worker, cta, warp, (pc, index), 1 << lane, continued) {
            Ok(()) => continued = true,
            Err(Fault(code)) => {
                fault::report(worker, cta, warp, &attempt, lane, code);
                poison(attempt.op, warp);
                faults += 1;
            }
        }
    }
    if faults > 0 || worker.findings.tracks_undefined {
        step_budget::charge_lanes(worker, cta, mask.count_ones());
    }
    warp.registers.set_mask(mask);
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
    let op = &worker.launch.code.memory[index];
    let width = op.width();
    let (shapes, again) = worker.accesses.shape_of[index];
    let (shape, base) = worker.accesses.shapes[shapes as usize].take(
        warp.registers.r64(op.base),
        mask,
        again && worker.accesses.whole,
    );
    let first = wrapped(op.space, base, base.wrapping_add(op.offset as u64));
    let (space, first) = resolve(op.space, first);
    if !shape.compact {
        return Err(Fault(FindingKind::OutOfBounds));
    }
    let aligned = first & (width as u64 - 1) == 0 && shape.alignment >= width;
    let lowest = first.wrapping_add(shape.low as u64);
    let highest = first.wrapping_add(shape.high as u64).wrapping_add(width as u64);
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
    };
    match space {
        Space::Shared => {
            let (mut first, mut lowest, mut highest) = (first, lowest, highest);
            if lowest > highest || highest > cta.shared_bytes {
                if !cluster::names_own(cta, op.space, lowest) {
                    return cluster::access(worker, cta, warp, (index, first, lowest, highest), event);
                }
                (first, lowest, highest) = cluster::strip_block(first, lowest, highest);
                if lowest > highest || highest > cta.shared_bytes {
                    return Err(Fault(FindingKind::SharedOutOfBounds));
                }
                event.first = first;
            }
            // Bytes next to a variable belong to another one.
            let home = worker.launch.intended_shared.get(index).copied().flatten();
            if home.is_some_and(|(start, end)| lowest < start || highest > end) {
                return Err(Fault(FindingKind::SharedOutOfBounds));
            }
            if !aligned {
                return Err(Fault(FindingKind::Misaligned));
            }
            if O::VALUES && matches!(op.action, Action::Store) {
                event.kept = kept(&cta.shared.as_mut_slice(), op, shape, first, mask, warp);
            }
            event.clash = transfer(cta.shared.as_mut_slice(), op, shape, first, mask, warp);
            event.place = MemorySpace::Shared;
            (event.buffer, event.base) = cta.name;
        }
        Space::Local => {
            if lowest > highest || highest > warp.group.activation.local_end {
                return Err(Fault(fault::past_frame(worker, warp, pc, lowest)));
            }
            if !aligned {
                return Err(Fault(FindingKind::Misaligned));
            }
            let unwritten = super::local_access::transfer(op, shape, first, mask, warp);
            let stores = matches!(op.action, Action::Store);
            let follows = stores && (warp.undefined.any || !warp.undefined.local.is_empty());
            if worker.checks && (unwritten != 0 || follows) {
                worker.findings.tracks_undefined = true;
                let place = (first, &shape.offsets.clone());
                unwritten::follow_local(worker, cta.index, (pc, op), place, (mask, unwritten), warp);
                let shape = worker.accesses.shapes[shapes as usize].taken();
                event.place = MemorySpace::Local;
                cta.observer.memory_access(&event, shape, &mut worker.findings);
                return Ok(());
            }
            event.place = MemorySpace::Local;
        }
        Space::Param => {
            if lowest > highest || highest > worker.launch.param_words.len() as u64 * 4 {
                return Err(Fault(FindingKind::OutOfBounds));
            }
            if !aligned {
                return Err(Fault(FindingKind::Misaligned));
            }
            if !matches!(op.action, Action::Load) {
                return Err(Fault(FindingKind::ReadOnly));
            }
            transfer(&worker.launch.param_words[..], op, shape, first, mask, warp);
            event.place = MemorySpace::Constant;
        }
        _ => {
            let memory = worker.launch.memory;
            let mut n = worker.accesses.recent[index] as usize;
            let inside =
                |b: &Buffer| lowest >= b.base && highest <= b.base + b.bytes && lowest < highest && !b.freed;
            if !memory.buffers.get(n).is_some_and(inside) {
                n = look_up(worker.launch, lowest, highest)?;
                worker.accesses.recent[index] = n as u32;
            }
            if !aligned {
                return Err(Fault(FindingKind::Misaligned));
            }
            if worker.checks && worker.launch.heap.buffer == Some(n) {
                worker.launch.heap.check(first, &shape.offsets, width, mask)?;
            }
            let (mut open, mut lacks) = (false, 0);
            let buffer = &memory.buffers[n];
            event.host = buffer.owner == Owner::Pinned;
            let touched = &mut worker.log.buffers[n];
            let offset = first - buffer.base;
            if worker.noted.include(buffer, op) {
                note_touch(touched, buffer, op, shape, offset, mask);
            }
            if !buffer.read_only && !matches!(op.action, Action::Store) {
                touched.read_first = touched.read_first.min(lowest - buffer.base);
                touched.read_end = touched.read_end.max(highest - buffer.base);
            }
            if worker.checks
                && !matches!(op.action, Action::Store)
                && (buffer.written.as_ref().is_some_and(|w| !all_written(w, touched, shape, offset, mask))
                    || touched.unset.is_some() && is_unset(touched, &shape.offsets, offset, width, mask))
            {
                if mask.count_ones() > 1 {
                    return Err(Fault(FindingKind::Uninitialised));
                }
                // An atomic exchange, too, may read bytes that nobody wrote and not use the value.
                if matches!(op.action, Action::Load) || !unwritten::depends_on_old_value(op, warp, mask) {
                    lacks = missing(buffer.written.as_ref(), touched, offset, width as u64);
                } else {
                    worker.findings.add(FindingKind::Uninitialised, whose(&event, cta.index), None, Vec::new);
                    open = true;
                }
            }
            let mut untouched = false;
            if !matches!(op.action, Action::Load) {
                if buffer.read_only {
                    return Err(Fault(FindingKind::ReadOnly));
                }
                let saved = worker.shared_memory.then(|| &worker.launch.saved[n]);
                if note_write(touched, (buffer, saved), shape, offset, mask) == Some(false) {
                    let (low, bytes) = (lowest - buffer.base, highest - lowest);
                    untouched = buffer.written.as_ref().is_some_and(|before| before.is_far_from(low, bytes));
                }
            }
            // Where nothing was written no store keeps a value, and pages that are read before they are written
            // cost twice.
            if O::VALUES && !untouched && matches!(op.action, Action::Store) {
                event.kept = kept(&&buffer.words[..], op, shape, offset, mask, warp);
            }
            // The result of an undefined value is undefined too: the memory stays as it is.
            if !open {
                event.clash = transfer(&buffer.words[..], op, shape, offset, mask, warp);
            }
            if let Action::Atomic { .. } = op.action
                && (open || touched.unset.is_some())
            {
                let size = buffer.words.len() as u64 * 4;
                let by = whose(&event, cta.index);
                unwritten::after_atomic(touched, size, (offset, &shape.offsets), (mask, width), open, by);
                worker.findings.tracks_undefined |= open;
            }
            if !buffer.read_only {
                (event.buffer, event.base) = (n as u32, buffer.base);
            }
            if open {
                poison(op, warp);
            }
            if lacks != 0 {
                worker.findings.tracks_undefined = true;
                let at = offset + u64::from(lacks.trailing_zeros());
                let known = touched.unset.as_ref().and_then(|unset| unset.read(at));
                let read = known.unwrap_or_else(|| whose(&event, cta.index));
                let lane = (mask.trailing_zeros() % 32) as usize;
                let held = unwritten::held(buffer.stored.as_ref(), touched, offset, width as u64);
                undefined::loaded(warp, op, lane, lacks, read, lacks & !held);
            }
            if buffer.constant {
                event.place = MemorySpace::Constant;
            }
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

/// Returns the side of a finding for an access to global memory by one lane.
fn whose(event: &Event, block: u64) -> Side {
    let thread = ThreadId { block, thread: event.warp * LANES as u32 + event.mask.trailing_zeros() };
    let place = SideAddress::Device(event.first);
    Side { pc: event.pc, thread, kind: event.kind, bytes: event.width, place }
}

/// Reads the byte at a generic address for one lane, for strings and argument buffers of built-ins. Returns `None`
/// outside all memory.
pub fn read_byte<O: Observer>(
    worker: &WorkerState,
    cta: &Cta<O>,
    warp: &Warp,
    lane: usize,
    address: u64,
) -> Option<u8> {
    let (space, at) = resolve(Space::Generic, address);
    let of_word = |word: u32| (word >> (at % 4 * 8)) as u8;
    match space {
        Space::Shared => (at < cta.shared_bytes).then(|| of_word(cta.shared[at as usize / 4])),
        Space::Local => warp.local.byte(lane, at),
        Space::Param => {
            let word = worker.launch.param_words.get(at as usize / 4)?;
            Some(of_word(word.load(Relaxed)))
        }
        _ => {
            let memory = worker.launch.memory;
            let buffer = &memory.buffers[memory.find(at)?];
            let offset = at - buffer.base;
            let word = buffer.words.get(offset as usize / 4)?.load(Relaxed);
            Some((word >> (offset % 4 * 8)) as u8)
        }
    }
}
