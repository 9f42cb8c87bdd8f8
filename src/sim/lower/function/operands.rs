//! Operands: the registers that hold them, and what names stand for.

use super::super::module::bits_of;
use super::super::scope::{Symbol, file_of};
use super::{FunctionLowering, Lowered};
use crate::code::{Fixed, System};
use crate::lanes::File;
use ptx::{Immediate, Instruction, Operand, Type};

impl<'a> FunctionLowering<'_, 'a> {
    /// Returns the register to write a value of file `file` to. If the operand is a 64-bit register and the value has
    /// 32 bits, that is a temporary, and the operand's register, into which it is to be widened, is returned as well.
    pub fn destination(&mut self, operand: &Operand<'a>, file: File) -> Lowered<(u32, Option<u32>)> {
        match operand {
            Operand::Sink => Ok((self.allocate(file, 1), None)),
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Register { file: its, number, .. }) if its == file => Ok((number, None)),
                Some(Symbol::Register { file: File::R64, number, .. }) if file == File::R32 => {
                    Ok((self.allocate(File::R32, 1), Some(number)))
                }
                _ => Err(format!("result in {name}")),
            },
            other => Err(format!("result in {other:?}")),
        }
    }

    /// Returns a register of file `file` that holds the operand's value.
    pub fn source(&mut self, operand: &Operand<'a>, file: File) -> Lowered<u32> {
        match operand {
            Operand::Name(name) => self.named(name, 0, file),
            Operand::Offset { name, offset } => self.named(name, *offset, file),
            Operand::Not(name) => {
                let positive = self.named(name, 0, File::Pred)?;
                self.compute("not.pred", &[positive])
            }
            Operand::Immediate(value) => {
                let bits = bits_of(*value, file == File::R64);
                let bits = match (*value, file) {
                    (Immediate::Int(v), File::Pred) => (v != 0).into(),
                    (_, File::R32) => bits as u32 as u64,
                    _ => bits,
                };
                Ok(self.immediate(file, bits))
            }
            other => Err(format!("operand {other:?}")),
        }
    }

    /// Returns a register of file `file` with the value of a name: a register's value, or a variable's address.
    fn named(&mut self, name: &'a str, offset: i64, file: File) -> Lowered<u32> {
        if let Some(symbol) = self.scopes.find(name).or_else(|| self.module.symbol(name)) {
            let address = match symbol {
                Symbol::Register { file: its, number, ty } if offset == 0 => {
                    return match (its, file) {
                        (a, b) if a == b => Ok(number),
                        (File::R64, File::R32) => self.compute("%low32", &[number]),
                        (File::R32, File::R64) => {
                            let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32);
                            self.compute(if signed { "cvt.s64.s32" } else { "%widen" }, &[number])
                        }
                        _ => Err(format!("{name} is a predicate, or should be one")),
                    };
                }
                Symbol::Shared(variable) => {
                    self.module.note_shared(variable);
                    self.module.fixed(File::R64, Fixed::Shared { variable, offset })
                }
                Symbol::Global(variable) => self.module.fixed(File::R64, Fixed::Global { variable, offset }),
                Symbol::Local(start) => self.local_address(start.wrapping_add(offset as u64), false),
                Symbol::VariableArguments(register) if offset == 0 => {
                    self.compute("%join64", &[register, register + 1])?
                }
                Symbol::KernelParam { offset: start, .. } => {
                    self.immediate(File::R64, (start as u64).wrapping_add(offset as u64))
                }
                Symbol::Function(function) => {
                    self.module.note_call(function);
                    self.module.fixed(File::R64, Fixed::Function(function))
                }
                _ => return Err(format!("operand {name}")),
            };
            return match file {
                File::R64 => Ok(address),
                File::R32 => self.compute("%low32", &[address]),
                File::Pred => Err(format!("operand {name}")),
            };
        }
        self.special_register(name, file)
    }

    /// Returns a register with the address of a byte of the function's local memory; `alone` says that a variable
    /// begins there that nothing else names.
    pub fn local_address(&mut self, at: u64, alone: bool) -> u32 {
        if self.is_kernel {
            return self.immediate(File::R64, at);
        }
        let d = self.allocate(File::R64, 1);
        self.system(System::LocalAddress, d, [u32::from(alone), 0, 0, 0], at as u32);
        d
    }

    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.scopes.find(name).or_else(|| self.module.symbol(name))
    }

    /// Returns the number of a label. A label that is not in scope is an error in the PTX.
    pub fn label(&self, name: &'a str) -> Lowered<u32> {
        match self.scopes.find(name) {
            Some(Symbol::Label(number)) => Ok(number),
            _ => Err(format!("label {name}")),
        }
    }

    /// Returns the type that ends an instruction's modifiers.
    pub fn type_of(i: &Instruction<'a>) -> Lowered<Type> {
        i.modifiers.last().and_then(|m| Type::named(m)).ok_or_else(|| "its type".into())
    }

    /// Returns the size in bytes and the register file of a type.
    pub fn layout(ty: Type) -> (u32, File) {
        (ty.bytes(), file_of(ty))
    }
}
