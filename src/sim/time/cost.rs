//! What one block of a kernel takes: room while it runs, and shares of what all blocks use.

use crate::occupancy::{BlockNeeds, Multiprocessor};

/// What blocks compete for. Those before `L2` belong to a multiprocessor, the others to the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum Resource {
    /// Slots of the warp schedulers.
    Issue,
    /// The busiest arithmetic pipe.
    Pipe,
    /// Matrix units.
    Matrix,
    /// Passes over the banks of shared memory.
    Shared,
    /// Sectors through the first-level cache.
    L1,
    /// Sectors through the second-level cache.
    L2,
    /// Bytes of device memory.
    Dram,
    /// Atomic operations of the second-level cache.
    Atomic,
    /// Starts of blocks.
    Start,
}

impl Resource {
    pub const COUNT: usize = Resource::Start as usize + 1;

    pub const ALL: [Resource; Resource::COUNT] = [
        Resource::Issue,
        Resource::Pipe,
        Resource::Matrix,
        Resource::Shared,
        Resource::L1,
        Resource::L2,
        Resource::Dram,
        Resource::Atomic,
        Resource::Start,
    ];

    /// Whether every multiprocessor has its own.
    pub fn of_multiprocessor(self) -> bool {
        self < Resource::L2
    }
}

/// Nanoseconds of each [`Resource`] that a block uses: of one multiprocessor's, or of the GPU's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand(pub [f64; Resource::COUNT]);

impl Demand {
    pub fn of(&self, resource: Resource) -> f64 {
        self.0[resource as usize]
    }

    pub fn set(&mut self, resource: Resource, ns: f64) {
        self.0[resource as usize] = ns;
    }
}

/// Room on multiprocessors: what a block takes, or what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmResources {
    pub blocks: u64,
    pub warps: u64,
    /// 32-bit registers.
    pub registers: u64,
    pub shared_bytes: u64,
}

impl SmResources {
    /// That of one block, as it is given out.
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

    /// That of `count` multiprocessors.
    pub fn of_multiprocessors(sm: &Multiprocessor, count: u32) -> SmResources {
        let all = |each: u32| u64::from(each) * u64::from(count);
        SmResources {
            blocks: all(sm.blocks),
            warps: all(sm.warps),
            registers: all(sm.registers),
            shared_bytes: all(sm.shared_bytes),
        }
    }

    /// How many blocks of `each` there is room for.
    pub fn holds(&self, each: &SmResources) -> u64 {
        let parts = [
            (self.blocks, each.blocks),
            (self.warps, each.warps),
            (self.registers, each.registers),
            (self.shared_bytes, each.shared_bytes),
        ];
        parts.iter().filter(|(_, need)| *need > 0).map(|(free, need)| free / need).min().unwrap_or(0)
    }

    /// Less where `most` is less.
    pub fn at_most(&self, most: &SmResources) -> SmResources {
        SmResources {
            blocks: self.blocks.min(most.blocks),
            warps: self.warps.min(most.warps),
            registers: self.registers.min(most.registers),
            shared_bytes: self.shared_bytes.min(most.shared_bytes),
        }
    }

    /// Takes the room of `count` blocks away.
    pub fn take(&mut self, each: &SmResources, count: u64) {
        self.blocks = self.blocks.saturating_sub(each.blocks.saturating_mul(count));
        self.warps = self.warps.saturating_sub(each.warps.saturating_mul(count));
        self.registers = self.registers.saturating_sub(each.registers.saturating_mul(count));
        self.shared_bytes = self.shared_bytes.saturating_sub(each.shared_bytes.saturating_mul(count));
    }

    /// Gives the room of `count` blocks back.
    pub fn give(&mut self, each: &SmResources, count: u64) {
        self.blocks = self.blocks.saturating_add(each.blocks.saturating_mul(count));
        self.warps = self.warps.saturating_add(each.warps.saturating_mul(count));
        self.registers = self.registers.saturating_add(each.registers.saturating_mul(count));
        self.shared_bytes = self.shared_bytes.saturating_add(each.shared_bytes.saturating_mul(count));
    }
}

/// What a scheduler needs to know of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCost {
    /// Blocks of the grid.
    pub blocks: u64,
    pub room: SmResources,
    /// Blocks one multiprocessor holds at once; 0 when one does not fit.
    pub resident: u32,
    /// A block that has its multiprocessor to itself, and memory that nobody else uses.
    pub alone_ns: f64,
    pub demand: Demand,
    /// From the kernel's start to its first block.
    pub start_ns: f64,
    /// From its last block to its end, when what it wrote is there for others.
    pub end_ns: f64,
    /// The kernel takes at least this long between start and end: its longest block.
    pub least_ns: f64,
}

impl BlockCost {
    /// A kernel of nothing but `bytes` through device memory at the GPU's best rate: sets, and
    /// copies within a device.
    pub fn streaming(gpu: &super::Gpu, bytes: u64) -> BlockCost {
        /// What a block of such a kernel moves.
        const BLOCK_BYTES: u64 = 16 << 10;
        let blocks = bytes.div_ceil(BLOCK_BYTES).max(1);
        let needs = BlockNeeds { threads: 256, registers: 32, shared_bytes: 0 };
        let mut demand = Demand::default();
        let each = bytes as f64 / blocks as f64;
        demand.set(Resource::Dram, each / gpu.dram_rate());
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

    /// How long the kernel takes with the GPU to itself.
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
