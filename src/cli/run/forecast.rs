//! Warns of a launch that will take long: estimates from its first blocks how long, and says what to do instead.

use super::super::poller::Poller;
use sim::{Progress, Stage};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Polling interval, time before the first estimate, and remaining time that counts as long.
const STEP: Duration = Duration::from_millis(100);
const ENOUGH: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(10);
/// Number of blocks that is too small for an estimate, unless the launch has taken long already.
const FEW: u64 = 4;

/// Watches the launches of a program with these kernels, and warns once about one that takes long.
pub fn watch(progress: Arc<Progress>, kernels: Vec<String>, deadline: Option<Instant>) -> Poller {
    let mut pace = Pace::new(0, Moment::now());
    let look = move || {
        let stage = progress.look();
        Some((stage, pace.record_and_estimate(stage, Moment::now())?))
    };
    Poller::every(STEP, look, move |(stage, forecast)| {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let kernel = kernels.get(stage.kernel as usize).map(|name| cpp::source_name(name));
        let text = said(&kernel.unwrap_or_default(), stage, &forecast, left);
        let _ = io::stderr().lock().write_all(text.as_bytes());
    })
}

/// A moment of this process.
#[derive(Clone, Copy, Debug)]
struct Moment {
    at: Instant,
    /// The processor time that its threads have used; `None` where that is not known.
    used: Option<Duration>,
}

impl Moment {
    fn now() -> Moment {
        Moment { at: Instant::now(), used: processor_time() }
    }
}

#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written to a variable that is there.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) } != 0;
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?);
    (!failed).then(|| Duration::new(seconds, nanoseconds))
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}

/// How long a launch will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Forecast {
    /// The time it has taken.
    taken: Duration,
    /// Whether other programs had much of the processors meanwhile.
    held_up: bool,
    /// The time remaining if nothing holds it up.
    more: Duration,
}

/// The progress rate of a launch.
#[derive(Debug)]
struct Pace {
    launch: u64,
    since: Moment,
    /// Time for which the launch's threads have run and number of blocks done, at each poll.
    looks: Vec<(Duration, u64)>,
}

impl Pace {
    fn new(launch: u64, since: Moment) -> Pace {
        Pace { launch, since, looks: Vec::new() }
    }

    /// Records the launch's progress. Returns what is to be expected if the time remaining is long; `None`
    /// otherwise, or if it is not known yet. The rate is that of the second half of the time, since the first may
    /// have been spent on compiling the kernel, or the average if that is higher, since slow blocks may come in a
    /// row. Time in which other programs have the processors does not count.
    fn record_and_estimate(&mut self, stage: Stage, now: Moment) -> Option<Forecast> {
        if stage.launch != self.launch {
            *self = Pace::new(stage.launch, now);
        }
        let taken = now.at.saturating_duration_since(self.since.at);
        let used = now.used.zip(self.since.used).map(|(now, before)| now.saturating_sub(before));
        let ran = used.map_or(taken, |used| taken.min(used / stage.host_threads.max(1)));
        self.looks.push((ran, stage.done));
        let half = self.looks.iter().rev().find(|(at, _)| *at <= ran / 2);
        let (from, before) = half.copied().unwrap_or_default();
        let done = stage.done.saturating_sub(before);
        if done == 0 || ran < ENOUGH || done < FEW && ran < LONG {
            return None;
        }
        let waiting = stage.blocks.saturating_sub(stage.done) as f64;
        let rate = |time: Duration, done: u64| done as f64 / time.as_secs_f64();
        let more = waiting / rate(ran - from, done).max(rate(ran, stage.done));
        let more = Duration::try_from_secs_f64(more).unwrap_or(Duration::MAX);
        (more >= LONG).then_some(Forecast { taken, held_up: ran < taken * 3 / 4, more })
    }
}

fn said(kernel: &str, stage: Stage, forecast: &Forecast, left: Option<Duration>) -> String {
    let Forecast { taken, held_up, more } = *forecast;
    let late = match left {
        Some(left) if left < more => ", longer than --limit-seconds allows",
        _ if held_up => ", or longer while other programs run",
        _ => "",
    };
    let (done, blocks) = (report::grouped(stage.done), report::grouped(stage.blocks));
    format!(
        "· {}: {done} of {blocks} blocks after {}, so about {} more{late}.\n  A smaller size shows the same; \
         --sample-blocks 1 counts the work of 1 % of the blocks.\n",
        report::escape(kernel),
        report::seconds(taken.as_secs_f64()),
        long(more.as_secs_f64()),
    )
}

fn long(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(done: u64, blocks: u64) -> Stage {
        Stage { launch: 1, kernel: 0, blocks, done, host_threads: 2, pc: None }
    }

    /// Returns what is expected after polls `(seconds, blocks done)` of a launch of `blocks` blocks, whose two threads
    /// have this part of the processors.
    fn forecast(looks: &[(u64, u64)], blocks: u64, part: f64) -> Option<Forecast> {
        let start = Instant::now();
        let moment = |time: Duration| Moment { at: start + time, used: Some(time.mul_f64(2.0 * part)) };
        let (mut pace, mut last) = (Pace::new(1, moment(Duration::ZERO)), None);
        for &(seconds, done) in [(0, 0)].iter().chain(looks) {
            last = pace.record_and_estimate(stage(done, blocks), moment(Duration::from_secs(seconds)));
        }
        last
    }

    fn left(looks: &[(u64, u64)], blocks: u64) -> Option<Duration> {
        forecast(looks, blocks, 1.0).map(|its| its.more)
    }

    #[test]
    fn what_is_left_is_estimated_from_what_is_done() {
        let seconds = Duration::from_secs;
        assert_eq!(left(&[(2, 10)], 110), Some(seconds(20)));
        assert_eq!(left(&[(2, 10)], 59), None, "less than ten seconds");
        assert_eq!(left(&[(9, 0)], 100), None, "nothing is known yet");
        assert_eq!(left(&[(1, 1)], 1000), None, "too early");
        assert_eq!(left(&[(4000, 1)], u64::MAX).map(|more| more > seconds(1 << 60)), Some(true));
    }

    #[test]
    fn a_slow_beginning_does_not_count() {
        assert_eq!(left(&[(1, 1), (2, 11), (4, 31)], 231), Some(Duration::from_secs(20)));
        assert_eq!(left(&[(2, 1), (4, 101)], 551), None, "nine seconds");
    }

    #[test]
    fn a_stretch_of_long_blocks_does_not_count_alone() {
        assert_eq!(left(&[(2, 1000), (4, 1004)], 1514), None, "two seconds");
        assert_eq!(left(&[(2, 0), (4, 2)], 1000), None, "two blocks say little");
        assert_eq!(left(&[(10, 2)], 4), Some(Duration::from_secs(10)));
    }

    #[test]
    fn time_that_other_programs_take_does_not_count() {
        let seconds = Duration::from_secs;
        assert_eq!(forecast(&[(2, 10)], 110, 0.5), None, "of two seconds it had one");
        let expected = Forecast { taken: seconds(8), held_up: true, more: seconds(20) };
        assert_eq!(forecast(&[(8, 10)], 110, 0.25), Some(expected));
        assert_eq!(forecast(&[(8, 10)], 50, 0.25), None, "eight seconds");
        let text = said("k", stage(10, 110), &expected, None);
        assert!(
            text.contains("after 8.00 s, so about 20 s more, or longer while other programs run.\n"),
            "{text}"
        );
        let (start, stage) = (Instant::now(), stage(10, 110));
        let mut pace = Pace::new(1, Moment { at: start, used: None });
        let its = pace.record_and_estimate(stage, Moment { at: start + seconds(2), used: None });
        assert_eq!(its.map(|its| its.more), Some(seconds(20)), "where only the time is known");
    }

    #[test]
    fn it_says_whether_the_limit_is_met_before() {
        let (taken, more) = (Duration::from_secs(2), Duration::from_secs(240));
        let forecast = Forecast { taken, held_up: false, more };
        let said = |left| said("k", stage(10, 1210), &forecast, left);
        assert_eq!(
            said(Some(Duration::from_secs(58))),
            "· k: 10 of 1 210 blocks after 2.00 s, so about 4 min more, longer than --limit-seconds allows.\n  A smaller \
             size shows the same; --sample-blocks 1 counts the work of 1 % of the blocks.\n"
        );
        assert!(!said(None).contains("limit"));
    }
}
