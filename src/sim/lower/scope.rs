//! Resolves names in a function's body. Scopes nest; an inner name hides an outer one.

use super::function::Lowered;
use crate::lanes::File;
use ptx::Type;
use std::collections::HashMap;

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A register.
    Register { file: File, number: u32, ty: Type },
    /// A shared variable, by its number in the module.
    Shared(u32),
    /// A global or constant variable, by its number in the module.
    Global(u32),
    /// A variable in the function's local memory, by its byte offset.
    Local(u64),
    /// A kernel parameter: byte offset and size in bytes.
    KernelParam { offset: u32, bytes: u32 },
    /// A parameter or result, of a function or of a call.
    WordParam(WordParam),
    /// The address of what the function was given for its `...`, in two 32-bit registers.
    VariableArguments(u32),
    /// A function, by its number in the module.
    Function(u32),
    /// A label, by its number in the function.
    Label(u32),
    /// A `.branchtargets` list, by its number in the function.
    Targets(u32),
    /// The prototype of a call that passes variable arguments, by the number of its other arguments.
    VariadicPrototype(usize),
}

/// A parameter or result, of a function or of a call: bytes in consecutive 32-bit registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordParam {
    pub register: u32,
    pub bytes: u32,
}

impl WordParam {
    /// Returns the register that holds the word at `offset`, of which `bytes` bytes are accessed.
    pub fn word(self, offset: i64, bytes: u32) -> Lowered<u32> {
        if offset < 0 || offset + bytes as i64 > (self.bytes as i64 + 3) / 4 * 4 {
            return Err("a parameter's address out of range".into());
        }
        Ok(self.register + offset as u32 / 4)
    }
}

/// Registers declared with a common prefix, as in `%r<20>`.
#[derive(Clone, Copy, Debug)]
struct Family {
    ty: Type,
    file: File,
    first: u32,
    count: u32,
    /// Slots that each register occupies.
    step: u32,
}

#[derive(Debug, Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Symbol>,
    families: HashMap<&'a str, Family>,
}

#[derive(Debug, Default)]
pub struct Scopes<'a> {
    stack: Vec<Scope<'a>>,
}

/// Returns the register file of a PTX type.
pub fn file_of(ty: Type) -> File {
    match ty {
        Type::Pred => File::Pred,
        Type::B64 | Type::U64 | Type::S64 | Type::F64 | Type::F32x2 | Type::B128 => File::R64,
        _ => File::R32,
    }
}

/// Returns the slots of its file that a register of this type occupies.
pub fn slots_of(ty: Type) -> u32 {
    if ty == Type::B128 { 2 } else { 1 }
}

impl<'a> Scopes<'a> {
    pub fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    pub fn leave(&mut self) {
        self.stack.pop();
    }

    pub fn define(&mut self, name: &'a str, symbol: Symbol) {
        if let Some(scope) = self.stack.last_mut() {
            scope.names.insert(name, symbol);
        }
    }

    pub fn define_family(&mut self, prefix: &'a str, ty: Type, first: u32, count: u32) {
        let family = Family { ty, file: file_of(ty), first, count, step: slots_of(ty) };
        if let Some(scope) = self.stack.last_mut() {
            scope.families.insert(prefix, family);
        }
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        let number: Option<u32> = number.parse().ok();
        self.stack.iter().rev().find_map(|scope| {
            scope.names.get(name).copied().or_else(|| {
                let family = scope.families.get(prefix)?;
                let n = number.filter(|&n| n < family.count)?;
                Some(Symbol::Register {
                    file: family.file,
                    // A family that exceeds all limits is rejected together with its function, so any number will do.
                    number: family.first.saturating_add(n.saturating_mul(family.step)).min(u32::MAX / 2),
                    ty: family.ty,
                })
            })
        })
    }
}
