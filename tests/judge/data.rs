//! What a lesson's data may be: outputs that begin as zero, values written out, other fills for some cases, outputs
//! compared in part or in any order.

use crate::compiler;
use gpulearn::judge::course::Course;
use gpulearn::judge::{self, Failure, Options, Verdict};
use std::path::Path;

/// A course of one lesson, `one`, with the rest of its lesson.toml and its reference.
fn lesson(root: &Path, toml: &str, reference: &str) {
    let head = "order = 10\ntitle = \"One\"\nkind = \"kernel\"\nminutes = 10\nstarter = \"wrong-result\"\n\
        hints = [\"a\", \"b\", \"c\"]\n";
    let text = "The idea.\n\n## Task\n\nDo it.\n\n## Checked\n\n- it\n\n## Afterwards\n\nDone.\n";
    for (path, text) in [
        ("lessons/1-a/part.toml", "title = \"A\"\nabout = \"First.\"\n"),
        ("lessons/1-a/one/lesson.toml", &*format!("{head}{toml}")),
        ("lessons/1-a/one/lesson.md", text),
        ("lessons/1-a/one/reference.cu", reference),
        ("kernels/1-a/one.cu", reference),
        ("solutions/1-a/one.cu", reference),
    ] {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn judged(root: &Path, source: &str) -> anyhow::Result<Verdict> {
    let course = Course::from_dir(root).map_err(|error| anyhow::anyhow!("{error}"))?;
    judge::run(course.lesson("one").unwrap(), source, "one.cu", &compiler(), &Options::default())
}

fn wrong(root: &Path, source: &str) -> judge::Mismatch {
    match judged(root, source).unwrap().result.unwrap_err() {
        Failure::Wrong(mismatch) => mismatch,
        other => panic!("{other:?}"),
    }
}

const COUNTED: &str = r#"reference = "reference.cu"
cases = [{ n = 200 }, { n = 1 }]

[[buffers]]
name = "in"
type = "i32"
shape = ["n"]
role = "in"
fill = { kind = "integers", low = 0, high = 3 }

[[buffers]]
name = "counts"
type = "i32"
shape = [4]
role = "out"
begins = "zero"

[[launches]]
kernel = "count"
grid = ["ceil_div(n, 64)"]
block = [64]
args = ["in", "counts", "n: i32"]
"#;

const COUNT: &str = "__global__ void count(const int *in, int *counts, int n) {\n\
    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) atomicAdd(&counts[in[i]], 1);\n}\n";

#[test]
fn an_output_that_begins_as_zero_may_be_added_to() {
    let root = tempfile::tempdir().unwrap();
    lesson(root.path(), COUNTED, COUNT);
    let verdict = judged(root.path(), COUNT).unwrap();
    assert!(verdict.result.is_ok(), "{:?}", verdict.result);
    let twice = COUNT.replace(", 1)", ", 2)");
    assert_eq!(wrong(root.path(), &twice).buffer, "counts");
    // Without it, what is added to holds nothing.
    lesson(root.path(), &COUNTED.replace("begins = \"zero\"\n", ""), COUNT);
    let said = format!("{:#}", judged(root.path(), COUNT).unwrap_err());
    assert!(said.contains("reference.cu") && said.contains("uninitialised"), "{said}");
}

const DOUBLED: &str = r#"reference = "reference.cu"
cases = [
    { n = 40 },
    { n = 4, in = [1, 2, 3, -4], expected = { out = [2, 4, 6, -8] } },
    { n = 4, in = "four.txt", name = "large ones" },
    { n = 9, in = { kind = "permutation" } },
]

[[buffers]]
name = "in"
type = "i32"
shape = ["n"]
role = "in"
fill = { kind = "sorted", low = -9, high = 9 }

[[buffers]]
name = "out"
type = "i32"
shape = ["n"]
role = "out"

[[launches]]
kernel = "twice"
grid = [1]
block = [64]
args = ["in", "out", "n: i32"]
"#;

const TWICE: &str = "__global__ void twice(const int *in, int *out, int n) {\n\
    int i = threadIdx.x;\n    if (i < n) out[i] = 2 * in[i];\n}\n";

#[test]
fn a_case_may_have_values_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    lesson(root.path(), DOUBLED, TWICE);
    let file = root.path().join("lessons/1-a/one/four.txt");
    std::fs::write(&file, "# beyond 16 bits\n100000, -100000\n65536 70000\n").unwrap();
    assert!(judged(root.path(), TWICE).unwrap().result.is_ok());
    // Each is meant by its name, and by what tells it from the others.
    let only = |condition: &str| wrong(root.path(), &TWICE.replace("2 * in[i]", condition)).case.to_string();
    assert_eq!(only("in[i] == -4 && n == 4 ? 0 : 2 * in[i]"), "n = 4, in = [1, 2, 3, -4]");
    assert_eq!(only("(short)(2 * in[i])"), "n = 4, large ones");
    assert_eq!(only("n == 9 ? 0 : 2 * in[i]"), "n = 9, in permutation");
    assert_eq!(only("in[i] == in[0] ? 7 : 2 * in[i]"), "n = 40");
    // The numbers of a file, and how many.
    std::fs::write(&file, "1 2\n3 four\n").unwrap();
    let said = judged(root.path(), TWICE).unwrap_err().to_string();
    assert!(said.contains("one/four.txt:2: \"four\" is not a number"), "{said}");
    std::fs::write(&file, "1 2 3\n").unwrap();
    let said = judged(root.path(), TWICE).unwrap_err().to_string();
    assert!(said.contains("cases[2].in: a number for each of 4 elements is needed, found 3"), "{said}");
    std::fs::remove_file(file).unwrap();
    let said = judged(root.path(), TWICE).unwrap_err().to_string();
    assert!(said.contains("one/four.txt: this file is missing"), "{said}");
}

#[test]
fn what_a_case_expects_is_held_against_the_reference() {
    let root = tempfile::tempdir().unwrap();
    let four = |root: &Path| std::fs::write(root.join("lessons/1-a/one/four.txt"), "1 2 3 4").unwrap();
    lesson(root.path(), &DOUBLED.replace("-8] }", "-7] }"), TWICE);
    four(root.path());
    let said = format!("{:#}", judged(root.path(), TWICE).unwrap_err());
    let wanted = "lessons/1-a/one/lesson.toml: cases: n = 4, in = [1, 2, 3, -4]: element 3 of \"out\" is expected to \
        be -7, but the reference computes -8";
    assert!(said.contains(wanted), "{said}");
    // Without a reference, the cases alone say what is right: all of them have to.
    let alone = DOUBLED.replace("\"reference.cu\"", "\"expected\"");
    lesson(root.path(), &alone, TWICE);
    let said = judged(root.path(), TWICE).unwrap_err().to_string();
    assert!(said.contains("cases[0]: `expected` needs the values of \"out\""), "{said}");
    let one = alone.lines().filter(|line| !line.starts_with("    {") || line.contains("expected"));
    lesson(root.path(), &one.collect::<Vec<_>>().join("\n"), TWICE);
    assert!(judged(root.path(), TWICE).unwrap().result.is_ok());
    let found = wrong(root.path(), &TWICE.replace("2 *", "3 *"));
    assert_eq!((found.differing, found.window[0].want.as_str()), (4, "2"));
}

const KEPT: &str = r#"reference = "reference.cu"
cases = [{ n = 100 }, { n = 1 }]

[[buffers]]
name = "in"
type = "i32"
shape = ["n"]
role = "in"
fill = { kind = "integers", low = -9, high = 9 }

[[buffers]]
name = "kept"
type = "i32"
shape = ["n"]
role = "out"
writer = "any"
compare = { first = "count", order = "any" }

[[buffers]]
name = "count"
type = "i32"
shape = [1]
role = "out"
begins = "zero"

[[launches]]
kernel = "keep"
grid = ["ceil_div(n, 32)"]
block = [32]
args = ["in", "kept", "count", "n: i32"]
"#;

/// Keeps what is positive, from the last thread's place on backwards: in another order than `KEEP`.
const KEEP: &str = "__global__ void keep(const int *in, int *kept, int *count, int n) {\n\
    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n && in[i] > 0) kept[atomicAdd(count, 1)] = in[i];\n}\n";
const BACKWARDS: &str = "__global__ void keep(const int *in, int *kept, int *count, int n) {\n\
    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i != 0) return;\n    int at = 0;\n    \
    for (int k = n - 1; k >= 0; k--) if (in[k] > 0) kept[at++] = in[k];\n    *count = at;\n}\n";

#[test]
fn an_output_may_be_compared_in_part_and_in_any_order() {
    let root = tempfile::tempdir().unwrap();
    lesson(root.path(), KEPT, KEEP);
    for right in [KEEP, BACKWARDS] {
        let verdict = judged(root.path(), right).unwrap();
        assert!(verdict.result.is_ok(), "{:?}", verdict.result);
    }
    let found = wrong(root.path(), &BACKWARDS.replace("= in[k];", "= in[k] == 9 ? 90 : in[k];"));
    assert!(found.any_order && found.differing > 0 && found.differing < 40, "{found:?}");
    let wrong_ones = found.window.iter().filter(|element| !element.right);
    assert!(wrong_ones.map(|element| &*element.want).all(|want| want == "9"), "{found:?}");
    let found = wrong(root.path(), &BACKWARDS.replace("*count = at;", "*count = at - 1;"));
    assert_eq!((found.buffer.as_str(), found.any_order), ("count", false));
    lesson(root.path(), &KEPT.replace(", order = \"any\"", ""), KEEP);
    assert!(!wrong(root.path(), BACKWARDS).any_order);
}

const ROWS: &str = r#"reference = "reference.cu"
cases = [{ rows = 20, columns = 7, entries = 50 }, { rows = 1, columns = 1, entries = 1 }]

[[buffers]]
name = "row"
type = "i32"
shape = ["rows + 1"]
role = "in"
fill = { kind = "row-offsets", total = "entries" }

[[buffers]]
name = "column"
type = "i32"
shape = ["entries"]
role = "in"
fill = { kind = "integers", low = 0, high = "columns" }

[[buffers]]
name = "x"
type = "f32"
shape = ["columns + 1"]
role = "in"
fill = { kind = "halves", low = -9, high = 9 }

[[buffers]]
name = "y"
type = "f32"
shape = ["rows"]
role = "out"

[[launches]]
kernel = "gather"
grid = [1]
block = [32]
args = ["row", "column", "x", "y", "rows: i32"]
"#;

#[test]
fn rows_of_a_sparse_matrix_are_made() {
    let root = tempfile::tempdir().unwrap();
    let gather = "__global__ void gather(const int *row, const int *column, const float *x, float *y, int rows) {\n\
        int r = threadIdx.x;\n    if (r >= rows) return;\n    float sum = 0;\n    \
        for (int k = row[r]; k < row[r + 1]; k++) sum += x[column[k]];\n    y[r] = sum;\n}\n";
    lesson(root.path(), ROWS, gather);
    assert!(judged(root.path(), gather).unwrap().result.is_ok());
    // Rows without entries are there.
    let never_empty = gather.replace("y[r] = sum;", "y[r] = row[r] == row[r + 1] ? 1 : sum;");
    assert_eq!(wrong(root.path(), &never_empty).buffer, "y");
}
