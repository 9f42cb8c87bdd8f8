//! Accesses to bytes without a defined value: where undefined values are read, and where they are stored.

use super::findings::{FindingLog, Side, SideAddress, ThreadId};
use super::observer::{Event, MemorySpace, Observer};
use super::step;
use super::transfer::value_of;
use super::undefined::{self, Lacking};
use super::undefined_bytes;
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{LANES, Lanes64, lanes_of};
use crate::memory::access::{Action, MbarrierEffect, MemoryOp};
use crate::memory::bytes::ByteSet;
use crate::memory::touch::{Touched, UndefinedBytes};

fn has(set: Option<&ByteSet>, byte: u64) -> bool {
    set.is_some_and(|set| set.contains(byte, 1))
}

/// Returns which of the `width` bytes at `offset` of a buffer were never written or hold an undefined value: one
/// bit per byte. `before`: bytes written before the launch; `None` means all.
#[inline(never)]
pub fn missing(before: Option<&ByteSet>, touched: &Touched, offset: u64, width: u64) -> u64 {
    let unset = touched.unset.as_ref().map(|unset| &unset.bytes);
    (0..width).fold(0, |bits, n| {
        let at = offset + n;
        let written = before.is_none() || has(before, at) || has(touched.written.as_ref(), at);
        bits | u64::from(!written || has(unset, at)) << n
    })
}

/// Returns which of the `width` bytes at `offset`, all without a defined value, nevertheless hold what was stored
/// there: one bit per byte.
pub fn held(before: Option<&ByteSet>, touched: &Touched, offset: u64, width: u64) -> u64 {
    let unset = touched.unset.as_ref().map(|unset| &unset.held);
    (0..width).fold(0, |bits, n| bits | u64::from(has(before, offset + n) || has(unset, offset + n)) << n)
}

/// Returns whether some lane's bytes hold an undefined value.
#[inline(never)]
pub fn is_unset(touched: &Touched, offsets: &Lanes64, offset: u64, width: u32, mask: u32) -> bool {
    let Some(unset) = &touched.unset else { return false };
    lanes_of(mask).any(|lane| {
        let at = offset.wrapping_add(offsets[lane]);
        (at..at + width as u64).any(|byte| unset.bytes.contains(byte, 1))
    })
}

/// Returns whether the result that the lane's atomic stores depends on the old value. Decided by trying some
/// values.
pub fn depends_on_old_value(op: &MemoryOp, warp: &Warp, mask: u32) -> bool {
    let Action::Atomic { apply, operand, comparand } = op.action else { return false };
    let lane = mask.trailing_zeros() as usize % LANES;
    let [operand, comparand] = [operand, comparand].map(|register| value_of(op, register, lane, warp));
    let bits = 64 - op.element_bytes.clamp(1, 8) as u32 * 8;
    let left = |old: u64| apply(old << bits >> bits, operand, comparand) << bits;
    let some = [0, u64::MAX, 1 << 31, (1 << 31) - 1, 1 << 63, (1 << 63) - 1, 0x3f80_0000, 0xbf80_0000];
    some.iter().any(|&old| left(old) != left(0))
}

/// Returns the lanes whose atomic stores the same whatever was there. An mbarrier object is always one that was there.
pub fn overwriting(op: &MemoryOp, warp: &Warp, mask: u32) -> u32 {
    let Action::Atomic { .. } = op.action else { return 0 };
    if op.role.object != MbarrierEffect::Nothing {
        return 0;
    }
    lanes_of(mask).filter(|&lane| !depends_on_old_value(op, warp, 1 << lane)).fold(0, |m, lane| m | 1 << lane)
}

/// Called before an atomic on the block's own shared memory: reports the lanes that update bytes nobody wrote. What
/// those read that overwrite such bytes is undefined.
#[inline(never)]
pub fn before_shared_atomic<O: Observer>(
    findings: &mut FindingLog,
    cta: &Cta<O>,
    warp: &mut Warp,
    op: &MemoryOp,
    event: &Event,
    offsets: &Lanes64,
) {
    let is_written = |byte| cta.observer.is_written(byte);
    let mut set = Vec::new();
    for lane in lanes_of(event.mask) {
        let at = event.first.wrapping_add(offsets[lane]);
        let lacks = (0..event.width as u64).fold(0, |bits, n| bits | u64::from(!is_written(at + n)) << n);
        if lacks == 0 || set.contains(&at) {
            continue;
        }
        let by = side(event, cta.index, lane, SideAddress::Shared(at));
        findings.shared_read(&by, at, is_written);
        if overwriting(op, warp, 1 << lane) != 0 {
            set.push(at);
            undefined::loaded(warp, op, lane, lacks, by, 0);
            findings.tracks_undefined = true;
        } else {
            findings.add(FindingKind::Uninitialised, by, None, Vec::new);
        }
    }
}

/// Updates the undefined bytes after an atomic on global memory: what it stored is defined, unless it is `open`
/// (depends on the undefined old value), in which case `by` is noted as its origin.
#[inline(never)]
pub fn after_atomic(
    touched: &mut Touched,
    size: u64,
    (offset, offsets): (u64, &Lanes64),
    (mask, width): (u32, u32),
    open: bool,
    by: Side,
) {
    let unset = touched.unset.get_or_insert_with(|| Box::new(UndefinedBytes::new(size)));
    for lane in lanes_of(mask) {
        let at = offset.wrapping_add(offsets[lane]);
        for byte in at..at + width as u64 {
            if open {
                unset.insert(byte, by);
                unset.held.remove(byte, 1);
                unset.garbage.remove(byte, 1);
            } else {
                unset.bytes.remove(byte, 1);
            }
        }
    }
}

/// Most reads of undefined bytes of a buffer that are followed once one was reported: following them costs up to a
/// hundred times as much as an access.
const MAX_FOLLOWED: u64 = 1 << 18;

/// Takes the contents of buffers as written if so many reads of undefined bytes were followed, and some reported, that
/// more would say nothing new. To be called when no block is running.
pub fn presume_written(worker: &mut WorkerState) {
    let memory = &worker.launch.memory.buffers;
    let (log, findings) = (&mut worker.log.buffers, &mut worker.findings);
    let mut presumed = false;
    for (buffer, touched) in memory.iter().zip(log.iter_mut()) {
        if touched.undefined_reads > MAX_FOLLOWED && !touched.presumed_written {
            let range = buffer.base..buffer.base + buffer.bytes;
            touched.presumed_written = findings.add_to_undefined_reads(range, &Evidence::LaterReadsIgnored);
            presumed |= touched.presumed_written;
        }
    }
    if presumed {
        for touched in log.iter_mut() {
            touched.unset.take_if(|unset| unset.bytes.is_empty());
        }
        findings.tracks_undefined = log.iter().any(|touched| touched.unset.is_some());
    }
}

pub fn side(event: &Event, block: u64, lane: usize, place: SideAddress) -> Side {
    let thread = ThreadId { block, thread: event.warp * LANES as u32 + lane as u32 };
    Side { pc: event.pc, thread, kind: event.kind, bytes: event.width, place }
}

/// Propagates undefined values through an access to shared or global memory.
#[inline(never)]
pub fn follow<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    index: usize,
    event: &Event,
    offsets: &Lanes64,
) {
    let op = &worker.launch.code.details.memory[index];
    let unwritten = std::mem::take(&mut worker.findings.unwritten);
    let unset = |n: u32| worker.log.buffers.get(n as usize).is_some_and(|touched| touched.unset.is_some());
    let concerned = unwritten || warp.undefined.any || !cta.unset.shared.is_empty() || unset(event.buffer);
    if !worker.checks || !concerned {
        return;
    }
    for lane in lanes_of(event.mask) {
        let at = event.first.wrapping_add(offsets[lane]);
        match (event.place, event.kind) {
            (MemorySpace::Shared, AccessKind::Read | AccessKind::Atomic) => {
                let lacks = |byte: u64| {
                    unwritten && !cta.observer.is_written(byte) || cta.unset.shared.contains_key(&byte)
                };
                let bytes = (0..event.width as u64).fold(0, |bits, n| bits | u64::from(lacks(at + n)) << n);
                if bytes == 0 {
                    continue;
                }
                let known = cta.unset.shared.get(&(at + u64::from(bytes.trailing_zeros())));
                let own = side(event, cta.index, lane, SideAddress::Shared(at));
                if known.is_none() {
                    worker.findings.shared_read(&own, at, |byte| cta.observer.is_written(byte));
                }
                let read = known.copied().unwrap_or(own);
                if event.kind == AccessKind::Read {
                    undefined::loaded(warp, op, lane, bytes, read, 0);
                } else {
                    let open = depends_on_old_value(op, warp, 1 << lane);
                    if open {
                        worker.findings.add(FindingKind::Uninitialised, read, None, Vec::new);
                    }
                    undefined::loaded(warp, op, lane, bytes, read, 0);
                    for byte in at..at + event.width as u64 {
                        if open {
                            cta.unset.shared.insert(byte, read);
                        } else {
                            cta.unset.shared.remove(&byte);
                        }
                    }
                }
            }
            (MemorySpace::Shared, AccessKind::Write) => {
                let lacks = undefined::stored(warp, op, lane, SideAddress::Shared(at));
                for n in 0..event.width as u64 {
                    match lacks {
                        Some(Lacking { bytes, read, .. }) if bytes >> n & 1 != 0 => {
                            cta.unset.shared.insert(at + n, read)
                        }
                        _ => cta.unset.shared.remove(&(at + n)),
                    };
                }
            }
            (MemorySpace::Global, AccessKind::Write) => {
                let lacks = undefined::stored(warp, op, lane, SideAddress::Device(at));
                let place = (event.buffer, at - event.base);
                undefined_bytes::left(worker, cta, (event.pc, index as u32), place, lacks);
            }
            _ => {}
        }
    }
}

/// Propagates undefined values through an access to local memory; `unwritten`: lanes that read bytes they never
/// wrote.
#[inline(never)]
pub fn follow_local(
    worker: &mut WorkerState,
    block: u64,
    (pc, op): (u32, &MemoryOp),
    (first, offsets): (u64, &Lanes64),
    (mask, unwritten): (u32, u32),
    warp: &mut Warp,
) {
    let width = op.width() as u64;
    let kind = super::fault::kind_of(&op.action);
    for lane in lanes_of(mask) {
        let at = first.wrapping_add(offsets[lane]);
        let place = SideAddress::Local { offset: at, bytes: warp.local.bytes() };
        if let Action::Store = op.action {
            let lacks = undefined::stored(warp, op, lane, place);
            for n in 0..width {
                match lacks {
                    Some(Lacking { bytes, read, .. }) if bytes >> n & 1 != 0 => {
                        warp.local.forget_byte(lane, at + n);
                        warp.undefined.local.insert((lane, (at + n) / 4), read);
                    }
                    _ => {
                        warp.undefined.local.remove(&(lane, (at + n) / 4));
                    }
                }
            }
            continue;
        }
        if unwritten >> lane & 1 == 0 {
            continue;
        }
        let own = Side { kind, bytes: op.width(), place, ..step::side(block, warp, pc, 1 << lane) };
        if kind == AccessKind::Atomic {
            worker.findings.add(FindingKind::Uninitialised, own, None, Vec::new);
            continue;
        }
        let lacks = |n: &u64| !warp.local.is_written(lane, at + n, 1);
        let bytes = (0..width).filter(lacks).fold(0u64, |bits, n| bits | 1 << n);
        if bytes != 0 {
            let word = (at + u64::from(bytes.trailing_zeros())) / 4;
            let read = warp.undefined.local.get(&(lane, word)).copied().unwrap_or(own);
            undefined::loaded(warp, op, lane, bytes, read, 0);
        }
    }
}
