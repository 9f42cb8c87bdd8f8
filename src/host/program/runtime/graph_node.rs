//! Nodes of explicitly built graphs, and their parameters.

use super::copy::{CopyCall, Direction};
use super::graph::{NodeAction, kind};
use super::symbol::SymbolCopy;
use crate::device::{CopyShape, CudaError, Failure, Launch, Result, Set, Work, fail_if};
use crate::program::call::{Arguments, Call, Parameter, calls, long, word};
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
    ///
    /// # Errors
    ///
    /// As for [`Call::structure`], [`Call::read_arguments`] and [`Call::check_configuration`].
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

    /// Returns the copy described by a `cudaMemcpy3DParms` in the program's memory.
    ///
    /// # Errors
    ///
    /// As for [`Call::copy_3d`] and [`Call::checked_copy`].
    pub fn copy_3d_work(&mut self, parameters: u64) -> Result<Work> {
        let asked = self.copy_3d(parameters, false, Some(0))?;
        self.copy_work(&asked)
    }

    /// Returns a copy of consecutive bytes; `kind` is its `cudaMemcpyKind`.
    ///
    /// # Errors
    ///
    /// As for [`Direction::numbered`] and [`Call::checked_copy`].
    pub fn copy_1d_work(&mut self, dst: u64, src: u64, bytes: u64, kind: i32) -> Result<Work> {
        let (direction, shape) = (Direction::numbered(kind)?, CopyShape::linear(bytes));
        let arguments = [usize::MAX; 2];
        self.copy_work(&CopyCall { dst, src, shape, direction, arguments, stream: Some(0) })
    }

    /// Returns a copy between a part of a variable and other memory.
    ///
    /// # Errors
    ///
    /// As for [`Call::sides_of`] and [`Call::copy_1d_work`].
    pub fn symbol_work(&mut self, copy: SymbolCopy) -> Result<Work> {
        let (dst, src) = self.sides_of(&copy)?;
        self.copy_1d_work(dst, src, copy.bytes, copy.kind)
    }

    /// Returns the memset described by a node's parameters.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: a null pointer, or elements that are not 1, 2 or 4 bytes large. Otherwise as for
    /// [`Call::checked_set`].
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

    /// Returns the call of a host function described by a node's parameters.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: a null pointer. Otherwise as for [`Call::get`].
    pub fn host_work(&mut self, parameters: u64) -> Result<Work> {
        let (function, argument) = (self.get(parameters)?, self.get(parameters.wrapping_add(8))?);
        fail_if(function == 0, CudaError::InvalidValue)?;
        let may_dangle = self.thread.is_inner_local(argument);
        Ok(Work::HostFunction { function, argument, may_dangle })
    }

    /// Returns the node type and the action described by `cudaGraphNodeParams`.
    fn any_action(&mut self, parameters: u64) -> Result<(i32, NodeAction)> {
        let what: i32 = self.get(parameters)?;
        let inner = parameters.wrapping_add(ANY_PARAMETERS);
        let work = match what {
            kind::KERNEL => self.kernel_work(inner)?,
            kind::COPY => self.copy_3d_work(parameters.wrapping_add(ANY_COPY))?,
            kind::SET => self.set_work(inner)?,
            kind::HOST => self.host_work(inner)?,
            kind::CHILD => return Ok((what, NodeAction::Child(self.get(inner)?))),
            kind::EMPTY => Work::Empty,
            kind::WAIT | kind::RECORD => {
                let event = self.get(inner)?;
                let id = self.event(event)?.id;
                if what == kind::WAIT { Work::Wait(id) } else { Work::Record(id) }
            }
            _ => return Err(Failure::unsupported(format!("a graph node of type {what}"))),
        };
        Ok((what, NodeAction::Work(work)))
    }

    /// Adds a node, with a clone of the graph that is its child, if it has one.
    fn add(&mut self, new: NewNode, kind: i32, mut what: NodeAction) -> Result<()> {
        if let NodeAction::Child(child) = &mut what {
            self.graph(*child)?;
            *child = self.runtime.graphs.copy(*child, 1)?;
        }
        let after = self.node_list(new.after, new.count)?;
        let handle = self.add_node(new.graph, kind, what, after, self.runtime.current)?;
        self.put(new.node, handle)
    }

    /// Gives work to a node.
    fn put_work<const REST: usize>(&mut self, to: NodeBefore<REST>, kind: i32, work: Work) -> Result<()> {
        match to {
            NodeBefore::New(new) => self.add(new, kind, NodeAction::Work(work)),
            NodeBefore::InGraph { node } => self.set_node(node, kind, work),
            NodeBefore::InExec { exec, node } => self.exchange(exec, node, kind, work),
        }
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

/// The parameters of a call that adds a node: where its handle goes, its graph, and the list of the nodes that it
/// depends on.
pub struct NewNode {
    node: u64,
    graph: u64,
    after: u64,
    count: u64,
}

impl Parameter for NewNode {
    fn take(from: &mut Arguments) -> Result<NewNode> {
        Ok(NewNode { node: from.take()?, graph: from.take()?, after: from.take()?, count: from.take()? })
    }
}

/// The node that a call gives work to: its parameters before the last `REST`, which are the work.
pub enum NodeBefore<const REST: usize> {
    /// `cudaGraphAdd…Node`
    New(NewNode),
    /// `cudaGraph…NodeSet…`
    InGraph { node: u64 },
    /// `cudaGraphExec…NodeSet…`
    InExec { exec: u64, node: u64 },
}

impl<const REST: usize> Parameter for NodeBefore<REST> {
    fn take(from: &mut Arguments) -> Result<NodeBefore<REST>> {
        Ok(match from.left().saturating_sub(REST) {
            1 => NodeBefore::InGraph { node: from.take()? },
            2 => NodeBefore::InExec { exec: from.take()?, node: from.take()? },
            _ => NodeBefore::New(from.take()?),
        })
    }
}

calls! {
    /// Launches a kernel.
    fn cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams(
        call, node: NodeBefore<1>, parameters: u64
    ) {
        let work = call.kernel_work(parameters)?;
        call.put_work(node, kind::KERNEL, work)
    }

    /// Copies a box.
    fn cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams(
        call, node: NodeBefore<1>, parameters: u64
    ) {
        let work = call.copy_3d_work(parameters)?;
        call.put_work(node, kind::COPY, work)
    }

    /// Copies contiguous bytes.
    fn cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D(
        call, node: NodeBefore<4>, dst: u64, src: u64, bytes: u64, direction: i32
    ) {
        let work = call.copy_1d_work(dst, src, bytes, direction)?;
        call.put_work(node, kind::COPY, work)
    }

    /// Copies to a variable.
    fn cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol(
        call, node: NodeBefore<5>, symbol: u64, src: u64, bytes: u64, offset: u64, direction: i32
    ) {
        let work = call.symbol_work(SymbolCopy { symbol, other: src, bytes, offset, kind: direction, to_symbol: true })?;
        call.put_work(node, kind::COPY, work)
    }

    /// Copies from a variable.
    fn cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
        cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        call, node: NodeBefore<5>, dst: u64, symbol: u64, bytes: u64, offset: u64, direction: i32
    ) {
        let work = call.symbol_work(SymbolCopy { symbol, other: dst, bytes, offset, kind: direction, to_symbol: false })?;
        call.put_work(node, kind::COPY, work)
    }

    /// Sets memory.
    fn cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams(
        call, node: NodeBefore<1>, parameters: u64
    ) {
        let work = call.set_work(parameters)?;
        call.put_work(node, kind::SET, work)
    }

    /// Calls a host function.
    fn cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams(
        call, node: NodeBefore<1>, parameters: u64
    ) {
        let work = call.host_work(parameters)?;
        call.put_work(node, kind::HOST, work)
    }

    /// Records an event.
    fn cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent(
        call, node: NodeBefore<1>, event: u64
    ) {
        let id = call.record_in_graph(event)?;
        call.put_work(node, kind::RECORD, Work::Record(id))
    }

    /// Waits for an event.
    fn cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent(
        call, node: NodeBefore<1>, event: u64
    ) {
        let id = call.event(event)?.id;
        call.put_work(node, kind::WAIT, Work::Wait(id))
    }

    /// Adds a child graph node with a clone of a graph.
    fn cudaGraphAddChildGraphNode(call, node: NewNode, child: u64) {
        call.add(node, kind::CHILD, NodeAction::Child(child))
    }

    /// Adds an empty node, which only orders others.
    fn cudaGraphAddEmptyNode(call, node: NewNode) {
        call.add(node, kind::EMPTY, NodeAction::Work(Work::Empty))
    }

    /// Adds a node of any type.
    fn cudaGraphAddNode(call, node: NewNode, parameters: u64) {
        let (kind, what) = call.any_action(parameters)?;
        call.add(node, kind, what)
    }

    /// Adds a node of any type; edges have no data here.
    fn cudaGraphAddNode_v2(call, node: u64, graph: u64, after: u64, _edges: u64, count: u64, parameters: u64) {
        cudaGraphAddNode(call, NewNode { node, graph, after, count }, parameters)
    }

    /// Replaces the parameters of a node of any type except child graphs.
    fn cudaGraphNodeSetParams(call, node: u64, parameters: u64) {
        match call.any_action(parameters)? {
            (kind, NodeAction::Work(work)) => call.set_node(node, kind, work),
            (_, NodeAction::Child(_)) => Err(CudaError::InvalidValue.into()),
        }
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

    /// Returns the function and the argument of a host node.
    fn cudaGraphHostNodeGetParams(call, node: u64, parameters: u64) {
        let NodeAction::Work(Work::HostFunction { function, argument, .. }) = call.node(node)?.what.clone() else {
            return Err(CudaError::InvalidValue.into());
        };
        call.put(parameters, function)?;
        call.put(parameters.wrapping_add(8), argument)
    }
}
