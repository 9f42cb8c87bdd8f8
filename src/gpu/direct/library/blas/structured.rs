//! Calls on symmetric, triangular and diagonal matrices, and rotations, for floats or doubles.

use super::{Cublas, Handle, M, Operand, P, Strided, bits, by_width, call, mode, pointer, small};
use crate::direct::work::Stream;
use crate::library::{Matrix, Scalar, Triangle, Vector};
use crate::protocol::Result;
use std::ffi::{CStr, c_int, c_void};

/// `cublasSideMode_t`, `cublasFillMode_t` and `cublasDiagType_t`
fn side(left: bool) -> c_int {
    (!left).into()
}

fn fill(its: &Triangle) -> c_int {
    its.upper.into()
}

fn diagonal(its: &Triangle) -> c_int {
    its.unit.into()
}

impl Cublas {
    /// C ← alpha·A·B + beta·C, or alpha·B·A + beta·C
    pub(super) fn symm(
        &mut self,
        stream: Stream,
        left: bool,
        [alpha, beta]: [&Scalar; 2],
        triangle: &Triangle,
        [b, c]: [&Matrix; 2],
    ) -> Result<()> {
        let element = c.element;
        let (a, b, c) = (Operand::of(&triangle.matrix)?, Operand::of(b)?, Operand::of(c)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = [bits(alpha, element), bits(beta, element)];
        let (alpha, beta) = (pointer(alpha, &bits[0]), pointer(beta, &bits[1]));
        let (side, fill, at, bt, ct) = (side(left), fill(triangle), a.at as P, b.at as P, c.at as M);
        call!(self.shared, by_width(element, c"cublasSsymm_v2", c"cublasDsymm_v2"),
            (Handle, c_int, c_int, c_int, c_int, P, P, c_int, P, c_int, P, M, c_int);
            handle, side, fill, c.rows, c.columns, alpha, at, a.leading, bt, b.leading, beta, ct, c.leading
        )
    }

    /// C ← alpha·op(A)·op(A)ᵀ + beta·C
    pub(super) fn syrk(
        &mut self,
        stream: Stream,
        [alpha, beta]: [&Scalar; 2],
        (a, inner): (&Matrix, u64),
        triangle: &Triangle,
    ) -> Result<()> {
        let element = a.element;
        // In one mode, both scalars would have to be on the device.
        if inner == 1 && a.transposed && *beta == Scalar::Value(1.0) {
            return self.syr(stream, alpha, a, triangle);
        }
        let ([k], a, c) = (small([inner])?, Operand::of(a)?, Operand::of(&triangle.matrix)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = [bits(alpha, element), bits(beta, element)];
        let (alpha, beta) = (pointer(alpha, &bits[0]), pointer(beta, &bits[1]));
        let (fill, at, ct) = (fill(triangle), a.at as P, c.at as M);
        call!(self.shared, by_width(element, c"cublasSsyrk_v2", c"cublasDsyrk_v2"),
            (Handle, c_int, c_int, c_int, c_int, P, P, c_int, P, M, c_int);
            handle, fill, a.operation, c.rows, k, alpha, at, a.leading, beta, ct, c.leading
        )
    }

    /// A ← alpha·x·xᵀ + A for a vector in a row
    fn syr(&mut self, stream: Stream, alpha: &Scalar, x: &Matrix, triangle: &Triangle) -> Result<()> {
        let element = x.element;
        let (x, a) = (Operand::of(x)?, Operand::of(&triangle.matrix)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = bits(alpha, element);
        let (fill, alpha, xs, at) = (fill(triangle), pointer(alpha, &bits), x.at as P, a.at as M);
        call!(self.shared, by_width(element, c"cublasSsyr_v2", c"cublasDsyr_v2"),
            (Handle, c_int, c_int, P, P, c_int, M, c_int);
            handle, fill, a.rows, alpha, xs, x.leading, at, a.leading
        )
    }

    /// B ← the X with op(A)·X = alpha·B, or with X·op(A) = alpha·B
    pub(super) fn trsm(
        &mut self,
        stream: Stream,
        left: bool,
        alpha: &Scalar,
        triangle: &Triangle,
        b: &Matrix,
    ) -> Result<()> {
        let element = b.element;
        let (a, b) = (Operand::of(&triangle.matrix)?, Operand::of(b)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = bits(alpha, element);
        let (side, fill, diagonal) = (side(left), fill(triangle), diagonal(triangle));
        let (alpha, at, bt) = (pointer(alpha, &bits), a.at as P, b.at as M);
        call!(self.shared, by_width(element, c"cublasStrsm_v2", c"cublasDtrsm_v2"),
            (Handle, c_int, c_int, c_int, c_int, c_int, c_int, P, P, c_int, M, c_int);
            handle, side, fill, a.operation, diagonal, b.rows, b.columns, alpha, at, a.leading, bt, b.leading
        )
    }

    /// C ← alpha·op(A)·B, or alpha·B·op(A)
    pub(super) fn trmm(
        &mut self,
        stream: Stream,
        left: bool,
        alpha: &Scalar,
        triangle: &Triangle,
        [b, c]: [&Matrix; 2],
    ) -> Result<()> {
        let element = c.element;
        let (a, b, c) = (Operand::of(&triangle.matrix)?, Operand::of(b)?, Operand::of(c)?);
        let handle = self.on(stream, mode(alpha))?;
        let bits = bits(alpha, element);
        let (side, fill, diagonal) = (side(left), fill(triangle), diagonal(triangle));
        let (alpha, at, bt, ct) = (pointer(alpha, &bits), a.at as P, b.at as P, c.at as M);
        call!(self.shared, by_width(element, c"cublasStrmm_v2", c"cublasDtrmm_v2"),
            (Handle, c_int, c_int, c_int, c_int, c_int, c_int, P, P, c_int, P, c_int, M, c_int);
            handle, side, fill, a.operation, diagonal, c.rows, c.columns, alpha, at, a.leading, bt, b.leading, ct,
            c.leading
        )
    }

    /// C ← diag(x)·A, or A·diag(x)
    pub(super) fn dgmm(
        &mut self,
        stream: Stream,
        left: bool,
        x: &Vector,
        [a, c]: [&Matrix; 2],
    ) -> Result<()> {
        let name: &CStr = by_width(c.element, c"cublasSdgmm", c"cublasDdgmm");
        let (a, c, x) = (Operand::of(a)?, Operand::of(c)?, Strided::of(x)?);
        let handle = self.on(stream, super::ON_HOST)?;
        let (side, at, xs, ct) = (side(left), a.at as P, x.at as P, c.at as M);
        call!(self.shared, name,
            (Handle, c_int, c_int, c_int, P, c_int, P, c_int, M, c_int);
            handle, side, c.rows, c.columns, at, a.leading, xs, x.step, ct, c.leading
        )
    }

    /// x ← cosine·x + sine·y, y ← cosine·y − sine·x
    pub(super) fn rotate(
        &mut self,
        stream: Stream,
        [x, y]: [&Vector; 2],
        [cosine, sine]: [&Scalar; 2],
    ) -> Result<()> {
        let element = x.element;
        let (x, y) = (Strided::of(x)?, Strided::of(y)?);
        let handle = self.on(stream, mode(cosine))?;
        let bits = [bits(cosine, element), bits(sine, element)];
        let (cosine, sine) = (pointer(cosine, &bits[0]), pointer(sine, &bits[1]));
        call!(self.shared, by_width(element, c"cublasSrot_v2", c"cublasDrot_v2"),
            (Handle, c_int, M, c_int, M, c_int, P, P);
            handle, x.length, x.at as M, x.step, y.at as M, y.step, cosine, sine
        )
    }
}
