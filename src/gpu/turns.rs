//! Turns at the GPU: several workers may use it concurrently, but not while one of them is being timed: that one uses
//! the GPU alone.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Controls who may use the GPU. Held for the duration of a request, and never acquired twice by a thread.
#[derive(Clone, Debug, Default)]
pub struct Turns(Arc<RwLock<()>>);

/// Guard of exclusive use: nobody else in this process uses the GPU.
#[derive(Debug)]
pub struct ExclusiveTurn<'a>(#[allow(dead_code)] RwLockWriteGuard<'a, ()>);

/// Guard of shared use: nobody is being timed.
#[derive(Debug)]
pub struct SharedTurn<'a>(#[allow(dead_code)] RwLockReadGuard<'a, ()>);

impl Turns {
    /// Waits until nobody uses the GPU; others wait until the guard is dropped.
    pub fn alone(&self) -> ExclusiveTurn<'_> {
        ExclusiveTurn(self.0.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until nobody is being timed.
    pub fn shared(&self) -> SharedTurn<'_> {
        SharedTurn(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn who_is_timed_is_alone() {
        let turns = Turns::default();
        let (one, other) = (turns.shared(), turns.shared());
        drop((one, other));
        let alone = turns.alone();
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _shared = turns.shared();
                send.send(()).unwrap();
            });
            assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
            drop(alone);
            receive.recv().unwrap();
        });
    }
}
