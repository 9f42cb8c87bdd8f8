//! `run --sample-blocks`, and what is said of launches that take long.

use super::programs::folder;
use super::run;

/// A grid of 64 by 64 blocks that transposes a matrix, each block one tile; blocks of the last row do nothing.
const TRANSPOSE: &str = "#include <cstdio>
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (blockIdx.y == gridDim.y - 1) return;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
    int n = 1024;
    float *in, *out, last;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * n * sizeof(float));
    cudaMemset(in, 0, n * n * sizeof(float));
    cudaMemset(out, 0, n * n * sizeof(float));
    for (int i = 0; i < 2; i++) transpose<<<dim3(64, 64), dim3(16, 16)>>>(in, out, n);
    cudaMemcpy(&last, out + 5, sizeof(float), cudaMemcpyDeviceToHost);
    printf(\"%g\\n\", last);
    cudaFree(in);
    cudaFree(out);
}
";

/// Counts of a run's first launch, by name.
fn counts(arguments: &[&str], of: &std::path::Path) -> serde_json::Value {
    let (exit, out, err) = run(of, &[arguments, &["--format", "json"]].concat());
    assert_eq!(exit, 0, "{err}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["findings"], serde_json::json!([]));
    answer["launches"][0].clone()
}

#[test]
fn a_sample_of_the_blocks_shows_the_work_of_all() {
    let folder = folder(TRANSPOSE);
    let all = counts(&["run", "p.cu"], folder.path());
    let some = counts(&["run", "p.cu", "--sample-blocks", "2.5%"], folder.path());
    assert_eq!((&all["counts"]["blocks"], &some["counts"]["blocks"]), (&4096.into(), &103.into()));
    assert!(all["start_ns"].is_u64() && some["start_ns"].is_null(), "a sample has no times");
    for name in ["warp_instructions", "load_sectors", "bank_conflicts", "barriers"] {
        let number = |of: &serde_json::Value| of["counts"][name].as_f64().unwrap();
        let scaled = number(&some) * 4096.0 / 103.0;
        assert!((scaled / number(&all) - 1.0).abs() < 0.03, "{name}: {scaled} of {}", number(&all));
    }
    let (exit, out, err) = run(folder.path(), &["run", "p.cu", "--sample-blocks", "2.5"]);
    assert_eq!((exit, out.as_str()), (0, "0\n"));
    insta::assert_snapshot!(err);
}

#[test]
fn blocks_that_wait_for_each_other_all_run() {
    let folder = folder(
        "__device__ volatile int turn;\n__global__ void chain(int *x) {\n    while (turn != blockIdx.x) {}\n    x[0] += 1;\n\
         __threadfence();\n    turn = blockIdx.x + 1;\n}\nint main() {\n    int *x, host;\n    cudaMalloc(&x, 4);\n\
         cudaMemset(x, 0, 4);\n    chain<<<20, 1>>>(x);\n    cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost);\n\
         cudaFree(x);\n    return host;\n}\n",
    );
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--sample-blocks", "10"]);
    assert!(exit == 20 && err.contains("all 20 blocks") && !err.contains("about"), "{exit} {err}");
}

#[test]
fn a_share_is_a_share_and_goes_with_no_pictures() {
    let folder = folder(TRANSPOSE);
    for arguments in [["--sample-blocks", "0"], ["--sample-blocks", "101"], ["--sample-blocks", "x"]] {
        let (exit, _, err) = run(folder.path(), &[&["run", "p.cu"], &arguments[..]].concat());
        assert!(exit == 2 && err.contains("above 0 and up to 100"), "{exit} {err}");
    }
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--sample-blocks", "5", "--gantt"]);
    assert!(exit == 2 && err.contains("--gantt"), "{exit} {err}");
}

#[test]
fn a_launch_that_takes_long_is_foretold() {
    let folder = folder(
        "__global__ void slow(float *a) {\n    float s = 0;\n    for (int i = 0; i < 2000; i++) s += a[i % 32] * i;\n\
         a[threadIdx.x] = s;\n}\nint main() {\n    float *a;\n    cudaMalloc(&a, 128);\n    cudaMemset(a, 0, 128);\n\
         slow<<<10000000, 32>>>(a);\n    cudaDeviceSynchronize();\n}\n",
    );
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--limit-seconds", "10", "--no-checks"]);
    assert_eq!(exit, 3);
    assert!(
        err.contains("· slow: ")
            && err.contains("of 10 000 000 blocks after")
            && err.contains("longer than --limit-seconds"),
        "{err}"
    );
    assert_eq!(err.matches("--sample-blocks 1").count(), 1, "once: {err}");
}
