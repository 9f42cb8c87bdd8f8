//! The environment of the host thread: the C library, the CUDA runtime, and memory that is not pageable.

mod environment;

use super::call::{Arguments, Call, Fact, HostSide, Row};
use super::libc::{self, Channel, Library, Output};
use super::runtime::errors::{CallError, Status};
use super::runtime::{Ended, Runtime, capture, row};
use super::thread::HostThread;
use crate::device::{CudaError, Failure, Gpus, HostCost, Result, Site};
use cpp::source_name;
use sim::{
    self, AccessKind, Address, BulkWork, CallPurpose, Fault, FaultKind, Finding, HostBlock, HostMemory,
    LimitReached, Request, SourceLocation, Stop, Use, is_host_pageable,
};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Exit status of a program that accessed memory it does not own, as a shell reports it: 128 plus the signal
/// number.
pub const SEGFAULT: i32 = 128 + 11;

/// Instructions charged against the run's instruction limit for one call, in proportion to the time it takes
/// this machine: for a call to the C library, and for a call to the CUDA runtime.
const LIBRARY_CALL_INSTRUCTIONS: u64 = 100;
const RUNTIME_CALL_INSTRUCTIONS: u64 = 3000;

/// Host accesses to a page of non-pageable memory after which the host thread caches the page. Fetching a
/// page and writing it back costs about as much as this many accesses.
const ACCESSES_TO_CACHE: u32 = 32;

/// Alignment, in bytes, of heap blocks that CUDA calls allocate for themselves.
const ALIGN: u64 = 16;

/// When to stop a program from outside: a cancellation flag and a deadline.
#[derive(Clone, Copy, Debug)]
pub struct Control<'a> {
    pub cancelled: &'a AtomicBool,
    /// The program is stopped at this instant; `None` means that there is no deadline.
    pub deadline: Option<Instant>,
}

impl Control<'_> {
    pub fn stop(&self) -> bool {
        self.cancelled.load(Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The implementation that handles a call.
#[derive(Clone, Copy)]
enum Callee {
    Runtime(&'static Row),
    Library(&'static libc::Row),
}

/// The state of a program other than its memory and its GPUs: the C library, the output, and the reasons to
/// stop.
pub struct HostState<'a> {
    pub library: Library,
    pub output: Output<'a>,
    pub control: Control<'a>,
    /// Indices of the module variables that are internal to the headers, such as the state of `std::cout`.
    pub header_variables: HashSet<u32>,
    callees: HashMap<u32, Callee>,
    /// Host instructions already charged to the program's clock.
    spent: u64,
    /// The part of `spent` that filled and copied memory in bulk.
    swept: BulkWork,
    /// Set while a host function runs on behalf of a stream, to the stack pointer at its entry: the
    /// function's own frame lies below. Such a function may not call CUDA.
    callback: Option<u64>,
    /// The C library function that is running; [`Request::Nothing`] outside one.
    in_library: Request,
    /// Why a host function called back by a stream ended the program.
    stop: Option<Stop>,
    /// Host accesses to each page of non-pageable memory since the last CUDA call, by the page's first
    /// address.
    accesses: HashMap<u64, u32>,
}

impl<'a> HostState<'a> {
    pub fn new(library: Library, output: Output<'a>, control: Control<'a>) -> HostState<'a> {
        HostState {
            library,
            output,
            control,
            header_variables: HashSet::new(),
            callees: HashMap::new(),
            spent: 0,
            swept: BulkWork::default(),
            callback: None,
            in_library: Request::Nothing,
            stop: None,
            accesses: HashMap::new(),
        }
    }

    fn callee(&mut self, call: &sim::Call) -> Option<Callee> {
        if let Some(known) = self.callees.get(&call.index) {
            return Some(*known);
        }
        let found = row(call.name).map(Callee::Runtime).or(libc::row(call.name).map(Callee::Library))?;
        self.callees.insert(call.index, found);
        Some(found)
    }
}

/// The environment of the host thread while no CUDA call is in progress.
pub struct World<'w, 'a> {
    pub gpus: &'w mut dyn Gpus,
    pub runtime: &'w mut Runtime,
    pub state: &'w mut HostState<'a>,
}

/// The host thread as a CUDA call sees it while that call is in progress.
struct Thread<'t, 'm, 'a> {
    engine: &'t mut sim::HostThread<'m>,
    state: &'t mut HostState<'a>,
}

impl HostThread for Thread<'_, '_, '_> {
    fn read(&mut self, address: u64, out: &mut [u8]) -> bool {
        self.engine.charge_bytes(out.len() as u64);
        self.engine.memory_mut().open_reserved(address, out.len() as u64);
        self.engine.memory().read(address, out).is_ok()
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.engine.charge_bytes(bytes.len() as u64);
        self.engine.memory_mut().open_reserved(address, bytes.len() as u64);
        self.engine.memory_mut().write(address, bytes).is_ok()
    }

    fn stray(&self, (address, bytes): (u64, u64), kind: AccessKind) -> Option<Finding> {
        let fault = self.engine.memory().slice(address, bytes).err()?;
        match (&fault.kind, self.engine.fault(fault.clone(), kind)) {
            (FaultKind::Elsewhere, _) => None,
            (_, Stop::Finding(finding)) => Some(*finding),
            _ => None,
        }
    }

    fn allocate(&mut self, bytes: u64) -> Option<u64> {
        self.engine.memory_mut().allocate(bytes, ALIGN).ok()
    }

    fn lend(&mut self, address: u64, bytes: u64) -> Option<(u64, Vec<u8>)> {
        self.engine.charge_bytes(bytes);
        self.engine.memory_mut().open_reserved(address, bytes);
        self.engine.memory_mut().lend(address, bytes)
    }

    fn take_back(&mut self, start: u64, contents: &[u8]) {
        self.engine.memory_mut().take_back(start, contents);
    }

    fn is_inner_local(&self, address: u64) -> bool {
        self.engine.memory().is_inner_local(address)
    }

    fn block(&self, address: u64) -> Option<HostBlock> {
        self.engine.memory().block(address)
    }

    fn accessible_bytes(&self, address: u64, bytes: u64) -> u64 {
        self.engine.memory().reach(address, bytes)
    }

    fn check_initialised(
        &mut self,
        range: (u64, u64),
        function: &str,
        gpus: &mut dyn Gpus,
        runtime: &mut Runtime,
    ) {
        let mut world = World { gpus, runtime, state: self.state };
        self.engine.check_initialised(&mut world, range, Use::GivenTo(function.into()));
    }

    fn call(
        &mut self,
        function: u64,
        argument: u64,
        gpus: &mut dyn Gpus,
        runtime: &mut Runtime,
    ) -> Result<()> {
        // The function's own frame lies below the current stack pointer.
        let own = self.engine.memory().stack_pointer();
        let outer = self.state.callback.replace(own);
        let observed = self.engine.memory_mut().observe(true);
        let mut world = World { gpus, runtime, state: self.state };
        let ran = self.engine.call(&mut world, function, &[argument]);
        self.engine.memory_mut().observe(observed);
        self.state.callback = outer;
        match ran {
            Ok(_) => Ok(()),
            Err(stop) => {
                self.state.stop.get_or_insert(stop);
                Err(Failure::Ended)
            }
        }
    }
}

impl World<'_, '_> {
    /// Charges the instructions executed since the last charge to the program's clock.
    pub fn charge(&mut self, engine: &sim::HostThread) {
        let all = engine.instructions();
        let new = all.saturating_sub(self.state.spent);
        if new > 0 {
            let (before, swept) = (self.state.swept, engine.swept());
            (self.state.spent, self.state.swept) = (all, swept);
            let by_library = swept.instructions - before.instructions;
            self.gpus.spend(HostCost::Instructions(new.saturating_sub(by_library)));
            self.gpus.spend(HostCost::Sweep { bytes: swept.bytes - before.bytes });
        }
    }

    /// Collects what the GPUs have reported since the last call: findings, and the output of kernels, which
    /// is printed.
    ///
    /// # Errors
    ///
    /// The program has printed more than it may, which stops it.
    pub fn collect(&mut self) -> Result<(), Stop> {
        self.runtime.add_findings(self.gpus.findings());
        let printed = self.gpus.output();
        if printed.is_empty() { Ok(()) } else { self.state.output.print(Channel::Stdout, &printed) }
    }

    /// Runs `act` with the GPUs and the host side that they call back into, outside a CUDA call.
    pub fn with_gpus<R>(
        &mut self,
        engine: &mut sim::HostThread,
        act: impl FnOnce(&mut dyn Gpus, &mut HostSide) -> R,
    ) -> R {
        let mut thread = Thread { engine, state: self.state };
        let mut side = HostSide { runtime: self.runtime, thread: &mut thread };
        act(self.gpus, &mut side)
    }

    /// Performs an access by the host's own code to memory that is not pageable: checks that the host may
    /// access it, then runs `act`.
    fn access(
        &mut self,
        engine: &mut sim::HostThread,
        address: u64,
        bytes: usize,
        kind: AccessKind,
        act: impl FnOnce(&mut dyn Gpus, &Site, &mut HostSide) -> Result<()>,
    ) -> Result<(), Stop> {
        if let Some(stop) = self.outside_allocations(engine, address, bytes, kind) {
            return Err(stop);
        }
        engine.write_back(self, address..address.saturating_add(bytes as u64));
        let site = self.site_of_access(engine);
        let done = self
            .runtime
            .host_may_use(address, bytes as u64, kind != AccessKind::Read, &site)
            .and_then(|()| self.with_gpus(engine, |gpus, host| act(gpus, &site, host)));
        done.map_err(|failure| self.stop(failure, site.location))
    }

    /// Counts a host access to a page. A page that is accessed often is cached by the host thread until its
    /// next CUDA call.
    fn count_access(&mut self, engine: &mut sim::HostThread, address: u64) {
        let page = HostMemory::page_around(address);
        let accesses = self.state.accesses.entry(page.start).or_default();
        *accesses += 1;
        let is_worth_it = *accesses >= ACCESSES_TO_CACHE && accesses.is_power_of_two();
        if !is_worth_it || self.state.callback.is_some() || is_host_pageable(address) {
            return;
        }
        let Some(its) = self.runtime.allocations.around(address) else { return };
        let range = page.start.max(its.start)..page.end.min(its.end());
        let simulated = self.gpus.simulated();
        if let Some(copy) = simulated.and_then(|gpus| gpus.host_copy(Address(address), range)) {
            engine.cache(self, copy.start, copy.contents, &copy.unwritten);
        }
    }

    /// Converts the failure that ended a CUDA call into the reason why the program stops.
    pub fn stop(&mut self, failure: Failure, line: Option<sim::SourceLocation>) -> Stop {
        match failure {
            Failure::Ended => match (self.state.stop.take(), &self.runtime.ended) {
                (Some(stop), _) => stop,
                (None, Some(Ended::HostMemory)) => Stop::Exit(SEGFAULT),
                (None, _) => {
                    self.runtime.add_findings(self.gpus.findings());
                    // No other reason is recorded, so the call was a wait that can never complete.
                    let last =
                        self.runtime.findings.pop_if(|f| f.kind == sim::FindingKind::CollectiveDeadlock);
                    match last {
                        // A thread that has not begun may be the one that calls for the other ranks.
                        Some(_) if self.runtime.streams.thread != 0 => {
                            let what = "host threads that wait for each other: here each runs where it is created, \
                                        to its end, and NCCL may wait for calls that other threads are to make";
                            Stop::Unsupported { what: what.into(), line }
                        }
                        Some(finding) => Stop::Finding(Box::new(finding)),
                        None => Stop::Cancelled,
                    }
                }
            },
            Failure::UndefinedFunction { name, line: at } => {
                Stop::UndefinedFunction { name, line: at.or(line) }
            }
            Failure::Unsupported { what, line: at } => Stop::Unsupported { what, line: at.or(line) },
            Failure::Cuda(error) => {
                let what = format!("{} where no call can return it", error.name());
                Stop::Unsupported { what, line }
            }
            Failure::Limit(limit) => Stop::Limit(LimitReached { line: line.map(|at| at.line), limit }),
            Failure::Environment(error) => {
                self.runtime.ended.get_or_insert(Ended::Environment(error));
                Stop::Cancelled
            }
        }
    }

    fn call_runtime(
        &mut self,
        engine: &mut sim::HostThread,
        call: &sim::Call,
        row: &Row,
    ) -> Result<(), Stop> {
        engine.write_back(self, 0..u64::MAX);
        self.state.accesses.clear();
        // A call may take long, and the engine's own check comes only every few hundred thousand
        // instructions.
        if self.state.control.stop() {
            return Err(Stop::Cancelled);
        }
        let location = engine.location();
        let first = (call.arguments() > 0 && call.bytes(0).len() == 8).then(|| call.u64(0));
        let source = &self.runtime.source;
        let discards = |at: &SourceLocation| source.is_discarded(at, row.name_in_source());
        self.runtime.calls.begin(row, location.as_ref(), first, discards);
        let site = Site { what: row.request(), location };
        self.gpus.spend(HostCost::Call);
        // The first of the two calls that a `<<<>>>` compiles to is not counted: a launch is one call.
        self.runtime.calls.count += u64::from(!row.is(Fact::BeginsLaunch));
        if row.returns_status() {
            self.runtime.errors.begin_call();
        }
        let answer = match self.refused(row) {
            Some(error) => {
                if let Some(buffer) = first.filter(|_| row.is(Fact::EndsLaunch)) {
                    self.runtime.launches.refuse(buffer);
                }
                self.record_result(row, Err(error.into()), site.clone())
            }
            None => {
                let parameters: Vec<&[u8]> = (0..call.arguments()).map(|n| call.bytes(n)).collect();
                let mut thread = Thread { engine, state: self.state };
                let mut its =
                    Call { gpus: self.gpus, runtime: self.runtime, thread: &mut thread, site: site.clone() };
                if row.returns_cuda_error() && !row.is(Fact::WithoutContext) {
                    its.context();
                }
                let answer = capture::guard(&mut its, row)
                    .and_then(|()| its.check_driver(row))
                    .and_then(|()| (row.run)(&mut its, &mut Arguments::new(&parameters)));
                // A launch has put the kernel's name in place of the call's.
                let site = its.site;
                if let Err(Failure::Cuda(_)) = answer {
                    self.leave_unfilled(engine, (row, &parameters), &site);
                }
                self.record_result(row, answer, site)
            }
        };
        if self.state.callback.is_none() {
            let tracks = self.gpus.simulated().is_some_and(|gpus| gpus.tracks_host_accesses());
            engine.memory_mut().observe(tracks);
        }
        self.collect()?;
        match answer {
            Ok(bits) => {
                engine.set_result_u64(bits);
                Ok(())
            }
            Err(failure) => Err(self.stop(failure, site.location)),
        }
    }

    /// Records that a failed call did not fill the memory that its first argument points to.
    fn leave_unfilled(
        &mut self,
        engine: &sim::HostThread<'_>,
        (row, parameters): (&Row, &[&[u8]]),
        site: &Site,
    ) {
        let number = |n: usize| Some(u64::from_le_bytes((*parameters.get(n)?).try_into().ok()?));
        let bytes = number(2).filter(|_| row.is(Fact::Purpose(CallPurpose::Copies))).unwrap_or(1);
        if let Some(to) = number(0).filter(|&to| engine.memory().block(to).is_some()) {
            self.runtime.unwritten.record_unfilled(to..to.saturating_add(bytes), site.location.clone());
        }
    }

    /// Returns the error with which a call is refused before it runs; `None` if it may run.
    fn refused(&mut self, row: &Row) -> Option<CudaError> {
        if !row.returns_cuda_error() {
            return None;
        }
        if self.state.callback.is_some() {
            return Some(CudaError::NotPermitted);
        }
        // Once the context is lost, only the calls that reset the device still run.
        self.runtime.errors.sticky().filter(|_| !row.is(Fact::Resets))
    }

    /// Turns a CUDA error into the number that the call returns. Sets the last error, and records whether the
    /// program can see the error at all.
    fn record_result(&mut self, row: &Row, answer: Result<u64>, site: Site) -> Result<u64> {
        let error = match answer {
            Err(Failure::Cuda(error)) if row.returns_cuda_error() => error,
            other => {
                if let Some(status) = other.as_ref().ok().and_then(|bits| row.refusal(*bits)) {
                    self.note_refusal(status, site);
                } else if row.returns_status() {
                    self.runtime.errors.note(None);
                }
                return other;
            }
        };
        // A query that answers "not ready" leaves the last error as it was, and so do the driver and CUB.
        if error != CudaError::NotReady && row.sets_last_error() {
            self.runtime.errors.set(error, site.clone());
        }
        self.runtime.errors.note(Some((CallError::Cuda(error), site.clone())));
        // `cudaErrorNotReady` is an ordinary answer to a query. From `cudaEventElapsedTime` it is an error; a
        // program that exits because of it is handled by `find_failed_call`.
        if error != CudaError::NotReady || row.is(Fact::NeedsReady) {
            let launch = site.what.kernel().is_some() && row.is(Fact::EndsLaunch);
            let name = match &site.what {
                Request::Call(function) => &function.name,
                _ => row.name,
            };
            let ignored = |at| self.runtime.source.is_discarded(at, name);
            if launch || site.location.as_ref().is_some_and(ignored) {
                let (why, before) = (self.runtime.errors.why().cloned(), self.runtime.findings.len());
                self.runtime.errors.add_unchecked(CallError::Cuda(error), site, why, before);
            }
        }
        Ok(error.number() as u64)
    }

    /// Records that a library call was refused: with which status, and whether the program can see it.
    fn note_refusal(&mut self, status: Status, site: Site) {
        let ignored = |at| self.runtime.source.is_discarded(at, site.what.function());
        if site.location.as_ref().is_some_and(ignored) {
            let (why, before) = (self.runtime.errors.why().cloned(), self.runtime.findings.len());
            self.runtime.errors.add_unchecked(CallError::Library(status), site.clone(), why, before);
        }
        let before = self.runtime.findings.len();
        self.runtime.errors.add_refused(CallError::Library(status), site.clone(), before);
        self.runtime.errors.note(Some((CallError::Library(status), site)));
    }

    fn site(engine: &sim::HostThread) -> Site {
        Site { what: Request::Nothing, location: engine.location() }
    }

    /// As [`World::site`], with the C library function that is running as the request.
    fn site_of_access(&self, engine: &sim::HostThread) -> Site {
        Site { what: self.state.in_library.clone(), location: engine.location() }
    }

    /// Returns the fault of an access outside every CUDA allocation; `None` if the address lies in one.
    fn outside_allocations(
        &self,
        engine: &sim::HostThread,
        address: u64,
        bytes: usize,
        kind: AccessKind,
    ) -> Option<Stop> {
        if self.runtime.allocations.around(address).is_some() {
            return None;
        }
        let bytes = bytes as u64;
        Some(engine.fault(Fault { kind: FaultKind::Elsewhere, address, bytes }, kind))
    }
}

/// Returns the name under which programs call a function of the C library.
fn name_of(function: &str) -> String {
    match function {
        "vprintf" => "printf".into(),
        other => source_name(other).trim_start_matches("__gpulearn_").into(),
    }
}
