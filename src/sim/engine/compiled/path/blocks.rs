//! Runs the blocks themselves: their accesses are checked, recorded and made.

use super::compile::{CompiledPath, PathAccess};
use crate::code::DecodedModule;
use crate::engine::compiled::calls::{event, note_reads, update_redundant, update_site};
use crate::engine::compiled::region::kind_of;
use crate::engine::compiled::version::Redundancy;
use crate::engine::note::{NotedAccesses, note_touch, note_touched_row, note_write, note_written_row};
use crate::engine::observer::{CompiledAccesses, Observer};
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::finding::AccessKind;
use crate::kernel_code::{AccessSite, KernelContext, PathContext, WarpFiles, line_hash};
use crate::lanes::LANES;
use crate::memory::shape::Shape;
use std::ops::Range;
use std::sync::Arc;

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
    files: Vec<WarpFiles>,
    /// The addresses that the warps' first active lanes access: [`PathAccess::addresses`].
    addresses: Vec<u64>,
    places: Vec<AccessPlace>,
    /// The lines of the current block that belong to the sample.
    sampled: Vec<SampledLine>,
}

/// What the warps of the current block access.
#[derive(Clone, Default)]
struct AccessPlace {
    /// The addresses from the first byte to the last.
    range: Range<u64>,
    /// Whether each warp accesses the bytes after those of the warp before it, and each lane those after its neighbour's.
    is_row: bool,
}

/// A line of global memory that a warp accesses: that between two bytes, or a part of it.
struct SampledLine {
    warp: usize,
    access: usize,
    line: u64,
    low: u64,
    high: u64,
}

impl<'p> PathBlocks<'p> {
    /// Prepares to run blocks with these warps.
    pub fn new(version: &'p mut PathVersion, warps: &mut [Warp]) -> PathBlocks<'p> {
        let files = warps.iter_mut().map(|warp| {
            let (r32, r64, predicates) = warp.registers.files();
            WarpFiles { r32, r64, predicates }
        });
        let PathVersion { path, sites, shapes, redundancy, .. } = version;
        PathBlocks {
            files: files.collect(),
            addresses: vec![0; path.accesses.last().map_or(0, |last| last.addresses.end)],
            places: vec![AccessPlace::default(); path.accesses.len()],
            sampled: Vec::new(),
            path,
            sites,
            shapes,
            redundancy,
        }
    }

    /// Runs a block. Returns false, with no effect but accesses recorded, if it must be run in the usual way.
    pub fn run<O: Observer>(
        &mut self,
        worker: &mut WorkerState,
        cta: &mut Cta<O>,
        context: &mut KernelContext,
    ) -> bool {
        self.redundancy.update(cta.observer.shadow_version(), self.sites);
        let accesses = 0..self.path.accesses.len();
        for n in accesses.clone() {
            let (access, site) = (&self.path.accesses[n], &mut self.sites[n]);
            if site.room == 0 {
                update_site(worker, cta, access.its.number, access.op, site, &self.shapes[n]);
            }
        }
        let run = PathContext {
            block_index: [cta.ctaid.x, cta.ctaid.y, cta.ctaid.z],
            files: self.files.as_ptr(),
            shared: cta.shared.as_mut_ptr(),
            addresses: self.addresses.as_mut_ptr(),
        };
        // SAFETY: the warps' registers match the path's assumptions, as `CompiledPath::suits` has found; there is room for the
        // addresses of each access, and for all accesses to shared memory, as `steady::path` has found for these warps.
        if unsafe { (self.path.code.probe)(&run) } == 0 || !self.are_valid() {
            return false;
        }
        if !accesses.clone().all(|n| self.record(worker, cta, n)) {
            return false;
        }
        accesses.for_each(|n| self.note(worker, cta, n));
        self.note_lines(cta, context);
        for (access, site) in self.path.accesses.iter().zip(&*self.sites) {
            for address in &mut self.addresses[access.addresses.clone()] {
                *address = site.memory + (*address - site.low);
            }
        }
        // SAFETY: as above; the block follows the path, and all addresses are within buffers, as `are_valid` has found.
        unsafe { (self.path.code.perform)(&run) };
        true
    }

    /// Tells the block's observer that it ran. `first`: whether it is to count accesses by warp.
    pub fn ran<O: Observer>(&self, cta: &mut Cta<O>, first: bool) {
        let checked = self.redundancy.any;
        if !first {
            return cta.observer.compiled_ran(0, &[0; 4], checked);
        }
        for (warp, made) in self.path.by_warp.iter().enumerate() {
            cta.observer.compiled_ran(warp as u32, made, checked);
        }
        for its in &self.path.masked {
            cta.observer.masked_ran(its.warp, its.kind, its.mask, its.accesses);
        }
    }

    /// Returns whether all accesses are within their buffers and aligned, and the bytes that a warp stores to are accessed
    /// by no other warp of the block.
    fn are_valid(&mut self) -> bool {
        for (n, access) in self.path.accesses.iter().enumerate() {
            let (site, addresses) = (&self.sites[n], &self.addresses[access.addresses.clone()]);
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
            self.places[n] = AccessPlace { range: low..low + (highest - lowest) + span, is_row };
        }
        let accesses = &self.path.accesses;
        let conflict = |a: usize, b: usize| {
            let (one, other) = (&self.places[a].range, &self.places[b].range);
            let same = |a: usize, b: usize| {
                let of = |n: usize| {
                    let PathAccess { its, bytes, warps, addresses, .. } = &accesses[n];
                    (&its.offsets, its.mask, bytes, warps, &self.addresses[addresses.clone()])
                };
                of(a) == of(b)
            };
            one.start < other.end && other.start < one.end && !same(a, b)
        };
        (0..accesses.len())
            .all(|a| !accesses[a].stores || (0..accesses.len()).all(|b| a == b || !conflict(a, b)))
    }

    /// Records an access of all warps for finding races. Returns false if it may have to be reported.
    fn record<O: Observer>(&mut self, worker: &WorkerState, cta: &mut Cta<O>, n: usize) -> bool {
        let access = &self.path.accesses[n];
        let (site, addresses) = (&self.sites[n], &self.addresses[access.addresses.clone()]);
        let buffer = &worker.launch.memory.buffers[site.buffer as usize];
        if !access.stores && (buffer.read_only || is_redundant(site, &self.places[n].range)) {
            return true;
        }
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

    /// Counts an access of all warps, and records the bytes that it touches.
    fn note<O: Observer>(&mut self, worker: &mut WorkerState, cta: &mut Cta<O>, n: usize) {
        let (access, AccessPlace { range, is_row }) = (&self.path.accesses[n], &self.places[n]);
        let (site, shape, redundancy) = (&mut self.sites[n], &self.shapes[n], &mut *self.redundancy);
        let is_new = site.check_or_number != 0 && !is_redundant(site, range);
        let addresses = &self.addresses[access.addresses.clone()];
        // The warps of a row begin at the same place in a line, as they are a number of lines apart.
        let (each, times) = if *is_row { (&addresses[..1], addresses.len() as u64) } else { (addresses, 1) };
        for &address in each {
            site.sectors += u64::from(access.shape.sectors[address as usize % 32]) * times;
            site.lines += u64::from(access.shape.lines[address as usize % 128]) * times;
        }
        let launch = worker.launch;
        let op = &launch.code.details.memory[access.op];
        let buffer = &launch.memory.buffers[site.buffer as usize];
        let touched = &mut worker.log.buffers[site.buffer as usize];
        let row = self.places[n]
            .is_row
            .then(|| (addresses[0] - buffer.base, access.bytes * (LANES * addresses.len()) as u64));
        let offsets = || addresses.iter().map(|address| address - buffer.base);
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
                let event = event(AccessKind::Read, warp, &access.its, addresses[0], place);
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
            let addresses = &self.addresses[its.addresses.clone()];
            let mut add = |warp: usize, line: u64, low: u64, end: u64| {
                let warp = its.warps.start + warp;
                self.sampled.push(SampledLine { warp, access, line, low, high: end - 1 });
            };
            if self.places[access].is_row {
                let (Range { start, end }, of_warp) =
                    (self.places[access].range.clone(), its.bytes * LANES as u64);
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
        self.sampled.sort_by_key(|its| (self.path.accesses[its.access].phase, its.warp, its.access));
        for SampledLine { access, line, low, high, .. } in self.sampled.drain(..) {
            if line_hash(line) & context.trace_mask == 0 {
                let (first, last) = (low >> SECTOR_BITS, high >> SECTOR_BITS);
                let stores = self.path.accesses[access].stores;
                context.trace_mask = cta.observer.note_line(line, first, last, stores);
            }
        }
    }
}

/// Returns whether reading these bytes again would change nothing.
fn is_redundant(site: &AccessSite, range: &Range<u64>) -> bool {
    range.start - site.low >= site.redundant[0] && range.end - site.low <= site.redundant[1]
}
