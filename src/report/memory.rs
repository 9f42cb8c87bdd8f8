//! The memory that a program allocated through CUDA over time, as data and as a drawing.

use super::{Style, paint, scene};
use host::device::Space;
use host::program::{MemoryUse, in_use, peak};
use serde::Serialize;

/// A program's memory areas over time. Times are on the program's own clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemoryView {
    /// In order of allocation.
    pub areas: Vec<AreaView>,
    /// How many further areas are left out.
    pub areas_dropped: u64,
    pub peaks: Vec<PeakView>,
}

/// One piece of memory that the program obtained from CUDA.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AreaView {
    /// The program's name for it.
    pub name: String,
    /// `device`, `pinned` or `managed`.
    pub space: &'static str,
    /// The GPU that the memory belongs to; `None` where it belongs to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    pub bytes: u64,
    /// Line of the allocation; 0 where it is not known.
    pub line: u32,
    pub start_ns: u64,
    /// `None` where it was never freed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_ns: Option<u64>,
}

/// The peak use of one memory space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeakView {
    /// As in [`AreaView`].
    pub space: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    pub bytes: u64,
    /// When the peak was first reached.
    pub at_ns: u64,
}

impl MemoryView {
    /// Builds the view; `dropped` is the number of allocations missing from `uses`.
    pub fn new(uses: &[MemoryUse], dropped: u64) -> MemoryView {
        let area = |its: &MemoryUse| {
            let (space, device) = named(its.space);
            AreaView {
                name: its.name.clone(),
                space,
                device,
                bytes: its.bytes,
                line: its.made.as_ref().map_or(0, |made| made.line),
                start_ns: its.start_ns,
                end_ns: its.end_ns,
            }
        };
        let peaks = in_use(uses).into_iter().filter_map(|(space, steps)| {
            let (at_ns, bytes) = peak(&steps)?;
            let (space, device) = named(space);
            Some(PeakView { space, device, bytes, at_ns })
        });
        MemoryView { areas: uses.iter().map(area).collect(), areas_dropped: dropped, peaks: peaks.collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.areas.is_empty()
    }
}

fn named(space: Space) -> (&'static str, Option<u32>) {
    match space {
        Space::Device(device) => ("device", Some(device)),
        Space::Pinned => ("pinned", None),
        Space::Managed => ("managed", None),
    }
}

/// Renders a terminal drawing of at most `columns` columns, from the program's start to `end_ns`.
pub fn memory(uses: &[MemoryUse], end_ns: u64, columns: usize, style: &Style) -> String {
    match picture::memory(uses, end_ns, columns.saturating_sub(2)) {
        Some(drawn) => paint::accent("Memory from CUDA, over time") + "\n" + &scene(&drawn, style),
        None => "The program allocated no memory from CUDA.\n".into(),
    }
}
