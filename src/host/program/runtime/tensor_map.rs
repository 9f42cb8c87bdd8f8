//! Tensor maps: the one call of the driver API that programs of the runtime need.

use super::errors::Status;
use crate::device::{Failure, Result};
use crate::program::call::{Call, Done, Refusal, calls};
use sim::{Evidence, MAX_RANK, TensorMapRequest};

/// `CUDA_ERROR_INVALID_VALUE`, the only error documented for invalid parameters of a map.
const INVALID_VALUE: i32 = 1;

impl Call<'_> {
    /// Reads the first `count` entries of an array in the program's memory.
    fn entries<T: crate::program::call::Argument + Default + Copy, const N: usize>(
        &mut self,
        array: u64,
        count: usize,
    ) -> Result<[T; N]> {
        let mut found = [T::default(); N];
        for (n, entry) in (0..).zip(found.iter_mut().take(count)) {
            *entry =
                self.get(array.checked_add(n * size_of::<T>() as u64).filter(|_| array != 0).unwrap_or(0))?;
        }
        Ok(found)
    }
}

calls! {
    refusals(describe_status, INVALID_VALUE);

    /// Encodes a tensor map: a tensor, and the box of it that a copy moves.
    fn cuTensorMapEncodeTiled(
        call, map: u64, data_type: u32, rank: u32, address: u64, extents: u64, strides: u64, box_extents: u64,
        steps: u64, interleave: u32, swizzle: u32, promotion: u32, fill: u32,
    ) -> Done {
        let count = (rank as usize).min(MAX_RANK);
        let request = TensorMapRequest {
            data_type,
            rank,
            address,
            extents: call.entries(extents, count)?,
            strides: call.entries(strides, count.saturating_sub(1))?,
            box_extents: call.entries(box_extents, count)?,
            steps: call.entries(steps, count)?,
            interleave,
            swizzle,
            promotion,
            fill,
        };
        match call.gpus.encode_tensor_map(&request)? {
            Ok(bytes) => Ok(call.put(map, bytes.to_vec())?),
            Err(None) => Err(Refusal::Status(INVALID_VALUE)),
            Err(Some(condition)) => {
                Err(Refusal::Argument(INVALID_VALUE, Box::new(Evidence::TensorMapCondition(condition))))
            }
        }
    }

    /// Would return the address of a driver function. Only cuTensorMapEncodeTiled is supported, which the
    /// headers handle themselves.
    fn __gpulearnDriverEntryPoint(call, symbol: u64, _function: u64) {
        let name = call.string(symbol)?;
        Err(Failure::unsupported(format!("{name} by cudaGetDriverEntryPoint()")))
    }
}

/// Returns the name and description of a status of the driver API.
pub fn describe_status(status: i32) -> Status {
    match status {
        INVALID_VALUE => Status { name: "CUDA_ERROR_INVALID_VALUE", text: "invalid argument" },
        _ => Status { name: "CUDA_ERROR_UNKNOWN", text: "unknown error" },
    }
}
