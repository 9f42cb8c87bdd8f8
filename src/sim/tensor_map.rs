//! Tensor maps: the result of `cuTensorMapEncodeTiled` for a tensor's layout, and the bytes that a tensor copy
//! (`cp.async.bulk.tensor`) moves by it (CUDA driver API, "Tensor Map Object Management"; PTX ISA, "Tensors").
//! Pure functions; the engine performs the memory accesses.
//!
//! A box of the tensor is stored in shared memory row by row, 16 bytes ([`CHUNK_BYTES`]) at a time. Observed on an
//! H100, beyond the documentation:
//!
//! - The first coordinate must be a multiple of 16 bytes; otherwise the instruction is illegal.
//! - A swizzled row occupies the whole span of the swizzle, though the barrier counts only the box's bytes.
//! - The swizzle depends on the address in shared memory, not on the row.
//! - The fill value NaN is 0x7ff7 in every 16 bits.
//! - A store or reduction is cut off after the chunk in which the tensor's row ends, not after its last element,
//!   and may not begin before the tensor.

mod encoding;

use crate::matrix::Swizzle;
use std::ops::Range;

/// Most dimensions of a tensor.
pub const MAX_RANK: usize = 5;
/// Size of an encoded map in bytes.
pub const MAP_BYTES: usize = 128;
/// Alignment of an encoded map in bytes.
pub const MAP_ALIGN_BYTES: u64 = 64;
/// Size of a chunk, the unit of a box, in bytes; addresses, strides and rows of boxes are multiples of it.
pub const CHUNK_BYTES: u64 = 16;
/// Alignment of a box in shared memory, in bytes.
pub const BOX_ALIGN_BYTES: u64 = 128;

/// Limits of `cuTensorMapEncodeTiled`.
const MAX_EXTENT: u64 = 1 << 32;
const STRIDES_END: u64 = 1 << 40;
const MAX_BOX: u32 = 256;
const MAX_STEP: u32 = 8;

/// Two 16-bit NaNs, with which elements outside the tensor are filled.
const NAN_WORD: u32 = 0x7ff7_7ff7;

/// A `CUtensorMapDataType` that is copied without conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TensorType {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
}

/// The types by number, each with its name in PTX and its bytes.
const TYPES: [(TensorType, &str, u64); 10] = [
    (TensorType::U8, "u8", 1),
    (TensorType::U16, "u16", 2),
    (TensorType::U32, "u32", 4),
    (TensorType::S32, "s32", 4),
    (TensorType::U64, "u64", 8),
    (TensorType::S64, "s64", 8),
    (TensorType::F16, "f16", 2),
    (TensorType::F32, "f32", 4),
    (TensorType::F64, "f64", 8),
    (TensorType::Bf16, "bf16", 2),
];

impl TensorType {
    pub(crate) fn all() -> impl Iterator<Item = TensorType> {
        TYPES.into_iter().map(|(ty, ..)| ty)
    }

    fn numbered(number: u64) -> Option<TensorType> {
        TensorType::all().nth(number as usize)
    }

    pub fn bytes(self) -> u64 {
        TYPES[self as usize].2
    }

    /// Returns the name of the type in PTX.
    pub fn ptx(self) -> &'static str {
        TYPES[self as usize].1
    }

    pub fn is_float(self) -> bool {
        matches!(self, TensorType::F16 | TensorType::F32 | TensorType::F64 | TensorType::Bf16)
    }
}

/// The arguments of `cuTensorMapEncodeTiled`, with enumerations as the numbers in `cuda.h`. Of the arrays, the
/// first `rank` entries are used (one fewer of `strides`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorMapRequest {
    pub data_type: u32,
    pub rank: u32,
    pub address: u64,
    /// Number of elements in each dimension, the innermost first.
    pub extents: [u64; MAX_RANK],
    /// Strides in bytes, from the second dimension on.
    pub strides: [u64; MAX_RANK - 1],
    pub box_extents: [u32; MAX_RANK],
    pub steps: [u32; MAX_RANK],
    pub interleave: u32,
    pub swizzle: u32,
    pub promotion: u32,
    pub fill: u32,
}

/// Why a tensor map cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMapRefusal {
    /// `CUDA_ERROR_INVALID_VALUE`: a documented condition does not hold.
    Invalid(MapCondition),
    /// CUDA supports these, and the simulator does not.
    Interleaved,
    Rounding,
}

/// A condition of `cuTensorMapEncodeTiled`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MapCondition {
    /// The number is not in the enumeration.
    DataType,
    Interleave,
    Swizzle,
    Promotion,
    Fill,
    /// Not supported by GPUs of compute capability 9.0.
    NewerDataType,
    NewerSwizzle,
    /// The rank must be 1 to 5.
    Rank,
    /// `globalAddress` must be a multiple of 16.
    Address,
    /// Entries of `globalDim` must be 1 to 2^32.
    Extent,
    /// Entries of `globalStrides` must be multiples of 16, and less than 2^40.
    StrideMultiple,
    StrideTooLarge,
    /// Entries of `boxDim` must be 1 to 256.
    BoxExtent,
    /// Entries of `elementStrides` must be 1 to 8.
    Step,
    /// `boxDim[0]` elements must be a multiple of 16 bytes, and no more than the span of the swizzle.
    RowMultiple,
    RowBeyondSwizzle,
    /// Only floating-point elements can be filled with NaN.
    NanOfIntegers,
}

/// A tensor in global memory, and the shape of the box that a copy moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    pub ty: TensorType,
    pub rank: usize,
    address: u64,
    extents: [u64; MAX_RANK],
    /// Stride of each dimension, in bytes.
    strides: [u64; MAX_RANK],
    /// Number of elements of a box in each dimension.
    counts: [u64; MAX_RANK],
    /// Distance between copied elements in each dimension, in elements.
    steps: [u64; MAX_RANK],
    swizzle: Swizzle,
    nan: bool,
}

/// 16 bytes of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Offset from the beginning of the box in shared memory, before swizzling.
    pub shared: u64,
    /// `global`: the address in global memory; `inside`: how many of its bytes, from the first on, are within the
    /// tensor.
    pub global: u64,
    pub inside: u64,
}

impl Chunk {
    /// Returns whether a store writes it: as a whole, if any of it is within the tensor.
    pub fn is_stored(&self) -> bool {
        self.inside > 0
    }
}

impl TensorMap {
    /// Creates a tensor map.
    ///
    /// # Errors
    ///
    /// A condition documented in the driver API does not hold, or the request is not supported by the simulator.
    pub fn new(request: &TensorMapRequest) -> Result<TensorMap, TensorMapRefusal> {
        use MapCondition as Is;
        let must = |holds: bool, what| if holds { Ok(()) } else { Err(TensorMapRefusal::Invalid(what)) };
        let its = request;
        must(its.data_type <= 15, Is::DataType)?;
        must(its.interleave <= 2, Is::Interleave)?;
        must(its.swizzle <= 6, Is::Swizzle)?;
        must(its.promotion <= 3, Is::Promotion)?;
        must(its.fill <= 1, Is::Fill)?;
        must(its.swizzle <= 3, Is::NewerSwizzle)?;
        must(its.data_type <= 12, Is::NewerDataType)?;
        if its.interleave != 0 {
            return Err(TensorMapRefusal::Interleaved);
        }
        let Some(ty) = TensorType::numbered(its.data_type.into()) else {
            return Err(TensorMapRefusal::Rounding);
        };
        let rank = its.rank as usize;
        must((1..=MAX_RANK).contains(&rank), Is::Rank)?;
        must(its.address.is_multiple_of(CHUNK_BYTES), Is::Address)?;
        let mut map = TensorMap {
            ty,
            rank,
            address: its.address,
            extents: [1; MAX_RANK],
            strides: [0; MAX_RANK],
            counts: [1; MAX_RANK],
            steps: [1; MAX_RANK],
            swizzle: Swizzle::ALL[its.swizzle as usize],
            nan: its.fill == 1,
        };
        map.strides[0] = ty.bytes();
        for n in 0..rank {
            let (extent, boxed, step) = (its.extents[n], its.box_extents[n], its.steps[n]);
            must((1..=MAX_EXTENT).contains(&extent), Is::Extent)?;
            must((1..=MAX_BOX).contains(&boxed), Is::BoxExtent)?;
            must((1..=MAX_STEP).contains(&step), Is::Step)?;
            // The driver API: "the first element of this array is ignored".
            let step = if n == 0 { 1 } else { step };
            (map.extents[n], map.steps[n], map.counts[n]) =
                (extent, step.into(), u64::from(boxed.div_ceil(step)));
            if n > 0 {
                let stride = its.strides[n - 1];
                must(stride.is_multiple_of(CHUNK_BYTES), Is::StrideMultiple)?;
                must(stride < STRIDES_END, Is::StrideTooLarge)?;
                map.strides[n] = stride;
            }
        }
        let row = map.row_bytes();
        must(row.is_multiple_of(CHUNK_BYTES), Is::RowMultiple)?;
        must(map.swizzle == Swizzle::None || row <= map.swizzle.row_bytes(), Is::RowBeyondSwizzle)?;
        must(!map.nan || ty.is_float(), Is::NanOfIntegers)?;
        Ok(map)
    }

    /// Returns the bytes of a row of the box.
    fn row_bytes(&self) -> u64 {
        self.counts[0] * self.ty.bytes()
    }

    /// Returns the distance of rows in shared memory, in bytes.
    fn pitch(&self) -> u64 {
        self.row_bytes().max(self.swizzle.row_bytes())
    }

    fn rows(&self) -> u64 {
        self.counts[1..].iter().product()
    }

    /// Returns the bytes that a copy's mbarrier counts: those of the whole box, including those outside the
    /// tensor.
    pub fn box_bytes(&self) -> u64 {
        self.row_bytes() * self.rows()
    }

    /// Returns the swizzled address of a byte of shared memory.
    pub fn swizzled(&self, address: u64) -> u64 {
        self.swizzle.apply(address)
    }

    /// Returns the value of each word that is outside the tensor.
    pub fn fill(&self) -> u32 {
        if self.nan { NAN_WORD } else { 0 }
    }

    /// Returns whether a box can begin at these coordinates.
    pub fn may_begin(&self, at: [i32; MAX_RANK]) -> bool {
        (i64::from(at[0]) * self.ty.bytes() as i64) % CHUNK_BYTES as i64 == 0
    }

    /// Returns the chunks of the box whose first element has these coordinates.
    pub fn chunks(&self, at: [i32; MAX_RANK]) -> impl Iterator<Item = Chunk> + use<> {
        let map = *self;
        let row_chunks = map.row_bytes() / CHUNK_BYTES;
        (0..map.rows()).flat_map(move |row| {
            let (start, inside) = map.row(row, at);
            (0..row_chunks).map(move |n| {
                let within = (n * CHUNK_BYTES) as i64;
                let first = start.1 + within;
                let there = |byte: i64| byte.clamp(inside.start, inside.end);
                Chunk {
                    shared: row * map.pitch() + n * CHUNK_BYTES,
                    global: start.0.wrapping_add_signed(first),
                    // A chunk begins either within the row or outside it, but never straddles the row's start.
                    inside: (there(first + CHUNK_BYTES as i64) - there(first)) as u64,
                }
            })
        })
    }

    /// Returns, for row `number` of the box, the address of its row of the tensor, the byte offset from there at
    /// which the box begins, and the range of offsets that are within the tensor.
    fn row(&self, mut number: u64, at: [i32; MAX_RANK]) -> ((u64, i64), Range<i64>) {
        let (mut address, mut inside) = (self.address, true);
        for (n, at) in at.into_iter().enumerate().take(self.rank).skip(1) {
            let index = i64::from(at) + (number % self.counts[n] * self.steps[n]) as i64;
            number /= self.counts[n];
            inside &= (0..self.extents[n] as i64).contains(&index);
            address = address.wrapping_add(self.strides[n].wrapping_mul(index as u64));
        }
        let bytes = self.ty.bytes() as i64;
        let end = if inside { self.extents[0] as i64 * bytes } else { 0 };
        ((address, i64::from(at[0]) * bytes), 0..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    pub(super) fn request() -> TensorMapRequest {
        TensorMapRequest {
            data_type: 7,
            rank: 2,
            address: 0x1000,
            extents: [64, 32, 0, 0, 0],
            strides: [256, 0, 0, 0],
            box_extents: [16, 4, 0, 0, 0],
            steps: [1; MAX_RANK],
            ..TensorMapRequest::default()
        }
    }

    type Change = fn(&mut TensorMapRequest);

    /// Each result is that of the driver of an H100 (580.159, November 2026).
    #[test]
    fn conditions_are_the_drivers() {
        let accepted: &[Change] = &[
            |_| {},
            |r| r.extents[1] = 1 << 32,
            |r| r.strides[0] = 240,
            |r| r.strides[0] = 0,
            |r| r.box_extents[1] = 256,
            |r| (r.swizzle, r.box_extents[0]) = (3, 32),
            |r| r.steps[1] = 8,
            |r| r.fill = 1,
            |r| (r.rank, r.strides[0]) = (1, 3),
        ];
        for (n, change) in accepted.iter().enumerate() {
            let mut its = request();
            change(&mut its);
            assert!(TensorMap::new(&its).is_ok(), "{n}");
        }
        let refused: &[Change] = &[
            |r| r.rank = 0,
            |r| r.rank = 6,
            |r| r.address = 0x1008,
            |r| r.extents[0] = 0,
            |r| r.extents[1] = 0,
            |r| r.extents[1] = (1 << 32) + 1,
            |r| r.strides[0] = 264,
            |r| r.strides[0] = 1 << 40,
            |r| r.box_extents[0] = 0,
            |r| r.box_extents[1] = 257,
            |r| r.box_extents[0] = 2,
            |r| (r.swizzle, r.box_extents[0]) = (3, 36),
            |r| (r.swizzle, r.box_extents[0]) = (2, 20),
            |r| (r.swizzle, r.box_extents[0]) = (1, 12),
            |r| r.swizzle = 4,
            |r| r.swizzle = 7,
            |r| r.steps[0] = 0,
            |r| r.steps[1] = 0,
            |r| r.steps[1] = 9,
            |r| r.steps[0] = 9,
            |r| r.data_type = 13,
            |r| r.data_type = 16,
            |r| (r.data_type, r.fill) = (2, 1),
            |r| r.fill = 2,
            |r| r.promotion = 4,
        ];
        for (n, change) in refused.iter().enumerate() {
            let mut its = request();
            change(&mut its);
            assert!(matches!(TensorMap::new(&its), Err(TensorMapRefusal::Invalid(_))), "{n}");
        }
    }

    /// The tables of the CUDA programming guide ("The Swizzle Modes"): the chunk in which chunk `n` of row `r` of
    /// 128 bytes lies.
    #[test]
    fn swizzles_are_those_of_the_guide() {
        let row = |swizzle: Swizzle, row: u64| -> [u64; 8] {
            std::array::from_fn(|n| swizzle.apply(row * 128 + n as u64 * 16) % 128 / 16)
        };
        assert_eq!(row(Swizzle::Bytes128, 0), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(row(Swizzle::Bytes128, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(row(Swizzle::Bytes128, 6), [6, 7, 4, 5, 2, 3, 0, 1]);
        assert_eq!(row(Swizzle::Bytes128, 9), row(Swizzle::Bytes128, 1));
        assert_eq!(row(Swizzle::Bytes64, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(row(Swizzle::Bytes64, 3), [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(row(Swizzle::Bytes32, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(row(Swizzle::Bytes32, 2), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(row(Swizzle::None, 5), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// The chunks of a box, compared with a loop over its elements.
    #[test]
    fn chunks_are_what_a_plain_loop_finds() {
        let mut random = SplitMix64(7);
        let mut pick = |from: &[u64]| from[random.below(from.len())];
        for round in 0..2000 {
            let data_type = pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as u32;
            let bytes = TYPES[data_type as usize].2;
            let rank = 1 + pick(&[0, 1, 2, 3, 4]) as usize;
            let swizzle = pick(&[0, 1, 2, 3]);
            let mut its = TensorMapRequest {
                data_type,
                rank: rank as u32,
                address: 1 << 20,
                swizzle: swizzle as u32,
                ..TensorMapRequest::default()
            };
            let mut stride = 0;
            for n in 0..rank {
                its.extents[n] = pick(&[1, 2, 3, 5, 8, 13, 21]);
                its.box_extents[n] = pick(&[1, 2, 3, 4]) as u32;
                its.steps[n] = pick(&[1, 1, 1, 2, 3]) as u32;
                if n == 0 {
                    its.box_extents[0] = (pick(&[1, 2]) * 16 / bytes) as u32;
                    stride = (its.extents[0] * bytes).next_multiple_of(16) + pick(&[0, 16]);
                } else {
                    its.strides[n - 1] = stride;
                    stride *= its.extents[n];
                }
            }
            let map = TensorMap::new(&its).unwrap();
            let at: [i32; MAX_RANK] = std::array::from_fn(|n| {
                let by = if n == 0 { (16 / bytes) as i32 } else { 1 };
                (pick(&[0, 1, 2, 3, 4, 5]) as i32 - 2) * by
            });
            assert!(map.may_begin(at));
            // Element by element: its place in the box, and in the tensor.
            let mut want = Vec::new();
            let counts: Vec<i64> = (0..MAX_RANK)
                .map(|n| match n {
                    0 => i64::from(its.box_extents[0]),
                    n if n < rank => i64::from(its.box_extents[n].div_ceil(its.steps[n])),
                    _ => 1,
                })
                .collect();
            let pitch = (counts[0] as u64 * bytes).max([0, 32, 64, 128][swizzle as usize]);
            let mut row = 0;
            for e in 0..counts[4] {
                for d in 0..counts[3] {
                    for c in 0..counts[2] {
                        for b in 0..counts[1] {
                            for a in 0..counts[0] {
                                let (mut inside, mut address) = (true, its.address as i64);
                                for (n, index) in [a, b, c, d, e].into_iter().enumerate().take(rank) {
                                    let step = if n == 0 { 1 } else { i64::from(its.steps[n]) };
                                    let index = i64::from(at[n]) + index * step;
                                    inside &= index >= 0 && index < its.extents[n] as i64;
                                    let stride = if n == 0 { bytes } else { its.strides[n - 1] };
                                    address += index * stride as i64;
                                }
                                want.push((row * pitch + a as u64 * bytes, inside.then_some(address as u64)));
                            }
                            row += 1;
                        }
                    }
                }
            }
            let mut found = Vec::new();
            for chunk in map.chunks(at) {
                for byte in (0..CHUNK_BYTES).step_by(bytes as usize) {
                    let address = (byte < chunk.inside).then_some(chunk.global + byte);
                    found.push((chunk.shared + byte, address));
                }
            }
            assert_eq!(found, want, "round {round}: {its:?} at {at:?}");
            assert_eq!(map.box_bytes(), want.len() as u64 * bytes);
        }
    }
}
