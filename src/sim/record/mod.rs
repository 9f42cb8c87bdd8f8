//! One block's run, recorded: what every instruction of every warp changed, so that the state before any of them can be
//! had, forward and back.
//!
//! A [`Recording`] is asked for with [`Options::record`](crate::Options::record) and comes with the launch's
//! [`Report`](crate::Report). Its steps are instructions of the PTX, each run once by the lanes of one warp; the warps
//! of the block are told in the order in which the simulator ran them. A [`State`] is what the block's registers and
//! memory hold before a step. What a step changed is kept as the difference of the bits before and after, so the same
//! goes forward and back.
//!
//! - `recorder`: the observer that makes it. `rows`: the block's memories as rows of 32 words. `symbols`: the names that
//!   the PTX has for registers and places.
//!
//! ```
//! use gpulearn_sim::{Device, Dim3, LaunchConfig, Module, Options, RecordRequest};
//!
//! let module = Module::parse_for_debugging("
//!     .version 8.0
//!     .target sm_80
//!     .address_size 64
//!     .visible .entry twice()
//!     {
//!         .reg .b32 %r<3>;
//!         mov.u32 %r1, %tid.x;
//!         add.s32 %r2, %r1, %r1;
//!         ret;
//!     }")?;
//! let options = Options { record: Some(RecordRequest::of_block(0)), ..Options::default() };
//! let config = LaunchConfig { grid: Dim3::new(1, 1, 1), block: Dim3::new(32, 1, 1), dynamic_shared_bytes: 0 };
//! let report = Device::new(8, 0).launch(&module, "twice", config, &[], &options)?;
//! let recording = report.recording.expect("the block ran");
//! assert_eq!(recording.steps().len(), 3);
//!
//! let symbols = module.symbols();
//! let doubled = symbols.register(0, "%r2").expect("the PTX declares it");
//! let mut state = recording.state();
//! // Before the third step the sum is there; before the second, going back, it is not yet.
//! let frame = recording.steps()[2].frame;
//! state.go(2);
//! assert_eq!(state.register(0, frame, doubled, 5), Some(10));
//! state.go(1);
//! assert_eq!(state.register(0, frame, doubled, 5), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod recorder;
mod rows;
mod symbols;
#[cfg(test)]
mod tests;

pub use recorder::Recorder;
pub use symbols::{Flow, Register, Symbols};
pub(crate) use symbols::{FunctionSymbols, RegisterFamily};

use crate::lanes::{File, LANES, Slots};
use crate::memory::Address;
use rows::{Layout, Row};
use std::sync::Arc;

/// Which block to record, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordRequest {
    /// Linear index in the grid.
    pub block: u64,
    /// Steps after which no more is recorded.
    pub most_steps: usize,
    /// Bytes of this machine's memory after which no more is recorded.
    pub most_bytes: usize,
    /// Bytes of global memory that are kept as they were when the block began; where there is more, none of it is.
    pub most_global_bytes: u64,
}

impl RecordRequest {
    /// A block by its linear index, within what a small machine has room for.
    pub fn of_block(block: u64) -> RecordRequest {
        RecordRequest { block, most_steps: 1_000_000, most_bytes: 256 << 20, most_global_bytes: 16 << 20 }
    }
}

/// An instruction of the PTX that a warp ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// Number of the decoded instruction, for [`Symbols`].
    pub pc: u32,
    /// Warp within the block.
    pub warp: u32,
    /// Lanes that came to it.
    pub lanes: u32,
    /// Those of them that its predicate let run it.
    pub taken: u32,
    /// Where the registers and the local memory of its function begin.
    pub frame: Frame,
    /// Where its changes begin: rows, and bytes that were written for the first time.
    changes: (u32, u32),
}

/// The registers and the local memory of a function that was called: the same number for the same call depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame(u32);

/// Where the registers of a function begin in their files, and its local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameStart {
    registers: Slots,
    local: u64,
}

/// Threads that waited at a barrier were let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Steps that had been taken by then.
    pub step: usize,
    /// The warp and its lanes; `None`: all threads of the block.
    pub lanes: Option<(u32, u32)>,
}

/// Words of one row that a step changed.
#[derive(Clone, Copy, Debug)]
struct Change {
    row: u32,
    words: u32,
    /// Where the bits that differ begin, a word for each.
    bits: u32,
}

/// Bytes of a row that count as written from a step on, or no longer.
#[derive(Clone, Copy, Debug)]
struct Marked {
    row: u32,
    /// Which byte of its words.
    byte: u8,
    words: u32,
}

/// A buffer of global memory as it was when the block began.
#[derive(Clone, Debug)]
struct Kept {
    name: Arc<str>,
    base: u64,
    bytes: u64,
    /// Its first row.
    row: u32,
}

/// What one block did, instruction by instruction.
#[derive(Clone, Debug)]
pub struct Recording {
    block: u64,
    /// Lanes that exist, by warp.
    warps: Vec<u32>,
    steps: Vec<RecordedStep>,
    frames: Vec<FrameStart>,
    /// Rows at the beginning.
    initial: Vec<Row>,
    layout: Layout,
    changes: Vec<Change>,
    bits: Vec<u32>,
    marked: Vec<Marked>,
    releases: Vec<Release>,
    is_cut: bool,
    shared_bytes: u64,
    buffers: Vec<Kept>,
    /// For each warp, its steps.
    of_warp: Vec<Vec<u32>>,
}

impl Recording {
    /// The block's linear index in the grid.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// In the order in which they were run.
    pub fn steps(&self) -> &[RecordedStep] {
        &self.steps
    }

    /// Numbers of the steps of a warp.
    pub fn steps_of(&self, warp: u32) -> &[u32] {
        self.of_warp.get(warp as usize).map_or(&[], Vec::as_slice)
    }

    /// For each warp of the block, the lanes that are threads.
    pub fn warps(&self) -> &[u32] {
        &self.warps
    }

    /// Where barriers let threads go, in order.
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// Whether the block did more than what was asked for at most.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Static and dynamic shared memory of the block.
    pub fn shared_bytes(&self) -> u64 {
        self.shared_bytes
    }

    /// Buffers of global memory that are kept: name, address and bytes of each.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, Address, u64)> {
        self.buffers.iter().map(|buffer| (&*buffer.name, Address(buffer.base), buffer.bytes))
    }

    /// How deep in calls a frame is: deeper ones have greater numbers.
    pub fn depth(&self, frame: Frame) -> u64 {
        let sum = |its: &FrameStart| {
            let Slots { r32, r64, preds } = its.registers;
            u64::from(r32) + u64::from(r64) + u64::from(preds) + its.local
        };
        self.frames.get(frame.0 as usize).map_or(0, sum)
    }

    /// The block before its first step.
    pub fn state(&self) -> State<'_> {
        State { recording: self, at: 0, rows: self.initial.clone() }
    }

    /// Where the changes of a step end: those of the next one begin.
    fn end_of(&self, step: usize) -> (usize, usize) {
        match self.steps.get(step + 1) {
            Some(next) => (next.changes.0 as usize, next.changes.1 as usize),
            None => (self.changes.len(), self.marked.len()),
        }
    }
}

/// Some bytes of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Little-endian, at most 8 bytes.
    pub bits: u64,
    /// Whether each of them was ever written; else they hold nothing that means anything.
    pub written: bool,
}

/// What the block's registers and memory hold before a step.
#[derive(Clone, Debug)]
pub struct State<'r> {
    recording: &'r Recording,
    at: usize,
    rows: Vec<Row>,
}

impl State<'_> {
    /// What it is a state of.
    pub fn recording(&self) -> &Recording {
        self.recording
    }

    /// Steps that were taken.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes to the state before a step, or behind the last one.
    pub fn go(&mut self, step: usize) {
        let step = step.min(self.recording.steps.len());
        while self.at < step {
            self.turn(self.at);
            self.at += 1;
        }
        while self.at > step {
            self.at -= 1;
            self.turn(self.at);
        }
    }

    /// Takes a step, or takes it back.
    fn turn(&mut self, step: usize) {
        let recording = self.recording;
        let (start, end) = (recording.steps[step].changes, recording.end_of(step));
        for change in &recording.changes[start.0 as usize..end.0] {
            let row = &mut self.rows[change.row as usize];
            let mut bits = change.bits as usize;
            for (word, value) in row.words.iter_mut().enumerate() {
                if change.words >> word & 1 != 0 {
                    *value ^= recording.bits[bits];
                    bits += 1;
                }
            }
        }
        for marked in &recording.marked[start.1 as usize..end.1] {
            self.rows[marked.row as usize].written[usize::from(marked.byte)] ^= marked.words;
        }
    }

    /// What a lane's register holds; `None` where nothing has been written to it yet in this frame's place.
    pub fn register(&self, warp: u32, frame: Frame, register: Register, lane: u32) -> Option<u64> {
        let (recording, lane) = (self.recording, (lane as usize).min(LANES - 1));
        let start = recording.frames.get(frame.0 as usize)?.registers;
        let slot = |start: u32| start as usize + register.number as usize;
        let files = recording.layout.registers.get(warp as usize)?;
        let row = |number: Option<&u32>| number.and_then(|number| self.rows.get(*number as usize));
        let has = |row: &Row| row.written[0] >> lane & 1 != 0;
        match register.file {
            File::R32 => row(files.r32.get(slot(start.r32)))
                .filter(|row| has(row))
                .map(|row| u64::from(row.words[lane])),
            File::R64 => {
                let low = files.r64.get(slot(start.r64))?;
                let (low, high) = (row(Some(low))?, row(Some(&(low + 1)))?);
                has(low).then(|| u64::from(low.words[lane]) | u64::from(high.words[lane]) << 32)
            }
            File::Pred => row(files.preds.get(slot(start.preds)))
                .filter(|row| has(row))
                .map(|row| u64::from(row.words[0] >> lane & 1)),
        }
    }

    /// Bytes of the block's shared memory, at most 8; `None` outside of it.
    pub fn shared(&self, offset: u64, bytes: u32) -> Option<Stored> {
        let within = offset.checked_add(bytes.into())? <= self.recording.shared_bytes;
        within.then(|| self.stored(self.recording.layout.shared, offset, bytes))
    }

    /// Bytes of global memory, at most 8, as the block would see them; `None` where they were not kept.
    pub fn global(&self, address: Address, bytes: u32) -> Option<Stored> {
        let end = address.0.checked_add(bytes.into())?;
        let kept = |buffer: &&Kept| address.0 >= buffer.base && end <= buffer.base + buffer.bytes;
        let buffer = self.recording.buffers.iter().find(kept)?;
        Some(self.stored(buffer.row, address.0 - buffer.base, bytes))
    }

    /// Bytes of a thread's local memory, at most 8, from where those of a frame begin; `None` outside of it.
    pub fn local(&self, warp: u32, frame: Frame, offset: u64, lane: u32, bytes: u32) -> Option<Stored> {
        let start = self.recording.frames.get(frame.0 as usize)?.local;
        self.own_local(warp, start.checked_add(offset)?, lane, bytes)
    }

    /// As [`State::local`], from where the thread's local memory begins: what its address in the local space says.
    pub fn own_local(&self, warp: u32, offset: u64, lane: u32, bytes: u32) -> Option<Stored> {
        let rows = &self.recording.layout.local.get(warp as usize)?;
        let lane = (lane as usize).min(LANES - 1);
        let byte = |n: u64| {
            let at = offset.checked_add(n)?;
            let row = &self.rows[*rows.get((at / 4) as usize)? as usize];
            let written = row.written[(at % 4) as usize] >> lane & 1 != 0;
            Some((u64::from(row.words[lane] >> (at % 4 * 8) & 0xff), written))
        };
        let bytes =
            (0..u64::from(bytes.min(8))).map(|n| byte(n).map(|(value, written)| (value << (8 * n), written)));
        bytes.collect::<Option<Vec<_>>>().map(|bytes| Stored {
            bits: bytes.iter().fold(0, |all, (value, _)| all | value),
            written: bytes.iter().all(|(_, written)| *written),
        })
    }

    /// Bytes of a memory whose words follow each other from a row on.
    fn stored(&self, first: u32, offset: u64, bytes: u32) -> Stored {
        let mut stored = Stored { bits: 0, written: true };
        for n in 0..u64::from(bytes.min(8)) {
            let at = offset + n;
            let word = at / 4;
            let row = &self.rows[first as usize + (word / LANES as u64) as usize];
            let word = (word % LANES as u64) as usize;
            stored.bits |= u64::from(row.words[word] >> (at % 4 * 8) & 0xff) << (8 * n);
            stored.written &= row.written[(at % 4) as usize] >> word & 1 != 0;
        }
        stored
    }
}

/// Two states are alike where all that they hold is.
impl PartialEq for State<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.rows == other.rows
    }
}
