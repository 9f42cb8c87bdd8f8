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
    let mut pace = Pace::new(0, Instant::now());
    let look = move || {
        let stage = progress.look();
        let (taken, more) = pace.record_and_estimate(stage, Instant::now())?;
        Some((stage, taken, more))
    };
    Poller::every(STEP, look, move |(stage, taken, more)| {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let kernel = kernels.get(stage.kernel as usize).map(|name| cpp::source_name(name));
        let text = said(&kernel.unwrap_or_default(), stage, taken, more, left);
        let _ = io::stderr().lock().write_all(text.as_bytes());
    })
}

/// The progress rate of a launch.
#[derive(Debug)]
struct Pace {
    launch: u64,
    since: Instant,
    /// Time elapsed and number of blocks done, at each poll.
    looks: Vec<(Duration, u64)>,
}

impl Pace {
    fn new(launch: u64, since: Instant) -> Pace {
        Pace { launch, since, looks: Vec::new() }
    }

    /// Records the launch's progress. Returns the time it has taken and the time remaining, if that is long;
    /// `None` otherwise, or if it is not known yet. The rate is that of the second half of the time, since the
    /// first may have been spent on compiling the kernel, or the average if that is higher, since slow blocks may
    /// come in a row.
    fn record_and_estimate(&mut self, stage: Stage, now: Instant) -> Option<(Duration, Duration)> {
        if stage.launch != self.launch {
            *self = Pace::new(stage.launch, now);
        }
        let taken = now.saturating_duration_since(self.since);
        self.looks.push((taken, stage.done));
        let half = self.looks.iter().rev().find(|(at, _)| *at <= taken / 2);
        let (from, before) = half.copied().unwrap_or_default();
        let done = stage.done.saturating_sub(before);
        if done == 0 || taken < ENOUGH || done < FEW && taken < LONG {
            return None;
        }
        let waiting = stage.blocks.saturating_sub(stage.done) as f64;
        let rate = |time: Duration, done: u64| done as f64 / time.as_secs_f64();
        let more = waiting / rate(taken - from, done).max(rate(taken, stage.done));
        let more = Duration::try_from_secs_f64(more).unwrap_or(Duration::MAX);
        (more >= LONG).then_some((taken, more))
    }
}

fn said(kernel: &str, stage: Stage, taken: Duration, more: Duration, left: Option<Duration>) -> String {
    let late = match left {
        Some(left) if left < more => ", longer than --limit-seconds allows",
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
        Stage { launch: 1, kernel: 0, blocks, done, pc: None }
    }

    /// Returns the remaining time after polls `(seconds, blocks done)` of a launch of `blocks` blocks.
    fn left(looks: &[(u64, u64)], blocks: u64) -> Option<Duration> {
        let start = Instant::now();
        let (mut pace, mut more) = (Pace::new(1, start), None);
        for &(seconds, done) in [(0, 0)].iter().chain(looks) {
            let its = pace.record_and_estimate(stage(done, blocks), start + Duration::from_secs(seconds));
            more = its.map(|(_, more)| more);
        }
        more
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
    fn it_says_whether_the_limit_is_met_before() {
        let said = |left| said("k", stage(10, 1210), Duration::from_secs(2), Duration::from_secs(240), left);
        assert_eq!(
            said(Some(Duration::from_secs(58))),
            "· k: 10 of 1 210 blocks after 2.00 s, so about 4 min more, longer than --limit-seconds allows.\n  A smaller \
             size shows the same; --sample-blocks 1 counts the work of 1 % of the blocks.\n"
        );
        assert!(!said(None).contains("limit"));
    }
}
