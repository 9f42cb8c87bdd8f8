//! Tracks values from memory that nobody wrote until they matter.
//!
//! Reading such bytes is not yet a mistake: a structure is copied whole, with padding and with fields that nobody
//! set. While there are undefined bits, a record of them is kept for each register ([`Undefined`]), and is
//! propagated with the value through moves, arithmetic, shuffles, calls, and local, shared and global memory. An
//! undefined value is reported, at the place that first read it, once an address or a branch depends on it; once
//! it is an operand of an atomic, a vote, a matrix operation or `printf`; and when it is left in global memory at
//! the end of the block. The same holds for a value that a shuffle reads from a lane that takes no part, and for the
//! quotient of an integer divided by zero: where no use of it matters, the compiler may have moved the division to
//! where the source has none.
//!
//! Shifting or widening an undefined value leaves bits that are zero whatever it was. They are recorded next to the
//! undefined bits: stored together, they are a value that nobody gave, and not a bit-field of which some bits were set.
//!
//! Not detected: values that are undefined because a branch on an undefined value was not taken; single bits of a
//! byte that was written in place; an undefined value left in global memory of which some bytes were written, or
//! as part of a structure of which the same thread wrote other parts through the same pointer (a use of it, by a kernel
//! or by the host that it is copied to, is reported).

use super::findings::{Side, SideAddress};
use super::step;
use super::warp::Warp;
use super::worker::WorkerState;
use crate::code::registers::{self, values_of};
use crate::code::{CollectiveKind, CollectiveOp, Inst, System, WgmmaOp, What};
use crate::division::Division;
use crate::evidence::{Evidence, Use};
use crate::finding::FindingKind;
use crate::lanes::{File, LANES, Lanes64, Registers, lanes_of};
use crate::memory::access::{Action, MemoryOp, SINK};
use crate::memory::by_address::ByAddress;
use crate::table::Row;

/// The undefined bits of a register: for each lane the bits without a value, and where they were read.
#[derive(Clone, Debug)]
pub struct UndefinedBits {
    pub bits: Lanes64,
    /// For each lane with undefined bits, those that are zero because an undefined value was shifted or widened.
    vacated: Lanes64,
    pub read: Box<[Option<Side>; LANES]>,
}

impl UndefinedBits {
    pub fn new() -> UndefinedBits {
        UndefinedBits { bits: [0; LANES], vacated: [0; LANES], read: Box::new([None; LANES]) }
    }

    /// Returns the first lane of `mask` with undefined bits.
    fn first(&self, mask: u32) -> Option<usize> {
        lanes_of(mask).find(|&lane| self.bits[lane] != 0)
    }
}

/// The undefined bits of a warp's registers and local memory.
#[derive(Debug, Default)]
pub struct Undefined {
    /// Whether any register has undefined bits.
    pub any: bool,
    registers: ByAddress<UndefinedBits, (File, usize)>,
    /// For a lane and a word of its local memory, where the undefined value was read.
    pub local: ByAddress<Side, (usize, u64)>,
}

impl Undefined {
    pub fn clear(&mut self) {
        if self.any || !self.local.is_empty() {
            self.registers.clear();
            self.local.clear();
            self.any = false;
        }
    }

    /// Marks a register as defined in the lanes of `mask`.
    pub fn define(&mut self, key: (File, usize), mask: u32) {
        if let Some(undefined_bits) = self.registers.get_mut(&key) {
            lanes_of(mask).for_each(|lane| undefined_bits.bits[lane] = 0);
            if undefined_bits.bits == [0; LANES] {
                self.registers.remove(&key);
                self.any = !self.registers.is_empty();
            }
        }
    }

    /// Sets the undefined bits of a register in the lanes of `mask`.
    fn set(&mut self, key: (File, usize), mask: u32, undefined_bits: &UndefinedBits) {
        if undefined_bits.first(mask).is_none() {
            return self.define(key, mask);
        }
        let its = self.registers.entry(key).or_insert_with(UndefinedBits::new);
        for lane in lanes_of(mask) {
            (its.bits[lane], its.read[lane]) = (undefined_bits.bits[lane], undefined_bits.read[lane]);
            its.vacated[lane] = undefined_bits.vacated[lane];
        }
        self.any = true;
    }

    /// Marks `bits` of one lane of a register as undefined, read by `side`.
    pub fn mark_undefined(&mut self, key: (File, usize), lane: usize, bits: u64, side: Side) {
        let its = self.registers.entry(key).or_insert_with(UndefinedBits::new);
        (its.bits[lane], its.vacated[lane], its.read[lane]) = (bits, 0, Some(side));
        self.any = true;
    }

    /// Returns the undefined bits of a register, if there are any.
    pub fn of(&self, registers: &Registers, file: File, register: u32) -> Option<&UndefinedBits> {
        if register == SINK { None } else { self.registers.get(&(file, registers.slot(file, register))) }
    }
}

/// Returns a mask of all bits of a register.
pub(crate) fn whole(file: File) -> u64 {
    match file {
        File::R32 => u32::MAX as u64,
        File::R64 => u64::MAX,
        File::Pred => 1,
    }
}

/// Reports the use of an undefined value that was read by `read`.
pub(super) fn matters(worker: &mut WorkerState, read: Side, pc: u32, used: &Use) {
    let code = worker.launch.code;
    let line = |pc: u32| code.location(pc).map(|at| at.line);
    let (finding, why) = match code.insts[read.pc as usize].what {
        What::Collective => (FindingKind::WarpMask, Some(Evidence::UsesAbsentLane)),
        What::Lanes(_) => (FindingKind::DivisionByZero, Some(Evidence::QuotientUndefined)),
        _ => (FindingKind::Uninitialised, None),
    };
    worker.findings.add(finding, read, None, || {
        let was = line(read.pc);
        let now = line(pc).filter(|now| was != Some(*now));
        let matters = now.map(|line| Evidence::FirstMatters { line, used: used.clone() });
        why.into_iter().chain(matters)
    });
}

/// Checks that a register is defined in the lanes of `mask` and reports it if not; from then on it counts as
/// defined.
pub fn check(
    worker: &mut WorkerState,
    warp: &mut Warp,
    (file, register): (File, u32),
    mask: u32,
    pc: u32,
    used: Use,
) {
    let Some(undefined_bits) = warp.undefined.of(&warp.registers, file, register) else { return };
    if undefined_bits.first(mask).is_none() {
        return;
    }
    let undefined = lanes_of(mask).filter(|&lane| undefined_bits.bits[lane] != 0);
    undefined.filter_map(|lane| undefined_bits.read[lane]).for_each(|read| matters(worker, read, pc, &used));
    warp.define(file, register, mask);
}

/// Called before an instruction of a warp that has undefined values: checks the operands and propagates to the
/// results.
#[inline(never)]
pub fn pass(worker: &mut WorkerState, warp: &mut Warp, pc: u32, inst: &Inst) {
    let mask = warp.registers.mask();
    let decided = inst.guard.register().map(|register| (File::Pred, register));
    if let (Some(guard), false) = (decided, matches!(inst.what, What::Lanes(_))) {
        check(worker, warp, guard, mask, pc, Use::Condition);
    }
    let active = inst.guard.lanes(&warp.registers, mask);
    let code = worker.launch.code;
    match inst.what {
        What::Lanes(_) => {
            let Some(row) = code.origins[pc as usize].row else { return };
            arithmetic(warp, inst, row, active);
            // An undefined guard makes the whole result undefined.
            if let Some((file, register)) = decided
                && let Some(undefined_bits) = warp.undefined.of(&warp.registers, file, register)
            {
                let mut undefined_bits = undefined_bits.clone();
                undefined_bits.bits =
                    undefined_bits.bits.map(|bits| if bits != 0 { whole(row.dest) } else { 0 });
                let unsure = lanes_of(mask)
                    .filter(|&lane| undefined_bits.bits[lane] != 0)
                    .fold(0, |m, lane| m | 1 << lane);
                let key = (row.dest, warp.registers.slot(row.dest, inst.d));
                warp.undefined.set(key, unsure, &undefined_bits);
            }
        }
        What::Memory => {
            let op = &code.details.memory[inst.detail as usize];
            check(worker, warp, (File::R64, op.base), active, pc, Use::Address);
            if let Action::Atomic { operand, comparand, .. } = op.action {
                for register in [operand, comparand] {
                    check(worker, warp, (op.file, register), active, pc, Use::Atomic);
                }
            }
        }
        What::BranchIndexed => {
            check(worker, warp, (File::R32, inst.s[0]), active, pc, Use::Condition);
        }
        What::System(System::Texture | System::Surface) => {
            let place = match inst.what {
                What::System(System::Texture) => &code.details.textures[inst.detail as usize].place,
                _ => &code.details.surfaces[inst.detail as usize].place,
            };
            for register in registers::place_reads(place) {
                check(worker, warp, register, active, pc, Use::Address);
            }
        }
        _ => {}
    }
    if let What::Memory | What::System(_) = inst.what {
        for (file, register) in registers::writes(code, inst, None) {
            warp.define(file, register, active);
        }
    }
}

/// Returns how many of a row's sources, from the first, affect only single bits of the result, so that undefined
/// bits can be tracked bit by bit.
pub(crate) fn bitwise(row: &Row) -> usize {
    if row.begins(&[
        "mov.", "and.", "or.", "xor.", "not.", "lop3.", "%join", "%low", "%high", "%widen", "%sign",
    ]) {
        return usize::MAX;
    }
    if row.begins(&["shf.", "bfi.", "prmt.", "selp.", "%set_"]) {
        return 2;
    }
    let takes_one = row.begins(&["shl.", "shr.", "bfe.", "brev.", "%byte", "%half"]);
    usize::from(is_between_integers(row) || takes_one)
}

/// Where the vacated bits of a bitwise result come from: those that are zero because an undefined value was shifted or
/// widened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vacated {
    /// The bits that are zero when the only undefined source, the first, is all ones; and the source's own, moved.
    Moved,
    /// The bits vacated in both sources.
    InBoth,
    Nowhere,
}

/// Returns where the vacated bits of a row's result come from. `undefined`: the numbers of its undefined sources.
pub(crate) fn vacated(row: &Row, undefined: &[usize]) -> Vacated {
    let moves =
        row.begins(&["mov.", "shl.", "shr.", "bfe.", "%low", "%high", "%widen"]) || is_between_integers(row);
    match undefined {
        [0] if moves => Vacated::Moved,
        [_, _] if row.begins(&["or."]) => Vacated::InBoth,
        _ => Vacated::Nowhere,
    }
}

fn is_between_integers(row: &Row) -> bool {
    row.names[0].strip_prefix("cvt.").is_some_and(|types| !types.contains('f'))
}

/// Returns the vacated bits of a register of `file` loaded from `bytes` bytes, of which `bits` are undefined: those that
/// a value without a sign is widened by, if nothing of it has a value.
pub(crate) fn vacated_by_load(file: File, bytes: usize, bits: u64, signed: bool) -> u64 {
    let is_widened = !signed && bits == u64::MAX >> (64 - 8 * bytes);
    if is_widened { whole(file) & !bits } else { 0 }
}

/// Propagates undefined bits through arithmetic. For bitwise operations the result's undefined bits are those that
/// change when the sources' undefined bits are flipped, which is tried; for others all its bits are undefined.
fn arithmetic(warp: &mut Warp, inst: &Inst, row: &Row, active: u32) {
    let target = (row.dest, warp.registers.slot(row.dest, inst.d));
    let sources: Vec<(usize, (File, usize), UndefinedBits)> = (row.sources.iter().enumerate())
        .filter_map(|(n, &file)| {
            let undefined_bits = warp.undefined.of(&warp.registers, file, inst.s[n])?;
            undefined_bits.first(active)?;
            Some((n, (file, warp.registers.slot(file, inst.s[n])), undefined_bits.clone()))
        })
        .collect();
    let Some((last, ..)) = sources.last() else { return warp.undefined.define(target, active) };
    let mut result = UndefinedBits::new();
    for (_, _, undefined_bits) in sources.iter().rev() {
        for lane in lanes_of(active).filter(|&lane| undefined_bits.bits[lane] != 0) {
            (result.bits[lane], result.read[lane]) = (whole(row.dest), undefined_bits.read[lane]);
        }
    }
    let What::Lanes(handler) = inst.what else { return };
    if *last < bitwise(row) {
        let before = warp.registers.raw(target);
        let kept: Vec<Lanes64> = sources.iter().map(|(_, key, _)| warp.registers.raw(*key)).collect();
        let mask = warp.registers.mask();
        warp.registers.set_mask(active);
        // Returns the result for other values of the sources.
        let mut with = |change: &dyn Fn(u64, &UndefinedBits, usize) -> u64| {
            for ((_, key, undefined_bits), value) in sources.iter().zip(&kept) {
                let changed = std::array::from_fn(|lane| change(value[lane], undefined_bits, lane));
                warp.registers.set_raw(*key, &changed);
            }
            // SAFETY: the baseline build requires no special processor features.
            unsafe { (handler.baseline)(&mut warp.registers, inst) };
            let made = warp.registers.raw(target);
            warp.registers.set_raw(target, &before);
            made
        };
        let one = with(&|value, _, _| value);
        let other = with(&|value, undefined_bits, lane| value ^ undefined_bits.bits[lane]);
        lanes_of(active).for_each(|lane| result.bits[lane] = one[lane] ^ other[lane]);
        let numbers: Vec<usize> = sources.iter().map(|(n, ..)| *n).collect();
        match vacated(row, &numbers) {
            Vacated::Moved => {
                let (ones, moved) = (with(&|_, _, _| u64::MAX), with(&|_, bits, lane| bits.vacated[lane]));
                let zero = |lane: usize| (!ones[lane] | moved[lane]) & whole(row.dest);
                lanes_of(active).for_each(|lane| result.vacated[lane] = zero(lane));
            }
            Vacated::InBoth => {
                let both =
                    |lane: usize| sources.iter().fold(u64::MAX, |all, (.., its)| all & its.vacated[lane]);
                lanes_of(active).for_each(|lane| result.vacated[lane] = both(lane));
            }
            Vacated::Nowhere => {}
        }
        for ((_, key, _), value) in sources.iter().zip(&kept) {
            warp.registers.set_raw(*key, value);
        }
        warp.registers.set_mask(mask);
    }
    warp.undefined.set(target, active, &result);
}

/// Called before a division of integers, with its lanes as the mask: in those whose divisor is zero the result has no
/// value.
#[inline(never)]
pub fn divide(
    worker: &mut WorkerState,
    warp: &mut Warp,
    block: u64,
    (pc, inst): (u32, &Inst),
    division: Division,
) {
    let Some(row) = worker.launch.code.origins[pc as usize].row else { return };
    if !worker.checks || inst.d == SINK {
        return;
    }
    let divisors = warp.registers.raw((row.sources[1], warp.registers.slot(row.sources[1], inst.s[1])));
    let target = (row.dest, warp.registers.slot(row.dest, inst.d));
    let low = u64::MAX >> (64 - division.bits);
    let zero =
        divisors.iter().enumerate().fold(0, |zero, (lane, at)| zero | u32::from(at & low == 0) << lane);
    for lane in lanes_of(zero & warp.registers.mask()) {
        let known = warp.undefined.registers.get(&target);
        // An operand without a value is what is to be told of.
        if known.is_none_or(|known| known.bits[lane] == 0) {
            let read = step::side(block, warp, pc, 1 << lane);
            warp.undefined.mark_undefined(target, lane, whole(row.dest), read);
            worker.findings.tracks_undefined = true;
        }
    }
}

/// Copies the undefined bits from one 32-bit register slot to another, as for call arguments.
pub fn copy(warp: &mut Warp, from: usize, to: usize) {
    let mask = warp.registers.mask();
    match warp.undefined.registers.get(&(File::R32, from)).cloned() {
        Some(undefined_bits) => warp.undefined.set((File::R32, to), mask, &undefined_bits),
        None => warp.undefined.define((File::R32, to), mask),
    }
}

/// Called before a warp collective. A shuffle passes undefined values on, where `from` returns the source lane of
/// a lane; for all others the operands are checked.
#[inline(never)]
pub fn collective(
    worker: &mut WorkerState,
    warp: &mut Warp,
    pc: u32,
    inst: &Inst,
    op: &CollectiveOp,
    from: impl Fn(&Warp, usize) -> usize,
) {
    let mask = warp.registers.mask();
    let (used, sources) = match &op.kind {
        CollectiveKind::Sync | CollectiveKind::Elect { .. } => (Use::Vote, Vec::new()),
        CollectiveKind::Shuffle { .. } => {
            (Use::ShuffleLane, vec![(File::R32, inst.s[1]), (File::R32, inst.s[2])])
        }
        CollectiveKind::Vote { .. } => (Use::Vote, vec![(File::Pred, inst.s[0])]),
        CollectiveKind::Match { .. } => (Use::Match, values_of(op, inst.s)),
        CollectiveKind::Redux(_) => (Use::Reduction, values_of(op, inst.s)),
        CollectiveKind::Matrix(_) => (Use::Matrix, values_of(op, inst.s)),
        CollectiveKind::Group(group) => {
            let mut sources = values_of(op, inst.s);
            if let WgmmaOp::Multiply { sums, add, .. } = &**group
                && warp.registers.pred(*add) & mask != 0
            {
                sources.extend(sums.iter().map(|&register| (File::R32, register)));
            }
            (Use::Matrix, sources)
        }
    };
    for register in sources {
        check(worker, warp, register, mask, pc, used.clone());
    }
    let shuffled = match &op.kind {
        CollectiveKind::Shuffle { .. } => warp.undefined.of(&warp.registers, File::R32, inst.s[0]).cloned(),
        _ => None,
    };
    for (file, register) in registers::writes(worker.launch.code, inst, None) {
        warp.define(file, register, mask);
    }
    if let Some(source) = shuffled
        && inst.d != SINK
    {
        let mut result = UndefinedBits::new();
        for lane in lanes_of(mask) {
            let from = from(warp, lane);
            (result.bits[lane], result.read[lane]) = (source.bits[from], source.read[from]);
            result.vacated[lane] = source.vacated[from];
        }
        let key = (File::R32, warp.registers.slot(File::R32, inst.d));
        warp.undefined.set(key, mask, &result);
    }
}

/// What has no value of what a lane stores.
#[derive(Clone, Copy, Debug)]
pub struct Lacking {
    /// The undefined bytes, one bit each; and those of them of which no bit has a value.
    pub bytes: u64,
    pub garbage: u64,
    /// Where the value was read.
    pub read: Side,
}

/// Returns what is undefined of a lane's store at `at`.
pub fn stored(warp: &Warp, op: &MemoryOp, lane: usize, at: SideAddress) -> Option<Lacking> {
    let (mut bytes, mut garbage, mut read) = (0u64, 0u64, None);
    for (k, &register) in op.registers[..op.elements as usize].iter().enumerate() {
        let Some(undefined_bits) = warp.undefined.of(&warp.registers, op.file, register) else { continue };
        // A byte of which some bits were set in place, as bit-fields are, counts as written.
        let in_place = undefined_bits.read[lane].is_some_and(|read| same_place(read, at, op.width()));
        for byte in 0..op.element_bytes as usize {
            let bits = (undefined_bits.bits[lane] | undefined_bits.vacated[lane]) >> (byte * 8) & 0xff;
            if bits == 0xff || bits != 0 && !in_place {
                let place = k * op.element_bytes as usize + byte;
                bytes |= 1 << place;
                garbage |= u64::from(bits == 0xff) << place;
                read = read.or(undefined_bits.read[lane]);
            }
        }
    }
    Some(Lacking { bytes, garbage, read: read? })
}

/// Returns whether an access of `width` bytes at `at` overlaps the bytes that were read.
fn same_place(read: Side, at: SideAddress, width: u32) -> bool {
    let (was, is) = match (read.place, at) {
        (SideAddress::Device(was), SideAddress::Device(is))
        | (SideAddress::Shared(was), SideAddress::Shared(is))
        | (SideAddress::Local { offset: was, .. }, SideAddress::Local { offset: is, .. }) => (was, is),
        // A variable in registers has no address.
        (SideAddress::Nowhere, _) => return true,
        _ => return false,
    };
    was < is.wrapping_add(width as u64) && is < was.wrapping_add(read.bytes as u64)
}

/// Records that a lane loaded `bytes` (one bit each) that nobody wrote. `read` says where, `poison` which of them
/// must read as the poison pattern.
pub fn loaded(warp: &mut Warp, op: &MemoryOp, lane: usize, bytes: u64, read: Side, poison: u64) {
    let each = op.element_bytes as usize;
    for (k, &register) in op.registers[..op.elements as usize].iter().enumerate() {
        if register == SINK {
            continue;
        }
        let of = |bytes: u64| {
            let its = bytes >> (k * each);
            let mut bits =
                (0..each).filter(|byte| its >> byte & 1 != 0).fold(0u64, |b, n| b | 0xff << (n * 8));
            if op.signed && each < 8 && bits >> (each * 8 - 1) & 1 != 0 {
                bits |= u64::MAX << (each * 8);
            }
            bits & whole(op.file)
        };
        let (bits, poison) = (of(bytes), of(poison));
        if bits == 0 {
            continue;
        }
        let key = (op.file, warp.registers.slot(op.file, register));
        if poison != 0 {
            let mut value = warp.registers.raw(key);
            value[lane] = value[lane] & !poison | crate::memory::global::POISON_DOUBLE & poison;
            warp.registers.set_raw(key, &value);
        }
        warp.undefined.mark_undefined(key, lane, bits, read);
        if let Some(its) = warp.undefined.registers.get_mut(&key) {
            its.vacated[lane] = vacated_by_load(op.file, each, bits, op.signed);
        }
    }
}

/// Returns whether it is known where the undefined value at `offset` of a lane's local memory was read.
pub fn is_known(warp: &Warp, lane: usize, offset: u64) -> bool {
    warp.undefined.local.contains_key(&(lane, offset / 4))
}

/// Reports that `printf`, called by a lane, prints undefined bytes of its local memory at `offset`.
pub fn printed(worker: &mut WorkerState, warp: &Warp, by: Side, lane: usize, offset: u64) {
    let place = SideAddress::Local { offset, bytes: warp.local.bytes() };
    let side = Side { bytes: 4, place, ..by };
    let read = warp.undefined.local.get(&(lane, offset / 4)).copied().unwrap_or(side);
    matters(worker, read, by.pc, &Use::Printed);
}
