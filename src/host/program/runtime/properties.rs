//! The attributes of a GPU by number, and the `cudaDeviceProp` built from them.

use crate::device::model::Properties;
use crate::program::call::Plain;
use sim::{ImageShape, Multiprocessor};

/// Largest extents of textures and surfaces from compute capability 7.5 on (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
const WIDTH_1D: i32 = 131_072;
const HEIGHT_2D: i32 = 65_536;
const SIDE_3D: i32 = 16_384;
const SIDE: i32 = 32_768;
const LAYERS: i32 = 2_048;
const CUBEMAP_LAYERS: i32 = 2_046;
const LINEAR_1D: i32 = 1 << 28;
const LINEAR_2D: [i32; 3] = [131_072, 65_000, 2_097_120];
const BLOCK_SHARED_BYTES: i32 = 48 << 10;

/// Most texels of a texture of linear memory.
pub const MOST_LINEAR_TEXELS: u64 = LINEAR_1D as u64;

/// Returns the most texels, rows, and slices or layers of a CUDA array.
pub fn most_texels(shape: ImageShape) -> [u64; 3] {
    let most = match shape {
        ImageShape::OneD => [WIDTH_1D, 1, 1],
        ImageShape::TwoD => [WIDTH_1D, HEIGHT_2D, 1],
        ImageShape::ThreeD => [SIDE_3D; 3],
        ImageShape::LayeredOneD => [SIDE, 1, LAYERS],
        ImageShape::LayeredTwoD => [SIDE, SIDE, LAYERS],
    };
    most.map(|most| most as u64)
}

/// Attributes of what these GPUs do not have, such as a run-time limit; the compute mode "default"; and, from 92 to 94,
/// what CUDA has removed.
const LACKING: [i32; 26] = [
    17, 18, 20, 35, 84, 92, 93, 94, 96, 98, 100, 101, 113, 116, 117, 118, 119, 125, 130, 133, 135, 138, 139,
    140, 142, 143,
];

/// Returns the attribute `cudaDevAttr…` with a number (`driver_types.h`, `enum cudaDeviceAttr`) of the GPU
/// with an ordinal; `None` if there is no such attribute.
pub fn attribute(gpu: &Properties, number: i32, ordinal: u32) -> Option<i32> {
    let sm = Multiprocessor::of(gpu.major, gpu.minor).or(Multiprocessor::of(8, 0))?;
    let clamp = |n: u64| n.min(i32::MAX as u64) as i32;
    let since = |major: u32| i32::from(gpu.major >= major);
    Some(match number {
        // Threads a block, and block and grid in x, y, z.
        1..=3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65_535,
        8 => BLOCK_SHARED_BYTES,
        9 => clamp(gpu.constant_bytes),
        // The size of a warp; the alignment of a texture's rows, and of textures and surfaces.
        10 | 51 => 32,
        14 | 30 => 512,
        11 => i32::MAX,
        12 | 82 => clamp(sm.registers.into()),
        13 => clamp(gpu.clock_khz.into()),
        15 => i32::from(gpu.copy_engines > 0),
        16 => clamp(gpu.multiprocessors.into()),
        _ if LACKING.contains(&number) => 0,
        // What these GPUs have, such as mapped host memory, concurrent kernels, and caching of loads in L1.
        19 | 31 | 41 | 79 | 80 | 83 | 90 | 91 | 99 | 112 | 114 | 121 => 1,
        // Textures and surfaces.
        21 | 22 | 56 => WIDTH_1D,
        23 | 57 => HEIGHT_2D,
        24..=26 | 58..=60 => SIDE_3D,
        47 | 48 => SIDE_3D / 2,
        27 | 28 | 42 | 45 | 46 | 49 | 52 | 53 | 55 | 61 | 63 | 64 | 66 | 67 | 73 | 74 | 77 => SIDE,
        29 | 43 | 62 | 65 => LAYERS,
        54 | 68 => CUBEMAP_LAYERS,
        69 => LINEAR_1D,
        70..=72 => LINEAR_2D[number as usize - 70],
        32 => i32::from(gpu.ecc),
        // PCI bus, device, domain.
        33 => clamp(gpu.pci_bus.into()),
        34 => clamp(gpu.pci_device.into()),
        50 => clamp(gpu.pci_domain.into()),
        36 => clamp(gpu.memory_clock_khz.into()),
        37 => clamp(gpu.memory_bus_bits.into()),
        38 => clamp(gpu.l2_bytes),
        39 => clamp((sm.warps * 32).into()),
        40 => clamp(gpu.copy_engines.into()),
        75 => clamp(gpu.major.into()),
        76 => clamp(gpu.minor.into()),
        78 => i32::from(gpu.stream_priorities),
        81 => clamp(sm.shared_bytes.into()),
        85 => clamp(ordinal.into()),
        86 => i32::from(gpu.host_native_atomics),
        87 => clamp(gpu.single_to_double_ratio.into()),
        88 => i32::from(gpu.pageable_memory_access),
        89 => i32::from(gpu.concurrent_managed_access),
        95 => i32::from(gpu.cooperative_launch),
        97 => clamp(sm.shared_bytes_per_block.into()),
        106 => clamp(sm.blocks.into()),
        108 => clamp(gpu.persisting_l2_bytes),
        109 => since(8) * (128 << 20),
        111 => clamp(sm.shared_reserved_bytes.into()),
        115 => i32::from(gpu.memory_pools),
        120 => since(9),
        126 => 1 + 3 * since(9),
        131 | 134 => -1,
        _ => return None,
    })
}

/// Attributes that CUDA 13 has removed from the structure: clocks, overlap, the run-time limit, the compute
/// mode, linear textures, the ratio of single to double precision throughput, and launches on several
/// devices.
const GONE_IN_13: [i32; 8] = [13, 15, 17, 20, 69, 36, 87, 96];

/// The attributes that are a `size_t` in the structure; the others are an `int`.
const SIZES: [i32; 9] = [8, 11, 9, 14, 51, 30, 81, 97, 111];

/// The structure's members after the size of the memory, as numbers of attributes.
const MEMBERS: [i32; 111] = [
    8, 12, 10, 11, 1, 2, 3, 4, 5, 6, 7, 13, 9, 75, 76, 14, 51, 15, 16, 17, 18, 19, 20,
    // Textures in one, two and three dimensions, cubemaps, layers.
    21, 77, 69, 22, 23, 73, 74, 70, 71, 72, 45, 46, 24, 25, 26, 47, 48, 49, 52, 42, 43, 27, 28, 29, 53, 54,
    // Surfaces.
    55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 30, 31, 32, 33, 34, 50, 35, 40, 41, 36, 37, 38,
    108, 39, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 95, 96, 97, 100, 101, 106, 109, 111, 99,
    112, 113, 114, 115, 116, 117, 118, 119, 121, 125, 120,
];

/// Returns the bytes of `struct cudaDeviceProp` for the GPU with an ordinal, in the layout of a CUDA release
/// (its major number). Members that 13 adds to 12 occupy reserved words of 12.
pub fn structure(gpu: &Properties, ordinal: u32, release: u32) -> Vec<u8> {
    /// Sizes in bytes: of `name`, of `uuid`, `luid` and its mask, and of what follows the attributes: unified function
    /// pointers and reserved words.
    const NAME: usize = 256;
    const IDS: usize = 16 + 8 + 4;
    const REST: usize = 4 + 63 * 4;
    let mut out = gpu.name.bytes().take(NAME - 1).collect::<Vec<u8>>();
    out.resize(NAME + IDS, 0);
    let mut put = |value: Vec<u8>| {
        out.resize(out.len().next_multiple_of(value.len()), 0);
        out.extend(value);
    };
    put(gpu.memory_bytes.encode());
    for number in MEMBERS {
        let value = attribute(gpu, number, ordinal).unwrap_or(0);
        if SIZES.contains(&number) {
            put(u64::try_from(value).unwrap_or(0).encode());
        } else if release < 13 || !GONE_IN_13.contains(&number) {
            put(value.encode());
        }
    }
    out.resize((out.len() + REST).next_multiple_of(8), 0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::model::Model;

    #[test]
    fn the_structure_has_the_size_and_places_of_cuda_12() {
        let mut gpu = Model::named("a100").unwrap().properties;
        (gpu.memory_bytes, gpu.memory_clock_khz) = (40 << 30, 1_215_000);
        let bytes = structure(&gpu, 0, 12);
        assert_eq!(bytes.len(), 1032);
        let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let size = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!(size(288), 40 << 30);
        assert_eq!([int(360), int(364), int(388)], [8, 0, 108]);
        // L2, opt-in and reserved shared memory, blocks, clusters.
        assert_eq!(int(616), 40 << 20);
        assert_eq!([size(696), size(720)], [163 << 10, 1 << 10]);
        assert_eq!([int(608), int(712), int(772)], [1_215_000, 32, 0]);
        let bytes = structure(&gpu, 0, 13);
        let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        // After the constant memory 8.0; the number of multiprocessors after two alignments.
        assert_eq!([int(360), int(364), int(384)], [8, 0, 108]);
        for attribute in 1..200 {
            super::attribute(&gpu, attribute, 3);
        }
        assert_eq!(attribute(&gpu, 0, 0), None);
    }
}
