//! A version of an entry's code in a launch: its state, and the counts of what it did.

use super::assumptions::all_match;
use super::calls;
use super::plain_access::PlainAccess;
use super::region::{RegionCode, counted, kind_of};
use crate::engine::observer::{CompiledAccesses, Observer};
use crate::engine::warp::Warp;
use crate::engine::worker::WorkerState;
use crate::kernel_code::{AccessSite, CompiledAccess};
use crate::memory::shape::Shape;
use std::sync::Arc;

/// One version of an entry's code, with its state in this launch.
#[derive(Debug)]
pub struct CodeVersion {
    pub code: Arc<RegionCode>,
    pub sites: Vec<AccessSite>,
    pub shapes: Vec<Shape>,
    pub plain_accesses: Vec<Option<PlainAccess>>,
    /// For each warp of a block, whether its fixed registers match the code's assumptions; `None` if not checked
    /// yet.
    matches_warp: Vec<Option<bool>>,
    pub redundancy: Redundancy,
    pub uncounted: Uncounted,
    /// How many times the code was left because lanes diverged, since it was last compiled.
    pub diverged: u32,
}

/// Up to when the ranges of redundant reads ([`AccessSite::redundant`]) are valid.
#[derive(Debug, Default)]
pub struct Redundancy {
    /// The version of the shadow memory ([`Observer::shadow_version`]) for which they are.
    version: u64,
    /// Whether there may be any.
    pub any: bool,
}

impl Redundancy {
    /// Clears the ranges of the sites if shadow memory has changed.
    pub fn update(&mut self, version: u64, sites: &mut [AccessSite]) {
        if std::mem::replace(&mut self.version, version) != version && std::mem::take(&mut self.any) {
            sites.iter_mut().for_each(|site| site.redundant = AccessSite::NONE.redundant);
        }
    }
}

/// What code did that observers have not counted yet.
#[derive(Debug)]
pub struct Uncounted {
    /// How many times each block of [`RegionCode::blocks`] was entered, and each exit taken.
    pub runs: Vec<u64>,
    pub exits: Vec<u64>,
    /// How many times the interpreter made each access by all lanes on behalf of the code.
    pub interpreted: Vec<u64>,
    /// Whether the version is listed as one with something to count.
    pub listed: bool,
}

impl CodeVersion {
    pub fn new(code: Arc<RegionCode>) -> CodeVersion {
        CodeVersion {
            sites: vec![AccessSite::NONE; code.accesses.len()],
            shapes: code.accesses.iter().map(|(_, shape)| shape.clone()).collect(),
            plain_accesses: code.plain_accesses.clone(),
            matches_warp: Vec::new(),
            redundancy: Redundancy::default(),
            diverged: 0,
            uncounted: Uncounted {
                listed: false,
                runs: vec![0; code.blocks.len()],
                exits: vec![0; code.overcounted.len()],
                interpreted: vec![0; code.accesses.len()],
            },
            code,
        }
    }

    /// Returns whether a warp's registers match the assumptions that the code was compiled under.
    pub fn matches_warp(&mut self, warp: &Warp) -> bool {
        let n = warp.index as usize;
        if self.matches_warp.len() <= n {
            self.matches_warp.resize(n + 1, None);
        }
        let fixed = *self.matches_warp[n].get_or_insert_with(|| all_match(&warp.registers, &self.code.fixed));
        fixed && all_match(&warp.registers, &self.code.frame)
    }

    /// Has an observer count the accesses that the code made for some lanes of a warp only. Returns how many they were.
    pub fn count_masked<O: Observer>(&mut self, worker: &WorkerState, observer: &mut O, warp: u32) -> u64 {
        let mut all = 0;
        for &n in &self.code.masked {
            let made = std::mem::take(&mut self.sites[n].made);
            if made > 0 {
                let (op, shape) =
                    (&worker.launch.code.details.memory[self.code.accesses[n].0], &mut self.shapes[n]);
                observer.count_accesses(&counted(op, shape).times(made as i64));
                observer.masked_ran(warp, kind_of(op), shape.mask(), made as u32);
                all += made;
            }
        }
        all
    }

    /// Has an observer count what the code did.
    pub fn count<O: Observer>(&mut self, worker: &mut WorkerState, observer: &mut O) {
        let code = &*self.code;
        let memory = &worker.launch.code.details.memory;
        let mut count =
            |counted: &CompiledAccesses, times: i64| observer.count_accesses(&counted.times(times));
        for (block, runs) in code.blocks.iter().zip(&mut self.uncounted.runs) {
            let runs = std::mem::take(runs);
            worker.executed.control.branches += runs * block.branches;
            block.counted.sums.iter().for_each(|sum| count(sum, runs as i64));
        }
        for (out, exits) in self.uncounted.exits.iter_mut().enumerate() {
            let exits = std::mem::take(exits);
            worker.executed.control.branches -= exits * code.overcounted_branches[out];
            code.overcounted[out].sums.iter().for_each(|sum| count(sum, -(exits as i64)));
        }
        for (n, times) in self.uncounted.interpreted.iter_mut().enumerate() {
            let times = std::mem::take(times);
            if times > 0 {
                let one = counted(&memory[code.accesses[n].0], &mut self.shapes[n]);
                count(&one, -(times as i64));
            }
        }
        for &n in &code.global {
            count_site(worker, observer, kind_of(&memory[code.accesses[n].0]), &mut self.sites[n]);
        }
        self.uncounted.listed = false;
    }
}

/// Has an observer count the sectors and lines of an access to global memory, and records the bytes that it has read.
pub fn count_site<O: Observer>(
    worker: &mut WorkerState,
    observer: &mut O,
    kind: CompiledAccess,
    site: &mut AccessSite,
) {
    let (units, lines) = (site.sectors as i64, site.lines as i64);
    let counted = CompiledAccesses { kind, accesses: 0, lanes: 0, bytes: 0, units, least: 0, lines };
    observer.count_accesses(&counted);
    (site.sectors, site.lines) = (0, 0);
    calls::note_reads(&mut worker.log, site);
}
