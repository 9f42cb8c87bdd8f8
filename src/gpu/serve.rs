//! The worker's main loop: reads requests, uses the GPU, and replies, until the parent goes away.

use super::buffer::Buffer;
use super::checks::Checks;
use super::driver::{Driver, Memory, Module, pin, synchronise};
use super::failure::failed;
use super::output::{self, Printed};
use super::protocol::{LaunchRequest, Piece, Ran, Reply, Request, Result, Timed};
use super::shared::Shared;
use super::{nvml, timing};
use compiler::wire;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;

/// Answers requests until the input ends.
///
/// # Errors
///
/// Fails if the standard streams can't be redirected, the shared memory can't be mapped, or a reply can't be written.
pub fn serve() -> io::Result<()> {
    // SAFETY: descriptor 0 is the parent's pipe, and nothing else reads it.
    let mut input = io::BufReader::new(unsafe { File::from_raw_fd(0) });
    let (mut answers, printed) = Printed::redirect_stdout()?;
    let shared = Shared::map(&output::take_shared()?)?;
    let mut worker = Worker { driver: None, loaded: None, printed, shared, pinned: false };
    // The parent ends a worker by closing the pipe, or by killing it.
    while let Ok(request) = wire::decode::<Request>(&mut input) {
        let reply = worker.answer(request).unwrap_or_else(Reply::Failed);
        answers.write_all(&wire::encode(&reply)?)?;
        answers.flush()?;
    }
    Ok(())
}

struct Worker {
    driver: Option<Driver>,
    loaded: Option<LoadedContext>,
    printed: Printed,
    /// Memory through which the contents of buffers travel to and from the parent.
    shared: Shared,
    pinned: bool,
}

/// A context with code loaded in it.
struct LoadedContext {
    device: u32,
    cubin: Vec<u8>,
    /// One module for the first run of every launch and one for the second, so that their variables are
    /// separate.
    modules: [Module; 2],
    checks: Checks,
    buffers: Vec<Buffer>,
    /// Scratch memory as large as the largest buffer so far.
    scratch: Option<Memory>,
    tools: timing::Tools,
}

impl LoadedContext {
    fn load(cubin: &[u8]) -> Result<[Module; 2]> {
        Ok([Module::load(cubin)?, Module::load(cubin)?])
    }

    fn fresh(&mut self) -> Result<()> {
        self.buffers.clear();
        self.scratch = None;
        self.modules = LoadedContext::load(&self.cubin)?;
        Ok(())
    }

    /// Exchanges the buffers' contents visible to kernels with those of the other run.
    fn exchange(&mut self) -> Result<()> {
        let largest = self.buffers.iter().map(Buffer::whole_bytes).max().unwrap_or(0);
        let scratch = match self.scratch.take() {
            Some(scratch) if scratch.bytes >= largest => scratch,
            _ => Memory::new(largest)?,
        };
        self.buffers.iter().try_for_each(|buffer| buffer.exchange(&scratch))?;
        self.scratch = Some(scratch);
        // Copies within the device are asynchronous.
        synchronise()
    }
}

fn buffer_at(buffers: &mut [Buffer], address: u64) -> Result<&mut Buffer> {
    let buffer = buffers.iter_mut().find(|buffer| buffer.address() == address);
    buffer.ok_or_else(|| failed("cuMemcpy", "no such buffer"))
}

impl Worker {
    fn driver(&mut self) -> Result<&Driver> {
        match &mut self.driver {
            Some(driver) => Ok(driver),
            none => Ok(none.insert(Driver::load()?)),
        }
    }

    fn loaded(&mut self) -> Result<&mut LoadedContext> {
        self.loaded.as_mut().ok_or_else(|| failed("open", "nothing was loaded"))
    }

    fn answer(&mut self, request: Request) -> Result<Reply> {
        match request {
            Request::Hello => Ok(Reply::Machine(self.driver()?.machine()?)),
            Request::Open { device, cubin, checks } => {
                self.driver()?.enter(device)?;
                if !std::mem::replace(&mut self.pinned, true) {
                    pin(self.shared.bytes());
                }
                self.loaded = None;
                self.loaded = Some(LoadedContext {
                    device,
                    modules: LoadedContext::load(&cubin)?,
                    checks: Checks::load(&checks)?,
                    cubin,
                    buffers: Vec::new(),
                    scratch: None,
                    tools: timing::Tools::default(),
                });
                Ok(Reply::Done)
            }
            Request::Close => {
                self.loaded = None;
                Ok(Reply::Done)
            }
            Request::Fresh => {
                self.loaded()?.fresh()?;
                Ok(Reply::Done)
            }
            Request::Allocate { bytes } => {
                let loaded = self.loaded()?;
                let buffer = Buffer::new(bytes)?;
                let address = buffer.address();
                loaded.buffers.push(buffer);
                Ok(Reply::Address(address))
            }
            Request::SetReadOnly { address } => {
                buffer_at(&mut self.loaded()?.buffers, address)?.set_read_only();
                Ok(Reply::Done)
            }
            Request::Write(piece) => self.piece(piece, |buffer, offset, bytes| buffer.write(offset, bytes)),
            Request::Read(piece) => self.piece(piece, |buffer, offset, bytes| buffer.read(offset, bytes)),
            Request::Written(piece) => {
                self.piece(piece, |buffer, offset, bytes| buffer.written(offset, bytes))
            }
            Request::IsAllWritten { address } => {
                let loaded = self.loaded()?;
                let checks = &loaded.checks;
                Ok(Reply::Whether(buffer_at(&mut loaded.buffers, address)?.is_all_written(checks)?))
            }
            Request::Launch(launch) => Ok(Reply::Ran(self.launch(&launch)?)),
            Request::Time(timing) => {
                let (cuda, _) = self.driver()?.release();
                let loaded = self.loaded()?;
                let samples_ns =
                    timing::time(&loaded.modules[0], &timing, (loaded.device, cuda), &mut loaded.tools)?;
                let clocks = nvml::clocks(loaded.device);
                drop(self.printed.take());
                Ok(Reply::Timed(Timed { samples_ns, clocks }))
            }
            Request::Occupancy(launch) => {
                Ok(Reply::Blocks(self.loaded()?.modules[0].kernel(&launch.symbol)?.occupancy(&launch)?))
            }
        }
    }

    /// Copies a piece of a buffer to or from shared memory.
    fn piece(
        &mut self,
        piece: Piece,
        act: impl FnOnce(&mut Buffer, usize, &mut [u8]) -> Result<()>,
    ) -> Result<Reply> {
        let offset = usize::try_from(piece.offset).unwrap_or(usize::MAX);
        let Some(bytes) = self.shared.bytes().get_mut(..piece.bytes as usize) else {
            return Err(failed("cuMemcpy", "more bytes than shared memory has"));
        };
        let loaded = self.loaded.as_mut().ok_or_else(|| failed("open", "nothing was loaded"))?;
        act(buffer_at(&mut loaded.buffers, piece.address)?, offset, bytes)?;
        Ok(Reply::Done)
    }

    /// Runs a kernel twice, each time with that run's poison.
    fn launch(&mut self, launch: &LaunchRequest) -> Result<Ran> {
        let loaded = self.loaded()?;
        loaded.modules[0].kernel(&launch.symbol)?.launch(launch, None)?;
        synchronise()?;
        let mut ran = Ran { output: self.printed.take(), ..Ran::default() };
        let loaded = self.loaded()?;
        loaded.exchange()?;
        loaded.modules[1].kernel(&launch.symbol)?.launch(launch, None)?;
        synchronise()?;
        loaded.exchange()?;
        for buffer in &loaded.buffers {
            ran.strays.extend(buffer.strays()?);
            if buffer.is_changed(&loaded.checks)? {
                ran.changed.push(buffer.address());
            }
        }
        drop(self.printed.take());
        Ok(ran)
    }
}
