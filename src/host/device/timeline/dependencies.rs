//! Which work comes behind which, as somebody reads it who sees no records and waits of events: they take no time, and
//! pass on what they come behind themselves.

use super::op::{After, Cost, Op, OpId, OrderedBy};
use crate::device::{DeviceId, StreamId};
use std::collections::HashMap;

/// Of one op, those that it comes behind; a machine has fewer streams that anybody looks at.
const MOST: usize = 16;

#[derive(Debug)]
struct Given {
    stream: (DeviceId, Option<StreamId>),
    in_graph: bool,
    /// Of a marker: what those come behind that come behind it.
    passes_on: Option<Vec<After>>,
}

/// The ops that are not forgotten.
#[derive(Debug, Default)]
pub(super) struct Dependencies(HashMap<OpId, Given>);

impl Dependencies {
    /// An op is given: what it comes behind.
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
        self.0.insert(id, Given { stream, in_graph: op.in_graph, passes_on });
        behind
    }

    /// What the host waits for that waits for some ops.
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

/// Adds an op, or what it passes on.
fn add(to: &mut Vec<After>, op: OpId, given: &Given, by: OrderedBy) {
    let mut one = |after: After| {
        if to.len() < MOST && to.iter().all(|known| known.op != after.op) {
            to.push(after);
        }
    };
    match &given.passes_on {
        None => one(After { op, by }),
        // What the stream alone orders from here on was ordered by what the marker stands for.
        Some(all) if by == OrderedBy::Stream => all.iter().copied().for_each(one),
        Some(all) => all.iter().for_each(|after| one(After { op: after.op, by })),
    }
}
