//! cuDNN: the forward convolution.

use super::{Handles, Name, Shared, call, small};
use crate::ElementType;
use crate::direct::work::Stream;
use crate::direct::{Direct, Result};
use crate::library::Convolution;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

type Handle = *mut c_void;
type Descriptor = *mut c_void;
type P = *const c_void;
type M = *mut c_void;

/// `CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM`, which needs the least workspace; `CUDNN_TENSOR_NCHW`.
const IMPLICIT_GEMM: c_int = 0;
const NCHW: c_int = 0;

/// The descriptors of one convolution: the convolution's, the filter's, and those of x and y; null where none was created.
type Descriptors = [Descriptor; 4];

pub struct Dnn {
    shared: Shared,
    handles: Handles,
}

/// Returns the `cudnnDataType_t` of an element type.
fn data_type(element: ElementType) -> c_int {
    match element {
        ElementType::F64 => 1,
        ElementType::F16 => 2,
        ElementType::Bf16 => 9,
        _ => 0,
    }
}

impl Dnn {
    /// Opens the library.
    ///
    /// # Errors
    ///
    /// Fails if it is not installed.
    pub fn open(direct: &Direct) -> Result<Dnn> {
        let shared = Shared::open(Name::Dnn, direct.machine().driver.0)?;
        Ok(Dnn { shared, handles: Handles::default() })
    }

    /// Forgets the handle of a device whose context no longer exists.
    pub fn forget(&mut self, device: u32) {
        self.handles.0.remove(&device);
    }

    fn on(&mut self, direct: &mut Direct, stream: Stream) -> Result<Handle> {
        direct.enter(stream.device)?;
        let handle = self.handles.of(&self.shared, stream.device, c"cudnnCreate")?;
        call!(self.shared, c"cudnnSetStream", (Handle, M); handle, stream.handle as M)?;
        Ok(handle)
    }

    fn tensor(&self, made: &mut Descriptor, ty: c_int, extents: [u64; 4], strides: [u64; 4]) -> Result<()> {
        let (extents, strides) = (small(extents)?, small(strides)?);
        call!(self.shared, c"cudnnCreateTensorDescriptor", (*mut Descriptor); made)?;
        call!(self.shared, c"cudnnSetTensorNdDescriptor",
            (Descriptor, c_int, c_int, *const c_int, *const c_int);
            *made, ty, 4, extents.as_ptr(), strides.as_ptr()
        )
    }

    /// Enqueues the convolution in a stream. Its workspace is freed in stream order.
    ///
    /// # Errors
    ///
    /// Fails if the library refuses the convolution, or there is no memory for its workspace.
    pub fn convolve(&mut self, direct: &mut Direct, stream: Stream, asked: &Convolution) -> Result<()> {
        let handle = self.on(direct, stream)?;
        let mut made: Descriptors = [ptr::null_mut(); 4];
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
        asked: &Convolution,
        made: &mut Descriptors,
        workspace: &mut u64,
    ) -> Result<()> {
        let ty = data_type(asked.element);
        let wide = asked.element == ElementType::F64;
        let (extents, [groups]) = (small(asked.w.1)?, small([asked.groups])?);
        let (padding, stride, dilation) =
            (small(asked.padding)?, small(asked.stride)?, small(asked.dilation)?);
        let [convolution, filter, x, y] = made;
        self.tensor(x, ty, asked.x.1, asked.x.2)?;
        self.tensor(y, ty, asked.y.1, asked.y.2)?;
        call!(self.shared, c"cudnnCreateFilterDescriptor", (*mut Descriptor); filter)?;
        call!(self.shared, c"cudnnSetFilterNdDescriptor",
            (Descriptor, c_int, c_int, c_int, *const c_int);
            *filter, ty, NCHW, 4, extents.as_ptr()
        )?;
        call!(self.shared, c"cudnnCreateConvolutionDescriptor", (*mut Descriptor); convolution)?;
        let [convolution, filter, x, y] = *made;
        // CUDNN_CONVOLUTION or CUDNN_CROSS_CORRELATION; CUDNN_DATA_DOUBLE or CUDNN_DATA_FLOAT.
        let (mode, sums) = (c_int::from(!asked.flipped), c_int::from(wide));
        call!(self.shared, c"cudnnSetConvolutionNdDescriptor",
            (Descriptor, c_int, *const c_int, *const c_int, *const c_int, c_int, c_int);
            convolution, 2, padding.as_ptr(), stride.as_ptr(), dilation.as_ptr(), mode, sums
        )?;
        call!(self.shared, c"cudnnSetConvolutionGroupCount", (Descriptor, c_int); convolution, groups)?;
        let mut bytes = 0usize;
        call!(self.shared, c"cudnnGetConvolutionForwardWorkspaceSize",
            (Handle, Descriptor, Descriptor, Descriptor, Descriptor, c_int, *mut usize);
            handle, x, filter, convolution, y, IMPLICIT_GEMM, &mut bytes
        )?;
        if bytes > 0 {
            *workspace = direct.allocate_ordered(stream.device, bytes as u64, stream)?;
        }
        let (floats, doubles) = ([asked.alpha as f32, asked.beta as f32], [asked.alpha, asked.beta]);
        let factor = |n: usize| -> P {
            if wide { ptr::from_ref(&doubles[n]).cast() } else { ptr::from_ref(&floats[n]).cast() }
        };
        call!(self.shared, c"cudnnConvolutionForward",
            (Handle, P, Descriptor, P, Descriptor, P, Descriptor, c_int, M, usize, P, Descriptor, M);
            handle, factor(0), x, asked.x.0.0 as P, filter, asked.w.0.0 as P, convolution, IMPLICIT_GEMM, *workspace as M,
            bytes, factor(1), y, asked.y.0.0 as M
        )
    }

    /// Destroys the descriptors that were created.
    fn destroy(&self, made: &Descriptors) -> Result<()> {
        const DESTROY: [&CStr; 4] = [
            c"cudnnDestroyConvolutionDescriptor",
            c"cudnnDestroyFilterDescriptor",
            c"cudnnDestroyTensorDescriptor",
            c"cudnnDestroyTensorDescriptor",
        ];
        let mut made = made.iter().zip(DESTROY).filter(|(made, _)| !made.is_null());
        made.try_for_each(|(made, destroy)| call!(self.shared, destroy, (Descriptor); *made))
    }
}
