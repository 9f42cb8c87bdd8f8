//! Runs the blocks of a launch along the path that nearly all of them follow: see [`KernelPath`].
//!
//! A block that does not follow it, or of which an access may have to be reported, is run as any other. It finds everything
//! as it was when it began, but for accesses that its own threads have recorded, which they then record again.

mod blocks;

use super::region::{AfterExit, RegionCode, kind_of};
use super::session::blank_context;
use super::{Compiled, CompiledKernel, Entry};
use crate::engine::launch::LaunchContext;
use crate::engine::observer::Observer;
use crate::engine::worker::{Cta, WorkerState};
use crate::kernel_code::{
    AccessShape, AccessesByKind, CompiledAccess, InlineAccess, KernelPath, Operation, PathCode, RegionBlock,
};
use crate::lanes::{FULL, LANES};
use blocks::PathBlocks;
use std::ops::Range;

/// How many warps must have run the code of a region before the path that they took is compiled.
const MIN_RUNS: u64 = 64;

/// Most accesses of a path.
const MAX_ACCESSES: usize = 16;

/// Most blocks that run before the launch's budget and whether it is to stop are looked at again.
const MAX_BLOCKS: u64 = 256;

/// Most blocks that are run in the usual way after one that did not follow the path.
const MAX_PAUSE: u64 = 1024;

/// The path that the warps of a region take, with its code.
#[derive(Debug)]
pub struct CompiledPath {
    code: PathCode,
    /// The path's basic blocks, and its exit, by their indices in the [`RegionCode`].
    blocks: Vec<usize>,
    exit: usize,
    accesses: Vec<PathAccess>,
    /// For each of `blocks`, its number in the module.
    numbers: Vec<u32>,
    /// What one warp executes: instructions, cycles and accesses.
    steps: u64,
    cycles: u64,
    made: AccessesByKind,
}

#[derive(Debug)]
struct PathAccess {
    /// Its index in [`RegionCode::accesses`].
    index: usize,
    shape: AccessShape,
    stores: bool,
    /// Bytes that each lane accesses.
    bytes: u64,
    /// Whether each lane accesses the bytes after its neighbour's.
    is_row: bool,
}

/// When blocks are run along a path.
#[derive(Debug, Default)]
pub struct Pause {
    /// How many blocks are still to be run in the usual way, and how many are to be the next time.
    rest: u64,
    next: u64,
}

/// The blocks that were run along a path.
pub struct PathRun {
    /// How many blocks have ended, and whether the last one that began is among them.
    pub ended: u64,
    pub all: bool,
    /// What each of them executed: instructions, and cycles of each warp.
    pub steps: u64,
    pub cycles: u64,
}

impl CompiledPath {
    /// Compiles the path that most warps have taken so far. `runs`: how often each block of the region was entered.
    pub fn new(
        kernel: &CompiledKernel,
        launch: &LaunchContext,
        (region, runs): (&RegionCode, &[u64]),
        number: usize,
    ) -> Option<CompiledPath> {
        let blocks = kernel.region(launch.code, number);
        let (order, end) = usual_path(kernel, &blocks, runs)?;
        let mut exits = region.code.description.exits.iter().zip(&region.next);
        let exit = exits.position(|(exit, next)| exit.number == end && *next == AfterExit::Leaves)?;
        let chosen: Vec<RegionBlock> = order.iter().map(|&n| blocks[n].clone()).collect();
        let numbers = chosen.iter().map(|block| block.number).collect();
        let steps = chosen.iter().map(|block| u64::from(block.range.end - block.range.start)).sum();
        let cycles = chosen.iter().map(|block| block.cycles).sum();
        let path = KernelPath { region: kernel.path_region(chosen, region.fixed.clone()), end };
        let code = launch.emitter?.emit_path(&path)?;
        let of_access = |its: &InlineAccess| {
            let is_same = |other: &InlineAccess| {
                (other.number, other.mask, &other.offsets) == (its.number, FULL, &its.offsets)
            };
            let index = region.code.description.accesses.iter().position(is_same)?;
            let op = &launch.code.details.memory[region.accesses[index].0];
            let bytes = u64::from(op.width());
            Some(PathAccess {
                index,
                shape: AccessShape::of(&its.offsets, FULL, op.width()),
                stores: kind_of(op) == CompiledAccess::GlobalStore,
                bytes,
                is_row: its.offsets.iter().enumerate().all(|(lane, offset)| *offset == lane as u64 * bytes),
            })
        };
        let accesses: Vec<PathAccess> = code.accesses.iter().map(of_access).collect::<Option<_>>()?;
        let mut made: AccessesByKind = [0; 4];
        for access in &accesses {
            made[CompiledAccess::new(false, access.stores) as usize] += 1;
        }
        let fits = accesses.len() <= MAX_ACCESSES;
        fits.then_some(CompiledPath { code, blocks: order, exit, accesses, numbers, steps, cycles, made })
    }
}

/// Returns the indices of the blocks that most warps have gone through, from the first one on, and the instruction at which
/// they leave the kernel; `None` if there is a loop, or another end.
fn usual_path(kernel: &CompiledKernel, blocks: &[RegionBlock], runs: &[u64]) -> Option<(Vec<usize>, u32)> {
    let mut order: Vec<usize> = Vec::new();
    let mut at = 0;
    loop {
        if order.contains(&at) {
            return None;
        }
        order.push(at);
        let range = blocks[at].range.clone();
        let is_left = |pc: &u32| matches!(kernel.instruction(*pc).operation, Operation::Other { .. });
        if let Some(end) = range.clone().find(is_left) {
            return Some((order, end));
        }
        let last = kernel.instruction(range.end - 1);
        let of = |pc: u32| blocks.iter().position(|block| block.range.start == pc).filter(|&n| runs[n] > 0);
        at = match &last.operation {
            Operation::Branch(to) if last.guard.is_none() => of(*to),
            Operation::Branch(to) => of(*to).into_iter().chain(of(range.end)).max_by_key(|&n| runs[n]),
            _ => of(range.end),
        }?;
    }
}

/// Runs a block that has just begun, and those that follow, for as long as they follow the path. `next`: the places in the
/// launch's order of the blocks after it. Returns `None` if there is no path.
pub fn run_path<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    next: Range<u64>,
) -> Option<PathRun> {
    let pause = &mut worker.compiled.as_mut()?.pause;
    if let Some(rest) = pause.rest.checked_sub(1) {
        pause.rest = rest;
        return None;
    }
    if worker.findings.tracks_undefined || worker.patient {
        return None;
    }
    let mut compiled = worker.compiled.take()?;
    let ran = run_blocks(worker, cta, &mut compiled, next);
    if let Some(ran) = ran.as_ref().filter(|ran| !ran.all) {
        let pause = &mut compiled.pause;
        pause.rest = if ran.ended > 0 { 0 } else { pause.next };
        pause.next = (2 * pause.rest + 1).min(MAX_PAUSE);
    }
    worker.compiled = Some(compiled);
    ran
}

fn run_blocks<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    compiled: &mut Compiled,
    next: Range<u64>,
) -> Option<PathRun> {
    let launch = worker.launch;
    if !launch.extents.block_threads().is_multiple_of(LANES as u64) {
        return None;
    }
    let kernel = compiled.kernel.clone()?;
    let pc = launch.code.functions[launch.kernel.function as usize].start?;
    let number = launch.code.block_of[pc as usize] as usize;
    let place = number.checked_sub(kernel.blocks.start)?;
    let Some(Entry::Compiled(versions)) = compiled.entries.get_mut(place) else { return None };
    let index = versions.list.iter_mut().position(|version| version.matches_warp(&cta.warps[0]))?;
    let version = &mut versions.list[index];
    let region = version.code.clone();
    let runs = &version.uncounted.runs;
    let enough = if compiled.after == 0 { 1 } else { MIN_RUNS };
    if region.path.get().is_none() && runs[0] < enough {
        return None;
    }
    let make = || CompiledPath::new(&kernel, launch, (&region, runs), number);
    let path = region.path.get_or_init(make).as_ref()?;
    if !region.frame.is_empty() || !cta.warps.iter().all(|warp| version.matches_warp(warp)) {
        return None;
    }
    let warps = cta.warps.len();
    let steps = path.steps * warps as u64;
    let left = launch.budget.left() / steps.max(1);
    let most = left.min(next.end - next.start + 1).min(MAX_BLOCKS);
    if most == 0 || steps > cta.limit {
        return None;
    }
    let found = (place, index);
    let mut blocks = PathBlocks::new(path, version, &mut cta.warps);
    let mut context = blank_context(cta);
    let mut ended = 0;
    while ended < most {
        if ended > 0 {
            let (index, _) = launch.block_at(next.start + ended - 1);
            cta.begin_next(launch, index);
            worker.findings.block = index;
        }
        if !cta.observer.prepare_compiled(&mut context) || !blocks.run(worker, cta, &mut context) {
            break;
        }
        ended += 1;
        let checked = blocks.version.redundancy.any;
        // All blocks make the same accesses, of which only the most by a thread in a block are counted by block.
        match ended {
            1 => (0..warps as u32).for_each(|warp| cta.observer.compiled_ran(warp, &path.made, checked)),
            _ => cta.observer.compiled_ran(0, &[0; 4], checked),
        }
    }
    if ended > 0 {
        blocks.count(worker, ended * warps as u64);
        if !std::mem::replace(&mut blocks.version.uncounted.listed, true) {
            compiled.uncounted.push(found);
        }
    }
    Some(PathRun { ended, all: ended == most, steps, cycles: path.cycles })
}
