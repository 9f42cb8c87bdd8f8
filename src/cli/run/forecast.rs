//! Says of a launch that will take long how long, from its first blocks, and what to do instead.

use super::super::poller::Poller;
use sim::{Progress, Stage};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it looks, after which time it estimates, and what counts as long.
const STEP: Duration = Duration::from_millis(100);
const ENOUGH: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(10);

/// Looks at the launches of a program with these kernels, and says once what takes long.
pub fn watch(progress: Arc<Progress>, kernels: Vec<String>, deadline: Option<Instant>) -> Poller {
    let mut since = (Stage::default(), Instant::now());
    let look = move || {
        let stage = progress.look();
        if stage.launch != since.0.launch {
            since = (stage, Instant::now());
        }
        let taken = since.1.elapsed();
        Some((stage, taken, more(stage, taken)?))
    };
    Poller::every(STEP, look, move |(stage, taken, more)| {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let kernel = kernels.get(stage.kernel as usize).map(|name| cpp::source_name(name));
        let text = said(&kernel.unwrap_or_default(), stage, taken, more, left);
        let _ = io::stderr().lock().write_all(text.as_bytes());
    })
}

/// How much longer a launch takes that has come so far in a time; `None` where that is not long, or not known yet.
fn more(stage: Stage, taken: Duration) -> Option<Duration> {
    if taken < ENOUGH || stage.done == 0 {
        return None;
    }
    let waiting = stage.blocks.saturating_sub(stage.done);
    let more = taken.as_secs_f64() * waiting as f64 / stage.done as f64;
    Some(Duration::try_from_secs_f64(more).unwrap_or(Duration::MAX)).filter(|more| *more >= LONG)
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
        Stage { launch: 1, kernel: 0, blocks, done }
    }

    #[test]
    fn what_is_left_is_estimated_from_what_is_done() {
        let seconds = Duration::from_secs;
        assert_eq!(more(stage(10, 110), seconds(2)), Some(seconds(20)));
        assert_eq!(more(stage(10, 59), seconds(2)), None, "less than ten seconds");
        assert_eq!(more(stage(0, 100), seconds(9)), None, "nothing is known yet");
        assert_eq!(more(stage(1, 1000), seconds(1)), None, "too early");
        assert_eq!(more(stage(1, u64::MAX), seconds(4000)).map(|more| more > seconds(1 << 60)), Some(true));
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
