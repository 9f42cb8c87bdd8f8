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

    /// The name of each class in words, in the order of their numbers.
    const NAMES: [(Class, &str); Class::COUNT] = [
        (Class::IntAdd, "integer add"),
        (Class::IntMul, "integer multiply"),
        (Class::Logic, "logic and shift"),
        (Class::Float16, "half precision"),
        (Class::Float16Pair, "half precision, in pairs"),
        (Class::Float32, "single precision"),
        (Class::Float64, "double precision"),
        (Class::Special, "special function"),
        (Class::Convert, "conversion"),
        (Class::Compare, "comparison"),
        (Class::Move, "move"),
        (Class::LoadGlobal, "global load"),
        (Class::StoreGlobal, "global store"),
        (Class::LoadShared, "shared load"),
        (Class::StoreShared, "shared store"),
        (Class::LoadLocal, "local load"),
        (Class::StoreLocal, "local store"),
        (Class::LoadConst, "constant load"),
        (Class::Atomic, "atomic"),
        (Class::Barrier, "barrier"),
        (Class::Warp, "warp operation"),
        (Class::Branch, "branch"),
        (Class::Matrix, "matrix"),
        (Class::Async, "asynchronous copy"),
        (Class::Other, "other"),
    ];

    /// Returns all classes, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Class> {
        Class::NAMES.iter().map(|(class, _)| *class)
    }

    /// Returns the name of the class in words.
    pub fn name(self) -> &'static str {
        Class::NAMES[self as usize].1
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
    Pace {
        arithmetic_waits special_waits shared_waits global_waits warp_cycles block_cycles slept_cycles
        sampled_sectors sampled_hits l2 trace load_lines store_lines local_load_lines local_store_lines
        atomic_lines atomic_sectors atomics hottest_slice hottest_word hottest_float
        extra_issue extra_special extra_doubles shared_atomic_passes
    } most longest_cycles;
    Counts {
        launches blocks warps threads instructions thread_instructions
        global_loads global_stores shared_loads shared_stores local_loads local_stores
        global_atomics shared_atomics host_read_sectors host_written_sectors
        bulk_loaded_bytes bulk_stored_bytes remote_shared_bytes
        barriers branches divergent_branches flops pace details
    };
}
