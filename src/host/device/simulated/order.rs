//! Happens-before between the host, streams and devices: detects accesses that nothing orders.
//!
//! Work is checked in the order in which a machine that executes all work immediately would execute it,
//! whatever the schedule, so the findings are the same under every schedule. While a piece of work is
//! executed later than its turn, the items after it wait in a log.

use super::clock::{Clock, Stamp};
use super::recent::Recent;
use super::shadow::{Entry, Originator, Role, Shadow, Touch};
use sim::{
    Access, AccessKind, Actor, Address, BufferInfo, Evidence, Finding, FindingKind, Machine, Operation,
    Owner, PointerParameter, SourceLocation, Target, host_part,
};
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// Number of logged host accesses above which pending work must be executed.
const LONG: usize = 1 << 14;

/// The position of work in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

#[derive(Debug)]
struct HostAccess {
    range: Range<u64>,
    kind: AccessKind,
    /// Width in bytes of the first of the accesses merged into this one.
    width: u32,
    by: Arc<Originator>,
}

/// The later one of two accesses that may be in the wrong order.
struct LaterAccess<'a> {
    by: &'a Arc<Originator>,
    kind: AccessKind,
    address: u64,
    width: u32,
    /// Whether the earlier access's work is ordered before it.
    knows_earlier: bool,
}

#[derive(Debug)]
enum Item {
    Work { stamp: Stamp, clock: Arc<Clock>, by: Arc<Originator>, done: Option<(Vec<Touch>, Vec<Finding>)> },
    Host { known: Arc<Clock>, accesses: Vec<HostAccess> },
}

/// A source location, or the operation if its location is unknown.
type EventOrigin = Result<SourceLocation, Operation>;

/// The accesses so far, and the findings about their order.
#[derive(Debug, Default)]
pub struct Order {
    shadow: Shadow,
    log: VecDeque<Item>,
    /// Ticket of the log's first item.
    first: u64,
    host_accesses: usize,
    reported: HashSet<(FindingKind, EventOrigin, EventOrigin)>,
    findings: Vec<Finding>,
    /// Work that findings are about.
    involved: Vec<(Stamp, FindingKind)>,
    recent: Recent,
    /// Whether there has been any finding, including those already taken.
    found: bool,
}

impl Order {
    /// Adds work whose turn has come, even if it has not been executed yet.
    pub fn begin(&mut self, stamp: Stamp, clock: Arc<Clock>, by: Arc<Originator>) -> Ticket {
        self.recent.add(stamp, &clock, &by);
        self.log.push_back(Item::Work { stamp, clock, by, done: None });
        Ticket(self.first + self.log.len() as u64 - 1)
    }

    /// Orders work that has not been checked yet behind everything in a clock.
    pub fn follow(&mut self, ticket: Ticket, before: &Clock) {
        let at = ticket.0.checked_sub(self.first).and_then(|n| self.log.get_mut(n as usize));
        if let Some(Item::Work { clock, .. }) = at {
            Arc::make_mut(clock).join(before);
        }
    }

    /// Records that work was executed, with its accesses and the findings about the work itself.
    pub fn done(&mut self, ticket: Ticket, touches: Vec<Touch>, findings: Vec<Finding>, machine: &Machine) {
        let at = ticket.0.checked_sub(self.first).and_then(|n| self.log.get_mut(n as usize));
        if let Some(Item::Work { done, .. }) = at {
            *done = Some((touches, findings));
        }
        while let Some(Item::Work { done: Some(_), .. } | Item::Host { .. }) = self.log.front() {
            self.first += 1;
            match self.log.pop_front() {
                Some(Item::Work { stamp, clock, by, done: Some((touches, findings)) }) => {
                    let raced = self.work(stamp, &clock, &by, &touches, machine);
                    // A value that is read too early may not have been written yet; the race itself is the
                    // defect then. The same holds for unwritten memory found by a copy after any other
                    // finding.
                    let is_reported = |f: &Finding| {
                        let copy = matches!(f.at.actor, Actor::Operation(_));
                        f.kind != FindingKind::Uninitialised || !(raced || copy && self.found)
                    };
                    let reported: Vec<Finding> = findings.into_iter().filter(is_reported).collect();
                    for finding in reported {
                        self.involved.push((stamp, finding.kind));
                        self.add(finding);
                    }
                }
                Some(Item::Host { known, accesses }) => {
                    self.host_accesses -= accesses.len();
                    for access in accesses {
                        self.check_host(&access, &known, machine);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns whether all work whose turn has come has been executed.
    pub fn is_drained(&self) -> bool {
        self.log.is_empty()
    }

    /// Returns whether so many host accesses are waiting that pending work should be executed now.
    pub fn is_long(&self) -> bool {
        self.host_accesses > LONG
    }

    /// Checks a host access to memory; the host knows that everything in `known` is done.
    pub fn host(
        &mut self,
        (range, kind): (Range<u64>, AccessKind),
        known: &Arc<Clock>,
        location: Option<&SourceLocation>,
        by: impl FnOnce() -> Arc<Originator>,
        machine: &Machine,
    ) {
        let width = (range.end - range.start).min(u64::from(u32::MAX)) as u32;
        if self.log.is_empty() {
            let mut met = false;
            self.shadow.check(range.clone(), kind, known, &mut |_, _| met = true);
            if met {
                self.check_host(&HostAccess { range, kind, width, by: by() }, known, machine);
            }
            return;
        }
        if !matches!(self.log.back(), Some(Item::Host { known: same, .. }) if Arc::ptr_eq(same, known)) {
            self.log.push_back(Item::Host { known: known.clone(), accesses: Vec::new() });
        }
        let Some(Item::Host { accesses, .. }) = self.log.back_mut() else { return };
        const RECENT: usize = 8;
        for a in accesses.iter_mut().rev().take(RECENT) {
            if a.kind != kind || a.by.location.as_ref() != location {
                continue;
            }
            if a.range.start <= range.start && range.end <= a.range.end {
                return;
            }
            if a.range.end == range.start {
                a.range.end = range.end;
                return;
            }
        }
        accesses.push(HostAccess { range, kind, width, by: by() });
        self.host_accesses += 1;
    }

    /// Returns whether a host access is already known to conflict; while work is pending, that is determined
    /// later.
    pub fn host_meets(&self, range: Range<u64>, kind: AccessKind, known: &Arc<Clock>) -> bool {
        let mut met = false;
        if self.log.is_empty() {
            self.shadow.check(range, kind, known, &mut |_, _| met = true);
        }
        met
    }

    /// Returns the work that wrote to a range of memory and is not covered by `known`; empty while work is
    /// pending, since the pending work may write there.
    pub fn writers(&self, range: Range<u64>, known: &Clock) -> Vec<Stamp> {
        let mut found = Vec::new();
        if self.log.is_empty() {
            self.shadow.check(range, AccessKind::Read, known, &mut |entry, _| found.push(entry.stamp));
        }
        found
    }

    /// Forgets accesses covered by `known`: all later work and the host are ordered after them.
    pub fn forget(&mut self, known: &Clock) {
        if self.log.is_empty() {
            self.shadow.forget(known);
        }
    }

    /// Forgets all accesses: all work is done, and the host knows it.
    pub fn forget_all(&mut self) {
        if self.log.is_empty() {
            self.shadow.clear();
        }
    }

    /// Forgets accesses to a range of memory that is gone; its addresses are not reused.
    pub fn drop_range(&mut self, range: Range<u64>) {
        self.shadow.drop_range(range);
    }

    /// Number of memory ranges that are remembered.
    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.shadow.len()
    }

    /// Adds a finding; all findings pass through here.
    pub fn add(&mut self, finding: Finding) {
        self.found = true;
        self.findings.push(finding);
    }

    /// Takes the work that is involved in findings since the last call, with the kind of finding.
    pub fn take_involved(&mut self) -> Vec<(Stamp, FindingKind)> {
        std::mem::take(&mut self.involved)
    }

    /// Takes the findings since the last call.
    pub fn take(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// Checks the accesses of executed work. Returns whether any of them is part of a race.
    fn work(
        &mut self,
        stamp: Stamp,
        clock: &Clock,
        by: &Arc<Originator>,
        touches: &[Touch],
        machine: &Machine,
    ) -> bool {
        let mut found: Vec<(Entry, Range<u64>, AccessKind)> = Vec::new();
        for touch in touches {
            self.shadow.touch(touch, stamp, clock, by, &mut |entry, range| {
                if entry.stamp != stamp {
                    found.push((entry.clone(), range, touch.kind));
                }
            });
        }
        let raced = !found.is_empty();
        for (entry, range, kind) in found {
            let knows_earlier = clock.covers(entry.stamp);
            let later = LaterAccess { by, kind, address: range.start, width: 0, knows_earlier };
            if let Some(code) = self.report(&entry, &later, machine) {
                self.involved.extend([(entry.stamp, code), (stamp, code)]);
            }
        }
        raced
    }

    fn check_host(&mut self, access: &HostAccess, known: &Clock, machine: &Machine) {
        let HostAccess { range, kind, width, by } = access;
        let mut found: Vec<(Entry, Range<u64>)> = Vec::new();
        self.shadow
            .check(range.clone(), *kind, known, &mut |entry, range| found.push((entry.clone(), range)));
        for (entry, range) in found {
            let knows_earlier = known.covers(entry.stamp);
            let later = LaterAccess { by, kind: *kind, address: range.start, width: *width, knows_earlier };
            if let Some(code) = self.report(&entry, &later, machine) {
                self.involved.push((entry.stamp, code));
            }
        }
    }

    /// Reports a pair of accesses once for each pair of locations; returns the kind of finding if it is new.
    fn report(&mut self, earlier: &Entry, later: &LaterAccess, machine: &Machine) -> Option<FindingKind> {
        let LaterAccess { by: later, kind, address, width, knows_earlier } = later;
        let address = Address(*address);
        let info = machine.find(address);
        let managed = info.as_ref().is_some_and(|b| b.owner == Owner::Managed);
        let code = match (earlier.by.role, later.role) {
            (Role::Free, _) if *knows_earlier => FindingKind::UseAfterFree,
            (Role::Free, _) | (_, Role::Free) => FindingKind::FreedInUse,
            (Role::Allocate, _) | (_, Role::Allocate) => FindingKind::PoolOrder,
            (_, Role::Host) if managed => FindingKind::ManagedInUse,
            (_, Role::Host) if *kind == AccessKind::Read => FindingKind::HostReadsEarly,
            (_, Role::Host) => FindingKind::HostWritesInFlight,
            _ => FindingKind::StreamRace,
        };
        // Premature uses of pool memory all have the same cause, so they are reported once per cause.
        let second = if code == FindingKind::PoolOrder { place(&earlier.by) } else { place(later) };
        if !self.reported.insert((code, place(&earlier.by), second)) {
            return None;
        }
        let target = match (&info, host_part(address.0)) {
            (Some(buffer), _) => buffer.target(address),
            (None, Some(part)) => Target::Host { part },
            (None, None) => Target::Nowhere { address: address.0 },
        };
        let side = |by: &Originator, kind| {
            let actor = match by.role {
                Role::Host => Actor::Host,
                _ => Actor::Operation(by.operation.clone()),
            };
            let (target, parameter) = (target.clone(), info.as_ref().and_then(|info| parameter(by, info)));
            Access { kind, bytes: *width, target, parameter, ..Access::by(actor, by.location.clone()) }
        };
        let (was, is) = (earlier.by.operation.clone(), later.operation.clone());
        let mut evidence = vec![Evidence::Order { earlier: was, later: is }];
        evidence.extend(self.recent.around(earlier.stamp, later));
        let other = Some(side(&earlier.by, earlier.kind));
        self.add(Finding { other, evidence, ..Finding::new(code, side(later, *kind)) });
        Some(code)
    }
}

/// Returns the pointer into a buffer that a launch passes, if it passes one alone.
fn parameter(by: &Originator, buffer: &BufferInfo) -> Option<PointerParameter> {
    let base = buffer.base.0;
    let mut into = by.pointers.iter().filter(|(_, address)| address.wrapping_sub(base) < buffer.bytes);
    let (&(index, address), None) = (into.next()?, into.next()) else { return None };
    Some(PointerParameter { index, buffer: buffer.name.clone(), base, offset_bytes: address - base })
}

fn place(by: &Originator) -> EventOrigin {
    by.location.clone().ok_or_else(|| by.operation.clone())
}
