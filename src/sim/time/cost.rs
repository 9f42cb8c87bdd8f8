//! What one block of a kernel costs: the multiprocessor resources it occupies while it runs, and its use of the
//! shared throughput resources.

use super::bound::Bound;
use crate::occupancy::{BlockNeeds, Multiprocessor};

/// Nanoseconds of each of [`Bound::RESOURCES`] that a block uses: of one multiprocessor's own, or of the GPU's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand(pub [f64; Bound::RESOURCES.len()]);

impl Demand {
    /// Returns the nanoseconds of `resource`.
    pub fn of(&self, resource: Bound) -> f64 {
        self.0[resource as usize]
    }

    /// Sets the nanoseconds of `resource`.
    pub fn set(&mut self, resource: Bound, ns: f64) {
        self.0[resource as usize] = ns;
    }
}

/// The resources of multiprocessors that limit residency: what a block occupies, or what is available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmResources {
    /// Block slots.
    pub blocks: u64,
    /// Warp slots.
    pub warps: u64,
    /// 32-bit registers.
    pub registers: u64,
    /// Bytes of shared memory.
    pub shared_bytes: u64,
}

impl SmResources {
    /// Returns what one block occupies, rounded up to the hardware's allocation units.
    pub fn of_block(sm: &Multiprocessor, needs: BlockNeeds) -> SmResources {
        let warps = u64::from(needs.threads.div_ceil(32).max(1));
        let a_warp = (u64::from(needs.registers) * 32).next_multiple_of(256);
        let shared = u64::from(needs.shared_bytes) + u64::from(sm.shared_reserved_bytes);
        SmResources {
            blocks: 1,
            warps,
            registers: a_warp * warps,
            shared_bytes: shared.next_multiple_of(u64::from(sm.shared_unit_bytes.max(1))),
        }
    }

    /// Returns what `count` multiprocessors have in total.
    pub fn of_multiprocessors(sm: &Multiprocessor, count: u32) -> SmResources {
        let all = |each: u32| u64::from(each) * u64::from(count);
        SmResources {
            blocks: all(sm.blocks),
            warps: all(sm.warps),
            registers: all(sm.registers),
            shared_bytes: all(sm.shared_bytes),
        }
    }

    /// Returns how many blocks that each need `each` fit.
    pub fn holds(&self, each: &SmResources) -> u64 {
        let parts = [
            (self.blocks, each.blocks),
            (self.warps, each.warps),
            (self.registers, each.registers),
            (self.shared_bytes, each.shared_bytes),
        ];
        parts.iter().filter(|(_, need)| *need > 0).map(|(free, need)| free / need).min().unwrap_or(0)
    }

    fn with(&self, other: &SmResources, of: impl Fn(u64, u64) -> u64) -> SmResources {
        SmResources {
            blocks: of(self.blocks, other.blocks),
            warps: of(self.warps, other.warps),
            registers: of(self.registers, other.registers),
            shared_bytes: of(self.shared_bytes, other.shared_bytes),
        }
    }

    /// Returns the component-wise minimum with `most`.
    pub fn at_most(&self, most: &SmResources) -> SmResources {
        self.with(most, u64::min)
    }

    /// Subtracts the resources of `count` blocks, saturating at 0.
    pub fn take(&mut self, each: &SmResources, count: u64) {
        *self = self.with(each, |free, each| free.saturating_sub(each.saturating_mul(count)));
    }

    /// Returns the resources of `count` blocks to this pool.
    pub fn give(&mut self, each: &SmResources, count: u64) {
        *self = self.with(each, |free, each| free.saturating_add(each.saturating_mul(count)));
    }
}

/// What a scheduler of concurrent kernels needs to know about a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCost {
    /// Blocks of the grid.
    pub blocks: u64,
    /// What each block occupies.
    pub room: SmResources,
    /// How many blocks fit on one multiprocessor at once; 0 if not even one does.
    pub resident: u32,
    /// Latency of a block that has its multiprocessor to itself, with no contention for memory.
    pub alone_ns: f64,
    /// What each block uses of the throughput resources.
    pub demand: Demand,
    /// Nanoseconds from the kernel's start to the start of its first block.
    pub start_ns: f64,
    /// Nanoseconds from the end of its last block to the kernel's end, when its writes are visible to others.
    pub end_ns: f64,
    /// Lower bound on the nanoseconds between the kernel's first and last block: the time of its longest block.
    pub least_ns: f64,
}

impl BlockCost {
    /// Returns the cost of a kernel that only moves `bytes` through device memory at the GPU's best rate: memory
    /// sets, and copies within a device.
    pub fn streaming(gpu: &super::Gpu, bytes: u64) -> BlockCost {
        /// Bytes moved by each block of this kernel.
        const BLOCK_BYTES: u64 = 16 << 10;
        let blocks = bytes.div_ceil(BLOCK_BYTES).max(1);
        let needs = BlockNeeds { threads: 256, registers: 32, shared_bytes: 0 };
        let mut demand = Demand::default();
        let each = bytes as f64 / blocks as f64;
        demand.set(Bound::Memory, each / gpu.dram_rate());
        BlockCost {
            blocks,
            room: SmResources::of_block(&gpu.sm, needs),
            resident: gpu.sm.occupancy(needs).blocks.max(1),
            alone_ns: gpu.ns(2.0 * gpu.latencies.dram) + each / (gpu.l1_bytes_per_cycle * gpu.clock_ghz),
            demand,
            start_ns: gpu.kernel_start_ns,
            end_ns: gpu.kernel_end_ns,
            least_ns: 0.0,
        }
    }

    /// Returns how many nanoseconds the kernel takes with a GPU of `sms` multiprocessors to itself.
    pub fn ns_alone(&self, sms: u32) -> f64 {
        let wave = (u64::from(self.resident.max(1)) * u64::from(sms.max(1))).max(1);
        let (full, rest) = (self.blocks / wave, self.blocks % wave);
        let block = |count: u64| match count {
            0 => 0.0,
            _ => 1.0 / super::rates(sms, &[super::Running { cost: self, count }])[0],
        };
        let blocks = full as f64 * block(wave) + block(rest);
        self.start_ns + blocks.max(self.least_ns) + self.end_ns
    }
}
