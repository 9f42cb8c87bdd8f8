//! What calls do alike: they are what findings are about, and create objects or are given them.

use super::Runtime;
use super::findings::{call_side, side};
use super::handles::Handles;
use crate::device::{CudaError, Failure, Result, Site};
use crate::program::call::Call;
use sim::{Access, Act, Evidence, FindingKind, HandleKind};

impl Call<'_> {
    /// Records a defect in what this call does or is given.
    pub fn find(&mut self, code: FindingKind, act: Act, other: Option<Access>, evidence: Vec<Evidence>) {
        let at = call_side(act, &self.site);
        self.runtime.find(code, at, other, evidence);
    }

    /// As [`Call::find`], and returns CUDA's error for an invalid value.
    ///
    /// # Errors
    ///
    /// Always this one.
    pub fn refuse<T>(
        &mut self,
        code: FindingKind,
        act: Act,
        other: Option<Access>,
        evidence: Vec<Evidence>,
    ) -> Result<T> {
        self.find(code, act, other, evidence);
        Err(CudaError::InvalidValue.into())
    }

    /// Adds an object, created by this call, which the program must destroy; returns its handle.
    pub fn make_object<T>(&mut self, table: fn(&mut Runtime) -> &mut Handles<T>, object: T) -> u64 {
        let name = self.named(0);
        let table = table(self.runtime);
        let handle = table.add(object);
        table.own(handle, &self.site, name);
        handle
    }

    /// Returns the object of a handle; the handle of no live object is refused.
    ///
    /// # Errors
    ///
    /// Those of [`Call::refuse_handle`].
    pub fn live<T>(&mut self, table: fn(&mut Runtime) -> &mut Handles<T>, handle: u64) -> Result<&mut T> {
        if table(self.runtime).get(handle).is_none() {
            let destruction = table(self.runtime).destruction(handle);
            return Err(self.refuse_handle(destruction));
        }
        table(self.runtime).get_mut(handle).ok_or(CudaError::InvalidResourceHandle.into())
    }

    /// Returns the failure of a call that was given a handle of no live object. A destroyed handle is a
    /// finding.
    pub fn refuse_handle(&mut self, (kind, gone): (HandleKind, Option<Site>)) -> Failure {
        let Some(gone) = gone else {
            self.runtime.errors.set_reason(Evidence::NoHandle(kind));
            return CudaError::InvalidResourceHandle.into();
        };
        let other = side(Act::Destroyed { handle: kind, by: gone.what }, &gone.location);
        self.find(FindingKind::DestroyedHandle, Act::IsGivenDestroyed(kind), Some(other), Vec::new());
        CudaError::InvalidResourceHandle.into()
    }
}
