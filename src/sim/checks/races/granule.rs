//! One granule of global memory, or of a cluster's shared memory: whether an access to it races with the last ones, and what
//! is recorded of it.

use super::checked::{pair, whole};
use super::global::{GlobalAccess, kind, side, side_address};
use super::last_accesses::Marks;
use super::page::Page;
use super::stamp::{
    MANY, MANY_BLOCKS, Site, Stamp, THREAD, TIME_SHIFT, joined, representative, time, warp_of, who,
};
use crate::engine::findings::{FindingLog, Side, ThreadId};
use crate::engine::observer::MemorySpace;
use crate::evidence::{BlockScope, Evidence};
use crate::finding::{AccessKind, FindingKind};
use crate::memory::access::MbarrierEffect;
use crate::memory::by_address::ByAddress;

/// One granule of an access.
pub struct GranuleAccess {
    pub lane: u8,
    /// Whether other lanes touch the granule too.
    pub many: bool,
    /// Index within the page.
    pub index: usize,
    /// Device address.
    pub place: u64,
    /// Bytes per granule.
    pub bytes: u32,
}

/// The last accesses to a granule, as the access that follows sees them.
struct Earlier<'a> {
    around: &'a GlobalAccess<'a>,
    one: &'a GranuleAccess,
    write: Stamp,
    write_number: u16,
    write_site: Site,
    read: Stamp,
    read_number: u16,
    read_site: Site,
}

/// Plain writes that preceded atomics, and their instructions, by buffer and byte offset.
pub type BeforeAtomics = ByAddress<(Stamp, u16), (u32, u64)>;

impl<'a> Earlier<'a> {
    fn new(page: &Page, around: &'a GlobalAccess<'a>, one: &'a GranuleAccess) -> Earlier<'a> {
        let old = |marks: Option<&Marks>| marks.map_or((0, 0), |m| (m.stamps[one.index], m.site(one.index)));
        let (writes, reads) = page.each();
        let ((write, write_number), (read, read_number)) = (old(writes), old(reads));
        let (write_site, read_site) =
            (around.here.sites.get(write_number), around.here.sites.get(read_number));
        Earlier { around, one, write, write_number, write_site, read, read_number, read_site }
    }

    /// Returns the bits of the accessing thread, or threads, in a stamp.
    fn mine(&self) -> u32 {
        who(self.around.here.event.warp, self.one.lane, self.one.many)
    }

    /// Returns the block that an earlier access was made by, if it is known.
    fn block_of(&self, earlier: Stamp) -> Option<u64> {
        if time(earlier) >= self.around.turn {
            Some(self.around.here.order.block)
        } else {
            self.around.timeline.block_at(time(earlier))
        }
    }

    fn is_own(&self, earlier: Stamp) -> bool {
        self.block_of(earlier) == Some(self.around.here.order.block)
    }

    /// Returns whether an earlier access was made by the thread that makes this one.
    fn is_of_same_thread(&self, earlier: Stamp) -> bool {
        !self.one.many && earlier & THREAD == self.mine() && self.is_own(earlier)
    }

    /// Returns whether an earlier access happened before this one, or there was none.
    fn before(&self, earlier: Stamp) -> bool {
        let order = self.around.here.order;
        earlier == 0
            || self.is_of_same_thread(earlier)
            || order.before(earlier, self.block_of(earlier), self.around.here.event.warp, self.one.lane)
    }

    /// Returns whether both accesses are of kinds that do not race, and of scopes that include each other's thread: a scope
    /// of `.cta` does not extend to other blocks.
    fn may_be_concurrent(&self, earlier: Stamp, site: Site) -> bool {
        let here = &self.around.here;
        let roles = [here.event.role, site.role];
        let on_object =
            roles.iter().all(|role| matches!(role.object, MbarrierEffect::Wait | MbarrierEffect::Count));
        here.may_be_concurrent(site)
            && (roles.iter().all(|role| !role.block_only) || self.is_own(earlier) || on_object)
    }

    fn was_acquired(&self, earlier: Stamp, site: Site) -> bool {
        let GlobalAccess { here, objects, .. } = self.around;
        site.watching && here.order.was_acquired(Some(objects), self.one.place, site.bytes, time(earlier))
    }

    /// Returns whether the block may make this access before any other block of the launch writes there.
    fn may_come_first(&self, follows_write: bool) -> bool {
        let is_of_other = self.write != 0 && !self.is_own(self.write);
        is_of_other && !follows_write && !self.around.here.order.has_acquired()
    }

    /// Returns whether this access is ordered after the last write.
    fn follows_write(&self) -> bool {
        let GlobalAccess { here, objects, .. } = self.around;
        let wrote_last_atomic = || {
            let plain = here.event.kind == AccessKind::Write && !self.one.many && self.write_site.watching;
            let bytes = self.write_site.bytes;
            plain && here.order.wrote_last_atomic(Some(objects), self.one.place, bytes, self.mine())
        };
        self.before(self.write) || self.was_acquired(self.write, self.write_site) || wrote_last_atomic()
    }

    /// Returns the earlier access that this one races with, its instruction, and what is known about the race.
    fn race(
        &self,
        follows_write: bool,
        before_atomics: &BeforeAtomics,
    ) -> Option<(Stamp, Site, Option<Evidence>)> {
        let here = &self.around.here;
        let (event, write, write_site) = (here.event, self.write, self.write_site);
        let kept = event.kept >> self.one.lane & 1 != 0 && write_site.kind == AccessKind::Write;
        if !follows_write && !self.may_be_concurrent(write, write_site) && !kept {
            return Some((write, write_site, self.narrow_scope(write, write_site)));
        }
        // An access that follows an atomic need not follow the plain write that the atomic itself followed.
        let plain_write = (event.watching && write_site.watching)
            .then(|| before_atomics.get(&self.in_buffer()).copied())
            .flatten()
            .filter(|&(write, _)| !self.before(write));
        if let Some((write, site)) = plain_write {
            let site = here.sites.get(site);
            return Some((write, site, self.narrow_scope(write, site)));
        }
        if event.role.updates && write_site.role.updates && !follows_write {
            return Some((write, write_site, Some(Evidence::LostUpdate)));
        }
        if event.role.updates && self.one.many {
            let own = here.now << TIME_SHIFT | self.mine();
            return Some((own, here.its(), Some(Evidence::LostUpdate)));
        }
        let signalled = || {
            let block = self.block_of(write);
            here.order.was_signalled_unfenced(write, block, event.warp, self.one.lane)
        };
        if event.role.data && write_site.watching && !follows_write && signalled() {
            let narrow = self.narrow_scope(write, write_site);
            return Some((write, write_site, narrow.or(Some(Evidence::SignalledWithoutFence))));
        }
        let races_with_read = event.kind != AccessKind::Read
            && !self.before(self.read)
            && !self.may_be_concurrent(self.read, self.read_site)
            && !self.was_acquired(self.read, self.read_site);
        races_with_read.then(|| (self.read, self.read_site, self.narrow_scope(self.read, self.read_site)))
    }

    /// Returns the write before this read-only load, or the read-only load by another thread before this write, with its
    /// instruction.
    fn read_only_load(&self) -> Option<(Stamp, Site)> {
        let event = self.around.here.event;
        match event.kind {
            AccessKind::Read => {
                (event.role.read_only && self.write != 0).then_some((self.write, self.write_site))
            }
            // What a thread has read is not changed by what it writes then.
            _ => (self.read_site.role.read_only && self.read != 0 && !self.is_of_same_thread(self.read))
                .then_some((self.read, self.read_site)),
        }
    }

    /// Returns the evidence that this access and an earlier one would not race if the scopes of all atomics and fences
    /// included the thread of the other.
    fn narrow_scope(&self, earlier: Stamp, site: Site) -> Option<Evidence> {
        let here = &self.around.here;
        if here.may_be_concurrent(site) && (here.event.role.block_only || site.role.block_only) {
            return Some(Evidence::BlockScope(BlockScope::Access));
        }
        let block = self.block_of(earlier);
        let known = here.order.is_known_narrowly(earlier, block, here.event.warp, self.one.lane);
        known.then_some(Evidence::BlockScope(BlockScope::Between))
    }

    /// Returns the buffer and the byte offset of the granule.
    fn in_buffer(&self) -> (u32, u64) {
        let event = self.around.here.event;
        (event.buffer, self.one.place - event.base)
    }

    /// Returns the stamp and the instruction that represent all reads of the granule, this one included.
    fn joined_read(&self) -> (Stamp, u16) {
        let GlobalAccess { here, blocks_isolated, own_shared, .. } = self.around;
        let (event, stamp, read) = (here.event, here.now << TIME_SHIFT, self.read);
        if self.before(read) {
            return (stamp | self.mine(), here.site);
        }
        let is_own = self.is_own(read);
        let same_warp = is_own && warp_of(read & THREAD) == Some(event.warp);
        // Volatile reads of data race like others in shared memory only.
        let named = !event.watching && here.is_named_after(self.one.many, (read, self.read_site), same_warp);
        let (site, its) = if named { (here.site, stamp | self.mine()) } else { (self.read_number, read) };
        match is_own {
            // The earlier reader's block has ended, or the first of several readers represents them all.
            false if *blocks_isolated || *own_shared => (read, site),
            // A read of another block's shared memory must be known to have happened before that block ends.
            false if event.place == MemorySpace::Shared => (stamp | self.mine(), here.site),
            false => (stamp | MANY_BLOCKS, site),
            true if same_warp => (stamp | joined(its, event.warp), site),
            true => (stamp | MANY, site),
        }
    }

    /// Returns the stamp of this write or atomic, and of those that may have been concurrent with it.
    fn joined_write(&self, follows_write: bool) -> Stamp {
        let GlobalAccess { here, blocks_isolated, .. } = self.around;
        let stamp = here.now << TIME_SHIFT;
        match (here.event.watching && !follows_write, self.is_own(self.write)) {
            (true, false) if *blocks_isolated => stamp | self.mine(),
            (true, false) => stamp | MANY_BLOCKS,
            (true, true) => stamp | MANY,
            _ => stamp | self.mine(),
        }
    }
}

impl Page {
    /// Checks and records one granule of an access. Returns true if it conflicts with an access of another block.
    #[inline(never)]
    pub fn granule(
        &mut self,
        around: &GlobalAccess,
        one: &GranuleAccess,
        before_atomics: &mut BeforeAtomics,
        findings: &mut FindingLog,
    ) -> bool {
        let here = &around.here;
        let earlier = Earlier::new(self, around, one);
        let follows_write = earlier.follows_write();
        let mut blocks_conflict = false;
        if let Some((stamp, site, evidence)) = earlier.race(follows_write, before_atomics)
            && !here.is_of_unread(site, one.place, one.bytes)
        {
            let block = earlier.block_of(stamp);
            // Conflicts within the block are checked in the block's own shared-memory shadow.
            if !around.own_shared || block != Some(here.order.block) {
                blocks_conflict = block != Some(here.order.block);
                report(around, one, (stamp, block, site), evidence, findings);
            }
        } else if let Some((stamp, site)) = earlier.read_only_load()
            && !here.is_of_unread(site, one.place, one.bytes)
        {
            report_read_only(&earlier, (stamp, site), findings);
        }
        if here.event.role.polls && findings.polls_unset && earlier.may_come_first(follows_write) {
            let place = side_address(here.event, one.place);
            let thread =
                ThreadId { block: findings.block, thread: here.event.warp * 32 + u32::from(one.lane) };
            let (pc, kind, bytes) = (here.event.pc, here.event.kind, here.event.width);
            let at = Side { pc, thread, kind, bytes, place: whole(place, bytes) };
            findings.add(FindingKind::Uninitialised, at, None, || [Evidence::StoredByOtherBlock]);
        }
        if here.event.kind == AccessKind::Read {
            let (stamp, site) = earlier.joined_read();
            self.reads_mut().set(one.index, stamp, site);
            return blocks_conflict;
        }
        if here.event.watching && !earlier.write_site.watching && earlier.write != 0 {
            before_atomics.insert(earlier.in_buffer(), (earlier.write, earlier.write_number));
        }
        let stamp = earlier.joined_write(follows_write);
        self.writes_mut().set(one.index, stamp, here.site);
        self.forget_read(one.index);
        blocks_conflict
    }
}

#[inline(never)]
fn report(
    around: &GlobalAccess,
    one: &GranuleAccess,
    (earlier, block, site): (Stamp, Option<u64>, Site),
    evidence: Option<Evidence>,
    findings: &mut FindingLog,
) {
    let (here, place) = (&around.here, one.place);
    let event = here.event;
    let (now, then) = pair(here, one.lane, one.many, earlier, block);
    let place_now = whole(side_address(event, place), event.width);
    let at = side(event, ThreadId { block: findings.block, thread: now }, place_now);
    let other = block.map(|block| {
        let thread = ThreadId { block, thread: then };
        let place = whole(side_address(event, place), site.bytes);
        Side { pc: site.pc, thread, kind: site.kind, bytes: site.bytes, place }
    });
    // Of several lanes that write one place, each has read there what it writes back, if one has: whether one has, the log
    // finds out.
    let together = (one.many && event.kind == AccessKind::Write).then_some(Evidence::WrittenBack);
    findings.add(kind(event), at, other, || evidence.into_iter().chain(together));
}

/// Reports a read-only load of bytes that the launch writes: one of this access and an earlier one is the load.
#[inline(never)]
fn report_read_only(now: &Earlier, (stamp, site): (Stamp, Site), findings: &mut FindingLog) {
    let event = now.around.here.event;
    let place = |bytes| whole(side_address(event, now.one.place), bytes);
    let thread = ThreadId { block: findings.block, thread: event.warp * 32 + u32::from(now.one.lane) };
    let other = now.block_of(stamp).map(|block| {
        let thread = ThreadId { block, thread: representative(stamp).unwrap_or(ThreadId::UNKNOWN) };
        Side { pc: site.pc, thread, kind: site.kind, bytes: site.bytes, place: place(site.bytes) }
    });
    findings.add(FindingKind::ReadOnlyLoad, side(event, thread, place(event.width)), other, || None);
}
