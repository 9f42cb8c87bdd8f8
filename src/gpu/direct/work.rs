//! Streams and events, and what is given to streams.

use super::{Direct, Failed};
use crate::gpu::driver::check;
use cudarc::driver::sys::{self, CUfunction_attribute, CUresult};
use std::ffi::c_void;
use std::ptr;

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
    /// The legacy default stream of a device.
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

/// A kernel on a device.
#[derive(Clone, Copy, Debug)]
pub struct Function(pub(super) sys::CUfunction);

/// How a kernel is launched. Extents are x, y, z.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads a block.
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub cooperative: bool,
}

/// Pointers to the parameters of a kernel, each `(bytes, offset)` in memory laid out as PTX has it;
/// `None` where one lies outside.
pub(super) fn pointers(params: &[u8], layout: &[(u32, u32)]) -> Option<Vec<*mut c_void>> {
    let one = |&(bytes, offset): &(u32, u32)| {
        let part = params.get(offset as usize..(offset as usize).checked_add(bytes as usize)?)?;
        Some(part.as_ptr().cast_mut().cast())
    };
    layout.iter().map(one).collect()
}

/// Whether a query says that all is done.
fn done(result: CUresult, call: &str) -> Result<bool, Failed> {
    if result == CUresult::CUDA_ERROR_NOT_READY {
        return Ok(false);
    }
    check(result, call).map(|()| true)
}

impl Direct {
    pub fn create_stream(
        &mut self,
        device: u32,
        non_blocking: bool,
        priority: i32,
    ) -> Result<Stream, Failed> {
        self.enter(device)?;
        let mut handle = ptr::null_mut();
        let flags = if non_blocking { NON_BLOCKING } else { 0 };
        // SAFETY: a pointer to a live variable.
        let result = unsafe { sys::cuStreamCreateWithPriority(&mut handle, flags, priority) };
        check(result, "cuStreamCreateWithPriority")?;
        Ok(Stream { handle, device })
    }

    /// Work in it is still done.
    pub fn destroy_stream(&mut self, stream: Stream) -> Result<(), Failed> {
        self.enter(stream.device)?;
        // SAFETY: made once; who calls forgets it.
        check(unsafe { sys::cuStreamDestroy_v2(stream.handle) }, "cuStreamDestroy")
    }

    pub fn create_event(&mut self, device: u32, timing: bool) -> Result<Event, Failed> {
        self.enter(device)?;
        let mut handle = ptr::null_mut();
        let flags = if timing { 0 } else { DISABLE_TIMING };
        // SAFETY: a pointer to a live variable.
        check(unsafe { sys::cuEventCreate(&mut handle, flags) }, "cuEventCreate")?;
        Ok(Event { handle, device })
    }

    pub fn destroy_event(&mut self, event: Event) -> Result<(), Failed> {
        self.enter(event.device)?;
        // SAFETY: made once; who calls forgets it.
        check(unsafe { sys::cuEventDestroy_v2(event.handle) }, "cuEventDestroy")
    }

    pub fn record(&mut self, event: Event, stream: Stream) -> Result<(), Failed> {
        self.enter(stream.device)?;
        // SAFETY: both are alive.
        check(unsafe { sys::cuEventRecord(event.handle, stream.handle) }, "cuEventRecord")
    }

    /// What comes later in the stream waits for the event.
    pub fn stream_wait(&mut self, stream: Stream, event: Event) -> Result<(), Failed> {
        self.enter(stream.device)?;
        // SAFETY: both are alive.
        check(unsafe { sys::cuStreamWaitEvent(stream.handle, event.handle, 0) }, "cuStreamWaitEvent")
    }

    pub fn is_stream_done(&mut self, stream: Stream) -> Result<bool, Failed> {
        self.enter(stream.device)?;
        // SAFETY: the stream is alive.
        done(unsafe { sys::cuStreamQuery(stream.handle) }, "cuStreamQuery")
    }

    pub fn is_event_done(&mut self, event: Event) -> Result<bool, Failed> {
        self.enter(event.device)?;
        // SAFETY: the event is alive.
        done(unsafe { sys::cuEventQuery(event.handle) }, "cuEventQuery")
    }

    /// Blocks until all work of a stream is done, and has what kernels printed passed on.
    pub fn synchronise_stream(&mut self, stream: Stream) -> Result<(), Failed> {
        self.enter(stream.device)?;
        // SAFETY: the stream is alive.
        check(unsafe { sys::cuStreamSynchronize(stream.handle) }, "cuStreamSynchronize")
    }

    /// As [`Direct::synchronise_stream`], for an event.
    pub fn synchronise_event(&mut self, event: Event) -> Result<(), Failed> {
        self.enter(event.device)?;
        // SAFETY: the event is alive.
        check(unsafe { sys::cuEventSynchronize(event.handle) }, "cuEventSynchronize")
    }

    /// As [`Direct::synchronise_stream`], for all work of a device.
    pub fn synchronise(&mut self, device: u32) -> Result<(), Failed> {
        self.enter(device)?;
        // SAFETY: a context is current.
        check(unsafe { sys::cuCtxSynchronize() }, "cuCtxSynchronize")
    }

    /// Milliseconds between two events that have happened.
    pub fn elapsed_ms(&mut self, start: Event, end: Event) -> Result<f32, Failed> {
        self.enter(start.device)?;
        let mut ms = 0.0;
        // SAFETY: a pointer to a live variable; both events are alive.
        let result = unsafe { sys::cuEventElapsedTime(&mut ms, start.handle, end.handle) };
        check(result, "cuEventElapsedTime")?;
        Ok(ms)
    }

    /// Lets a kernel have so much dynamic shared memory.
    pub fn allow_shared(&mut self, function: Function, bytes: u32) -> Result<(), Failed> {
        let which = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function belongs to a loaded module.
        check(
            unsafe { sys::cuFuncSetAttribute(function.0, which, bytes) },
            "cuFuncSetAttribute(shared memory)",
        )
    }

    /// Gives a kernel to a stream. `layout` has bytes and offset of each parameter in `params`.
    pub fn launch(
        &mut self,
        function: Function,
        geometry: &Geometry,
        params: &[u8],
        layout: &[(u32, u32)],
        stream: Stream,
    ) -> Result<(), Failed> {
        self.enter(stream.device)?;
        let mut pointers = pointers(params, layout).ok_or_else(|| Failed {
            call: "cuLaunchKernel".into(),
            code: CUresult::CUDA_ERROR_INVALID_VALUE as u32,
            said: "fewer bytes of parameters than the kernel takes".into(),
        })?;
        let ([gx, gy, gz], [bx, by, bz]) = (geometry.grid, geometry.block);
        let shared = geometry.dynamic_shared_bytes;
        let parameters = pointers.as_mut_ptr();
        // SAFETY: one pointer for each parameter, to as many bytes as it takes; the driver copies them
        // before it returns.
        unsafe {
            if geometry.cooperative {
                let result = sys::cuLaunchCooperativeKernel(
                    function.0,
                    gx,
                    gy,
                    gz,
                    bx,
                    by,
                    bz,
                    shared,
                    stream.handle,
                    parameters,
                );
                return check(result, "cuLaunchCooperativeKernel");
            }
            let result = sys::cuLaunchKernel(
                function.0,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shared,
                stream.handle,
                parameters,
                ptr::null_mut(),
            );
            check(result, "cuLaunchKernel")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pointers;

    #[test]
    fn parameters_are_found_by_their_offsets() {
        let params = [1u8, 0, 0, 0, 9, 9, 9, 9, 2, 0, 0, 0, 0, 0, 0, 0];
        let found = pointers(&params, &[(4, 0), (8, 8)]).unwrap();
        // SAFETY: both point into `params`.
        let values =
            unsafe { (found[0].cast::<i32>().read_unaligned(), found[1].cast::<i64>().read_unaligned()) };
        assert_eq!(values, (1, 2));
        assert!(pointers(&params, &[(8, 12)]).is_none());
        assert!(pointers(&params, &[(u32::MAX, u32::MAX)]).is_none());
    }
}
