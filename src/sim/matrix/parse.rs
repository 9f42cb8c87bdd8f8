//! Parses the modifiers of the matrix instructions (PTX ISA 8.8, 9.7.14).

use super::MatrixOp;
use super::element::{Element, Major, Role, Shape};
use super::fragment::Fragment;
use super::multiply::{BitOp, Multiply};
use super::row_move::RowMove;
use super::wmma::WmmaMove;

/// Decodes `opcode` with its modifiers, in the order in which they are written. State spaces (`global`,
/// `shared`, `shared::cta`) are accepted and left to the caller.
/// Returns `None` if the instruction is not simulated.
pub fn parse(opcode: &str, modifiers: &[&str]) -> Option<MatrixOp> {
    let words = Modifiers::sort(modifiers);
    match (opcode, modifiers.first().copied()) {
        ("mma", _) => words.mma(),
        ("wmma", Some("load")) => words.wmma_load(modifiers.get(1).copied()),
        ("wmma", Some("store")) => words.wmma_store(),
        ("wmma", Some("mma")) => words.wmma_mma(),
        ("ldmatrix", _) => words.row_move().map(MatrixOp::LoadRows),
        ("stmatrix", _) => words.row_move().map(MatrixOp::StoreRows),
        ("movmatrix", _) => words.transpose(),
        _ => None,
    }
}

/// Modifiers by kind. No modifier is of two kinds, and within a kind their order is kept.
#[derive(Default)]
struct Modifiers<'a> {
    shapes: Vec<Shape>,
    majors: Vec<Major>,
    elements: Vec<Element>,
    satfinite: bool,
    bit_op: Option<BitOp>,
    transposed: bool,
    matrices: Option<usize>,
    b16: bool,
    /// Modifiers of no other kind.
    others: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    fn sort(modifiers: &[&'a str]) -> Modifiers<'a> {
        let mut words = Modifiers::default();
        for &text in modifiers {
            match text {
                "sync" | "aligned" | "load" | "store" | "mma" | "a" | "b" | "c" | "d" | "popc" | "global"
                | "shared" | "shared::cta" => {}
                "satfinite" => words.satfinite = true,
                "and" => words.bit_op = Some(BitOp::And),
                "xor" => words.bit_op = Some(BitOp::Xor),
                "trans" => words.transposed = true,
                "x1" => words.matrices = Some(1),
                "x2" => words.matrices = Some(2),
                "x4" => words.matrices = Some(4),
                "b16" => words.b16 = true,
                _ => {
                    if let Some(major) = Major::from_modifier(text) {
                        words.majors.push(major);
                    } else if let Some(element) = Element::from_modifier(text) {
                        words.elements.push(element);
                    } else if let Some(shape) = Shape::from_modifier(text) {
                        words.shapes.push(shape);
                    } else {
                        words.others.push(text);
                    }
                }
            }
        }
        words
    }

    fn mma(&self) -> Option<MatrixOp> {
        let (&[shape], &[d, a, b, c]) = (&self.shapes[..], &self.elements[..]) else { return None };
        let &[a_major, b_major] = &self.majors[..] else { return None };
        let any_major = a == Element::F16 && (shape.m, shape.n, shape.k) == (8, 8, 4);
        let majors_fit = any_major || (a_major, b_major) == (Major::Row, Major::Col);
        let op = Multiply::new(
            shape_of_mma(shape, [d, a, b, c])?,
            [d, a, b, c],
            [a_major, b_major],
            self.satfinite,
            self.bit_op,
            false,
        );
        (majors_fit && self.modes_fit(a)).then_some(MatrixOp::Multiply(op))
    }

    fn wmma_mma(&self) -> Option<MatrixOp> {
        let (&[shape], &[a_major, b_major]) = (&self.shapes[..], &self.majors[..]) else {
            return None;
        };
        let types = match self.elements[..] {
            // `.f16` of A and B is implied.
            [d, c] => [d, Element::F16, Element::F16, c],
            [d, a, b, c] => [d, a, b, c],
            _ => return None,
        };
        let [d, a, b, c] = types;
        let both = wmma_shape_fits(shape, a, Role::A) && wmma_shape_fits(shape, b, Role::B);
        let sums = wmma_shape_fits(shape, c, Role::Accumulator) && accumulates(a, c) && accumulates(a, d);
        let majors_fit = a.bits() >= 8 || (a_major, b_major) == (Major::Row, Major::Col);
        // The accumulators' types may differ only for f16 factors.
        let same_sums = c == d || a == Element::F16;
        (both && sums && a == b && majors_fit && same_sums && self.modes_fit(a)).then(|| {
            let majors = [a_major, b_major];
            MatrixOp::Multiply(Multiply::new(shape, types, majors, self.satfinite, self.bit_op, true))
        })
    }

    /// Returns whether `.satfinite` and the bit operation are given only with types that allow them.
    fn modes_fit(&self, a: Element) -> bool {
        let integer = matches!(a, Element::S8 | Element::U8 | Element::S4 | Element::U4);
        let bits = a == Element::B1;
        // f64 rounds only to nearest even, which may be written explicitly.
        let others_fit = self.others.iter().all(|&text| a == Element::F64 && text == "rn");
        (integer || !self.satfinite) && (bits == self.bit_op.is_some()) && others_fit
    }

    fn wmma_load(&self, which: Option<&str>) -> Option<MatrixOp> {
        let role = match which? {
            "a" => Role::A,
            "b" => Role::B,
            "c" => Role::Accumulator,
            _ => return None,
        };
        self.wmma_move(role).map(MatrixOp::WmmaLoad)
    }

    fn wmma_store(&self) -> Option<MatrixOp> {
        self.wmma_move(Role::Accumulator).map(MatrixOp::WmmaStore)
    }

    fn wmma_move(&self, role: Role) -> Option<WmmaMove> {
        let (&[shape], &[major], &[element]) = (&self.shapes[..], &self.majors[..], &self.elements[..])
        else {
            return None;
        };
        let sub_byte_major = match role {
            Role::A => Major::Row,
            _ => Major::Col,
        };
        let fits = wmma_shape_fits(shape, element, role)
            && (element.bits() >= 8 || major == sub_byte_major)
            && self.others.is_empty();
        let fragment = Fragment { role, shape, element, major, wmma: true };
        fits.then(|| WmmaMove::new(fragment, major))
    }

    fn row_move(&self) -> Option<RowMove> {
        let plain = self.others[..] == ["m8n8"] && self.b16;
        let matrices = self.matrices?;
        plain.then_some(RowMove { matrices, transposed: self.transposed })
    }

    fn transpose(&self) -> Option<MatrixOp> {
        (self.others[..] == ["m8n8"] && self.b16 && self.transposed).then_some(MatrixOp::Transpose)
    }
}

/// Returns the shape, if `mma` supports it for these types of D, A, B, C.
fn shape_of_mma(shape: Shape, [d, a, b, c]: [Element; 4]) -> Option<Shape> {
    use Element::*;
    let size = (shape.m, shape.n, shape.k);
    let float_sums = matches!((d, c), (F16 | F32, F16 | F32));
    let shape_fits = match (a, b) {
        (F16, F16) => match size {
            (8, 8, 4) => float_sums,
            // Types of C and D must agree (PTX ISA 9.7.14.5.14).
            (16, 8, 8 | 16) => float_sums && c == d,
            _ => false,
        },
        (Bf16, Bf16) => matches!(size, (16, 8, 8 | 16)) && (d, c) == (F32, F32),
        (Tf32, Tf32) => matches!(size, (16, 8, 4 | 8)) && (d, c) == (F32, F32),
        (E4m3 | E5m2, E4m3 | E5m2) => matches!(size, (16, 8, 16 | 32)) && float_sums && c == d,
        (F64, F64) => matches!(size, (8, 8, 4) | (16, 8, 4 | 8 | 16)) && (d, c) == (F64, F64),
        (S8 | U8, S8 | U8) => matches!(size, (8, 8, 16) | (16, 8, 16 | 32)) && (d, c) == (S32, S32),
        (S4 | U4, S4 | U4) => matches!(size, (8, 8, 32) | (16, 8, 32 | 64)) && (d, c) == (S32, S32),
        (B1, B1) => matches!(size, (8, 8, 128) | (16, 8, 128 | 256)) && (d, c) == (S32, S32),
        _ => false,
    };
    shape_fits.then_some(shape)
}

/// Returns whether `wmma` has a matrix of this type and role in this shape.
fn wmma_shape_fits(shape: Shape, element: Element, role: Role) -> bool {
    use Element::*;
    let sums = role == Role::Accumulator;
    match (shape.m, shape.n, shape.k) {
        (16, 16, 16) | (8, 32, 16) | (32, 8, 16) => {
            if sums {
                matches!(element, F16 | F32 | S32)
            } else {
                matches!(element, F16 | Bf16 | S8 | U8)
            }
        }
        (16, 16, 8) => element == if sums { F32 } else { Tf32 },
        (8, 8, 4) => element == F64,
        (8, 8, 32) => {
            if sums {
                element == S32
            } else {
                matches!(element, S4 | U4)
            }
        }
        (8, 8, 128) => element == if sums { S32 } else { B1 },
        _ => false,
    }
}

/// Returns whether products of type `a` may be summed in type `sum`.
fn accumulates(a: Element, sum: Element) -> bool {
    use Element::*;
    match a {
        F16 => matches!(sum, F16 | F32),
        Bf16 | Tf32 => sum == F32,
        F64 => sum == F64,
        _ => sum == S32,
    }
}
