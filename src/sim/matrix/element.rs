//! Properties of matrices: element types, shapes, layouts in memory, and roles in D = A·B + C.

/// The element type of a matrix operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub enum Element {
    F16, Bf16, Tf32, F32, F64, E4m3, E5m2, S8, U8, S4, U4, B1, S32,
}

impl Element {
    /// Parses a type modifier such as `bf16`.
    pub fn from_modifier(name: &str) -> Option<Element> {
        Some(match name {
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "tf32" => Element::Tf32,
            "f32" => Element::F32,
            "f64" => Element::F64,
            "e4m3" => Element::E4m3,
            "e5m2" => Element::E5m2,
            "s8" => Element::S8,
            "u8" => Element::U8,
            "s4" => Element::S4,
            "u4" => Element::U4,
            "b1" => Element::B1,
            "s32" => Element::S32,
            _ => return None,
        })
    }

    /// Returns the bits that an element takes in a register and in memory (32 for tf32).
    pub fn bits(self) -> usize {
        match self {
            Element::B1 => 1,
            Element::S4 | Element::U4 => 4,
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8 => 8,
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
        }
    }

    /// Returns the number of elements in one register: 1 for f64, whose registers have 64 bits.
    pub fn per_register(self) -> usize {
        (32 / self.bits()).max(1)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Element::S8 | Element::S4 | Element::S32)
    }
}

/// Extents of D = A·B + C: A is m×k, B is k×n, C and D are m×n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

impl Shape {
    pub const fn new(m: usize, n: usize, k: usize) -> Shape {
        Shape { m, n, k }
    }

    /// Parses a modifier such as `m16n8k16`.
    pub fn from_modifier(text: &str) -> Option<Shape> {
        let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let extent = |digits: &str| match digits.len() {
            1..=3 if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok(),
            _ => None,
        };
        Some(Shape::new(extent(m)?, extent(n)?, extent(k)?))
    }
}

/// Whether consecutive elements in memory run along a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    Row,
    Col,
}

impl Major {
    /// Parses `row` or `col`.
    pub fn from_modifier(text: &str) -> Option<Major> {
        match text {
            "row" => Some(Major::Row),
            "col" => Some(Major::Col),
            _ => None,
        }
    }
}

/// The role of a matrix in D = A·B + C; C and D have the same layout if their types are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    A,
    B,
    Accumulator,
}
