//! The arrays on which reference functions operate.

use crate::course::{Case, CaseNumber};
use std::fmt;

/// The type in which a reference computes: `i64`, wrapping like device integers, or `f64`.
pub trait Number: Copy + PartialEq + fmt::Debug {
    const ZERO: Self;
    fn from_i64(value: i64) -> Self;
    /// Converts a number of the case; `None` if this type cannot represent its fraction.
    fn from_case(value: CaseNumber) -> Option<Self>;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

impl Number for i64 {
    const ZERO: i64 = 0;
    fn from_i64(value: i64) -> i64 {
        value
    }
    fn from_case(value: CaseNumber) -> Option<i64> {
        match value {
            CaseNumber::Whole(value) => Some(value),
            CaseNumber::Decimal(_) => None,
        }
    }
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
    fn times(self, other: i64) -> i64 {
        self.wrapping_mul(other)
    }
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    fn from_i64(value: i64) -> f64 {
        value as f64
    }
    fn from_case(value: CaseNumber) -> Option<f64> {
        match value {
            CaseNumber::Whole(value) => Some(value as f64),
            CaseNumber::Decimal(value) => Some(value),
        }
    }
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    fn times(self, other: f64) -> f64 {
        self * other
    }
}

/// The lesson's buffers do not fit its reference; holds a description of what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit(pub String);

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misfit {}

/// Elements in row-major order with their shape, slowest dimension first.
#[derive(Clone, Debug, PartialEq)]
pub struct Array<T> {
    shape: Vec<usize>,
    elements: Vec<T>,
}

impl<T: Number> Array<T> {
    /// Creates an array. Missing elements are zero, surplus ones are cut off.
    pub fn new(shape: &[usize], mut elements: Vec<T>) -> Array<T> {
        elements.resize(shape.iter().product(), T::ZERO);
        Array { shape: shape.to_vec(), elements }
    }

    pub fn count(&self) -> usize {
        self.elements.len()
    }

    /// Returns rows and columns; an array with one extent is one row.
    ///
    /// # Errors
    ///
    /// Fails if it has neither one extent nor two.
    pub fn matrix(&self) -> Result<(usize, usize), Misfit> {
        match *self.shape {
            [cols] => Ok((1, cols)),
            [rows, cols] => Ok((rows, cols)),
            _ => Err(Misfit(format!("two extents are needed, the shape has {}", self.shape.len()))),
        }
    }

    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    pub fn elements_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }

    pub fn into_elements(self) -> Vec<T> {
        self.elements
    }
}

/// Exactly `I` inputs and `O` outputs.
type Buffers<'a, 'b, T, const I: usize, const O: usize> = (&'a [Array<T>; I], &'b mut [Array<T>; O]);

/// The inputs and outputs of a reference function.
pub struct Task<'a, T> {
    pub inputs: &'a [Array<T>],
    pub outputs: &'a mut [Array<T>],
    /// The case with its sizes.
    pub sizes: &'a Case,
}

impl<'a, T: Number> Task<'a, T> {
    /// Returns the buffers, which must be exactly `I` inputs and `O` outputs.
    ///
    /// # Errors
    ///
    /// Fails if there are others.
    pub fn buffers<const I: usize, const O: usize>(&mut self) -> Result<Buffers<'a, '_, T, I, O>, Misfit> {
        let found = (self.inputs.len(), self.outputs.len());
        match (self.inputs.try_into(), (&mut *self.outputs).try_into()) {
            (Ok(inputs), Ok(outputs)) => Ok((inputs, outputs)),
            _ => Err(Misfit(format!(
                "{I} input(s) and {O} output(s) are needed, the lesson has {} and {}",
                found.0, found.1
            ))),
        }
    }
}

/// Checks that two extents are equal.
///
/// # Errors
///
/// Fails if they differ; the message says `what` they are.
pub fn same(what: &str, a: usize, b: usize) -> Result<(), Misfit> {
    if a == b { Ok(()) } else { Err(Misfit(format!("{what} must be the same, found {a} and {b}"))) }
}
