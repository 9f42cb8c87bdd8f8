//! Calls functions of a program directly, instead of its `main`, with buffers that are allocated for them.

use super::compiled_program::Program;
use super::host::World;
use super::libc::Sink;
use super::run::{Ran, Settings, initialise, prepare, process};
use super::runtime::allocations::{Allocation, Kind};
use crate::device::{Copy, CopyShape, Counter, CountingGpus, Gpus, Site, StreamId, Tally, WaitTarget, Work};
use serde::{Deserialize, Serialize};
use sim::{Address, HostThread, Request, RunLimit, Stop};

/// The kind of memory of a buffer that is passed to a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// Pageable host memory, as from `malloc`.
    #[default]
    Host,
    /// Page-locked host memory, as from `cudaMallocHost`.
    Pinned,
    /// Memory of device 0, as from `cudaMalloc`.
    Device,
    /// Managed memory, as from `cudaMallocManaged`.
    Managed,
}

/// A buffer that the called functions use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallBuffer {
    /// The buffer's name in findings.
    pub name: String,
    pub memory: MemoryKind,
    /// Initial contents. A buffer that is not `filled` counts as never written where the memory can tell;
    /// pageable memory holds these bytes all the same.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    pub filled: bool,
    /// Whether a kernel that writes to the buffer is a finding.
    pub read_only: bool,
}

/// A call of one function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    /// Name of the function in the PTX.
    pub symbol: String,
    pub arguments: Vec<CallArg>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallArg {
    /// The address of a buffer, by its index in the list of buffers.
    CallBuffer(usize),
    /// The bits of a number.
    Bits(u64),
}

/// The contents of a buffer after the calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferAfter {
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// For each byte, whether it was ever written; `None` if the memory cannot tell.
    pub written: Option<Vec<bool>>,
}

/// The result of the calls.
#[derive(Debug)]
pub struct InvocationResult {
    pub ran: Ran,
    /// Whether every call returned.
    pub returned: bool,
    /// One entry for each buffer if every call returned, else empty; `None` for memory that the program
    /// freed.
    pub left: Vec<Option<BufferAfter>>,
    pub tally: Tally,
}

/// Allocates the buffers on device 0, calls the functions one after the other, and returns the contents of
/// the buffers.
///
/// The context of the device is created and the kernels are loaded beforehand, so the modelled time is that
/// from the first call to the completion of all work.
pub fn invoke(
    program: &Program,
    gpus: &mut dyn Gpus,
    settings: &Settings,
    sink: &mut dyn Sink,
    buffers: &[CallBuffer],
    calls: &[Invocation],
) -> InvocationResult {
    let mut gpus = CountingGpus::new(gpus);
    let counter = gpus.counter();
    let (mut returned, mut left) = (false, Vec::new());
    let ran = process(program, &mut gpus, settings, sink, |world, engine| {
        prepare(program, world, engine)?;
        world.runtime.make_context(0, world.gpus);
        world.gpus.load_kernels();
        initialise(program, world, engine)?;
        let mut setup = BufferSetup { counter, begun_ns: 0, calls: 0 };
        let addresses = buffers.iter().map(|buffer| BufferSetup::allocate(world, engine, buffer));
        let addresses: Vec<u64> = addresses.collect::<Result<_, _>>()?;
        setup.begin(world, engine)?;
        for call in calls {
            let bits = call.arguments.iter().map(|argument| match argument {
                CallArg::CallBuffer(n) => addresses.get(*n).copied().unwrap_or(0),
                CallArg::Bits(bits) => *bits,
            });
            let bits: Vec<u64> = bits.collect();
            engine.run(world, &call.symbol, &bits).inspect_err(|_| forget(world, buffers, &addresses))?;
        }
        setup.end(world, engine, buffers, &addresses, &mut left)?;
        returned = true;
        Ok(Some(0))
    });
    let tally = gpus.counter().get().clone();
    InvocationResult { ran, returned, left, tally }
}

struct BufferSetup {
    counter: Counter,
    begun_ns: u64,
    /// Calls to CUDA before the first of the program's own.
    calls: u64,
}

/// The site that findings name for accesses to the buffers by the caller.
fn site() -> Site {
    Site { what: Request::Caller, location: None }
}

impl BufferSetup {
    fn allocate(world: &mut World, engine: &mut HostThread, buffer: &CallBuffer) -> Result<u64, Stop> {
        let bytes = buffer.bytes.len() as u64;
        let kind = match buffer.memory {
            MemoryKind::Host => return on_host(engine, &buffer.name, &buffer.bytes),
            MemoryKind::Pinned => Kind::Pinned,
            MemoryKind::Device => Kind::Device(0),
            MemoryKind::Managed => Kind::Managed,
        };
        let made = world.gpus.allocate(kind.space(), bytes, &buffer.name, &site());
        let address = made.map_err(|failure| world.stop(failure, None))?;
        world.runtime.allocations.insert(Allocation {
            start: address.0,
            bytes,
            kind,
            name: buffer.name.as_str().into(),
            made: site(),
            freed: None,
            context: Some(0),
        });
        // A real GPU cannot tell which bytes were never written. There, a buffer that is not filled is given
        // these bytes too, and a byte that still has its initial value counts as not written.
        if buffer.filled || world.gpus.simulated().is_none() {
            match buffer.memory {
                MemoryKind::Device => {
                    let staged = on_host(engine, &buffer.name, &buffer.bytes)?;
                    copy(world, engine, address.0, staged, bytes)?;
                    let _ = engine.memory_mut().free(staged);
                }
                _ => {
                    let stored = world.gpus.host_store(address, &buffer.bytes, &site());
                    stored.map_err(|failure| world.stop(failure, None))?;
                }
            }
        }
        if buffer.read_only
            && let Some(simulated) = world.gpus.simulated()
        {
            simulated.set_read_only(address);
        }
        Ok(address.0)
    }

    /// Starts the clock and the counters.
    fn begin(&mut self, world: &mut World, engine: &mut HostThread) -> Result<(), Stop> {
        wait_for_all(world, engine)?;
        self.counter.change().begin();
        let calls = &mut world.runtime.calls;
        (self.calls, calls.unchecked_launches, calls.launched) = (calls.count, 0, false);
        self.begun_ns = world.gpus.now_ns();
        Ok(())
    }

    /// Reads the buffers that the host can access, without waiting, as a caller would that continues at once;
    /// then waits for all work and reads the buffers in device memory.
    fn end(
        &mut self,
        world: &mut World,
        engine: &mut HostThread,
        buffers: &[CallBuffer],
        addresses: &[u64],
        left: &mut Vec<Option<BufferAfter>>,
    ) -> Result<(), Stop> {
        world.charge(engine);
        let mut tally = self.counter.get().clone();
        let known = world.gpus.simulated().is_none_or(|gpus| gpus.results_are_known());
        tally.unfinished_returns = u64::from(!known);
        let calls = &world.runtime.calls;
        tally.host_calls = calls.count - self.calls;
        tally.unchecked_launches = calls.unchecked_launches + u64::from(calls.launched);
        left.extend(buffers.iter().map(|_| None));
        let all = || buffers.iter().zip(addresses);
        for ((buffer, &address), left) in all().zip(left.iter_mut()) {
            let mut bytes = vec![0; buffer.bytes.len()];
            let read = match buffer.memory {
                MemoryKind::Device => continue,
                MemoryKind::Host if engine.memory().read(address, &mut bytes).is_ok() => true,
                // Pageable memory that the program has registered since is read as pinned memory.
                _ if is_gone(world, address) => false,
                _ => {
                    let loaded = world.gpus.host_load(Address(address), &mut bytes, &site());
                    loaded.map_err(|failure| world.stop(failure, None))?;
                    true
                }
            };
            let written =
                (buffer.memory != MemoryKind::Host).then(|| written(world, address, buffer)).flatten();
            *left = read.then_some(BufferAfter { bytes, written });
        }
        wait_for_all(world, engine)?;
        tally.modelled_ns = world.gpus.now_ns().saturating_sub(self.begun_ns);
        for ((buffer, &address), left) in all().zip(left.iter_mut()) {
            if buffer.memory == MemoryKind::Device && !is_gone(world, address) {
                let staged = on_host(engine, &buffer.name, &buffer.bytes)?;
                copy(world, engine, staged, address, buffer.bytes.len() as u64)?;
                let mut bytes = vec![0; buffer.bytes.len()];
                let read = engine.memory().read(staged, &mut bytes).is_ok();
                let written = written(world, address, buffer);
                *left = read.then_some(BufferAfter { bytes, written });
                let _ = engine.memory_mut().free(staged);
            }
        }
        forget(world, buffers, addresses);
        *self.counter.change() = tally;
        Ok(())
    }
}

/// Marks the buffers as freed: memory of the caller is no leak of the program.
fn forget(world: &mut World, buffers: &[CallBuffer], addresses: &[u64]) {
    for (buffer, &address) in buffers.iter().zip(addresses) {
        if buffer.memory != MemoryKind::Host {
            world.runtime.allocations.free(address, site());
        }
    }
}

fn written(world: &mut World, address: u64, buffer: &CallBuffer) -> Option<Vec<bool>> {
    let found = world.gpus.simulated()?.written(Address(address), buffer.bytes.len() as u64);
    Some((0..buffer.bytes.len() as u64).map(|byte| found.contains(byte, 1)).collect())
}

/// Returns whether the program freed a buffer of the caller.
fn is_gone(world: &World, address: u64) -> bool {
    world.runtime.allocations.around(address).is_none_or(|found| found.freed.is_some())
}

fn on_host(engine: &mut HostThread, name: &str, bytes: &[u8]) -> Result<u64, Stop> {
    let refused = |_| Stop::Limit(RunLimit::Buffer { name: name.into() }.into());
    let address = engine.memory_mut().allocate_named(name, bytes.len() as u64).map_err(refused)?;
    engine.memory_mut().write(address, bytes).map_err(refused)?;
    Ok(address)
}

fn copy(world: &mut World, engine: &mut HostThread, dst: u64, src: u64, bytes: u64) -> Result<(), Stop> {
    let (dst, src) = (Address(dst), Address(src));
    let work = Work::Copy(Copy { dst, src, shape: CopyShape::linear(bytes), blocking: true });
    let done = world.with_gpus(engine, |gpus, host| gpus.enqueue(StreamId::legacy(0), work, &site(), host));
    match done {
        // An error of earlier work, which the program has seen or will see.
        Err(crate::device::Failure::Cuda(_)) | Ok(()) => Ok(()),
        Err(failure) => Err(world.stop(failure, None)),
    }
}

fn wait_for_all(world: &mut World, engine: &mut HostThread) -> Result<(), Stop> {
    for device in 0..world.gpus.count() {
        let waited =
            world.with_gpus(engine, |gpus, host| gpus.wait(WaitTarget::Device(device), &site(), host));
        match waited {
            Err(crate::device::Failure::Cuda(_)) | Ok(()) => {}
            Err(failure) => return Err(world.stop(failure, None)),
        }
    }
    world.collect()
}
