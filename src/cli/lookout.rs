//! A thread that looks at something now and then while this process goes on.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Looks until it is dropped.
pub struct Lookout(#[expect(dead_code, reason = "dropping it tells the thread")] mpsc::Sender<()>);

impl Lookout {
    /// Looks every `step`; what it sees first goes to `act`, and that is all.
    pub fn every<T>(
        step: Duration,
        mut look: impl FnMut() -> Option<T> + Send + 'static,
        act: impl FnOnce(T) + Send + 'static,
    ) -> Lookout {
        let (done, wait) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            while wait.recv_timeout(step) == Err(RecvTimeoutError::Timeout) {
                if let Some(seen) = look() {
                    return act(seen);
                }
            }
        });
        Lookout(done)
    }
}
