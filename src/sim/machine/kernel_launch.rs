//! Kernel launches.

use super::describe::{describe_side, shared_around, written_around};
use super::heap::Heap;
use super::{Gpu, Machine, Owner};
use crate::advice::{self, AdviceObserver};
use crate::checks::origin::{Origins, intended_shared_variables};
use crate::checks::races::Races;
use crate::code::{DecodedKernel, DecodedModule};
use crate::cuda_error::CudaError;
use crate::engine::compiled::LastRow;
use crate::engine::findings::{DescribedSide, Side};
use crate::engine::grid::{self, GridResult, host_has_wide_features};
use crate::engine::kernel_heap::KernelHeap;
use crate::engine::launch::{LaunchContext, LaunchExtents, LaunchGpu, RunOrder, StepBudget};
use crate::finding::FindingKind;
use crate::launch::{Dim3, ExecutionOrder, LaunchConfig, LaunchError, Options, Report, TouchedBuffer};
use crate::limits;
use crate::memory::Address;
use crate::memory::global::{GlobalMemory, Saved};
use crate::memory::touch::{Exact, TouchLog};
use crate::meter::Meters;
use crate::module::Module;
use crate::record::Recorder;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock, PoisonError};

/// All checks.
type Checks = Races;

/// Everything that inspects every instruction: one build of the engine serves all of it.
type AllSeen = (Checks, (Meters, (AdviceObserver, Recorder)));

/// A kernel launch as a program requests it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelLaunch<'a> {
    /// The kernel's number: [`Module::kernel_at`], [`Module::kernel_named`].
    pub kernel: u32,
    pub config: LaunchConfig,
    /// All parameters, laid out as in PTX: in order, each aligned to its type.
    pub params: &'a [u8],
    /// The blocks of a cluster, if the launch sets them; a kernel with `__cluster_dims__` has clusters in any
    /// case.
    pub cluster: Option<Dim3>,
    /// Whether clusters may have more blocks than every GPU supports
    /// (`cudaFuncAttributeNonPortableClusterSizeAllowed`).
    pub large_clusters: bool,
    /// Whether all blocks are resident at once, so that they may wait for each other.
    pub cooperative: bool,
    /// The dynamic shared memory that the kernel may use, as set by `cudaFuncSetAttribute`; `None` for what the
    /// GPU has.
    pub shared_limit_bytes: Option<u32>,
    /// Registers per thread, or 0 if unknown. They bound cooperative grids.
    pub registers: u32,
    /// Handles of texture and surface objects that were destroyed before the launch.
    pub destroyed_images: &'a [u64],
    /// The value of `%globaltimer` when the launch's blocks begin, in nanoseconds.
    pub begin_ns: u64,
}

impl<'a> KernelLaunch<'a> {
    /// Creates a plain launch without further limits.
    pub fn new(kernel: u32, config: LaunchConfig, params: &'a [u8]) -> KernelLaunch<'a> {
        KernelLaunch { kernel, config, params, ..KernelLaunch::default() }
    }
}

impl Machine {
    /// Checks whether a launch can begin.
    ///
    /// # Errors
    /// Returns the error with which [`Machine::launch`] would refuse the launch.
    pub fn check(&mut self, device: u32, module: &Module, asked: &KernelLaunch) -> Result<(), LaunchError> {
        let its = check(self.state(device)?.gpu, &module.code, asked)?;
        words(its, asked.params).map(|_| ())
    }

    /// Runs a kernel on a GPU to its end.
    ///
    /// # Errors
    /// Returns an error with CUDA's name for it if the launch can't begin.
    pub fn launch(
        &mut self,
        device: u32,
        module: &Module,
        asked: &KernelLaunch,
        options: &Options,
    ) -> Result<Report, LaunchError> {
        let code = &module.code;
        let gpu = self.state(device)?.gpu;
        let its = check(gpu, code, asked)?;
        let param_words = words(its, asked.params)?;
        self.load(device, module)?;
        let heap = self.take_heap(device, code)?;
        let heap_buffer = self.memory.find(heap.start());
        let kernel_heap = Mutex::new(Heap::default());
        let workspace = if asked.cooperative { self.workspace(device)? } else { 0 };
        self.launches += 1;
        let saved: Vec<OnceLock<Saved>> = self.memory.buffers.iter().map(|_| OnceLock::new()).collect();
        let state = &self.gpus[device as usize];
        let config = asked.config;
        let cluster = its.cluster.or(asked.cluster);
        let intended_shared =
            if options.checks { intended_shared(code, its, config.dynamic_shared_bytes) } else { Vec::new() };
        let run = |memory: &GlobalMemory, host_threads: usize, execution: ExecutionOrder| {
            *kernel_heap.lock().unwrap_or_else(PoisonError::into_inner) = heap.clone();
            let launch = LaunchContext {
                code,
                early_returns: &module.early_returns,
                short_calls: &module.short_calls,
                kernel: its,
                kernel_index: asked.kernel,
                extents: LaunchExtents {
                    grid: config.grid,
                    cluster: cluster.unwrap_or(Dim3::new(1, 1, 1)),
                    has_clusters: cluster.is_some(),
                    clustered: its.interaction.clustered
                        || cluster.is_some_and(|cluster| cluster.count() > 1),
                    block: config.block,
                    dynamic_shared_bytes: config.dynamic_shared_bytes,
                    shared_bytes: its.shared_bytes + config.dynamic_shared_bytes as u64,
                },
                gpu: LaunchGpu {
                    device,
                    reaches: &state.reaches,
                    pool_access: &self.pool_access,
                    stack_bytes: state.stack_bytes.saturating_add(its.local_bytes),
                    multiprocessors: gpu.multiprocessors,
                    clock_khz: gpu.clock_khz,
                    begin_ns: asked.begin_ns,
                    cooperative: asked.cooperative,
                    workspace,
                    grid_id: self.launches,
                },
                order: RunOrder {
                    execution,
                    sample_every: match asked.cooperative || its.interaction.observes_blocks {
                        true => 1,
                        false => options.sample_every.max(1),
                    },
                },
                budget: StepBudget {
                    most_steps: options.most_steps,
                    step_budget: match options.most_steps {
                        0 => options.step_budget,
                        most => options.step_budget.min(most),
                    },
                    launch_budget: options.launch_budget,
                    spent: AtomicU64::new(0),
                },
                intended_shared: intended_shared.clone(),
                param_words: param_words.iter().map(|&w| AtomicU32::new(w)).collect(),
                memory,
                images: &self.images,
                destroyed_images: asked.destroyed_images,
                variables: &state.modules[&module.id],
                options,
                emitter: options.emitter.as_ref().filter(|_| options.checks && host_has_wide_features()),
                last_row: LastRow::default(),
                heap: KernelHeap { blocks: &kernel_heap, buffer: heap_buffer },
                saved: &saved,
            };
            // Unit tests record launches, and do nothing else with them: the rest of the engine is not built again for them.
            let ran = if cfg!(test) || options.advice || options.record.is_some() {
                grid::run::<AllSeen>(&launch, host_threads, true)
            } else if options.checks {
                grid::run::<(Checks, Meters)>(&launch, host_threads, true)
            } else {
                grid::run::<Meters>(&launch, host_threads, false)
            };
            let asked = advice::AdviceOptions {
                registers: asked.registers,
                capability: gpu.capability,
                strict_floats: options.strict_floats,
            };
            ran.map(|ran| finish(ran, &launch, options, &asked))
        };
        let by_number = options.order == ExecutionOrder::ByNumber;
        let found = |ran: &(Report, Vec<TouchLog>)| !ran.0.findings.is_empty();
        let (mut report, mut logs) = match run(&self.memory, options.host_threads, options.order) {
            Some(done) if by_number || !found(&done) => done,
            first => {
                const ALONE: &str = "one host thread is never in its own way";
                self.memory.restore(&saved);
                let ran = run(&self.memory, 1, options.order).expect(ALONE);
                if by_number || !found(&ran) {
                    ran
                } else {
                    // What is also found with blocks in order of their number is reported from that run.
                    self.memory.restore(&saved);
                    let in_order = run(&self.memory, 1, ExecutionOrder::ByNumber).expect(ALONE);
                    if found(&in_order) { in_order } else { first.unwrap_or(ran) }
                }
            }
        };
        for log in &logs {
            self.memory.absorb(log, |pc| code.location(pc).map(|at| at.line));
        }
        if options.touched {
            report.touched = touched(&self.memory, &mut logs, workspace);
        }
        let heap = kernel_heap.into_inner().unwrap_or_else(PoisonError::into_inner);
        let state = self.state(device)?;
        state.stack_bytes = state.stack_bytes.max(its.local_bytes);
        if heap.exists() {
            state.heap = Some(heap);
        }
        Ok(report)
    }

    /// Takes the memory for `malloc`, allocating it when a module uses it for the first time; returns an empty
    /// heap before that.
    fn take_heap(&mut self, device: u32, code: &DecodedModule) -> Result<Heap, LaunchError> {
        let state = self.state(device)?;
        if let Some(heap) = state.heap.take() {
            return Ok(heap);
        }
        let calls = &code.details.calls[..code.device.calls];
        if !calls.iter().any(|call| call.target.allocates()) {
            return Ok(Heap::default());
        }
        let state = self.state(device)?;
        let bytes = state.heap_bytes;
        let start = self.allocate(Owner::Device(device), "device heap", bytes)?;
        Ok(Heap::new(start.0, bytes))
    }

    /// Returns the address of the barrier of a cooperative grid, zeroed: `%envreg1` and `%envreg2` hold that
    /// address, and cooperative groups find the barrier 4 bytes into it (`details/driver_abi.h`).
    fn workspace(&mut self, device: u32) -> Result<u64, LaunchError> {
        const BYTES: u64 = 64;
        let known = self.state(device)?.workspace;
        let address = match known {
            Some(address) => address,
            None => {
                let address = self.allocate(Owner::Device(device), "grid barrier", BYTES)?;
                self.state(device)?.workspace = Some(address);
                address
            }
        };
        self.memory.set(address, &[0], BYTES);
        Ok(address.0)
    }
}

/// Returns the kernel of a launch, if the launch can begin.
fn check<'a>(
    gpu: Gpu,
    code: &'a DecodedModule,
    asked: &KernelLaunch,
) -> Result<&'a DecodedKernel, LaunchError> {
    let Some(its) = code.kernels.get(asked.kernel as usize) else {
        let message = format!("the module has no kernel number {}", asked.kernel);
        return Err(LaunchError::new(CudaError::InvalidDeviceFunction, message));
    };
    limits::check(&asked.config, its.shared_bytes, its.max_threads, gpu.capability)?;
    limits::check_local(code.functions[its.function as usize].local_bytes)?;
    if let Some(limit) = asked.shared_limit_bytes {
        limits::check_opted_in(&asked.config, its.shared_bytes, limit)?;
    }
    if let Some(cluster) = asked.cluster.or(its.cluster) {
        limits::check_cluster(&asked.config, cluster, its.cluster, asked.large_clusters, gpu.capability)?;
    }
    if asked.cooperative {
        let (registers, count) = (asked.registers, gpu.multiprocessors);
        limits::check_cooperative(&asked.config, its.shared_bytes, registers, count, gpu.capability)?;
    }
    Ok(its)
}

/// Returns, for each memory instruction of a kernel, the byte range of the shared variable that it is meant to
/// access.
fn intended_shared(code: &DecodedModule, its: &DecodedKernel, dynamic_bytes: u32) -> Vec<Option<(u64, u64)>> {
    let variables = its.intended_shared.get_or_init(|| intended_shared_variables(code, its));
    let stretch = |variable: u32| {
        let (_, start) = its.shared.iter().find(|(number, _)| *number == variable)?;
        let shared = code.shared.get(variable as usize)?;
        let bytes = if shared.dynamic { u64::from(dynamic_bytes) } else { shared.bytes };
        Some((*start, start + bytes))
    };
    variables.iter().map(|variable| variable.and_then(stretch)).collect()
}

/// Returns the parameters as words.
fn words(its: &DecodedKernel, params: &[u8]) -> Result<Vec<u32>, LaunchError> {
    let refuse = |message: String| Err(LaunchError::new(CudaError::InvalidValue, message));
    limits::check_params(its.param_bytes)?;
    if params.len() < its.param_bytes as usize {
        return refuse(format!(
            "{} takes {} bytes of parameters, but {} were given",
            its.name,
            its.param_bytes,
            params.len()
        ));
    }
    let mut memory = params[..its.param_bytes as usize].to_vec();
    memory.resize(memory.len().next_multiple_of(4), 0);
    Ok(memory.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
}

/// Builds a launch's report, and returns it with what the launch touched.
fn finish(
    ran: GridResult,
    launch: &LaunchContext,
    options: &Options,
    asked: &advice::AdviceOptions,
) -> (Report, Vec<TouchLog>) {
    let origins = Origins::new(launch.code, launch.kernel);
    let GridResult { mut report, mut findings, logs } = ran;
    let shared_reads = std::mem::take(&mut findings.shared_reads);
    let words = |code, side: &Side| {
        let described = describe_side(launch, &origins, code, side);
        if described.evidence.is_some() || code != FindingKind::Uninitialised {
            return described;
        }
        let shared = shared_reads.get(&side.pc).and_then(|read| shared_around(read, side, &described.target));
        let evidence = shared.or_else(|| written_around(launch.memory, &logs, side));
        DescribedSide { evidence, ..described }
    };
    let extents = &launch.extents;
    report.findings = findings.into_findings(launch.code, extents.block, extents.grid, &origins, &words);
    report.counts.launches = 1;
    report.counts.pace.finish();
    let details = report.counts.details.take().filter(|_| options.advice);
    report.advice = details.map(|details| advice::emit(&details, launch, asked)).unwrap_or_default();
    report.output_cut |= report.output.len() > options.output_limit_bytes;
    report.output.truncate(options.output_limit_bytes);
    (report, logs)
}

/// Combines what all host threads touched, by buffer.
fn touched(memory: &GlobalMemory, logs: &mut [TouchLog], workspace: u64) -> Vec<TouchedBuffer> {
    let mut all = Vec::new();
    for (n, buffer) in memory.buffers.iter().enumerate().filter(|(_, b)| b.base != workspace) {
        let mut sum = Exact::default();
        for exact in logs.iter_mut().filter_map(|log| log.buffers.get_mut(n)?.exact.take()) {
            for (sum, part) in
                [(&mut sum.read, exact.read), (&mut sum.write, exact.write), (&mut sum.atomic, exact.atomic)]
            {
                if sum.has_no_room() {
                    *sum = part;
                } else {
                    sum.join(&part);
                }
            }
        }
        if !(sum.read.is_empty() && sum.write.is_empty() && sum.atomic.is_empty()) {
            let base = Address(buffer.base);
            all.push(TouchedBuffer { base, reads: sum.read, writes: sum.write, atomics: sum.atomic });
        }
    }
    all
}
