//! Runs compiled code on a GPU behind the judge's device interface, which the simulator implements too.

use super::Gpu;
use crate::backend::{Device, Program};
use crate::course::Spec;
use crate::signature::symbols;
use crate::signature::{Signature, signatures};
use crate::{Failure, NoResult};
use compiler::{KernelResources, Request};
use gpu::{Cause, GpuError, KernelError, LaunchRequest, NotRun, Pooled, Ran, Session, Side};
use sim::{Address, Arg, CudaError, LaunchConfig, LaunchError, Report};
use std::cell::RefCell;

/// Machine code loaded in a worker process of its own.
pub struct OnGpu {
    session: RefCell<Pooled<Session>>,
    signatures: Vec<Signature>,
    resources: Vec<KernelResources>,
    /// The launches on the last device, in order.
    launched: RefCell<Vec<LaunchRequest>>,
    /// The addresses of that device's buffers, in order of allocation.
    allocated: RefCell<Vec<u64>>,
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
        self.allocated.borrow().clone()
    }

    /// Gives access to the worker for operations beyond the device interface.
    pub fn with_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        work(&mut self.session.borrow_mut())
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
        self.allocated.borrow_mut().clear();
        let mut session = self.session.borrow_mut();
        if !session.is_sound() {
            return Err(GpuError::new(Cause::Worker, "an earlier launch corrupted its context").into());
        }
        session.fresh()?;
        Ok(Box::new(GpuDevice { program: self, buffers: Vec::new() }))
    }
}

struct GpuDevice<'a> {
    program: &'a OnGpu,
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

    /// Returns what a launch printed, or an error if it wrote to a guard zone or a read-only buffer.
    fn take(&self, ran: Ran) -> Result<Vec<u8>, LaunchError> {
        let illegal = |message| LaunchError::new(CudaError::IllegalAddress, message);
        if let Some(stray) = ran.strays.first() {
            let side = if stray.side == Side::Before { "before" } else { "after" };
            let (name, bytes) = (self.name(stray.address), stray.distance);
            return Err(illegal(format!("on the GPU, a thread wrote {bytes} bytes {side} \"{name}\"")));
        }
        if let Some(address) = ran.changed.first() {
            let name = self.name(*address);
            let message = format!("on the GPU, a thread wrote to \"{name}\", which is read-only");
            return Err(illegal(message));
        }
        Ok(ran.output)
    }
}

impl From<NotRun> for NoResult {
    fn from(not_run: NotRun) -> NoResult {
        match not_run {
            NotRun::Kernel(KernelError { code, meaning }) => {
                let error = CudaError::numbered(code as i32);
                LaunchError { error, message: format!("on the GPU, {meaning}") }.into()
            }
            NotRun::GpuError(gpu_error) => gpu_error.into(),
        }
    }
}

impl Device for GpuDevice<'_> {
    fn allocate(&mut self, name: &str, bytes: u64) -> Result<Address, NoResult> {
        let address = self.program.session.borrow_mut().allocate(bytes)?;
        self.program.allocated.borrow_mut().push(address);
        self.buffers.push(Buffer { name: name.to_owned(), address });
        Ok(Address(address))
    }

    fn write(&mut self, address: Address, bytes: &[u8]) -> Result<(), NoResult> {
        Ok(self.program.session.borrow_mut().write(address.0, bytes)?)
    }

    fn read(&self, address: Address, bytes: &mut [u8]) -> Result<(), NoResult> {
        Ok(self.program.session.borrow_mut().read(address.0, bytes)?)
    }

    fn written(&self, address: Address, len: usize) -> Result<Vec<bool>, NoResult> {
        let written = self.program.session.borrow_mut().written(address.0, len)?;
        Ok(written.unwrap_or_else(|| vec![true; len]))
    }

    fn set_read_only(&mut self, address: Address) -> Result<(), NoResult> {
        Ok(self.program.session.borrow_mut().set_read_only(address.0)?)
    }

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, NoResult> {
        let launch = LaunchRequest { symbol: symbol.to_owned(), config, args: args.to_vec() };
        self.program.launched.borrow_mut().push(launch.clone());
        let ran = self.program.session.borrow_mut().launch(launch)?;
        Ok(Report { output: self.take(ran)?, ..Report::default() })
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
