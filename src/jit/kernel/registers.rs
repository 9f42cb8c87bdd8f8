//! Where the values of registers are while a region is translated: in constants and scalars, in the processor's vectors, or
//! in the warp's registers.

use super::emit::{Translator, constant_flags, field, mutable_flags};
use cranelift_codegen::ir::types::{I8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use sim::kernel_code::{File, KernelContext, LANES, LaneValues, Lanes64, Operand, Register, Scalar};
use std::collections::BTreeMap;
use std::mem::offset_of;
use std::sync::Arc;

/// Where a register's value is, at a point within a basic block.
#[derive(Clone, Debug)]
pub enum ValueLocation {
    /// The same constant in every lane.
    Constant(u64),
    /// The first lane's value, and the lanes' offsets from it. For a predicate: 1 or 0 for all lanes.
    Scalar(Value, Arc<Lanes64>),
    /// All lanes: four of 32 bits per vector, or two of 64 bits; and whether the register in memory is stale.
    Vector(Lanes, bool),
    /// A mask with one bit per lane; and whether the register in memory is stale.
    Mask(Value, bool),
    /// Only in the warp's register, in memory.
    Memory,
}

/// The values of all lanes of a register, in vectors.
#[derive(Clone, Debug)]
pub struct Lanes {
    pub parts: Vec<Value>,
    /// Whether they are results of floating-point arithmetic in which a NaN may still have any bits.
    pub raw: bool,
}

/// Returns the number of lanes in a vector of 16 bytes.
pub fn lanes_of_part(file: File) -> usize {
    if file == File::R64 { 2 } else { 4 }
}

pub fn vector_type(file: File) -> Type {
    if file == File::R64 { I64X2 } else { I32X4 }
}

pub fn scalar_type(file: File) -> Type {
    match file {
        File::R32 => I32,
        File::R64 => I64,
        File::Pred => I8,
    }
}

impl Translator<'_, '_> {
    pub fn put(&mut self, register: Register, location: ValueLocation) {
        self.state.insert(register, location);
    }

    pub fn location(&self, register: Register) -> ValueLocation {
        self.state.get(&register).cloned().unwrap_or(ValueLocation::Memory)
    }

    pub fn operand_location(&self, operand: Operand) -> ValueLocation {
        match operand {
            Operand::Constant(bits) => ValueLocation::Constant(bits),
            Operand::Register(register) => self.location(register),
        }
    }

    /// Returns what is known about an operand.
    pub fn lane_values(&self, operand: Operand) -> LaneValues {
        match self.operand_location(operand) {
            ValueLocation::Constant(bits) => LaneValues::Constant(bits),
            ValueLocation::Scalar(_, offsets) => LaneValues::Offsets(offsets),
            ValueLocation::Vector(..) | ValueLocation::Mask(..) | ValueLocation::Memory => {
                LaneValues::Varying
            }
        }
    }

    /// Returns the first lane's value of a register.
    pub fn scalar(&mut self, register: Register) -> Value {
        match self.location(register) {
            ValueLocation::Scalar(value, _) => value,
            ValueLocation::Constant(bits) => self.b.ins().iconst(scalar_type(register.file), bits as i64),
            ValueLocation::Vector(lanes, _) => {
                let lanes = self.canonicalise_nans(lanes);
                match register.file {
                    File::R64 => self.b.ins().extractlane(lanes.parts[0], 0),
                    _ => self.lane_of(&lanes, 0),
                }
            }
            ValueLocation::Memory if register.file != File::Pred => self.load_lane(register, 0),
            ValueLocation::Mask(..) | ValueLocation::Memory => {
                let mask = self.mask(register);
                let first = self.b.ins().band_imm(mask, 1);
                self.b.ins().ireduce(I8, first)
            }
        }
    }

    /// Writes a register's value to the warp's registers, unless it is there already.
    pub fn spill(&mut self, register: Register) {
        match self.location(register) {
            ValueLocation::Memory | ValueLocation::Vector(_, false) | ValueLocation::Mask(_, false) => {}
            ValueLocation::Constant(_) | ValueLocation::Scalar(..) if !self.written.contains(&register) => {}
            ValueLocation::Vector(lanes, true) => {
                let lanes = self.canonicalise_nans(lanes);
                self.store_lanes(register, &lanes);
                self.put(register, ValueLocation::Vector(lanes, false));
            }
            ValueLocation::Mask(value, true) => {
                self.store_mask(register, value);
                self.put(register, ValueLocation::Mask(value, false));
            }
            location => self.store_location(register, location),
        }
    }

    /// Writes a register's value, which is in `location`, to the warp's registers.
    pub fn store_location(&mut self, register: Register, location: ValueLocation) {
        match register.file {
            File::Pred => {
                let mask = self.mask_at(register, &location);
                self.store_mask(register, mask);
            }
            file => {
                let lanes = self.lanes_at(register, location, file);
                let lanes = self.canonicalise_nans(lanes);
                self.store_lanes(register, &lanes);
            }
        }
    }

    /// Writes the bits of a predicate's lanes to the warp's registers.
    fn store_mask(&mut self, predicate: Register, value: Value) {
        let base = self.file(File::Pred);
        let at = predicate.slot as i32 * 4;
        let value = match self.active.as_ref().map(|active| active.mask.value) {
            Some(mask) if self.is_masked(predicate) => {
                let others = self.b.ins().load(I32, mutable_flags(), base, at);
                self.b.ins().bitselect(mask, value, others)
            }
            _ => value,
        };
        self.b.ins().store(mutable_flags(), value, base, at);
    }

    /// Makes the values of registers available to the interpreter. Vectors are written to the warp's registers.
    /// Other values are stored in [`KernelContext::scalars`], and the registers to be reconstructed from them are
    /// returned.
    pub fn save_for_interpreter(
        &mut self,
        registers: &[Register],
        state: &BTreeMap<Register, ValueLocation>,
    ) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        let mut base = None;
        for &register in registers {
            let (value, offsets) = match state.get(&register) {
                None
                | Some(
                    ValueLocation::Memory | ValueLocation::Vector(_, false) | ValueLocation::Mask(_, false),
                ) => continue,
                Some(ValueLocation::Constant(_) | ValueLocation::Scalar(..))
                    if !self.written.contains(&register) =>
                {
                    continue;
                }
                Some(location) if self.is_masked(register) => {
                    self.store_location(register, location.clone());
                    continue;
                }
                Some(ValueLocation::Vector(lanes, true)) => {
                    let lanes = self.canonicalise_nans(lanes.clone());
                    self.store_lanes(register, &lanes);
                    continue;
                }
                Some(ValueLocation::Mask(value, true)) => (*value, None),
                Some(ValueLocation::Constant(bits)) => {
                    (self.b.ins().iconst(I64, *bits as i64), Some(Arc::new([0; LANES])))
                }
                Some(ValueLocation::Scalar(value, _)) if register.file == File::Pred => {
                    (self.predicate_to_mask(*value), None)
                }
                Some(ValueLocation::Scalar(value, offsets)) => (*value, Some(offsets.clone())),
            };
            let value = match self.b.func.dfg.value_type(value) {
                I64 => value,
                _ => self.b.ins().uextend(I64, value),
            };
            let base = *base.get_or_insert_with(|| {
                self.b.ins().load(I64, constant_flags(), self.context, field!(scalars))
            });
            self.b.ins().store(mutable_flags(), value, base, scalars.len() as i32 * 8);
            scalars.push(Scalar { register, offsets });
        }
        scalars
    }

    /// Returns a predicate as a mask.
    pub fn mask(&mut self, predicate: Register) -> Value {
        let location = self.location(predicate);
        let value = self.mask_at(predicate, &location);
        if let ValueLocation::Memory = location {
            self.put(predicate, ValueLocation::Mask(value, false));
        }
        value
    }

    fn mask_at(&mut self, predicate: Register, location: &ValueLocation) -> Value {
        match *location {
            ValueLocation::Mask(value, _) => value,
            ValueLocation::Scalar(value, _) => self.predicate_to_mask(value),
            ValueLocation::Constant(bits) => self.b.ins().iconst(I32, if bits & 1 != 0 { -1 } else { 0 }),
            ValueLocation::Vector(..) | ValueLocation::Memory => {
                let base = self.file(File::Pred);
                self.b.ins().load(I32, mutable_flags(), base, predicate.slot as i32 * 4)
            }
        }
    }

    /// Expands a predicate that is the same in all lanes to a mask.
    fn predicate_to_mask(&mut self, predicate: Value) -> Value {
        let wide = self.b.ins().uextend(I32, predicate);
        self.b.ins().ineg(wide)
    }

    /// Returns the address of a register file.
    pub fn file(&mut self, file: File) -> Value {
        if let Some(on_path) = &self.on_path {
            return on_path.files[file as usize];
        }
        let at = match file {
            File::R32 => field!(r32),
            File::R64 => field!(r64),
            File::Pred => field!(predicates),
        };
        self.b.ins().load(I64, constant_flags(), self.context, at)
    }

    /// Loads one lane of a register from memory.
    pub fn load_lane(&mut self, register: Register, lane: usize) -> Value {
        let (base, kind) = (self.file(register.file), scalar_type(register.file));
        let bytes = kind.bytes() as i32;
        self.b.ins().load(
            kind,
            mutable_flags(),
            base,
            register.slot as i32 * LANES as i32 * bytes + lane as i32 * bytes,
        )
    }

    /// Loads all lanes of a register from memory.
    pub fn load_lanes(&mut self, register: Register) -> Lanes {
        let (base, kind) = (self.file(register.file), vector_type(register.file));
        let bytes = scalar_type(register.file).bytes() as i32;
        let start = register.slot as i32 * LANES as i32 * bytes;
        let parts = (0..LANES as i32 * bytes / 16)
            .map(|n| self.b.ins().load(kind, mutable_flags(), base, start + n * 16))
            .collect();
        Lanes { parts, raw: false }
    }

    /// Writes the lanes of a register to the warp's registers; of one that is masked, the active lanes.
    pub fn store_lanes(&mut self, register: Register, lanes: &Lanes) {
        if let Some(mask) = self.active.as_ref().map(|active| active.mask)
            && self.is_masked(register)
        {
            return self.store_active_lanes(register, lanes, mask);
        }
        let base = self.file(register.file);
        let bytes = scalar_type(register.file).bytes() as i32;
        let start = register.slot as i32 * LANES as i32 * bytes;
        for (n, &part) in lanes.parts.iter().enumerate() {
            self.b.ins().store(mutable_flags(), part, base, start + n as i32 * 16);
        }
    }

    /// Returns all lanes of an operand, in which a NaN may have any bits.
    pub fn raw_lanes(&mut self, operand: Operand, file: File) -> Lanes {
        let location = self.operand_location(operand);
        let Operand::Register(register) = operand else { return self.splat(location, file) };
        let loads = matches!(location, ValueLocation::Memory | ValueLocation::Mask(..));
        let lanes = self.lanes_at(register, location, file);
        if loads {
            self.put(register, ValueLocation::Vector(lanes.clone(), false));
        }
        lanes
    }

    fn lanes_at(&mut self, register: Register, location: ValueLocation, file: File) -> Lanes {
        match location {
            ValueLocation::Vector(lanes, _) => lanes,
            ValueLocation::Memory | ValueLocation::Mask(..) => self.load_lanes(register),
            known => self.splat(known, file),
        }
    }

    /// Returns all lanes of a constant, or of a scalar and its offsets.
    fn splat(&mut self, location: ValueLocation, file: File) -> Lanes {
        let (value, offsets) = match location {
            ValueLocation::Constant(bits) => {
                (self.b.ins().iconst(scalar_type(file), bits as i64), Arc::new([0; LANES]))
            }
            ValueLocation::Scalar(value, offsets) => (value, offsets),
            _ => unreachable!("its lanes are known"),
        };
        let kind = vector_type(file);
        let splat = self.b.ins().splat(kind, value);
        let each = lanes_of_part(file);
        let part = |emit: &mut Self, n: usize| {
            let offsets = &offsets[n * each..(n + 1) * each];
            if offsets.iter().all(|&offset| offset == 0) {
                return splat;
            }
            let offsets = emit.vector_constant(file, offsets);
            emit.b.ins().iadd(splat, offsets)
        };
        Lanes { parts: (0..LANES / each).map(|n| part(self, n)).collect(), raw: false }
    }

    /// Returns all lanes of an operand, with canonical NaNs.
    pub fn lanes(&mut self, operand: Operand, file: File) -> Lanes {
        let lanes = self.raw_lanes(operand, file);
        if !lanes.raw {
            return lanes;
        }
        let lanes = self.canonicalise_nans(lanes);
        if let Operand::Register(register) = operand
            && let ValueLocation::Vector(_, stale) = self.location(register)
        {
            self.put(register, ValueLocation::Vector(lanes.clone(), stale));
        }
        lanes
    }

    /// Returns a constant vector with these lanes.
    pub fn vector_constant(&mut self, file: File, values: &[u64]) -> Value {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|&value| value.to_le_bytes()[..16 / lanes_of_part(file)].to_vec())
            .collect();
        let handle = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(vector_type(file), handle)
    }
}
