//! Dependencies between ops as a trace shows them, without event records and waits: those take no time, and
//! pass on their own predecessors to their successors.

use super::op::{After, Cost, Op, OpId, OrderedBy};
use crate::device::{DeviceId, StreamId};
use std::collections::HashMap;

/// Maximum number of predecessors recorded per op; programs rarely use more streams than that.
const MOST: usize = 16;

#[derive(Debug)]
struct OpRecord {
    stream: (DeviceId, Option<StreamId>),
    in_graph: bool,
    /// For a marker: the predecessors that it passes on to its successors.
    passes_on: Option<Vec<After>>,
}

/// The ops that have not been forgotten.
#[derive(Debug, Default)]
pub(super) struct Dependencies(HashMap<OpId, OpRecord>);

impl Dependencies {
    /// Adds an op, and returns its predecessors.
    pub fn add(&mut self, id: OpId, op: &Op) -> Vec<After> {
        let stream = (op.device, op.stream);
        let mut behind = Vec::new();
        for before in &op.after {
            let Some(given) = self.0.get(before) else { continue };
            let by = match given.stream == stream {
                true if given.in_graph && op.in_graph => OrderedBy::Graph,
                true => OrderedBy::Stream,
                false => op.across,
            };
            add(&mut behind, *before, given, by);
        }
        let passes_on = matches!(op.cost, Cost::Marker).then(|| behind.clone());
        self.0.insert(id, OpRecord { stream, in_graph: op.in_graph, passes_on });
        behind
    }

    /// Returns the ops that a host call waits for, given the ops it names; markers are replaced by their
    /// predecessors.
    pub fn waited_for(&self, ops: &[OpId]) -> Vec<After> {
        let mut found = Vec::new();
        for op in ops {
            let Some(given) = self.0.get(op) else { continue };
            add(&mut found, *op, given, OrderedBy::Host);
        }
        found
    }

    pub fn retain(&mut self, kept: impl Fn(&OpId) -> bool) {
        self.0.retain(|op, _| kept(op));
    }
}

/// Adds an op, or the predecessors that it passes on if it is a marker.
fn add(to: &mut Vec<After>, op: OpId, given: &OpRecord, by: OrderedBy) {
    let mut one = |after: After| {
        if to.len() < MOST && to.iter().all(|known| known.op != after.op) {
            to.push(after);
        }
    };
    match &given.passes_on {
        None => one(After { op, by }),
        // Where the marker merely precedes in the stream, its predecessors keep the reason by which the
        // marker follows them.
        Some(all) if by == OrderedBy::Stream => all.iter().copied().for_each(one),
        Some(all) => all.iter().for_each(|after| one(After { op: after.op, by })),
    }
}
