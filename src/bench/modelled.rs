//! A lesson's kernels on the simulator: what they do, and what that would take on a modelled GPU.

use crate::course::{ComputeCapability, Lesson};
use crate::device::model::Model;
use crate::judge::backend::{Device, Program, Simulated};
use crate::judge::{Failure, Options, Prepared, Signature, judge};
use crate::nvrtc::{CompileError, Compiler, KernelResources, Request};
use crate::sim::time::{KernelWork, duration};
use crate::sim::{self, Address, Arg, Counts, LaunchConfig, LaunchError, Report};
use anyhow::{Result, anyhow};
use std::cell::RefCell;

/// What all launches together do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Modelled.
    pub ns: u64,
    /// Floating-point operations of every kind.
    pub flops: u64,
    /// Those that matrix units do, or that could be theirs: f16, bf16 and tf32.
    pub matrix_flops: u64,
    /// Bytes to and from device memory, modelled.
    pub dram_bytes: u64,
}

/// Runs a lesson with one case on the simulator. `Ok(Err)` where the kernel is wrong.
pub fn model(
    lesson: &Lesson,
    source: &str,
    file_name: &str,
    seed: u64,
    compiler: &Compiler,
    model: &Model,
) -> Result<Result<Estimate, Box<Failure>>> {
    let options = Options { seed, ..Options::default() };
    let prepared = Prepared::new(lesson, source, file_name, compiler)?;
    let ComputeCapability { major, minor } = lesson.spec.compute_capability;
    let compiled =
        compiler.compile(&Request { resources: true, ..Request::new(source, file_name, (major, minor)) });
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(CompileError::Rejected(said)) => return Ok(Err(Box::new(Failure::Compile(said)))),
        Err(CompileError::Limit(limit)) => return Ok(Err(Box::new(Failure::Limit(limit)))),
        Err(CompileError::Environment(error)) => return Err(error),
    };
    // Only what is counted matters here: `check` looks for defects.
    let settings =
        sim::Options { host_threads: options.host_threads, checks: false, ..sim::Options::default() };
    let program = Simulated::load(&compiled.ptx, lesson.spec.compute_capability, settings)
        .map_err(|error| anyhow!("{error}"))?;
    let metered = Metered { program, launches: RefCell::default() };
    let (judged, _) = judge(lesson, &metered, &prepared.answer(&options)?, seed)?;
    if let Err(failure) = judged
        && !matches!(failure, Failure::Work { .. })
    {
        return Ok(Err(Box::new(failure)));
    }
    let launches = metered.launches.take();
    let mut estimate = Estimate::default();
    for (symbol, config, counts) in launches {
        let resources = compiled.resources.iter().find(|kernel| kernel.name == symbol);
        let work = work(counts, &config, resources);
        let modelled = duration(&model.gpu, &work);
        let flops = &work.counts.flops;
        let matrix = flops.f16 + flops.bf16 + flops.tf32;
        estimate.ns += modelled.ns;
        estimate.dram_bytes += modelled.dram_bytes;
        estimate.flops += matrix + flops.f32 + flops.f64;
        estimate.matrix_flops += matrix;
    }
    Ok(Ok(estimate))
}

fn work(counts: Counts, config: &LaunchConfig, resources: Option<&KernelResources>) -> KernelWork {
    KernelWork {
        counts,
        blocks: config.grid.count(),
        threads: config.block.count() as u32,
        registers: resources.map(|kernel| kernel.registers),
        shared_bytes: resources.map_or(0, |kernel| kernel.shared_bytes) + config.dynamic_shared_bytes,
        cached_bytes: 0,
    }
}

/// The simulator, and what each launch of the last device counted.
struct Metered {
    program: Simulated,
    launches: RefCell<Vec<(String, LaunchConfig, Counts)>>,
}

impl Program for Metered {
    fn signatures(&self) -> &[Signature] {
        self.program.signatures()
    }

    fn device(&self) -> Box<dyn Device + '_> {
        self.launches.borrow_mut().clear();
        Box::new(MeteredDevice { device: self.program.device(), launches: &self.launches })
    }
}

struct MeteredDevice<'a> {
    device: Box<dyn Device + 'a>,
    launches: &'a RefCell<Vec<(String, LaunchConfig, Counts)>>,
}

impl Device for MeteredDevice<'_> {
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchError> {
        self.device.allocate(name, bytes)
    }

    fn write(&mut self, address: Address, bytes: &[u8]) {
        self.device.write(address, bytes);
    }

    fn read(&self, address: Address, bytes: &mut [u8]) {
        self.device.read(address, bytes);
    }

    fn written(&self, address: Address, len: usize) -> Vec<bool> {
        self.device.written(address, len)
    }

    fn set_read_only(&mut self, address: Address) {
        self.device.set_read_only(address);
    }

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, LaunchError> {
        let report = self.device.launch(symbol, config, args)?;
        self.launches.borrow_mut().push((symbol.to_owned(), config, report.counts.clone()));
        Ok(report)
    }
}
