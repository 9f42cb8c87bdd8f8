//! Matrix operations. The arithmetic is a single decoded instruction; data movement between memory and registers is
//! lowered to address computations over the warp and plain loads and stores, so that it is checked and counted like
//! any other access.

use super::function::{FunctionLowering, Lowered};
use super::memory::{plain_access, space_of};
use super::scope::Symbol;
use crate::code::{CollectiveKind, CollectiveOp, MatrixCode};
use crate::counts::Class;
use crate::lanes::File;
use crate::matrix::{self, Element, MatrixOp, Multiply, RowMove, Step, WmmaMove};
use crate::memory::access::{Action, MemoryOp, Role, Space};
use crate::table::Flop;
use ptx::{Instruction, Operand};
use std::collections::HashSet;

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it is a matrix instruction; returns whether it is.
    pub fn matrix(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        if !matches!(i.opcode, "mma" | "wmma" | "ldmatrix" | "stmatrix" | "movmatrix") {
            return Ok(false);
        }
        let op = matrix::parse(i.opcode, &i.modifiers).ok_or(String::new())?;
        self.count_as(Class::Matrix);
        match op {
            MatrixOp::Multiply(op) => self.multiply(i, op)?,
            MatrixOp::WmmaLoad(op) => self.wmma_move(i, op, false)?,
            MatrixOp::WmmaStore(op) => self.wmma_move(i, op, true)?,
            MatrixOp::LoadRows(op) => self.row_move(i, op, false)?,
            MatrixOp::StoreRows(op) => self.row_move(i, op, true)?,
            MatrixOp::Transpose => {
                let [dest, source] = &i.operands[..] else { return Err("its operands".into()) };
                let (d, _) = self.destination(dest, File::R32)?;
                let source = self.source(source, File::R32)?;
                self.matrix_code(MatrixCode::Transpose { d, source });
            }
        }
        Ok(true)
    }

    fn matrix_code(&mut self, code: MatrixCode) {
        let kind = CollectiveKind::Matrix(Box::new(code));
        let op = CollectiveOp { kind, mask: Some(self.all_lanes) };
        self.collective(op, 0, [0; 4]);
    }

    /// Returns the registers of an operand's vector, to be written or read.
    pub fn vector(&mut self, operand: &Operand<'a>, file: File, written: bool) -> Lowered<Vec<u32>> {
        let parts = match operand {
            Operand::Vector(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let register = |this: &mut Self, part: &Operand<'a>| match written {
            true => Ok(this.destination(part, file)?.0),
            false => this.source(part, file),
        };
        parts.iter().map(|part| register(self, part)).collect()
    }

    fn multiply(&mut self, i: &Instruction<'a>, op: Multiply) -> Lowered<()> {
        let [d, a, b, c] = &i.operands[..] else { return Err("its operands".into()) };
        let file = |element: Element| if element == Element::F64 { File::R64 } else { File::R32 };
        let wanted =
            [op.fragment_d(), op.fragment_a(), op.fragment_b(), op.fragment_c()].map(|f| f.registers());
        let d = self.vector(d, file(op.d), true)?;
        let a = self.vector(a, file(op.a), false)?;
        let b = self.vector(b, file(op.b), false)?;
        let c = self.vector(c, file(op.c), false)?;
        if [d.len(), a.len(), b.len(), c.len()] != wanted {
            return Err("the lengths of its vectors".into());
        }
        let (element, operations) = (op.a, op.operations());
        self.matrix_code(MatrixCode::Multiply { op: Box::new(op), d, a, b, c });
        self.count_operations(element, operations);
        Ok(())
    }

    /// Counts a product of matrices with these elements, the last instruction, as the operations of its lanes.
    pub fn count_operations(&mut self, element: Element, operations: u64) {
        let kind = match element {
            Element::F16 => Flop::f16,
            Element::Bf16 => Flop::bf16,
            Element::Tf32 => Flop::tf32,
            Element::F64 => Flop::f64,
            _ => Flop::int8,
        };
        if let Some(draft) = self.drafts.last_mut() {
            draft.flops = Some((kind, (operations / 32) as u32));
        }
    }

    /// Returns an address's base register and offset, and the space that it names.
    fn matrix_address(&mut self, i: &Instruction<'a>, operand: &Operand<'a>) -> Lowered<(u32, i64, Space)> {
        let Operand::Address { base: Some(name), offset } = operand else { return Err("its address".into()) };
        let named = match self.symbol(name) {
            Some(Symbol::Shared(_)) => Space::Shared,
            Some(Symbol::Global(_)) => Space::Global,
            _ => Space::Generic,
        };
        let base = self.source(&Operand::Name(name), File::R64)?;
        Ok((base, *offset, space_of(i).unwrap_or(named)))
    }

    /// Adds a load or store of `bytes` bytes by every lane, at its address in the base register.
    fn matrix_access(&mut self, store: bool, at: (Space, u32, i64), bytes: usize, register: u32) {
        let file = if bytes == 8 { File::R64 } else { File::R32 };
        let action = if store { Action::Store } else { Action::Load };
        let plain = plain_access(action, at, (bytes as u8, file), &[register]);
        let role = Role { fragment: true, ..Role::default() };
        self.push_memory(MemoryOp { role, ..plain });
    }

    fn wmma_move(&mut self, i: &Instruction<'a>, op: WmmaMove, store: bool) -> Lowered<()> {
        let (address, vector, rest) = match (&i.operands[..], store) {
            ([vector, address, rest @ ..], false) => (address, vector, rest),
            ([address, vector, rest @ ..], true) => (address, vector, rest),
            _ => return Err("its operands".into()),
        };
        let (base, offset, space) = self.matrix_address(i, address)?;
        let file = if op.fragment.register_bits() == 64 { File::R64 } else { File::R32 };
        let registers = self.vector(vector, file, !store)?;
        if registers.len() != op.fragment.registers() {
            return Err("the length of its vector".into());
        }
        let stride = match rest.first() {
            Some(stride) => self.source(stride, File::R32)?,
            None => self.immediate(File::R32, op.default_stride()),
        };
        let steps: Vec<Step> = op.steps().to_vec();
        let distinct = op.fragment.distinct_registers();
        let whole = op.fragment.register_bits() / 8;
        let addresses: Vec<u32> = steps.iter().map(|_| self.allocate(File::R64, 1)).collect();
        let code = MatrixCode::WmmaAddresses { op: Box::new(op), base, stride, d: addresses.clone() };
        self.matrix_code(code);
        let zero = self.immediate(File::R32, 0);
        let mut begun = HashSet::new();
        for (step, address) in steps.iter().zip(addresses) {
            let register = registers[step.register];
            if step.bytes == whole {
                self.matrix_access(store, (space, address, offset), step.bytes, register);
                continue;
            }
            // Part of a register is moved through a temporary.
            let number = self.immediate(File::R32, (step.shift / (step.bytes * 8)) as u64);
            let (get, set) = if step.bytes == 2 { ("%half", "%set_half") } else { ("%byte", "%set_byte") };
            if store {
                let part = self.compute(get, &[register, number])?;
                self.matrix_access(true, (space, address, offset), step.bytes, part);
            } else {
                let part = self.allocate(File::R32, 1);
                self.matrix_access(false, (space, address, offset), step.bytes, part);
                // The previous contents of the register don't matter.
                let rest = if begun.insert(register) { zero } else { register };
                self.row(set, register, &[rest, part, number])?;
            }
        }
        if !store {
            for (n, &register) in registers.iter().enumerate().skip(distinct) {
                self.row("mov.b32", register, &[registers[n - distinct]])?;
            }
        }
        Ok(())
    }

    /// Lowers `ldmatrix` or `stmatrix`. A lane moves 4 bytes of a row, or two halves if the matrix is transposed.
    fn row_move(&mut self, i: &Instruction<'a>, op: RowMove, store: bool) -> Lowered<()> {
        let (address, vector) = match (&i.operands[..], store) {
            ([vector, address], false) | ([address, vector], true) => (address, vector),
            _ => return Err("its operands".into()),
        };
        let (base, offset, space) = self.matrix_address(i, address)?;
        let space = if space == Space::Generic { Space::Generic } else { Space::Shared };
        let registers = self.vector(vector, File::R32, !store)?;
        if registers.len() != op.matrices {
            return Err("the length of its vector".into());
        }
        let halves = if op.transposed { 2 } else { 1 };
        let addresses: Vec<u32> = (0..op.matrices * halves).map(|_| self.allocate(File::R64, 1)).collect();
        let code = MatrixCode::RowAddresses { transposed: op.transposed, base, d: addresses.clone() };
        self.matrix_code(code);
        for (n, &register) in registers.iter().enumerate() {
            if !op.transposed {
                self.matrix_access(store, (space, addresses[n], offset), 4, register);
                continue;
            }
            for half in 0..2 {
                let address = addresses[n * 2 + half];
                let number = self.immediate(File::R32, half as u64);
                if store {
                    let part = self.compute("%half", &[register, number])?;
                    self.matrix_access(true, (space, address, offset), 2, part);
                } else {
                    let part = self.allocate(File::R32, 1);
                    self.matrix_access(false, (space, address, offset), 2, part);
                    let rest = if half == 0 { self.immediate(File::R32, 0) } else { register };
                    self.row("%set_half", register, &[rest, part, number])?;
                }
            }
        }
        Ok(())
    }
}
