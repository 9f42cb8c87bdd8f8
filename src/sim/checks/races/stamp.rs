//! When and by whom a place was last touched, in 4 bytes; and the instructions that touch, by number.

use crate::engine::observer::Event;
use crate::finding::AccessKind;
use crate::memory::access::Role;

/// The time in the upper 21 bits, the thread within its block in the lower 11. Zero: never.
pub type Stamp = u32;

pub const TIME_SHIFT: u32 = 11;
pub const THREAD: u32 = (1 << TIME_SHIFT) - 1;
pub const LAST_TIME: u32 = (1 << (32 - TIME_SHIFT)) - 1;

/// In place of a thread: several threads of one warp (its number in the low bits, and above it the lane of
/// one of them), several warps of a block, or several blocks.
pub const MANY_IN_WARP: u32 = 0x400;
const LANE_SHIFT: u32 = 5;
const LANE: u32 = 0x1f << LANE_SHIFT;
/// In place of the lane of one of several: it is not known. ([`MANY`] and [`MANY_BLOCKS`] have lane 31.)
const NO_LANE: u32 = 30;
pub const MANY: u32 = THREAD;
pub const MANY_BLOCKS: u32 = THREAD - 1;

#[inline(always)]
pub fn time(stamp: Stamp) -> u32 {
    stamp >> TIME_SHIFT
}

/// Of what a copy of the warp writes, until it is waited for: later than anything.
#[inline(always)]
pub fn flying(warp: u32) -> Stamp {
    LAST_TIME << TIME_SHIFT | several(warp, NO_LANE)
}

/// Several threads of a warp, `lane` being one of them.
#[inline(always)]
fn several(warp: u32, lane: u32) -> u32 {
    MANY_IN_WARP | lane.min(NO_LANE) << LANE_SHIFT | warp
}

/// Several threads of a warp of which none is known.
#[inline(always)]
pub fn some_of(warp: u32) -> u32 {
    several(warp, NO_LANE)
}

/// The thread or threads of a stamp of this warp, and others of it since. The first stays the one that stands
/// for them, since the instruction that is kept is its.
#[inline(always)]
pub fn joined(old: Stamp, warp: u32) -> u32 {
    let lane = if old & MANY_IN_WARP == 0 { old } else { old >> LANE_SHIFT };
    several(warp, lane & 0x1f)
}

/// What the threads of a stamp are called where they are looked up: without the lane that stands for them.
pub fn key(thread: u32) -> u32 {
    match thread {
        MANY | MANY_BLOCKS => thread,
        t if t & MANY_IN_WARP != 0 => t & !LANE,
        t => t,
    }
}

/// A thread, or several threads of its warp of which it is one, as a stamp's lower part.
#[inline(always)]
pub fn who(warp: u32, lane: u8, many: bool) -> u32 {
    if many { several(warp, lane.into()) } else { warp * 32 + lane as u32 }
}

/// The warp of a stamp's thread or threads; `None` for threads of several.
#[inline(always)]
pub fn warp_of(thread: u32) -> Option<u32> {
    match thread {
        MANY | MANY_BLOCKS => None,
        t if t & MANY_IN_WARP != 0 => Some(t & 0x1f),
        t => Some(t / 32),
    }
}

/// Whether a stamp is of one or several threads of the warp.
#[inline(always)]
pub fn is_in_warp(stamp: Stamp, warp: u32) -> bool {
    let thread = stamp & THREAD;
    (thread / 32 == warp) | ((thread & !LANE == MANY_IN_WARP | warp) & (thread < MANY_BLOCKS))
}

/// A stamp's thread, or one of its threads, where one is known.
pub fn one_of(stamp: Stamp) -> Option<u32> {
    match stamp & THREAD {
        MANY | MANY_BLOCKS => None,
        t if t & MANY_IN_WARP != 0 => {
            let lane = (t & LANE) >> LANE_SHIFT;
            (lane < NO_LANE).then_some((t & 0x1f) * 32 + lane)
        }
        t => Some(t),
    }
}

/// An instruction that touches memory.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub pc: u32,
    pub kind: AccessKind,
    pub bytes: u32,
    pub strong: bool,
    pub watching: bool,
    pub role: Role,
}

/// The sites of a launch by number, 0 standing for those past the last number.
#[derive(Debug)]
pub struct Sites {
    /// For each instruction, its site's number; 0: none yet.
    by_pc: Vec<u16>,
    list: Vec<Site>,
    /// Of bulk copies that read one memory and do atomics on another: the sites of these, by instruction.
    bulk_atomics: Vec<(u32, u16)>,
    /// Numbers of copies, and of the same once they are done.
    landed: Vec<(u16, u16)>,
    /// There are volatile, relaxed or atomic ones.
    pub watching: bool,
}

impl Default for Sites {
    fn default() -> Sites {
        let unknown = Site {
            pc: u32::MAX,
            kind: AccessKind::Read,
            bytes: 0,
            strong: false,
            watching: false,
            role: Role::default(),
        };
        Sites {
            by_pc: Vec::new(),
            list: vec![unknown],
            bulk_atomics: Vec::new(),
            landed: Vec::new(),
            watching: false,
        }
    }
}

impl Sites {
    #[inline(always)]
    pub fn number(&mut self, event: &Event) -> u16 {
        if event.role.bulk && event.strong {
            return self.bulk_atomic(event);
        }
        match self.by_pc.get(event.pc as usize) {
            Some(&known) if known != 0 => known,
            _ => self.learn(event),
        }
    }

    /// The number of an instruction's site, where it has one.
    pub fn known(&self, pc: u32) -> Option<u16> {
        self.by_pc.get(pc as usize).copied().filter(|&number| number != 0)
    }

    #[inline(never)]
    fn bulk_atomic(&mut self, event: &Event) -> u16 {
        if let Some(&(_, known)) = self.bulk_atomics.iter().find(|(pc, _)| *pc == event.pc) {
            return known;
        }
        let number = self.add(event);
        self.bulk_atomics.push((event.pc, number));
        number
    }

    #[inline(never)]
    fn learn(&mut self, event: &Event) -> u16 {
        let number = self.add(event);
        if self.by_pc.len() <= event.pc as usize {
            self.by_pc.resize(event.pc as usize + 1, 0);
        }
        self.by_pc[event.pc as usize] = number;
        number
    }

    /// A new site; 0 where there are too many.
    fn add(&mut self, event: &Event) -> u16 {
        let Ok(number) = u16::try_from(self.list.len()) else { return 0 };
        let Event { pc, kind, width, strong, watching, role, .. } = *event;
        self.watching |= watching;
        self.list.push(Site { pc, kind, bytes: width, strong, watching, role });
        number
    }

    /// The site that stands for a copy that is done.
    pub fn landed(&mut self, copy: u16) -> u16 {
        if let Some(&(_, known)) = self.landed.iter().find(|(its, _)| *its == copy) {
            return known;
        }
        let Ok(number) = u16::try_from(self.list.len()) else { return 0 };
        let site = self.get(copy);
        self.list.push(Site { role: Role { bulk: site.role.bulk, ..Role::default() }, ..site });
        self.landed.push((copy, number));
        number
    }

    #[inline(always)]
    pub fn get(&self, number: u16) -> Site {
        self.list[(number as usize).min(self.list.len() - 1)]
    }
}
