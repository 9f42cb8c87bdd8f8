//! Worker processes that are reused for later kernels.
//!
//! Starting a worker and creating a context takes longer than most kernels of a lesson. A caller that judges
//! many of its own kernels keeps workers: each is used by one user at a time and returned empty, and is
//! discarded as soon as anything has failed in it. A learner's kernels get a worker that nobody has used
//! before.

use super::error::GpuError;
use super::session::{Limits, Session};
use super::turns::Turns;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// The source of workers.
#[derive(Clone, Debug, Default)]
pub struct Workers {
    turns: Turns,
    /// Idle workers; `None` if each user gets a new one.
    idle: Option<IdlePool<Session>>,
}

impl Workers {
    /// Returns the same source, except that workers are kept for the next user.
    pub fn keeping(self) -> Workers {
        Workers { idle: Some(IdlePool::default()), ..self }
    }

    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Returns an empty worker, starting one if none is idle.
    ///
    /// # Errors
    ///
    /// Fails as [`Session::start`] does.
    pub fn take(&self) -> Result<Pooled<Session>, GpuError> {
        let kept = self.idle.as_ref().and_then(take_idle);
        let it = match kept {
            Some(kept) => kept,
            None => Session::start_with_turns(Limits::default(), self.turns.clone())?,
        };
        Ok(Pooled { it: Some(it), home: self.idle.clone() })
    }
}

/// A resource that can be used by one user after another.
pub trait Reusable {
    /// Frees everything that its user left in it. Returns whether it is fit for another user.
    fn clear(&mut self) -> bool;
}

impl Reusable for Session {
    fn clear(&mut self) -> bool {
        self.is_sound() && self.close().is_ok()
    }
}

/// Resources that nobody is using.
type IdlePool<T> = Arc<Mutex<Vec<T>>>;

fn take_idle<T>(pool: &IdlePool<T>) -> Option<T> {
    pool.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// A resource lent to one user until it is dropped.
#[derive(Debug)]
pub struct Pooled<T: Reusable> {
    /// Always `Some` until dropped.
    it: Option<T>,
    home: Option<IdlePool<T>>,
}

impl<T: Reusable> Pooled<T> {
    /// Prevents reuse, because the user leaves something in it that can't be cleared.
    pub fn retire(&mut self) {
        self.home = None;
    }
}

impl<T: Reusable> Deref for Pooled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.it.as_ref().expect("it is there until it is dropped")
    }
}

impl<T: Reusable> DerefMut for Pooled<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.it.as_mut().expect("it is there until it is dropped")
    }
}

impl<T: Reusable> Drop for Pooled<T> {
    fn drop(&mut self) {
        if let (Some(mut it), Some(home)) = (self.it.take(), self.home.take())
            && it.clear()
        {
            home.lock().unwrap_or_else(PoisonError::into_inner).push(it);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker without a GPU: its number, whether anything failed in it, and how often it was cleared.
    #[derive(Debug)]
    struct Fake {
        number: u32,
        is_unusable: bool,
        cleared: u32,
    }

    impl Reusable for Fake {
        fn clear(&mut self) -> bool {
            self.cleared += 1;
            !self.is_unusable
        }
    }

    fn take(pool: &IdlePool<Fake>, started: &mut u32) -> Pooled<Fake> {
        let it = take_idle(pool).unwrap_or_else(|| {
            *started += 1;
            Fake { number: *started, is_unusable: false, cleared: 0 }
        });
        Pooled { it: Some(it), home: Some(pool.clone()) }
    }

    #[test]
    fn a_worker_serves_one_after_the_other_until_something_fails() {
        let (pool, mut started) = (IdlePool::default(), 0);
        let first = take(&pool, &mut started);
        let other = take(&pool, &mut started);
        assert_eq!((first.number, other.number), (1, 2), "no two have the same");
        drop(first);
        let mut again = take(&pool, &mut started);
        assert_eq!((again.number, again.cleared, started), (1, 1, 2));
        again.is_unusable = true;
        drop(again);
        drop(other);
        assert_eq!(take(&pool, &mut started).number, 2, "what failed is not used again");
        let mut last = take(&pool, &mut started);
        last.retire();
        drop(last);
        assert_eq!(take(&pool, &mut started).number, 3, "nor what was retired");
    }
}
