//! Which shared variable each access is meant for, where the code determines it.

use super::{Origins, Root, only};
use crate::code::{DecodedKernel, DecodedModule, What};

/// Returns, for each memory operation of a module, the number of the one shared variable that its address is derived
/// from. Empty if the kernel has fewer than two shared variables, as there is nothing to distinguish.
pub fn intended_shared_variables(code: &DecodedModule, kernel: &DecodedKernel) -> Box<[Option<u32>]> {
    if kernel.shared.len() < 2 {
        return Box::default();
    }
    let origins = Origins::new(code, kernel);
    let mut homes = vec![None; code.details.memory.len()];
    for &pc in &origins.flow().accesses {
        let What::Memory = code.insts[pc as usize].what else { continue };
        if let Some(home) = homes.get_mut(code.insts[pc as usize].detail as usize) {
            *home = origins.intended_shared_variable(pc);
        }
    }
    homes.into()
}

impl Origins<'_> {
    /// Returns the one shared variable that the address of the access `pc` is derived from.
    pub fn intended_shared_variable(&self, pc: u32) -> Option<u32> {
        match only(&self.roots(pc), Some)? {
            Root::Shared(variable) => Some(variable),
            _ => None,
        }
    }
}
