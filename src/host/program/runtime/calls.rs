//! Which call it is, of those that one place of the source makes.

use sim::SourceLocation;
use std::collections::HashMap;

/// Calls of CUDA so far.
#[derive(Debug, Default)]
pub struct Calls {
    /// How many; a `<<<>>>` is one.
    pub count: u64,
    /// Of the call that runs, how many of its function came before it from its place.
    pub turn: usize,
    by_place: HashMap<(u32, u32, &'static str), Turns>,
}

/// Calls of one function from one place.
#[derive(Debug, Default)]
struct Turns {
    count: usize,
    /// Which of them filled a pointer, by its address.
    by_pointer: HashMap<u64, usize>,
}

/// Pointers of one place that are remembered.
const MOST_POINTERS: usize = 1 << 10;

impl Calls {
    /// A call begins at a place of the source, given `first`. Of calls that allocate, those that fill the same
    /// pointer are the same one: a loop may come to one of several on a line.
    pub fn begin(&mut self, name: &'static str, at: Option<&SourceLocation>, first: Option<u64>) {
        let first = first.filter(|_| name.contains("Malloc") || name.contains("Alloc"));
        self.turn = at.map_or(0, |at| {
            let turns = self.by_place.entry((at.line, at.column, name)).or_default();
            if let Some(&known) = first.and_then(|pointer| turns.by_pointer.get(&pointer)) {
                return known;
            }
            turns.count += 1;
            if let Some(pointer) = first.filter(|_| turns.by_pointer.len() < MOST_POINTERS) {
                turns.by_pointer.insert(pointer, turns.count - 1);
            }
            turns.count - 1
        });
    }
}
