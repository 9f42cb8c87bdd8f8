//! Runs warps with machine code: when code is requested, when it is entered, and what is accounted for after it
//! exits.
//!
//! - `region`: regions of a kernel, and their code.
//! - `assumptions`: the assumptions about registers that code is compiled under.
//! - `calls`: functions of the interpreter that code calls.

mod assumptions;
mod calls;
mod region;

pub use region::CompiledKernel;

use super::launch::LaunchContext;
use super::observer::{CompiledAccesses, Observer};
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::DecodedModule;
use crate::kernel_code::{
    AccessSite, Exit, KernelContext, KernelEmitter, LANES, LaneValues, RegionBlock, Register, SharedView,
};
use crate::lanes::FULL;
use crate::memory::shape::Shape;
use assumptions::all_match;
use calls::{Running, forget_redundant, materialise};
use region::{MAX_SCALARS, RegionCode, counted, none};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many times warps must reach an entry, within one [`Compiled`], before the register contents observed there
/// are taken to be the usual ones.
const MIN_OBSERVATIONS: u32 = 4;

/// Most versions of the code of one entry, compiled under different assumptions about registers.
const MAX_CODES: usize = 6;

/// `MIN_INSTRUCTIONS`: instructions that the code of an entry must execute on average each time it is entered,
/// as measured over the first `TRIAL_ENTRIES` times; otherwise entering it costs more than it saves. An access to
/// memory takes the interpreter as long as several instructions, so it counts as `ACCESS_COST` more.
const MIN_INSTRUCTIONS: u64 = 24;
const ACCESS_COST: u64 = 8;
const TRIAL_ENTRIES: u64 = 64;

/// One worker's state for running a kernel with machine code.
#[derive(Debug)]
pub struct Compiled {
    emitter: Arc<dyn KernelEmitter>,
    /// [`Options::compile_after`](crate::Options::compile_after).
    after: u64,
    /// Warp instructions executed by the blocks that have ended, in all launches of the kernel.
    work: Arc<AtomicU64>,
    /// `None` until the kernel has executed enough instructions to be compiled.
    kernel: Option<Arc<CompiledKernel>>,
    /// By the index of the basic block in the kernel.
    entries: Vec<Entry>,
    /// The memory for [`KernelContext::scalars`].
    scalars: Box<[u64]>,
}

/// The state of a basic block at which code may be entered.
#[derive(Debug)]
enum Entry {
    /// Register contents are being observed; there is no code yet.
    Observing(Observation),
    /// There is code, in one or more versions.
    Compiled(Vec<CodeVersion>),
    /// No code is entered here.
    Refused,
}

/// The register contents of the warps that reach an entry, until there is code for it.
#[derive(Debug, Default)]
struct Observation {
    /// How many times warps have reached the entry.
    seen: u32,
    /// The region: the blocks reachable from the entry.
    blocks: Vec<RegionBlock>,
    /// The facts about registers that held for all of these warps.
    assumptions: Vec<(Register, LaneValues)>,
}

/// One version of an entry's code, with its state in this launch.
#[derive(Debug)]
struct CodeVersion {
    code: Arc<RegionCode>,
    sites: Vec<AccessSite>,
    shapes: Vec<Shape>,
    /// How many times each basic block was entered since the code was last entered.
    runs: Vec<u64>,
    /// Indices of the accesses that the interpreter made on behalf of the code since then.
    interpreted_accesses: Vec<usize>,
    /// For each warp of a block, whether its fixed registers match the code's assumptions; `None` if not checked
    /// yet.
    matches_warp: Vec<Option<bool>>,
    /// The version of the shadow memory ([`Observer::shadow_version`]) for which [`AccessSite::redundant`] of
    /// `sites` is valid.
    version: u64,
    /// How many times the code was entered, and the instructions that it executed, where each access counts as
    /// [`ACCESS_COST`] more.
    entered: u64,
    executed: u64,
}

/// Where and how the interpreter continues after code exits.
#[derive(Clone, Copy, Debug)]
pub struct Resumed {
    pub pc: u32,
    /// Whether the code entered, and counted, the basic block of `pc`.
    pub block_counted: bool,
    /// Number of basic blocks that the code ran to their end without a branch there.
    pub fell_through: u64,
}

impl Compiled {
    /// Returns `None` if the launch must not use machine code.
    pub fn new(launch: &LaunchContext) -> Option<Box<Compiled>> {
        let emitter = launch.emitter?.clone();
        let alone = !launch.order.is_interleaved() && launch.record.is_none();
        if !alone || launch.kernel.communicates || launch.extents.clustered {
            return None;
        }
        Some(Box::new(Compiled {
            emitter,
            after: launch.compile_after,
            work: launch.kernel.work.clone(),
            kernel: None,
            entries: Vec::new(),
            scalars: vec![0; MAX_SCALARS].into_boxed_slice(),
        }))
    }

    /// Prepares the kernel for compilation, once it has executed enough instructions; later calls do nothing.
    /// Returns `None` if the kernel can't be compiled.
    fn prepare_kernel(&mut self, launch: &LaunchContext) -> Option<()> {
        if self.kernel.is_none() {
            let make = || CompiledKernel::new(launch.code, launch.kernel).map(Arc::new);
            let kernel = launch.kernel.compiled.get_or_init(make).clone()?;
            let entry =
                |&may: &bool| if may { Entry::Observing(Observation::default()) } else { Entry::Refused };
            self.entries = kernel.entries.iter().map(entry).collect();
            self.kernel = Some(kernel);
        }
        Some(())
    }

    /// Adds the number of warp instructions that a thread block has executed.
    pub fn add_work(&self, instructions: u64) {
        self.work.fetch_add(instructions, Relaxed);
    }

    /// Returns whether a warp may enter code at the basic block with this number. `steps`: the warp instructions
    /// executed by its thread block so far.
    #[inline(always)]
    fn is_entry(&self, number: usize, steps: u64) -> bool {
        let Some(kernel) = &self.kernel else { return self.work.load(Relaxed) + steps >= self.after };
        let entry = number.checked_sub(kernel.blocks.start).and_then(|n| self.entries.get(n));
        entry.is_some_and(|entry| !matches!(entry, Entry::Refused))
    }

    /// Returns the code whose assumptions match the warp's registers, compiling it if necessary: the index of the
    /// entry, and that of the code among the entry's versions. `number`: the entry's basic block. `steps`: the
    /// warp instructions executed by the warp's block so far.
    fn find_code(
        &mut self,
        code: &DecodedModule,
        warp: &Warp,
        number: usize,
        steps: u64,
    ) -> Option<(usize, usize)> {
        let kernel = self.kernel.as_deref()?;
        let place = number.checked_sub(kernel.blocks.start)?;
        let entry = self.entries.get_mut(place)?;
        let always = self.after == 0;
        let worth = always || kernel.is_worth_compiling(self.work.load(Relaxed) + steps);
        if let Entry::Observing(observation) = entry {
            if !worth {
                return None;
            }
            let mut codes = kernel.codes(number);
            if codes.is_empty() {
                observation.record(kernel, code, warp, number);
                if observation.seen < MIN_OBSERVATIONS && !always {
                    return None;
                }
                let Observation { blocks, assumptions, .. } = std::mem::take(observation);
                codes.extend(kernel.compile(&*self.emitter, code, blocks, assumptions));
            }
            *entry = match codes.is_empty() {
                true => Entry::Refused,
                false => Entry::Compiled(codes.into_iter().map(CodeVersion::new).collect()),
            };
        }
        let Entry::Compiled(codes) = entry else { return None };
        if let Some(index) = codes.iter_mut().position(|code_version| code_version.matches_warp(warp)) {
            return Some((place, index));
        }
        if codes.len() >= MAX_CODES || !worth {
            return None;
        }
        // Another host thread may have compiled a version in the meantime.
        if let Some(made) = kernel.codes(number).into_iter().nth(codes.len()) {
            codes.push(CodeVersion::new(made));
            return codes.last_mut()?.matches_warp(warp).then(|| (place, codes.len() - 1));
        }
        let assumptions = kernel
            .relaxed_assumptions(codes.iter().map(|code_version| &*code_version.code), &warp.registers)?;
        let blocks = kernel.region(code, number);
        let Some(made) = kernel.compile(&*self.emitter, code, blocks, assumptions) else {
            *entry = Entry::Refused;
            return None;
        };
        codes.push(CodeVersion::new(made));
        codes.iter_mut().position(|code_version| code_version.matches_warp(warp)).map(|index| (place, index))
    }
}

impl Observation {
    /// Records the registers of a warp that reaches the entry.
    fn record(&mut self, kernel: &CompiledKernel, code: &DecodedModule, warp: &Warp, number: usize) {
        self.seen += 1;
        let registers = &warp.registers;
        if self.blocks.is_empty() {
            self.blocks = kernel.region(code, number);
            if self.blocks.is_empty() {
                // Too large to be compiled, whatever the registers hold.
                self.seen = MIN_OBSERVATIONS;
                return;
            }
            let of = |register| (register, kernel.observe(registers, register));
            self.assumptions = kernel.relevant_registers(code, &self.blocks).into_iter().map(of).collect();
        } else {
            kernel.relax(registers, &mut self.assumptions);
        }
    }
}

impl CodeVersion {
    fn new(code: Arc<RegionCode>) -> CodeVersion {
        CodeVersion {
            sites: vec![AccessSite::NONE; code.accesses.len()],
            shapes: code.accesses.iter().map(|(_, shape)| shape.clone()).collect(),
            runs: vec![0; code.blocks.len()],
            interpreted_accesses: Vec::new(),
            matches_warp: Vec::new(),
            version: 0,
            entered: 0,
            executed: 0,
            code,
        }
    }

    /// Returns whether a warp's registers match the assumptions that the code was compiled under.
    fn matches_warp(&mut self, warp: &Warp) -> bool {
        let n = warp.index as usize;
        if self.matches_warp.len() <= n {
            self.matches_warp.resize(n + 1, None);
        }
        let fixed = *self.matches_warp[n].get_or_insert_with(|| all_match(&warp.registers, &self.code.fixed));
        fixed && all_match(&warp.registers, &self.code.frame)
    }

    /// Adds what the code did between entry and exit to the counts. `out` is the index of the exit taken. Returns
    /// the number of basic blocks that ran to their end without a branch there.
    fn count<O: Observer>(
        &mut self,
        worker: &mut WorkerState,
        cta: &mut Cta<O>,
        warp: &mut Warp,
        out: usize,
    ) -> u64 {
        let code = &*self.code;
        let exit = &code.code.exits[out];
        let mut fell_through = 0;
        for (block, runs) in code.blocks.iter().zip(&mut self.runs) {
            let runs = std::mem::take(runs);
            if runs == 0 {
                continue;
            }
            let total = &mut worker.executed.runs[block.number];
            *total = [total[0] + runs, total[1] + runs * LANES as u64];
            warp.cycles += runs * block.cycles;
            let left = exit.block_counted && block.range.contains(&exit.number);
            let ended = runs - u64::from(left);
            worker.executed.branches += ended * block.branches;
            fell_through += ended * (1 - block.branches);
            for counted in &block.counted {
                cta.observer.count_accesses(&counted.times(runs as i64, warp.index));
                self.executed += runs * counted.accesses as u64 * ACCESS_COST;
            }
        }
        for overcounted in &code.overcounted[out] {
            cta.observer.count_accesses(&overcounted.times(-1, warp.index));
        }
        while let Some(n) = self.interpreted_accesses.pop() {
            let (index, shape) = (code.accesses[n].0, &mut self.shapes[n]);
            let one = counted(&worker.launch.code.details.memory[index], shape);
            cta.observer.count_accesses(&one.times(-1, warp.index));
        }
        for &n in &code.global {
            let site = &mut self.sites[n];
            if site.lines == 0 {
                continue;
            }
            let op = &worker.launch.code.details.memory[code.accesses[n].0];
            // Accesses that are checked by a call were recorded as such by that call.
            let checked = site.redundant != AccessSite::NONE.redundant;
            let of = CompiledAccesses {
                units: site.sectors as i64,
                lines: site.lines as i64,
                checked,
                ..none(op)
            };
            cta.observer.count_accesses(&of.times(1, warp.index));
            calls::note_reads(worker, site);
            (site.sectors, site.lines) = (0, 0);
        }
        fell_through
    }
}

/// Returns whether a warp is in a state in which code may be entered: at the start of a basic block, with all 32
/// lanes active in the kernel's own function, and with no undefined values or matrix products in flight to be
/// tracked.
#[inline(always)]
pub fn may_enter(worker: &WorkerState, warp: &Warp, number: usize, steps: u64) -> bool {
    worker.compiled.as_ref().is_some_and(|compiled| compiled.is_entry(number, steps))
        // Lanes that have just met at a collective continue in the middle of a basic block.
        && worker.launch.code.blocks[number].start == warp.group.pc
        && warp.registers.mask() == FULL
        && warp.others.is_empty()
        && warp.group.frames.is_empty()
        && !warp.spun
        && !worker.patient
        && !warp.undefined.any
        && !warp.products.any
        && !worker.findings.tracks_undefined
}

/// Runs code that starts at a basic block, if there is some. Returns `None` if there is none.
#[inline(never)]
pub fn enter<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    number: usize,
) -> Option<Resumed> {
    let mut compiled = worker.compiled.take()?;
    // If the kernel can't be compiled, the state is dropped, so that it is not asked for again.
    compiled.prepare_kernel(worker.launch)?;
    let resumed = run(worker, cta, warp, number, &mut compiled);
    worker.compiled = Some(compiled);
    resumed
}

fn run<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    number: usize,
    compiled: &mut Compiled,
) -> Option<Resumed> {
    let (place, index) = compiled.find_code(worker.launch.code, warp, number, cta.steps)?;
    let Entry::Compiled(codes) = &mut compiled.entries[place] else { return None };
    let code_version = &mut codes[index];
    let code = &*code_version.code;
    let before = cta.steps;
    let version = cta.observer.shadow_version();
    if std::mem::replace(&mut code_version.version, version) != version {
        forget_redundant(&mut code_version.sites);
    }
    let files = warp.registers.files();
    let mut context = KernelContext {
        r32: files.0,
        r64: files.1,
        predicates: files.2,
        runs: code_version.runs.as_mut_ptr(),
        steps: cta.steps,
        limit: cta.limit,
        last_branch: u32::MAX,
        block_index: [cta.ctaid.x, cta.ctaid.y, cta.ctaid.z],
        scalars: compiled.scalars.as_mut_ptr(),
        sites: code_version.sites.as_mut_ptr(),
        shared: SharedView { words: cta.shared.as_mut_ptr(), warp: warp.index, ..SharedView::NONE },
        trace_mask: u64::MAX,
        note_line: calls::note_line::<O, false>,
        note_written_line: calls::note_line::<O, true>,
        interpret: calls::interpret::<O>,
        check: calls::check::<O>,
        check_write: calls::check_write::<O>,
        running: std::ptr::null_mut(),
    };
    if !cta.observer.prepare_compiled(&mut context) {
        return None;
    }
    let mut running = Running {
        worker,
        cta,
        warp,
        code,
        shapes: code_version.shapes.as_mut_ptr(),
        interpreted_accesses: &raw mut code_version.interpreted_accesses,
        version: &raw mut code_version.version,
    };
    context.running = (&raw mut running).cast::<c_void>();
    // SAFETY: the context belongs to this warp, whose registers match the region's assumptions, as
    // `CodeVersion::matches_warp` found. What the context points to lives until the call returns, and only the code
    // and the functions that it calls use it.
    let out = unsafe { (code.code.enter)(&raw mut context) } as usize;
    let Exit { number, block_counted, ref scalars } = code.code.exits[out];
    materialise(&mut warp.registers, scalars, &compiled.scalars);
    cta.steps = context.steps;
    if context.last_branch != u32::MAX {
        warp.group.note_branch(context.last_branch);
    }
    code_version.entered += 1;
    code_version.executed += cta.steps - before;
    let fell_through = code_version.count(worker, cta, warp, out);
    let poor = code_version.entered == TRIAL_ENTRIES
        && code_version.executed < TRIAL_ENTRIES * MIN_INSTRUCTIONS
        && compiled.after > 0;
    if poor {
        compiled.entries[place] = Entry::Refused;
    }
    Some(Resumed { pc: number, block_counted, fell_through })
}
