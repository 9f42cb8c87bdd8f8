//! The constants of one GPU that a kernel's modelled duration depends on.

use crate::counts::Class;
use crate::occupancy::Multiprocessor;

/// Latencies in cycles of the multiprocessor's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Latencies {
    /// A result of the plain arithmetic pipes, until a dependent instruction can use it.
    pub arithmetic: f64,
    /// Special functions and conversions; also double precision where it is slow.
    pub special: f64,
    /// Shared-memory loads.
    pub shared: f64,
    /// Global-memory loads that hit the first-level cache.
    pub l1: f64,
    /// Global-memory loads that hit the second-level cache.
    pub l2: f64,
    /// Global-memory loads from device memory.
    pub dram: f64,
    /// A barrier: the fixed part, and what each warp of the block adds to it.
    pub barrier: f64,
    pub barrier_warp: f64,
    pub atomic: f64,
    pub matrix: f64,
}

/// Dense operations per cycle of a multiprocessor's matrix units, where a multiply-add counts as two; 0 if the units
/// lack the type.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct MatrixRates {
    pub f16: f64,
    pub bf16: f64,
    pub tf32: f64,
    pub f64: f64,
    pub int8: f64,
}

/// Thread-level results per cycle of a multiprocessor, by the rows of the programming guide's throughput table.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct ResultRates {
    pub f16: f64,
    pub f16_pair: f64,
    pub f32: f64,
    pub f64: f64,
    pub special: f64,
    pub int_add: f64,
    pub int_mul: f64,
    pub logic: f64,
    pub compare: f64,
    pub convert: f64,
    pub warp: f64,
    pub load: f64,
}

impl ResultRates {
    /// Returns the rate of an instruction class.
    pub fn of(&self, class: Class) -> f64 {
        match class {
            Class::IntMul => self.int_mul,
            Class::Logic => self.logic,
            Class::Float16 => self.f16,
            Class::Float16Pair => self.f16_pair,
            Class::Float32 => self.f32,
            Class::Float64 => self.f64,
            Class::Special => self.special,
            Class::Convert => self.convert,
            Class::Compare => self.compare,
            Class::Warp => self.warp,
            Class::LoadGlobal | Class::StoreGlobal | Class::LoadShared => self.load,
            Class::StoreShared | Class::LoadLocal | Class::StoreLocal => self.load,
            _ => self.int_add,
        }
    }
}

/// Costs of atomic operations.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct AtomicRates {
    /// Cycles of a second-level cache slice for each packet, which serves lanes at different words of one sector.
    pub slice_cycles: f64,
    /// Cycles between two operations on the same word: for integers, and for floats.
    pub word_cycles: f64,
    pub float_cycles: f64,
    /// Operations on shared memory per cycle of a multiprocessor.
    pub shared_per_cycle: f64,
    /// Cycles for each further lane of a warp at the same address of shared memory.
    pub shared_pass_cycles: f64,
}

/// The model's description of one GPU.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Gpu {
    /// The number of multiprocessors. A file states it elsewhere, as it does `sm` and `l2_bytes`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub sms: u32,
    /// Clock of the multiprocessors under load, in GHz.
    pub clock_ghz: f64,
    /// Limits of each multiprocessor.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub sm: Multiprocessor,
    /// Warp instructions that a multiprocessor issues per cycle.
    pub issue_per_cycle: f64,
    pub results_per_cycle: ResultRates,
    pub matrix: MatrixRates,
    /// Bytes per cycle that a multiprocessor's shared memory transfers: those of one wavefront.
    pub shared_bytes_per_cycle: f64,
    pub l1_bytes_per_cycle: f64,
    /// Sectors that a multiprocessor can store per cycle.
    pub store_sectors_per_cycle: f64,
    /// Bytes of first-level cache and shared memory together.
    pub l1_bytes: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub l2_bytes: u64,
    /// Bytes of the second-level cache that are effective for work spread over all multiprocessors: fewer than
    /// `l2_bytes` where parts of the cache hold copies of each other.
    pub l2_effective_bytes: u64,
    /// Bytes per nanosecond (GB/s) between multiprocessors and the second-level cache, for reads of whole lines.
    pub l2_gbps: f64,
    /// How many times longer writes take there than reads, and writes of part of a sector than of a whole one.
    pub l2_write_factor: f64,
    pub l2_part_factor: f64,
    /// Bytes per nanosecond of device memory according to the data sheet.
    pub dram_gbps: f64,
    /// Bytes per access to device memory: 32 or 64.
    pub dram_access_bytes: u64,
    /// The share of `dram_gbps` that a copy reaches.
    pub dram_efficiency: f64,
    pub latencies: Latencies,
    pub atomics: AtomicRates,
    /// Nanoseconds from a kernel's start to its first instruction, and from its last instruction to its end.
    pub kernel_start_ns: f64,
    pub kernel_end_ns: f64,
    /// Cycles from the time a block's slot is free to the block's first instruction.
    pub block_start_cycles: f64,
    /// Blocks that the whole GPU can start per cycle.
    pub blocks_per_cycle: f64,
}

impl Gpu {
    /// Converts cycles to nanoseconds.
    pub fn ns(&self, cycles: f64) -> f64 {
        cycles / self.clock_ghz
    }

    /// Returns the bytes per nanosecond that device memory delivers at best.
    pub fn dram_rate(&self) -> f64 {
        self.dram_gbps * self.dram_efficiency
    }
}
