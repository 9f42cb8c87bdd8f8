//! A value that is computed on first access.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

type Make<T> = Box<dyn FnOnce() -> T + Send>;

/// A value that is computed on first access, once for all clones.
#[derive(Clone)]
pub struct Lazy<T>(Arc<LazyLock<T, Make<T>>>);

impl<T> Lazy<T> {
    pub(super) fn new(make: impl FnOnce() -> T + Send + 'static) -> Lazy<T> {
        Lazy(Arc::new(LazyLock::new(Box::new(make))))
    }
}

impl<T: Clone + Send + 'static> Lazy<T> {
    /// Changes this clone only.
    pub fn change(&mut self, change: impl FnOnce(&mut T)) {
        let mut value = T::clone(self);
        change(&mut value);
        *self = value.into();
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Send + 'static> From<T> for Lazy<T> {
    fn from(value: T) -> Lazy<T> {
        Lazy::new(|| value)
    }
}

impl<T: Default + 'static> Default for Lazy<T> {
    fn default() -> Lazy<T> {
        Lazy::new(T::default)
    }
}

impl<T: fmt::Debug> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        T::fmt(self, f)
    }
}
