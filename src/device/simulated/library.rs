//! Calls of numerical libraries.

use super::Simulated;
use super::shadow::Touch;
use crate::device::library::Collective;
use crate::device::timeline::Cost;
use crate::device::{DeviceId, Failure, Library};

/// What a library call did.
pub(super) struct Done {
    pub touches: Vec<Touch>,
    pub cost: Cost,
}

impl Simulated {
    pub(super) fn run_library(&mut self, _device: DeviceId, library: &Library) -> Result<Done, Failure> {
        let what = match library {
            Library::Blas(_) => "cuBLAS on simulated GPUs",
            Library::Convolution(_) => "cuDNN on simulated GPUs",
            Library::Collective(_) => "a collective outside its round",
        };
        Err(Failure::Unsupported { what: what.into(), line: None })
    }

    /// A part of a collective: its bytes go around the ring of ranks (NCCL's ring algorithm: each rank
    /// sends 2·(n-1)/n of the bytes for an all-reduce, (n-1)/n for the halves of it).
    pub(super) fn collective_cost(&self, part: &Collective) -> Cost {
        use crate::device::library::CollectiveKind as Kind;
        let bytes = part.count.saturating_mul(part.element.bytes()) as f64;
        let ranks = f64::from(part.ranks.max(1));
        let around = (ranks - 1.0) / ranks;
        let sent = match part.kind {
            Kind::AllReduce(_) => 2.0 * around * bytes,
            Kind::AllGather | Kind::ReduceScatter(_) => around * bytes * ranks,
            Kind::Broadcast { .. } | Kind::Reduce { .. } | Kind::Send { .. } | Kind::Receive { .. } => bytes,
        };
        let model = self.pace.model(part.device);
        let least_ns = sent / model.transfer.peer_gbps.max(0.1)
            + model.transfer.latency_ns as f64 * (ranks - 1.0).max(1.0);
        self.pace.streaming(part.device, (sent as u64).max(1), least_ns)
    }
}
