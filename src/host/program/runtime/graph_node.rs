//! Nodes of explicitly built graphs, and their parameters.

use super::copy::{CopyCall, Direction};
use super::graph::{NodeAction, kind};
use super::symbol::SymbolCopy;
use crate::device::{CopyShape, CudaError, Failure, Launch, Result, Set, Work, fail_if};
use crate::program::call::{Call, calls, long, word};
use sim::{Address, Dim3, LaunchConfig};

/// `struct cudaKernelNodeParams`: function, grid, block, shared bytes, pointers to parameters.
const KERNEL_BYTES: usize = 56;
/// `struct cudaMemsetParams`: destination, pitch, value, bytes of an element, width, height.
const SET_BYTES: usize = 40;
/// `struct cudaGraphNodeParams`: the offsets of the parameters after the node type; those of a copy come
/// after flags.
const ANY_PARAMETERS: u64 = 16;
const ANY_COPY: u64 = 32;

impl Call<'_> {
    /// Returns the launch described by a node's parameters.
    pub fn kernel_work(&mut self, parameters: u64) -> Result<Work> {
        let bytes = self.structure(parameters, KERNEL_BYTES)?;
        let (word, long) = (|at| word(&bytes, at), |at| long(&bytes, at));
        let kernel = long(0);
        self.site.what = self.launch_of(kernel);
        let config = LaunchConfig {
            grid: Dim3::new(word(8), word(12), word(16)),
            block: Dim3::new(word(20), word(24), word(28)),
            dynamic_shared_bytes: word(32),
        };
        let params = self.read_arguments(kernel, long(40))?;
        self.check_configuration(kernel, &config, false, None)?;
        let launch = self.plain_launch(kernel, config, params)?;
        Ok(Work::Launch(Launch { large_clusters: false, ..launch }))
    }

    fn copy_work(&mut self, asked: &CopyCall) -> Result<Work> {
        Ok(self.checked_copy(asked)?.map_or(Work::Empty, Work::Copy))
    }

    pub fn copy_3d_work(&mut self, parameters: u64) -> Result<Work> {
        let asked = self.copy_3d(parameters, false, Some(0))?;
        self.copy_work(&asked)
    }

    pub fn copy_1d_work(&mut self, dst: u64, src: u64, bytes: u64, kind: i32) -> Result<Work> {
        let (direction, shape) = (Direction::numbered(kind)?, CopyShape::linear(bytes));
        let arguments = [usize::MAX; 2];
        self.copy_work(&CopyCall { dst, src, shape, direction, arguments, stream: Some(0) })
    }

    pub fn symbol_work(&mut self, copy: SymbolCopy) -> Result<Work> {
        let (dst, src) = self.sides_of(&copy)?;
        self.copy_1d_work(dst, src, copy.bytes, copy.kind)
    }

    pub fn set_work(&mut self, parameters: u64) -> Result<Work> {
        let bytes = self.structure(parameters, SET_BYTES)?;
        let (word, long) = (|at| word(&bytes, at), |at| long(&bytes, at));
        let (element_bytes, width, height) = (word(20), long(24), long(32));
        fail_if(![1, 2, 4].contains(&element_bytes) || long(0) == 0, CudaError::InvalidValue)?;
        let set =
            Set { dst: Address(long(0)), value: word(16), element_bytes, width, height, pitch: long(8) };
        let row = set.row_bytes().ok_or(CudaError::InvalidValue)?;
        let set = Set { pitch: if height == 1 { row } else { set.pitch }, ..set };
        // The pointer is in a structure, so the source does not name it at the call.
        Ok(self.checked_set(set, usize::MAX)?.map_or(Work::Empty, Work::Set))
    }

    pub fn host_work(&mut self, parameters: u64) -> Result<Work> {
        let (function, argument) = (self.get(parameters)?, self.get(parameters.wrapping_add(8))?);
        fail_if(function == 0, CudaError::InvalidValue)?;
        let may_dangle = self.thread.is_inner_local(argument);
        Ok(Work::HostFunction { function, argument, may_dangle })
    }

    /// Returns the node type and the work described by `cudaGraphNodeParams`; the inner `Err` is the handle
    /// of a child graph.
    fn any_work(&mut self, parameters: u64) -> Result<Result<(i32, Work), u64>> {
        let what: i32 = self.get(parameters)?;
        let inner = parameters.wrapping_add(ANY_PARAMETERS);
        let work = match what {
            kind::KERNEL => self.kernel_work(inner)?,
            kind::COPY => self.copy_3d_work(parameters.wrapping_add(ANY_COPY))?,
            kind::SET => self.set_work(inner)?,
            kind::HOST => self.host_work(inner)?,
            kind::CHILD => return Ok(Err(self.get(inner)?)),
            kind::EMPTY => Work::Empty,
            kind::WAIT | kind::RECORD => {
                let event = self.get(inner)?;
                let id = self.event(event)?.id;
                if what == kind::WAIT { Work::Wait(id) } else { Work::Record(id) }
            }
            _ => return Err(Failure::unsupported(format!("a graph node of type {what}"))),
        };
        Ok(Ok((what, work)))
    }

    fn add(&mut self, node: u64, graph: u64, after: (u64, u64), kind: i32, what: NodeAction) -> Result<()> {
        let after = self.node_list(after.0, after.1)?;
        let handle = self.add_node(graph, kind, what, after, self.runtime.current)?;
        self.put(node, handle)
    }

    fn add_child(&mut self, node: u64, graph: u64, after: (u64, u64), child: u64) -> Result<()> {
        self.graph(child)?;
        let copy = self.runtime.graphs.copy(child, 1)?;
        self.add(node, graph, after, kind::CHILD, NodeAction::Child(copy))
    }

    fn set_node(&mut self, node: u64, kind: i32, work: Work) -> Result<()> {
        fail_if(self.node(node)?.kind != kind, CudaError::InvalidValue)?;
        let site = self.site.clone();
        if let Some(its) = self.runtime.graphs.nodes.get_mut(&node) {
            (its.what, its.site) = (NodeAction::Work(work), site);
        }
        Ok(())
    }
}

calls! {
    /// Adds a kernel node.
    fn cudaGraphAddKernelNode(call, node: u64, graph: u64, after: u64, count: u64, parameters: u64) {
        let work = call.kernel_work(parameters)?;
        call.add(node, graph, (after, count), kind::KERNEL, NodeAction::Work(work))
    }

    /// Adds a copy node.
    fn cudaGraphAddMemcpyNode(call, node: u64, graph: u64, after: u64, count: u64, parameters: u64) {
        let work = call.copy_3d_work(parameters)?;
        call.add(node, graph, (after, count), kind::COPY, NodeAction::Work(work))
    }

    /// Adds a node that copies contiguous bytes.
    fn cudaGraphAddMemcpyNode1D(
        call, node: u64, graph: u64, after: u64, count: u64, dst: u64, src: u64, bytes: u64, direction: i32
    ) {
        let work = call.copy_1d_work(dst, src, bytes, direction)?;
        call.add(node, graph, (after, count), kind::COPY, NodeAction::Work(work))
    }

    /// Adds a node that copies to a variable.
    fn cudaGraphAddMemcpyNodeToSymbol(
        call, node: u64, graph: u64, after: u64, count: u64, symbol: u64, src: u64, bytes: u64, offset: u64, direction: i32
    ) {
        let work = call.symbol_work(SymbolCopy { symbol, other: src, bytes, offset, kind: direction, to_symbol: true })?;
        call.add(node, graph, (after, count), kind::COPY, NodeAction::Work(work))
    }

    /// Adds a node that copies from a variable.
    fn cudaGraphAddMemcpyNodeFromSymbol(
        call, node: u64, graph: u64, after: u64, count: u64, dst: u64, symbol: u64, bytes: u64, offset: u64, direction: i32
    ) {
        let work = call.symbol_work(SymbolCopy { symbol, other: dst, bytes, offset, kind: direction, to_symbol: false })?;
        call.add(node, graph, (after, count), kind::COPY, NodeAction::Work(work))
    }

    /// Adds a memset node.
    fn cudaGraphAddMemsetNode(call, node: u64, graph: u64, after: u64, count: u64, parameters: u64) {
        let work = call.set_work(parameters)?;
        call.add(node, graph, (after, count), kind::SET, NodeAction::Work(work))
    }

    /// Adds a node that calls a host function.
    fn cudaGraphAddHostNode(call, node: u64, graph: u64, after: u64, count: u64, parameters: u64) {
        let work = call.host_work(parameters)?;
        call.add(node, graph, (after, count), kind::HOST, NodeAction::Work(work))
    }

    /// Adds a child graph node with a clone of a graph.
    fn cudaGraphAddChildGraphNode(call, node: u64, graph: u64, after: u64, count: u64, child: u64) {
        call.add_child(node, graph, (after, count), child)
    }

    /// Adds an empty node, which only orders others.
    fn cudaGraphAddEmptyNode(call, node: u64, graph: u64, after: u64, count: u64) {
        call.add(node, graph, (after, count), kind::EMPTY, NodeAction::Work(Work::Empty))
    }

    /// Adds a node that records an event.
    fn cudaGraphAddEventRecordNode(call, node: u64, graph: u64, after: u64, count: u64, event: u64) {
        let id = call.record_in_graph(event)?;
        call.add(node, graph, (after, count), kind::RECORD, NodeAction::Work(Work::Record(id)))
    }

    /// Adds a node that waits for an event.
    fn cudaGraphAddEventWaitNode(call, node: u64, graph: u64, after: u64, count: u64, event: u64) {
        let id = call.event(event)?.id;
        call.add(node, graph, (after, count), kind::WAIT, NodeAction::Work(Work::Wait(id)))
    }

    /// Adds a node of any type.
    fn cudaGraphAddNode(call, node: u64, graph: u64, after: u64, count: u64, parameters: u64) {
        match call.any_work(parameters)? {
            Ok((kind, work)) => call.add(node, graph, (after, count), kind, NodeAction::Work(work)),
            Err(child) => call.add_child(node, graph, (after, count), child),
        }
    }

    /// Adds a node of any type; edges have no data here.
    fn cudaGraphAddNode_v2(call, node: u64, graph: u64, after: u64, _edges: u64, count: u64, parameters: u64) {
        cudaGraphAddNode(call, node, graph, after, count, parameters)
    }

    /// Replaces the parameters of a node of any type except child graphs.
    fn cudaGraphNodeSetParams(call, node: u64, parameters: u64) {
        match call.any_work(parameters)? {
            Ok((kind, work)) => call.set_node(node, kind, work),
            Err(_) => Err(CudaError::InvalidValue.into()),
        }
    }

    /// Replaces the launch of a kernel node.
    fn cudaGraphKernelNodeSetParams(call, node: u64, parameters: u64) {
        let work = call.kernel_work(parameters)?;
        call.set_node(node, kind::KERNEL, work)
    }

    /// Returns the parameters of a kernel node.
    fn cudaGraphKernelNodeGetParams(call, node: u64, parameters: u64) {
        let NodeAction::Work(Work::Launch(launch)) = call.node(node)?.what.clone() else {
            return Err(CudaError::InvalidValue.into());
        };
        let info = call.kernel(launch.kernel)?.info.clone();
        let values = launch.params.len().next_multiple_of(8);
        let room = call.thread.allocate((values + info.params.len() * 8).max(8) as u64);
        let room = room.ok_or(CudaError::MemoryAllocation)?;
        call.store(room, &launch.params)?;
        let pointers = room + values as u64;
        for (n, &(_, offset)) in info.params.iter().enumerate() {
            call.put(pointers + n as u64 * 8, room + u64::from(offset))?;
        }
        let mut bytes = launch.kernel.to_le_bytes().to_vec();
        let LaunchConfig { grid, block, dynamic_shared_bytes } = launch.config;
        for word in [grid.x, grid.y, grid.z, block.x, block.y, block.z, dynamic_shared_bytes, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(pointers.to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        call.store(parameters, &bytes)
    }

    /// Replaces the copy of a node.
    fn cudaGraphMemcpyNodeSetParams(call, node: u64, parameters: u64) {
        let work = call.copy_3d_work(parameters)?;
        call.set_node(node, kind::COPY, work)
    }

    /// Replaces the copy of a node by a copy of contiguous bytes.
    fn cudaGraphMemcpyNodeSetParams1D(call, node: u64, dst: u64, src: u64, bytes: u64, direction: i32) {
        let work = call.copy_1d_work(dst, src, bytes, direction)?;
        call.set_node(node, kind::COPY, work)
    }

    /// Replaces the copy of a node by a copy to a variable.
    fn cudaGraphMemcpyNodeSetParamsToSymbol(call, node: u64, symbol: u64, src: u64, bytes: u64, offset: u64, direction: i32) {
        let work = call.symbol_work(SymbolCopy { symbol, other: src, bytes, offset, kind: direction, to_symbol: true })?;
        call.set_node(node, kind::COPY, work)
    }

    /// Replaces the copy of a node by a copy from a variable.
    fn cudaGraphMemcpyNodeSetParamsFromSymbol(call, node: u64, dst: u64, symbol: u64, bytes: u64, offset: u64, direction: i32) {
        let work = call.symbol_work(SymbolCopy { symbol, other: dst, bytes, offset, kind: direction, to_symbol: false })?;
        call.set_node(node, kind::COPY, work)
    }

    /// Replaces the parameters of a memset node.
    fn cudaGraphMemsetNodeSetParams(call, node: u64, parameters: u64) {
        let work = call.set_work(parameters)?;
        call.set_node(node, kind::SET, work)
    }

    /// Returns the parameters of a memset node.
    fn cudaGraphMemsetNodeGetParams(call, node: u64, parameters: u64) {
        let NodeAction::Work(Work::Set(set)) = call.node(node)?.what.clone() else {
            return Err(CudaError::InvalidValue.into());
        };
        let mut bytes = [set.dst.0.to_le_bytes(), set.pitch.to_le_bytes()].concat();
        bytes.extend([set.value.to_le_bytes(), set.element_bytes.to_le_bytes()].concat());
        bytes.extend([set.width.to_le_bytes(), set.height.to_le_bytes()].concat());
        call.store(parameters, &bytes)
    }

    /// Replaces the host function of a node.
    fn cudaGraphHostNodeSetParams(call, node: u64, parameters: u64) {
        let work = call.host_work(parameters)?;
        call.set_node(node, kind::HOST, work)
    }

    /// Returns the function and the argument of a host node.
    fn cudaGraphHostNodeGetParams(call, node: u64, parameters: u64) {
        let NodeAction::Work(Work::HostFunction { function, argument, .. }) = call.node(node)?.what.clone() else {
            return Err(CudaError::InvalidValue.into());
        };
        call.put(parameters, function)?;
        call.put(parameters.wrapping_add(8), argument)
    }

    /// Replaces the event that a node records.
    fn cudaGraphEventRecordNodeSetEvent(call, node: u64, event: u64) {
        let id = call.record_in_graph(event)?;
        call.set_node(node, kind::RECORD, Work::Record(id))
    }

    /// Replaces the event that a node waits for.
    fn cudaGraphEventWaitNodeSetEvent(call, node: u64, event: u64) {
        let id = call.event(event)?.id;
        call.set_node(node, kind::WAIT, Work::Wait(id))
    }
}
