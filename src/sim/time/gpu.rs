//! The constants of one GPU that the time of a kernel depends on.

use crate::counts::Class;
use crate::occupancy::Multiprocessor;

/// Latencies in cycles of the multiprocessor's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Latencies {
    /// A result of the plain arithmetic pipes, until the next instruction can use it.
    pub arithmetic: f64,
    /// Special functions, conversions, double precision where it is slow.
    pub special: f64,
    pub shared: f64,
    /// Global loads that the first-level cache has.
    pub l1: f64,
    pub l2: f64,
    pub dram: f64,
    /// A barrier, and what each warp of the block adds to it.
    pub barrier: f64,
    pub barrier_warp: f64,
    pub atomic: f64,
    pub matrix: f64,
}

/// Dense operations (a multiply-add is two) a multiprocessor's matrix units do in a cycle; 0 where
/// they lack the type.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct MatrixRates {
    pub f16: f64,
    pub bf16: f64,
    pub tf32: f64,
    pub f64: f64,
    pub int8: f64,
}

/// Atomic operations on global memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct AtomicRates {
    /// Cycles of a slice of the second-level cache for each packet: lanes at different words of one
    /// sector.
    pub slice_cycles: f64,
    /// Cycles from one operation on a word to the next on the same: of integers, and of floats.
    pub word_cycles: f64,
    pub float_cycles: f64,
    /// On shared memory, a cycle of a multiprocessor.
    pub shared_per_cycle: f64,
    /// Cycles for each lane of a warp that comes to the same address of shared memory.
    pub shared_pass_cycles: f64,
}

/// One GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    pub sms: u32,
    /// Of the multiprocessors, under load.
    pub clock_ghz: f64,
    pub sm: Multiprocessor,
    /// Warp instructions a multiprocessor issues in a cycle.
    pub issue_per_cycle: f64,
    /// Results a cycle of a multiprocessor, by class of instruction.
    pub results_per_cycle: [f64; Class::COUNT],
    pub matrix: MatrixRates,
    /// Bytes of one pass over the banks.
    pub shared_bytes_per_cycle: f64,
    pub l1_bytes_per_cycle: f64,
    /// Sectors that a multiprocessor can store in a cycle.
    pub store_sectors_per_cycle: f64,
    /// First-level cache and shared memory together.
    pub l1_bytes: u64,
    pub l2_bytes: u64,
    /// Bytes that work of all multiprocessors finds in it: less where parts of it hold copies.
    pub l2_effective_bytes: u64,
    /// Bytes a nanosecond (GB/s) between multiprocessors and the second-level cache: whole lines
    /// read.
    pub l2_gbps: f64,
    /// How much longer writes take there than reads, and those of a part of a sector than of all.
    pub l2_write_factor: f64,
    pub l2_part_factor: f64,
    /// Bytes a nanosecond of device memory, as the data sheet says.
    pub dram_gbps: f64,
    /// Bytes that it gives at a time: 32 or 64.
    pub dram_access_bytes: u64,
    /// Share of that which a copy reaches.
    pub dram_efficiency: f64,
    pub latencies: Latencies,
    pub atomics: AtomicRates,
    /// From a kernel's start to its first instruction, and from its last one to its end.
    pub kernel_start_ns: f64,
    pub kernel_end_ns: f64,
    /// Cycles from a block's place being free to its first instruction.
    pub block_start_cycles: f64,
    /// Blocks that the whole GPU can start in a cycle.
    pub blocks_per_cycle: f64,
}

impl Gpu {
    /// Cycles as nanoseconds.
    pub fn ns(&self, cycles: f64) -> f64 {
        cycles / self.clock_ghz
    }

    /// Bytes a nanosecond that device memory gives at best.
    pub fn dram_rate(&self) -> f64 {
        self.dram_gbps * self.dram_efficiency
    }
}
