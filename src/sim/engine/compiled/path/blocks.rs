//! Runs the blocks themselves: their accesses are checked, recorded and made.

use super::MAX_BLOCKS;
use super::compile::{CompiledPath, PathAccess};
use super::lines::BatchLines;
use super::places::{self, AccessPlace, Addresses};
use super::row::{self, Row};
use crate::engine::compiled::calls::{event, update_redundant, update_site};
use crate::engine::compiled::version::{Redundancy, count_site};
use crate::engine::fault::look_up;
use crate::engine::launch::LaunchContext;
use crate::engine::note::{NotedAccesses, note_touch, note_touched_row, note_write, note_written_row};
use crate::engine::observer::{BlockRows, Event, Observer, Synchronisation};
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::finding::AccessKind;
use crate::kernel_code::{AccessSite, CompiledAccess, PathContext, WarpFiles};
use crate::lanes::LANES;
use crate::memory::global::POISON_WORD;
use crate::memory::shape::Shape;
use std::ops::Range;
use std::sync::Arc;

/// Most blocks that run at once whose accesses are found block by block, and most addresses of blocks that run at once.
const MAX_BATCH: usize = 16;
const MAX_ADDRESSES: usize = 4096;

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
    batches: Batches,
    addresses: Addresses,
    places: Vec<AccessPlace>,
}

/// Which blocks run at once.
#[derive(Debug)]
struct Batches {
    /// How many of those whose accesses are found block by block, at most.
    most: usize,
    /// The first block of the grid's row that was looked at last; and of that row the blocks whose accesses are known.
    looked_at: Option<u64>,
    row: Option<Row>,
}

impl Batches {
    /// Returns the row that a block is of, if its accesses are known.
    fn row_of(&self, block: u64) -> Option<&Row> {
        self.row.as_ref().filter(|row| row.blocks.contains(&block))
    }
}

impl PathVersion {
    pub fn new(path: Arc<CompiledPath>) -> PathVersion {
        let shape = |access: &PathAccess| access.its.shape(access.bytes as u32);
        let most = (MAX_ADDRESSES / path.addresses_per_block().max(1)).clamp(1, MAX_BLOCKS as usize);
        PathVersion {
            sites: vec![AccessSite::NONE; path.accesses.len()],
            shapes: path.accesses.iter().map(shape).collect(),
            redundancy: Redundancy::default(),
            uncounted: 0,
            batches: Batches { most: MAX_BATCH, looked_at: None, row: None },
            addresses: Addresses::new(&path, most),
            places: vec![AccessPlace::default(); path.accesses.len()],
            path,
        }
    }

    /// Returns whether a block belongs to a row that is repeatable.
    pub fn is_repeatable(&self, block: u64) -> bool {
        self.batches.row_of(block).is_some_and(|row| row.is_repeatable)
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
    path: &'p Arc<CompiledPath>,
    sites: &'p mut [AccessSite],
    shapes: &'p mut [Shape],
    redundancy: &'p mut Redundancy,
    batches: &'p mut Batches,
    files: Vec<WarpFiles>,
    addresses: &'p mut Addresses,
    /// For each access, the distance from an address to where that memory is on the host.
    distances: Vec<u64>,
    places: &'p mut [AccessPlace],
    /// [`KernelContext::trace_mask`](crate::kernel_code::KernelContext::trace_mask).
    trace_mask: u64,
    /// Whether the accesses of a block have been counted by warp.
    counted: bool,
}

impl<'p> PathBlocks<'p> {
    /// Prepares to run blocks with these warps.
    pub fn new(version: &'p mut PathVersion, warps: &mut [Warp], trace_mask: u64) -> PathBlocks<'p> {
        let PathVersion { path, sites, shapes, redundancy, batches, addresses, places, .. } = version;
        PathBlocks {
            files: files(warps),
            addresses,
            distances: Vec::new(),
            places,
            trace_mask,
            counted: false,
            path,
            sites,
            shapes,
            redundancy,
            batches,
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
        self.find_buffers(worker, cta);
        let most = self.find_row(worker, cta, blocks.start);
        let blocks: Vec<u64> = blocks.take(most).map(|n| launch.block_at(n).0).collect();
        let mut run = PathContext {
            block_index: [0; 3],
            files: self.files.as_ptr(),
            shared: cta.shared.as_mut_ptr(),
            addresses: self.addresses.all.as_mut_ptr(),
            distances: self.distances.as_ptr(),
        };
        let (valid, all) = self.check(launch, &mut run, &blocks);
        let rows = self.rows_of_blocks(worker, cta, (blocks[0], valid));
        let mut count = 0;
        while count < valid {
            if count > 0 || !begun {
                begin(worker, cta, blocks[count]);
            }
            if !cta.observer.can_run_compiled() || rows.is_none() && !self.record(worker, cta, count) {
                break;
            }
            self.count_by_warp(cta, rows.is_some());
            count += 1;
        }
        let is_stopped = count < valid;
        if is_stopped && count > 0 {
            // What is noted is that of the blocks before.
            self.find_places(&blocks[..count]);
        }
        if count > 0 {
            // The first of them began so many turns ago.
            let turns = (count - usize::from(!is_stopped)) as u32;
            for (event, bytes) in rows.iter().flatten() {
                let rows = BlockRows { blocks: count as u32, turns, bytes: *bytes };
                cta.observer.record_rows(event, &rows);
            }
            worker.is_repeatable = self.batches.row_of(blocks[0]).is_some_and(|row| row.is_repeatable);
            (0..self.path.accesses.len()).for_each(|n| self.note(worker, cta, (n, count)));
            let lines =
                BatchLines { path: self.path, addresses: self.addresses, places: self.places, blocks: count };
            self.trace_mask = lines.note(&mut cta.observer, self.trace_mask);
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

    /// Looks for a row of blocks whose accesses are known, which holds the block at a place in the launch's order. Returns how
    /// many blocks may run at once from there on.
    fn find_row<O: Observer>(&mut self, worker: &mut WorkerState, cta: &mut Cta<O>, block: u64) -> usize {
        let launch = worker.launch;
        let first = block - block % u64::from(launch.extents.grid.x);
        if self.batches.looked_at.replace(first) != Some(first) {
            let moving = row::follow(launch, self.path, &mut cta.warps, first);
            // That has changed the warps.
            self.files = files(&mut cta.warps);
            self.batches.row = moving.and_then(|moving| {
                let known = self.starts_with(launch, first, &moving.addresses)
                    && self.find_buffers_at(worker, cta, &moving.addresses);
                known.then(|| Row::new(launch, (self.path, self.sites), moving, first))?
            });
        }
        match self.batches.row_of(block) {
            Some(row) => self.addresses.blocks.min((row.blocks.end - block) as usize),
            None => self.addresses.blocks.min(self.batches.most),
        }
    }

    /// Returns whether a block follows the path, with these addresses.
    fn starts_with(&mut self, launch: &LaunchContext, block: u64, addresses: &[u64]) -> bool {
        let mut run = PathContext {
            block_index: [0; 3],
            files: self.files.as_ptr(),
            shared: std::ptr::null_mut(),
            addresses: std::ptr::null_mut(),
            distances: std::ptr::null(),
        };
        self.probe(launch, &mut run, (0, block)) && self.addresses.all[..addresses.len()] == *addresses
    }

    /// Finds the buffers that accesses are to which the interpreter has not made yet. `addresses`: those of a block. Returns
    /// whether all are found.
    fn find_buffers_at<O: Observer>(
        &mut self,
        worker: &mut WorkerState,
        cta: &Cta<O>,
        addresses: &[u64],
    ) -> bool {
        for (n, access) in self.path.accesses.iter().enumerate() {
            let first = addresses[access.addresses.start].wrapping_add_signed(access.shape.low);
            if let Some(end) = first.checked_add(access.span()).filter(|_| self.sites[n].room == 0)
                && let Ok(buffer) = look_up(worker.launch, first, end)
            {
                worker.accesses.recent[access.op] = buffer as u32;
            }
        }
        self.find_buffers(worker, cta);
        self.sites.iter().all(|site| site.room > 0)
    }

    /// Finds what some of the batch's first blocks access. Returns whether that is valid.
    fn find_places(&mut self, blocks: &[u64]) -> bool {
        match self.batches.row_of(blocks[0]) {
            Some(row) => {
                let blocks = blocks[0]..blocks[0] + blocks.len() as u64;
                row.fill(self.path, blocks, (self.addresses, self.places));
                true
            }
            None => places::find(self.path, self.sites, (self.addresses, blocks.len()), self.places),
        }
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
        if self.batches.row_of(blocks[0]).is_some() {
            return (blocks.len(), self.find_places(blocks));
        }
        let follows = |its: &(usize, &u64)| self.probe(launch, run, (its.0, *its.1));
        let count = blocks.iter().enumerate().take_while(follows).count();
        if count == 0 || self.find_places(&blocks[..count]) {
            return (count, count == blocks.len());
        }
        // Not at once, but perhaps one by one.
        self.batches.most = 1;
        let first = count > 1 && self.find_places(&blocks[..1]);
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
        // SAFETY: as in `probe`; the block follows the path, all addresses are within buffers, as `places::find` or `Row::new`
        // has found, and accesses to shared memory are within it, as `steady::path` has found for these warps.
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
    fn count_by_warp<O: Observer>(&mut self, cta: &mut Cta<O>, checked: bool) {
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

    /// If each of some blocks of a row accesses the bytes after those of the block before it: the events of the first block's
    /// accesses that must be recorded, and how many bytes the block accesses. The blocks may then be recorded at once.
    fn rows_of_blocks<O: Observer>(
        &mut self,
        worker: &WorkerState,
        cta: &mut Cta<O>,
        (block, count): (u64, usize),
    ) -> Option<Vec<(Event, u64)>> {
        let row = self.batches.row_of(block)?;
        if self.path.shared.len() > 1 || !row.is_apart || count < 2 {
            return None;
        }
        let is_in_place = row.is_in_place;
        let mut rows = Vec::new();
        for n in (0..self.path.accesses.len()).filter(|&n| self.is_recorded(worker, n)) {
            let AccessPlace { range, is_row: true } = &self.places[n] else { return None };
            let bytes = (range.end - range.start) / count as u64;
            let event = self.event(worker, n, (0, self.addresses.of(&self.path.accesses[n], 0)[0]));
            // A read-only load of what the block has stored is a defect.
            if is_in_place && event.role.read_only
                || !cta.observer.can_record_rows(&event, &BlockRows { blocks: count as u32, turns: 0, bytes })
            {
                return None;
            }
            rows.push((event, bytes));
        }
        Some(rows).filter(|rows| !rows.is_empty())
    }

    /// Returns whether an access of the batch is recorded for finding races.
    fn is_recorded(&self, worker: &WorkerState, n: usize) -> bool {
        let (access, site) = (&self.path.accesses[n], &self.sites[n]);
        let read_only = worker.launch.memory.buffers[site.buffer as usize].read_only;
        access.stores || !read_only && !is_redundant(site, &self.places[n].range)
    }

    /// Returns the event of an access by a warp, counted from the first that makes it.
    fn event(&self, worker: &WorkerState, n: usize, (warp, address): (usize, u64)) -> Event {
        let (access, launch, buffer) = (&self.path.accesses[n], worker.launch, self.sites[n].buffer);
        let kind = if access.stores { AccessKind::Write } else { AccessKind::Read };
        let place =
            (buffer, launch.memory.buffers[buffer as usize].base, &launch.code.details.memory[access.op]);
        event(kind, (access.warps.start + warp) as u32, (access.its.number, access.its.mask), address, place)
    }

    /// Records the accesses of a block, the `block`-th of the batch, for finding races. Returns false if one may have to be
    /// reported.
    fn record<O: Observer>(&mut self, worker: &WorkerState, cta: &mut Cta<O>, block: usize) -> bool {
        let path = self.path.clone();
        let mut start = 0;
        (0..path.shared.len()).all(|phase| {
            if phase > 0 {
                cta.observer.synchronised(Synchronisation::BarrierPassed);
                self.redundancy.update(cta.observer.shadow_version(), self.sites);
            }
            let rest = &path.accesses[start..];
            let accesses = &rest[..rest.partition_point(|access| access.phase <= phase)];
            let range = start..start + accesses.len();
            start = range.end;
            // As in the interpreter, time passes at a barrier behind any access, also one that need not be recorded.
            let is_checked =
                |n: usize| !worker.launch.memory.buffers[self.sites[n].buffer as usize].read_only;
            if path.shared[phase] || range.clone().any(is_checked) {
                cta.observer.compiled_ran(0, &[0; 4], true);
            }
            // Of several reads the first remains known, so they are recorded in the order in which warps make them.
            if self.reads_overlap(worker, range.clone()) {
                let warps = accesses.iter().map(|access| access.warps.end).max().unwrap_or(0);
                return (0..warps).all(|warp| {
                    range.clone().all(|n| {
                        let its = self.path.accesses[n].warps.clone();
                        !its.contains(&warp) || self.record_warp(worker, cta, (n, block), warp - its.start)
                    })
                });
            }
            range.clone().all(|n| self.record_warps(worker, cta, (n, block)))
        })
    }

    /// Returns whether several of some accesses may read the same bytes, and have to be recorded.
    fn reads_overlap(&self, worker: &WorkerState, accesses: Range<usize>) -> bool {
        let is_stored = |buffer: u32| {
            accesses.clone().any(|n| self.path.accesses[n].stores && self.sites[n].buffer == buffer)
        };
        let counts = |&n: &usize| {
            !self.path.accesses[n].stores && (self.is_recorded(worker, n) || is_stored(self.sites[n].buffer))
        };
        let mut reads = accesses.clone().filter(counts);
        let place = |n: usize| (self.sites[n].buffer, &self.places[n].range);
        while let Some(one) = reads.next() {
            let (buffer, range) = place(one);
            let overlaps = |other: usize| {
                let (its, other) = place(other);
                its == buffer && other.start < range.end && range.start < other.end
            };
            if reads.clone().any(overlaps) {
                return true;
            }
        }
        false
    }

    /// Records an access by all of its warps, if that is needed. Returns false if it may have to be reported.
    fn record_warps<O: Observer>(
        &mut self,
        worker: &WorkerState,
        cta: &mut Cta<O>,
        (n, block): (usize, usize),
    ) -> bool {
        let access = &self.path.accesses[n];
        let warps = access.warps.len();
        if self.is_recorded(worker, n) && self.places[n].is_row {
            let event = self.event(worker, n, (0, self.addresses.of(access, block)[0]));
            if cta.observer.plain_rows(&event, access.bytes * (LANES * warps) as u64) {
                self.end_redundancy(cta, n);
                return true;
            }
        }
        (0..warps).all(|warp| self.record_warp(worker, cta, (n, block), warp))
    }

    /// Records an access by a warp, counted from the first that makes it, if that is needed. Returns false if it may have to be reported.
    fn record_warp<O: Observer>(
        &mut self,
        worker: &WorkerState,
        cta: &mut Cta<O>,
        (n, block): (usize, usize),
        warp: usize,
    ) -> bool {
        if !self.is_recorded(worker, n) {
            return true;
        }
        let address = self.addresses.of(&self.path.accesses[n], block)[warp];
        let event = self.event(worker, n, (warp, address));
        let is_plain = cta.observer.plain_access(&event, &mut self.shapes[n]);
        self.end_redundancy(cta, n);
        is_plain
    }

    /// Forgets, after a store, which reads were redundant, where they are no more.
    fn end_redundancy<O: Observer>(&mut self, cta: &Cta<O>, n: usize) {
        if self.path.accesses[n].stores {
            self.redundancy.update(cta.observer.shadow_version(), self.sites);
        }
    }

    /// Counts an access of all warps of some blocks, and records the bytes that it touches.
    fn note<O: Observer>(&mut self, worker: &mut WorkerState, cta: &mut Cta<O>, (n, blocks): (usize, usize)) {
        let (access, AccessPlace { range, is_row }) = (&self.path.accesses[n], &self.places[n]);
        let first = self.addresses.of(access, 0)[0];
        let event = self.event(worker, n, (0, first));
        let (site, shape, redundancy) = (&mut self.sites[n], &self.shapes[n], &mut *self.redundancy);
        let is_new = site.check_or_number != 0 && !is_redundant(site, range);
        let addresses = (0..blocks).flat_map(|block| self.addresses.of(access, block));
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
        let (saved, saving) = (&launch.saved[site.buffer as usize], worker.saving());
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
            match row {
                Some(row) => note_written_row(touched, (buffer, saved, saving), row),
                None => offsets().for_each(|offset| {
                    note_write(touched, (buffer, saved, saving), shape, offset, access.its.mask);
                }),
            }
        } else if site.check_or_number != 0 {
            site.read[0] = site.read[0].min(range.start - site.low);
            site.read[1] = site.read[1].max(range.end - site.low);
            if is_new && !buffer.read_only {
                update_redundant(worker, cta, &event, noted, site, redundancy);
            }
        }
    }
}

/// Begins a block, by its index in the grid, in place of the one before.
fn begin<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, block: u64) {
    cta.begin_next(worker.launch, block);
    worker.findings.block = block;
}

fn files(warps: &mut [Warp]) -> Vec<WarpFiles> {
    let of = |warp: &mut Warp| {
        let (r32, r64, predicates) = warp.registers.files();
        WarpFiles { r32, r64, predicates }
    };
    warps.iter_mut().map(of).collect()
}

/// Returns whether reading these bytes again would change nothing.
fn is_redundant(site: &AccessSite, range: &Range<u64>) -> bool {
    range.start - site.low >= site.redundant[0] && range.end - site.low <= site.redundant[1]
}
