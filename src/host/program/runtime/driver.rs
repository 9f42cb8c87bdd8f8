//! The driver API: contexts, memory, streams and events. What the runtime has too is the runtime's; a context is a device's
//! primary one. Modules, and kernels from them, are not here.

use super::copy::Direction;
use super::{Runtime, device, event, handles, memory, stream};
use crate::device::{CudaError, DeviceId, Result, Set, fail_if};
use crate::program::call::{Call, Fact, Row, calls};
use sim::Address;

/// Handle of the context of device 0; that of the next device is one step further.
const CONTEXTS: u64 = 0x6100_0000_0000;

/// What the host thread has done with the driver API.
#[derive(Debug, Default)]
pub struct Driver {
    initialised: bool,
}

fn handle(device: DeviceId) -> u64 {
    CONTEXTS + u64::from(device) * handles::STEP
}

impl Runtime {
    fn is_initialised(&self) -> bool {
        self.driver.initialised || self.devices.values().any(|its| its.context)
    }
}

impl Call<'_> {
    /// Checks what a function of the driver needs: that the driver is initialised, and a current context.
    ///
    /// # Errors
    ///
    /// `cudaErrorInitializationError`: the driver is not initialised. `cudaErrorDeviceUninitialized`: no context is
    /// current.
    pub fn check_driver(&mut self, row: &Row) -> Result<()> {
        let in_context = row.is(Fact::InContext);
        let needs_driver = in_context || row.is(Fact::Initialised);
        fail_if(needs_driver && !self.runtime.is_initialised(), CudaError::InitializationError)?;
        fail_if(in_context && !self.state().context, CudaError::DeviceUninitialized)
    }

    /// Returns the device of a context that exists.
    fn device_of(&mut self, context: u64) -> Result<DeviceId> {
        let number = context.checked_sub(CONTEXTS).map(|its| its / handles::STEP);
        let device =
            number.and_then(|its| DeviceId::try_from(its).ok()).filter(|&its| handle(its) == context);
        let exists = |its: &DeviceId| self.runtime.devices.get(its).is_some_and(|its| its.context);
        device.filter(exists).ok_or(CudaError::DeviceUninitialized.into())
    }

    fn driver_set(
        &mut self,
        dst: u64,
        element_bytes: u32,
        value: u32,
        count: u64,
        stream: Option<u64>,
    ) -> Result<()> {
        fail_if(!dst.is_multiple_of(element_bytes.into()), CudaError::InvalidValue)?;
        let pitch = count.saturating_mul(element_bytes.into());
        let set = Set { dst: Address(dst), value, element_bytes, width: count, height: 1, pitch };
        self.set(set, stream.unwrap_or(0))?;
        if stream.is_none() { self.finish_set(dst) } else { Ok(()) }
    }
}

calls! {
    /// Initialises the driver API.
    [WithoutContext]
    fn cuInit(call, flags: u32) {
        fail_if(flags != 0, CudaError::InvalidValue)?;
        call.runtime.driver.initialised = true;
        Ok(())
    }

    /// Returns the handle of a device: its number.
    [WithoutContext, Initialised]
    fn cuDeviceGet(call, to: u64, ordinal: i32) {
        let device = call.device(ordinal)?;
        call.put(to, device)
    }

    /// Returns the name of a device, as much of it as there is room for.
    [WithoutContext, Initialised]
    fn cuDeviceGetName(call, name: u64, length: i32, device: i32) {
        let device = call.device(device)?;
        let room = usize::try_from(length).ok().and_then(|its| its.checked_sub(1)).ok_or(CudaError::InvalidValue)?;
        let mut text = call.gpus.properties(device).name.as_bytes().to_vec();
        text.truncate(room);
        text.push(0);
        call.store(name, &text)
    }

    /// Returns the memory of a device in bytes.
    [WithoutContext, Initialised]
    fn cuDeviceTotalMem(call, bytes: u64, device: i32) {
        let device = call.device(device)?;
        let all = call.gpus.properties(device).memory_bytes;
        call.put(bytes, all)
    }

    /// Creates the context of a device, and makes it the current one.
    [WithoutContext, Initialised]
    fn cuCtxCreate(call, context: u64, _flags: u32, device: i32) {
        let device = call.device(device)?;
        call.runtime.current = device;
        call.context();
        call.put(context, handle(device))
    }

    /// Returns the primary context of a device, without making it the current one.
    [WithoutContext, Initialised]
    fn cuDevicePrimaryCtxRetain(call, context: u64, device: i32) {
        let device = call.device(device)?;
        call.runtime.make_context(device, call.gpus);
        call.put(context, handle(device))
    }

    /// Releases the primary context.
    [WithoutContext, Initialised]
    fn cuDevicePrimaryCtxRelease(call, device: i32) {
        call.device(device).map(drop)
    }

    /// Destroys a context with everything in it.
    [WithoutContext, Initialised]
    fn cuCtxDestroy(call, context: u64) {
        let device = call.device_of(context)?;
        call.reset_device(device)?;
        call.runtime.device_state(device).context = false;
        Ok(())
    }

    /// Makes a context the current one.
    [WithoutContext, Initialised]
    fn cuCtxSetCurrent(call, context: u64) {
        let device = call.device_of(context)?;
        call.runtime.current = device;
        Ok(())
    }

    /// Returns the current context, or null.
    [WithoutContext, Initialised]
    fn cuCtxGetCurrent(call, context: u64) {
        let current = call.runtime.current;
        let has_context = call.runtime.device_state(current).context;
        call.put(context, if has_context { handle(current) } else { 0 })
    }

    /// Allocates device memory.
    [WithoutContext, InContext, Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cuMemAlloc(call, pointer: u64, bytes: u64) {
        fail_if(bytes == 0, CudaError::InvalidValue)?;
        memory::cudaMalloc(call, pointer, bytes)
    }

    /// Copies from the host to a device.
    [WithoutContext, InContext, Purpose(Copies)]
    fn cuMemcpyHtoD, cuMemcpyHtoDAsync(call, dst: u64, src: u64, bytes: u64, stream: Option<u64>) {
        call.copy_bytes([dst, src, bytes], Direction::HostToDevice, [0, 1], stream)
    }

    /// Copies from a device to the host.
    [WithoutContext, InContext, Purpose(Copies)]
    fn cuMemcpyDtoH, cuMemcpyDtoHAsync(call, dst: u64, src: u64, bytes: u64, stream: Option<u64>) {
        call.copy_bytes([dst, src, bytes], Direction::DeviceToHost, [0, 1], stream)
    }

    /// Copies within a device.
    [WithoutContext, InContext, Purpose(Copies)]
    fn cuMemcpyDtoD, cuMemcpyDtoDAsync(call, dst: u64, src: u64, bytes: u64, stream: Option<u64>) {
        call.copy_bytes([dst, src, bytes], Direction::DeviceToDevice, [0, 1], stream)
    }

    /// Sets `count` bytes.
    [WithoutContext, InContext, Purpose(Sets)]
    fn cuMemsetD8, cuMemsetD8Async(call, dst: u64, value: u32, count: u64, stream: Option<u64>) {
        call.driver_set(dst, 1, value & 0xff, count, stream)
    }

    /// Sets `count` elements of two bytes.
    [WithoutContext, InContext, Purpose(Sets)]
    fn cuMemsetD16(call, dst: u64, value: u32, count: u64) {
        call.driver_set(dst, 2, value & 0xffff, count, None)
    }

    /// Sets `count` elements of four bytes.
    [WithoutContext, InContext, Purpose(Sets)]
    fn cuMemsetD32, cuMemsetD32Async(call, dst: u64, value: u32, count: u64, stream: Option<u64>) {
        call.driver_set(dst, 4, value, count, stream)
    }
}

/// Functions that do what functions of the runtime do, whose rows say what that is.
pub(crate) const OF_RUNTIME: &[Row] = &[
    of_runtime("cuDriverGetVersion", NOTHING, device::rows::cudaDriverGetVersion),
    of_runtime("cuDeviceGetCount", INITIALISED, device::rows::cudaGetDeviceCount),
    of_runtime("cuDeviceGetAttribute", INITIALISED, device::rows::cudaDeviceGetAttribute),
    of_runtime("cuCtxGetDevice", IN_CONTEXT, device::rows::cudaGetDevice),
    of_runtime("cuCtxSynchronize", IN_CONTEXT, device::rows::cudaDeviceSynchronize),
    of_runtime("cuMemAllocHost", IN_CONTEXT, memory::rows::cudaMallocHost),
    of_runtime("cuMemAllocManaged", IN_CONTEXT, memory::rows::cudaMallocManaged),
    of_runtime("cuMemFree", IN_CONTEXT, memory::rows::cudaFree),
    of_runtime("cuMemFreeHost", IN_CONTEXT, memory::rows::cudaFreeHost),
    of_runtime("cuMemGetInfo", IN_CONTEXT, memory::rows::cudaMemGetInfo),
    of_runtime("cuStreamCreate", IN_CONTEXT, stream::rows::cudaStreamCreateWithFlags),
    of_runtime("cuStreamDestroy", IN_CONTEXT, stream::rows::cudaStreamDestroy),
    of_runtime("cuStreamSynchronize", IN_CONTEXT, stream::rows::cudaStreamSynchronize),
    of_runtime("cuStreamQuery", IN_CONTEXT, stream::rows::cudaStreamQuery),
    of_runtime("cuStreamWaitEvent", IN_CONTEXT, event::rows::cudaStreamWaitEvent),
    of_runtime("cuEventCreate", IN_CONTEXT, event::rows::cudaEventCreateWithFlags),
    of_runtime("cuEventDestroy", IN_CONTEXT, event::rows::cudaEventDestroy),
    of_runtime("cuEventRecord", IN_CONTEXT, event::rows::cudaEventRecord),
    of_runtime("cuEventQuery", IN_CONTEXT, event::rows::cudaEventQuery),
    of_runtime("cuEventSynchronize", IN_CONTEXT, event::rows::cudaEventSynchronize),
    of_runtime("cuEventElapsedTime", IN_CONTEXT, event::rows::cudaEventElapsedTime),
];

/// What functions of the driver need.
const NOTHING: &[Fact] = &[Fact::WithoutContext];
const INITIALISED: &[Fact] = &[Fact::WithoutContext, Fact::Initialised];
const IN_CONTEXT: &[Fact] = &[Fact::WithoutContext, Fact::InContext];

const fn of_runtime(name: &'static str, of_driver: &'static [Fact], row: Row) -> Row {
    Row { name, of_driver, ..row }
}
