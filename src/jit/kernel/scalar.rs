//! Rows on values that are known except for the first lane's: one scalar instruction does the work of 32 lanes.

use super::emit::Translator;
use super::lane_values::{self, is_zero};
use super::registers::ValueLocation;
use super::row::{Op, Row, row};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use sim::kernel_code::{Arithmetic, File, LaneValues, Lanes64, Operand};

fn integer(bits: u32) -> Type {
    match bits {
        1 => I8,
        32 => I32,
        _ => I64,
    }
}

/// Returns the equivalent condition for swapped operands.
fn swapped(condition: IntCC) -> IntCC {
    use IntCC::*;
    match condition {
        SignedLessThan => SignedGreaterThan,
        SignedLessThanOrEqual => SignedGreaterThanOrEqual,
        SignedGreaterThan => SignedLessThan,
        SignedGreaterThanOrEqual => SignedLessThanOrEqual,
        UnsignedLessThan => UnsignedGreaterThan,
        UnsignedLessThanOrEqual => UnsignedGreaterThanOrEqual,
        UnsignedGreaterThan => UnsignedLessThan,
        UnsignedGreaterThanOrEqual => UnsignedLessThanOrEqual,
        Equal | NotEqual => condition,
    }
}

/// Returns the lowest and the highest offset of a lane.
fn bounds(offsets: &Lanes64) -> (i64, i64) {
    let each = || offsets.iter().map(|&offset| offset as i64);
    (each().min().unwrap_or(0), each().max().unwrap_or(0))
}

impl Translator<'_, '_> {
    /// Translates an arithmetic instruction in the cheapest way possible: as a constant, on the first lane alone,
    /// on all lanes, or by the interpreter.
    pub fn arithmetic(&mut self, number: u32, instruction: &Arithmetic) {
        let held: Vec<LaneValues> =
            instruction.from.iter().map(|&operand| self.lane_values(operand)).collect();
        let known = row(instruction.name).filter(|_| instruction.plain);
        let diverges = self.diverging.contains(&number);
        match (lane_values::transfer_row(instruction, &held, diverges), known) {
            (LaneValues::Constant(bits), _) => self.put(instruction.to, ValueLocation::Constant(bits)),
            (LaneValues::Offsets(offsets), Some(row)) => {
                let value = self.row_on_first_lane(number, row, instruction);
                self.put(instruction.to, ValueLocation::Scalar(value, offsets));
            }
            (_, Some(row)) if self.row_on_all_lanes(row, instruction) => {}
            _ => self.interpret(number),
        }
    }

    /// Returns the first lane's value of an operand that is a constant or a scalar.
    pub fn first_lane(&mut self, operand: Operand, file: File) -> Value {
        let kind = match file {
            File::R32 => I32,
            File::R64 => I64,
            File::Pred => I8,
        };
        match self.operand_location(operand) {
            ValueLocation::Scalar(value, _) => value,
            ValueLocation::Constant(bits) if file == File::Pred => {
                self.b.ins().iconst(kind, (bits & 1) as i64)
            }
            ValueLocation::Constant(bits) if file == File::R32 => {
                self.b.ins().iconst(kind, i64::from(bits as u32 as i32))
            }
            ValueLocation::Constant(bits) => self.b.ins().iconst(kind, bits as i64),
            ValueLocation::Vector(..) | ValueLocation::Mask(..) | ValueLocation::Memory => {
                unreachable!("its lanes are known")
            }
        }
    }

    fn offsets(&self, operand: Operand) -> Lanes64 {
        lane_values::offsets(&self.lane_values(operand)).map_or([0; 32], |offsets| *offsets)
    }

    /// Widens a 32-bit operand to 64 bits. Exits to the interpreter if a lane's value wraps around, since its
    /// offset is then different.
    fn widened(&mut self, number: u32, operand: Operand, signed: bool) -> Value {
        let value = self.first_lane(operand, File::R32);
        let value = match signed {
            true => self.b.ins().sextend(I64, value),
            false => self.b.ins().uextend(I64, value),
        };
        let offsets = self.offsets(operand);
        if !is_zero(&offsets) {
            let (low, high) = bounds(&offsets);
            let start = if signed { 1 << 31 } else { 0 };
            let lowest = self.b.ins().iadd_imm(value, low + start);
            let room = i64::from(u32::MAX) - (high - low);
            let wraps = self.b.ins().icmp_imm(IntCC::UnsignedGreaterThan, lowest, room.max(0));
            self.exit_if(wraps, number, true);
        }
        value
    }

    /// Returns a row's result in the first lane, for operands that are constants or scalars.
    fn row_on_first_lane(&mut self, number: u32, row: Row, instruction: &Arithmetic) -> Value {
        let file = if row.bits == 64 { File::R64 } else { File::R32 };
        let file = if row.bits == 1 { File::Pred } else { file };
        let kind = integer(row.bits);
        match row.op {
            Op::Compare(condition) => return self.compare(number, row, condition, instruction),
            Op::MulWide | Op::MadWide => {
                let a = self.widened(number, instruction.from[0], row.signed);
                let b = self.widened(number, instruction.from[1], row.signed);
                let product = self.b.ins().imul(a, b);
                if row.op == Op::MulWide {
                    return product;
                }
                let c = self.first_lane(instruction.from[2], File::R64);
                return self.b.ins().iadd(product, c);
            }
            Op::Convert => {
                return match (row.bits, instruction.to.file) {
                    (32, File::R64) => self.widened(number, instruction.from[0], row.signed),
                    (64, File::R32) => {
                        let value = self.first_lane(instruction.from[0], File::R64);
                        self.b.ins().ireduce(I32, value)
                    }
                    _ => self.first_lane(instruction.from[0], file),
                };
            }
            Op::Shl | Op::Shr => {
                let value = self.first_lane(instruction.from[0], file);
                let by = self.first_lane(instruction.from[1], File::R32);
                return self.shift(row, value, by);
            }
            Op::Select => {
                let (a, b) =
                    (self.first_lane(instruction.from[0], file), self.first_lane(instruction.from[1], file));
                let predicate = self.first_lane(instruction.from[2], File::Pred);
                return self.b.ins().select(predicate, a, b);
            }
            _ => {}
        }
        let a = self.first_lane(instruction.from[0], file);
        let b = if instruction.from.len() > 1 { self.first_lane(instruction.from[1], file) } else { a };
        match row.op {
            Op::Add => self.b.ins().iadd(a, b),
            Op::Sub => self.b.ins().isub(a, b),
            Op::Mul => self.b.ins().imul(a, b),
            Op::Mad => {
                let c = self.first_lane(instruction.from[2], file);
                let product = self.b.ins().imul(a, b);
                self.b.ins().iadd(product, c)
            }
            Op::And => self.b.ins().band(a, b),
            Op::Or => self.b.ins().bor(a, b),
            Op::Xor => self.b.ins().bxor(a, b),
            Op::Not if kind == I8 => self.b.ins().bxor_imm(a, 1),
            Op::Not => self.b.ins().bnot(a),
            Op::Neg => self.b.ins().ineg(a),
            Op::Min | Op::Max => {
                let condition = match (row.op, row.signed) {
                    (Op::Min, true) => IntCC::SignedLessThan,
                    (Op::Min, false) => IntCC::UnsignedLessThan,
                    (_, true) => IntCC::SignedGreaterThan,
                    (_, false) => IntCC::UnsignedGreaterThan,
                };
                let first = self.b.ins().icmp(condition, a, b);
                self.b.ins().select(first, a, b)
            }
            _ => a,
        }
    }

    /// Translates a shift. A shift by the operand's width or more yields 0, or for signed right shifts, the sign
    /// in every bit.
    fn shift(&mut self, row: Row, value: Value, by: Value) -> Value {
        let bits = i64::from(row.bits);
        let within = self.b.ins().icmp_imm(IntCC::UnsignedLessThan, by, bits);
        if row.op == Op::Shr && row.signed {
            let most = self.b.ins().iconst(I32, bits - 1);
            let by = self.b.ins().select(within, by, most);
            return self.b.ins().sshr(value, by);
        }
        let ins = self.b.ins();
        let shifted = if row.op == Op::Shl { ins.ishl(value, by) } else { ins.ushr(value, by) };
        let zero = self.b.ins().iconst(integer(row.bits), 0);
        self.b.ins().select(within, shifted, zero)
    }

    /// Translates a comparison that has the same result in all lanes; exits to the interpreter if it does not.
    fn compare(&mut self, number: u32, row: Row, condition: IntCC, instruction: &Arithmetic) -> Value {
        let file = if row.bits == 64 { File::R64 } else { File::R32 };
        // Put the operand whose lanes differ first.
        let (mut condition, mut sides) = (condition, (instruction.from[0], instruction.from[1]));
        if is_zero(&self.offsets(sides.0)) {
            (condition, sides) = (swapped(condition), (sides.1, sides.0));
        }
        let offsets = self.offsets(sides.0);
        if is_zero(&offsets) {
            let (a, b) = (self.first_lane(sides.0, file), self.first_lane(sides.1, file));
            return self.b.ins().icmp(condition, a, b);
        }
        let (low, high) = bounds(&offsets);
        if matches!(condition, IntCC::Equal | IntCC::NotEqual) {
            let (a, b) = (self.first_lane(sides.0, file), self.first_lane(sides.1, file));
            // The distance of the other side from the lowest lane's value.
            let distance = self.b.ins().isub(b, a);
            let distance = self.b.ins().iadd_imm(distance, low.wrapping_neg());
            let span = self.b.ins().iconst(integer(row.bits), high.wrapping_sub(low));
            let among = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, distance, span);
            self.exit_if_diverged(among, number);
            return self.b.ins().iconst(I8, i64::from(condition == IntCC::NotEqual));
        }
        let a = self.widened(number, sides.0, row.signed);
        let b = self.first_lane(sides.1, File::R32);
        let b = if row.signed { self.b.ins().sextend(I64, b) } else { self.b.ins().uextend(I64, b) };
        let (lowest, highest) = (self.b.ins().iadd_imm(a, low), self.b.ins().iadd_imm(a, high));
        let of_lowest = self.b.ins().icmp(condition, lowest, b);
        let of_highest = self.b.ins().icmp(condition, highest, b);
        let differ = self.b.ins().bxor(of_lowest, of_highest);
        self.exit_if_diverged(differ, number);
        of_lowest
    }
}
