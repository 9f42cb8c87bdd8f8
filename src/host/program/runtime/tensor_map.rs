//! Tensor maps: the one call of the driver API that programs of the runtime need.

use super::errors::Status;
use crate::device::{CudaError, Failure, Result};
use crate::program::call::{Call, calls};
use sim::{MAX_RANK, MapCondition, TensorMapRequest};

/// `CUDA_ERROR_INVALID_VALUE`, the only error documented for invalid parameters of a map.
const INVALID_VALUE: i32 = 1;

/// Returns a description of the violated condition, or CUDA's general one if the condition is not known.
fn words(condition: Option<MapCondition>) -> &'static str {
    let Some(condition) = condition else { return "invalid argument" };
    match condition {
        MapCondition::DataType => "tensorDataType is not a CUtensorMapDataType",
        MapCondition::Interleave => "interleave is not a CUtensorMapInterleave",
        MapCondition::Swizzle => "swizzle is not a CUtensorMapSwizzle",
        MapCondition::Promotion => "l2Promotion is not a CUtensorMapL2promotion",
        MapCondition::Fill => "oobFill is not a CUtensorMapFloatOOBfill",
        MapCondition::NewerDataType => "GPUs of compute capability 9.0 lack the data type",
        MapCondition::NewerSwizzle => "GPUs of compute capability 9.0 lack the swizzle",
        MapCondition::Rank => "tensorRank must be 1 to 5",
        MapCondition::Address => "globalAddress must be a multiple of 16",
        MapCondition::Extent => "each entry of globalDim must be 1 to 2^32",
        MapCondition::StrideMultiple => "each entry of globalStrides, in bytes, must be a multiple of 16",
        MapCondition::StrideTooLarge => "each entry of globalStrides must be less than 2^40",
        MapCondition::BoxExtent => "each entry of boxDim must be 1 to 256",
        MapCondition::Step => "each entry of elementStrides must be 1 to 8",
        MapCondition::RowMultiple => "boxDim[0] elements must be a multiple of 16 bytes",
        MapCondition::RowBeyondSwizzle => "boxDim[0] elements must take no more bytes than the swizzle has",
        MapCondition::NanOfIntegers => "only floating-point types can be filled with NaN",
    }
}

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
    refusals(|status| Some(describe_status(status)));

    /// Encodes a tensor map: a tensor, and the box of it that a copy moves.
    fn cuTensorMapEncodeTiled(
        call, map: u64, data_type: u32, rank: u32, address: u64, extents: u64, strides: u64, box_extents: u64,
        steps: u64, interleave: u32, swizzle: u32, promotion: u32, fill: u32,
    ) -> i32 {
        let count = (rank as usize).min(MAX_RANK);
        let made = (|| {
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
            let made = call.gpus.encode_tensor_map(&request)?;
            if let Err(condition) = made {
                call.runtime.errors.refusal_reason = Some(words(condition));
                return Err(CudaError::InvalidValue.into());
            }
            match made {
                Ok(bytes) if map != 0 => call.store(map, &bytes),
                _ => Err(CudaError::InvalidValue.into()),
            }
        })();
        match made {
            Ok(()) => Ok(0),
            Err(Failure::Cuda(_)) => Ok(INVALID_VALUE),
            Err(failure) => Err(failure),
        }
    }

    /// Would return the address of a driver function. Only cuTensorMapEncodeTiled is supported, which the
    /// headers handle themselves.
    fn __gpulearnDriverEntryPoint(call, symbol: u64, _function: u64) {
        let name = call.string(symbol)?;
        Err(Failure::Unsupported { what: format!("{name} by cudaGetDriverEntryPoint()"), line: None })
    }
}

/// Returns the name and description of a status of the driver API.
pub fn describe_status(status: i32) -> Status {
    match status {
        INVALID_VALUE => Status { name: "CUDA_ERROR_INVALID_VALUE", text: "invalid argument" },
        _ => Status { name: "CUDA_ERROR_UNKNOWN", text: "unknown error" },
    }
}
