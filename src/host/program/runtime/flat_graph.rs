//! Graphs in the order in which they are executed.

use crate::device::{GraphId, Work, WorkNode};
use std::collections::{BTreeSet, HashMap};

/// An executable graph.
#[derive(Debug)]
pub struct Exec {
    pub id: GraphId,
    pub flat: Flat,
    pub disabled: BTreeSet<usize>,
    pub flags: u64,
}

impl Exec {
    /// Returns the nodes as they are executed: disabled ones do nothing.
    pub fn effective(&self) -> Vec<WorkNode> {
        let mut nodes = self.flat.nodes.clone();
        for &n in &self.disabled {
            nodes[n].work = Work::Empty;
        }
        nodes
    }
}

/// A graph in topological order, with its child graphs inlined.
#[derive(Debug, Default)]
pub struct Flat {
    pub nodes: Vec<WorkNode>,
    pub kinds: Vec<i32>,
    pub handles: Vec<u64>,
    /// Index in `nodes` of each node of the original graph, by the node's handle.
    pub index: HashMap<u64, usize>,
}

impl Flat {
    pub fn push(&mut self, handle: u64, kind: i32, node: WorkNode) -> usize {
        self.nodes.push(node);
        self.kinds.push(kind);
        self.handles.push(handle);
        self.index.insert(handle, self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}
