//! Recognises swapped row and column indices by comparing an output with what the reference computes from matrices
//! that are read that way.

use super::case_run::Output;
use super::compare::first_wrong;
use super::value::Values;
use super::verdict::Pattern;
use crate::course::{Buffer, Compare, SizedCase, Spec};

/// Largest total number of elements for which this is tried, because the reference runs again.
const MOST: usize = 1 << 14;
/// Smallest number of elements of an output that says anything: fewer may be the same by chance.
const LEAST: usize = 4;

/// Returns the right values of every output for the given inputs, if they can be computed.
type Expected<'a> = dyn Fn(&[Option<Values>]) -> Option<Vec<Values>> + 'a;

/// Returns the pattern of a mismatch in the buffer `wrong` for which no other was found, if it is recognised.
pub(super) fn recognise(
    wrong: &str,
    spec: &Spec,
    sized: &SizedCase,
    initial: &[Option<Values>],
    outputs: &[Output],
    expected: &Expected,
) -> Option<Pattern> {
    let by_place = |buffer: &Buffer| buffer.name != wrong || buffer.compare == Compare::default();
    let elements = sized.shapes.iter().map(|shape| shape.iter().product::<usize>());
    if !spec.buffers.iter().all(by_place) || elements.fold(0, usize::saturating_add) > MOST {
        return None;
    }
    let matrix = |buffer: usize| match sized.shapes.get(buffer)?.as_slice() {
        &[rows, columns] if rows > 1 && columns > 1 => Some((rows, columns)),
        _ => None,
    };
    let of_output = outputs.iter().position(|output| spec.buffers[output.buffer].name == wrong)?;
    let output = &outputs[of_output];
    if output.written.len() < LEAST {
        return None;
    }
    let inputs: Vec<usize> =
        (0..initial.len()).filter(|&b| initial[b].is_some() && matrix(b).is_some()).collect();
    // The simplest explanation first.
    let alone = inputs.iter().map(|&buffer| vec![buffer]);
    let all = (inputs.len() > 1).then(|| inputs.clone());
    alone.chain(all).find_map(|exchanged| {
        let mut read = initial.to_vec();
        for &buffer in &exchanged {
            let shape = matrix(buffer)?;
            read[buffer] = read[buffer].as_ref().map(|values| turned(values, shape));
        }
        let want = expected(&read)?.into_iter().nth(of_output)?;
        let is = |got: &Values| first_wrong(&want, got, &output.written, spec.tolerance).is_none();
        let written = match matrix(output.buffer) {
            _ if is(&output.got) => false,
            Some(shape) if is(&turned(&output.got, shape)) => true,
            _ => return None,
        };
        let read = exchanged.iter().map(|&buffer| spec.buffers[buffer].name.clone()).collect();
        Some(Pattern::ExchangedIndex { read, written })
    })
}

/// Returns the matrix that a kernel sees if it reads the element of row `i` and column `j` from `j * rows + i`.
fn turned(values: &Values, (rows, columns): (usize, usize)) -> Values {
    let from = |k: usize| k % columns * rows + k / columns;
    fn moved<T: Copy>(all: &[T], from: impl Fn(usize) -> usize) -> Vec<T> {
        (0..all.len()).filter_map(|k| all.get(from(k)).copied()).collect()
    }
    match values {
        Values::Int(all) => Values::Int(moved(all, from)),
        Values::Float(all) => Values::Float(moved(all, from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_turned_by_its_places() {
        let rows = Values::Int((0..6).collect());
        assert_eq!(turned(&rows, (2, 3)), Values::Int(vec![0, 2, 4, 1, 3, 5]));
        assert_eq!(turned(&turned(&rows, (2, 3)), (3, 2)), rows);
        let square = Values::Float(vec![0.0, 1.0, 2.0, 3.0]);
        assert_eq!(turned(&square, (2, 2)), Values::Float(vec![0.0, 2.0, 1.0, 3.0]));
    }

    /// `c[i][j] = a[i][j] + 10 * i + j + 100 * b[j][i]`, for shapes 2×3 and 3×2.
    fn reference(inputs: &[Option<Values>]) -> Option<Vec<Values>> {
        let (a, b) = (inputs[0].as_ref()?.to_ints(), inputs[1].as_ref()?.to_ints());
        let c = (0..6).map(|k| (k / 3, k % 3));
        let c = c.map(|(i, j)| a[i * 3 + j] + (10 * i + j) as i64 + 100 * b[j * 2 + i]);
        Some(vec![Values::Int(c.collect())])
    }

    /// A lesson with these buffers: name, role, shape.
    fn spec(n: usize, buffers: &[[&str; 3]]) -> Spec {
        let buffer = |[name, role, shape]: &[&str; 3]| {
            let fill = if *role == "in" { "fill = { kind = \"integers\", low = 0, high = 9 }" } else { "" };
            format!(
                "[[buffers]]\nname = \"{name}\"\ntype = \"i32\"\nshape = {shape}\nrole = \"{role}\"\n{fill}\n"
            )
        };
        let buffers: String = buffers.iter().map(buffer).collect();
        let text = format!(
            "order = 1\ntitle = \"T\"\nkind = \"kernel\"\nminutes = 5\nstarter = \"wrong-result\"\nreference = \
             \"map-2d\"\nhints = [\"a\", \"b\", \"c\"]\ncases = [{{ n = {n} }}]\n{buffers}[[launches]]\nkernel = \
             \"k\"\ngrid = [1]\nblock = [6]\nargs = [\"a\", \"c\"]\n",
        );
        toml::from_str(&text).unwrap()
    }

    fn pattern(got: impl Fn(&[i64], &[i64], usize, usize) -> (usize, i64)) -> Option<Pattern> {
        let buffers = [["a", "in", "[2, \"n\"]"], ["b", "in", "[\"n\", 2]"], ["c", "out", "[2, \"n\"]"]];
        let spec = spec(3, &buffers);
        let sized = spec.sized(&spec.cases[0]).unwrap();
        let (a, b) = ([3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 8, 7]);
        let mut c = vec![0; 6];
        for k in 0..6 {
            let (at, value) = got(&a, &b, k / 3, k % 3);
            c[at] = value;
        }
        let initial = [Some(Values::Int(a.into())), Some(Values::Int(b.into())), None];
        let outputs = [Output { buffer: 2, got: Values::Int(c), written: vec![true; 6] }];
        recognise("c", &spec, &sized, &initial, &outputs, &reference)
    }

    #[test]
    fn an_index_by_columns_is_known_where_it_reads_and_where_it_writes() {
        let found = |read: &[&str], written| {
            let read = read.iter().map(|name| name.to_string()).collect();
            Some(Pattern::ExchangedIndex { read, written })
        };
        let number = |i: usize, j: usize| (10 * i + j) as i64;
        let all = |a: &[i64], b: &[i64], i: usize, j: usize| a[j * 2 + i] + number(i, j) + 100 * b[i * 3 + j];
        assert_eq!(pattern(|a, b, i, j| (i * 3 + j, all(a, b, i, j))), found(&["a", "b"], false));
        assert_eq!(pattern(|a, b, i, j| (j * 2 + i, all(a, b, i, j))), found(&["a", "b"], true));
        let one = |a: &[i64], b: &[i64], i: usize, j: usize| a[i * 3 + j] + number(i, j) + 100 * b[i * 3 + j];
        assert_eq!(pattern(|a, b, i, j| (i * 3 + j, one(a, b, i, j))), found(&["b"], false));
        let other = |a: &[i64], b: &[i64], i: usize, j: usize| a[i * 3 + j] + 100 * b[j * 2 + i];
        assert_eq!(pattern(|a, b, i, j| (i * 3 + j, other(a, b, i, j))), None);
    }

    /// The pattern of a square's first column where its first row is wanted.
    fn column_for_row(n: usize) -> Option<Pattern> {
        let spec = spec(n, &[["a", "in", "[\"n\", \"n\"]"], ["c", "out", "[\"n\"]"]]);
        let sized = spec.sized(&spec.cases[0]).unwrap();
        let column = (0..n).map(|row| (row * n) as i64).collect();
        let initial = [Some(Values::Int((0..(n * n) as i64).collect())), None];
        let outputs = [Output { buffer: 1, got: Values::Int(column), written: vec![true; n] }];
        let first_row = |inputs: &[Option<Values>]| {
            let a = inputs[0].as_ref()?.to_ints();
            Some(vec![Values::Int(a[..n].to_vec())])
        };
        recognise("c", &spec, &sized, &initial, &outputs, &first_row)
    }

    #[test]
    fn few_elements_may_be_the_same_by_chance() {
        assert_eq!(column_for_row(3), None);
        assert_eq!(
            column_for_row(4),
            Some(Pattern::ExchangedIndex { read: vec!["a".to_string()], written: false })
        );
    }
}
