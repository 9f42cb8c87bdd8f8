//! A simulated GPU: its memory, the modules on it, launches.

use super::checks::global::GlobalClash;
use super::checks::shared::SharedShadow;
use super::code::{AddressInit, Builtin, CallTarget, Code};
use super::engine::findings::Whereabouts;
use super::engine::grid::{self, Ran};
use super::engine::launch::Launch;
use super::finding::Target;
use super::launch::{Arg, LaunchConfig, LaunchError, Options, Report};
use super::limits;
use super::memory::global::{Buffer, GlobalMemory};
use super::memory::{Address, FUNCTION_WINDOW};
use super::meter::traffic::TrafficMeter;
use super::module::Module;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Device memory for `malloc` in kernels (CUDA's default, `cudaLimitMallocHeapSize`).
const HEAP_BYTES: u64 = 8 << 20;

/// Every check.
type Checks = (SharedShadow, GlobalClash);

/// A simulated GPU: its memory and the limits of its compute capability.
#[derive(Debug)]
pub struct Device {
    memory: GlobalMemory,
    capability: (u32, u32),
    /// For each module, the addresses of its variables.
    modules: HashMap<u64, Vec<u64>>,
    heap: Option<u64>,
}

impl Device {
    /// A device of compute capability `major.minor`.
    pub fn new(major: u32, minor: u32) -> Device {
        Device {
            memory: GlobalMemory::default(),
            capability: (major, minor),
            modules: HashMap::new(),
            heap: None,
        }
    }

    /// Allocates `bytes` of global memory, never written and between guard zones.
    /// `name` is what findings call it.
    pub fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchError> {
        self.memory.allocate(name, bytes).ok_or_else(|| LaunchError {
            name: "cudaErrorMemoryAllocation",
            message: format!("{bytes} bytes for `{name}` are more than this machine can give"),
        })
    }

    /// Gives a buffer back; later accesses are findings.
    pub fn free(&mut self, address: Address) {
        self.memory.free(address);
    }

    /// Copies to the device; the bytes count as initialised. `address` may point inside a buffer;
    /// what runs past its end is left out.
    pub fn write(&mut self, address: Address, bytes: &[u8]) {
        self.memory.write(address, bytes);
    }

    /// Copies from the device, initialised or not (never-written bytes hold a poison pattern).
    pub fn read(&self, address: Address, bytes: &mut [u8]) {
        self.memory.read(address, bytes);
    }

    /// Which of the `len` bytes at `address` were ever written, by a copy or by a kernel.
    pub fn written(&self, address: Address, len: usize) -> Vec<bool> {
        self.memory.written(address, len)
    }

    /// Makes kernel writes to the buffer at `address` findings (M004); the write does not happen.
    pub fn set_read_only(&mut self, address: Address) {
        if let Some(n) = self.memory.find(address.0) {
            self.memory.buffers[n].read_only = true;
        }
    }

    /// Runs a kernel to its end. `Err` when it never began.
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg],
        options: &Options,
    ) -> Result<Report, LaunchError> {
        let code = &module.code;
        let Some(&kernel_index) = code.kernel_names.get(kernel) else {
            return Err(LaunchError {
                name: "cudaErrorInvalidDeviceFunction",
                message: format!("no kernel `{kernel}` in this module"),
            });
        };
        let its = &code.kernels[kernel_index as usize];
        limits::check(&config, its.shared_bytes, its.max_threads, self.capability)?;
        limits::check_local(code.functions[its.function as usize].local_bytes)?;
        let param_words = pack(&its.params, its.param_bytes, args, kernel)?;
        self.load(module)?;
        let heap = self.heap(code)?;
        let saved = self.snapshot();
        let run = |memory: &GlobalMemory, host_threads: usize| {
            let launch = Launch {
                code,
                kernel: its,
                kernel_index,
                grid: config.grid,
                block: config.block,
                dynamic_shared_bytes: config.dynamic_shared_bytes,
                shared_bytes: its.shared_bytes + config.dynamic_shared_bytes as u64,
                param_words: param_words.iter().map(|&w| AtomicU32::new(w)).collect(),
                memory,
                variables: &self.modules[&module.id],
                multiprocessors: 1,
                step_budget: options.step_budget,
                output_limit_bytes: options.output_limit_bytes,
                heap: (heap, HEAP_BYTES),
                heap_used: AtomicU64::new(0),
            };
            let ran = match (options.checks, options.meters) {
                (true, true) => grid::run::<(Checks, TrafficMeter)>(&launch, host_threads, true),
                (true, false) => grid::run::<Checks>(&launch, host_threads, true),
                (false, true) => grid::run::<TrafficMeter>(&launch, host_threads, false),
                (false, false) => grid::run::<()>(&launch, host_threads, false),
            };
            ran.map(|ran| finish(ran, &launch, options))
        };
        let (report, logs) = match run(&self.memory, options.host_threads) {
            Some(done) => done,
            None => {
                self.memory.restore(&saved);
                run(&self.memory, 1).expect("one host thread is never in its own way")
            }
        };
        for log in &logs {
            self.memory.absorb(log);
        }
        Ok(report)
    }

    /// What a second run needs to begin from: buffers that kernels may change and that hold
    /// something.
    fn snapshot(&self) -> Vec<Option<Vec<u32>>> {
        let holds = |b: &Buffer| !b.read_only && !b.constant && !b.freed && b.holds_something();
        let words = |b: &Buffer| b.words.iter().map(|w| w.load(Relaxed)).collect();
        self.memory.buffers.iter().map(|b| holds(b).then(|| words(b))).collect()
    }

    /// Puts a module's variables into memory, once.
    fn load(&mut self, module: &Module) -> Result<(), LaunchError> {
        if self.modules.contains_key(&module.id) {
            return Ok(());
        }
        let code = &module.code;
        let mut addresses = Vec::new();
        for variable in &code.variables {
            addresses.push(self.allocate(&variable.name, variable.bytes)?.0);
        }
        for (variable, &address) in code.variables.iter().zip(&addresses) {
            // Device variables start as zero where nothing else is said.
            let mut bytes = variable.init.clone();
            bytes.resize(variable.bytes as usize, 0);
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
            self.write(Address(address), &bytes);
            if let Some(n) = self.memory.find(address) {
                self.memory.buffers[n].read_only = variable.constant;
                self.memory.buffers[n].constant = variable.constant;
            }
        }
        self.modules.insert(module.id, addresses);
        Ok(())
    }

    fn heap(&mut self, code: &Code) -> Result<u64, LaunchError> {
        let uses = code.calls.iter().any(|c| matches!(c.target, CallTarget::Builtin(Builtin::Malloc)));
        if !uses {
            return Ok(0);
        }
        if self.heap.is_none() {
            self.heap = Some(self.allocate("device heap", HEAP_BYTES)?.0);
        }
        Ok(self.heap.unwrap_or(0))
    }
}

/// The parameters as words, or why the arguments do not fit them.
fn pack(params: &[(u32, u32)], bytes: u32, args: &[Arg], kernel: &str) -> Result<Vec<u32>, LaunchError> {
    let refuse = |message: String| Err(LaunchError { name: "cudaErrorInvalidValue", message });
    if args.len() != params.len() {
        return refuse(format!("{kernel} takes {} parameters, and {} were given", params.len(), args.len()));
    }
    if bytes > limits::PARAM_BYTES {
        return refuse(format!("{bytes} bytes of parameters; the limit is {}", limits::PARAM_BYTES));
    }
    let mut memory = vec![0u8; bytes.next_multiple_of(4) as usize];
    for (n, (arg, &(size, offset))) in args.iter().zip(params).enumerate() {
        if arg.0.len() != size as usize {
            return refuse(format!(
                "parameter {} of {kernel} has {size} bytes, and {} were given",
                n + 1,
                arg.0.len()
            ));
        }
        memory[offset as usize..][..size as usize].copy_from_slice(&arg.0);
    }
    Ok(memory.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
}

/// A launch's report, and what it touched.
fn finish(ran: Ran, launch: &Launch, options: &Options) -> (Report, Vec<super::memory::global::TouchLog>) {
    let findings =
        ran.findings.into_findings(launch.code, launch.block, launch.grid, &|place| describe(launch, place));
    let mut counts = ran.counts;
    counts.launches = 1;
    let mut output = ran.output;
    let output_cut = ran.output_cut || output.len() > options.output_limit_bytes;
    output.truncate(options.output_limit_bytes);
    let report = Report { outcome: ran.outcome, findings, counts, output, output_cut };
    (report, ran.logs)
}

/// An address in the learner's terms.
fn describe(launch: &Launch, place: Whereabouts) -> Target {
    match place {
        Whereabouts::Nowhere => Target::None,
        Whereabouts::Local { offset, bytes } => {
            Target::Local { offset_bytes: offset as i64, size_bytes: bytes }
        }
        Whereabouts::Shared(offset) => {
            let size = |v: u32| {
                let its = &launch.code.shared[v as usize];
                if its.dynamic { launch.dynamic_shared_bytes as u64 } else { its.bytes }
            };
            let of_kernel = &launch.kernel.shared;
            let before =
                of_kernel.iter().filter(|(_, start)| *start <= offset).max_by_key(|(_, start)| *start);
            match before.or(of_kernel.first()) {
                Some(&(variable, start)) => Target::Shared {
                    name: launch.code.shared[variable as usize].name.clone(),
                    size_bytes: size(variable),
                    offset_bytes: offset.wrapping_sub(start) as i64,
                },
                None => Target::Shared {
                    name: "shared memory".into(),
                    size_bytes: 0,
                    offset_bytes: offset as i64,
                },
            }
        }
        Whereabouts::Device(address) => {
            // Nearer than this before or behind a buffer, an index is taken to be its.
            const NEAR_BYTES: u64 = 1 << 29;
            let buffers = &launch.memory.buffers;
            let before = launch.memory.nearest(address);
            let near = |n: usize| {
                let b = &buffers[n];
                address.abs_diff(b.base) < NEAR_BYTES || address.abs_diff(b.base + b.bytes) < NEAR_BYTES
            };
            let candidates = [before, Some(before.map_or(0, |n| n + 1))];
            match candidates.into_iter().flatten().find(|&n| n < buffers.len() && near(n)) {
                Some(n) => {
                    let b = &buffers[n];
                    let offset_bytes = address.wrapping_sub(b.base) as i64;
                    if b.constant {
                        Target::Constant { name: b.name.clone(), size_bytes: b.bytes, offset_bytes }
                    } else {
                        Target::Buffer { name: b.name.clone(), size_bytes: b.bytes, offset_bytes }
                    }
                }
                None => Target::Nowhere { address },
            }
        }
    }
}
