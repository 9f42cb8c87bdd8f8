//! The distribution of atomics of a launch.

use std::collections::BTreeMap;

/// The distribution of atomics on global memory, while a launch runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomicTrace {
    /// Passes through each slice, by window of blocks.
    pub windows: BTreeMap<u64, Vec<u64>>,
    /// Operations on each word: on integers, and on floats.
    pub words: [Vec<u64>; 2],
}

/// Adds numbers to others, of which there may be fewer.
pub fn add(mine: &mut Vec<u64>, theirs: &[u64]) {
    mine.resize(mine.len().max(theirs.len()), 0);
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine += theirs;
    }
}

impl AtomicTrace {
    /// Adds the atomics of other blocks.
    pub fn add(&mut self, other: &AtomicTrace) {
        for (window, slices) in &other.windows {
            add(self.windows.entry(*window).or_default(), slices);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            add(mine, theirs);
        }
    }

    /// Returns the passes of the busiest slice, summed over windows.
    pub fn slice(&self) -> u64 {
        self.windows.values().map(|slices| slices.iter().copied().max().unwrap_or(0)).sum()
    }

    /// Returns the operations on the busiest word: on integers, and on floats.
    pub fn words(&self) -> [u64; 2] {
        [0, 1].map(|kind| self.words[kind].iter().copied().max().unwrap_or(0))
    }
}
