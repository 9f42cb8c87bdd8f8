//! The interface between the judge and the devices that run kernels.
//!
//! It is implemented by the simulator and by a GPU ([`super::on_gpu`]), whose reports contain neither findings nor
//! counts.

use super::judged_case::BlockOrder;
use super::launch_failure::LaunchFailure;
use super::signature::{Signature, signatures};
use crate::course::ComputeCapability;
use sim::{self, Address, Arg, Counts, ExecutionOrder, LaunchConfig, LoadError, RecordRequest, Report};
use std::sync::Arc;

/// Compiled code, ready to run.
pub trait Program {
    fn signatures(&self) -> &[Signature];
    /// Returns whether its reports count work; if not, no requirements are checked.
    fn counts(&self) -> bool {
        true
    }
    /// Returns variants of this program that run the blocks of a launch in other orders, as far as the order can
    /// make a difference: where blocks of one of the kernels `symbols` may observe each other's effects.
    fn reordered(&self, _symbols: &[String], _seed: u64) -> Vec<(BlockOrder, Box<dyn Program + '_>)> {
        Vec::new()
    }
    /// Returns a fresh device without allocations or any state of earlier runs.
    fn device(&self) -> Box<dyn Device + '_>;
    /// Called with the counters of each launch on the last device, as soon as the launch has ended.
    fn launched(&self, _symbol: &str, _: &LaunchConfig, _: &Counts) {}
}

/// Memory and launches of one device.
pub trait Device {
    /// Allocates global memory that counts as never written. `name` is its name in findings.
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchFailure>;
    fn write(&mut self, address: Address, bytes: &[u8]);
    fn read(&self, address: Address, bytes: &mut [u8]);
    /// Returns, for each of the `len` bytes at `address`, whether it was ever written.
    fn written(&self, address: Address, len: usize) -> Vec<bool>;
    /// Marks a buffer as read-only, so that a kernel's write to it becomes a finding.
    fn set_read_only(&mut self, address: Address);
    /// Runs the kernel with the given symbol to its end.
    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, LaunchFailure>;
}

/// Kernels decoded for the simulator, which can run them any number of times.
#[derive(Debug)]
pub struct Kernels {
    module: Arc<sim::Module>,
    signatures: Vec<Signature>,
}

impl Kernels {
    /// Parses and decodes PTX. `source`, where it is known, is searched for the early returns of the kernels, which
    /// the PTX does not show.
    ///
    /// # Errors
    ///
    /// Fails if the simulator cannot read the PTX.
    pub fn parse(text: &str, source: Option<&str>) -> Result<Kernels, LoadError> {
        Kernels::read(text, source, sim::Module::load)
    }

    /// Like [`Kernels::parse`], but keeps names for a debugger.
    ///
    /// # Errors
    ///
    /// Fails if the simulator cannot read the PTX.
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

    /// Returns whether one of the kernels reads what other blocks write while it runs: see
    /// [`sim::KernelInfo::observes_blocks`].
    pub fn listen(&self) -> bool {
        let module = &self.module;
        let all = module.kernels();
        all.iter()
            .filter_map(|name| module.kernel(module.kernel_named(name)?))
            .any(|kernel| kernel.observes_blocks)
    }
}

/// Kernels on the simulator.
pub struct Simulated {
    kernels: Arc<Kernels>,
    capability: ComputeCapability,
    options: sim::Options,
    /// The launch of which a block is recorded: its number from 0, and which block.
    record: Option<(usize, RecordRequest)>,
}

impl Simulated {
    pub fn new(kernels: Arc<Kernels>, capability: ComputeCapability, options: sim::Options) -> Simulated {
        Simulated { kernels, capability, options, record: None }
    }

    /// Returns a program that also records a block of launch number `launch` (from 0).
    pub fn recording(self, launch: usize, request: RecordRequest) -> Simulated {
        Simulated { record: Some((launch, request)), ..self }
    }

    /// Returns a program that stops each case after this many warp instructions.
    pub fn with_budget(mut self, warp_instructions: u64) -> Simulated {
        self.options.launch_budget = warp_instructions;
        self
    }

    fn device_with<'a>(&'a self, options: &'a sim::Options) -> SimulatedDevice<'a> {
        let device = sim::Device::new(self.capability.major, self.capability.minor);
        SimulatedDevice { program: self, options, device, left: options.launch_budget, launches: 0 }
    }

    /// Returns the static shared memory of a kernel's block in bytes; 0 where there is no such kernel.
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

    fn reordered(&self, symbols: &[String], seed: u64) -> Vec<(BlockOrder, Box<dyn Program + '_>)> {
        let module = &self.kernels.module;
        let kernel = |symbol: &String| module.kernel(module.kernel_named(symbol)?);
        let kernels: Vec<_> = symbols.iter().filter_map(kernel).collect();
        let listen = kernels.iter().any(|kernel| kernel.observes_blocks);
        let mut all = Vec::new();
        if kernels.iter().any(|kernel| kernel.communicates) {
            // Reversed order ensures that a block that waits for one with a lower number starts before it.
            let order = if listen { ExecutionOrder::Reversed } else { ExecutionOrder::Drawn(seed | 1) };
            all.push((
                BlockOrder::Other,
                sim::Options { order, most_resident: FEW_BLOCKS, ..self.options.clone() },
            ));
        }
        if listen {
            let by_turns = sim::Options {
                most_resident: SOME_BLOCKS,
                step_budget: self.options.step_budget.saturating_mul(POLLING_BUDGET_FACTOR),
                launch_budget: self.options.launch_budget.saturating_mul(POLLING_BUDGET_FACTOR),
                ..self.options.clone()
            };
            for turn in 0..TURNS {
                let order = ExecutionOrder::Interleaved((seed | 1).wrapping_add(turn << 1));
                all.push((BlockOrder::Turns, sim::Options { order, ..by_turns.clone() }));
            }
        }
        let boxed = |options| Box::new(Reordered { program: self, options }) as Box<dyn Program>;
        all.into_iter().map(|(order, options)| (order, boxed(options))).collect()
    }

    fn device(&self) -> Box<dyn Device + '_> {
        Box::new(self.device_with(&self.options))
    }
}

/// Resident blocks where they should be few: about as many large blocks as one multiprocessor holds.
const FEW_BLOCKS: usize = 8;

/// Resident blocks when blocks take turns: enough for some to fall far behind others.
const SOME_BLOCKS: usize = 64;

/// Number of orders in which blocks take turns: whether two blocks interfere between one access and the next is a
/// matter of luck.
const TURNS: u64 = 6;

/// Factor by which a block's instruction budget grows when blocks take turns: while one works, the others poll for
/// its completion.
const POLLING_BUDGET_FACTOR: u64 = 16;

/// Kernels on the simulator that run with their blocks in another order.
struct Reordered<'a> {
    program: &'a Simulated,
    options: sim::Options,
}

impl Program for Reordered<'_> {
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
    /// Remaining budget of warp instructions, shared by all further launches.
    left: u64,
    launches: usize,
}

impl Device for SimulatedDevice<'_> {
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchFailure> {
        Ok(self.device.allocate(name, bytes)?)
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

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, LaunchFailure> {
        let record =
            self.program.record.filter(|(launch, _)| *launch == self.launches).map(|(_, request)| request);
        self.launches += 1;
        let options = sim::Options { launch_budget: self.left, record, ..self.options.clone() };
        let report = self.device.launch(&self.program.kernels.module, symbol, config, args, &options)?;
        self.left = self.left.saturating_sub(report.counts.warp_instructions());
        Ok(report)
    }
}
