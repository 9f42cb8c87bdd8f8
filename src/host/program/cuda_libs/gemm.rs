//! cuBLAS: matrix products.

use super::blas::{
    EXECUTION_FAILED, Handle, INVALID_VALUE, NOT_SUPPORTED, describe_status, matrix, of_handle, transposed,
};
use super::blas_ex::{data_type, scalar_of};
use super::refuse_if;
use crate::device::ElementType;
use crate::device::library::{Blas, Matrix, Scalar};
use crate::program::call::{Call, Done, Refusal, calls};

/// The shape of a product, or of a batch of products: the operations on A and B, and m, n, k. C is m×n; the sum runs
/// over k.
struct Shape {
    operations: [i32; 2],
    m: i32,
    n: i32,
    k: i32,
    batch: i32,
    /// Whether the matrices of the batch are found by arrays of pointers.
    by_pointers: bool,
}

/// A matrix as a call describes it: pointer, type, leading dimension, and the elements to the next of a
/// batch. Of a batch found by pointers, the pointer is to an array of them.
#[derive(Clone, Copy)]
struct GemmMatrix {
    at: u64,
    element: ElementType,
    leading: i32,
    stride: i64,
}

impl GemmMatrix {
    fn matrix(self, leading: &str, extents: [i32; 2], transposed: bool) -> Result<Matrix, Refusal> {
        Ok(Matrix {
            stride: self.stride,
            ..matrix(self.at, self.element, extents, (leading, self.leading), transposed)?
        })
    }
}

/// How a product is computed.
struct Compute {
    element: ElementType,
    tensor_cores: bool,
}

impl Handle {
    fn gemm(
        &self,
        call: &mut Call,
        shape: Shape,
        [alpha, beta]: [Scalar; 2],
        [a, b, c]: [GemmMatrix; 3],
        compute: Compute,
    ) -> Result<(), Refusal> {
        let Shape { operations, m, n, k, batch, by_pointers } = shape;
        let [turn_a, turn_b] = [transposed(operations[0])?, transposed(operations[1])?];
        refuse_if(m < 0 || n < 0 || k < 0 || batch < 0, INVALID_VALUE)?;
        let a = a.matrix("lda", if turn_a { [k, m] } else { [m, k] }, turn_a)?;
        let b = b.matrix("ldb", if turn_b { [n, k] } else { [k, n] }, turn_b)?;
        let c = c.matrix("ldc", [m, n], false)?;
        if m == 0 || n == 0 || batch == 0 {
            return Ok(());
        }
        let (batch, inner) = (batch as u64, k as u64);
        let Compute { element, tensor_cores } = compute;
        let product =
            Blas::Gemm { alpha, a, b, beta, c, inner, batch, by_pointers, compute: element, tensor_cores };
        self.submit(call, product)
    }
}

/// Converts a `cublasComputeType_t`: the type in which sums are computed, and whether tensor cores are used.
/// Factors keep more precision here than on a GPU that rounds them to tf32 or 16 bits.
fn compute_type(number: i32, a: ElementType, handle: &Handle) -> Result<Compute, Refusal> {
    let halves = matches!(a, ElementType::F16 | ElementType::Bf16);
    let (element, tensor_cores) = match number {
        64 | 65 => (ElementType::F16, number == 64),
        68 => (ElementType::F32, halves || handle.tf32()),
        69 => (ElementType::F32, false),
        70 | 71 => (ElementType::F64, false),
        72 | 73 => (ElementType::I32, a == ElementType::I8 && number == 72),
        74 | 75 | 77 => (ElementType::F32, true),
        _ => return Err(Refusal::Status(INVALID_VALUE)),
    };
    let fits = match element {
        ElementType::F64 => a == ElementType::F64,
        ElementType::I32 => a == ElementType::I8,
        ElementType::F16 => a == ElementType::F16,
        _ => matches!(a, ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::I8),
    };
    refuse_if(!fits, NOT_SUPPORTED)?;
    Ok(Compute { element, tensor_cores })
}

/// Computes a product whose types are given by numbers.
fn typed_gemm(
    call: &mut Call,
    handle: u64,
    shape: Shape,
    scalars: [u64; 2],
    matrices: [(u64, i32, i32, i64); 3],
    compute: i32,
) -> Result<(), Refusal> {
    let handle = *of_handle(call, handle)?;
    let given = |(at, data, leading, stride): (u64, i32, i32, i64)| {
        Ok::<GemmMatrix, Refusal>(GemmMatrix { at, element: data_type(data)?, leading, stride })
    };
    let [a, b, c] = [given(matrices[0])?, given(matrices[1])?, given(matrices[2])?];
    refuse_if(a.element != b.element, NOT_SUPPORTED)?;
    let compute = compute_type(compute, a.element, &handle)?;
    let alpha = scalar_of(&handle, call, scalars[0], compute.element)?;
    let beta = scalar_of(&handle, call, scalars[1], compute.element)?;
    handle.gemm(call, shape, [alpha, beta], [a, b, c], compute)
}

/// `cublasComputeType_t` of sums in single precision.
const COMPUTE_32F: i32 = 68;

calls! {
    refusals(describe_status, EXECUTION_FAILED);

    /// C ← alpha·op(A)·op(B) + beta·C, with types given by numbers
    fn cublasGemmEx(
        call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, k: i32, alpha: u64, a: u64, a_type: i32,
        lda: i32, b: u64, b_type: i32, ldb: i32, beta: u64, c: u64, c_type: i32, ldc: i32, compute: i32,
        _algorithm: i32,
    ) -> Done {
        let shape = Shape { operations: [op_a, op_b], m, n, k, batch: 1, by_pointers: false };
        let matrices = [(a, a_type, lda, 0), (b, b_type, ldb, 0), (c, c_type, ldc, 0)];
        typed_gemm(call, handle, shape, [alpha, beta], matrices, compute)
    }

    /// C ← alpha·op(A)·op(B) + beta·C for each of a batch with constant strides, with types given by numbers
    fn cublasGemmStridedBatchedEx(
        call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, k: i32, alpha: u64, a: u64, a_type: i32,
        lda: i32, stride_a: i64, b: u64, b_type: i32, ldb: i32, stride_b: i64, beta: u64, c: u64, c_type: i32,
        ldc: i32, stride_c: i64, batch: i32, compute: i32, _algorithm: i32,
    ) -> Done {
        let shape = Shape { operations: [op_a, op_b], m, n, k, batch, by_pointers: false };
        let matrices = [(a, a_type, lda, stride_a), (b, b_type, ldb, stride_b), (c, c_type, ldc, stride_c)];
        typed_gemm(call, handle, shape, [alpha, beta], matrices, compute)
    }

    /// C ← alpha·op(A)·op(B) + beta·C for each of a batch found by arrays of pointers, with types given by numbers
    fn cublasGemmBatchedEx(
        call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, k: i32, alpha: u64, a: u64, a_type: i32,
        lda: i32, b: u64, b_type: i32, ldb: i32, beta: u64, c: u64, c_type: i32, ldc: i32, batch: i32,
        compute: i32, _algorithm: i32,
    ) -> Done {
        let shape = Shape { operations: [op_a, op_b], m, n, k, batch, by_pointers: true };
        let matrices = [(a, a_type, lda, 0), (b, b_type, ldb, 0), (c, c_type, ldc, 0)];
        typed_gemm(call, handle, shape, [alpha, beta], matrices, compute)
    }

    /// C ← alpha·op(A)·op(B) + beta·C, with sums in single precision and matrix types given by numbers
    fn cublasSgemmEx(
        call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, k: i32, alpha: u64, a: u64, a_type: i32,
        lda: i32, b: u64, b_type: i32, ldb: i32, beta: u64, c: u64, c_type: i32, ldc: i32,
    ) -> Done {
        let shape = Shape { operations: [op_a, op_b], m, n, k, batch: 1, by_pointers: false };
        let matrices = [(a, a_type, lda, 0), (b, b_type, ldb, 0), (c, c_type, ldc, 0)];
        typed_gemm(call, handle, shape, [alpha, beta], matrices, COMPUTE_32F)
    }
}

/// Products and sums of matrices of one type, given as numbers of `cudaDataType` and `cublasComputeType_t`.
macro_rules! of_type {
    ($module:ident, $type:literal, $compute:literal: $gemm:ident $batched:ident $arrays:ident $($geam:ident)?) => {
        pub(super) mod $module {
            use super::*;

            calls! {
                refusals(describe_status, EXECUTION_FAILED);

                /// C ← alpha·op(A)·op(B) + beta·C
                fn $gemm(
                    call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, k: i32, alpha: u64, a: u64,
                    lda: i32, b: u64, ldb: i32, beta: u64, c: u64, ldc: i32,
                ) -> Done {
                    let shape = Shape { operations: [op_a, op_b], m, n, k, batch: 1, by_pointers: false };
                    let matrices = [(a, $type, lda, 0), (b, $type, ldb, 0), (c, $type, ldc, 0)];
                    typed_gemm(call, handle, shape, [alpha, beta], matrices, $compute)
                }

                /// C ← alpha·op(A)·op(B) + beta·C for each of a batch with constant strides
                fn $batched(
                    call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, k: i32, alpha: u64, a: u64,
                    lda: i32, stride_a: i64, b: u64, ldb: i32, stride_b: i64, beta: u64, c: u64, ldc: i32,
                    stride_c: i64, batch: i32,
                ) -> Done {
                    let shape = Shape { operations: [op_a, op_b], m, n, k, batch, by_pointers: false };
                    let matrices =
                        [(a, $type, lda, stride_a), (b, $type, ldb, stride_b), (c, $type, ldc, stride_c)];
                    typed_gemm(call, handle, shape, [alpha, beta], matrices, $compute)
                }

                /// C ← alpha·op(A)·op(B) + beta·C for each of a batch found by arrays of pointers
                fn $arrays(
                    call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, k: i32, alpha: u64, a: u64,
                    lda: i32, b: u64, ldb: i32, beta: u64, c: u64, ldc: i32, batch: i32,
                ) -> Done {
                    let shape = Shape { operations: [op_a, op_b], m, n, k, batch, by_pointers: true };
                    let matrices = [(a, $type, lda, 0), (b, $type, ldb, 0), (c, $type, ldc, 0)];
                    typed_gemm(call, handle, shape, [alpha, beta], matrices, $compute)
                }

                $(/// C ← alpha·op(A) + beta·op(B)
                fn $geam(
                    call, handle: u64, op_a: i32, op_b: i32, m: i32, n: i32, alpha: u64, a: u64, lda: i32,
                    beta: u64, b: u64, ldb: i32, c: u64, ldc: i32,
                ) -> Done {
                    let handle = *of_handle(call, handle)?;
                    let (element, turns) = (data_type($type)?, [transposed(op_a)?, transposed(op_b)?]);
                    let extents = |turned| if turned { [n, m] } else { [m, n] };
                    let alpha = scalar_of(&handle, call, alpha, element)?;
                    let beta = scalar_of(&handle, call, beta, element)?;
                    // An operand with a factor of zero is not read; its leading dimension and its pointer are not
                    // checked.
                    let operand = |scalar: Scalar, at, (name, leading), turned: bool| {
                        let leading = if scalar.is_zero() { extents(turned)[0].max(1) } else { leading };
                        matrix(at, element, extents(turned), (name, leading), turned)
                    };
                    let a = operand(alpha, a, ("lda", lda), turns[0])?;
                    let b = operand(beta, b, ("ldb", ldb), turns[1])?;
                    let c = matrix(c, element, [m, n], ("ldc", ldc), false)?;
                    handle.submit(call, Blas::Geam { alpha, a, beta, b, c })
                })?
            }
        }
    };
}
of_type! { single, 0, 68: cublasSgemm_v2 cublasSgemmStridedBatched cublasSgemmBatched cublasSgeam }
of_type! { double, 1, 70: cublasDgemm_v2 cublasDgemmStridedBatched cublasDgemmBatched cublasDgeam }
of_type! { halves, 2, 64: cublasHgemm cublasHgemmStridedBatched cublasHgemmBatched }
