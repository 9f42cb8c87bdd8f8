//! Tensor maps: descriptions of a tensor's layout, encoded by the driver in the form that kernels expect.

use super::{Direct, check, failed};
use crate::protocol::Failed;
use cudarc::driver::sys;
use std::ffi::c_void;

/// The arguments of `cuTensorMapEncodeTiled`. Enumerations are passed by number, which the driver checks.
#[derive(Clone, Copy, Debug)]
pub struct TensorLayout {
    pub data_type: u32,
    pub rank: u32,
    pub address: u64,
    pub extents: [u64; 5],
    pub strides: [u64; 4],
    pub box_extents: [u32; 5],
    pub steps: [u32; 5],
    pub interleave: u32,
    pub swizzle: u32,
    pub promotion: u32,
    pub fill: u32,
}

/// Storage for a tensor map, aligned as the driver requires.
#[repr(C, align(64))]
struct Map([u8; 128]);

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
    pub fn encode_tensor_map(&mut self, layout: &TensorLayout) -> Result<[u8; 128], Failed> {
        const CALL: &str = "cuTensorMapEncodeTiled";
        let mut map = Map([0; 128]);
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
