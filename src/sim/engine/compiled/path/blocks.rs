//! Runs the blocks themselves: their accesses are checked, recorded and made.

use super::compile::{CompiledPath, PathAccess};
use crate::code::DecodedModule;
use crate::engine::compiled::calls::{event, note_reads, update_redundant, update_site};
use crate::engine::compiled::region::kind_of;
use crate::engine::compiled::version::Redundancy;
use crate::engine::launch::LaunchContext;
use crate::engine::note::{NotedAccesses, note_touch, note_touched_row, note_write, note_written_row};
use crate::engine::observer::{CompiledAccesses, Observer, Synchronisation};
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::finding::AccessKind;
use crate::kernel_code::{AccessSite, KernelContext, PathContext, WarpFiles, line_hash};
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
    pub ran: u64,
    /// How many blocks run at once, at most.
    batch: usize,
}

impl PathVersion {
    pub fn new(code: &DecodedModule, path: Arc<CompiledPath>) -> PathVersion {
        let shape = |access: &PathAccess| {
            Shape::of(&access.its.offsets, access.its.mask, code.details.memory[access.op].width())
        };
        PathVersion {
            sites: vec![AccessSite::NONE; path.accesses.len()],
            shapes: path.accesses.iter().map(shape).collect(),
            redundancy: Redundancy::default(),
            ran: 0,
            batch: MAX_BATCH,
            path,
        }
    }

    /// Has an observer count what blocks did that followed the path.
    pub fn count<O: Observer>(&mut self, worker: &mut WorkerState, observer: &mut O) {
        let ran = std::mem::take(&mut self.ran);
        let path = &self.path;
        for sum in &path.sums {
            observer.count_accesses(&sum.times(ran as i64));
        }
        for &(number, [by_warps, by_threads]) in &path.runs {
            let [warps, threads] = &mut worker.executed.runs[number as usize];
            *warps += ran * by_warps;
            *threads += ran * by_threads;
        }
        worker.executed.branches += ran * path.counts.branches;
        worker.executed.divergent_branches += ran * path.counts.divergent_branches;
        worker.executed.barriers += ran * path.counts.barriers;
        for (access, site) in path.accesses.iter().zip(&mut self.sites) {
            let kind = kind_of(&worker.launch.code.details.memory[access.op]);
            let (units, lines) = (site.sectors as i64, site.lines as i64);
            observer.count_accesses(&CompiledAccesses {
                kind,
                accesses: 0,
                lanes: 0,
                bytes: 0,
                units,
                least: 0,
                lines,
            });
            (site.sectors, site.lines) = (0, 0);
            note_reads(&mut worker.log, site);
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
    /// The lines of the batch that belong to the sample.
    sampled: Vec<SampledLine>,
    /// Whether the accesses of a block have been counted by warp.
    counted: bool,
}

/// The addresses that the warps' first active lanes access in a batch of blocks: `room` for each, see
/// [`PathAccess::addresses`].
struct Addresses {
    all: Vec<u64>,
    room: usize,
}

impl Addresses {
    /// Returns those of an access in a block, by warp.
    fn of(&self, access: &PathAccess, block: usize) -> &[u64] {
        let first = block * self.room;
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
    pub fn new(version: &'p mut PathVersion, warps: &mut [Warp]) -> PathBlocks<'p> {
        let files = warps.iter_mut().map(|warp| {
            let (r32, r64, predicates) = warp.registers.files();
            WarpFiles { r32, r64, predicates }
        });
        let PathVersion { path, sites, shapes, redundancy, batch, .. } = version;
        let room = path.accesses.last().map_or(0, |last| last.addresses.end);
        let most = (MAX_ADDRESSES / room.max(1)).clamp(1, MAX_BATCH);
        PathBlocks {
            files: files.collect(),
            addresses: Addresses { all: vec![0; room * most], room },
            most,
            distances: Vec::new(),
            places: vec![AccessPlace::default(); path.accesses.len()],
            sampled: Vec::new(),
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
        context: &mut KernelContext,
        (blocks, begun): (Range<u64>, bool),
    ) -> (u64, bool) {
        self.redundancy.update(cta.observer.shadow_version(), self.sites);
        for (n, access) in self.path.accesses.iter().enumerate() {
            let site = &mut self.sites[n];
            if site.room == 0 {
                update_site(worker, cta, access.its.number, access.op, site, &self.shapes[n]);
            }
        }
        self.distances.clear();
        self.distances.extend(self.sites.iter().map(|site| site.memory.wrapping_sub(site.low)));
        let launch = worker.launch;
        let blocks: Vec<u64> =
            blocks.take((*self.batch).min(self.most)).map(|n| launch.block_at(n).0).collect();
        let mut run = PathContext {
            block_index: [0; 3],
            files: self.files.as_ptr(),
            shared: cta.shared.as_mut_ptr(),
            addresses: self.addresses.all.as_mut_ptr(),
            distances: self.distances.as_ptr(),
        };
        // Where buffers are is known once the interpreter has made each access.
        let is_known = self.sites.iter().all(|site| site.room > 0);
        let mut follows = |(n, &block): (usize, &u64)| is_known && self.probe(launch, &mut run, (n, block));
        let mut count = blocks.iter().enumerate().take_while(|its| follows(*its)).count();
        let mut all = count == blocks.len();
        if count > 0 && !self.are_valid(count) {
            // Not at once, but perhaps one by one.
            *self.batch = 1;
            all = count > 1 && self.are_valid(1);
            count = usize::from(all);
        }
        let valid = count;
        let mut started = usize::from(begun);
        let mut start = |worker: &mut WorkerState, cta: &mut Cta<O>, n: usize| {
            if n == started {
                cta.begin_next(launch, blocks[n]);
                worker.findings.block = blocks[n];
                started += 1;
            }
        };
        for n in 0..valid {
            start(worker, cta, n);
            if !cta.observer.can_run_compiled() || !self.record(worker, cta, n) {
                (count, all) = (n, false);
                break;
            }
            self.ran(cta);
        }
        if count > 0 {
            if count < valid {
                // Finds the places of those blocks alone.
                self.are_valid(count);
            }
            (0..self.path.accesses.len()).for_each(|n| self.note(worker, cta, (n, count)));
            self.note_lines(cta, context, count);
        }
        for (n, &block) in blocks[..count].iter().enumerate() {
            self.perform(launch, &mut run, (n, block));
        }
        if !all {
            start(worker, cta, count);
            // Earlier blocks may have left something there.
            cta.shared.fill(POISON_WORD);
        }
        (count as u64, all)
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
        // SAFETY: as in `probe`; the block follows the path, all addresses are within buffers, as `are_valid` has found, and
        // accesses to shared memory are within it, as `steady::path` has found for these warps.
        unsafe { (self.path.code.perform)(run) };
    }

    /// Completes the context for the `n`-th block of the batch.
    fn prepare(&mut self, launch: &LaunchContext, run: &mut PathContext, (n, block): (usize, u64)) {
        let at = launch.extents.grid.at(block);
        run.block_index = [at.x, at.y, at.z];
        run.addresses = self.addresses.all[n * self.addresses.room..].as_mut_ptr();
    }

    /// Tells the block's observer that it ran. All blocks make the same accesses, of which only the most by a thread in a block
    /// are counted by block.
    fn ran<O: Observer>(&mut self, cta: &mut Cta<O>) {
        let checked = self.redundancy.any;
        if std::mem::replace(&mut self.counted, true) {
            return cta.observer.compiled_ran(0, &[0; 4], checked);
        }
        for (warp, made) in self.path.by_warp.iter().enumerate() {
            cta.observer.compiled_ran(warp as u32, made, checked);
        }
        for its in &self.path.masked {
            cta.observer.masked_ran(its.warp, its.kind, its.mask, its.accesses);
        }
    }

    /// Returns whether all accesses of the batch's first blocks are within their buffers and aligned, and the bytes that a warp
    /// stores to are accessed by no other warp.
    fn are_valid(&mut self, blocks: usize) -> bool {
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
    fn note_lines<O: Observer>(&mut self, cta: &mut Cta<O>, context: &mut KernelContext, blocks: usize) {
        let found = &mut self.sampled;
        found.clear();
        let (path, warps) = (self.path, self.files.len());
        let mask = context.trace_mask;
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
            if line_hash(line) & context.trace_mask == 0 {
                let (first, last) = (low >> SECTOR_BITS, (end - 1) >> SECTOR_BITS);
                let stores = path.accesses[access].stores;
                context.trace_mask = cta.observer.note_line(line, first, last, stores);
            }
        }
    }
}

/// Returns whether reading these bytes again would change nothing.
fn is_redundant(site: &AccessSite, range: &Range<u64>) -> bool {
    range.start - site.low >= site.redundant[0] && range.end - site.low <= site.redundant[1]
}
