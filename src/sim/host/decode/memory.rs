//! Loads, stores and atomics: a vector access is decoded into one access per element.

use super::function::{DecodeError, Decoded, Decoder, plain};
use crate::code::{Inst, add_to};
use crate::host::op::{AtomicOp, Kind, Op};
use crate::lanes::File;
use crate::memory::LOCAL_WINDOW;
use crate::memory::access::{Action, MemoryOp, Order, SINK, Space};
use crate::scalar::bytes_of;

impl Decoder<'_, '_> {
    pub fn memory(&mut self, inst: &Inst) -> Decoded<()> {
        let op = &self.code.details.memory[inst.detail as usize];
        // An address in the local space is the stack's address minus the window, so that conversions between
        // the two are the same as in a kernel.
        let window = match op.space {
            Space::Shared | Space::Cluster => return Err(DecodeError::DeviceOnly("shared memory")),
            Space::Param => return Err(DecodeError::DeviceOnly("a kernel's parameter")),
            Space::Local => LOCAL_WINDOW,
            Space::Generic | Space::Global | Space::Const => 0,
        };
        let offset = op.offset.wrapping_add(window as i64);
        match op.action {
            Action::Load => self.load(op, offset),
            Action::Store => self.store(op, offset),
            Action::Atomic { apply, operand, comparand } => {
                let d = (op.registers[0] != SINK).then_some(op.registers[0]);
                let atomic = AtomicOp {
                    apply,
                    bytes: op.element_bytes,
                    d: d.map(|d| self.frame.destination(op.file, d)).transpose()?,
                    base: self.frame.offset(File::R64, op.base)?,
                    offset,
                    operand: self.frame.offset(op.file, operand)?,
                    comparand: match comparand {
                        SINK => None,
                        register => Some(self.frame.offset(op.file, register)?),
                    },
                };
                let number = add_to(&mut self.program.atomics, atomic);
                self.push(Op { target: number, ..plain(Kind::Atomic) });
                Ok(())
            }
        }
    }

    fn load(&mut self, op: &MemoryOp, offset: i64) -> Decoded<()> {
        let mut base = self.frame.offset(File::R64, op.base)?;
        let registers = &op.registers[..op.elements as usize];
        if op.file == File::R64 && registers.len() > 1 && registers.contains(&op.base) {
            // The loads overwrite the register that holds the address, so it is copied first.
            let mut copy = plain(Kind::Move64);
            (copy.operands.d, copy.operands.s[0]) = (self.frame.scratch(), base);
            self.push(copy);
            base = self.frame.scratch();
        }
        let signed = op.signed && u32::from(op.element_bytes) < bytes_of(op.file);
        let kind = match (op.file, op.element_bytes, signed) {
            (File::R32, 1, false) => Kind::Load8To32,
            (File::R32, 1, true) => Kind::LoadSigned8To32,
            (File::R32, 2, false) => Kind::Load16To32,
            (File::R32, 2, true) => Kind::LoadSigned16To32,
            (File::R32, 4, _) => Kind::Load32,
            (File::R64, 8, _) => Kind::Load64,
            (File::R64, 1 | 2 | 4, _) => Kind::LoadTo64,
            _ => return Err(DecodeError::Unsupported(format!("a load of {} bytes", op.element_bytes))),
        };
        for (n, &register) in registers.iter().enumerate() {
            let mut load = plain(kind);
            load.operands.d = self.frame.destination(op.file, register)?;
            // Whether it is strong: volatile or atomic.
            load.operands.s = [base, (op.order != Order::Weak) as u32, 0, 0];
            load.operands.detail = op.element_bytes as u32 | (signed as u32) << 4;
            load.immediate = offset.wrapping_add(n as i64 * op.element_bytes as i64);
            self.push(load);
        }
        Ok(())
    }

    fn store(&mut self, op: &MemoryOp, offset: i64) -> Decoded<()> {
        let base = self.frame.offset(File::R64, op.base)?;
        let kind = match op.element_bytes {
            1 => Kind::Store8,
            2 => Kind::Store16,
            4 => Kind::Store32,
            8 if op.file == File::R64 => Kind::Store64,
            bytes => return Err(DecodeError::Unsupported(format!("a store of {bytes} bytes"))),
        };
        for (n, &register) in op.registers[..op.elements as usize].iter().enumerate() {
            let mut store = plain(kind);
            let strong = (op.order != Order::Weak) as u32;
            store.operands.s = [base, self.frame.offset(op.file, register)?, strong, 0];
            store.immediate = offset.wrapping_add(n as i64 * op.element_bytes as i64);
            self.push(store);
        }
        Ok(())
    }
}
