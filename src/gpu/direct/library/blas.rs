//! cuBLAS: a handle per device, and the calls that take the elements' types as arguments. The caller has made
//! the context of the stream's device current.

mod structured;

use super::{Handles, Name, Shared, call, invalid, small};
use crate::ElementType;
use crate::direct::work::Stream;
use crate::library::{Blas, Matrix, Scalar, Vector};
use crate::protocol::Result;
use std::ffi::{CStr, c_int, c_longlong, c_void};
use std::ptr;

type Handle = *mut c_void;
type P = *const c_void;
type M = *mut c_void;

/// `CUBLAS_GEMM_DEFAULT`; `CUBLAS_POINTER_MODE_HOST` and `_DEVICE`.
const ANY_ALGORITHM: c_int = -1;
const ON_HOST: c_int = 0;
const ON_DEVICE: c_int = 1;

/// `cublasComputeType_t`
const COMPUTE_16F: c_int = 64;
const COMPUTE_32F: c_int = 68;
const COMPUTE_64F: c_int = 70;
const COMPUTE_32I: c_int = 72;
const COMPUTE_32F_TF32: c_int = 77;

/// Returns the `cudaDataType_t` of elements; fails for those that no call has.
fn data_type(element: ElementType) -> Result<c_int> {
    Ok(match element {
        ElementType::F32 => 0,
        ElementType::F64 => 1,
        ElementType::F16 => 2,
        ElementType::I8 => 3,
        ElementType::U8 => 8,
        ElementType::I32 => 10,
        ElementType::Bf16 => 14,
        ElementType::I64 | ElementType::U32 | ElementType::U64 => {
            return Err(invalid("no call has elements of that type"));
        }
    })
}

/// Returns the type in which sums of elements, and the scalars of vector calls, are computed.
fn of_sums(element: ElementType) -> ElementType {
    if matches!(element, ElementType::F16 | ElementType::Bf16) { ElementType::F32 } else { element }
}

/// A scalar's value in the type that a call expects.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Bits([u8; 8]);

fn bits(scalar: &Scalar, ty: ElementType) -> Bits {
    let mut bits = [0; 8];
    if let Scalar::Value(value) = *scalar {
        match ty {
            ElementType::F64 => bits = value.to_le_bytes(),
            ElementType::F16 => bits[..2].copy_from_slice(&half::f16::from_f64(value).to_le_bytes()),
            ElementType::Bf16 => bits[..2].copy_from_slice(&half::bf16::from_f64(value).to_le_bytes()),
            ElementType::I32 => bits[..4].copy_from_slice(&(value as i32).to_le_bytes()),
            _ => bits[..4].copy_from_slice(&(value as f32).to_le_bytes()),
        }
    }
    Bits(bits)
}

/// Returns the address of a scalar, which is that of its bits if it is passed by value.
fn pointer(scalar: &Scalar, bits: &Bits) -> P {
    match scalar {
        Scalar::Value(_) => ptr::from_ref(bits).cast(),
        Scalar::At(address, _) => address.0 as P,
    }
}

fn mode(scalar: &Scalar) -> c_int {
    if matches!(scalar, Scalar::Value(_)) { ON_HOST } else { ON_DEVICE }
}

/// A matrix as the library takes it.
struct Operand {
    at: u64,
    ty: c_int,
    /// As stored, before any transposition.
    rows: c_int,
    columns: c_int,
    leading: c_int,
    stride: c_longlong,
    operation: c_int,
}

impl Operand {
    fn of(matrix: &Matrix) -> Result<Operand> {
        let [rows, columns, leading] = small([matrix.rows, matrix.columns, matrix.leading])?;
        let (at, ty, stride) = (matrix.at.0, data_type(matrix.element)?, matrix.stride);
        Ok(Operand { at, ty, rows, columns, leading, stride, operation: matrix.transposed.into() })
    }
}

/// A vector as the library takes it.
struct Strided {
    at: u64,
    ty: c_int,
    length: c_int,
    step: c_int,
}

impl Strided {
    fn of(vector: &Vector) -> Result<Strided> {
        let ([length], [step]) = (small([vector.length])?, small([vector.step])?);
        Ok(Strided { at: vector.at.0, ty: data_type(vector.element)?, length, step })
    }
}

/// Returns the name of the function for floats or of that for doubles, where each type has its own.
fn by_width(ty: ElementType, single: &'static CStr, double: &'static CStr) -> &'static CStr {
    if ty == ElementType::F64 { double } else { single }
}

pub struct Cublas {
    shared: Shared,
    handles: Handles,
}

impl Cublas {
    /// Loads the library that matches a driver of CUDA release `cuda`.
    ///
    /// # Errors
    ///
    /// Fails with the library's name if it is not installed.
    pub fn open(cuda: u32) -> Result<Cublas> {
        Ok(Cublas { shared: Shared::open(Name::Blas, cuda)?, handles: Handles::default() })
    }

    /// Destroys the handles. Waits for the work enqueued through them.
    pub fn close(&mut self) {
        for (_, handle) in std::mem::take(&mut self.handles).0 {
            let close =
                || -> Result<()> { call!(self.shared, c"cublasDestroy_v2", (Handle); handle as Handle) };
            // The handles are not used again, whatever the result.
            let _ = close();
        }
    }

    /// Forgets the handle of a device whose context no longer exists.
    pub fn forget(&mut self, device: u32) {
        self.handles.0.remove(&device);
    }

    /// Returns the handle of a stream's device, whose context is current, after setting its stream and
    /// whether scalars are on the host or on the device.
    fn on(&mut self, stream: Stream, mode: c_int) -> Result<Handle> {
        let handle = self.handles.of(&self.shared, stream.device, c"cublasCreate_v2")?;
        call!(self.shared, c"cublasSetStream_v2", (Handle, M); handle, stream.handle as M)?;
        call!(self.shared, c"cublasSetPointerMode_v2", (Handle, c_int); handle, mode)?;
        Ok(handle)
    }

    /// Enqueues a call in a stream.
    ///
    /// # Errors
    ///
    /// Fails if the library lacks the function, or refuses the elements or sizes.
    pub fn call(&mut self, stream: Stream, call: &Blas) -> Result<()> {
        match call {
            Blas::Axpy { alpha, x, y } => self.axpy(stream, alpha, [x, y]),
            Blas::Scale { alpha, x } => self.scale(stream, alpha, x),
            Blas::Copy { x, y } => self.transfer(stream, [x, y], c"cublasCopyEx"),
            Blas::Swap { x, y } => self.transfer(stream, [x, y], c"cublasSwapEx"),
            Blas::Dot { x, y, result } => self.dot(stream, [x, y], result.0),
            Blas::Norm { x, result } => self.sum(stream, x, result.0, c"cublasNrm2Ex"),
            Blas::AbsSum { x, result } => self.sum(stream, x, result.0, c"cublasAsumEx"),
            Blas::AbsMax { x, result, smallest } => {
                let name = if *smallest { c"cublasIaminEx" } else { c"cublasIamaxEx" };
                self.extreme(stream, x, result.0, name)
            }
            Blas::Gemv { alpha, a, x, beta, y } => self.gemv(stream, [alpha, beta], a, [x, y]),
            Blas::Ger { alpha, x, y, a } => self.ger(stream, alpha, [x, y], a),
            Blas::Gemm { alpha, a, b, beta, c, inner, batch, by_pointers, compute, tensor_cores } => {
                let kind = match compute {
                    ElementType::F16 => COMPUTE_16F,
                    ElementType::F64 => COMPUTE_64F,
                    ElementType::I32 => COMPUTE_32I,
                    _ if a.element == ElementType::F32 && *tensor_cores => COMPUTE_32F_TF32,
                    _ => COMPUTE_32F,
                };
                let (sizes, scalars, scalar) = ([*inner, *batch], [alpha, beta], (*compute, kind));
                match by_pointers {
                    false => self.gemm(stream, sizes, scalars, [a, b, c], scalar),
                    true => self.gemm_by_pointers(stream, sizes, scalars, [a, b, c], scalar),
                }
            }
            Blas::Geam { alpha, a, beta, b, c } => self.geam(stream, [alpha, beta], [a, b, c]),
            Blas::Symm { left, alpha, a, b, beta, c } => self.symm(stream, *left, [alpha, beta], a, [b, c]),
            Blas::Syrk { alpha, a, inner, beta, c } => self.syrk(stream, [alpha, beta], (a, *inner), c),
            Blas::Trsm { left, alpha, a, b } => self.trsm(stream, *left, alpha, a, b),
            Blas::Trmm { left, alpha, a, b, c } => self.trmm(stream, *left, alpha, a, [b, c]),
            Blas::Dgmm { left, a, x, c } => self.dgmm(stream, *left, x, [a, c]),
            Blas::Rot { x, y, cosine, sine } => self.rotate(stream, [x, y], [cosine, sine]),
        }
    }

    /// C ← alpha·op(A)·op(B) + beta·C for each matrix of a batch. The type of the scalars comes with its
    /// `cublasComputeType_t`.
    fn gemm(
        &mut self,
        stream: Stream,
        sizes: [u64; 2],
        [alpha, beta]: [&Scalar; 2],
        [a, b, c]: [&Matrix; 3],
        (scalar, compute): (ElementType, c_int),
    ) -> Result<()> {
        let ([k, batch], [a, b, c]) = (small(sizes)?, [Operand::of(a)?, Operand::of(b)?, Operand::of(c)?]);
        let (m, n) = (c.rows, c.columns);
        let handle = self.on(stream, mode(alpha))?;
        let bits = [bits(alpha, scalar), bits(beta, scalar)];
        let (alpha, beta) = (pointer(alpha, &bits[0]), pointer(beta, &bits[1]));
        if batch == 1 {
            return call!(self.shared, c"cublasGemmEx",
                (Handle, c_int, c_int, c_int, c_int, c_int, P, P, c_int, c_int, P, c_int, c_int, P, M, c_int,
                c_int, c_int, c_int);
                handle, a.operation, b.operation, m, n, k, alpha, a.at as P, a.ty, a.leading, b.at as P, b.ty,
                b.leading, beta, c.at as M, c.ty, c.leading, compute, ANY_ALGORITHM
            );
        }
        call!(self.shared, c"cublasGemmStridedBatchedEx",
            (Handle, c_int, c_int, c_int, c_int, c_int, P, P, c_int, c_int, c_longlong, P, c_int, c_int,
            c_longlong, P, M, c_int, c_int, c_longlong, c_int, c_int, c_int);
            handle, a.operation, b.operation, m, n, k, alpha, a.at as P, a.ty, a.leading, a.stride, b.at as P,
            b.ty, b.leading, b.stride, beta, c.at as M, c.ty, c.leading, c.stride, batch, compute, ANY_ALGORITHM
        )
    }

    /// The same for a batch whose matrices are found by arrays of pointers.
    fn gemm_by_pointers(
        &mut self,
        stream: Stream,
        sizes: [u64; 2],
        [alpha, beta]: [&Scalar; 2],
        [a, b, c]: [&Matrix; 3],
        (scalar, compute): (ElementType, c_int),
    ) -> Result<()> {
        let ([k, batch], [a, b, c]) = (small(sizes)?, [Operand::of(a)?, Operand::of(b)?, Operand::of(c)?]);
        let handle = self.on(stream, mode(alpha))?;
        let bits = [bits(alpha, scalar), bits(beta, scalar)];
        let (alpha, beta) = (pointer(alpha, &bits[0]), pointer(beta, &bits[1]));
        call!(self.shared, c"cublasGemmBatchedEx",
            (Handle, c_int, c_int, c_int, c_int, c_int, P, P, c_int, c_int, P, c_int, c_int, P, P, c_int, c_int,
            c_int, c_int, c_int);
            handle, a.operation, b.operation, c.rows, c.columns, k, alpha, a.at as P, a.ty, a.leading, b.at as P,
            b.ty, b.leading, beta, c.at as P, c.ty, c.leading, batch, compute, ANY_ALGORITHM
        )
    }

    /// y ← alpha·x + y
    fn axpy(&mut self, stream: Stream, alpha: &Scalar, [x, y]: [&Vector; 2]) -> Result<()> {
        let scalar = of_sums(x.element);
        let (ty, x, y) = (data_type(scalar)?, Strided::of(x)?, Strided::of(y)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = bits(alpha, scalar);
        call!(self.shared, c"cublasAxpyEx",
            (Handle, c_int, P, c_int, P, c_int, c_int, M, c_int, c_int, c_int);
            handle, x.length, pointer(alpha, &bits), ty, x.at as P, x.ty, x.step, y.at as M, y.ty, y.step, ty
        )
    }

    /// x ← alpha·x
    fn scale(&mut self, stream: Stream, alpha: &Scalar, x: &Vector) -> Result<()> {
        let scalar = of_sums(x.element);
        let (ty, x) = (data_type(scalar)?, Strided::of(x)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = bits(alpha, scalar);
        call!(self.shared, c"cublasScalEx",
            (Handle, c_int, P, c_int, M, c_int, c_int, c_int);
            handle, x.length, pointer(alpha, &bits), ty, x.at as M, x.ty, x.step, ty
        )
    }

    /// y ← x, or exchanges x and y.
    fn transfer(&mut self, stream: Stream, [x, y]: [&Vector; 2], name: &CStr) -> Result<()> {
        let (x, y) = (Strided::of(x)?, Strided::of(y)?);
        let handle = self.on(stream, ON_HOST)?;
        call!(self.shared, name,
            (Handle, c_int, M, c_int, c_int, M, c_int, c_int);
            handle, x.length, x.at as M, x.ty, x.step, y.at as M, y.ty, y.step
        )
    }

    /// Writes x·y to device memory.
    fn dot(&mut self, stream: Stream, [x, y]: [&Vector; 2], result: u64) -> Result<()> {
        let (sums, x, y) = (data_type(of_sums(x.element))?, Strided::of(x)?, Strided::of(y)?);
        let handle = self.on(stream, ON_DEVICE)?;
        call!(self.shared, c"cublasDotEx",
            (Handle, c_int, P, c_int, c_int, P, c_int, c_int, M, c_int, c_int);
            handle, x.length, x.at as P, x.ty, x.step, y.at as P, y.ty, y.step, result as M, x.ty, sums
        )
    }

    /// Writes the Euclidean norm, or the sum of magnitudes, to device memory.
    fn sum(&mut self, stream: Stream, x: &Vector, result: u64, name: &CStr) -> Result<()> {
        let (sums, x) = (data_type(of_sums(x.element))?, Strided::of(x)?);
        let handle = self.on(stream, ON_DEVICE)?;
        call!(self.shared, name,
            (Handle, c_int, P, c_int, c_int, M, c_int, c_int);
            handle, x.length, x.at as P, x.ty, x.step, result as M, x.ty, sums
        )
    }

    /// Writes the 1-based index of the element of largest or smallest magnitude to device memory.
    fn extreme(&mut self, stream: Stream, x: &Vector, result: u64, name: &CStr) -> Result<()> {
        let x = Strided::of(x)?;
        let handle = self.on(stream, ON_DEVICE)?;
        call!(self.shared, name,
            (Handle, c_int, P, c_int, c_int, M);
            handle, x.length, x.at as P, x.ty, x.step, result as M
        )
    }

    /// y ← alpha·op(A)·x + beta·y, for floats or doubles.
    fn gemv(
        &mut self,
        stream: Stream,
        [alpha, beta]: [&Scalar; 2],
        matrix: &Matrix,
        [x, y]: [&Vector; 2],
    ) -> Result<()> {
        let (a, x, y) = (Operand::of(matrix)?, Strided::of(x)?, Strided::of(y)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = [bits(alpha, matrix.element), bits(beta, matrix.element)];
        let (alpha, beta) = (pointer(alpha, &bits[0]), pointer(beta, &bits[1]));
        let (at, xs, ys) = (a.at as P, x.at as P, y.at as M);
        let name = by_width(matrix.element, c"cublasSgemv_v2", c"cublasDgemv_v2");
        call!(self.shared, name,
            (Handle, c_int, c_int, c_int, P, P, c_int, P, c_int, P, M, c_int);
            handle, a.operation, a.rows, a.columns, alpha, at, a.leading, xs, x.step, beta, ys, y.step
        )
    }

    /// A ← alpha·x·yᵀ + A, for floats or doubles.
    fn ger(&mut self, stream: Stream, alpha: &Scalar, [x, y]: [&Vector; 2], matrix: &Matrix) -> Result<()> {
        let (a, x, y) = (Operand::of(matrix)?, Strided::of(x)?, Strided::of(y)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = bits(alpha, matrix.element);
        let alpha = pointer(alpha, &bits);
        let (xs, ys, at) = (x.at as P, y.at as P, a.at as M);
        let name = by_width(matrix.element, c"cublasSger_v2", c"cublasDger_v2");
        call!(self.shared, name,
            (Handle, c_int, c_int, P, P, c_int, P, c_int, M, c_int);
            handle, a.rows, a.columns, alpha, xs, x.step, ys, y.step, at, a.leading
        )
    }

    /// C ← alpha·op(A) + beta·op(B), for floats or doubles.
    fn geam(
        &mut self,
        stream: Stream,
        [alpha, beta]: [&Scalar; 2],
        [a, b, matrix]: [&Matrix; 3],
    ) -> Result<()> {
        let (a, b, c) = (Operand::of(a)?, Operand::of(b)?, Operand::of(matrix)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = [bits(alpha, matrix.element), bits(beta, matrix.element)];
        let (alpha, beta) = (pointer(alpha, &bits[0]), pointer(beta, &bits[1]));
        let (ta, tb, at, bt, ct) = (a.operation, b.operation, a.at as P, b.at as P, c.at as M);
        let name = by_width(matrix.element, c"cublasSgeam", c"cublasDgeam");
        call!(self.shared, name,
            (Handle, c_int, c_int, c_int, c_int, P, P, c_int, P, P, c_int, M, c_int);
            handle, ta, tb, c.rows, c.columns, alpha, at, a.leading, beta, bt, b.leading, ct, c.leading
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements_are_those_of_the_headers() {
        assert_eq!(data_type(ElementType::Bf16).unwrap(), 14);
        assert_eq!(of_sums(ElementType::F16), ElementType::F32);
        assert!(data_type(ElementType::U64).is_err());
    }
}
