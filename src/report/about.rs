//! Context of a judged source that the renderers need in addition to the verdict.

use cpp::Source;
use judge::course::{Case, Formula, Launch, Lesson};
use sim::SourceLocation;
use std::collections::BTreeMap;

/// What a renderer has to know about a judged source and its lesson, and that the verdict does not contain.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The file's name as the learner would type it.
    pub file: &'a str,
    /// The text that was judged.
    pub source: &'a Source<'a>,
    /// The starter: what the lesson's file contains before the learner edits it. Empty where there is none.
    pub starter: &'a str,
    /// Number of dimensions, 1 to 3, that the lesson's launches use for threads (and, below, for blocks).
    pub thread_dims: usize,
    pub block_dims: usize,
    /// Whether block 0 is named like any other block, because several blocks are involved. If `false`, a thread
    /// of block 0 is described without its block.
    pub every_block: bool,
    /// Whether one of the lesson's bars allows no atomics at all.
    pub atomics_barred: bool,
    /// Whether the lesson is about a whole program (host code and kernels) instead of kernels alone.
    pub program: bool,
    /// Bytes of one element, by buffer name.
    pub element_bytes: BTreeMap<String, u32>,
    /// The lesson's formulas for the extents, by buffer name.
    pub shapes: BTreeMap<String, Vec<Formula>>,
    /// The case of the lesson that failed, where one is known.
    pub case: Option<&'a Case>,
}

impl<'a> About<'a> {
    /// Returns the context for a text that is judged for `lesson`.
    pub fn of_lesson(lesson: &'a Lesson, file: &'a str, source: &'a Source<'a>) -> About<'a> {
        let spec = &lesson.spec;
        let dims = |f: fn(&Launch) -> usize, word: &str| match spec.is_program() {
            // In a program, host code chooses the launch shapes: infer the dimensions from the components that
            // kernels read.
            true => [("z", 3), ("y", 2)]
                .into_iter()
                .find_map(|(axis, n)| source.names_member(word, axis).then_some(n)),
            false => spec.launches.iter().map(f).max(),
        };
        About {
            starter: &lesson.starter,
            thread_dims: dims(|l| l.block.len(), "threadIdx").unwrap_or(1),
            block_dims: dims(|l| l.grid.len(), "blockIdx").unwrap_or(1),
            atomics_barred: spec.forbids_atomics(),
            program: spec.is_program(),
            element_bytes: spec.buffers.iter().map(|b| (b.name.clone(), b.ty.bytes() as u32)).collect(),
            shapes: spec.buffers.iter().map(|b| (b.name.clone(), b.shape.clone())).collect(),
            ..About::program(file, source)
        }
    }
}

/// A program that belongs to no lesson: its main file, and its own headers by name.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// The file's name as the learner would type it.
    pub file: &'a str,
    pub source: &'a Source<'a>,
    pub headers: &'a [(String, Source<'a>)],
}

impl<'a> Files<'a> {
    /// Creates a program that consists of one file.
    pub fn one(file: &'a str, source: &'a Source<'a>) -> Files<'a> {
        Files { file, source, headers: &[] }
    }

    /// Returns the name and source of the header called `name`, or those of the main file where there is no such
    /// header.
    pub fn of(&self, name: &str) -> (&'a str, &'a Source<'a>) {
        let header = self.headers.iter().find(|(header, _)| header == name);
        header.map_or((self.file, self.source), |(name, source)| (name, source))
    }

    /// Returns the context for the file that contains `at`; the main file's where `at` is `None`.
    pub fn about(&self, at: Option<&SourceLocation>) -> About<'a> {
        let (file, source) = at.map_or((self.file, self.source), |at| self.of(&at.file));
        About::program(file, source)
    }
}

impl<'a> About<'a> {
    /// Returns the context for a program that belongs to no lesson.
    pub fn program(file: &'a str, source: &'a Source<'a>) -> About<'a> {
        About {
            file,
            source,
            starter: "",
            thread_dims: 1,
            block_dims: 1,
            every_block: false,
            atomics_barred: false,
            program: true,
            element_bytes: BTreeMap::new(),
            shapes: BTreeMap::new(),
            case: None,
        }
    }

    /// Returns the line at which to begin if the file is still the unchanged starter, and `None` otherwise: the
    /// first indented comment in a kernel; in a whole program, the first comment that begins with "Write". The
    /// line is 0 where there is no such comment.
    pub(super) fn untouched_starter_line(&self) -> Option<u32> {
        if self.starter.trim().is_empty() || self.source.text().trim_end() != self.starter.trim_end() {
            return None;
        }
        let lines = self.source.text().lines().zip(1u32..);
        if self.program {
            let mut lines = lines;
            let place = lines.find(|(line, _)| line.trim_start().starts_with("// Write"));
            return Some(place.map_or(0, |(_, number)| number));
        }
        let mut inside = lines.skip_while(|(_, number)| !self.source.names_on(*number, "__global__"));
        let comment =
            inside.find(|(line, _)| line.starts_with([' ', '\t']) && line.trim_start().starts_with("//"));
        Some(comment.map_or(0, |(_, number)| number))
    }
}
