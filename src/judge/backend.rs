//! Where kernels run, as far as judging asks: a seam between the judge and a device.
//!
//! The simulator stands behind it, or a GPU ([`super::on_gpu`]) by the same few calls, with reports
//! that hold no findings and no counts.

use super::signature::{Signature, signatures};
use crate::course::ComputeCapability;
use crate::ptx;
use crate::sim::{self, Address, Arg, LaunchConfig, LaunchError, LoadError, Report};

/// Compiled code, ready to run.
pub trait Program {
    fn signatures(&self) -> &[Signature];
    /// Its reports count work; else no bar is held against them.
    fn counts(&self) -> bool {
        true
    }
    /// A fresh device: nothing allocated, nothing left of earlier runs.
    fn device(&self) -> Box<dyn Device + '_>;
}

/// Memory and launches of one device.
pub trait Device {
    /// Global memory, never written. `name` is what findings call it.
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchError>;
    fn write(&mut self, address: Address, bytes: &[u8]);
    fn read(&self, address: Address, bytes: &mut [u8]);
    /// Which of the `len` bytes at `address` were ever written.
    fn written(&self, address: Address, len: usize) -> Vec<bool>;
    /// Makes kernel writes to that buffer findings.
    fn set_read_only(&mut self, address: Address);
    /// Runs a kernel, by its symbol, to its end.
    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, LaunchError>;
}

/// A module on the simulator.
pub struct Simulated {
    module: sim::Module,
    signatures: Vec<Signature>,
    capability: ComputeCapability,
    options: sim::Options,
}

impl Simulated {
    pub fn load(
        text: &str,
        capability: ComputeCapability,
        options: sim::Options,
    ) -> Result<Simulated, LoadError> {
        let signatures = signatures(&ptx::parse(text).map_err(LoadError::Parse)?);
        Ok(Simulated { module: sim::Module::load(text)?, signatures, capability, options })
    }
}

impl Simulated {
    /// Static shared memory of a block of that kernel, in bytes; 0 where there is none of that name.
    pub fn shared_bytes(&self, symbol: &str) -> u32 {
        let kernel = self.module.kernel_named(symbol).and_then(|number| self.module.kernel(number));
        kernel.map_or(0, |kernel| u32::try_from(kernel.shared_bytes).unwrap_or(u32::MAX))
    }
}

impl Program for Simulated {
    fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    fn device(&self) -> Box<dyn Device + '_> {
        let device = sim::Device::new(self.capability.major, self.capability.minor);
        Box::new(SimulatedDevice { program: self, device })
    }
}

struct SimulatedDevice<'a> {
    program: &'a Simulated,
    device: sim::Device,
}

impl Device for SimulatedDevice<'_> {
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchError> {
        self.device.allocate(name, bytes)
    }

    fn write(&mut self, address: Address, bytes: &[u8]) {
        self.device.write(address, bytes);
    }

    fn read(&self, address: Address, bytes: &mut [u8]) {
        self.device.read(address, bytes);
    }

    fn written(&self, address: Address, len: usize) -> Vec<bool> {
        self.device.written(address, len)
    }

    fn set_read_only(&mut self, address: Address) {
        self.device.set_read_only(address);
    }

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, LaunchError> {
        self.device.launch(&self.program.module, symbol, config, args, &self.program.options)
    }
}
