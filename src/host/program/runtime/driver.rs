//! The driver API: contexts, memory, streams and events. What the runtime has too is the runtime's; a context is a device's
//! primary one. Modules, and kernels from them, are not here.

use super::copy::{CopyCall, Direction};
use super::{Runtime, device, event, handles, memory, stream};
use crate::device::{CopyShape, CudaError, DeviceId, Result, Set, fail_if};
use crate::program::call::{Call, calls};
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
    /// Checks that the driver was initialised, by `cuInit` or by the runtime.
    fn initialised(&self) -> Result<()> {
        if self.runtime.is_initialised() { Ok(()) } else { Err(CudaError::InitializationError.into()) }
    }

    /// Checks that there is a current context.
    fn in_context(&mut self) -> Result<()> {
        self.initialised()?;
        let current = self.runtime.current;
        let has_context = self.runtime.device_state(current).context;
        if has_context { Ok(()) } else { Err(CudaError::DeviceUninitialized.into()) }
    }

    /// Returns the device of a context that exists.
    fn device_of(&mut self, context: u64) -> Result<DeviceId> {
        let number = context.checked_sub(CONTEXTS).map(|its| its / handles::STEP);
        let device =
            number.and_then(|its| DeviceId::try_from(its).ok()).filter(|&its| handle(its) == context);
        let exists = |its: &DeviceId| self.runtime.devices.get(its).is_some_and(|its| its.context);
        device.filter(exists).ok_or(CudaError::DeviceUninitialized.into())
    }

    fn driver_copy(
        &mut self,
        [dst, src, bytes]: [u64; 3],
        direction: Direction,
        stream: Option<u64>,
    ) -> Result<()> {
        self.in_context()?;
        let (shape, blocking) = (CopyShape::linear(bytes), stream.is_none());
        let stream = stream.unwrap_or(0);
        self.copy(CopyCall { dst, src, shape, direction, arguments: [0, 1], stream, blocking })
    }

    fn driver_set(
        &mut self,
        dst: u64,
        element_bytes: u32,
        value: u32,
        count: u64,
        stream: Option<u64>,
    ) -> Result<()> {
        self.in_context()?;
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

    /// Returns the newest release of CUDA that the driver supports.
    [WithoutContext]
    fn cuDriverGetVersion(call, version: u64) {
        device::cudaDriverGetVersion(call, version)
    }

    /// Returns the number of devices.
    [WithoutContext]
    fn cuDeviceGetCount(call, count: u64) {
        call.initialised()?;
        device::cudaGetDeviceCount(call, count)
    }

    /// Returns the handle of a device: its number.
    [WithoutContext]
    fn cuDeviceGet(call, to: u64, ordinal: i32) {
        call.initialised()?;
        let device = call.device(ordinal)?;
        call.put(to, device)
    }

    /// Returns the name of a device, as much of it as there is room for.
    [WithoutContext]
    fn cuDeviceGetName(call, name: u64, length: i32, device: i32) {
        call.initialised()?;
        call.device(device)?;
        let room = usize::try_from(length).ok().and_then(|its| its.checked_sub(1)).ok_or(CudaError::InvalidValue)?;
        let mut text = call.properties().name.as_bytes().to_vec();
        text.truncate(room);
        text.push(0);
        call.store(name, &text)
    }

    /// Returns the memory of a device in bytes.
    [WithoutContext]
    fn cuDeviceTotalMem(call, bytes: u64, device: i32) {
        call.initialised()?;
        call.device(device)?;
        let all = call.properties().memory_bytes;
        call.put(bytes, all)
    }

    /// Returns one attribute of a device.
    [WithoutContext]
    fn cuDeviceGetAttribute(call, value: u64, number: i32, device: i32) {
        call.initialised()?;
        device::cudaDeviceGetAttribute(call, value, number, device)
    }

    /// Creates the context of a device, and makes it the current one.
    [WithoutContext]
    fn cuCtxCreate(call, context: u64, _flags: u32, device: i32) {
        call.initialised()?;
        let device = call.device(device)?;
        call.runtime.current = device;
        call.context();
        call.put(context, handle(device))
    }

    /// Returns the primary context of a device, without making it the current one.
    [WithoutContext]
    fn cuDevicePrimaryCtxRetain(call, context: u64, device: i32) {
        call.initialised()?;
        let device = call.device(device)?;
        call.runtime.make_context(device, call.gpus);
        call.put(context, handle(device))
    }

    /// Gives the primary context back.
    [WithoutContext]
    fn cuDevicePrimaryCtxRelease(call, device: i32) {
        call.initialised()?;
        call.device(device).map(drop)
    }

    /// Destroys a context with everything in it.
    [WithoutContext]
    fn cuCtxDestroy(call, context: u64) {
        call.initialised()?;
        let device = call.device_of(context)?;
        call.reset_device(device)?;
        call.runtime.device_state(device).context = false;
        Ok(())
    }

    /// Makes a context the current one.
    [WithoutContext]
    fn cuCtxSetCurrent(call, context: u64) {
        call.initialised()?;
        let device = call.device_of(context)?;
        call.runtime.current = device;
        Ok(())
    }

    /// Returns the current context, or null.
    [WithoutContext]
    fn cuCtxGetCurrent(call, context: u64) {
        call.initialised()?;
        let current = call.runtime.current;
        let has_context = call.runtime.device_state(current).context;
        call.put(context, if has_context { handle(current) } else { 0 })
    }

    /// Returns the device of the current context.
    [WithoutContext]
    fn cuCtxGetDevice(call, device: u64) {
        call.in_context()?;
        device::cudaGetDevice(call, device)
    }

    /// Waits for all work of the current context.
    [WithoutContext, NeverInCapture, Purpose(Synchronises)]
    fn cuCtxSynchronize(call) {
        call.in_context()?;
        device::cudaDeviceSynchronize(call)
    }

    /// Allocates device memory.
    [WithoutContext, Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cuMemAlloc(call, pointer: u64, bytes: u64) {
        call.in_context()?;
        fail_if(bytes == 0, CudaError::InvalidValue)?;
        memory::cudaMalloc(call, pointer, bytes)
    }

    /// Allocates page-locked host memory.
    [WithoutContext, Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cuMemAllocHost(call, pointer: u64, bytes: u64) {
        call.in_context()?;
        memory::cudaMallocHost(call, pointer, bytes)
    }

    /// Allocates managed memory.
    [WithoutContext, Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cuMemAllocManaged(call, pointer: u64, bytes: u64, flags: u32) {
        call.in_context()?;
        memory::cudaMallocManaged(call, pointer, bytes, flags)
    }

    /// Frees device or managed memory.
    [WithoutContext, Purpose(Frees), UnsafeInCapture]
    fn cuMemFree(call, pointer: u64) {
        call.in_context()?;
        memory::cudaFree(call, pointer)
    }

    /// Frees page-locked host memory.
    [WithoutContext, Purpose(Frees), UnsafeInCapture]
    fn cuMemFreeHost(call, pointer: u64) {
        call.in_context()?;
        memory::cudaFreeHost(call, pointer)
    }

    /// Returns how much memory of the current device is free, and how much there is.
    [WithoutContext]
    fn cuMemGetInfo(call, free: u64, total: u64) {
        call.in_context()?;
        memory::cudaMemGetInfo(call, free, total)
    }

    /// Copies from the host to a device.
    [WithoutContext, Purpose(Copies)]
    fn cuMemcpyHtoD(call, dst: u64, src: u64, bytes: u64) {
        call.driver_copy([dst, src, bytes], Direction::HostToDevice, None)
    }

    /// Copies from a device to the host.
    [WithoutContext, Purpose(Copies)]
    fn cuMemcpyDtoH(call, dst: u64, src: u64, bytes: u64) {
        call.driver_copy([dst, src, bytes], Direction::DeviceToHost, None)
    }

    /// Copies within a device.
    [WithoutContext, Purpose(Copies)]
    fn cuMemcpyDtoD(call, dst: u64, src: u64, bytes: u64) {
        call.driver_copy([dst, src, bytes], Direction::DeviceToDevice, None)
    }

    /// Copies from the host to a device in stream order.
    [WithoutContext, Purpose(Copies)]
    fn cuMemcpyHtoDAsync(call, dst: u64, src: u64, bytes: u64, stream: u64) {
        call.driver_copy([dst, src, bytes], Direction::HostToDevice, Some(stream))
    }

    /// Copies from a device to the host in stream order.
    [WithoutContext, Purpose(Copies)]
    fn cuMemcpyDtoHAsync(call, dst: u64, src: u64, bytes: u64, stream: u64) {
        call.driver_copy([dst, src, bytes], Direction::DeviceToHost, Some(stream))
    }

    /// Copies within a device in stream order.
    [WithoutContext, Purpose(Copies)]
    fn cuMemcpyDtoDAsync(call, dst: u64, src: u64, bytes: u64, stream: u64) {
        call.driver_copy([dst, src, bytes], Direction::DeviceToDevice, Some(stream))
    }

    /// Sets `count` bytes.
    [WithoutContext, Purpose(Sets)]
    fn cuMemsetD8(call, dst: u64, value: u32, count: u64) {
        call.driver_set(dst, 1, value & 0xff, count, None)
    }

    /// Sets `count` elements of two bytes.
    [WithoutContext, Purpose(Sets)]
    fn cuMemsetD16(call, dst: u64, value: u32, count: u64) {
        call.driver_set(dst, 2, value & 0xffff, count, None)
    }

    /// Sets `count` elements of four bytes.
    [WithoutContext, Purpose(Sets)]
    fn cuMemsetD32(call, dst: u64, value: u32, count: u64) {
        call.driver_set(dst, 4, value, count, None)
    }

    /// Sets `count` bytes in stream order.
    [WithoutContext, Purpose(Sets)]
    fn cuMemsetD8Async(call, dst: u64, value: u32, count: u64, stream: u64) {
        call.driver_set(dst, 1, value & 0xff, count, Some(stream))
    }

    /// Sets `count` elements of four bytes in stream order.
    [WithoutContext, Purpose(Sets)]
    fn cuMemsetD32Async(call, dst: u64, value: u32, count: u64, stream: u64) {
        call.driver_set(dst, 4, value, count, Some(stream))
    }

    /// Creates a stream.
    [WithoutContext]
    fn cuStreamCreate(call, stream: u64, flags: u32) {
        call.in_context()?;
        stream::cudaStreamCreateWithFlags(call, stream, flags)
    }

    /// Destroys a stream.
    [WithoutContext]
    fn cuStreamDestroy(call, stream: u64) {
        call.in_context()?;
        stream::cudaStreamDestroy(call, stream)
    }

    /// Waits for a stream.
    [WithoutContext, Purpose(Synchronises)]
    fn cuStreamSynchronize(call, stream: u64) {
        call.in_context()?;
        stream::cudaStreamSynchronize(call, stream)
    }

    /// Returns whether a stream has completed its work.
    [WithoutContext]
    fn cuStreamQuery(call, stream: u64) {
        call.in_context()?;
        stream::cudaStreamQuery(call, stream)
    }

    /// Lets a stream wait for an event.
    [WithoutContext]
    fn cuStreamWaitEvent(call, stream: u64, event: u64, flags: u32) {
        call.in_context()?;
        event::cudaStreamWaitEvent(call, stream, event, flags)
    }

    /// Creates an event.
    [WithoutContext]
    fn cuEventCreate(call, event: u64, flags: u32) {
        call.in_context()?;
        event::cudaEventCreateWithFlags(call, event, flags)
    }

    /// Destroys an event.
    [WithoutContext]
    fn cuEventDestroy(call, event: u64) {
        call.in_context()?;
        event::cudaEventDestroy(call, event)
    }

    /// Records an event in a stream.
    [WithoutContext]
    fn cuEventRecord(call, event: u64, stream: u64) {
        call.in_context()?;
        event::cudaEventRecord(call, event, stream)
    }

    /// Returns whether an event has completed.
    [WithoutContext, UnsafeInCapture]
    fn cuEventQuery(call, event: u64) {
        call.in_context()?;
        event::cudaEventQuery(call, event)
    }

    /// Waits for an event.
    [WithoutContext, Purpose(Synchronises)]
    fn cuEventSynchronize(call, event: u64) {
        call.in_context()?;
        event::cudaEventSynchronize(call, event)
    }

    /// Returns the time between two events.
    [WithoutContext, NeedsReady]
    fn cuEventElapsedTime(call, milliseconds: u64, start: u64, end: u64) {
        call.in_context()?;
        event::cudaEventElapsedTime(call, milliseconds, start, end)
    }
}
