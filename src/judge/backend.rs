//! Where kernels run, as far as judging asks: a seam between the judge and a device.
//!
//! The simulator stands behind it, or a GPU ([`super::on_gpu`]) by the same few calls, with reports
//! that hold no findings and no counts.

use super::signature::{Signature, signatures};
use super::verdict::BlockOrder;
use crate::course::ComputeCapability;
use sim::{
    self, Address, Arg, Counts, ExecutionOrder, LaunchConfig, LaunchError, LoadError, RecordRequest, Report,
};
use std::sync::Arc;

/// Compiled code, ready to run.
pub trait Program {
    fn signatures(&self) -> &[Signature];
    /// Its reports count work; else no bar is held against them.
    fn counts(&self) -> bool {
        true
    }
    /// The same, with the blocks of a launch in every other order that can make a difference: where blocks
    /// of some of the kernels `symbols` may see each other's effects.
    fn shuffled(&self, symbols: &[String], seed: u64) -> Vec<(BlockOrder, Box<dyn Program + '_>)> {
        let _ = (symbols, seed);
        Vec::new()
    }
    /// A fresh device: nothing allocated, nothing left of earlier runs.
    fn device(&self) -> Box<dyn Device + '_>;
    /// Hears what a launch on the last device counted, as it is through.
    fn launched(&self, symbol: &str, config: &LaunchConfig, counts: &Counts) {
        let _ = (symbol, config, counts);
    }
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

/// Kernels in the form in which the simulator runs them, any number of times.
#[derive(Debug)]
pub struct Kernels {
    module: Arc<sim::Module>,
    signatures: Vec<Signature>,
}

impl Kernels {
    /// Reads and decodes PTX. `source` says of it what its PTX does not, where it is known.
    ///
    /// # Errors
    /// The simulator does not read it.
    pub fn parse(text: &str, source: Option<&str>) -> Result<Kernels, LoadError> {
        Kernels::read(text, source, sim::Module::load)
    }

    /// As [`Kernels::parse`], with names kept for a debugger.
    ///
    /// # Errors
    /// The simulator does not read it.
    pub fn parse_for_debugging(text: &str, source: &str) -> Result<Kernels, LoadError> {
        Kernels::read(text, Some(source), |tree| sim::Module::load_for_debugging(tree, &[]))
    }

    fn read(
        text: &str,
        source: Option<&str>,
        load: impl FnOnce(&ptx::Module) -> Result<sim::Module, LoadError>,
    ) -> Result<Kernels, LoadError> {
        let tree = ptx::parse(text).map_err(LoadError::Parse)?;
        let early = source.map(|source| cpp::Source::new(source).early_returns()).unwrap_or_default();
        let module = load(&tree)?.with_early_returns(early);
        Ok(Kernels { module: Arc::new(module), signatures: signatures(&tree) })
    }

    pub fn module(&self) -> &Arc<sim::Module> {
        &self.module
    }

    /// Whether one of them looks at what others write meanwhile: [`sim::KernelInfo::listens`].
    pub fn listen(&self) -> bool {
        let module = &self.module;
        let all = module.kernels();
        all.iter().filter_map(|name| module.kernel(module.kernel_named(name)?)).any(|kernel| kernel.listens)
    }
}

/// Kernels on the simulator.
pub struct Simulated {
    kernels: Arc<Kernels>,
    capability: ComputeCapability,
    options: sim::Options,
    /// The launch of which a block is recorded, by number.
    record: Option<(usize, RecordRequest)>,
}

impl Simulated {
    pub fn new(kernels: Arc<Kernels>, capability: ComputeCapability, options: sim::Options) -> Simulated {
        Simulated { kernels, capability, options, record: None }
    }

    /// The same, with a block of the launch of that number recorded.
    pub fn recording(self, launch: usize, request: RecordRequest) -> Simulated {
        Simulated { record: Some((launch, request)), ..self }
    }

    /// The same, each case stopped after so many warp instructions.
    pub fn with_budget(mut self, warp_instructions: u64) -> Simulated {
        self.options.launch_budget = warp_instructions;
        self
    }

    fn device_with<'a>(&'a self, options: &'a sim::Options) -> SimulatedDevice<'a> {
        let device = sim::Device::new(self.capability.major, self.capability.minor);
        SimulatedDevice { program: self, options, device, left: options.launch_budget, launches: 0 }
    }

    /// Static shared memory of a block of that kernel, in bytes; 0 where there is none of that name.
    pub fn shared_bytes(&self, symbol: &str) -> u32 {
        let kernel =
            self.kernels.module.kernel_named(symbol).and_then(|number| self.kernels.module.kernel(number));
        kernel.map_or(0, |kernel| u32::try_from(kernel.shared_bytes).unwrap_or(u32::MAX))
    }
}

impl Program for Simulated {
    fn signatures(&self) -> &[Signature] {
        &self.kernels.signatures
    }

    fn shuffled(&self, symbols: &[String], seed: u64) -> Vec<(BlockOrder, Box<dyn Program + '_>)> {
        let module = &self.kernels.module;
        let kernel = |symbol: &String| module.kernel(module.kernel_named(symbol)?);
        let kernels: Vec<_> = symbols.iter().filter_map(kernel).collect();
        let listen = kernels.iter().any(|kernel| kernel.listens);
        let mut all = Vec::new();
        if kernels.iter().any(|kernel| kernel.communicates) {
            // A block that waits for one of a lower number is sure to begin before it.
            let order = if listen { ExecutionOrder::Reversed } else { ExecutionOrder::Drawn(seed | 1) };
            all.push((
                BlockOrder::Other,
                sim::Options { order, most_resident: FEW_BLOCKS, ..self.options.clone() },
            ));
        }
        if listen {
            let by_turns = sim::Options {
                most_resident: SOME_BLOCKS,
                step_budget: self.options.step_budget.saturating_mul(LOOKS),
                launch_budget: self.options.launch_budget.saturating_mul(LOOKS),
                ..self.options.clone()
            };
            for turn in 0..TURNS {
                let order = ExecutionOrder::Interleaved((seed | 1).wrapping_add(turn << 1));
                all.push((BlockOrder::Turns, sim::Options { order, ..by_turns.clone() }));
            }
        }
        let boxed = |options| Box::new(Shuffled { program: self, options }) as Box<dyn Program>;
        all.into_iter().map(|(order, options)| (order, boxed(options))).collect()
    }

    fn device(&self) -> Box<dyn Device + '_> {
        Box::new(self.device_with(&self.options))
    }
}

/// Blocks at once where few are to be: about what one multiprocessor holds of large ones.
const FEW_BLOCKS: usize = 8;

/// Blocks at once that take turns: so many that some are far behind others.
const SOME_BLOCKS: usize = 64;

/// Orders by turns: whether two blocks meet between one access and the next is a matter of luck.
const TURNS: u64 = 6;

/// How many times as many instructions a block may take by turns: while one is at work, the others look
/// whether it is done.
const LOOKS: u64 = 16;

/// A module on the simulator, its blocks in another order.
struct Shuffled<'a> {
    program: &'a Simulated,
    options: sim::Options,
}

impl Program for Shuffled<'_> {
    fn signatures(&self) -> &[Signature] {
        &self.program.kernels.signatures
    }

    fn device(&self) -> Box<dyn Device + '_> {
        Box::new(self.program.device_with(&self.options))
    }
}

struct SimulatedDevice<'a> {
    program: &'a Simulated,
    options: &'a sim::Options,
    device: sim::Device,
    /// Warp instructions that the launches to come may take together.
    left: u64,
    launches: usize,
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
        let record =
            self.program.record.filter(|(launch, _)| *launch == self.launches).map(|(_, request)| request);
        self.launches += 1;
        let options = sim::Options { launch_budget: self.left, record, ..self.options.clone() };
        let report = self.device.launch(&self.program.kernels.module, symbol, config, args, &options)?;
        self.left = self.left.saturating_sub(report.counts.warp_instructions());
        Ok(report)
    }
}
