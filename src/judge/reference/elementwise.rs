//! References whose elements do not depend on their neighbours.

use super::array::{Misfit, Number, Task, same};

/// `out[i] = in[i] + 10`.
///
/// # Errors
///
/// Fails unless there are one input and one output, of the same length.
pub fn add_ten<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([input], [out]) = task.buffers()?;
    same("the lengths of input and output", input.count(), out.count())?;
    for (out, x) in out.elements_mut().iter_mut().zip(input.elements()) {
        *out = x.plus(T::from_i64(10));
    }
    Ok(())
}

/// `out[i] = in[i] * factor`, where `factor` is a number of the case.
///
/// # Errors
///
/// Fails unless there are one input and one output, of the same length, and the case has a `factor` of their type.
pub fn scale<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let factor = task.sizes.number("factor").and_then(T::from_case);
    let factor =
        factor.ok_or_else(|| Misfit("a number `factor` is needed, whole for whole numbers".into()))?;
    let ([input], [out]) = task.buffers()?;
    same("the lengths of input and output", input.count(), out.count())?;
    for (out, x) in out.elements_mut().iter_mut().zip(input.elements()) {
        *out = x.times(factor);
    }
    Ok(())
}

/// `out[r][c] = in[r][c] + 10 * r + c`. The term added distinguishes rows from columns, so that indexing with the
/// wrong layout gives a wrong answer even if every element is accessed exactly once.
///
/// # Errors
///
/// Fails unless there are one input and one output, with the same rows and columns.
pub fn add_position<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([input], [out]) = task.buffers()?;
    let (rows, cols) = input.matrix()?;
    same("the rows of input and output", rows, out.matrix()?.0)?;
    same("the columns of input and output", cols, out.matrix()?.1)?;
    let positions = (0..rows as i64).flat_map(|row| (0..cols as i64).map(move |col| 10 * row + col));
    for ((out, x), position) in out.elements_mut().iter_mut().zip(input.elements()).zip(positions) {
        *out = x.plus(T::from_i64(position));
    }
    Ok(())
}

/// `out[i] = a[i] + b[i]`.
///
/// # Errors
///
/// Fails unless there are two inputs and one output, all of the same length.
pub fn add<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([a, b], [out]) = task.buffers()?;
    same("the lengths of both inputs", a.count(), b.count())?;
    same("the lengths of input and output", a.count(), out.count())?;
    for ((out, x), y) in out.elements_mut().iter_mut().zip(a.elements()).zip(b.elements()) {
        *out = x.plus(*y);
    }
    Ok(())
}

/// `out[r][c] = column[r] + row[c]`.
///
/// # Errors
///
/// Fails unless there are two inputs and one output, with a row for each element of the first and a column for each of
/// the second.
pub fn outer_sum<T: Number>(task: &mut Task<T>) -> Result<(), Misfit> {
    let ([column, row], [out]) = task.buffers()?;
    let (rows, cols) = out.matrix()?;
    same("the length of the first input and the rows of the output", column.count(), rows)?;
    same("the length of the second input and the columns of the output", row.count(), cols)?;
    for (out, x) in out.elements_mut().chunks_mut(cols).zip(column.elements()) {
        for (out, y) in out.iter_mut().zip(row.elements()) {
            *out = x.plus(*y);
        }
    }
    Ok(())
}
