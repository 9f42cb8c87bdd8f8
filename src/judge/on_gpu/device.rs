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
use std::cell::{Cell, RefCell};

/// Machine code loaded in a worker process of its own.
pub struct OnGpu {
    session: RefCell<Pooled<Session>>,
    signatures: Vec<Signature>,
    resources: Vec<KernelResources>,
    /// The launches on the last device, in order.
    launched: RefCell<Vec<LaunchRequest>>,
    /// The addresses of that device's buffers, in order of allocation.
    allocated: RefCell<Vec<u64>>,
    /// Why the GPU could not be used, once that has happened.
    gpu_error: Cell<Option<GpuError>>,
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
            allocated: RefCell::default(),
            gpu_error: Cell::new(None),
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

    /// Takes the error that kept the GPU from being used, if there was one.
    pub fn check_gpu(&self) -> Result<(), GpuError> {
        self.gpu_error.take().map_or(Ok(()), Err)
    }

    /// Returns the launches of the last case. Their arguments contain the addresses of the case's buffers, which
    /// are still allocated.
    pub fn launched(&self) -> Vec<LaunchRequest> {
        self.launched.borrow().clone()
    }

    /// Returns the addresses of the last case's buffers, in order of allocation.
    pub fn addresses(&self) -> Vec<u64> {
        self.allocated.borrow().clone()
    }

    /// Gives access to the worker for operations beyond the device interface.
    pub fn with_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        work(&mut self.session.borrow_mut())
    }

    /// Keeps an error for [`OnGpu::gpu_error`]; the failure returned in its place is never displayed.
    fn keep(&self, gpu_error: GpuError) -> LaunchFailure {
        let meaning = gpu_error.to_string();
        self.gpu_error.set(Some(gpu_error));
        LaunchFailure::OnGpu { error: CudaError::Unknown, meaning }
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

    fn device(&self) -> Box<dyn Device + '_> {
        self.launched.borrow_mut().clear();
        self.allocated.borrow_mut().clear();
        let mut session = self.session.borrow_mut();
        let ready = if session.is_sound() {
            session.fresh()
        } else {
            Err(GpuError::new(Cause::Worker, "an earlier launch corrupted its context"))
        };
        let failed = ready.err().map(|gpu_error| self.keep(gpu_error));
        Box::new(GpuDevice { program: self, failed, buffers: Vec::new() })
    }
}

struct GpuDevice<'a> {
    program: &'a OnGpu,
    /// An error of a call that cannot report one; the next call that can reports it.
    failed: Option<LaunchFailure>,
    buffers: Vec<Buffer>,
}

struct Buffer {
    name: String,
    address: u64,
}

impl GpuDevice<'_> {
    /// Returns the name of the buffer at an address, for messages.
    fn name(&self, address: u64) -> &str {
        let buffer = self.buffers.iter().find(|buffer| buffer.address == address);
        buffer.map_or("a buffer", |buffer| &buffer.name)
    }

    /// Runs a request on the worker; its error is kept for [`OnGpu::gpu_error`].
    fn ask<T>(&self, ask: impl FnOnce(&mut Session) -> Result<T, GpuError>) -> Result<T, LaunchFailure> {
        let answer = ask(&mut self.program.session.borrow_mut());
        answer.map_err(|gpu_error| self.program.keep(gpu_error))
    }

    fn refused(&self, not_run: NotRun) -> LaunchFailure {
        match not_run {
            NotRun::Kernel(KernelError { code, meaning, .. }) => {
                let error = CudaError::numbered(code as i32).unwrap_or(CudaError::Unknown);
                LaunchFailure::OnGpu { error, meaning: meaning.into() }
            }
            NotRun::GpuError(gpu_error) => self.program.keep(gpu_error),
        }
    }

    /// Returns what a launch printed, or an error if it wrote to a guard zone or a read-only buffer.
    fn take(&self, ran: Ran) -> Result<Vec<u8>, LaunchFailure> {
        if let Some(stray) = ran.strays.first() {
            let (buffer, before) = (self.name(stray.address).to_owned(), stray.side == Side::Before);
            return Err(LaunchFailure::Stray { buffer, bytes: stray.distance, before });
        }
        if let Some(address) = ran.changed.first() {
            return Err(LaunchFailure::WroteReadOnly { buffer: self.name(*address).to_owned() });
        }
        Ok(ran.output)
    }
}

impl Device for GpuDevice<'_> {
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, LaunchFailure> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let address = self.ask(|session| session.allocate(bytes))?;
        self.program.allocated.borrow_mut().push(address);
        self.buffers.push(Buffer { name: name.to_owned(), address });
        Ok(Address(address))
    }

    fn write(&mut self, address: Address, bytes: &[u8]) {
        let written = self.ask(|session| session.write(address.0, bytes));
        self.failed = self.failed.take().or(written.err());
    }

    /// Leaves `bytes` unchanged if the memory cannot be read; [`OnGpu::gpu_error`] then returns the error.
    fn read(&self, address: Address, bytes: &mut [u8]) {
        let _ = self.ask(|session| session.read(address.0, bytes));
    }

    fn written(&self, address: Address, len: usize) -> Vec<bool> {
        match self.ask(|session| session.written(address.0, len)) {
            Ok(Some(written)) => written,
            Ok(None) => vec![true; len],
            Err(_) => vec![false; len],
        }
    }

    fn set_read_only(&mut self, address: Address) {
        let set = self.ask(|session| session.set_read_only(address.0));
        self.failed = self.failed.take().or(set.err());
    }

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, LaunchFailure> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let launch = LaunchRequest {
            symbol: symbol.to_owned(),
            grid: [config.grid.x, config.grid.y, config.grid.z],
            block: [config.block.x, config.block.y, config.block.z],
            dynamic_shared_bytes: config.dynamic_shared_bytes,
            args: args.iter().map(|arg| arg.0.clone()).collect(),
        };
        self.program.launched.borrow_mut().push(launch.clone());
        let ran = self.program.session.borrow_mut().launch(launch);
        let output = self.take(ran.map_err(|not_run| self.refused(not_run))?)?;
        Ok(Report { output, ..Report::default() })
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
