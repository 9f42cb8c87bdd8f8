//! cuBLAS: symmetric, triangular and diagonal matrices, and rotations. A vector next to such a matrix is a matrix of one
//! row, whose leading dimension is the vector's increment.

use super::blas::{EXECUTION_FAILED, INVALID_VALUE, describe_status, matrix, of_handle, transposed, vector};
use super::refuse_if;
use crate::device::ElementType;
use crate::device::Failure;
use crate::device::library::{Blas, Matrix, Scalar, Triangle};
use crate::program::call::{Call, Done, Refusal, calls};

/// Converts one of two numbers: of `cublasSideMode_t`, `cublasFillMode_t` or `cublasDiagType_t`.
fn is_second(number: i32) -> Result<bool, Refusal> {
    match number {
        0 | 1 => Ok(number == 1),
        _ => Err(Refusal::Status(INVALID_VALUE)),
    }
}

/// Returns the triangle of a square matrix of `n` rows. `fill`, `operation` and `diagonal` are the numbers that the
/// call gives.
fn triangle(
    (at, element): (u64, ElementType),
    n: i32,
    leading: (&str, i32),
    [fill, operation, diagonal]: [i32; 3],
) -> Result<Triangle, Refusal> {
    let matrix = matrix(at, element, [n, n], leading, transposed(operation)?)?;
    Ok(Triangle { matrix, upper: is_second(fill)?, unit: is_second(diagonal)? })
}

/// Returns a vector as a matrix of one row, or of one column if that is transposed.
fn row(
    call: &Call,
    (at, element): (u64, ElementType),
    n: i32,
    step: i32,
    transposed: bool,
) -> Result<Matrix, Refusal> {
    refuse_if(step == 0, INVALID_VALUE)?;
    if step < 0 {
        let what = format!("{} with an increment of {step}", call.site.what);
        return Err(Failure::unsupported(what).into());
    }
    matrix(at, element, [1, n], ("incx", step), transposed)
}

/// The calls for one type.
macro_rules! of_type {
    ($module:ident, $real:ty, $element:ident:
     $symv:ident $symm:ident $syr:ident $syrk:ident $trsv:ident $trsm:ident $trmv:ident $trmm:ident $dgmm:ident
     $rot:ident) => {
        pub(super) mod $module {
            use super::*;

            const ELEMENT: ElementType = ElementType::$element;

            calls! {
                refusals(describe_status, EXECUTION_FAILED);

                /// y ← alpha·A·x + beta·y; A is symmetric.
                fn $symv(
                    call, handle: u64, fill: i32, n: i32, alpha: u64, a: u64, lda: i32, x: u64, incx: i32,
                    beta: u64, y: u64, incy: i32,
                ) -> Done {
                    let handle = *of_handle(call, handle)?;
                    let a = triangle((a, ELEMENT), n, ("lda", lda), [fill, 0, 0])?;
                    let b = row(call, (x, ELEMENT), n, incx, false)?;
                    let c = row(call, (y, ELEMENT), n, incy, false)?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    let beta = handle.scalar::<$real>(call, beta, ELEMENT)?;
                    handle.submit(call, Blas::Symm { left: false, alpha, a, b, beta, c })
                }

                /// C ← alpha·A·B + beta·C, or alpha·B·A + beta·C; A is symmetric, C is m×n.
                fn $symm(
                    call, handle: u64, side: i32, fill: i32, m: i32, n: i32, alpha: u64, a: u64, lda: i32, b: u64,
                    ldb: i32, beta: u64, c: u64, ldc: i32,
                ) -> Done {
                    let (handle, left) = (*of_handle(call, handle)?, !is_second(side)?);
                    let extent = if left { m } else { n };
                    let a = triangle((a, ELEMENT), extent, ("lda", lda), [fill, 0, 0])?;
                    let b = matrix(b, ELEMENT, [m, n], ("ldb", ldb), false)?;
                    let c = matrix(c, ELEMENT, [m, n], ("ldc", ldc), false)?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    let beta = handle.scalar::<$real>(call, beta, ELEMENT)?;
                    handle.submit(call, Blas::Symm { left, alpha, a, b, beta, c })
                }

                /// A ← alpha·x·xᵀ + A, one triangle of it
                fn $syr(
                    call, handle: u64, fill: i32, n: i32, alpha: u64, x: u64, incx: i32, a: u64, lda: i32,
                ) -> Done {
                    let handle = *of_handle(call, handle)?;
                    let c = triangle((a, ELEMENT), n, ("lda", lda), [fill, 0, 0])?;
                    let a = row(call, (x, ELEMENT), n, incx, true)?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    handle.submit(call, Blas::Syrk { alpha, a, inner: 1, beta: Scalar::Value(1.0), c })
                }

                /// C ← alpha·op(A)·op(A)ᵀ + beta·C, one triangle of it; op(A) is n×k.
                fn $syrk(
                    call, handle: u64, fill: i32, operation: i32, n: i32, k: i32, alpha: u64, a: u64, lda: i32,
                    beta: u64, c: u64, ldc: i32,
                ) -> Done {
                    let (handle, turned) = (*of_handle(call, handle)?, transposed(operation)?);
                    let a = matrix(a, ELEMENT, if turned { [k, n] } else { [n, k] }, ("lda", lda), turned)?;
                    let c = triangle((c, ELEMENT), n, ("ldc", ldc), [fill, 0, 0])?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    let beta = handle.scalar::<$real>(call, beta, ELEMENT)?;
                    handle.submit(call, Blas::Syrk { alpha, a, inner: k.max(0) as u64, beta, c })
                }

                /// Solves op(A)·x = b, where x replaces b; A is triangular.
                fn $trsv(
                    call, handle: u64, fill: i32, operation: i32, diagonal: i32, n: i32, a: u64, lda: i32, x: u64,
                    incx: i32,
                ) -> Done {
                    let handle = *of_handle(call, handle)?;
                    // Of rows, x·op(A)ᵀ = b.
                    let turned = i32::from(!transposed(operation)?);
                    let a = triangle((a, ELEMENT), n, ("lda", lda), [fill, turned, diagonal])?;
                    let b = row(call, (x, ELEMENT), n, incx, false)?;
                    handle.submit(call, Blas::Trsm { left: false, alpha: Scalar::Value(1.0), a, b })
                }

                /// Solves op(A)·X = alpha·B or X·op(A) = alpha·B, where X replaces B; A is triangular, B is m×n.
                fn $trsm(
                    call, handle: u64, side: i32, fill: i32, operation: i32, diagonal: i32, m: i32, n: i32,
                    alpha: u64, a: u64, lda: i32, b: u64, ldb: i32,
                ) -> Done {
                    let (handle, left) = (*of_handle(call, handle)?, !is_second(side)?);
                    let extent = if left { m } else { n };
                    let a = triangle((a, ELEMENT), extent, ("lda", lda), [fill, operation, diagonal])?;
                    let b = matrix(b, ELEMENT, [m, n], ("ldb", ldb), false)?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    handle.submit(call, Blas::Trsm { left, alpha, a, b })
                }

                /// x ← op(A)·x; A is triangular.
                fn $trmv(
                    call, handle: u64, fill: i32, operation: i32, diagonal: i32, n: i32, a: u64, lda: i32, x: u64,
                    incx: i32,
                ) -> Done {
                    let handle = *of_handle(call, handle)?;
                    let turned = i32::from(!transposed(operation)?);
                    let a = triangle((a, ELEMENT), n, ("lda", lda), [fill, turned, diagonal])?;
                    let b = row(call, (x, ELEMENT), n, incx, false)?;
                    handle.submit(call, Blas::Trmm { left: false, alpha: Scalar::Value(1.0), a, b, c: b })
                }

                /// C ← alpha·op(A)·B or alpha·B·op(A); A is triangular, C is m×n.
                fn $trmm(
                    call, handle: u64, side: i32, fill: i32, operation: i32, diagonal: i32, m: i32, n: i32,
                    alpha: u64, a: u64, lda: i32, b: u64, ldb: i32, c: u64, ldc: i32,
                ) -> Done {
                    let (handle, left) = (*of_handle(call, handle)?, !is_second(side)?);
                    let extent = if left { m } else { n };
                    let a = triangle((a, ELEMENT), extent, ("lda", lda), [fill, operation, diagonal])?;
                    let b = matrix(b, ELEMENT, [m, n], ("ldb", ldb), false)?;
                    let c = matrix(c, ELEMENT, [m, n], ("ldc", ldc), false)?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    handle.submit(call, Blas::Trmm { left, alpha, a, b, c })
                }

                /// C ← diag(x)·A or A·diag(x); C is m×n.
                fn $dgmm(
                    call, handle: u64, side: i32, m: i32, n: i32, a: u64, lda: i32, x: u64, incx: i32, c: u64,
                    ldc: i32,
                ) -> Done {
                    let (handle, left) = (*of_handle(call, handle)?, !is_second(side)?);
                    let a = matrix(a, ELEMENT, [m, n], ("lda", lda), false)?;
                    let c = matrix(c, ELEMENT, [m, n], ("ldc", ldc), false)?;
                    let x = vector(x, ELEMENT, if left { m } else { n }, incx);
                    handle.submit(call, Blas::Dgmm { left, a, x, c })
                }

                /// x ← c·x + s·y, y ← c·y − s·x
                fn $rot(
                    call, handle: u64, n: i32, x: u64, incx: i32, y: u64, incy: i32, cosine: u64, sine: u64,
                ) -> Done {
                    let handle = *of_handle(call, handle)?;
                    let (x, y) = (vector(x, ELEMENT, n, incx), vector(y, ELEMENT, n, incy));
                    let cosine = handle.scalar::<$real>(call, cosine, ELEMENT)?;
                    let sine = handle.scalar::<$real>(call, sine, ELEMENT)?;
                    handle.submit(call, Blas::Rot { x, y, cosine, sine })
                }
            }
        }
    };
}
of_type! { single, f32, F32:
cublasSsymv_v2 cublasSsymm_v2 cublasSsyr_v2 cublasSsyrk_v2 cublasStrsv_v2 cublasStrsm_v2 cublasStrmv_v2 cublasStrmm_v2
cublasSdgmm cublasSrot_v2 }
of_type! { double, f64, F64:
cublasDsymv_v2 cublasDsymm_v2 cublasDsyr_v2 cublasDsyrk_v2 cublasDtrsv_v2 cublasDtrsm_v2 cublasDtrmv_v2 cublasDtrmm_v2
cublasDdgmm cublasDrot_v2 }
