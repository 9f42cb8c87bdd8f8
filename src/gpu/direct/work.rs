//! Streams and events, and the work enqueued in streams.

use super::{Direct, Result};
use crate::failure::check;
use crate::launch::{self, Geometry, Parameters};
use cudarc::driver::sys::{self, CUresult};
use std::ptr;
use std::sync::Arc;

/// `CU_STREAM_LEGACY`: the legacy default stream of the current context.
const LEGACY: usize = 1;
/// `CU_STREAM_NON_BLOCKING`; `CU_EVENT_DISABLE_TIMING`.
const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;

/// A stream of a device.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub(super) handle: sys::CUstream,
    pub device: u32,
}

impl Stream {
    /// Returns a stream that the driver created on a device.
    pub(crate) fn of(device: u32, handle: sys::CUstream) -> Stream {
        Stream { handle, device }
    }

    /// Returns the legacy default stream of a device.
    pub fn legacy(device: u32) -> Stream {
        Stream { handle: LEGACY as sys::CUstream, device }
    }
}

/// An event of a device.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub(super) handle: sys::CUevent,
    pub device: u32,
}

/// A kernel on a device, and its parameters.
#[derive(Clone, Debug)]
pub struct Function {
    pub(super) handle: sys::CUfunction,
    /// Size of each parameter in bytes; `None` if the code is PTX, from which the launches' layouts are
    /// taken.
    pub(super) takes: Option<Arc<[u32]>>,
}

impl Function {
    /// Returns parameters for the kernel from memory laid out as in PTX; `layout` has the size and offset of
    /// each.
    pub(super) fn parameters<'a>(&self, params: &'a [u8], layout: &[(u32, u32)]) -> Result<Parameters<'a>> {
        let given = launch::parts(params, layout)?;
        match &self.takes {
            Some(takes) => Parameters::of(&given, takes),
            None => Parameters::of(&given, &layout.iter().map(|(bytes, _)| *bytes).collect::<Vec<_>>()),
        }
    }
}

/// Returns whether a query's result means that all is done.
fn done(result: CUresult, call: &str) -> Result<bool> {
    if result == CUresult::CUDA_ERROR_NOT_READY {
        return Ok(false);
    }
    check(result, call).map(|()| true)
}

impl Direct {
    /// Creates a stream; a lower number is a higher priority.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn create_stream(&mut self, device: u32, non_blocking: bool, priority: i32) -> Result<Stream> {
        self.enter(device)?;
        let mut handle = ptr::null_mut();
        let flags = if non_blocking { NON_BLOCKING } else { 0 };
        // SAFETY: a pointer to a live variable.
        let result = unsafe { sys::cuStreamCreateWithPriority(&mut handle, flags, priority) };
        check(result, "cuStreamCreateWithPriority")?;
        Ok(Stream { handle, device })
    }

    /// Destroys a stream. Work already in it is still executed.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn destroy_stream(&mut self, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: created once; the caller forgets it.
        check(unsafe { sys::cuStreamDestroy_v2(stream.handle) }, "cuStreamDestroy")
    }

    /// Creates an event; `timing`: whether it records when it is reached.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn create_event(&mut self, device: u32, timing: bool) -> Result<Event> {
        self.enter(device)?;
        let mut handle = ptr::null_mut();
        let flags = if timing { 0 } else { DISABLE_TIMING };
        // SAFETY: a pointer to a live variable.
        check(unsafe { sys::cuEventCreate(&mut handle, flags) }, "cuEventCreate")?;
        Ok(Event { handle, device })
    }

    /// Destroys an event.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn destroy_event(&mut self, event: Event) -> Result<()> {
        self.enter(event.device)?;
        // SAFETY: created once; the caller forgets it.
        check(unsafe { sys::cuEventDestroy_v2(event.handle) }, "cuEventDestroy")
    }

    /// Records an event in a stream.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn record(&mut self, event: Event, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: both are alive.
        check(unsafe { sys::cuEventRecord(event.handle, stream.handle) }, "cuEventRecord")
    }

    /// Makes later work in the stream wait for the event.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn stream_wait(&mut self, stream: Stream, event: Event) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: both are alive.
        check(unsafe { sys::cuStreamWaitEvent(stream.handle, event.handle, 0) }, "cuStreamWaitEvent")
    }

    /// Returns whether all work of a stream is done, without waiting.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the work failed.
    pub fn is_stream_done(&mut self, stream: Stream) -> Result<bool> {
        self.enter(stream.device)?;
        // SAFETY: the stream is alive.
        done(unsafe { sys::cuStreamQuery(stream.handle) }, "cuStreamQuery")
    }

    /// Returns whether the work before an event is done, without waiting.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the work failed.
    pub fn is_event_done(&mut self, event: Event) -> Result<bool> {
        self.enter(event.device)?;
        // SAFETY: the event is alive.
        done(unsafe { sys::cuEventQuery(event.handle) }, "cuEventQuery")
    }

    /// Blocks until all work of a stream is done; also makes the driver print what kernels printed.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the work failed.
    pub fn synchronise_stream(&mut self, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: the stream is alive.
        check(unsafe { sys::cuStreamSynchronize(stream.handle) }, "cuStreamSynchronize")
    }

    /// Like [`Direct::synchronise_stream`], for an event.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the work failed.
    pub fn synchronise_event(&mut self, event: Event) -> Result<()> {
        self.enter(event.device)?;
        // SAFETY: the event is alive.
        check(unsafe { sys::cuEventSynchronize(event.handle) }, "cuEventSynchronize")
    }

    /// Like [`Direct::synchronise_stream`], for all work of a device.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the work failed.
    pub fn synchronise(&mut self, device: u32) -> Result<()> {
        self.enter(device)?;
        // SAFETY: a context is current.
        check(unsafe { sys::cuCtxSynchronize() }, "cuCtxSynchronize")
    }

    /// Returns the milliseconds between two events that are complete.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if either event is not complete or was created without timing.
    pub fn elapsed_ms(&mut self, start: Event, end: Event) -> Result<f32> {
        self.enter(start.device)?;
        let mut ms = 0.0;
        // SAFETY: a pointer to a live variable; both events are alive.
        let result = unsafe { sys::cuEventElapsedTime(&mut ms, start.handle, end.handle) };
        check(result, "cuEventElapsedTime")?;
        Ok(ms)
    }

    /// Allows a kernel to use this much dynamic shared memory.
    ///
    /// # Errors
    ///
    /// Fails if the driver refuses, as for more than a block may have.
    pub fn allow_shared(&mut self, function: &Function, bytes: u32) -> Result<()> {
        // SAFETY: functions are those of loaded code (`Direct::open`).
        unsafe { launch::allow_shared(function.handle, bytes) }
    }

    /// Allows a kernel to use clusters of more blocks than every GPU supports.
    ///
    /// # Errors
    ///
    /// Fails if the driver refuses.
    pub fn allow_large_clusters(&mut self, function: &Function) -> Result<()> {
        // SAFETY: as above.
        unsafe { launch::allow_large_clusters(function.handle) }
    }

    /// Enqueues a kernel in a stream. `layout` has the size and offset of each parameter in `params`.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, if a parameter lies outside `params` or is not of the size that the kernel
    /// takes, or if the driver refuses the launch. An error of the kernel itself is not seen here.
    pub fn launch(
        &mut self,
        function: &Function,
        geometry: &Geometry,
        params: &[u8],
        layout: &[(u32, u32)],
        stream: Stream,
    ) -> Result<()> {
        self.enter(stream.device)?;
        let parameters = function.parameters(params, layout)?;
        // SAFETY: as above; the parameters were checked, and streams are alive (`Direct::open`).
        unsafe { launch::launch(function.handle, geometry, parameters, stream.handle) }
    }
}
