//! The clocks of a working GPU, from NVIDIA's management library (NVML) if it is installed. Nothing depends
//! on it: information that it does not provide is left out.

use super::protocol::Clocks;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

type Init = unsafe extern "C" fn() -> c_int;
type HandleByBus = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;
type Clock = unsafe extern "C" fn(*mut c_void, c_int, *mut c_uint) -> c_int;
type Reasons = unsafe extern "C" fn(*mut c_void, *mut c_ulonglong) -> c_int;

/// `NVML_CLOCK_SM` of `nvml.h`.
const CLOCK_SM: c_int = 1;

/// Returns the clocks of the device with this number in the driver. The device is found by its bus address,
/// because NVML numbers all devices, and the driver only those that it exposes.
pub fn clocks(device: u32) -> Option<Clocks> {
    let place = super::driver::bus_place(device)?;
    // SAFETY: the library is NVIDIA's own and stays loaded; each symbol has the type declared in `nvml.h`;
    // the name ends in NUL; pointers are to live variables.
    unsafe {
        let library = libc::dlopen(c"libnvidia-ml.so.1".as_ptr(), libc::RTLD_NOW);
        if library.is_null() {
            return None;
        }
        let symbol = |name: &CStr| {
            let found = libc::dlsym(library, name.as_ptr());
            (!found.is_null()).then_some(found)
        };
        let init = std::mem::transmute::<*mut c_void, Init>(symbol(c"nvmlInit_v2")?);
        let handle_by_bus =
            std::mem::transmute::<*mut c_void, HandleByBus>(symbol(c"nvmlDeviceGetHandleByPciBusId_v2")?);
        let clock = std::mem::transmute::<*mut c_void, Clock>(symbol(c"nvmlDeviceGetClockInfo")?);
        let reasons = std::mem::transmute::<*mut c_void, Reasons>(symbol(
            c"nvmlDeviceGetCurrentClocksThrottleReasons",
        )?);
        let mut handle = std::ptr::null_mut();
        if init() != 0 || handle_by_bus(place.as_ptr(), &mut handle) != 0 {
            return None;
        }
        let (mut sm, mut bits) = (0, 0);
        if clock(handle, CLOCK_SM, &mut sm) != 0 {
            return None;
        }
        if reasons(handle, &mut bits) != 0 {
            bits = 0;
        }
        Some(Clocks { sm_mhz: sm, throttled_by: bits })
    }
}
