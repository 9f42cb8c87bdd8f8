//! Vectors and matrices of a call: their layout, and loading and storing their elements.

use super::element::Real;
use super::span::Span;
use crate::device::ElementType;
use crate::device::library::{Matrix, Scalar, Vector};
use sim::{Address, Machine};

fn offset(at: Address, elements: i64, element: ElementType) -> Address {
    Address(at.0.wrapping_add_signed(elements.wrapping_mul(element.bytes() as i64)))
}

impl Vector {
    /// Returns the address of the first element: a vector with a negative step begins at its far end
    /// (reference BLAS).
    fn first(&self) -> Address {
        let back = if self.step < 0 { (self.length as i64 - 1).max(0).wrapping_mul(-self.step) } else { 0 };
        offset(self.at, back, self.element)
    }

    pub fn span(&self, write: bool) -> Span {
        let bytes = self.element.bytes() as u64;
        // With a negative step the first element has the highest address, so `at` is the lowest in either
        // case.
        Span::strided(self.at, bytes, self.length, bytes.saturating_mul(self.step.unsigned_abs()), write)
    }

    pub fn load<T: Real>(&self, machine: &Machine) -> Vec<T> {
        if self.step == 1 {
            return read(machine, self.at, self.length, self.element);
        }
        let one = |i: i64| {
            let at = offset(self.first(), i.wrapping_mul(self.step), self.element);
            read::<T>(machine, at, 1, self.element).first().copied().unwrap_or_default()
        };
        (0..self.length as i64).map(one).collect()
    }

    pub fn store<T: Real>(&self, machine: &mut Machine, values: &[T]) {
        if self.step == 1 {
            machine.write(self.at, &T::encode(self.element, values));
            return;
        }
        for (i, value) in values.iter().enumerate() {
            let at = offset(self.first(), (i as i64).wrapping_mul(self.step), self.element);
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

impl Matrix {
    /// Returns the `n`-th matrix of a batch.
    pub fn nth(&self, n: u64) -> Matrix {
        Matrix { at: offset(self.at, self.stride.wrapping_mul(n as i64), self.element), ..*self }
    }

    fn column(&self, column: u64) -> Address {
        offset(self.at, column.wrapping_mul(self.leading) as i64, self.element)
    }

    pub fn span(&self, write: bool) -> Span {
        let (bytes, step) =
            (self.element.bytes() as u64, self.leading.saturating_mul(self.element.bytes() as u64));
        Span::strided(self.at, self.rows.saturating_mul(bytes), self.columns, step, write)
    }

    /// Returns the span of a batch of `batch` matrices.
    pub fn batch_span(&self, batch: u64, write: bool) -> Span {
        self.span(write).repeated(batch, self.stride.saturating_mul(self.element.bytes() as i64))
    }

    /// Loads the elements, dense and column-major, transposed if `transposed` is set.
    pub fn load<T: Real>(&self, machine: &Machine) -> Vec<T> {
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

    /// Stores elements that are dense and column-major.
    pub fn store<T: Real>(&self, machine: &mut Machine, values: &[T]) {
        for (column, values) in values.chunks_exact(self.rows.max(1) as usize).enumerate() {
            machine.write(self.column(column as u64), &T::encode(self.element, values));
        }
    }
}

impl Scalar {
    pub fn load(&self, machine: &Machine) -> f64 {
        match *self {
            Scalar::Value(value) => value,
            Scalar::At(at, element) => read(machine, at, 1, element).first().copied().unwrap_or(f64::NAN),
        }
    }

    pub fn span(&self) -> Option<Span> {
        match *self {
            Scalar::Value(_) => None,
            Scalar::At(at, element) => Some(Span::dense(at, element.bytes() as u64, false)),
        }
    }

    /// Returns whether the scalar is known to be zero without a read from memory; its operand is then not
    /// read.
    pub fn is_zero(&self) -> bool {
        *self == Scalar::Value(0.0)
    }
}
