//! Calls of numerical libraries represented as data: shapes, element types and addresses.

use crate::ElementType;
use sim::Address;

/// Returns the address `elements` elements after another.
fn offset(at: Address, elements: i64, element: ElementType) -> Address {
    Address(at.0.wrapping_add_signed(elements.wrapping_mul(element.bytes() as i64)))
}

/// A scalar argument of a call: passed by value, or read from device memory when the call executes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Value(f64),
    At(Address, ElementType),
}

impl Scalar {
    /// Returns whether the scalar is known to be zero without a read from memory; its operand is then not
    /// read.
    pub fn is_zero(&self) -> bool {
        *self == Scalar::Value(0.0)
    }
}

/// A matrix in column-major order, or a batch of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    pub at: Address,
    pub element: ElementType,
    /// Rows and columns as stored, before any transposition.
    pub rows: u64,
    pub columns: u64,
    /// Elements from the start of one column to the start of the next (the leading dimension).
    pub leading: u64,
    /// Elements from one matrix of a batch to the next.
    pub stride: i64,
    pub transposed: bool,
}

impl Matrix {
    /// Returns the `n`-th matrix of a batch.
    pub fn nth(&self, n: u64) -> Matrix {
        Matrix { at: offset(self.at, self.stride.wrapping_mul(n as i64), self.element), ..*self }
    }

    /// Returns the address of a column's first element.
    pub fn column(&self, column: u64) -> Address {
        offset(self.at, column.wrapping_mul(self.leading) as i64, self.element)
    }
}

/// A square matrix of which one half is in memory: its upper or its lower triangle, as stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    pub matrix: Matrix,
    pub upper: bool,
    /// Whether its diagonal is not read, and counts as ones.
    pub unit: bool,
}

/// A vector. `step` is the distance in elements from one element to the next (BLAS's increment), possibly
/// negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector {
    pub at: Address,
    pub element: ElementType,
    pub length: u64,
    pub step: i64,
}

impl Vector {
    /// Returns the address of the `n`-th element: a vector with a negative step begins at its far end (reference
    /// BLAS).
    pub fn element_at(&self, n: i64) -> Address {
        let back = if self.step < 0 { (self.length as i64 - 1).max(0).wrapping_mul(-self.step) } else { 0 };
        offset(self.at, back.wrapping_add(n.wrapping_mul(self.step)), self.element)
    }
}

/// A call of cuBLAS. A scalar result is written to `result`, in device or host memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Blas {
    /// y ← alpha·x + y
    Axpy { alpha: Scalar, x: Vector, y: Vector },
    /// x ← alpha·x
    Scale { alpha: Scalar, x: Vector },
    /// y ← x
    Copy { x: Vector, y: Vector },
    /// Exchanges x and y.
    Swap { x: Vector, y: Vector },
    /// x·y
    Dot { x: Vector, y: Vector, result: Address },
    /// The Euclidean norm.
    Norm { x: Vector, result: Address },
    /// The sum of magnitudes.
    AbsSum { x: Vector, result: Address },
    /// The 1-based index of the element of largest (or smallest) magnitude.
    AbsMax { x: Vector, result: Address, smallest: bool },
    /// y ← alpha·op(A)·x + beta·y
    Gemv { alpha: Scalar, a: Matrix, x: Vector, beta: Scalar, y: Vector },
    /// A ← alpha·x·yᵀ + A
    Ger { alpha: Scalar, x: Vector, y: Vector, a: Matrix },
    /// C ← alpha·op(A)·op(B) + beta·C, for each matrix of a batch; `inner` is the common extent of op(A) and
    /// op(B). With `by_pointers`, each `at` is the address of an array of pointers to the matrices.
    Gemm {
        alpha: Scalar,
        a: Matrix,
        b: Matrix,
        beta: Scalar,
        c: Matrix,
        inner: u64,
        batch: u64,
        by_pointers: bool,
        compute: ElementType,
        tensor_cores: bool,
    },
    /// C ← alpha·op(A) + beta·op(B)
    Geam { alpha: Scalar, a: Matrix, beta: Scalar, b: Matrix, c: Matrix },
    /// C ← alpha·A·B + beta·C with a symmetric A, or alpha·B·A + beta·C if A is not `left`.
    Symm { left: bool, alpha: Scalar, a: Triangle, b: Matrix, beta: Scalar, c: Matrix },
    /// C ← alpha·op(A)·op(A)ᵀ + beta·C, of which only the triangle is computed; `inner` is the number of op(A)'s
    /// columns.
    Syrk { alpha: Scalar, a: Matrix, inner: u64, beta: Scalar, c: Triangle },
    /// B ← the X with op(A)·X = alpha·B, or with X·op(A) = alpha·B if A is not `left`.
    Trsm { left: bool, alpha: Scalar, a: Triangle, b: Matrix },
    /// C ← alpha·op(A)·B, or alpha·B·op(A) if A is not `left`.
    Trmm { left: bool, alpha: Scalar, a: Triangle, b: Matrix, c: Matrix },
    /// C ← diag(x)·A, or A·diag(x) if x is not `left`.
    Dgmm { left: bool, a: Matrix, x: Vector, c: Matrix },
    /// x ← cosine·x + sine·y, y ← cosine·y − sine·x
    Rot { x: Vector, y: Vector, cosine: Scalar, sine: Scalar },
}

impl Blas {
    /// Returns the call's vector operands.
    pub fn vectors(&self) -> [Option<&Vector>; 2] {
        match self {
            Blas::Axpy { x, y, .. }
            | Blas::Copy { x, y }
            | Blas::Swap { x, y }
            | Blas::Dot { x, y, .. }
            | Blas::Gemv { x, y, .. }
            | Blas::Ger { x, y, .. }
            | Blas::Rot { x, y, .. } => [Some(x), Some(y)],
            Blas::Scale { x, .. }
            | Blas::Norm { x, .. }
            | Blas::AbsSum { x, .. }
            | Blas::AbsMax { x, .. }
            | Blas::Dgmm { x, .. } => [Some(x), None],
            Blas::Gemm { .. }
            | Blas::Geam { .. }
            | Blas::Symm { .. }
            | Blas::Syrk { .. }
            | Blas::Trsm { .. }
            | Blas::Trmm { .. } => [None, None],
        }
    }
}

/// A forward convolution of cuDNN: y ← alpha·conv(x, w) + beta·y. Tensors are given by address, extents and
/// strides in elements: x (N, C, H, W), w (K, C/groups, R, S), y (N, K, P, Q). The filter w is dense.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    pub element: ElementType,
    pub x: (Address, [u64; 4], [u64; 4]),
    pub w: (Address, [u64; 4]),
    pub y: (Address, [u64; 4], [u64; 4]),
    /// Memory to work in, and its bytes. A real GPU's library is given other memory.
    pub workspace: (Address, u64),
    /// Height, then width; likewise for `stride` and `dilation`.
    pub padding: [u64; 2],
    pub stride: [u64; 2],
    pub dilation: [u64; 2],
    pub groups: u64,
    /// Whether the filter is flipped (a true convolution) or not (a cross-correlation).
    pub flipped: bool,
    pub alpha: f64,
    pub beta: f64,
}

/// The reduction operator of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    Sum,
    Product,
    Max,
    Min,
    Average,
}

impl Reduce {
    /// All, by their number as `ncclRedOp_t`.
    pub const ALL: [Reduce; 5] = [Reduce::Sum, Reduce::Product, Reduce::Max, Reduce::Min, Reduce::Average];
}

/// The types of NCCL, by their number as `ncclDataType_t`.
pub const NCCL_TYPES: [ElementType; 10] = [
    ElementType::I8,
    ElementType::U8,
    ElementType::I32,
    ElementType::U32,
    ElementType::I64,
    ElementType::U64,
    ElementType::F16,
    ElementType::F32,
    ElementType::F64,
    ElementType::Bf16,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Every rank receives the reduction.
    AllReduce(Reduce),
    /// The root receives the reduction.
    Reduce { op: Reduce, root: u32 },
    /// Every rank receives what the root sends.
    Broadcast { root: u32 },
    /// Every rank receives its part of the reduction.
    ReduceScatter(Reduce),
    /// Every rank receives what all ranks send.
    AllGather,
    /// A point-to-point transfer to one other rank.
    Send { to: u32 },
    /// A point-to-point transfer from one other rank.
    Receive { from: u32 },
}

/// One rank's part in a NCCL collective. The parts with the same `communicator` and `round` belong together
/// and are executed together, once the last of them has reached the front of its stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    pub kind: CollectiveKind,
    pub communicator: u32,
    pub round: u64,
    pub rank: u32,
    pub ranks: u32,
    /// The device's ordinal.
    pub device: u32,
    pub send: Address,
    pub receive: Address,
    /// Number of elements, as the NCCL call counts them.
    pub count: u64,
    pub element: ElementType,
}

/// Identifies the parts that belong to one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoundId {
    pub communicator: u32,
    pub round: u64,
    /// For a point-to-point transfer: the sending and the receiving rank.
    pub transfer: Option<(u32, u32)>,
}

impl Collective {
    pub fn meeting(&self) -> RoundId {
        let transfer = match self.kind {
            CollectiveKind::Send { to } => Some((self.rank, to)),
            CollectiveKind::Receive { from } => Some((from, self.rank)),
            _ => None,
        };
        RoundId { communicator: self.communicator, round: self.round, transfer }
    }

    /// Returns the number of parts in the round: all ranks, or the two sides of a transfer.
    pub fn parts(&self) -> u32 {
        if self.meeting().transfer.is_some() { 2 } else { self.ranks }
    }
}

/// The input and output types of a Fourier transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FourierKind {
    /// From complex numbers to complex numbers.
    Complex { inverse: bool },
    /// Forward: produces half of the spectrum, n/2 + 1 numbers along the innermost axis.
    RealToComplex,
    /// Inverse: consumes half of the spectrum.
    ComplexToReal,
}

/// The layout of a transform's input or output, counted in numbers that are real or complex according to the
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourierSide {
    pub at: Address,
    /// Rows per plane and numbers per row, as stored.
    pub embed: [u64; 2],
    /// Distance in numbers from one number of a row to the next, and from one transform of a batch to the
    /// next.
    pub stride: u64,
    pub distance: u64,
}

/// A batch of unnormalised transforms of up to three axes (cuFFT).
#[derive(Clone, Debug, PartialEq)]
pub struct Fourier {
    pub kind: FourierKind,
    /// Type of a number's real and imaginary parts: f32 or f64.
    pub element: ElementType,
    /// Slowest axis first; 1 for axes that do not exist.
    pub extents: [u64; 3],
    pub batch: u64,
    pub input: FourierSide,
    pub output: FourierSide,
}
