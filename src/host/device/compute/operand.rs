//! Vectors and matrices of a call: their layout, and loading and storing their elements.

use super::element::Real;
use super::span::Span;
use crate::device::ElementType;
use crate::device::library::{Matrix, Scalar, Vector};
use sim::{Address, Machine};

/// A vector or a matrix in memory.
pub trait Operand {
    fn span(&self, write: bool) -> Span;
    /// Loads the elements: of a matrix dense and column-major, transposed if `transposed` is set.
    fn load<T: Real>(&self, machine: &Machine) -> Vec<T>;
    /// Stores the elements: of a matrix dense and column-major.
    fn store<T: Real>(&self, machine: &mut Machine, values: &[T]);
}

impl Operand for Vector {
    fn span(&self, write: bool) -> Span {
        let bytes = self.element.bytes() as u64;
        // With a negative step the first element has the highest address, so `at` is the lowest in either
        // case.
        Span::strided(self.at, bytes, self.length, bytes.saturating_mul(self.step.unsigned_abs()), write)
    }

    fn load<T: Real>(&self, machine: &Machine) -> Vec<T> {
        if self.step == 1 {
            return read(machine, self.at, self.length, self.element);
        }
        let one = |i: i64| {
            let at = self.element_at(i);
            read::<T>(machine, at, 1, self.element).first().copied().unwrap_or_default()
        };
        (0..self.length as i64).map(one).collect()
    }

    fn store<T: Real>(&self, machine: &mut Machine, values: &[T]) {
        if self.step == 1 {
            machine.write(self.at, &T::encode(self.element, values));
            return;
        }
        for (i, value) in values.iter().enumerate() {
            let at = self.element_at(i as i64);
            machine.write(at, &T::encode(self.element, &[*value]));
        }
    }
}

/// Reads `count` elements starting at `at`.
pub fn read<T: Real>(machine: &Machine, at: Address, count: u64, element: ElementType) -> Vec<T> {
    let mut bytes = vec![0; count.saturating_mul(element.bytes() as u64) as usize];
    machine.read(at, &mut bytes);
    T::decode(element, &bytes)
}

impl Operand for Matrix {
    fn span(&self, write: bool) -> Span {
        let (bytes, step) =
            (self.element.bytes() as u64, self.leading.saturating_mul(self.element.bytes() as u64));
        Span::strided(self.at, self.rows.saturating_mul(bytes), self.columns, step, write)
    }

    fn load<T: Real>(&self, machine: &Machine) -> Vec<T> {
        if self.rows == 0 {
            return Vec::new();
        }
        let mut dense = Vec::with_capacity((self.rows * self.columns) as usize);
        for column in 0..self.columns {
            dense.extend(read::<T>(machine, self.column(column), self.rows, self.element));
        }
        if !self.transposed {
            return dense;
        }
        let (rows, columns) = (self.rows as usize, self.columns as usize);
        (0..rows * columns).map(|i| dense[i / columns + i % columns * rows]).collect()
    }

    fn store<T: Real>(&self, machine: &mut Machine, values: &[T]) {
        for (column, values) in values.chunks_exact(self.rows.max(1) as usize).enumerate() {
            machine.write(self.column(column as u64), &T::encode(self.element, values));
        }
    }
}

/// Returns the span of a batch of `batch` matrices.
pub fn batch_span(matrix: &Matrix, batch: u64, write: bool) -> Span {
    matrix.span(write).repeated(batch, matrix.stride.saturating_mul(matrix.element.bytes() as i64))
}

/// Returns the value of a scalar argument.
pub fn scalar_value(scalar: &Scalar, machine: &Machine) -> f64 {
    match *scalar {
        Scalar::Value(value) => value,
        Scalar::At(at, element) => read(machine, at, 1, element).first().copied().unwrap_or(f64::NAN),
    }
}

/// Returns the span that a scalar argument is read from, if it is in memory.
pub fn scalar_span(scalar: &Scalar) -> Option<Span> {
    match *scalar {
        Scalar::Value(_) => None,
        Scalar::At(at, element) => Some(Span::dense(at, element.bytes() as u64, false)),
    }
}
