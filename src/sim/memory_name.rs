//! Names of memory.

use std::sync::Arc;

/// What findings call a buffer or a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MemoryName {
    /// As the program does, such as `in`.
    Named(Arc<str>),
    /// Part of a shared variable that the compiler has split, as it does with arrays and structures that a kernel
    /// accesses at known places alone: by the indices of elements and the numbers of members that lead to it.
    Part { of: Arc<str>, path: Arc<[u64]> },
    /// Allocated by a call that gives it no name, such as one in a container of a library.
    Allocated,
    /// Registered memory of the host, to which the call gives no name.
    Registered,
    /// Shared memory, in a kernel without variables there.
    Shared,
}

impl std::ops::Deref for MemoryName {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            MemoryName::Named(name) | MemoryName::Part { of: name, .. } => name,
            MemoryName::Allocated => "allocated memory",
            MemoryName::Registered => "registered memory",
            MemoryName::Shared => "shared memory",
        }
    }
}

impl std::fmt::Display for MemoryName {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self)
    }
}

impl<T: Into<Arc<str>>> From<T> for MemoryName {
    fn from(name: T) -> MemoryName {
        MemoryName::Named(name.into())
    }
}
