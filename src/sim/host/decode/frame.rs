//! The layout of a function's frame: where its registers and constants lie.

use crate::code::{DecodedModule, Fixed, SpecialRegister};
use crate::host::op::Constant;
use crate::lanes::{FIXED, File, Slots};
use crate::memory::FUNCTION_WINDOW;
use crate::memory::access::SINK;
use crate::scalar::bytes_of;
use std::collections::HashMap;

/// Why an operand has no bytes in the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandError {
    /// It exists only in kernels; its name.
    DeviceOnly(&'static str),
    /// It is a register outside the function's own.
    Outside,
}

/// The values of a module's fixed registers, by file and number.
pub type FixedValues<'c> = HashMap<(File, u32), &'c Fixed>;

pub fn fixed_values(code: &DecodedModule) -> FixedValues<'_> {
    code.fixed_slots.iter().map(|slot| ((slot.file, slot.register), &slot.value)).collect()
}

/// A frame's layout: 64-bit registers, 32-bit registers, predicates, eight bytes for discarded results, eight
/// bytes of scratch space, and then the constants that the function's code mentions.
pub struct Frame<'c> {
    pub fixed: &'c FixedValues<'c>,
    slots: Slots,
    /// Index of each fixed register among the constants.
    known: HashMap<(File, u32), u32>,
    pub constants: Vec<Constant>,
}

impl<'c> Frame<'c> {
    pub fn new(fixed: &'c FixedValues<'c>, slots: Slots) -> Frame<'c> {
        Frame { fixed, slots, known: HashMap::new(), constants: Vec::new() }
    }

    /// Returns the offset of a register's bytes; for the sink, of bytes that are never read.
    ///
    /// # Errors
    /// Returns why there are none: the function has no such register, or it is one whose value only kernels have.
    pub fn offset(&mut self, file: File, register: u32) -> Result<u32, OperandError> {
        if register == SINK {
            return Ok(self.sink());
        }
        if register & FIXED != 0 {
            let start = self.constants_start();
            if let Some(n) = self.known.get(&(file, register)) {
                return Ok(start + n * 8);
            }
            let constant = constant(self.fixed.get(&(file, register)).ok_or(OperandError::Outside)?)?;
            let n = self.constants.len() as u32;
            self.known.insert((file, register), n);
            self.constants.push(constant);
            return Ok(start + n * 8);
        }
        if register >= self.slots.of(file) {
            return Err(OperandError::Outside);
        }
        Ok(self.start(file) + register * bytes_of(file))
    }

    /// Returns the offset of a constant that the function's code does not mention.
    pub fn bits(&mut self, bits: u64) -> u32 {
        self.constants.push(Constant::Bits(bits));
        self.constants_start() + (self.constants.len() as u32 - 1) * 8
    }

    /// Returns the bits of an operand that is an immediate, `None` for any other.
    pub fn immediate(&self, file: File, register: u32) -> Option<u64> {
        match self.fixed.get(&(file, register)) {
            Some(Fixed::Immediate(bits)) => Some(*bits),
            _ => None,
        }
    }

    /// Returns the offset of a register that is written, as [`Frame::offset`] does.
    ///
    /// # Errors
    /// Returns the error of [`Frame::offset`], or [`OperandError::Outside`] for a fixed register.
    pub fn destination(&mut self, file: File, register: u32) -> Result<u32, OperandError> {
        if register != SINK && register & FIXED != 0 {
            return Err(OperandError::Outside);
        }
        self.offset(file, register)
    }

    /// Returns the offset of a register file's first register.
    fn start(&self, file: File) -> u32 {
        match file {
            File::R64 => 0,
            File::R32 => self.slots.r64 * 8,
            File::Pred => self.slots.r64 * 8 + self.slots.r32 * 4,
        }
    }

    /// Returns the offset and the size in bytes of a parameter.
    ///
    /// # Errors
    /// Returns [`OperandError::Outside`] if it does not lie within the function's registers.
    pub fn words(&self, register: u32, bytes: u32) -> Result<(u32, u32), OperandError> {
        let words = bytes.div_ceil(4);
        if register.checked_add(words).is_none_or(|end| end > self.slots.r32) {
            return Err(OperandError::Outside);
        }
        Ok((self.start(File::R32) + register * 4, bytes))
    }

    /// Returns the offset of eight bytes that are never read.
    fn sink(&self) -> u32 {
        (self.start(File::Pred) + self.slots.preds).next_multiple_of(8)
    }

    /// Returns the offset of eight bytes of scratch space, for use between two operations.
    pub fn scratch(&self) -> u32 {
        self.sink() + 8
    }

    pub fn constants_start(&self) -> u32 {
        self.sink() + 16
    }

    pub fn bytes(&self) -> u32 {
        self.constants_start() + self.constants.len() as u32 * 8
    }
}

fn constant(value: &Fixed) -> Result<Constant, OperandError> {
    Ok(match value {
        Fixed::Immediate(bits) => Constant::Bits(*bits),
        Fixed::Global { variable, offset } => Constant::Variable(*variable, *offset),
        Fixed::Function(function) => Constant::Bits(FUNCTION_WINDOW + *function as u64),
        Fixed::Shared { .. } => return Err(OperandError::DeviceOnly("shared memory")),
        Fixed::Special(register) => return Err(OperandError::DeviceOnly(special_name(*register))),
        Fixed::Param { .. } => return Err(OperandError::DeviceOnly("a kernel's parameter")),
    })
}

fn special_name(register: SpecialRegister) -> &'static str {
    match register {
        SpecialRegister::ThreadIndex(_) => "threadIdx",
        SpecialRegister::BlockSize(_) => "blockDim",
        SpecialRegister::GridSize(_) => "gridDim",
        _ => "a register that only kernels have",
    }
}
