//! Lessons that are being written.

use super::run;
use std::path::Path;

fn draft(root: &Path) -> (i32, String) {
    let (exit, out, err) = run(root, &["author", "check", "--draft", "--offline", "--backend", "sim"]);
    (exit, out + &err)
}

#[test]
fn a_draft_is_proved_as_far_as_it_goes() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path);
    assert_eq!(run(root.path(), &["author", "new", "1-first", "twice"]).0, 0);
    let (exit, said) = draft(root.path());
    assert!(
        exit == 0 && said.contains("1 of 1 lessons verified in") && said.contains("and nothing is missing"),
        "{said}"
    );
    // Everything that may come later goes.
    let toml = at("lessons/1-first/twice/lesson.toml");
    let text = std::fs::read_to_string(&toml).unwrap();
    let (before, rest) = text.split_once("hints = [").unwrap();
    let text = before.to_owned() + rest.split_once("]\n").unwrap().1;
    let text: String =
        text.lines().filter(|line| !line.starts_with("starter")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&toml, &text).unwrap();
    std::fs::remove_file(at("lessons/1-first/twice/lesson.md")).unwrap();
    std::fs::remove_dir_all(at("tests/wrong/twice")).unwrap();
    let (exit, said) = draft(root.path());
    for remark in [
        "· lessons/1-first/twice/lesson.md: this file is missing",
        "· lessons/1-first/twice/lesson.toml: hints: exactly three are needed",
        "· lessons/1-first/twice/lesson.toml: starter: the verdict that the starter must get is needed",
        "· kernels/1-first/twice.cu: the starter's verdict is \"wrong-result",
        "· tests/wrong/twice: at least 3 wrong kernels are needed, found 0",
        "1 of 1 lessons verified in",
        "; 5 things missing or too long",
    ] {
        assert!(said.contains(remark), "{remark}: {said}");
    }
    assert_eq!(exit, 0, "{said}");
    // Without the option each of them is a problem.
    let (exit, out, _) = run(root.path(), &["author", "check", "--offline", "--backend", "sim"]);
    assert!(exit == 1 && out.contains("✗ lessons/1-first/twice/lesson.md: this file is missing"), "{out}");
    // Lines that are too long are a remark; what is wrong stays a problem.
    let solution = at("solutions/1-first/twice.cu");
    let right = std::fs::read_to_string(&solution).unwrap();
    std::fs::write(&solution, format!("// {}\n{right}", "long ".repeat(30))).unwrap();
    let (exit, said) = draft(root.path());
    assert!(
        exit == 0 && said.contains("· solutions/1-first/twice.cu:1: 153 columns, more than 100"),
        "{said}"
    );
    std::fs::write(&solution, right.replace("2 *", "3 *")).unwrap();
    let (exit, said) = draft(root.path());
    assert!(exit == 1 && said.contains("  solutions/1-first/twice.cu: it must pass"), "{said}");
    std::fs::remove_file(&solution).unwrap();
    let (exit, said) = draft(root.path());
    assert!(exit == 0 && said.contains("· solutions/1-first/twice.cu: this file is missing"), "{said}");
    std::fs::write(&toml, text.replace("[\"n\"]", "[\"m\"]")).unwrap();
    let (exit, said) = draft(root.path());
    assert!(exit == 1 && said.contains("unknown name \"m\"") && said.contains(" other problem"), "{said}");
}

/// The folder of a problem as public collections have them.
fn problem(folder: &Path) {
    for (name, text) in [
        (
            "README.md",
            "# Vector addition\n\nWrite a program that adds two vectors of 32-bit floats on the GPU, element by element, \
             and stores the sums in a third one.\n\n## Requirements\n\n- External libraries are not permitted\n- The \
             `solve` function signature must remain unchanged\n",
        ),
        (
            "starter.cu",
            "#include <cuda_runtime.h>\n\n__global__ void vector_add(const float* A, const float* B, float* C, int N) \
             {\n}\n\n// A, B, C are device pointers\nextern \"C\" void solve(const float* A, const float* B, float* C, \
             int N) {\n    vector_add<<<(N + 255) / 256, 256>>>(A, B, C, N);\n    cudaDeviceSynchronize();\n}\n",
        ),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

const SOLVED: &str = "#include <cuda_runtime.h>\n\n__global__ void add(const float* A, const float* B, float* C, int N) {\n    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < N) C[i] = A[i] + B[i];\n}\n\nextern \"C\" void solve(const \
    float* A, const float* B, float* C, int N) {\n    add<<<(N + 255) / 256, 256>>>(A, B, C, N);\n    \
    cudaDeviceSynchronize();\n}\n";

#[test]
fn a_problem_of_another_collection_becomes_a_draft() {
    let (root, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let import = |more: &[&str]| {
        let source = folder.path().to_str().unwrap();
        let args = [&["author", "import", source, "--part", "1-own", "--slug", "vector-add"], more].concat();
        let (exit, out, err) = run(root.path(), &args);
        (exit, out + &err.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (exit, said) = import(&[]);
    assert!(exit == 2 && said.contains("a starter.cu is needed; there is no .cu file"), "{said}");
    problem(folder.path());
    let (exit, said) = import(&[]);
    assert!(exit == 2 && said.contains("a reference.cu or a reference.py is needed"), "{said}");
    std::fs::write(folder.path().join("reference.cu"), SOLVED).unwrap();
    std::fs::write(folder.path().join("solution.cu"), SOLVED).unwrap();
    let (exit, said) = import(&[]);
    assert!(exit == 0 && said.contains("author check vector-add --draft"), "{said}");
    let (exit, said) = draft(root.path());
    assert!(exit == 0 && said.contains("✓ vector-add") && said.contains("1 of 1 lessons verified"), "{said}");
    assert!(said.contains("· kernels/1-own/vector-add.cu: the starter's verdict is"), "{said}");
    let text = std::fs::read_to_string(root.path().join("lessons/1-own/vector-add/lesson.toml")).unwrap();
    assert!(text.contains("title = \"Vector addition\"") && text.contains("memory = \"device\""), "{text}");
    let (exit, said) = import(&[]);
    assert!(exit == 2 && said.contains("already"), "{said}");
    // The starter does nothing, and is judged as such.
    std::fs::write(root.path().join("solutions/1-own/vector-add.cu"), SOLVED.replace("+ B[i]", "- B[i]"))
        .unwrap();
    let (exit, said) = draft(root.path());
    assert!(exit == 1 && said.contains("it must pass, but the verdict is \"wrong-result"), "{said}");
}

#[test]
fn a_reference_for_the_host_is_told_what_its_pointers_are() {
    let (root, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    problem(folder.path());
    let on_the_host = "extern \"C\" void solve(const float* A, const float* B, float* C, int N) {\n    \
        for (int i = 0; i < N; ++i) C[i] = A[i] + B[i];\n}\n";
    std::fs::write(folder.path().join("reference.cu"), on_the_host).unwrap();
    std::fs::write(folder.path().join("solution.cu"), SOLVED).unwrap();
    let source = folder.path().to_str().unwrap();
    let import = ["author", "import", source, "--part", "1-own", "--slug", "vector-add"];
    assert_eq!(run(root.path(), &import).0, 0);
    let (exit, said) = draft(root.path());
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = "it does not reach its end with N = 5: a device pointer dereferenced by the host in line 2 (A005). It is \
                  called with the pointers that a learner's function gets, and those of buffers with memory = \"device\" \
                  point to GPU memory: launch a kernel there, or copy with cudaMemcpy";
    assert!(exit == 1 && said.contains(wanted), "{said}");
}

#[test]
fn a_reference_in_python_is_run_once_and_its_values_are_stored() {
    let (root, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    problem(folder.path());
    std::fs::write(folder.path().join("solution.cu"), SOLVED).unwrap();
    std::fs::write(folder.path().join("reference.py"), "def solve(A, B, C, N):\n    C[:] = A + B\n").unwrap();
    // No Python with numpy may be here; then it is said what is missing, and nothing is written.
    let python = std::env::var("GPULEARN_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
    let source = folder.path().to_str().unwrap().to_owned();
    let args = ["author", "import", &source, "--part", "1-own", "--slug", "vector-add", "--python", &python];
    let (exit, out, err) = run(root.path(), &args);
    if exit != 0 {
        let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
        let missing = said.contains("numpy is needed for reference.py") || said.contains("can't start");
        assert!(exit == 2 && missing, "{said}");
        assert!(!root.path().join("lessons").exists());
        return;
    }
    assert!(out.contains("case-0-0.txt") && out.contains("case-0-2-expected.txt"), "{out}");
    let (exit, said) = draft(root.path());
    assert!(exit == 0 && said.contains("✓ vector-add"), "{said}");
    let solution = root.path().join("solutions/1-own/vector-add.cu");
    std::fs::write(&solution, SOLVED.replace("+ B[i]", "- B[i]")).unwrap();
    let (exit, said) = draft(root.path());
    assert!(exit == 1 && said.contains("it must pass, but the verdict is \"wrong-result"), "{said}");
    // Values of another reference than the one that lies there.
    std::fs::write(&solution, SOLVED).unwrap();
    let reference = root.path().join("lessons/1-own/vector-add/reference.py");
    std::fs::write(reference, "def solve(A, B, C, N):\n    C[:] = A - B\n").unwrap();
    let (exit, said) = draft(root.path());
    assert!(
        exit == 1 && said.contains("case-0-2-expected.txt:1: stored from a different reference.py"),
        "{said}"
    );
}
