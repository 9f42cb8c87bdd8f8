//! Symmetric and triangular matrices, of which one half is in memory. Computed in double precision, and rounded once.

use super::element::Real;
use super::operand::{Operand, scalar_value};
use super::span::Span;
use crate::device::library::{Blas, Matrix, Triangle};
use sim::{Address, Machine};
use std::ops::Range;

/// Returns the rows of a column that are in memory.
fn rows(its: &Triangle, column: u64) -> Range<u64> {
    let ones = u64::from(its.unit);
    if its.upper { 0..column + 1 - ones } else { column + ones..its.matrix.rows.max(column + ones) }
}

/// Returns the address of those rows.
fn part(its: &Triangle, column: u64) -> Address {
    let before = rows(its, column).start * its.matrix.element.bytes() as u64;
    Address(its.matrix.column(column).0.wrapping_add(before))
}

/// Returns the memory of a triangle, column by column.
pub fn spans(its: &Triangle, write: bool) -> Vec<Span> {
    let bytes = its.matrix.element.bytes() as u64;
    let span = |column| {
        let rows = rows(its, column);
        Span::dense(part(its, column), (rows.end - rows.start) * bytes, write)
    };
    (0..its.matrix.columns).map(span).collect()
}

/// What the half of a matrix that is not in memory holds.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    Zeros,
    Mirrored,
}

/// A square matrix, dense and column-major.
struct Square {
    extent: usize,
    values: Vec<f64>,
}

impl Square {
    /// Loads a triangle and completes it; transposed if that is asked of it.
    fn load(machine: &Machine, its: &Triangle, rest: Rest) -> Square {
        let extent = its.matrix.rows as usize;
        let stored = Matrix { transposed: false, ..its.matrix }.load::<f64>(machine);
        let at = |row: usize, column: usize| {
            let inside = if its.upper { row <= column } else { row >= column };
            match (row == column && its.unit, inside, rest) {
                (true, ..) => 1.0,
                (_, true, _) => stored[row + column * extent],
                (_, false, Rest::Mirrored) => stored[column + row * extent],
                (_, false, Rest::Zeros) => 0.0,
            }
        };
        let turned = its.matrix.transposed;
        let values = (0..extent * extent)
            .map(|n| (n % extent, n / extent))
            .map(|(row, column)| if turned { at(column, row) } else { at(row, column) });
        Square { extent, values: values.collect() }
    }

    /// Returns the product of it and another matrix of as many rows, or of that and it.
    fn times(&self, left: bool, other: &[f64], factor: f64, onto: f64, mut out: Vec<f64>) -> Vec<f64> {
        let across = out.len() / self.extent.max(1);
        match left {
            true => {
                f64::product([self.extent, across, self.extent], factor, &self.values, other, onto, &mut out)
            }
            false => {
                f64::product([across, self.extent, self.extent], factor, other, &self.values, onto, &mut out)
            }
        }
        out
    }

    /// Solves T·x = b for a triangular T, in place; with `turned`, for its transpose.
    fn solve(&self, upper: bool, turned: bool, x: &mut [f64]) {
        let n = self.extent;
        let at = |row: usize, column: usize| match turned {
            true => self.values[column + row * n],
            false => self.values[row + column * n],
        };
        for step in 0..n {
            let row = if upper { n - 1 - step } else { step };
            let known = if upper { row + 1..n } else { 0..row };
            let sum: f64 = known.map(|column| at(row, column) * x[column]).sum();
            x[row] = (x[row] - sum) / at(row, row);
        }
    }
}

fn transposed(values: &[f64], rows: usize) -> Vec<f64> {
    let columns = values.len() / rows.max(1);
    (0..values.len()).map(|n| values[n / columns.max(1) + n % columns.max(1) * rows]).collect()
}

pub fn run(machine: &mut Machine, call: &Blas) {
    match call {
        Blas::Symm { left, alpha, a, b, beta, c } => {
            let (alpha, beta) = (scalar_value(alpha, machine), scalar_value(beta, machine));
            let old = if beta == 0.0 { vec![0.0; (c.rows * c.columns) as usize] } else { c.load(machine) };
            let (a, b) = (Square::load(machine, a, Rest::Mirrored), b.load::<f64>(machine));
            c.store(machine, &a.times(*left, &b, alpha, beta, old));
        }
        Blas::Syrk { alpha, a, inner, beta, c } => {
            let (alpha, beta) = (scalar_value(alpha, machine), scalar_value(beta, machine));
            let (n, a) = (c.matrix.rows as usize, a.load::<f64>(machine));
            let mut out = if beta == 0.0 { vec![0.0; n * n] } else { c.matrix.load(machine) };
            f64::product([n, n, *inner as usize], alpha, &a, &transposed(&a, n), beta, &mut out);
            for column in 0..c.matrix.columns {
                let Range { start, end } = rows(c, column);
                let first = column as usize * n;
                let values = &out[first + start as usize..first + end as usize];
                machine.write(part(c, column), &f64::encode(c.matrix.element, values));
            }
        }
        Blas::Trsm { left, alpha, a, b } => {
            let alpha = scalar_value(alpha, machine);
            if alpha == 0.0 {
                return b.store(machine, &vec![0.0; (b.rows * b.columns) as usize]);
            }
            let upper = a.upper != a.matrix.transposed;
            let (a, extent) = (Square::load(machine, a, Rest::Zeros), a.matrix.rows.max(1) as usize);
            let mut x: Vec<f64> = b.load::<f64>(machine).into_iter().map(|value| alpha * value).collect();
            if *left {
                x.chunks_exact_mut(extent).for_each(|column| a.solve(upper, false, column));
            } else {
                // X·A = B is Aᵀ·Xᵀ = Bᵀ.
                x = transposed(&x, b.rows as usize);
                x.chunks_exact_mut(extent).for_each(|row| a.solve(!upper, true, row));
                x = transposed(&x, extent);
            }
            b.store(machine, &x);
        }
        Blas::Trmm { left, alpha, a, b, c } => {
            let alpha = scalar_value(alpha, machine);
            let (a, b) = (Square::load(machine, a, Rest::Zeros), b.load::<f64>(machine));
            let out = vec![0.0; b.len()];
            c.store(machine, &a.times(*left, &b, alpha, 0.0, out));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{machine, put, take};
    use super::*;
    use crate::device::ElementType;
    use crate::device::library::Scalar;

    fn matrix(at: Address, [rows, columns, leading]: [u64; 3], transposed: bool) -> Matrix {
        Matrix { at, element: ElementType::F32, rows, columns, leading, stride: 0, transposed }
    }

    fn triangle(at: Address, upper: bool, unit: bool, transposed: bool) -> Triangle {
        Triangle { matrix: matrix(at, [2, 2, 2], transposed), upper, unit }
    }

    #[test]
    fn only_the_half_in_memory_counts() {
        let mut machine = machine();
        // 1 2 in its upper half; its lower one holds what nobody reads.
        // 9 3
        let a = put(&mut machine, &[1.0, f32::NAN, 2.0, 3.0]);
        let (b, c) = (put(&mut machine, &[1.0, 10.0]), put(&mut machine, &[f32::NAN; 2]));
        let (one, zero) = (Scalar::Value(1.0), Scalar::Value(0.0));
        let (b_of, c_of) = (matrix(b, [2, 1, 2], false), matrix(c, [2, 1, 2], false));
        let a_of = triangle(a, true, false, false);
        run(&mut machine, &Blas::Symm { left: true, alpha: one, a: a_of, b: b_of, beta: zero, c: c_of });
        assert_eq!(take(&machine, c, 2), [21.0, 32.0]);
        run(&mut machine, &Blas::Trmm { left: true, alpha: one, a: a_of, b: b_of, c: c_of });
        assert_eq!(take(&machine, c, 2), [21.0, 30.0]);
        let covered: Vec<(u64, u64)> = spans(&a_of, false).iter().map(|s| (s.at.0 - a.0, s.bytes)).collect();
        assert_eq!(covered, [(0, 4), (8, 8)]);
    }

    #[test]
    fn what_was_multiplied_is_solved_for() {
        for (left, upper, unit, turned) in [
            (true, true, false, false),
            (true, false, false, true),
            (false, true, true, false),
            (false, false, false, true),
            (false, true, false, true),
            (true, false, true, false),
        ] {
            let mut machine = machine();
            let a = put(&mut machine, &[2.0, 3.0, 5.0, 4.0]);
            let b = put(&mut machine, &[1.0, 2.0, 3.0, 4.0]);
            let (a, b_of) = (triangle(a, upper, unit, turned), matrix(b, [2, 2, 2], false));
            let (two, half) = (Scalar::Value(2.0), Scalar::Value(0.5));
            run(&mut machine, &Blas::Trmm { left, alpha: two, a, b: b_of, c: b_of });
            run(&mut machine, &Blas::Trsm { left, alpha: half, a, b: b_of });
            assert_eq!(take(&machine, b, 4), [1.0, 2.0, 3.0, 4.0], "{left} {upper} {unit} {turned}");
        }
    }

    #[test]
    fn a_product_with_itself_fills_one_half() {
        let mut machine = machine();
        let a = put(&mut machine, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let c = put(&mut machine, &[1.0; 4]);
        let (two, one) = (Scalar::Value(2.0), Scalar::Value(1.0));
        let of = triangle(c, false, false, false);
        run(
            &mut machine,
            &Blas::Syrk { alpha: two, a: matrix(a, [2, 3, 2], false), inner: 3, beta: one, c: of },
        );
        assert_eq!(take(&machine, c, 4), [71.0, 89.0, 1.0, 113.0]);
        let of = triangle(c, true, false, false);
        run(
            &mut machine,
            &Blas::Syrk { alpha: one, a: matrix(a, [1, 2, 1], true), inner: 1, beta: one, c: of },
        );
        assert_eq!(take(&machine, c, 4), [72.0, 89.0, 3.0, 117.0]);
    }
}
