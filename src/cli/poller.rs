//! A thread that polls for a condition while this process continues.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Polls until it is dropped.
pub struct Poller(#[expect(dead_code, reason = "dropping it tells the thread")] mpsc::Sender<()>);

impl Poller {
    /// Calls `look` every `step`, until it returns a value; passes that to `act` and stops.
    pub fn every<T>(
        step: Duration,
        mut look: impl FnMut() -> Option<T> + Send + 'static,
        act: impl FnOnce(T) + Send + 'static,
    ) -> Poller {
        let (done, wait) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            while wait.recv_timeout(step) == Err(RecvTimeoutError::Timeout) {
                if let Some(seen) = look() {
                    return act(seen);
                }
            }
        });
        Poller(done)
    }
}
