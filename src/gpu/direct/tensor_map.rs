//! Tensor maps: descriptions of a tensor's layout, encoded by the driver in the form that kernels expect.

use super::{Direct, check, failed};
use crate::protocol::Result;
use cudarc::driver::sys;
use sim::{MAP_BYTES, TensorMapRequest};
use std::ffi::c_void;

/// Storage for a tensor map, aligned as the driver requires.
#[repr(C, align(64))]
struct Map([u8; MAP_BYTES]);

type Encode = unsafe extern "C" fn(
    *mut Map,
    u32,
    u32,
    *mut c_void,
    *const u64,
    *const u64,
    *const u32,
    *const u32,
    u32,
    u32,
    u32,
    u32,
) -> sys::CUresult;

impl Direct {
    /// Encodes a tensor map.
    ///
    /// # Errors
    ///
    /// Fails with the driver's error number if it rejects the layout.
    pub fn encode_tensor_map(&mut self, layout: &TensorMapRequest) -> Result<[u8; MAP_BYTES]> {
        const CALL: &str = "cuTensorMapEncodeTiled";
        let mut map = Map([0; MAP_BYTES]);
        // SAFETY: the enumerations have a C representation, and the driver rejects numbers that it does not
        // know; it reads as many entries as the rank, which it rejects beyond five; pointers to live
        // variables.
        let result = unsafe {
            let encode = sys::culib().get::<Encode>(CALL.as_bytes());
            let encode = encode.map_err(|_| failed(CALL, "the driver lacks it"))?;
            encode(
                &mut map,
                layout.data_type,
                layout.rank,
                layout.address as *mut c_void,
                layout.extents.as_ptr(),
                layout.strides.as_ptr(),
                layout.box_extents.as_ptr(),
                layout.steps.as_ptr(),
                layout.interleave,
                layout.swizzle,
                layout.promotion,
                layout.fill,
            )
        };
        check(result, CALL)?;
        Ok(map.0)
    }
}
