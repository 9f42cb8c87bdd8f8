//! The clocks that a kernel can read: `%clock`, `%globaltimer`, and the passing of time in `nanosleep`.
//!
//! A warp's clock follows its chain of dependent instructions, from which a kernel's modelled duration is derived
//! too ([`Warp::cycles`]), so that a kernel which waits until a clock has advanced by a millisecond lasts a
//! millisecond. Each block begins at zero; once a clock was read or a warp slept, barriers synchronise the clocks
//! of the block's warps.

use super::warp::Warp;
use super::worker::Cta;

/// Most cycles between two clock reads in a loop that does nothing else.
const NEAR_CYCLES: u64 = 64;

/// Clock reads of such a loop that are simulated one by one.
const EXACT_READS: u32 = 1 << 16;

/// From then on each read advances the clock by this fraction of the wait so far: the bound on how much too long
/// the loop may wait in the end, and with it the kernel.
const WAIT_FRACTION: u64 = 512;

/// The longest sleep (PTX ISA, `nanosleep`).
const LONGEST_SLEEP_NS: u32 = 1_000_000;

/// Time that has passed for a warp beyond its instructions, in cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElapsedTime {
    /// Time in which it slept, or did nothing but read a clock.
    slept: u64,
    /// Time in which it waited for others at barriers.
    waited: u64,
    /// The polling loop that it is in: the pc of the clock read, when the loop began, the time of the last read,
    /// and the number of reads.
    look: u32,
    since: u64,
    last: u64,
    looks: u32,
}

impl ElapsedTime {
    pub fn slept(&self) -> u64 {
        self.slept
    }
}

fn now(warp: &Warp) -> u64 {
    warp.cycles.saturating_add(warp.passed.slept).saturating_add(warp.passed.waited)
}

/// Returns the cycles since the block began, as a warp reads them at `pc`.
pub fn read<O>(cta: &mut Cta<O>, warp: &mut Warp, pc: u32) -> u64 {
    cta.timed = true;
    let mut now = now(warp);
    let passed = &mut warp.passed;
    if passed.look == pc && now.saturating_sub(passed.last) <= NEAR_CYCLES {
        passed.looks = passed.looks.saturating_add(1);
        if passed.looks > EXACT_READS {
            let more = now.saturating_sub(passed.since) / WAIT_FRACTION;
            passed.slept = passed.slept.saturating_add(more);
            now = now.saturating_add(more);
        }
    } else {
        (passed.look, passed.since, passed.looks) = (pc, now, 0);
    }
    passed.last = now;
    now
}

/// Advances a warp's clock by a sleep of `ns` nanoseconds (`nanosleep`).
pub fn sleep<O>(cta: &mut Cta<O>, warp: &mut Warp, ns: u32, clock_khz: u32) {
    cta.timed = true;
    let cycles = u64::from(ns.min(LONGEST_SLEEP_NS)) * u64::from(clock_khz) / 1_000_000;
    warp.passed.slept = warp.passed.slept.saturating_add(cycles);
}

/// Converts cycles to nanoseconds.
pub fn nanoseconds(cycles: u64, clock_khz: u32) -> u64 {
    let ns = u128::from(cycles) * 1_000_000 / u128::from(clock_khz.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// Synchronises the clocks of a block's warps at a barrier: all take the latest time.
pub fn meet(warps: &mut [Warp]) {
    let latest = warps.iter().map(now).max().unwrap_or(0);
    for warp in warps {
        warp.passed.waited += latest - now(warp);
    }
}
