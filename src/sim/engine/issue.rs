//! An instruction that a warp has issued, with all that executing it changes.

use super::findings::{Side, SideAddress};
use super::launch::LaunchContext;
use super::step::side;
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::launch::Outcome;

pub struct Issue<'i, 'w, O> {
    pub worker: &'i mut WorkerState<'w>,
    pub cta: &'i mut Cta<O>,
    pub warp: &'i mut Warp,
    pub pc: u32,
}

impl<'w, O> Issue<'_, 'w, O> {
    pub fn launch(&self) -> &'w LaunchContext<'w> {
        self.worker.launch
    }

    /// Returns the side of a finding about the first of these lanes, without a memory access.
    pub fn side(&self, lanes: u32) -> Side {
        side(self.cta.index, self.warp, self.pc, lanes)
    }

    /// Returns the side of a finding about a lane's access.
    pub fn access_side(&self, lane: usize, kind: AccessKind, bytes: u32, place: SideAddress) -> Side {
        Side { kind, bytes, place, ..self.side(1 << lane) }
    }

    /// Adds a finding about the first of these lanes.
    pub fn add<E: IntoIterator<Item = Evidence>>(
        &mut self,
        kind: FindingKind,
        lanes: u32,
        evidence: impl FnOnce() -> E,
    ) {
        let at = self.side(lanes);
        self.worker.findings.add(kind, at, None, evidence);
    }

    /// Ends the kernel, as a GPU does at an instruction that it cannot execute.
    pub fn stop(&mut self) {
        self.worker.stopped = Some(Outcome::Stopped);
    }

    /// Ends the kernel with a finding. Returns false.
    pub fn end<E: IntoIterator<Item = Evidence>>(
        &mut self,
        kind: FindingKind,
        at: Side,
        evidence: impl FnOnce() -> E,
    ) -> bool {
        self.worker.findings.add(kind, at, None, evidence);
        self.stop();
        false
    }

    /// Ends the kernel at something that is not supported.
    pub fn stop_unsupported(&mut self, what: String) {
        let line = self.launch().code.location(self.pc).cloned();
        self.worker.stopped = Some(Outcome::Unsupported { what, line });
    }
}
