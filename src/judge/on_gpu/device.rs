//! Compiled code on a GPU, behind the seam that the simulator stands behind too.

use super::Gpu;
use crate::course::Spec;
use crate::gpu::{Content, KernelError, Launch, Lent, NotRun, Ran, Session, Side, Trouble, Why};
use crate::judge::Failure;
use crate::judge::backend::{Device, Program};
use crate::judge::run::symbols;
use crate::judge::signature::{Signature, signatures};
use crate::nvrtc::{CompileError, KernelResources, Request};
use crate::ptx;
use crate::sim::{Address, Advised, Arg, Counts, LaunchConfig, LaunchError, Outcome, Report};
use std::cell::{Cell, RefCell};

/// Why there is nothing to run.
pub enum NotLoaded {
    /// It does not compile for this GPU.
    Source(Box<Failure>),
    Environment(anyhow::Error),
}

/// Machine code in a worker that it has to itself.
pub struct OnGpu {
    session: RefCell<Lent<Session>>,
    signatures: Vec<Signature>,
    resources: Vec<KernelResources>,
    /// Launches of the last device, in order.
    launched: RefCell<Vec<Launch>>,
    /// Its buffers, in order.
    allocated: RefCell<Vec<u64>>,
    /// Why the GPU could not be used, once that is so.
    trouble: Cell<Option<Trouble>>,
}

impl OnGpu {
    /// Compiles for the GPU's own architecture and loads the code.
    pub fn load(source: &str, file_name: &str, gpu: &Gpu) -> Result<OnGpu, NotLoaded> {
        let compiled = gpu
            .compiler
            .compile(&Request { resources: true, ..Request::new(source, file_name, gpu.capability()) });
        let refused = |failure| NotLoaded::Source(Box::new(failure));
        let compiled = compiled.map_err(|error| match error {
            CompileError::Rejected(said) => refused(Failure::Compile(said)),
            CompileError::Limit(limit) => refused(Failure::Limit(limit)),
            CompileError::Environment(error) => NotLoaded::Environment(error),
        })?;
        let module = ptx::parse(&compiled.ptx)
            .map_err(|error| refused(Failure::Unsupported { what: error.to_string(), line: None }))?;
        let environment = |trouble: Trouble| NotLoaded::Environment(trouble.into());
        let mut session = gpu.workers.take().map_err(environment)?;
        if takes_heap(&module) {
            session.retire();
        }
        session.open(gpu.device, &compiled.cubin).map_err(environment)?;
        Ok(OnGpu {
            session: RefCell::new(session),
            signatures: signatures(&module),
            resources: compiled.resources,
            launched: RefCell::default(),
            allocated: RefCell::default(),
            trouble: Cell::new(None),
        })
    }

    /// What its kernels take, as ptxas says.
    pub fn resources(&self) -> &[KernelResources] {
        &self.resources
    }

    /// The kernel of every launch of a lesson; empty where one is missing.
    pub fn symbols(&self, spec: &Spec) -> Vec<String> {
        symbols(spec, &self.signatures).unwrap_or_default()
    }

    /// What kept the GPU from being used, if anything did.
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble.take()
    }

    /// The launches of the last case, with the addresses of its buffers, which are still there.
    pub fn launched(&self) -> Vec<Launch> {
        self.launched.borrow().clone()
    }

    /// Where the buffers of the last case are, in the order they were asked for.
    pub fn addresses(&self) -> Vec<u64> {
        self.allocated.borrow().clone()
    }

    /// The worker, for more than a judge asks of it.
    pub fn with_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        work(&mut self.session.borrow_mut())
    }

    /// Keeps a trouble for whoever asks at the end; the launch error in its place is never shown.
    fn keep(&self, trouble: Trouble) -> LaunchError {
        let message = trouble.to_string();
        self.trouble.set(Some(trouble));
        LaunchError { name: "cudaErrorUnknown", message }
    }
}

/// Whether its kernels may keep memory of the heap, which stays in a context when the code is gone.
fn takes_heap(module: &ptx::Module) -> bool {
    module.functions.iter().any(|function| function.body.is_none() && function.name == "malloc")
}

impl Program for OnGpu {
    fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    fn counts(&self) -> bool {
        false
    }

    fn device(&self) -> Box<dyn Device + '_> {
        self.launched.borrow_mut().clear();
        self.allocated.borrow_mut().clear();
        let mut session = self.session.borrow_mut();
        let ready = if session.is_sound() {
            session.fresh()
        } else {
            Err(Trouble::new(Why::Worker, "an earlier launch spoilt its context"))
        };
        let failed = ready.err().map(|trouble| self.keep(trouble));
        Box::new(GpuDevice { program: self, failed, buffers: Vec::new() })
    }
}

struct GpuDevice<'a> {
    program: &'a OnGpu,
    /// What went wrong where nothing can be answered; told at the next call that can.
    failed: Option<LaunchError>,
    buffers: Vec<Buffer>,
}

struct Buffer {
    name: String,
    read_only: bool,
    /// What was written to it.
    initial: Vec<u8>,
    /// As the last launch left it; before any, as it was made.
    content: Content,
}

impl GpuDevice<'_> {
    fn buffer(&self, address: Address) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.content.address == address.0)
    }

    fn buffer_mut(&mut self, address: Address) -> Option<&mut Buffer> {
        self.buffers.iter_mut().find(|buffer| buffer.content.address == address.0)
    }

    fn refused(&self, not_run: NotRun) -> LaunchError {
        match not_run {
            NotRun::Kernel(KernelError { name, meaning, .. }) => {
                LaunchError { name, message: format!("on the GPU, {meaning}") }
            }
            NotRun::Trouble(trouble) => self.program.keep(trouble),
        }
    }

    /// Takes over what a launch left; a write to where nothing may be written is an error. The result
    /// is what was printed.
    fn take(&mut self, ran: Ran) -> Result<Vec<u8>, LaunchError> {
        let illegal = |message| LaunchError { name: "cudaErrorIllegalAddress", message };
        if let Some(stray) = ran.strays.first() {
            let side = if stray.side == Side::Before { "before" } else { "behind" };
            let name = self.buffer(Address(stray.address)).map_or("a buffer", |buffer| &buffer.name);
            let bytes = stray.distance;
            return Err(illegal(format!("on the GPU, a thread wrote {bytes} bytes {side} \"{name}\"")));
        }
        for content in ran.contents {
            let Some(buffer) = self.buffer_mut(Address(content.address)) else { continue };
            if buffer.read_only && !content.bytes.starts_with(&buffer.initial) {
                let name = &buffer.name;
                let message = format!("on the GPU, a thread wrote to \"{name}\", which is there to be read");
                return Err(illegal(message));
            }
            buffer.content = content;
        }
        Ok(ran.output)
    }
}

impl Device for GpuDevice<'_> {
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let address = self.program.session.borrow_mut().allocate(bytes);
        let address = address.map_err(|trouble| self.program.keep(trouble))?;
        self.program.allocated.borrow_mut().push(address);
        let len = usize::try_from(bytes).unwrap_or(0);
        let content = Content { address, bytes: vec![0; len], written: vec![0; len] };
        self.buffers.push(Buffer { name: name.to_owned(), read_only: false, initial: Vec::new(), content });
        Ok(Address(address))
    }

    fn write(&mut self, address: Address, bytes: &[u8]) {
        let written = self.program.session.borrow_mut().write(address.0, bytes);
        if let Err(trouble) = written {
            self.failed = Some(self.program.keep(trouble));
        }
        if let Some(buffer) = self.buffer_mut(address) {
            buffer.initial = bytes.to_vec();
            let len = bytes.len().min(buffer.content.bytes.len());
            buffer.content.bytes[..len].copy_from_slice(&bytes[..len]);
            buffer.content.written.get_mut(..len).unwrap_or_default().fill(1);
        }
    }

    fn read(&self, address: Address, bytes: &mut [u8]) {
        if let Some(buffer) = self.buffer(address) {
            bytes.iter_mut().zip(&buffer.content.bytes).for_each(|(to, from)| *to = *from);
        }
    }

    fn written(&self, address: Address, len: usize) -> Vec<bool> {
        let Some(content) = self.buffer(address).map(|buffer| &buffer.content) else {
            return vec![false; len];
        };
        if content.written.is_empty() {
            return (0..len).map(|byte| byte < content.bytes.len()).collect();
        }
        (0..len).map(|byte| content.written.get(byte).is_some_and(|written| *written != 0)).collect()
    }

    fn set_read_only(&mut self, address: Address) {
        if let Some(buffer) = self.buffer_mut(address) {
            buffer.read_only = true;
        }
    }

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, LaunchError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let launch = Launch {
            symbol: symbol.to_owned(),
            grid: [config.grid.x, config.grid.y, config.grid.z],
            block: [config.block.x, config.block.y, config.block.z],
            dynamic_shared_bytes: config.dynamic_shared_bytes,
            args: args.iter().map(|arg| arg.0.clone()).collect(),
        };
        self.program.launched.borrow_mut().push(launch.clone());
        let ran = self.program.session.borrow_mut().launch(launch);
        let output = self.take(ran.map_err(|not_run| self.refused(not_run))?)?;
        Ok(Report {
            outcome: Outcome::Completed,
            findings: Vec::new(),
            counts: Counts::default(),
            output,
            output_cut: false,
            touched: Vec::new(),
            advice: Advised::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_may_keep_the_heap_are_known() {
        let module = |declared: &str| {
            let text =
                format!(".version 8.0\n.target sm_80\n.address_size 64\n{declared}\n.entry k() {{ ret; }}\n");
            takes_heap(&ptx::parse(&text).unwrap())
        };
        assert!(module(".extern .func (.param .b64 r) malloc (.param .b64 bytes);"));
        assert!(!module(".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);"));
        assert!(!module(".func malloc() { ret; }"), "one of its own");
    }
}
