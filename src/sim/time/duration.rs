//! From what a kernel was counted doing to its modelled duration.
//!
//! A block has a latency (its warps' chains of dependent instructions, alone on a multiprocessor)
//! and a demand for every shared resource. As many blocks run at once as occupancy allows; they go
//! at the pace of their latency until some resource is used up, and then at that resource's
//! ([`super::rates`]). Little's law is in that: bytes under way are resident blocks times bytes of
//! a block, and bandwidth is bytes under way over latency, until memory can give no more.

use super::bound::Bound;
use super::cost::{BlockCost, Demand, Resource, SmResources};
use super::gpu::Gpu;
use crate::advice::Waits;
use crate::counts::{CACHE_BYTES, Class, Counts, L2_BYTES};
use crate::occupancy::BlockNeeds;

/// A launch, as the model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelWork {
    /// Of this launch alone.
    pub counts: Counts,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// Of a thread, where a cubin tells.
    pub registers: Option<u32>,
    /// Static and dynamic, of a block.
    pub shared_bytes: u32,
    /// Bytes of what the kernel reads that the second-level cache holds when it starts.
    pub cached_bytes: u64,
}

/// A kernel's modelled duration, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Modelled {
    /// With the GPU to itself, from its start to its end on the GPU.
    pub ns: u64,
    pub bound_by: Bound,
    /// Blocks on one multiprocessor at once.
    pub resident_blocks: u32,
    /// Blocks times the GPU's multiprocessors over those that run at once.
    pub waves: f64,
    /// What each part would take if it were all there was, in nanoseconds, largest first.
    pub parts: Vec<(Bound, f64)>,
    /// Bytes that go to and from device memory.
    pub dram_bytes: u64,
    /// Bytes that go to and from the second-level cache.
    pub l2_bytes: u64,
    pub cost: BlockCost,
}

/// Registers assumed where no cubin tells: what most kernels of lessons stay under, and few enough
/// for full occupancy.
const USUAL_REGISTERS: u32 = 32;
const SECTOR: f64 = 32.0;
const LINE: f64 = 128.0;
const LANES: f64 = 32.0;

/// What the kernel would take on `gpu`.
pub fn duration(gpu: &Gpu, work: &KernelWork) -> Modelled {
    let counts = &work.counts;
    let blocks = work.blocks.max(1);
    let needs = needs(work);
    let resident = gpu.sm.occupancy(needs).blocks;
    let traffic = Memory::of(gpu, work, together(gpu, work, resident));
    let mut total = demand(gpu, counts, &traffic);
    total.set(Resource::Start, gpu.ns(blocks as f64 / gpu.blocks_per_cycle));
    let mut each = Demand::default();
    for resource in Resource::ALL {
        each.set(resource, total.of(resource) / blocks as f64);
    }
    let latency = block_latency(gpu, work, &traffic);
    // A block alone can't outrun what it uses up.
    let least_ns = Resource::ALL.iter().map(|r| each.of(*r)).fold(latency, f64::max);
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

/// Blocks on one multiprocessor at once: few blocks are spread over all of them.
fn together(gpu: &Gpu, work: &KernelWork, resident: u32) -> u32 {
    work.blocks.max(1).div_ceil(u64::from(gpu.sms.max(1))).min(u64::from(resident)) as u32
}

/// How much longer than the average the longest block is.
fn unevenness(counts: &Counts, blocks: u64) -> f64 {
    let longest = counts.pace.longest_cycles as f64;
    let average = (counts.pace.block_cycles + counts.pace.slept_cycles) as f64 / blocks as f64;
    if average > 0.0 && longest > 0.0 { (longest / average).max(1.0) } else { 1.0 }
}

fn parts(gpu: &Gpu, total: &Demand, latency: f64, cost: &BlockCost) -> Vec<(Bound, f64)> {
    let of = |resource: Resource| {
        let all = total.of(resource);
        if resource.of_multiprocessor() {
            let used = cost.blocks.min(u64::from(gpu.sms)).max(1);
            all / used as f64
        } else {
            all
        }
    };
    let mut parts = vec![
        (Bound::Memory, of(Resource::Dram)),
        (Bound::L2, of(Resource::L2)),
        (Bound::L1, of(Resource::L1)),
        (Bound::Shared, of(Resource::Shared)),
        (Bound::Matrix, of(Resource::Matrix)),
        (Bound::Pipe, of(Resource::Pipe)),
        (Bound::Issue, of(Resource::Issue)),
        (Bound::Atomic, of(Resource::Atomic)),
        (Bound::Blocks, of(Resource::Start)),
        (Bound::Latency, latency.max(cost.least_ns)),
        (Bound::Launch, cost.start_ns + cost.end_ns),
    ];
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    parts
}

/// What passes each level of memory.
struct Memory {
    /// Cycles of the first-level caches of all multiprocessors.
    l1_cycles: f64,
    l2_bytes: f64,
    /// Time of the second-level cache.
    l2_ns: f64,
    dram_bytes: f64,
    /// Share of loaded sectors that the first-level cache has, and that come from device memory.
    l1_share: f64,
    dram_share: f64,
}

/// A request to the second-level cache takes as long for a line's tag as for a sector of it: a word of
/// every line comes at twice the time of a sector of whole lines (`far_reads`, `far_column_reads` in
/// `tests/timing/constants.py`, and the same of writes).
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
        let atomics = pace.atomic_sectors as f64;
        // Stores to local memory go through as others do; its loads are mostly near.
        let (local_stored, local_lines) = (counts.local_stores.units as f64, pace.local_store_lines as f64);
        let part = |bytes: u64, sectors: f64| (bytes as f64 / (sectors * SECTOR).max(1.0)).clamp(0.0, 1.0);
        let slower = |part: f64| gpu.l2_write_factor * (1.0 + (gpu.l2_part_factor - 1.0) * (1.0 - part));
        let writes = (stores + pace.store_lines as f64) * slower(part(counts.global_stores.bytes, stores))
            + (local_stored + local_lines) * slower(part(counts.local_stores.bytes, local_stored))
            + (atomics + pace.atomic_lines as f64) * gpu.l2_write_factor;
        let reads = missed + pace.load_lines as f64 * (1.0 - l1_share);
        let slot_bytes = LINE / L2_SLOTS_A_LINE;
        let (read, written, fetched) = past_l2(counts, gpu.l2_effective_bytes as f64, gpu.dram_access_bytes)
            .unwrap_or((missed, stores, missed));
        let dram_read = ((read.min(missed) * SECTOR) - work.cached_bytes as f64).max(0.0);
        // One of a pair of sectors brings the other with it.
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

/// Cycles that loads and stores take of first-level caches, when `missed` sectors come from the
/// second-level one: loads a tag a cycle, or the bytes that come and go; stores, beside them, sector
/// by sector.
fn l1_cycles(gpu: &Gpu, counts: &Counts, missed: f64) -> f64 {
    let pace = &counts.pace;
    let request_cycles = LANES / gpu.results_per_cycle[Class::LoadGlobal as usize].max(1e-3);
    let (global, local) = (&counts.global_loads, &counts.local_loads);
    let tags = (pace.load_lines + pace.local_load_lines) as f64;
    let bytes = ((global.units + local.units) as f64 + missed) * SECTOR;
    let requests = (global.requests + local.requests) as f64;
    let loads = tags.max(bytes / gpu.l1_bytes_per_cycle).max(requests * request_cycles);
    let (global, local) = (&counts.global_stores, &counts.local_stores);
    let sectors = (global.units + local.units + pace.atomic_sectors) as f64;
    let requests = (global.requests + local.requests) as f64;
    loads.max(sectors / gpu.store_sectors_per_cycle).max(requests * request_cycles)
}

/// Sectors read and written past a second-level cache of `bytes`, and sectors fetched by memory that
/// gives `access` bytes at a time; `None` where that was not metered.
fn past_l2(counts: &Counts, bytes: f64, access: u64) -> Option<(f64, f64, f64)> {
    let far = &counts.pace.l2;
    let at = |n: usize| {
        let (read, written) = (far[n].read_sectors as f64, far[n].written_sectors as f64);
        (read, written, if access > 32 { far[n].read_pairs as f64 * 2.0 } else { read })
    };
    // Larger caches let less through; the largest still reads everything once.
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

/// Share of loaded sectors that a first-level cache with `bytes` for each block holds.
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

/// What a PTX instruction costs in issue slots. Moves and address conversions are mostly gone in machine
/// code; parameters are operands; sums and logic of three operands take the place of two; a branch
/// over little becomes a predicate. With [`WARP_ISSUE`], within 10 % of `smsp__inst_executed` on an H100
/// for half of the kernels in `tests/timing/pairs`.
fn issue_weight(class: Class) -> f64 {
    match class {
        Class::Move => 0.1,
        Class::LoadConst | Class::Convert => 0.5,
        Class::IntAdd | Class::Logic | Class::Branch => 0.75,
        _ => 1.0,
    }
}

/// What each warp issues besides: where its stack and its parameters are, its end.
const WARP_ISSUE: f64 = 3.0;

/// The same of an arithmetic pipe: half of the sums go through that of multiply-adds.
fn pipe_weight(class: Class) -> f64 {
    if class == Class::IntAdd { 0.4 } else { issue_weight(class) }
}

/// The pipe that a class of instruction goes through; `None`: another resource counts it.
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

const CLASSES: [Class; Class::COUNT] = [
    Class::IntAdd,
    Class::IntMul,
    Class::Logic,
    Class::Float16,
    Class::Float16Pair,
    Class::Float32,
    Class::Float64,
    Class::Special,
    Class::Convert,
    Class::Compare,
    Class::Move,
    Class::LoadGlobal,
    Class::StoreGlobal,
    Class::LoadShared,
    Class::StoreShared,
    Class::LoadLocal,
    Class::StoreLocal,
    Class::LoadConst,
    Class::Atomic,
    Class::Barrier,
    Class::Warp,
    Class::Branch,
    Class::Matrix,
    Class::Async,
    Class::Other,
];

/// Nanoseconds of each resource that the whole kernel uses.
fn demand(gpu: &Gpu, counts: &Counts, memory: &Memory) -> Demand {
    let mut issue = 0.0;
    let mut pipes = [0.0; PIPES];
    for class in CLASSES {
        let count = counts.instructions[class as usize] as f64;
        let rate = gpu.results_per_cycle[class as usize].max(1e-3);
        issue += count * issue_weight(class);
        if let Some(pipe) = pipe(class) {
            pipes[pipe] += count * pipe_weight(class) * LANES / rate;
        }
    }
    let pace = &counts.pace;
    issue += pace.extra_issue as f64 + counts.warps as f64 * WARP_ISSUE;
    for (pipe, class, count) in
        [(2, Class::Special, pace.extra_special), (3, Class::Float64, pace.extra_doubles)]
    {
        pipes[pipe] += count as f64 * LANES / gpu.results_per_cycle[class as usize].max(1e-3);
    }
    let wavefronts = (counts.shared_loads.units + counts.shared_stores.units) as f64;
    let shared = wavefronts * 128.0 / gpu.shared_bytes_per_cycle
        + (counts.shared_atomics as f64 / gpu.atomics.shared_per_cycle)
            .max(pace.shared_atomic_passes as f64 * gpu.atomics.shared_pass_cycles);
    let atomics = (pace.hottest_slice as f64 * gpu.atomics.slice_cycles)
        .max(pace.hottest_word as f64 * gpu.atomics.word_cycles)
        .max(pace.hottest_float as f64 * gpu.atomics.float_cycles);
    let mut demand = Demand::default();
    demand.set(Resource::Issue, gpu.ns(issue / gpu.issue_per_cycle));
    demand.set(Resource::Pipe, gpu.ns(pipes.into_iter().fold(0.0, f64::max)));
    demand.set(Resource::Matrix, gpu.ns(matrix_cycles(gpu, counts)));
    demand.set(Resource::Shared, gpu.ns(shared));
    demand.set(Resource::L1, gpu.ns(memory.l1_cycles));
    demand.set(Resource::L2, memory.l2_ns);
    demand.set(Resource::Dram, memory.dram_bytes / gpu.dram_rate());
    demand.set(Resource::Atomic, gpu.ns(atomics));
    demand
}

/// Cycles of one multiprocessor's matrix units.
fn matrix_cycles(gpu: &Gpu, counts: &Counts) -> f64 {
    if counts.instructions[Class::Matrix as usize] == 0 {
        return 0.0;
    }
    // A multiply-add a lane at most is plain arithmetic, two are that of pairs.
    let [single, pairs] =
        [Class::Float16, Class::Float16Pair].map(|c| counts.instructions[c as usize] as f64);
    let plain = (single * 2.0 + pairs * 4.0) * LANES;
    let flops = &counts.flops;
    let (f16, bf16) = (flops.f16 as f64, flops.bf16 as f64);
    let halves = ((f16 + bf16 - plain) / (f16 + bf16).max(1.0)).max(0.0);
    let doubles = flops.f64 as f64
        - (counts.instructions[Class::Float64 as usize] as f64 * LANES * 2.0).min(flops.f64 as f64);
    let of = |operations: f64, rate: f64| {
        // A type the units lack is worked out by other pipes, far slower.
        let rate = if rate > 0.0 { rate } else { gpu.results_per_cycle[Class::Float32 as usize].max(1.0) };
        operations / rate
    };
    of(f16 * halves, gpu.matrix.f16)
        + of(bf16 * halves, gpu.matrix.bf16)
        + of(flops.tf32 as f64, gpu.matrix.tf32)
        + of(flops.int8 as f64, gpu.matrix.int8)
        + of(doubles, gpu.matrix.f64)
}

/// How long a block takes with nothing in its way.
fn block_latency(gpu: &Gpu, work: &KernelWork, memory: &Memory) -> f64 {
    let counts = &work.counts;
    let latencies = &gpu.latencies;
    let warps = counts.warps.max(1) as f64;
    let a_warp = |count: u64| count as f64 / warps;
    let of = |class: Class| a_warp(counts.instructions[class as usize]);
    let pace = &counts.pace;
    let global = global_latency(gpu, work, memory);
    let chain = if pace.warp_cycles > 0 {
        // A warp issues an instruction a cycle at most.
        let issued: f64 = CLASSES.iter().map(|class| of(*class) * issue_weight(*class)).sum();
        let average = (a_warp(pace.arithmetic_waits) * latencies.arithmetic).max(issued)
            + a_warp(pace.special_waits) * latencies.special
            + a_warp(pace.shared_waits) * latencies.shared
            + a_warp(pace.global_waits) * global;
        // A block lasts as long as its longest warp.
        let longest = pace.block_cycles as f64 / work.blocks.max(1) as f64;
        average * (longest / a_warp(pace.warp_cycles)).max(1.0)
    } else {
        // Nothing is known of what waits for what: loads four together, as loops are unrolled.
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

/// Cycles that warps of this launch wait, modelled: each for itself, as if nobody else was there.
pub fn wait_cycles(gpu: &Gpu, work: &KernelWork, waits: &Waits) -> f64 {
    let resident = gpu.sm.occupancy(needs(work)).blocks;
    let global = global_latency(gpu, work, &Memory::of(gpu, work, together(gpu, work, resident)));
    waits.arithmetic as f64 * gpu.latencies.arithmetic
        + waits.special as f64 * gpu.latencies.special
        + waits.shared as f64 * gpu.latencies.shared
        + waits.global as f64 * global
}

/// Cycles from a load of global memory to its value, on average.
fn global_latency(gpu: &Gpu, work: &KernelWork, memory: &Memory) -> f64 {
    let (counts, pace, latencies) = (&work.counts, &work.counts.pace, &gpu.latencies);
    // Of the sectors that one wait is for, a single miss makes it long.
    let together = (counts.global_loads.units as f64 / (pace.global_waits as f64).max(1.0)).max(1.0);
    let missed = ((1.0 - memory.l1_share) * together).min(1.0);
    let far = (memory.dram_share * together).min(missed);
    // Lines come one after the other.
    let lines = pace.load_lines as f64 / (pace.global_waits as f64).max(1.0);
    latencies.l1
        + missed * (latencies.l2 - latencies.l1)
        + far * (latencies.dram - latencies.l2)
        + (lines - 1.0).max(0.0)
}
