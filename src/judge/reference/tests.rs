//! Tests every reference with an answer computed by hand.

use super::*;

fn ints(ty: ElementType, shape: &[usize], values: &[i64]) -> Buffer<'static> {
    Buffer { ty, shape: shape.to_vec().leak(), values: Values::Int(values.to_vec()) }
}

/// Runs a reference on `inputs` with an output of shape `out`; returns the answer computed over i32, having checked
/// that f32 gives the same.
fn answer(name: &str, inputs: &[(&[usize], &[i64])], out: &[usize], sizes: &[(&str, i64)]) -> Vec<i64> {
    let sizes = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let [int, float] = [ElementType::I32, ElementType::F32].map(|ty| {
        let inputs: Vec<_> = inputs.iter().map(|(shape, values)| ints(ty, shape, values)).collect();
        let poison = vec![-77; out.iter().product()];
        find(name).unwrap().run(&inputs, &[ints(ty, out, &poison)], &sizes).unwrap()
    });
    assert_eq!(int[0].to_floats(), float[0].to_floats(), "{name}");
    int[0].to_ints()
}

#[test]
fn every_reference_gives_the_answer_worked_out_by_hand() {
    let mut tested = std::collections::BTreeSet::new();
    let mut check = |name: &'static str, inputs: &[(&[usize], &[i64])], out: &[usize], want: &[i64]| {
        tested.insert(name);
        assert_eq!(answer(name, inputs, out, &[]), want, "{name}");
    };
    check("map", &[(&[3], &[4, -7, 1])], &[3], &[14, 3, 11]);
    check("guards", &[(&[1], &[5])], &[1], &[15]);
    check("blocks", &[(&[2], &[0, 1])], &[2], &[10, 11]);
    check("shared", &[(&[2], &[0, 1])], &[2], &[10, 11]);
    check("map-2d", &[(&[2, 2], &[1, 2, 3, 4])], &[2, 2], &[1, 3, 13, 15]);
    check("blocks-2d", &[(&[1, 3], &[1, 2, 3])], &[1, 3], &[1, 3, 5]);
    check("zip", &[(&[3], &[1, 2, 3]), (&[3], &[10, 20, 30])], &[3], &[11, 22, 33]);
    check("broadcast", &[(&[2, 1], &[1, 2]), (&[1, 3], &[10, 20, 30])], &[2, 3], &[11, 21, 31, 12, 22, 32]);
    check("pooling", &[(&[5], &[1, 2, 4, 8, 16])], &[5], &[1, 3, 7, 14, 28]);
    check("dot-product", &[(&[3], &[1, 2, 3]), (&[3], &[4, 5, 6])], &[1], &[32]);
    check("conv-1d", &[(&[4], &[1, 2, 3, 4]), (&[3], &[1, 10, 100])], &[4], &[321, 432, 43, 4]);
    check("conv-1d", &[(&[2], &[1, 2]), (&[3], &[1, 10, 100])], &[2], &[21, 2]);
    check("block-sum", &[(&[9], &[1, 1, 1, 1, 1, 1, 1, 1, 5])], &[2], &[8, 5]);
    check("axis-sum", &[(&[2, 3], &[1, 2, 3, 4, 5, 6])], &[2], &[6, 15]);
    check(
        "matmul",
        &[(&[2, 3], &[1, 2, 3, 4, 5, 6]), (&[3, 2], &[7, 8, 9, 10, 11, 12])],
        &[2, 2],
        &[58, 64, 139, 154],
    );
    check("prefix-sum", &[(&[4], &[1, 2, 3, 4])], &[4], &[1, 3, 6, 10]);
    check("reduce-ladder", &[(&[3], &[1, 2, 4])], &[1], &[7]);
    check("sum", &[(&[3], &[1, 2, 4])], &[1], &[7]);
    assert_eq!(answer("scale", &[(&[3], &[1, -2, 4])], &[3], &[("factor", 3)]), [3, -6, 12]);
    tested.insert("scale");
    assert_eq!(tested.len(), TABLE.len(), "a reference has no case here");
    assert_eq!(answer("block-sum", &[(&[3], &[1, 2, 4])], &[2], &[("block", 2)]), [3, 4]);
}

#[test]
fn buffers_that_do_not_fit_are_refused() {
    let run = |name: &str, inputs: &[&[usize]], out: &[usize]| {
        let inputs: Vec<_> = inputs.iter().map(|shape| ints(ElementType::F64, shape, &[])).collect();
        find(name).unwrap().run(&inputs, &[ints(ElementType::F64, out, &[])], &Case::new()).map_err(|e| e.0)
    };
    for reference in TABLE {
        assert!(run(reference.name, &[], &[3]).is_err(), "{}", reference.name);
        assert!(run(reference.name, &[&[3], &[2], &[7]], &[3]).is_err(), "{}", reference.name);
        let _ = run(reference.name, &[&[4, 3]], &[7]).is_err();
        let _ = run(reference.name, &[&[4, 3], &[5, 2]], &[1, 2, 3]).is_err();
    }
    let error = run("zip", &[&[3], &[4]], &[3]).unwrap_err();
    assert_eq!(error, "the lengths of both inputs must be the same, found 3 and 4");
    let error = run("zip", &[&[3]], &[3]).unwrap_err();
    assert_eq!(error, "2 input(s) and 1 output(s) are needed, the lesson has 1 and 1");
}

#[test]
fn integers_wrap_and_floats_round_once() {
    let int = [ints(ElementType::I32, &[2], &[i32::MAX.into(), 1])];
    let out = find("sum").unwrap().run(&int, &[ints(ElementType::I32, &[1], &[0])], &Case::new()).unwrap();
    assert_eq!(out[0].to_ints(), [i64::from(i32::MIN)]);
    // Accumulated in f32, each 1 would be lost.
    let values: Vec<i64> = [1 << 24].into_iter().chain([1; 64]).collect();
    let float = [ints(ElementType::F32, &[65], &values)];
    let out = find("sum").unwrap().run(&float, &[ints(ElementType::F32, &[1], &[0])], &Case::new()).unwrap();
    assert_eq!(out[0].to_floats(), [f64::from((1 << 24) + 64)]);
}
