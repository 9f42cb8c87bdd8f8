//! CUDA arrays, copies from and to them, and texture and surface objects.

use super::copy::{Side, copy_of_box, size};
use super::work::Stream;
use super::{Direct, Failed, Result};
use crate::failure::check;
use cudarc::driver::sys;
use sim::{AddressMode, ChannelKind, Image, ImageMemory, ImageObject, Sampling, TexelFormat};
use std::mem::MaybeUninit;
use std::ptr;

/// `CU_TRSF_READ_AS_INTEGER`, `CU_TRSF_NORMALIZED_COORDINATES`.
const READ_AS_INTEGER: u32 = 1;
const NORMALISED_COORDINATES: u32 = 2;

/// A CUDA array.
#[derive(Clone, Copy, Debug)]
pub struct Array(sys::CUarray);

/// One side of a copy of a box.
#[derive(Clone, Copy, Debug)]
pub enum BoxSide {
    /// An array, from this byte of a row, row, and slice or layer on.
    Array { array: Array, at: [u64; 3] },
    /// Memory of CUDA at an address: bytes from one row to the next, and rows from one slice to the next.
    Memory { address: u64, pitch: u64, rows: u64 },
}

impl From<&BoxSide> for Side {
    fn from(side: &BoxSide) -> Side {
        match *side {
            BoxSide::Array { array, at } => Side::array(array.0, at),
            BoxSide::Memory { address, pitch, rows } => Side::memory(address, pitch, rows),
        }
    }
}

fn format(format: TexelFormat) -> sys::CUarray_format {
    use sys::CUarray_format_enum as Format;
    match (format.kind, format.channel_bytes) {
        (ChannelKind::Unsigned, 1) => Format::CU_AD_FORMAT_UNSIGNED_INT8,
        (ChannelKind::Unsigned, 2) => Format::CU_AD_FORMAT_UNSIGNED_INT16,
        (ChannelKind::Unsigned, _) => Format::CU_AD_FORMAT_UNSIGNED_INT32,
        (ChannelKind::Signed, 1) => Format::CU_AD_FORMAT_SIGNED_INT8,
        (ChannelKind::Signed, 2) => Format::CU_AD_FORMAT_SIGNED_INT16,
        (ChannelKind::Signed, _) => Format::CU_AD_FORMAT_SIGNED_INT32,
        (ChannelKind::Float, 2) => Format::CU_AD_FORMAT_HALF,
        (ChannelKind::Float, _) => Format::CU_AD_FORMAT_FLOAT,
    }
}

impl Direct {
    /// Allocates an array for an image; `flags` are those of `cudaMalloc3DArray`, which are the driver's too.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver can't allocate such an array.
    pub fn allocate_array(&mut self, device: u32, image: &Image, flags: u32) -> Result<Array> {
        self.enter(device)?;
        let (dimensions, layered) = (image.shape.dimensions(), image.shape.is_layered());
        let [width, height, depth] = image.extents.map(size);
        let asked = sys::CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: if dimensions > 1 { height } else { 0 },
            Depth: if dimensions > 2 || layered { depth } else { 0 },
            Format: format(image.format),
            NumChannels: image.format.channels.into(),
            Flags: flags,
        };
        let mut array = ptr::null_mut();
        // SAFETY: pointers to live variables; the driver rejects arrays that it cannot allocate.
        check(unsafe { sys::cuArray3DCreate_v2(&mut array, &asked) }, "cuArray3DCreate")?;
        Ok(Array(array))
    }

    /// Frees an array.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn free_array(&mut self, device: u32, array: Array) -> Result<()> {
        self.enter(device)?;
        // SAFETY: the array is alive (`Direct::open`); the caller forgets it.
        check(unsafe { sys::cuArrayDestroy(array.0) }, "cuArrayDestroy")
    }

    fn enqueue_box(&mut self, copy: &sys::CUDA_MEMCPY3D, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: both sides lie in arrays and allocations that are alive (`Direct::open`), or in memory that the
        // caller keeps until the stream has reached the copy.
        check(unsafe { sys::cuMemcpy3DAsync_v2(copy, stream.handle) }, "cuMemcpy3DAsync")
    }

    /// Enqueues a copy of a box of bytes, rows and slices in a stream.
    pub fn copy_box(
        &mut self,
        dst: &BoxSide,
        src: &BoxSide,
        extents: [u64; 3],
        stream: Stream,
    ) -> Result<()> {
        self.enqueue_box(&copy_of_box(dst.into(), src.into(), extents), stream)
    }

    /// Copies a box from memory of this process, and waits for the copy.
    pub fn copy_box_in(
        &mut self,
        dst: &BoxSide,
        bytes: &[u8],
        extents: [u64; 3],
        stream: Stream,
    ) -> Result<()> {
        check_room(bytes.len(), extents)?;
        // The driver only reads the source.
        let src = Side::host(bytes.as_ptr().cast_mut().cast(), extents);
        self.enqueue_box(&copy_of_box(dst.into(), src, extents), stream)?;
        self.synchronise_stream(stream)
    }

    /// Copies a box to memory of this process, and waits for the copy.
    pub fn copy_box_out(
        &mut self,
        src: &BoxSide,
        out: &mut [u8],
        extents: [u64; 3],
        stream: Stream,
    ) -> Result<()> {
        check_room(out.len(), extents)?;
        let dst = Side::host(out.as_mut_ptr().cast(), extents);
        self.enqueue_box(&copy_of_box(dst, src.into(), extents), stream)?;
        self.synchronise_stream(stream)
    }

    /// Creates a texture or surface object. `array` is that of the image, if its memory is one.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, if the image needs an array and has none, or if the driver refuses.
    pub fn create_image(&mut self, device: u32, object: &ImageObject, array: Option<Array>) -> Result<u64> {
        self.enter(device)?;
        let Some(resource) = resource(&object.image, array) else {
            return Err(super::failed("cuTexObjectCreate", "the image has no array"));
        };
        let mut handle = 0;
        // SAFETY: pointers to live variables; the memory of the image is alive (`Direct::open`).
        unsafe {
            match &object.sampling {
                Some(sampling) => {
                    let texture = texture(sampling, object.image.format);
                    let result = sys::cuTexObjectCreate(&mut handle, &resource, &texture, ptr::null());
                    check(result, "cuTexObjectCreate")?;
                }
                None => check(sys::cuSurfObjectCreate(&mut handle, &resource), "cuSurfObjectCreate")?,
            }
        }
        Ok(handle)
    }

    /// Destroys a texture object, or else a surface object.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn destroy_image(&mut self, device: u32, handle: u64, is_texture: bool) -> Result<()> {
        self.enter(device)?;
        // SAFETY: the object is alive (`Direct::open`); the caller forgets it.
        unsafe {
            match is_texture {
                true => check(sys::cuTexObjectDestroy(handle), "cuTexObjectDestroy"),
                false => check(sys::cuSurfObjectDestroy(handle), "cuSurfObjectDestroy"),
            }
        }
    }
}

/// Refuses memory of this process that is too small for a box.
fn check_room(bytes: usize, [width, height, depth]: [u64; 3]) -> Result<(), Failed> {
    let needed = width.checked_mul(height).and_then(|slice| slice.checked_mul(depth));
    match needed.is_some_and(|needed| needed <= bytes as u64) {
        true => Ok(()),
        false => Err(super::failed("cuMemcpy3DAsync", "the buffer is too small")),
    }
}

/// Returns the driver's description of an image; `None` if it should have an array and has none.
fn resource(image: &Image, array: Option<Array>) -> Option<sys::CUDA_RESOURCE_DESC> {
    use sys::CUresourcetype_enum as Kind;
    // SAFETY: a union may hold any bytes; the other members are an enumeration that has the number zero, and an
    // integer.
    let mut made: sys::CUDA_RESOURCE_DESC = unsafe { MaybeUninit::zeroed().assume_init() };
    let (format, channels) = (format(image.format), image.format.channels.into());
    match image.memory {
        ImageMemory::Array => {
            made.resType = Kind::CU_RESOURCE_TYPE_ARRAY;
            made.res.array = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: array?.0 };
        }
        ImageMemory::Linear => {
            made.resType = Kind::CU_RESOURCE_TYPE_LINEAR;
            made.res.linear = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
                devPtr: image.address,
                format,
                numChannels: channels,
                sizeInBytes: size(image.extents[0] * image.format.bytes()),
            };
        }
        ImageMemory::Pitched => {
            made.resType = Kind::CU_RESOURCE_TYPE_PITCH2D;
            made.res.pitch2D = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
                devPtr: image.address,
                format,
                numChannels: channels,
                width: size(image.extents[0]),
                height: size(image.extents[1]),
                pitchInBytes: size(image.pitch),
            };
        }
    }
    Some(made)
}

/// Returns the driver's description of how a texture is read.
fn texture(sampling: &Sampling, format: TexelFormat) -> sys::CUDA_TEXTURE_DESC {
    use sys::CUaddress_mode_enum as Mode;
    use sys::CUfilter_mode_enum as Filter;
    let mode = |mode| match mode {
        AddressMode::Wrap => Mode::CU_TR_ADDRESS_MODE_WRAP,
        AddressMode::Clamp => Mode::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Mirror => Mode::CU_TR_ADDRESS_MODE_MIRROR,
        AddressMode::Border => Mode::CU_TR_ADDRESS_MODE_BORDER,
    };
    let integers = if sampling.returns_floats(format) { 0 } else { READ_AS_INTEGER };
    let normalised = if sampling.normalised_coordinates { NORMALISED_COORDINATES } else { 0 };
    sys::CUDA_TEXTURE_DESC {
        addressMode: sampling.address_modes.map(mode),
        filterMode: match sampling.linear {
            true => Filter::CU_TR_FILTER_MODE_LINEAR,
            false => Filter::CU_TR_FILTER_MODE_POINT,
        },
        flags: integers | normalised,
        maxAnisotropy: 0,
        mipmapFilterMode: Filter::CU_TR_FILTER_MODE_POINT,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        borderColor: sampling.border,
        reserved: [0; 12],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::ImageShape;

    const BYTES: TexelFormat = TexelFormat { kind: ChannelKind::Unsigned, channel_bytes: 1, channels: 4 };

    #[test]
    fn images_are_described_to_the_driver() {
        let array = Image::of_array(ImageShape::TwoD, BYTES, 512, [8, 4, 1]);
        assert!(resource(&array, None).is_none());
        let made = resource(&array, Some(Array(ptr::null_mut()))).unwrap();
        assert_eq!(made.resType, sys::CUresourcetype_enum::CU_RESOURCE_TYPE_ARRAY);
        let rows = Image { memory: ImageMemory::Pitched, pitch: 64, ..array };
        let made = resource(&rows, None).unwrap();
        // SAFETY: this member was written.
        let pitched = unsafe { made.res.pitch2D };
        assert_eq!((pitched.devPtr, pitched.width, pitched.height, pitched.pitchInBytes), (512, 8, 4, 64));
        assert_eq!(
            (pitched.format, pitched.numChannels),
            (sys::CUarray_format_enum::CU_AD_FORMAT_UNSIGNED_INT8, 4)
        );
        let linear =
            Image { memory: ImageMemory::Linear, shape: ImageShape::OneD, extents: [10, 1, 1], ..array };
        let made = resource(&linear, None).unwrap();
        // SAFETY: this member was written.
        assert_eq!(unsafe { made.res.linear.sizeInBytes }, 40);
    }

    #[test]
    fn integers_are_read_as_such_unless_they_are_normalised() {
        let sampling = |normalised_values| Sampling {
            address_modes: [AddressMode::Clamp; 3],
            linear: false,
            normalised_coordinates: true,
            normalised_values,
            border: [0.0; 4],
        };
        let flags = |normalised, format| texture(&sampling(normalised), format).flags;
        assert_eq!(flags(false, BYTES), READ_AS_INTEGER | NORMALISED_COORDINATES);
        assert_eq!(flags(true, BYTES), NORMALISED_COORDINATES);
        assert_eq!(flags(true, TexelFormat { channel_bytes: 4, ..BYTES }), 3);
        assert_eq!(flags(false, TexelFormat { kind: ChannelKind::Float, channel_bytes: 4, channels: 1 }), 2);
    }

    #[test]
    fn a_box_goes_between_an_array_and_memory() {
        let memory = BoxSide::Memory { address: 4096, pitch: 32, rows: 5 };
        let array = BoxSide::Array { array: Array(ptr::null_mut()), at: [1, 2, 3] };
        let copy = copy_of_box((&array).into(), (&memory).into(), [16, 4, 2]);
        assert_eq!(copy.srcMemoryType, sys::CUmemorytype::CU_MEMORYTYPE_UNIFIED);
        assert_eq!([copy.WidthInBytes, copy.Height, copy.Depth], [16, 4, 2]);
        assert_eq!((copy.srcDevice, copy.srcPitch, copy.srcHeight), (4096, 32, 5));
        assert_eq!([copy.dstXInBytes, copy.dstY, copy.dstZ], [1, 2, 3]);
        assert_eq!(copy.dstMemoryType, sys::CUmemorytype::CU_MEMORYTYPE_ARRAY);
        let mut bytes = [0u8; 128];
        let host = Side::host(bytes.as_mut_ptr().cast(), [16, 4, 2]);
        let copy = copy_of_box((&array).into(), host, [16, 4, 2]);
        assert_eq!(copy.srcMemoryType, sys::CUmemorytype::CU_MEMORYTYPE_HOST);
        assert_eq!((copy.srcHost, copy.srcPitch, copy.srcHeight), (bytes.as_ptr().cast(), 16, 4));
        assert!(check_room(128, [16, 4, 2]).is_ok() && check_room(127, [16, 4, 2]).is_err());
    }
}
