//! Tracks the registers of matrix products in flight: from `wgmma.mma_async` until the warp waits for its group.
//! The simulator computes the product at once; what matters is which instructions touch the registers before the
//! wait (PTX ISA, `wgmma.mma_async`, `wgmma.wait_group`).
//!
//! A move transfers the in-flight state to its destination: that is how the compiler renames registers, and the
//! machine code has no such instruction then.
//!
//! Not detected: registers passed through calls, and reads of A's registers, which only the ISA forbids.

use super::step::side;
use super::warp::Warp;
use super::worker::WorkerState;
use crate::code::registers::{self, Register};
use crate::code::{CollectiveKind, Inst, WgmmaOperand, What};
use crate::evidence::{Evidence, ProductRegister};
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::File;
use crate::matrix::GroupMultiply;
use crate::table::Row;

/// The product that uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InFlightUse {
    /// Number of groups that the warp had committed before.
    group: u32,
    pc: u32,
    /// Number of accumulator registers of the product; 0 if this is a register of A.
    sums: u32,
}

/// The registers of a warp that are used by matrix products in flight.
#[derive(Debug, Default)]
pub struct WgmmaInFlight {
    /// Whether any register is in flight.
    pub any: bool,
    /// The use of each 32-bit register, by slot.
    registers: Vec<Option<InFlightUse>>,
    /// Slots that are in use; some of them may no longer be.
    slots: Vec<usize>,
    closed: u32,
}

impl WgmmaInFlight {
    /// Resets the state for a new block.
    #[inline(always)]
    pub fn clear(&mut self) {
        if self.any || self.closed > 0 {
            self.wait(0, true);
            self.closed = 0;
        }
    }

    pub fn commit(&mut self) {
        self.closed = self.closed.saturating_add(1);
    }

    /// Waits for all groups but the last `pending`; with `all`, also for products that belong to no group.
    pub fn wait(&mut self, pending: u32, all: bool) {
        let done = self.closed.saturating_sub(pending);
        let registers = &mut self.registers;
        self.slots.retain(|&slot| {
            let in_flight = registers[slot].is_some_and(|in_flight| in_flight.group >= done && !all);
            if !in_flight {
                registers[slot] = None;
            }
            in_flight
        });
        self.any = !self.slots.is_empty();
    }

    fn of(&self, slot: usize) -> Option<InFlightUse> {
        self.registers.get(slot).copied().flatten()
    }

    fn hold(&mut self, slot: usize, in_flight: Option<InFlightUse>) {
        if self.registers.len() <= slot {
            if in_flight.is_none() {
                return;
            }
            self.registers.resize(slot + 1, None);
        }
        if self.registers[slot].is_none() && in_flight.is_some() {
            self.slots.push(slot);
        }
        self.registers[slot] = in_flight;
        self.any |= in_flight.is_some();
    }
}

/// Called before an instruction of a warp that has products in flight: checks the registers it touches.
#[inline(never)]
pub fn pass(worker: &mut WorkerState, warp: &mut Warp, block: u64, pc: u32, inst: &Inst) {
    let code = worker.launch.code;
    if inst.guard.lanes(&warp.registers, warp.registers.mask()) == 0 {
        return;
    }
    let row = code.row(pc);
    if row.is_some_and(Row::is_move) {
        let (from, to) = (inst.s[0], inst.d);
        let slot = |register: u32| warp.registers.slot(File::R32, register);
        let in_flight = warp.products.of(slot(from)).filter(|in_flight| in_flight.sums > 0);
        let overwritten = warp.products.of(slot(to)).is_some_and(|in_flight| in_flight.sums > 0);
        if in_flight.is_none() && overwritten {
            touched(worker, warp, block, pc, to, AccessKind::Write);
        }
        let slot = warp.registers.slot(File::R32, to);
        return warp.products.hold(slot, in_flight);
    }
    let mut look = |(file, register): Register, touch| {
        if file == File::R32 {
            touched(worker, warp, block, pc, register, touch);
        }
    };
    match (inst.what, row) {
        // The most frequent ones, without lists of registers.
        (What::Lanes(_), Some(row)) => {
            row.sources.iter().zip(inst.s).for_each(|(&file, s)| look((file, s), AccessKind::Read));
            look((row.dest, inst.d), AccessKind::Write);
        }
        // Products are checked where they begin.
        (What::Collective, _)
            if matches!(code.details.collectives[inst.detail as usize].kind, CollectiveKind::Group(_)) => {}
        (What::Memory | What::Collective, _) => {
            registers::reads(code, inst, None).into_iter().for_each(|its| look(its, AccessKind::Read));
            registers::writes(code, inst, None).into_iter().for_each(|its| look(its, AccessKind::Write));
        }
        _ => {}
    }
}

/// Reports an access to a register that is in flight.
fn touched(worker: &mut WorkerState, warp: &mut Warp, block: u64, pc: u32, register: u32, touch: AccessKind) {
    let slot = warp.registers.slot(File::R32, register);
    let Some(in_flight) = warp.products.of(slot) else { return };
    if in_flight.sums == 0 && touch == AccessKind::Read {
        return;
    }
    let mask = warp.registers.mask();
    let at = super::findings::Side { kind: touch, ..side(block, warp, pc, mask) };
    let other = side(block, warp, in_flight.pc, mask);
    worker.findings.add(FindingKind::ProductInFlight, at, Some(other), || {
        [Evidence::ProductRegister(match (in_flight.sums > 0, touch) {
            (true, AccessKind::Read) => ProductRegister::SumRead,
            (true, _) => ProductRegister::SumChanged,
            (false, _) => ProductRegister::OperandChanged,
        })]
    });
    if touch == AccessKind::Write {
        warp.products.hold(slot, None);
    }
}

/// Marks the registers of a new product as in flight. Returns the pc of another product in flight with the same
/// accumulators but a different shape, if there is one: only products of one shape are ordered without a fence
/// (PTX ISA, `wgmma.fence`).
pub fn begin(
    worker: &mut WorkerState,
    warp: &mut Warp,
    block: u64,
    pc: u32,
    op: &GroupMultiply,
    (sums, a): (&[u32], &WgmmaOperand),
) -> Option<u32> {
    let all = op.registers() as u32;
    let mut other = None;
    for &register in sums {
        let slot = warp.registers.slot(File::R32, register);
        if let Some(in_flight) = warp.products.of(slot) {
            match in_flight.sums {
                0 => touched(worker, warp, block, pc, register, AccessKind::Write),
                its if its != all => other = Some(in_flight.pc),
                _ => {}
            }
        }
        warp.products.hold(slot, Some(InFlightUse { group: warp.products.closed, pc, sums: all }));
    }
    if let WgmmaOperand::Registers(a) = a {
        for &register in a {
            let slot = warp.registers.slot(File::R32, register);
            match warp.products.of(slot) {
                Some(in_flight) if in_flight.sums > 0 => {
                    touched(worker, warp, block, pc, register, AccessKind::Read)
                }
                _ => {
                    let in_flight = InFlightUse { group: warp.products.closed, pc, sums: 0 };
                    warp.products.hold(slot, Some(in_flight));
                }
            }
        }
    }
    other
}
