//! cuBLAS: handles, their modes, and their operands.

use super::{address, answer, object, refuse_if};
use crate::device::ElementType;
use crate::device::library::{Blas, Matrix, Scalar, Vector};
use crate::device::{Copy, CopyShape, CudaError, Failure, Library, Space, Work};
use crate::program::call::{Argument, Call, Done, Refusal, calls};
use crate::program::runtime::errors::Status;
use crate::program::runtime::findings::{call_side, host_memory_kind};
use sim::{Act, Address, Evidence, FindingKind, HostBlockKind};

/// `cublasStatus_t`.
pub(super) const NOT_INITIALISED: i32 = 1;
const ALLOC_FAILED: i32 = 3;
pub(super) const INVALID_VALUE: i32 = 7;
pub(super) const EXECUTION_FAILED: i32 = 13;
pub(super) const NOT_SUPPORTED: i32 = 15;

/// `cublasMath_t`: factors of type `float` may be rounded to tf32.
const TF32_MATH: i32 = 3;

/// Size in bytes of the device memory for a result that is copied to the host.
const SCRATCH_BYTES: u64 = 16;

/// Most elements of a vector whose increment is 0.
const MAX_REPEATED: u64 = 1 << 24;

/// A cuBLAS handle.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    pub stream: u64,
    /// Whether scalars are in device memory (`CUBLAS_POINTER_MODE_DEVICE`).
    device_scalars: bool,
    math: i32,
    atomics: i32,
    /// Device memory of [`SCRATCH_BYTES`] bytes.
    scratch: Address,
}

impl Handle {
    pub fn tf32(&self) -> bool {
        self.math == TF32_MATH
    }
}

/// Returns what a handle of the program's stands for.
pub(super) fn of_handle<'r>(call: &'r mut Call, handle: u64) -> Result<&'r mut Handle, Refusal> {
    object(&mut call.runtime.libraries.blas, handle, NOT_INITIALISED)
}

impl Handle {
    /// Returns a scalar argument, according to the handle's pointer mode.
    pub(super) fn scalar<T: Argument + Into<f64>>(
        &self,
        call: &mut Call,
        pointer: u64,
        element: ElementType,
    ) -> Result<Scalar, Refusal> {
        refuse_if(pointer == 0, INVALID_VALUE)?;
        if self.device_scalars {
            in_device_memory(call, pointer);
            return Ok(Scalar::At(address(pointer), element));
        }
        Ok(Scalar::Value(call.get_number::<T>(pointer)?.into()))
    }

    pub(super) fn submit(&self, call: &mut Call, blas: Blas) -> Result<(), Refusal> {
        // All of its elements are the same one, so no memory bounds their number.
        let endless = |v: &&Vector| v.step == 0 && v.length > MAX_REPEATED;
        if let Some(vector) = blas.vectors().into_iter().flatten().find(endless) {
            let what = format!("{} with an increment of 0 and {} elements", call.site.what, vector.length);
            return Err(Failure::unsupported(what).into());
        }
        Ok(call.submit(self.stream, Work::Library(Library::Blas(blas)))?)
    }

    /// Submits an operation with a result of `bytes` bytes, which goes where the pointer mode says. A result
    /// for the host is copied there, and the host waits for the copy.
    pub(super) fn reduce(
        &self,
        call: &mut Call,
        result: u64,
        bytes: u64,
        make: impl FnOnce(Address) -> Blas,
    ) -> Result<(), Refusal> {
        refuse_if(result == 0, INVALID_VALUE)?;
        if self.device_scalars {
            in_device_memory(call, result);
            return self.submit(call, make(address(result)));
        }
        if call.runtime.allocations.around(result).is_some() {
            let site = call.site.clone();
            call.runtime.host_may_use(result, bytes, true, &site)?;
        }
        self.submit(call, make(self.scratch))?;
        let copy =
            Copy { dst: address(result), src: self.scratch, shape: CopyShape::linear(bytes), blocking: true };
        Ok(call.submit(self.stream, Work::Copy(copy))?)
    }
}

/// Records a finding if a scalar that the pointer mode requires in device memory is in host memory.
fn in_device_memory(call: &mut Call, pointer: u64) {
    if call.runtime.allocations.around(pointer).is_some() {
        return;
    }
    let Some(block) = call.thread.block(pointer).filter(|block| block.kind != HostBlockKind::Freed) else {
        return;
    };
    let act = Act::NeedsDeviceScalars(host_memory_kind(block.kind));
    let at = call_side(act, &call.site);
    let evidence = vec![Evidence::DevicePointerMode];
    // A call has several scalars, and is found once.
    call.runtime.find(FindingKind::HostPointerGiven, at, None, evidence).hits = 1;
}

/// Returns a vector argument. BLAS does nothing for lengths of zero and less.
pub(super) fn vector(at: u64, element: ElementType, length: i32, step: i32) -> Vector {
    Vector { at: address(at), element, length: length.max(0) as u64, step: step.into() }
}

/// Returns a matrix argument, with the extents that it has in memory. `leading`: its leading dimension, as the
/// documentation names it, and the value.
pub(super) fn matrix(
    at: u64,
    element: ElementType,
    [rows, columns]: [i32; 2],
    (name, leading): (&str, i32),
    transposed: bool,
) -> Result<Matrix, Refusal> {
    refuse_if(rows < 0 || columns < 0, INVALID_VALUE)?;
    if leading < rows.max(1) {
        let why = Evidence::LeadingDimension { name: name.into(), given: leading, rows };
        return Err(Refusal::Argument(INVALID_VALUE, Box::new(why)));
    }
    Ok(Matrix {
        at: address(at),
        element,
        rows: rows as u64,
        columns: columns as u64,
        leading: leading as u64,
        stride: 0,
        transposed,
    })
}

/// Returns whether a `cublasOperation_t` transposes; the conjugate of a real number is the number itself.
pub(super) fn transposed(operation: i32) -> Result<bool, Refusal> {
    match operation {
        0 => Ok(false),
        1 | 2 => Ok(true),
        _ => Err(Refusal::Status(INVALID_VALUE)),
    }
}

calls! {
    refusals(describe_status, EXECUTION_FAILED);

    /// Creates a handle.
    fn cublasCreate_v2(call, handle: u64) -> Done {
        refuse_if(handle == 0, INVALID_VALUE)?;
        let space = Space::Device(call.runtime.current);
        let scratch = match call.gpus.allocate(space, SCRATCH_BYTES, "result of cuBLAS", &call.site) {
            Err(Failure::Cuda(CudaError::MemoryAllocation)) => return Err(Refusal::Status(ALLOC_FAILED)),
            allocated => allocated.map_err(Refusal::or_status(NOT_INITIALISED))?,
        };
        let made = Handle { stream: 0, device_scalars: false, math: 0, atomics: 0, scratch };
        let made = call.make_object(|runtime| &mut runtime.libraries.blas, made);
        answer(call, handle, made, INVALID_VALUE)
    }

    /// Destroys a handle.
    fn cublasDestroy_v2(call, handle: u64) -> Done {
        let destroyed = call.runtime.libraries.blas.destroy(handle, &call.site);
        let handle = destroyed.ok_or(Refusal::Status(NOT_INITIALISED))?;
        // The handle's memory may have gone with its context.
        call.gpus.free(handle.scratch, &call.site).map_err(Refusal::or_status(NOT_INITIALISED))
    }

    /// Returns the release whose interface the headers declare.
    fn cublasGetVersion_v2(call, _handle: u64, version: u64) -> Done {
        answer(call, version, 120904i32, INVALID_VALUE)
    }

    /// Sets the stream of later calls.
    fn cublasSetStream_v2(call, handle: u64, stream: u64) -> Done {
        call.stream(stream).map_err(Refusal::or_status(INVALID_VALUE))?;
        of_handle(call, handle)?.stream = stream;
        Ok(())
    }

    /// Returns the stream of calls.
    fn cublasGetStream_v2(call, handle: u64, stream: u64) -> Done {
        let its = of_handle(call, handle)?.stream;
        Ok(call.put(stream, its)?)
    }

    /// Sets whether scalars are on the host or on the device.
    fn cublasSetPointerMode_v2(call, handle: u64, mode: i32) -> Done {
        let handle = of_handle(call, handle)?;
        refuse_if(!(0..2).contains(&mode), INVALID_VALUE)?;
        handle.device_scalars = mode == 1;
        Ok(())
    }

    /// Returns whether scalars are on the host or on the device.
    fn cublasGetPointerMode_v2(call, handle: u64, mode: u64) -> Done {
        let its = i32::from(of_handle(call, handle)?.device_scalars);
        Ok(call.put(mode, its)?)
    }

    /// Sets whether products may use tensor cores with reduced precision.
    fn cublasSetMathMode(call, handle: u64, mode: i32) -> Done {
        of_handle(call, handle)?.math = mode;
        Ok(())
    }

    /// Returns whether products may use tensor cores with reduced precision.
    fn cublasGetMathMode(call, handle: u64, mode: u64) -> Done {
        let its = of_handle(call, handle)?.math;
        Ok(call.put(mode, its)?)
    }

    /// Sets whether results may depend on the order of atomics: here they never do.
    fn cublasSetAtomicsMode(call, handle: u64, mode: i32) -> Done {
        of_handle(call, handle)?.atomics = mode;
        Ok(())
    }

    /// Returns the mode set by cublasSetAtomicsMode.
    fn cublasGetAtomicsMode(call, handle: u64, mode: u64) -> Done {
        let its = of_handle(call, handle)?.atomics;
        Ok(call.put(mode, its)?)
    }

    /// Sets the workspace of the library: nothing here needs any.
    fn cublasSetWorkspace_v2(call, handle: u64, _workspace: u64, _bytes: u64) -> Done {
        of_handle(call, handle).map(drop)
    }

    /// Returns the description of a status.
    fn cublasGetStatusString(call, status: i32) -> u64 {
        call.text(describe_status(status).text)
    }

    /// Returns the name of a status.
    fn cublasGetStatusName(call, status: i32) -> u64 {
        call.text(describe_status(status).name)
    }
}

/// Name and description of a `cublasStatus_t`.
pub(super) fn describe_status(status: i32) -> Status {
    let (name, text) = match status {
        0 => ("CUBLAS_STATUS_SUCCESS", "success"),
        NOT_INITIALISED => ("CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"),
        ALLOC_FAILED => ("CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"),
        INVALID_VALUE => {
            ("CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function")
        }
        8 => ("CUBLAS_STATUS_ARCH_MISMATCH", "the device does not have what the function needs"),
        11 => ("CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"),
        EXECUTION_FAILED => ("CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"),
        14 => ("CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"),
        NOT_SUPPORTED => ("CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"),
        16 => ("CUBLAS_STATUS_LICENSE_ERROR", "the functionality requested requires a license"),
        _ => ("unknown status", "unknown status"),
    };
    Status { name, text }
}
