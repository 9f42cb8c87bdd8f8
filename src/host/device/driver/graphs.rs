//! Graphs: launched as graphs of the driver if all nodes are GPU work, otherwise enqueued node by node.

use super::DriverGpus;
use super::work::LoadedLaunch;
use crate::device::{CudaError, GraphId, Host, Result, Site, Work, WorkNode};
use gpu::direct::{self, Node, NodeKind, Stream};

/// An instantiated graph.
pub enum Graph {
    Driver(direct::Graph),
    /// Contains work that needs the host, or that the driver accepts in streams only.
    Steps(Vec<WorkNode>),
}

impl DriverGpus {
    pub(super) fn make_graph(&mut self, nodes: &[WorkNode]) -> Result<Graph> {
        let mut made = Vec::new();
        for node in nodes {
            match self.node_kind(node)? {
                Some(kind) => made.push(Node { kind, device: node.device, after: node.after.clone() }),
                None => return Ok(Graph::Steps(nodes.to_vec())),
            }
        }
        let home = nodes.first().map_or(self.home, |node| node.device);
        self.ask(|direct| direct.instantiate(home, &made)).map(Graph::Driver)
    }

    /// Converts a node to the driver's representation; `None` if the driver has none for it.
    fn node_kind(&mut self, node: &WorkNode) -> Result<Option<NodeKind>> {
        Ok(Some(match &node.work {
            Work::Launch(launch) if !launch.cooperative && launch.cluster.is_none() => {
                let LoadedLaunch { function, geometry, layout } = self.loaded(launch, node.device)?;
                NodeKind::Kernel { function, geometry, params: launch.params.clone(), layout }
            }
            Work::Copy(copy) => {
                let shape = copy.shape;
                let real = [copy.dst.0, copy.src.0]
                    .iter()
                    .all(|side| self.blocks.around(*side).is_some() && !self.is_array(*side));
                let (Some(dst_height), Some(src_height)) = (
                    slice_rows(shape.dst_slice, shape.dst_pitch, shape.height, shape.depth),
                    slice_rows(shape.src_slice, shape.src_pitch, shape.height, shape.depth),
                ) else {
                    return Ok(None);
                };
                if !real {
                    return Ok(None);
                }
                NodeKind::Copy { copy: *copy, dst_height, src_height }
            }
            Work::Set(set) => NodeKind::Set(*set),
            Work::Record(event) => NodeKind::Record(self.event(*event)?),
            Work::Wait(event) => NodeKind::Wait(self.event(*event)?),
            Work::Empty => NodeKind::Empty,
            _ => return Ok(None),
        }))
    }

    pub(super) fn start_graph(
        &mut self,
        graph: GraphId,
        stream: Stream,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<()> {
        let nodes = match self.graphs.get(&graph) {
            None => return Err(CudaError::InvalidResourceHandle.into()),
            Some(&Graph::Driver(graph)) => return self.ask(|direct| direct.launch_graph(graph, stream)),
            Some(Graph::Steps(nodes)) => nodes.clone(),
        };
        // In the given order, each node after all before it: stricter than the graph requires, but correct.
        for node in nodes {
            if node.device == stream.device {
                self.submit(stream, node.work, site, host)?;
                continue;
            }
            let there = Stream::legacy(node.device);
            self.after(there, stream)?;
            self.submit(there, node.work, site, host)?;
            self.after(stream, there)?;
        }
        Ok(())
    }

    pub(super) fn end_graph(&mut self, graph: Graph) -> Result<()> {
        match graph {
            Graph::Driver(graph) => self.release(|direct| direct.destroy_graph(graph)),
            Graph::Steps(_) => Ok(()),
        }
    }
}

/// Returns the number of rows from one slice to the next; `None` if slices do not begin on row boundaries.
pub(super) fn slice_rows(slice: u64, pitch: u64, height: u64, depth: u64) -> Option<u64> {
    if depth <= 1 {
        return Some(height);
    }
    (pitch > 0 && slice.is_multiple_of(pitch)).then(|| slice / pitch)
}

#[cfg(test)]
mod tests {
    use super::slice_rows;

    #[test]
    fn slices_are_counted_in_rows() {
        assert_eq!(slice_rows(7, 3, 2, 1), Some(2));
        assert_eq!(slice_rows(64, 8, 2, 3), Some(8));
        assert_eq!(slice_rows(65, 8, 2, 3), None);
        assert_eq!(slice_rows(65, 0, 2, 3), None);
    }
}
