//! Handles that programs hold: streams, events, graphs. A handle whose object was destroyed is
//! known for what it was.

use super::findings::{call_side, side};
use crate::device::{CudaError, Failure, Site};
use crate::program::call::Call;
use sim::{Act, Evidence, FindingKind, HandleKind};
use std::collections::BTreeMap;

/// Destroyed handles that are remembered, of a kind.
const MOST_GONE: usize = 4096;
/// From one handle to the next.
const STEP: u64 = 0x40;

/// Objects of one kind by their handles.
#[derive(Debug)]
pub struct Handles<T> {
    kind: HandleKind,
    next: u64,
    live: BTreeMap<u64, T>,
    /// Where the program made those that it must destroy, and what it calls them.
    owned: BTreeMap<u64, (Site, Option<String>)>,
    /// Where each was destroyed.
    gone: BTreeMap<u64, Site>,
}

impl<T> Handles<T> {
    /// Handles from `first` on; it lies where no memory is.
    pub fn new(kind: HandleKind, first: u64) -> Handles<T> {
        Handles { kind, next: first, live: BTreeMap::new(), owned: BTreeMap::new(), gone: BTreeMap::new() }
    }

    /// A new handle.
    pub fn add(&mut self, object: T) -> u64 {
        let handle = self.next;
        self.next += STEP;
        self.live.insert(handle, object);
        handle
    }

    /// The program was given it here, and is to destroy it.
    pub fn own(&mut self, handle: u64, site: &Site, name: Option<String>) {
        self.owned.insert(handle, (site.clone(), name));
    }

    /// What the program has not destroyed: where it was given it, and its name there.
    pub fn owned(&self) -> impl Iterator<Item = (&Site, Option<&str>)> {
        self.owned.values().map(|(site, name)| (site, name.as_deref()))
    }

    /// Handles and objects.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.live.iter().map(|(&handle, object)| (handle, object))
    }

    pub fn get(&self, handle: u64) -> Option<&T> {
        self.live.get(&handle)
    }

    pub fn get_mut(&mut self, handle: u64) -> Option<&mut T> {
        self.live.get_mut(&handle)
    }

    /// Takes the object out; its handle stays known.
    pub fn destroy(&mut self, handle: u64, site: &Site) -> Option<T> {
        let object = self.live.remove(&handle)?;
        self.owned.remove(&handle);
        self.gone.insert(handle, site.clone());
        if self.gone.len() > MOST_GONE {
            self.gone.pop_first();
        }
        Some(object)
    }

    /// What such a handle stands for, and where its object was destroyed, if it was.
    pub fn fate(&self, handle: u64) -> (HandleKind, Option<Site>) {
        (self.kind, self.gone.get(&handle).cloned())
    }
}

impl Call<'_> {
    /// A handle that is not alive was given. One that was destroyed is a finding.
    pub fn refuse_handle(&mut self, (kind, gone): (HandleKind, Option<Site>)) -> Failure {
        let Some(gone) = gone else {
            self.runtime.errors.because(Evidence::NoHandle(kind));
            return CudaError::InvalidResourceHandle.into();
        };
        let at = call_side(Act::IsGivenDestroyed(kind), &self.site);
        let other = side(Act::Destroyed { handle: kind, by: gone.what }, &gone.location);
        self.runtime.find(FindingKind::DestroyedHandle, at, Some(other), Vec::new());
        CudaError::InvalidResourceHandle.into()
    }
}
