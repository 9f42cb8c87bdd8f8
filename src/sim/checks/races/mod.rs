//! Race detection, and detection of reads of uninitialised shared memory.
//!
//! - `stamp`: when and by whom a place was last touched. `timeline`: the clock.
//! - `order`, `clock`: the happens-before relation.
//! - `checked`: an access to be checked, and the two sides of a race.
//! - `shared`, and `global` with its `page`s of `last_accesses`: the shadow memory of the two spaces. `granule`: the
//!   smallest part of a page.
//! - `copies`: asynchronous copies in flight. `wgmma_reads`: reads by warpgroup matrix multiplications.
//! - `cluster`: shared memory that all blocks of a cluster can access.

mod checked;
mod clock;
mod cluster;
mod copies;
mod global;
mod granule;
mod last_accesses;
mod order;
mod page;
mod shared;
mod stamp;
mod timeline;
mod wgmma_reads;

use crate::engine::findings::FindingLog;
use crate::engine::observer::{
    BlockRows, CopyStep, Event, Lanes, MemorySpace, NO_BUFFER, Observer, Product, Start, Synchronisation,
};
use crate::finding::AccessKind;
use crate::kernel_code::{AccessesByKind, KernelContext};
use crate::memory::shape::Shape;
use checked::CheckedAccess;
use cluster::{Cluster, Phases};
use copies::Copies;
use global::{GlobalAccess, GlobalShadow};
use order::{Objects, Order};
use shared::SharedShadow;
use stamp::Sites;
use std::ops::Range;
use timeline::Timeline;
use wgmma_reads::WgmmaReads;

/// The state shared by all blocks that run on one host thread.
#[derive(Debug, Default)]
pub struct World {
    timeline: Timeline,
    sites: Sites,
    global: GlobalShadow,
    objects: Objects,
    /// Running clusters, indexed by their place on this host thread.
    clusters: Vec<Cluster>,
    /// The block that had the turn last; and the number of blocks that have begun and not ended.
    last: Option<u64>,
    begun: u32,
    /// Whether more than one block has ever been in progress at once.
    blocks_interleaved: bool,
}

/// The observer that finds races within the running block, and with blocks that ran before it.
#[derive(Debug, Default)]
pub struct Races {
    world: World,
    order: Order,
    shared: SharedShadow,
    copies: Copies,
    products: WgmmaReads,
    start: Start,
    /// The cluster-barrier phases of a block that is not part of a cluster.
    own_phases: Phases,
    /// The block has not had a turn yet.
    new: bool,
    turn: u32,
    era: u32,
}

impl Races {
    /// Prepares for an access. Returns whether it is a strong write, from which other threads may acquire.
    #[inline(always)]
    fn begin_access(&mut self, event: &Event) -> bool {
        let strong_write = event.watching && event.kind != AccessKind::Read;
        if strong_write && (self.order.has_clocks || event.role.release || self.start.reads_data) {
            // Separates what happens before this write from what happens after it.
            self.tick();
        }
        strong_write
    }

    /// Checks an access to the block's own shared memory against asynchronous accesses.
    #[inline(always)]
    fn around_shared(&mut self, event: &Event, site: u16, shape: &mut Shape, findings: &mut FindingLog) {
        if event.kind != AccessKind::Read {
            if !self.products.is_empty() {
                self.products.check_write(event, shape, findings);
            }
            if !self.copies.is_empty() {
                self.copies.check_source(event, shape, findings);
            }
        } else if event.role.bulk {
            let now = self.world.timeline.now();
            let (order, sites, copies) = (&self.order, &self.world.sites, &self.copies);
            let here = CheckedAccess { event, site, now, order, sites, copies };
            self.shared.check_bulk_copy(&here, &self.products, findings);
        }
    }

    /// Returns a time after all accesses so far.
    fn tick(&mut self) -> u32 {
        if self.world.timeline.is_spent() {
            self.restart();
        }
        self.world.timeline.tick()
    }

    /// Restarts the timeline when its times are used up. Everything so far in this block counts as ordered.
    #[inline(never)]
    fn restart(&mut self) {
        let blocks_isolated = self.blocks_isolated();
        self.world.timeline.restart();
        self.world.global.forget(self.turn, blocks_isolated);
        self.world.objects = Objects::default();
        self.world.clusters.iter_mut().for_each(Cluster::forget);
        self.adopt_restart();
    }

    /// Adapts this block's state to a timeline that was restarted.
    fn adopt_restart(&mut self) {
        self.era = self.world.timeline.era;
        let now = self.world.timeline.now();
        self.shared.forget(now);
        self.order.forget(now);
        self.products.forget(now);
        self.turn = self.world.timeline.turn(self.start.block);
    }

    /// Threads saw that a phase of an mbarrier object is complete: copies that it counts have landed.
    fn phase_over(&mut self, at: Lanes, object: u64, odd: bool) {
        let now = self.tick();
        let by = self.copies.land(object, odd, now, &mut self.shared, &mut self.world.sites);
        if !by.is_empty() {
            self.world.timeline.used = true;
            self.products.copies_awaited(now);
            let later = self.tick();
            self.order.note_copy_arrival(object, &by, later);
        }
        self.order.acquire_copy_arrival(&at, object, now);
    }

    /// Prepares to record a plain access to global memory.
    #[inline(always)]
    fn plain<'a>(&'a mut self, event: &'a Event) -> (GlobalAccess<'a>, &'a mut GlobalShadow) {
        self.world.timeline.used = true;
        let site = self.world.sites.number(event);
        let now = self.world.timeline.now();
        let (blocks_isolated, turn) = (self.blocks_isolated(), self.turn);
        let World { timeline, objects, global, sites, .. } = &mut self.world;
        let here = CheckedAccess { event, site, now, order: &self.order, sites, copies: &self.copies };
        (GlobalAccess { here, timeline, objects, turn, blocks_isolated, own_shared: false }, global)
    }

    /// The block begins, or gets the turn again.
    fn take_turn(&mut self) {
        let world = &mut self.world;
        if self.new {
            world.begun += 1;
            world.blocks_interleaved |= world.begun > 1;
        } else if self.era != world.timeline.era {
            return self.adopt_restart();
        }
        if self.new || world.last != Some(self.start.block) {
            world.last = Some(self.start.block);
            if world.timeline.is_spent() {
                self.turn = u32::MAX;
                self.restart();
            }
            self.turn = self.world.timeline.turn(self.start.block);
        }
        if std::mem::take(&mut self.new) {
            let Start { block, warps, shared_bytes, granule, reads_data, .. } = self.start;
            self.era = self.world.timeline.era;
            self.shared.begin(shared_bytes, granule, self.turn);
            if self.copies.begin() {
                self.shared.clear();
            }
            self.order.begin(block, warps, self.turn, reads_data);
            self.products.begin(warps);
            self.begun_in_cluster();
        }
    }

    /// Returns whether blocks run one after the other and can't synchronise.
    fn blocks_isolated(&self) -> bool {
        !self.start.communicates && !self.world.blocks_interleaved
    }
}

impl Observer for Races {
    type World = World;
    const VALUES: bool = true;
    const COMPILES: bool = true;

    fn can_run_compiled(&self) -> bool {
        self.start.cluster.is_none() && self.copies.is_empty() && self.products.is_empty()
    }

    fn prepare_compiled(&mut self, to: &mut KernelContext) {
        let plain = !self.order.has_clocks && !self.world.sites.watching;
        to.shared.barriers_only = u32::from(plain);
        to.shared = self.shared.view(self.order.block_start, self.world.timeline.now(), to.shared);
    }

    fn compiled_ran(&mut self, _: u32, _: &AccessesByKind, checked: bool) {
        self.world.timeline.used |= checked;
    }

    #[inline(always)]
    fn check_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        self.memory_access(event, shape, findings);
    }

    #[inline(always)]
    fn plain_access(&mut self, event: &Event, shape: &mut Shape) -> bool {
        let (around, global) = self.plain(event);
        global.plain_access(&around, shape)
    }

    fn plain_rows(&mut self, event: &Event, bytes: u64) -> bool {
        let (around, global) = self.plain(event);
        global.plain_rows(&around, bytes)
    }

    fn can_record_rows(&mut self, event: &Event, rows: &BlockRows) -> bool {
        let has_times = self.world.timeline.has_left(rows.blocks);
        let by_turns = !self.order.has_clocks && self.blocks_isolated();
        has_times && by_turns && self.world.global.can_record_rows(event, rows)
    }

    fn record_rows(&mut self, event: &Event, rows: &BlockRows) {
        let (around, global) = self.plain(event);
        global.record_rows(&around, rows);
    }

    fn redundant_reads(
        &mut self,
        event: &Event,
        is_noted: &dyn Fn(Range<u64>) -> bool,
    ) -> Option<Range<u64>> {
        if !self.blocks_isolated() {
            return None;
        }
        self.world.global.redundant_reads(event, self.turn, is_noted)
    }

    fn shadow_version(&self) -> u64 {
        self.world.global.version + u64::from(self.world.blocks_interleaved)
    }

    fn site_number(&self, pc: u32) -> Option<u16> {
        // Compiled code accesses the shadow in units of words only.
        if self.shared.has_words() { self.world.sites.known(pc) } else { None }
    }

    fn block_begin(&mut self, start: &Start) {
        self.start = *start;
        self.new = true;
    }

    fn turn_begin(&mut self, world: &mut World) {
        std::mem::swap(&mut self.world, world);
        self.world.objects.grid_barrier = self.start.grid_barrier;
        self.enter_cluster();
        self.take_turn();
    }

    fn next_block(&mut self, block: u64) {
        self.start.block = block;
        if self.order.has_clocks || self.world.timeline.is_spent() {
            self.block_complete();
            self.new = true;
            return self.take_turn();
        }
        // Nothing is left of the block but its accesses to global memory.
        self.world.last = Some(block);
        self.turn = self.world.timeline.turn(block);
        self.shared.begin_unused(self.turn);
        self.order.begin_unused(block, self.turn);
    }

    fn turn_end(&mut self, world: &mut World) {
        self.leave_cluster();
        std::mem::swap(&mut self.world, world);
    }

    #[inline(always)]
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        let global = match event.place {
            MemorySpace::Shared if event.buffer != NO_BUFFER => {
                return self.check_cluster_access(event, shape, findings);
            }
            MemorySpace::Shared => false,
            MemorySpace::Global if event.buffer != NO_BUFFER => true,
            MemorySpace::Global if event.role.copy => {
                self.copies.copy(event, 0, shape);
                return;
            }
            _ => return,
        };
        let strong_write = self.begin_access(event);
        let now = self.world.timeline.now();
        self.world.timeline.used = true;
        let site = self.world.sites.number(event);
        let (order, sites, copies) = (&self.order, &self.world.sites, &self.copies);
        let here = CheckedAccess { event, site, now, order, sites, copies };
        if global {
            let blocks_isolated = !self.start.communicates && !self.world.blocks_interleaved;
            let around = GlobalAccess {
                here,
                timeline: &self.world.timeline,
                objects: &self.world.objects,
                turn: self.turn,
                blocks_isolated,
                own_shared: false,
            };
            self.world.global.access(&around, shape, findings);
        } else {
            if event.role.bulk && event.kind != AccessKind::Read {
                self.shared.check_bulk_copy(&here, &self.products, findings);
            }
            self.shared.access(&here, shape, findings);
            self.around_shared(event, site, shape, findings);
        }
        if event.role.copy {
            self.copies.copy(event, site, shape);
        } else if global && event.kind != AccessKind::Read && !self.copies.is_empty() {
            self.copies.check_source(event, shape, findings);
        }
        if event.watching {
            let objects = if global { Some(&mut self.world.objects) } else { None };
            self.order.strong(event, shape, objects, now);
            if strong_write && (self.order.has_clocks || self.start.reads_data) {
                self.tick();
            }
        }
    }

    fn synchronised(&mut self, event: Synchronisation) {
        match event {
            Synchronisation::BarrierPassed => {
                let now = self.tick();
                self.order.barrier(now);
            }
            Synchronisation::BarrierReached(id, at) => {
                let now = self.tick();
                self.order.arrive(id, &at, now);
            }
            Synchronisation::BarrierLeft(id, at) => {
                let now = self.tick();
                self.order.depart(id, &at, now);
            }
            Synchronisation::BarrierCleared(id) => self.order.reset(id),
            Synchronisation::ClusterReached(at) => self.arrive_at_cluster(at),
            Synchronisation::ClusterMet => self.cluster_has_met(),
            Synchronisation::ClusterLeft(at) => self.leave_cluster_barrier(at),
            Synchronisation::WarpSync(at) => {
                let now = self.tick();
                self.order.warp_sync(&at, now);
            }
            Synchronisation::Fence { at, block_only } => {
                let now = self.tick();
                self.order.fence(&at, block_only, now);
            }
            Synchronisation::CopyGroup(at, step) => {
                let now = self.tick();
                self.world.timeline.used |= step != CopyStep::Commit;
                self.copies.step(at, step, now, &mut self.shared, &mut self.world.sites);
            }
            Synchronisation::CopySignal { at, object, odd } => self.copies.signal(at, (object, odd)),
            Synchronisation::BulkBegin(awaited) => self.copies.bulk = Some(awaited),
            Synchronisation::BulkEnd => self.copies.end_bulk(),
            Synchronisation::BulkGroup(at, step) => {
                if step != CopyStep::Commit {
                    let now = self.tick();
                    self.products.copies_awaited(now);
                }
                self.copies.bulk_step(at, step);
            }
            Synchronisation::PhaseOver { at, object, odd } => self.phase_over(at, object, odd),
            Synchronisation::ProxyFence(at) => {
                let now = self.tick();
                self.products.fence(at, &self.order, now);
            }
            Synchronisation::ProductGroup(at, step) => {
                let now = self.tick();
                self.world.timeline.used |= step != CopyStep::Commit;
                self.products.step(at, step, now, &self.order, &mut self.shared);
            }
        }
    }

    fn wgmma_begin(&mut self, product: &Product, findings: &mut FindingLog) {
        let now = self.world.timeline.now();
        self.world.timeline.used = true;
        let event = wgmma_reads::event(product);
        let site = self.world.sites.number(&event);
        let (order, sites, copies) = (&self.order, &self.world.sites, &self.copies);
        let here = CheckedAccess { event: &event, site, now, order, sites, copies };
        self.products.product(product, &here, &mut self.shared, findings);
    }

    fn memory_allocated(&mut self, buffer: u32, offset: u64, bytes: u64) {
        self.world.global.renew(buffer, offset, bytes);
    }

    fn block_left(&mut self, findings: &mut FindingLog) {
        self.end_in_cluster(findings);
        self.copies.check_unfinished_bulk_copies(findings);
    }

    fn block_complete(&mut self) {
        self.world.begun = self.world.begun.saturating_sub(1);
    }

    fn is_written(&self, byte: u64) -> bool {
        self.shared.is_written(byte)
    }

    fn order_matters(world: &World) -> bool {
        world.global.blocks_conflict
    }
}
