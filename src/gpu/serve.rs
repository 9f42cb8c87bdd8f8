//! What the worker does with the GPU: requests in, answers out, until the parent goes.

use super::buffer::Buffer;
use super::driver::{Driver, Memory, Module, failed, synchronise};
use super::output::Printed;
use super::protocol::{Failed, Launch, Ran, Reply, Request, Timed};
use super::{nvml, timing};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;

/// Answers until the input ends.
pub fn serve() -> io::Result<()> {
    // SAFETY: descriptor 0 is the parent's pipe, and nothing else reads it.
    let mut input = io::BufReader::new(unsafe { File::from_raw_fd(0) });
    let (mut answers, printed) = Printed::take_apart()?;
    let mut worker = Worker { driver: None, opened: None, printed };
    // The parent ends a worker by closing the pipe, or by killing it.
    while let Ok(request) = Request::decode(&mut input) {
        let reply = worker.answer(request).unwrap_or_else(Reply::Failed);
        answers.write_all(&reply.encode())?;
        answers.flush()?;
    }
    Ok(())
}

struct Worker {
    driver: Option<Driver>,
    opened: Option<Opened>,
    printed: Printed,
}

/// A context with code in it.
struct Opened {
    device: u32,
    cubin: Vec<u8>,
    /// For the first run of every launch and for the second: their variables are apart.
    modules: [Module; 2],
    buffers: Vec<Buffer>,
    tools: timing::Tools,
}

impl Opened {
    fn load(cubin: &[u8]) -> Result<[Module; 2], Failed> {
        Ok([Module::load(cubin)?, Module::load(cubin)?])
    }

    fn fresh(&mut self) -> Result<(), Failed> {
        self.buffers.clear();
        self.modules = Opened::load(&self.cubin)?;
        Ok(())
    }
}

impl Worker {
    fn driver(&mut self) -> Result<&Driver, Failed> {
        match &mut self.driver {
            Some(driver) => Ok(driver),
            none => Ok(none.insert(Driver::load()?)),
        }
    }

    fn opened(&mut self) -> Result<&mut Opened, Failed> {
        self.opened.as_mut().ok_or_else(|| failed("open", "nothing was loaded before"))
    }

    fn answer(&mut self, request: Request) -> Result<Reply, Failed> {
        match request {
            Request::Hello => Ok(Reply::Machine(self.driver()?.machine()?)),
            Request::Open { device, cubin } => {
                self.driver()?.enter(device)?;
                self.opened = None;
                let modules = Opened::load(&cubin)?;
                self.opened = Some(Opened {
                    device,
                    cubin,
                    modules,
                    buffers: Vec::new(),
                    tools: timing::Tools::default(),
                });
                Ok(Reply::Done)
            }
            Request::Close => {
                self.opened = None;
                Ok(Reply::Done)
            }
            Request::Fresh => {
                self.opened()?.fresh()?;
                Ok(Reply::Done)
            }
            Request::Allocate { bytes } => {
                let opened = self.opened()?;
                let buffer = Buffer::new(bytes)?;
                let address = buffer.address();
                opened.buffers.push(buffer);
                Ok(Reply::Address(address))
            }
            Request::Write { address, bytes } => {
                let mut buffers = self.opened()?.buffers.iter_mut();
                let buffer = buffers.find(|buffer| buffer.address() == address);
                buffer.ok_or_else(|| failed("cuMemcpyHtoD", "no such buffer"))?.write(&bytes)?;
                Ok(Reply::Done)
            }
            Request::Launch(launch) => Ok(Reply::Ran(self.launch(&launch)?)),
            Request::Time(timing) => {
                let (cuda, _) = self.driver()?.release();
                let opened = self.opened()?;
                let samples_ns = timing::time(&opened.modules[0], &timing, cuda, &mut opened.tools)?;
                let clocks = nvml::clocks(opened.device);
                drop(self.printed.take());
                Ok(Reply::Timed(Timed { samples_ns, clocks }))
            }
            Request::Occupancy(launch) => {
                Ok(Reply::Blocks(self.opened()?.modules[0].kernel(&launch.symbol)?.occupancy(&launch)?))
            }
            Request::Contents => {
                let contents = self.opened()?.buffers.iter().map(|buffer| Ok(buffer.content()?.0));
                Ok(Reply::Ran(Ran { contents: contents.collect::<Result<_, Failed>>()?, ..Ran::default() }))
            }
        }
    }

    /// Runs a kernel twice, each time with the poison of that run.
    fn launch(&mut self, launch: &Launch) -> Result<Ran, Failed> {
        let opened = self.opened()?;
        let largest = opened.buffers.iter().map(Buffer::whole_bytes).max().unwrap_or(0);
        let exchange = |buffers: &[Buffer]| {
            let spare = Memory::new(largest)?;
            buffers.iter().try_for_each(|buffer| buffer.exchange(&spare))?;
            // Copies on the device do not wait by themselves.
            synchronise()
        };
        opened.modules[0].kernel(&launch.symbol)?.launch(launch, std::ptr::null_mut())?;
        synchronise()?;
        let output = self.printed.take();
        let opened = self.opened()?;
        exchange(&opened.buffers)?;
        opened.modules[1].kernel(&launch.symbol)?.launch(launch, std::ptr::null_mut())?;
        synchronise()?;
        exchange(&opened.buffers)?;
        let mut ran = Ran { output, ..Ran::default() };
        for buffer in &opened.buffers {
            let (content, strays) = buffer.content()?;
            ran.contents.push(content);
            ran.strays.extend(strays);
        }
        drop(self.printed.take());
        Ok(ran)
    }
}
