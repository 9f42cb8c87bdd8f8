//! Why code gives no result: the failure is its own, or the error that of the environment or the lesson.

use super::course::{AuthorError, KeyError};
use super::lack::Lack;
use super::launch_failure::LaunchFailure;
use super::own_failure::OwnFailure;
use super::tool_limit::ToolLimit;
use super::verdict::Failure;
use compiler::CompileError;
use gpu::GpuError;
use host::program::CompileFailure;
use sim::{LaunchError, LoadError};
use std::fmt::Display;

/// Why there is no result.
#[derive(Debug)]
pub enum NoResult {
    /// The code does not compile, or comes to no conclusive end.
    Failure(Box<Failure>),
    /// The fault of the environment or of the lesson.
    Environment(anyhow::Error),
}

impl NoResult {
    /// Returns the failure of the code.
    ///
    /// # Errors
    ///
    /// Fails with the error of the environment or of the lesson, if that is the reason.
    pub fn failure(self) -> anyhow::Result<Box<Failure>> {
        match self {
            NoResult::Failure(failure) => Ok(failure),
            NoResult::Environment(error) => Err(error),
        }
    }

    /// Returns the error, for code that should give a result; `code` says which, if its failure is the reason.
    pub fn into_error(self, code: impl Display + Send + Sync + 'static) -> anyhow::Error {
        self.into_own_error(|failure| anyhow::Error::new(OwnFailure::of(failure)).context(code))
    }

    /// Returns the error; `of_code` makes it of the code's failure, if that is the reason.
    pub fn into_own_error(self, of_code: impl FnOnce(Box<Failure>) -> anyhow::Error) -> anyhow::Error {
        self.failure().map_or_else(|error| error, of_code)
    }

    /// Separates the failures of the code from other errors.
    ///
    /// # Errors
    ///
    /// Fails with the error of the environment or of the lesson.
    pub fn separate<T>(result: Result<T, NoResult>) -> anyhow::Result<Result<T, Box<Failure>>> {
        result.map_or_else(|why| why.failure().map(Err), |value| Ok(Ok(value)))
    }
}

impl From<Box<Failure>> for NoResult {
    fn from(failure: Box<Failure>) -> NoResult {
        NoResult::Failure(failure)
    }
}

impl From<Failure> for NoResult {
    fn from(failure: Failure) -> NoResult {
        NoResult::Failure(failure.into())
    }
}

impl From<anyhow::Error> for NoResult {
    fn from(error: anyhow::Error) -> NoResult {
        NoResult::Environment(error)
    }
}

impl From<CompileError> for NoResult {
    fn from(error: CompileError) -> NoResult {
        match error {
            CompileError::Rejected(messages) => Failure::Compile(messages).into(),
            CompileError::Limit(limit) => Failure::Limit(ToolLimit::Compiler(limit)).into(),
            CompileError::Environment(error) => error.into(),
        }
    }
}

impl From<CompileFailure> for NoResult {
    fn from(failure: CompileFailure) -> NoResult {
        match failure {
            CompileFailure::Compile(error) => error.into(),
            CompileFailure::Unsupported { what, line } => Failure::unsupported(what, line).into(),
        }
    }
}

impl From<LoadError> for NoResult {
    /// Says what the simulator lacks, and in which line.
    fn from(error: LoadError) -> NoResult {
        match error {
            LoadError::Parse(error) => {
                let line = error.location.map(|location| location.line);
                Failure::Unsupported { what: Lack::Of(error.to_string()), line }.into()
            }
            LoadError::Unsupported { what, line } => Failure::unsupported(what, line).into(),
        }
    }
}

impl From<LaunchFailure> for NoResult {
    fn from(why: LaunchFailure) -> NoResult {
        Failure::Launch { why, clean: false }.into()
    }
}

impl From<LaunchError> for NoResult {
    fn from(error: LaunchError) -> NoResult {
        match error {
            LaunchError::Refused(refusal) => LaunchFailure::Refused(refusal).into(),
            LaunchError::Machine { .. } => NoResult::Environment(error.into()),
        }
    }
}

impl From<GpuError> for NoResult {
    fn from(error: GpuError) -> NoResult {
        NoResult::Environment(error.into())
    }
}

impl From<AuthorError> for NoResult {
    fn from(error: AuthorError) -> NoResult {
        NoResult::Environment(error.into())
    }
}

impl From<KeyError> for NoResult {
    fn from(error: KeyError) -> NoResult {
        NoResult::Environment(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::LaunchLimit;

    #[test]
    fn too_little_memory_here_is_no_failure_of_the_code() {
        let message = "8 bytes of device memory for `a` do not fit it".to_owned();
        let why = NoResult::from(LaunchError::Machine { message });
        let error = why.failure().unwrap_err().to_string();
        let said = "this machine has too little memory: 8 bytes of device memory for `a` do not fit it";
        assert_eq!(error, said);
    }

    #[test]
    fn a_launch_that_cuda_refuses_is_a_failure_of_the_code() {
        let why = NoResult::from(LaunchError::from(LaunchLimit::Threads { threads: 2048 }));
        assert!(matches!(*why.failure().unwrap(), Failure::Launch { .. }));
    }
}
