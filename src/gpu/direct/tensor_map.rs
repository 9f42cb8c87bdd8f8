//! Tensor maps: a tensor's layout, encoded by the driver as kernels take it.

use super::{Direct, check, failed};
use crate::protocol::Failed;
use cudarc::driver::sys;
use std::ffi::c_void;

/// The arguments of `cuTensorMapEncodeTiled`; what is an enumeration by its number, which the driver checks.
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

/// Room for a map, placed as the driver asks for it.
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
    /// # Errors
    ///
    /// What the driver refuses, with its number.
    pub fn encode_tensor_map(&mut self, layout: &TensorLayout) -> Result<[u8; 128], Failed> {
        const CALL: &str = "cuTensorMapEncodeTiled";
        let mut map = Map([0; 128]);
        // SAFETY: the enumerations have a C representation, and the driver refuses numbers that it does not know; it
        // reads as many entries as the rank says, which it refuses beyond five; pointers to live variables.
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
