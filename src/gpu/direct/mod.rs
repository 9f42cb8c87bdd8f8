//! CUDA's driver for a whole program, which has this process to itself.
//!
//! The operations that a program may request of GPUs are defined in another layer (`device`), which knows what is
//! alive. In this layer, contexts are created on first use and made current before each call, handles have types of
//! their own, and errors are [`Failed`] with the driver's own number.

mod copy;
mod graph;
mod image;
pub mod library;
mod memory;
mod tensor_map;
mod work;

pub use graph::{Graph, Node, NodeKind};
pub use image::{Array, BoxSide};
pub use work::{Event, Function, Stream};

use super::driver::Driver;
pub use super::failure::failed;
use super::failure::{check, refused};
use super::launch::ParameterSizes;
pub use super::launch::{Geometry, SHARED_WITHOUT_ASKING_BYTES};
use super::machine::Machine;
pub use super::output::Printed;
pub use super::protocol::Failed;
use super::protocol::{NOT_FOUND, Result};
use cudarc::driver::sys::{self, CUdevice_attribute, CUlimit};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::ptr;

/// The functions used in addition to those that launching a single kernel needs. A driver that lacks one is
/// too old.
const NEEDED: &[&str] = &[
    "cuArray3DCreate_v2",
    "cuArrayDestroy",
    "cuCtxDisablePeerAccess",
    "cuCtxEnablePeerAccess",
    "cuCtxGetStreamPriorityRange",
    "cuCtxSetLimit",
    "cuDeviceCanAccessPeer",
    "cuDeviceGetDefaultMemPool",
    "cuDevicePrimaryCtxReset_v2",
    "cuEventQuery",
    "cuGraphAddEmptyNode",
    "cuGraphAddEventRecordNode",
    "cuGraphAddEventWaitNode",
    "cuGraphAddKernelNode_v2",
    "cuGraphAddMemcpyNode",
    "cuGraphAddMemsetNode",
    "cuGraphCreate",
    "cuLaunchCooperativeKernel",
    "cuLibraryGetModule",
    "cuLibraryLoadData",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocManaged",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemHostUnregister",
    "cuMemPrefetchAsync",
    "cuMemcpy2DAsync_v2",
    "cuMemcpy3DAsync_v2",
    "cuMemcpyAsync",
    "cuMemsetD2D16Async",
    "cuMemsetD2D32Async",
    "cuMemsetD2D8Async",
    "cuModuleGetGlobal_v2",
    "cuStreamCreateWithPriority",
    "cuStreamQuery",
    "cuStreamWaitEvent",
    "cuSurfObjectCreate",
    "cuSurfObjectDestroy",
    "cuTexObjectCreate",
    "cuTexObjectDestroy",
];

/// The first bytes of machine code, which is an ELF file.
const MACHINE_CODE: &[u8] = b"\x7fELF";

/// The driver, and what has been created in it on each device. It lives as long as the process.
pub struct Direct {
    machine: Machine,
    driver: Driver,
    /// Machine code or PTX of the program's kernels; empty if there is none.
    cubin: Vec<u8>,
    /// Parameter sizes of its kernels; `None` for PTX.
    takes: Option<ParameterSizes>,
    /// Whether the code has variables of managed memory, which all devices share.
    managed: bool,
    /// The code loaded for all devices; set on first use if `managed`.
    library: Option<sys::CUlibrary>,
    devices: Vec<Device>,
    /// The device whose context is current.
    current: Cell<Option<u32>>,
}

/// The state of one device.
#[derive(Default)]
struct Device {
    context: Option<sys::CUcontext>,
    module: Option<sys::CUmodule>,
    functions: HashMap<String, Function>,
}

impl Direct {
    /// Loads and initialises the driver. No context is created yet. `managed`: whether the code has variables
    /// of managed memory.
    ///
    /// # Errors
    ///
    /// Fails if there is no driver or no GPU, if the driver is too old, or if machine code does not declare its
    /// kernels' parameters.
    ///
    /// # Safety
    ///
    /// Every stream, event, graph, function, array, texture and surface object that is passed to a method is alive: it
    /// was returned by another one, and was neither destroyed, nor was its device reset. Every address lies, with the
    /// bytes that the method uses there, in an allocation that is alive; a kernel is given no others either, as far as
    /// the host could access them.
    pub unsafe fn open(cubin: Vec<u8>, managed: bool) -> Result<Direct> {
        let driver = Driver::load()?;
        driver.require(NEEDED)?;
        let machine = driver.machine()?;
        let devices = machine.devices.iter().map(|_| Device::default()).collect();
        let takes = if cubin.starts_with(MACHINE_CODE) { Some(ParameterSizes::of(&cubin)?) } else { None };
        let (library, current) = (None, Cell::new(None));
        Ok(Direct { machine, driver, cubin, takes, managed, library, devices, current })
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns a property by its number in `cuda.h`; the runtime's `cudaDevAttr` numbers are the same.
    pub fn attribute(&self, device: u32, number: u32) -> Option<i32> {
        if number == 0 || number >= CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX as u32 {
            return None;
        }
        let mut value = 0;
        // SAFETY: the enumeration has a C representation, and the driver rejects numbers that it does not
        // know; a pointer to a live variable.
        let result = unsafe {
            type Attribute = unsafe extern "C" fn(*mut i32, u32, sys::CUdevice) -> sys::CUresult;
            let get = sys::culib().get::<Attribute>(b"cuDeviceGetAttribute").ok()?;
            get(&mut value, number, device.cast_signed())
        };
        check(result, "cuDeviceGetAttribute").ok()?;
        Some(value)
    }

    /// Makes a device's context current, creating it if there is none.
    ///
    /// # Errors
    ///
    /// Fails if there is no such device, or if it has no context to give or rejects the code.
    pub fn enter(&mut self, device: u32) -> Result<()> {
        let known = self.devices.get(device as usize).ok_or_else(no_device)?.context;
        match known {
            None => {
                // The driver makes it current too.
                let context = self.driver.enter(device)?;
                self.devices[device as usize].context = Some(context);
                self.current.set(Some(device));
                self.devices[device as usize].module = self.load()?;
            }
            Some(context) if self.current.get() != Some(device) => {
                // SAFETY: the context is alive: contexts are never released.
                check(unsafe { sys::cuCtxSetCurrent(context) }, "cuCtxSetCurrent")?;
                self.current.set(Some(device));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Forgets which context is current, because others, such as libraries, may have changed it.
    pub(super) fn forget_current(&self) {
        self.current.set(None);
    }

    /// Returns whether a device has a context.
    pub fn is_entered(&self, device: u32) -> bool {
        self.devices.get(device as usize).is_some_and(|device| device.context.is_some())
    }

    fn context(&self, device: u32) -> Result<sys::CUcontext> {
        self.devices.get(device as usize).and_then(|device| device.context).ok_or_else(no_device)
    }

    /// Loads the program's code into the current context.
    fn load(&mut self) -> Result<Option<sys::CUmodule>> {
        if self.cubin.is_empty() {
            return Ok(None);
        }
        let mut module = ptr::null_mut();
        if self.managed {
            let library = self.library()?;
            // SAFETY: the library is loaded; a pointer to a live variable.
            check(unsafe { sys::cuLibraryGetModule(&mut module, library) }, "cuLibraryGetModule")?;
            return Ok(Some(module));
        }
        // SAFETY: the driver reads as much as the ELF file declares, which our own compiler produced, or PTX
        // up to its NUL.
        let result = unsafe { sys::cuModuleLoadData(&mut module, self.cubin.as_ptr().cast::<c_void>()) };
        check(result, "cuModuleLoadData")?;
        Ok(Some(module))
    }

    /// Returns the program's code loaded for all devices.
    fn library(&mut self) -> Result<sys::CUlibrary> {
        if let Some(library) = self.library {
            return Ok(library);
        }
        let (code, mut library) = (self.cubin.as_ptr().cast::<c_void>(), ptr::null_mut());
        let (none, values) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: as in `load`; there are no options.
        let result = unsafe {
            sys::cuLibraryLoadData(&mut library, code, none, values, 0, ptr::null_mut(), ptr::null_mut(), 0)
        };
        check(result, "cuLibraryLoadData")?;
        Ok(*self.library.insert(library))
    }

    /// Destroys a device's context with everything in it; the next use creates a new one.
    ///
    /// # Errors
    ///
    /// Fails if there is no such device, or the driver refuses.
    pub fn reset(&mut self, device: u32) -> Result<()> {
        let its = self.devices.get_mut(device as usize).ok_or_else(no_device)?;
        if its.context.is_none() {
            return Ok(());
        }
        *its = Device::default();
        self.current.set(None);
        // SAFETY: a plain call; the caller forgets all handles of that context.
        check(unsafe { sys::cuDevicePrimaryCtxReset_v2(device.cast_signed()) }, "cuDevicePrimaryCtxReset")
    }

    /// Returns the address and size in bytes of a variable of the program's code on a device.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the code has no such variable.
    pub fn variable(&mut self, device: u32, symbol: &str) -> Result<(u64, u64)> {
        self.enter(device)?;
        let name = CString::new(symbol).map_err(|_| failed("cuModuleGetGlobal", "a NUL byte in a name"))?;
        let module = self.devices[device as usize].module;
        let module = module.ok_or_else(|| not_found("cuModuleGetGlobal", symbol))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded; pointers to live variables; the name ends in NUL.
        let result = unsafe { sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr()) };
        check(result, "cuModuleGetGlobal")?;
        Ok((address, bytes as u64))
    }

    /// Returns a kernel of the program's code, by its symbol.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the code has no such kernel.
    pub fn function(&mut self, device: u32, symbol: &str) -> Result<Function> {
        self.enter(device)?;
        if let Some(known) = self.devices[device as usize].functions.get(symbol) {
            return Ok(known.clone());
        }
        let name = CString::new(symbol).map_err(|_| failed("cuModuleGetFunction", "a NUL byte in a name"))?;
        let module = self.devices[device as usize].module;
        let module = module.ok_or_else(|| not_found("cuModuleGetFunction", symbol).of_kernel())?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded; a pointer to a live variable; the name ends in NUL.
        let result = unsafe { sys::cuModuleGetFunction(&mut function, module, name.as_ptr()) };
        check(result, "cuModuleGetFunction").map_err(Failed::of_kernel)?;
        let takes = self.takes.as_ref().map(|takes| takes.kernel(symbol)).transpose()?;
        let function = Function { handle: function, takes };
        self.devices[device as usize].functions.insert(symbol.to_owned(), function.clone());
        Ok(function)
    }

    /// Sets a limit of a device, by its number in `cuda.h`, which is also the runtime's.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses the value. A limit that the driver need not know is
    /// ignored.
    pub fn limit(&mut self, device: u32, number: u32, value: u64) -> Result<()> {
        let limit = match number {
            0 => CUlimit::CU_LIMIT_STACK_SIZE,
            1 => CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE,
            2 => CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE,
            _ => return Ok(()),
        };
        self.enter(device)?;
        let value = usize::try_from(value).unwrap_or(usize::MAX);
        // SAFETY: a plain call.
        check(unsafe { sys::cuCtxSetLimit(limit, value) }, "cuCtxSetLimit")
    }

    /// Returns whether a device can access another's memory.
    pub fn can_access_peer(&self, device: u32, peer: u32) -> bool {
        let mut can = 0;
        // SAFETY: a pointer to a live variable; the driver rejects numbers that are not devices.
        let result =
            unsafe { sys::cuDeviceCanAccessPeer(&mut can, device.cast_signed(), peer.cast_signed()) };
        check(result, "cuDeviceCanAccessPeer").is_ok() && can != 0
    }

    /// Enables or disables access by a device's kernels to another device's memory.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does for either device, or if the driver refuses, as for what is enabled already.
    pub fn enable_peer(&mut self, device: u32, peer: u32, on: bool) -> Result<()> {
        self.enter(peer)?;
        let other = self.context(peer)?;
        self.enter(device)?;
        // SAFETY: both contexts are alive.
        unsafe {
            if on {
                check(sys::cuCtxEnablePeerAccess(other, 0), "cuCtxEnablePeerAccess")
            } else {
                check(sys::cuCtxDisablePeerAccess(other), "cuCtxDisablePeerAccess")
            }
        }
    }

    /// Returns the least and the greatest priority of streams.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver can't tell.
    pub fn priorities(&mut self, device: u32) -> Result<(i32, i32)> {
        self.enter(device)?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: pointers to live variables.
        let result = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        check(result, "cuCtxGetStreamPriorityRange")?;
        Ok((least, greatest))
    }
}

fn no_device() -> Failed {
    refused("cuDeviceGet", 101, "CUDA_ERROR_INVALID_DEVICE")
}

fn not_found(call: &str, symbol: &str) -> Failed {
    refused(call, NOT_FOUND, format!("no {symbol} in the program's code"))
}
