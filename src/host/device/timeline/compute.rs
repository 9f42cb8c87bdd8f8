//! The multiprocessors of a device, shared by the blocks of all running kernels.
//!
//! Blocks of one kernel that started together form a cohort: they progress at one rate and end together.
//! Capacity is counted over the whole device, and each kernel is limited by its occupancy. A kernel that has
//! the device to itself runs many waves of blocks as one cohort, so that the number of its waves costs no
//! simulation time; when another kernel arrives, the waves that have not begun are taken back.

use super::op::{OpId, Ps};
use super::span::MAX_SPANS;
use crate::device::model::Model;
use sim::time::{BlockCost, Running, SmResources, rates};
use std::sync::Arc;

#[derive(Debug)]
struct Cohort {
    blocks: u64,
    /// Remaining share of each block's work; above one: further waves that follow in the same places.
    left: f64,
}

#[derive(Debug)]
struct Kernel {
    id: OpId,
    cost: Arc<BlockCost>,
    /// Resources that a block occupies; capped at those of the device for a block that is too large.
    room: SmResources,
    priority: i32,
    began: Ps,
    /// Blocks not yet placed on a multiprocessor.
    waiting: u64,
    cohorts: Vec<Cohort>,
    /// Fraction of a block that is completed per picosecond.
    rate: f64,
}

impl Kernel {
    fn running(&self) -> u64 {
        self.cohorts.iter().map(|c| c.blocks).sum()
    }

    /// Returns how many of the kernel's blocks the device can hold at once.
    fn most(&self, sms: u32) -> u64 {
        u64::from(self.cost.resident.max(1)) * u64::from(sms)
    }
}

/// A kernel whose blocks have ended, with the time at which its first block could start.
pub(super) type Done = (OpId, Arc<BlockCost>, Ps);

#[derive(Debug)]
pub(super) struct Compute {
    sms: u32,
    all: SmResources,
    free: SmResources,
    /// Kernels in the order in which their blocks are placed.
    kernels: Vec<Kernel>,
    /// Time up to which every cohort's `left` is current.
    at: Ps,
    most_kernels: usize,
    /// Changes of the number of multiprocessors that have blocks, each with its time.
    busy: Vec<(Ps, u32)>,
}

impl Compute {
    pub fn new(model: &Model) -> Compute {
        let sms = model.gpu.sms.max(1);
        let all = SmResources::of_multiprocessors(&model.gpu.sm, sms);
        Compute {
            sms,
            all,
            free: all,
            kernels: Vec::new(),
            at: 0,
            most_kernels: model.queue.concurrent_kernels.max(1),
            busy: Vec::new(),
        }
    }

    /// Adds a kernel whose blocks may start at `at`.
    pub fn add(&mut self, id: OpId, cost: Arc<BlockCost>, priority: i32, at: Ps) {
        self.catch_up(at);
        self.take_back_waves();
        let waiting = cost.blocks.max(1);
        let room = cost.room.at_most(&self.all);
        let kernel = Kernel { id, cost, room, priority, began: at, waiting, cohorts: Vec::new(), rate: 0.0 };
        let place = self.kernels.partition_point(|k| k.priority <= priority);
        self.kernels.insert(place, kernel);
        self.fill();
    }

    pub fn busy(&self) -> &[(Ps, u32)] {
        &self.busy
    }

    fn note_busy(&mut self) {
        let blocks: u64 = self.kernels.iter().map(Kernel::running).sum();
        let sms = blocks.min(u64::from(self.sms)) as u32;
        if self.busy.last().is_some_and(|(at, _)| *at == self.at) {
            self.busy.pop();
        }
        if self.busy.last().map_or(0, |(_, sms)| *sms) != sms && self.busy.len() < MAX_SPANS {
            self.busy.push((self.at, sms));
        }
    }

    /// Returns when the next blocks end.
    pub fn next_end(&self) -> Option<Ps> {
        let ends = self
            .kernels
            .iter()
            .flat_map(|k| k.cohorts.iter().map(|c| self.at.saturating_add((c.left / k.rate).ceil() as Ps)));
        ends.min()
    }

    /// Advances to `at`; appends kernels whose last block has ended by then to `done`.
    pub fn advance(&mut self, at: Ps, done: &mut Vec<Done>) {
        self.catch_up(at);
        let free = &mut self.free;
        for kernel in &mut self.kernels {
            // A cohort less than a picosecond from its end has ended; at the end of time, all have.
            let least = kernel.rate;
            let room = &kernel.room;
            kernel.cohorts.retain(|cohort| {
                let ended = cohort.left <= least || at == Ps::MAX;
                if ended {
                    free.give(room, cohort.blocks);
                }
                !ended
            });
        }
        self.kernels.retain(|kernel| {
            let ended = kernel.waiting == 0 && kernel.cohorts.is_empty();
            if ended {
                done.push((kernel.id, kernel.cost.clone(), kernel.began));
            }
            !ended
        });
        self.fill();
    }

    fn catch_up(&mut self, at: Ps) {
        let passed = at.saturating_sub(self.at) as f64;
        for kernel in &mut self.kernels {
            for cohort in &mut kernel.cohorts {
                cohort.left = (cohort.left - passed * kernel.rate).max(0.0);
            }
        }
        self.at = self.at.max(at);
    }

    fn take_back_waves(&mut self) {
        for kernel in &mut self.kernels {
            for cohort in &mut kernel.cohorts {
                let waves = (cohort.left.ceil() - 1.0).max(0.0);
                cohort.left -= waves;
                kernel.waiting += cohort.blocks * waves as u64;
            }
        }
    }

    /// Places waiting blocks, and computes the rate at which each kernel progresses.
    fn fill(&mut self) {
        let alone = self.kernels.len() == 1;
        for kernel in self.kernels.iter_mut().take(self.most_kernels) {
            let running = kernel.running();
            let most = kernel.most(self.sms);
            let fits = self.free.holds(&kernel.room).min(most.saturating_sub(running));
            let blocks = fits.min(kernel.waiting);
            if blocks > 0 {
                kernel.waiting -= blocks;
                self.free.take(&kernel.room, blocks);
                let waves = if alone && running == 0 { kernel.waiting / blocks } else { 0 };
                kernel.waiting -= waves * blocks;
                kernel.cohorts.push(Cohort { blocks, left: 1.0 + waves as f64 });
            }
            // Blocks of later kernels are placed once all blocks of this one have been.
            if kernel.waiting > 0 {
                break;
            }
        }
        let running: Vec<Running> = self
            .kernels
            .iter()
            .filter(|k| !k.cohorts.is_empty())
            .map(|k| Running { cost: &k.cost, count: k.running() })
            .collect();
        let mut found = rates(self.sms, &running).into_iter();
        for kernel in &mut self.kernels {
            if !kernel.cohorts.is_empty() {
                kernel.rate = found.next().unwrap_or(1.0) / 1000.0;
            }
        }
        self.note_busy();
    }
}
