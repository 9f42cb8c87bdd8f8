//! Warp collectives, executed by the lanes named in a member mask: `bar.warp.sync`, shuffles, votes, matches,
//! reductions, matrix operations. They need those lanes together; a group that arrives early waits.

use super::findings::Side;
use super::issue::Issue;
use super::observer::{Observer, Synchronisation};
use super::step::side;
use super::undefined;
use super::warp::{Group, State, Warp};
use super::worker::{Cta, WorkerState};
use crate::code::{self, CollectiveKind, CollectiveOp, Inst, ShuffleMode, VoteMode};
use crate::evidence::Evidence;
use crate::finding::FindingKind;
use crate::lanes::{FULL, File, LANES, Lanes32, lanes_of};
use crate::memory::access::SINK;

/// Returns the member mask that each lane passes.
fn members(warp: &Warp, op: &CollectiveOp) -> Lanes32 {
    match op.mask {
        Some(register) => *warp.registers.r32(register),
        None => [warp.registers.mask(); LANES],
    }
}

/// Returns the live lanes that lanes of `mask` name but that are not in `mask`.
fn missing(warp: &Warp, op: &CollectiveOp, mask: u32) -> u32 {
    if warp.live & !mask == 0 {
        return 0;
    }
    together(&members(warp, op), mask) & warp.live & !mask
}

/// Runs the collective, or makes the group wait for missing lanes.
pub fn execute<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    inst: &Inst,
) {
    let op = &worker.launch.code.details.collectives[inst.detail as usize];
    warp.group.pc = pc;
    if missing(warp, op, warp.registers.mask()) != 0 {
        warp.park(State::Converge);
        meet(worker, cta, warp);
        return;
    }
    perform(worker, cta, warp, pc);
}

/// Merges groups that wait at the same place, and releases those that are complete.
fn meet<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warp: &mut Warp) {
    let code = worker.launch.code;
    warp.waiting();
    let mut n = 0;
    while n < warp.others.len() {
        if warp.others[n].state == State::Converge {
            let mut other = n + 1;
            while other < warp.others.len() {
                if warp.others[n].meets(&warp.others[other]) {
                    let joined = warp.others.swap_remove(other);
                    warp.others[n].mask |= joined.mask;
                } else {
                    other += 1;
                }
            }
        }
        n += 1;
    }
    for n in 0..warp.others.len() {
        let group = &warp.others[n];
        if group.state != State::Converge {
            continue;
        }
        if is_sync(code, group) {
            meet_at_syncs(cta, warp, code, n);
            continue;
        }
        let mask = group.mask;
        let named = named_by(warp, code, n);
        if together(&named, mask) & warp.live & !mask == 0 {
            // A complete group continues by executing the instruction again.
            warp.others[n].state = State::Ready;
        }
    }
}

fn is_sync(code: &code::DecodedModule, group: &Group) -> bool {
    matches!(collective(code, group.pc).kind, CollectiveKind::Sync)
}

/// Returns the collective that a group waits at.
fn collective(code: &code::DecodedModule, pc: u32) -> &CollectiveOp {
    &code.details.collectives[code.insts[pc as usize].detail as usize]
}

/// Returns the member mask that each lane of a waiting group passes.
fn named_by(warp: &mut Warp, code: &code::DecodedModule, n: usize) -> Lanes32 {
    let (pc, base) = (warp.others[n].pc, warp.others[n].activation.base);
    let old = warp.registers.base();
    warp.registers.set_base(base);
    let named = members(warp, collective(code, pc));
    warp.registers.set_base(old);
    named
}

/// Returns all lanes that the lanes of `mask` name.
fn together(named: &Lanes32, mask: u32) -> u32 {
    lanes_of(mask).fold(0, |all, lane| all | named[lane])
}

/// Synchronises `__syncwarp()` calls at different places: group `n`, the groups whose lanes it names, those that
/// they name, and so on. They continue once all of those lanes have arrived. A synchronisation of other lanes is
/// unaffected.
fn meet_at_syncs<O: Observer>(cta: &mut Cta<O>, warp: &mut Warp, code: &code::DecodedModule, n: usize) {
    let (mut come, mut wanted, mut named) = (0, warp.others[n].mask, [0; LANES]);
    loop {
        let next = warp.others.iter().position(|group| {
            group.state == State::Converge && group.mask & wanted & !come != 0 && is_sync(code, group)
        });
        let Some(next) = next else { break };
        let mask = warp.others[next].mask;
        let its = named_by(warp, code, next);
        lanes_of(mask).for_each(|lane| named[lane] = its[lane]);
        come |= mask;
        wanted |= together(&its, mask);
    }
    if wanted & warp.live & !come != 0 {
        return;
    }
    for group in warp.others.iter_mut().filter(|group| group.mask & come != 0) {
        group.state = State::Ready;
        group.pc += 1;
    }
    synchronise(cta, warp, come, &named);
}

/// Called when no group of the warp can run: a group that waits for lanes which cannot arrive continues without
/// them, and that is reported. Returns whether some group can run now.
pub fn proceed_without_missing<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
) -> bool {
    let code = worker.launch.code;
    meet(worker, cta, warp);
    if warp.others.iter().any(|g| g.state == State::Ready) {
        return true;
    }
    let Some(n) = warp.others.iter().position(|g| g.state == State::Converge) else { return false };
    let mut group = warp.others.swap_remove(n);
    let inst = &code.insts[group.pc as usize];
    let op = &code.details.collectives[inst.detail as usize];
    group.state = State::Ready;
    warp.group = group;
    warp.running = true;
    warp.registers.set_base(warp.group.activation.base);
    warp.registers.set_mask(warp.group.mask);
    let (mask, pc) = (warp.group.mask, warp.group.pc);
    let absent = missing(warp, op, mask);
    let at = side(cta.index, warp, pc, mask);
    let other =
        warp.others.iter().find(|g| g.mask & absent != 0).map(|g| side(cta.index, warp, g.pc, g.mask));
    let named = members(warp, op)[(mask.trailing_zeros() % 32) as usize];
    match op.kind.operation() {
        Some(operation) => worker.findings.add(FindingKind::WarpMask, at, other, || {
            [Evidence::NamedButAbsent { operation, named, here: mask, absent }]
        }),
        None => Issue { worker, cta, warp, pc }.short_handed(other),
    }
    perform(worker, cta, warp, pc);
    warp.park(State::Ready);
    true
}

impl<O: Observer> Issue<'_, '_, O> {
    /// Reports, once per warp, a matrix operation that not all lanes reach: its operands are in the registers of all
    /// 32 (PTX ISA, `wmma.mma`, `mma.sync`: all threads of the warp must execute it).
    fn short_handed(&mut self, other: Option<Side>) {
        if std::mem::replace(&mut self.warp.short_handed, true) {
            return;
        }
        let here = self.warp.registers.mask();
        let at = self.side(here);
        self.worker.findings.add(FindingKind::WarpMask, at, other, || [Evidence::MatrixLanes { here }]);
    }

    /// Reports lanes that a shuffle reads and that are absent or not named. `source` returns the lane that a lane
    /// reads, and whether it is within the segment.
    #[inline(never)]
    fn absent_sources(&mut self, mode: ShuffleMode, source: &dyn Fn(usize) -> (u32, bool)) {
        let code = self.launch().code;
        let inst = &code.insts[self.pc as usize];
        let op = &code.details.collectives[inst.detail as usize];
        let (mask, named) = (self.warp.registers.mask(), members(self.warp, op));
        let (mut gone, mut astray) = (0u32, 0u32);
        // A lane that every caller reads and that is absent: nobody can use the value.
        let mut lost = u32::MAX;
        let mut strangers = [false; LANES];
        for lane in lanes_of(mask) {
            let (from, inside) = source(lane);
            let absent = named[lane] & !mask & 1 << from;
            gone |= absent;
            astray |= u32::from(absent != 0) << lane;
            lost &= !mask & 1 << from;
            strangers[lane] = inside && (mask | named[lane]) >> from & 1 == 0;
        }
        if self.worker.checks && inst.d != SINK && strangers.contains(&true) {
            self.worker.findings.tracks_undefined = true;
            let key = (File::R32, self.warp.registers.slot(File::R32, inst.d));
            for lane in lanes_of(mask).filter(|&lane| strangers[lane]) {
                let read = self.side(1 << lane);
                self.warp.undefined.mark_undefined(key, lane, u32::MAX as u64, read);
            }
        }
        // Reading a lane outside the mask is allowed if the value is not used; a lane that the mask names and that has
        // left or never existed is a mistake.
        let exist = self.warp.lanes;
        let mut report = |readers, lanes, named| {
            self.add(FindingKind::WarpMask, readers, || {
                let operation = op.kind.operation();
                let reads = operation.map(|operation| Evidence::ReadsAbsent { operation, lanes, named });
                let short = Evidence::WarpIsShort { threads: exist.count_ones() };
                reads.into_iter().chain((lanes & !exist != 0).then_some(short))
            });
        };
        if mode == ShuffleMode::Idx && lost != u32::MAX && lost & !gone != 0 {
            report(mask, lost, false);
        }
        if gone != 0 {
            report(astray, gone, true);
        }
    }
}

/// Reports to the observer that the lanes of `mask` pass `__syncwarp()`, grouped by the member mask they pass.
fn synchronise<O: Observer>(cta: &mut Cta<O>, warp: &Warp, mask: u32, named: &Lanes32) {
    let mut rest = mask;
    while rest != 0 {
        let with = named[(rest.trailing_zeros() % 32) as usize];
        let same = lanes_of(rest).filter(|&lane| named[lane] == with).fold(0, |m, lane| m | 1 << lane);
        cta.observer.synchronised(Synchronisation::WarpSync(warp.lanes_of(same)));
        rest &= !same;
    }
}

/// Performs the operation for the running group and moves it to the next instruction.
fn perform<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warp: &mut Warp, pc: u32) {
    let inst = &worker.launch.code.insts[pc as usize];
    let op = &worker.launch.code.details.collectives[inst.detail as usize];
    warp.group.pc = pc + 1;
    let mask = warp.registers.mask();
    let named = members(warp, op);
    let left_out = if named == [FULL; LANES] {
        0
    } else {
        lanes_of(mask).filter(|&lane| named[lane] >> lane & 1 == 0).fold(0, |m, lane| m | 1 << lane)
    };
    if left_out != 0 {
        let at = side(cta.index, warp, pc, left_out);
        worker.findings.add(FindingKind::WarpMask, at, None, || {
            let operation = op.kind.operation();
            operation.map(|operation| Evidence::CallersNotNamed { operation, lanes: left_out })
        });
    }
    if warp.undefined.any {
        let (by, clamp) = (inst.s[1], inst.s[2]);
        undefined::collective(worker, warp, pc, inst, op, |warp, lane| {
            let CollectiveKind::Shuffle { mode, .. } = op.kind else { return lane };
            let word = |register: u32| warp.registers.r32(register)[lane];
            let from = shuffle_source(mode, lane as u32, word(by), word(clamp)).0 as usize;
            if mask >> from & 1 != 0 { from } else { lane }
        });
    }
    match &op.kind {
        CollectiveKind::Sync => synchronise(cta, warp, mask, &named),
        CollectiveKind::Shuffle { mode, valid } => {
            let value = *warp.registers.r32(inst.s[0]);
            let (by, clamp) = (*warp.registers.r32(inst.s[1]), *warp.registers.r32(inst.s[2]));
            let (mut out, in_range) = shuffled(*mode, &value, &by, &clamp);
            let source = |lane: usize| shuffle_source(*mode, lane as u32, by[lane], clamp[lane]);
            if mask != FULL {
                // An absent lane provides no value: PTX leaves the result undefined.
                let is_absent = |lane: &usize| mask >> source(*lane).0 & 1 == 0;
                (0..LANES).filter(is_absent).for_each(|lane| out[lane] = value[lane]);
            }
            if inst.d != SINK {
                warp.registers.set32(inst.d, &out);
            }
            if let Some(valid) = valid {
                warp.registers.set_pred(*valid, in_range);
            }
            if mask != FULL {
                Issue { worker, cta, warp, pc }.absent_sources(*mode, &source);
            }
        }
        CollectiveKind::Vote { mode } => {
            let source = warp.registers.pred(inst.s[0]);
            let mut ballot = [0u32; LANES];
            let mut verdict = 0u32;
            for lane in lanes_of(mask) {
                let voters = named[lane] & mask;
                let yes = source & voters;
                ballot[lane] = yes;
                let holds = match mode {
                    VoteMode::All => yes == voters,
                    VoteMode::Any => yes != 0,
                    VoteMode::Uni => yes == voters || yes == 0,
                    VoteMode::Ballot => false,
                };
                verdict |= (holds as u32) << lane;
            }
            if *mode == VoteMode::Ballot {
                warp.registers.set32(inst.d, &ballot);
            } else {
                warp.registers.set_pred(inst.d, verdict);
            }
        }
        CollectiveKind::Match { all, bits, valid } => {
            let value: [u64; LANES] = if *bits == 64 {
                *warp.registers.r64(inst.s[0])
            } else {
                warp.registers.r32(inst.s[0]).map(|v| v as u64)
            };
            let mut out = [0u32; LANES];
            let mut agree = 0u32;
            for lane in lanes_of(mask) {
                let peers = named[lane] & mask;
                let same = lanes_of(peers).filter(|&p| value[p] == value[lane]).fold(0u32, |m, p| m | 1 << p);
                if !all {
                    out[lane] = same;
                } else if same == peers {
                    out[lane] = peers;
                    agree |= 1 << lane;
                }
            }
            if inst.d != SINK {
                warp.registers.set32(inst.d, &out);
            }
            if let Some(valid) = valid {
                warp.registers.set_pred(*valid, agree);
            }
        }
        CollectiveKind::Redux(combine) => {
            let value = *warp.registers.r32(inst.s[0]);
            let mut out = [0u32; LANES];
            for lane in lanes_of(mask) {
                out[lane] = lanes_of(named[lane] & mask).map(|p| value[p]).reduce(combine).unwrap_or(0);
            }
            warp.registers.set32(inst.d, &out);
        }
        CollectiveKind::Matrix(matrix) => {
            if mask != u32::MAX {
                Issue { worker, cta, warp, pc }.short_handed(None);
            }
            super::matrix::perform(warp, matrix);
        }
        CollectiveKind::Group(group) => {
            if mask != u32::MAX {
                Issue { worker, cta, warp, pc }.short_handed(None);
            }
            Issue { worker, cta, warp, pc }.perform_group(group);
        }
        CollectiveKind::Elect { chosen } => {
            let mut leader = [0u32; LANES];
            let mut bits = 0u32;
            for lane in lanes_of(mask) {
                leader[lane] = (named[lane] & mask).trailing_zeros() % 32;
                bits |= ((leader[lane] as usize == lane) as u32) << lane;
            }
            if inst.d != SINK {
                warp.registers.set32(inst.d, &leader);
            }
            warp.registers.set_pred(*chosen, bits);
        }
    }
}

/// Returns the value that a shuffle gives each lane, and which lanes read within their segment, if all lanes are
/// present.
fn shuffled(mode: ShuffleMode, value: &Lanes32, by: &Lanes32, clamp: &Lanes32) -> (Lanes32, u32) {
    let (mut out, mut in_range) = ([0; LANES], 0);
    for lane in 0..LANES {
        let (from, inside) = shuffle_source(mode, lane as u32, by[lane], clamp[lane]);
        out[lane] = value[from as usize % LANES];
        in_range |= u32::from(inside) << lane;
    }
    (out, in_range)
}

/// Returns the lane that a shuffle reads from, and whether it is within the segment (PTX ISA, `shfl.sync`).
#[inline(always)]
pub(crate) fn shuffle_source(mode: ShuffleMode, lane: u32, by: u32, clamp: u32) -> (u32, bool) {
    let (by, bound, segment) = (by & 31, clamp & 31, clamp >> 8 & 31);
    let most = (lane & segment) | (bound & !segment);
    let least = lane & segment;
    let (from, inside) = match mode {
        ShuffleMode::Up => {
            let from = lane.wrapping_sub(by);
            (from, from as i32 >= most as i32)
        }
        ShuffleMode::Down => (lane + by, lane + by <= most),
        ShuffleMode::Bfly => (lane ^ by, lane ^ by <= most),
        ShuffleMode::Idx => {
            let from = least | (by & !segment);
            (from, from <= most)
        }
    };
    if inside { (from & 31, true) } else { (lane, false) }
}
