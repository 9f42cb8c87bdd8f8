//! Executes and times calls of numerical libraries.

use super::Simulated;
use super::collective::sent_bytes;
use super::perform::work_finding;
use super::queue::Op;
use super::shadow::Touch;
use crate::device::ElementType;
use crate::device::compute::{self, Fault};
use crate::device::library::Collective;
use crate::device::timeline::Cost;
use crate::device::{CudaError, DeviceId, Library, Result};
use sim::{
    Access, AccessKind, Act, Actor, Address, Class, Evidence, Finding, FindingKind, HostMemoryKind, HostPart,
    Operation, Pointee, Target, host_part,
};

/// Fraction of the arithmetic peak that large products reach in an optimised library (NVIDIA, "Matrix
/// Multiplication Background User's Guide": 80 % and more).
const OF_PEAK: f64 = 0.8;

/// The outcome of a library call.
#[derive(Default)]
pub(super) struct Called {
    pub touches: Vec<Touch>,
    pub cost: Option<Cost>,
    pub findings: Vec<Finding>,
    /// The error that destroyed the context, if one did.
    pub lost: Option<CudaError>,
}

impl Simulated {
    /// Returns the accesses that spans describe.
    pub(super) fn library_touches(&self, spans: &[compute::Span]) -> Vec<Touch> {
        let touches = |span: &compute::Span| {
            let kind = if span.write { AccessKind::Write } else { AccessKind::Read };
            let starts = span.offsets().map(|offset| span.at.0.saturating_add(offset));
            self.touch_all(kind, span.at, span.count(), starts, span.bytes)
        };
        spans.iter().flat_map(touches).collect()
    }

    pub(super) fn call_library(&mut self, op: &Op, call: &Library) -> Result<Called> {
        let spans = compute::spans(call, &self.machine);
        let mut called = Called::default();
        match compute::check(&self.machine, &spans) {
            Err(Fault::Outside { at, bytes, write }) => {
                called.lost = Some(CudaError::IllegalAddress);
                called.findings.push(self.outside_of(op, at, bytes, write));
                return Ok(called);
            }
            Err(Fault::NeverWritten(address)) => {
                let (kind, uses) = (AccessKind::Read, Evidence::ComputesWithUnwritten);
                let mut finding = self.at_memory(FindingKind::Uninitialised, op, address, kind, uses);
                let file = op.by.location.as_ref().map(|at| &*at.file);
                finding.evidence.extend(file.and_then(|file| self.causes.used_up(address, file)));
                called.findings.push(finding);
            }
            Ok(()) => {}
        }
        // Computing needs a temporary copy of the operands.
        self.room_for(spans.iter().fold(0u64, |sum, span| sum.saturating_add(span.total())))?;
        called.touches = self.library_touches(&spans);
        compute::run(&mut self.machine, call);
        let used_up = compute::used_up(call);
        called.touches.extend(self.library_touches(&used_up));
        self.use_up(&used_up, &op.by);
        called.cost = Some(self.library_cost(op.device, call, &spans));
        Ok(called)
    }

    /// Returns the finding for a call that needs `bytes` bytes where fewer are allocated.
    pub(super) fn outside_of(&self, op: &Op, at: Address, bytes: u64, write: bool) -> Finding {
        if let (Some(part), None) = (host_part(at.0), self.machine.find(at)) {
            return in_host_memory(op, part);
        }
        let kind = if write { AccessKind::Write } else { AccessKind::Read };
        let there = self.machine.find(at).map(|buffer| (buffer.base.0 + buffer.bytes).saturating_sub(at.0));
        let needs = Evidence::LibraryNeeds { bytes, there: there.filter(|there| *there > 0) };
        self.at_memory(FindingKind::OutOfBounds, op, at, kind, needs)
    }

    /// Returns a finding about memory that a library call accesses.
    fn at_memory(
        &self,
        code: FindingKind,
        op: &Op,
        address: Address,
        kind: AccessKind,
        evidence: Evidence,
    ) -> Finding {
        let mut finding = work_finding(code, &op.by, vec![evidence]);
        finding.at.kind = kind;
        let buffer = self.machine.find(address);
        finding.at.target =
            buffer.map_or(Target::Nowhere { address: address.0 }, |buffer| buffer.target(address));
        finding
    }

    fn library_cost(&self, device: DeviceId, call: &Library, spans: &[compute::Span]) -> Cost {
        let effort = compute::effort(call, spans);
        let gpu = &self.time.model(device).gpu;
        let lanes = |class: Class| 2.0 * gpu.results_per_cycle.of(class);
        let plain = match effort.element {
            ElementType::F64 => lanes(Class::Float64),
            _ => lanes(Class::Float32),
        };
        let matrix = match effort.element {
            ElementType::F16 => gpu.matrix.f16,
            ElementType::Bf16 => gpu.matrix.bf16,
            ElementType::F32 => gpu.matrix.tf32,
            ElementType::F64 => gpu.matrix.f64,
            _ => gpu.matrix.int8,
        };
        let a_cycle = if effort.tensor_cores { plain.max(matrix) } else { plain };
        let a_ns = a_cycle * f64::from(gpu.sms) * gpu.clock_ghz * OF_PEAK;
        self.time.streaming(device, effort.bytes.max(1), effort.operations as f64 / a_ns.max(1.0))
    }

    /// Returns the cost of a rank's part in a collective: its bytes travel around the ring of ranks.
    pub(super) fn collective_cost(&self, part: &Collective) -> Cost {
        let sent = sent_bytes(part);
        let transfer = &self.time.model(part.device).transfer;
        let hops = (f64::from(part.ranks) - 1.0).max(1.0);
        let least_ns = sent / transfer.peer_gbps.max(0.1) + transfer.latency_ns as f64 * hops;
        self.time.streaming(part.device, (sent as u64).max(1), least_ns)
    }
}

/// Returns the finding for a call that is given memory of the host.
fn in_host_memory(op: &Op, part: HostPart) -> Finding {
    let kind = match part {
        HostPart::Stack => HostMemoryKind::Local,
        HostPart::Heap => HostMemoryKind::Heap,
        HostPart::Globals => HostMemoryKind::Variable,
    };
    let act = Act::NeedsDeviceMemory { pointer: None, leads_to: Pointee::Host(kind) };
    let actor = Actor::Operation(Operation { request: op.by.operation.request.clone(), act });
    Finding::new(FindingKind::HostPointerGiven, Access::by(actor, op.by.location.clone()))
}
