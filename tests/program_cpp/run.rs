//! Runs a program's host code with the C library around it and nothing else.

use gpulearn::host::program::libc::{self, Channel, Context, Library, World};
use gpulearn::sim::{AccessKind, Call, Environment, Fault, FaultKind, HostLimits, HostThread, Module, Stop};

#[derive(Default)]
struct Surroundings {
    library: Library,
    world: Printed,
}

/// What a program printed, and its clock: a microsecond a look.
#[derive(Default)]
struct Printed {
    output: Vec<u8>,
    errors: Vec<u8>,
    now_ns: u64,
}

fn nowhere(thread: &HostThread, address: u64, bytes: usize, kind: AccessKind) -> Stop {
    thread.fault(Fault { kind: FaultKind::Elsewhere, address, bytes: bytes as u64 }, kind)
}

impl World for Printed {
    fn load(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        Err(nowhere(thread, address, out.len(), AccessKind::Read))
    }

    fn store(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        Err(nowhere(thread, address, bytes.len(), AccessKind::Write))
    }

    fn count_output(&mut self, _: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn print(&mut self, channel: Channel, bytes: &[u8]) -> Result<(), Stop> {
        let to = if channel == Channel::Stdout { &mut self.output } else { &mut self.errors };
        to.extend_from_slice(bytes);
        Ok(())
    }

    fn now_ns(&mut self) -> u64 {
        self.now_ns += 1000;
        self.now_ns
    }

    fn sleep_ns(&mut self, ns: u64) {
        self.now_ns += ns;
    }
}

impl Environment for Surroundings {
    fn call(&mut self, thread: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop> {
        let Some(row) = libc::row(call.name) else {
            return Err(Stop::Unsupported { what: call.name.to_owned(), line: thread.location() });
        };
        (row.run)(&mut Context { library: &mut self.library, world: &mut self.world, thread, call })
    }

    fn load(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        self.world.load(thread, address, out)
    }

    fn store(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.world.store(thread, address, bytes)
    }
}

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    pub output: String,
    pub errors: String,
    pub result: Result<u64, Stop>,
}

/// Runs `main` of a compiled program to its end.
pub fn run(ptx: &str) -> Ran {
    let module = Module::parse(ptx).expect("PTX of the compiler");
    let mut thread = HostThread::new(&module, HostLimits::default()).expect("variables fit");
    let mut surroundings = Surroundings::default();
    let result = thread.run(&mut surroundings, "main", &[]);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { output: text(surroundings.world.output), errors: text(surroundings.world.errors), result }
}
