//! cuDNN: descriptors, of images with two axes, and forward convolution.

use super::{Libraries, address, answer, object, refuse_if};
use crate::device::ElementType;
use crate::device::library::Convolution;
use crate::device::{Failure, Library, Work};
use crate::program::call::{Call, Done, Plain, Refusal, calls};
use crate::program::runtime::errors::Status;
use crate::program::runtime::handles::Handles;
use sim::Evidence;

/// `cudnnStatus_t`.
const NOT_INITIALISED: i32 = 1001;
const BAD_PARAM: i32 = 2000;
const NOT_SUPPORTED: i32 = 3000;
const EXECUTION_FAILED: i32 = 5000;

/// `cudnnConvolutionFwdAlgo_t`: the algorithm that needs no workspace, and the one that is recommended here.
const IMPLICIT_GEMM: i32 = 0;
const IMPLICIT_PRECOMP_GEMM: i32 = 1;
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

/// Destroys an object of the library.
fn destroy<T>(
    call: &mut Call,
    table: fn(&mut Libraries) -> &mut Handles<T>,
    handle: u64,
) -> Result<(), Refusal> {
    let destroyed = table(&mut call.runtime.libraries).destroy(handle, &call.site);
    destroyed.map(drop).ok_or(Refusal::Status(BAD_PARAM))
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
    refuse_if(all.is_none(), BAD_PARAM)?;
    Ok(numbers.map(|n| n as u64))
}

/// Reads the numbers that a call passes as an array, one for each of `count` axes. No other count is supported.
fn numbers<const N: usize>(call: &mut Call, array: u64, count: i32) -> Result<[i32; N], Refusal> {
    /// `CUDNN_DIM_MAX`.
    const MOST: i32 = 8;
    refuse_if(!(1..=MOST).contains(&count), BAD_PARAM)?;
    if count != N as i32 {
        return Err(
            Failure::unsupported(format!("a descriptor of cuDNN with {count} axes in place of {N}")).into()
        );
    }
    let mut all = [0; N];
    for (n, number) in (0..).zip(&mut all) {
        *number = call.get(array.wrapping_add(4 * n)).map_err(Refusal::or_status(BAD_PARAM))?;
    }
    Ok(all)
}

/// Returns the strides of a dense tensor: channels first (0) or last (1).
fn dense([_, c, h, w]: [u64; 4], format: i32) -> Result<[u64; 4], Refusal> {
    match format {
        0 => Ok([c * h * w, h * w, w, 1]),
        1 => Ok([h * w * c, 1, w * c, c]),
        _ => Err(Refusal::Status(NOT_SUPPORTED)),
    }
}

fn set_dense(
    call: &mut Call,
    descriptor: u64,
    format: i32,
    data: i32,
    sizes: [i32; 4],
) -> Result<(), Refusal> {
    let tensor = object(&mut call.runtime.libraries.tensors, descriptor, BAD_PARAM)?;
    let extents = extents(sizes)?;
    let strides = dense(extents, format)?;
    *tensor = Some(Tensor { element: data_type(data)?, extents, strides });
    Ok(())
}

fn set_strided(
    call: &mut Call,
    descriptor: u64,
    data: i32,
    [sizes, strides]: [[i32; 4]; 2],
) -> Result<(), Refusal> {
    let tensor = object(&mut call.runtime.libraries.tensors, descriptor, BAD_PARAM)?;
    refuse_if(strides.iter().any(|&stride| stride < 0), NOT_SUPPORTED)?;
    let strides = strides.map(|stride| stride as u64);
    *tensor = Some(Tensor { element: data_type(data)?, extents: extents(sizes)?, strides });
    Ok(())
}

fn set_filter(
    call: &mut Call,
    descriptor: u64,
    data: i32,
    format: i32,
    sizes: [i32; 4],
) -> Result<(), Refusal> {
    let filter = object(&mut call.runtime.libraries.filters, descriptor, BAD_PARAM)?;
    refuse_if(format != 0, NOT_SUPPORTED)?;
    *filter = Some(Filter { element: data_type(data)?, extents: extents(sizes)? });
    Ok(())
}

/// Describes a convolution by padding, stride and dilation.
fn set_convolution(
    call: &mut Call,
    descriptor: u64,
    [padding, stride, dilation]: [[i32; 2]; 3],
    (mode, compute): (i32, i32),
) -> Result<(), Refusal> {
    let settings = object(&mut call.runtime.libraries.convolutions, descriptor, BAD_PARAM)?;
    let compute = data_type(compute)?;
    let (stride, dilation) = (extents(stride)?, extents(dilation)?);
    refuse_if(padding.iter().any(|&pad| pad < 0) || !(0..2).contains(&mode), BAD_PARAM)?;
    let padding = padding.map(|pad| pad as u64);
    *settings = Some(Settings { padding, stride, dilation, flipped: mode == 0, groups: 1, compute });
    Ok(())
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
    refuse_if(filters % settings.groups != 0 || x.element != w.element, BAD_PARAM)?;
    let along = |extent: u64, taps: u64, axis: usize| {
        let padded = extent + 2 * settings.padding[axis];
        let reach = settings.dilation[axis] * (taps - 1) + 1;
        Some((padded.checked_sub(reach)?) / settings.stride[axis] + 1)
    };
    Ok([n, filters, along(h, r, 0).ok_or_else(bad)?, along(width, s, 1).ok_or_else(bad)?])
}

/// Returns the bytes of workspace that an algorithm needs. They are modelled as an offset for each weight of a filter,
/// which `IMPLICIT_PRECOMP_GEMM` works out beforehand; real algorithms need other amounts.
fn workspace_bytes(algorithm: i32, w: &Filter) -> u64 {
    let [_, c, r, s] = w.extents;
    if algorithm == IMPLICIT_GEMM { 0 } else { c * r * s * size_of::<i32>() as u64 }
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

calls! {
    refusals(describe_status, EXECUTION_FAILED);

    /// Returns the release whose interface the headers declare.
    fn cudnnGetVersion(_call) -> u64 {
        Ok(91002)
    }

    /// Returns the name of a status.
    fn cudnnGetErrorString(call, status: i32) -> u64 {
        call.text(describe_status(status).name)
    }

    /// Creates a handle.
    fn cudnnCreate(call, handle: u64) -> Done {
        let made = call.make_object(|runtime| &mut runtime.libraries.cudnn, 0);
        answer(call, handle, made, BAD_PARAM)
    }

    /// Destroys a handle.
    fn cudnnDestroy(call, handle: u64) -> Done {
        destroy(call, |libraries| &mut libraries.cudnn, handle)
    }

    /// Sets the stream of later calls.
    fn cudnnSetStream(call, handle: u64, stream: u64) -> Done {
        call.stream(stream).map_err(Refusal::or_status(BAD_PARAM))?;
        *object(&mut call.runtime.libraries.cudnn, handle, BAD_PARAM)? = stream;
        Ok(())
    }

    /// Returns the stream of calls.
    fn cudnnGetStream(call, handle: u64, stream: u64) -> Done {
        let its = *object(&mut call.runtime.libraries.cudnn, handle, BAD_PARAM)?;
        answer(call, stream, its, BAD_PARAM)
    }

    /// Creates a tensor descriptor.
    fn cudnnCreateTensorDescriptor(call, descriptor: u64) -> Done {
        let made = call.make_object(|runtime| &mut runtime.libraries.tensors, None);
        answer(call, descriptor, made, BAD_PARAM)
    }

    /// Describes a dense tensor: channels first (0) or last (1).
    fn cudnnSetTensor4dDescriptor(
        call, descriptor: u64, format: i32, data: i32, n: i32, c: i32, h: i32, w: i32,
    ) -> Done {
        set_dense(call, descriptor, format, data, [n, c, h, w])
    }

    /// As cudnnSetTensor4dDescriptor, with an array of extents.
    fn cudnnSetTensorNdDescriptorEx(
        call, descriptor: u64, format: i32, data: i32, axes: i32, sizes: u64,
    ) -> Done {
        let sizes = numbers(call, sizes, axes)?;
        set_dense(call, descriptor, format, data, sizes)
    }

    /// Describes a tensor with arbitrary strides in elements.
    fn cudnnSetTensor4dDescriptorEx(
        call, descriptor: u64, data: i32, n: i32, c: i32, h: i32, w: i32, n_stride: i32, c_stride: i32,
        h_stride: i32, w_stride: i32,
    ) -> Done {
        set_strided(call, descriptor, data, [[n, c, h, w], [n_stride, c_stride, h_stride, w_stride]])
    }

    /// As cudnnSetTensor4dDescriptorEx, with arrays of extents and strides.
    fn cudnnSetTensorNdDescriptor(
        call, descriptor: u64, data: i32, axes: i32, sizes: u64, strides: u64,
    ) -> Done {
        let described = [numbers(call, sizes, axes)?, numbers(call, strides, axes)?];
        set_strided(call, descriptor, data, described)
    }

    /// Destroys a tensor descriptor.
    fn cudnnDestroyTensorDescriptor(call, descriptor: u64) -> Done {
        destroy(call, |libraries| &mut libraries.tensors, descriptor)
    }

    /// Creates a filter descriptor.
    fn cudnnCreateFilterDescriptor(call, descriptor: u64) -> Done {
        let made = call.make_object(|runtime| &mut runtime.libraries.filters, None);
        answer(call, descriptor, made, BAD_PARAM)
    }

    /// Describes a filter: outputs, inputs of a group, rows, columns; channels first.
    fn cudnnSetFilter4dDescriptor(
        call, descriptor: u64, data: i32, format: i32, k: i32, c: i32, h: i32, w: i32,
    ) -> Done {
        set_filter(call, descriptor, data, format, [k, c, h, w])
    }

    /// As cudnnSetFilter4dDescriptor, with an array of extents.
    fn cudnnSetFilterNdDescriptor(call, descriptor: u64, data: i32, format: i32, axes: i32, sizes: u64) -> Done {
        let sizes = numbers(call, sizes, axes)?;
        set_filter(call, descriptor, data, format, sizes)
    }

    /// Destroys a filter descriptor.
    fn cudnnDestroyFilterDescriptor(call, descriptor: u64) -> Done {
        destroy(call, |libraries| &mut libraries.filters, descriptor)
    }

    /// Creates a convolution descriptor.
    fn cudnnCreateConvolutionDescriptor(call, descriptor: u64) -> Done {
        let made = call.make_object(|runtime| &mut runtime.libraries.convolutions, None);
        answer(call, descriptor, made, BAD_PARAM)
    }

    /// Describes a convolution: padding, stride and dilation; true convolution (0) or cross-correlation (1).
    fn cudnnSetConvolution2dDescriptor(
        call, descriptor: u64, pad_h: i32, pad_w: i32, stride_h: i32, stride_w: i32, dilation_h: i32,
        dilation_w: i32, mode: i32, compute: i32,
    ) -> Done {
        let along = [[pad_h, pad_w], [stride_h, stride_w], [dilation_h, dilation_w]];
        set_convolution(call, descriptor, along, (mode, compute))
    }

    /// As cudnnSetConvolution2dDescriptor, with arrays of padding, stride and dilation.
    fn cudnnSetConvolutionNdDescriptor(
        call, descriptor: u64, axes: i32, padding: u64, stride: u64, dilation: u64, mode: i32, compute: i32,
    ) -> Done {
        let along = [numbers(call, padding, axes)?, numbers(call, stride, axes)?, numbers(call, dilation, axes)?];
        set_convolution(call, descriptor, along, (mode, compute))
    }

    /// Sets the number of groups of channels, which are convolved separately.
    fn cudnnSetConvolutionGroupCount(call, descriptor: u64, groups: i32) -> Done {
        let settings = object(&mut call.runtime.libraries.convolutions, descriptor, BAD_PARAM)?.as_mut();
        let settings = settings.filter(|_| groups > 0).ok_or(Refusal::Status(BAD_PARAM))?;
        settings.groups = groups as u64;
        Ok(())
    }

    /// Sets whether tensor cores may be used, which multiply half-precision numbers; the mode is only checked
    /// here.
    fn cudnnSetConvolutionMathType(call, descriptor: u64, mode: i32) -> Done {
        object(&mut call.runtime.libraries.convolutions, descriptor, BAD_PARAM)?;
        refuse_if(!(0..4).contains(&mode), BAD_PARAM)
    }

    /// Destroys a convolution descriptor.
    fn cudnnDestroyConvolutionDescriptor(call, descriptor: u64) -> Done {
        destroy(call, |libraries| &mut libraries.convolutions, descriptor)
    }

    /// Returns the extents of the output.
    fn cudnnGetConvolution2dForwardOutputDim(
        call, convolution: u64, x: u64, w: u64, n: u64, c: u64, h: u64, width: u64,
    ) -> Done {
        let (x, w, settings) = described(call, x, w, convolution)?;
        for (place, extent) in [n, c, h, width].into_iter().zip(output(&x, &w, &settings)?) {
            answer(call, place, extent as i32, BAD_PARAM)?;
        }
        Ok(())
    }

    /// Returns the extents of the output, as an array.
    fn cudnnGetConvolutionNdForwardOutputDim(
        call, convolution: u64, x: u64, w: u64, axes: i32, sizes: u64,
    ) -> Done {
        let (x, w, settings) = described(call, x, w, convolution)?;
        let gives = output(&x, &w, &settings)?;
        refuse_if(axes != gives.len() as i32, BAD_PARAM)?;
        for (n, extent) in (0..).zip(gives) {
            answer(call, sizes.wrapping_add(4 * n), extent as i32, BAD_PARAM)?;
        }
        Ok(())
    }

    /// Returns how many algorithms there are.
    fn cudnnGetConvolutionForwardAlgorithmMaxCount(call, _handle: u64, count: u64) -> Done {
        answer(call, count, ALGORITHMS, BAD_PARAM)
    }

    /// Returns the algorithms to use, by heuristic or by measurement: always the same one, in the layout of
    /// `cudnnConvolutionFwdAlgoPerf_t`.
    fn cudnnGetConvolutionForwardAlgorithm_v7, cudnnFindConvolutionForwardAlgorithm(
        call, _handle: u64, x: u64, w: u64, convolution: u64, _y: u64, requested: i32, returned: u64,
        results: u64,
    ) -> Done {
        let (x, w, settings) = described(call, x, w, convolution)?;
        output(&x, &w, &settings)?;
        refuse_if(requested < 1, BAD_PARAM)?;
        // Algorithm, status, time (not measured), padding, memory, determinism, math type, reserved.
        let memory = workspace_bytes(IMPLICIT_PRECOMP_GEMM, &w);
        let numbers = [IMPLICIT_PRECOMP_GEMM.encode(), 0i32.encode(), (-1.0f32).encode(), 0i32.encode()];
        let bytes = [numbers.concat(), memory.encode(), 1i32.encode(), vec![0; 16]].concat();
        call.store(results, &bytes)?;
        Ok(call.put(returned, 1i32)?)
    }

    /// Returns the bytes of workspace that an algorithm needs.
    fn cudnnGetConvolutionForwardWorkspaceSize(
        call, _handle: u64, x: u64, w: u64, convolution: u64, _y: u64, algorithm: i32, bytes: u64,
    ) -> Done {
        let (x, w, settings) = described(call, x, w, convolution)?;
        output(&x, &w, &settings)?;
        refuse_if(!(0..ALGORITHMS).contains(&algorithm), BAD_PARAM)?;
        answer(call, bytes, workspace_bytes(algorithm, &w), BAD_PARAM)
    }

    /// y ← alpha·conv(x, w) + beta·y
    fn cudnnConvolutionForward(
        call, handle: u64, alpha: u64, x_shape: u64, x: u64, w_shape: u64, w: u64, convolution: u64,
        algorithm: i32, workspace: u64, workspace_room: u64, beta: u64, y_shape: u64, y: u64,
    ) -> Done {
        let stream = *object(&mut call.runtime.libraries.cudnn, handle, NOT_INITIALISED)?;
        let (image, filter, settings) = described(call, x_shape, w_shape, convolution)?;
        let out = call.runtime.libraries.tensors.get(y_shape).copied().flatten();
        let out = out.ok_or(Refusal::Status(BAD_PARAM))?;
        let gives = output(&image, &filter, &settings)?;
        if out.extents != gives {
            let why = Evidence::ConvolutionOutput { described: out.extents, gives };
            return Err(Refusal::Argument(BAD_PARAM, Box::new(why)));
        }
        refuse_if(out.element != image.element || !(0..ALGORITHMS).contains(&algorithm), BAD_PARAM)?;
        refuse_if(!CONFIGURATIONS.contains(&(image.element, settings.compute)), NOT_SUPPORTED)?;
        let needed_bytes = workspace_bytes(algorithm, &filter);
        let given_bytes = if workspace == 0 { 0 } else { workspace_room };
        if given_bytes < needed_bytes {
            let why = Evidence::Workspace { given_bytes, needed_bytes };
            return Err(Refusal::Argument(BAD_PARAM, Box::new(why)));
        }
        // Scalars are `float`, or `double` for data of that type, and always on the host.
        let mut scalar = |at| -> Result<f64, Refusal> {
            Ok(match image.element {
                ElementType::F64 => call.get_number::<f64>(at)?,
                _ => call.get_number::<f32>(at)?.into(),
            })
        };
        let work = Convolution {
            element: image.element,
            x: (address(x), image.extents, image.strides),
            w: (address(w), filter.extents),
            y: (address(y), out.extents, out.strides),
            workspace: (address(workspace), needed_bytes),
            padding: settings.padding,
            stride: settings.stride,
            dilation: settings.dilation,
            groups: settings.groups,
            flipped: settings.flipped,
            alpha: scalar(alpha)?,
            beta: scalar(beta)?,
        };
        Ok(call.submit(stream, Work::Library(Library::Convolution(work)))?)
    }
}
