//! Runs compiled code on a GPU behind the judge's device interface, which the simulator implements too.

use super::Gpu;
use crate::backend::{Device, Program};
use crate::course::Spec;
use crate::signature::symbols;
use crate::signature::{Signature, signatures};
use crate::{Failure, LaunchFailure, NoResult};
use compiler::{KernelResources, Request};
use gpu::{Cause, GpuError, KernelError, LaunchRequest, NotRun, Pooled, Ran, Session, Side};
use sim::{Address, Arg, CudaError, LaunchConfig, Report};
use std::cell::{RefCell, RefMut};

/// Machine code loaded in a worker process of its own.
pub struct OnGpu {
    session: RefCell<Pooled<Session>>,
    signatures: Vec<Signature>,
    resources: Vec<KernelResources>,
    /// The launches on the last device, in order.
    launched: RefCell<Vec<LaunchRequest>>,
    /// That device's buffers, in order of allocation.
    buffers: RefCell<Vec<Buffer>>,
}

impl OnGpu {
    /// Compiles for the GPU's own architecture and loads the code.
    ///
    /// # Errors
    ///
    /// Fails if the source does not compile, or if the GPU cannot be used.
    pub fn load(source: &str, file_name: &str, gpu: &Gpu) -> Result<OnGpu, NoResult> {
        let compiled = gpu
            .compiler
            .compile(&Request { resources: true, ..Request::new(source, file_name, gpu.capability()) })?;
        let module =
            ptx::parse(&compiled.ptx).map_err(|error| Failure::unsupported(error.to_string(), None))?;
        let mut session = gpu.open(&compiled.cubin)?;
        if uses_device_heap(&module) {
            session.retire();
        }
        Ok(OnGpu {
            session: RefCell::new(session),
            signatures: signatures(&module),
            resources: compiled.resources,
            launched: RefCell::default(),
            buffers: RefCell::default(),
        })
    }

    /// Returns the resources that its kernels use, as reported by ptxas.
    pub fn resources(&self) -> &[KernelResources] {
        &self.resources
    }

    /// Returns the kernel symbol of every launch of a lesson; empty if one is missing.
    pub fn symbols(&self, spec: &Spec) -> Vec<String> {
        symbols(spec, &self.signatures).unwrap_or_default()
    }

    /// Returns the launches of the last case. Their arguments contain the addresses of the case's buffers, which
    /// are still allocated.
    pub fn launched(&self) -> Vec<LaunchRequest> {
        self.launched.borrow().clone()
    }

    /// Returns the addresses of the last case's buffers, in order of allocation.
    pub fn addresses(&self) -> Vec<u64> {
        self.buffers.borrow().iter().map(|buffer| buffer.address).collect()
    }

    /// Returns the bytes that a buffer of the last case has now, by its number; empty if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the GPU cannot be used.
    pub fn contents(&self, buffer: usize) -> Result<Vec<u8>, GpuError> {
        let (address, bytes) = self.place(buffer);
        let mut contents = vec![0; bytes];
        self.session().read(address, &mut contents)?;
        Ok(contents)
    }

    /// Returns which bytes of a buffer of the last case have ever been written; `None` if all have. Timed launches
    /// leave no trace of that.
    ///
    /// # Errors
    ///
    /// Fails if the GPU cannot be used.
    pub fn written(&self, buffer: usize) -> Result<Option<Vec<bool>>, GpuError> {
        let (address, bytes) = self.place(buffer);
        self.session().written(address, bytes)
    }

    /// Returns the address of a buffer and its size in bytes.
    fn place(&self, buffer: usize) -> (u64, usize) {
        self.buffers.borrow().get(buffer).map_or((0, 0), |buffer| (buffer.address, buffer.bytes))
    }

    /// Returns the worker, for operations beyond the device interface. Only one user at a time has it.
    pub fn session(&self) -> RefMut<'_, Pooled<Session>> {
        self.session.borrow_mut()
    }

    /// Returns the name of the buffer at an address, for messages.
    fn name(&self, address: u64) -> String {
        let buffers = self.buffers.borrow();
        let buffer = buffers.iter().find(|buffer| buffer.address == address);
        buffer.map_or("a buffer", |buffer| &buffer.name).to_owned()
    }

    /// Returns what a launch printed, or why it failed if it wrote to a guard zone or a read-only buffer.
    fn output(&self, ran: Ran) -> Result<Vec<u8>, LaunchFailure> {
        if let Some(stray) = ran.strays.first() {
            let (buffer, before) = (self.name(stray.address), stray.side == Side::Before);
            return Err(LaunchFailure::Stray { buffer, bytes: stray.distance, before });
        }
        if let Some(address) = ran.changed.first() {
            return Err(LaunchFailure::WroteReadOnly { buffer: self.name(*address) });
        }
        Ok(ran.output)
    }
}

/// Returns whether its kernels may allocate from the device heap, which outlives the code in a context.
fn uses_device_heap(module: &ptx::Module) -> bool {
    module.functions.iter().any(|function| function.body.is_none() && function.name == "malloc")
}

impl Program for OnGpu {
    fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    fn counts(&self) -> bool {
        false
    }

    fn device(&self) -> Result<Box<dyn Device + '_>, NoResult> {
        self.launched.borrow_mut().clear();
        self.buffers.borrow_mut().clear();
        let mut session = self.session.borrow_mut();
        if !session.is_sound() {
            return Err(GpuError::new(Cause::Worker, "an earlier launch corrupted its context").into());
        }
        session.fresh()?;
        Ok(Box::new(GpuDevice(self)))
    }
}

/// The device of a program that was made last.
struct GpuDevice<'a>(&'a OnGpu);

struct Buffer {
    name: String,
    address: u64,
    bytes: usize,
}

impl From<NotRun> for NoResult {
    fn from(not_run: NotRun) -> NoResult {
        match not_run {
            NotRun::Kernel(KernelError { code, meaning }) => {
                let error = CudaError::numbered(code as i32).unwrap_or(CudaError::Unknown);
                LaunchFailure::OnGpu { error, meaning: meaning.into() }.into()
            }
            NotRun::GpuError(gpu_error) => gpu_error.into(),
        }
    }
}

impl Device for GpuDevice<'_> {
    fn place(
        &mut self,
        name: &str,
        bytes: usize,
        initial: Option<&[u8]>,
        read_only: bool,
    ) -> Result<Address, NoResult> {
        let mut session = self.0.session();
        let address = session.allocate(bytes as u64)?;
        if let Some(initial) = initial {
            session.write(address, initial)?;
        }
        if read_only {
            session.set_read_only(address)?;
        }
        self.0.buffers.borrow_mut().push(Buffer { name: name.to_owned(), address, bytes });
        Ok(Address(address))
    }

    fn contents(&self, address: Address, bytes: usize) -> Result<(Vec<u8>, Vec<bool>), NoResult> {
        let (mut session, mut contents) = (self.0.session(), vec![0; bytes]);
        session.read(address.0, &mut contents)?;
        let written = session.written(address.0, bytes)?;
        Ok((contents, written.unwrap_or_else(|| vec![true; bytes])))
    }

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, NoResult> {
        let launch = LaunchRequest { symbol: symbol.to_owned(), config, args: args.to_vec() };
        self.0.launched.borrow_mut().push(launch.clone());
        let ran = self.0.session().launch(launch)?;
        Ok(Report { output: self.0.output(ran)?, ..Report::default() })
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
            uses_device_heap(&ptx::parse(&text).unwrap())
        };
        assert!(module(".extern .func (.param .b64 r) malloc (.param .b64 bytes);"));
        assert!(!module(".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);"));
        assert!(!module(".func malloc() { ret; }"), "one of its own");
    }
}
