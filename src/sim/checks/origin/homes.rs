//! Which shared variable each access is meant for, where the code says so.

use super::{Origins, Root};
use crate::code::{DecodedModule, KernelCode, What};

/// For each memory instruction of a module, the one shared variable that its address began as, by number;
/// empty where the kernel has no two of them to be told apart.
pub fn shared_homes(code: &DecodedModule, kernel: &KernelCode) -> Box<[Option<u32>]> {
    if kernel.shared.len() < 2 {
        return Box::default();
    }
    let origins = Origins::new(code, kernel);
    let mut homes = vec![None; code.memory.len()];
    for &pc in &origins.flow().accesses {
        let What::Memory = code.insts[pc as usize].what else { continue };
        if let Some(home) = homes.get_mut(code.insts[pc as usize].detail as usize) {
            *home = origins.shared_home(pc);
        }
    }
    homes.into()
}

impl Origins<'_> {
    /// The one shared variable that the address of the access `pc` began as.
    pub fn shared_home(&self, pc: u32) -> Option<u32> {
        let roots = self.roots(pc);
        match (roots.len(), roots.first()) {
            (1, Some(Root::Shared(variable))) => Some(*variable),
            _ => None,
        }
    }
}
