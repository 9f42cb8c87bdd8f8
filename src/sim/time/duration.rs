//! Models a kernel's duration from the counts of its run.
//!
//! A block has a latency (its warps' chains of dependent instructions, alone on a multiprocessor) and a demand for
//! every shared resource. As many blocks run at once as occupancy allows. They progress at the pace of their latency
//! until some resource is saturated, and then at the pace of that resource ([`super::rates`]). Little's law is
//! implied: bytes in flight are resident blocks times bytes per block, and bandwidth is bytes in flight divided by
//! latency, up to what memory can deliver.

use super::bound::Bound;
use super::cost::{BlockCost, Demand, SmResources};
use super::gpu::Gpu;
use crate::code::Waits;
use crate::counts::{CACHE_BYTES, Class, Counts, L2_BYTES};
use crate::launch::LaunchConfig;
use crate::occupancy::BlockNeeds;

/// The input of the model: what is known about a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelWork {
    /// Counts of this launch alone.
    pub counts: Counts,
    /// Blocks in the grid.
    pub blocks: u64,
    /// Threads per block.
    pub threads: u32,
    /// Registers per thread; `None` if there is no cubin to read it from.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Of the bytes that the kernel reads, how many the second-level cache holds when it starts.
    pub cached_bytes: u64,
}

impl KernelWork {
    /// Creates the work of a launch that finds nothing in the second-level cache; `static_shared_bytes` is the kernel's
    /// static shared memory per block.
    pub fn new(
        counts: Counts,
        config: &LaunchConfig,
        static_shared_bytes: u64,
        registers: Option<u32>,
    ) -> KernelWork {
        let shared_bytes = static_shared_bytes + u64::from(config.dynamic_shared_bytes);
        KernelWork {
            counts,
            blocks: config.grid.count(),
            threads: config.block.count() as u32,
            registers,
            shared_bytes: shared_bytes.min(u64::from(u32::MAX)) as u32,
            cached_bytes: 0,
        }
    }
}

/// A kernel's modelled duration, and its breakdown.
#[derive(Clone, Debug, PartialEq)]
pub struct Modelled {
    /// Nanoseconds from its start to its end on the GPU, with the GPU to itself.
    pub ns: u64,
    /// What limits it.
    pub bound_by: Bound,
    /// Blocks resident on one multiprocessor at once.
    pub resident_blocks: u32,
    /// Blocks of the grid divided by the blocks that the whole GPU holds at once.
    pub waves: f64,
    /// Nanoseconds that each part would take on its own, largest first.
    pub parts: Vec<(Bound, f64)>,
    /// Bytes transferred to and from device memory.
    pub dram_bytes: u64,
    /// Bytes transferred to and from the second-level cache.
    pub l2_bytes: u64,
    /// The cost of one block, for schedulers of concurrent kernels.
    pub cost: BlockCost,
}

/// Registers per thread assumed where there is no cubin: an upper bound for most kernels of the lessons, and few
/// enough for full occupancy.
const USUAL_REGISTERS: u32 = 32;
const SECTOR: f64 = 32.0;
const LINE: f64 = 128.0;
const LANES: f64 = 32.0;

/// Returns the modelled duration of a launch on `gpu`.
pub fn duration(gpu: &Gpu, work: &KernelWork) -> Modelled {
    let counts = &work.counts;
    let blocks = work.blocks.max(1);
    let needs = needs(work);
    let resident = gpu.sm.occupancy(needs).blocks;
    let traffic = Memory::of(gpu, work, together(gpu, work, resident));
    let mut total = demand(gpu, counts, &traffic);
    total.set(Bound::Blocks, gpu.ns(blocks as f64 / gpu.blocks_per_cycle));
    let each = Demand(total.0.map(|ns| ns / blocks as f64));
    let latency = block_latency(gpu, work, &traffic);
    // A block running alone can't be faster than its own demand for any resource.
    let least_ns = each.0.into_iter().fold(latency, f64::max);
    let cost = BlockCost {
        blocks,
        room: SmResources::of_block(&gpu.sm, needs),
        resident,
        alone_ns: latency,
        demand: each,
        start_ns: gpu.kernel_start_ns,
        end_ns: gpu.kernel_end_ns,
        least_ns: least_ns * unevenness(counts, blocks),
    };
    let ns = cost.ns_alone(gpu.sms);
    let wave = f64::from(resident.max(1)) * f64::from(gpu.sms.max(1));
    let waves = blocks as f64 / wave;
    let parts = parts(gpu, &total, latency * waves.ceil(), &cost);
    Modelled {
        ns: ns.ceil() as u64,
        bound_by: parts.first().map_or(Bound::Launch, |(bound, _)| *bound),
        resident_blocks: resident,
        waves,
        parts,
        dram_bytes: traffic.dram_bytes as u64,
        l2_bytes: traffic.l2_bytes as u64,
        cost,
    }
}

fn needs(work: &KernelWork) -> BlockNeeds {
    BlockNeeds {
        threads: work.threads,
        registers: work.registers.unwrap_or(USUAL_REGISTERS),
        shared_bytes: work.shared_bytes,
    }
}

/// Returns the number of blocks that run on one multiprocessor at once; a small grid is spread over all
/// multiprocessors.
fn together(gpu: &Gpu, work: &KernelWork, resident: u32) -> u32 {
    work.blocks.max(1).div_ceil(u64::from(gpu.sms.max(1))).min(u64::from(resident)) as u32
}

/// Returns how many times longer the longest block runs than the average one.
fn unevenness(counts: &Counts, blocks: u64) -> f64 {
    let longest = counts.pace.longest_cycles as f64;
    let average = (counts.pace.block_cycles + counts.pace.slept_cycles) as f64 / blocks as f64;
    if average > 0.0 && longest > 0.0 { (longest / average).max(1.0) } else { 1.0 }
}

/// Returns the nanoseconds that each part would take on its own, largest first.
fn parts(gpu: &Gpu, total: &Demand, latency: f64, cost: &BlockCost) -> Vec<(Bound, f64)> {
    let used = cost.blocks.min(u64::from(gpu.sms)).max(1) as f64;
    let of = |resource: Bound| match resource.of_multiprocessor() {
        true => total.of(resource) / used,
        false => total.of(resource),
    };
    let mut parts = Bound::RESOURCES.map(|resource| (resource, of(resource))).to_vec();
    parts.push((Bound::Latency, latency.max(cost.least_ns)));
    parts.push((Bound::Launch, cost.start_ns + cost.end_ns));
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    parts
}

/// Traffic through each level of the memory hierarchy.
struct Memory {
    /// Cycles of the first-level caches, summed over all multiprocessors.
    l1_cycles: f64,
    l2_bytes: f64,
    /// Nanoseconds that the second-level cache is busy.
    l2_ns: f64,
    dram_bytes: f64,
    /// Share of loaded sectors that hit the first-level cache, and share that comes from device memory.
    l1_share: f64,
    dram_share: f64,
}

/// A request to the second-level cache costs a slot for the line's tag, just as for each sector of the line: reading
/// one word from every line is half as fast per sector as reading whole lines (`far_reads`, `far_column_reads` in
/// `tests/timing/constants.py`, and likewise for writes). Hence four sectors and a tag.
const L2_SLOTS_A_LINE: f64 = 5.0;

impl Memory {
    fn of(gpu: &Gpu, work: &KernelWork, resident: u32) -> Memory {
        let counts = &work.counts;
        let pace = &counts.pace;
        let (loads, stores) = (counts.global_loads.units as f64, counts.global_stores.units as f64);
        let left = (gpu.l1_bytes as f64)
            - f64::from(work.shared_bytes + gpu.sm.shared_reserved_bytes) * f64::from(resident);
        let l1_share = l1_hits(counts, left.max(0.0) / f64::from(resident.max(1)));
        let missed = loads * (1.0 - l1_share);
        let atomics = pace.atomics.sectors as f64;
        // Stores to local memory pass through to the second-level cache as others do; its loads mostly hit the
        // first-level one.
        let (local_stored, local_lines) = (counts.local_stores.units as f64, pace.lines.local_stores as f64);
        let part = |bytes: u64, sectors: f64| (bytes as f64 / (sectors * SECTOR).max(1.0)).clamp(0.0, 1.0);
        let slower = |part: f64| gpu.l2_write_factor * (1.0 + (gpu.l2_part_factor - 1.0) * (1.0 - part));
        let writes = (stores + pace.lines.stores as f64) * slower(part(counts.global_stores.bytes, stores))
            + (local_stored + local_lines) * slower(part(counts.local_stores.bytes, local_stored))
            + (atomics + pace.atomics.lines as f64) * gpu.l2_write_factor;
        let reads = missed + pace.lines.loads as f64 * (1.0 - l1_share);
        let slot_bytes = LINE / L2_SLOTS_A_LINE;
        let (read, written, fetched) = past_l2(counts, gpu.l2_effective_bytes as f64, gpu.dram_access_bytes)
            .unwrap_or((missed, stores, missed));
        let dram_read = ((read.min(missed) * SECTOR) - work.cached_bytes as f64).max(0.0);
        // With 64-byte accesses, fetching one sector of a pair brings in the other.
        let both =
            if gpu.dram_access_bytes > 32 { (2.0 * read / fetched.max(1.0)).clamp(1.0, 2.0) } else { 1.0 };
        Memory {
            l1_cycles: l1_cycles(gpu, counts, missed),
            l2_bytes: (missed + stores + local_stored + atomics) * SECTOR,
            l2_ns: (reads + writes) * slot_bytes / gpu.l2_gbps,
            dram_bytes: dram_read * (fetched / read.max(1.0)).max(1.0) + written.min(stores) * SECTOR,
            l1_share,
            dram_share: if missed > 0.0 { dram_read / (loads * SECTOR * both) } else { 0.0 },
        }
    }
}

/// Returns the cycles of first-level caches that loads and stores occupy when `missed` sectors come from the
/// second-level cache. Loads are limited by one tag look-up per cycle or by the bytes that are transferred; stores
/// proceed in parallel with them, sector by sector.
fn l1_cycles(gpu: &Gpu, counts: &Counts, missed: f64) -> f64 {
    let pace = &counts.pace;
    let request_cycles = LANES / gpu.results_per_cycle.of(Class::LoadGlobal).max(1e-3);
    let (global, local) = (&counts.global_loads, &counts.local_loads);
    let tags = (pace.lines.loads + pace.lines.local_loads) as f64;
    let bytes = ((global.units + local.units) as f64 + missed) * SECTOR;
    let requests = (global.requests + local.requests) as f64;
    let loads = tags.max(bytes / gpu.l1_bytes_per_cycle).max(requests * request_cycles);
    let (global, local) = (&counts.global_stores, &counts.local_stores);
    let sectors = (global.units + local.units + pace.atomics.sectors) as f64;
    let requests = (global.requests + local.requests) as f64;
    loads.max(sectors / gpu.store_sectors_per_cycle).max(requests * request_cycles)
}

/// Returns the sectors read and written beyond a second-level cache of `bytes` bytes, and the sectors fetched by a
/// memory whose accesses are of `access` bytes. `None` if this was not metered.
fn past_l2(counts: &Counts, bytes: f64, access: u64) -> Option<(f64, f64, f64)> {
    let far = &counts.pace.l2;
    let at = |n: usize| {
        let (read, written) = (far[n].read_sectors as f64, far[n].written_sectors as f64);
        (read, written, if access > 32 { far[n].read_pairs as f64 * 2.0 } else { read })
    };
    // Larger caches let less through; even the largest still reads everything once.
    if far.iter().all(|traffic| traffic.read_sectors + traffic.written_sectors == 0) {
        let only_host = counts.host_read_sectors + counts.host_written_sectors > 0;
        return only_host.then_some((0.0, 0.0, 0.0));
    }
    let next = L2_BYTES.iter().position(|size| *size as f64 >= bytes).unwrap_or(far.len() - 1);
    let Some(last) = next.checked_sub(1) else { return Some(at(0)) };
    let (small, large) = (L2_BYTES[last] as f64, L2_BYTES[next] as f64);
    let part = ((bytes / small).ln() / (large / small).ln()).clamp(0.0, 1.0);
    let ((r0, w0, f0), (r1, w1, f1)) = (at(last), at(next));
    Some((r0 + (r1 - r0) * part, w0 + (w1 - w0) * part, f0 + (f1 - f0) * part))
}

/// Returns the share of loaded sectors that hit a first-level cache with `bytes` bytes for each block.
fn l1_hits(counts: &Counts, bytes: f64) -> f64 {
    let pace = &counts.pace;
    if pace.sampled_sectors == 0 {
        return 0.0;
    }
    let share = |hits: u64| hits as f64 / pace.sampled_sectors as f64;
    let mut below = (0.0, 0.0);
    for (&size, &hits) in CACHE_BYTES.iter().zip(&pace.sampled_hits) {
        let here = (size as f64, share(hits));
        if bytes <= here.0 {
            let part = (bytes - below.0) / (here.0 - below.0);
            return below.1 + (here.1 - below.1) * part;
        }
        below = here;
    }
    below.1
}

/// Returns the issue slots that a PTX instruction costs. Most moves and address conversions disappear in machine
/// code; parameters become operands; three-operand additions and logic operations replace pairs of two-operand ones;
/// a branch over little code becomes a predicate. With [`WARP_ISSUE`], the result is within 10 % of
/// `smsp__inst_executed` on an H100 for half of the kernels in `tests/timing/pairs`.
fn issue_weight(class: Class) -> f64 {
    match class {
        Class::Move => 0.1,
        Class::LoadConst | Class::Convert => 0.5,
        Class::IntAdd | Class::Logic | Class::Branch => 0.75,
        _ => 1.0,
    }
}

/// Instructions that each warp issues in addition: setting up its stack and parameters, and its exit.
const WARP_ISSUE: f64 = 3.0;

/// As [`issue_weight`], for the slots of an arithmetic pipe: half of the additions go through the pipe of the
/// multiply-adds.
fn pipe_weight(class: Class) -> f64 {
    if class == Class::IntAdd { 0.4 } else { issue_weight(class) }
}

/// Returns the pipe that executes a class of instructions; `None` if another resource accounts for it.
fn pipe(class: Class) -> Option<usize> {
    match class {
        Class::Float32 | Class::IntMul => Some(0),
        Class::IntAdd | Class::Logic | Class::Compare | Class::Move | Class::Warp => Some(1),
        Class::Special | Class::Convert => Some(2),
        Class::Float64 => Some(3),
        Class::Float16 | Class::Float16Pair => Some(4),
        _ => None,
    }
}
const PIPES: usize = 5;

/// Returns the nanoseconds of each resource that the whole kernel uses.
fn demand(gpu: &Gpu, counts: &Counts, memory: &Memory) -> Demand {
    let mut issue = 0.0;
    let mut pipes = [0.0; PIPES];
    for class in Class::all() {
        let count = counts.instructions[class as usize] as f64;
        let rate = gpu.results_per_cycle.of(class).max(1e-3);
        issue += count * issue_weight(class);
        if let Some(pipe) = pipe(class) {
            pipes[pipe] += count * pipe_weight(class) * LANES / rate;
        }
    }
    let pace = &counts.pace;
    issue += pace.extra.issue as f64 + counts.warps as f64 * WARP_ISSUE;
    for (pipe, class, count) in
        [(2, Class::Special, pace.extra.special), (3, Class::Float64, pace.extra.doubles)]
    {
        pipes[pipe] += count as f64 * LANES / gpu.results_per_cycle.of(class).max(1e-3);
    }
    let wavefronts = (counts.shared_loads.units + counts.shared_stores.units) as f64;
    let shared = wavefronts * 128.0 / gpu.shared_bytes_per_cycle
        + (counts.shared_atomics as f64 / gpu.atomics.shared_per_cycle)
            .max(pace.atomics.shared_passes as f64 * gpu.atomics.shared_pass_cycles);
    let atomics = (pace.atomics.hottest_slice as f64 * gpu.atomics.slice_cycles)
        .max(pace.atomics.hottest_word as f64 * gpu.atomics.word_cycles)
        .max(pace.atomics.hottest_float as f64 * gpu.atomics.float_cycles);
    let mut demand = Demand::default();
    demand.set(Bound::Issue, gpu.ns(issue / gpu.issue_per_cycle));
    demand.set(Bound::Pipe, gpu.ns(pipes.into_iter().fold(0.0, f64::max)));
    demand.set(Bound::Matrix, gpu.ns(matrix_cycles(gpu, counts)));
    demand.set(Bound::Shared, gpu.ns(shared));
    demand.set(Bound::L1, gpu.ns(memory.l1_cycles));
    demand.set(Bound::L2, memory.l2_ns);
    demand.set(Bound::Memory, memory.dram_bytes / gpu.dram_rate());
    demand.set(Bound::Atomic, gpu.ns(atomics));
    demand
}

/// Returns the cycles that the kernel takes on one multiprocessor's matrix units.
fn matrix_cycles(gpu: &Gpu, counts: &Counts) -> f64 {
    if counts.instructions[Class::Matrix as usize] == 0 {
        return 0.0;
    }
    // The 16-bit operations counted include those of plain arithmetic: at most one multiply-add per lane, or two for
    // packed pairs.
    let [single, pairs] =
        [Class::Float16, Class::Float16Pair].map(|c| counts.instructions[c as usize] as f64);
    let plain = (single * 2.0 + pairs * 4.0) * LANES;
    let flops = &counts.flops;
    let (f16, bf16) = (flops.f16 as f64, flops.bf16 as f64);
    let halves = ((f16 + bf16 - plain) / (f16 + bf16).max(1.0)).max(0.0);
    let doubles = flops.f64 as f64
        - (counts.instructions[Class::Float64 as usize] as f64 * LANES * 2.0).min(flops.f64 as f64);
    let of = |operations: f64, rate: f64| {
        // Types that the units lack are computed by other pipes, far more slowly.
        let rate = if rate > 0.0 { rate } else { gpu.results_per_cycle.of(Class::Float32).max(1.0) };
        operations / rate
    };
    of(f16 * halves, gpu.matrix.f16)
        + of(bf16 * halves, gpu.matrix.bf16)
        + of(flops.tf32 as f64, gpu.matrix.tf32)
        + of(flops.int8 as f64, gpu.matrix.int8)
        + of(doubles, gpu.matrix.f64)
}

/// Returns the nanoseconds that a block takes without any contention.
fn block_latency(gpu: &Gpu, work: &KernelWork, memory: &Memory) -> f64 {
    let counts = &work.counts;
    let latencies = &gpu.latencies;
    let warps = counts.warps.max(1) as f64;
    let a_warp = |count: u64| count as f64 / warps;
    let of = |class: Class| a_warp(counts.instructions[class as usize]);
    let pace = &counts.pace;
    let global = global_latency(gpu, work, memory);
    let chain = if pace.warp_cycles > 0 {
        // A warp issues at most one instruction per cycle.
        let issued: f64 = Class::all().map(|class| of(class) * issue_weight(class)).sum();
        let average = (a_warp(pace.waits.arithmetic) * latencies.arithmetic).max(issued)
            + a_warp(pace.waits.special) * latencies.special
            + a_warp(pace.waits.shared) * latencies.shared
            + a_warp(pace.waits.global) * global;
        // A block lasts as long as its longest warp.
        let longest = pace.block_cycles as f64 / work.blocks.max(1) as f64;
        average * (longest / a_warp(pace.warp_cycles)).max(1.0)
    } else {
        // Without dependency information, assume that loads are in flight four at a time, as in an unrolled loop.
        let all: f64 = counts.instructions.iter().map(|&n| a_warp(n)).sum();
        all * latencies.arithmetic * 0.5
            + (of(Class::LoadGlobal) / 4.0).max(of(Class::LoadGlobal).min(1.0)) * global
            + (of(Class::LoadShared) / 4.0).max(of(Class::LoadShared).min(1.0)) * latencies.shared
            + of(Class::Atomic) * latencies.atomic
    };
    let barriers = counts.barriers as f64 / work.blocks.max(1) as f64;
    let slept = pace.slept_cycles as f64 / work.blocks.max(1) as f64;
    let cycles = gpu.block_start_cycles
        + chain
        + slept
        + of(Class::Matrix) * latencies.matrix * 0.5
        + barriers * (latencies.barrier + latencies.barrier_warp * f64::from(work.threads.div_ceil(32)));
    gpu.ns(cycles)
}

/// Returns the modelled cycles that warps of this launch wait, each as if it ran without contention.
pub fn wait_cycles(gpu: &Gpu, work: &KernelWork, waits: &Waits) -> f64 {
    let resident = gpu.sm.occupancy(needs(work)).blocks;
    let global = global_latency(gpu, work, &Memory::of(gpu, work, together(gpu, work, resident)));
    waits.arithmetic as f64 * gpu.latencies.arithmetic
        + waits.special as f64 * gpu.latencies.special
        + waits.shared as f64 * gpu.latencies.shared
        + waits.global as f64 * global
}

/// Returns the average number of cycles from a global-memory load to its value.
fn global_latency(gpu: &Gpu, work: &KernelWork, memory: &Memory) -> f64 {
    let (counts, pace, latencies) = (&work.counts, &work.counts.pace, &gpu.latencies);
    // A single miss among the sectors of one wait makes the whole wait long.
    let together = (counts.global_loads.units as f64 / (pace.waits.global as f64).max(1.0)).max(1.0);
    let missed = ((1.0 - memory.l1_share) * together).min(1.0);
    let far = (memory.dram_share * together).min(missed);
    // Lines are looked up one after the other.
    let lines = pace.lines.loads as f64 / (pace.waits.global as f64).max(1.0);
    latencies.l1
        + missed * (latencies.l2 - latencies.l1)
        + far * (latencies.dram - latencies.l2)
        + (lines - 1.0).max(0.0)
}
