//! Shared memory that the blocks of a cluster reach (CUDA programming guide, "Distributed Shared Memory").
//!
//! What threads of one block do to each other in its own shared memory is looked at as ever. What blocks do to
//! each other is looked at beside it, as in global memory: the shared memory of each block of a cluster that runs
//! counts as a buffer there.
//!
//! A block's shared memory is there from its beginning to its end. An access by another block must come after
//! the one and before the other, so that both count: nothing but a barrier of the cluster, or what threads hand
//! on to each other, says that.
//!
//! What it does not see: of several readers of a granule one is remembered.

use super::Races;
use super::global::Around;
use super::order::Handed;
use super::shared::{Here, SharedShadow};
use super::stamp::{MANY, TIME_SHIFT, one_of, time};
use crate::engine::findings::{FindingLog, Side, ThreadId, Whereabouts};
use crate::engine::observer::{Event, Lanes};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::memory::shape::Shape;

/// A cluster that runs.
#[derive(Debug, Default)]
pub struct Cluster {
    /// In the grid.
    number: Option<u64>,
    /// By rank: the shadows of blocks that have no turn, and the block and the time of those that have begun.
    shadows: Vec<SharedShadow>,
    begun: Vec<Option<(u64, u32)>>,
    /// What others wrote in the shared memory of blocks before these began: rank, offset and bytes.
    early: Vec<(usize, u64, u64)>,
    phases: Phases,
}

/// What came to the barrier of a cluster: in the phase that is over, and in the present one.
#[derive(Debug, Default)]
pub struct Phases {
    over: Handed,
    present: Handed,
}

/// In place of when a block began: all others know it.
const LONG_AGO: u32 = 0;

impl Cluster {
    /// Times begin anew.
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

    /// Of the block's cluster; a block that is none has a barrier of its own.
    fn phases(&mut self) -> &mut Phases {
        match self.start.cluster {
            Some(its) => &mut self.world.clusters[its.place].phases,
            None => &mut self.alone,
        }
    }

    /// The block has a turn.
    pub(super) fn enter_cluster(&mut self) {
        let Some(its) = self.start.cluster else { return };
        let world = &mut self.world;
        if world.clusters.len() <= its.place {
            world.clusters.resize_with(its.place + 1, Cluster::default);
        }
        let cluster = &mut world.clusters[its.place];
        if cluster.number != Some(its.number) {
            // What another cluster left at this place is over.
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

    /// It has begun, now.
    pub(super) fn begun_in_cluster(&mut self) {
        self.alone = Phases::default();
        let (block, turn) = (self.start.block, self.turn);
        if let Some(rank) = self.start.cluster.map(|its| its.rank as usize)
            && let Some(cluster) = self.cluster()
        {
            // Whatever others know of it is from its beginning on.
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
        let handed = self.order.of_lanes(&at, now);
        self.phases().present.join(&handed);
    }

    pub(super) fn cluster_has_met(&mut self) {
        let phases = self.phases();
        phases.over = std::mem::take(&mut phases.present);
    }

    pub(super) fn leave_cluster_barrier(&mut self, at: Option<Lanes>) {
        let now = self.tick();
        let phases = match self.start.cluster {
            Some(its) => &self.world.clusters[its.place].phases,
            None => &self.alone,
        };
        self.order.take_over(at.as_ref(), &phases.over, now);
    }

    /// An access to shared memory of the cluster, of this block or of another.
    pub(super) fn reached(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        let Some(its) = self.start.cluster else { return };
        let strong_write = self.begin_access(event);
        let now = self.world.timeline.now();
        self.world.timeline.used = true;
        let site = self.world.sites.number(event);
        let own = event.buffer == its.shared.0;
        if own {
            let here =
                Here { event, site, now, order: &self.order, sites: &self.world.sites, copies: &self.copies };
            self.shared.access(&here, shape, findings);
            self.around_shared(event, site, shape, findings);
            if event.role.copy {
                self.copies.copy(event, site, shape);
            }
            if event.watching {
                self.order.strong(event, shape, None, now);
            }
        } else {
            self.lives(event, shape, findings);
        }
        // As in global memory, at an address of its own.
        let far = Event { first: event.base + event.first, ..*event };
        let here = Here {
            event: &far,
            site,
            now,
            order: &self.order,
            sites: &self.world.sites,
            copies: &self.copies,
        };
        let around = Around {
            here,
            timeline: &self.world.timeline,
            objects: &self.world.objects,
            turn: self.turn,
            apart: false,
            own_shared: own,
        };
        self.world.global.access(&around, shape, findings);
        if event.watching {
            self.order.strong(&far, shape, Some(&mut self.world.objects), now);
            if strong_write && self.order.stirred {
                self.tick();
            }
        }
    }

    /// An access to the shared memory of another block: has it begun, and was it written?
    fn lives(&mut self, event: &Event, shape: &Shape, findings: &mut FindingLog) {
        let Some(its) = self.start.cluster else { return };
        let rank = (event.buffer - (its.shared.0 - its.rank)) as usize;
        let cluster = &mut self.world.clusters[its.place];
        let begun = cluster.begun.get(rank).copied().flatten();
        let Some(shadow) = cluster.shadows.get_mut(rank) else { return };
        for lane in (0..32).filter(|lane| event.mask >> lane & 1 != 0) {
            let offset = event.first.wrapping_add(shape.offsets[lane]);
            let at = Side {
                pc: event.pc,
                thread: ThreadId { block: self.start.block, thread: event.warp * 32 + lane as u32 },
                kind: event.kind,
                bytes: event.width,
                place: Whereabouts::Shared(offset),
            };
            let knows = |(block, time): (u64, u32)| {
                self.order.before(time << TIME_SHIFT | MANY, Some(block), event.warp, lane as u8)
            };
            if !begun.is_some_and(|its| its.1 == LONG_AGO || knows(its)) {
                findings.add(FindingKind::ClusterLifetime, at, None, || [Evidence::BlockNotBegun]);
            }
            let bytes = u64::from(event.width);
            if event.kind != AccessKind::Write && !(offset..offset + bytes).all(|at| shadow.is_written(at)) {
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

    /// The block ends, and its shared memory with it: what others did there must be known to be over.
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
            let thread = one_of(stamp).unwrap_or(ThreadId::UNKNOWN);
            let at = Side {
                pc: site.pc,
                thread: ThreadId { block, thread },
                kind: site.kind,
                bytes: site.bytes,
                place: Whereabouts::Shared(offset),
            };
            findings.add(FindingKind::ClusterLifetime, at, None, || [Evidence::BlockMayEnd]);
        }
    }
}
