//! cuBLAS: a handle per device, and the calls that take the elements' types as arguments. The caller has made
//! the context of the stream's device current.

use super::{Handles, Name, Shared, call};
use crate::direct::work::Stream;
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

/// An element type: `cudaDataType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type(pub i32);

impl Type {
    pub const F32: Type = Type(0);
    pub const F64: Type = Type(1);
    pub const F16: Type = Type(2);
    pub const I8: Type = Type(3);
    pub const U8: Type = Type(8);
    pub const I32: Type = Type(10);
    pub const BF16: Type = Type(14);

    /// Returns the type in which sums of elements, and the scalars of vector calls, are computed.
    pub fn of_sums(self) -> Type {
        if matches!(self, Type::F16 | Type::BF16) { Type::F32 } else { self }
    }
}

/// A scalar argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum ScalarArgument {
    /// A value, passed in the call's scalar type.
    Value(f64),
    /// The address of a value in device memory.
    At(u64),
}

/// A scalar's value in the type that a call expects.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Bits([u8; 8]);

impl ScalarArgument {
    fn bits(self, ty: Type) -> Bits {
        let mut bits = [0; 8];
        if let ScalarArgument::Value(value) = self {
            match ty {
                Type::F64 => bits = value.to_le_bytes(),
                Type::F16 => bits[..2].copy_from_slice(&half::f16::from_f64(value).to_le_bytes()),
                Type::BF16 => bits[..2].copy_from_slice(&half::bf16::from_f64(value).to_le_bytes()),
                Type::I32 => bits[..4].copy_from_slice(&(value as i32).to_le_bytes()),
                _ => bits[..4].copy_from_slice(&(value as f32).to_le_bytes()),
            }
        }
        Bits(bits)
    }

    fn pointer(self, bits: &Bits) -> P {
        match self {
            ScalarArgument::Value(_) => ptr::from_ref(bits).cast(),
            ScalarArgument::At(address) => address as P,
        }
    }

    fn mode(self) -> c_int {
        if matches!(self, ScalarArgument::Value(_)) { ON_HOST } else { ON_DEVICE }
    }
}

/// A matrix in column-major order, or a batch of them.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub at: u64,
    pub ty: Type,
    /// As stored, before any transposition.
    pub rows: i32,
    pub columns: i32,
    pub leading: i32,
    /// Elements from one matrix of a batch to the next.
    pub stride: i64,
    pub transposed: bool,
}

impl Operand {
    fn operation(&self) -> c_int {
        self.transposed.into()
    }
}

/// A vector.
#[derive(Clone, Copy, Debug)]
pub struct StridedVector {
    pub at: u64,
    pub ty: Type,
    pub length: i32,
    pub step: i32,
}

/// Returns the name of the function for floats or of that for doubles, where each type has its own.
fn by_width(ty: Type, single: &'static CStr, double: &'static CStr) -> &'static CStr {
    if ty == Type::F64 { double } else { single }
}

pub struct Blas {
    shared: Shared,
    handles: Handles,
}

impl Blas {
    /// Loads the library that matches a driver of CUDA release `cuda`.
    ///
    /// # Errors
    ///
    /// Fails with the library's name if it is not installed.
    pub fn open(cuda: u32) -> Result<Blas> {
        Ok(Blas { shared: Shared::open(Name::Blas, cuda)?, handles: Handles::default() })
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

    /// C ← alpha·op(A)·op(B) + beta·C for each matrix of a batch; `compute` is a `cublasComputeType_t`.
    pub fn gemm(
        &mut self,
        stream: Stream,
        [inner, batch]: [i32; 2],
        [alpha, beta]: [ScalarArgument; 2],
        [a, b, c]: [Operand; 3],
        scalar: Type,
        compute: i32,
    ) -> Result<()> {
        let (m, n, k) = (c.rows, c.columns, inner);
        let handle = self.on(stream, alpha.mode())?;
        let bits = [alpha.bits(scalar), beta.bits(scalar)];
        if batch == 1 {
            return call!(self.shared, c"cublasGemmEx",
                (Handle, c_int, c_int, c_int, c_int, c_int, P, P, c_int, c_int, P, c_int, c_int, P, M, c_int,
                c_int, c_int, c_int);
                handle, a.operation(), b.operation(), m, n, k, alpha.pointer(&bits[0]), a.at as P, a.ty.0,
                a.leading, b.at as P, b.ty.0, b.leading, beta.pointer(&bits[1]), c.at as M, c.ty.0, c.leading,
                compute, ANY_ALGORITHM
            );
        }
        call!(self.shared, c"cublasGemmStridedBatchedEx",
            (Handle, c_int, c_int, c_int, c_int, c_int, P, P, c_int, c_int, c_longlong, P, c_int, c_int,
            c_longlong, P, M, c_int, c_int, c_longlong, c_int, c_int, c_int);
            handle, a.operation(), b.operation(), m, n, k, alpha.pointer(&bits[0]), a.at as P, a.ty.0,
            a.leading, a.stride, b.at as P, b.ty.0, b.leading, b.stride, beta.pointer(&bits[1]), c.at as M,
            c.ty.0, c.leading, c.stride, batch, compute, ANY_ALGORITHM
        )
    }

    /// y ← alpha·x + y
    pub fn axpy(&mut self, stream: Stream, alpha: ScalarArgument, [x, y]: [StridedVector; 2]) -> Result<()> {
        let handle = self.on(stream, alpha.mode())?;
        let scalar = x.ty.of_sums();
        let bits = alpha.bits(scalar);
        call!(self.shared, c"cublasAxpyEx",
            (Handle, c_int, P, c_int, P, c_int, c_int, M, c_int, c_int, c_int);
            handle, x.length, alpha.pointer(&bits), scalar.0, x.at as P, x.ty.0, x.step, y.at as M, y.ty.0, y.step,
            scalar.0
        )
    }

    /// x ← alpha·x
    pub fn scale(&mut self, stream: Stream, alpha: ScalarArgument, x: StridedVector) -> Result<()> {
        let handle = self.on(stream, alpha.mode())?;
        let scalar = x.ty.of_sums();
        let bits = alpha.bits(scalar);
        call!(self.shared, c"cublasScalEx",
            (Handle, c_int, P, c_int, M, c_int, c_int, c_int);
            handle, x.length, alpha.pointer(&bits), scalar.0, x.at as M, x.ty.0, x.step, scalar.0
        )
    }

    /// y ← x, or exchanges x and y.
    pub fn transfer(&mut self, stream: Stream, [x, y]: [StridedVector; 2], swap: bool) -> Result<()> {
        let handle = self.on(stream, ON_HOST)?;
        let name = if swap { c"cublasSwapEx" } else { c"cublasCopyEx" };
        call!(self.shared, name,
            (Handle, c_int, M, c_int, c_int, M, c_int, c_int);
            handle, x.length, x.at as M, x.ty.0, x.step, y.at as M, y.ty.0, y.step
        )
    }

    /// Writes x·y to device memory.
    pub fn dot(&mut self, stream: Stream, [x, y]: [StridedVector; 2], result: u64) -> Result<()> {
        let handle = self.on(stream, ON_DEVICE)?;
        call!(self.shared, c"cublasDotEx",
            (Handle, c_int, P, c_int, c_int, P, c_int, c_int, M, c_int, c_int);
            handle, x.length, x.at as P, x.ty.0, x.step, y.at as P, y.ty.0, y.step, result as M, x.ty.0, x.ty.of_sums().0
        )
    }

    /// Writes the Euclidean norm, or the sum of magnitudes, to device memory.
    pub fn sum(&mut self, stream: Stream, x: StridedVector, result: u64, magnitudes: bool) -> Result<()> {
        let handle = self.on(stream, ON_DEVICE)?;
        let name = if magnitudes { c"cublasAsumEx" } else { c"cublasNrm2Ex" };
        call!(self.shared, name,
            (Handle, c_int, P, c_int, c_int, M, c_int, c_int);
            handle, x.length, x.at as P, x.ty.0, x.step, result as M, x.ty.0, x.ty.of_sums().0
        )
    }

    /// Writes the 1-based index of the element of largest or smallest magnitude to device memory.
    pub fn extreme(&mut self, stream: Stream, x: StridedVector, result: u64, smallest: bool) -> Result<()> {
        let handle = self.on(stream, ON_DEVICE)?;
        let name = if smallest { c"cublasIaminEx" } else { c"cublasIamaxEx" };
        call!(self.shared, name,
            (Handle, c_int, P, c_int, c_int, M);
            handle, x.length, x.at as P, x.ty.0, x.step, result as M
        )
    }

    /// y ← alpha·op(A)·x + beta·y, for floats or doubles.
    pub fn gemv(
        &mut self,
        stream: Stream,
        [alpha, beta]: [ScalarArgument; 2],
        a: Operand,
        [x, y]: [StridedVector; 2],
    ) -> Result<()> {
        let handle = self.on(stream, alpha.mode())?;
        let bits = [alpha.bits(a.ty), beta.bits(a.ty)];
        let (alpha, beta) = (alpha.pointer(&bits[0]), beta.pointer(&bits[1]));
        let (at, xs, ys) = (a.at as P, x.at as P, y.at as M);
        let operation = a.operation();
        let name = by_width(a.ty, c"cublasSgemv_v2", c"cublasDgemv_v2");
        call!(self.shared, name,
            (Handle, c_int, c_int, c_int, P, P, c_int, P, c_int, P, M, c_int);
            handle, operation, a.rows, a.columns, alpha, at, a.leading, xs, x.step, beta, ys, y.step
        )
    }

    /// A ← alpha·x·yᵀ + A, for floats or doubles.
    pub fn ger(
        &mut self,
        stream: Stream,
        alpha: ScalarArgument,
        [x, y]: [StridedVector; 2],
        a: Operand,
    ) -> Result<()> {
        let handle = self.on(stream, alpha.mode())?;
        let bits = alpha.bits(a.ty);
        let alpha = alpha.pointer(&bits);
        let (xs, ys, at) = (x.at as P, y.at as P, a.at as M);
        let name = by_width(a.ty, c"cublasSger_v2", c"cublasDger_v2");
        call!(self.shared, name,
            (Handle, c_int, c_int, P, P, c_int, P, c_int, M, c_int);
            handle, a.rows, a.columns, alpha, xs, x.step, ys, y.step, at, a.leading
        )
    }

    /// C ← alpha·op(A) + beta·op(B), for floats or doubles.
    pub fn geam(
        &mut self,
        stream: Stream,
        [alpha, beta]: [ScalarArgument; 2],
        [a, b, c]: [Operand; 3],
    ) -> Result<()> {
        let handle = self.on(stream, alpha.mode())?;
        let bits = [alpha.bits(c.ty), beta.bits(c.ty)];
        let (alpha, beta) = (alpha.pointer(&bits[0]), beta.pointer(&bits[1]));
        let (ta, tb, at, bt, ct) = (a.operation(), b.operation(), a.at as P, b.at as P, c.at as M);
        let name = by_width(c.ty, c"cublasSgeam", c"cublasDgeam");
        call!(self.shared, name,
            (Handle, c_int, c_int, c_int, c_int, P, P, c_int, P, P, c_int, M, c_int);
            handle, ta, tb, c.rows, c.columns, alpha, at, a.leading, beta, bt, b.leading, ct, c.leading
        )
    }
}
