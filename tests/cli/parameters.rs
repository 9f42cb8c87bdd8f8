//! Kernels whose parameters are not the lesson's: what is told of them.

use super::{check_json, workspace};

#[test]
fn parameters_that_are_not_the_lessons_are_named_as_the_cause() {
    let folder = workspace();
    let describe = |parameters: &str| {
        let source = format!(
            "extern \"C\" __global__ void map({parameters}) {{\n    int i = threadIdx.x;\n    out[i] = in[i] + 10;\n}}\n"
        );
        std::fs::write(folder.path().join("kernels/1-puzzles/map.cu"), source).unwrap();
        let (exit, result) = check_json(folder.path(), &["map"]);
        assert_eq!(exit, 1, "{result}");
        result
    };
    let swapped = describe("float *out, const float *in");
    assert_eq!(swapped["reason"], "read-only-write", "{swapped}");
    assert_eq!(swapped["findings"][0]["at"]["expression"], "out[i]", "{swapped}");
    let order = "Put the parameters in the lesson's order: it passes in, out, but here they are out, in.";
    assert_eq!(swapped["suggestion"], order, "{swapped}");
    let wide = describe("const double *in, float *out");
    assert_eq!(wide["reason"], "out-of-bounds", "{wide}");
    assert!(wide["suggestion"].as_str().unwrap().starts_with("Declare `in` as the lesson does"), "{wide}");
    let whole = describe("const int *in, float *out");
    assert_eq!(whole["reason"], "wrong-result", "{whole}");
    let clues = whole["mismatch"]["clues"].to_string();
    assert!(clues.contains("here it is `const int *in`"), "{whole}");
}
