//! Checks of buffers that the GPU performs itself, so that buffers in the expected state need not be copied
//! from it.

use compiler::{CompileError, Compiler, Request};

const SOURCE: &str = include_str!("checks.cu");

/// Compiles the kernels of the checks for a GPU of that compute capability.
///
/// # Errors
///
/// Fails if the compiler can't be run, or does not compile them.
pub fn compile(compiler: &Compiler, capability: (u32, u32)) -> anyhow::Result<Vec<u8>> {
    let request = Request { resources: true, ..Request::new(SOURCE, "checks.cu", capability) };
    match compiler.compile(&request) {
        Ok(compiled) => Ok(compiled.cubin),
        Err(CompileError::Environment(error)) => Err(error),
        Err(other) => Err(anyhow::anyhow!("the kernels that check buffers: {other:?}")),
    }
}

#[cfg(target_os = "linux")]
pub use on_device::Checks;

#[cfg(target_os = "linux")]
mod on_device {
    use crate::driver::{Memory, Module, synchronise};
    use crate::protocol::{Failed, LaunchRequest};
    use sim::{Arg, Dim3, LaunchConfig};

    /// Maximum number of blocks that the words are distributed over, and threads per block.
    const BLOCKS: u32 = 1024;
    const THREADS: u32 = 256;
    /// Bytes that a thread examines at a time.
    const WORD_BYTES: usize = 16;

    /// The loaded kernels, and the device memory for their result.
    pub struct Checks {
        module: Module,
        found: Memory,
    }

    impl Checks {
        /// Loads the machine code that [`compile`](super::compile) made, into the current context.
        ///
        /// # Errors
        ///
        /// Fails if the driver rejects it, or has no memory left.
        pub fn load(cubin: &[u8]) -> Result<Checks, Failed> {
            Ok(Checks { module: Module::load(cubin)?, found: Memory::new(size_of::<u32>())? })
        }

        /// Returns whether the bytes at two addresses differ anywhere, up to the next whole word.
        ///
        /// # Errors
        ///
        /// Fails if the driver can't launch the kernel, or it does not end well.
        pub fn differ(&self, a: u64, b: u64, bytes: usize) -> Result<bool, Failed> {
            self.ask("differ", a, b, bytes, &[])
        }

        /// Returns whether there is a byte position at which `a` holds the first poison and `b` the second.
        pub fn untouched(&self, a: u64, b: u64, bytes: usize, poison: [u8; 2]) -> Result<bool, Failed> {
            self.ask("untouched", a, b, bytes, &poison.map(|byte| u32::from_ne_bytes([byte; 4])))
        }

        fn ask(&self, symbol: &str, a: u64, b: u64, bytes: usize, more: &[u32]) -> Result<bool, Failed> {
            let words = bytes.div_ceil(WORD_BYTES) as u64;
            if words == 0 {
                return Ok(false);
            }
            self.found.fill(0)?;
            let numbers = [a, b, words, self.found.address].map(Arg::from);
            let more = more.iter().copied().map(Arg::from);
            let blocks = u32::try_from(words.div_ceil(THREADS.into())).unwrap_or(BLOCKS);
            let grid = Dim3::new(blocks.min(BLOCKS), 1, 1);
            let launch = LaunchRequest {
                symbol: symbol.into(),
                config: LaunchConfig { grid, block: Dim3::new(THREADS, 1, 1), dynamic_shared_bytes: 0 },
                args: numbers.into_iter().chain(more).collect(),
            };
            self.module.kernel(symbol)?.launch(&launch, None)?;
            synchronise()?;
            let mut answer = [0; 4];
            self.found.read(0, &mut answer)?;
            Ok(answer != [0; 4])
        }
    }
}
