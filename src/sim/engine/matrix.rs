//! Matrix operations of a warp: arithmetic, and the addresses of the matrices they load and store.

use super::warp::Warp;
use crate::code::MatrixCode;
use crate::lanes::{LANES, Lanes32, Lanes64};
use crate::matrix::{Element, transpose};

/// Performs the operation over all lanes; the active ones receive results.
pub fn perform(warp: &mut Warp, code: &MatrixCode) {
    match code {
        MatrixCode::Multiply { op, d, a, b, c } if op.a == Element::F64 => {
            let read =
                |list: &[u32]| -> Vec<Lanes64> { list.iter().map(|&r| *warp.registers.r64(r)).collect() };
            let (a, b, c) = (read(a), read(b), read(c));
            let mut out = vec![[0; LANES]; d.len()];
            op.run_f64(&a, &b, &c, &mut out);
            for (&register, value) in d.iter().zip(&out) {
                warp.registers.set64(register, value);
            }
        }
        MatrixCode::Multiply { op, d, a, b, c } => {
            let read =
                |list: &[u32]| -> Vec<Lanes32> { list.iter().map(|&r| *warp.registers.r32(r)).collect() };
            let (a, b, c) = (read(a), read(b), read(c));
            let mut out = vec![[0; LANES]; d.len()];
            op.run(&a, &b, &c, &mut out);
            for (&register, value) in d.iter().zip(&out) {
                warp.registers.set32(register, value);
            }
        }
        MatrixCode::Transpose { d, source } => {
            let out = transpose(warp.registers.r32(*source));
            warp.registers.set32(*d, &out);
        }
        MatrixCode::WmmaAddresses { op, base, stride, d } => {
            let (base, stride) = (*warp.registers.r64(*base), *warp.registers.r32(*stride));
            for (&register, step) in d.iter().zip(op.steps()) {
                let address = std::array::from_fn(|lane| {
                    base[lane].wrapping_add(op.byte_offset(lane, *step, stride[lane] as u64))
                });
                warp.registers.set64(register, &address);
            }
        }
        MatrixCode::RowAddresses { transposed, base, d } => {
            let base = *warp.registers.r64(*base);
            for (n, &register) in d.iter().enumerate() {
                let address = std::array::from_fn(|lane| {
                    // Row and first column, in 16-bit elements, of the lane's part.
                    let (matrix, row, column) = if *transposed {
                        (n / 2, lane % 4 * 2 + n % 2, lane / 4)
                    } else {
                        (n, lane / 4, lane % 4 * 2)
                    };
                    base[(matrix * 8 + row) % LANES].wrapping_add(column as u64 * 2)
                });
                warp.registers.set64(register, &address);
            }
        }
    }
}
