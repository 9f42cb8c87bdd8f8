//! The observer that records one block.

use super::rows::Row;
use super::{
    BufferSnapshot, Change, Frame, FrameStart, Layout, Marked, RecordRequest, RecordedStep, Recording,
    Release,
};
use crate::code::What;
use crate::engine::findings::FindingLog;
use crate::engine::observer::{Event, MemorySpace, NO_BUFFER, Observer, Start, Step, Synchronisation};
use crate::finding::AccessKind;
use crate::lanes::{File, LANES, Lanes32, Lanes64, Registers, lanes_of};
use crate::memory::bytes::ByteSet;
use crate::memory::global::GlobalMemory;
use crate::memory::local::LocalMemory;
use crate::memory::shape::Shape;
use ptx::Span;
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

/// Records the requested block; ignores all others.
#[derive(Debug, Default)]
pub struct Recorder {
    active: Option<Box<Active>>,
    /// The recording of a block that has ended.
    done: Option<Box<Recording>>,
}

/// The recording in progress.
#[derive(Debug, Default)]
struct Active {
    request: RecordRequest,
    recording: Recording,
    /// The rows' current contents.
    now: Vec<Row>,
    frames: HashMap<FrameKey, Frame>,
    /// The [`Event::buffer`] and [`Event::base`] that denote the block's own shared memory.
    shared_name: (u32, u64),
    /// The registers that the current instruction writes, by their slots, and the lanes that execute it.
    writes: Vec<(File, usize)>,
    taken: u32,
    /// The call frame of the current instruction.
    caller: FrameKey,
    /// Memory accesses of the current instruction.
    touched: Vec<Touched>,
    has_begun: bool,
}

type FrameKey = (u32, u32, u32, u64);

/// Returns the key that identifies the call frame a warp is in.
fn frame_key(step: &Step) -> FrameKey {
    let start = step.registers.start();
    (start.r32, start.r64, start.preds, step.local_base)
}

/// Bytes of a memory that lanes accessed.
#[derive(Debug)]
struct Touched {
    place: MemorySpace,
    stores: bool,
    mask: u32,
    width: u64,
    /// Address of each lane.
    at: Lanes64,
}

impl Observer for Recorder {
    type World = ();
    const EVERY_INSTRUCTION: bool = true;

    fn block_begin(&mut self, start: &Start) {
        self.end();
        if let Some(request) = start.record {
            self.active = Some(Box::new(Active::new(request, start)));
        }
    }

    fn memory_access(&mut self, event: &Event, shape: &mut Shape, _: &mut FindingLog) {
        if let Some(active) = &mut self.active {
            active.access(event, shape);
        }
    }

    fn synchronised(&mut self, event: Synchronisation) {
        match event {
            Synchronisation::BarrierPassed | Synchronisation::ClusterLeft(None) => self.release(None),
            Synchronisation::BarrierLeft(_, at) | Synchronisation::ClusterLeft(Some(at)) => {
                self.release(Some((at.warp, at.mask)));
            }
            _ => {}
        }
    }

    fn instruction_begin(&mut self, step: &Step) {
        if let Some(active) = &mut self.active {
            active.begin(step);
        }
    }

    fn instruction_executed(&mut self, step: &Step) {
        if let Some(active) = &mut self.active {
            active.end(step);
        }
    }

    fn take_recording(&mut self) -> Option<Box<Recording>> {
        self.end();
        self.done.take()
    }

    fn block_complete(&mut self) {
        self.end();
    }
}

impl Recorder {
    fn end(&mut self) {
        if let Some(active) = self.active.take() {
            self.done = Some(Box::new(active.recording.indexed()));
        }
    }

    fn release(&mut self, lanes: Option<(u32, u32)>) {
        if let Some(active) = self.active.as_mut().filter(|active| !active.recording.is_cut) {
            let step = active.recording.steps.len();
            active.recording.releases.push(Release { step, lanes });
        }
    }
}

impl Recording {
    /// Builds the index of steps by warp.
    fn indexed(mut self) -> Recording {
        self.of_warp = vec![Vec::new(); self.warps.len()];
        for (number, step) in self.steps.iter().enumerate() {
            self.of_warp[step.warp as usize].push(number as u32);
        }
        self
    }

    fn bytes(&self) -> usize {
        self.steps.len() * size_of::<RecordedStep>()
            + self.changes.len() * size_of::<Change>()
            + self.bits.len() * size_of::<u32>()
            + self.marked.len() * size_of::<Marked>()
    }
}

/// Returns a row of consecutive words, starting with word number `first`; missing words are 0.
fn chunk(words: &[u32], first: usize) -> [u32; LANES] {
    std::array::from_fn(|word| words.get(first + word).copied().unwrap_or(0))
}

impl Active {
    fn new(request: RecordRequest, start: &Start) -> Active {
        let lanes = |warp: usize| match start.threads.saturating_sub(warp as u64 * LANES as u64) {
            left if left >= LANES as u64 => u32::MAX,
            left => (1 << left) - 1,
        };
        let recording = Recording {
            block: start.block,
            warps: (0..start.warps).map(lanes).collect(),
            layout: Layout {
                registers: vec![Default::default(); start.warps],
                local: vec![Vec::new(); start.warps],
                shared: 0,
            },
            shared_bytes: start.shared_bytes,
            ..Recording::default()
        };
        Active {
            request,
            recording,
            shared_name: start.cluster.map_or((NO_BUFFER, 0), |cluster| cluster.shared),
            ..Active::default()
        }
    }

    /// Adds a row with its initial contents, and returns its number.
    fn row(&mut self, row: Row) -> u32 {
        self.now.push(row.clone());
        self.recording.initial.push(row);
        self.recording.initial.len() as u32 - 1
    }

    /// Snapshots shared and global memory before the block's first instruction.
    fn keep_memory(&mut self, step: &Step) {
        self.recording.layout.shared = self.now.len() as u32;
        let words = self.recording.shared_bytes.div_ceil(4) as usize;
        for first in (0..words).step_by(LANES) {
            self.row(Row { words: chunk(step.shared, first), written: [0; 4] });
        }
        let buffers = step.memory.buffers.iter().zip(&step.log.buffers);
        let live = buffers.filter(|(buffer, _)| !buffer.freed);
        if live.clone().map(|(buffer, _)| buffer.bytes).sum::<u64>() > self.request.most_global_bytes {
            return;
        }
        for (buffer, touched) in live {
            let row = self.now.len() as u32;
            let words: Vec<u32> = buffer.words.iter().map(|word| word.load(Relaxed)).collect();
            let has = |set: &Option<ByteSet>, at| set.as_ref().is_some_and(|set| set.contains(at, 1));
            for first in (0..words.len()).step_by(LANES) {
                let is_written = |word: usize, byte: usize| {
                    let at = (first + word) as u64 * 4 + byte as u64;
                    buffer.written.is_none() || has(&buffer.written, at) || has(&touched.written, at)
                };
                let bits =
                    |byte| (0..LANES).fold(0, |bits, word| bits | u32::from(is_written(word, byte)) << word);
                self.row(Row { words: chunk(&words, first), written: std::array::from_fn(bits) });
            }
            let (name, base, bytes) = (buffer.name.clone(), buffer.base, buffer.bytes);
            self.recording.buffers.push(BufferSnapshot { name, base, bytes, row });
        }
    }

    /// Adds rows for registers and local memory that the warp did not have before.
    fn make_room(&mut self, step: &Step) {
        let (warp, slots) = (step.warp as usize, step.registers.slots());
        // Registers present before the block's first instruction hold leftovers of another block; later frames begin
        // as zeros.
        let first = self.recording.layout.registers[warp][File::R32 as usize].is_empty();
        for file in File::ALL {
            let known = self.recording.layout.registers[warp][file as usize].len();
            for slot in known..slots.of(file) as usize {
                let (low, high) = words_of(step.registers, (file, slot));
                let begin = |words| Row { words: if first { words } else { [0; LANES] }, written: [0; 4] };
                let row = self.row(begin(low));
                if let Some(high) = high {
                    self.row(begin(high));
                }
                self.recording.layout.registers[warp][file as usize].push(row);
            }
        }
        for word in self.recording.layout.local[warp].len() as u64..step.local.bytes() / 4 {
            let (words, written) = step.local.raw(word * 4).map_or(([0; LANES], [0; 4]), |(w, of)| (*w, *of));
            let row = self.row(Row { words, written });
            self.recording.layout.local[warp].push(row);
        }
    }

    fn begin(&mut self, step: &Step) {
        if self.recording.is_cut {
            return;
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            self.keep_memory(step);
        }
        self.make_room(step);
        // Registers that others changed while the warp waited: the result of a barrier, or of lanes that arrived
        // later.
        self.compare_registers(step);
        let (lanes, inst) = (step.registers.mask(), step.inst);
        let taken = inst.guard.lanes(step.registers, lanes);
        self.taken = taken;
        self.caller = frame_key(step);
        let place = |(file, register)| (file, step.registers.slot(file, register));
        let written = step.code.registers_written(step.pc).into_iter();
        self.writes =
            written.filter(|(_, register)| *register != crate::memory::access::SINK).map(place).collect();
        self.touched.clear();
        // One PTX instruction may be decoded into several, which share its source span.
        let span = |pc: u32| step.code.origins.get(pc as usize).map(|origin| origin.span);
        let goes_on = |last: &RecordedStep| {
            let same = span(last.pc) == span(step.pc) || span(step.pc) == Some(Span::default());
            same && last.warp == step.warp && last.pc < step.pc && last.lanes == lanes
        };
        if self.recording.steps.last().is_some_and(goes_on) {
            return;
        }
        let full = self.recording.steps.len() >= self.request.most_steps
            || self.recording.bytes() > self.request.most_bytes
            || u32::try_from(self.recording.bits.len()).is_err();
        if full {
            self.recording.is_cut = true;
            return;
        }
        let frame = self.frame(step);
        let changes = (self.recording.changes.len() as u32, self.recording.marked.len() as u32);
        let (pc, warp) = (step.pc, step.warp);
        self.recording.steps.push(RecordedStep { pc, warp, lanes, taken, frame, changes });
    }

    fn frame(&mut self, step: &Step) -> Frame {
        let frames = &mut self.recording.frames;
        *self.frames.entry(frame_key(step)).or_insert_with(|| {
            frames.push(FrameStart { registers: step.registers.start(), local: step.local_base });
            Frame(frames.len() as u32 - 1)
        })
    }

    fn end(&mut self, step: &Step) {
        if self.recording.is_cut {
            return;
        }
        self.make_room(step);
        match step.inst.what {
            What::Lanes(_) | What::Memory | What::Branch => {}
            What::Call => {
                self.compare_registers(step);
                // Functions provided by the system, such as printf, have no frame.
                if frame_key(step) != self.caller {
                    self.begin_frame(step);
                }
            }
            _ => self.compare_registers(step),
        }
        for (file, slot) in std::mem::take(&mut self.writes) {
            self.compare_register(step.registers, step.warp, (file, slot));
            if let Some(row) = self.row_of(step.warp, file, slot) {
                self.mark(row, 0, self.taken & !self.now[row as usize].written[0]);
            }
        }
        for touched in std::mem::take(&mut self.touched) {
            match touched.place {
                MemorySpace::Shared => self.compare_shared(step.shared, &touched),
                MemorySpace::Global | MemorySpace::Constant => self.compare_global(step.memory, &touched),
                MemorySpace::Local => self.compare_local(step.local, step.warp),
            }
        }
    }

    /// Called when a function begins: marks its registers as not yet written.
    fn begin_frame(&mut self, step: &Step) {
        let start = step.registers.start();
        let files = &self.recording.layout.registers[step.warp as usize];
        let rows = |file: File| files[file as usize].get(start.of(file) as usize..).unwrap_or_default();
        for row in File::ALL.map(rows).concat() {
            let stale = self.now[row as usize].written[0] & self.taken;
            self.mark(row, 0, stale);
        }
        self.compare_local(step.local, step.warp);
    }

    fn access(&mut self, event: &Event, shape: &Shape) {
        let own = event.place != MemorySpace::Shared || (event.buffer, event.base) == self.shared_name;
        if self.recording.is_cut || !own {
            return;
        }
        self.touched.push(Touched {
            place: event.place,
            stores: event.kind != AccessKind::Read,
            mask: event.mask,
            width: u64::from(event.width),
            at: shape.offsets.map(|offset| event.first.wrapping_add(offset)),
        });
    }

    fn row_of(&self, warp: u32, file: File, slot: usize) -> Option<u32> {
        self.recording.layout.registers[warp as usize][file as usize].get(slot).copied()
    }

    /// Sets a row's words, recording those that changed.
    fn set(&mut self, row: u32, words: &[u32; LANES]) {
        let known = &mut self.now[row as usize].words;
        if known == words {
            return;
        }
        let first = self.recording.bits.len() as u32;
        let mut changed = 0;
        for (word, (was, is)) in known.iter_mut().zip(words).enumerate() {
            if was != is {
                changed |= 1 << word;
                self.recording.bits.push(*was ^ is);
                *was = *is;
            }
        }
        self.recording.changes.push(Change { row, words: changed, bits: first });
    }

    /// Toggles whether a byte of these words of a row counts as written.
    fn mark(&mut self, row: u32, byte: u8, words: u32) {
        if words != 0 {
            self.now[row as usize].written[usize::from(byte)] ^= words;
            self.recording.marked.push(Marked { row, byte, words });
        }
    }

    fn compare_register(&mut self, registers: &Registers, warp: u32, (file, slot): (File, usize)) {
        let Some(row) = self.row_of(warp, file, slot) else { return };
        let (low, high) = words_of(registers, (file, slot));
        self.set(row, &low);
        if let Some(high) = high {
            self.set(row + 1, &high);
        }
    }

    /// Compares all registers of a warp, for instructions that change more than their result.
    fn compare_registers(&mut self, step: &Step) {
        let is_plain = |last: &RecordedStep| {
            let what = step.code.insts.get(last.pc as usize).map(|inst| inst.what);
            last.warp == step.warp && matches!(what, Some(What::Lanes(_) | What::Memory | What::Branch))
        };
        let during = self.recording.steps.last();
        if during.is_some_and(|last| last.pc != step.pc && is_plain(last)) {
            return;
        }
        for file in File::ALL {
            for slot in 0..step.registers.slots().of(file) as usize {
                self.compare_register(step.registers, step.warp, (file, slot));
            }
        }
    }

    fn compare_shared(&mut self, shared: &[u32], touched: &Touched) {
        let first = self.recording.layout.shared;
        for at in addresses(touched) {
            self.compare_words(first, at, touched, |first| chunk(shared, first));
        }
    }

    fn compare_global(&mut self, memory: &GlobalMemory, touched: &Touched) {
        for at in addresses(touched) {
            let holds = |kept: &&BufferSnapshot| at >= kept.base && at - kept.base < kept.bytes;
            let Some(kept) = self.recording.buffers.iter().find(holds) else { continue };
            let (row, offset) = (kept.row, at - kept.base);
            let Some(buffer) = memory.find(at).map(|n| &memory.buffers[n]) else { continue };
            let word = |n: usize| buffer.words.get(n).map_or(0, |word| word.load(Relaxed));
            self.compare_words(row, offset, touched, |first| std::array::from_fn(|n| word(first + n)));
        }
    }

    /// Updates the rows touched by an access at byte `at` of a memory whose first row is `first`. `words` returns a
    /// row's current contents, given the number of its first word in that memory.
    fn compare_words(
        &mut self,
        first: u32,
        at: u64,
        touched: &Touched,
        words: impl Fn(usize) -> [u32; LANES],
    ) {
        const ROW_BYTES: u64 = 4 * LANES as u64;
        for row in at / ROW_BYTES..=(at + touched.width.max(1) - 1) / ROW_BYTES {
            if (first as usize + row as usize) < self.now.len() {
                self.set(first + row as u32, &words(row as usize * LANES));
            }
        }
        for byte in (at..at + touched.width).filter(|_| touched.stores) {
            let (row, word) = (first + (byte / ROW_BYTES) as u32, byte / 4 % LANES as u64);
            if (row as usize) < self.now.len() {
                let known = self.now[row as usize].written[(byte % 4) as usize];
                self.mark(row, (byte % 4) as u8, 1 << word & !known);
            }
        }
    }

    fn compare_local(&mut self, local: &LocalMemory, warp: u32) {
        for word in 0..self.recording.layout.local[warp as usize].len() {
            let Some((words, written)) = local.raw(word as u64 * 4) else { continue };
            let row = self.recording.layout.local[warp as usize][word];
            self.set(row, words);
            for (byte, bits) in written.iter().enumerate() {
                self.mark(row, byte as u8, bits ^ self.now[row as usize].written[byte]);
            }
        }
    }
}

fn addresses(touched: &Touched) -> impl Iterator<Item = u64> {
    let at = touched.at;
    lanes_of(touched.mask).map(move |lane| at[lane])
}

/// Returns the words of a register's row, and those of the next if it has 64 bits.
fn words_of(registers: &Registers, (file, slot): (File, usize)) -> (Lanes32, Option<Lanes32>) {
    if file == File::Pred {
        let mut words = [0; LANES];
        words[0] = registers.raw_pred(slot);
        return (words, None);
    }
    let values = registers.raw((file, slot));
    let high = values.map(|value| (value >> 32) as u32);
    (values.map(|value| value as u32), (file == File::R64).then_some(high))
}
