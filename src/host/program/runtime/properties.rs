//! The attributes of a GPU by number, and the `cudaDeviceProp` built from them.

use crate::device::model::Properties;
use crate::program::call::Plain;
use sim::Multiprocessor;

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
        10 => 32,
        11 => i32::MAX,
        12 | 82 => clamp(sm.registers.into()),
        13 => clamp(gpu.clock_khz.into()),
        14 => 512,
        15 => i32::from(gpu.copy_engines > 0),
        16 => clamp(gpu.multiprocessors.into()),
        // Run-time limit, integrated; mapped host memory; compute mode "default".
        17 | 18 | 20 => 0,
        19 => 1,
        21 => WIDTH_1D,
        22 => WIDTH_1D,
        23 => HEIGHT_2D,
        24..=26 => SIDE_3D,
        27 | 28 => SIDE,
        29 => LAYERS,
        30 => 512,
        31 => 1,
        32 => i32::from(gpu.ecc),
        // PCI bus, device, domain.
        33 => clamp(gpu.pci_bus.saturating_add(ordinal).into()),
        34 => clamp(gpu.pci_device.into()),
        50 => clamp(gpu.pci_domain.into()),
        35 => 0,
        36 => clamp(gpu.memory_clock_khz.into()),
        37 => clamp(gpu.memory_bus_bits.into()),
        38 => clamp(gpu.l2_bytes),
        39 => clamp((sm.warps * 32).into()),
        40 => clamp(gpu.copy_engines.into()),
        41 => 1,
        42 => SIDE,
        43 => LAYERS,
        45 | 46 => SIDE,
        47 | 48 => SIDE_3D / 2,
        49 => SIDE,
        51 => 32,
        52 | 53 => SIDE,
        54 => CUBEMAP_LAYERS,
        55 => SIDE,
        56 => WIDTH_1D,
        57 => HEIGHT_2D,
        58..=60 => SIDE_3D,
        61 => SIDE,
        62 => LAYERS,
        63 | 64 => SIDE,
        65 => LAYERS,
        66 | 67 => SIDE,
        68 => CUBEMAP_LAYERS,
        69 => LINEAR_1D,
        70..=72 => LINEAR_2D[number as usize - 70],
        73 | 74 | 77 => SIDE,
        75 => clamp(gpu.major.into()),
        76 => clamp(gpu.minor.into()),
        // Stream priorities, caching of global and local loads in L1.
        78 => i32::from(gpu.stream_priorities),
        79 | 80 => 1,
        81 => clamp(sm.shared_bytes.into()),
        83 => 1,
        84 => 0,
        85 => clamp(ordinal.into()),
        86 => i32::from(gpu.host_native_atomics),
        87 => clamp(gpu.single_to_double_ratio.into()),
        88 => i32::from(gpu.pageable_memory_access),
        89 => i32::from(gpu.concurrent_managed_access),
        90 => 1,
        91 => 1,
        // Attributes that CUDA has removed.
        92..=94 => 0,
        95 => i32::from(gpu.cooperative_launch),
        96 => 0,
        97 => clamp(sm.shared_bytes_per_block.into()),
        98 => 0,
        99 => 1,
        100 | 101 => 0,
        106 => clamp(sm.blocks.into()),
        108 => clamp(gpu.persisting_l2_bytes),
        109 => since(8) * (128 << 20),
        111 => clamp(sm.shared_reserved_bytes.into()),
        112 => 1,
        113 => 0,
        114 => 1,
        115 => i32::from(gpu.memory_pools),
        116 => 0,
        117..=119 => 0,
        120 => since(9),
        121 => 1,
        125 => 0,
        126 => {
            if gpu.major >= 9 {
                4
            } else {
                1
            }
        }
        130 => 0,
        131 | 134 => -1,
        133 | 135 | 138..=140 | 142 | 143 => 0,
        _ => return None,
    })
}

/// Attributes that CUDA 13 has removed from the structure: clocks, overlap, the run-time limit, the compute
/// mode, linear textures, the ratio of single to double precision throughput, and launches on several
/// devices.
const GONE_IN_13: [i32; 8] = [13, 15, 17, 20, 69, 36, 87, 96];

/// Returns the bytes of `struct cudaDeviceProp` for the GPU with an ordinal, in the layout of a CUDA release
/// (its major number). Members that 13 adds to 12 occupy reserved words of 12.
pub fn structure(gpu: &Properties, ordinal: u32, release: u32) -> Vec<u8> {
    use Field::*;
    /// Sizes in bytes of `name`, and of the reserved words at the end.
    const NAME: usize = 256;
    const RESERVED: usize = 63 * 4;
    enum Field {
        /// An `int` with the value of an attribute.
        A(i32),
        /// A `size_t` with the value of an attribute.
        S(i32),
        /// A `size_t` with this value.
        Bytes(u64),
        Zeros(usize),
    }
    let uuid_and_luid = [Zeros(16), Zeros(8), Zeros(4)];
    let fields = [
        Bytes(gpu.memory_bytes),
        S(8),
        A(12),
        A(10),
        S(11),
        A(1),
        A(2),
        A(3),
        A(4),
        A(5),
        A(6),
        A(7),
        A(13),
        S(9),
        A(75),
        A(76),
        S(14),
        S(51),
        A(15),
        A(16),
        A(17),
        A(18),
        A(19),
        A(20),
        // Textures in one, two and three dimensions, cubemaps, layers.
        A(21),
        A(77),
        A(69),
        A(22),
        A(23),
        A(73),
        A(74),
        A(70),
        A(71),
        A(72),
        A(45),
        A(46),
        A(24),
        A(25),
        A(26),
        A(47),
        A(48),
        A(49),
        A(52),
        A(42),
        A(43),
        A(27),
        A(28),
        A(29),
        A(53),
        A(54),
        // Surfaces.
        A(55),
        A(56),
        A(57),
        A(58),
        A(59),
        A(60),
        A(61),
        A(62),
        A(63),
        A(64),
        A(65),
        A(66),
        A(67),
        A(68),
        S(30),
        A(31),
        A(32),
        A(33),
        A(34),
        A(50),
        A(35),
        A(40),
        A(41),
        A(36),
        A(37),
        A(38),
        A(108),
        A(39),
        A(78),
        A(79),
        A(80),
        S(81),
        A(82),
        A(83),
        A(84),
        A(85),
        A(86),
        A(87),
        A(88),
        A(89),
        A(90),
        A(91),
        A(95),
        A(96),
        S(97),
        A(100),
        A(101),
        A(106),
        A(109),
        S(111),
        A(99),
        A(112),
        A(113),
        A(114),
        A(115),
        A(116),
        A(117),
        A(118),
        A(119),
        A(121),
        A(125),
        A(120),
        // Unified function pointers.
        Zeros(4),
        Zeros(RESERVED),
    ];
    let mut out = gpu.name.bytes().take(NAME - 1).collect::<Vec<u8>>();
    out.resize(NAME, 0);
    let mut put = |value: Vec<u8>| {
        out.resize(out.len().next_multiple_of(value.len().max(1)), 0);
        out.extend(value);
    };
    for field in uuid_and_luid.into_iter().chain(fields) {
        let value = |number| attribute(gpu, number, ordinal).unwrap_or(0);
        match field {
            A(number) if release >= 13 && GONE_IN_13.contains(&number) => {}
            A(number) => put(value(number).encode()),
            S(number) => put(u64::try_from(value(number)).unwrap_or(0).encode()),
            Bytes(bytes) => put(bytes.encode()),
            Zeros(bytes) => (0..bytes / 4).for_each(|_| put(0u32.encode())),
        }
    }
    out.resize(out.len().next_multiple_of(8), 0);
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
