//! Instantiated graphs.

use super::Simulated;
use super::queue::OpId;
use crate::device::{CudaError, GraphId, Host, Result, Site, StreamId, Work, WorkNode};
use std::collections::HashMap;

/// An instantiated graph.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<WorkNode>,
    /// The branch of each node; the nodes of a branch are in sequence.
    branch: Vec<usize>,
    /// The happens-before chain of each branch.
    chains: Vec<u32>,
    /// The end of the most recent launch: launches of one graph do not overlap.
    last: Option<OpId>,
}

#[derive(Debug, Default)]
pub(super) struct Graphs {
    all: HashMap<GraphId, Graph>,
    made: u32,
}

impl Graphs {
    fn get(&self, id: GraphId) -> Result<&Graph, CudaError> {
        self.all.get(&id).ok_or(CudaError::InvalidResourceHandle)
    }

    /// Returns the ends of the most recent launches, which later work refers to.
    pub fn ends(&self) -> impl Iterator<Item = OpId> + '_ {
        self.all.values().filter_map(|g| g.last)
    }
}

/// Divides nodes into branches, and returns each node's branch and their number: a node continues the branch
/// of one of its predecessors, unless another node already does.
fn branches(nodes: &[WorkNode]) -> (Vec<usize>, usize) {
    let mut of = Vec::new();
    let mut taken = vec![false; nodes.len()];
    let mut count = 0;
    for node in nodes {
        let free = node.after.iter().copied().find(|&a| a < of.len() && !taken[a]);
        of.push(match free {
            Some(before) => {
                taken[before] = true;
                of[before]
            }
            None => {
                count += 1;
                count - 1
            }
        });
    }
    (of, count)
}

impl Simulated {
    pub(super) fn make_graph(&mut self, nodes: &[WorkNode]) -> GraphId {
        let (branch, count) = branches(nodes);
        let chains = (0..count).map(|_| self.chains.begin(&self.host.known)).collect();
        self.graphs.made += 1;
        let id = GraphId(self.graphs.made);
        self.graphs.all.insert(id, Graph { nodes: nodes.to_vec(), branch, chains, last: None });
        id
    }

    pub(super) fn change_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<(), CudaError> {
        let (branch, count) = branches(nodes);
        let its = self.graphs.all.get_mut(&graph).ok_or(CudaError::InvalidResourceHandle)?;
        while its.chains.len() < count {
            its.chains.push(self.chains.begin(&self.host.known));
        }
        (its.nodes, its.branch) = (nodes.to_vec(), branch);
        Ok(())
    }

    pub(super) fn drop_graph(&mut self, graph: GraphId) -> Result<(), CudaError> {
        let its = self.graphs.all.remove(&graph).ok_or(CudaError::InvalidResourceHandle)?;
        its.chains.into_iter().for_each(|chain| self.chains.end(chain));
        self.streams.keep_last_of_graph(its.last);
        Ok(())
    }

    /// Returns the number of nodes of a graph.
    pub(super) fn graph_nodes(&self, graph: GraphId) -> usize {
        self.graphs.get(graph).map_or(0, |its| its.nodes.len())
    }

    pub(super) fn start_graph(
        &mut self,
        graph: GraphId,
        stream: StreamId,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<()> {
        let its = self.graphs.get(graph)?;
        let (nodes, branch, chains, last) =
            (its.nodes.clone(), its.branch.clone(), its.chains.clone(), its.last);
        let start = self.push_in_stream(stream, Work::Empty, site, last.into_iter().collect(), false)?;
        let mut ids: Vec<OpId> = Vec::new();
        let mut leaf = vec![true; nodes.len()];
        for (n, node) in nodes.iter().enumerate() {
            let mut after: Vec<OpId> = Vec::new();
            for &a in &node.after {
                if let (Some(&id), Some(leaf)) = (ids.get(a), leaf.get_mut(a)) {
                    after.push(id);
                    *leaf = false;
                }
            }
            if after.is_empty() {
                after.push(start);
            }
            if let Work::Wait(event) = node.work {
                after.extend(self.events.get(event).ok().and_then(|e| e.mark));
            }
            let place = (stream, node.device, chains[branch[n]]);
            let id = self.push(self.op(place, node.work.clone(), &node.site, after, true));
            if let Work::Record(event) = node.work {
                self.events.record(event, id);
            }
            ids.push(id);
        }
        let ends = ids.iter().zip(&leaf).filter(|(_, leaf)| **leaf).map(|(&id, _)| id).collect();
        let end = self.push_in_stream(stream, Work::Empty, site, ends, true)?;
        if let Some(its) = self.graphs.all.get_mut(&graph) {
            its.last = Some(end);
        }
        self.advance(host)
    }
}
