//! `ldmatrix` and `stmatrix` by their forms, and `movmatrix`.

use super::*;

#[test]
fn forms_say_how_many_matrices_and_whether_they_are_transposed() {
    for (form, matrices, transposed) in [
        ("ldmatrix.sync.aligned.m8n8.x1.b16", 1, false),
        ("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 2, true),
        ("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16", 4, false),
    ] {
        let movement = RowMove { matrices, transposed };
        assert!(matches!(decoded(form), MatrixOp::LoadRows(found) if found == movement), "{form}");
        let store = form.replace("ldmatrix", "stmatrix");
        assert!(matches!(decoded(&store), MatrixOp::StoreRows(found) if found == movement), "{store}");
    }
}

#[test]
fn movmatrix_exchanges_rows_and_columns() {
    // Lane l holds elements 2(l mod 4) and the next of row l / 4: here 100·row + column.
    let word = |first: usize, second: usize| (first | second << 16) as u32;
    let rows: [u32; LANES] = std::array::from_fn(|lane| {
        let first = 100 * (lane / 4) + lane % 4 * 2;
        word(first, first + 1)
    });
    let columns: [u32; LANES] = std::array::from_fn(|lane| {
        let first = 100 * (lane % 4 * 2) + lane / 4;
        word(first, first + 100)
    });
    assert_eq!(transpose(&rows), columns);
    assert_eq!(transpose(&columns), rows);
}
