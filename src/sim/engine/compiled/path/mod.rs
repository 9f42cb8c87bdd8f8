//! Runs the blocks of a launch along the path that nearly all of them follow: see [`KernelPath`](crate::kernel_code::KernelPath).
//!
//! The interpreter runs one block while it is recorded what that block executes. Where other blocks must execute the same, code
//! is made of it. A block that does not follow the path all the same, or of which an access may have to be reported, is run as
//! any other. It finds everything as it was when it began, but for accesses that its own threads have recorded, which they
//! then record again.
//!
//! - `record`: records a block.
//! - `steady`: what of it is the same in every block.
//! - `compile`: the code of a path, and what a block counts that follows it.
//! - `blocks`: runs blocks. `places`: what they access. `lines`: which lines of it are recorded.
//! - `row`: blocks of which that is known before they run. `strides`: how it moves from one block to the next.

mod blocks;
mod compile;
mod lines;
mod places;
mod record;
mod row;
mod steady;
mod strides;

use super::region::lock;
use super::session::blank_context;
use super::{Compiled, CompiledKernel};
use crate::code::{Inst, What};
use crate::engine::observer::Observer;
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::lanes::{FULL, LANES};
use blocks::{PathBlocks, PathVersion};
use compile::{CompiledPath, PathWork};
use record::Recorder;
pub use row::LastRow;
use std::ops::Range;
use std::sync::Arc;

/// Fewest blocks that must be left of a launch for a path to be looked for.
const MIN_BLOCKS: u64 = 8;

/// Most paths of a kernel, and how many times one may be looked for in vain.
const MAX_PATHS: usize = 8;
const MAX_FAILURES: u32 = 4;

/// Most blocks that run before the launch's budget and whether it is to stop are looked at again.
const MAX_BLOCKS: u64 = 256;

/// Most blocks that are run in the usual way after one that did not follow the path.
const MAX_PAUSE: u64 = 1024;

/// The paths of a kernel, in all its launches.
#[derive(Debug, Default)]
pub struct Paths {
    compiled: Vec<Arc<CompiledPath>>,
    failures: u32,
    /// The host thread that records a path, or compiles it, has this too; others would mostly record the same.
    recording: Arc<()>,
}

/// Whether a worker runs blocks along a path, in a launch.
#[derive(Debug, Default)]
pub enum Following {
    /// Not yet.
    #[default]
    Undecided,
    /// The block that runs is recorded; with [`Paths::recording`].
    Recording(Box<Recorder>, Arc<()>),
    /// Yes, and when.
    Ready(Box<PathVersion>, Pause),
    /// No.
    Never,
}

/// When blocks are run along a path.
#[derive(Debug, Default)]
pub struct Pause {
    /// How many blocks are still to be run in the usual way, and how many are to be the next time.
    rest: u64,
    next: u64,
}

/// The blocks that were run along a path.
#[derive(Debug)]
pub struct PathRun {
    /// How many blocks have ended, and whether the last one that began is among them.
    pub ended: u64,
    pub all: bool,
    /// What each of them executed.
    pub work: PathWork,
}

impl Following {
    /// Returns whether the block that runs is recorded.
    pub fn is_recording(&self) -> bool {
        matches!(self, Following::Recording(..))
    }

    fn is_repeatable(&self, block: u64) -> bool {
        matches!(self, Following::Ready(version, _) if version.is_repeatable(block))
    }

    /// Has an observer count what blocks did that were run along a path since it last counted.
    pub fn count<O: Observer>(&mut self, worker: &mut WorkerState, observer: &mut O) {
        if let Following::Ready(version, _) = self {
            version.count(worker, observer);
        }
    }
}

/// Runs a block that has just begun, and those that follow, for as long as they follow the path. `next`: the places in the
/// launch's order of the blocks after it. Returns `None` if there is no path.
pub fn run_path<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    next: Range<u64>,
) -> Option<PathRun> {
    match &mut worker.compiled.as_mut()?.following {
        Following::Never => return None,
        Following::Ready(version, pause) if pause.rest > 0 => {
            pause.rest -= 1;
            worker.is_repeatable = version.is_repeatable(cta.index);
            return None;
        }
        _ => {}
    }
    if worker.findings.tracks_undefined || worker.patient {
        return None;
    }
    let mut compiled = worker.compiled.take()?;
    let mut following = std::mem::take(&mut compiled.following);
    if let Following::Undecided | Following::Recording(..) = following {
        following = look(worker, cta, &compiled, (following, next.end - next.start));
    }
    let mut ran = None;
    if let Following::Ready(version, pause) = &mut following {
        ran = run_blocks(worker, cta, version, next);
        if let Some(ran) = ran.as_ref().filter(|ran| !ran.all) {
            pause.rest = if ran.ended > 0 { 0 } else { pause.next };
            pause.next = (2 * pause.rest + 1).min(MAX_PAUSE);
        }
    }
    worker.is_repeatable = following.is_repeatable(cta.index);
    compiled.following = following;
    worker.compiled = Some(compiled);
    ran
}

/// Decides whether blocks are run along a path. `left`: how many blocks are left of the launch.
fn look<O: Observer>(
    worker: &WorkerState,
    cta: &mut Cta<O>,
    compiled: &Compiled,
    (before, left): (Following, u64),
) -> Following {
    if !worker.launch.extents.block_threads().is_multiple_of(LANES as u64) {
        return Following::Never;
    }
    let always = compiled.after == 0;
    let Some(kernel) = compiled.kernel.as_deref() else { return Following::Undecided };
    let ready =
        |path: Arc<CompiledPath>| Following::Ready(Box::new(PathVersion::new(path)), Pause::default());
    if let Following::Recording(recorder, _recording) = before {
        return match make(worker, cta, kernel, *recorder) {
            Some(path) => ready(path),
            None => {
                lock(&kernel.paths).failures += 1;
                Following::Undecided
            }
        };
    }
    let paths = lock(&kernel.paths);
    if let Some(path) = paths.compiled.iter().find(|path| path.suits(&cta.warps, cta.shared_bytes)) {
        return ready(path.clone());
    }
    if paths.failures >= MAX_FAILURES || paths.compiled.len() >= MAX_PATHS {
        return Following::Never;
    }
    let is_alone = Arc::strong_count(&paths.recording) == 1;
    match always || is_alone && left >= MIN_BLOCKS && kernel.is_worth_compiling(compiled.work()) {
        true => {
            let recorder = Recorder::new(worker, cta.warps.len());
            Following::Recording(Box::new(recorder), paths.recording.clone())
        }
        false => Following::Undecided,
    }
}

/// Compiles the path that a block has followed. `cta`: a block that has just begun.
fn make<O: Observer>(
    worker: &WorkerState,
    cta: &mut Cta<O>,
    kernel: &CompiledKernel,
    recorder: Recorder,
) -> Option<Arc<CompiledPath>> {
    let (steps, control) = recorder.end(worker)?;
    let code = worker.launch.code;
    let steady = steady::path(kernel, code, (&mut cta.warps, cta.shared_bytes), &steps)?;
    let path = CompiledPath::new(worker.launch, steady, control, cta.shared_bytes)?;
    let path = Arc::new(path);
    lock(&kernel.paths).compiled.push(path.clone());
    Some(path)
}

/// Executes an arithmetic instruction for some lanes of a warp.
fn execute(warp: &mut Warp, inst: &Inst, mask: u32) {
    if let What::Lanes(handler) = inst.what {
        warp.registers.set_mask(mask);
        // SAFETY: there is an emitter only for processors that have the handler's features.
        unsafe { (handler.wide)(&mut warp.registers, inst) };
        warp.registers.set_mask(FULL);
    }
}

fn run_blocks<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    version: &mut PathVersion,
    next: Range<u64>,
) -> Option<PathRun> {
    let launch = worker.launch;
    let path = version.path.clone();
    let left = launch.budget.left() / path.work.steps.max(1);
    let most = left.min(next.end - next.start + 1).min(MAX_BLOCKS);
    if most == 0 || path.work.steps > cta.steps.limit {
        return None;
    }
    let mut context = blank_context(cta);
    cta.observer.prepare_compiled(&mut context);
    let mut blocks = PathBlocks::new(version, &mut cta.warps, context.trace_mask);
    let (mut ended, mut all) = (0, true);
    while ended < most && all {
        // The first of these has begun.
        let first = next.start - 1;
        let rest = first + ended..first + most;
        let ran;
        (ran, all) = blocks.run(worker, cta, (rest, ended == 0));
        ended += ran;
    }
    version.uncounted += ended;
    Some(PathRun { ended, all, work: path.work })
}
