//! An access to be checked, and the two sides of a race with it.

use super::copies::Copies;
use super::order::Order;
use super::stamp::{Site, Sites, Stamp, THREAD, is_one, representative};
use crate::engine::findings::{SideAddress, ThreadId};
use crate::engine::observer::Event;

/// An access, with everything that is needed to check it.
pub struct CheckedAccess<'a> {
    pub event: &'a Event,
    /// The number of the event's instruction.
    pub site: u16,
    pub now: u32,
    pub order: &'a Order,
    pub sites: &'a Sites,
    pub copies: &'a Copies,
}

impl CheckedAccess<'_> {
    pub fn its(&self) -> Site {
        self.sites.get(self.site)
    }

    /// Returns whether times alone determine the order, and joining readers may keep the first one's instruction:
    /// there are no clocks, and nothing but plain accesses.
    #[inline(always)]
    pub fn plain(&self) -> bool {
        !self.order.has_clocks && !self.sites.watching
    }

    /// Returns what tells whether the record of a read by threads of one warp names this one rather than the earlier one
    /// that it joins: of `several` lanes, one is not the next writer; and a single thread that reads what it goes on to write may be.
    #[inline(always)]
    pub fn is_named(&self, several: bool) -> impl Fn(Stamp) -> bool + Copy + use<> {
        // The event is looked at once, not for each element.
        let own = self.event.role.own;
        move |earlier| several | (!own & is_one(earlier))
    }

    /// Returns whether the record of a read names this one rather than the earlier one, by `site`, that it joins. `if_plain`:
    /// whether it may where both are plain. A plain read may race with more accesses than an atomic, volatile or relaxed
    /// one, but with none of its own thread.
    #[inline(always)]
    pub fn is_named_after(&self, several: bool, (earlier, site): (Stamp, Site), if_plain: bool) -> bool {
        let role = self.event.role;
        match (self.event.watching, site.watching) {
            (true, _) => !role.data && site.role.data,
            (false, true) => several || !role.own,
            (false, false) => if_plain && self.is_named(several)(earlier),
        }
    }

    /// Returns whether the event and an earlier access by `site` may be concurrent: both are atomic, relaxed or
    /// volatile; or one is an atomic and the other a plain read that is only a guess.
    pub fn may_be_concurrent(&self, site: Site) -> bool {
        let (event, guess) = (self.event, |watching: bool, guess: bool| watching || guess);
        (event.watching || site.watching)
            && guess(event.watching, event.role.guess && site.strong)
            && guess(site.watching, site.role.guess && event.strong)
    }

    /// Returns whether the bytes were only loaded along with others, by the event or by an earlier access by `site`,
    /// and are never used.
    pub fn is_of_unread(&self, site: Site, place: u64, bytes: u32) -> bool {
        let event = self.event;
        event.role.leaves_unread(event.width, place, bytes)
            || site.role.leaves_unread(site.bytes, place, bytes)
    }
}

/// Returns where an access of `bytes` bytes that touches this place begins: at a multiple of its width.
pub fn whole(place: SideAddress, bytes: u32) -> SideAddress {
    let start = |at: u64| if matches!(bytes, 2 | 4 | 8 | 16) { at & !u64::from(bytes - 1) } else { at };
    match place {
        SideAddress::Shared(at) => SideAddress::Shared(start(at)),
        SideAddress::Device(at) => SideAddress::Device(start(at)),
        other => other,
    }
}

/// Returns the two threads of a race: the current one, and one of those of `stamp` in `block`, if known. If several
/// lanes now do what one of them did before, the current one is another of them.
pub fn pair(here: &CheckedAccess, lane: u8, many: bool, stamp: Stamp, block: Option<u64>) -> (u32, u32) {
    let warp = here.event.warp * 32;
    let (now, then) = (warp + lane as u32, representative(stamp).unwrap_or(ThreadId::UNKNOWN));
    if now != then || block != Some(here.order.block) {
        return (now, then);
    }
    let others = here.event.mask & !(1 << (lane % 32));
    if many && stamp & THREAD == then && others != 0 {
        (warp + others.trailing_zeros(), then)
    } else {
        (now, ThreadId::UNKNOWN)
    }
}
