//! Computes how many warps of a kernel a multiprocessor can hold at once, and what limits them.
//!
//! Limits: CUDA C++ Programming Guide, "Compute Capabilities", table "Technical Specifications per Compute
//! Capability". Rounding: the CUDA Occupancy Calculator (`cuda_occupancy.h`): registers are allocated to a warp in
//! units of 256 from one of four partitions; shared memory to a block in units of 128 bytes (256 before 8.0), with
//! 1 KiB reserved by the system from 8.0 on.

/// The resources of one multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Multiprocessor {
    pub warps: u32,
    pub blocks: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Bytes of shared memory for all blocks.
    pub shared_bytes: u32,
    /// Most bytes of shared memory per block (beyond 48 KiB a kernel has to opt in to dynamic memory).
    pub shared_bytes_per_block: u32,
    /// Bytes of shared memory that the system reserves in each block.
    pub shared_reserved_bytes: u32,
    /// Allocation unit of shared memory, in bytes.
    pub shared_unit_bytes: u32,
}

/// The resources that one block of a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockNeeds {
    pub threads: u32,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Static and dynamic shared memory, in bytes.
    pub shared_bytes: u32,
}

/// The resource that limits the number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Warps per multiprocessor.
    Threads,
    Blocks,
    Registers,
    Shared,
}

impl Limit {
    /// Returns the stable name.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Threads => "threads",
            Limit::Blocks => "blocks",
            Limit::Registers => "registers",
            Limit::Shared => "shared",
        }
    }
}

/// The blocks and warps of a kernel that a multiprocessor holds at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks held at once; 0 when not even one fits.
    pub blocks: u32,
    pub warps: u32,
    pub max_warps: u32,
    /// The tightest limits: several when they tie.
    pub limits: Vec<Limit>,
}

impl Occupancy {
    /// Returns the occupancy as a percentage of the most warps.
    pub fn percent(&self) -> f64 {
        100.0 * f64::from(self.warps) / f64::from(self.max_warps.max(1))
    }
}

const WARP: u32 = 32;
/// Parts of a multiprocessor, each with a quarter of the registers.
const PARTITIONS: u32 = 4;
/// Allocation unit of registers, for a warp.
const REGISTER_UNIT: u64 = 256;
const KIB: u32 = 1024;

impl Multiprocessor {
    /// Returns the resources for a compute capability; `None` if it is not in the table.
    pub fn of(major: u32, minor: u32) -> Option<Multiprocessor> {
        let (warps, blocks, shared_kib, per_block_kib) = match (major, minor) {
            (7, 0 | 2) => (64, 32, 96, 96),
            (7, 5) => (32, 16, 64, 64),
            (8, 0) => (64, 32, 164, 163),
            (8, 6) => (48, 16, 100, 99),
            (8, 7) => (48, 16, 164, 163),
            (8, 9) => (48, 24, 100, 99),
            (9, 0) | (10, 0 | 3) => (64, 32, 228, 227),
            (11, 0) => (48, 24, 228, 227),
            (12, 0 | 1) => (48, 24, 100, 99),
            _ => return None,
        };
        Some(Multiprocessor {
            warps,
            blocks,
            registers: 64 * KIB,
            shared_bytes: shared_kib * KIB,
            shared_bytes_per_block: per_block_kib * KIB,
            shared_reserved_bytes: if major >= 8 { KIB } else { 0 },
            shared_unit_bytes: if major >= 8 { 128 } else { 256 },
        })
    }

    /// Returns the blocks and warps held at once.
    pub fn occupancy(&self, needs: BlockNeeds) -> Occupancy {
        let warps = needs.threads.div_ceil(WARP).max(1);
        let by_registers = match needs.registers {
            0 => u32::MAX,
            registers => {
                let a_warp = (u64::from(registers) * u64::from(WARP)).next_multiple_of(REGISTER_UNIT);
                let held = (u64::from(self.registers / PARTITIONS) / a_warp) as u32 * PARTITIONS;
                held / warps
            }
        };
        let by_shared = if needs.shared_bytes > self.shared_bytes_per_block {
            0
        } else {
            let a_block = needs.shared_bytes + self.shared_reserved_bytes;
            match a_block.next_multiple_of(self.shared_unit_bytes) {
                0 => u32::MAX,
                a_block => self.shared_bytes / a_block,
            }
        };
        let all = [
            (Limit::Threads, self.warps / warps),
            (Limit::Blocks, self.blocks),
            (Limit::Registers, by_registers),
            (Limit::Shared, by_shared),
        ];
        let blocks = all.iter().map(|(_, n)| *n).min().unwrap_or(0);
        Occupancy {
            blocks,
            warps: blocks * warps,
            max_warps: self.warps,
            limits: all.iter().filter(|(_, n)| *n == blocks).map(|(limit, _)| *limit).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cc: (u32, u32), threads: u32, registers: u32, shared_bytes: u32) -> (u32, f64, Vec<Limit>) {
        let sm = Multiprocessor::of(cc.0, cc.1).unwrap();
        let o = sm.occupancy(BlockNeeds { threads, registers, shared_bytes });
        (o.blocks, o.percent(), o.limits)
    }

    #[test]
    fn full_with_few_registers() {
        assert_eq!(of((8, 0), 256, 32, 0), (8, 100.0, vec![Limit::Threads, Limit::Registers]));
        assert_eq!(of((9, 0), 1024, 32, 0), (2, 100.0, vec![Limit::Threads, Limit::Registers]));
        assert_eq!(of((7, 5), 256, 64, 0), (4, 100.0, vec![Limit::Threads, Limit::Registers]));
    }

    #[test]
    fn registers_limit_in_units_of_a_warp() {
        // 40 registers: 1280 per warp, 12 warps per partition.
        assert_eq!(of((8, 0), 256, 40, 0), (6, 75.0, vec![Limit::Registers]));
        // 33 registers are rounded up to as many.
        assert_eq!(of((8, 0), 256, 33, 0), of((8, 0), 256, 40, 0));
        assert_eq!(of((8, 0), 256, 64, 0), (4, 50.0, vec![Limit::Registers]));
        assert_eq!(of((9, 0), 128, 128, 0), (4, 25.0, vec![Limit::Registers]));
        // 255 registers: 8192 per warp, 8 warps in all: 1024 threads cannot run.
        assert_eq!(of((9, 0), 1024, 255, 0).0, 0);
        assert_eq!(of((9, 0), 256, 255, 0), (1, 12.5, vec![Limit::Registers]));
    }

    #[test]
    fn shared_memory_limits_with_what_the_system_keeps() {
        assert_eq!(of((8, 0), 128, 32, 48 * 1024), (3, 18.75, vec![Limit::Shared]));
        assert_eq!(of((7, 5), 256, 32, 32 * 1024), (2, 50.0, vec![Limit::Shared]));
        // 227 KiB and the reserved one fill the multiprocessor; one more byte does not fit.
        assert_eq!(of((9, 0), 128, 32, 227 * 1024).0, 1);
        assert_eq!(of((9, 0), 128, 32, 227 * 1024 + 1).0, 0);
    }

    #[test]
    fn small_blocks_hit_the_number_of_blocks() {
        assert_eq!(of((8, 0), 32, 16, 0), (32, 50.0, vec![Limit::Blocks]));
        assert_eq!(of((8, 6), 32, 16, 0), (16, 100.0 * 16.0 / 48.0, vec![Limit::Blocks]));
        assert_eq!(of((8, 6), 1024, 32, 0), (1, 100.0 * 32.0 / 48.0, vec![Limit::Threads]));
    }

    #[test]
    fn nonsense_is_answered_without_a_panic() {
        for threads in [0, 1, 33, u32::MAX] {
            for registers in [0, 1, 255, u32::MAX] {
                for shared in [0, 1, u32::MAX] {
                    let (blocks, percent, limits) = of((8, 0), threads, registers, shared);
                    assert!(blocks <= 32 && percent <= 100.0 && !limits.is_empty());
                }
            }
        }
        assert_eq!(Multiprocessor::of(6, 1), None);
    }
}
