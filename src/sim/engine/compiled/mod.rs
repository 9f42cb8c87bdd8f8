//! Runs warps with machine code: when code is requested, when it is entered, and what is accounted for after it
//! exits.
//!
//! - `region`: regions of a kernel, and their code.
//! - `version`: a version of an entry's code in a launch, and the counts of what it did.
//! - `assumptions`: the assumptions about registers that code is compiled under.
//! - `session`: warps that run one version of an entry's code one after the other.
//! - `divergences`: at which branches lanes diverge.
//! - `path`: blocks whose warps all follow one path through the kernel.
//! - `calls`: functions of the interpreter that code calls.
//! - `plain_access`: loads and stores that code hands over.

mod assumptions;
mod calls;
mod divergences;
mod path;
mod plain_access;
mod region;
mod session;
mod version;

pub use path::{LastRow, PathRun, run_path};
pub use region::CompiledKernel;
pub use session::Resumed;

use super::launch::LaunchContext;
use super::observer::Observer;
use super::step::WarpStatus;
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::{DecodedModule, ExecutedWork};
use crate::kernel_code::{KernelContext, KernelEmitter, LaneValues, RegionBlock, Register};
use crate::lanes::FULL;
use path::Following;
use region::MAX_SCALARS;
use session::Session;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use version::CodeVersion;

/// How many times warps must reach an entry, within one [`Compiled`], before the register contents observed there
/// are taken to be the usual ones.
const MIN_OBSERVATIONS: u32 = 4;

/// Most versions of the code of one entry, compiled under different assumptions about registers.
const MAX_CODES: usize = 6;

/// What the code of an entry must gain on average each time it is entered, in instructions that the interpreter would have
/// executed in that time, as measured over the first `TRIAL_ENTRIES` times; otherwise it is not entered any more. An access to
/// memory takes the interpreter as long as several instructions, so it counts as `ACCESS_COST` more; handing one to the
/// interpreter costs more than it would without code.
const MIN_GAIN: i64 = 8;
const ACCESS_COST: u64 = 8;
const HANDING_OVER_COST: u64 = 24;
const TRIAL_ENTRIES: u64 = 512;

/// How many times code is left because the lanes diverge, before it is compiled again for what has been observed of that.
const MIN_DIVERGENCES: u32 = 8;

/// One worker's state for running a kernel with machine code.
#[derive(Debug)]
pub struct Compiled {
    emitter: Arc<dyn KernelEmitter>,
    /// [`Options::compile_after`](crate::Options::compile_after).
    after: u64,
    work: Arc<ExecutedWork>,
    /// Warp instructions that machine code has executed and that are not added to `work` yet.
    as_machine_code: u64,
    /// `None` until the kernel has executed enough instructions to be compiled.
    kernel: Option<Arc<CompiledKernel>>,
    /// By the index of the basic block in the kernel.
    entries: Vec<Entry>,
    /// The versions of code that did something observers have not counted yet, by entry and place among its
    /// versions.
    uncounted: Vec<(usize, usize)>,
    /// Whether blocks are run along a path.
    following: Following,
    /// The memory for [`KernelContext::scalars`].
    scalars: Box<[u64]>,
    /// What code works on.
    context: Option<Box<KernelContext>>,
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
    /// How many times code was entered here, and what it gained: see [`MIN_GAIN`].
    entered: u64,
    gain: i64,
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

impl Compiled {
    /// Returns `None` if the launch must not use machine code.
    pub fn new(launch: &LaunchContext) -> Option<Box<Compiled>> {
        let emitter = launch.emitter?.clone();
        let alone = !launch.order.is_interleaved() && launch.options.record.is_none();
        if !alone || launch.kernel.interaction.communicates || launch.extents.clustered {
            return None;
        }
        let mut compiled = Box::new(Compiled {
            emitter,
            after: launch.options.compile_after,
            work: launch.kernel.work.clone(),
            as_machine_code: 0,
            kernel: None,
            entries: Vec::new(),
            uncounted: Vec::new(),
            following: Following::default(),
            scalars: vec![0; MAX_SCALARS].into_boxed_slice(),
            context: None,
        });
        // An earlier launch, or another host thread, may have prepared it.
        if launch.kernel.compiled.get().is_some() {
            compiled.prepare_kernel(launch);
        }
        Some(compiled)
    }

    /// Prepares the kernel for compilation, once it has executed enough instructions; later calls do nothing.
    /// Returns `None` if the kernel can't be compiled.
    fn prepare_kernel(&mut self, launch: &LaunchContext) -> Option<()> {
        if self.kernel.is_none() {
            let make = || CompiledKernel::new(launch.code, launch.kernel).map(Arc::new);
            let kernel = launch.kernel.compiled.get_or_init(make).clone()?;
            let entry = |place| match kernel.is_entry(place) {
                true => Entry::Observing(Observation::default()),
                false => Entry::Refused,
            };
            self.entries = (0..kernel.blocks.len()).map(entry).collect();
            self.kernel = Some(kernel);
        }
        Some(())
    }

    /// Records that the lanes of `mask` diverged at a branch, which the lanes of `taken` took.
    pub fn note_divergence(&self, pc: u32, taken: u32, mask: u32) {
        if let Some(kernel) = &self.kernel {
            kernel.divergences.note(pc, taken, mask);
        }
    }

    /// Returns the number of warp instructions that the kernel's thread blocks have executed.
    fn work(&self) -> u64 {
        self.work.instructions.load(Relaxed)
    }

    /// Adds the number of warp instructions that a thread block has executed.
    pub fn add_work(&mut self, instructions: u64) {
        self.work.instructions.fetch_add(instructions, Relaxed);
        self.work.as_machine_code.fetch_add(std::mem::take(&mut self.as_machine_code), Relaxed);
    }

    /// Adds the number of warp instructions that thread blocks have executed, all of them as machine code.
    pub fn add_compiled_work(&mut self, instructions: u64) {
        self.as_machine_code += instructions;
        self.add_work(instructions);
    }

    /// Returns whether a warp may enter code at the basic block with this number. `steps`: the warp instructions
    /// executed by its thread block so far.
    #[inline(always)]
    fn is_entry(&self, number: usize, steps: u64) -> bool {
        let Some(kernel) = &self.kernel else { return self.work() + steps >= self.after };
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
        let worth = always || kernel.is_worth_compiling(self.work.instructions.load(Relaxed) + steps);
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
                let _compiling = kernel.begin_compiling(always)?;
                let Observation { blocks, assumptions, .. } = std::mem::take(observation);
                codes = kernel.codes(number);
                if codes.is_empty() {
                    codes.extend(kernel.compile(&*self.emitter, code, blocks, assumptions));
                }
            }
            *entry = match codes.is_empty() {
                true => Entry::Refused,
                false => Entry::Compiled(Versions {
                    list: codes.into_iter().map(CodeVersion::new).collect(),
                    complete: false,
                    entered: 0,
                    gain: 0,
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
        let _compiling = kernel.begin_compiling(always)?;
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

    /// Has an observer count what code did since it last counted, in all blocks.
    pub fn count<O: Observer>(&mut self, worker: &mut WorkerState, observer: &mut O) {
        self.following.count(worker, observer);
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
fn is_ready(worker: &WorkerState, warp: &Warp, number: usize) -> bool {
    // Lanes that have just met at a collective continue in the middle of a basic block.
    worker.launch.code.blocks[number].start == warp.group.pc
        && warp.registers.mask() == FULL
        && warp.others.is_empty()
        && warp.group.frames.is_empty()
        && !warp.spun
        && !worker.patient
        && !warp.undefined.any
        && !warp.products.any
        && !worker.findings.tracks_undefined
}

/// Returns whether a warp may enter code at the basic block at which it is, `number`. `steps`: the warp instructions
/// executed by its thread block so far.
#[inline(always)]
pub fn may_enter(worker: &mut WorkerState, warp: &Warp, number: usize, steps: u64) -> bool {
    let Some(compiled) = &mut worker.compiled else { return false };
    if let Following::Recording(recorder, _) = &mut compiled.following {
        recorder.record(warp, number, worker.launch.code.blocks[number].start == warp.group.pc);
        return false;
    }
    compiled.is_entry(number, steps) && is_ready(worker, warp, number)
}

/// Runs code that starts at a basic block, if there is some. Returns `None` if there is none.
#[inline(never)]
pub fn enter<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    number: usize,
) -> Option<Resumed> {
    let mut session = Session::begin(worker, cta, warp, number)?;
    let resumed = session.run(worker, cta, warp);
    session.end(worker);
    resumed
}

/// What became of the warps of a block, one after the other.
#[derive(Debug, Default)]
pub struct WarpsRun {
    /// The number of warps that have ended or wait.
    pub warps: usize,
    /// How many of them ended now, and whether any waits.
    pub ended: u64,
    pub waits: bool,
    /// Where the interpreter continues with the next warp, if code has run for it.
    pub resumed: Option<Resumed>,
}

/// Runs warps of a block, beginning with the `from`-th in the launch's order, as long as all that they do until they end or
/// wait is done by code.
pub fn run_warps<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warps: &mut [Warp],
    from: usize,
) -> WarpsRun {
    let mut ran = WarpsRun::default();
    if worker.compiled.as_ref().is_some_and(|compiled| compiled.following.is_recording()) {
        return ran;
    }
    let mut session: Option<Session> = None;
    for n in from..warps.len() {
        let warp =
            &mut warps[worker.launch.order.scheduled(n as u64, warps.len() as u64, cta.index) as usize];
        if !warp.done() && !warp.others.is_empty() {
            break;
        }
        if warp.done() || !warp.schedule() {
            ran.waits |= !warp.done();
            ran.warps += 1;
            continue;
        }
        let number = worker.launch.code.block_of[warp.group.pc as usize] as usize;
        if !is_ready(worker, warp, number) {
            break;
        }
        if let Some(other) = session.take_if(|session| !session.suits(warp, number)) {
            other.end(worker);
        }
        if session.is_none() && may_enter(worker, warp, number, cta.steps.done) {
            session = Session::begin(worker, cta, warp, number);
        }
        let Some(resumed) = session.as_mut().and_then(|session| session.run(worker, cta, warp)) else {
            break;
        };
        match resumed.stopped {
            Some(WarpStatus::Done) => ran.ended += 1,
            Some(_) => ran.waits = true,
            None => {
                ran.resumed = Some(resumed);
                break;
            }
        }
        ran.warps += 1;
    }
    if let Some(session) = session {
        session.end(worker);
    }
    ran
}
