//! The CUDA runtime as the host thread sees it: its state, and its calls in one file for each family.
//!
//! The row of a call is in the file of its family and is written with `calls!`. What it needs
//! of a GPU goes to [`Gpus`]. Handles, argument checks, the error state and the
//! ownership of memory are kept here.

mod advice;
pub mod allocations;
mod array;
mod array_copy;
mod call;
mod calls;
pub mod capture;
pub mod copy;
mod copy3d;
mod device;
mod driver;
mod error;
pub mod errors;
mod event;
pub mod findings;
mod flat_graph;
mod graph;
mod graph_exec;
mod graph_node;
pub mod handles;
pub mod kernel;
mod launch;
mod leaks;
mod managed;
mod memory;
mod memory_use;
mod memset;
mod pool;
mod profiler;
mod properties;
mod refused;
mod stream;
pub mod symbol;
pub mod tensor_map;
mod texture;
mod thread;
pub mod unwritten;

pub use memory_use::{MemoryUse, in_use, peak};
pub use profiler::Range;

use super::call::{Call, Row};
use super::compiled_program::Program;
use super::cuda_libs::{self, Libraries};
use super::gpu_limits::GpuLimits;
use super::source::Source;
use crate::device::{CudaError, DeviceId, Failure, Gpus, HostCost, Result, Site};
use allocations::{Allocation, Allocations, Kind};
use array::Arrays;
use calls::Calls;
use device::DeviceState;
use errors::{CallError, Errors};
use event::Event;
use findings::side;
use graph::Graphs;
use handles::Handles;
use kernel::Kernels;
use launch::Launches;
use pool::Pools;
use profiler::Ranges;
use sim::{
    Act, Actor, Address, Evidence, Finding, FindingKind, MemoryName, Module, Request, RunLimit,
    SourceLocation,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use stream::Streams;
use texture::Objects;
use thread::WaitingThread;
use unwritten::Unwritten;

/// The state of the runtime in one process.
pub struct Runtime {
    pub module: Arc<Module>,
    pub source: Source,
    /// Major number of the CUDA release whose types the program uses.
    pub release: u32,
    /// Limits on what the program may request from the GPUs.
    pub limits: GpuLimits,
    /// Pieces of work enqueued so far.
    enqueued: u64,
    pub calls: Calls,
    /// The current device, as chosen by `cudaSetDevice`.
    pub current: DeviceId,
    devices: BTreeMap<DeviceId, DeviceState>,
    driver: driver::Driver,
    pub errors: Errors,
    /// The host threads that wait for one that they have created, the latest last.
    pub waiting_threads: Vec<WaitingThread>,
    pub allocations: Allocations,
    arrays: Arrays,
    objects: Objects,
    pools: Pools,
    pub kernels: Kernels,
    pub launches: Launches,
    pub ranges: Ranges,
    pub streams: Streams,
    pub events: Handles<Event>,
    pub graphs: Graphs,
    pub libraries: Libraries,
    /// Findings so far, in the order in which they occurred.
    pub findings: Vec<Finding>,
    /// Findings about unwritten values, held back until the end of the program.
    pub unwritten: Unwritten,
    /// Addresses, in the program's memory, of the constant texts that calls have returned.
    pub texts: HashMap<&'static str, u64>,
    /// Why the program was stopped, if a call or an access stopped it.
    pub ended: Option<Ended>,
}

/// Why a program stopped before `main` returned or it called `exit`.
#[derive(Debug)]
pub enum Ended {
    /// The host accessed memory that is not its own, for which a system kills the process. A finding
    /// describes the access.
    HostMemory,
    /// The machine or its environment failed, not the program.
    Environment(anyhow::Error),
}

impl Runtime {
    /// Returns the state of a process that has not started yet.
    pub fn new(program: &Program) -> Runtime {
        let module = Arc::clone(&program.module);
        let mut kernels = Kernels::default();
        for info in (0..).map_while(|number| module.kernel(number)) {
            let registers = program.registers.get(&info.name).copied().unwrap_or(0);
            kernels.insert(info, registers);
        }
        Runtime {
            module,
            source: program.source.clone(),
            release: program.cuda_release(),
            calls: Calls::default(),
            limits: GpuLimits { launch_threads: u64::MAX, allocated_bytes: u64::MAX, enqueued: u64::MAX },
            enqueued: 0,
            current: 0,
            devices: BTreeMap::new(),
            driver: driver::Driver::default(),
            errors: Errors::default(),
            waiting_threads: Vec::new(),
            allocations: Allocations::default(),
            arrays: Arrays::default(),
            objects: Objects::default(),
            pools: Pools::default(),
            kernels,
            launches: Launches::default(),
            ranges: Ranges::default(),
            streams: Streams::default(),
            events: event::none(),
            graphs: Graphs::default(),
            libraries: Libraries::default(),
            findings: Vec::new(),
            unwritten: Unwritten::default(),
            texts: HashMap::new(),
            ended: None,
        }
    }

    /// Records that the host frees heap memory of its own: a finding if part of it is still registered.
    pub fn freed_by_host(&mut self, start: u64, bytes: u64, at: &Option<SourceLocation>) {
        let Some(site) = self.allocations.registered.within(start, bytes).cloned() else { return };
        let registered = side(Act::Registered { by: site.what }, &site.location);
        let evidence = vec![Evidence::StillRegistered];
        self.find(FindingKind::WrongFree, side(Act::FreesRegistered, at), Some(registered), evidence);
    }

    /// Returns the runtime's state of a device.
    fn device_state(&mut self, device: DeviceId) -> &mut DeviceState {
        self.devices.entry(device).or_default()
    }

    /// Creates a device's context if it has none yet.
    pub fn make_context(&mut self, device: DeviceId, gpus: &mut dyn Gpus) {
        let state = self.device_state(device);
        if !std::mem::replace(&mut state.context, true) {
            gpus.spend(HostCost::Context(device));
        }
    }

    /// Returns whether kernels use a variable, or may: the host's copy is then not the one that they use.
    pub fn is_of_kernels(&self, index: u32) -> bool {
        let at = index as usize;
        self.module
            .variables()
            .get(at)
            .is_some_and(|its| its.constant || self.module.usage()[at].used_by_kernels)
    }

    /// Records the address of a variable of the module on a device, or of a managed one (`None`), which is the same for
    /// host and devices.
    pub fn place_variable(&mut self, index: u32, device: Option<DeviceId>, start: u64, bytes: u64) {
        let (kind, made) = (Kind::Variable(device), Site::default());
        let found = self.module.variables().get(index as usize).map(|v| &*v.name);
        let name = MemoryName::from(found.unwrap_or("variable"));
        self.allocations.insert(Allocation { start, bytes, kind, name, made, freed: None, context: None });
    }

    /// Ends the program because of an access of the host.
    pub fn stop_at(&mut self, finding: Finding) {
        self.ended = Some(Ended::HostMemory);
        self.findings.push(finding);
    }

    /// Checks that the host's own code may access memory that is not pageable.
    ///
    /// # Errors
    ///
    /// The access is a finding, which ends the program.
    pub fn host_may_use(&mut self, address: u64, bytes: u64, write: bool, site: &Site) -> Result<()> {
        if self.allocations.host_visible(address, bytes) {
            return Ok(());
        }
        self.ended = Some(Ended::HostMemory);
        let access = findings::host_access(&self.allocations, address, bytes, write, site);
        let other = self.allocations.around(address).cloned();
        match other {
            Some(found) if found.freed.is_some() => {
                let act = Act::HostAccesses { writes: write, memory: found.name.clone() };
                self.used_after_free(&found, act, site);
            }
            Some(found) if !found.kind.host_visible() => {
                let other = Some(findings::made(&found));
                match &site.what {
                    Request::Nothing => {
                        self.find(FindingKind::HostFollows, access, other, Vec::new());
                    }
                    _ => {
                        let act = Act::HostFollows { writes: write, memory: found.name };
                        let at = findings::call_side(act, site);
                        self.find(FindingKind::DevicePointerGiven, at, other, Vec::new());
                    }
                }
            }
            found => {
                let null = found.is_none() && address < findings::NULL_BYTES;
                let code = if null { FindingKind::NullPointer } else { FindingKind::OutOfBounds };
                self.find(code, access, found.as_ref().map(findings::made), Vec::new());
            }
        }
        Err(Failure::Ended)
    }

    /// Reports the call that failed last, or whose error the program queried, when the program then exits
    /// with `code`. There is no finding if the call's location is in a finding already. Returns whether there
    /// was such a call.
    pub fn find_failed_call(&mut self, code: i32) -> bool {
        let Some((error, site)) = self.errors.failed().cloned() else { return false };
        let is_reported = |f: &Finding| {
            let sides = [Some(&f.at), f.other.as_ref()];
            sides.into_iter().flatten().any(|side| side.location == site.location)
        };
        // An error that destroyed the context was reported where it occurred.
        if !error.is_sticky() && !self.findings.iter().any(is_reported) {
            let at = findings::call_side(Act::Fails(error.status()), &site);
            let mut evidence = vec![Evidence::ExitCode(code)];
            let not_ready = error == CallError::Cuda(CudaError::NotReady);
            evidence.extend(not_ready.then_some(Evidence::NotReady { between_events: false }));
            evidence.extend(self.errors.why().cloned());
            evidence.extend(self.errors.was_queried().then_some(Evidence::ErrorStays));
            let capture = self.errors.ended_capture().cloned();
            let cause = capture.filter(|_| error == CallError::Cuda(CudaError::StreamCaptureInvalidated));
            evidence.extend(cause.as_ref().and_then(|its| its.why.clone()));
            let cause = cause.map(|its| {
                findings::call_side(Act::EndedCapture(CallError::Cuda(its.error).status()), &its.site)
            });
            self.find(FindingKind::FailedCall, at, cause, evidence);
        }
        true
    }

    /// Reports a library call that was refused because of an argument, if the program went on and later used memory that
    /// was never written: the call may be what should have written it.
    pub fn find_refused_call(&mut self) {
        let Some(errors::UncheckedError { error, site, why, findings_before, .. }) =
            self.errors.refused().cloned()
        else {
            return;
        };
        let is_unwritten = |f: &Finding| f.kind == FindingKind::Uninitialised;
        let is_reported = |f: &Finding| f.at.location == site.location;
        if !self.findings.iter().any(is_unwritten) || self.findings.iter().any(is_reported) {
            return;
        }
        let at = findings::call_side(Act::Fails(error.status()), &site);
        self.find(FindingKind::FailedCall, at, None, why.into_iter().collect());
        let first = findings_before.min(self.findings.len() - 1);
        self.findings[first..].rotate_right(1);
    }

    /// Reports the errors that the program never checked, at its end.
    pub fn find_unchecked_errors(&mut self) {
        let mut unchecked: Vec<errors::UncheckedError> = self.errors.unchecked().to_vec();
        // Errors that destroyed the context, and calls with invalid arguments, were reported where they
        // occurred.
        let is_told = |its: &errors::UncheckedError| {
            let of_call =
                |f: &Finding| matches!(f.at.actor, Actor::Operation(_)) && f.at.location == its.site.location;
            let is_launch = its.site.what.kernel().is_some();
            let known = !is_launch && its.site.location.is_some();
            its.error.is_sticky() || known && self.findings.iter().any(of_call)
        };
        unchecked.retain(|its| !is_told(its));
        let mut moved = 0;
        for errors::UncheckedError { error, site, why, times, findings_before } in unchecked {
            let launch = site.what.kernel().is_some();
            let code = if launch { FindingKind::UncheckedLaunch } else { FindingKind::IgnoredError };
            // A refused launch was reported with its limit; this reports that nobody checked it.
            let at = findings::call_side(Act::Fails(error.status()), &site);
            let not_ready = (error == CallError::Cuda(CudaError::NotReady))
                .then_some(Evidence::NotReady { between_events: true });
            // The limit that refuses a launch was reported before.
            let is_told = launch && why.is_none();
            let evidence = not_ready.into_iter().chain(why).collect();
            let known = self.findings.len();
            let found = self.find(code, at, None, evidence);
            found.hits += times - 1;
            // What failed first may be the cause of what was found later.
            if !is_told && self.findings.len() > known {
                self.findings[(findings_before + moved).min(known)..].rotate_right(1);
                moved += 1;
            }
        }
    }
}

impl Call<'_> {
    /// Records that a `<<<>>>` launch failed before its arguments were written.
    fn fail_launch(&mut self, error: CudaError) {
        self.runtime.errors.set(error, self.site.clone());
        let before = self.runtime.findings.len();
        self.runtime.errors.add_unchecked(CallError::Cuda(error), self.site.clone(), None, before);
    }

    /// Records memory that this call allocated.
    fn record_allocation(&mut self, start: u64, kind: Kind, bytes: u64, name: impl Into<MemoryName>) {
        let now_ns = self.gpus.now_ns();
        let (name, made, context) = (name.into(), self.site.clone(), Some(self.runtime.current));
        let allocation = Allocation { start, bytes, kind, name, made, freed: None, context };
        self.runtime.allocations.insert_logged(allocation, now_ns);
    }

    /// Stops the program if it holds more memory of CUDA than it may.
    fn check_memory_limit(&self) -> Result<()> {
        let most = self.runtime.limits.allocated_bytes;
        if most == u64::MAX {
            return Ok(());
        }
        let all: u64 = self.runtime.allocations.live_sizes().fold(0, u64::saturating_add);
        if all <= most {
            return Ok(());
        }
        let call = self.site.what.to_string();
        Err(Failure::Limit(RunLimit::CudaMemory { call, bytes: all, most_bytes: most }))
    }

    /// Frees all memory and destroys all streams and events of a device.
    fn reset_device(&mut self, device: DeviceId) -> Result<()> {
        let its = |a: &&Allocation| match a.kind {
            Kind::Pinned | Kind::Managed => a.context == Some(device),
            kind => kind.device() == Some(device),
        };
        let alive = self.runtime.allocations.iter().filter(|a| a.freed.is_none()).filter(its);
        let alive: Vec<(u64, Kind)> = alive.map(|a| (a.start, a.kind)).collect();
        for (start, kind) in alive {
            // Variables go with the context and are created anew with the next one.
            if !matches!(kind, Kind::Variable(_)) {
                self.gpus.free(Address(start), &self.site)?;
            }
            self.mark_freed(start);
        }
        for id in self.runtime.streams.end_all(device, &self.site) {
            self.gpus.destroy_stream(id)?;
        }
        for event in self.runtime.events.destroy_all(|event| event.device == device, &self.site) {
            self.gpus.destroy_event(event.id)?;
        }
        self.runtime.objects.end_all(device, &self.site);
        self.runtime.pools.reset(device);
        self.gpus.reset(device)
    }
}

/// The rows of every file.
const FAMILIES: &[&[Row]] = &[
    array::CALLS,
    array_copy::CALLS,
    capture::CALLS,
    copy::CALLS,
    copy3d::CALLS,
    device::CALLS,
    driver::CALLS,
    driver::OF_RUNTIME,
    error::CALLS,
    event::CALLS,
    graph::CALLS,
    graph_exec::CALLS,
    graph_node::CALLS,
    kernel::CALLS,
    launch::CALLS,
    managed::CALLS,
    memory::CALLS,
    memset::CALLS,
    pool::CALLS,
    profiler::CALLS,
    stream::CALLS,
    symbol::CALLS,
    tensor_map::CALLS,
    texture::CALLS,
    thread::CALLS,
];

/// Returns the row of a call by its name.
pub fn row(name: &str) -> Option<&'static Row> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    let rows = BY_NAME.get_or_init(|| rows().map(|row| (row.name, row)).collect());
    rows.get(name).copied()
}

/// Returns all rows, with those of the libraries.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().chain(cuda_libs::FAMILIES).copied().flatten()
}
