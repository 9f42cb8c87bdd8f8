//! Records a block of one of a file's launches.

use super::super::judging::{self, OpenedFile};
use super::super::target::Target;
use super::super::{CommandError, Result};
use ::debug::{MemoryArray, Program};
use cpp::Source;
use judge::{Failure, Launches, NoResult, Recorded, RecordedPart, Verdict};
use report::escape;
use sim::{Access, Actor, Address, Dim3, Finding, RecordRequest, Recording};

/// Which block to record. What is `None` defaults to where something is wrong.
pub struct RecordChoice {
    pub case: Option<usize>,
    /// The launch; by default the one with a finding, or the first.
    pub launch: Option<usize>,
    pub block: Option<(u32, u32, u32)>,
    pub most_steps: usize,
}

/// A recorded block with its context.
pub struct RecordedBlock {
    pub text: String,
    pub file: String,
    pub recorded: Recorded,
    pub block: Dim3,
    /// The warp in which something is wrong, if known.
    pub warp: Option<u32>,
    /// Index of the launch, and the number of launches.
    launch: (usize, usize),
    most_steps: usize,
}

impl RecordedBlock {
    /// Returns the kernel's name, with the number of the launch if there are several.
    pub fn launch_name(&self) -> String {
        let (launch, launches) = self.launch;
        let kernel = cpp::source_name(&self.recorded.symbol);
        match launches {
            1 => kernel,
            _ => format!("{kernel}, launch {} of {launches}", launch + 1),
        }
    }

    /// Returns the block's index and the number of blocks.
    pub fn name(&self) -> String {
        let (at, grid) = (self.block, self.recorded.config.grid);
        let place = match (grid.y, grid.z) {
            (1, 1) => at.x.to_string(),
            (_, 1) => format!("{},{}", at.x, at.y),
            _ => format!("{},{},{}", at.x, at.y, at.z),
        };
        format!("{place} of {}", report::grouped(grid.count()))
    }

    pub fn recording(&self) -> Option<&Recording> {
        self.recorded.recording.as_deref()
    }

    /// Returns why the recording is incomplete.
    pub fn what_cut(&self) -> &'static str {
        let steps = self.recording().map_or(0, |recording| recording.steps().len());
        if steps >= self.most_steps { "--most-steps raises the limit" } else { "it reached its memory limit" }
    }

    /// Returns what the HTML page shows of the recording; `None` if the block did not begin.
    pub fn on_page<'a>(&'a self, program: &'a Program<'a>) -> Option<view::Recorded<'a>> {
        Some(view::Recorded { program, recording: self.recording()?, block: self.name() })
    }

    /// Returns the kernel with its variables and shared arrays.
    pub fn program(&self) -> Program<'_> {
        let (module, config) = (&*self.recorded.module, self.recorded.config);
        let source = Source::new(&self.text);
        let array = |(name, offset, bytes): (&str, u64, Option<u64>)| {
            let is_dynamic = bytes.is_none();
            let bytes = bytes.unwrap_or(config.dynamic_shared_bytes.into());
            let declared = source.shared_arrays(name);
            let ty = declared.first().map(|array| array.ty);
            let extents = if is_dynamic { Vec::new() } else { extents(&source, name, bytes) };
            MemoryArray::new(name, offset, bytes, ty, &extents)
        };
        let arrays = module.symbols().shared(&self.recorded.symbol).into_iter().map(array);
        let arrays = arrays.filter(|array| array.bytes > 0).collect();
        let file = (module, &*self.recorded.ptx, &*self.file);
        let mut program = Program::new(file, arrays, config, config.grid.linear(self.block));
        let kept = self.recording().into_iter().flat_map(Recording::buffers);
        let globals = kept.filter_map(|(name, address, bytes)| global(&source, name, address, bytes));
        program.globals = globals.collect();
        program
    }

    /// Returns the findings that involve a thread of the block, each with that thread's access.
    pub fn findings(&self) -> impl Iterator<Item = (&Finding, &Access)> {
        self.recorded.findings.iter().filter_map(|finding| {
            let mut own =
                finding.sides().filter(|access| access.actor == Actor::Thread && access.block == self.block);
            Some((finding, own.next()?))
        })
    }

    /// Returns the linear index of a thread in its block.
    pub fn number(&self, thread: Dim3) -> u32 {
        self.recorded.config.block.linear(thread) as u32
    }
}

/// Describes a recorded buffer that is a variable of the module.
fn global(source: &Source, name: &str, address: Address, bytes: u64) -> Option<MemoryArray> {
    let declared = source.module_arrays(name).into_iter().next()?;
    let extents = match declared.extents.is_empty() {
        true => vec![1],
        false => report::extents(source, &declared).unwrap_or_default(),
    };
    Some(MemoryArray::new(name, address.0, bytes, Some(declared.ty), &extents))
}

fn extents(source: &Source, name: &str, bytes: u64) -> Vec<u64> {
    match report::shared_array(source, name, bytes) {
        Some(report::Shared::Extents(extents)) => extents,
        // A declaration without brackets is a single variable.
        None if source.shared_arrays(name).iter().any(|array| array.extents.is_empty()) => vec![1],
        _ => Vec::new(),
    }
}

/// Something that can be run repeatedly, with a block of one of its launches recorded.
pub trait Recordable {
    /// Returns the text that contains the kernels, and the file name for messages.
    fn source(&self) -> (&str, &str);
    /// Returns the number of cases: runs with different sizes or arguments.
    fn cases(&self) -> usize;
    /// Returns where something is wrong, as far as is already known.
    fn wrong(&self) -> Wrong;
    /// Runs a case, and returns its launches.
    ///
    /// # Errors
    ///
    /// The case comes to no conclusive end, or the environment is at fault.
    fn launches(&self, case: usize) -> Result<Launches, NoResult>;
    /// Records a block of a launch.
    ///
    /// # Errors
    ///
    /// The file does not compile or run, or the environment is at fault.
    fn record(&self, part: RecordedPart) -> Result<Recorded, NoResult>;
}

/// A lesson's file, with the verdict on it if that is to decide what to record.
pub struct LessonFile<'a> {
    pub target: &'a Target,
    pub opened: &'a OpenedFile<'a>,
    pub verdict: Option<&'a Verdict>,
}

impl Recordable for LessonFile<'_> {
    fn source(&self) -> (&str, &str) {
        // A lesson that asks questions has its kernels in another file.
        let own = self.target.lesson.kernels_source.as_deref();
        (own.unwrap_or(&self.opened.text), &self.target.shown)
    }

    fn cases(&self) -> usize {
        self.target.lesson.spec.cases.len()
    }

    fn wrong(&self) -> Wrong {
        let Some(verdict) = self.verdict else { return Wrong::default() };
        Wrong { case: Some(judging::wrong_case(verdict)), ..Wrong::of(verdict) }
    }

    fn launches(&self, case: usize) -> Result<Launches, NoResult> {
        self.opened.prepared.launches(case, &self.opened.options)
    }

    fn record(&self, part: RecordedPart) -> Result<Recorded, NoResult> {
        self.opened.prepared.record(part, &self.opened.options)
    }
}

/// Records a block. `Ok(Err)` if the file does not compile or run.
///
/// # Errors
///
/// There is no such case, launch or block, or the environment is at fault.
pub fn record(of: &dyn Recordable, choice: &RecordChoice) -> Result<Result<RecordedBlock, Box<Failure>>> {
    let cases = of.cases();
    if choice.case.is_some_and(|case| case >= cases) {
        let there = report::plural(cases as u64, "case", "cases");
        return Err(CommandError::usage(format!("it has {there}: --case can be 1 to {cases}")));
    }
    let (text, file) = of.source();
    let source = Source::new(text);
    let seen = of.wrong();
    let case = choice.case.or(seen.case).unwrap_or(0);
    let launches = match NoResult::separate(of.launches(case))? {
        Ok(launches) => launches,
        Err(failure) => return Ok(Err(failure)),
    };
    let wrong = if seen.block.is_some() { seen } else { Wrong::found(&launches.findings).unwrap_or(seen) };
    let kernel = wrong.line.and_then(|line| source.kernel_around(line));
    let guilty =
        || launches.all.iter().position(|(what, _)| kernel.is_some() && what.kernel() == kernel.as_deref());
    let launch = choice.launch.or(launches.found).or_else(guilty).unwrap_or(0);
    let Some((_, config)) = launches.all.get(launch) else { return Err(no_launch(&launches)) };
    let grid = config.grid;
    let block = choice.block.map(|(x, y, z)| Dim3::new(x, y, z));
    let inside = |block: &Dim3| block.x < grid.x && block.y < grid.y && block.z < grid.z;
    if let Some(block) = block.filter(|block| !inside(block)) {
        return Err(CommandError::usage(format!(
            "there is no block {},{},{}: the grid is {} by {} by {}, numbered from 0",
            block.x, block.y, block.z, grid.x, grid.y, grid.z
        )));
    }
    let place = wrong.block.filter(inside);
    let warp = wrong.thread.filter(|_| block.is_none_or(|block| place == Some(block)));
    let warp = warp.map(|thread| config.block.linear(thread) as u32 / 32);
    let block = block.or(place).unwrap_or(Dim3::new(0, 0, 0));
    let request =
        RecordRequest { most_steps: choice.most_steps, ..RecordRequest::of_block(grid.linear(block)) };
    let part = RecordedPart { case, launch, request };
    let subject = |recorded| {
        let (text, file) = (text.to_owned(), file.to_owned());
        RecordedBlock {
            text,
            file,
            recorded,
            block,
            warp,
            launch: (launch, launches.all.len()),
            most_steps: choice.most_steps,
        }
    };
    Ok(NoResult::separate(of.record(part))?.map(subject))
}

/// Returns the error that lists the existing launches.
fn no_launch(launches: &Launches) -> CommandError {
    const MOST: usize = 8;
    let all = &launches.all;
    if all.is_empty() {
        return CommandError::usage("it launches no kernel");
    }
    let names = (1..).zip(all.iter().take(MOST));
    let names = names.map(|(number, (what, _))| format!("{number} {}", escape(&what.to_string())));
    let names = names.collect::<Vec<_>>().join(", ");
    let rest = if all.len() > MOST { ", …" } else { "" };
    CommandError::usage(format!("--launch can be 1 to {}: {names}{rest}", all.len()))
}

/// Where something is wrong, as far as is known.
#[derive(Clone, Copy, Default)]
pub struct Wrong {
    case: Option<usize>,
    block: Option<Dim3>,
    thread: Option<Dim3>,
    line: Option<u32>,
}

impl Wrong {
    fn of(verdict: &Verdict) -> Wrong {
        match verdict.result.as_ref().err() {
            Some(Failure::Defect { findings, .. }) => Wrong::found(findings).unwrap_or_default(),
            Some(Failure::Wrong(mismatch)) => Wrong {
                block: mismatch.writer.map(|writer| writer.block),
                thread: mismatch.writer.and_then(|writer| writer.thread),
                ..Wrong::default()
            },
            _ => Wrong::default(),
        }
    }

    /// Returns the place of the first finding.
    fn found(findings: &[Finding]) -> Option<Wrong> {
        let at = &findings.first()?.at;
        let of_thread = at.actor == Actor::Thread;
        Some(Wrong {
            case: None,
            block: of_thread.then_some(at.block),
            thread: of_thread.then_some(at.thread),
            line: at.location.as_ref().map(|at| at.line),
        })
    }
}
