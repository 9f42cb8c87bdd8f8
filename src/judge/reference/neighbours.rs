//! References whose elements depend on neighbouring elements.

use super::array::{Misfit, Number, Task, same};

/// `out[i] = in[i-2] + in[i-1] + in[i]`, where they exist.
///
/// # Errors
///
/// Fails unless there are one input and one output, of the same length.
pub fn last_three<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([input], [out]) = task.buffers()?;
    same("the lengths of input and output", input.count(), out.count())?;
    for (i, out) in out.elements_mut().iter_mut().enumerate() {
        let window = &input.elements()[i.saturating_sub(2)..=i];
        *out = window.iter().fold(T::ZERO, |sum, x| sum.plus(*x));
    }
    Ok(())
}

/// `out[i] = sum over k of in[i+k] * weights[k]`, where `in[i+k]` exists.
///
/// # Errors
///
/// Fails unless there are two inputs and one output, which is as long as the first.
pub fn convolution<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([input, weights], [out]) = task.buffers()?;
    same("the lengths of input and output", input.count(), out.count())?;
    for (i, out) in out.elements_mut().iter_mut().enumerate() {
        let window = input.elements()[i..].iter().zip(weights.elements());
        *out = window.fold(T::ZERO, |sum, (x, w)| sum.plus(x.times(*w)));
    }
    Ok(())
}
