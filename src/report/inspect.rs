//! What a file compiles to, kernel by kernel.

use super::diagnostic::DiagnosticView;
use super::layout::{grouped, pad, pad_left, paragraph, plural, spread, truncate};
use super::{Style, diagnostic, escape, paint};
use serde::Serialize;
use sim::FindingKind;

/// What a file compiles to.
#[derive(Clone, Debug, Serialize)]
pub struct InspectView {
    pub file: String,
    /// Such as `8.0`.
    pub compute_capability: String,
    pub kernels: Vec<KernelView>,
    /// Instructions that the simulator lacks; empty if it has all of them.
    pub unsupported: Vec<UnsupportedView>,
    /// The compiler's messages, where the file does not compile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<DiagnosticView>,
}

/// One kernel's resources and instructions.
#[derive(Clone, Debug, Serialize)]
pub struct KernelView {
    pub name: String,
    /// Per thread.
    pub registers: u32,
    /// Per thread.
    pub spill_bytes: u32,
    /// Per thread: stack frame and spills.
    pub local_bytes: u32,
    /// Static shared memory per block.
    pub shared_bytes: u32,
    pub occupancy: Vec<OccupancyView>,
    /// Number of static PTX instructions.
    pub instructions: u64,
    /// Instructions by class, the most frequent first.
    pub mix: Vec<ClassShare>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ptx: Vec<PtxLine>,
    /// See [`advice`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<KernelAdvice>,
}

/// Advice that follows from a kernel's use of resources.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelAdvice {
    pub code: &'static str,
    pub slug: &'static str,
    pub text: String,
}

/// Block size by which occupancy is judged, and the percentage below which it counts as low.
const USUAL_BLOCK: u32 = 256;
const LOW_PERCENT: f64 = 50.0;

/// Returns advice on a kernel, from the resource usage that the compiler reports.
pub fn advice(kernel: &KernelView) -> Vec<KernelAdvice> {
    let mut all = Vec::new();
    let mut tell = |code: FindingKind, text: String| {
        all.push(KernelAdvice { code: code.code(), slug: code.slug(), text })
    };
    if kernel.spill_bytes > 0 {
        let bytes = plural(kernel.spill_bytes.into(), "byte", "bytes");
        tell(
            FindingKind::RegisterSpill,
            format!("{bytes} per thread that registers should hold are kept in memory"),
        );
    }
    if kernel.local_bytes > kernel.spill_bytes {
        let bytes = plural((kernel.local_bytes - kernel.spill_bytes).into(), "byte", "bytes");
        tell(
            FindingKind::LocalArray,
            format!("{bytes} per thread of arrays, or of printf() arguments, are in local memory"),
        );
    }
    let usual = kernel.occupancy.iter().find(|row| row.block_threads == USUAL_BLOCK);
    if let Some(row) = usual.filter(|row| row.percent < LOW_PERCENT) {
        tell(
            FindingKind::LowOccupancy,
            format!(
                "with {USUAL_BLOCK} threads per block, {} of {} warps are resident at once, limited by {}",
                row.warps,
                row.max_warps,
                row.limits.join(", ")
            ),
        );
    }
    all
}

/// How many blocks of a given size fit a multiprocessor at once.
#[derive(Clone, Debug, Serialize)]
pub struct OccupancyView {
    pub block_threads: u32,
    pub blocks: u32,
    pub warps: u32,
    pub max_warps: u32,
    pub percent: f64,
    /// The resources that limit occupancy: `threads`, `blocks`, `registers`, `shared`.
    pub limits: Vec<&'static str>,
}

/// The number of instructions of one class.
#[derive(Clone, Debug, Serialize)]
pub struct ClassShare {
    pub class: String,
    pub count: u64,
}

/// One PTX instruction.
#[derive(Clone, Debug, Serialize)]
pub struct PtxLine {
    /// Line of the learner's file; 0 where it is not known.
    pub line: u32,
    /// The text of that line, on the first of consecutive instructions from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    pub text: String,
}

/// Something that the simulator lacks, and where it is used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnsupportedView {
    pub what: String,
    /// 0 where it is not known.
    pub line: u32,
}

/// Renders the kernels of a file, one after the other.
pub fn inspect(view: &InspectView, style: &Style) -> String {
    let mut out = String::new();
    if !view.diagnostics.is_empty() {
        out += &format!("{}\n", paint::bad(&format!("✗ {}: does not compile", escape(&view.file))));
        view.diagnostics.iter().for_each(|d| out += &diagnostic::render(d, style.width));
        return out;
    }
    for (i, kernel) in view.kernels.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out += &self::kernel(kernel, &view.compute_capability, style);
    }
    if view.kernels.is_empty() {
        out += &paragraph(&format!("{} has no kernel.", escape(&view.file)), style.width, 0);
    }
    out.push('\n');
    if view.unsupported.is_empty() {
        out += &paragraph("The simulator supports every instruction of this file.", style.width, 0);
    } else {
        out += "Unsupported by the simulator (ours to fix):\n";
        for u in &view.unsupported {
            let line = if u.line > 0 { format!(", line {}", u.line) } else { String::new() };
            out += &paragraph(&format!("{}{line}", escape(&u.what)), style.width, 2);
        }
    }
    out
}

fn kernel(kernel: &KernelView, capability: &str, style: &Style) -> String {
    let width = style.width;
    let mut out = spread(
        &escape(&kernel.name),
        &format!("compute capability {}", escape(capability)),
        width,
        paint::bold,
    );
    let mut facts = vec![format!("{} per thread", plural(kernel.registers.into(), "register", "registers"))];
    facts.push(match kernel.spill_bytes {
        0 => "no spills".into(),
        n => format!("{} spilled", plural(n.into(), "byte", "bytes")),
    });
    if kernel.local_bytes > 0 {
        facts.push(format!(
            "{} of local memory per thread",
            plural(kernel.local_bytes.into(), "byte", "bytes")
        ));
    }
    facts.push(match kernel.shared_bytes {
        0 => "no static shared memory".into(),
        n => format!("{} of shared memory per block", plural(n.into(), "byte", "bytes")),
    });
    out += &paragraph(&facts.join(", "), width, 2);
    out += &occupancy(&kernel.occupancy, width);
    out += &mix(kernel, width);
    for advice in &kernel.advice {
        let text = format!("{} [{}]: {}.", advice.slug, advice.code, advice.text);
        out += &format!("\n{}", paragraph(&text, width, 2));
    }
    if !kernel.ptx.is_empty() {
        out.push('\n');
        for line in &kernel.ptx {
            if let Some(source) = &line.source {
                let text = format!("{:>4} │ {}", line.line, escape(source.trim()));
                out += &format!("{}\n", paint::accent(&truncate(&text, width)));
            }
            let text = format!("         {}", escape(&line.text));
            out += &format!("{}\n", truncate(&text, width));
        }
    }
    out
}

/// Page width below which the limits of occupancy are on a line of their own.
const NARROW: usize = 65;
const HEAD: &str = "threads / block   blocks   warps   occupancy   limited by";
const NARROW_HEAD: &str = "threads   blocks   warps    full";

fn occupancy(rows: &[OccupancyView], width: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!("\n  {}\n", paint::dim(if width < NARROW { NARROW_HEAD } else { HEAD }));
    for row in rows {
        let by = match (row.blocks, row.limits.as_slice()) {
            (0, limits) => format!("does not fit: {}", limits.join(", ")),
            (_, limits) => limits.join(", "),
        };
        let threads = grouped(row.block_threads.into());
        let warps = format!("{}/{}", row.warps, row.max_warps);
        let percent = format!("{:.0} %", row.percent);
        let (first, last) = if width < NARROW { (7, 8) } else { (15, 12) };
        let (threads, blocks) = (pad_left(&threads, first), pad_left(&row.blocks.to_string(), 9));
        let line = format!("  {threads}{blocks}{}{}", pad_left(&warps, 8), pad_left(&percent, last));
        out += &match width < NARROW {
            true => format!("{line}\n{}", paragraph(&by, width, 6)),
            false => truncate(&format!("{line}   {by}"), width) + "\n",
        };
    }
    out
}

fn mix(kernel: &KernelView, width: usize) -> String {
    let mut out = format!("\n  {}\n", plural(kernel.instructions, "PTX instruction", "PTX instructions"));
    let name = kernel.mix.iter().map(|m| m.class.len()).max().unwrap_or(0);
    let most = kernel.mix.iter().map(|m| m.count).max().unwrap_or(1).max(1);
    let room = width.saturating_sub(4 + name + 8).clamp(4, 40) as u64;
    for share in &kernel.mix {
        let bar = "▪".repeat((share.count * room).div_ceil(most) as usize);
        out += &format!(
            "    {}{}  {}\n",
            pad(&escape(&share.class), name),
            pad_left(&grouped(share.count), 6),
            paint::dim(&bar)
        );
    }
    out
}
