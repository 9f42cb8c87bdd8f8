//! cuBLAS: operations on vectors and matrix-vector products (levels 1 and 2) whose name says the type.

use super::blas::{EXECUTION_FAILED, INVALID_VALUE, describe_status, matrix, of_handle, transposed, vector};
use super::blas_ex::{cublasAxpyEx, cublasDotEx, cublasNrm2Ex, cublasScalEx};
use super::refuse_if;
use crate::device::ElementType;
use crate::device::library::{Blas, Vector};
use crate::program::call::{Call, Done, Refusal, calls};

/// Levels 1 and 2 for one type, whose `cudaDataType` is `$number`.
macro_rules! of_type {
    ($module:ident, $real:ty, $element:ident, $number:literal:
     $axpy:ident $scal:ident $copy:ident $swap:ident $dot:ident $nrm2:ident $asum:ident $amax:ident $amin:ident
     $gemv:ident $ger:ident) => {
        pub(super) mod $module {
            use super::*;

            const ELEMENT: ElementType = ElementType::$element;
            const TYPE: i32 = $number;
            const BYTES: u64 = size_of::<$real>() as u64;

            fn extreme(
                call: &mut Call,
                handle: u64,
                x: Vector,
                result: u64,
                smallest: bool,
            ) -> Result<(), Refusal> {
                let handle = *of_handle(call, handle)?;
                handle.reduce(call, result, 4, |result| Blas::AbsMax { x, result, smallest })
            }

            calls! {
                refusals(describe_status, EXECUTION_FAILED);

                /// y ← alpha·x + y
                fn $axpy(call, handle: u64, n: i32, alpha: u64, x: u64, incx: i32, y: u64, incy: i32) -> Done {
                    cublasAxpyEx(call, handle, n, alpha, TYPE, x, TYPE, incx, y, TYPE, incy, TYPE)
                }

                /// x ← alpha·x
                fn $scal(call, handle: u64, n: i32, alpha: u64, x: u64, incx: i32) -> Done {
                    cublasScalEx(call, handle, n, alpha, TYPE, x, TYPE, incx, TYPE)
                }

                /// y ← x
                fn $copy(call, handle: u64, n: i32, x: u64, incx: i32, y: u64, incy: i32) -> Done {
                    let (x, y) = (vector(x, ELEMENT, n, incx), vector(y, ELEMENT, n, incy));
                    let handle = *of_handle(call, handle)?;
                    handle.submit(call, Blas::Copy { x, y })
                }

                /// x ↔ y
                fn $swap(call, handle: u64, n: i32, x: u64, incx: i32, y: u64, incy: i32) -> Done {
                    let (x, y) = (vector(x, ELEMENT, n, incx), vector(y, ELEMENT, n, incy));
                    let handle = *of_handle(call, handle)?;
                    handle.submit(call, Blas::Swap { x, y })
                }

                /// result ← x·y
                fn $dot(
                    call, handle: u64, n: i32, x: u64, incx: i32, y: u64, incy: i32, result: u64,
                ) -> Done {
                    cublasDotEx(call, handle, n, x, TYPE, incx, y, TYPE, incy, result, TYPE, TYPE)
                }

                /// result ← the Euclidean norm of x
                fn $nrm2(call, handle: u64, n: i32, x: u64, incx: i32, result: u64) -> Done {
                    cublasNrm2Ex(call, handle, n, x, TYPE, incx, result, TYPE, TYPE)
                }

                /// result ← the sum of magnitudes of x
                fn $asum(call, handle: u64, n: i32, x: u64, incx: i32, result: u64) -> Done {
                    let (handle, x) = (*of_handle(call, handle)?, vector(x, ELEMENT, n, incx));
                    handle.reduce(call, result, BYTES, |result| Blas::AbsSum { x, result })
                }

                /// result ← the 1-based index of the first element of largest magnitude
                fn $amax(call, handle: u64, n: i32, x: u64, incx: i32, result: u64) -> Done {
                    extreme(call, handle, vector(x, ELEMENT, n, incx), result, false)
                }

                /// result ← the 1-based index of the first element of smallest magnitude
                fn $amin(call, handle: u64, n: i32, x: u64, incx: i32, result: u64) -> Done {
                    extreme(call, handle, vector(x, ELEMENT, n, incx), result, true)
                }

                /// y ← alpha·op(A)·x + beta·y; A is m×n.
                fn $gemv(
                    call, handle: u64, operation: i32, m: i32, n: i32, alpha: u64, a: u64, lda: i32, x: u64,
                    incx: i32, beta: u64, y: u64, incy: i32,
                ) -> Done {
                    let (handle, turned) = (*of_handle(call, handle)?, transposed(operation)?);
                    let a = matrix(a, ELEMENT, [m, n], ("lda", lda), turned)?;
                    let (rows, columns) = if turned { (n, m) } else { (m, n) };
                    refuse_if(incx == 0 || incy == 0, INVALID_VALUE)?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    let beta = handle.scalar::<$real>(call, beta, ELEMENT)?;
                    let (x, y) = (vector(x, ELEMENT, columns, incx), vector(y, ELEMENT, rows, incy));
                    handle.submit(call, Blas::Gemv { alpha, a, x, beta, y })
                }

                /// A ← alpha·x·yᵀ + A; A is m×n.
                fn $ger(
                    call, handle: u64, m: i32, n: i32, alpha: u64, x: u64, incx: i32, y: u64, incy: i32, a: u64,
                    lda: i32,
                ) -> Done {
                    let handle = *of_handle(call, handle)?;
                    let a = matrix(a, ELEMENT, [m, n], ("lda", lda), false)?;
                    refuse_if(incx == 0 || incy == 0, INVALID_VALUE)?;
                    let alpha = handle.scalar::<$real>(call, alpha, ELEMENT)?;
                    let (x, y) = (vector(x, ELEMENT, m, incx), vector(y, ELEMENT, n, incy));
                    handle.submit(call, Blas::Ger { alpha, x, y, a })
                }
            }
        }
    };
}
of_type! { single, f32, F32, 0:
cublasSaxpy_v2 cublasSscal_v2 cublasScopy_v2 cublasSswap_v2 cublasSdot_v2 cublasSnrm2_v2 cublasSasum_v2
cublasIsamax_v2 cublasIsamin_v2 cublasSgemv_v2 cublasSger_v2 }
of_type! { double, f64, F64, 1:
cublasDaxpy_v2 cublasDscal_v2 cublasDcopy_v2 cublasDswap_v2 cublasDdot_v2 cublasDnrm2_v2 cublasDasum_v2
cublasIdamax_v2 cublasIdamin_v2 cublasDgemv_v2 cublasDger_v2 }
