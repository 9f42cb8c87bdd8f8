//! The seam between running and judging: the engine raises events, observers look at them.
//!
//! An observer belongs to one block at a time and is used again for the next one. Observers are
//! composed statically as pairs; `()` sees nothing and costs nothing.

use super::findings::FindingLog;
use crate::code::{DecodedModule, Inst};
use crate::counts::Counts;
use crate::finding::AccessKind;
use crate::kernel_code::KernelContext;
use crate::lanes::Registers;
use crate::memory::access::Role;
use crate::memory::global::GlobalMemory;
use crate::memory::local::LocalMemory;
use crate::memory::shape::Shape;
use crate::memory::touch::TouchLog;
use crate::record::{RecordRequest, Recording};
use std::ops::Range;

/// Where an access went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    Global,
    Shared,
    Local,
    Constant,
}

/// One warp-level access, all of it inside one place.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub pc: u32,
    /// Warp within the block.
    pub warp: u32,
    /// Lanes that access.
    pub mask: u32,
    pub kind: AccessKind,
    pub place: MemorySpace,
    /// Address of the first active lane: device address (global), or byte offset in the space.
    pub first: u64,
    /// Bytes a lane.
    pub width: u32,
    /// Stores: two lanes wrote different values to the same bytes.
    pub clash: bool,
    /// Atomics, and `.relaxed`, `.acquire`, `.release` loads and stores: they do not race with each
    /// other.
    pub strong: bool,
    /// Volatile or strong: it may read what another thread means it to see.
    pub watching: bool,
    /// Part of an access that was raised before in other pieces: not a request of its own.
    pub continued: bool,
    /// What it does to the order of other accesses.
    pub role: Role,
    /// In global memory: the buffer by number, and its address. [`NO_BUFFER`] where kernels may only
    /// read it. In shared memory that a cluster's blocks reach: what that is called, as a buffer is.
    pub buffer: u32,
    pub base: u64,
    /// In pinned memory of the host, which a GPU reaches over the bus.
    pub host: bool,
    /// Stores, for observers that want [`Observer::VALUES`]: lanes that stored what was there already.
    pub kept: u32,
}

/// In place of a buffer that kernels may write.
pub const NO_BUFFER: u32 = u32::MAX;

/// A block that begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// Linear index in the grid.
    pub block: u64,
    pub warps: usize,
    /// Threads of a row of the block: its x dimension.
    pub row: u32,
    pub shared_bytes: u64,
    /// The smallest shared access in bytes.
    pub granule: u32,
    /// Blocks may see each other's effects in ways that order them.
    pub communicates: bool,
    /// Where it is one of several blocks of a cluster.
    pub cluster: Option<ClusterStart>,
    /// How it is recorded, if it is.
    pub record: Option<RecordRequest>,
    pub threads: u64,
}

/// A block's place in its cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterStart {
    /// Which of the clusters that run it is, and its number in the grid.
    pub place: usize,
    pub number: u64,
    pub blocks: u32,
    pub rank: u32,
    /// What the block's shared memory is called: [`Event::buffer`] and [`Event::base`]. The other blocks' are
    /// called by the numbers around it, in the order of their ranks.
    pub shared: (u32, u64),
}

/// Lanes of a warp that do something together.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Warp within the block.
    pub warp: u32,
    pub mask: u32,
    /// Those that have not left the kernel.
    pub live: u32,
}

/// An instruction that a warp is about to run, or has just run.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub code: &'a DecodedModule,
    pub pc: u32,
    pub inst: &'a Inst,
    /// Linear index in the grid.
    pub block: u64,
    /// Warp within the block.
    pub warp: u32,
    /// Their mask is that of the lanes that came here; the instruction's guard may take fewer.
    pub registers: &'a Registers,
    /// The warp's local memory, and where that of the function that runs begins.
    pub local: &'a LocalMemory,
    pub local_base: u64,
    /// The block's shared memory, in words.
    pub shared: &'a [u32],
    pub memory: &'a GlobalMemory,
    /// What was done to it in this launch.
    pub log: &'a TouchLog,
}

/// What a thread does with its asynchronous copies, or a warp with its multiplications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyStep {
    /// Closes the group of those since the last one.
    Commit,
    /// Waits for all groups but the last so many.
    Wait(u32),
    /// Waits for all copies.
    WaitAll,
}

/// What a bulk copy is waited for by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The group of its thread's bulk copies.
    Group,
    /// The phase, an odd or an even one, of the mbarrier object at an address within the window of shared memory.
    Phase { object: u64, odd: bool },
}

/// A multiplication that a warp begins as part of a warpgroup.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a> {
    pub pc: u32,
    pub lanes: Lanes,
    /// Addresses in shared memory of what it reads, 16 bytes each.
    pub reads: &'a [u64],
}

/// Accesses that machine code made by instructions of one kind of a warp, all lanes each time; or, below zero, did not
/// make that were counted.
#[derive(Clone, Copy, Debug)]
pub struct CodeAccesses {
    pub warp: u32,
    pub kind: AccessKind,
    pub shared: bool,
    /// Races are looked for among them.
    pub checked: bool,
    pub accesses: i64,
    /// Of all lanes.
    pub bytes: i64,
    /// Sectors, or wavefronts of shared memory; the fewest of these that could have been.
    pub units: i64,
    pub least: i64,
    pub lines: i64,
}

impl CodeAccesses {
    /// So often, by a warp.
    pub fn times(&self, times: i64, warp: u32) -> CodeAccesses {
        CodeAccesses {
            warp,
            accesses: self.accesses * times,
            bytes: self.bytes * times,
            units: self.units * times,
            least: self.least * times,
            lines: self.lines * times,
            ..*self
        }
    }

    /// Adds others of the same kind.
    pub fn add(&mut self, other: &CodeAccesses) {
        self.accesses += other.accesses;
        self.bytes += other.bytes;
        self.units += other.units;
        self.least += other.least;
        self.lines += other.lines;
    }
}

/// What looks at a block while it runs. What it does not care for, it need not name.
pub trait Observer: Default + Send {
    /// What the blocks on one host thread have in common; the block that runs has it.
    type World: Default + Send;
    /// Whether it looks at [`Event::kept`].
    const VALUES: bool = false;
    /// Whether it wants to be told of every instruction: [`Observer::basic_block_begin`], [`Observer::instruction_begin`],
    /// [`Observer::instruction_executed`] and [`Observer::block_barrier`].
    const EVERY_INSTRUCTION: bool = false;
    /// Whether [`Observer::lend`] gives all that machine code needs.
    const COMPILES: bool = false;

    /// Lets machine code of a warp do what it does for accesses of which nothing is to be said. False where this can't
    /// be in this block now.
    fn lend(&mut self, _: &mut KernelContext) -> bool {
        true
    }
    /// Machine code made accesses.
    fn count_accesses(&mut self, _: &CodeAccesses) {}
    /// Machine code read, or wrote, sectors of a line of global memory, from one to another. Gives
    /// [`KernelContext::trace_mask`].
    fn note_line(&mut self, _line: u64, _first: u64, _last: u64, _writes: bool) -> u64 {
        u64::MAX
    }
    /// Looks for defects alone.
    fn check_access(&mut self, _: &Event, _: &mut Shape, _: &mut FindingLog) {}
    /// Notes a plain write to global memory of all lanes, each to bytes of its own, by machine code. False where a defect
    /// may be seen in it: then it is to be done as another access.
    fn plain_write(&mut self, _: &Event, _: &mut Shape) -> bool {
        true
    }
    /// Bytes of the event's buffer, and its place among them, that may be read again without a word: nothing would be
    /// found, and nothing kept of it, as long as [`Observer::shadow_version`] is what it is. `is_noted` says of bytes
    /// whether all of them are noted as read, where that is kept.
    fn redundant_reads(&mut self, _: &Event, _is_noted: &dyn Fn(Range<u64>) -> bool) -> Option<Range<u64>> {
        None
    }
    /// Changes where bytes that might have been read without a word may not any more.
    fn shadow_version(&self) -> u64 {
        0
    }
    /// The number in the shadow of the access by an instruction; `None` where it has none yet.
    fn site_number(&self, _pc: u32) -> Option<u16> {
        None
    }

    fn block_begin(&mut self, _: &Start) {}
    /// The block has a turn, or gives it up: it takes the world, or leaves it.
    fn turn_begin(&mut self, _: &mut Self::World) {}
    fn turn_end(&mut self, _: &mut Self::World) {}
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog);
    /// All threads of the block passed a barrier.
    fn barrier_passed(&mut self) {}
    /// Threads came to a barrier that not all threads of the block take part in.
    fn barrier_reached(&mut self, _barrier: u32, _: Lanes) {}
    /// Threads that waited there go on; all that the barrier wanted have come.
    fn barrier_left(&mut self, _barrier: u32, _: Lanes) {}
    /// The last of them did.
    fn barrier_cleared(&mut self, _barrier: u32) {}
    /// Threads came to the barrier of their cluster, and what they did before is for the others.
    fn cluster_reached(&mut self, _: Lanes) {}
    /// All threads of the cluster have come.
    fn cluster_met(&mut self) {}
    /// Threads that waited there go on; or all of the block do.
    fn cluster_left(&mut self, _: Lanes) {}
    fn cluster_left_by_all(&mut self) {}
    /// Lanes of a warp passed `__syncwarp()` together.
    fn warp_sync(&mut self, _: Lanes) {}
    /// Threads executed a memory fence, for the device or only for the block.
    fn memory_fence(&mut self, _: Lanes, _block_only: bool) {}
    /// Threads close a group of asynchronous copies, or wait.
    fn copy_group(&mut self, _: Lanes, _: CopyStep) {}
    /// A thread begins a bulk copy, whose accesses follow; it has no more.
    fn bulk_begin(&mut self, _: Lanes, _: Awaited) {}
    fn bulk_end(&mut self) {}
    /// Threads close a group of bulk copies, or wait.
    fn bulk_group(&mut self, _: Lanes, _: CopyStep) {}
    /// Threads found a phase of an mbarrier object over.
    fn phase_over(&mut self, _: Lanes, _object: u64, _odd: bool) {}
    /// Threads executed a fence between the usual way to shared memory and that of the tensor cores.
    fn proxy_fence(&mut self, _: Lanes) {}
    /// A warp begins a multiplication; it closes a group of them, or waits.
    fn wgmma_begin(&mut self, _: &Product, _: &mut FindingLog) {}
    fn wgmma_group(&mut self, _: Lanes, _: CopyStep) {}
    /// A thread was given bytes of a buffer by `malloc`, which others may have given back.
    fn memory_allocated(&mut self, _buffer: u32, _offset: u64, _bytes: u64) {}
    /// A warp comes to a stretch of so many instructions with the lanes of `mask`, of those that have
    /// not left the kernel.
    fn basic_block_begin(&mut self, _warp: u32, _live: u32, _mask: u32, _instructions: u32) {}
    /// A warp is about to run an instruction.
    fn instruction_begin(&mut self, _: &Step) {}
    /// A warp has run an instruction; of one that ends a basic block, what it changed at once.
    fn instruction_executed(&mut self, _: &Step) {}
    /// As [`Observer::barrier_passed`], which follows, with where it is. `plain`: all came to that one.
    fn block_barrier(&mut self, _pc: u32, _plain: bool) {}
    /// All threads of the block have left it.
    fn block_left(&mut self, _: &mut FindingLog) {}
    /// The block ended, or was stopped.
    fn block_complete(&mut self) {}
    /// Whether the byte of shared memory was written in this block.
    fn is_written(&self, _byte: u64) -> bool {
        true
    }
    /// Whether blocks were found to depend on each other.
    fn order_matters(_: &Self::World) -> bool {
        false
    }
    /// What was recorded of a block.
    fn take_recording(&mut self) -> Option<Box<Recording>> {
        None
    }
    /// Adds what was counted since the beginning.
    fn add_counts(&self, _: &DecodedModule, _: &mut Counts) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    type World = (A::World, B::World);
    const VALUES: bool = A::VALUES || B::VALUES;
    const EVERY_INSTRUCTION: bool = A::EVERY_INSTRUCTION || B::EVERY_INSTRUCTION;
    const COMPILES: bool = (A::COMPILES || B::COMPILES) && !Self::EVERY_INSTRUCTION;

    fn lend(&mut self, to: &mut KernelContext) -> bool {
        self.0.lend(to) && self.1.lend(to)
    }
    fn count_accesses(&mut self, counted: &CodeAccesses) {
        self.0.count_accesses(counted);
        self.1.count_accesses(counted);
    }
    fn note_line(&mut self, line: u64, first: u64, last: u64, writes: bool) -> u64 {
        self.0.note_line(line, first, last, writes) & self.1.note_line(line, first, last, writes)
    }
    fn check_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        self.0.check_access(event, shape, findings);
        self.1.check_access(event, shape, findings);
    }
    fn plain_write(&mut self, event: &Event, shape: &mut Shape) -> bool {
        self.0.plain_write(event, shape) && self.1.plain_write(event, shape)
    }
    fn redundant_reads(
        &mut self,
        event: &Event,
        is_noted: &dyn Fn(Range<u64>) -> bool,
    ) -> Option<Range<u64>> {
        self.0.redundant_reads(event, is_noted).or_else(|| self.1.redundant_reads(event, is_noted))
    }
    fn shadow_version(&self) -> u64 {
        self.0.shadow_version() + self.1.shadow_version()
    }
    fn site_number(&self, pc: u32) -> Option<u16> {
        self.0.site_number(pc).or_else(|| self.1.site_number(pc))
    }

    fn block_begin(&mut self, start: &Start) {
        self.0.block_begin(start);
        self.1.block_begin(start);
    }
    fn turn_begin(&mut self, world: &mut Self::World) {
        self.0.turn_begin(&mut world.0);
        self.1.turn_begin(&mut world.1);
    }
    fn turn_end(&mut self, world: &mut Self::World) {
        self.0.turn_end(&mut world.0);
        self.1.turn_end(&mut world.1);
    }
    #[inline(always)]
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        self.0.memory_access(event, shape, findings);
        self.1.memory_access(event, shape, findings);
    }
    fn barrier_passed(&mut self) {
        self.0.barrier_passed();
        self.1.barrier_passed();
    }
    fn barrier_reached(&mut self, barrier: u32, at: Lanes) {
        self.0.barrier_reached(barrier, at);
        self.1.barrier_reached(barrier, at);
    }
    fn barrier_left(&mut self, barrier: u32, at: Lanes) {
        self.0.barrier_left(barrier, at);
        self.1.barrier_left(barrier, at);
    }
    fn barrier_cleared(&mut self, barrier: u32) {
        self.0.barrier_cleared(barrier);
        self.1.barrier_cleared(barrier);
    }
    fn cluster_reached(&mut self, at: Lanes) {
        self.0.cluster_reached(at);
        self.1.cluster_reached(at);
    }
    fn cluster_met(&mut self) {
        self.0.cluster_met();
        self.1.cluster_met();
    }
    fn cluster_left(&mut self, at: Lanes) {
        self.0.cluster_left(at);
        self.1.cluster_left(at);
    }
    fn cluster_left_by_all(&mut self) {
        self.0.cluster_left_by_all();
        self.1.cluster_left_by_all();
    }
    fn warp_sync(&mut self, at: Lanes) {
        self.0.warp_sync(at);
        self.1.warp_sync(at);
    }
    fn memory_fence(&mut self, at: Lanes, block_only: bool) {
        self.0.memory_fence(at, block_only);
        self.1.memory_fence(at, block_only);
    }
    fn copy_group(&mut self, at: Lanes, step: CopyStep) {
        self.0.copy_group(at, step);
        self.1.copy_group(at, step);
    }
    fn bulk_begin(&mut self, at: Lanes, awaited: Awaited) {
        self.0.bulk_begin(at, awaited);
        self.1.bulk_begin(at, awaited);
    }
    fn bulk_end(&mut self) {
        self.0.bulk_end();
        self.1.bulk_end();
    }
    fn bulk_group(&mut self, at: Lanes, step: CopyStep) {
        self.0.bulk_group(at, step);
        self.1.bulk_group(at, step);
    }
    fn phase_over(&mut self, at: Lanes, object: u64, odd: bool) {
        self.0.phase_over(at, object, odd);
        self.1.phase_over(at, object, odd);
    }
    fn proxy_fence(&mut self, at: Lanes) {
        self.0.proxy_fence(at);
        self.1.proxy_fence(at);
    }
    fn wgmma_begin(&mut self, product: &Product, findings: &mut FindingLog) {
        self.0.wgmma_begin(product, findings);
        self.1.wgmma_begin(product, findings);
    }
    fn wgmma_group(&mut self, at: Lanes, step: CopyStep) {
        self.0.wgmma_group(at, step);
        self.1.wgmma_group(at, step);
    }
    fn memory_allocated(&mut self, buffer: u32, offset: u64, bytes: u64) {
        self.0.memory_allocated(buffer, offset, bytes);
        self.1.memory_allocated(buffer, offset, bytes);
    }
    fn basic_block_begin(&mut self, warp: u32, live: u32, mask: u32, instructions: u32) {
        self.0.basic_block_begin(warp, live, mask, instructions);
        self.1.basic_block_begin(warp, live, mask, instructions);
    }
    fn instruction_begin(&mut self, step: &Step) {
        self.0.instruction_begin(step);
        self.1.instruction_begin(step);
    }
    fn instruction_executed(&mut self, step: &Step) {
        self.0.instruction_executed(step);
        self.1.instruction_executed(step);
    }
    fn block_barrier(&mut self, pc: u32, plain: bool) {
        self.0.block_barrier(pc, plain);
        self.1.block_barrier(pc, plain);
    }
    fn block_left(&mut self, findings: &mut FindingLog) {
        self.0.block_left(findings);
        self.1.block_left(findings);
    }
    fn block_complete(&mut self) {
        self.0.block_complete();
        self.1.block_complete();
    }
    fn is_written(&self, byte: u64) -> bool {
        self.0.is_written(byte) && self.1.is_written(byte)
    }
    fn order_matters(world: &Self::World) -> bool {
        A::order_matters(&world.0) || B::order_matters(&world.1)
    }
    fn take_recording(&mut self) -> Option<Box<Recording>> {
        self.0.take_recording().or_else(|| self.1.take_recording())
    }
    fn add_counts(&self, code: &DecodedModule, counts: &mut Counts) {
        self.0.add_counts(code, counts);
        self.1.add_counts(code, counts);
    }
}
