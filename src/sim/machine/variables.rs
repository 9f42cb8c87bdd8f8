//! A module's variables in device memory: one copy per GPU; managed variables once, for all.

use super::{Machine, Owner};
use crate::code::{AddressInit, GlobalVariable};
use crate::launch::LaunchError;
use crate::memory::{Address, FUNCTION_WINDOW};
use crate::module::Module;
use std::collections::HashMap;

impl Machine {
    /// Allocates and initialises a module's variables in a GPU's memory, unless that has been done.
    ///
    /// # Errors
    /// Returns an error if there is no such device, or no memory for the variables.
    pub fn load(&mut self, device: u32, module: &Module) -> Result<(), LaunchError> {
        if self.state(device)?.modules.contains_key(&module.id) {
            return Ok(());
        }
        let variables = &module.code.variables;
        let mut managed: HashMap<u32, u64> = self.managed.remove(&module.id).unwrap_or_default();
        let mut addresses = Vec::new();
        let mut fresh = Vec::new();
        for (n, variable) in variables.iter().enumerate() {
            let number = n as u32;
            let address = match managed.get(&number) {
                Some(&address) => address,
                None => {
                    let owner = if variable.managed { Owner::Managed } else { Owner::Device(device) };
                    let address = self.allocate(owner, &*variable.name, variable.bytes)?.0;
                    if variable.managed {
                        managed.insert(number, address);
                    }
                    fresh.push(n);
                    address
                }
            };
            addresses.push(address);
        }
        for n in fresh {
            self.initialise(&variables[n], addresses[n], &addresses);
        }
        self.managed.insert(module.id, managed);
        self.state(device)?.modules.insert(module.id, addresses);
        Ok(())
    }

    /// Writes a new variable's initial value; a device variable without one is zero.
    fn initialise(&mut self, variable: &GlobalVariable, address: u64, addresses: &[u64]) {
        if variable.init.is_empty() {
            self.memory.assume_written(Address(address));
        } else {
            let mut bytes = variable.init.clone();
            for &(at, init) in &variable.addresses {
                let value = match init {
                    AddressInit::Variable { variable, offset } => {
                        addresses.get(variable as usize).map_or(0, |a| a.wrapping_add(offset as u64))
                    }
                    AddressInit::Function(function) => FUNCTION_WINDOW + function as u64,
                };
                let end = (at as usize + 8).min(bytes.len());
                let start = (at as usize).min(end);
                bytes[start..end].copy_from_slice(&value.to_le_bytes()[..end - start]);
            }
            self.memory.write(Address(address), &bytes);
            self.memory.assume_written(Address(address));
        }
        if let Some(n) = self.memory.find(address) {
            self.memory.buffers[n].read_only = variable.constant;
            self.memory.buffers[n].constant = variable.constant;
        }
    }

    /// Returns the address of variable `index` of [`Module::variables`] on a GPU, after loading the module if
    /// necessary; `None` if the module has no such variable.
    ///
    /// # Errors
    /// Returns the error of [`Machine::load`].
    pub fn variable_address(
        &mut self,
        device: u32,
        module: &Module,
        index: u32,
    ) -> Result<Option<Address>, LaunchError> {
        self.load(device, module)?;
        let addresses = self.state(device)?.modules.get(&module.id);
        Ok(addresses.and_then(|all| all.get(index as usize)).map(|&a| Address(a)))
    }
}
