//! Ends this process if what it runs does not stop by itself: a program checks its deadline between launches, but
//! not inside a kernel.

use super::poller::Poller;
use crate::machine_memory;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Polling interval, and the time that the program is given to stop by itself after its deadline or an interrupt, so that
/// what has been found is reported.
const STEP: Duration = Duration::from_millis(50);
const GRACE: Duration = Duration::from_millis(1500);

/// Why the process is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    Deadline,
    Interrupted,
    /// This process uses more memory than it may.
    Memory,
}

/// Sets `stop` at the deadline or an interrupt, so that a running kernel ends. Calls `give_up`, which should end the process, shortly
/// after the deadline or an interrupt, or when the process uses more than `most_bytes` of memory.
pub fn watch(
    deadline: Option<Instant>,
    stop: Arc<AtomicBool>,
    most_bytes: u64,
    interrupt: &'static AtomicBool,
    give_up: impl FnOnce(StopReason) + Send + 'static,
) -> Poller {
    let mut interrupted: Option<Instant> = None;
    let look = move || {
        if interrupt.load(Relaxed) {
            stop.store(true, Relaxed);
            if interrupted.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                return Some(StopReason::Interrupted);
            }
        }
        if machine_memory::resident_bytes() > most_bytes {
            return Some(StopReason::Memory);
        }
        let late = deadline.and_then(|deadline| Instant::now().checked_duration_since(deadline))?;
        stop.store(true, Relaxed);
        (late >= GRACE).then_some(StopReason::Deadline)
    };
    Poller::every(STEP, look, give_up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    #[test]
    fn it_barks_after_the_deadline_and_not_when_it_is_called_off() {
        static QUIET: AtomicBool = AtomicBool::new(false);
        static CTRL_C: AtomicBool = AtomicBool::new(true);
        let late = |deadline, interrupt| {
            let (tell, hear) = channel();
            let dog = watch(deadline, Arc::default(), u64::MAX, interrupt, move |late| {
                tell.send(late).unwrap_or_default()
            });
            let heard = hear.recv_timeout(Duration::from_secs(5));
            drop(dog);
            heard
        };
        assert_eq!(late(Some(Instant::now()), &QUIET), Ok(StopReason::Deadline));
        assert_eq!(late(None, &CTRL_C), Ok(StopReason::Interrupted));
        #[cfg(target_os = "linux")]
        {
            let (tell, hear) = channel();
            let _dog =
                watch(None, Arc::default(), 1 << 12, &QUIET, move |late| tell.send(late).unwrap_or_default());
            assert_eq!(hear.recv_timeout(Duration::from_secs(5)), Ok(StopReason::Memory));
        }
        let (tell, hear) = channel();
        drop(watch(Some(Instant::now()), Arc::default(), u64::MAX, &QUIET, move |late| {
            tell.send(late).unwrap_or_default()
        }));
        assert_eq!(hear.recv_timeout(Duration::from_secs(5)), Err(RecvTimeoutError::Disconnected));
    }
}
