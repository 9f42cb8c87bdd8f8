//! CPU references, by name, which define the right answer.
//!
//! Each kind of answer is one small function in plain loops over integers or `f64`: sums of floats are computed in
//! `f64` and rounded once to the output's type. A lesson names a row of [`TABLE`]; the function is passed the
//! lesson's inputs (buffers of role `in` and `in-out`, in the order of lesson.toml) and its outputs (`out` and
//! `in-out`), each with its shape.

mod array;
mod elementwise;
mod neighbours;
mod products;
mod sums;

pub use array::{Array, Misfit, Number, Task};

use super::value::Values;
use crate::course::{Case, ElementType};

type Function<T> = fn(&mut Task<T>) -> Result<(), Misfit>;

/// One reference function, for integers and for floats.
pub struct Reference {
    /// The name used in lesson.toml.
    pub name: &'static str,
    /// The answer as a formula, for display.
    pub about: &'static str,
    int: Function<i64>,
    float: Function<f64>,
}

macro_rules! table {
    ($($name:literal $function:path, $about:literal;)*) => {
        /// Every reference.
        pub const TABLE: &[Reference] = &[$(
            Reference { name: $name, about: $about, int: $function, float: $function }
        ),*];
    };
}

table! {
    "map" elementwise::add_ten, "out[i] = in[i] + 10";
    "zip" elementwise::add, "out[i] = a[i] + b[i]";
    "guards" elementwise::add_ten, "out[i] = in[i] + 10";
    "map-2d" elementwise::add_position, "out[r][c] = in[r][c] + 10 * r + c";
    "broadcast" elementwise::outer_sum, "out[r][c] = column[r] + row[c]";
    "blocks" elementwise::add_ten, "out[i] = in[i] + 10";
    "blocks-2d" elementwise::add_position, "out[r][c] = in[r][c] + 10 * r + c";
    "shared" elementwise::add_ten, "out[i] = in[i] + 10";
    "pooling" neighbours::last_three, "out[i] = in[i-2] + in[i-1] + in[i], where they exist";
    "dot-product" products::dot, "out[0] = sum of a[i] * b[i]";
    "conv-1d" neighbours::convolution, "out[i] = sum of in[i+k] * weights[k], where in[i+k] exists";
    "block-sum" sums::by_block, "out[b] = sum of in over the b-th run of `block` elements (a size; else 8)";
    "axis-sum" sums::by_row, "out[r] = sum of in[r][c]";
    "matmul" products::matmul, "out[r][c] = sum of a[r][k] * b[k][c]";
    "prefix-sum" sums::prefixes, "out[i] = in[0] + … + in[i]";
    "reduce-ladder" sums::total, "out[0] = sum of in[i]";
    "scale" elementwise::scale, "out[i] = in[i] * factor (a size)";
    "sum" sums::total, "out[0] = sum of in[i]";
}

/// Returns the reference of that name.
pub fn find(name: &str) -> Option<&'static Reference> {
    TABLE.iter().find(|reference| reference.name == name)
}

/// A buffer that is passed to a reference.
pub struct Buffer<'a> {
    pub ty: ElementType,
    pub shape: &'a [usize],
    pub values: Values,
}

impl Reference {
    /// Computes the outputs, rounded to their types. `outputs` hold the initial contents of the output buffers.
    ///
    /// # Errors
    ///
    /// Fails if the lesson's buffers do not fit the reference.
    pub fn run(&self, inputs: &[Buffer], outputs: &[Buffer], sizes: &Case) -> Result<Vec<Values>, Misfit> {
        if inputs.iter().chain(outputs).any(|buffer| buffer.shape.contains(&0)) {
            return Err(Misfit("a buffer has an extent of 0".into()));
        }
        let floats = inputs.iter().chain(outputs).any(|buffer| buffer.ty.is_float());
        let answers: Vec<Values> = if floats {
            let task = self.task(inputs, outputs, sizes, Values::to_floats, self.float)?;
            task.into_iter().map(Values::Float).collect()
        } else {
            let task = self.task(inputs, outputs, sizes, Values::to_ints, self.int)?;
            task.into_iter().map(Values::Int).collect()
        };
        Ok(answers.iter().zip(outputs).map(|(answer, buffer)| answer.rounded(buffer.ty)).collect())
    }

    fn task<T: Number>(
        &self,
        inputs: &[Buffer],
        outputs: &[Buffer],
        sizes: &Case,
        convert: fn(&Values) -> Vec<T>,
        function: Function<T>,
    ) -> Result<Vec<Vec<T>>, Misfit> {
        let arrays = |buffers: &[Buffer]| -> Vec<Array<T>> {
            buffers.iter().map(|buffer| Array::new(buffer.shape, convert(&buffer.values))).collect()
        };
        let inputs = arrays(inputs);
        let mut outputs = arrays(outputs);
        function(&mut Task { inputs: &inputs, outputs: &mut outputs, sizes })?;
        Ok(outputs.into_iter().map(Array::into_elements).collect())
    }
}

#[cfg(test)]
mod tests;
