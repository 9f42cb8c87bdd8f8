//! Devices: their number and properties, the current one, their limits and their peers.

use super::properties::{attribute, structure};
use crate::device::model::Properties;
use crate::device::{CudaError, DeviceId, Failure, Result, WaitTarget, fail_if};
use crate::program::call::{Call, calls};
use std::collections::{BTreeSet, HashMap};

/// The runtime's state of a device.
#[derive(Debug, Default)]
pub struct DeviceState {
    /// Whether its context exists.
    pub context: bool,
    pub flags: u32,
    /// Limits set by the program, by `cudaLimit` number.
    limits: HashMap<i32, u64>,
    /// Preference set by the program: a `cudaFuncCache`.
    cache: i32,
    /// Devices whose memory its kernels may access.
    pub peers: BTreeSet<DeviceId>,
}

/// CUDA 12.9, the release of the compiler.
const VERSION: i32 = 12_090;
/// `enum cudaLimit`, number and default: the stack of a thread, the buffer of printf, the heap of malloc.
const STACK_BYTES: (i32, u64) = (0, 1024);
const PRINTF_BYTES: (i32, u64) = (1, 1 << 20);
const HEAP_BYTES: (i32, u64) = (2, 8 << 20);
/// The other limits, number and default: synchronisation depth and pending count of nested launches, L2 fetch
/// granularity, size of persisting L2.
const OTHER_LIMITS: [(i32, u64); 4] = [(3, 2), (4, 2048), (5, 64), (6, 0)];
/// The valid flags of a device, `cudaDeviceMask`; and the flag that is always set, `cudaDeviceMapHost`.
const FLAGS: u32 = 0xff;
const MAP_HOST: u32 = 8;

fn default_limit(number: i32) -> Option<u64> {
    let mut all = [STACK_BYTES, PRINTF_BYTES, HEAP_BYTES].into_iter().chain(OTHER_LIMITS);
    all.find(|(n, _)| *n == number).map(|(_, value)| value)
}

impl Call<'_> {
    /// Returns the device of an ordinal.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidDevice`: there is no such device.
    pub fn device(&self, ordinal: i32) -> Result<DeviceId> {
        let count = self.gpus.count();
        match DeviceId::try_from(ordinal) {
            Ok(device) if device < count => Ok(device),
            _ => Err(CudaError::InvalidDevice.into()),
        }
    }

    /// Returns the state of the current device.
    pub fn state(&mut self) -> &mut DeviceState {
        self.runtime.device_state(self.runtime.current)
    }

    /// Creates the current device's context on its first use, which takes time.
    pub fn context(&mut self) {
        self.runtime.make_context(self.runtime.current, self.gpus);
    }

    /// Returns the properties of the current device.
    pub fn properties(&self) -> &Properties {
        self.gpus.properties(self.runtime.current)
    }
}

calls! {
    /// Returns the number of devices.
    [WithoutContext]
    fn cudaGetDeviceCount(call, count: u64) {
        let all = call.gpus.count();
        call.put(count, all)?;
        if all == 0 { Err(CudaError::NoDevice.into()) } else { Ok(()) }
    }

    /// Makes a device the current one, and creates its context.
    fn cudaSetDevice(call, device: i32) {
        call.runtime.current = call.device(device)?;
        call.context();
        Ok(())
    }

    /// Returns the current device.
    [WithoutContext]
    fn cudaGetDevice(call, device: u64) {
        let current = call.runtime.current;
        call.put(device, current)
    }

    /// Returns the properties of a device.
    [WithoutContext]
    fn cudaGetDeviceProperties(call, properties: u64, device: i32) {
        let device = call.device(device)?;
        let bytes = structure(call.gpus.properties(device), device, call.runtime.release);
        call.put(properties, bytes)
    }

    /// Returns one attribute of a device.
    [WithoutContext]
    fn cudaDeviceGetAttribute(call, value: u64, number: i32, device: i32) {
        let device = call.device(device)?;
        let found = attribute(call.gpus.properties(device), number, device).ok_or(CudaError::InvalidValue)?;
        call.put(value, found)
    }

    /// Returns the device that best matches the wanted properties: the first, whatever is wanted.
    [WithoutContext]
    fn cudaChooseDevice(call, device: u64, properties: u64) {
        fail_if(properties == 0, CudaError::InvalidValue)?;
        call.put(device, 0i32)
    }

    /// Sets the devices that may be used, in order of preference; only checked here.
    [WithoutContext]
    fn cudaSetValidDevices(call, devices: u64, count: i32) {
        for n in 0..u64::try_from(count).map_err(|_| CudaError::InvalidValue)? {
            let ordinal = call.get::<i32>(devices.wrapping_add(n * 4))?;
            call.device(ordinal)?;
        }
        Ok(())
    }

    /// Creates a device's context.
    fn cudaInitDevice(call, device: i32, _flags: u32, _device_flags: u32) {
        let device = call.device(device)?;
        let before = std::mem::replace(&mut call.runtime.current, device);
        call.context();
        call.runtime.current = before;
        Ok(())
    }

    /// Sets how the host waits for the current device.
    [WithoutContext]
    fn cudaSetDeviceFlags(call, flags: u32) {
        fail_if(flags & !FLAGS != 0, CudaError::InvalidValue)?;
        call.state().flags = flags;
        Ok(())
    }

    /// Returns how the host waits for the current device.
    fn cudaGetDeviceFlags(call, flags: u64) {
        let its = call.state().flags | MAP_HOST;
        call.put(flags, its)
    }

    /// Waits for all work of the current device.
    [NeverInCapture, Purpose(Synchronises)]
    fn cudaDeviceSynchronize, cudaThreadSynchronize(call) {
        call.context();
        let device = call.runtime.current;
        call.ask(|gpus, site, host| gpus.wait(WaitTarget::Device(device), site, host))?;
        call.runtime.pools.release_unused();
        Ok(())
    }

    /// Destroys the current device's context, with all memory, streams and events on it.
    [NeverInCapture, WithoutContext, Resets]
    fn cudaDeviceReset, cudaThreadExit(call) {
        let device = call.runtime.current;
        // An error of earlier work goes with the context.
        match call.ask(|gpus, site, host| gpus.wait(WaitTarget::Device(device), site, host)) {
            Err(Failure::Cuda(_)) | Ok(()) => {}
            Err(other) => return Err(other),
        }
        call.reset_device(device)?;
        *call.state() = DeviceState::default();
        call.runtime.errors.reset();
        Ok(())
    }

    /// Returns a limit of the current device.
    fn cudaDeviceGetLimit, cudaThreadGetLimit(call, value: u64, limit: i32) {
        let default = default_limit(limit).ok_or(CudaError::UnsupportedLimit)?;
        let set = call.state().limits.get(&limit).copied();
        call.put(value, set.unwrap_or(default))
    }

    /// Sets a limit of the current device.
    fn cudaDeviceSetLimit, cudaThreadSetLimit(call, limit: i32, value: u64) {
        default_limit(limit).ok_or(CudaError::UnsupportedLimit)?;
        let number = u32::try_from(limit).map_err(|_| CudaError::UnsupportedLimit)?;
        call.gpus.set_limit(call.runtime.current, number, value)?;
        call.state().limits.insert(limit, value);
        Ok(())
    }

    /// Sets whether kernels prefer L1 or shared memory: a hint that changes nothing here.
    fn cudaDeviceSetCacheConfig(call, config: i32) {
        fail_if(!(0..4).contains(&config), CudaError::InvalidValue)?;
        call.state().cache = config;
        Ok(())
    }

    /// Returns whether kernels prefer L1 or shared memory.
    fn cudaDeviceGetCacheConfig(call, config: u64) {
        let its = call.state().cache;
        call.put(config, its)
    }

    /// Sets the width of shared memory banks: four bytes on every current GPU, whatever is set.
    fn cudaDeviceSetSharedMemConfig(_call, config: i32) {
        fail_if(!(0..3).contains(&config), CudaError::InvalidValue)
    }

    /// Returns the width of shared memory banks: `cudaSharedMemBankSizeFourByte`.
    fn cudaDeviceGetSharedMemConfig(call, config: u64) {
        call.put(config, 1i32)
    }

    /// Returns the range of stream priorities, the least first.
    fn cudaDeviceGetStreamPriorityRange(call, least: u64, greatest: u64) {
        let most = call.properties().greatest_stream_priority;
        call.put_if_wanted(least, 0i32)?;
        call.put_if_wanted(greatest, most)
    }

    /// Returns whether a device can access another's memory.
    [WithoutContext]
    fn cudaDeviceCanAccessPeer(call, can: u64, device: i32, peer: i32) {
        let (device, peer) = (call.device(device)?, call.device(peer)?);
        let answer = device != peer && call.gpus.can_access_peer(device, peer);
        call.put(can, i32::from(answer))
    }

    /// Returns an attribute of the link between two devices.
    fn cudaDeviceGetP2PAttribute(call, value: u64, attribute: i32, device: i32, peer: i32) {
        let (device, peer) = (call.device(device)?, call.device(peer)?);
        fail_if(device == peer, CudaError::InvalidDevice)?;
        let found = match attribute {
            // Performance rank; then whether access, atomics and arrays are supported.
            1 => 0i32,
            2..=4 => i32::from(call.gpus.can_access_peer(device, peer)),
            _ => return Err(CudaError::InvalidValue.into()),
        };
        call.put(value, found)
    }

    /// Lets the current device's kernels access another device's memory.
    fn cudaDeviceEnablePeerAccess(call, peer: i32, flags: u32) {
        let (current, peer) = (call.runtime.current, call.device(peer)?);
        fail_if(flags != 0, CudaError::InvalidValue)?;
        fail_if(current == peer, CudaError::InvalidDevice)?;
        call.context();
        fail_if(call.state().peers.contains(&peer), CudaError::PeerAccessAlreadyEnabled)?;
        call.gpus.enable_peer(current, peer, true)?;
        call.state().peers.insert(peer);
        Ok(())
    }

    /// Ends the access to another device's memory.
    fn cudaDeviceDisablePeerAccess(call, peer: i32) {
        let (current, peer) = (call.runtime.current, call.device(peer)?);
        fail_if(!call.state().peers.remove(&peer), CudaError::PeerAccessNotEnabled)?;
        call.gpus.enable_peer(current, peer, false)
    }

    /// Returns the CUDA release of the driver and of the runtime: that of the compiler, here.
    [WithoutContext]
    fn cudaDriverGetVersion, cudaRuntimeGetVersion(call, version: u64) {
        call.put(version, VERSION)
    }

    /// Returns a device's PCI bus id as text.
    [WithoutContext]
    fn cudaDeviceGetPCIBusId(call, text: u64, length: i32, device: i32) {
        let device = call.device(device)?;
        let its = call.gpus.properties(device);
        let mut bytes =
            format!("{:04X}:{:02X}:{:02X}.0", its.pci_domain, its.pci_bus, its.pci_device).into_bytes();
        bytes.push(0);
        fail_if(usize::try_from(length).map_or(true, |length| length < bytes.len()), CudaError::InvalidValue)?;
        call.put(text, bytes)
    }

    /// Returns the device with a PCI bus id.
    [WithoutContext]
    fn cudaDeviceGetByPCIBusId(call, device: u64, text: u64) {
        let text = call.string(text)?;
        let parts: Vec<&str> = text.split([':', '.']).collect();
        let bus = match parts[..] {
            [_, bus, _, _] | [bus, _, _] | [bus, _] => u32::from_str_radix(bus, 16).ok(),
            _ => None,
        };
        let mut all = 0..call.gpus.count();
        let number = all.find(|device| Some(call.gpus.properties(*device).pci_bus) == bus);
        call.put(device, number.ok_or(CudaError::InvalidDevice)?)
    }

    /// Resets persisting lines in L2: nothing persists there here.
    fn cudaCtxResetPersistingL2Cache(_call) {
        Ok(())
    }
}
