//! cuDNN: the forward convolution.

use super::{Name, Shared, Type, call};
use crate::direct::work::Stream;
use crate::direct::{Direct, Result};
use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

type Handle = *mut c_void;
type Descriptor = *mut c_void;
type P = *const c_void;
type M = *mut c_void;

/// `CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM`, which needs the least workspace; `CUDNN_TENSOR_NCHW`.
const IMPLICIT_GEMM: c_int = 0;
const NCHW: c_int = 0;

/// A convolution: y ← alpha·conv(x, w) + beta·y.
#[derive(Clone, Copy, Debug)]
pub struct ConvolutionCall {
    pub ty: Type,
    /// Address, extents (N, C, H, W) and strides in elements; likewise for `y`.
    pub x: (u64, [i32; 4], [i32; 4]),
    pub y: (u64, [i32; 4], [i32; 4]),
    /// Address and extents (K, C/groups, R, S).
    pub w: (u64, [i32; 4]),
    /// Height, then width; likewise for `stride` and `dilation`.
    pub padding: [i32; 2],
    pub stride: [i32; 2],
    pub dilation: [i32; 2],
    pub groups: i32,
    pub flipped: bool,
    pub alpha: f64,
    pub beta: f64,
}

/// The descriptors of one convolution; null where none was created.
struct Descriptors {
    x: Descriptor,
    y: Descriptor,
    filter: Descriptor,
    convolution: Descriptor,
}

impl Default for Descriptors {
    fn default() -> Descriptors {
        let none = ptr::null_mut();
        Descriptors { x: none, y: none, filter: none, convolution: none }
    }
}

pub struct Dnn {
    shared: Shared,
    handles: HashMap<u32, usize>,
}

/// Returns the `cudnnDataType_t` of an element type.
fn data_type(ty: Type) -> c_int {
    match ty {
        Type::F64 => 1,
        Type::F16 => 2,
        Type::BF16 => 9,
        _ => 0,
    }
}

impl Dnn {
    pub fn open(direct: &Direct) -> Result<Dnn> {
        let shared = Shared::open(Name::Dnn, direct.machine().driver.0)?;
        Ok(Dnn { shared, handles: HashMap::new() })
    }

    /// Forgets the handle of a device whose context no longer exists.
    pub fn forget(&mut self, device: u32) {
        self.handles.remove(&device);
    }

    fn on(&mut self, direct: &mut Direct, stream: Stream) -> Result<Handle> {
        direct.enter(stream.device)?;
        if !self.handles.contains_key(&stream.device) {
            let mut handle: Handle = ptr::null_mut();
            call!(self, c"cudnnCreate", (*mut Handle); &mut handle);
            self.handles.insert(stream.device, handle as usize);
        }
        let handle = self.handles[&stream.device] as Handle;
        call!(self, c"cudnnSetStream", (Handle, M); handle, stream.handle as M);
        Ok(handle)
    }

    fn tensor(&self, made: &mut Descriptor, ty: c_int, extents: &[i32; 4], strides: &[i32; 4]) -> Result<()> {
        call!(self, c"cudnnCreateTensorDescriptor", (*mut Descriptor); made);
        call!(self, c"cudnnSetTensorNdDescriptor",
            (Descriptor, c_int, c_int, *const c_int, *const c_int);
            *made, ty, 4, extents.as_ptr(), strides.as_ptr()
        );
        Ok(())
    }

    /// Enqueues the convolution in a stream. Its workspace is freed in stream order.
    pub fn convolve(&mut self, direct: &mut Direct, stream: Stream, asked: &ConvolutionCall) -> Result<()> {
        let handle = self.on(direct, stream)?;
        let mut made = Descriptors::default();
        let mut workspace = 0;
        let run = self.run(direct, (handle, stream), asked, &mut made, &mut workspace);
        let freed = if workspace != 0 { direct.free_ordered(workspace, stream) } else { Ok(()) };
        run.and(freed).and(self.destroy(&made))
    }

    /// Creates what a convolution needs, and enqueues it; `made` and `workspace` receive what must be destroyed and freed
    /// afterwards, also where this fails.
    fn run(
        &self,
        direct: &mut Direct,
        (handle, stream): (Handle, Stream),
        asked: &ConvolutionCall,
        made: &mut Descriptors,
        workspace: &mut u64,
    ) -> Result<()> {
        let ty = data_type(asked.ty);
        let wide = asked.ty == Type::F64;
        self.tensor(&mut made.x, ty, &asked.x.1, &asked.x.2)?;
        self.tensor(&mut made.y, ty, &asked.y.1, &asked.y.2)?;
        call!(self, c"cudnnCreateFilterDescriptor", (*mut Descriptor); &mut made.filter);
        call!(self, c"cudnnSetFilterNdDescriptor",
            (Descriptor, c_int, c_int, c_int, *const c_int);
            made.filter, ty, NCHW, 4, asked.w.1.as_ptr()
        );
        call!(self, c"cudnnCreateConvolutionDescriptor", (*mut Descriptor); &mut made.convolution);
        let Descriptors { x, y, filter, convolution } = *made;
        // CUDNN_CONVOLUTION or CUDNN_CROSS_CORRELATION; CUDNN_DATA_DOUBLE or CUDNN_DATA_FLOAT.
        let (mode, sums) = (c_int::from(!asked.flipped), c_int::from(wide));
        call!(self, c"cudnnSetConvolutionNdDescriptor",
            (Descriptor, c_int, *const c_int, *const c_int, *const c_int, c_int, c_int);
            convolution, 2, asked.padding.as_ptr(), asked.stride.as_ptr(), asked.dilation.as_ptr(), mode, sums
        );
        call!(self, c"cudnnSetConvolutionGroupCount", (Descriptor, c_int); convolution, asked.groups);
        let mut bytes = 0usize;
        call!(self, c"cudnnGetConvolutionForwardWorkspaceSize",
            (Handle, Descriptor, Descriptor, Descriptor, Descriptor, c_int, *mut usize);
            handle, x, filter, convolution, y, IMPLICIT_GEMM, &mut bytes
        );
        if bytes > 0 {
            *workspace = direct.allocate_ordered(stream.device, bytes as u64, stream)?;
        }
        let (floats, doubles) = ([asked.alpha as f32, asked.beta as f32], [asked.alpha, asked.beta]);
        let factor = |n: usize| -> P {
            if wide { ptr::from_ref(&doubles[n]).cast() } else { ptr::from_ref(&floats[n]).cast() }
        };
        call!(self, c"cudnnConvolutionForward",
            (Handle, P, Descriptor, P, Descriptor, P, Descriptor, c_int, M, usize, P, Descriptor, M);
            handle, factor(0), x, asked.x.0 as P, filter, asked.w.0 as P, convolution, IMPLICIT_GEMM, *workspace as M,
            bytes, factor(1), y, asked.y.0 as M
        );
        Ok(())
    }

    /// Destroys the descriptors that were created.
    fn destroy(&self, made: &Descriptors) -> Result<()> {
        if !made.convolution.is_null() {
            call!(self, c"cudnnDestroyConvolutionDescriptor", (Descriptor); made.convolution);
        }
        if !made.filter.is_null() {
            call!(self, c"cudnnDestroyFilterDescriptor", (Descriptor); made.filter);
        }
        for tensor in [made.x, made.y].into_iter().filter(|tensor| !tensor.is_null()) {
            call!(self, c"cudnnDestroyTensorDescriptor", (Descriptor); tensor);
        }
        Ok(())
    }
}
