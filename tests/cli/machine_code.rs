//! Programs that take long run as machine code, and do what they do interpreted.

use super::gpulearn;

/// Work enough to be compiled: a loop of the host, a kernel in shared memory, and a race at its end.
const PROGRAM: &str = r#"
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sums(const float *in, float *out, int n) {
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        if (step > 1) __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = part[0];
}

int main() {
    const int n = 1 << 20;
    float *in, *out, sum;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    for (int i = 0; i < n; i++) in[i] = i % 9;
    sums<<<16, 256>>>(in, out, n);
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%.1f\n", sum);
    cudaFree(in);
    cudaFree(out);
}
"#;

#[test]
fn a_program_does_the_same_interpreted_and_as_machine_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sums.cu"), PROGRAM).unwrap();
    let run = |when: Option<&str>| {
        let mut command =
            gpulearn(folder.path(), &["run", "sums.cu", "--backend", "sim", "--format", "json"]);
        match when {
            Some(when) => command.env("GPULEARN_MACHINE_CODE", when),
            None => command.env_remove("GPULEARN_MACHINE_CODE"),
        };
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let interpreted = run(Some("never"));
    assert!(interpreted.1.contains("\"R002\""), "{interpreted:?}");
    for when in [None, Some("hot"), Some("always")] {
        assert_eq!(run(when), interpreted, "{when:?}");
    }
}
