//! cuBLAS: copies of vectors and matrices between host and device.

use super::blas::{EXECUTION_FAILED, INVALID_VALUE, describe_status};
use super::refuse_if;
use crate::device::CopyShape;
use crate::program::call::{Call, Done, Refusal, calls};
use crate::program::runtime::copy::{CopyCall, Direction};

/// Copies `count` runs of `bytes` bytes, with a pitch of its own on each side. `arguments` are the numbers of
/// the arguments that hold destination and source.
fn move_runs(
    call: &mut Call,
    [bytes, count]: [i64; 2],
    (src, src_pitch): (u64, i64),
    (dst, dst_pitch): (u64, i64),
    arguments: [usize; 2],
    stream: Option<u64>,
) -> Result<(), Refusal> {
    refuse_if(bytes <= 0 || count < 0 || src_pitch < bytes || dst_pitch < bytes, INVALID_VALUE)?;
    if count == 0 {
        return Ok(());
    }
    let dense = src_pitch == bytes && dst_pitch == bytes;
    let shape = if dense {
        CopyShape::linear((bytes as u64).saturating_mul(count as u64))
    } else {
        CopyShape {
            height: count as u64,
            src_pitch: src_pitch as u64,
            dst_pitch: dst_pitch as u64,
            ..CopyShape::linear(bytes as u64)
        }
    };
    Ok(call.copy(CopyCall { dst, src, shape, direction: Direction::Default, arguments, stream })?)
}

/// Copies a vector: runs of one element.
fn move_vector(
    call: &mut Call,
    n: i32,
    element: i32,
    (x, incx): (u64, i32),
    (y, incy): (u64, i32),
    stream: Option<u64>,
) -> Result<(), Refusal> {
    let pitch = |step: i32| i64::from(step) * i64::from(element);
    move_runs(call, [element.into(), n.into()], (x, pitch(incx)), (y, pitch(incy)), [4, 2], stream)
}

/// Copies a matrix: runs of one column.
fn move_matrix(
    call: &mut Call,
    [rows, columns, element]: [i32; 3],
    (a, lda): (u64, i32),
    (b, ldb): (u64, i32),
    stream: Option<u64>,
) -> Result<(), Refusal> {
    let bytes = |elements: i32| i64::from(elements) * i64::from(element);
    move_runs(call, [bytes(rows), columns.into()], (a, bytes(lda)), (b, bytes(ldb)), [5, 3], stream)
}

calls! {
    refusals(describe_status, EXECUTION_FAILED);

    /// Copies a vector to or from the device.
    fn cublasSetVector, cublasGetVector, cublasSetVectorAsync, cublasGetVectorAsync(
        call, n: i32, bytes: i32, x: u64, incx: i32, y: u64, incy: i32, stream: Option<u64>,
    ) -> Done {
        move_vector(call, n, bytes, (x, incx), (y, incy), stream)
    }

    /// Copies a matrix to or from the device.
    fn cublasSetMatrix, cublasGetMatrix, cublasSetMatrixAsync, cublasGetMatrixAsync(
        call, rows: i32, columns: i32, bytes: i32, a: u64, lda: i32, b: u64, ldb: i32, stream: Option<u64>,
    ) -> Done {
        move_matrix(call, [rows, columns, bytes], (a, lda), (b, ldb), stream)
    }
}
