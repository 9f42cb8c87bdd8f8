//! cuBLAS: operations on vectors whose types are given by numbers.

use super::blas::{
    EXECUTION_FAILED, Handle, INVALID_VALUE, NOT_SUPPORTED, describe_status, of_handle, vector,
};
use super::refuse_if;
use crate::device::ElementType;
use crate::device::library::{Blas, Scalar};
use crate::program::call::{Call, Done, Refusal, calls};
use half::f16;

/// Converts a `cudaDataType` (`library_types.h`).
pub(super) fn data_type(number: i32) -> Result<ElementType, Refusal> {
    Ok(match number {
        0 => ElementType::F32,
        1 => ElementType::F64,
        2 => ElementType::F16,
        3 => ElementType::I8,
        8 => ElementType::U8,
        10 => ElementType::I32,
        12 => ElementType::U32,
        14 => ElementType::Bf16,
        24 => ElementType::I64,
        26 => ElementType::U64,
        _ => return Err(Refusal::Status(NOT_SUPPORTED)),
    })
}

/// Returns a scalar whose type the call gives by a number.
pub(super) fn scalar_of(
    handle: &Handle,
    call: &mut Call,
    pointer: u64,
    element: ElementType,
) -> Result<Scalar, Refusal> {
    let value = match element {
        ElementType::F64 => handle.scalar::<f64>(call, pointer, element)?,
        ElementType::I32 => handle.scalar::<i32>(call, pointer, element)?,
        ElementType::F32 => handle.scalar::<f32>(call, pointer, element)?,
        ElementType::F16 | ElementType::Bf16 => match handle.scalar::<u16>(call, pointer, element)? {
            Scalar::Value(bits) if element == ElementType::F16 => {
                Scalar::Value(f16::from_bits(bits as u16).into())
            }
            Scalar::Value(bits) => Scalar::Value(half::bf16::from_bits(bits as u16).into()),
            at => at,
        },
        _ => return Err(Refusal::Status(INVALID_VALUE)),
    };
    Ok(value)
}

calls! {
    refusals(describe_status, EXECUTION_FAILED);

    /// y ← alpha·x + y
    fn cublasAxpyEx(
        call, handle: u64, n: i32, alpha: u64, alpha_type: i32, x: u64, x_type: i32, incx: i32, y: u64,
        y_type: i32, incy: i32, _execution: i32,
    ) -> Done {
        let handle = *of_handle(call, handle)?;
        let alpha = scalar_of(&handle, call, alpha, data_type(alpha_type)?)?;
        let (x, y) = (vector(x, data_type(x_type)?, n, incx), vector(y, data_type(y_type)?, n, incy));
        handle.submit(call, Blas::Axpy { alpha, x, y })
    }

    /// x ← alpha·x
    fn cublasScalEx(
        call, handle: u64, n: i32, alpha: u64, alpha_type: i32, x: u64, x_type: i32, incx: i32, _execution: i32,
    ) -> Done {
        let handle = *of_handle(call, handle)?;
        let alpha = scalar_of(&handle, call, alpha, data_type(alpha_type)?)?;
        handle.submit(call, Blas::Scale { alpha, x: vector(x, data_type(x_type)?, n, incx) })
    }

    /// result ← x·y
    fn cublasDotEx(
        call, handle: u64, n: i32, x: u64, x_type: i32, incx: i32, y: u64, y_type: i32, incy: i32, result: u64,
        result_type: i32, _execution: i32,
    ) -> Done {
        let (handle, element) = (*of_handle(call, handle)?, data_type(x_type)?);
        refuse_if(data_type(y_type)? != element || data_type(result_type)? != element, NOT_SUPPORTED)?;
        let (x, y) = (vector(x, element, n, incx), vector(y, element, n, incy));
        handle.reduce(call, result, element.bytes() as u64, |result| Blas::Dot { x, y, result })
    }

    /// result ← the Euclidean norm of x
    fn cublasNrm2Ex(
        call, handle: u64, n: i32, x: u64, x_type: i32, incx: i32, result: u64, result_type: i32, _execution: i32,
    ) -> Done {
        let (handle, element) = (*of_handle(call, handle)?, data_type(x_type)?);
        refuse_if(data_type(result_type)? != element, NOT_SUPPORTED)?;
        let x = vector(x, element, n, incx);
        handle.reduce(call, result, element.bytes() as u64, |result| Blas::Norm { x, result })
    }
}
