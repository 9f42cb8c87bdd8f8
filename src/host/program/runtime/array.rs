//! CUDA arrays: memory of texels, which programs know by a handle only.

use super::allocations::Kind;
use super::memory::Extent;
use super::properties;
use crate::device::{CudaError, Failure, Result, fail_if};
use crate::program::call::{Argument, Call, Plain, calls};
use sim::{ChannelKind, HandleKind, Image, ImageShape, TexelFormat};
use std::collections::BTreeMap;

/// Handles are addresses at which no memory is.
const FIRST_HANDLE: u64 = 0x3600_0000_0000;

/// `cudaArrayLayered`, `cudaArraySurfaceLoadStore`, `cudaArrayTextureGather`.
const LAYERED: u32 = 1;
const SURFACE: u32 = 2;
const GATHER: u32 = 8;

/// `struct cudaChannelFormatDesc`: the bits of each channel, and a `cudaChannelFormatKind`.
#[derive(Clone, Copy, Debug)]
pub struct ChannelFormat {
    bits: [i32; 4],
    kind: i32,
}

impl Argument for ChannelFormat {
    fn decode(bytes: &[u8]) -> Option<ChannelFormat> {
        let mut words = bytes.chunks_exact(4).map(i32::decode);
        let mut next = || words.next().flatten();
        Some(ChannelFormat { bits: [next()?, next()?, next()?, next()?], kind: next()? })
    }
}

impl Plain for ChannelFormat {
    fn encode(&self) -> Vec<u8> {
        self.bits.iter().chain([&self.kind]).flat_map(Plain::encode).collect()
    }
}

impl ChannelFormat {
    /// Returns the format of a texel.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidChannelDescriptor`: not 1, 2 or 4 channels of equally many bits, or bits that no number has.
    pub fn texel(&self) -> Result<TexelFormat> {
        let refused = CudaError::InvalidChannelDescriptor;
        let channels = self.bits.iter().take_while(|bits| **bits != 0).count() as u8;
        let alike = self.bits.iter().take(channels.into()).all(|bits| *bits == self.bits[0]);
        let rest_is_empty = self.bits.iter().skip(channels.into()).all(|bits| *bits == 0);
        if !matches!(channels, 1 | 2 | 4) || !alike || !rest_is_empty {
            return Err(refused.into());
        }
        let (kind, channel_bytes) = match (self.kind, self.bits[0]) {
            (0, bits @ (8 | 16 | 32)) => (ChannelKind::Signed, bits / 8),
            (1, bits @ (8 | 16 | 32)) => (ChannelKind::Unsigned, bits / 8),
            (2, bits @ (16 | 32)) => (ChannelKind::Float, bits / 8),
            (0..=2, _) => return Err(refused.into()),
            _ => return Err(Failure::unsupported("a channel format other than signed, unsigned and float")),
        };
        Ok(TexelFormat { kind, channel_bytes: channel_bytes as u8, channels })
    }
}

/// A CUDA array, live or freed: its memory is an allocation.
#[derive(Clone, Copy, Debug)]
pub struct CudaArray {
    pub image: Image,
    /// As it was asked for: dimensions that it does not have are 0.
    extent: Extent,
    format: ChannelFormat,
    flags: u32,
}

impl CudaArray {
    pub fn allows_surfaces(&self) -> bool {
        self.flags & SURFACE != 0
    }
}

/// All arrays by handle, with those that were freed.
#[derive(Debug, Default)]
pub struct Arrays(BTreeMap<u64, CudaArray>);

impl Arrays {
    /// Returns the address that stands for the memory of a handle's array.
    pub fn address_of(&self, handle: u64) -> Option<u64> {
        self.0.get(&handle).map(|array| array.image.address)
    }
}

/// Returns the shape of an array, and its width in texels, height, and depth or number of layers.
fn layout(extent: Extent, layered: bool) -> (ImageShape, [u64; 3]) {
    let Extent { width, height, depth } = extent;
    let shape = match (layered, height, depth) {
        (true, 0, _) => ImageShape::LayeredOneD,
        (true, ..) => ImageShape::LayeredTwoD,
        (_, 0, 0) => ImageShape::OneD,
        (_, _, 0) => ImageShape::TwoD,
        _ => ImageShape::ThreeD,
    };
    (shape, [width, height.max(1), depth.max(1)])
}

impl Call<'_> {
    /// Returns the array of a handle. It may have been freed.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidResourceHandle`: no array has this handle.
    pub fn array(&mut self, handle: u64) -> Result<CudaArray> {
        match self.runtime.arrays.0.get(&handle) {
            Some(array) => Ok(*array),
            None => Err(self.refuse_handle((HandleKind::Array, None))),
        }
    }

    fn make_array(&mut self, pointer: u64, format: u64, extent: Extent, flags: u32) -> Result<()> {
        fail_if(
            pointer == 0
                || extent.width == 0
                || extent.height == 0 && extent.depth != 0 && flags & LAYERED == 0,
            CudaError::InvalidValue,
        )?;
        if flags & !(LAYERED | SURFACE | GATHER) != 0 {
            return Err(Failure::unsupported("CUDA arrays other than plain, layered and for surfaces"));
        }
        let format: ChannelFormat = self.get(format)?;
        let texel = format.texel()?;
        let (shape, extents) = layout(extent, flags & LAYERED != 0);
        let most = properties::most_texels(shape);
        fail_if(extents.iter().zip(most).any(|(extent, most)| *extent > most), CudaError::InvalidValue)?;
        let device = self.runtime.current;
        let mut image = Image::of_array(shape, texel, 0, extents);
        let name = self.named(0).unwrap_or_else(|| "array".into());
        let allocated = self.gpus.allocate_array(device, &image, flags, &name, &self.site);
        let bytes = image.bytes();
        image.address = self.allocated(allocated, Kind::Array(device), bytes, name)?;
        let handle = FIRST_HANDLE + super::handles::STEP * self.runtime.arrays.0.len() as u64;
        self.runtime.arrays.0.insert(handle, CudaArray { image, extent, format, flags });
        self.put(pointer, handle)
    }
}

calls! {
    /// Allocates an array of one or two dimensions.
    [Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cudaMallocArray(call, pointer: u64, format: u64, width: u64, height: u64, flags: u32) {
        fail_if(flags & LAYERED != 0, CudaError::InvalidValue)?;
        call.make_array(pointer, format, Extent { width, height, depth: 0 }, flags)
    }

    /// Allocates an array of up to three dimensions, or with layers.
    [Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cudaMalloc3DArray(call, pointer: u64, format: u64, extent: Extent, flags: u32) {
        call.make_array(pointer, format, extent, flags)
    }

    /// Frees an array, after all work of the device.
    [Purpose(Frees), UnsafeInCapture]
    fn cudaFreeArray(call, handle: u64) {
        if handle == 0 {
            return Ok(());
        }
        let address = call.array(handle)?.image.address;
        call.synchronise_and_free(address, |kind| matches!(kind, Kind::Array(_)))
    }

    /// Returns the format, the size and the flags of an array.
    fn cudaArrayGetInfo(call, format: u64, extent: u64, flags: u64, handle: u64) {
        let array = call.array(handle)?;
        call.put_if_wanted(format, array.format)?;
        call.put_if_wanted(extent, array.extent)?;
        call.put_if_wanted(flags, array.flags)
    }

    /// Returns the format of an array.
    fn cudaGetChannelDesc(call, format: u64, handle: u64) {
        let array = call.array(handle)?;
        call.put(format, array.format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_one_two_or_four_of_a_size() {
        let texel =
            |bits, kind| ChannelFormat { bits, kind }.texel().ok().map(|its| (its.channels, its.bytes()));
        assert_eq!(texel([8, 0, 0, 0], 1), Some((1, 1)));
        assert_eq!(texel([32; 4], 2), Some((4, 16)));
        assert_eq!(texel([16, 16, 0, 0], 2), Some((2, 4)));
        for (bits, kind) in [([32, 32, 32, 0], 2), ([8, 0, 8, 0], 0), ([8, 16, 0, 0], 0), ([8, 0, 0, 0], 2)] {
            assert_eq!(texel(bits, kind), None);
        }
        let bytes: Vec<u8> = [8, 8, 0, 0, 1].into_iter().flat_map(i32::to_le_bytes).collect();
        assert_eq!(ChannelFormat::decode(&bytes).unwrap().encode(), bytes);
        assert!(ChannelFormat::decode(&bytes[1..]).is_none());
    }

    #[test]
    fn dimensions_that_are_zero_are_none() {
        let extent = |width, height, depth| Extent { width, height, depth };
        assert_eq!(layout(extent(4, 0, 0), false), (ImageShape::OneD, [4, 1, 1]));
        assert_eq!(layout(extent(4, 5, 0), false), (ImageShape::TwoD, [4, 5, 1]));
        assert_eq!(layout(extent(4, 5, 6), false), (ImageShape::ThreeD, [4, 5, 6]));
        assert_eq!(layout(extent(4, 0, 6), true), (ImageShape::LayeredOneD, [4, 1, 6]));
        assert_eq!(layout(extent(4, 5, 6), true), (ImageShape::LayeredTwoD, [4, 5, 6]));
    }
}
