//! What the host thread's interpreter and the C library ask of a program's world.

use super::{Callee, LIBRARY_CALL_INSTRUCTIONS, RUNTIME_CALL_INSTRUCTIONS, World, name_of};
use crate::device::{HostCost, Site};
use crate::program::libc::{self, Channel, Context, clock_ticks};
use crate::program::runtime::findings::side;
use sim::{AccessKind, Act, Address, Evidence, Request, Stop, Use};
use std::ops::Range;
use std::sync::Arc;

impl sim::Environment for World<'_, '_> {
    fn call(&mut self, engine: &mut sim::HostThread<'_>, call: &sim::Call<'_>) -> Result<(), Stop> {
        self.charge(engine);
        match self.state.callee(call) {
            Some(Callee::Runtime(row)) => {
                engine.charge(RUNTIME_CALL_INSTRUCTIONS);
                self.call_runtime(engine, call, row)
            }
            Some(Callee::Library(row)) => {
                engine.charge(LIBRARY_CALL_INSTRUCTIONS);
                // The library is given this world, so it is taken out of it for the duration of the call.
                let mut library = std::mem::take(&mut self.state.library);
                let running = Request::Call(name_of(call.name).as_str().into());
                let outer = std::mem::replace(&mut self.state.in_library, running);
                let mut context = Context { library: &mut library, world: self, thread: engine, call };
                let ran = (row.run)(&mut context);
                self.state.in_library = outer;
                self.state.library = library;
                ran.map_err(|stop| match stop {
                    Stop::Limit(reached) => engine.limit(reached),
                    other => other,
                })
            }
            None => Err(Stop::UndefinedFunction { name: call.name.into(), line: engine.location() }),
        }
    }

    fn observe(&mut self, engine: &sim::HostThread<'_>, address: u64, bytes: u64, kind: AccessKind) {
        let own = self.state.callback.is_some_and(|below| engine.memory().is_on_stack(address, below));
        // Accesses to variables internal to the headers, such as the state of std::cout, are not reported.
        let header_variables = || {
            let found = engine.memory().variable(address);
            found.is_some_and(|(index, _)| self.state.header_variables.contains(&index))
        };
        if !own
            && !header_variables()
            && let Some(simulated) = self.gpus.simulated()
        {
            simulated.record_host_access(Address(address), bytes, kind, &Self::site(engine));
        }
    }

    fn observe_strong(
        &mut self,
        engine: &mut sim::HostThread<'_>,
        address: u64,
        kind: AccessKind,
    ) -> Result<(), Stop> {
        let done = self.with_gpus(engine, |gpus, host| {
            gpus.simulated().map_or(Ok(()), |gpus| gpus.signal(Address(address), kind, host))
        });
        done.map_err(|failure| self.stop(failure, engine.location()))
    }

    fn copied_onto_itself(&mut self, engine: &sim::HostThread<'_>) {
        // Only a `memcpy` in the source is reported: a loop written by hand may overlap on purpose.
        let at = engine.location();
        if at.is_some_and(|at| self.runtime.source.file_of(&at).line_contains(&at, "memcpy")) {
            let site = self.site_of_access(engine);
            let at = side(Act::CopyOverlaps, &site.location);
            self.runtime.find(sim::FindingKind::CopyOverlap, at, None, Vec::new());
        }
    }

    fn clock(&mut self, engine: &sim::HostThread<'_>, nanoseconds: bool) -> u64 {
        self.charge(engine);
        let now_ns = self.gpus.now_ns();
        if nanoseconds { now_ns } else { clock_ticks(now_ns) }
    }

    fn load(&mut self, engine: &mut sim::HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        self.access(engine, address, out.len(), AccessKind::Read, |gpus, site, _| {
            gpus.host_load(Address(address), out, site)
        })?;
        self.count_access(engine, address);
        Ok(())
    }

    fn store(&mut self, engine: &mut sim::HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.access(engine, address, bytes.len(), AccessKind::Write, |gpus, site, _| {
            gpus.host_store(Address(address), bytes, site)
        })?;
        self.count_access(engine, address);
        Ok(())
    }

    fn write_back(&mut self, address: u64, bytes: &[u8]) {
        // A range that could be cached is writable, and writing it back reports nothing.
        let _ = self.gpus.host_store(Address(address), bytes, &Site::default());
    }

    fn load_strong(
        &mut self,
        engine: &mut sim::HostThread<'_>,
        address: u64,
        out: &mut [u8],
    ) -> Result<(), Stop> {
        self.access(engine, address, out.len(), AccessKind::Read, |gpus, site, host| {
            gpus.host_load_strong(Address(address), out, site, host)
        })
    }

    fn store_strong(
        &mut self,
        engine: &mut sim::HostThread<'_>,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), Stop> {
        self.access(engine, address, bytes.len(), AccessKind::Write, |gpus, site, _| {
            gpus.host_store_strong(Address(address), bytes, site)
        })
    }

    fn unwritten(&mut self, address: u64, bytes: u64) -> Vec<Range<u64>> {
        self.gpus.simulated().map_or_else(Vec::new, |gpus| gpus.without_value(Address(address), bytes))
    }

    fn found(&mut self, _: &sim::HostThread<'_>, mut finding: sim::Finding, address: Option<u64>) {
        if let Some(address) = address
            && let Some(its) = self.runtime.allocations.around(address)
        {
            finding.at.target = its.target(address);
            let bytes = finding.at.bytes.into();
            let line = self.gpus.simulated().and_then(|gpus| gpus.stored_in(Address(address), bytes));
            finding.evidence.extend(line.map(|line| Evidence::StoredWithoutValue { line, all: true }));
        }
        self.runtime.unwritten.found(finding, address);
    }

    fn name_of(&self, function: &str) -> String {
        name_of(function)
    }

    fn accessible_bytes(&mut self, _: &sim::HostThread<'_>, address: u64, bytes: u64, write: bool) -> u64 {
        let bytes = bytes.min(self.runtime.allocations.visible_from(address));
        match self.gpus.simulated() {
            Some(simulated) if bytes > 0 => simulated.uniform_access_bytes(Address(address), bytes, write),
            _ => bytes,
        }
    }

    fn cancelled(&self) -> bool {
        self.state.control.stop()
    }
}

impl libc::World for World<'_, '_> {
    fn load(&mut self, thread: &mut sim::HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        sim::Environment::load(self, thread, address, out)
    }

    fn store(&mut self, thread: &mut sim::HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        sim::Environment::store(self, thread, address, bytes)
    }

    fn unwritten(&mut self, thread: &mut sim::HostThread<'_>, address: u64, bytes: u64) -> Vec<Range<u64>> {
        thread.write_back(self, address..address.saturating_add(bytes));
        sim::Environment::unwritten(self, address, bytes)
    }

    fn check_initialised(&mut self, thread: &mut sim::HostThread<'_>, place: (u64, u64), used: Use) {
        thread.check_initialised(self, place, used);
    }

    fn local_array(&self, thread: &sim::HostThread<'_>, argument: usize) -> Option<(Arc<str>, u64)> {
        /// Calls on one line whose arguments must agree: which of them runs is not known.
        const TURNS: usize = 4;
        let (at, function) = (thread.location()?, self.state.in_library.function());
        let source = self.runtime.source.file_of(&at);
        let array = |turn: usize| source.local_array(&at, function, argument, turn);
        let (name, bytes) = array(0)?;
        (1..TURNS).all(|turn| array(turn) == Some((name, bytes))).then(|| (name.into(), bytes))
    }

    fn frees(&mut self, thread: &sim::HostThread<'_>, address: u64) {
        if let Some(block) = thread.memory().block(address) {
            self.runtime.freed_by_host(block.start, block.bytes, &thread.location());
        }
    }

    fn finds(&mut self, finding: sim::Finding) {
        self.runtime.find(finding.kind, finding.at, None, finding.evidence);
    }

    fn count_output(&mut self, bytes: u64) -> Result<(), Stop> {
        self.state.output.count(bytes, true)
    }

    fn print(&mut self, channel: Channel, bytes: &[u8]) -> Result<(), Stop> {
        self.state.output.print(channel, bytes)
    }

    fn now_ns(&mut self) -> u64 {
        self.gpus.record_clock_read();
        self.gpus.now_ns()
    }

    fn sleep_ns(&mut self, ns: u64) {
        self.gpus.spend(HostCost::Sleep { ns });
    }
}
