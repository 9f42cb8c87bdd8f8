//! cuBLAS, for a lesson that is compared with it: where a machine has it.

use super::direct::library::{Name, Shared};
use super::driver::failed;
use super::protocol::{Failed, Product};
use cudarc::driver::sys::CUstream;
use std::ffi::{c_int, c_void};
use std::ptr;

/// Constants of `library_types.h` and `cublas_api.h`.
const CUDA_R_32F: c_int = 0;
const CUDA_R_16F: c_int = 2;
const CUBLAS_OP_N: c_int = 0;
const CUBLAS_COMPUTE_32F: c_int = 68;
const CUBLAS_GEMM_DEFAULT: c_int = -1;

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_int;
type Destroy = unsafe extern "C" fn(Handle) -> c_int;
type SetStream = unsafe extern "C" fn(Handle, CUstream) -> c_int;
type Gemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;

/// A handle of the library, for one stream.
pub struct Blas {
    handle: Handle,
    destroy: Destroy,
    gemm: Gemm,
}

impl Blas {
    /// Loads the library that goes with a driver of CUDA release `cuda`. `Err` names it where it is not
    /// there.
    pub fn new(stream: CUstream, cuda: u32) -> Result<Blas, Failed> {
        let library = Shared::open(Name::Blas, cuda)?;
        // SAFETY: the functions have these types in `cublas_api.h` since CUDA 11.
        let (create, destroy, set_stream, gemm) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Create>(library.symbol(c"cublasCreate_v2")?),
                std::mem::transmute::<*mut c_void, Destroy>(library.symbol(c"cublasDestroy_v2")?),
                std::mem::transmute::<*mut c_void, SetStream>(library.symbol(c"cublasSetStream_v2")?),
                std::mem::transmute::<*mut c_void, Gemm>(library.symbol(c"cublasGemmEx")?),
            )
        };
        let mut handle = ptr::null_mut();
        // SAFETY: a pointer to a live variable; a context is current.
        check(unsafe { create(&mut handle) }, "cublasCreate")?;
        let blas = Blas { handle, destroy, gemm };
        // SAFETY: the handle was just made; the stream outlives it, by the caller.
        check(unsafe { set_stream(blas.handle, stream) }, "cublasSetStream")?;
        Ok(blas)
    }

    /// Gives the product to the stream. The library counts by columns: to it our matrices are turned
    /// over, and so is the order of the factors. Sums are of f32, without TF32.
    pub fn multiply(&self, product: &Product) -> Result<(), Failed> {
        let Product { a, b, out, rows, inner, cols, half } = *product;
        let number = |n: u32| c_int::try_from(n).map_err(|_| failed("cublasGemmEx", "a size is too large"));
        let (rows, inner, cols) = (number(rows)?, number(inner)?, number(cols)?);
        let ty = if half { CUDA_R_16F } else { CUDA_R_32F };
        let (one, zero) = (1f32, 0f32);
        // SAFETY: the buffers hold matrices of these sizes, which the parent made; the factors live
        // until the call returns.
        let result = unsafe {
            (self.gemm)(
                self.handle,
                CUBLAS_OP_N,
                CUBLAS_OP_N,
                cols,
                rows,
                inner,
                (&raw const one).cast(),
                b as *const c_void,
                ty,
                cols,
                a as *const c_void,
                ty,
                inner,
                (&raw const zero).cast(),
                out as *mut c_void,
                CUDA_R_32F,
                cols,
                CUBLAS_COMPUTE_32F,
                CUBLAS_GEMM_DEFAULT,
            )
        };
        check(result, "cublasGemmEx")
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed once.
        unsafe { (self.destroy)(self.handle) };
    }
}

fn check(status: c_int, call: &str) -> Result<(), Failed> {
    if status == 0 { Ok(()) } else { Err(failed(call, format!("it answered {status}"))) }
}
