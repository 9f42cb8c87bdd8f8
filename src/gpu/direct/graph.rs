//! Graphs of the driver, built node by node.

use super::copy::{Side, copy_of_box, size};
use super::work::{Event, Function, Stream};
use super::{Direct, Result};
use crate::failure::check;
use crate::launch::Geometry;
use crate::{Copy, Set};
use cudarc::driver::sys;
use sim::LaunchConfig;
use std::ptr;

/// An instantiated graph.
#[derive(Clone, Copy, Debug)]
pub struct Graph {
    handle: sys::CUgraphExec,
    pub device: u32,
}

/// The operation of a node.
#[derive(Clone, Debug)]
pub enum NodeKind {
    Kernel {
        function: Function,
        geometry: Geometry,
        params: Vec<u8>,
        /// Size in bytes and offset of each parameter.
        layout: Vec<(u32, u32)>,
    },
    /// `…_height`: rows from one slice to the next.
    Copy {
        copy: Copy,
        dst_height: u64,
        src_height: u64,
    },
    Set(Set),
    Record(Event),
    Wait(Event),
    Empty,
}

/// A node, and the indices of the nodes it depends on.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: NodeKind,
    pub device: u32,
    pub after: Vec<usize>,
}

impl Direct {
    /// Builds and instantiates a graph. Nodes come after those that they depend on.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does for any of the devices, or if the driver refuses a node or the graph.
    pub fn instantiate(&mut self, device: u32, nodes: &[Node]) -> Result<Graph> {
        for node in nodes {
            self.enter(node.device)?;
        }
        self.enter(device)?;
        let mut graph = ptr::null_mut();
        // SAFETY: a pointer to a live variable.
        check(unsafe { sys::cuGraphCreate(&mut graph, 0) }, "cuGraphCreate")?;
        let made = self.fill(graph, nodes).and_then(|()| {
            let mut handle = ptr::null_mut();
            // SAFETY: a pointer to a live variable; the graph is alive.
            let result = unsafe { sys::cuGraphInstantiateWithFlags(&mut handle, graph, 0) };
            check(result, "cuGraphInstantiate")?;
            Ok(Graph { handle, device })
        });
        // SAFETY: created once, destroyed once; the instantiated graph lives on.
        unsafe { sys::cuGraphDestroy(graph) };
        made
    }

    fn fill(&self, graph: sys::CUgraph, nodes: &[Node]) -> Result<()> {
        let mut made: Vec<sys::CUgraphNode> = Vec::new();
        for node in nodes {
            let after: Vec<sys::CUgraphNode> =
                node.after.iter().filter_map(|&n| made.get(n).copied()).collect();
            made.push(self.add(graph, node, &after)?);
        }
        Ok(())
    }

    fn add(&self, graph: sys::CUgraph, node: &Node, after: &[sys::CUgraphNode]) -> Result<sys::CUgraphNode> {
        let context = self.context(node.device)?;
        let mut made = ptr::null_mut();
        let (before, count) = (after.as_ptr(), after.len());
        // SAFETY: the graph and its nodes are alive; pointers are to live variables, whose values the driver
        // copies; parameters match the kernel's; addresses lie in allocations that are alive.
        let (result, call) = unsafe {
            match &node.kind {
                NodeKind::Kernel { function, geometry, params, layout } => {
                    let LaunchConfig { grid, block, dynamic_shared_bytes } = geometry.config;
                    let mut parameters = function.parameters(params, layout)?;
                    let asked = sys::CUDA_KERNEL_NODE_PARAMS {
                        func: function.handle,
                        gridDimX: grid.x,
                        gridDimY: grid.y,
                        gridDimZ: grid.z,
                        blockDimX: block.x,
                        blockDimY: block.y,
                        blockDimZ: block.z,
                        sharedMemBytes: dynamic_shared_bytes,
                        kernelParams: parameters.as_mut_ptr(),
                        extra: ptr::null_mut(),
                        kern: ptr::null_mut(),
                        ctx: ptr::null_mut(),
                    };
                    let result = sys::cuGraphAddKernelNode_v2(&mut made, graph, before, count, &asked);
                    (result, "cuGraphAddKernelNode")
                }
                &NodeKind::Copy { copy: Copy { dst, src, shape, .. }, dst_height, src_height } => {
                    let dst = Side::memory(dst.0, shape.dst_pitch, dst_height);
                    let src = Side::memory(src.0, shape.src_pitch, src_height);
                    let asked = copy_of_box(dst, src, [shape.width, shape.height, shape.depth]);
                    let result = sys::cuGraphAddMemcpyNode(&mut made, graph, before, count, &asked, context);
                    (result, "cuGraphAddMemcpyNode")
                }
                &NodeKind::Set(Set { dst, pitch, value, element_bytes, width, height }) => {
                    let asked = sys::CUDA_MEMSET_NODE_PARAMS {
                        dst: dst.0,
                        pitch: size(pitch),
                        value,
                        elementSize: element_bytes,
                        width: size(width),
                        height: size(height),
                    };
                    let result = sys::cuGraphAddMemsetNode(&mut made, graph, before, count, &asked, context);
                    (result, "cuGraphAddMemsetNode")
                }
                NodeKind::Record(event) => {
                    let result =
                        sys::cuGraphAddEventRecordNode(&mut made, graph, before, count, event.handle);
                    (result, "cuGraphAddEventRecordNode")
                }
                NodeKind::Wait(event) => {
                    let result = sys::cuGraphAddEventWaitNode(&mut made, graph, before, count, event.handle);
                    (result, "cuGraphAddEventWaitNode")
                }
                NodeKind::Empty => {
                    (sys::cuGraphAddEmptyNode(&mut made, graph, before, count), "cuGraphAddEmptyNode")
                }
            }
        };
        check(result, call)?;
        Ok(made)
    }

    /// Enqueues a graph in a stream.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn launch_graph(&mut self, graph: Graph, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: both are alive.
        check(unsafe { sys::cuGraphLaunch(graph.handle, stream.handle) }, "cuGraphLaunch")
    }

    /// Destroys a graph. Launches in progress continue.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn destroy_graph(&mut self, graph: Graph) -> Result<()> {
        self.enter(graph.device)?;
        // SAFETY: created once; the caller forgets it.
        check(unsafe { sys::cuGraphExecDestroy(graph.handle) }, "cuGraphExecDestroy")
    }
}
