//! Distributed shared memory: shared memory that all blocks of a cluster can access (CUDA programming guide,
//! "Distributed Shared Memory").
//!
//! Accesses by threads of one block to its own shared memory are checked as usual. Conflicts between blocks are
//! checked in addition, as in global memory: there, the shared memory of each block of a running cluster counts as a
//! buffer.
//!
//! A block's shared memory exists from the block's start to its end. Accesses by other blocks must be ordered after
//! the former and before the latter, either by the cluster's barrier or by synchronisation between threads.
//!
//! Limitation: of several readers of a granule, only one is remembered.

use super::Races;
use super::checked::CheckedAccess;
use super::global::{GlobalAccess, side, thread};
use super::order::PassedClocks;
use super::shared::SharedShadow;
use super::stamp::{MANY, TIME_SHIFT, representative, time};
use crate::engine::findings::{FindingLog, Side, SideAddress, ThreadId};
use crate::engine::observer::{Event, Lanes};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::lanes_of;
use crate::memory::shape::Shape;

/// A cluster that is running.
#[derive(Debug, Default)]
pub struct Cluster {
    /// Its number in the grid.
    number: Option<u64>,
    /// Indexed by rank: the shadows of blocks that don't have the turn; and for blocks that have begun, the block's
    /// number and the time of its start.
    shadows: Vec<SharedShadow>,
    begun: Vec<Option<(u64, u32)>>,
    /// Writes to the shared memory of blocks that had not begun yet: rank, offset and number of bytes.
    early: Vec<(usize, u64, u64)>,
    phases: Phases,
}

/// The clocks of threads that arrived at a cluster's barrier: in the phase that is complete, and in the current one.
#[derive(Debug, Default)]
pub struct Phases {
    over: PassedClocks,
    present: PassedClocks,
}

/// Start time of a block whose start is known to all other blocks.
const LONG_AGO: u32 = 0;

impl Cluster {
    /// Called when the timeline restarts.
    pub fn forget(&mut self) {
        self.phases = Phases::default();
        for (_, time) in self.begun.iter_mut().flatten() {
            *time = LONG_AGO;
        }
    }
}

impl Races {
    fn cluster(&mut self) -> Option<&mut Cluster> {
        self.world.clusters.get_mut(self.start.cluster?.place)
    }

    /// Returns the barrier phases of the block's cluster; a block without a cluster has a barrier of its own.
    fn phases(&mut self) -> &mut Phases {
        match self.start.cluster {
            Some(its) => &mut self.world.clusters[its.place].phases,
            None => &mut self.own_phases,
        }
    }

    /// Called when the block gets the turn.
    pub(super) fn enter_cluster(&mut self) {
        let Some(its) = self.start.cluster else { return };
        let world = &mut self.world;
        if world.clusters.len() <= its.place {
            world.clusters.resize_with(its.place + 1, Cluster::default);
        }
        let cluster = &mut world.clusters[its.place];
        if cluster.number != Some(its.number) {
            // Discards the state of the cluster that ran in this place before.
            let (blocks, (own, base)) = (its.blocks as usize, its.shared);
            let bytes = self.start.shared_bytes;
            for rank in 0..its.blocks {
                world.global.renew(own - its.rank + rank, 0, bytes);
            }
            let span = 1 << 24;
            world.objects.forget(base - u64::from(its.rank) * span, u64::from(its.blocks) * span);
            *cluster = Cluster { number: Some(its.number), ..Cluster::default() };
            cluster.shadows.resize_with(blocks, SharedShadow::default);
            cluster.begun.resize(blocks, None);
        }
        std::mem::swap(&mut self.shared, &mut cluster.shadows[its.rank as usize]);
    }

    /// Called when the block begins.
    pub(super) fn begun_in_cluster(&mut self) {
        self.own_phases = Phases::default();
        let (block, turn) = (self.start.block, self.turn);
        if let Some(rank) = self.start.cluster.map(|its| its.rank as usize)
            && let Some(cluster) = self.cluster()
        {
            // The clocks of other blocks cover this block only from its start on.
            cluster.begun[rank] = Some((block, turn - 1));
            let early: Vec<_> = cluster.early.extract_if(.., |its| its.0 == rank).collect();
            for (_, offset, bytes) in early {
                self.shared.written_from_outside(offset, bytes);
            }
        }
    }

    pub(super) fn leave_cluster(&mut self) {
        if let Some(its) = self.start.cluster {
            let cluster = &mut self.world.clusters[its.place];
            std::mem::swap(&mut self.shared, &mut cluster.shadows[its.rank as usize]);
        }
    }

    pub(super) fn arrive_at_cluster(&mut self, at: Lanes) {
        let now = self.tick();
        let passed = self.order.of_lanes(&at, now);
        self.phases().present.join(&passed);
    }

    pub(super) fn cluster_has_met(&mut self) {
        let phases = self.phases();
        phases.over = std::mem::take(&mut phases.present);
    }

    pub(super) fn leave_cluster_barrier(&mut self, at: Option<Lanes>) {
        let now = self.tick();
        let phases = match self.start.cluster {
            Some(its) => &self.world.clusters[its.place].phases,
            None => &self.own_phases,
        };
        self.order.acquire_passed(at.as_ref(), &phases.over, now);
    }

    /// Checks an access to shared memory of the cluster: this block's own, or another's.
    pub(super) fn check_cluster_access(
        &mut self,
        event: &Event,
        shape: &mut Shape,
        findings: &mut FindingLog,
    ) {
        let Some(its) = self.start.cluster else { return };
        let strong_write = self.begin_access(event);
        let now = self.world.timeline.now();
        self.world.timeline.used = true;
        let site = self.world.sites.number(event);
        let own = event.buffer == its.shared.0;
        if own {
            let (order, sites, copies) = (&self.order, &self.world.sites, &self.copies);
            let here = CheckedAccess { event, site, now, order, sites, copies };
            self.shared.access(&here, shape, findings);
            self.around_shared(event, site, shape, findings);
            if event.role.copy {
                self.copies.copy(event, site, shape);
            }
            if event.watching {
                self.order.strong(event, shape, None, now);
            }
        } else {
            self.check_remote_access(event, shape, findings);
        }
        // Also checked as in global memory, at an address of its own.
        let far = Event { first: event.base + event.first, ..*event };
        let (order, sites, copies) = (&self.order, &self.world.sites, &self.copies);
        let here = CheckedAccess { event: &far, site, now, order, sites, copies };
        let around = GlobalAccess {
            here,
            timeline: &self.world.timeline,
            objects: &self.world.objects,
            turn: self.turn,
            blocks_isolated: false,
            own_shared: own,
        };
        self.world.global.access(&around, shape, findings);
        if event.watching {
            self.order.strong(&far, shape, Some(&mut self.world.objects), now);
            if strong_write && self.order.has_clocks {
                self.tick();
            }
        }
    }

    /// Checks an access to another block's shared memory: whether that block is known to have begun, and whether the
    /// bytes were written.
    fn check_remote_access(&mut self, event: &Event, shape: &Shape, findings: &mut FindingLog) {
        let Some(its) = self.start.cluster else { return };
        let rank = (event.buffer - (its.shared.0 - its.rank)) as usize;
        let cluster = &mut self.world.clusters[its.place];
        let begun = cluster.begun.get(rank).copied().flatten();
        let Some(shadow) = cluster.shadows.get_mut(rank) else { return };
        for lane in lanes_of(event.mask) {
            let offset = event.first.wrapping_add(shape.offsets[lane]);
            let at = side(event, thread(event, lane, self.start.block), SideAddress::Shared(offset));
            let knows = |(block, time): (u64, u32)| {
                self.order.before(time << TIME_SHIFT | MANY, Some(block), event.warp, lane as u8)
            };
            if !begun.is_some_and(|its| its.1 == LONG_AGO || knows(its)) {
                findings.add(FindingKind::ClusterLifetime, at, None, || [Evidence::BlockNotBegun]);
            }
            let bytes = u64::from(event.width);
            let reads = event.kind != AccessKind::Write && event.overwriting >> lane & 1 == 0;
            if reads && !(offset..offset + bytes).all(|at| shadow.is_written(at)) {
                findings.add(FindingKind::Uninitialised, at, None, Vec::new);
            }
            if event.kind != AccessKind::Read {
                match begun {
                    Some(_) => shadow.written_from_outside(offset, bytes),
                    None => cluster.early.push((rank, offset, bytes)),
                }
            }
        }
    }

    /// Called when the block and its shared memory end: reports accesses by others that are not known to have
    /// happened before.
    pub(super) fn end_in_cluster(&mut self, findings: &mut FindingLog) {
        let Some(its) = self.start.cluster else { return };
        for (offset, stamp, site) in self.world.global.marks(its.shared.0) {
            let block = match time(stamp) >= self.turn {
                true => Some(self.start.block),
                false => self.world.timeline.block_at(time(stamp)),
            };
            if block == Some(self.start.block) || self.order.knows(stamp, block) {
                continue;
            }
            let (Some(block), site) = (block, self.world.sites.get(site)) else { continue };
            let thread = representative(stamp).unwrap_or(ThreadId::UNKNOWN);
            let at = Side {
                pc: site.pc,
                thread: ThreadId { block, thread },
                kind: site.kind,
                bytes: site.bytes,
                place: SideAddress::Shared(offset),
            };
            findings.add(FindingKind::ClusterLifetime, at, None, || [Evidence::BlockMayEnd]);
        }
    }
}
