//! Measures and caches what this card can do, so that achieved shares are comparable between cards.

use super::measured::{NotMeasured, Samples};
use super::sampling::{Method, Settings, sample};
use crate::on_gpu::{Gpu, OnGpu};
use compiler::digest::{digest, hex};
use gpu::LaunchRequest;
use serde::{Deserialize, Serialize};
use sim::{Arg, Dim3, LaunchConfig};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

const SOURCE: &str = include_str!("limits.cu");

/// The limits of one card.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Rate of a copy on the device in bytes per nanosecond (GB/s), reads and writes together.
    pub copy_gbps: f64,
    /// Rate of f32 multiply-adds in operations per nanosecond, two for each multiply-add.
    pub f32_gflops: f64,
    /// Rate of the matrix units in operations per nanosecond, for `mma` with f16 inputs and f32 sums; 0 where the
    /// card lacks it.
    pub matrix_gflops: f64,
    /// Time from the start of an empty kernel to the start of the next one in a graph, in nanoseconds.
    pub launch_ns: f64,
}

/// Number of 16-byte elements that are copied: far more than caches hold.
const COPIED: u32 = 1 << 24;
const ROUNDS: u32 = 4096;
const BLOCK: u32 = 256;
/// Blocks of the arithmetic kernels per multiprocessor.
const BLOCKS_EACH: u32 = 8;

impl Limits {
    /// Returns the limits from the cache on disk, or measures and caches them.
    ///
    /// # Errors
    ///
    /// Fails if they are not cached and can't be measured.
    pub fn of(gpu: &Gpu) -> Result<Limits, NotMeasured> {
        // A second caller waits and then finds what the first has measured.
        static MEASURING: Mutex<()> = Mutex::new(());
        let _one = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path(gpu);
        let kept = path.as_ref().and_then(|path| std::fs::read(path).ok());
        if let Some(limits) = kept.and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(limits);
        }
        let limits = Limits::measure(gpu)?;
        if let (Some(path), Ok(text)) = (path, serde_json::to_vec(&limits)) {
            // The cache only saves time: if it cannot be written, the limits are measured again.
            if let Some(folder) = path.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            let _ = crate::course::replace_file(&path, &text, false);
        }
        Ok(limits)
    }

    fn measure(gpu: &Gpu) -> Result<Limits, NotMeasured> {
        let program = OnGpu::load(SOURCE, "limits.cu", gpu)
            .map_err(|why| why.into_error("the kernels that measure limits"))?;
        let mut session = program.session();
        let bytes = u64::from(COPIED) * 16;
        let (from, to) = (session.allocate(bytes)?, session.allocate(bytes)?);
        let multiprocessors = gpu.info().map_or(1, |device| device.multiprocessors);
        let blocks = multiprocessors * BLOCKS_EACH;
        let warps = f64::from(blocks) * f64::from(BLOCK) / 32.0;
        let mut timed = |symbol: &str, blocks: u32, args: Vec<Arg>| {
            let (grid, block) = (Dim3::new(blocks, 1, 1), Dim3::new(BLOCK, 1, 1));
            let config = LaunchConfig { grid, block, dynamic_shared_bytes: 0 };
            let launch = LaunchRequest { symbol: symbol.into(), config, args };
            let turn = gpu.turns().alone();
            let mut samples = Samples::new(&mut session, vec![launch], 0, &turn);
            sample(&mut samples, &Settings::default()).map(|(method, summary)| (method, summary.median_ns))
        };
        let copy = vec![from.into(), to.into(), COPIED.into()];
        let (_, in_turns_ns) = timed("copy", blocks, copy.clone())?;
        let (_, each_ns) = timed("copy_each", COPIED.div_ceil(BLOCK), copy)?;
        let copy_ns = in_turns_ns.min(each_ns);
        let (_, f32_ns) = timed("multiply_add", blocks, vec![to.into(), 0.999f32.into(), ROUNDS.into()])?;
        let matrix_ns = if gpu.capability() >= (8, 0) {
            timed("matrix", blocks, vec![to.into(), 1u32.into(), ROUNDS.into()])?.1
        } else {
            f64::INFINITY
        };
        let (method, launch_ns) = timed("nothing", 1, Vec::new())?;
        debug_assert!(matches!(method, Method::Graph { .. }));
        let rounds = f64::from(ROUNDS);
        Ok(Limits {
            copy_gbps: 2.0 * bytes as f64 / copy_ns,
            f32_gflops: warps * 32.0 * rounds * 8.0 * 2.0 / f32_ns,
            matrix_gflops: warps * rounds * 4.0 * (2 * 16 * 8 * 16) as f64 / matrix_ns,
            launch_ns,
        })
    }
}

/// Returns the path of the cache file: one for each card, driver and version of the kernels.
fn path(gpu: &Gpu) -> Option<PathBuf> {
    let card = compiler::wire::encode(&(gpu.info()?, gpu.machine.driver)).ok()?;
    let name = hex(&digest([card.as_slice(), SOURCE.as_bytes()])[..8]);
    Some(compiler::cache_dir().ok()?.join("limits").join(format!("{name}.json")))
}
