//! `cp.async.bulk`: copies of many bytes, each by one instruction of one thread. The simulator moves the bytes at
//! once, 16 at a time; observers are notified how the copy is waited for, and when that happens.

use super::copy_async::{COMMIT, WAIT_GROUP};
use super::function::{FunctionLowering, Lowered};
use super::memory::{AddressSource, operands_of, plain_access, space_named};
use crate::code::{BulkOp, System, add_to};
use crate::counts::Class;
use crate::lanes::File;
use crate::memory::access::{Action, MemoryOp, Order, Role, SINK, Space};
use ptx::{Immediate, Instruction, Operand};

/// Bytes moved at a time; addresses and sizes are multiples of it.
pub const CHUNK_BYTES: u64 = 16;
/// 32-bit words per chunk.
pub const WORDS: u32 = 4;

impl<'a> FunctionLowering<'_, 'a> {
    pub fn copy_bulk(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        if i.has("tensor") {
            return self.copy_tensor(i);
        }
        // These copy nothing, and are not counted as copies.
        if i.has("commit_group") || i.has("wait_group") {
            let step = match &i.operands[..] {
                [] => COMMIT,
                [Operand::Immediate(Immediate::Int(pending))] => {
                    (*pending).clamp(0, 1 << 20) as u32 + WAIT_GROUP
                }
                _ => return Err("its operands".into()),
            };
            self.system(System::BulkWait, 0, [0; 4], step);
            return Ok(());
        }
        self.count_as(Class::Async);
        if i.has("prefetch") {
            self.nothing(Class::Async);
            return Ok(());
        }
        let spaces: Vec<Space> = i.modifiers.iter().filter_map(|m| space_named(m)).collect();
        let [to_space, from_space] = spaces[..] else { return Err("its memory".into()) };
        if i.has("multicast::cluster") || i.has("ignore_oob") {
            return Err(String::new());
        }
        let [to, from, size, rest @ ..] = operands_of(i) else { return Err("its operands".into()) };
        let object = match rest {
            [object] if i.has("mbarrier::complete_tx::bytes") => Some(object),
            [] if i.has("bulk_group") => None,
            _ => return Err("its operands".into()),
        };
        let size = self.source(size, File::R32)?;
        let (from, to) = (self.address_of(from)?, self.address_of(to)?);
        let words = self.allocate(File::R32, WORDS);
        let at = [self.allocate(File::R64, 1), self.allocate(File::R64, 1)];
        let load = self.chunk(Action::Load, from_space, at[0], words);
        let store = self.chunk(Action::Store, to_space, at[1], words);
        let waited_for = object.map(|object| self.address_of(object)).transpose()?;
        let bulk = BulkOp { load, store, at, object: waited_for };
        let number = add_to(&mut self.module.code.details.bulks, bulk);
        self.module.note_fence(true);
        self.system(System::Bulk, 0, [from, to, size, 0], number);
        if let Some(object) = object {
            self.complete(i, object, size, None)?;
        }
        Ok(())
    }

    /// Returns a register with the address that an operand denotes.
    pub fn address_of(&mut self, operand: &Operand<'a>) -> Lowered<u32> {
        match self.place(operand)? {
            AddressSource::Address { base, offset: 0, .. } => Ok(base),
            AddressSource::Address { base, offset, .. } => {
                let offset = self.immediate(File::R64, offset as u64);
                self.compute("add.u64", &[base, offset])
            }
            _ => Err("its address".into()),
        }
    }

    /// Adds a memory operation that moves a chunk. It is part of a bulk copy and not an instruction of its own;
    /// returns its number.
    pub fn chunk(&mut self, action: Action, space: Space, base: u32, words: u32) -> u32 {
        let registers: Vec<u32> = (words..).take(WORDS as usize).collect();
        self.bulk_access(action, space, base, (4, File::R32), &registers)
    }

    /// Adds a memory operation by which a bulk copy accesses elements of the given width, and returns its number.
    pub fn bulk_access(
        &mut self,
        action: Action,
        space: Space,
        base: u32,
        width: (u8, File),
        elements: &[u32],
    ) -> u32 {
        if space != Space::Global {
            self.module.note_shared_access(4);
        }
        let atomic = matches!(action, Action::Atomic { .. });
        if atomic {
            self.module.note_communication(space);
        }
        let order = if atomic { Order::Strong } else { Order::Weak };
        let role = Role { copy: true, bulk: true, ..Role::default() };
        let elements = if elements.is_empty() { &[SINK] } else { elements };
        let plain = plain_access(action, (space, base, 0), width, elements);
        add_to(&mut self.module.code.details.memory, MemoryOp { order, role, ..plain })
    }

    /// Called after an instruction that tests whether a phase of an mbarrier object is complete: notifies observers
    /// of the completed phase, for the lanes in which the predicate `passed` is true.
    pub fn phase_over(
        &mut self,
        object: &Operand<'a>,
        passed: u32,
        token: u32,
        by_parity: bool,
    ) -> Lowered<()> {
        let at = self.address_of(object)?;
        self.system(System::PhaseOver, 0, [passed, at, token, 0], by_parity as u32);
        Ok(())
    }
}
