//! Runs warps with machine code: when code is requested, when it is entered, and what is accounted for after it
//! exits.
//!
//! - `region`: regions of a kernel, and their code.
//! - `version`: a version of an entry's code in a launch, and the counts of what it did.
//! - `assumptions`: the assumptions about registers that code is compiled under.
//! - `calls`: functions of the interpreter that code calls.

mod assumptions;
mod calls;
mod region;
mod version;

pub use region::CompiledKernel;

use super::block;
use super::launch::LaunchContext;
use super::observer::Observer;
use super::step::{self, WarpStatus};
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::DecodedModule;
use crate::kernel_code::{Exit, KernelContext, KernelEmitter, LaneValues, RegionBlock, Register, SharedView};
use crate::lanes::FULL;
use calls::{Running, materialise};
use region::{AfterExit, MAX_SCALARS};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use version::CodeVersion;

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
    /// The versions of code that did something observers have not counted yet, by entry and place among its
    /// versions.
    uncounted: Vec<(usize, usize)>,
    /// The memory for [`KernelContext::scalars`].
    scalars: Box<[u64]>,
}

/// The state of a basic block at which code may be entered.
#[derive(Debug)]
enum Entry {
    /// Register contents are being observed; there is no code yet.
    Observing(Observation),
    /// There is code, in one or more versions.
    Compiled(Versions),
    /// No code is entered here.
    Refused,
}

/// The versions of an entry's code.
#[derive(Debug)]
struct Versions {
    list: Vec<CodeVersion>,
    /// Whether no further version is to be compiled.
    complete: bool,
    /// How many times code was entered here, and the instructions that it executed, where each access that it made
    /// itself counts as [`ACCESS_COST`] more.
    entered: u64,
    executed: u64,
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

/// Where and how the interpreter continues after code exits.
#[derive(Clone, Copy, Debug)]
pub struct Resumed {
    pub pc: u32,
    /// Whether the code entered, and counted, the basic block of `pc`.
    pub block_counted: bool,
    /// Why the warp stopped there; `None` if the interpreter continues.
    pub stopped: Option<WarpStatus>,
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
            uncounted: Vec::new(),
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
                false => Entry::Compiled(Versions {
                    list: codes.into_iter().map(CodeVersion::new).collect(),
                    complete: false,
                    entered: 0,
                    executed: 0,
                }),
            };
        }
        let Entry::Compiled(versions) = entry else { return None };
        let Versions { list, complete, .. } = versions;
        if let Some(index) = list.iter_mut().position(|code_version| code_version.matches_warp(warp)) {
            return Some((place, index));
        }
        if *complete || list.len() >= MAX_CODES || !worth {
            return None;
        }
        // Another host thread may have compiled a version in the meantime.
        if let Some(made) = kernel.codes(number).into_iter().nth(list.len()) {
            list.push(CodeVersion::new(made));
            return list.last_mut()?.matches_warp(warp).then(|| (place, list.len() - 1));
        }
        let assumptions = kernel
            .relaxed_assumptions(list.iter().map(|code_version| &*code_version.code), &warp.registers)?;
        let blocks = kernel.region(code, number);
        let Some(made) = kernel.compile(&*self.emitter, code, blocks, assumptions) else {
            *complete = true;
            return None;
        };
        list.push(CodeVersion::new(made));
        list.iter_mut().position(|code_version| code_version.matches_warp(warp)).map(|index| (place, index))
    }

    /// Has an observer count what code did since it last counted.
    pub fn count<O: Observer>(&mut self, worker: &mut WorkerState, observer: &mut O) {
        for (place, index) in self.uncounted.drain(..) {
            if let Some(Entry::Compiled(versions)) = self.entries.get_mut(place)
                && let Some(version) = versions.list.get_mut(index)
            {
                version.count(worker, observer);
            }
        }
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
    let Entry::Compiled(versions) = &mut compiled.entries[place] else { return None };
    let code_version = &mut versions.list[index];
    let code = &*code_version.code;
    let before = cta.steps;
    code_version.redundancy.update(cta.observer.shadow_version(), &mut code_version.sites);
    let files = warp.registers.files();
    let mut context = KernelContext {
        r32: files.0,
        r64: files.1,
        predicates: files.2,
        runs: code_version.uncounted.runs.as_mut_ptr(),
        executed: worker.executed.runs.as_mut_ptr(),
        steps_and_cycles: [cta.steps, 0],
        made: [0; 4],
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
        interpreted: code_version.uncounted.interpreted.as_mut_ptr(),
        redundancy: &raw mut code_version.redundancy,
    };
    context.running = (&raw mut running).cast::<c_void>();
    // SAFETY: the context belongs to this warp, whose registers match the region's assumptions, as
    // `CodeVersion::matches_warp` found. What the context points to lives until the call returns, and only the code
    // and the functions that it calls use it.
    let out = unsafe { (code.code.enter)(&raw mut context) } as usize;
    let [steps, cycles] = context.steps_and_cycles;
    cta.steps = steps;
    warp.cycles += cycles;
    if context.last_branch != u32::MAX {
        warp.group.note_branch(context.last_branch);
    }
    let Exit { number, block_counted, ref scalars } = code.code.exits[out];
    let next = code.next[out];
    if next != AfterExit::Leaves {
        materialise(&mut warp.registers, scalars, &compiled.scalars);
    }
    let stopped = match next {
        AfterExit::Continues => None,
        AfterExit::Leaves => {
            step::leave(cta, warp, number, FULL);
            Some(WarpStatus::Done)
        }
        AfterExit::Waits => {
            block::arrive(worker, cta, warp, number, &worker.launch.code.insts[number as usize]);
            Some(WarpStatus::Waiting)
        }
    };
    let mut made = context.made;
    let mut all = 0;
    for (made, over) in made.iter_mut().zip(code.overcounted[out].by_kind) {
        *made = made.wrapping_sub(over);
        all += u64::from(*made);
    }
    let checked = made[2..] != [0; 2] || code_version.redundancy.any;
    cta.observer.compiled_ran(warp.index, &made, checked);
    code_version.uncounted.exits[out] += 1;
    if !std::mem::replace(&mut code_version.uncounted.listed, true) {
        compiled.uncounted.push((place, index));
    }
    versions.entered += 1;
    versions.executed += steps - before + all * ACCESS_COST;
    if versions.entered == TRIAL_ENTRIES
        && versions.executed < TRIAL_ENTRIES * MIN_INSTRUCTIONS
        && compiled.after > 0
    {
        compiled.count(worker, &mut cta.observer);
        compiled.entries[place] = Entry::Refused;
    }
    Some(Resumed { pc: number, block_counted, stopped })
}
