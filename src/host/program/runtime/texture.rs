//! Texture objects and surface objects.

use super::array::ChannelFormat;
use super::handles::Handles;
use crate::device::{CudaError, DeviceId, Failure, Result, Site, fail_if};
use crate::program::call::{Argument, Call, calls, long, word};
use sim::{Act, AddressMode, HandleKind, Image, ImageMemory, ImageObject, ImageShape, Sampling};

/// Sizes in bytes of `struct cudaResourceDesc` and `struct cudaTextureDesc`.
const RESOURCE_BYTES: usize = 64;
const TEXTURE_BYTES: usize = 72;

/// Multiples in bytes that a texture's memory begins at, and that its rows are apart (`textureAlignment`,
/// `texturePitchAlignment`).
const ALIGN_BYTES: u64 = 512;
const PITCH_ALIGN_BYTES: u64 = 32;

/// A texture or surface object: its device, and the structures that it was created from.
#[derive(Debug)]
pub struct Object {
    device: DeviceId,
    resource: Vec<u8>,
    texture: Vec<u8>,
}

/// The objects by handle, which is the GPU's.
#[derive(Debug)]
pub struct Objects {
    pub(super) textures: Handles<Object>,
    pub(super) surfaces: Handles<Object>,
}

impl Default for Objects {
    fn default() -> Objects {
        Objects {
            textures: Handles::new(HandleKind::TextureObject, 0),
            surfaces: Handles::new(HandleKind::SurfaceObject, 0),
        }
    }
}

impl Objects {
    /// Destroys all objects of a device with its context.
    pub fn end_all(&mut self, device: DeviceId, site: &Site) {
        for objects in [&mut self.textures, &mut self.surfaces] {
            objects.destroy_all(|its| its.device == device, site);
        }
    }
}

/// Decodes a `struct cudaTextureDesc`.
fn sampling(bytes: &[u8], image: &Image) -> Result<Sampling> {
    let mode = |n: usize| {
        Ok(match word(bytes, 4 * n) {
            0 => AddressMode::Wrap,
            1 => AddressMode::Clamp,
            2 => AddressMode::Mirror,
            3 => AddressMode::Border,
            _ => return Err(Failure::Cuda(CudaError::InvalidValue)),
        })
    };
    let (filter, read) = (word(bytes, 12), word(bytes, 16));
    fail_if(filter > 1 || read > 1, CudaError::InvalidValue)?;
    if word(bytes, 20) != 0 {
        return Err(Failure::unsupported("textures of sRGB colours (cudaTextureDesc::sRGB)"));
    }
    if word(bytes, 44) > 1 {
        return Err(Failure::unsupported("anisotropic filtering (cudaTextureDesc::maxAnisotropy)"));
    }
    let sampling = Sampling {
        address_modes: [mode(0)?, mode(1)?, mode(2)?],
        // What is read by number of the texel is not filtered.
        linear: filter == 1 && image.memory != ImageMemory::Linear,
        normalised_coordinates: word(bytes, 40) != 0,
        normalised_values: read == 1,
        border: std::array::from_fn(|n| f32::from_bits(word(bytes, 24 + 4 * n))),
    };
    let returns_floats = sampling.returns_floats(image.format);
    fail_if(sampling.linear && !returns_floats, CudaError::InvalidFilterSetting)?;
    if !returns_floats && sampling.border.iter().any(|value| *value != 0.0) {
        return Err(Failure::unsupported("a border colour of integers (cudaTextureDesc::borderColor)"));
    }
    Ok(sampling)
}

impl Call<'_> {
    /// Decodes a `struct cudaResourceDesc`. Only arrays made for surfaces are accepted if `for_surface`.
    fn resource(&mut self, bytes: &[u8], for_surface: bool) -> Result<Image> {
        const ARRAY: u32 = 0;
        const MIPMAPPED: u32 = 1;
        const LINEAR: u32 = 2;
        const PITCHED: u32 = 3;
        let kind = word(bytes, 0);
        fail_if(for_surface && kind != ARRAY, CudaError::InvalidValue)?;
        let address = long(bytes, 8);
        let format = || {
            ChannelFormat::decode(bytes.get(16..36).unwrap_or_default())
                .ok_or(CudaError::InvalidValue)?
                .texel()
        };
        let refused: Result<Image> = Err(CudaError::InvalidValue.into());
        match kind {
            ARRAY => {
                let array = self.array(address)?;
                if self.runtime.allocations.around(array.image.address).is_some_and(|its| its.freed.is_some())
                {
                    self.check_given(array.image.address, 1)?;
                }
                if for_surface && !array.allows_surfaces() { refused } else { Ok(array.image) }
            }
            MIPMAPPED => Err(Failure::unsupported("textures of mipmapped arrays")),
            LINEAR => {
                let (format, bytes) = (format()?, long(bytes, 40));
                let texels = bytes / format.bytes();
                if !address.is_multiple_of(ALIGN_BYTES)
                    || texels == 0
                    || texels > super::properties::MOST_LINEAR_TEXELS
                {
                    return refused;
                }
                self.check_given(address, bytes)?;
                let (memory, shape, extents) = (ImageMemory::Linear, ImageShape::OneD, [texels, 1, 1]);
                Ok(Image { memory, shape, format, address, extents, pitch: bytes })
            }
            PITCHED => {
                let format = format()?;
                let [width, height, pitch] = [40, 48, 56].map(|at| long(bytes, at));
                let row_bytes = width.checked_mul(format.bytes()).ok_or(CudaError::InvalidValue)?;
                let aligned = address.is_multiple_of(ALIGN_BYTES) && pitch.is_multiple_of(PITCH_ALIGN_BYTES);
                if !aligned || width == 0 || height == 0 || row_bytes > pitch {
                    return refused;
                }
                let before = (height - 1).checked_mul(pitch).and_then(|rows| rows.checked_add(row_bytes));
                self.check_given(address, before.ok_or(CudaError::InvalidValue)?)?;
                let (memory, shape, extents) = (ImageMemory::Pitched, ImageShape::TwoD, [width, height, 1]);
                Ok(Image { memory, shape, format, address, extents, pitch })
            }
            _ => refused,
        }
    }

    /// Checks memory that an object is created of.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue` for memory that a GPU cannot use, that was freed, or that is too small; a finding for
    /// the first two.
    fn check_given(&mut self, address: u64, bytes: u64) -> Result<()> {
        let refused = Err(CudaError::InvalidValue.into());
        if address == 0 {
            return refused;
        }
        self.refuse_host_memory(address, usize::MAX)?;
        let Some(found) = self.runtime.allocations.around(address).cloned() else { return refused };
        if found.freed.is_some() {
            let site = self.site.clone();
            self.runtime.used_after_free(&found, Act::IsGiven { memory: found.name.clone() }, &site);
            return refused;
        }
        if found.end() - address < bytes { refused } else { Ok(()) }
    }

    fn texture(&mut self, handle: u64) -> Result<&mut Object> {
        self.live(|runtime| &mut runtime.objects.textures, handle)
    }

    fn surface(&mut self, handle: u64) -> Result<&mut Object> {
        self.live(|runtime| &mut runtime.objects.surfaces, handle)
    }
}

calls! {
    /// Creates a texture object.
    fn cudaCreateTextureObject(call, object: u64, resource: u64, texture: u64, view: u64) {
        fail_if(object == 0, CudaError::InvalidValue)?;
        if view != 0 {
            return Err(Failure::unsupported("a resource view (cudaResourceViewDesc)"));
        }
        let resource = call.structure(resource, RESOURCE_BYTES)?;
        let texture = call.structure(texture, TEXTURE_BYTES)?;
        let image = call.resource(&resource, false)?;
        let sampling = Some(sampling(&texture, &image)?);
        let device = call.runtime.current;
        let handle = call.gpus.create_image(device, &ImageObject { image, sampling })?;
        let name = call.named(0);
        call.runtime.objects.textures.insert(handle, Object { device, resource, texture });
        call.runtime.objects.textures.own(handle, &call.site, name);
        call.put(object, handle)
    }

    /// Destroys a texture object.
    fn cudaDestroyTextureObject(call, handle: u64) {
        let device = call.texture(handle)?.device;
        call.runtime.objects.textures.destroy(handle, &call.site);
        call.gpus.destroy_image(device, handle, true)
    }

    /// Returns what a texture object was created of.
    fn cudaGetTextureObjectResourceDesc(call, resource: u64, handle: u64) {
        let bytes = call.texture(handle)?.resource.clone();
        call.store(resource, &bytes)
    }

    /// Returns how a texture object is read.
    fn cudaGetTextureObjectTextureDesc(call, texture: u64, handle: u64) {
        let bytes = call.texture(handle)?.texture.clone();
        call.store(texture, &bytes)
    }

    /// Creates a surface object.
    fn cudaCreateSurfaceObject(call, object: u64, resource: u64) {
        fail_if(object == 0, CudaError::InvalidValue)?;
        let resource = call.structure(resource, RESOURCE_BYTES)?;
        let image = call.resource(&resource, true)?;
        let device = call.runtime.current;
        let handle = call.gpus.create_image(device, &ImageObject { image, sampling: None })?;
        let name = call.named(0);
        call.runtime.objects.surfaces.insert(handle, Object { device, resource, texture: Vec::new() });
        call.runtime.objects.surfaces.own(handle, &call.site, name);
        call.put(object, handle)
    }

    /// Destroys a surface object.
    fn cudaDestroySurfaceObject(call, handle: u64) {
        let device = call.surface(handle)?.device;
        call.runtime.objects.surfaces.destroy(handle, &call.site);
        call.gpus.destroy_image(device, handle, false)
    }

    /// Returns the most texels of a texture of linear memory, whatever their format.
    fn cudaDeviceGetTexture1DLinearMaxWidth(call, texels: u64, _format: u64, device: i32) {
        call.device(device)?;
        call.put(texels, super::properties::MOST_LINEAR_TEXELS)
    }

    /// Returns what a surface object was created of.
    fn cudaGetSurfaceObjectResourceDesc(call, resource: u64, handle: u64) {
        let bytes = call.surface(handle)?.resource.clone();
        call.store(resource, &bytes)
    }
}
