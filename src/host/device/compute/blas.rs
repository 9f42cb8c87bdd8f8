//! Operands, costs and results of cuBLAS calls.

use super::element::{Real, Wrapping32};
use super::operand::{Operand, batch_span, scalar_span, scalar_value};
use super::span::Span;
use super::structured;
use crate::device::ElementType;
use crate::device::library::{Blas, Matrix, Scalar, Vector};
use sim::{Address, Machine};

/// Returns the memory that a call reads and writes. What is multiplied by zero is not read, also where the zero is in
/// device memory.
pub fn spans(call: &Blas, machine: &Machine) -> Vec<Span> {
    let is_zero = |scalar: &Scalar| scalar_value(scalar, machine) == 0.0;
    let result = |at: Address, bytes| Span::dense(at, bytes, true);
    let (scalars, operands): ([Option<Span>; 2], Vec<Span>) = match call {
        Blas::Axpy { alpha, x, y } => {
            ([scalar_span(alpha), None], vec![x.span(false), y.span(false), y.span(true)])
        }
        Blas::Scale { alpha, x } => ([scalar_span(alpha), None], vec![x.span(false), x.span(true)]),
        Blas::Copy { x, y } => ([None; 2], vec![x.span(false), y.span(true)]),
        Blas::Swap { x, y } => ([None; 2], vec![x.span(false), x.span(true), y.span(false), y.span(true)]),
        Blas::Dot { x, y, result: at } => {
            ([None; 2], vec![x.span(false), y.span(false), result(*at, x.element.bytes() as u64)])
        }
        Blas::Norm { x, result: at } | Blas::AbsSum { x, result: at } => {
            ([None; 2], vec![x.span(false), result(*at, x.element.bytes() as u64)])
        }
        Blas::AbsMax { x, result: at, .. } => ([None; 2], vec![x.span(false), result(*at, 4)]),
        Blas::Gemv { alpha, a, x, beta, y } => {
            let mut operands = vec![a.span(false), x.span(false), y.span(true)];
            operands.extend((!is_zero(beta)).then(|| y.span(false)));
            ([scalar_span(alpha), scalar_span(beta)], operands)
        }
        Blas::Ger { alpha, x, y, a } => {
            let operands = vec![x.span(false), y.span(false), a.span(false), a.span(true)];
            ([scalar_span(alpha), None], operands)
        }
        Blas::Gemm { alpha, a, b, beta, c, batch, by_pointers: false, .. } => {
            let mut operands =
                vec![batch_span(a, *batch, false), batch_span(b, *batch, false), batch_span(c, *batch, true)];
            operands.extend((!is_zero(beta)).then(|| batch_span(c, *batch, false)));
            ([scalar_span(alpha), scalar_span(beta)], operands)
        }
        Blas::Gemm { alpha, a, b, beta, c, batch, .. } => {
            let arrays = [a, b, c].map(|its| Span::dense(its.at, batch.saturating_mul(8), false));
            let mut operands = arrays.to_vec();
            // What the pointers lead to matters only if they are there.
            if super::check(machine, &arrays).is_ok() {
                let of = |m: &Matrix, write| pointed_to(machine, *m, *batch).map(move |its| its.span(write));
                operands.extend(of(a, false).chain(of(b, false)).chain(of(c, true)));
                operands.extend((!is_zero(beta)).then(|| of(c, false)).into_iter().flatten());
            }
            ([scalar_span(alpha), scalar_span(beta)], operands)
        }
        Blas::Geam { alpha, a, beta, b, c } => {
            let mut operands = vec![c.span(true)];
            operands.extend((!is_zero(alpha)).then(|| a.span(false)));
            operands.extend((!is_zero(beta)).then(|| b.span(false)));
            ([scalar_span(alpha), scalar_span(beta)], operands)
        }
        Blas::Symm { alpha, a, b, beta, c, .. } => {
            let mut operands = structured::spans(a, false);
            operands.extend([b.span(false), c.span(true)]);
            operands.extend((!is_zero(beta)).then(|| c.span(false)));
            ([scalar_span(alpha), scalar_span(beta)], operands)
        }
        Blas::Syrk { alpha, a, beta, c, .. } => {
            let mut operands = structured::spans(c, true);
            operands.push(a.span(false));
            operands.extend((!is_zero(beta)).then(|| structured::spans(c, false)).into_iter().flatten());
            ([scalar_span(alpha), scalar_span(beta)], operands)
        }
        Blas::Trsm { alpha, a, b, .. } => {
            let mut operands = vec![b.span(true)];
            if !is_zero(alpha) {
                operands.extend(structured::spans(a, false));
                operands.push(b.span(false));
            }
            ([scalar_span(alpha), None], operands)
        }
        Blas::Trmm { alpha, a, b, c, .. } => {
            let mut operands = structured::spans(a, false);
            operands.extend([b.span(false), c.span(true)]);
            ([scalar_span(alpha), None], operands)
        }
        Blas::Dgmm { a, x, c, .. } => ([None; 2], vec![a.span(false), x.span(false), c.span(true)]),
        Blas::Rot { x, y, cosine, sine } => {
            let operands = vec![x.span(false), x.span(true), y.span(false), y.span(true)];
            ([scalar_span(cosine), scalar_span(sine)], operands)
        }
    };
    scalars.into_iter().flatten().chain(operands).collect()
}

/// Returns the number of operations, their type, and whether the matrix units perform them.
pub fn operations(call: &Blas) -> (u64, ElementType, bool) {
    let times = |factors: &[u64]| factors.iter().fold(1u64, |product, f| product.saturating_mul(*f));
    match call {
        Blas::Axpy { x, .. } | Blas::Dot { x, .. } | Blas::Norm { x, .. } => {
            (times(&[2, x.length]), x.element, false)
        }
        Blas::Scale { x, .. } | Blas::AbsSum { x, .. } | Blas::AbsMax { x, .. } => {
            (x.length, x.element, false)
        }
        Blas::Copy { x, .. } | Blas::Swap { x, .. } => (0, x.element, false),
        Blas::Gemv { a, .. } | Blas::Ger { a, .. } => (times(&[2, a.rows, a.columns]), a.element, false),
        Blas::Gemm { c, inner, batch, compute, tensor_cores, a, .. } => {
            let element = if *tensor_cores { a.element } else { *compute };
            (times(&[2, c.rows, c.columns, *inner, *batch]), element, *tensor_cores)
        }
        Blas::Geam { c, .. } => (times(&[3, c.rows, c.columns]), c.element, false),
        Blas::Symm { a, c, .. } => (times(&[2, a.matrix.rows, c.rows, c.columns]), c.element, false),
        Blas::Syrk { a, inner, c, .. } => (times(&[c.matrix.rows, c.matrix.rows, *inner]), a.element, false),
        Blas::Trsm { a, b, .. } | Blas::Trmm { a, b, .. } => {
            (times(&[a.matrix.rows, b.rows, b.columns]), b.element, false)
        }
        Blas::Dgmm { c, .. } => (times(&[c.rows, c.columns]), c.element, false),
        Blas::Rot { x, .. } => (times(&[6, x.length]), x.element, false),
    }
}

pub fn run(machine: &mut Machine, call: &Blas) {
    let computed = match call {
        Blas::Gemm { compute, .. } => *compute,
        _ => operations(call).1,
    };
    match computed {
        ElementType::F64 => run_in::<f64>(machine, call),
        ElementType::I32 | ElementType::I8 | ElementType::U8 => run_in::<Wrapping32>(machine, call),
        _ => run_in::<f32>(machine, call),
    }
}

fn run_in<T: Real>(machine: &mut Machine, call: &Blas) {
    let scalar = |machine: &Machine, s: &Scalar| T::from_f64(scalar_value(s, machine));
    match call {
        Blas::Axpy { alpha, x, y } => {
            let alpha = scalar(machine, alpha);
            let (a, mut b) = (x.load::<T>(machine), y.load::<T>(machine));
            b.iter_mut().zip(&a).for_each(|(b, a)| *b = alpha * *a + *b);
            y.store(machine, &b);
        }
        Blas::Scale { alpha, x } => {
            let alpha = scalar(machine, alpha);
            let scaled: Vec<T> = x.load::<T>(machine).into_iter().map(|v| alpha * v).collect();
            x.store(machine, &scaled);
        }
        Blas::Copy { x, y } => {
            let values = x.load::<T>(machine);
            y.store(machine, &values);
        }
        Blas::Swap { x, y } => {
            let (a, b) = (x.load::<T>(machine), y.load::<T>(machine));
            x.store(machine, &b);
            y.store(machine, &a);
        }
        Blas::Dot { x, y, result } => {
            // Summed in double precision, which is as close to the true value as the result's type can
            // represent.
            let (a, b) = (x.load::<f64>(machine), y.load::<f64>(machine));
            put(machine, *result, x.element, a.iter().zip(&b).map(|(a, b)| a * b).sum());
        }
        Blas::Norm { x, result } => {
            let sum: f64 = x.load::<f64>(machine).iter().map(|v| v * v).sum();
            put(machine, *result, x.element, sum.sqrt());
        }
        Blas::AbsSum { x, result } => {
            let sum = x.load::<f64>(machine).iter().map(|v| v.abs()).sum();
            put(machine, *result, x.element, sum);
        }
        Blas::AbsMax { x, result, smallest } => {
            let mut best: Option<(usize, f64)> = None;
            for (i, value) in x.load::<f64>(machine).into_iter().map(f64::abs).enumerate() {
                if best.is_none_or(|(_, b)| if *smallest { value < b } else { value > b }) {
                    best = Some((i, value));
                }
            }
            let index = best.map_or(0, |(i, _)| i as i32 + 1);
            machine.write(*result, &index.to_le_bytes());
        }
        Blas::Gemv { alpha, a, x, beta, y } => {
            let (alpha, beta) = (scalar(machine, alpha), scalar(machine, beta));
            let mut out = old(machine, beta, y);
            let shape = [y.length as usize, 1, x.length as usize];
            T::product(shape, alpha, &a.load::<T>(machine), &x.load::<T>(machine), beta, &mut out);
            y.store(machine, &out);
        }
        Blas::Ger { alpha, x, y, a } => {
            let alpha = scalar(machine, alpha);
            let mut out = a.load::<T>(machine);
            let shape = [x.length as usize, y.length as usize, 1];
            let one = T::from_f64(1.0);
            T::product(shape, alpha, &x.load::<T>(machine), &y.load::<T>(machine), one, &mut out);
            a.store(machine, &out);
        }
        Blas::Gemm { alpha, a, b, beta, c, inner, batch, by_pointers, .. } => {
            let (alpha, beta) = (scalar(machine, alpha), scalar(machine, beta));
            let shape = [c.rows as usize, c.columns as usize, *inner as usize];
            let batch = if c.rows == 0 || c.columns == 0 { 0 } else { *batch };
            let nth = |machine: &Machine, m: &Matrix, n| match by_pointers {
                true => nth_pointed_to(machine, m, n),
                false => m.nth(n),
            };
            for n in 0..batch {
                let c = nth(machine, c, n);
                let mut out = if beta == T::default() { zeros(&c) } else { c.load::<T>(machine) };
                let (a, b) = (nth(machine, a, n), nth(machine, b, n));
                let (a, b) = (a.load::<T>(machine), b.load::<T>(machine));
                T::product(shape, alpha, &a, &b, beta, &mut out);
                c.store(machine, &out);
            }
        }
        Blas::Geam { alpha, a, beta, b, c } => {
            let (alpha, beta) = (scalar(machine, alpha), scalar(machine, beta));
            let scaled = |factor: T, m: &Matrix, machine: &Machine| {
                if factor == T::default() { zeros(c) } else { m.load::<T>(machine) }
            };
            let (a, b) = (scaled(alpha, a, machine), scaled(beta, b, machine));
            let sum: Vec<T> = a.iter().zip(&b).map(|(a, b)| alpha * *a + beta * *b).collect();
            c.store(machine, &sum);
        }
        Blas::Dgmm { left, a, x, c } => {
            let (a, x, rows) = (a.load::<T>(machine), x.load::<T>(machine), c.rows.max(1) as usize);
            let factor = |n: usize| x[if *left { n % rows } else { n / rows }];
            let scaled: Vec<T> = a.iter().enumerate().map(|(n, a)| *a * factor(n)).collect();
            c.store(machine, &scaled);
        }
        Blas::Rot { x, y, cosine, sine } => {
            let (cosine, sine) = (scalar_value(cosine, machine), scalar_value(sine, machine));
            let (a, b) = (x.load::<f64>(machine), y.load::<f64>(machine));
            let turned = |a: &[f64], b: &[f64], sine: f64| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| cosine * a + sine * b).collect()
            };
            x.store(machine, &turned(&a, &b, sine));
            y.store(machine, &turned(&b, &a, -sine));
        }
        Blas::Symm { .. } | Blas::Syrk { .. } | Blas::Trsm { .. } | Blas::Trmm { .. } => {
            structured::run(machine, call);
        }
    }
}

/// Returns the `n`-th matrix of a batch that is an array of pointers.
fn nth_pointed_to(machine: &Machine, matrix: &Matrix, n: u64) -> Matrix {
    let mut pointer = [0; 8];
    machine.read(Address(matrix.at.0.wrapping_add(n.wrapping_mul(8))), &mut pointer);
    Matrix { at: Address(u64::from_le_bytes(pointer)), ..*matrix }
}

fn pointed_to(machine: &Machine, matrix: Matrix, batch: u64) -> impl Iterator<Item = Matrix> {
    (0..batch).map(move |n| nth_pointed_to(machine, &matrix, n))
}

/// Returns the vector that `beta` scales; it is not read if `beta` is zero, so a NaN there does no harm.
fn old<T: Real>(machine: &Machine, beta: T, y: &Vector) -> Vec<T> {
    if beta == T::default() { vec![T::default(); y.length as usize] } else { y.load(machine) }
}

fn zeros<T: Real>(matrix: &Matrix) -> Vec<T> {
    vec![T::default(); (matrix.rows * matrix.columns) as usize]
}

fn put(machine: &mut Machine, at: Address, element: ElementType, value: f64) {
    machine.write(at, &f64::encode(element, &[value]));
}

#[cfg(test)]
mod tests {
    use super::super::operand::read;
    use super::super::tests::{machine, put, take};
    use super::*;

    fn matrix(at: Address, rows: u64, columns: u64, leading: u64, transposed: bool) -> Matrix {
        Matrix { at, element: ElementType::F32, rows, columns, leading, stride: 0, transposed }
    }

    fn vector(at: Address, length: u64, step: i64) -> Vector {
        Vector { at, element: ElementType::F32, length, step }
    }

    #[test]
    fn a_product_with_room_between_columns_and_a_transposed_factor() {
        let mut machine = machine();
        // a is 2×3 with a leading dimension of 4; b is stored as 2×3 and used as 3×2.
        let a = put(&mut machine, &[1.0, 4.0, 9.0, 9.0, 2.0, 5.0, 9.0, 9.0, 3.0, 6.0]);
        let b = put(&mut machine, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let c = put(&mut machine, &[f32::NAN; 4]);
        let call = Blas::Gemm {
            alpha: Scalar::Value(2.0),
            a: matrix(a, 2, 3, 4, false),
            b: matrix(b, 2, 3, 2, true),
            beta: Scalar::Value(0.0),
            c: matrix(c, 2, 2, 2, false),
            inner: 3,
            batch: 1,
            by_pointers: false,
            compute: ElementType::F32,
            tensor_cores: false,
        };
        run(&mut machine, &call);
        assert_eq!(take(&machine, c, 4), [44.0, 98.0, 56.0, 128.0]);
        assert_eq!(operations(&call), (24, ElementType::F32, false));
    }

    #[test]
    fn a_negative_step_begins_at_the_far_end() {
        let mut machine = machine();
        let x = put(&mut machine, &[1.0, 2.0, 3.0]);
        let y = put(&mut machine, &[10.0, 0.0, 20.0, 0.0, 30.0]);
        let call = Blas::Axpy { alpha: Scalar::Value(1.0), x: vector(x, 3, -1), y: vector(y, 3, 2) };
        run(&mut machine, &call);
        assert_eq!(take(&machine, y, 5), [13.0, 0.0, 22.0, 0.0, 31.0]);
    }

    #[test]
    fn the_first_of_equal_magnitudes_counts() {
        let mut machine = machine();
        let x = put(&mut machine, &[1.0, -3.0, 3.0]);
        let result = put(&mut machine, &[0.0]);
        run(&mut machine, &Blas::AbsMax { x: vector(x, 3, 1), result, smallest: false });
        assert_eq!(take(&machine, result, 1)[0].to_bits(), 2);
    }

    #[test]
    fn matrix_times_vector_both_ways() {
        let mut machine = machine();
        let a = put(&mut machine, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let (x, y) = (put(&mut machine, &[1.0, 1.0, 1.0]), put(&mut machine, &[1.0, 1.0, 1.0]));
        let (one, zero) = (Scalar::Value(1.0), Scalar::Value(0.0));
        let plain = Blas::Gemv {
            alpha: one,
            a: matrix(a, 2, 3, 2, false),
            x: vector(x, 3, 1),
            beta: one,
            y: vector(y, 2, 1),
        };
        run(&mut machine, &plain);
        assert_eq!(take(&machine, y, 2), [10.0, 13.0]);
        let turned = Blas::Gemv {
            alpha: one,
            a: matrix(a, 2, 3, 2, true),
            x: vector(x, 2, 1),
            beta: zero,
            y: vector(y, 3, 1),
        };
        run(&mut machine, &turned);
        assert_eq!(take(&machine, y, 3), [3.0, 7.0, 11.0]);
    }

    #[test]
    fn elements_of_a_strided_vector_leave_the_others_alone() {
        for step in [2, -2] {
            let span = vector(Address(40), 3, step).span(true);
            assert_eq!((span.at, span.bytes), (Address(40), 4));
            assert_eq!(span.offsets().collect::<Vec<_>>(), [0, 8, 16]);
        }
    }

    #[test]
    fn sums_read_back_through_scalars_in_memory() {
        let mut machine = machine();
        let x = put(&mut machine, &[3.0, 4.0]);
        let result = put(&mut machine, &[0.0]);
        run(&mut machine, &Blas::Norm { x: vector(x, 2, 1), result });
        assert_eq!(read::<f64>(&machine, result, 1, ElementType::F32), [5.0]);
        run(&mut machine, &Blas::Scale { alpha: Scalar::At(result, ElementType::F32), x: vector(x, 2, 1) });
        assert_eq!(take(&machine, x, 2), [15.0, 20.0]);
    }
}
