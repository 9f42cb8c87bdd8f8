//! Where a warpgroup's matrix lies in shared memory (PTX ISA 8.8, 9.7.15.5: "Shared Memory Matrix Layout",
//! "Strides", "Matrix Descriptor Format").
//!
//! A matrix consists of core matrices: eight rows of 16 bytes. What a row is depends on the major direction: 16
//! bytes along k at one row of A (or column of B), or, transposed, eight elements down the rows of A (or along
//! the columns of B) at one k. With a swizzle of W bytes, W/16 core matrices lie side by side, their rows
//! interleaved, and the 16-byte chunks are permuted within ranges of 8·W bytes: bits 4.. of an address are
//! combined (xor) with bits 7.. of it.

/// How chunks of 16 bytes are permuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    None,
    Bytes32,
    Bytes64,
    Bytes128,
}

impl Swizzle {
    pub const ALL: [Swizzle; 4] = [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128];

    /// Returns the bytes of a row; without a swizzle, those of a core matrix's row.
    pub fn row_bytes(self) -> u64 {
        16 << self as u32
    }

    /// Returns where the byte at `address` is after swizzling.
    pub fn apply(self, address: u64) -> u64 {
        // 0, 1, 3 or 7: a mask of the chunk's index within a row.
        let chunks = self.row_bytes() / 16 - 1;
        address ^ (address >> 7 & chunks) << 4
    }

    /// Returns the bytes after which the pattern repeats; 16 if there is none.
    pub fn pattern_bytes(self) -> u64 {
        match self {
            Swizzle::None => 16,
            other => other.row_bytes() * 8,
        }
    }
}

/// A decoded matrix descriptor. Addresses and strides are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Address in shared memory.
    pub start: u64,
    pub leading: u64,
    pub stride: u64,
    pub base_offset: u64,
    pub swizzle: Swizzle,
    /// The bits that must be zero.
    pub reserved: u64,
}

/// The number of 16-byte chunks along k in one row of any operand.
pub const CHUNKS_ALONG_K: u64 = 2;
/// The number of steps along k of a transposed operand, whose elements have 16 bits.
pub const TRANSPOSED_STEPS: u64 = 16;
pub const CHUNK_BYTES: u64 = 16;

impl Descriptor {
    pub fn decode(bits: u64) -> Descriptor {
        const FIELD: u64 = 0x3fff;
        let field = |at: u32| (bits >> at & FIELD) << 4;
        Descriptor {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base_offset: bits >> 49 & 7,
            swizzle: match bits >> 62 {
                0 => Swizzle::None,
                1 => Swizzle::Bytes128,
                2 => Swizzle::Bytes64,
                _ => Swizzle::Bytes32,
            },
            reserved: bits & !(FIELD | FIELD << 16 | FIELD << 32 | 7 << 49 | 3 << 62),
        }
    }

    /// Returns whether the pattern of the swizzle begins where its bits of the address are zero, as a base
    /// offset of zero states.
    pub fn is_aligned(&self) -> bool {
        self.swizzle == Swizzle::None || self.start & (self.swizzle.pattern_bytes() - 1) & !127 == 0
    }

    /// Returns the address of chunk `chunk` (0 or 1) along k of row `row`.
    pub fn along_k(&self, row: u64, chunk: u64) -> u64 {
        let width = self.swizzle.row_bytes();
        let next = if self.swizzle == Swizzle::None { self.leading } else { CHUNK_BYTES };
        self.swizzle.apply(self.start + row / 8 * self.stride + row % 8 * width + chunk * next)
    }

    /// Returns the address of the eight elements from row `eight * 8` on, at step `k`, of a transposed matrix.
    pub fn across_k(&self, eight: u64, k: u64) -> u64 {
        let width = self.swizzle.row_bytes();
        let in_row = width / CHUNK_BYTES;
        let (along, down) = match self.swizzle {
            Swizzle::None => (self.stride, self.leading),
            _ => (self.leading, self.stride),
        };
        let place = eight / in_row * along + eight % in_row * CHUNK_BYTES + k % 8 * width + k / 8 * down;
        self.swizzle.apply(self.start + place)
    }

    /// Returns the addresses of all chunks of `rows` rows from `first` on (both multiples of 8), in the order
    /// in which [`gather`] takes them.
    pub fn chunks(&self, transposed: bool, first: u64, rows: u64) -> Vec<u64> {
        if transposed {
            let eights = first / 8..(first + rows) / 8;
            eights.flat_map(|eight| (0..TRANSPOSED_STEPS).map(move |k| self.across_k(eight, k))).collect()
        } else {
            let all = first..first + rows;
            all.flat_map(|row| (0..CHUNKS_ALONG_K).map(move |chunk| self.along_k(row, chunk))).collect()
        }
    }
}

/// The number of 32-bit words along k in a row of any operand.
pub const WORDS: usize = 8;

/// Assembles chunks, in the order of [`Descriptor::chunks`], into rows along k.
pub fn gather(transposed: bool, chunks: &[[u32; 4]]) -> Vec<[u32; WORDS]> {
    if !transposed {
        return chunks
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[low, high]| std::array::from_fn(|n| if n < 4 { low[n] } else { high[n - 4] }))
            .collect();
    }
    let half = |chunk: &[u32; 4], row: usize| chunk[row / 2] >> (row % 2 * 16) & 0xffff;
    let steps = chunks.as_chunks::<{ TRANSPOSED_STEPS as usize }>().0;
    steps
        .iter()
        .flat_map(|steps| {
            (0..8).map(move |row| {
                std::array::from_fn(|n| half(&steps[2 * n], row) | half(&steps[2 * n + 1], row) << 16)
            })
        })
        .collect()
}
