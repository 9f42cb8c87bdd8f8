//! Rows on all 32 lanes of a warp, one vector of the processor after the other.

use super::emit::Translator;
use super::registers::{Lanes, ValueLocation, lanes_of_part};
use super::row::{Float, Op, Row};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, I32, I32X4};
use cranelift_codegen::ir::{InstBuilder, MemFlags, Value};
use sim::kernel_code::{Arithmetic, File, LANES, Operand};

impl Translator<'_, '_> {
    /// Translates a row for every lane. Returns false, with nothing emitted, if it is left to the interpreter.
    pub fn row_on_all_lanes(&mut self, row: Row, instruction: &Arithmetic) -> bool {
        match (row.op, row.bits) {
            (Op::Float(op), _) => self.float(op, instruction),
            (Op::FloatCompare(condition), _) => self.compare_floats(condition, instruction),
            (Op::Compare(condition), 32) => self.compare_integers(condition, instruction),
            (Op::And | Op::Or | Op::Xor | Op::Not | Op::Move, 1) => self.logic(row.op, instruction),
            (Op::Move, 32 | 64) => {
                let lanes = self.lanes(instruction.from[0], instruction.to.file);
                self.put(instruction.to, ValueLocation::Vector(lanes, true));
            }
            (Op::Select, 32) => self.select(instruction),
            (Op::ToFloat, 32) => self.each(instruction, |emit, v| emit.b.ins().fcvt_from_sint(F32X4, v[0])),
            (Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor | Op::Not | Op::Neg, 32 | 64)
            | (Op::Mul | Op::Mad | Op::Min | Op::Max, 32) => self.integers(row, instruction),
            (Op::Shl | Op::Shr, 32) => return self.shift_by_constant(row, instruction),
            _ => return false,
        }
        true
    }

    /// Computes each part of the result from the parts of the operands, once for equal parts.
    fn each(&mut self, instruction: &Arithmetic, act: impl Fn(&mut Self, &[Value]) -> Value) {
        let operands: Vec<Lanes> =
            instruction.from.iter().map(|&operand| self.lanes(operand, instruction.to.file)).collect();
        let lanes = self.parts(&operands, instruction.to.file, act);
        self.put(instruction.to, ValueLocation::Vector(lanes, true));
    }

    /// Computes a vector for each part of the operands. Where several parts have the same operands, the result is
    /// computed once and shared.
    fn parts(&mut self, operands: &[Lanes], file: File, act: impl Fn(&mut Self, &[Value]) -> Value) -> Lanes {
        let mut done: Vec<(Vec<Value>, Value)> = Vec::new();
        let mut parts = Vec::new();
        for n in 0..LANES / lanes_of_part(file) {
            let values: Vec<Value> = operands.iter().map(|lanes| lanes.parts[n]).collect();
            let known = done.iter().find(|(of, _)| *of == values).map(|&(_, value)| value);
            let value = known.unwrap_or_else(|| act(self, &values));
            if known.is_none() {
                done.push((values, value));
            }
            parts.push(value);
        }
        Lanes { parts, raw: false }
    }

    fn as_floats(&mut self, value: Value) -> Value {
        match self.b.func.dfg.value_type(value) {
            F32X4 => value,
            _ => self.b.ins().bitcast(F32X4, little(), value),
        }
    }

    pub fn as_integers(&mut self, value: Value) -> Value {
        match self.b.func.dfg.value_type(value) {
            I32X4 => value,
            _ => self.b.ins().bitcast(I32X4, little(), value),
        }
    }

    /// Replaces every NaN by the canonical NaN of a GPU.
    pub fn canonicalise_nans(&mut self, lanes: Lanes) -> Lanes {
        if !lanes.raw {
            return lanes;
        }
        let nan = self.b.ins().iconst(I32, 0x7fff_ffff);
        let nan = self.b.ins().splat(I32X4, nan);
        let lanes = Lanes { parts: lanes.parts, raw: false };
        self.parts(&[lanes], File::R32, |emit, v| {
            let floats = emit.as_floats(v[0]);
            let numbers = emit.b.ins().fcmp(FloatCC::Ordered, floats, floats);
            let bits = emit.as_integers(v[0]);
            emit.b.ins().bitselect(numbers, bits, nan)
        })
    }

    fn float(&mut self, op: Float, instruction: &Arithmetic) {
        let operands: Vec<Lanes> =
            instruction.from.iter().map(|&operand| self.raw_lanes(operand, File::R32)).collect();
        let lanes = self.parts(&operands, File::R32, |emit, v| {
            let v: Vec<Value> = v.iter().map(|&value| emit.as_floats(value)).collect();
            let ins = emit.b.ins();
            match op {
                Float::Add => ins.fadd(v[0], v[1]),
                Float::Sub => ins.fsub(v[0], v[1]),
                Float::Mul => ins.fmul(v[0], v[1]),
                Float::Div => ins.fdiv(v[0], v[1]),
                Float::Fma => ins.fma(v[0], v[1], v[2]),
                Float::Sqrt => ins.sqrt(v[0]),
            }
        });
        self.put(instruction.to, ValueLocation::Vector(Lanes { raw: true, ..lanes }, true));
    }

    fn integers(&mut self, row: Row, instruction: &Arithmetic) {
        self.each(instruction, |emit, v| {
            let v: Vec<Value> = match instruction.to.file {
                File::R64 => v.to_vec(),
                _ => v.iter().map(|&value| emit.as_integers(value)).collect(),
            };
            let ins = emit.b.ins();
            match (row.op, row.signed) {
                (Op::Add, _) => ins.iadd(v[0], v[1]),
                (Op::Sub, _) => ins.isub(v[0], v[1]),
                (Op::And, _) => ins.band(v[0], v[1]),
                (Op::Or, _) => ins.bor(v[0], v[1]),
                (Op::Xor, _) => ins.bxor(v[0], v[1]),
                (Op::Neg, _) => ins.ineg(v[0]),
                (Op::Mul, _) => ins.imul(v[0], v[1]),
                (Op::Mad, _) => {
                    let product = ins.imul(v[0], v[1]);
                    emit.b.ins().iadd(product, v[2])
                }
                (Op::Min, true) => ins.smin(v[0], v[1]),
                (Op::Min, false) => ins.umin(v[0], v[1]),
                (Op::Max, true) => ins.smax(v[0], v[1]),
                (Op::Max, false) => ins.umax(v[0], v[1]),
                _ => ins.bnot(v[0]),
            }
        });
    }

    /// Translates a shift by a constant. Returns false if the shift is not by a constant.
    fn shift_by_constant(&mut self, row: Row, instruction: &Arithmetic) -> bool {
        let ValueLocation::Constant(by) = self.operand_location(instruction.from[1]) else { return false };
        let by = by as u32;
        let arithmetic = row.op == Op::Shr && row.signed;
        let lanes = self.lanes(instruction.from[0], File::R32);
        let by = if arithmetic { by.min(31) } else { by };
        let lanes = self.parts(&[lanes], File::R32, |emit, v| {
            let value = emit.as_integers(v[0]);
            if by > 31 {
                let zero = emit.b.ins().iconst(I32, 0);
                return emit.b.ins().splat(I32X4, zero);
            }
            let ins = emit.b.ins();
            match (row.op, arithmetic) {
                (Op::Shl, _) => ins.ishl_imm(value, i64::from(by)),
                (_, true) => ins.sshr_imm(value, i64::from(by)),
                _ => ins.ushr_imm(value, i64::from(by)),
            }
        });
        self.put(instruction.to, ValueLocation::Vector(lanes, true));
        true
    }

    /// Packs vectors whose lanes are all ones or all zeros into a mask with one bit per lane.
    fn packed(&mut self, parts: &[Value]) -> Value {
        let mut mask = None;
        for (n, &part) in parts.iter().enumerate() {
            let bits = self.b.ins().vhigh_bits(I32, part);
            let bits = if n == 0 { bits } else { self.b.ins().ishl_imm(bits, 4 * n as i64) };
            mask = Some(match mask {
                None => bits,
                Some(mask) => self.b.ins().bor(mask, bits),
            });
        }
        mask.unwrap_or_else(|| self.b.ins().iconst(I32, 0))
    }

    fn compare_floats(&mut self, condition: FloatCC, instruction: &Arithmetic) {
        let operands: Vec<Lanes> =
            instruction.from.iter().map(|&operand| self.raw_lanes(operand, File::R32)).collect();
        let lanes = self.parts(&operands, File::R32, |emit, v| {
            let (a, b) = (emit.as_floats(v[0]), emit.as_floats(v[1]));
            emit.b.ins().fcmp(condition, a, b)
        });
        let mask = self.packed(&lanes.parts);
        self.put(instruction.to, ValueLocation::Mask(mask, true));
    }

    fn compare_integers(&mut self, condition: IntCC, instruction: &Arithmetic) {
        let operands: Vec<Lanes> =
            instruction.from.iter().map(|&operand| self.lanes(operand, File::R32)).collect();
        let lanes = self.parts(&operands, File::R32, |emit, v| {
            let (a, b) = (emit.as_integers(v[0]), emit.as_integers(v[1]));
            emit.b.ins().icmp(condition, a, b)
        });
        let mask = self.packed(&lanes.parts);
        self.put(instruction.to, ValueLocation::Mask(mask, true));
    }

    fn mask_of(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Register(register) => self.mask(register),
            Operand::Constant(bits) => self.b.ins().iconst(I32, if bits & 1 != 0 { -1 } else { 0 }),
        }
    }

    fn logic(&mut self, op: Op, instruction: &Arithmetic) {
        let a = self.mask_of(instruction.from[0]);
        let b = instruction.from.get(1).map(|&operand| self.mask_of(operand));
        let ins = self.b.ins();
        let value = match (op, b) {
            (Op::And, Some(b)) => ins.band(a, b),
            (Op::Or, Some(b)) => ins.bor(a, b),
            (Op::Xor, Some(b)) => ins.bxor(a, b),
            (Op::Not, _) => ins.bnot(a),
            _ => a,
        };
        self.put(instruction.to, ValueLocation::Mask(value, true));
    }

    fn select(&mut self, instruction: &Arithmetic) {
        let (a, b) = (self.lanes(instruction.from[0], File::R32), self.lanes(instruction.from[1], File::R32));
        let mask = self.mask_of(instruction.from[2]);
        let mask = self.b.ins().splat(I32X4, mask);
        let zero = self.b.ins().iconst(I32, 0);
        let zero = self.b.ins().splat(I32X4, zero);
        let parts = (0..8).map(|n| {
            let bits: Vec<u64> = (0..4).map(|lane| 1 << (4 * n + lane)).collect();
            let bits = self.vector_constant(File::R32, &bits);
            let chosen = self.b.ins().band(mask, bits);
            let other = self.b.ins().icmp(IntCC::Equal, chosen, zero);
            let (a, b) = (self.as_integers(a.parts[n]), self.as_integers(b.parts[n]));
            self.b.ins().bitselect(other, b, a)
        });
        let lanes = Lanes { parts: parts.collect(), raw: false };
        self.put(instruction.to, ValueLocation::Vector(lanes, true));
    }

    /// Extracts one lane of 32 bits.
    pub fn lane_of(&mut self, lanes: &Lanes, lane: usize) -> Value {
        let part = self.as_integers(lanes.parts[lane / 4]);
        self.b.ins().extractlane(part, (lane % 4) as u8)
    }
}

/// Flags for reinterpreting a vector with lanes of another type: lane 0 is the lowest in memory.
fn little() -> MemFlags {
    MemFlags::new().with_endianness(cranelift_codegen::ir::Endianness::Little)
}
