//! Counts calls, and numbers those that one place in the source makes.

use crate::program::call::{Fact, Row};
use sim::SourceLocation;
use std::collections::HashMap;

/// The calls to CUDA so far.
#[derive(Debug, Default)]
pub struct Calls {
    /// Number of calls; a `<<<>>>` counts as one.
    pub count: u64,
    /// Launches by `<<<>>>`, or by calls whose result is discarded, after which another call was made, but none that
    /// returns the last error to a program that does something with it.
    pub unchecked_launches: u64,
    /// Whether the last call was such a launch.
    pub launched: bool,
    /// Number of earlier calls of the same function from the same place as the call in progress.
    pub turn: usize,
    by_place: HashMap<(SourceLocation, &'static str), Turns>,
}

/// The calls of one function from one place.
#[derive(Debug, Default)]
struct Turns {
    count: usize,
    /// Number of the call that filled a pointer, by the address of the pointer.
    by_pointer: HashMap<u64, usize>,
    /// Whether their results are discarded, if that was asked.
    discarded: Option<bool>,
}

/// Most pointers remembered for one place.
const MAX_POINTERS: usize = 1 << 10;

impl Calls {
    /// Records the start of a call at a place in the source; `first` is its first argument. Allocating calls
    /// that fill the same pointer have the same number: a loop may execute one of several calls on a line
    /// many times. `discards` tells whether the source discards the result of the call at a place.
    pub fn begin(
        &mut self,
        row: &Row,
        at: Option<&SourceLocation>,
        first: Option<u64>,
        discards: impl Fn(&SourceLocation) -> bool,
    ) {
        let mut turns = at.map(|at| (at, self.by_place.entry((at.clone(), row.name)).or_default()));
        let matters = row.is(Fact::Launches) || row.is(Fact::AsksForError);
        let is_discarded = matters
            && turns.as_mut().is_some_and(|(at, its)| *its.discarded.get_or_insert_with(|| discards(at)));
        let asks = row.is(Fact::AsksForError) && !is_discarded;
        self.unchecked_launches += u64::from(self.launched && !asks);
        self.launched = row.is(Fact::EndsLaunch) || row.is(Fact::Launches) && is_discarded;
        let first = first.filter(|_| row.is(Fact::FillsPointer));
        self.turn = turns.map_or(0, |(_, turns)| {
            if let Some(&known) = first.and_then(|pointer| turns.by_pointer.get(&pointer)) {
                return known;
            }
            turns.count += 1;
            if let Some(pointer) = first.filter(|_| turns.by_pointer.len() < MAX_POINTERS) {
                turns.by_pointer.insert(pointer, turns.count - 1);
            }
            turns.count - 1
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::runtime::row;

    #[test]
    fn a_line_of_another_file_is_another_place() {
        let row = row("cudaFree").unwrap();
        let mut calls = Calls::default();
        let turns = ["a.cu", "a.h", "a.cu"].map(|file| {
            let at = SourceLocation { file: file.into(), line: 7, column: 5 };
            calls.begin(row, Some(&at), None, |_| false);
            calls.turn
        });
        assert_eq!(turns, [0, 0, 1]);
    }
}
