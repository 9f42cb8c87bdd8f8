//! What the host asks of CUDA, as findings know it.

use std::fmt;
use std::sync::Arc;

/// What the host asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Request {
    /// Nothing: its own code runs.
    #[default]
    Nothing,
    /// A call of a function by its name, such as `cudaMemcpyAsync`.
    Call(Arc<str>),
    /// A launch of a kernel by its name, where that is known.
    Launch(Option<Arc<str>>),
    /// A call of a function of the program's, by who reads and writes the memory that it is given.
    Caller,
}

impl Request {
    /// The kernel, where one is launched.
    pub fn kernel(&self) -> Option<&str> {
        match self {
            Request::Launch(kernel) => kernel.as_deref(),
            _ => None,
        }
    }

    /// The function that is called, or the kernel that is launched; empty where it is neither.
    pub fn function(&self) -> &str {
        match self {
            Request::Nothing | Request::Caller => "",
            Request::Call(name) => name,
            Request::Launch(kernel) => kernel.as_deref().unwrap_or("kernel"),
        }
    }

    pub fn is_nothing(&self) -> bool {
        *self == Request::Nothing
    }
}

impl fmt::Display for Request {
    /// `cudaMemcpyAsync`, `kernel scale`
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Request::Nothing => Ok(()),
            Request::Call(name) => f.write_str(name),
            Request::Launch(Some(kernel)) => write!(f, "kernel {kernel}"),
            Request::Launch(None) => f.write_str("kernel"),
            Request::Caller => f.write_str("the caller"),
        }
    }
}
