//! Matrix operations.

use super::function::{FunctionLowering, Lowered};
use crate::ptx::Instruction;

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it is one on matrices.
    pub fn matrix(&mut self, _: &Instruction<'a>) -> Lowered<bool> {
        Ok(false)
    }
}
