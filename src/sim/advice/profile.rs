//! What each source line of a kernel did: its instructions, and the memory that its warps touched.

use super::{Picture, PictureKind, Reduction};
use crate::code::Waits;
use crate::finding::{Access, SourceLocation};
use std::collections::BTreeMap;

/// The work of one launch, or of several launches combined, by source line. The counts are exact, but leave out code
/// that has no source line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The column of each location is 0.
    pub lines: BTreeMap<SourceLocation, LineWork>,
    /// In the order of source lines.
    pub accesses: Vec<LineAccess>,
    /// The reductions in shared memory and between lanes, of the first launch that has any.
    pub reductions: Vec<Reduction>,
}

/// The work of warps in one source line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineWork {
    /// Instructions executed, counted once for each warp and each group of converged lanes.
    pub instructions: u64,
    /// How often a warp that runs alone waits for the results of these instructions: only those on the critical path
    /// of each basic block count.
    pub waits: Waits,
}

impl LineWork {
    fn add(&mut self, other: LineWork) {
        self.instructions += other.instructions;
        self.waits = self.waits.then(other.waits);
    }
}

/// The accesses of one kind that the instructions of one source line made to one buffer or variable.
#[derive(Clone, Debug, PartialEq)]
pub struct LineAccess {
    /// The access with the greatest excess, by the lowest thread of its warp.
    pub at: Access,
    /// Warp-level accesses.
    pub requests: u64,
    /// What they cost: sectors of global memory, wavefronts of shared memory; for atomics, the number of serialised
    /// operations.
    pub units: u64,
    /// The fewest units that their bytes need.
    pub least: u64,
    /// The lanes of the access `at`.
    pub picture: Picture,
}

impl LineAccess {
    /// Returns whether both describe the same kind of access to the same target in the same source line.
    fn is_alike(&self, other: &LineAccess) -> bool {
        let place = |access: &LineAccess| access.at.location.as_ref().map(|at| (at.file.clone(), at.line));
        place(self) == place(other)
            && self.at.kind == other.at.kind
            && self.picture.kind == other.picture.kind
            && self.at.target.name() == other.at.target.name()
    }

    fn worst_excess(&self) -> u64 {
        self.picture.units().saturating_sub(self.picture.least())
    }
}

impl Profile {
    pub(super) fn add_line(&mut self, at: &SourceLocation, work: LineWork) {
        let line = SourceLocation { column: 0, ..at.clone() };
        self.lines.entry(line).or_default().add(work);
    }

    pub(super) fn add_access(&mut self, access: LineAccess) {
        match self.accesses.iter_mut().find(|known| known.is_alike(&access)) {
            Some(known) => {
                known.requests += access.requests;
                known.units += access.units;
                known.least += access.least;
                if access.worst_excess() > known.worst_excess() {
                    (known.at, known.picture) = (access.at, access.picture);
                }
            }
            None => self.accesses.push(access),
        }
    }

    /// Adds the work of another launch.
    pub fn add(&mut self, other: Profile) {
        for (place, work) in other.lines {
            self.lines.entry(place).or_default().add(work);
        }
        other.accesses.into_iter().for_each(|access| self.add_access(access));
        self.accesses.sort_by(|a, b| a.at.location.cmp(&b.at.location));
        if self.reductions.is_empty() {
            self.reductions = other.reductions;
        }
    }
}

impl Picture {
    /// Returns the number of sectors that the lanes touch, or of wavefronts that they need.
    pub fn units(&self) -> u64 {
        match self.kind {
            PictureKind::Sectors => {
                let mut sectors: Vec<i64> = self
                    .bytes()
                    .flat_map(|(from, to)| from.div_euclid(32)..=(to - 1).div_euclid(32))
                    .collect();
                sectors.sort_unstable();
                sectors.dedup();
                sectors.len() as u64
            }
            PictureKind::Banks => {
                self.words_by_bank().iter().map(|words| words.len() as u64).max().unwrap_or(0)
            }
        }
    }

    /// Returns the fewest units that the distinct bytes touched would need.
    pub fn least(&self) -> u64 {
        let mut spans: Vec<(i64, i64)> = self.bytes().collect();
        spans.sort_unstable();
        let (mut end, mut bytes) = (i64::MIN, 0);
        for (from, to) in spans {
            bytes += to - from.max(end).min(to);
            end = end.max(to);
        }
        let unit = match self.kind {
            PictureKind::Sectors => 32,
            PictureKind::Banks => 128,
        };
        (bytes as u64).div_ceil(unit)
    }

    /// Returns, for each of the 32 banks, the distinct words requested from it, numbered from the start of the
    /// memory.
    pub fn words_by_bank(&self) -> [Vec<i64>; 32] {
        let mut banks: [Vec<i64>; 32] = Default::default();
        for (from, to) in self.bytes() {
            for word in from.div_euclid(4)..=(to - 1).div_euclid(4) {
                let bank = &mut banks[word.rem_euclid(32) as usize];
                if !bank.contains(&word) {
                    bank.push(word);
                }
            }
        }
        banks
    }

    /// Returns each active lane's first byte and its end (exclusive).
    fn bytes(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        let width = i64::from(self.width.max(1));
        self.lanes.iter().flatten().map(move |from| (*from, from.saturating_add(width)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(kind: PictureKind, offset: impl Fn(i64) -> i64) -> Picture {
        Picture { kind, width: 4, lanes: (0..32).map(|lane| Some(offset(lane))).collect() }
    }

    #[test]
    fn sectors_and_passes_are_counted() {
        let sectors = |offset: fn(i64) -> i64| {
            let picture = picture(PictureKind::Sectors, offset);
            (picture.units(), picture.least())
        };
        assert_eq!(sectors(|lane| lane * 4), (4, 4));
        assert_eq!(sectors(|lane| lane * 4 + 4), (5, 4));
        assert_eq!(sectors(|lane| lane * 256), (32, 4));
        assert_eq!(sectors(|_| 8), (1, 1));
        let passes = |offset: fn(i64) -> i64| picture(PictureKind::Banks, offset).units();
        assert_eq!((passes(|lane| lane * 4), passes(|lane| lane * 128), passes(|_| 0)), (1, 32, 1));
    }
}
