//! Runs kernels: PTX lowered to decoded instructions over 32 lanes, warps in lockstep, blocks in
//! parallel on the host, every access looked at by the observers that are switched on.

#[allow(dead_code)] // An instruction set: what it is for is decided by the programs that run.
mod arith;
pub(crate) mod code;
mod counts;
mod finding;
mod lanes;
mod launch;
pub mod matrix;
pub mod mbarrier;
pub(crate) mod memory;
mod occupancy;
pub mod printf;
pub(crate) mod table;

pub use counts::{Class, Counts, Flops, Traffic};
pub use finding::{Access, AccessKind, Code, Finding, SourceLocation, Target};
pub use launch::{Arg, Dim3, LaunchConfig, LaunchError, Options, Outcome, Report};
pub use memory::Address;
pub use occupancy::{BlockNeeds, Limit, Multiprocessor, Occupancy};

/// PTX that was read and made ready to run.
#[derive(Debug)]
pub struct Module {}

/// Why PTX can't be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// Not PTX that the parser reads.
    Parse(crate::ptx::ParseError),
    /// An instruction, directive or construct the simulator lacks.
    Unsupported { what: String, line: Option<SourceLocation> },
}

impl Module {
    /// Reads and lowers a PTX text. `file` names the learner's file in locations
    /// (NVRTC writes the program's own name in `.file`).
    pub fn load(_ptx: &str) -> Result<Module, LoadError> {
        Err(LoadError::Unsupported { what: "everything".into(), line: None })
    }

    /// Names of the kernels, in the order they appear.
    pub fn kernels(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A simulated GPU: its memory and the limits of its compute capability.
#[derive(Debug)]
pub struct Device {}

impl Device {
    /// A device of compute capability `major.minor`.
    pub fn new(_major: u32, _minor: u32) -> Device {
        Device {}
    }

    /// Allocates `bytes` of global memory, never written and between guard zones.
    /// `name` is what findings call it.
    pub fn allocate(&mut self, _name: &str, _bytes: u64) -> Result<Address, LaunchError> {
        Err(LaunchError { name: "cudaErrorMemoryAllocation", message: "not built yet".into() })
    }

    pub fn free(&mut self, _address: Address) {}

    /// Copies to the device; the bytes count as initialised. `address` may point inside a buffer.
    pub fn write(&mut self, _address: Address, _bytes: &[u8]) {}

    /// Copies from the device, initialised or not (never-written bytes hold a poison pattern).
    pub fn read(&self, _address: Address, _bytes: &mut [u8]) {}

    /// Which of the `len` bytes at `address` were ever written, by a copy or by a kernel.
    pub fn written(&self, _address: Address, len: usize) -> Vec<bool> {
        vec![false; len]
    }

    /// Makes kernel writes to the buffer at `address` findings (M004); the write does not happen.
    pub fn set_read_only(&mut self, _address: Address) {}

    /// Runs a kernel to its end. `Err` when it never began.
    pub fn launch(
        &mut self,
        _module: &Module,
        _kernel: &str,
        _config: LaunchConfig,
        _args: &[Arg],
        _options: &Options,
    ) -> Result<Report, LaunchError> {
        Err(LaunchError { name: "cudaErrorNotSupported", message: "not built yet".into() })
    }
}
