//! References that are sums of products.

use super::array::{Misfit, Number, Task, same};

/// `out[0] = sum of a[i] * b[i]`.
///
/// # Errors
///
/// Fails unless there are two inputs of the same length and one output of one element.
pub fn dot<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([a, b], [out]) = task.buffers()?;
    same("the lengths of both inputs", a.count(), b.count())?;
    same("the length of the output and 1", out.count(), 1)?;
    let terms = a.elements().iter().zip(b.elements());
    out.elements_mut()[0] = terms.fold(T::ZERO, |sum, (x, y)| sum.plus(x.times(*y)));
    Ok(())
}

/// `out[r][c] = sum over k of a[r][k] * b[k][c]`; a: (M, K), b: (K, N), out: (M, N).
///
/// # Errors
///
/// Fails unless there are two inputs and one output, with these extents.
pub fn matmul<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([a, b], [out]) = task.buffers()?;
    let ((m, k), (k_of_b, n)) = (a.matrix()?, b.matrix()?);
    same("the columns of the first input and the rows of the second", k, k_of_b)?;
    same("the rows of the output and of the first input", out.matrix()?.0, m)?;
    same("the columns of the output and of the second input", out.matrix()?.1, n)?;
    for (out, a_row) in out.elements_mut().chunks_mut(n).zip(a.elements().chunks(k)) {
        out.fill(T::ZERO);
        for (x, b_row) in a_row.iter().zip(b.elements().chunks(n)) {
            for (out, y) in out.iter_mut().zip(b_row) {
                *out = out.plus(x.times(*y));
            }
        }
    }
    Ok(())
}
