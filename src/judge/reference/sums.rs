//! References that are sums: of all elements, of runs, of rows, and prefix sums.

use super::array::{Misfit, Number, Task, same};

fn sum<T: Number>(elements: &[T]) -> T {
    elements.iter().fold(T::ZERO, |sum, x| sum.plus(*x))
}

/// `out[0] = sum of in[i]`.
///
/// # Errors
///
/// Fails unless there are one input and one output of one element.
pub fn total<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([input], [out]) = task.buffers()?;
    same("the length of the output and 1", out.count(), 1)?;
    out.elements_mut()[0] = sum(input.elements());
    Ok(())
}

/// `out[b] = sum of in over the b-th run`. The length of a run is the case's size `block`, or 8 by default.
///
/// # Errors
///
/// Fails unless there are one input and one output with an element for each run, and `block` is positive.
pub fn by_block<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let run = task.sizes.get("block").copied().unwrap_or(8);
    let run = usize::try_from(run).ok().filter(|run| *run > 0);
    let run = run.ok_or_else(|| Misfit("the size `block` must be positive".into()))?;
    let ([input], [out]) = task.buffers()?;
    same("the length of the output and the number of runs", out.count(), input.count().div_ceil(run))?;
    for (out, run) in out.elements_mut().iter_mut().zip(input.elements().chunks(run)) {
        *out = sum(run);
    }
    Ok(())
}

/// `out[r] = sum of in[r][c]`.
///
/// # Errors
///
/// Fails unless there are one input and one output with an element for each row.
pub fn by_row<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([input], [out]) = task.buffers()?;
    let (rows, cols) = input.matrix()?;
    same("the length of the output and the rows of the input", out.count(), rows)?;
    for (out, row) in out.elements_mut().iter_mut().zip(input.elements().chunks(cols)) {
        *out = sum(row);
    }
    Ok(())
}

/// `out[i] = in[0] + … + in[i]`.
///
/// # Errors
///
/// Fails unless there are one input and one output, of the same length.
pub fn prefixes<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([input], [out]) = task.buffers()?;
    same("the lengths of input and output", input.count(), out.count())?;
    let mut sum = T::ZERO;
    for (out, x) in out.elements_mut().iter_mut().zip(input.elements()) {
        sum = sum.plus(*x);
        *out = sum;
    }
    Ok(())
}
