//! CUDA's driver through cudarc, with each function checked before its first use. Used in workers only:
//! cudarc panics if the library or one of its functions is missing.

use super::failure::{check, failed, refused};
use super::launch::{self, Geometry, ParameterSizes, Parameters, SHARED_WITHOUT_ASKING_BYTES};
use super::machine::{DeviceInfo, Machine};
use super::protocol::{Failed, FailedBy, LaunchRequest, Result};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use sim::LaunchConfig;
use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::Arc;

/// The functions used. A driver that lacks one of them is too old.
const NEEDED: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuFuncSetAttribute",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyDtoD_v2",
    "cuMemsetD8_v2",
    "cuMemHostRegister_v2",
    "cuLaunchKernel",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuStreamCreate",
    "cuStreamSynchronize",
    "cuStreamDestroy_v2",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
    "cuGraphDestroy",
    "cuMemsetD8Async",
];

/// Oldest supported driver: CUDA 12 began with driver release 525.
const OLDEST: (u32, u32) = (12, 0);

/// Returns the failure to load the driver's library.
fn not_loaded(said: impl Into<String>) -> Failed {
    Failed { by: FailedBy::Library, ..failed("dlopen", said) }
}

/// The driver, loaded and initialised.
pub struct Driver {
    version: (u32, u32),
}

impl Driver {
    /// Loads and initialises the driver's library.
    ///
    /// # Errors
    ///
    /// Fails if the library is not there, is too old, or can't be initialised.
    pub fn load() -> Result<Driver> {
        open(c"libcuda.so.1").map_err(not_loaded)?;
        // SAFETY: looks for the library by its usual names; it is loaded already.
        if !unsafe { sys::is_culib_present() } {
            return Err(not_loaded("libcuda.so.1 was loaded, but can't be found again by its name"));
        }
        has(NEEDED)?;
        has(&["cuGetErrorName"])?;
        let mut version = 0;
        // SAFETY: plain calls with pointers to live variables.
        unsafe {
            check(sys::cuDriverGetVersion(&mut version), "cuDriverGetVersion")?;
            let version = version_of(version);
            if version < OLDEST {
                let said = format!("it supports CUDA {}.{}", version.0, version.1);
                return Err(refused("cuDriverGetVersion", 803, said));
            }
            check(sys::cuInit(0), "cuInit")?;
        }
        Ok(Driver { version: version_of(version) })
    }

    /// Returns the CUDA release that the driver supports, as major and minor.
    pub fn release(&self) -> (u32, u32) {
        self.version
    }

    /// Checks that the library has these further functions.
    ///
    /// # Errors
    ///
    /// Fails if one of them is missing.
    pub fn require(&self, names: &[&str]) -> Result<()> {
        has(names)
    }

    /// Returns the machine's GPUs, and the release of CUDA that the driver supports.
    ///
    /// # Errors
    ///
    /// Fails if there are none, or the driver can't describe one.
    pub fn machine(&self) -> Result<Machine> {
        let mut count = 0;
        // SAFETY: a pointer to a live variable.
        check(unsafe { sys::cuDeviceGetCount(&mut count) }, "cuDeviceGetCount")?;
        if count == 0 {
            return Err(refused("cuDeviceGetCount", 100, "there are 0"));
        }
        let devices = (0..count).map(device_info).collect::<Result<_, _>>()?;
        Ok(Machine { driver: self.version, devices })
    }

    /// Retains a device's primary context for the life of the process, and makes it current for this thread.
    ///
    /// # Errors
    ///
    /// Fails if there is no such device, or it has no context to give.
    pub fn enter(&self, ordinal: u32) -> Result<sys::CUcontext> {
        let ordinal = i32::try_from(ordinal).map_err(|_| failed("cuDeviceGet", "no such device"))?;
        let mut device = 0;
        let mut context = ptr::null_mut();
        // SAFETY: pointers to live variables; the context is never released.
        unsafe {
            check(sys::cuDeviceGet(&mut device, ordinal), "cuDeviceGet")?;
            check(sys::cuDevicePrimaryCtxRetain(&mut context, device), "cuDevicePrimaryCtxRetain")?;
            check(sys::cuCtxSetCurrent(context), "cuCtxSetCurrent")?;
        }
        Ok(context)
    }
}

/// Checks that the loaded library has these functions.
fn has(names: &[&str]) -> Result<()> {
    for name in names {
        // SAFETY: the symbol is only looked up, never called with this type.
        if unsafe { sys::culib().get::<*const ()>(name.as_bytes()) }.is_err() {
            return Err(refused(name, 803, format!("it lacks {name}")));
        }
    }
    Ok(())
}

/// Splits a version number: 12090 is 12.9.
fn version_of(number: i32) -> (u32, u32) {
    let number = u32::try_from(number).unwrap_or(0);
    (number / 1000, number % 1000 / 10)
}

fn device_info(ordinal: i32) -> Result<DeviceInfo> {
    let mut device = 0;
    let mut name = [0u8; 256];
    let mut memory = 0usize;
    // SAFETY: pointers to live variables; the name has room for 256 bytes.
    unsafe {
        check(sys::cuDeviceGet(&mut device, ordinal), "cuDeviceGet")?;
        check(sys::cuDeviceGetName(name.as_mut_ptr().cast(), 256, device), "cuDeviceGetName")?;
        check(sys::cuDeviceTotalMem_v2(&mut memory, device), "cuDeviceTotalMem")?;
    }
    let attribute = |which| {
        let mut value = 0;
        // SAFETY: a pointer to a live variable.
        check(unsafe { sys::cuDeviceGetAttribute(&mut value, which, device) }, "cuDeviceGetAttribute")?;
        Ok::<u32, Failed>(u32::try_from(value).unwrap_or(0))
    };
    Ok(DeviceInfo {
        name: CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned(),
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        memory_bytes: memory as u64,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        cache_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        clock_khz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        memory_clock_khz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
        bus_bits: attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
    })
}

/// Opens a library and never closes it.
fn open(name: &CStr) -> Result<(), String> {
    // SAFETY: loads the driver's library by its name from where the loader searches; never closed. `dlerror`
    // returns null or a C string that lives until the next call.
    unsafe {
        if !libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL).is_null() {
            return Ok(());
        }
        let text = libc::dlerror();
        if text.is_null() {
            return Err("no reason given".into());
        }
        Err(CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

/// Device memory, freed when dropped.
pub struct Memory {
    pub address: u64,
    pub bytes: usize,
}

impl Memory {
    /// Allocates memory, of one byte at least; its contents are arbitrary.
    ///
    /// # Errors
    ///
    /// Fails if the driver has no memory for it.
    pub fn new(bytes: usize) -> Result<Memory> {
        let mut address = 0;
        // SAFETY: a pointer to a live variable; the driver rejects sizes that it cannot allocate.
        check(unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1)) }, "cuMemAlloc")?;
        Ok(Memory { address, bytes })
    }

    /// Sets every byte.
    ///
    /// # Errors
    ///
    /// Fails if the driver can't set it.
    pub fn fill(&self, byte: u8) -> Result<()> {
        self.fill_part(0, self.bytes, byte)
    }

    /// Sets `bytes` bytes from an offset on.
    ///
    /// # Errors
    ///
    /// Fails if they are not within the memory, or the driver can't set them.
    pub fn fill_part(&self, offset: usize, bytes: usize, byte: u8) -> Result<()> {
        let at = self.place("cuMemset", offset, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the range was checked against the memory, which is ours.
        check(unsafe { sys::cuMemsetD8_v2(at, byte, bytes) }, "cuMemset")
    }

    /// Copies bytes to an offset.
    ///
    /// # Errors
    ///
    /// Fails if they don't fit, or the driver can't copy.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        let to = self.place("cuMemcpyHtoD", offset, bytes.len())?;
        // SAFETY: the range was checked against the memory, which is ours.
        check(unsafe { sys::cuMemcpyHtoD_v2(to, bytes.as_ptr().cast(), bytes.len()) }, "cuMemcpyHtoD")
    }

    /// Copies bytes from an offset on.
    ///
    /// # Errors
    ///
    /// Fails if the memory ends before, or the driver can't copy.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        let from = self.place("cuMemcpyDtoH", offset, into.len())?;
        // SAFETY: as above.
        check(unsafe { sys::cuMemcpyDtoH_v2(into.as_mut_ptr().cast(), from, into.len()) }, "cuMemcpyDtoH")
    }

    /// Returns the address of a range of the memory.
    fn place(&self, call: &str, offset: usize, bytes: usize) -> Result<u64> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.address + offset as u64),
            _ => Err(failed(call, "more bytes than the buffer has")),
        }
    }

    /// Copies the contents of another memory, as many bytes as both have.
    ///
    /// # Errors
    ///
    /// Fails if the driver can't copy.
    pub fn copy_from(&self, other: &Memory) -> Result<()> {
        let bytes = self.bytes.min(other.bytes);
        // SAFETY: both sides are ours and have that many bytes.
        check(unsafe { sys::cuMemcpyDtoD_v2(self.address, other.address, bytes) }, "cuMemcpyDtoD")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by cuMemAlloc and freed once. A failure leaks until the process ends.
        unsafe { sys::cuMemFree_v2(self.address) };
    }
}

/// Loaded code, unloaded when dropped.
pub struct Module {
    handle: sys::CUmodule,
    takes: ParameterSizes,
}

impl Module {
    /// Loads machine code into the current context.
    ///
    /// # Errors
    ///
    /// Fails if the code does not declare its kernels' parameters, or the driver rejects it.
    pub fn load(cubin: &[u8]) -> Result<Module> {
        let takes = ParameterSizes::of(cubin)?;
        let mut handle = ptr::null_mut();
        // SAFETY: the driver reads as much as the ELF file declares, which our own compiler produced.
        let result = unsafe { sys::cuModuleLoadData(&mut handle, cubin.as_ptr().cast::<c_void>()) };
        check(result, "cuModuleLoadData")?;
        Ok(Module { handle, takes })
    }

    /// Returns a kernel by its symbol.
    ///
    /// # Errors
    ///
    /// Fails if the module has no such kernel.
    pub fn kernel(&self, symbol: &str) -> Result<Kernel<'_>> {
        let name = CString::new(symbol).map_err(|_| failed("cuModuleGetFunction", "a NUL byte in a name"))?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in NUL.
        let result = unsafe { sys::cuModuleGetFunction(&mut function, self.handle, name.as_ptr()) };
        check(result, "cuModuleGetFunction").map_err(Failed::of_kernel)?;
        Ok(Kernel { function, takes: self.takes.kernel(symbol)?, _module: self })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded once, unloaded once; kernels borrow it.
        unsafe { sys::cuModuleUnload(self.handle) };
    }
}

pub struct Kernel<'a> {
    function: sys::CUfunction,
    /// Size of each parameter in bytes.
    takes: Arc<[u32]>,
    _module: &'a Module,
}

impl Kernel<'_> {
    /// Enqueues the kernel in a stream; `None` is the default stream.
    ///
    /// # Errors
    ///
    /// Fails if the arguments are not of the sizes that the kernel takes, or the driver refuses the launch. An error of
    /// the kernel itself is not seen here: see [`synchronise`].
    pub fn launch(&self, launch: &LaunchRequest, stream: Option<&Stream>) -> Result<()> {
        let given: Vec<&[u8]> = launch.args.iter().map(|arg| arg.0.as_slice()).collect();
        let parameters = Parameters::of(&given, &self.takes)?;
        self.allow_shared(launch.config.dynamic_shared_bytes)?;
        let geometry = Geometry { config: launch.config, cooperative: false, cluster: None };
        let stream = stream.map_or(ptr::null_mut(), |stream| stream.0);
        // SAFETY: the module is borrowed, the parameters were checked, the stream is borrowed.
        unsafe { launch::launch(self.function, &geometry, parameters, stream) }
    }

    /// Opts in to the launch's dynamic shared memory, without which the driver rejects a large one.
    fn allow_shared(&self, bytes: u32) -> Result<()> {
        if bytes <= SHARED_WITHOUT_ASKING_BYTES {
            return Ok(());
        }
        // SAFETY: the module is borrowed.
        unsafe { launch::allow_shared(self.function, bytes) }
    }

    /// Returns how many blocks of a launch can reside on a multiprocessor at once, as computed by the driver.
    ///
    /// # Errors
    ///
    /// Fails if the driver lacks the function for it, or refuses the block or its shared memory.
    pub fn occupancy(&self, launch: &LaunchRequest) -> Result<u32> {
        let call = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
        // SAFETY: the symbol is only looked up, never called with this type.
        if unsafe { sys::culib().get::<*const ()>(call.as_bytes()) }.is_err() {
            return Err(failed(call, "the driver lacks it"));
        }
        let LaunchConfig { block, dynamic_shared_bytes, .. } = launch.config;
        self.allow_shared(dynamic_shared_bytes)?;
        let threads = i32::try_from(block.count()).map_err(|_| failed(call, "a block is too large"))?;
        let mut blocks = 0;
        // SAFETY: the function belongs to a loaded module; a pointer to a live variable.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.function,
                threads,
                dynamic_shared_bytes as usize,
            )
        };
        check(result, call)?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }
}

/// A stream of the current context, destroyed when dropped.
pub struct Stream(pub sys::CUstream);

impl Stream {
    pub(super) fn new() -> Result<Stream> {
        let mut stream = ptr::null_mut();
        // SAFETY: a pointer to a live variable; 1 is CU_STREAM_NON_BLOCKING.
        check(unsafe { sys::cuStreamCreate(&mut stream, 1) }, "cuStreamCreate")?;
        Ok(Stream(stream))
    }

    pub(super) fn wait(&self) -> Result<()> {
        // SAFETY: the stream is alive.
        check(unsafe { sys::cuStreamSynchronize(self.0) }, "cuStreamSynchronize")
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once; work in it ends first.
        unsafe { sys::cuStreamDestroy_v2(self.0) };
    }
}

/// Page-locks memory of this process, which speeds up copies to and from the GPU. If that is not permitted,
/// copies are slower.
pub fn pin(memory: &mut [u8]) {
    // 1 is CU_MEMHOSTREGISTER_PORTABLE: the memory counts as page-locked in every context.
    // SAFETY: the memory is mapped. The driver's own reference keeps its pages if it is unmapped.
    unsafe { sys::cuMemHostRegister_v2(memory.as_mut_ptr().cast(), memory.len(), 1) };
}

/// Waits for all work of the context.
///
/// # Errors
///
/// Fails if any of the work did.
pub fn synchronise() -> Result<()> {
    // SAFETY: a context is current.
    check(unsafe { sys::cuCtxSynchronize() }, "cuCtxSynchronize")
}

/// Returns a device's bus address in the form that NVML accepts; `None` if the driver does not provide it.
pub fn bus_place(ordinal: u32) -> Option<CString> {
    let mut text = [0u8; 32];
    let mut device = 0;
    // SAFETY: the symbol has this type in `cuda.h`; the text has room for 32 bytes.
    unsafe {
        type GetPciBusId = unsafe extern "C" fn(*mut std::ffi::c_char, i32, sys::CUdevice) -> CUresult;
        let place = sys::culib().get::<GetPciBusId>(b"cuDeviceGetPCIBusId").ok()?;
        check(sys::cuDeviceGet(&mut device, i32::try_from(ordinal).ok()?), "cuDeviceGet").ok()?;
        check(place(text.as_mut_ptr().cast(), 32, device), "cuDeviceGetPCIBusId").ok()?;
    }
    Some(CStr::from_bytes_until_nul(&text).ok()?.to_owned())
}
