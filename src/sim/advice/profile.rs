//! What each line of a kernel did: its instructions, and the memory that its warps touch.

use super::{Picture, PictureKind, Reduction};
use crate::finding::{Access, SourceLocation, Target};
use std::collections::BTreeMap;

/// The work of one launch, or of several together, by line of the source. Counts are exact; what is left
/// out of them is the code without a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The column of a place is 0.
    pub lines: BTreeMap<SourceLocation, LineWork>,
    /// In the order of lines.
    pub accesses: Vec<LineAccess>,
    /// Of the first launch that has any: in shared memory, between lanes.
    pub reductions: Vec<Reduction>,
}

/// What warps did in one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineWork {
    /// Instructions, counted once for each warp and each group of its lanes that ran them.
    pub instructions: u64,
    /// How often a warp that is alone waits for what they give: those on the longest chain of each basic block.
    pub waits: Waits,
}

/// Steps of chains of dependent instructions, by what is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    pub arithmetic: u64,
    /// Special functions, conversions.
    pub special: u64,
    pub shared: u64,
    /// Loads that are under way together are one.
    pub global: u64,
}

impl LineWork {
    fn add(&mut self, other: LineWork) {
        self.instructions += other.instructions;
        self.waits.arithmetic += other.waits.arithmetic;
        self.waits.special += other.waits.special;
        self.waits.shared += other.waits.shared;
        self.waits.global += other.waits.global;
    }
}

/// What the instructions of one line did to one buffer or variable, in one way.
#[derive(Clone, Debug, PartialEq)]
pub struct LineAccess {
    /// The access that wastes most, by the lowest thread of its warp.
    pub at: Access,
    /// Requests of warps.
    pub requests: u64,
    /// What they take: sectors of global memory, passes over the banks of shared memory; of atomics the
    /// operations that go one after the other.
    pub units: u64,
    /// What their bytes need at the least.
    pub least: u64,
    /// The lanes of that access.
    pub picture: Picture,
}

impl LineAccess {
    /// Whether both are about the same.
    fn is_alike(&self, other: &LineAccess) -> bool {
        let place = |access: &LineAccess| access.at.location.as_ref().map(|at| (at.file.clone(), at.line));
        place(self) == place(other)
            && self.at.kind == other.at.kind
            && self.picture.kind == other.picture.kind
            && name(&self.at.target) == name(&other.at.target)
    }

    fn worst_excess(&self) -> u64 {
        self.picture.units().saturating_sub(self.picture.least())
    }
}

fn name(target: &Target) -> Option<&str> {
    match target {
        Target::Buffer { name, .. } | Target::Shared { name, .. } | Target::Constant { name, .. } => {
            Some(name)
        }
        _ => None,
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

    /// Adds another launch's.
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
    /// Sectors that the lanes touch, or passes over the banks that they take.
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

    /// What the bytes that they touch would need, those that lanes share counted once.
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

    /// Of each of the 32 banks, the different words that are wanted of it, by their number in the memory.
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

    /// The first byte of each active lane and the one behind its last.
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
