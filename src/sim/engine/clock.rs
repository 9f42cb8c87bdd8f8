//! What the clocks of a kernel show: `%clock`, `%globaltimer`, and how time passes in `nanosleep`.
//!
//! A warp's clock goes with its chain of dependent instructions, from which a kernel's modelled duration
//! comes as well ([`Warp::cycles`]), so that a kernel which waits until a clock has gone on by a
//! millisecond is a millisecond long. Each block begins at zero; barriers bring the clocks of its warps
//! together, once one was read.

use super::unit::Cta;
use super::warp::Warp;

/// Cycles from one look to the next in a loop that does nothing else.
const NEAR_CYCLES: u64 = 64;

/// Looks of such a loop that are followed one by one.
const FOLLOWED: u32 = 1 << 16;

/// From then on each look is this part of the wait so far later than it would be: how much too long the
/// loop may wait in the end, and with it the kernel.
const PART: u64 = 512;

/// The longest sleep (PTX ISA, `nanosleep`).
const LONGEST_SLEEP_NS: u32 = 1_000_000;

/// Time that passed for a warp beyond its instructions, in cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// It slept, or did nothing but look at a clock.
    slept: u64,
    /// It waited for others at barriers.
    waited: u64,
    /// The loop of looks that it is in: which instruction looks, when it began, the last look, and how
    /// many there were.
    look: u32,
    since: u64,
    last: u64,
    looks: u32,
}

impl Passed {
    pub fn slept(&self) -> u64 {
        self.slept
    }
}

fn now(warp: &Warp) -> u64 {
    warp.cycles.saturating_add(warp.passed.slept).saturating_add(warp.passed.waited)
}

/// Cycles since the block began, as a warp reads them at `pc`.
pub fn read<O>(cta: &mut Cta<O>, warp: &mut Warp, pc: u32) -> u64 {
    cta.timed = true;
    let mut now = now(warp);
    let passed = &mut warp.passed;
    if passed.look == pc && now.saturating_sub(passed.last) <= NEAR_CYCLES {
        passed.looks = passed.looks.saturating_add(1);
        if passed.looks > FOLLOWED {
            let more = now.saturating_sub(passed.since) / PART;
            passed.slept = passed.slept.saturating_add(more);
            now = now.saturating_add(more);
        }
    } else {
        (passed.look, passed.since, passed.looks) = (pc, now, 0);
    }
    passed.last = now;
    now
}

/// A warp sleeps.
pub fn sleep<O>(cta: &mut Cta<O>, warp: &mut Warp, ns: u32, clock_khz: u32) {
    cta.timed = true;
    let cycles = u64::from(ns.min(LONGEST_SLEEP_NS)) * u64::from(clock_khz) / 1_000_000;
    warp.passed.slept = warp.passed.slept.saturating_add(cycles);
}

/// Nanoseconds of so many cycles.
pub fn nanoseconds(cycles: u64, clock_khz: u32) -> u64 {
    let ns = u128::from(cycles) * 1_000_000 / u128::from(clock_khz.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// The warps of a block meet at a barrier: the last to come brings its time.
pub fn meet(warps: &mut [Warp]) {
    let latest = warps.iter().map(now).max().unwrap_or(0);
    for warp in warps {
        warp.passed.waited += latest - now(warp);
    }
}
