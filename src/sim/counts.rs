//! The counts of a run.

use super::advice::Details;
pub use super::class::Class;
pub use super::meter::atomic_trace::AtomicTrace;
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
    pub waits: WaitCounts,
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
    pub lines: LinesTouched,
    pub atomics: Contention,
    pub extra: ExtraInstructions,
}

/// Steps of the longest dependence chain, summed over warps, by what they wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitCounts {
    /// Plain arithmetic.
    pub arithmetic: u64,
    /// Special functions, conversions, divisions.
    pub special: u64,
    /// Loads of shared memory, shuffles.
    pub shared: u64,
    /// Loads of global and local memory; those that can be in flight together count once.
    pub global: u64,
}

/// Lines of 128 bytes touched, summed over requests: an L1 cache looks up a tag for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinesTouched {
    pub loads: u64,
    pub stores: u64,
    pub local_loads: u64,
    pub local_stores: u64,
}

/// How atomics get in each other's way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contention {
    /// Lines touched by atomics on global memory, and their sectors.
    pub lines: u64,
    pub sectors: u64,
    /// The distribution of those atomics, while a launch runs.
    pub trace: AtomicTrace,
    /// Their passes through the busiest L2 slice, and operations on the busiest word, on integers and on floats.
    pub hottest_slice: u64,
    pub hottest_word: u64,
    pub hottest_float: u64,
    /// Most lanes of a warp at one address of shared memory, summed over atomics.
    pub shared_passes: u64,
}

/// Machine instructions of warps beyond one per PTX instruction, where a sequence is needed (divisions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtraInstructions {
    pub issue: u64,
    /// Those of the special function units, and those in double precision.
    pub special: u64,
    pub doubles: u64,
}

impl Pace {
    /// Converts the traces to counts, at the end of a launch.
    pub fn finish(&mut self) {
        let atomics = std::mem::take(&mut self.atomics.trace);
        let [word, float] = atomics.words();
        self.atomics.hottest_slice += atomics.slice();
        self.atomics.hottest_word += word;
        self.atomics.hottest_float += float;
        let trace = std::mem::take(&mut self.trace);
        if trace.is_empty() {
            return;
        }
        self.l2.add(&trace.traffic());
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

impl Counts {
    /// Returns the warp-level instructions of all classes.
    pub fn warp_instructions(&self) -> u64 {
        self.instructions.iter().sum()
    }
}

/// What is added up over blocks and launches.
trait Sum {
    fn add(&mut self, other: &Self);
}

impl Sum for u64 {
    fn add(&mut self, other: &u64) {
        *self += other;
    }
}

impl<T: Sum, const N: usize> Sum for [T; N] {
    fn add(&mut self, other: &[T; N]) {
        self.iter_mut().zip(other).for_each(|(mine, theirs)| mine.add(theirs));
    }
}

impl Sum for Option<Box<Details>> {
    fn add(&mut self, other: &Option<Box<Details>>) {
        if let Some(theirs) = other {
            self.get_or_insert_default().add(theirs);
        }
    }
}

/// Adds up structs by their fields, each of which is listed here. Maxima stay maxima.
macro_rules! sums {
    ($($struct:ident { $($sum:ident)* } $(most $most:ident)?;)*) => {$(
        impl $struct {
            /// Adds what another run counted; maxima stay maxima.
            pub fn add(&mut self, other: &$struct) {
                let $struct { $($sum,)* $($most)? } = other;
                $(self.$sum.add($sum);)*
                $(self.$most = self.$most.max(*$most);)?
            }
        }

        impl Sum for $struct {
            fn add(&mut self, other: &$struct) {
                self.add(other);
            }
        }
    )*};
}

sums! {
    Traffic { requests units accesses bytes conflicts } most most_by_a_thread;
    Flops { f16 bf16 tf32 f32 f64 int8 };
    L2Traffic { read_sectors written_sectors read_pairs };
    WaitCounts { arithmetic special shared global };
    LinesTouched { loads stores local_loads local_stores };
    Contention { lines sectors trace hottest_slice hottest_word hottest_float shared_passes };
    ExtraInstructions { issue special doubles };
    Pace {
        waits warp_cycles block_cycles slept_cycles sampled_sectors sampled_hits l2 trace lines atomics extra
    } most longest_cycles;
    Counts {
        launches blocks warps threads instructions thread_instructions
        global_loads global_stores shared_loads shared_stores local_loads local_stores
        global_atomics shared_atomics host_read_sectors host_written_sectors
        bulk_loaded_bytes bulk_stored_bytes remote_shared_bytes
        barriers branches divergent_branches flops pace details
    };
}
