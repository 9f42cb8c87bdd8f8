//! A thread that looks at something now and then while this process goes on.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Looks until it is dropped.
pub struct Poller(#[expect(dead_code, reason = "dropping it tells the thread")] mpsc::Sender<()>);

impl Poller {
    /// Looks every `step`; what it sees first goes to `act`, and that is all.
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
