//! Work that has been enqueued and not been forgotten: its predecessors, its turn, and whether it is done.
//!
//! Work is *released* when all its predecessors are: from then on its position in the order of all work is
//! known. Only a part of a collective, and the work after it, is released later than it is enqueued: when the
//! last part of the collective's round has been enqueued.

use super::clock::{Chains, Clock, Stamp};
use super::order::Ticket;
use super::shadow::Originator;
use crate::device::timeline::OpId as SpanId;
use crate::device::{DeviceId, Site, StreamId, Work};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// An identifier of work, in the order in which the host enqueues it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u64);

/// A piece of work that is not done.
#[derive(Debug)]
pub struct Op {
    pub stream: StreamId,
    pub device: DeviceId,
    pub chain: u32,
    pub work: Work,
    pub site: Site,
    pub by: Arc<Originator>,
    /// Direct predecessors.
    pub after: Vec<OpId>,
    /// The work that the host knew to be done when it enqueued this work.
    pub known: Arc<Clock>,
    /// Contents of a copy's pageable source, read when the copy was requested.
    pub staged: Option<Vec<u8>>,
    /// How many texture and surface objects had been destroyed when the work was enqueued.
    pub destroyed_images: usize,
    /// The host's clock when the work was enqueued.
    pub enqueued_ns: u64,
    /// Whether it is a node of a graph, which starts with less overhead.
    pub in_graph: bool,
}

/// The state of work, done or not.
#[derive(Debug, Default)]
pub struct Node {
    /// Vector clock; set on release.
    pub clock: Option<Arc<Clock>>,
    pub stamp: Option<Stamp>,
    pub ticket: Option<Ticket>,
    /// Position among all released work.
    turn: Option<u64>,
    /// The work, until it is done.
    pub op: Option<Box<Op>>,
    /// Span in virtual time; set once it is done.
    pub span: Option<SpanId>,
    /// All parts of the same collective round, including this one.
    pub round: Option<Arc<[OpId]>>,
}

impl Node {
    pub fn is_done(&self) -> bool {
        self.op.is_none()
    }
}

#[derive(Debug, Default)]
pub struct Queue {
    nodes: BTreeMap<OpId, Node>,
    next: u64,
    /// Enqueued and not released.
    unreleased: BTreeSet<OpId>,
    /// Released and not done, by turn.
    undone: BTreeMap<u64, OpId>,
    turns: u64,
    sweep_at: usize,
}

impl Queue {
    pub fn node(&self, id: OpId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    /// Returns the released work with this stamp.
    pub fn of_stamp(&self, stamp: Stamp) -> Option<OpId> {
        self.nodes.iter().rev().find(|(_, node)| node.stamp == Some(stamp)).map(|(&id, _)| id)
    }

    pub fn node_mut(&mut self, id: OpId) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    /// Returns whether work is done; forgotten work is.
    pub fn is_done(&self, id: OpId) -> bool {
        self.nodes.get(&id).is_none_or(Node::is_done)
    }

    pub fn is_released(&self, id: OpId) -> bool {
        self.nodes.get(&id).is_none_or(|n| n.clock.is_some())
    }

    /// Returns the work that is released and not done, in the order of turns.
    pub fn undone(&self) -> impl Iterator<Item = OpId> + '_ {
        self.undone.values().copied()
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn first_undone(&self) -> Option<OpId> {
        self.undone.values().next().copied()
    }

    pub fn undone_count(&self) -> usize {
        self.undone.len()
    }

    pub fn unreleased(&self) -> impl Iterator<Item = OpId> + '_ {
        self.unreleased.iter().copied()
    }

    pub fn has_unreleased(&self) -> bool {
        !self.unreleased.is_empty()
    }

    pub fn push(&mut self, op: Op) -> OpId {
        let id = OpId(self.next);
        self.next += 1;
        self.nodes.insert(id, Node { op: Some(Box::new(op)), ..Node::default() });
        self.unreleased.insert(id);
        id
    }

    /// Returns whether all predecessors other than those in `round` are released.
    pub fn may_be_released(&self, id: OpId, round: &[OpId]) -> bool {
        let Some(op) = self.nodes.get(&id).and_then(|n| n.op.as_ref()) else { return true };
        op.after.iter().all(|&a| round.contains(&a) || self.is_released(a))
    }

    /// Releases work whose predecessors are released; the parts of a round are released together because they
    /// execute together. Returns the stamp and the clock of each.
    pub fn release(&mut self, round: &[OpId], chains: &mut Chains) -> Vec<(OpId, Stamp, Arc<Clock>)> {
        let mut clock = Clock::default();
        for &id in round {
            let Some(op) = self.nodes.get(&id).and_then(|n| n.op.as_ref()) else { continue };
            clock.join(&op.known);
            for before in op.after.iter().filter_map(|a| self.nodes.get(a)?.clock.as_ref()) {
                clock.join(before);
            }
        }
        let mut stamps = Vec::new();
        for &id in round {
            let Some(op) = self.nodes.get(&id).and_then(|n| n.op.as_ref()) else { continue };
            let stamp = chains.next(op.chain);
            clock.add(stamp);
            stamps.push((id, stamp));
        }
        let clock = Arc::new(clock);
        let together: Option<Arc<[OpId]>> = (round.len() > 1).then(|| round.into());
        let mut released = Vec::new();
        for (id, stamp) in stamps {
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            node.clock = Some(clock.clone());
            node.stamp = Some(stamp);
            node.round = together.clone();
            node.turn = Some(self.turns);
            self.unreleased.remove(&id);
            self.undone.insert(self.turns, id);
            self.turns += 1;
            released.push((id, stamp, clock.clone()));
        }
        released
    }

    /// Returns whether all predecessors of `id`, and of the other parts of its round, are done.
    pub fn may_run(&self, id: OpId) -> bool {
        let Some(node) = self.nodes.get(&id) else { return false };
        let own = [id];
        let round: &[OpId] = node.round.as_deref().unwrap_or(&own);
        node.clock.is_some()
            && round
                .iter()
                .filter_map(|id| self.nodes.get(id)?.op.as_ref())
                .all(|op| op.after.iter().all(|a| round.contains(a) || self.is_done(*a)))
    }

    /// Returns the work that must be executed to complete `targets`, including them; `None` if some of it is
    /// not released.
    pub fn needed(&self, targets: &[OpId]) -> Option<BTreeSet<OpId>> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<OpId> = targets.to_vec();
        while let Some(id) = open.pop() {
            let Some(node) = self.nodes.get(&id) else { continue };
            let Some(op) = &node.op else { continue };
            node.clock.as_ref()?;
            if needed.insert(id) {
                open.extend(&op.after);
                open.extend(node.round.iter().flat_map(|r| r.iter()));
            }
        }
        Some(needed)
    }

    /// Takes the work out for execution.
    pub fn take(&mut self, id: OpId) -> Option<Box<Op>> {
        let op = self.nodes.get_mut(&id)?.op.take();
        if let Some(turn) = self.nodes.get(&id).and_then(|n| n.turn) {
            self.undone.remove(&turn);
        }
        op
    }

    /// Returns the spans in virtual time of all work that is not forgotten.
    pub fn spans(&self) -> impl Iterator<Item = SpanId> + '_ {
        self.nodes.values().filter_map(|node| node.span)
    }

    /// Returns whether so much is remembered that forgetting is worthwhile.
    pub fn is_large(&self) -> bool {
        const LEAST: usize = 1 << 12;
        self.nodes.len() > self.sweep_at.max(LEAST)
    }

    /// Forgets work that is done, except for `used` and direct predecessors of pending work.
    pub fn forget(&mut self, used: &HashSet<OpId>) {
        let mut needed = used.clone();
        for op in self.nodes.values().filter_map(|n| n.op.as_ref()) {
            needed.extend(&op.after);
        }
        self.nodes.retain(|id, node| node.op.is_some() || needed.contains(id));
        self.sweep_at = self.nodes.len() * 2;
    }
}
