//! Stamps: when and by whom a place was last touched, in 4 bytes. Sites: the instructions that access memory, by
//! number.

use crate::engine::observer::Event;
use crate::finding::AccessKind;
pub use crate::kernel_code::TIME_SHIFT;
use crate::memory::access::Role;

/// The time in the upper 21 bits, the thread within its block in the lower 11. Zero means never.
pub type Stamp = u32;

pub const THREAD: u32 = (1 << TIME_SHIFT) - 1;
pub const LAST_TIME: u32 = (1 << (32 - TIME_SHIFT)) - 1;

/// Bits that stand in place of a thread: several threads of one warp (the warp's number is in the low bits, and above
/// it the lane of one of them), several warps of a block ([`MANY`]), or several blocks ([`MANY_BLOCKS`]).
pub const MANY_IN_WARP: u32 = 0x400;
const LANE_SHIFT: u32 = 5;
const LANE: u32 = 0x1f << LANE_SHIFT;
/// In place of the lane of one of several threads: unknown. ([`MANY`] and [`MANY_BLOCKS`] have lane 31.)
const NO_LANE: u32 = 30;
pub const MANY: u32 = THREAD;
pub const MANY_BLOCKS: u32 = THREAD - 1;

#[inline(always)]
pub fn time(stamp: Stamp) -> u32 {
    stamp >> TIME_SHIFT
}

/// Returns the stamp of bytes that a copy of the warp is going to write, until it is waited for: later than any
/// other.
#[inline(always)]
pub fn in_flight_stamp(warp: u32) -> Stamp {
    LAST_TIME << TIME_SHIFT | several(warp, NO_LANE)
}

/// Returns the thread bits for several threads of a warp, `lane` being one of them.
#[inline(always)]
fn several(warp: u32, lane: u32) -> u32 {
    MANY_IN_WARP | lane.min(NO_LANE) << LANE_SHIFT | warp
}

/// Returns the thread bits for several threads of a warp of which none is known.
#[inline(always)]
pub fn unknown_in_warp(warp: u32) -> u32 {
    several(warp, NO_LANE)
}

/// Returns the thread bits for several threads of this warp, represented by the thread, or one of the threads, of `stamp`:
/// that whose instruction is kept.
#[inline(always)]
pub fn joined(stamp: Stamp, warp: u32) -> u32 {
    let lane = if stamp & MANY_IN_WARP == 0 { stamp } else { stamp >> LANE_SHIFT };
    several(warp, lane & 0x1f)
}

/// Returns the key for looking up the threads of a stamp: the thread bits without the representative lane.
pub fn key(thread: u32) -> u32 {
    match thread {
        MANY | MANY_BLOCKS => thread,
        t if t & MANY_IN_WARP != 0 => t & !LANE,
        t => t,
    }
}

/// Returns the thread bits for one thread, or for several threads of its warp of which it is one.
#[inline(always)]
pub fn who(warp: u32, lane: u8, many: bool) -> u32 {
    if many { several(warp, lane.into()) } else { warp * 32 + lane as u32 }
}

/// Returns the warp of a stamp's thread or threads; `None` for threads of several warps.
#[inline(always)]
pub fn warp_of(thread: u32) -> Option<u32> {
    match thread {
        MANY | MANY_BLOCKS => None,
        t if t & MANY_IN_WARP != 0 => Some(t & 0x1f),
        t => Some(t / 32),
    }
}

/// Returns whether a stamp is of one or several threads of the warp.
#[inline(always)]
pub fn is_in_warp(stamp: Stamp, warp: u32) -> bool {
    let thread = stamp & THREAD;
    (thread / 32 == warp) | ((thread & !LANE == MANY_IN_WARP | warp) & (thread < MANY_BLOCKS))
}

/// Returns whether a stamp is of a single thread.
#[inline(always)]
pub fn is_one(stamp: Stamp) -> bool {
    stamp & THREAD < MANY_IN_WARP
}

/// Returns a stamp's thread, or one of its threads, if one is known.
pub fn representative(stamp: Stamp) -> Option<u32> {
    match stamp & THREAD {
        MANY | MANY_BLOCKS => None,
        t if t & MANY_IN_WARP != 0 => {
            let lane = (t & LANE) >> LANE_SHIFT;
            (lane < NO_LANE).then_some((t & 0x1f) * 32 + lane)
        }
        t => Some(t),
    }
}

/// An instruction that accesses memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Site {
    pub pc: u32,
    pub kind: AccessKind,
    pub bytes: u32,
    pub strong: bool,
    pub watching: bool,
    pub role: Role,
}

/// The sites of a launch by number. Number 0 stands for instructions for which no number was left.
#[derive(Debug)]
pub struct Sites {
    /// For each instruction, the number of its site; 0 if it has none yet.
    by_pc: Vec<u16>,
    list: Vec<Site>,
    /// For bulk copies that read one memory and perform atomics on another: the sites of the atomics, by instruction.
    bulk_atomics: Vec<(u32, u16)>,
    /// Pairs of a copy's site and the site that represents it once it is done.
    landed: Vec<(u16, u16)>,
    /// Whether there are volatile, relaxed or atomic accesses.
    pub watching: bool,
}

impl Default for Sites {
    fn default() -> Sites {
        let list = vec![Site { pc: u32::MAX, ..Site::default() }];
        Sites { by_pc: Vec::new(), list, bulk_atomics: Vec::new(), landed: Vec::new(), watching: false }
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

    /// Returns the number of an instruction's site, if it has one.
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

    /// Adds a site and returns its number; 0 if there are too many.
    fn add(&mut self, event: &Event) -> u16 {
        let Ok(number) = u16::try_from(self.list.len()) else { return 0 };
        let Event { pc, kind, width, strong, watching, role, .. } = *event;
        self.watching |= watching;
        self.list.push(Site { pc, kind, bytes: width, strong, watching, role });
        number
    }

    /// Returns the site that represents a copy once it is done.
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
