//! The counts of a run.

use super::advice::Details;
pub use super::meter::atomics::AtomicTrace;
pub use super::meter::l2::{L2_BYTES, L2Traffic, LineTrace};

/// The traffic of the loads or the stores of one memory space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Warp-level instructions, one for each group of lanes that executed it (`ncu`: requests).
    pub requests: u64,
    /// Global: 32-byte sectors touched. Shared: wavefronts (passes over the 32 banks).
    pub units: u64,
    /// Thread-level accesses.
    pub accesses: u64,
    /// Bytes requested by threads.
    pub bytes: u64,
    /// Shared: wavefronts beyond those that the bytes need (bank conflicts).
    pub conflicts: u64,
    /// The most accesses by any one thread.
    pub most_by_a_thread: u64,
}

/// Instruction classes, as `inspect` and the time model group them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
#[rustfmt::skip]
pub enum Class {
    IntAdd, IntMul, Logic, Float16, Float16Pair, Float32, Float64, Special, Convert, Compare, Move,
    LoadGlobal, StoreGlobal, LoadShared, StoreShared, LoadLocal, StoreLocal, LoadConst,
    Atomic, Barrier, Warp, Branch, Matrix, Async, #[default] Other,
}

impl Class {
    pub const COUNT: usize = Class::Other as usize + 1;

    /// Returns the name of the class in words.
    pub fn name(self) -> &'static str {
        match self {
            Class::IntAdd => "integer add",
            Class::IntMul => "integer multiply",
            Class::Logic => "logic and shift",
            Class::Float16 => "half precision",
            Class::Float16Pair => "half precision, in pairs",
            Class::Float32 => "single precision",
            Class::Float64 => "double precision",
            Class::Special => "special function",
            Class::Convert => "conversion",
            Class::Compare => "comparison",
            Class::Move => "move",
            Class::LoadGlobal => "global load",
            Class::StoreGlobal => "global store",
            Class::LoadShared => "shared load",
            Class::StoreShared => "shared store",
            Class::LoadLocal => "local load",
            Class::StoreLocal => "local store",
            Class::LoadConst => "constant load",
            Class::Atomic => "atomic",
            Class::Barrier => "barrier",
            Class::Warp => "warp operation",
            Class::Branch => "branch",
            Class::Matrix => "matrix",
            Class::Async => "asynchronous copy",
            Class::Other => "other",
        }
    }
}

/// Floating-point operations by type; a fused multiply-add is two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flops {
    pub f16: u64,
    pub bf16: u64,
    pub tf32: u64,
    pub f32: u64,
    pub f64: u64,
    /// Integer operations of the matrix units.
    pub int8: u64,
}

/// Sizes of the L1 cache for which [`Pace::sampled_hits`] is counted, in bytes.
pub const CACHE_BYTES: [u64; 7] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// What the time model needs to know beyond the amount of work: dependences, locality and contention. Zero where
/// nothing was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Steps of the longest dependence chain, summed over warps: plain arithmetic.
    pub arithmetic_waits: u64,
    /// Special functions, conversions, divisions.
    pub special_waits: u64,
    /// Loads of shared memory, shuffles.
    pub shared_waits: u64,
    /// Loads of global and local memory; those that can be in flight together count once.
    pub global_waits: u64,
    /// Length of those chains in cycles by a common measure: `warp_cycles` is the sum over warps, `block_cycles`
    /// the sum over blocks of each block's longest warp.
    pub warp_cycles: u64,
    pub block_cycles: u64,
    /// Clock cycles in which warps slept or only polled a clock, beyond those of the chains; summed over blocks,
    /// for each block that of the longest warp.
    pub slept_cycles: u64,
    /// The longest warp of all: the length of its chain and its sleep.
    pub longest_cycles: u64,
    /// Sectors requested by the loads of the sampled blocks.
    pub sampled_sectors: u64,
    /// Those of them that hit in a cache of each of [`CACHE_BYTES`].
    pub sampled_hits: [u64; CACHE_BYTES.len()],
    /// The traffic to and from device memory past an L2 cache of each of [`L2_BYTES`] that is empty at the start.
    pub l2: [L2Traffic; L2_BYTES.len()],
    /// The trace from which `l2` is computed, while a launch runs.
    pub trace: LineTrace,
    /// Lines of 128 bytes touched, summed over requests: an L1 cache looks up a tag for each.
    pub load_lines: u64,
    pub store_lines: u64,
    pub local_load_lines: u64,
    pub local_store_lines: u64,
    /// Lines touched by atomics on global memory, and their sectors.
    pub atomic_lines: u64,
    pub atomic_sectors: u64,
    /// The distribution of those atomics, while a launch runs.
    pub atomics: AtomicTrace,
    /// The atomics' passes through the busiest L2 slice, and operations on the busiest word, on integers and on
    /// floats.
    pub hottest_slice: u64,
    pub hottest_word: u64,
    pub hottest_float: u64,
    /// Machine instructions of warps beyond one per PTX instruction, where a sequence is needed (divisions): all,
    /// those of the special function units, those in double precision.
    pub extra_issue: u64,
    pub extra_special: u64,
    pub extra_doubles: u64,
    /// Most lanes of a warp at one address of shared memory, summed over atomics.
    pub shared_atomic_passes: u64,
}

impl Pace {
    /// Converts the traces to counts, at the end of a launch.
    pub fn finish(&mut self) {
        let atomics = std::mem::take(&mut self.atomics);
        let [word, float] = atomics.words();
        self.hottest_slice += atomics.slice();
        self.hottest_word += word;
        self.hottest_float += float;
        let trace = std::mem::take(&mut self.trace);
        if trace.is_empty() {
            return;
        }
        for (l2, found) in self.l2.iter_mut().zip(trace.traffic()) {
            l2.read_sectors += found.read_sectors;
            l2.written_sectors += found.written_sectors;
            l2.read_pairs += found.read_pairs;
        }
    }

    /// Adds another run's values; `longest_cycles` stays a maximum.
    pub fn add(&mut self, other: &Pace) {
        self.arithmetic_waits += other.arithmetic_waits;
        self.special_waits += other.special_waits;
        self.shared_waits += other.shared_waits;
        self.global_waits += other.global_waits;
        self.warp_cycles += other.warp_cycles;
        self.block_cycles += other.block_cycles;
        self.slept_cycles += other.slept_cycles;
        self.longest_cycles = self.longest_cycles.max(other.longest_cycles);
        self.sampled_sectors += other.sampled_sectors;
        for (mine, theirs) in self.sampled_hits.iter_mut().zip(other.sampled_hits) {
            *mine += theirs;
        }
        for (mine, theirs) in self.l2.iter_mut().zip(other.l2) {
            mine.read_sectors += theirs.read_sectors;
            mine.written_sectors += theirs.written_sectors;
            mine.read_pairs += theirs.read_pairs;
        }
        self.trace.add(&other.trace);
        self.load_lines += other.load_lines;
        self.store_lines += other.store_lines;
        self.local_load_lines += other.local_load_lines;
        self.local_store_lines += other.local_store_lines;
        self.atomic_lines += other.atomic_lines;
        self.atomic_sectors += other.atomic_sectors;
        self.atomics.add(&other.atomics);
        self.hottest_slice += other.hottest_slice;
        self.hottest_word += other.hottest_word;
        self.hottest_float += other.hottest_float;
        self.extra_issue += other.extra_issue;
        self.extra_special += other.extra_special;
        self.extra_doubles += other.extra_doubles;
        self.shared_atomic_passes += other.shared_atomic_passes;
    }
}

/// The counts of one launch, or of several together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub launches: u64,
    pub blocks: u64,
    pub warps: u64,
    pub threads: u64,
    /// Warp-level instructions by [`Class`].
    pub instructions: [u64; Class::COUNT],
    /// Thread-level instructions.
    pub thread_instructions: u64,
    /// Without what goes by texture and surface objects, which `ncu` counts apart too: that counts as instructions,
    /// and in [`Pace`] for the caches.
    pub global_loads: Traffic,
    pub global_stores: Traffic,
    pub shared_loads: Traffic,
    pub shared_stores: Traffic,
    pub local_loads: Traffic,
    pub local_stores: Traffic,
    /// Thread-level atomic operations.
    pub global_atomics: u64,
    pub shared_atomics: u64,
    /// Sectors of global loads, stores and atomics in pinned host memory: they are transferred over the bus.
    pub host_read_sectors: u64,
    pub host_written_sectors: u64,
    /// Bytes of global memory that bulk copies (`cp.async.bulk`) load and store.
    pub bulk_loaded_bytes: u64,
    pub bulk_stored_bytes: u64,
    /// Bytes that threads read and wrote in the shared memory of other blocks of their cluster; they count as
    /// accesses to shared memory as well.
    pub remote_shared_bytes: u64,
    /// Barriers such as `__syncthreads()`: one for each release of a barrier of a block.
    pub barriers: u64,
    /// Branch instructions executed by warps, and those at which lanes diverged.
    pub branches: u64,
    pub divergent_branches: u64,
    pub flops: Flops,
    pub pace: Pace,
    /// The basis of advice; present only where [`Options::advice`](super::Options::advice) is set.
    pub details: Option<Box<Details>>,
}

impl Traffic {
    /// Adds another run's traffic; the per-thread maximum stays a maximum.
    pub fn add(&mut self, other: &Traffic) {
        self.requests += other.requests;
        self.units += other.units;
        self.accesses += other.accesses;
        self.bytes += other.bytes;
        self.conflicts += other.conflicts;
        self.most_by_a_thread = self.most_by_a_thread.max(other.most_by_a_thread);
    }
}

impl Counts {
    /// Returns the warp-level instructions of all classes.
    pub fn warp_instructions(&self) -> u64 {
        self.instructions.iter().sum()
    }

    /// Adds another run's counts; per-thread maxima stay maxima.
    pub fn add(&mut self, other: &Counts) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.warps += other.warps;
        self.threads += other.threads;
        for (mine, theirs) in self.instructions.iter_mut().zip(other.instructions) {
            *mine += theirs;
        }
        self.thread_instructions += other.thread_instructions;
        self.global_loads.add(&other.global_loads);
        self.global_stores.add(&other.global_stores);
        self.shared_loads.add(&other.shared_loads);
        self.shared_stores.add(&other.shared_stores);
        self.local_loads.add(&other.local_loads);
        self.local_stores.add(&other.local_stores);
        self.global_atomics += other.global_atomics;
        self.shared_atomics += other.shared_atomics;
        self.host_read_sectors += other.host_read_sectors;
        self.host_written_sectors += other.host_written_sectors;
        self.bulk_loaded_bytes += other.bulk_loaded_bytes;
        self.bulk_stored_bytes += other.bulk_stored_bytes;
        self.remote_shared_bytes += other.remote_shared_bytes;
        self.barriers += other.barriers;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
        self.flops.f16 += other.flops.f16;
        self.flops.bf16 += other.flops.bf16;
        self.flops.tf32 += other.flops.tf32;
        self.flops.f32 += other.flops.f32;
        self.flops.f64 += other.flops.f64;
        self.flops.int8 += other.flops.int8;
        self.pace.add(&other.pace);
        if let Some(theirs) = &other.details {
            self.details.get_or_insert_default().add(theirs);
        }
    }
}
