//! Handles that programs hold: streams, events, graphs, and objects of libraries. The handle of a destroyed object
//! is still recognised.

use crate::device::Site;
use sim::HandleKind;
use std::collections::BTreeMap;

/// Most destroyed handles remembered for one kind.
const MAX_GONE: usize = 4096;
/// Distance between consecutive handles.
pub const STEP: u64 = 0x40;

/// The objects of one kind, by handle.
#[derive(Debug)]
pub struct Handles<T> {
    kind: HandleKind,
    next: u64,
    live: BTreeMap<u64, T>,
    /// For objects that the program must destroy: where it created them, and its name for each.
    owned: BTreeMap<u64, (Site, Option<String>)>,
    /// Where each destroyed object was destroyed.
    gone: BTreeMap<u64, Site>,
}

impl<T> Handles<T> {
    /// Creates a table whose handles start at `first`, an address at which no memory is.
    pub fn new(kind: HandleKind, first: u64) -> Handles<T> {
        Handles { kind, next: first, live: BTreeMap::new(), owned: BTreeMap::new(), gone: BTreeMap::new() }
    }

    /// Adds an object and returns its new handle.
    pub fn add(&mut self, object: T) -> u64 {
        let handle = self.next;
        self.next += STEP;
        self.live.insert(handle, object);
        handle
    }

    /// Adds an object whose handle is given.
    pub fn insert(&mut self, handle: u64, object: T) {
        self.gone.remove(&handle);
        self.live.insert(handle, object);
    }

    /// Records that the program received the handle at this site and must destroy it.
    pub fn own(&mut self, handle: u64, site: &Site, name: Option<String>) {
        self.owned.insert(handle, (site.clone(), name));
    }

    /// Returns the site and the program's name of each object that it must still destroy, and the kind, which is
    /// that of all.
    pub fn owned(&self) -> impl Iterator<Item = (&Site, Option<&str>, HandleKind)> {
        self.owned.values().map(|(site, name)| (site, name.as_deref(), self.kind))
    }

    /// Returns the live handles and their objects.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.live.iter().map(|(&handle, object)| (handle, object))
    }

    pub fn get(&self, handle: u64) -> Option<&T> {
        self.live.get(&handle)
    }

    pub fn get_mut(&mut self, handle: u64) -> Option<&mut T> {
        self.live.get_mut(&handle)
    }

    /// Removes an object and returns it; its handle is remembered as destroyed.
    pub fn destroy(&mut self, handle: u64, site: &Site) -> Option<T> {
        let object = self.live.remove(&handle)?;
        self.owned.remove(&handle);
        self.gone.insert(handle, site.clone());
        if self.gone.len() > MAX_GONE {
            self.gone.pop_first();
        }
        Some(object)
    }

    /// Destroys the objects for which a condition holds, and returns them.
    pub fn destroy_all(&mut self, holds: impl Fn(&T) -> bool, site: &Site) -> Vec<T> {
        let its: Vec<u64> =
            self.live.iter().filter(|(_, its)| holds(its)).map(|(&handle, _)| handle).collect();
        its.into_iter().filter_map(|handle| self.destroy(handle, site)).collect()
    }

    /// Returns the kind of object that a handle stands for, and where it was destroyed, if it was.
    pub fn destruction(&self, handle: u64) -> (HandleKind, Option<Site>) {
        (self.kind, self.gone.get(&handle).cloned())
    }
}
