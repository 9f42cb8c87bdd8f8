//! What is told of a source that was judged, beside the verdict itself.

use cpp::Source;
use judge::course::{Formula, Launch, Lesson};
use sim::SourceLocation;
use std::collections::BTreeMap;

/// What a verdict does not say of itself.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// How the learner would name the file.
    pub file: &'a str,
    /// The text that was judged.
    pub source: &'a Source<'a>,
    /// What the lesson's file holds before anything is written.
    pub starter: &'a str,
    /// From reading the file to the verdict.
    pub seconds: f64,
    /// `sim` or `gpu`.
    pub backend: &'a str,
    pub seed: u64,
    /// Dimensions in which the lesson's launches count threads, and blocks: 1 to 3.
    pub thread_dims: usize,
    pub block_dims: usize,
    /// Block 0 is named like the others, since several have a part in what is told.
    pub every_block: bool,
    /// The lesson has a bar of none on atomics.
    pub atomics_barred: bool,
    /// The lesson is about a whole program.
    pub program: bool,
    /// Bytes of one element, by buffer.
    pub element_bytes: BTreeMap<String, u32>,
    /// The lesson's formulas of the extents, by buffer.
    pub shapes: BTreeMap<String, Vec<Formula>>,
}

impl<'a> About<'a> {
    /// Of a text judged on the simulator for a lesson.
    pub fn of_lesson(lesson: &'a Lesson, file: &'a str, source: &'a Source<'a>, seed: u64) -> About<'a> {
        let spec = &lesson.spec;
        let dims = |f: fn(&Launch) -> usize, word: &str| match spec.is_program() {
            // Host code chooses the launches: which numbers of a thread the kernels look at.
            true => [".z", ".y"]
                .iter()
                .zip([3, 2])
                .find_map(|(axis, n)| source.text().contains(&format!("{word}{axis}")).then_some(n)),
            false => spec.launches.iter().map(f).max(),
        };
        About {
            file,
            source,
            starter: &lesson.starter,
            seconds: 0.0,
            backend: "sim",
            seed,
            thread_dims: dims(|l| l.block.len(), "threadIdx").unwrap_or(1),
            block_dims: dims(|l| l.grid.len(), "blockIdx").unwrap_or(1),
            every_block: false,
            atomics_barred: spec.bars_atomics(),
            program: spec.is_program(),
            element_bytes: spec.buffers.iter().map(|b| (b.name.clone(), b.ty.bytes() as u32)).collect(),
            shapes: spec.buffers.iter().map(|b| (b.name.clone(), b.shape.clone())).collect(),
        }
    }
}

/// A program that belongs to no lesson: its file, and its own headers by name.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// How the learner would name it.
    pub file: &'a str,
    pub source: &'a Source<'a>,
    pub headers: &'a [(String, Source<'a>)],
}

impl<'a> Files<'a> {
    /// One file alone.
    pub fn one(file: &'a str, source: &'a Source<'a>) -> Files<'a> {
        Files { file, source, headers: &[] }
    }

    /// The header of a name, or the file itself.
    pub fn of(&self, name: &str) -> (&'a str, &'a Source<'a>) {
        let header = self.headers.iter().find(|(header, _)| header == name);
        header.map_or((self.file, self.source), |(name, source)| (name, source))
    }

    /// What is known of the file that a place is in.
    pub fn about(&self, at: Option<&SourceLocation>) -> About<'a> {
        let (file, source) = at.map_or((self.file, self.source), |at| self.of(&at.file));
        About::program(file, source)
    }
}

impl<'a> About<'a> {
    /// Of a program that belongs to no lesson.
    pub fn program(file: &'a str, source: &'a Source<'a>) -> About<'a> {
        About {
            file,
            source,
            starter: "",
            seconds: 0.0,
            backend: "sim",
            seed: 0,
            thread_dims: 1,
            block_dims: 1,
            every_block: false,
            atomics_barred: false,
            program: true,
            element_bytes: BTreeMap::new(),
            shapes: BTreeMap::new(),
        }
    }

    /// Where to begin, when nothing was changed yet: at the first comment inside a kernel; in a program
    /// at the first comment that says so.
    pub(super) fn begun_nowhere(&self) -> Option<u32> {
        if self.starter.trim().is_empty() || self.source.text().trim_end() != self.starter.trim_end() {
            return None;
        }
        let lines = self.source.text().lines().zip(1u32..);
        if self.program {
            let mut lines = lines;
            let place = lines.find(|(line, _)| line.trim_start().starts_with("// Write"));
            return Some(place.map_or(0, |(_, number)| number));
        }
        let mut inside = lines.skip_while(|(line, _)| !line.contains("__global__"));
        let comment =
            inside.find(|(line, _)| line.starts_with([' ', '\t']) && line.trim_start().starts_with("//"));
        Some(comment.map_or(0, |(_, number)| number))
    }
}
