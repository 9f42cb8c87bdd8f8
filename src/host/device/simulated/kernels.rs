//! Checks and executes the program's kernels.

use super::Simulated;
use super::queue::Op;
use super::shadow::{Bytes, MAX_RANGES, Touch};
use crate::device::{CudaError, Failure, Launch};
use sim::time::KernelWork;
use sim::{
    AccessKind, ByteSet, Evidence, Finding, FindingKind, KernelLaunch, LaunchError, Options, Outcome, Report,
    TensorMisuse, TouchedBuffer,
};
use std::sync::Arc;

/// The outcome of a kernel's execution.
pub(super) struct Ran {
    pub report: Report,
    pub touches: Vec<Touch>,
    pub work: KernelWork,
    pub findings: Vec<Finding>,
    /// The error that destroyed the context, if one did.
    pub lost: Option<CudaError>,
}

/// Returns CUDA's error for a defect that ends a kernel; `None` for other findings.
pub(super) fn error_of(finding: &Finding) -> Option<CudaError> {
    let local_map = Evidence::TensorMap(TensorMisuse::Memory);
    Some(match finding.kind {
        // Texture reads outside of the texels are no error to a GPU.
        FindingKind::OutOfBounds
            if finding
                .evidence
                .iter()
                .any(|fact| matches!(fact, Evidence::OutsideImage { in_bytes: false, .. })) =>
        {
            return None;
        }
        FindingKind::TensorMap if finding.evidence.contains(&local_map) => CudaError::IllegalAddress,
        FindingKind::OutOfBounds
        | FindingKind::NullPointer
        | FindingKind::ReadOnly
        | FindingKind::SharedOutOfBounds
        | FindingKind::LocalOutOfBounds
        | FindingKind::DeadLocal
        | FindingKind::StackOverflow
        | FindingKind::ClusterLifetime
        | FindingKind::UseAfterFree
        | FindingKind::OtherDevice
        | FindingKind::HostPointer => CudaError::IllegalAddress,
        FindingKind::Misaligned => CudaError::MisalignedAddress,
        FindingKind::TensorMap => CudaError::IllegalInstruction,
        FindingKind::AssertFailed => CudaError::Assert,
        FindingKind::Trap | FindingKind::GridBarrier => CudaError::LaunchFailure,
        FindingKind::EndlessLoop | FindingKind::Deadlock => CudaError::LaunchTimeout,
        _ => return None,
    })
}

pub(super) fn failure(error: LaunchError) -> Failure {
    match error {
        LaunchError::Refused(refusal) => Failure::Cuda(refusal.error()),
        LaunchError::Machine { .. } => Failure::Environment(error.into()),
    }
}

impl Simulated {
    /// Rejects a launch that could never begin, as the launching call does.
    pub(super) fn check_launch(&mut self, device: u32, launch: &Launch) -> Result<(), Failure> {
        let module = self.module()?;
        let kernel = module.kernel_at(launch.kernel).ok_or(CudaError::InvalidDeviceFunction)?;
        self.machine.check(device, &module, &asked(kernel, launch)).map_err(failure)
    }

    pub(super) fn run_kernel(&mut self, op: &Op, launch: &Launch) -> Result<Ran, Failure> {
        let module = self.module()?;
        let kernel = module.kernel_at(launch.kernel).ok_or(CudaError::InvalidDeviceFunction)?;
        let begin_ns = self.time.timer_ns(op);
        let destroyed = self.destroyed_images.get(..op.destroyed_images).unwrap_or_default();
        let asked = KernelLaunch { begin_ns, destroyed_images: destroyed, ..asked(kernel, launch) };
        let recorded = self.recorder.request().map(|request| Options {
            record: Some(request),
            host_threads: 1,
            ..self.options.clone()
        });
        let options = recorded.as_ref().unwrap_or(&self.options);
        let mut report = self.machine.launch(op.device, &module, &asked, options).map_err(failure)?;
        self.recorder.launched(kernel, asked.config, &mut report);
        let clock_khz = self.machine.gpu(op.device).map_or(0, |gpu| gpu.clock_khz);
        let cycles = report.counts.pace.longest_cycles;
        let took_ns = cycles.saturating_mul(1_000_000) / u64::from(clock_khz.max(1));
        self.time.set_timer(op, begin_ns.saturating_add(took_ns));
        match report.outcome {
            Outcome::Completed | Outcome::Stopped => {}
            Outcome::LaunchBudgetSpent { .. } => return Err(self.too_much_work()),
            Outcome::BlockBudgetSpent { line } => return Err(self.too_long(line)),
            Outcome::UndefinedFunction { name, line } => {
                return Err(Failure::UndefinedFunction { name, line });
            }
            Outcome::Unsupported { what, line } => return Err(Failure::Unsupported { what, line }),
        }
        self.spend_work(report.counts.instructions.iter().sum())?;
        self.advice_report.join(std::mem::take(&mut report.advice));
        let fixed = module.kernel(kernel).map_or(0, |k| k.shared_bytes);
        let registers = Some(launch.registers).filter(|&known| known > 0);
        let work = KernelWork::new(report.counts.clone(), &launch.config, fixed, registers);
        let touches = report.touched.iter().flat_map(touches).collect();
        let lost = report.findings.iter().find_map(error_of);
        let mut findings = report.findings.clone();
        for finding in &mut findings {
            let launched = op.site.location.as_ref();
            let line = launched.map(|at| at.line);
            let other_file = launched.zip(finding.at.location.as_ref()).filter(|(by, at)| by.file != at.file);
            let file = other_file.map(|(by, _)| by.file.clone());
            finding.evidence.push(Evidence::FoundIn { work: op.by.operation.clone(), line, file });
            self.name_source(finding, &report.touched);
        }
        Ok(Ran { report, touches, work, findings, lost })
    }
}

fn asked(kernel: u32, launch: &Launch) -> KernelLaunch<'_> {
    KernelLaunch {
        kernel,
        config: launch.config,
        params: &launch.params,
        cooperative: launch.cooperative,
        cluster: launch.cluster,
        large_clusters: launch.large_clusters,
        shared_limit_bytes: Some(launch.shared_limit_bytes),
        registers: launch.registers,
        destroyed_images: &[],
        begin_ns: 0,
    }
}

/// Returns a kernel's accesses to one buffer.
fn touches(buffer: &TouchedBuffer) -> Vec<Touch> {
    let mut touches = Vec::new();
    let sets = [
        (AccessKind::Read, &buffer.reads),
        (AccessKind::Write, &buffer.writes),
        (AccessKind::Atomic, &buffer.atomics),
    ];
    for (kind, set) in sets {
        stretches(kind, buffer.base.0, set, &mut touches);
    }
    touches
}

fn stretches(kind: AccessKind, base: u64, set: &ByteSet, touches: &mut Vec<Touch>) {
    let before = touches.len();
    for range in set.ranges() {
        if touches.len() - before == MAX_RANGES {
            touches.truncate(before);
            let (bytes, set) = (set.end(), Arc::new(set.clone()));
            return touches.push(Touch { kind, bytes: Bytes::Sparse { base, bytes, set } });
        }
        touches.push(Touch { kind, bytes: Bytes::Dense(base + range.start..base + range.end) });
    }
}
