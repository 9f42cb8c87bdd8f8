//! Work that was given to streams and is not forgotten yet: what it comes after, whether its turn
//! has come, whether it is done.
//!
//! Work is *released* when all that it comes after is: its place in the order of all work is known
//! then. Only a part of a collective, and what stands behind it, is released later than it is
//! given: when the last part of its round has come.

use super::clock::{Chains, Clock, Stamp};
use super::order::Ticket;
use super::shadow::Party;
use super::virtual_time::SpanId;
use crate::device::{DeviceId, Site, StreamId, Work};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// Work, numbered as the host gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u64);

/// One piece of work that is not done.
#[derive(Debug)]
pub struct Op {
    pub stream: StreamId,
    pub device: DeviceId,
    pub chain: u32,
    pub work: Work,
    pub site: Site,
    pub by: Arc<Party>,
    /// What it comes directly after.
    pub after: Vec<OpId>,
    /// What the host knew to be done when it gave the work.
    pub known: Arc<Clock>,
    /// What a copy takes from pageable memory, taken when it was asked for.
    pub staged: Option<Vec<u8>>,
    /// The host's clock when it was given.
    pub given_ns: u64,
    /// Node of a graph: it costs less to start.
    pub in_graph: bool,
}

/// What is known of work, done or not.
#[derive(Debug, Default)]
pub struct Node {
    /// Once it is released.
    pub clock: Option<Arc<Clock>>,
    pub stamp: Option<Stamp>,
    pub ticket: Option<Ticket>,
    /// Among all work that was released.
    turn: Option<u64>,
    /// Until it is done.
    pub op: Option<Box<Op>>,
    /// Once it is done.
    pub span: Option<SpanId>,
    /// Parts of the same round of a collective, itself among them.
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
    /// Given and not released.
    held: BTreeSet<OpId>,
    /// Released and not done, by their turn.
    undone: BTreeMap<u64, OpId>,
    turns: u64,
    sweep_at: usize,
}

impl Queue {
    pub fn node(&self, id: OpId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    /// Work of a stamp, which was released.
    pub fn of_stamp(&self, stamp: Stamp) -> Option<OpId> {
        self.nodes.iter().rev().find(|(_, node)| node.stamp == Some(stamp)).map(|(&id, _)| id)
    }

    pub fn node_mut(&mut self, id: OpId) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    /// Whether work is done; what is forgotten is.
    pub fn is_done(&self, id: OpId) -> bool {
        self.nodes.get(&id).is_none_or(Node::is_done)
    }

    pub fn is_released(&self, id: OpId) -> bool {
        self.nodes.get(&id).is_none_or(|n| n.clock.is_some())
    }

    /// Released and not done, in the order of their turns.
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

    pub fn held(&self) -> impl Iterator<Item = OpId> + '_ {
        self.held.iter().copied()
    }

    pub fn is_anything_held(&self) -> bool {
        !self.held.is_empty()
    }

    pub fn push(&mut self, op: Op) -> OpId {
        let id = OpId(self.next);
        self.next += 1;
        self.nodes.insert(id, Node { op: Some(Box::new(op)), ..Node::default() });
        self.held.insert(id);
        id
    }

    /// Whether all that it comes after is released, not counting `round`.
    pub fn may_be_released(&self, id: OpId, round: &[OpId]) -> bool {
        let Some(op) = self.nodes.get(&id).and_then(|n| n.op.as_ref()) else { return true };
        op.after.iter().all(|&a| round.contains(&a) || self.is_released(a))
    }

    /// Releases work whose predecessors are: together, as they do their work together. Gives the
    /// clock and the stamp of each.
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
            self.held.remove(&id);
            self.undone.insert(self.turns, id);
            self.turns += 1;
            released.push((id, stamp, clock.clone()));
        }
        released
    }

    /// Whether all that it, and what belongs to its round, comes after is done.
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

    /// What must be done so that `targets` are, in the order of turns, they themselves included;
    /// `None` where some of it is not released.
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

    /// Takes the work out, to be done now.
    pub fn take(&mut self, id: OpId) -> Option<Box<Op>> {
        let op = self.nodes.get_mut(&id)?.op.take();
        if let Some(turn) = self.nodes.get(&id).and_then(|n| n.turn) {
            self.undone.remove(&turn);
        }
        op
    }

    /// Places in time of all that is not forgotten.
    pub fn spans(&self) -> impl Iterator<Item = SpanId> + '_ {
        self.nodes.values().filter_map(|node| node.span)
    }

    /// Whether there is so much to remember that forgetting is worth while.
    pub fn is_large(&self) -> bool {
        const LEAST: usize = 1 << 12;
        self.nodes.len() > self.sweep_at.max(LEAST)
    }

    /// Forgets work that is done, but for `used`.
    pub fn forget(&mut self, used: &HashSet<OpId>) {
        let mut needed = used.clone();
        for op in self.nodes.values().filter_map(|n| n.op.as_ref()) {
            needed.extend(&op.after);
        }
        self.nodes.retain(|id, node| node.op.is_some() || needed.contains(id));
        self.sweep_at = self.nodes.len() * 2;
    }
}
