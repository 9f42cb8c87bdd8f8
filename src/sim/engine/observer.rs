//! The interface between execution and analysis: the engine emits events, and observers receive them.
//!
//! An observer belongs to one block at a time and is reused for the next one. Observers are composed statically as
//! pairs.

use super::findings::FindingLog;
use crate::code::{DecodedModule, Inst};
use crate::counts::Counts;
use crate::finding::AccessKind;
use crate::kernel_code::{AccessesByKind, CompiledAccess, KernelContext};
use crate::lanes::Registers;
use crate::memory::access::Role;
use crate::memory::global::GlobalMemory;
use crate::memory::local::LocalMemory;
use crate::memory::shape::Shape;
use crate::memory::touch::TouchLog;
use crate::record::{RecordRequest, Recording};
use std::ops::Range;

/// The memory space of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemorySpace {
    #[default]
    Global,
    Shared,
    Local,
    Constant,
}

/// One warp-level access, all of it within one buffer or memory space.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    pub pc: u32,
    /// Warp within the block.
    pub warp: u32,
    /// Lanes that access.
    pub mask: u32,
    pub kind: AccessKind,
    pub place: MemorySpace,
    /// Address of the first active lane: a device address (global memory), or a byte offset in the space.
    pub first: u64,
    /// Bytes per lane.
    pub width: u32,
    /// Stores: two lanes wrote different values to the same bytes.
    pub clash: bool,
    /// Atomics, and `.relaxed`, `.acquire`, `.release` loads and stores: they do not race with each
    /// other.
    pub strong: bool,
    /// Volatile or strong: it may read a value that another thread writes for it.
    pub watching: bool,
    /// A later piece of an access of which earlier pieces have been reported: not a request of its own.
    pub continued: bool,
    /// Its effect on the order of other accesses.
    pub role: Role,
    /// In global memory: the number and the base address of the buffer; [`NO_BUFFER`] where kernels may only read
    /// it. In shared memory of a cluster: the number and address that stand for the block's shared memory, as for
    /// a buffer.
    pub buffer: u32,
    pub base: u64,
    /// Whether it is in pinned host memory, which a GPU accesses over the bus.
    pub host: bool,
    /// For stores, if an observer wants [`Observer::VALUES`]: the lanes that stored the value already there.
    pub kept: u32,
    /// For atomics on another block's shared memory: the lanes that store the same whatever was there.
    pub overwriting: u32,
}

/// Stands for "no buffer that kernels may write".
pub const NO_BUFFER: u32 = u32::MAX;

/// Describes a block that begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// Linear index in the grid.
    pub block: u64,
    pub warps: usize,
    /// Threads in a row of the block: its x dimension.
    pub row: u32,
    pub shared_bytes: u64,
    /// The smallest shared access in bytes.
    pub granule: u32,
    /// Whether blocks may synchronise with each other (atomics, fences, volatile accesses).
    pub communicates: bool,
    /// Whether the kernel has volatile or relaxed loads of data: see [`Role::data`].
    pub reads_data: bool,
    /// The block's place in its cluster, if the cluster has several blocks.
    pub cluster: Option<ClusterStart>,
    /// The barrier of the whole grid, in a cooperative launch.
    pub grid_barrier: Option<GridBarrier>,
    /// The request to record this block, if there is one.
    pub record: Option<RecordRequest>,
    pub threads: u64,
}

/// The barrier of all blocks of a grid: a word in global memory, to which each block adds once for each phase.
#[derive(Clone, Copy, Debug)]
pub struct GridBarrier {
    /// Where the buffer of the word begins.
    pub base: u64,
    pub blocks: u64,
}

/// A block's place in its cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterStart {
    /// The index of the cluster among the running ones, and its number in the grid.
    pub place: usize,
    pub number: u64,
    pub blocks: u32,
    pub rank: u32,
    /// The buffer number and base address of the block's shared memory: [`Event::buffer`] and [`Event::base`].
    /// Those of the cluster's other blocks are adjacent numbers, in the order of their ranks.
    pub shared: (u32, u64),
}

/// Lanes of a warp that act together.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Warp within the block.
    pub warp: u32,
    pub mask: u32,
    /// Lanes that have not left the kernel.
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
    /// The warp's registers. Their mask is that of the lanes that reached the instruction; its guard may select
    /// fewer.
    pub registers: &'a Registers,
    /// The warp's local memory, and the offset at which that of the running function begins.
    pub local: &'a LocalMemory,
    pub local_base: u64,
    /// The block's shared memory, in words.
    pub shared: &'a [u32],
    pub memory: &'a GlobalMemory,
    /// The accesses to global memory so far in this launch.
    pub log: &'a TouchLog,
}

/// An operation on the groups of a thread's asynchronous copies, or of a warp's matrix products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyStep {
    /// Closes the group of the operations since the last commit.
    Commit,
    /// Waits for all groups but the given number of the most recent ones.
    Wait(u32),
    /// Waits for all copies.
    WaitAll,
}

/// An event that orders accesses, or belongs to a copy or a product that runs concurrently with the threads.
#[derive(Clone, Copy, Debug)]
pub enum Synchronisation {
    /// All threads of the block passed a barrier.
    BarrierPassed,
    /// Threads arrived at a barrier, given by its number, that not all threads of the block take part in.
    BarrierReached(u32, Lanes),
    /// Threads that waited at such a barrier continue, since all that it needs have arrived.
    BarrierLeft(u32, Lanes),
    /// The last of those threads has continued.
    BarrierCleared(u32),
    /// Threads arrived at the barrier of their cluster with release semantics.
    ClusterReached(Lanes),
    /// All threads of the cluster have arrived.
    ClusterMet,
    /// Threads that waited at the cluster's barrier continue: some, or all of the block if `None`.
    ClusterLeft(Option<Lanes>),
    /// Lanes of a warp passed `__syncwarp()` together.
    WarpSync(Lanes),
    /// Threads executed a memory fence of device scope, or of block scope if `block_only`.
    Fence { at: Lanes, block_only: bool },
    /// Threads commit a group of asynchronous copies, or wait for groups.
    CopyGroup(Lanes, CopyStep),
    /// The phase, odd or even, of an mbarrier object is complete only after the earlier copies of these threads.
    CopySignal { at: Lanes, object: u64, odd: bool },
    /// A thread begins a bulk copy, whose accesses are reported next.
    BulkBegin(BulkCompletion),
    /// The last access of the bulk copy was reported.
    BulkEnd,
    /// Threads commit a group of bulk copies, or wait for groups.
    BulkGroup(Lanes, CopyStep),
    /// Threads saw that a phase of an mbarrier object is complete.
    PhaseOver { at: Lanes, object: u64, odd: bool },
    /// Threads executed a proxy fence between generic accesses to shared memory and the async proxy, by which the
    /// tensor cores read it.
    ProxyFence(Lanes),
    /// A warp commits a group of matrix products, or waits for groups.
    ProductGroup(Lanes, CopyStep),
}

/// How the completion of a bulk copy is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkCompletion {
    /// By the bulk group of its thread.
    Group,
    /// By a phase, odd or even, of the mbarrier object at an address in the shared window.
    Phase { object: u64, odd: bool },
}

/// A matrix product that a warp begins as part of a warpgroup.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a> {
    pub pc: u32,
    pub lanes: Lanes,
    /// Addresses of the 16-byte chunks of shared memory that it reads.
    pub reads: &'a [u64],
}

/// Accesses of one kind by compiled code. Negative numbers cancel accesses that were counted but not made.
#[derive(Clone, Copy, Debug)]
pub struct CompiledAccesses {
    pub kind: CompiledAccess,
    pub accesses: i64,
    /// Lanes of all accesses together.
    pub lanes: i64,
    /// Bytes of all lanes together.
    pub bytes: i64,
    /// `units`: sectors, or wavefronts of shared memory. `least`: the fewest wavefronts that could have been.
    pub units: i64,
    pub least: i64,
    pub lines: i64,
}

impl CompiledAccesses {
    /// Returns these counts multiplied by `times`.
    pub fn times(&self, times: i64) -> CompiledAccesses {
        CompiledAccesses {
            kind: self.kind,
            accesses: self.accesses * times,
            lanes: self.lanes * times,
            bytes: self.bytes * times,
            units: self.units * times,
            least: self.least * times,
            lines: self.lines * times,
        }
    }

    /// Adds the counts of other accesses of the same kind.
    pub fn add(&mut self, other: &CompiledAccesses) {
        self.accesses += other.accesses;
        self.lanes += other.lanes;
        self.bytes += other.bytes;
        self.units += other.units;
        self.least += other.least;
        self.lines += other.lines;
    }
}

/// What consecutive blocks access by one instruction: each warp the bytes after those of the warp before it, in its block or in
/// the one before, and each lane those after its neighbour's.
#[derive(Clone, Copy, Debug)]
pub struct BlockRows {
    pub blocks: u32,
    /// How many blocks have begun after the first of them.
    pub turns: u32,
    /// Bytes that each block accesses.
    pub bytes: u64,
}

/// Receives the events of a running block. Every event but [`Observer::memory_access`] is ignored by default.
pub trait Observer: Default + Send {
    /// The state shared by all blocks on one host thread; the running block holds it.
    type World: Default + Send;
    /// Whether the observer uses [`Event::kept`].
    const VALUES: bool = false;
    /// Whether it receives the events of every instruction: [`Observer::basic_block_begin`],
    /// [`Observer::instruction_begin`], [`Observer::instruction_executed`] and [`Observer::block_barrier`].
    const EVERY_INSTRUCTION: bool = false;
    /// Whether [`Observer::prepare_compiled`] provides everything that compiled code needs.
    const COMPILES: bool = false;

    /// Returns whether compiled code can run in this block now.
    fn can_run_compiled(&self) -> bool {
        true
    }
    /// Fills in the context by which compiled code handles accesses without findings itself.
    fn prepare_compiled(&mut self, _: &mut KernelContext) {}
    /// Counts accesses made by compiled code, in this block or in others on the same host thread.
    fn count_accesses(&mut self, _: &CompiledAccesses) {}
    /// A warp ran compiled code, which made these accesses by all lanes. `checked`: some were checked for races by the
    /// code.
    fn compiled_ran(&mut self, _warp: u32, _accesses: &AccessesByKind, _checked: bool) {}
    /// A warp ran compiled code, which made this many accesses of a kind by the lanes of `mask` only.
    fn masked_ran(&mut self, _warp: u32, _kind: CompiledAccess, _mask: u32, _accesses: u32) {}
    /// Notes that compiled code read or wrote the sectors `first..=last` that lie in a line of global memory.
    /// Returns the new [`KernelContext::trace_mask`].
    fn note_line(&mut self, _line: u64, _first: u64, _last: u64, _writes: bool) -> u64 {
        u64::MAX
    }
    /// Checks an access for defects only, without counting it.
    fn check_access(&mut self, _: &Event, _: &mut Shape, _: &mut FindingLog) {}
    /// Counts an access that compiled code made, without checking it.
    fn count_access(&mut self, _: &Event, _: &mut Shape) {}
    /// Records a plain read or write of global memory by compiled code; of a write, each lane writes bytes of its own.
    /// Returns false where the access may involve a defect: it must then be reported as an ordinary one.
    fn plain_access(&mut self, _: &Event, _: &mut Shape) -> bool {
        true
    }
    /// The same for whole warps, from the event's on: they access `bytes` bytes, each lane those after its neighbour's.
    fn plain_rows(&mut self, _: &Event, _bytes: u64) -> bool {
        true
    }
    /// Returns whether the blocks from the running one on, which have not accessed memory yet, can be recorded at once when
    /// they have ended: what [`Observer::record_rows`] then records must not involve a defect. Nothing else happens in these
    /// blocks than such accesses, none of which meets another one, unless by the same threads.
    fn can_record_rows(&mut self, _: &Event, _: &BlockRows) -> bool {
        true
    }
    /// Records the accesses by blocks that have run since: the first one's is the event's, with the warps after it.
    fn record_rows(&mut self, _: &Event, _: &BlockRows) {}
    /// Returns a range of bytes of the event's buffer, including those accessed, whose further reads need not be
    /// reported: nothing would be found, and no state changed, as long as [`Observer::shadow_version`] stays the
    /// same. `is_noted` returns whether all bytes of a range are recorded as read, where reads are recorded.
    fn redundant_reads(&mut self, _: &Event, _is_noted: &dyn Fn(Range<u64>) -> bool) -> Option<Range<u64>> {
        None
    }
    /// Returns a number that changes when a range returned by [`Observer::redundant_reads`] becomes invalid.
    fn shadow_version(&self) -> u64 {
        0
    }
    /// Returns the number by which shadow memory names the access by an instruction; `None` where it has none yet.
    fn site_number(&self, _pc: u32) -> Option<u16> {
        None
    }

    fn block_begin(&mut self, _: &Start) {}
    /// The block's turn begins or ends: it takes or returns the shared state.
    fn turn_begin(&mut self, _: &mut Self::World) {}
    fn turn_end(&mut self, _: &mut Self::World) {}
    /// The block ends, and another one, with this index in the grid, begins in its place and gets the turn. Both are blocks of
    /// one launch, in no cluster, that compiled code runs.
    fn next_block(&mut self, _block: u64) {}
    /// A warp accessed memory.
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog);
    /// Threads synchronised, or a copy or product advanced.
    fn synchronised(&mut self, _: Synchronisation) {}
    /// A warp begins a matrix product.
    fn wgmma_begin(&mut self, _: &Product, _: &mut FindingLog) {}
    /// A thread obtained bytes of a buffer from `malloc`, which other threads may have freed before.
    fn memory_allocated(&mut self, _buffer: u32, _offset: u64, _bytes: u64) {}
    /// A warp begins a basic block, or continues in it, with `instructions` instructions to its end, and with the
    /// lanes of `mask` out of those in `live`, which have not left the kernel.
    fn basic_block_begin(&mut self, _warp: u32, _live: u32, _mask: u32, _instructions: u32) {}
    /// A warp is about to run an instruction.
    fn instruction_begin(&mut self, _: &Step) {}
    /// A warp has run an instruction. For one that ends a basic block, only its immediate effects are visible.
    fn instruction_executed(&mut self, _: &Step) {}
    /// All threads passed a barrier at `pc`; [`Synchronisation::BarrierPassed`] follows. `plain`: all arrived at that
    /// same instruction.
    fn block_barrier(&mut self, _pc: u32, _plain: bool) {}
    /// All threads of the block have left it.
    fn block_left(&mut self, _: &mut FindingLog) {}
    /// The block ended, or was stopped.
    fn block_complete(&mut self) {}
    /// Returns whether the byte of shared memory was written in this block.
    fn is_written(&self, _byte: u64) -> bool {
        true
    }
    /// Returns whether blocks were found to depend on each other.
    fn order_matters(_: &Self::World) -> bool {
        false
    }
    /// Returns the recording of a block, if there is one.
    fn take_recording(&mut self) -> Option<Box<Recording>> {
        None
    }
    /// The launch's trace of lines will have this level at least.
    fn restrict_trace(&mut self, _level: u32) {}
    /// Adds the counts since the observer was created.
    fn add_counts(&self, _: &DecodedModule, _: &mut Counts) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    type World = (A::World, B::World);
    const VALUES: bool = A::VALUES || B::VALUES;
    const EVERY_INSTRUCTION: bool = A::EVERY_INSTRUCTION || B::EVERY_INSTRUCTION;
    const COMPILES: bool = (A::COMPILES || B::COMPILES) && !Self::EVERY_INSTRUCTION;

    fn can_run_compiled(&self) -> bool {
        self.0.can_run_compiled() && self.1.can_run_compiled()
    }
    fn prepare_compiled(&mut self, to: &mut KernelContext) {
        self.0.prepare_compiled(to);
        self.1.prepare_compiled(to);
    }
    fn count_accesses(&mut self, counted: &CompiledAccesses) {
        self.0.count_accesses(counted);
        self.1.count_accesses(counted);
    }
    fn masked_ran(&mut self, warp: u32, kind: CompiledAccess, mask: u32, accesses: u32) {
        self.0.masked_ran(warp, kind, mask, accesses);
        self.1.masked_ran(warp, kind, mask, accesses);
    }
    fn compiled_ran(&mut self, warp: u32, accesses: &AccessesByKind, checked: bool) {
        self.0.compiled_ran(warp, accesses, checked);
        self.1.compiled_ran(warp, accesses, checked);
    }
    fn note_line(&mut self, line: u64, first: u64, last: u64, writes: bool) -> u64 {
        self.0.note_line(line, first, last, writes) & self.1.note_line(line, first, last, writes)
    }
    #[inline(always)]
    fn check_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        self.0.check_access(event, shape, findings);
        self.1.check_access(event, shape, findings);
    }
    #[inline(always)]
    fn count_access(&mut self, event: &Event, shape: &mut Shape) {
        self.0.count_access(event, shape);
        self.1.count_access(event, shape);
    }
    #[inline(always)]
    fn plain_access(&mut self, event: &Event, shape: &mut Shape) -> bool {
        self.0.plain_access(event, shape) && self.1.plain_access(event, shape)
    }
    fn plain_rows(&mut self, event: &Event, bytes: u64) -> bool {
        self.0.plain_rows(event, bytes) && self.1.plain_rows(event, bytes)
    }
    fn can_record_rows(&mut self, event: &Event, rows: &BlockRows) -> bool {
        self.0.can_record_rows(event, rows) && self.1.can_record_rows(event, rows)
    }
    fn record_rows(&mut self, event: &Event, rows: &BlockRows) {
        self.0.record_rows(event, rows);
        self.1.record_rows(event, rows);
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
    fn next_block(&mut self, block: u64) {
        self.0.next_block(block);
        self.1.next_block(block);
    }
    #[inline(always)]
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        self.0.memory_access(event, shape, findings);
        self.1.memory_access(event, shape, findings);
    }
    fn synchronised(&mut self, event: Synchronisation) {
        self.0.synchronised(event);
        self.1.synchronised(event);
    }
    fn wgmma_begin(&mut self, product: &Product, findings: &mut FindingLog) {
        self.0.wgmma_begin(product, findings);
        self.1.wgmma_begin(product, findings);
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
    fn restrict_trace(&mut self, level: u32) {
        self.0.restrict_trace(level);
        self.1.restrict_trace(level);
    }
    fn add_counts(&self, code: &DecodedModule, counts: &mut Counts) {
        self.0.add_counts(code, counts);
        self.1.add_counts(code, counts);
    }
}
