//! From a lesson's file to a recorded block.

use super::super::CommandError;
use super::super::judging::{self, Opened};
use super::super::target::Target;
use ::debug::{Program, SharedArray};
use cpp::Source;
use judge::{Failure, Recorded, RecordedPart, Verdict};
use report::{About, VerdictView};
use sim::{Access, Actor, Dim3, Finding, RecordRequest, Recording};

/// Which block to record; what is not said is where something is wrong.
pub struct Choice {
    pub case: Option<usize>,
    /// The one where something was found, or the first, if left out.
    pub launch: Option<usize>,
    pub block: Option<(u32, u32, u32)>,
    pub most_steps: usize,
}

/// A recorded block, and what is known of it.
pub struct Subject {
    pub text: String,
    pub file: String,
    pub recorded: Recorded,
    pub block: Dim3,
    block_index: u64,
    /// The warp in which something is wrong, where that is known.
    pub warp: Option<u32>,
}

impl Subject {
    /// Which of how many blocks it is.
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

    /// The kernel with its variables and shared arrays.
    pub fn program(&self) -> Program<'_> {
        let (module, config) = (self.recorded.module(), self.recorded.config);
        let source = Source::new(&self.text);
        let array = |(name, offset, bytes): (&str, u64, Option<u64>)| {
            let is_dynamic = bytes.is_none();
            let bytes = bytes.unwrap_or(config.dynamic_shared_bytes.into());
            let declared = source.shared_arrays(name);
            let ty = declared.first().map(|array| array.ty);
            let extents = if is_dynamic { Vec::new() } else { extents(&source, name, bytes) };
            SharedArray::new(name, offset, bytes, ty, &extents)
        };
        let arrays = module.symbols().shared(&self.recorded.symbol).into_iter().map(array);
        let arrays = arrays.filter(|array| array.bytes > 0).collect();
        Program::new((module, &self.recorded.ptx, &self.file), arrays, config, self.block_index)
    }

    /// Findings in which a thread of the block has a part.
    pub fn findings(&self) -> impl Iterator<Item = (&Finding, &Access)> {
        self.recorded.findings.iter().filter_map(|finding| {
            let sides = std::iter::once(&finding.at).chain(&finding.other);
            let mut own = sides.filter(|access| access.actor == Actor::Thread && access.block == self.block);
            Some((finding, own.next()?))
        })
    }

    /// The number of a thread in its block.
    pub fn number(&self, thread: Dim3) -> u32 {
        number(thread, self.recorded.config.block)
    }
}

fn extents(source: &Source, name: &str, bytes: u64) -> Vec<u64> {
    match report::shared_array(source, name, bytes) {
        Some(report::Shared::Extents(extents)) => extents,
        // A single variable is told by having no brackets.
        None if source.shared_arrays(name).iter().any(|array| array.extents.is_empty()) => vec![1],
        _ => Vec::new(),
    }
}

/// Records a block of a lesson's file, which was judged where the verdict decides what to record. `Ok(Err)` where it
/// does not compile or run.
pub fn record(
    target: &Target,
    opened: &Opened,
    verdict: Option<&Verdict>,
    choice: &Choice,
) -> Result<Result<Subject, Box<Failure>>, CommandError> {
    let Opened { text, options, prepared } = opened;
    let lesson = &target.lesson;
    let cases = lesson.spec.cases.len();
    if choice.case.is_some_and(|case| case >= cases) {
        return Err(CommandError::usage(format!("the lesson has {cases} cases: --case takes 1 to {cases}")));
    }
    let wrong = verdict.map(Wrong::of).unwrap_or_default();
    // A lesson that asks questions has kernels of its own.
    let text = lesson.kernels_source.as_deref().unwrap_or(text);
    let source = Source::new(text);
    let judged = verdict.map(|verdict| {
        let own = Source::new(&opened.text);
        let about = About::of_lesson(lesson, &target.shown, &own, options.seed);
        judging::wrong_case(lesson, &VerdictView::new(verdict, &about))
    });
    let case = choice.case.or(judged).unwrap_or(0);
    let launches = prepared.launches(case)?;
    let kernel = wrong.line.and_then(|line| source.kernel_around(line));
    let guilty = || launches.iter().position(|(name, _)| Some(name) == kernel.as_ref());
    let launch = choice.launch.or_else(guilty).unwrap_or(0);
    let Some((_, config)) = launches.get(launch) else {
        let count = launches.len();
        return Err(CommandError::usage(format!(
            "the case has {count} launches: --launch takes 1 to {count}"
        )));
    };
    let grid = config.grid;
    let block = choice.block.map(|(x, y, z)| Dim3::new(x, y, z));
    let inside = |block: &Dim3| block.x < grid.x && block.y < grid.y && block.z < grid.z;
    if let Some(block) = block.filter(|block| !inside(block)) {
        return Err(CommandError::usage(format!(
            "there is no block {},{},{}: the grid has {} by {} by {}, numbered from 0",
            block.x, block.y, block.z, grid.x, grid.y, grid.z
        )));
    }
    let place = wrong.block.filter(inside);
    let warp = wrong.thread.filter(|_| block.is_none_or(|block| place == Some(block)));
    let warp = warp.map(|thread| number(thread, config.block) / 32);
    let block = block.or(place).unwrap_or(Dim3::new(0, 0, 0));
    let index = |block: Dim3| {
        u64::from(block.x) + u64::from(grid.x) * (u64::from(block.y) + u64::from(grid.y) * u64::from(block.z))
    };
    let request = RecordRequest { most_steps: choice.most_steps, ..RecordRequest::of_block(index(block)) };
    let part = RecordedPart { case, launch, request };
    let subject = |recorded| {
        let (text, file) = (text.to_owned(), target.shown.clone());
        Subject { text, file, recorded, block, block_index: index(block), warp }
    };
    Ok(prepared.record(part, options)?.map(subject).map_err(Box::new))
}

/// Where something is wrong, as far as that is known.
#[derive(Default)]
struct Wrong {
    block: Option<Dim3>,
    thread: Option<Dim3>,
    line: Option<u32>,
}

impl Wrong {
    fn of(verdict: &Verdict) -> Wrong {
        match verdict.result.as_ref().err() {
            Some(Failure::Defect { findings, .. }) => {
                let Some(at) = findings.first().map(|first| &first.at) else { return Wrong::default() };
                let of_thread = at.actor == Actor::Thread;
                Wrong {
                    block: of_thread.then_some(at.block),
                    thread: of_thread.then_some(at.thread),
                    line: at.location.as_ref().map(|at| at.line),
                }
            }
            Some(Failure::Wrong(mismatch)) => Wrong {
                block: mismatch.writer.map(|writer| writer.block),
                thread: mismatch.writer.and_then(|writer| writer.thread),
                line: None,
            },
            _ => Wrong::default(),
        }
    }
}

/// The number of a thread in its block.
fn number(thread: Dim3, block: Dim3) -> u32 {
    thread.x + block.x * (thread.y + block.y * thread.z)
}
