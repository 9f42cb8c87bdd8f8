//! Barriers of the whole block, and whether they are needed. A barrier is needed if one thread touched memory in the
//! phase before it, another thread touches the same memory in the phase after it, and at least one of the two
//! accesses is a write. Other reasons for a barrier (blocks that wait for each other, barriers of some of the
//! threads, asynchronous copies, warpgroup matrix multiplications) are not tracked: where they occur, every barrier
//! counts as needed.

use crate::code::{BarrierKind, What};
use crate::engine::observer::{Event, MemorySpace, NO_BUFFER, Start, Step};
use crate::finding::AccessKind;
use crate::lanes::{LANES, lanes_of};
use crate::memory::by_address::ByAddress;
use crate::memory::shape::Shape;
use std::collections::BTreeMap;

/// The tally of one barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    pub times: u64,
    pub needed: bool,
}

impl Barrier {
    pub fn add(&mut self, other: &Barrier) {
        self.times += other.times;
        self.needed |= other.needed;
    }
}

/// No thread.
const NOBODY: u32 = u32::MAX;
/// More than one thread.
const MANY: u32 = u32::MAX - 1;
/// The number of words of global memory that are tracked in one block.
const MAX_WORDS: usize = 1 << 16;

/// Which threads touched a word between two barriers: a thread's number in the block, [`NOBODY`] or [`MANY`].
#[derive(Clone, Copy, Debug)]
struct Users {
    writer: u32,
    reader: u32,
}

const NONE: Users = Users { writer: NOBODY, reader: NOBODY };

/// A tracked word: which threads touched it in the phase numbered `phase`, and in the phase before that.
#[derive(Clone, Copy, Debug)]
struct Word {
    phase: u32,
    now: Users,
    before: Users,
}

const UNTOUCHED: Word = Word { phase: 0, now: NONE, before: NONE };

fn join(users: &mut u32, thread: u32) {
    *users = if *users == NOBODY || *users == thread { thread } else { MANY };
}

fn others(users: u32, thread: u32) -> bool {
    users != NOBODY && users != thread
}

impl Word {
    /// Records an access in `phase`. Returns whether it makes the barrier before this phase necessary.
    fn touch(&mut self, phase: u32, thread: u32, writes: bool, reads: bool) -> bool {
        if self.phase != phase {
            self.before = if phase.checked_sub(1) == Some(self.phase) { self.now } else { NONE };
            (self.now, self.phase) = (NONE, phase);
        }
        let needed = others(self.before.writer, thread) || writes && others(self.before.reader, thread);
        if writes {
            join(&mut self.now.writer, thread);
        }
        if reads {
            join(&mut self.now.reader, thread);
        }
        needed
    }
}

#[derive(Debug, Default)]
pub struct Phases {
    /// The number of barriers passed, plus one.
    phase: u32,
    /// The barrier (program counter) that was passed last.
    last: Option<u32>,
    shared: Vec<Word>,
    global: ByAddress<Word>,
    /// Whether the kernel has barriers at all.
    used: bool,
    /// Whether something was seen that is not tracked, so that all barriers count as needed.
    unsure: bool,
    /// The barriers of the current block.
    barriers: BTreeMap<u32, Barrier>,
    pub tally: BTreeMap<u32, Barrier>,
}

impl Phases {
    pub fn begin(&mut self, start: &Start) {
        (self.phase, self.last, self.used, self.unsure) = (1, None, false, start.communicates);
        self.shared.clear();
        self.shared.resize(start.shared_bytes.div_ceil(4) as usize, UNTOUCHED);
        self.global.clear();
        self.barriers.clear();
    }

    /// From here on, all barriers of the block count as needed.
    pub fn unsure(&mut self) {
        self.unsure = true;
    }

    pub fn before(&mut self, step: &Step) {
        self.used |= !step.code.details.barriers.is_empty();
        if matches!(step.inst.what, What::Barrier) {
            let op = step.code.details.barriers.get(step.inst.detail as usize);
            self.unsure |= op.is_none_or(|op| op.kind != BarrierKind::Sync);
        }
    }

    /// Called when all threads of the block pass the barrier at `pc`. `plain`: all of them waited at that very
    /// instruction.
    pub fn at_barrier(&mut self, pc: u32, plain: bool) {
        self.unsure |= !plain;
        self.phase = self.phase.saturating_add(1);
        self.last = Some(pc);
        self.barriers.entry(pc).or_default().times += 1;
    }

    pub fn access(&mut self, event: &Event, shape: &Shape) {
        if self.unsure || !self.used {
            return;
        }
        let (writes, reads) = (event.kind != AccessKind::Read, event.kind != AccessKind::Write);
        let mut needed = false;
        for lane in lanes_of(event.mask) {
            let address = event.first.wrapping_add(shape.offsets[lane]);
            let words = address / 4..=address.saturating_add(u64::from(event.width) - 1) / 4;
            let thread = event.warp * LANES as u32 + lane as u32;
            for word in words {
                let word = match event.place {
                    MemorySpace::Shared => self.shared.get_mut(word as usize),
                    MemorySpace::Global if event.buffer != NO_BUFFER => {
                        if self.global.len() >= MAX_WORDS && !self.global.contains_key(&word) {
                            self.unsure = true;
                            return;
                        }
                        Some(self.global.entry(word).or_insert(UNTOUCHED))
                    }
                    _ => None,
                };
                needed |= word.is_some_and(|word| word.touch(self.phase, thread, writes, reads));
            }
        }
        if needed && let Some(barrier) = self.last.and_then(|pc| self.barriers.get_mut(&pc)) {
            barrier.needed = true;
        }
    }

    /// Called at the end of the block.
    pub fn end(&mut self) {
        for (pc, barrier) in std::mem::take(&mut self.barriers) {
            let needed = barrier.needed || self.unsure;
            self.tally.entry(pc).or_default().add(&Barrier { needed, ..barrier });
        }
    }
}
