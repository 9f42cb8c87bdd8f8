//! A recording of one block's run: what every instruction of every warp changed, so that the state before any of them
//! can be reconstructed, forwards and backwards.
//!
//! A [`Recording`] is requested with [`Options::record`](crate::Options::record) and returned in the launch's
//! [`Report`](crate::Report). Its steps are PTX instructions, each executed once by lanes of one warp; the steps of
//! different warps are interleaved in the order in which the simulator ran them. A [`State`] is what the block's
//! registers and memory hold before a step. A step's changes are stored as the XOR of the bits before and after it,
//! so applying them works in both directions.
//!
//! - `recorder`: the observer that creates recordings.
//! - `rows`: the block's memories as rows of 32 words.
//! - `symbols`: the PTX names of registers, labels and variables.
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
use crate::memory_name::MemoryName;
use rows::{Layout, Row};

/// Which block to record, and the limits of the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordRequest {
    /// Linear index in the grid.
    pub block: u64,
    /// The number of steps after which recording stops.
    pub most_steps: usize,
    /// Bytes of host memory that the recording may use before it stops.
    pub most_bytes: usize,
    /// Limit on the bytes of global memory to snapshot when the block begins. If there is more, none of it is kept.
    pub most_global_bytes: u64,
}

impl RecordRequest {
    /// Requests a recording of the block with this linear index, with limits that suit a small machine.
    pub fn of_block(block: u64) -> RecordRequest {
        RecordRequest { block, most_steps: 1_000_000, most_bytes: 256 << 20, most_global_bytes: 16 << 20 }
    }
}

/// A PTX instruction that a warp executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// Program counter of the decoded instruction, for [`Symbols`].
    pub pc: u32,
    /// Warp within the block.
    pub warp: u32,
    /// Lanes that reached the instruction.
    pub lanes: u32,
    /// The subset of `lanes` for which the guard predicate was true.
    pub taken: u32,
    /// The call frame that the instruction ran in.
    pub frame: Frame,
    /// Where the step's changes begin in [`Recording`]'s `changes` and `marked`.
    changes: (u32, u32),
}

/// The registers and the local memory of a called function. Frames at the same place in both get the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame(u32);

/// Where a function's registers begin in each register file, and where its local memory begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameStart {
    registers: Slots,
    local: u64,
}

/// A point at which threads that waited at a barrier were released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The number of steps executed before it.
    pub step: usize,
    /// The warp and its lane mask; `None` for all threads of the block.
    pub lanes: Option<(u32, u32)>,
}

/// The words of one row that a step changed.
#[derive(Clone, Copy, Debug)]
struct Change {
    row: u32,
    words: u32,
    /// Index into [`Recording`]'s `bits` of the first changed word's XOR difference; there is one entry per changed
    /// word.
    bits: u32,
}

/// Bytes of a row whose written flag a step toggles.
#[derive(Clone, Copy, Debug)]
struct Marked {
    row: u32,
    /// Which byte of each word, 0 to 3.
    byte: u8,
    words: u32,
}

/// A buffer of global memory, snapshot when the block began.
#[derive(Clone, Debug)]
struct BufferSnapshot {
    name: MemoryName,
    base: u64,
    bytes: u64,
    /// The number of its first row.
    row: u32,
}

/// The recorded run of one block, instruction by instruction.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    block: u64,
    /// For each warp, the lanes that exist.
    warps: Vec<u32>,
    steps: Vec<RecordedStep>,
    frames: Vec<FrameStart>,
    /// The rows before the first step.
    initial: Vec<Row>,
    layout: Layout,
    changes: Vec<Change>,
    bits: Vec<u32>,
    marked: Vec<Marked>,
    releases: Vec<Release>,
    is_cut: bool,
    shared_bytes: u64,
    buffers: Vec<BufferSnapshot>,
    /// For each warp, the numbers of its steps.
    of_warp: Vec<Vec<u32>>,
}

impl Recording {
    /// Returns the block's linear index in the grid.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// Returns all steps in the order in which they were executed.
    pub fn steps(&self) -> &[RecordedStep] {
        &self.steps
    }

    /// Returns the numbers of a warp's steps.
    pub fn steps_of(&self, warp: u32) -> &[u32] {
        self.of_warp.get(warp as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns, for each warp of the block, the lanes that are threads.
    pub fn warps(&self) -> &[u32] {
        &self.warps
    }

    /// Returns the points at which barriers released threads, in order.
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// Returns whether recording stopped at one of the request's limits before the block ended.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the bytes of the block's static and dynamic shared memory.
    pub fn shared_bytes(&self) -> u64 {
        self.shared_bytes
    }

    /// Returns the buffers of global memory that were kept: name, address and size in bytes of each.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, Address, u64)> {
        self.buffers.iter().map(|buffer| (&*buffer.name, Address(buffer.base), buffer.bytes))
    }

    /// Returns a measure of a frame's call depth: deeper frames have greater numbers.
    pub fn depth(&self, frame: Frame) -> u64 {
        let sum = |its: &FrameStart| {
            let Slots { r32, r64, preds } = its.registers;
            u64::from(r32) + u64::from(r64) + u64::from(preds) + its.local
        };
        self.frames.get(frame.0 as usize).map_or(0, sum)
    }

    /// Returns the state before the first step.
    pub fn state(&self) -> State<'_> {
        State { recording: self, at: 0, rows: self.initial.clone() }
    }

    /// Returns where the changes of a step end, which is where those of the next step begin.
    fn end_of(&self, step: usize) -> (usize, usize) {
        match self.steps.get(step + 1) {
            Some(next) => (next.changes.0 as usize, next.changes.1 as usize),
            None => (self.changes.len(), self.marked.len()),
        }
    }
}

/// A few bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The bytes, little-endian; at most 8.
    pub bits: u64,
    /// Whether all of them were ever written; otherwise `bits` is meaningless in part or in full.
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
    /// Returns the recording that this is a state of.
    pub fn recording(&self) -> &Recording {
        self.recording
    }

    /// Returns the number of steps executed so far.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Moves to the state before a step; beyond the last step, to the final state.
    pub fn go(&mut self, step: usize) {
        let step = step.min(self.recording.steps.len());
        while self.at < step {
            self.toggle_step(self.at);
            self.at += 1;
        }
        while self.at > step {
            self.at -= 1;
            self.toggle_step(self.at);
        }
    }

    /// Applies a step's changes, or reverts them: both are the same XOR.
    fn toggle_step(&mut self, step: usize) {
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

    /// Returns what a lane's register holds; `None` if nothing has been written to it yet in this frame.
    pub fn register(&self, warp: u32, frame: Frame, register: Register, lane: u32) -> Option<u64> {
        let (recording, lane) = (self.recording, (lane as usize).min(LANES - 1));
        let start = recording.frames.get(frame.0 as usize)?.registers.of(register.file);
        let rows = &recording.layout.registers.get(warp as usize)?[register.file as usize];
        let number = *rows.get(start as usize + register.number as usize)? as usize;
        let row = self.rows.get(number).filter(|row| row.written[0] >> lane & 1 != 0)?;
        Some(match register.file {
            File::R32 => row.words[lane].into(),
            File::R64 => u64::from(row.words[lane]) | u64::from(self.rows.get(number + 1)?.words[lane]) << 32,
            File::Pred => u64::from(row.words[0] >> lane & 1),
        })
    }

    /// Returns up to 8 bytes of the block's shared memory; `None` outside of it.
    pub fn shared(&self, offset: u64, bytes: u32) -> Option<Stored> {
        let within = offset.checked_add(bytes.into())? <= self.recording.shared_bytes;
        within.then(|| self.stored(self.recording.layout.shared, offset, bytes))
    }

    /// Returns up to 8 bytes of global memory as the block sees them; `None` if they were not kept.
    pub fn global(&self, address: Address, bytes: u32) -> Option<Stored> {
        let end = address.0.checked_add(bytes.into())?;
        let kept = |buffer: &&BufferSnapshot| address.0 >= buffer.base && end <= buffer.base + buffer.bytes;
        let buffer = self.recording.buffers.iter().find(kept)?;
        Some(self.stored(buffer.row, address.0 - buffer.base, bytes))
    }

    /// Returns up to 8 bytes of a thread's local memory, at an offset from the start of a frame; `None` outside of
    /// it.
    pub fn local(&self, warp: u32, frame: Frame, offset: u64, lane: u32, bytes: u32) -> Option<Stored> {
        let start = self.recording.frames.get(frame.0 as usize)?.local;
        self.own_local(warp, start.checked_add(offset)?, lane, bytes)
    }

    /// As [`State::local`], at an offset from the start of the thread's local memory, which is its address in the
    /// local space.
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

    /// Returns bytes of a memory whose words occupy consecutive rows, starting with row `first`.
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

/// Two states are equal if they are at the same step and all rows are equal.
impl PartialEq for State<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.rows == other.rows
    }
}
