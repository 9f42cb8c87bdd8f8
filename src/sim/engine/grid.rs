//! Runs the blocks of a grid on one or several host threads, with the same result on any number of them.
//!
//! Blocks are handed out in chunks, in order, which become smaller: so host threads end at about the same time. Kernels
//! whose blocks may see each other's effects (atomics, fences, volatile accesses) run on one host thread, block after
//! block. Other kernels run on several, as long as all blocks do what they are meant to: once there is a finding, an
//! undefined value or a stop, which blocks ran before it matters, and the launch is repeated on one thread. So it is where
//! the bytes that each host thread read and wrote show that the order of blocks could have mattered (a race between them).

use super::block::{self, BlockStatus};
use super::cluster;
use super::compiled::{self, PathRun};
use super::endless_loop;
use super::external_wait;
use super::findings::FindingLog;
use super::launch::LaunchContext;
use super::note::NotedAccesses;
use super::observer::Observer;
use super::step_budget;
use super::stuck;
use super::undefined_bytes;
use super::unwritten;
use super::work::{self, Runs};
use super::worker::{Cta, KernelOutput, WorkerState};
use crate::code::DecodedModule;
use crate::counts::{Counts, Pace};
use crate::evidence::Evidence;
use crate::finding::FindingKind;
use crate::launch::{ExecutionOrder, Outcome, PolledMemory, Report};
use crate::memory::touch::{TouchLog, independent};
use crate::meter::l2::PartialTrace;
use crate::record::Recording;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The result of running a grid.
#[derive(Default)]
pub struct GridResult {
    /// Without findings, advice and what was touched, which are yet to be put into the learner's terms.
    pub report: Report,
    pub findings: FindingLog,
    pub logs: Vec<TouchLog>,
}

/// Memory in bytes that blocks may occupy which run alternately while they wait for each other.
const MAX_RESIDENT_BYTES: u64 = 1 << 29;

/// Times each of [`PATIENT_BLOCKS`] resident blocks may yield in patient mode without a block ending, before they
/// count as deadlocked.
const MAX_IDLE_ROUNDS: u32 = 64;

/// Times each resident block may yield in a row before patient mode begins, in which a block gets the time that
/// its loop may need to end by itself.
const IDLE_ROUNDS: u32 = 4;

/// Number of blocks that get that time in full; where there are more, they share it. A wait that ends by itself is
/// rare, and a deadlock should be reported soon.
const PATIENT_BLOCKS: u32 = 2;

/// How many of the smallest chunks a host thread's share of the blocks would make.
const SMALLEST_CHUNKS: u64 = 32;

/// Runs the grid. Returns `None` when the result could differ from that on one host thread: the caller then runs it again
/// on one.
pub fn run<O: Observer>(launch: &LaunchContext, host_threads: usize, checks: bool) -> Option<GridResult> {
    let blocks = launch.blocks_run();
    let worth = blocks * launch.extents.block_threads() / launch.options.threads_per_host_thread.max(1);
    let threads = host_threads.min(blocks as usize).min(worth as usize).max(1);
    let together = launch.gpu.cooperative || launch.extents.cluster.count() > 1;
    let alone =
        threads == 1 || launch.kernel.interaction.communicates || together || launch.order.is_interleaved();
    if let Some(progress) = &launch.options.progress {
        progress.begin(launch.kernel_index, blocks, if alone { 1 } else { threads as u32 });
    }
    if alone {
        // A launch in another order may have to be repeated by number.
        let mut worker = WorkerState::new(launch, checks, launch.order.execution != ExecutionOrder::ByNumber);
        let mut runner = BlockRunner::<O>::new(launch, None);
        runner.run(&mut worker, 0..blocks);
        let counts = runner.counts(&mut worker);
        return Some(join(launch.code, vec![ChunkResult::take(worker, counts, 0)], Vec::new()));
    }
    let chunks = chunks(blocks, threads as u64);
    let next = AtomicUsize::new(0);
    let must_repeat = AtomicBool::new(false);
    let trace = Mutex::<PartialTrace>::default();
    let work = || {
        let mut parts = Vec::new();
        let mut runner = BlockRunner::<O>::new(launch, Some(&must_repeat));
        let mut log = TouchLog::new(launch.memory);
        loop {
            let Some(chunk) = chunks.get(next.fetch_add(1, Relaxed)).filter(|_| !must_repeat.load(Relaxed))
            else {
                return (parts, log);
            };
            let mut worker = WorkerState::new(launch, checks, true);
            if !launch.options.touched {
                worker.noted = NotedAccesses::ReadsOfWritable;
            }
            std::mem::swap(&mut worker.log, &mut log);
            runner.run(&mut worker, chunk.clone());
            std::mem::swap(&mut worker.log, &mut log);
            if worker.stopped.is_some() || O::order_matters(&runner.world) {
                must_repeat.store(true, Relaxed);
            }
            let mut counts = runner.counts(&mut worker);
            let level = trace.lock().unwrap_or_else(PoisonError::into_inner).add(&counts.pace.trace);
            counts.pace.trace.restrict(level);
            runner.free.iter_mut().for_each(|cta| cta.observer.restrict_trace(level));
            parts.push(ChunkResult::take(worker, counts, chunk.start));
        }
    };
    let (mut parts, mut logs) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut results = vec![work()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        for (p, log) in results {
            parts.extend(p);
            logs.push(log);
        }
    });
    // What was stopped from outside is not repeated.
    let may_differ = must_repeat.into_inner() || launch.budget.is_spent() || !independent(&logs);
    if may_differ && !launch.is_stopped() {
        return None;
    }
    parts.sort_by_key(|part: &ChunkResult| part.start);
    Some(join(launch.code, parts, logs))
}

/// Divides blocks into chunks: for each host thread one, all together half of what is left, and so on.
fn chunks(blocks: u64, threads: u64) -> Vec<Range<u64>> {
    let smallest = blocks.div_ceil(threads * SMALLEST_CHUNKS);
    let mut all = Vec::new();
    let mut start = 0;
    while start < blocks {
        let size = ((blocks - start) / (2 * threads)).max(smallest);
        for _ in 0..threads {
            let end = (start + size).min(blocks);
            all.push(start..end);
            start = end;
        }
    }
    all.retain(|chunk| !chunk.is_empty());
    all
}

/// Returns evidence that some blocks, which others may wait for, have not begun; `None` where all have.
fn not_begun(running: u64, waiting: u64) -> Option<Evidence> {
    (waiting > 0).then_some(Evidence::BlocksNotBegun { waiting, running })
}

/// Removes the next block to run from `resident`: the one that has waited longest, or one drawn at random.
fn next_turn<O>(worker: &mut WorkerState, resident: &mut VecDeque<Box<Cta<O>>>) -> Option<Box<Cta<O>>> {
    let by_turns = worker.takes_turns();
    let drawn = worker.turns.as_mut().filter(|_| by_turns).map_or(0, |turns| turns.next_of(resident.len()));
    resident.remove(drawn)
}

/// The result of one chunk of blocks.
struct ChunkResult {
    start: u64,
    stopped: Option<Outcome>,
    findings: FindingLog,
    counts: Counts,
    runs: Runs,
    output: KernelOutput,
    log: TouchLog,
    polled: Vec<PolledMemory>,
    recording: Option<Box<Recording>>,
}

impl ChunkResult {
    fn take(worker: WorkerState, counts: Counts, start: u64) -> ChunkResult {
        ChunkResult {
            start,
            stopped: worker.stopped,
            findings: worker.findings,
            counts,
            runs: worker.executed.runs,
            output: worker.output,
            log: worker.log,
            polled: worker.polled,
            recording: worker.recording,
        }
    }
}

/// Joins the results of all chunks, in the order of their blocks.
fn join(code: &DecodedModule, parts: Vec<ChunkResult>, mut logs: Vec<TouchLog>) -> GridResult {
    let (mut report, mut findings) = (Report::default(), FindingLog::default());
    // The launch's trace has at least the level of any part: what later ones would have it drop is not added first.
    let levels = parts.iter().map(|part| part.counts.pace.trace.level());
    report.counts.pace.trace.restrict(levels.max().unwrap_or(0));
    let alone = logs.is_empty();
    let mut runs = Runs::new();
    for part in parts {
        if findings.is_empty() {
            findings = part.findings;
        }
        report.counts.add(&part.counts);
        work::add(&mut runs, &part.runs);
        report.output_cut |= part.output.cut;
        report.output.extend(part.output.by_block.into_values().flatten());
        report.recording = report.recording.or(part.recording);
        if alone {
            logs.push(part.log);
        }
        if let Some(outcome) = part.stopped {
            report.outcome = outcome;
            report.polled = part.polled;
            break;
        }
    }
    if let Outcome::LaunchBudgetSpent { line } = &mut report.outcome {
        *line = work::busiest_line(code, &runs);
    }
    work::count(code, &runs, &mut report.counts);
    GridResult { report, findings, logs }
}

/// Returns whether the host processor has the features that the wide handlers are built for.
pub fn host_has_wide_features() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("f16c")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("popcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The blocks of one host thread, whose allocations are reused.
struct BlockRunner<'a, O: Observer> {
    launch: &'a LaunchContext<'a>,
    free: Vec<Box<Cta<O>>>,
    /// On several host threads, whether the launch must be repeated on one.
    must_repeat: Option<&'a AtomicBool>,
    world: O::World,
    wide: bool,
    /// Number of blocks begun in the current run.
    blocks: u64,
    pace: Pace,
}

impl<'a, O: Observer> BlockRunner<'a, O> {
    fn new(launch: &'a LaunchContext<'a>, must_repeat: Option<&'a AtomicBool>) -> Self {
        BlockRunner {
            launch,
            free: Vec::new(),
            must_repeat,
            world: O::World::default(),
            wide: host_has_wide_features(),
            blocks: 0,
            pace: Pace::default(),
        }
    }

    fn run(&mut self, worker: &mut WorkerState<'a>, range: Range<u64>) {
        self.blocks = 0;
        worker.findings.tracks_undefined = worker.log.buffers.iter().any(|touched| touched.unset.is_some());
        self.run_blocks(worker, range);
        if let (Some(mut compiled), Some(cta)) = (worker.compiled.take(), self.free.last_mut()) {
            compiled.count(worker, &mut cta.observer);
        }
    }

    fn run_blocks(&mut self, worker: &mut WorkerState<'a>, range: Range<u64>) {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is true only where the processor has the features.
            return unsafe { self.run_wide(worker, range) };
        }
        self.run_plain::<false>(worker, range);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    fn run_wide(&mut self, worker: &mut WorkerState<'a>, range: Range<u64>) {
        self.run_plain::<true>(worker, range);
    }

    #[inline(always)]
    fn run_plain<const WIDE: bool>(&mut self, worker: &mut WorkerState<'a>, range: Range<u64>) {
        let mut next = range.start;
        let mut resident: VecDeque<Box<Cta<O>>> = VecDeque::new();
        let mut idle = 0;
        let size = self.launch.extents.cluster.count() as usize;
        // With clusters, every running block must have yielded without progress before another cluster begins.
        let patience = |resident: &VecDeque<Box<Cta<O>>>| if size > 1 { resident.len() as u32 } else { 0 };
        let most = match self.launch.gpu.cooperative {
            true => usize::MAX,
            false => {
                let most = self.launch.options.most_resident.max(1);
                (MAX_RESIDENT_BYTES / self.block_bytes()).clamp(1, most as u64) as usize
            }
        };
        loop {
            let full = resident.len() + size > most.max(size);
            let begins = next < range.end && !full && (resident.is_empty() || idle > patience(&resident));
            let mut cta = if begins {
                let first = resident.len();
                self.begin(worker, &mut resident, next);
                next += size as u64;
                resident.remove(first).expect("a block that begins")
            } else if let Some(cta) = next_turn(worker, &mut resident) {
                cta
            } else {
                return;
            };
            worker.findings.block = cta.index;
            let before = worker.progress;
            cluster::enter(worker, &mut cta);
            cta.observer.turn_begin(&mut self.world);
            let mut status = None;
            worker.is_repeatable = false;
            if O::COMPILES
                && begins
                && resident.is_empty()
                && let Some(ran) = compiled::run_path(worker, &mut cta, next..range.end)
            {
                let begun = ran.ended - u64::from(ran.all);
                (next, self.blocks) = (next + begun, self.blocks + begun);
                self.account(worker, &ran, begun);
                status = ran.all.then_some(BlockStatus::Done);
            }
            let status = status.unwrap_or_else(|| block::run::<O, WIDE>(worker, &mut cta));
            if matches!(status, BlockStatus::Done) {
                cta.observer.block_left(&mut worker.findings);
            }
            if !matches!(status, BlockStatus::Yielded) {
                cta.observer.block_complete();
            }
            cta.observer.turn_end(&mut self.world);
            match status {
                BlockStatus::Done => {
                    cluster::end(worker, &cta);
                    self.retire(worker, cta);
                    idle = 0;
                    worker.patient = false;
                    if worker.findings.tracks_undefined && resident.is_empty() {
                        unwritten::presume_written(worker);
                    }
                    if worker.stopped.is_some() || self.must_repeat(worker) {
                        break;
                    }
                }
                BlockStatus::Yielded if self.charge_launch_budget(&mut cta) => {
                    self.retire(worker, cta);
                    break;
                }
                BlockStatus::Yielded => {
                    cluster::leave(worker, &mut cta);
                    resident.push_back(cta);
                    idle = if worker.progress == before { idle + 1 } else { 1 };
                    let all = resident.len() as u32;
                    let alone = next >= range.end || resident.len() + size > most.max(size);
                    worker.patient = alone && idle > IDLE_ROUNDS * all;
                    let known_endless = alone
                        && worker.patient
                        && endless_loop::all_loop_for_ever(
                            worker,
                            resident.iter_mut().rev().take(1).flat_map(|cta| &mut cta.warps),
                        )
                        && endless_loop::all_loop_for_ever(
                            worker,
                            resident.iter_mut().flat_map(|cta| &mut cta.warps),
                        );
                    let most_idle = IDLE_ROUNDS * all + MAX_IDLE_ROUNDS * all.min(PATIENT_BLOCKS);
                    if known_endless || alone && idle > most_idle {
                        let held = resident.iter_mut().position(|cta| block::has_threads_waiting_within(cta));
                        let held = held
                            .or_else(|| resident.iter_mut().position(|cta| block::has_waiting_threads(cta)));
                        let on_object = |cta: &mut Box<Cta<O>>| stuck::polls_mbarrier(worker, cta);
                        let held = held.or_else(|| resident.iter_mut().position(on_object));
                        let held = held.and_then(|n| resident.remove(n));
                        if let Some(mut cta) = held {
                            cluster::enter(worker, &mut cta);
                            let more = not_begun(resident.len() as u64 + 1, range.end - next);
                            stuck::deadlock(worker, &mut cta, more);
                            self.retire(worker, cta);
                            break;
                        }
                        let mut cta = resident.pop_front().expect("a block yielded");
                        let (begun, waiting) = (resident.len() as u64 + 1, range.end - next);
                        let looks = external_wait::of_block(worker, &mut cta, u64::MAX);
                        let for_host = external_wait::waits_for_host(worker, &looks);
                        if let Some(at) = block::looping_thread(&mut cta).filter(|_| for_host.is_none()) {
                            worker.findings.add(FindingKind::EndlessLoop, at, None, || {
                                [Evidence::NothingChanges].into_iter().chain(not_begun(begun, waiting))
                            });
                            worker.polled = external_wait::in_device_memory(worker, &looks);
                        }
                        worker.stopped = Some(for_host.unwrap_or(Outcome::Stopped));
                        self.retire(worker, cta);
                        break;
                    }
                }
                BlockStatus::Stopped => {
                    self.retire(worker, cta);
                    break;
                }
                BlockStatus::BudgetSpent(warp) if step_budget::may_continue(worker, &mut cta, warp) => {
                    cluster::leave(worker, &mut cta);
                    resident.push_front(cta)
                }
                BlockStatus::BudgetSpent(warp) => {
                    resident.push_front(cta);
                    step_budget::tell(worker, resident.make_contiguous(), warp);
                    let cta = resident.pop_front().expect("the block that is spent");
                    self.retire(worker, cta);
                    break;
                }
            }
        }
        self.free.extend(resident);
    }

    /// Begins the cluster whose first block is the `next`-th, and appends its blocks to `resident`.
    fn begin(&mut self, worker: &mut WorkerState, resident: &mut VecDeque<Box<Cta<O>>>, next: u64) {
        let launch = self.launch;
        let size = launch.extents.cluster.count();
        let mut place = 0;
        for n in next..next + size {
            let mut cta = self.free.pop().unwrap_or_else(|| Box::new(Cta::new(launch, self.wide)));
            if launch.extents.clustered && n == next {
                let lanes: Vec<u32> = cta.warps.iter().map(|warp| warp.lanes).collect();
                place = worker.clusters.begin(size, &lanes);
            }
            let (index, rank) = launch.block_at(n);
            cta.begin(launch, index, rank, place);
            cluster::leave(worker, &mut cta);
            resident.push_back(cta);
            self.blocks += 1;
        }
    }

    /// Returns whether the launch must be repeated on one host thread, for what this one or another has found.
    fn must_repeat(&self, worker: &WorkerState) -> bool {
        let Some(repeat) = self.must_repeat else { return false };
        if !worker.findings.is_empty() || worker.findings.tracks_undefined {
            repeat.store(true, Relaxed);
        }
        repeat.load(Relaxed)
    }

    /// Returns approximately how many bytes a block occupies: registers, local and shared memory.
    fn block_bytes(&self) -> u64 {
        let (fixed, code) = (self.launch.code.device.fixed, self.launch.code);
        let frame = code.functions[self.launch.kernel.function as usize].frame;
        let local = code.functions[self.launch.kernel.function as usize].local_bytes;
        let warp = (fixed.r32 + frame.r32) as u64 * 128 + (fixed.r64 + frame.r64) as u64 * 256 + local * 36;
        (warp * self.launch.extents.warps() as u64 + self.launch.extents.shared_bytes * 5).max(1)
    }

    /// Returns whether the launch must end, because its budget is spent or from outside, after adding the steps of this
    /// block since the last call.
    fn charge_launch_budget(&self, cta: &mut Cta<O>) -> bool {
        self.launch.budget.spent.fetch_add(cta.steps.charge_to_launch(), Relaxed);
        self.launch.budget.is_spent() || self.launch.is_stopped()
    }

    /// Accounts for blocks that were run along a path. `begun`: how many of these made room for another one, so that they are
    /// not retired.
    fn account(&mut self, worker: &mut WorkerState, ran: &PathRun, begun: u64) {
        if let Some(progress) = &self.launch.options.progress {
            progress.blocks_ended(begun);
        }
        let warps = u64::from(self.launch.extents.warps());
        worker.progress += ran.ended * warps;
        if let Some(compiled) = &mut worker.compiled {
            compiled.add_compiled_work(ran.ended * ran.work.steps);
        }
        self.launch.budget.spent.fetch_add(ran.ended * ran.work.steps, Relaxed);
        self.pace.warp_cycles += ran.ended * ran.work.warp_cycles;
        self.pace.block_cycles += ran.ended * ran.work.longest_cycles;
        if ran.ended > 0 {
            self.pace.longest_cycles = self.pace.longest_cycles.max(ran.work.longest_cycles);
        }
    }

    fn retire(&mut self, worker: &mut WorkerState, mut cta: Box<Cta<O>>) {
        if let Some(progress) = self.launch.options.progress.as_ref().filter(|_| worker.stopped.is_none()) {
            progress.blocks_ended(1);
        }
        undefined_bytes::emit_block(worker, &mut cta);
        if let Some(compiled) = &mut worker.compiled {
            compiled.add_work(cta.steps.done);
        }
        if self.charge_launch_budget(&mut cta) && worker.stopped.is_none() {
            worker.stopped = Some(match self.launch.is_stopped() {
                true => Outcome::Stopped,
                false => Outcome::LaunchBudgetSpent { line: None },
            });
        }
        if !cta.output.is_empty() {
            worker.output.add(
                cta.index,
                std::mem::take(&mut cta.output),
                self.launch.options.output_limit_bytes,
            );
        }
        worker.output.cut |= std::mem::take(&mut cta.output_cut);
        let longest = cta.warps.iter().map(|w| w.cycles).max().unwrap_or(0);
        self.pace.warp_cycles += cta.warps.iter().map(|w| w.cycles).sum::<u64>();
        self.pace.block_cycles += longest;
        let slept = cta.warps.iter().map(|w| w.passed.slept()).max().unwrap_or(0);
        self.pace.slept_cycles += slept;
        self.pace.longest_cycles = self.pace.longest_cycles.max(longest + slept);
        self.free.push(cta);
    }

    /// Returns the counts of the last [`BlockRunner::run`]'s blocks, except those that [`work::count`] derives from the
    /// runs of basic blocks.
    fn counts(&mut self, worker: &mut WorkerState) -> Counts {
        let launch = self.launch;
        let code = launch.code;
        let mut counts = Counts {
            blocks: self.blocks,
            warps: self.blocks * launch.extents.warps() as u64,
            threads: self.blocks * launch.extents.block_threads(),
            branches: worker.executed.control.branches,
            divergent_branches: worker.executed.control.divergent_branches,
            barriers: worker.executed.control.barriers,
            pace: std::mem::take(&mut self.pace),
            ..Counts::default()
        };
        for cta in &mut self.free {
            let mut observer = std::mem::take(&mut cta.observer);
            worker.recording = observer.take_recording().or(worker.recording.take());
            observer.add_counts(code, &mut counts);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_hold_every_block_once_and_become_smaller() {
        for (blocks, threads) in [(1, 1), (5, 2), (64, 2), (1000, 3), (1024, 2), (65_537, 16)] {
            let all = chunks(blocks, threads);
            let ends = all.iter().map(|chunk| chunk.end);
            assert!(all.iter().map(|chunk| chunk.start).eq([0].into_iter().chain(ends).take(all.len())));
            assert_eq!(all.last().map(|chunk| chunk.end), Some(blocks));
            let sizes = all.iter().map(|chunk| chunk.end - chunk.start);
            assert!(sizes.is_sorted_by(|before, after| before >= after), "{blocks} by {threads}: {all:?}");
            assert!(all.len() as u64 <= 8 * threads + 2 * SMALLEST_CHUNKS, "{blocks} by {threads}: {all:?}");
        }
    }
}
