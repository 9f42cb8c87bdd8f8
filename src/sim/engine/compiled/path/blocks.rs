//! Runs the blocks themselves: their accesses are checked, recorded and made.

use super::compile::{CompiledPath, PathAccess};
use crate::engine::compiled::calls::{event, update_redundant, update_site};
use crate::engine::compiled::version::{Redundancy, count_site};
use crate::engine::launch::LaunchContext;
use crate::engine::note::{NotedAccesses, note_touch, note_touched_row, note_write, note_written_row};
use crate::engine::observer::{Observer, Synchronisation};
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::finding::AccessKind;
use crate::kernel_code::{AccessSite, CompiledAccess, PathContext, WarpFiles, line_hash};
use crate::lanes::LANES;
use crate::memory::global::POISON_WORD;
use crate::memory::shape::Shape;
use std::ops::Range;
use std::sync::Arc;

/// Most blocks that run at once, and most addresses of their accesses.
const MAX_BATCH: usize = 16;
const MAX_ADDRESSES: usize = 4096;

/// Binary logarithms of the sizes of a line and of a sector of global memory, in bytes.
const LINE_BITS: u32 = 7;
const SECTOR_BITS: u32 = 5;

/// A path in a launch, and what blocks that followed it did.
#[derive(Debug)]
pub struct PathVersion {
    pub path: Arc<CompiledPath>,
    /// For each access to global memory.
    sites: Vec<AccessSite>,
    shapes: Vec<Shape>,
    redundancy: Redundancy,
    /// How many blocks have followed it that observers have not counted yet.
    pub uncounted: u64,
    /// How many blocks run at once, at most.
    batch: usize,
}

impl PathVersion {
    pub fn new(path: Arc<CompiledPath>) -> PathVersion {
        let shape = |access: &PathAccess| access.its.shape(access.bytes as u32);
        PathVersion {
            sites: vec![AccessSite::NONE; path.accesses.len()],
            shapes: path.accesses.iter().map(shape).collect(),
            redundancy: Redundancy::default(),
            uncounted: 0,
            batch: MAX_BATCH,
            path,
        }
    }

    /// Has an observer count what blocks did that followed the path.
    pub fn count<O: Observer>(&mut self, worker: &mut WorkerState, observer: &mut O) {
        let blocks = std::mem::take(&mut self.uncounted);
        let path = &self.path;
        for sum in &path.sums {
            observer.count_accesses(&sum.times(blocks as i64));
        }
        for &(number, [by_warps, by_threads]) in &path.runs {
            let [warps, threads] = &mut worker.executed.runs[number as usize];
            *warps += blocks * by_warps;
            *threads += blocks * by_threads;
        }
        worker.executed.control.add(path.control, blocks);
        for (access, site) in path.accesses.iter().zip(&mut self.sites) {
            let kind = CompiledAccess::new(false, access.stores);
            count_site(worker, observer, kind, site);
        }
    }
}

/// What is needed to run blocks along a path.
pub struct PathBlocks<'p> {
    path: &'p CompiledPath,
    sites: &'p mut [AccessSite],
    shapes: &'p mut [Shape],
    redundancy: &'p mut Redundancy,
    batch: &'p mut usize,
    files: Vec<WarpFiles>,
    addresses: Addresses,
    /// Most blocks of a batch.
    most: usize,
    /// For each access, the distance from an address to where that memory is on the host.
    distances: Vec<u64>,
    places: Vec<AccessPlace>,
    /// The lines of the batch that belong to the sample, and what selects it: [`KernelContext::trace_mask`](crate::kernel_code::KernelContext::trace_mask).
    sampled: Vec<SampledLine>,
    trace_mask: u64,
    /// Whether the accesses of a block have been counted by warp.
    counted: bool,
}

/// The addresses that the warps' first active lanes access in a batch of blocks: see [`PathAccess::addresses`].
struct Addresses {
    all: Vec<u64>,
    per_block: usize,
}

impl Addresses {
    /// Returns those of an access in a block, by warp.
    fn of(&self, access: &PathAccess, block: usize) -> &[u64] {
        let first = block * self.per_block;
        &self.all[first + access.addresses.start..first + access.addresses.end]
    }
}

/// What the warps of a batch of blocks access.
#[derive(Clone, Default)]
struct AccessPlace {
    /// The addresses from the first byte to the last.
    range: Range<u64>,
    /// Whether each warp accesses the bytes after those of the warp before it, and each lane those after its neighbour's.
    is_row: bool,
}

/// A line of global memory that a warp accesses: that between two bytes, or a part of it.
struct SampledLine {
    /// The warp's place in the order of blocks, phases and warps.
    order: usize,
    access: usize,
    line: u64,
    low: u64,
    end: u64,
}

impl<'p> PathBlocks<'p> {
    /// Prepares to run blocks with these warps.
    pub fn new(version: &'p mut PathVersion, warps: &mut [Warp], trace_mask: u64) -> PathBlocks<'p> {
        let files = warps.iter_mut().map(|warp| {
            let (r32, r64, predicates) = warp.registers.files();
            WarpFiles { r32, r64, predicates }
        });
        let PathVersion { path, sites, shapes, redundancy, batch, .. } = version;
        let per_block = path.accesses.last().map_or(0, |last| last.addresses.end);
        let most = (MAX_ADDRESSES / per_block.max(1)).clamp(1, MAX_BATCH);
        PathBlocks {
            files: files.collect(),
            addresses: Addresses { all: vec![0; per_block * most], per_block },
            most,
            distances: Vec::new(),
            places: vec![AccessPlace::default(); path.accesses.len()],
            sampled: Vec::new(),
            trace_mask,
            counted: false,
            path,
            sites,
            shapes,
            redundancy,
            batch,
        }
    }

    /// Runs the first blocks of some, as many at once as can be. `begun`: whether the first one has begun. Returns how many
    /// have run, and whether those are all that it took on; otherwise the next one has begun, and must be run in the usual way:
    /// nothing has happened in it but that accesses were recorded.
    pub fn run<O: Observer>(
        &mut self,
        worker: &mut WorkerState,
        cta: &mut Cta<O>,
        (blocks, begun): (Range<u64>, bool),
    ) -> (u64, bool) {
        let launch = worker.launch;
        let blocks: Vec<u64> =
            blocks.take((*self.batch).min(self.most)).map(|n| launch.block_at(n).0).collect();
        self.find_buffers(worker, cta);
        let mut run = PathContext {
            block_index: [0; 3],
            files: self.files.as_ptr(),
            shared: cta.shared.as_mut_ptr(),
            addresses: self.addresses.all.as_mut_ptr(),
            distances: self.distances.as_ptr(),
        };
        let (valid, all) = self.check(launch, &mut run, &blocks);
        let mut count = 0;
        while count < valid {
            if count > 0 || !begun {
                begin(worker, cta, blocks[count]);
            }
            if !cta.observer.can_run_compiled() || !self.record(worker, cta, count) {
                break;
            }
            self.count_by_warp(cta);
            count += 1;
        }
        let is_stopped = count < valid;
        if is_stopped && count > 0 {
            // What is noted is that of the blocks before.
            self.find_places(count);
        }
        if count > 0 {
            (0..self.path.accesses.len()).for_each(|n| self.note(worker, cta, (n, count)));
            self.note_lines(cta, count);
        }
        for (n, &block) in blocks[..count].iter().enumerate() {
            self.perform(launch, &mut run, (n, block));
        }
        if all && !is_stopped {
            return (count as u64, true);
        }
        if !is_stopped && (count > 0 || !begun) {
            begin(worker, cta, blocks[count]);
        }
        // Earlier blocks may have left something there.
        cta.shared.fill(POISON_WORD);
        (count as u64, false)
    }

    /// Finds the buffers that the accesses are to, as far as the interpreter has made them in this launch.
    fn find_buffers<O: Observer>(&mut self, worker: &mut WorkerState, cta: &Cta<O>) {
        self.redundancy.update(cta.observer.shadow_version(), self.sites);
        for (n, access) in self.path.accesses.iter().enumerate() {
            let site = &mut self.sites[n];
            if site.room == 0 {
                update_site(worker, cta, access.its.number, access.op, site, &self.shapes[n]);
            }
        }
        self.distances.clear();
        self.distances.extend(self.sites.iter().map(|site| site.memory.wrapping_sub(site.low)));
    }

    /// Finds how many of these blocks, from the first one on, follow the path with valid accesses, and whether no other was
    /// found that does not.
    fn check(&mut self, launch: &LaunchContext, run: &mut PathContext, blocks: &[u64]) -> (usize, bool) {
        if self.sites.iter().any(|site| site.room == 0) {
            return (0, false);
        }
        let follows = |its: &(usize, &u64)| self.probe(launch, run, (its.0, *its.1));
        let count = blocks.iter().enumerate().take_while(follows).count();
        if count == 0 || self.find_places(count) {
            return (count, count == blocks.len());
        }
        // Not at once, but perhaps one by one.
        *self.batch = 1;
        let first = count > 1 && self.find_places(1);
        (usize::from(first), first)
    }

    /// Finds whether a block, the `n`-th of the batch, follows the path, and what it accesses.
    fn probe(&mut self, launch: &LaunchContext, run: &mut PathContext, its: (usize, u64)) -> bool {
        self.prepare(launch, run, its);
        // SAFETY: the warps' registers match the path's assumptions, as `CompiledPath::suits` has found; there is room for the
        // addresses of each access.
        unsafe { (self.path.code.probe)(run) != 0 }
    }

    /// Performs a block, the `n`-th of the batch.
    fn perform(&mut self, launch: &LaunchContext, run: &mut PathContext, its: (usize, u64)) {
        self.prepare(launch, run, its);
        // SAFETY: as in `probe`; the block follows the path, all addresses are within buffers, as `find_places` has found, and
        // accesses to shared memory are within it, as `steady::path` has found for these warps.
        unsafe { (self.path.code.perform)(run) };
    }

    /// Completes the context for the `n`-th block of the batch.
    fn prepare(&mut self, launch: &LaunchContext, run: &mut PathContext, (n, block): (usize, u64)) {
        let at = launch.extents.grid.at(block);
        run.block_index = [at.x, at.y, at.z];
        run.addresses = self.addresses.all[n * self.addresses.per_block..].as_mut_ptr();
    }

    /// Has the block's observer count its accesses by warp. All blocks make the same, of which only the most by a thread in a
    /// block are counted by block.
    fn count_by_warp<O: Observer>(&mut self, cta: &mut Cta<O>) {
        let checked = self.redundancy.any;
        if std::mem::replace(&mut self.counted, true) {
            return cta.observer.compiled_ran(0, &[0; 4], checked);
        }
        for (warp, made) in self.path.by_warp.iter().enumerate() {
            cta.observer.compiled_ran(warp as u32, made, checked);
        }
        for its in &self.path.masked {
            cta.observer.masked_ran(its.warp, its.kind, its.mask, 1);
        }
    }

    /// Finds what the batch's first blocks access. Returns whether all of it is within its buffers and aligned, and the bytes
    /// that a warp stores to are accessed by no other warp.
    fn find_places(&mut self, blocks: usize) -> bool {
        for (n, access) in self.path.accesses.iter().enumerate() {
            let site = &self.sites[n];
            let span = (access.shape.high - access.shape.low) as u64 + access.bytes;
            let (mut is_row, mut apart, mut bits) = (access.is_row, true, 0);
            let (mut lowest, mut highest) = (u64::MAX, 0);
            let mut end = self.addresses.of(access, 0)[0];
            for block in 0..blocks {
                for &address in self.addresses.of(access, block) {
                    is_row &= address == end;
                    apart &= address >= end;
                    (lowest, highest) = (lowest.min(address), highest.max(address));
                    bits |= address;
                    end = address.wrapping_add(span);
                }
            }
            let low = lowest.wrapping_add_signed(access.shape.low);
            let above = low.wrapping_sub(site.low);
            let within = above < site.room && highest - lowest < site.room - above;
            if !within || bits & (access.bytes - 1) != 0 || access.stores && !apart {
                return false;
            }
            self.places[n] = AccessPlace { range: low..low + (highest - lowest) + span, is_row };
        }
        let accesses = &self.path.accesses;
        let conflict = |a: usize, b: usize| {
            let (one, other) = (&self.places[a].range, &self.places[b].range);
            let same = |a: usize, b: usize| {
                let of = |n: usize| {
                    let PathAccess { its, bytes, warps, .. } = &accesses[n];
                    (&its.offsets, its.mask, bytes, warps)
                };
                let addresses = |n: usize, block| self.addresses.of(&accesses[n], block);
                of(a) == of(b) && (0..blocks).all(|block| addresses(a, block) == addresses(b, block))
            };
            one.start < other.end && other.start < one.end && !same(a, b)
        };
        (0..accesses.len())
            .all(|a| !accesses[a].stores || (0..accesses.len()).all(|b| a == b || !conflict(a, b)))
    }

    /// Records the accesses of a block, the `block`-th of the batch, for finding races. Returns false if one may have to be
    /// reported.
    fn record<O: Observer>(&mut self, worker: &WorkerState, cta: &mut Cta<O>, block: usize) -> bool {
        let mut phase = 0;
        (0..self.path.accesses.len()).all(|n| {
            let its = self.path.accesses[n].phase;
            if std::mem::replace(&mut phase, its) != its {
                cta.observer.synchronised(Synchronisation::BarrierPassed);
            }
            self.record_access(worker, cta, (n, block))
        })
    }

    fn record_access<O: Observer>(
        &mut self,
        worker: &WorkerState,
        cta: &mut Cta<O>,
        (n, block): (usize, usize),
    ) -> bool {
        let (access, site) = (&self.path.accesses[n], &self.sites[n]);
        let buffer = &worker.launch.memory.buffers[site.buffer as usize];
        if !access.stores && (buffer.read_only || is_redundant(site, &self.places[n].range)) {
            return true;
        }
        let addresses = self.addresses.of(access, block);
        let op = &worker.launch.code.details.memory[access.op];
        let kind = if access.stores { AccessKind::Write } else { AccessKind::Read };
        let event = |n: usize| {
            let warp = (access.warps.start + n) as u32;
            event(kind, warp, &access.its, addresses[n], (site.buffer, buffer.base, op))
        };
        let bytes = access.bytes * (LANES * addresses.len()) as u64;
        let shape = &mut self.shapes[n];
        let is_plain = self.places[n].is_row && cta.observer.plain_rows(&event(0), bytes)
            || (0..addresses.len()).all(|n| cta.observer.plain_access(&event(n), shape));
        if access.stores {
            self.redundancy.update(cta.observer.shadow_version(), self.sites);
        }
        is_plain
    }

    /// Counts an access of all warps of some blocks, and records the bytes that it touches.
    fn note<O: Observer>(&mut self, worker: &mut WorkerState, cta: &mut Cta<O>, (n, blocks): (usize, usize)) {
        let (access, AccessPlace { range, is_row }) = (&self.path.accesses[n], &self.places[n]);
        let (site, shape, redundancy) = (&mut self.sites[n], &self.shapes[n], &mut *self.redundancy);
        let is_new = site.check_or_number != 0 && !is_redundant(site, range);
        let addresses = (0..blocks).flat_map(|block| self.addresses.of(access, block));
        let first = self.addresses.of(access, 0)[0];
        let mut count = |address: u64, times: u64| {
            site.sectors += u64::from(access.shape.sectors[address as usize % 32]) * times;
            site.lines += u64::from(access.shape.lines[address as usize % 128]) * times;
        };
        let all_warps = (blocks * access.warps.len()) as u64;
        // The warps of a row begin at the same place in a line, as they are a number of lines apart.
        match is_row {
            true => count(first, all_warps),
            false => addresses.clone().for_each(|address| count(*address, 1)),
        }
        let launch = worker.launch;
        let op = &launch.code.details.memory[access.op];
        let buffer = &launch.memory.buffers[site.buffer as usize];
        let touched = &mut worker.log.buffers[site.buffer as usize];
        let row =
            self.places[n].is_row.then(|| (first - buffer.base, access.bytes * LANES as u64 * all_warps));
        let offsets = || addresses.clone().map(|address| address - buffer.base);
        let noted = match access.stores {
            true => worker.noted == NotedAccesses::All,
            false => is_new && worker.noted.include(buffer, op),
        };
        if noted {
            match row {
                Some((offset, bytes)) => note_touched_row(touched, buffer, op, (offset, bytes)),
                None => offsets()
                    .for_each(|offset| note_touch(touched, buffer, op, shape, offset, access.its.mask)),
            }
        }
        if access.stores {
            let saved = worker.shared_memory.then(|| &launch.saved[site.buffer as usize]);
            match row {
                Some(row) => note_written_row(touched, (buffer, saved), row),
                None => offsets().for_each(|offset| {
                    note_write(touched, (buffer, saved), shape, offset, access.its.mask);
                }),
            }
        } else if site.check_or_number != 0 {
            site.read[0] = site.read[0].min(range.start - site.low);
            site.read[1] = site.read[1].max(range.end - site.low);
            if is_new && !buffer.read_only {
                let place = (site.buffer, buffer.base, op);
                let warp = access.warps.start as u32;
                let event = event(AccessKind::Read, warp, &access.its, first, place);
                update_redundant(worker, cta, &event, noted, site, redundancy);
            }
        }
    }

    /// Records the lines that belong to the sample, in the order in which the warps of some blocks access them.
    fn note_lines<O: Observer>(&mut self, cta: &mut Cta<O>, blocks: usize) {
        let found = &mut self.sampled;
        found.clear();
        let (path, warps) = (self.path, self.files.len());
        let mask = self.trace_mask;
        let sampled = |low: u64, end: u64| {
            (low >> LINE_BITS..=(end - 1) >> LINE_BITS).filter(move |line| line_hash(*line) & mask == 0)
        };
        for (n, access) in path.accesses.iter().enumerate() {
            let mut add = |warp: usize, line: u64, low: u64, end: u64| {
                let (block, warp) =
                    (warp / access.warps.len(), access.warps.start + warp % access.warps.len());
                let order = (block * path.phases + access.phase) * warps + warp;
                found.push(SampledLine { order, access: n, line, low, end });
            };
            if self.places[n].is_row {
                let (Range { start, end }, of_warp) =
                    (self.places[n].range.clone(), access.bytes * LANES as u64);
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
            let addresses = (0..blocks).flat_map(|block| self.addresses.of(access, block));
            for (warp, address) in addresses.enumerate() {
                for &(offset, bytes) in access.shape.stretches.iter().flatten() {
                    let low = address.wrapping_add_signed(offset);
                    sampled(low, low + bytes).for_each(|line| add(warp, line, low, low + bytes));
                }
            }
        }
        // Those of one access of a warp are in order.
        found.sort_by_key(|its| (its.order, its.access));
        for SampledLine { access, line, low, end, .. } in found.drain(..) {
            if line_hash(line) & self.trace_mask == 0 {
                let (first, last) = (low >> SECTOR_BITS, (end - 1) >> SECTOR_BITS);
                let stores = path.accesses[access].stores;
                self.trace_mask = cta.observer.note_line(line, first, last, stores);
            }
        }
    }
}

/// Begins a block, by its index in the grid, in place of the one before.
fn begin<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, block: u64) {
    cta.begin_next(worker.launch, block);
    worker.findings.block = block;
}

/// Returns whether reading these bytes again would change nothing.
fn is_redundant(site: &AccessSite, range: &Range<u64>) -> bool {
    range.start - site.low >= site.redundant[0] && range.end - site.low <= site.redundant[1]
}
