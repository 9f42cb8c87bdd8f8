//! Graphs, built node by node or by stream capture.

use super::capture::Captures;
use super::flat_graph::Exec;
use super::handles::Handles;
use crate::device::{CudaError, DeviceId, Failure, Result, Site, Work, fail_if};
use crate::program::call::{Call, calls};
use sim::HandleKind;
use std::collections::{BTreeMap, HashMap};

/// Handles are addresses at which no memory is.
const FIRST_GRAPH: u64 = 0x3300_0000_0000;
const FIRST_NODE: u64 = 0x3400_0000_0000;
const FIRST_EXEC: u64 = 0x3500_0000_0000;
const NODE_STEP: u64 = 0x40;
/// Most nodes of a program, and of one graph with its child graphs.
pub const MAX_NODES: usize = 1 << 20;
/// Deepest nesting of child graphs.
pub const DEEPEST: u32 = 32;

/// `enum cudaGraphNodeType`
pub mod kind {
    pub const KERNEL: i32 = 0;
    pub const COPY: i32 = 1;
    pub const SET: i32 = 2;
    pub const HOST: i32 = 3;
    pub const CHILD: i32 = 4;
    pub const EMPTY: i32 = 5;
    pub const WAIT: i32 = 6;
    pub const RECORD: i32 = 7;
}

/// The work that a node does.
#[allow(clippy::large_enum_variant)] // Nearly all nodes are work.
#[derive(Clone, Debug)]
pub enum NodeAction {
    Work(Work),
    /// A child graph, by its handle.
    Child(u64),
}

/// A node of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    pub graph: u64,
    /// The node type, a constant of [`kind`].
    pub kind: i32,
    pub what: NodeAction,
    /// Handles of the nodes that it depends on.
    pub after: Vec<u64>,
    pub device: DeviceId,
    pub site: Site,
    /// Handle of the node that it was cloned from; its own handle if it was not.
    original: u64,
}

/// A graph: the handles of its nodes in order of creation.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<u64>,
}

/// The graphs by handle, and the captures in progress.
#[derive(Debug)]
pub struct Graphs {
    pub made: Handles<Graph>,
    pub nodes: BTreeMap<u64, Node>,
    nodes_made: u64,
    pub execs: Handles<Exec>,
    pub captures: Captures,
}

impl Default for Graphs {
    fn default() -> Graphs {
        Graphs {
            made: Handles::new(HandleKind::Graph, FIRST_GRAPH),
            nodes: BTreeMap::new(),
            nodes_made: 0,
            execs: Handles::new(HandleKind::ExecutableGraph, FIRST_EXEC),
            captures: Captures::default(),
        }
    }
}

impl Graphs {
    /// Creates an empty graph and returns its handle.
    pub fn make(&mut self) -> u64 {
        self.made.add(Graph::default())
    }

    /// Returns the nodes that a node depends on.
    pub fn after(&self, node: u64) -> Vec<u64> {
        self.nodes.get(&node).map_or(Vec::new(), |n| n.after.clone())
    }

    fn add(&mut self, mut node: Node) -> Result<u64> {
        fail_if(self.nodes.len() >= MAX_NODES, CudaError::MemoryAllocation)?;
        let handle = FIRST_NODE + self.nodes_made * NODE_STEP;
        self.nodes_made += 1;
        if node.original == 0 {
            node.original = handle;
        }
        let graph = self.made.get_mut(node.graph).ok_or(CudaError::InvalidValue)?;
        graph.nodes.push(handle);
        self.nodes.insert(handle, node);
        Ok(handle)
    }

    /// Clones a graph, with clones of its child graphs, and returns the handle of the clone.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: there is no such graph, or its child graphs are nested too deeply.
    /// `cudaErrorMemoryAllocation`: there would be too many nodes.
    pub fn copy(&mut self, graph: u64, depth: u32) -> Result<u64> {
        let nodes = self.made.get(graph).ok_or(CudaError::InvalidValue)?.nodes.clone();
        fail_if(depth > DEEPEST, CudaError::InvalidValue)?;
        let copy = self.make();
        let mut new = HashMap::new();
        for &handle in &nodes {
            let Some(node) = self.nodes.get(&handle).cloned() else { continue };
            let what = match node.what {
                NodeAction::Child(child) => NodeAction::Child(self.copy(child, depth + 1)?),
                work => work,
            };
            new.insert(
                handle,
                self.add(Node { graph: copy, what, original: handle, after: Vec::new(), ..node })?,
            );
        }
        for (old, new_handle) in &new {
            let after = self.after(*old).iter().filter_map(|a| new.get(a).copied()).collect();
            if let Some(node) = self.nodes.get_mut(new_handle) {
                node.after = after;
            }
        }
        Ok(copy)
    }

    fn forget(&mut self, graph: &Graph) {
        for handle in &graph.nodes {
            self.nodes.remove(handle);
        }
    }
}

/// Returns the node type that represents a kind of work.
fn kind_of(work: &Work) -> i32 {
    match work {
        Work::Launch(_) | Work::Library(_) => kind::KERNEL,
        Work::Copy(_) | Work::Prefetch { .. } => kind::COPY,
        Work::Set(_) => kind::SET,
        Work::HostFunction { .. } => kind::HOST,
        Work::Wait(_) => kind::WAIT,
        Work::Record(_) => kind::RECORD,
        _ => kind::EMPTY,
    }
}

impl Call<'_> {
    /// Returns the graph of a handle.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: there is no such graph.
    pub fn graph(&mut self, handle: u64) -> Result<&mut Graph> {
        let found = self.live(|runtime| &mut runtime.graphs.made, handle);
        found.map_err(|_| CudaError::InvalidValue.into())
    }

    /// Returns the node of a handle.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: there is no such node.
    pub fn node(&self, handle: u64) -> Result<&Node> {
        self.runtime.graphs.nodes.get(&handle).ok_or(CudaError::InvalidValue.into())
    }

    /// Reads a list of node handles from the program's memory.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: there are too many, or one is no node. Otherwise as for [`Call::get`].
    pub fn node_list(&mut self, pointer: u64, count: u64) -> Result<Vec<u64>> {
        fail_if(count > MAX_NODES as u64, CudaError::InvalidValue)?;
        let mut nodes = Vec::new();
        for n in 0..count {
            let node: u64 = self.get(pointer.wrapping_add(n * 8))?;
            self.node(node)?;
            nodes.push(node);
        }
        Ok(nodes)
    }

    /// Adds a node for work that depends on the nodes `after`.
    ///
    /// # Errors
    ///
    /// As for [`Call::add_node`].
    pub fn add_work(&mut self, graph: u64, work: Work, after: Vec<u64>, device: DeviceId) -> Result<u64> {
        let kind = kind_of(&work);
        self.add_node(graph, kind, NodeAction::Work(work), after, device)
    }

    /// Adds a node that depends on the nodes `after`; `kind` is its `cudaGraphNodeType`.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: there is no such graph, or a node of `after` is not in it. `cudaErrorMemoryAllocation`:
    /// there would be too many nodes.
    pub fn add_node(
        &mut self,
        graph: u64,
        kind: i32,
        what: NodeAction,
        mut after: Vec<u64>,
        device: DeviceId,
    ) -> Result<u64> {
        self.graph(graph)?;
        after.sort_unstable();
        after.dedup();
        fail_if(
            after.iter().any(|&a| self.node(a).map_or(true, |n| n.graph != graph)),
            CudaError::InvalidValue,
        )?;
        let site = self.site.clone();
        self.runtime.graphs.add(Node { graph, kind, what, after, device, site, original: 0 })
    }

    /// Writes lists to the program's memory, as far as there is room there and with zeros beyond their end.
    /// If no room is given at all, only their length is written.
    fn put_list(&mut self, lists: &[(u64, Vec<u64>)], count: u64) -> Result<()> {
        let length = lists.first().map_or(0, |(_, list)| list.len() as u64);
        if lists.iter().all(|(pointer, _)| *pointer == 0) {
            return self.put(count, length);
        }
        let room: u64 = self.get(count)?;
        for (pointer, list) in lists {
            if *pointer == 0 {
                continue;
            }
            for n in 0..room.min(MAX_NODES as u64) {
                let value = list.get(n as usize).copied().unwrap_or(0);
                self.put(pointer.wrapping_add(n * 8), value)?;
            }
        }
        self.put(count, length.min(room))
    }

    fn edges(&mut self, graph: u64) -> Result<(Vec<u64>, Vec<u64>)> {
        let nodes = self.graph(graph)?.nodes.clone();
        let edges = nodes
            .iter()
            .flat_map(|&to| self.runtime.graphs.after(to).into_iter().map(move |from| (from, to)));
        Ok(edges.unzip())
    }

    fn change_edges(&mut self, graph: u64, from: u64, to: u64, count: u64, add: bool) -> Result<()> {
        self.graph(graph)?;
        let (from, to) = (self.node_list(from, count)?, self.node_list(to, count)?);
        for (from, to) in from.into_iter().zip(to) {
            fail_if(
                self.node(from)?.graph != graph || self.node(to)?.graph != graph || from == to,
                CudaError::InvalidValue,
            )?;
            let Some(node) = self.runtime.graphs.nodes.get_mut(&to) else { continue };
            let known = node.after.contains(&from);
            fail_if(known == add, CudaError::InvalidValue)?;
            if add {
                node.after.push(from);
            } else {
                node.after.retain(|&a| a != from);
            }
        }
        Ok(())
    }

    fn dependents(&mut self, node: u64) -> Result<Vec<u64>> {
        let graph = self.node(node)?.graph;
        let (from, to) = self.edges(graph)?;
        Ok(from.into_iter().zip(to).filter(|(from, _)| *from == node).map(|(_, to)| to).collect())
    }
}

calls! {
    /// Creates an empty graph.
    fn cudaGraphCreate(call, graph: u64, flags: u32) {
        fail_if(graph == 0 || flags != 0, CudaError::InvalidValue)?;
        let handle = call.make_object(|runtime| &mut runtime.graphs.made, Graph::default());
        call.put(graph, handle)
    }

    /// Destroys a graph; executable graphs made from it remain.
    fn cudaGraphDestroy(call, graph: u64) {
        call.graph(graph)?;
        if let Some(gone) = call.runtime.graphs.made.destroy(graph, &call.site) {
            call.runtime.graphs.forget(&gone);
        }
        Ok(())
    }

    /// Removes a node from its graph.
    fn cudaGraphDestroyNode(call, node: u64) {
        let graph = call.node(node)?.graph;
        call.runtime.graphs.nodes.remove(&node);
        let nodes = match call.runtime.graphs.made.get_mut(graph) {
            Some(its) => {
                its.nodes.retain(|&n| n != node);
                its.nodes.clone()
            }
            None => Vec::new(),
        };
        for other in nodes {
            if let Some(other) = call.runtime.graphs.nodes.get_mut(&other) {
                other.after.retain(|&a| a != node);
            }
        }
        Ok(())
    }

    /// Clones a graph.
    fn cudaGraphClone(call, clone: u64, graph: u64) {
        call.graph(graph)?;
        let (copy, name) = (call.runtime.graphs.copy(graph, 0)?, call.named(0));
        call.runtime.graphs.made.own(copy, &call.site, name);
        call.put(clone, copy)
    }

    /// Returns the node of a clone that corresponds to a node of the original.
    fn cudaGraphNodeFindInClone(call, found: u64, node: u64, clone: u64) {
        let nodes = call.graph(clone)?.nodes.clone();
        let its = nodes.into_iter().find(|&n| call.node(n).is_ok_and(|its| its.original == node));
        call.put(found, its.ok_or(CudaError::InvalidValue)?)
    }

    /// Returns the type of a node.
    fn cudaGraphNodeGetType(call, node: u64, kind: u64) {
        let its = call.node(node)?.kind;
        call.put(kind, its)
    }

    /// Returns all nodes of a graph.
    fn cudaGraphGetNodes(call, graph: u64, nodes: u64, count: u64) {
        let list = call.graph(graph)?.nodes.clone();
        call.put_list(&[(nodes, list)], count)
    }

    /// Returns the nodes of a graph that depend on no other.
    fn cudaGraphGetRootNodes(call, graph: u64, nodes: u64, count: u64) {
        let mut list = call.graph(graph)?.nodes.clone();
        list.retain(|&n| call.runtime.graphs.after(n).is_empty());
        call.put_list(&[(nodes, list)], count)
    }

    /// Returns all edges of a graph.
    fn cudaGraphGetEdges(call, graph: u64, from: u64, to: u64, count: u64) {
        let (sources, targets) = call.edges(graph)?;
        call.put_list(&[(from, sources), (to, targets)], count)
    }

    /// Returns the nodes that a node depends on.
    fn cudaGraphNodeGetDependencies(call, node: u64, nodes: u64, count: u64) {
        let list = call.node(node)?.after.clone();
        call.put_list(&[(nodes, list)], count)
    }

    /// Returns the nodes that depend on a node.
    fn cudaGraphNodeGetDependentNodes(call, node: u64, nodes: u64, count: u64) {
        let list = call.dependents(node)?;
        call.put_list(&[(nodes, list)], count)
    }

    /// Adds edges between pairs of nodes.
    fn cudaGraphAddDependencies(call, graph: u64, from: u64, to: u64, count: u64) {
        call.change_edges(graph, from, to, count, true)
    }

    /// Removes edges between pairs of nodes.
    fn cudaGraphRemoveDependencies(call, graph: u64, from: u64, to: u64, count: u64) {
        call.change_edges(graph, from, to, count, false)
    }

    /// Returns the child graph of a node.
    fn cudaGraphChildGraphNodeGetGraph(call, node: u64, graph: u64) {
        let NodeAction::Child(child) = call.node(node)?.what else { return Err(CudaError::InvalidValue.into()) };
        call.put(graph, child)
    }

    /// Would write a file, which programs cannot do here.
    fn cudaGraphDebugDotPrint(call, graph: u64, _path: u64, _flags: u32) {
        call.graph(graph)?;
        Err(Failure::unsupported("cudaGraphDebugDotPrint: programs can't write files here"))
    }
}
