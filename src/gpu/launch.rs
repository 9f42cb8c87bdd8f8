//! Kernel launches: their extents and parameters. The driver reads each parameter with the size it knows for
//! it, so the parameters' number and sizes are checked against what the machine code declares.

use super::failure::{check, failed};
use super::protocol::{Failed, FailedBy, Result};
use compiler::kernel_parameters;
use cudarc::driver::sys::{self, CUfunction_attribute};
use sim::{Dim3, LaunchConfig};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

/// A launch with more shared memory than this must opt in (CUDA C++ Programming Guide, "Compute Capabilities").
pub const SHARED_WITHOUT_ASKING_BYTES: u32 = 48 << 10;

/// The configuration of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    pub config: LaunchConfig,
    pub cooperative: bool,
    /// Blocks per cluster, if the launch specifies them.
    pub cluster: Option<Dim3>,
}

/// The sizes of the parameters of a module's kernels, in bytes, by kernel symbol.
#[derive(Clone, Debug, Default)]
pub struct ParameterSizes(BTreeMap<String, Arc<[u32]>>);

impl ParameterSizes {
    /// Reads the sizes from machine code.
    ///
    /// # Errors
    ///
    /// Fails if the code can't be read, or does not declare them.
    pub fn of(cubin: &[u8]) -> Result<ParameterSizes> {
        let found = kernel_parameters(cubin);
        let found =
            found.map_err(|why| failed("cuModuleLoadData", format!("the code can't be read: {why}")))?;
        Ok(ParameterSizes(found.into_iter().map(|(name, bytes)| (name, bytes.into())).collect()))
    }

    /// Returns the sizes of a kernel's parameters, in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the code has no such kernel.
    pub fn kernel(&self, symbol: &str) -> Result<Arc<[u32]>> {
        let known = self.0.get(symbol).cloned();
        known.ok_or_else(|| Failed {
            call: "cuModuleGetFunction".into(),
            by: FailedBy::UnknownKernel,
            said: format!("no {symbol} in the code"),
        })
    }
}

/// Pointers to the parameters of a kernel, each to as many bytes as the kernel expects.
pub struct Parameters<'a> {
    pointers: Vec<*mut c_void>,
    of: PhantomData<&'a [u8]>,
}

impl<'a> Parameters<'a> {
    /// Creates the pointers.
    ///
    /// # Errors
    ///
    /// Fails if the parameters do not match the kernel's.
    pub fn of(given: &[&'a [u8]], takes: &[u32]) -> Result<Parameters<'a>> {
        let sizes: Vec<usize> = given.iter().map(|bytes| bytes.len()).collect();
        if !sizes.iter().copied().eq(takes.iter().map(|bytes| *bytes as usize)) {
            let said = format!("the kernel takes parameters of {takes:?} bytes, but was given {sizes:?}");
            return Err(failed("cuLaunchKernel", said));
        }
        let pointers = given.iter().map(|bytes| bytes.as_ptr().cast_mut().cast()).collect();
        Ok(Parameters { pointers, of: PhantomData })
    }

    /// Returns the pointers for the driver, which only reads through them.
    pub fn as_mut_ptr(&mut self) -> *mut *mut c_void {
        self.pointers.as_mut_ptr()
    }
}

/// Splits memory laid out as in PTX into parameters, each given by `(bytes, offset)`.
///
/// # Errors
///
/// Fails if one lies outside.
pub fn parts<'a>(params: &'a [u8], layout: &[(u32, u32)]) -> Result<Vec<&'a [u8]>> {
    let one = |&(bytes, offset): &(u32, u32)| {
        params.get(offset as usize..(offset as usize).checked_add(bytes as usize)?)
    };
    let all: Option<Vec<&[u8]>> = layout.iter().map(one).collect();
    all.ok_or_else(|| failed("cuLaunchKernel", "fewer bytes of parameters than the kernel takes"))
}

/// Allows a kernel to use this much dynamic shared memory.
///
/// # Errors
///
/// Fails if the driver refuses, as for more than a block may have.
///
/// # Safety
///
/// The function belongs to a loaded module.
pub unsafe fn allow_shared(function: sys::CUfunction, bytes: u32) -> Result<()> {
    let which = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
    // SAFETY: by contract.
    check(unsafe { sys::cuFuncSetAttribute(function, which, bytes) }, "cuFuncSetAttribute(shared memory)")
}

/// Allows a kernel to use clusters of more blocks than every GPU supports.
///
/// # Errors
///
/// Fails if the driver refuses.
///
/// # Safety
///
/// The function belongs to a loaded module.
pub unsafe fn allow_large_clusters(function: sys::CUfunction) -> Result<()> {
    let which = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
    // SAFETY: by contract.
    check(unsafe { sys::cuFuncSetAttribute(function, which, 1) }, "cuFuncSetAttribute(large clusters)")
}

/// Enqueues a kernel in a stream of the current context (null: the default stream).
///
/// # Errors
///
/// Fails if the driver refuses the launch. An error of the kernel itself is not seen here.
///
/// # Safety
///
/// The function belongs to a loaded module, the parameters were checked against those of that kernel, and the stream
/// is alive.
pub unsafe fn launch(
    function: sys::CUfunction,
    geometry: &Geometry,
    mut parameters: Parameters,
    stream: sys::CUstream,
) -> Result<()> {
    let LaunchConfig { grid, block, dynamic_shared_bytes: shared } = geometry.config;
    let (Dim3 { x: gx, y: gy, z: gz }, Dim3 { x: bx, y: by, z: bz }) = (grid, block);
    let pointers = parameters.as_mut_ptr();
    // SAFETY: by contract: there is one pointer for each parameter, to as many bytes as the kernel expects. The driver
    // copies them before it returns.
    unsafe {
        if geometry.cooperative {
            let result =
                sys::cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared, stream, pointers);
            return check(result, "cuLaunchCooperativeKernel");
        }
        let extra = ptr::null_mut();
        if let Some(Dim3 { x, y, z }) = geometry.cluster {
            let id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            let cluster = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
            let value = sys::CUlaunchAttributeValue { clusterDim: cluster };
            let mut attributes = [sys::CUlaunchAttribute { id, pad: [0; 4], value }];
            let config = sys::CUlaunchConfig {
                gridDimX: gx,
                gridDimY: gy,
                gridDimZ: gz,
                blockDimX: bx,
                blockDimY: by,
                blockDimZ: bz,
                sharedMemBytes: shared,
                hStream: stream,
                attrs: attributes.as_mut_ptr(),
                numAttrs: 1,
            };
            return check(sys::cuLaunchKernelEx(&config, function, pointers, extra), "cuLaunchKernelEx");
        }
        let result = sys::cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, pointers, extra);
        check(result, "cuLaunchKernel")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_by_their_offsets() {
        let params = [1u8, 0, 0, 0, 9, 9, 9, 9, 2, 0, 0, 0, 0, 0, 0, 0];
        let found = parts(&params, &[(4, 0), (8, 8)]).unwrap();
        assert_eq!(found, [&params[..4], &params[8..]]);
        assert!(parts(&params, &[(8, 12)]).is_err());
        assert!(parts(&params, &[(u32::MAX, u32::MAX)]).is_err());
    }

    #[test]
    fn a_kernel_gets_what_it_takes_and_nothing_else() {
        let (pointer, number) = ([0u8; 8], [0u8; 4]);
        let given: [&[u8]; 2] = [&pointer, &number];
        assert_eq!(Parameters::of(&given, &[8, 4]).unwrap().pointers.len(), 2);
        for takes in [&[8, 4, 4][..], &[8], &[], &[4, 8], &[8, 8], &[8, 1]] {
            let refused = Parameters::of(&given, takes).err().unwrap();
            assert_eq!(refused.by, FailedBy::Other, "not the driver's: {refused:?}");
            assert!(refused.said.contains(&format!("{takes:?}")), "{refused:?}");
        }
        assert!(Parameters::of(&[], &[]).is_ok());
    }
}
