//! `mbarrier` instructions: atomics on the object, with the semantics of [`crate::mbarrier`], each followed by a
//! check that ends the run if the object or the count was invalid.

use super::function::{FunctionLowering, Lowered};
use super::memory::{plain_access, space_of};
use crate::code::System;
use crate::counts::Class;
use crate::lanes::File;
use crate::mbarrier::change::Change;
use crate::memory::access::{Action, MbarrierEffect, MemoryOp, Order, Role, SINK, Space};
use ptx::{Immediate, Instruction, Operand};

/// The number of bits in the mask by which a copy names blocks of a cluster.
const MAX_RANKS: u64 = 16;

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it operates on an mbarrier; returns whether it does.
    pub fn mbarrier(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        let async_arrive = i.opcode == "cp" && i.has("async") && i.has("mbarrier") && !i.has("bulk");
        if i.opcode != "mbarrier" && !async_arrive {
            return Ok(false);
        }
        self.count_as(Class::Barrier);
        if async_arrive {
            // Since bytes move at once, the arrival that is to follow the copies happens now: those who observe it may
            // rely on what the copies wrote.
            let [address] = &i.operands[..] else { return Err("its operands".into()) };
            let at = self.address_of(address)?;
            self.system(System::AsyncSignal, 0, [at, 0, 0, 0], 0);
            self.module.note_fence(true);
            self.system(System::Fence, 0, [0; 4], 0);
            if i.has("noinc") {
                let one = self.immediate(File::R64, 1);
                self.change(Change::Arrive, i, address, one)?;
            } else {
                let zero = self.immediate(File::R64, 0);
                self.change(Change::Read, i, address, zero)?;
            }
            return Ok(true);
        }
        let what = i.modifiers.first().copied().unwrap_or_default();
        let one = Operand::Immediate(Immediate::Int(1));
        match (what, &i.operands[..]) {
            ("init", [address, count]) => {
                let count = self.source(count, File::R32)?;
                let object = self.compute("%mbarrier.init", &[count])?;
                let at = self.mbarrier_address(i, address)?;
                self.mbarrier_access(Action::Store, at, object, MbarrierEffect::SetUp, false);
            }
            ("inval", [address]) => {
                let zero = self.immediate(File::R64, 0);
                self.change(Change::Invalidate, i, address, zero)?;
            }
            ("arrive" | "arrive_drop", rest) => {
                let (dest, address, count) = match rest {
                    [dest, address @ Operand::Address { .. }] => (Some(dest), address, &one),
                    [dest, address @ Operand::Address { .. }, count] => (Some(dest), address, count),
                    [address @ Operand::Address { .. }] => (None, address, &one),
                    [address @ Operand::Address { .. }, count] => (None, address, count),
                    _ => return Err("its operands".into()),
                };
                let change = match (what, i.has("expect_tx"), i.has("noComplete")) {
                    ("arrive", false, false) => Change::Arrive,
                    ("arrive", true, _) => Change::ArriveExpect,
                    ("arrive", _, true) => Change::ArriveNoComplete,
                    ("arrive_drop", false, false) => Change::ArriveDrop,
                    _ => return Err(String::new()),
                };
                // Those who observe the arrival may rely on what the thread wrote before.
                self.module.note_fence(true);
                self.system(System::Fence, 0, [0; 4], 0);
                let count = self.source(count, File::R64)?;
                let state = self.change(change, i, address, count)?;
                if let Some(dest) = dest
                    && !matches!(dest, Operand::Sink)
                {
                    let (d, _) = self.destination(dest, File::R64)?;
                    self.row("mov.b64", d, &[state])?;
                }
            }
            ("expect_tx" | "complete_tx", [address, bytes]) => {
                let bytes = self.source(bytes, File::R64)?;
                let change = if what == "expect_tx" { Change::Expect } else { Change::Complete };
                self.change(change, i, address, bytes)?;
            }
            ("test_wait" | "try_wait", [dest, address, token, ..]) => {
                if what == "try_wait" {
                    self.system(System::Yield, 0, [0; 4], 0);
                }
                let object = self.look(i, address)?;
                let (row, file) = match i.has("parity") {
                    true => ("%mbarrier.parity", File::R32),
                    false => ("%mbarrier.state", File::R64),
                };
                let token = self.source(token, file)?;
                let (d, _) = self.destination(dest, File::Pred)?;
                self.row(row, d, &[object, token])?;
                self.phase_over(address, d, token, i.has("parity"))?;
            }
            ("pending_count", [dest, state]) => {
                let state = self.source(state, File::R64)?;
                let (d, _) = self.destination(dest, File::R32)?;
                self.row("%mbarrier.pending", d, &[state])?;
            }
            _ => return Err(String::new()),
        }
        Ok(true)
    }

    fn mbarrier_address(&mut self, i: &Instruction<'a>, operand: &Operand<'a>) -> Lowered<(u32, i64, Space)> {
        let Operand::Address { base: Some(name), offset } = operand else { return Err("its address".into()) };
        let base = self.source(&Operand::Name(name), File::R64)?;
        Ok((base, *offset, space_of(i).unwrap_or(Space::Generic)))
    }

    /// Reads the object and checks it. Returns the register that holds its value.
    fn look(&mut self, i: &Instruction<'a>, address: &Operand<'a>) -> Lowered<u32> {
        let at = self.mbarrier_address(i, address)?;
        let object = self.allocate(File::R64, 1);
        let zero = self.immediate(File::R64, 0);
        self.mbarrier_access(Action::Load, at, object, MbarrierEffect::Wait, false);
        self.system(System::MbarrierCheck, 0, [object, zero, 0, 0], Change::Read as u32);
        Ok(object)
    }

    /// Changes the object and checks it. Returns the register that holds the object's previous value.
    pub fn change(
        &mut self,
        change: Change,
        i: &Instruction<'a>,
        address: &Operand<'a>,
        operand: u32,
    ) -> Lowered<u32> {
        let at = self.mbarrier_address(i, address)?;
        let cluster = i.modifiers.iter().any(|m| matches!(*m, "cluster" | "shared::cluster"));
        Ok(self.change_at(change, at, cluster, operand))
    }

    fn change_at(&mut self, change: Change, at: (u32, i64, Space), cluster: bool, operand: u32) -> u32 {
        let old = self.allocate(File::R64, 1);
        let action = Action::Atomic { apply: change.function(), operand, comparand: SINK };
        let object = if change == Change::Invalidate { MbarrierEffect::SetUp } else { MbarrierEffect::Count };
        self.mbarrier_access(action, at, old, object, cluster);
        self.system(System::MbarrierCheck, 0, [old, operand, 0, 0], change as u32);
        old
    }

    /// Signals to an mbarrier object that a copy's bytes have arrived; with `ranks`, to the objects at the same
    /// offset in the cluster's blocks whose bits are set.
    pub fn complete(
        &mut self,
        i: &Instruction<'a>,
        object: &Operand<'a>,
        bytes: u32,
        ranks: Option<u32>,
    ) -> Lowered<()> {
        let bytes = self.compute("%widen", &[bytes])?;
        let Some(ranks) = ranks else {
            self.change(Change::Complete, i, object, bytes)?;
            return Ok(());
        };
        let (at, outer) = (self.address_of(object)?, self.current.guard);
        for rank in 0..MAX_RANKS {
            let bit = self.immediate(File::R32, 1 << rank);
            let named = self.compute("and.b32", &[ranks, bit])?;
            self.guarded(named, 0, outer)?;
            let rank = self.immediate(File::R32, rank);
            let there = self.allocate(File::R64, 1);
            self.system(System::MapShared, there, [at, rank, 0, 0], 0);
            self.change_at(Change::Complete, (there, 0, Space::Cluster), true, bytes);
            self.current.guard = outer;
        }
        Ok(())
    }

    fn mbarrier_access(
        &mut self,
        action: Action,
        (base, offset, space): (u32, i64, Space),
        register: u32,
        object: MbarrierEffect,
        cluster: bool,
    ) {
        // Initialising or invalidating an object is a plain write: it must be ordered with every use by other
        // threads.
        let (order, role) = match object {
            MbarrierEffect::SetUp => (Order::Weak, Role { object, ..Role::default() }),
            _ => {
                // A wait acquires what another block of the cluster released, whatever scope the wait has.
                let (release, block_only) =
                    (object == MbarrierEffect::Count, object == MbarrierEffect::Count && !cluster);
                (Order::Strong, Role { acquire: true, release, block_only, object, ..Role::default() })
            }
        };
        let plain = plain_access(action, (space, base, offset), (8, File::R64), &[register]);
        self.push_memory(MemoryOp { order, role, ..plain });
    }
}
