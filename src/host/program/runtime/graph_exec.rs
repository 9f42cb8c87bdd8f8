//! Executable graphs: instantiated, updated and launched.

use super::findings::side;
use super::flat_graph::{Exec, Flat};
use super::graph::{DEEPEST, Graphs, MAX_NODES, NodeAction, kind};
use crate::device::{CudaError, Failure, Result, Site, Work, WorkNode, fail_if};
use crate::program::call::{Call, calls};
use sim::{Act, FindingKind, GoneMemory, HostBlock, HostBlockKind};
use std::collections::{BTreeSet, HashMap};

/// `enum cudaGraphExecUpdateResult`
const UPDATE_SUCCESS: i32 = 0;
const UPDATE_TOPOLOGY: i32 = 2;
const UPDATE_TYPE: i32 = 3;

impl Graphs {
    /// Appends a graph's nodes, with its root nodes after `before`; returns the indices of its leaves, on
    /// which no other node depends.
    fn flatten(&self, graph: u64, before: &[usize], depth: u32, flat: &mut Flat) -> Result<Vec<usize>> {
        let its = self.made.get(graph).ok_or(CudaError::InvalidValue)?;
        fail_if(depth > DEEPEST || flat.nodes.len() + its.nodes.len() > MAX_NODES, CudaError::InvalidValue)?;
        let position: HashMap<u64, usize> = its.nodes.iter().enumerate().map(|(n, &h)| (h, n)).collect();
        let mut waits: Vec<usize> = Vec::new();
        let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); its.nodes.len()];
        for (n, &handle) in its.nodes.iter().enumerate() {
            let after = self.after(handle);
            waits.push(after.len());
            for a in after {
                dependents[*position.get(&a).ok_or(CudaError::InvalidValue)?].push(n);
            }
        }
        let mut ready: BTreeSet<usize> = (0..waits.len()).filter(|&n| waits[n] == 0).collect();
        let mut leaves = Vec::new();
        let mut done = 0;
        while let Some(n) = ready.pop_first() {
            done += 1;
            let handle = its.nodes[n];
            let node = self.nodes.get(&handle).ok_or(CudaError::InvalidValue)?;
            let mut after: Vec<usize> =
                node.after.iter().filter_map(|a| flat.index.get(a).copied()).collect();
            if after.is_empty() {
                after = before.to_vec();
            }
            let (device, site) = (node.device, node.site.clone());
            let work = match &node.what {
                NodeAction::Work(work) => work.clone(),
                NodeAction::Child(child) => {
                    let ends = self.flatten(*child, &after, depth + 1, flat)?;
                    if !ends.is_empty() {
                        after = ends;
                    }
                    Work::Empty
                }
            };
            let at = flat.push(handle, node.kind, WorkNode { work, device, after, site });
            if dependents[n].is_empty() {
                leaves.push(at);
            }
            for &d in &dependents[n] {
                waits[d] -= 1;
                if waits[d] == 0 {
                    ready.insert(d);
                }
            }
        }
        // Nodes that are left form a cycle.
        if done < its.nodes.len() { Err(CudaError::InvalidValue.into()) } else { Ok(leaves) }
    }
}

/// Returns the addresses that work of the runtime itself accesses, and whether each is written. The memory
/// that kernels and libraries use is checked when they run.
fn memory_of(work: &Work) -> [Option<(u64, bool)>; 2] {
    match work {
        Work::Copy(copy) => [Some((copy.src.0, false)), Some((copy.dst.0, true))],
        Work::Set(set) => [Some((set.dst.0, true)), None],
        Work::Prefetch { address, .. } => [Some((address.0, false)), None],
        _ => [None, None],
    }
}

impl Call<'_> {
    fn flat(&mut self, graph: u64) -> Result<Flat> {
        self.graph(graph)?;
        let mut flat = Flat::default();
        self.runtime.graphs.flatten(graph, &[], 0, &mut flat)?;
        Ok(flat)
    }

    fn instantiate(&mut self, exec: u64, graph: u64, flags: u64) -> Result<()> {
        fail_if(exec == 0, CudaError::InvalidValue)?;
        self.context();
        let flat = self.flat(graph)?;
        let id = self.gpus.instantiate(&flat.nodes)?;
        let made = Exec { id, flat, disabled: BTreeSet::new(), flags };
        let handle = self.make_object(|runtime| &mut runtime.graphs.execs, made);
        self.put(exec, handle)
    }

    fn exec(&mut self, handle: u64) -> Result<&mut Exec> {
        let found = self.live(|runtime| &mut runtime.graphs.execs, handle);
        found.map_err(|_| CudaError::InvalidValue.into())
    }

    /// Returns the index of a node of the original graph.
    fn node_index(&mut self, exec: u64, node: u64) -> Result<usize> {
        self.exec(exec)?.flat.index.get(&node).copied().ok_or(CudaError::InvalidValue.into())
    }

    fn renew(&mut self, exec: u64) -> Result<()> {
        let its = self.exec(exec)?;
        let (id, nodes) = (its.id, its.effective());
        self.gpus.update_graph(id, &nodes)
    }

    /// Checks that all memory of the nodes still exists.
    fn check_memory(&mut self, exec: u64) -> Result<()> {
        let its = self.runtime.graphs.execs.get(exec).ok_or(CudaError::InvalidValue)?;
        let on = its
            .flat
            .nodes
            .iter()
            .enumerate()
            .filter(|(n, _)| !its.disabled.contains(n))
            .map(|(_, node)| node);
        let gone = |address: u64| match self.runtime.allocations.around(address) {
            Some(found) => found.freed.is_some(),
            None => {
                let is_freed = |block: HostBlock| block.kind == HostBlockKind::Freed;
                self.thread.is_dead_local(address) || self.thread.block(address).is_some_and(is_freed)
            }
        };
        let mut uses =
            on.flat_map(|node| memory_of(&node.work).into_iter().flatten().map(move |u| (node, u)));
        let Some((node, (address, writes))) = uses.find(|(_, (address, _))| gone(*address)) else {
            return Ok(());
        };
        let (node, line) = (node.site.what.clone(), node.site.location.as_ref().map(|at| at.line));
        let found = self.runtime.allocations.around(address).cloned();
        let (memory, kind) = match &found {
            Some(found) => (GoneMemory::Freed(found.name.clone()), FindingKind::UseAfterFree),
            None if self.thread.is_dead_local(address) => (GoneMemory::Local, FindingKind::HostDeadLocal),
            None => (GoneMemory::FreedByHost, FindingKind::UseAfterFree),
        };
        let act = Act::NodeAccesses { node, line, writes, memory };
        let site = self.site.clone();
        match found {
            Some(found) => self.runtime.used_after_free(&found, act, &site),
            None => {
                let at = side(act, &site.location);
                self.runtime.find(kind, at, None, Vec::new());
            }
        }
        Err(CudaError::InvalidValue.into())
    }

    /// Replaces the work of a node by other work of the same kind.
    ///
    /// # Errors
    ///
    /// CUDA's error, if there is no such graph or node, if its kind is another one, or if the GPU refuses the change.
    pub fn exchange(&mut self, exec: u64, node: u64, kind: i32, work: Work) -> Result<()> {
        let at = self.node_index(exec, node)?;
        let what = std::mem::take(&mut self.site.what);
        let its = &mut self.exec(exec)?.flat;
        fail_if(its.kinds[at] != kind, CudaError::InvalidValue)?;
        its.nodes[at].work = work;
        if kind == kind::KERNEL {
            its.nodes[at].site = Site { what, location: its.nodes[at].site.location.clone() };
        }
        self.renew(exec)
    }
}

calls! {
    /// Instantiates a graph.
    fn cudaGraphInstantiate, cudaGraphInstantiateWithFlags(call, exec: u64, graph: u64, flags: u64) {
        call.instantiate(exec, graph, flags)
    }

    /// As cudaGraphInstantiate, with parameters and result in a structure.
    fn cudaGraphInstantiateWithParams(call, exec: u64, graph: u64, parameters: u64) {
        // cudaGraphInstantiateParams: flags, stream for the upload, the node that failed, result.
        let flags: u64 = call.get(parameters)?;
        call.put(parameters.wrapping_add(16), 0u64)?;
        call.put(parameters.wrapping_add(24), 0i32)?;
        call.instantiate(exec, graph, flags)
    }

    /// Returns the flags that a graph was instantiated with.
    fn cudaGraphExecGetFlags(call, exec: u64, flags: u64) {
        let its = call.exec(exec)?.flags;
        call.put(flags, its)
    }

    /// Launches an executable graph in a stream.
    fn cudaGraphLaunch(call, exec: u64, stream: u64) {
        let id = call.exec(exec)?.id;
        let stream = call.known_stream(stream)?;
        if call.captured(&stream, &Work::Empty)? {
            return Err(Failure::unsupported("a graph launched in a captured stream"));
        }
        call.check_memory(exec)?;
        call.count_enqueued()?;
        call.ask(|gpus, site, host| gpus.enqueue(stream.id, Work::Graph(id), site, host))
    }

    /// Uploads an executable graph to the GPU, which does nothing here.
    fn cudaGraphUpload(call, exec: u64, stream: u64) {
        call.exec(exec)?;
        call.stream(stream).map(|_| ())
    }

    /// Destroys an executable graph.
    fn cudaGraphExecDestroy(call, exec: u64) {
        let id = call.exec(exec)?.id;
        call.runtime.graphs.execs.destroy(exec, &call.site);
        call.gpus.destroy_graph(id)
    }

    /// Updates an executable graph with the parameters of a graph of the same topology.
    fn cudaGraphExecUpdate(call, exec: u64, graph: u64, result: u64) {
        let flat = call.flat(graph)?;
        let its = &mut call.exec(exec)?.flat;
        let shape = |nodes: &[WorkNode]| nodes.iter().map(|n| n.after.clone()).collect::<Vec<_>>();
        let (said, culprit) = if shape(&its.nodes) != shape(&flat.nodes) {
            (UPDATE_TOPOLOGY, 0)
        } else if let Some(n) = (0..flat.kinds.len()).find(|&n| flat.kinds[n] != its.kinds[n]) {
            (UPDATE_TYPE, flat.handles[n])
        } else {
            its.nodes = flat.nodes;
            (UPDATE_SUCCESS, 0)
        };
        if result != 0 {
            // cudaGraphExecUpdateResultInfo: the result, the node that caused an error, and the source of the
            // edge that did.
            call.put(result, said)?;
            call.put(result.wrapping_add(8), culprit)?;
            call.put(result.wrapping_add(16), 0u64)?;
        }
        if said == UPDATE_SUCCESS { call.renew(exec) } else { Err(CudaError::GraphExecUpdateFailure.into()) }
    }

    /// Disables or enables a node.
    fn cudaGraphNodeSetEnabled(call, exec: u64, node: u64, on: u32) {
        let at = call.node_index(exec, node)?;
        let its = call.exec(exec)?;
        fail_if(![kind::KERNEL, kind::COPY, kind::SET].contains(&its.flat.kinds[at]), CudaError::InvalidValue)?;
        if on == 0 {
            its.disabled.insert(at);
        } else {
            its.disabled.remove(&at);
        }
        call.renew(exec)
    }

    /// Returns whether a node is enabled.
    fn cudaGraphNodeGetEnabled(call, exec: u64, node: u64, on: u64) {
        let at = call.node_index(exec, node)?;
        let its = u32::from(!call.exec(exec)?.disabled.contains(&at));
        call.put(on, its)
    }
}
