//! The contents of a page as data: `gpulearn.view/1`.

use super::steps::{self, Steps};
use super::{Launch, Run};
use picture::{BufferShape, Reduction, Scene, gantt, memory};
use report::{FindingView, ImageView, VerdictView};
use serde::{Deserialize, Serialize};
use sim::time::{KernelWork, duration, wait_cycles};
use sim::{AccessKind, Class, LineAccess, Multiprocessor, Picture, PictureKind};
use std::collections::BTreeMap;

/// Columns of a picture: as wide as the page.
const COLUMNS: usize = 112;

/// The data that a page is generated from. [`report::json`] documents the fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub title: String,
    pub file: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub case: String,
    pub gpu: GpuView,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<VerdictView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<Scene>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageView>,
    pub findings: Vec<FindingView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
    pub lines: Vec<LineView>,
    pub accesses: Vec<AccessView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<Reduction>,
    pub launches: Vec<LaunchView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Scene>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Scene>,
}

/// The GPU that times are modelled on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuView {
    pub name: String,
    /// Bandwidth of device memory, as a copy reaches it.
    pub memory_gbps: f64,
    /// Rate of single-precision multiply-adds, counted as two operations each.
    pub f32_gflops: f64,
    pub multiprocessor: Multiprocessor,
}

/// The work of warps on one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineView {
    pub line: u32,
    pub instructions: u64,
    /// Modelled: how long each warp would wait for the line's results if it ran alone, summed over warps.
    pub wait_cycles: u64,
    pub sectors: u64,
    pub sectors_needed: u64,
    pub passes: u64,
    pub passes_needed: u64,
}

/// The accesses of a line to one buffer, of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessView {
    pub line: u32,
    pub text: String,
    pub requests: u64,
    pub units: u64,
    pub least: u64,
    /// The most wasteful warp's access.
    pub picture: Picture,
    /// Where in the whole buffer that warp is; `None` unless the buffer has several rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_buffer: Option<Scene>,
}

/// A kernel launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchView {
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Per thread; `None` where the machine code's usage is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    pub shared_bytes: u32,
    pub modelled_ns: u64,
    pub flops: u64,
    pub dram_bytes: u64,
    pub bound_by: String,
}

impl Document {
    pub fn new(run: &Run) -> Document {
        let gpu = &run.model.gpu;
        let rate = 2.0 * gpu.results_per_cycle.of(Class::Float32) * f64::from(gpu.sms) * gpu.clock_ghz;
        let (uses, end_ns) = run.memory;
        Document {
            title: run.title.into(),
            file: run.file.into(),
            source: run.source.into(),
            case: run.case.into(),
            gpu: GpuView {
                name: run.model.properties.name.clone(),
                memory_gbps: gpu.dram_rate(),
                f32_gflops: rate,
                multiprocessor: gpu.sm,
            },
            wrong: run.wrong.cloned(),
            elements: run.elements.cloned(),
            image: run.image.cloned(),
            findings: run.findings.to_vec(),
            steps: run.recorded.as_ref().and_then(steps::steps),
            lines: lines(run),
            accesses: accesses(run)
                .map(|(line, access)| AccessView::new(line, access, run.buffers))
                .collect(),
            reductions: reductions(run),
            launches: run.launches.iter().map(|launch| LaunchView::new(launch, run)).collect(),
            timeline: gantt(run.spans),
            memory: memory(uses, end_ns, COLUMNS),
        }
    }

    /// Returns whether the source has line `line` of `file`.
    pub(crate) fn has_line(&self, file: Option<&str>, line: u32) -> bool {
        let own = file.is_none_or(|file| file == self.file);
        own && line > 0 && self.source.lines().count() >= line as usize
    }
}

/// Returns the reductions; none if there is a defect in a kernel, since the picture might show the defect.
fn reductions(run: &Run) -> Vec<Reduction> {
    let is_right = run.findings.iter().all(|finding| finding.is_advice() || finding.kernel.is_none());
    let seen = run.profile.reductions.iter().filter(|_| is_right);
    seen.map(|seen| Reduction::new(seen, run.file)).collect()
}

/// Returns the accesses of lines in the run's own file, each with its line. Those in headers are left out.
fn accesses<'a>(run: &'a Run) -> impl Iterator<Item = (u32, &'a LineAccess)> {
    let line = |access: &LineAccess| {
        let at = access.at.location.as_ref().filter(|at| *at.file == *run.file)?;
        Some(at.line)
    };
    run.profile.accesses.iter().filter_map(move |access| Some((line(access)?, access)))
}

/// Returns the lines of the run's own file that did any work. Those in other files, such as headers, are left
/// out.
fn lines(run: &Run) -> Vec<LineView> {
    let mut lines: BTreeMap<u32, LineView> = BTreeMap::new();
    // Of several launches, waits are those of the one that waits most for memory.
    let waits = |work: &&KernelWork| work.counts.pace.waits.global;
    let work = run.launches.iter().map(|launch| &launch.work).max_by_key(waits);
    for (at, its) in run.profile.lines.iter().filter(|(at, _)| *at.file == *run.file) {
        let line = lines.entry(at.line).or_default();
        line.instructions += its.instructions;
        line.wait_cycles += work.map_or(0.0, |work| wait_cycles(&run.model.gpu, work, &its.waits)) as u64;
    }
    // Atomics are counted in turns of lanes, which are neither sectors nor passes.
    for (line, access) in accesses(run).filter(|(_, access)| access.at.kind != AccessKind::Atomic) {
        let line = lines.entry(line).or_default();
        let (units, needed) = match access.picture.kind {
            PictureKind::Sectors => (&mut line.sectors, &mut line.sectors_needed),
            PictureKind::Banks => (&mut line.passes, &mut line.passes_needed),
        };
        *units += access.units;
        *needed += access.least;
    }
    lines.into_iter().map(|(line, its)| LineView { line, ..its }).collect()
}

impl AccessView {
    fn new(line: u32, access: &LineAccess, buffers: &[BufferShape]) -> AccessView {
        AccessView {
            line,
            text: report::access_line(access),
            requests: access.requests,
            units: access.units,
            least: access.least,
            picture: access.picture.clone(),
            on_buffer: report::on_buffer(access, buffers),
        }
    }
}

impl LaunchView {
    fn new(launch: &Launch, run: &Run) -> LaunchView {
        let work = &launch.work;
        let modelled = duration(&run.model.gpu, work);
        let flops = &work.counts.flops;
        let (grid, block) = (launch.config.grid, launch.config.block);
        LaunchView {
            kernel: launch.kernel.clone(),
            grid: [grid.x, grid.y, grid.z],
            block: [block.x, block.y, block.z],
            registers: work.registers,
            shared_bytes: work.shared_bytes,
            modelled_ns: modelled.ns,
            flops: flops.f16 + flops.bf16 + flops.tf32 + flops.f32 + flops.f64,
            dram_bytes: modelled.dram_bytes,
            bound_by: modelled.bound_by.name().into(),
        }
    }
}
