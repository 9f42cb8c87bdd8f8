//! Functions that take variable arguments (`...`). A call of one packs what it passes for them into one parameter, each
//! value aligned to its size, and the function takes the address of that parameter, in local memory:
//!
//! ```text
//! .func log(.param .b64 log_param_0, .param .align 8 .b8 %VAParam[])
//!     mov.u64 %rd1, %VAParam;
//!     ld.local.u32 %r1, [%rd1];
//! ```
//!
//! Here the caller puts the values into its own local memory and passes their address. A function that the program only
//! declares, such as `fprintf`, is given the values themselves.

use super::control::Word;
use super::function::{FunctionLowering, Lowered};
use super::memory::plain_access;
use super::scope::Symbol;
use crate::code::{CallTarget, ParamSlot};
use crate::lanes::File;
use crate::memory::access::{Action, Space};
use ptx::{Instruction, Operand, Variable};

/// Alignment of packed values: the most that one of them may have.
const ALIGN_BYTES: u64 = 16;

/// Returns whether a function or a call's prototype takes variable arguments: its last parameter is of any size.
pub fn is_variadic(params: &[Variable]) -> bool {
    params.last().is_some_and(|last| last.dims.contains(&None))
}

impl<'a> FunctionLowering<'_, 'a> {
    /// Defines the parameter that stands for `...`: an address.
    pub fn variable_arguments(&mut self, variable: &Variable<'a>) -> ParamSlot {
        let register = self.allocate(File::R32, 2);
        self.scopes.define(variable.name, Symbol::VariableArguments(register));
        ParamSlot { register, words: 2 }
    }

    /// Returns the number of arguments before those for `...`, if a call passes an address for these.
    pub fn fixed_arguments(&self, target: &CallTarget, call: &Instruction<'a>) -> Option<usize> {
        match (target, call.operands.last()) {
            (CallTarget::Function(number), _) => self.module.variadic.get(number).copied(),
            (CallTarget::Register(_), Some(Operand::Name(prototype))) => match self.symbol(prototype) {
                Some(Symbol::VariadicPrototype(fixed)) => Some(fixed),
                _ => None,
            },
            _ => None,
        }
    }

    /// Puts packed values into local memory, and returns the argument that is passed for them: their address, or a null
    /// pointer if there are none. Values that the call did not set, because they have none, are left out.
    pub fn pass_packed(&mut self, packed: Option<Word>) -> Lowered<Word> {
        let address = match packed {
            Some((register, bytes)) => {
                let at = self.room_for_packed(bytes);
                let block = &self.drafts[self.block_start.min(self.drafts.len())..];
                let set: Vec<u32> = block
                    .iter()
                    .flat_map(|draft| self.writes(draft))
                    .filter_map(|(file, register)| (file == File::R32).then_some(register))
                    .collect();
                let address = self.local_address(at, true);
                for word in (0..bytes.div_ceil(4)).filter(|word| set.contains(&(register + word))) {
                    let place = (Space::Local, address, i64::from(word) * 4);
                    self.push_memory(plain_access(Action::Store, place, (4, File::R32), &[register + word]));
                }
                address
            }
            None => self.immediate(File::R64, 0),
        };
        let passed = self.allocate(File::R32, 2);
        self.row("%low32", passed, &[address])?;
        self.row("%high32", passed + 1, &[address])?;
        Ok((passed, 8))
    }

    /// Returns the offset of room for packed values, the same for all calls that pass as many bytes.
    fn room_for_packed(&mut self, bytes: u32) -> u64 {
        if let Some(at) = self.frame.packed.get(&bytes) {
            return *at;
        }
        let at = self.frame.allocate_local(u64::from(bytes).next_multiple_of(4), ALIGN_BYTES);
        self.frame.packed.insert(bytes, at);
        at
    }
}
