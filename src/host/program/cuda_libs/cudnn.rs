//! cuDNN: descriptors, and forward convolution.

use super::{Refusal, address, answer, status, status_with_reason};
use crate::device::ElementType;
use crate::device::library::Convolution;
use crate::device::{Failure, Library, Work};
use crate::program::call::{Call, Plain, calls};
use crate::program::runtime::errors::Status;
use sim::Evidence;

/// `cudnnStatus_t`.
const NOT_INITIALISED: i32 = 1001;
const BAD_PARAM: i32 = 2000;
const NOT_SUPPORTED: i32 = 3000;
const EXECUTION_FAILED: i32 = 5000;

/// `cudnnConvolutionFwdAlgo_t`, `IMPLICIT_GEMM`: the algorithm used here, which needs no workspace.
const IMPLICIT_GEMM: i32 = 0;
/// Number of algorithms: `CUDNN_CONVOLUTION_FWD_ALGO_COUNT`.
const ALGORITHMS: i32 = 8;

/// Supported types of the data and of the computation (cuDNN API, `cudnnConvolutionForward`, supported
/// configurations).
const CONFIGURATIONS: [(ElementType, ElementType); 5] = [
    (ElementType::F32, ElementType::F32),
    (ElementType::F64, ElementType::F64),
    (ElementType::F16, ElementType::F16),
    (ElementType::F16, ElementType::F32),
    (ElementType::Bf16, ElementType::F32),
];

/// A tensor: extents (N, C, H, W), and strides in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tensor {
    element: ElementType,
    extents: [u64; 4],
    strides: [u64; 4],
}

/// A filter: extents (K, C, R, S).
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
    element: ElementType,
    extents: [u64; 4],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    padding: [u64; 2],
    stride: [u64; 2],
    dilation: [u64; 2],
    flipped: bool,
    groups: u64,
    /// Type in which it is computed.
    compute: ElementType,
}

/// Name and description of a `cudnnStatus_t` (cuDNN API, `cudnnStatus_t`).
pub(super) fn describe_status(status: i32) -> Status {
    let (name, text) = match status {
        0 => ("CUDNN_STATUS_SUCCESS", "success"),
        NOT_INITIALISED => ("CUDNN_STATUS_NOT_INITIALIZED", "the library was not initialised"),
        BAD_PARAM => ("CUDNN_STATUS_BAD_PARAM", "a parameter has an invalid value"),
        NOT_SUPPORTED => ("CUDNN_STATUS_NOT_SUPPORTED", "this is not supported"),
        EXECUTION_FAILED => ("CUDNN_STATUS_EXECUTION_FAILED", "the work failed on the GPU"),
        _ => ("CUDNN_STATUS_INTERNAL_ERROR", "an internal operation failed"),
    };
    Status { name, text }
}

/// Sets a descriptor.
fn set<T>(slot: Option<&mut Option<T>>, value: Result<T, Refusal>) -> Result<i32, Failure> {
    let done = match (slot, value) {
        (Some(slot), Ok(value)) => {
            *slot = Some(value);
            Ok(())
        }
        (None, _) => Err(Refusal::Status(BAD_PARAM)),
        (_, Err(refusal)) => Err(refusal),
    };
    status(done, EXECUTION_FAILED)
}

/// Converts a `cudnnDataType_t`.
fn data_type(number: i32) -> Result<ElementType, Refusal> {
    Ok(match number {
        0 => ElementType::F32,
        1 => ElementType::F64,
        2 => ElementType::F16,
        9 => ElementType::Bf16,
        3 | 4 | 6 | 10 => return Err(Refusal::Status(NOT_SUPPORTED)),
        _ => return Err(Refusal::Status(BAD_PARAM)),
    })
}

/// Checks extents: each is at least one, and their product fits an `int`.
fn extents<const N: usize>(numbers: [i32; N]) -> Result<[u64; N], Refusal> {
    let all = numbers.iter().try_fold(1i32, |product, &n| if n > 0 { product.checked_mul(n) } else { None });
    if all.is_none() { Err(Refusal::Status(BAD_PARAM)) } else { Ok(numbers.map(|n| n as u64)) }
}

/// Returns the extents of a convolution's output (cuDNN API, `cudnnGetConvolution2dForwardOutputDim`).
fn output(x: &Tensor, w: &Filter, settings: &Settings) -> Result<[u64; 4], Refusal> {
    let bad = || Refusal::Status(BAD_PARAM);
    let ([n, c, h, width], [filters, per_group, r, s]) = (x.extents, w.extents);
    if c != per_group * settings.groups {
        let (groups, filter) = (settings.groups, per_group);
        let why = Evidence::ConvolutionChannels { image: c, filter, groups };
        return Err(Refusal::Argument(BAD_PARAM, Box::new(why)));
    }
    if filters % settings.groups != 0 || x.element != w.element {
        return Err(bad());
    }
    let along = |extent: u64, taps: u64, axis: usize| {
        let padded = extent + 2 * settings.padding[axis];
        let reach = settings.dilation[axis] * (taps - 1) + 1;
        Some((padded.checked_sub(reach)?) / settings.stride[axis] + 1)
    };
    Ok([n, filters, along(h, r, 0).ok_or_else(bad)?, along(width, s, 1).ok_or_else(bad)?])
}

/// Returns the contents of three descriptors, all of which must be set.
fn described(
    call: &mut Call,
    x: u64,
    w: u64,
    convolution: u64,
) -> Result<(Tensor, Filter, Settings), Refusal> {
    let objects = &call.runtime.libraries;
    let x = objects.tensors.get(x).copied().flatten();
    let w = objects.filters.get(w).copied().flatten();
    let settings = objects.convolutions.get(convolution).copied().flatten();
    x.zip(w).zip(settings).map(|((x, w), s)| (x, w, s)).ok_or(Refusal::Status(BAD_PARAM))
}

/// Returns the available algorithms to the program: the one used here, in the layout of
/// `cudnnConvolutionFwdAlgoPerf_t`.
fn algorithms(
    call: &mut Call,
    [x, w, convolution]: [u64; 3],
    requested: i32,
    returned: u64,
    results: u64,
) -> Result<i32, Failure> {
    let mut answer = || {
        let (x, w, settings) = described(call, x, w, convolution)?;
        output(&x, &w, &settings)?;
        if requested < 1 {
            return Err(Refusal::Status(BAD_PARAM));
        }
        let mut bytes = Vec::new();
        // Algorithm, status, time (not measured), padding, memory, determinism, math type, reserved.
        bytes.extend(IMPLICIT_GEMM.encode());
        bytes.extend(0i32.encode());
        bytes.extend((-1.0f32).encode());
        bytes.extend(0i32.encode());
        bytes.extend(0u64.encode());
        bytes.extend(1i32.encode());
        bytes.extend([0; 16]);
        call.store(results, &bytes)?;
        Ok(call.put(returned, 1i32)?)
    };
    status(answer(), EXECUTION_FAILED)
}

calls! {
    refusals(describe_status);

    /// Returns the release whose interface the headers declare.
    fn cudnnGetVersion(_call) -> u64 {
        Ok(91002)
    }

    /// Returns the name of a status.
    fn cudnnGetErrorString(call, status: i32) -> u64 {
        call.text(describe_status(status).name)
    }

    /// Creates a handle.
    fn cudnnCreate(call, handle: u64) -> i32 {
        let made = call.make_object(|runtime| &mut runtime.libraries.cudnn, 0);
        answer(call, handle, made, BAD_PARAM)
    }

    /// Destroys a handle.
    fn cudnnDestroy(call, handle: u64) -> i32 {
        Ok(call.runtime.libraries.cudnn.destroy(handle, &call.site).map_or(BAD_PARAM, |_| 0))
    }

    /// Sets the stream of later calls.
    fn cudnnSetStream(call, handle: u64, stream: u64) -> i32 {
        let known = call.stream(stream).map_err(Refusal::from).and_then(|_| {
            let its = call.runtime.libraries.cudnn.get_mut(handle);
            *its.ok_or(Refusal::Status(BAD_PARAM))? = stream;
            Ok(())
        });
        status(known, BAD_PARAM)
    }

    /// Returns the stream of calls.
    fn cudnnGetStream(call, handle: u64, stream: u64) -> i32 {
        let Some(its) = call.runtime.libraries.cudnn.get(handle).copied() else { return Ok(BAD_PARAM) };
        answer(call, stream, its, BAD_PARAM)
    }

    /// Creates a tensor descriptor.
    fn cudnnCreateTensorDescriptor(call, descriptor: u64) -> i32 {
        let made = call.make_object(|runtime| &mut runtime.libraries.tensors, None);
        answer(call, descriptor, made, BAD_PARAM)
    }

    /// Describes a dense tensor: channels first (0) or last (1).
    fn cudnnSetTensor4dDescriptor(
        call, descriptor: u64, format: i32, data: i32, n: i32, c: i32, h: i32, w: i32,
    ) -> i32 {
        let tensor = (|| {
            let all = extents([n, c, h, w])?;
            let [_, c, h, w] = all;
            let strides = match format {
                0 => [c * h * w, h * w, w, 1],
                1 => [h * w * c, 1, w * c, c],
                _ => return Err(Refusal::Status(NOT_SUPPORTED)),
            };
            Ok(Tensor { element: data_type(data)?, extents: all, strides })
        })();
        set(call.runtime.libraries.tensors.get_mut(descriptor), tensor)
    }

    /// Describes a tensor with arbitrary strides in elements.
    fn cudnnSetTensor4dDescriptorEx(
        call, descriptor: u64, data: i32, n: i32, c: i32, h: i32, w: i32, n_stride: i32, c_stride: i32,
        h_stride: i32, w_stride: i32,
    ) -> i32 {
        let tensor = (|| {
            let strides = [n_stride, c_stride, h_stride, w_stride];
            if strides.iter().any(|&stride| stride < 0) {
                return Err(Refusal::Status(NOT_SUPPORTED));
            }
            let strides = strides.map(|stride| stride as u64);
            Ok(Tensor { element: data_type(data)?, extents: extents([n, c, h, w])?, strides })
        })();
        set(call.runtime.libraries.tensors.get_mut(descriptor), tensor)
    }

    /// Destroys a tensor descriptor.
    fn cudnnDestroyTensorDescriptor(call, descriptor: u64) -> i32 {
        Ok(call.runtime.libraries.tensors.destroy(descriptor, &call.site).map_or(BAD_PARAM, |_| 0))
    }

    /// Creates a filter descriptor.
    fn cudnnCreateFilterDescriptor(call, descriptor: u64) -> i32 {
        let made = call.make_object(|runtime| &mut runtime.libraries.filters, None);
        answer(call, descriptor, made, BAD_PARAM)
    }

    /// Describes a filter: outputs, inputs of a group, rows, columns; channels first.
    fn cudnnSetFilter4dDescriptor(
        call, descriptor: u64, data: i32, format: i32, k: i32, c: i32, h: i32, w: i32,
    ) -> i32 {
        let filter = (|| {
            if format != 0 {
                return Err(Refusal::Status(NOT_SUPPORTED));
            }
            Ok(Filter { element: data_type(data)?, extents: extents([k, c, h, w])? })
        })();
        set(call.runtime.libraries.filters.get_mut(descriptor), filter)
    }

    /// Destroys a filter descriptor.
    fn cudnnDestroyFilterDescriptor(call, descriptor: u64) -> i32 {
        Ok(call.runtime.libraries.filters.destroy(descriptor, &call.site).map_or(BAD_PARAM, |_| 0))
    }

    /// Creates a convolution descriptor.
    fn cudnnCreateConvolutionDescriptor(call, descriptor: u64) -> i32 {
        let made = call.make_object(|runtime| &mut runtime.libraries.convolutions, None);
        answer(call, descriptor, made, BAD_PARAM)
    }

    /// Describes a convolution: padding, stride and dilation; true convolution (0) or cross-correlation (1).
    fn cudnnSetConvolution2dDescriptor(
        call, descriptor: u64, pad_h: i32, pad_w: i32, stride_h: i32, stride_w: i32, dilation_h: i32,
        dilation_w: i32, mode: i32, compute: i32,
    ) -> i32 {
        let settings = (|| {
            let compute = data_type(compute)?;
            let [stride_h, stride_w, dilation_h, dilation_w] =
                extents([stride_h, stride_w, dilation_h, dilation_w])?;
            if pad_h < 0 || pad_w < 0 || !(0..2).contains(&mode) {
                return Err(Refusal::Status(BAD_PARAM));
            }
            Ok(Settings {
                padding: [pad_h as u64, pad_w as u64],
                stride: [stride_h, stride_w],
                dilation: [dilation_h, dilation_w],
                flipped: mode == 0,
                groups: 1,
                compute,
            })
        })();
        set(call.runtime.libraries.convolutions.get_mut(descriptor), settings)
    }

    /// Sets the number of groups of channels, which are convolved separately.
    fn cudnnSetConvolutionGroupCount(call, descriptor: u64, groups: i32) -> i32 {
        Ok(match call.runtime.libraries.convolutions.get_mut(descriptor) {
            Some(Some(settings)) if groups > 0 => {
                settings.groups = groups as u64;
                0
            }
            _ => BAD_PARAM,
        })
    }

    /// Sets whether tensor cores may be used, which multiply half-precision numbers; the mode is only checked
    /// here.
    fn cudnnSetConvolutionMathType(call, descriptor: u64, mode: i32) -> i32 {
        let known = call.runtime.libraries.convolutions.get(descriptor).is_some();
        Ok(if known && (0..4).contains(&mode) { 0 } else { BAD_PARAM })
    }

    /// Destroys a convolution descriptor.
    fn cudnnDestroyConvolutionDescriptor(call, descriptor: u64) -> i32 {
        Ok(call.runtime.libraries.convolutions.destroy(descriptor, &call.site).map_or(BAD_PARAM, |_| 0))
    }

    /// Returns the extents of the output.
    fn cudnnGetConvolution2dForwardOutputDim(
        call, convolution: u64, x: u64, w: u64, n: u64, c: u64, h: u64, width: u64,
    ) -> i32 {
        let mut answer = || {
            let (x, w, settings) = described(call, x, w, convolution)?;
            for (place, extent) in [n, c, h, width].into_iter().zip(output(&x, &w, &settings)?) {
                call.put(place, extent as i32)?;
            }
            Ok(())
        };
        let done = answer();
        status_with_reason(call, done, BAD_PARAM)
    }

    /// Returns the algorithm to use, by heuristic or by measurement.
    fn cudnnGetConvolutionForwardAlgorithm_v7, cudnnFindConvolutionForwardAlgorithm(
        call, _handle: u64, x: u64, w: u64, convolution: u64, _y: u64, requested: i32, returned: u64,
        results: u64,
    ) -> i32 {
        algorithms(call, [x, w, convolution], requested, returned, results)
    }

    /// Returns the bytes of workspace that an algorithm needs: none here.
    fn cudnnGetConvolutionForwardWorkspaceSize(
        call, _handle: u64, x: u64, w: u64, convolution: u64, _y: u64, algorithm: i32, bytes: u64,
    ) -> i32 {
        let mut answer = || {
            let (x, w, settings) = described(call, x, w, convolution)?;
            output(&x, &w, &settings)?;
            if !(0..ALGORITHMS).contains(&algorithm) {
                return Err(Refusal::Status(BAD_PARAM));
            }
            Ok(call.put(bytes, 0u64)?)
        };
        let done = answer();
        status_with_reason(call, done, BAD_PARAM)
    }

    /// y ← alpha·conv(x, w) + beta·y
    fn cudnnConvolutionForward(
        call, handle: u64, alpha: u64, x_shape: u64, x: u64, w_shape: u64, w: u64, convolution: u64,
        algorithm: i32, _workspace: u64, _workspace_bytes: u64, beta: u64, y_shape: u64, y: u64,
    ) -> i32 {
        let Some(stream) = call.runtime.libraries.cudnn.get(handle).copied() else {
            return Ok(NOT_INITIALISED);
        };
        let mut forward = || {
            let (image, filter, settings) = described(call, x_shape, w_shape, convolution)?;
            let out = call.runtime.libraries.tensors.get(y_shape).copied().flatten();
            let out = out.ok_or(Refusal::Status(BAD_PARAM))?;
            let gives = output(&image, &filter, &settings)?;
            if out.extents != gives {
                let why = Evidence::ConvolutionOutput { described: out.extents, gives };
                return Err(Refusal::Argument(BAD_PARAM, Box::new(why)));
            }
            if out.element != image.element || !(0..ALGORITHMS).contains(&algorithm) {
                return Err(Refusal::Status(BAD_PARAM));
            }
            if !CONFIGURATIONS.contains(&(image.element, settings.compute)) {
                return Err(Refusal::Status(NOT_SUPPORTED));
            }
            // Scalars are `float`, or `double` for data of that type, and always on the host.
            let mut scalar = |at| -> Result<f64, Refusal> {
                Ok(match image.element {
                    ElementType::F64 => call.get::<f64>(at)?,
                    _ => call.get::<f32>(at)?.into(),
                })
            };
            let work = Convolution {
                element: image.element,
                x: (address(x), image.extents, image.strides),
                w: (address(w), filter.extents),
                y: (address(y), out.extents, out.strides),
                padding: settings.padding,
                stride: settings.stride,
                dilation: settings.dilation,
                groups: settings.groups,
                flipped: settings.flipped,
                alpha: scalar(alpha)?,
                beta: scalar(beta)?,
            };
            Ok(call.submit(stream, Work::Library(Library::Convolution(work)))?)
        };
        let done = forward();
        status_with_reason(call, done, EXECUTION_FAILED)
    }
}
