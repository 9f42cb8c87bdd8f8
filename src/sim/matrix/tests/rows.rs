//! `ldmatrix`, `stmatrix`, `movmatrix`, and a product of tiles loaded with them.

use super::*;

fn row_move(form: &str) -> RowMove {
    match decoded(form) {
        MatrixOp::LoadRows(movement) | MatrixOp::StoreRows(movement) => movement,
        other => panic!("{form} is {other:?}"),
    }
}

/// Rows of 8×8 matrices whose elements are 100·row + column, row counted over all matrices.
fn numbered(rows: usize) -> Vec<[u8; 16]> {
    (0..rows)
        .map(|row| {
            let mut bytes = [0; 16];
            for column in 0..8 {
                let value = (100 * row + column) as u16;
                bytes[2 * column..2 * column + 2].copy_from_slice(&value.to_le_bytes());
            }
            bytes
        })
        .collect()
}

#[test]
fn ldmatrix_gives_each_lane_two_neighbours_of_a_row() {
    let load = row_move("ldmatrix.sync.aligned.m8n8.x4.shared.b16");
    assert_eq!((load.rows(), load.matrices), (32, 4));
    let mut registers = [[0; LANES]; 4];
    load.load(&numbered(32), &mut registers);
    for (matrix, register) in registers.iter().enumerate() {
        for (lane, word) in register.iter().enumerate() {
            let first = (100 * (matrix * 8 + lane / 4) + lane % 4 * 2) as u32;
            assert_eq!(*word, first | (first + 1) << 16);
        }
    }
}

#[test]
fn transposed_ldmatrix_gives_neighbours_of_a_column() {
    let load = row_move("ldmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16");
    let mut register = [[0; LANES]];
    load.load(&numbered(8), &mut register);
    for (lane, word) in register[0].iter().enumerate() {
        let first = (100 * (lane % 4 * 2) + lane / 4) as u32;
        assert_eq!(*word, first | (first + 100) << 16);
    }
    let plain = row_move("ldmatrix.sync.aligned.m8n8.x1.b16");
    let mut straight = [[0; LANES]];
    plain.load(&numbered(8), &mut straight);
    assert_eq!(transpose(&straight[0]), register[0]);
    assert_eq!(transpose(&register[0]), straight[0]);
}

#[test]
fn stmatrix_undoes_ldmatrix() {
    for trans in ["", ".trans"] {
        let load = row_move(&format!("ldmatrix.sync.aligned.m8n8.x2{trans}.shared.b16"));
        let store = row_move(&format!("stmatrix.sync.aligned.m8n8.x2{trans}.shared.b16"));
        let (mut registers, mut rows) = ([[0; LANES]; 2], vec![[0; 16]; 16]);
        load.load(&numbered(16), &mut registers);
        store.store(&registers, &mut rows);
        assert_eq!(rows, numbered(16));
    }
}

#[test]
fn too_few_rows_leave_registers_alone() {
    let load = row_move("ldmatrix.sync.aligned.m8n8.x4.shared.b16");
    let mut registers = [[7; LANES]; 4];
    load.load(&numbered(7), &mut registers);
    assert_eq!(registers, [[7; LANES]; 4]);
}

/// A (16×16) and B (16×8), both row-major in shared memory: A by `x4`, B by `x2.trans`.
#[test]
fn tiles_loaded_by_ldmatrix_multiply() {
    let element = |seed: usize, row: usize, column: usize| (row * 7 + column * 3 + seed) % 9;
    let half = |value: usize| {
        ((((value as f32).to_bits() >> 13) as u16).wrapping_sub((127 - 15) << 10)) * u16::from(value != 0)
    };
    let row_bytes = |seed: usize, row: usize, first_column: usize| {
        let mut bytes = [0; 16];
        for column in 0..8 {
            let value = half(element(seed, row, first_column + column));
            bytes[2 * column..2 * column + 2].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    };
    // Lane l points at row l mod 16, column 8 (l / 16).
    let a_rows: Vec<_> = (0..32).map(|lane| row_bytes(0, lane % 16, lane / 16 * 8)).collect();
    let b_rows: Vec<_> = (0..16).map(|lane| row_bytes(5, lane, 0)).collect();
    let (mut a, mut b, mut d) = ([[0; LANES]; 4], [[0; LANES]; 2], [[0; LANES]; 4]);
    row_move("ldmatrix.sync.aligned.m8n8.x4.shared.b16").load(&a_rows, &mut a);
    row_move("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16").load(&b_rows, &mut b);
    let op = multiply("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    op.run(&a, &b, &[[0; LANES]; 4], &mut d);
    for (register, lanes) in d.iter().enumerate() {
        for (lane, word) in lanes.iter().enumerate() {
            let at = op.fragment_d().position(lane, register, 0);
            let expected: usize = (0..16).map(|k| element(0, at.row, k) * element(5, k, at.column)).sum();
            assert_eq!(f32::from_bits(*word), expected as f32);
        }
    }
}
