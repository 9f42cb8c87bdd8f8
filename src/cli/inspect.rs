//! `inspect`: what a file compiles to, kernel by kernel.

use super::own_headers::OwnArgs;
use super::source_text::read_source;
use super::{Answer, Context, Exit, Result, find_lesson, target};
use compiler::{self, Diagnostic, KernelResources, Refused, Request};
use cpp::Source;
use judge::{Failure, NoResult};
use ptx::{self, Location, Statement};
use report::{
    self, ClassShare, DiagnosticView, Files, InspectView, KernelView, OccupancyView, PtxLine, UnsupportedView,
};
use sim::{BlockNeeds, LoadError, Module, Multiprocessor, SourceLocation};
use std::path::{Path, PathBuf};

/// Block sizes for which occupancy is shown.
const BLOCKS: [u32; 5] = [64, 128, 256, 512, 1024];

#[derive(clap::Args)]
pub struct Args {
    /// A lesson (slug, start of its slug, or number) or a .cu file
    #[arg(value_name = "LESSON|FILE.cu")]
    target: String,
    /// Compute capability, such as 9.0 for an H100
    #[arg(long, value_name = "X.Y", value_parser = capability)]
    arch: Option<(u32, u32)>,
    /// Dynamic shared memory per block, which only the launch knows
    #[arg(long, value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    shared: u32,
    /// Show the PTX next to the lines it comes from
    #[arg(long)]
    ptx: bool,
    #[command(flatten)]
    own: OwnArgs,
}

/// Parses a compute capability whose limits are known; `8.0`, `80` and `sm_80` are the same.
fn capability(text: &str) -> Result<(u32, u32), String> {
    let digits: String = text.trim_start_matches("sm_").chars().filter(|c| *c != '.').collect();
    let number: u32 = digits.parse().map_err(|_| "use a number such as 8.0".to_string())?;
    let pair = (number / 10, number % 10);
    match Multiprocessor::of(pair.0, pair.1) {
        Some(_) if pair >= (7, 5) => Ok(pair),
        _ => Err("use one of 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 10.3, 11.0, 12.0 and 12.1".into()),
    }
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    // A `.cu` file need not belong to a lesson; any other argument is resolved as in `check`.
    let (name, path) = if args.target.ends_with(".cu") {
        (args.target.clone(), PathBuf::from(&args.target))
    } else {
        let target = target::named(args.target.as_ref(), None, context)?;
        (target.shown, target.path)
    };
    let of_lesson = find_lesson::of_path(&path, context.course()?).map(|l| l.spec.compute_capability);
    let arch = args.arch.or(of_lesson.map(|c| (c.major, c.minor))).unwrap_or_else(|| usual(&path, &name));
    let mut view = InspectView {
        file: name.clone(),
        compute_capability: format!("{}.{}", arch.0, arch.1),
        kernels: Vec::new(),
        unsupported: Vec::new(),
        diagnostics: Vec::new(),
    };
    match compile(&name, &path, arch, &args.own, context)? {
        Ok((source, compiled)) => fill(&mut view, &source, &compiled, arch, &args),
        Err(diagnostics) => view.diagnostics = diagnostics,
    }
    context.show("gpulearn.inspect/1", &view, |context| Ok(report::inspect(&view, &context.style)))?;
    Ok(if view.diagnostics.is_empty() { Exit::Pass } else { Exit::Fails })
}

/// Returns the default compute capability of a file: 9.0 (Hopper) if it uses `wgmma`, which only Hopper has, else
/// 8.0.
fn usual(path: &Path, name: &str) -> (u32, u32) {
    match read_source(path, name) {
        Ok(Ok(source)) if source.contains("wgmma.") => (9, 0),
        _ => (8, 0),
    }
}

type Compiled = Result<(String, compiler::Compiled), Vec<DiagnosticView>>;

/// Compiles a file. Returns the source and the result, or the messages if it does not compile.
fn compile(name: &str, path: &Path, arch: (u32, u32), own: &OwnArgs, context: &Context) -> Result<Compiled> {
    let source = match read_source(path, name)? {
        Ok(source) => source,
        Err(failure) => return Ok(Err(messages(*failure, &Files::one(name, &Source::new("")), &[]))),
    };
    // Only the kernels of a whole program matter here; host code does not run on the GPU.
    let compiler = context.compiler()?;
    let own = own.of(compiler, &source, path);
    let (text, headers) = (Source::new(&source), own.headers());
    let files = Files { file: name, source: &text, headers: &headers };
    let compiled = own.request(&files, arch, |request| {
        compiler.compile(&Request { resources: true, program: has_main(&text), ..*request })
    });
    let describe = |failure| messages(failure, &files, &own.source.refused);
    Ok(match compiled {
        Ok(compiled) => Ok((source, compiled)),
        Err(error) => Err(describe(*NoResult::from(error).failure()?)),
    })
}

/// Returns whether a source is a whole program.
fn has_main(source: &Source) -> bool {
    source.calls("main").next().is_some()
}

fn messages(failure: Failure, files: &Files, refused: &[Refused]) -> Vec<DiagnosticView> {
    let plain = |message: String| vec![Diagnostic::error("", (0, 0), message)];
    let diagnostics = match failure {
        Failure::Compile(diagnostics) => diagnostics,
        Failure::Limit(limit) => plain(report::tool_limit(&limit)),
        other => plain(other.slug().into()),
    };
    diagnostics.iter().map(|d| DiagnosticView::of_files(d, files, refused, false)).collect()
}

fn fill(view: &mut InspectView, source: &str, compiled: &compiler::Compiled, arch: (u32, u32), args: &Args) {
    let unsupported = |what: String, line: Option<SourceLocation>| UnsupportedView {
        what,
        line: line.map_or(0, |l| l.line),
    };
    let tree = ptx::parse(&compiled.ptx);
    let module = match tree.as_ref().map_err(|error| LoadError::Parse(error.clone())).and_then(Module::load) {
        Ok(module) => {
            view.unsupported =
                module.unsupported().into_iter().map(|u| unsupported(u.what, u.line)).collect();
            Some(module)
        }
        Err(error) => {
            view.unsupported.push(match error {
                LoadError::Unsupported { what, line } => unsupported(what, line),
                LoadError::Parse(error) => unsupported(error.to_string(), None),
            });
            None
        }
    };
    let tree = tree.ok().filter(|_| args.ptx);
    view.kernels = compiled
        .resources
        .iter()
        .map(|kernel| {
            let mix = module.as_ref().and_then(|m| m.instruction_mix(&kernel.name)).unwrap_or_default();
            let mut view = KernelView {
                name: kernel.name.clone(),
                registers: kernel.registers,
                spill_bytes: kernel.spill_bytes,
                local_bytes: kernel.local_bytes,
                shared_bytes: kernel.shared_bytes,
                occupancy: occupancy(kernel, arch, args.shared),
                instructions: mix.iter().map(|(_, n)| n).sum(),
                mix: mix
                    .iter()
                    .map(|&(class, count)| ClassShare { class: class.name().into(), count })
                    .collect(),
                ptx: tree
                    .as_ref()
                    .map(|t| ptx_lines(t, &kernel.name, &view.file, source))
                    .unwrap_or_default(),
                advice: Vec::new(),
            };
            view.advice = report::kernel_advice(&view);
            view
        })
        .collect();
}

fn occupancy(kernel: &KernelResources, arch: (u32, u32), dynamic_shared_bytes: u32) -> Vec<OccupancyView> {
    let Some(sm) = Multiprocessor::of(arch.0, arch.1) else { return Vec::new() };
    let shared_bytes = kernel.shared_bytes.saturating_add(dynamic_shared_bytes);
    let row = |threads| {
        let needs = BlockNeeds { threads, registers: kernel.registers, shared_bytes };
        let occupancy = sm.occupancy(needs);
        OccupancyView {
            block_threads: threads,
            blocks: occupancy.blocks,
            warps: occupancy.warps,
            max_warps: occupancy.max_warps,
            percent: occupancy.percent(),
            limits: occupancy.limits.iter().map(|l| l.name()).collect(),
        }
    };
    BLOCKS.map(row).into()
}

/// Returns a kernel's instructions, each with the line of the learner's file that it comes from.
fn ptx_lines(tree: &ptx::Module, kernel: &str, file: &str, source: &str) -> Vec<PtxLine> {
    let ours = tree.files.iter().find(|f| f.name == file).map(|f| f.index);
    let line_of = |at: &Location| match (Some(at.file) == ours, at.inlined_at) {
        (true, _) => at.line,
        (false, Some((file, line, _))) if Some(file) == ours => line,
        _ => 0,
    };
    let source: Vec<&str> = source.lines().collect();
    let mut lines: Vec<PtxLine> = Vec::new();
    let body = tree.functions.iter().find(|f| f.entry && f.name == kernel).and_then(|f| f.body.as_ref());
    let mut open: Vec<std::slice::Iter<Statement>> = body.iter().map(|b| b.iter()).collect();
    let mut here = 0;
    while let Some(block) = open.last_mut() {
        match block.next() {
            None => drop(open.pop()),
            Some(Statement::Block(inner)) => open.push(inner.iter()),
            Some(Statement::Location(at)) => here = line_of(at),
            Some(Statement::Label { name, .. }) => {
                lines.push(PtxLine { line: here, source: None, text: format!("{name}:") });
            }
            Some(Statement::Instruction(instruction)) => {
                let begins = lines.last().is_none_or(|l| l.line != here);
                let text = source.get((here as usize).wrapping_sub(1)).filter(|_| begins);
                lines.push(PtxLine {
                    line: here,
                    source: text.map(|t| t.to_string()),
                    text: instruction.to_string(),
                });
            }
            Some(_) => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_its_main() {
        for (source, is) in [
            ("int main() {}", true),
            ("int\nmain (int argc, char **argv)", true),
            ("__global__ void domain(int *a) {}", false),
            ("int remain(int a); float main_part;", false),
        ] {
            assert_eq!(has_main(&Source::new(source)), is, "{source}");
        }
    }
}
