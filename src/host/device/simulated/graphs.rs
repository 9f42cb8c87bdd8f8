//! Graphs that were made ready.

use super::Simulated;
use super::queue::{Op, OpId};
use crate::device::{Failure, GraphId, Host, Site, StreamId, Work, WorkNode};

/// A graph that was made ready.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<WorkNode>,
    /// For each node, its branch: nodes of one branch come one after the other.
    branch: Vec<usize>,
    /// The chain of each branch.
    chains: Vec<u32>,
    /// The end of the last launch: a graph does not run beside itself.
    last: Option<OpId>,
}

/// Divides nodes into branches: a node goes on with the branch of one of those before it, unless
/// another did so already.
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
        let chains = (0..count).map(|_| self.chains.begin(&self.known)).collect();
        self.graphs_made += 1;
        let id = GraphId(self.graphs_made);
        self.graphs.insert(id, Graph { nodes: nodes.to_vec(), branch, chains, last: None });
        id
    }

    pub(super) fn change_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Option<()> {
        let (branch, count) = branches(nodes);
        let mut chains = std::mem::take(&mut self.graphs.get_mut(&graph)?.chains);
        while chains.len() < count {
            chains.push(self.chains.begin(&self.known));
        }
        let its = self.graphs.get_mut(&graph)?;
        (its.nodes, its.branch, its.chains) = (nodes.to_vec(), branch, chains);
        Some(())
    }

    pub(super) fn drop_graph(&mut self, graph: GraphId) -> Option<()> {
        let its = self.graphs.remove(&graph)?;
        its.chains.into_iter().for_each(|chain| self.chains.end(chain));
        self.orphans.extend(its.last.map(|op| (None, op)));
        Some(())
    }

    /// Nodes of a graph.
    pub(super) fn graph_nodes(&self, graph: GraphId) -> Option<usize> {
        Some(self.graphs.get(&graph)?.nodes.len())
    }

    /// Ends of graphs' launches that later work refers to.
    pub(super) fn graph_ends(&self) -> impl Iterator<Item = OpId> + '_ {
        self.graphs.values().filter_map(|g| g.last)
    }

    pub(super) fn start_graph(
        &mut self,
        graph: GraphId,
        stream: StreamId,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<(), Failure> {
        let Some(its) = self.graphs.get(&graph) else {
            return Err(crate::device::CudaError::InvalidResourceHandle.into());
        };
        let (nodes, branch, chains, last) =
            (its.nodes.clone(), its.branch.clone(), its.chains.clone(), its.last);
        let start = self.give(stream, Work::Empty, site, last.into_iter().collect(), false)?;
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
                after.extend(self.events.get(&event).and_then(|e| e.mark));
            }
            let op = Op {
                stream,
                device: node.device,
                chain: chains[branch[n]],
                work: node.work.clone(),
                by: self.party(stream, &node.site, &node.work, true),
                site: node.site.clone(),
                after,
                known: self.known.clone(),
                staged: None,
                given_ns: self.pace.now_ns(),
                in_graph: true,
            };
            let id = self.push(op);
            if let Work::Record(event) = node.work
                && let Some(event) = self.events.get_mut(&event)
            {
                event.mark = Some(id);
            }
            ids.push(id);
        }
        let ends = ids.iter().zip(&leaf).filter(|(_, leaf)| **leaf).map(|(&id, _)| id).collect();
        let end = self.give(stream, Work::Empty, site, ends, true)?;
        if let Some(its) = self.graphs.get_mut(&graph) {
            its.last = Some(end);
        }
        self.advance(host)
    }
}
