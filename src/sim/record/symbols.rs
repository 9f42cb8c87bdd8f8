//! The PTX names of registers, labels and variables, for displaying a recording.

use crate::code::{DecodedModule, What};
use crate::finding::SourceLocation;
use crate::lanes::File;
use crate::module::{LoadError, Module};
use crate::scalar::bytes_of;
use ptx::Span;

/// A register of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    pub(crate) file: File,
    /// Index within its function's frame.
    pub(crate) number: u32,
}

impl Register {
    /// Returns the register's size in bytes; 1 for a predicate.
    pub fn bytes(self) -> u32 {
        bytes_of(self.file)
    }
}

/// Where control may go after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    On,
    /// To a target in the same function.
    Branch,
    /// Waits for other threads of the block or cluster.
    Barrier,
    /// Into another function.
    Call,
    /// Back to the caller.
    Return,
    /// Ends the thread.
    Exit,
}

/// Registers declared together, as in `%r<20>`, or one register with a name of its own.
#[derive(Clone, Debug)]
pub(crate) struct RegisterFamily {
    pub name: String,
    pub file: File,
    pub first: u32,
    /// How many registers there are, and the slots that each occupies; `None` for a single register of exactly this
    /// name.
    pub count: Option<(u32, u32)>,
}

/// The names declared in a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionSymbols {
    pub registers: Vec<RegisterFamily>,
    /// Each label, with the first instruction after it.
    pub labels: Vec<(String, u32)>,
    /// Variables in local memory, each with its byte offset in the function's local memory.
    pub locals: Vec<(String, u64)>,
}

/// The names in a module that was loaded for debugging.
#[derive(Clone, Copy, Debug)]
pub struct Symbols<'m> {
    code: &'m DecodedModule,
}

impl Module {
    /// As [`Module::parse`], but keeps names and leaves every instruction where it is written: computations whose
    /// result is the same in every block are executed there, too, instead of once in advance.
    ///
    /// # Errors
    /// The text cannot be parsed, or its addresses do not have 64 bits.
    pub fn parse_for_debugging(text: &str) -> Result<Module, LoadError> {
        Module::load_for_debugging(&ptx::parse(text).map_err(LoadError::Parse)?, &[])
    }

    /// As [`Module::parse_for_debugging`], for PTX that has been parsed already. `own_files`: see
    /// [`Module::load_of`].
    ///
    /// # Errors
    /// Its addresses do not have 64 bits.
    pub fn load_for_debugging(tree: &ptx::Module, own_files: &[&str]) -> Result<Module, LoadError> {
        Module::load_as(tree, own_files, true)
    }

    /// Returns the module's names; there are none if it was not loaded for debugging.
    pub fn symbols(&self) -> Symbols<'_> {
        Symbols { code: &self.code }
    }
}

impl<'m> Symbols<'m> {
    /// Returns the number of the function that contains an instruction.
    pub fn function_at(&self, pc: u32) -> Option<u32> {
        let starts = self.code.functions.iter().enumerate();
        let before =
            starts.filter_map(|(n, function)| Some((function.start.filter(|start| *start <= pc)?, n as u32)));
        before.max_by_key(|(start, _)| *start).map(|(_, number)| number)
    }

    /// Returns a function's name in the PTX.
    pub fn function_name(&self, function: u32) -> Option<&'m str> {
        Some(&self.code.functions.get(function as usize)?.name)
    }

    /// Returns an instruction's location in the source.
    pub fn location(&self, pc: u32) -> Option<&'m SourceLocation> {
        self.code.location(pc)
    }

    /// Returns the span of an instruction's PTX text; `None` for one that corresponds to no text.
    pub fn span(&self, pc: u32) -> Option<Span> {
        let span = self.code.origins.get(pc as usize)?.span;
        (span.end > span.start).then_some(span)
    }

    /// Returns where control may go after an instruction.
    pub fn flow(&self, pc: u32) -> Flow {
        match self.code.insts.get(pc as usize).map(|inst| inst.what) {
            Some(What::Branch | What::BranchIndexed) => Flow::Branch,
            Some(What::Barrier) => Flow::Barrier,
            Some(What::Call) => Flow::Call,
            Some(What::Return) => Flow::Return,
            Some(What::Exit | What::Trap) => Flow::Exit,
            _ => Flow::On,
        }
    }

    fn of(&self, function: u32) -> Option<&'m FunctionSymbols> {
        self.code.symbols.iter().find(|(number, _)| *number == function).map(|(_, symbols)| symbols)
    }

    /// Returns a register by its name in the PTX, such as `%r12`.
    pub fn register(&self, function: u32, name: &str) -> Option<Register> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        let number: Option<u32> = number.parse().ok();
        self.of(function)?.registers.iter().find_map(|family| match family.count {
            None => (family.name == name).then_some(Register { file: family.file, number: family.first }),
            Some((count, step)) => {
                let number = number.filter(|&n| family.name == prefix && n < count)?;
                let number = family.first.checked_add(number.checked_mul(step)?)?;
                Some(Register { file: family.file, number })
            }
        })
    }

    /// Returns every register that a function declares, with its name in the PTX.
    pub fn registers(&self, function: u32) -> Vec<(String, Register)> {
        let families = self.of(function).map_or(&[][..], |symbols| &symbols.registers);
        let all = families.iter().flat_map(|family| {
            let (count, step) = family.count.unwrap_or((1, 1));
            (0..count).map(move |n| {
                let name =
                    if family.count.is_some() { format!("{}{n}", family.name) } else { family.name.clone() };
                (name, Register { file: family.file, number: family.first + n * step })
            })
        });
        all.collect()
    }

    /// Returns the first instruction after a label.
    pub fn label(&self, function: u32, name: &str) -> Option<u32> {
        self.of(function)?.labels.iter().find(|(label, _)| label == name).map(|(_, pc)| *pc)
    }

    /// Returns every label with the first instruction after it.
    pub fn labels(&self) -> impl Iterator<Item = (&'m str, u32)> {
        let all = self.code.symbols.iter().flat_map(|(_, symbols)| &symbols.labels);
        all.map(|(name, pc)| (name.as_str(), *pc))
    }

    /// Returns a variable's byte offset in its function's local memory.
    pub fn local(&self, function: u32, name: &str) -> Option<u64> {
        self.of(function)?.locals.iter().find(|(local, _)| local == name).map(|(_, offset)| *offset)
    }

    /// Returns a kernel's shared variables: name in the source, byte offset, and size in bytes (`None` for a dynamic
    /// one).
    pub fn shared(&self, kernel: &str) -> Vec<(&'m str, u64, Option<u64>)> {
        let number = self.code.kernel_names.get(kernel);
        let Some(kernel) = number.and_then(|n| self.code.kernels.get(*n as usize)) else { return Vec::new() };
        let of = |(variable, offset): &(u32, u64)| {
            let its = self.code.shared.get(*variable as usize)?;
            Some((&*its.name, *offset, (!its.dynamic).then_some(its.bytes)))
        };
        kernel.shared.iter().filter_map(of).collect()
    }
}
