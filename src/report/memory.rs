//! The memory that a program had from CUDA, over time: as data, and drawn.

use super::{Style, paint, scene};
use host::device::Space;
use host::program::{MemoryUse, in_use, peak};
use serde::Serialize;

/// Times are on the program's own clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemoryView {
    /// In the order in which they were made.
    pub areas: Vec<AreaView>,
    /// How many more there were.
    pub areas_dropped: u64,
    pub peaks: Vec<PeakView>,
}

/// Memory that the program had.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AreaView {
    /// What the program calls it.
    pub name: String,
    /// `device`, `pinned` or `managed`.
    pub space: &'static str,
    /// Whose it is; left out where it is no GPU's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    pub bytes: u64,
    /// Where it was made; 0 where that is not known.
    pub line: u32,
    pub start_ns: u64,
    /// Left out where it was never given back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_ns: Option<u64>,
}

/// The most of a space that was in use at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeakView {
    /// As in [`AreaView`].
    pub space: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    pub bytes: u64,
    /// Since when, the first time.
    pub at_ns: u64,
}

impl MemoryView {
    /// Of what a program had; `dropped`: pieces that are not among it.
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

/// Drawn for a terminal of so many columns, from the program's start to `end_ns`.
pub fn memory(uses: &[MemoryUse], end_ns: u64, columns: usize, style: &Style) -> String {
    match picture::memory(uses, end_ns, columns.saturating_sub(2)) {
        Some(drawn) => paint::accent("Memory from CUDA, over time") + "\n" + &scene(&drawn, style),
        None => "The program took no memory from CUDA.\n".into(),
    }
}
