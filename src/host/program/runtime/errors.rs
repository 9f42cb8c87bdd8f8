//! The error state: the last error, and the one that lost the context.

use crate::device::{CudaError, Site};
use sim::{CudaStatus, Evidence};

/// What a call failed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    Cuda(CudaError),
    /// A status of cuBLAS, cuDNN or NCCL.
    Library(Status),
}

/// A status of a library: its name, and what the library says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub name: &'static str,
    pub text: &'static str,
}

impl Met {
    /// As findings tell it.
    pub fn status(self) -> CudaStatus {
        let (name, text) = match self {
            Met::Cuda(error) => (error.name(), error.text()),
            Met::Library(Status { name, text }) => (name, text),
        };
        CudaStatus { name: name.into(), text: text.into() }
    }

    pub fn is_sticky(self) -> bool {
        matches!(self, Met::Cuda(error) if error.is_sticky())
    }
}

/// An error that a call met and that nobody has looked at yet.
#[derive(Clone, Debug)]
pub struct Unseen {
    pub error: Met,
    pub site: Site,
    /// Why it failed, where more is known than the error says.
    pub why: Option<Evidence>,
    /// Times that it was met there.
    pub times: u64,
}

/// Errors of the one host thread.
#[derive(Debug, Default)]
pub struct Errors {
    /// What `cudaGetLastError` gives, and the call that failed with it.
    last: Option<(CudaError, Site)>,
    /// The context is lost: every later call gives it, but for those that look at errors.
    sticky: Option<CudaError>,
    /// One for each place, in the order of the first time.
    unseen: Vec<Unseen>,
    /// The latest call that failed, until another succeeds.
    failed: Option<(Met, Site)>,
    /// Why the latest call failed, where more is known than the error says.
    why: Option<Evidence>,
    /// Why the call of a library that runs is refused, in words more exact than its status.
    pub refused_for: Option<&'static str>,
    /// It is the last error's, which was asked for since.
    asked_for: bool,
    /// The latest call that a capture did not allow, and that ended it so.
    ended_capture: Option<(CudaError, Site)>,
}

impl Errors {
    /// A call failed.
    pub fn set(&mut self, error: CudaError, site: Site) {
        if matches!(
            error,
            CudaError::StreamCaptureUnsupported
                | CudaError::StreamCaptureMerge
                | CudaError::StreamCaptureIsolation
                | CudaError::StreamCaptureImplicit
        ) {
            self.ended_capture = Some((error, site.clone()));
        }
        self.last = Some((error, site));
        if error.is_sticky() {
            self.sticky.get_or_insert(error);
        }
    }

    /// The call under way is about to fail for this.
    pub fn because(&mut self, why: Evidence) {
        self.why = Some(why);
    }

    /// Why the latest call failed, where more is known than the error says.
    pub fn why(&self) -> Option<&Evidence> {
        self.why.as_ref()
    }

    /// A call failed and its result goes nowhere.
    pub fn set_unseen(&mut self, error: Met, site: Site, why: Option<Evidence>) {
        let same = |u: &&mut Unseen| {
            u.error == error && u.site.location == site.location && u.site.what == site.what
        };
        match self.unseen.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None => self.unseen.push(Unseen { error, site, why, times: 1 }),
        }
    }

    /// How the latest call went.
    pub fn note(&mut self, failed: Option<(Met, Site)>) {
        if failed.is_none() {
            self.why = None;
        }
        (self.failed, self.asked_for) = (failed, false);
    }

    /// Whether [`Errors::failed`] is an error that the program has asked for since.
    pub fn was_asked_for(&self) -> bool {
        self.asked_for
    }

    /// The call that failed last, or that whose error was asked for last, if none succeeded since.
    pub fn failed(&self) -> Option<&(Met, Site)> {
        self.failed.as_ref()
    }

    /// The latest call that ended a capture by what it asked for.
    pub fn ended_capture(&self) -> Option<&(CudaError, Site)> {
        self.ended_capture.as_ref()
    }

    /// The error that lost the context.
    pub fn sticky(&self) -> Option<CudaError> {
        self.sticky
    }

    /// The last error, which is then forgotten. One that is sticky comes back with the next call.
    pub fn take(&mut self) -> Option<CudaError> {
        let last = self.peek();
        self.last = None;
        last
    }

    /// The last error.
    pub fn peek(&mut self) -> Option<CudaError> {
        // A library's status is no error of the runtime's.
        self.unseen.retain(|unseen| matches!(unseen.error, Met::Library(_)));
        if let Some((error, site)) = self.last.clone()
            && self.failed.is_none()
        {
            (self.failed, self.asked_for) = (Some((Met::Cuda(error), site)), true);
        }
        self.last.as_ref().map(|(error, _)| *error)
    }

    /// Whether an error met at a place is still to be looked at.
    pub fn is_unseen(&self, site: &Site) -> bool {
        self.unseen.iter().any(|u| u.site.location == site.location && u.site.what == site.what)
    }

    /// Errors that nobody looked at.
    pub fn unseen(&self) -> &[Unseen] {
        &self.unseen
    }

    /// `cudaDeviceReset` makes a new context, but none in a process that lost one: from then on CUDA's
    /// runtime finds no device available (seen with that of CUDA 13.0, on an H100).
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
            errors.set_unseen(Met::Cuda(CudaError::InvalidValue), site(line), None);
        }
        let kept: Vec<_> =
            errors.unseen().iter().map(|u| (u.site.location.as_ref().unwrap().line, u.times)).collect();
        assert_eq!(kept, [(3, 3), (4, 1)]);
        errors.take();
        assert!(errors.unseen().is_empty());
    }
}
