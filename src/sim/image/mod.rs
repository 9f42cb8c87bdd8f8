//! Texture objects and surface objects: what they describe, and which value a texture fetch returns (`sample`).
//! Pure functions; the engine performs the memory accesses.
//!
//! A CUDA array is memory of its own, whose texels lie in rows, one after the other; on a GPU their order is another,
//! which no program can observe.

mod sample;

pub use sample::{Taps, filtered, values};

/// How many coordinates an image has, and whether it has layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ImageShape {
    OneD,
    TwoD,
    ThreeD,
    LayeredOneD,
    LayeredTwoD,
}

impl ImageShape {
    /// Returns the number of coordinates, without that of a layer.
    pub fn dimensions(self) -> usize {
        match self {
            ImageShape::OneD | ImageShape::LayeredOneD => 1,
            ImageShape::TwoD | ImageShape::LayeredTwoD => 2,
            ImageShape::ThreeD => 3,
        }
    }

    pub fn is_layered(self) -> bool {
        matches!(self, ImageShape::LayeredOneD | ImageShape::LayeredTwoD)
    }

    /// Returns the shape that PTX calls `1d`, `a2d` and so on.
    pub(crate) fn named(name: &str) -> Option<ImageShape> {
        Some(match name {
            "1d" => ImageShape::OneD,
            "2d" => ImageShape::TwoD,
            "3d" => ImageShape::ThreeD,
            "a1d" => ImageShape::LayeredOneD,
            "a2d" => ImageShape::LayeredTwoD,
            _ => return None,
        })
    }
}

/// What the bits of a channel mean (`cudaChannelFormatKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ChannelKind {
    Signed,
    Unsigned,
    Float,
}

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelFormat {
    pub kind: ChannelKind,
    /// Bytes of a channel: 1, 2 or 4.
    pub channel_bytes: u8,
    /// Number of channels: 1, 2 or 4.
    pub channels: u8,
}

impl TexelFormat {
    /// Returns the bytes of a texel: a power of two up to 16.
    pub fn bytes(self) -> u64 {
        u64::from(self.channel_bytes) * u64::from(self.channels)
    }
}

/// Multiple at which each row of a CUDA array begins, in bytes: that of the widest access of a surface.
const ROW_ALIGN_BYTES: u64 = 16;

/// The memory of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ImageMemory {
    /// Memory of the program, one row.
    Linear,
    /// Memory of the program, rows at a pitch.
    Pitched,
    /// A CUDA array.
    Array,
}

/// An image: where its texels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    pub memory: ImageMemory,
    pub shape: ImageShape,
    pub format: TexelFormat,
    /// Address of the first texel.
    pub address: u64,
    /// Width in texels, height, and depth or number of layers; 1 where there is no such dimension.
    pub extents: [u64; 3],
    /// Bytes from one row to the next.
    pub pitch: u64,
}

impl Image {
    /// Returns the image that fills a CUDA array.
    pub fn of_array(shape: ImageShape, format: TexelFormat, address: u64, extents: [u64; 3]) -> Image {
        let pitch = (extents[0] * format.bytes()).next_multiple_of(ROW_ALIGN_BYTES);
        Image { memory: ImageMemory::Array, shape, format, address, extents, pitch }
    }

    /// Returns the bytes of the memory.
    pub fn bytes(&self) -> u64 {
        self.pitch * self.extents[1] * self.extents[2]
    }

    /// Returns the address of a texel within the extents.
    pub fn address_of(&self, [x, y, z]: [u64; 3]) -> u64 {
        self.address + (z * self.extents[1] + y) * self.pitch + x * self.format.bytes()
    }
}

/// What a coordinate outside of the image means (`cudaTextureAddressMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// How a texture object is read (`cudaTextureDesc`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    pub address_modes: [AddressMode; 3],
    /// Interpolates between texels instead of reading the nearest one.
    pub linear: bool,
    /// Coordinates are from 0 to 1.
    pub normalised_coordinates: bool,
    /// Integers of 8 and 16 bits become floats from 0 to 1, or from -1 to 1.
    pub normalised_values: bool,
    /// The value of each channel outside of the image, with [`AddressMode::Border`].
    pub border: [f32; 4],
}

impl Sampling {
    /// Returns whether fetches return floats.
    pub fn returns_floats(&self, format: TexelFormat) -> bool {
        format.kind == ChannelKind::Float || self.normalised_values && format.channel_bytes < 4
    }
}

/// A texture object, or a surface object if it has no sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageObject {
    pub image: Image,
    pub sampling: Option<Sampling>,
}

/// What an access makes of a surface coordinate outside of the surface (`cudaSurfaceBoundaryMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// The kernel ends.
    Trap,
    /// The nearest place of the surface is meant.
    Clamp,
    /// Reads return zero, and writes do nothing.
    Zero,
}

/// Why an access by a texture or surface object does not do what the program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ImageMisuse {
    /// The handle is not that of an object.
    NoObject,
    /// The object was destroyed before the launch.
    Destroyed,
    /// A surface object is given to a texture function, or the other way round.
    IsSurface,
    IsTexture,
    /// The function is for images of another shape.
    Shape {
        access: ImageShape,
        image: ImageShape,
    },
    /// `tex1Dfetch()` of a CUDA array, or another function for textures of linear memory.
    NotLinear,
    IsLinear,
    /// Floats are read from a texture that returns integers, or the other way round.
    ReadsFloats,
    ReadsIntegers,
    /// Channel number `read`, counted from 0, is used of texels that have fewer.
    Channel {
        read: u8,
        channels: u8,
    },
}

/// The texture and surface objects of a machine, by handle.
#[derive(Debug, Default)]
pub struct ImageObjects(Vec<ImageObject>);

impl ImageObjects {
    /// Adds an object and returns its handle, which no other object ever has.
    pub fn add(&mut self, object: ImageObject) -> u64 {
        self.0.push(object);
        self.0.len() as u64
    }

    pub fn get(&self, handle: u64) -> Option<&ImageObject> {
        self.0.get(usize::try_from(handle.checked_sub(1)?).ok()?)
    }
}
