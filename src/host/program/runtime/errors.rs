//! The error state: the last error, and the error that destroyed the context.

use crate::device::{CudaError, Site};
use sim::{CudaStatus, Evidence};

/// The error that a call failed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    Cuda(CudaError),
    /// A status of cuBLAS, cuDNN, cuFFT or NCCL, or of a call of the driver.
    Library(Status),
}

/// A library's status: its name and its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub name: &'static str,
    pub text: &'static str,
}

impl CallError {
    /// Returns the error as findings report it.
    pub fn status(self) -> CudaStatus {
        match self {
            CallError::Cuda(error) => CudaStatus::Cuda(error),
            CallError::Library(Status { name, text }) => {
                CudaStatus::Library { name: name.into(), text: text.into() }
            }
        }
    }

    pub fn is_sticky(self) -> bool {
        matches!(self, CallError::Cuda(error) if error.is_sticky())
    }
}

/// An error that the program has not checked yet.
#[derive(Clone, Debug)]
pub struct UncheckedError {
    pub error: CallError,
    pub site: Site,
    /// The reason of the failure, if more is known than the error says.
    pub why: Option<Evidence>,
    /// Number of times that it occurred there.
    pub times: u64,
    /// Number of findings before it first occurred.
    pub findings_before: usize,
}

/// The error that `cudaGetLastError` returns, and the call that failed with it.
pub type LastError = Option<(CudaError, Site)>;

/// The errors of the program, with the last one of the host thread that runs.
#[derive(Debug, Default)]
pub struct Errors {
    last: LastError,
    /// The error that destroyed the context. Every later call returns it, except those that query errors.
    sticky: Option<CudaError>,
    /// One entry for each place, in the order of first occurrence.
    unchecked: Vec<UncheckedError>,
    /// The latest call that failed; cleared by the next that succeeds.
    failed: Option<(CallError, Site)>,
    /// The reason of the latest failure, if more is known than the error says.
    why: Option<Evidence>,
    /// Whether `failed` is the last error, which the program has queried since.
    queried: bool,
    ended_capture: Option<EndedCapture>,
    /// The first library call that was refused because of an argument.
    refused: Option<UncheckedError>,
}

/// The latest call that a stream capture does not allow and that invalidated the capture.
#[derive(Clone, Debug)]
pub struct EndedCapture {
    pub error: CudaError,
    pub site: Site,
    pub why: Option<Evidence>,
}

impl Errors {
    /// Sets the last error, and the sticky error if it is one.
    pub fn set(&mut self, error: CudaError, site: Site) {
        if error.ends_capture() {
            self.ended_capture = Some(EndedCapture { error, site: site.clone(), why: self.why.clone() });
        }
        self.last = Some((error, site));
        if error.is_sticky() {
            self.sticky.get_or_insert(error);
        }
    }

    /// Sets the last error to that of another host thread. Returns the one before.
    pub fn exchange_last(&mut self, last: LastError) -> LastError {
        std::mem::replace(&mut self.last, last)
    }

    /// Forgets the reason of an earlier failure, since another call begins.
    pub fn begin_call(&mut self) {
        self.why = None;
    }

    /// Sets the reason for which the call in progress is about to fail.
    pub fn set_reason(&mut self, why: Evidence) {
        self.why = Some(why);
    }

    /// Returns the reason of the latest failure, if more is known than the error says.
    pub fn why(&self) -> Option<&Evidence> {
        self.why.as_ref()
    }

    /// Records an error of a call whose result is discarded; `findings` is the number of findings so far.
    pub fn add_unchecked(&mut self, error: CallError, site: Site, why: Option<Evidence>, findings: usize) {
        let same = |u: &&mut UncheckedError| {
            u.error == error && u.site.location == site.location && u.site.what == site.what
        };
        match self.unchecked.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None => {
                self.unchecked.push(UncheckedError { error, site, why, times: 1, findings_before: findings })
            }
        }
    }

    /// Records a library call that was refused, and whose status the program keeps; `findings` is the number of
    /// findings so far. It counts if the reason is known, which is then the fault of an argument.
    pub fn add_refused(&mut self, error: CallError, site: Site, findings: usize) {
        if let (Some(why), None) = (&self.why, &self.refused) {
            let why = Some(why.clone());
            self.refused = Some(UncheckedError { error, site, why, times: 1, findings_before: findings });
        }
    }

    /// Returns the first library call that was refused because of an argument, and whose status the program keeps.
    pub fn refused(&self) -> Option<&UncheckedError> {
        self.refused.as_ref()
    }

    /// Records whether the latest call failed.
    pub fn note(&mut self, failed: Option<(CallError, Site)>) {
        if failed.is_none() {
            self.why = None;
        }
        (self.failed, self.queried) = (failed, false);
    }

    /// Returns whether [`Errors::failed`] is an error that the program has queried since.
    pub fn was_queried(&self) -> bool {
        self.queried
    }

    /// Returns the call that failed last, or whose error was queried last, if none succeeded since.
    pub fn failed(&self) -> Option<&(CallError, Site)> {
        self.failed.as_ref()
    }

    /// Returns the latest call that invalidated a stream capture by what it requested.
    pub fn ended_capture(&self) -> Option<&EndedCapture> {
        self.ended_capture.as_ref()
    }

    /// Returns the error that destroyed the context.
    pub fn sticky(&self) -> Option<CudaError> {
        self.sticky
    }

    /// Returns and clears the last error. A sticky error returns with the next call.
    pub fn take(&mut self) -> Option<CudaError> {
        let last = self.peek();
        self.last = None;
        last
    }

    /// Returns the last error, which stays unchecked.
    pub fn last(&self) -> Option<CudaError> {
        self.last.as_ref().map(|(error, _)| *error)
    }

    /// Returns the last error without clearing it. Runtime errors count as checked from then on.
    pub fn peek(&mut self) -> Option<CudaError> {
        let of_capture =
            |error: CudaError| error.ends_capture() || error == CudaError::StreamCaptureInvalidated;
        let is_seen = self.last.as_ref().is_some_and(|(error, _)| of_capture(*error));
        // A library's status is not an error of the runtime, so it stays unchecked; and so does the end of a capture,
        // if another error has replaced it since.
        self.unchecked.retain(|unchecked| match unchecked.error {
            CallError::Library(_) => true,
            CallError::Cuda(error) => of_capture(error) && !is_seen,
        });
        if let Some((error, site)) = self.last.clone()
            && self.failed.is_none()
        {
            (self.failed, self.queried) = (Some((CallError::Cuda(error), site)), true);
        }
        self.last()
    }

    /// Returns whether an error that occurred at a place is still unchecked.
    pub fn has_unchecked(&self, site: &Site) -> bool {
        self.unchecked.iter().any(|u| u.site.location == site.location && u.site.what == site.what)
    }

    /// Returns the errors that the program has not checked.
    pub fn unchecked(&self) -> &[UncheckedError] {
        &self.unchecked
    }

    /// Resets the state for `cudaDeviceReset`. That creates a new context, except in a process that lost one:
    /// from then on the CUDA runtime finds no device available (seen with that of CUDA 13.0, on an H100).
    pub fn reset(&mut self) {
        self.sticky = self.sticky.map(|_| CudaError::DevicesUnavailable);
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::SourceLocation;

    #[test]
    fn a_lost_context_does_not_come_back() {
        let mut errors = Errors::default();
        errors.set(CudaError::Assert, Site::default());
        assert_eq!((errors.take(), errors.take()), (Some(CudaError::Assert), None));
        assert_eq!(errors.sticky(), Some(CudaError::Assert));
        errors.reset();
        assert_eq!((errors.take(), errors.sticky()), (None, Some(CudaError::DevicesUnavailable)));
        let mut errors = Errors::default();
        errors.set(CudaError::InvalidValue, Site::default());
        errors.reset();
        assert_eq!((errors.take(), errors.sticky()), (None, None));
    }

    #[test]
    fn an_error_is_kept_once_for_each_place() {
        let site = |line| Site {
            what: sim::Request::Call("cudaMemset".into()),
            location: Some(SourceLocation { file: "a.cu".into(), line, column: 1 }),
        };
        let mut errors = Errors::default();
        for line in [3, 4, 3, 3] {
            errors.add_unchecked(CallError::Cuda(CudaError::InvalidValue), site(line), None, 0);
        }
        let kept: Vec<_> =
            errors.unchecked().iter().map(|u| (u.site.location.as_ref().unwrap().line, u.times)).collect();
        assert_eq!(kept, [(3, 3), (4, 1)]);
        errors.take();
        assert!(errors.unchecked().is_empty());
    }
}
