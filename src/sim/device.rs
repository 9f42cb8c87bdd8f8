//! A machine with a single GPU, for callers that need no more.

use super::launch::{Arg, LaunchConfig, LaunchError, Options, Report};
use super::machine::{Gpu, KernelLaunch, Machine};
use super::memory::Address;
use super::memory::global::Owner;
use super::module::Module;
use crate::cuda_error::CudaError;

/// A simulated GPU: its memory and the limits of its compute capability.
#[derive(Debug)]
pub struct Device {
    machine: Machine,
}

impl Device {
    /// Creates a device of compute capability `major.minor`.
    pub fn new(major: u32, minor: u32) -> Device {
        Device { machine: Machine::new(&[Gpu::new(major, minor)]) }
    }

    /// Allocates `bytes` bytes of global memory, never written and between guard zones. `name` is its name in
    /// findings.
    ///
    /// # Errors
    ///
    /// There is too little memory.
    pub fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchError> {
        self.machine.allocate(Owner::Device(0), name, bytes)
    }

    /// Frees a buffer; later accesses are reported as findings.
    pub fn free(&mut self, address: Address) {
        self.machine.free(address);
    }

    /// Copies to the device; the bytes count as initialised. `address` may point inside a buffer; bytes past its
    /// end are ignored.
    pub fn write(&mut self, address: Address, bytes: &[u8]) {
        self.machine.write(address, bytes);
    }

    /// Copies from the device; never-written bytes hold a poison pattern.
    pub fn read(&self, address: Address, bytes: &mut [u8]) {
        self.machine.read(address, bytes);
    }

    /// Returns which of the `len` bytes at `address` were ever written, by a copy or by a kernel.
    pub fn written(&self, address: Address, len: usize) -> Vec<bool> {
        let written = self.machine.written(address, len as u64);
        (0..len as u64).map(|byte| written.contains(byte, 1)).collect()
    }

    /// Makes kernel writes to the buffer at `address` findings (M004); such a write is not performed.
    pub fn set_read_only(&mut self, address: Address) {
        self.machine.set_read_only(address);
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    ///
    /// The launch could not begin: CUDA's name for the error, and a message.
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg],
        options: &Options,
    ) -> Result<Report, LaunchError> {
        let Some(number) = module.kernel_named(kernel) else {
            let message = format!("no kernel `{kernel}` in this module");
            return Err(LaunchError::new(CudaError::InvalidDeviceFunction, message));
        };
        let params = module.pack(number, args)?;
        self.machine.launch(0, module, &KernelLaunch::new(number, config, &params), options)
    }
}
