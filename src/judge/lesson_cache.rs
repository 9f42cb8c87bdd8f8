//! Caches what is derived from a lesson's own files and does not depend on the submission, while many submissions
//! are judged in turn.

use super::backend::Kernels;
use super::measure::Measured;
use super::program::compiled::{Compiled, ExpectedResult};
use super::value::Values;
use anyhow::Result;
use host::program::CallBuffer;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// A cache of values that are computed once per key. Failures are not cached.
pub(super) struct OnceMap<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> Self {
        OnceMap(Mutex::default())
    }
}

impl<K: Eq + Hash, V> OnceMap<K, V> {
    /// Returns the cached value, computing it if necessary. Two threads that ask at the same time both compute it,
    /// and the first result is kept.
    ///
    /// # Errors
    ///
    /// Fails as `make` does.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
        let known = |key: &K| self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some(known) = known(&key) {
            return Ok(known);
        }
        let made = Arc::new(make()?);
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(made).clone())
    }
}

/// A case index and a seed: the number of host threads makes no difference.
pub(super) type Run = (usize, u64);

/// Everything derived so far from one lesson's own files.
#[derive(Default)]
pub struct LessonCache {
    /// Compiled kernel files, by their name in messages.
    pub(super) kernels: OnceMap<String, Kernels>,
    /// Compiled whole programs, by their name in messages.
    pub(super) programs: OnceMap<String, Compiled>,
    /// The right values of every output of a case.
    pub(super) expected: OnceMap<Run, Vec<Values>>,
    /// Measurements of kernels that questions are about, by case index; the key is the seed.
    pub(super) measured: OnceMap<u64, BTreeMap<usize, Measured>>,
    /// The right answer of a whole program: its output values or what it prints.
    pub(super) wanted: OnceMap<Run, ExpectedResult>,
    /// The buffers of a whole program's functions as they are before the first call.
    pub(super) call_buffers: OnceMap<Run, Vec<CallBuffer>>,
    /// The modelled time of the starter's run in nanoseconds.
    pub(super) starter_ns: OnceMap<Run, u64>,
    /// The number of warp instructions that the solution executes.
    pub(super) solution_work: OnceMap<Run, u64>,
}

impl std::fmt::Debug for LessonCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LessonCache")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_value_is_worked_out_once_and_failures_are_not_kept() {
        let (once, made) = (OnceMap::<u32, u32>::default(), Cell::new(0));
        let make = |fails: bool| {
            made.set(made.get() + 1);
            if fails { anyhow::bail!("no compiler") } else { Ok(7) }
        };
        assert!(once.get(1, || make(true)).is_err());
        assert_eq!(*once.get(1, || make(false)).unwrap(), 7);
        assert_eq!(*once.get(1, || make(true)).unwrap(), 7);
        assert_eq!(*once.get(2, || make(false)).unwrap(), 7);
        assert_eq!(made.get(), 3);
    }
}
