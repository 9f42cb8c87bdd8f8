//! Ends this process where what it runs does not stop by itself: between launches a program looks at its
//! deadline, inside a kernel nobody does.

use super::poller::Poller;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How often it looks, and how long it leaves others to stop by themselves.
const STEP: Duration = Duration::from_millis(50);
const GRACE: Duration = Duration::from_millis(250);

/// Why it gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    Deadline,
    Interrupted,
    /// This process holds more memory than it may.
    Memory,
}

/// Bytes of memory that this process holds; 0 where the system does not say.
fn held_bytes() -> u64 {
    // Sizes in pages, of which the second is what is resident (proc(5)); pages are of 4 KiB or more.
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(4096)
}

/// Memory that this process may have beside what it has, as far as the machine has it and a control group
/// allows it; `None` where the system does not say.
pub fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.split_whitespace().next()?.parse::<u64>().ok()? << 10;
    let number = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let allowed = number("memory.max").zip(number("memory.current"));
    Some(allowed.map_or(free, |(most, held)| free.min(most.saturating_sub(held))))
}

/// Calls `give_up`, which should end the process, some time after the deadline or the interrupt, or when
/// the process holds more than `most_bytes` of memory.
pub fn watch(
    deadline: Option<Instant>,
    most_bytes: u64,
    interrupt: &'static AtomicBool,
    give_up: impl FnOnce(Late) + Send + 'static,
) -> Poller {
    let mut interrupted: Option<Instant> = None;
    let passed = |at: Instant| at.elapsed() >= GRACE;
    let look = move || {
        if interrupt.load(Relaxed) && passed(*interrupted.get_or_insert_with(Instant::now)) {
            return Some(Late::Interrupted);
        }
        if held_bytes() > most_bytes {
            return Some(Late::Memory);
        }
        deadline.is_some_and(passed).then_some(Late::Deadline)
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
            let dog = watch(deadline, u64::MAX, interrupt, move |late| tell.send(late).unwrap_or_default());
            let heard = hear.recv_timeout(Duration::from_secs(5));
            drop(dog);
            heard
        };
        assert_eq!(late(Some(Instant::now()), &QUIET), Ok(Late::Deadline));
        assert_eq!(late(None, &CTRL_C), Ok(Late::Interrupted));
        #[cfg(target_os = "linux")]
        {
            let (tell, hear) = channel();
            let _dog = watch(None, 1 << 12, &QUIET, move |late| tell.send(late).unwrap_or_default());
            assert_eq!(hear.recv_timeout(Duration::from_secs(5)), Ok(Late::Memory));
        }
        let (tell, hear) = channel();
        drop(watch(Some(Instant::now()), u64::MAX, &QUIET, move |late| tell.send(late).unwrap_or_default()));
        assert_eq!(hear.recv_timeout(Duration::from_secs(5)), Err(RecvTimeoutError::Disconnected));
    }
}
