//! Runs the blocks of a launch along the path that nearly all of them follow: see [`KernelPath`].
//!
//! A block that does not follow it, or of which an access may have to be reported, is run as any other. It finds everything
//! as it was when it began, but for accesses that its own threads have recorded, which they then record again.

use super::calls::{event, update_redundant};
use super::region::{AfterExit, RegionCode, kind_of};
use super::session::blank_context;
use super::version::CodeVersion;
use super::{Compiled, CompiledKernel, Entry};
use crate::engine::launch::LaunchContext;
use crate::engine::note::{NotedAccesses, note_touch, note_touched_row, note_write, note_written_row};
use crate::engine::observer::Observer;
use crate::engine::worker::{Cta, WorkerState};
use crate::finding::AccessKind;
use crate::kernel_code::{
    AccessShape, AccessSite, AccessesByKind, CompiledAccess, InlineAccess, KernelContext, KernelPath,
    MAX_WARPS, Operation, PathCode, PathContext, RegionBlock, WarpFiles, line_hash,
};
use crate::lanes::{FULL, LANES};
use std::ops::Range;

/// How many warps must have run the code of a region before the path that they took is compiled.
const MIN_RUNS: u64 = 64;

/// Most accesses of a path.
const MAX_ACCESSES: usize = 16;

/// Binary logarithms of the sizes of a line and of a sector of global memory, in bytes.
const LINE_BITS: u32 = 7;
const SECTOR_BITS: u32 = 5;

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
    /// How many blocks are still to be run in the usual way, and how many there were the last time.
    rest: u64,
    last: u64,
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
    if ran.as_ref().is_none_or(|ran| !ran.all) {
        let pause = &mut compiled.pause;
        let last = if ran.as_ref().is_some_and(|ran| ran.ended > 0) { 0 } else { pause.last };
        pause.last = (2 * last + 1).min(MAX_PAUSE);
        pause.rest = last;
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
    if launch.extents.block_threads() % LANES as u64 != 0 {
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
    let mut blocks = PathBlocks {
        path,
        version,
        files: cta
            .warps
            .iter_mut()
            .map(|warp| {
                let (r32, r64, predicates) = warp.registers.files();
                WarpFiles { r32, r64, predicates }
            })
            .collect(),
        addresses: vec![[0; MAX_WARPS]; path.accesses.len()],
        rows: vec![false; path.accesses.len()],
        ranges: vec![0..0; path.accesses.len()],
        sampled: Vec::new(),
    };
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
        let warps = if ended == 1 { 0..warps as u32 } else { 0..1 };
        let made = if ended == 1 { &path.made } else { &[0; 4] };
        warps.for_each(|warp| cta.observer.compiled_ran(warp, made, checked));
    }
    if ended > 0 {
        blocks.count(worker, ended * warps as u64);
        if !std::mem::replace(&mut blocks.version.uncounted.listed, true) {
            compiled.uncounted.push(found);
        }
    }
    Some(PathRun { ended, all: ended == most, steps, cycles: path.cycles })
}

/// What is needed to run blocks along a path.
struct PathBlocks<'p> {
    path: &'p CompiledPath,
    version: &'p mut CodeVersion,
    files: Vec<WarpFiles>,
    /// For each access, the address that each warp's first lane accesses.
    addresses: Vec<[u64; MAX_WARPS]>,
    /// For each access, whether each warp accesses the bytes after those of the warp before it; and the bytes from the
    /// first one that is accessed to the last.
    rows: Vec<bool>,
    ranges: Vec<Range<u64>>,
    /// The lines of the current block that belong to the sample.
    sampled: Vec<SampledLine>,
}

/// A line of global memory that a warp accesses: that between two bytes, or a part of it.
struct SampledLine {
    warp: usize,
    access: usize,
    line: u64,
    low: u64,
    high: u64,
}

impl PathBlocks<'_> {
    /// Runs a block. Returns false, with no effect but accesses recorded, if it must be run in the usual way.
    fn run<O: Observer>(
        &mut self,
        worker: &mut WorkerState,
        cta: &mut Cta<O>,
        context: &mut KernelContext,
    ) -> bool {
        let version = &mut *self.version;
        version.redundancy.update(cta.observer.shadow_version(), &mut version.sites);
        let warps = self.files.len();
        let run = PathContext {
            block_index: [cta.ctaid.x, cta.ctaid.y, cta.ctaid.z],
            warps: warps as u32,
            files: self.files.as_ptr(),
            addresses: self.addresses.as_mut_ptr().cast(),
        };
        // SAFETY: the warps' registers match the path's assumptions, as `run_blocks` has found, and there is room for the
        // addresses of each access.
        if unsafe { (self.path.code.probe)(&run) } as usize != warps || !self.are_valid() {
            return false;
        }
        let accesses = 0..self.path.accesses.len();
        if !accesses.clone().all(|n| self.record(worker, cta, n)) {
            return false;
        }
        accesses.for_each(|n| self.note(worker, cta, n));
        self.note_lines(cta, context);
        for (access, addresses) in self.path.accesses.iter().zip(&mut self.addresses) {
            let site = &self.version.sites[access.index];
            for address in &mut addresses[..warps] {
                *address = site.memory + (*address - site.low);
            }
        }
        // SAFETY: as above; all warps follow the path, and all addresses are within buffers, as `are_valid` has found.
        unsafe { (self.path.code.perform)(&run) };
        true
    }

    /// Returns whether all accesses are within their buffers and aligned, and the bytes that a warp stores to are accessed
    /// by no other warp of the block.
    fn are_valid(&mut self) -> bool {
        let warps = self.files.len();
        for (n, access) in self.path.accesses.iter().enumerate() {
            let (site, addresses) = (&self.version.sites[access.index], &self.addresses[n][..warps]);
            let span = (access.shape.high - access.shape.low) as u64 + access.bytes;
            let (mut is_row, mut apart, mut bits) = (access.is_row, true, 0);
            let (mut lowest, mut highest) = (addresses[0], addresses[0]);
            for pair in addresses.windows(2) {
                let [before, address] = [pair[0], pair[1]];
                is_row &= address == before.wrapping_add(span);
                apart &= address >= before.wrapping_add(span);
                (lowest, highest) = (lowest.min(address), highest.max(address));
                bits |= address;
            }
            let low = lowest.wrapping_add_signed(access.shape.low);
            let above = low.wrapping_sub(site.low);
            let within = above < site.room && highest - lowest < site.room - above;
            if !within || (bits | addresses[0]) & (access.bytes - 1) != 0 || access.stores && !apart {
                return false;
            }
            self.rows[n] = is_row;
            self.ranges[n] = low..low + (highest - lowest) + span;
        }
        let accesses = &self.path.accesses;
        let conflict = |a: usize, b: usize| {
            let (one, other) = (&self.ranges[a], &self.ranges[b]);
            let overlap = one.start < other.end && other.start < one.end;
            let same = self.addresses[a][..warps] == self.addresses[b][..warps];
            overlap
                && !(same
                    && accesses[a].is_row
                    && accesses[b].is_row
                    && accesses[a].bytes == accesses[b].bytes)
        };
        (0..accesses.len())
            .all(|a| !accesses[a].stores || (0..accesses.len()).all(|b| a == b || !conflict(a, b)))
    }

    /// Records an access of all warps for finding races. Returns false if it may have to be reported.
    fn record<O: Observer>(&mut self, worker: &WorkerState, cta: &mut Cta<O>, n: usize) -> bool {
        let access = &self.path.accesses[n];
        let CodeVersion { code, sites, shapes, redundancy, .. } = &mut *self.version;
        let (site, addresses) = (&sites[access.index], &self.addresses[n][..self.files.len()]);
        let buffer = &worker.launch.memory.buffers[site.buffer as usize];
        if !access.stores && (buffer.read_only || is_redundant(site, &self.ranges[n])) {
            return true;
        }
        let op = &worker.launch.code.details.memory[code.accesses[access.index].0];
        let its = &code.code.description.accesses[access.index];
        let kind = if access.stores { AccessKind::Write } else { AccessKind::Read };
        let event =
            |warp: usize| event(kind, warp as u32, its, addresses[warp], (site.buffer, buffer.base, op));
        let bytes = access.bytes * (LANES * addresses.len()) as u64;
        let shape = &mut shapes[access.index];
        let is_plain = self.rows[n] && cta.observer.plain_rows(&event(0), bytes)
            || (0..addresses.len()).all(|warp| cta.observer.plain_access(&event(warp), shape));
        if access.stores {
            redundancy.update(cta.observer.shadow_version(), sites);
        }
        is_plain
    }

    /// Counts an access of all warps, and records the bytes that it touches.
    fn note<O: Observer>(&mut self, worker: &mut WorkerState, cta: &mut Cta<O>, n: usize) {
        let (access, range) = (&self.path.accesses[n], &self.ranges[n]);
        let CodeVersion { code, sites, shapes, redundancy, .. } = &mut *self.version;
        let (site, shape) = (&mut sites[access.index], &shapes[access.index]);
        let is_new = site.check_or_number != 0 && !is_redundant(site, range);
        let addresses = &self.addresses[n][..self.files.len()];
        // The warps of a row begin at the same place in a line, as they are a number of lines apart.
        let (each, times) =
            if self.rows[n] { (&addresses[..1], addresses.len() as u64) } else { (addresses, 1) };
        for &address in each {
            site.sectors += u64::from(access.shape.sectors[address as usize % 32]) * times;
            site.lines += u64::from(access.shape.lines[address as usize % 128]) * times;
        }
        let launch = worker.launch;
        let op = &launch.code.details.memory[code.accesses[access.index].0];
        let buffer = &launch.memory.buffers[site.buffer as usize];
        let touched = &mut worker.log.buffers[site.buffer as usize];
        let row = self.rows[n]
            .then(|| (addresses[0] - buffer.base, access.bytes * (LANES * addresses.len()) as u64));
        let offsets = || addresses.iter().map(|address| address - buffer.base);
        let noted = match access.stores {
            true => worker.noted == NotedAccesses::All,
            false => is_new && worker.noted.include(buffer, op),
        };
        if noted {
            match row {
                Some((offset, bytes)) => note_touched_row(touched, buffer, op, (offset, bytes)),
                None => offsets().for_each(|offset| note_touch(touched, buffer, op, shape, offset, FULL)),
            }
        }
        if access.stores {
            let saved = worker.shared_memory.then(|| &launch.saved[site.buffer as usize]);
            match row {
                Some(row) => note_written_row(touched, (buffer, saved), row),
                None => offsets().for_each(|offset| {
                    note_write(touched, (buffer, saved), shape, offset, FULL);
                }),
            }
        } else if site.check_or_number != 0 {
            site.read[0] = site.read[0].min(range.start - site.low);
            site.read[1] = site.read[1].max(range.end - site.low);
            if is_new && !buffer.read_only {
                let its = &code.code.description.accesses[access.index];
                let event = event(AccessKind::Read, 0, its, addresses[0], (site.buffer, buffer.base, op));
                update_redundant(worker, cta, &event, noted, site, redundancy);
            }
        }
    }

    /// Records the lines that belong to the sample, in the order in which the warps access them.
    fn note_lines<O: Observer>(&mut self, cta: &mut Cta<O>, context: &mut KernelContext) {
        self.sampled.clear();
        let mask = context.trace_mask;
        let sampled = |low: u64, end: u64| {
            (low >> LINE_BITS..=(end - 1) >> LINE_BITS).filter(move |line| line_hash(*line) & mask == 0)
        };
        for (access, its) in self.path.accesses.iter().enumerate() {
            let addresses = &self.addresses[access][..self.files.len()];
            let mut add = |warp: usize, line: u64, low: u64, end: u64| {
                self.sampled.push(SampledLine { warp, access, line, low, high: end - 1 });
            };
            if self.rows[access] {
                let (Range { start, end }, of_warp) = (self.ranges[access].clone(), its.bytes * LANES as u64);
                for line in sampled(start, end) {
                    // Two warps share a line if a row does not begin with one.
                    let (from, to) = ((line << LINE_BITS).max(start), ((line + 1) << LINE_BITS).min(end));
                    for warp in (from - start) / of_warp..=(to - 1 - start) / of_warp {
                        let low = start + warp * of_warp;
                        add(warp as usize, line, low, low + of_warp);
                    }
                }
                continue;
            }
            for (warp, address) in addresses.iter().enumerate() {
                for &(offset, bytes) in its.shape.stretches.iter().flatten() {
                    let low = address.wrapping_add_signed(offset);
                    sampled(low, low + bytes).for_each(|line| add(warp, line, low, low + bytes));
                }
            }
        }
        // Sorting keeps the order of lines of an access.
        self.sampled.sort_by_key(|its| (its.warp, its.access));
        for SampledLine { access, line, low, high, .. } in self.sampled.drain(..) {
            if line_hash(line) & context.trace_mask == 0 {
                let (first, last) = (low >> SECTOR_BITS, high >> SECTOR_BITS);
                let stores = self.path.accesses[access].stores;
                context.trace_mask = cta.observer.note_line(line, first, last, stores);
            }
        }
    }

    /// Counts what warps did that have followed the path.
    fn count(&mut self, worker: &mut WorkerState, warps: u64) {
        let uncounted = &mut self.version.uncounted;
        for &n in &self.path.blocks {
            uncounted.runs[n] += warps;
        }
        uncounted.exits[self.path.exit] += warps;
        for &number in &self.path.numbers {
            let [runs, threads] = &mut worker.executed.runs[number as usize];
            *runs += warps;
            *threads += warps * LANES as u64;
        }
    }
}

/// Returns whether reading these bytes again would change nothing.
fn is_redundant(site: &AccessSite, range: &Range<u64>) -> bool {
    range.start - site.low >= site.redundant[0] && range.end - site.low <= site.redundant[1]
}
