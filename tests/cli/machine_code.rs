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

/// Stores past the end of memory that a kernel has allocated.
const PAST_KERNEL_MEMORY: &str = r#"
#include <cstdio>
#include <cuda_runtime.h>

__device__ int *memory;

__global__ void allocate() {
    memory = (int *)malloc(70 * 64 * sizeof(int));
}

__global__ void fill(int *memory) {
    int i = blockIdx.x * 64 + threadIdx.x;
    memory[i] = i;
}

int main() {
    allocate<<<1, 1>>>();
    int *pointer;
    cudaMemcpyFromSymbol(&pointer, memory, sizeof pointer);
    fill<<<100, 64>>>(pointer);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"#;

/// One block reads shared memory that nobody has written, after others that have.
const LEAVES_THE_PATH: &str = r#"
#include <cstdio>
#include <cuda_runtime.h>

__global__ void turn(const int *in, int *out) {
    __shared__ int part[64];
    int t = threadIdx.x, block = blockIdx.x;
    if (block != 45) part[t] = block * 1000 + t;
    __syncthreads();
    out[block * 64 + t] = part[63 - t] + in[block * 64 + t];
}

int main() {
    const int n = 64 * 64;
    static int host[n];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(in, 0, sizeof host);
    turn<<<64, 64>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int block = 44; block < 47; block++) printf("%d %d\n", host[block * 64], host[block * 64 + 5]);
    cudaFree(in);
    cudaFree(out);
}
"#;

/// Two phases read what another block writes: the later one is named.
const READ_IN_TWO_PHASES: &str = r#"
#include <cuda_runtime.h>

__global__ void add(float *in, float *out) {
    __shared__ float part[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (blockIdx.x == 60) {
        in[40 * 64 + 20] = 1;
        return;
    }
    part[t] = in[i];
    __syncthreads();
    out[i] = part[63 - t] + in[i + 1];
}

int main() {
    const int bytes = 64 * 64 * sizeof(float);
    float *in, *out;
    cudaMalloc(&in, bytes + sizeof(float));
    cudaMalloc(&out, bytes);
    cudaMemset(in, 0, bytes + sizeof(float));
    add<<<64, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
"#;

/// Threads leave before a barrier, which is allowed; the kernel stores bytes, so that no block follows a path.
const EARLY_RETURN: &str = r#"
#include <cuda_runtime.h>

__global__ void mark(char *marks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    marks[i] = 1;
    if (threadIdx.x < 32) return;
    __syncthreads();
    marks[i] = 2;
}

int main() {
    char *marks;
    cudaMalloc(&marks, 64 * 60);
    mark<<<60, 64>>>(marks);
    cudaDeviceSynchronize();
    cudaFree(marks);
}
"#;

/// Not all threads reach the barrier. Those that leave have passed a branch before that leads to an early return.
const AFTER_AN_EARLY_RETURN: &str = r#"
#include <cuda_runtime.h>

__global__ void mark(char *marks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    marks[i] = 1;
    __syncthreads();
    if (threadIdx.x >= 32) __syncthreads();
    marks[i] = 2;
}

int main() {
    char *marks;
    cudaMalloc(&marks, 64 * 60);
    mark<<<60, 64>>>(marks, 64 * 60);
    cudaDeviceSynchronize();
    cudaFree(marks);
}
"#;

/// Two lines read what another block writes: the one is named that read it first.
const READ_BY_TWO_LINES: &str = r#"
#include <cuda_runtime.h>

__global__ void shift(int *in, int *same, int *next) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (blockIdx.x < 39) {
        same[i] = in[i];
        next[i] = in[i + 1];
    } else if (threadIdx.x == 0) {
        in[7 * 64 + 32] = 1;
    }
}

int main() {
    const int bytes = (64 * 40 + 1) * sizeof(int);
    int *in, *same, *next;
    cudaMalloc(&in, bytes);
    cudaMalloc(&same, bytes);
    cudaMalloc(&next, bytes);
    cudaMemset(in, 0, bytes);
    shift<<<40, 64>>>(in, same, next);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(same);
    cudaFree(next);
}
"#;

/// A loop whose rounds repeat, of which a variable is written in each and used behind it alone.
const ENDLESS: &str = r#"
#include <cuda_runtime.h>

__global__ void find(int *found, int wanted) {
    int i = blockIdx.x * 64 + threadIdx.x, value = threadIdx.x, last = 0;
    if (blockIdx.x == 19) {
        do {
            last = value * 3;
            value = (value * 13 + 7) & 63;
        } while (value != wanted);
    }
    found[i] = last;
}

int main() {
    int *found;
    cudaMalloc(&found, 20 * 64 * sizeof(int));
    find<<<20, 64>>>(found, 5000);
    cudaDeviceSynchronize();
    cudaFree(found);
}
"#;

/// Runs a program interpreted and as machine code, and asserts that it does the same, and that this is found: a code, or
/// nothing.
fn assert_same(program: &str, found: Option<&str>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.cu"), program).unwrap();
    let run = |when: Option<&str>| {
        let mut command = gpulearn(folder.path(), &["run", "a.cu", "--backend", "sim", "--format", "json"]);
        match when {
            Some(when) => command.env("GPULEARN_MACHINE_CODE", when),
            None => command.env_remove("GPULEARN_MACHINE_CODE"),
        };
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let interpreted = run(Some("never"));
    let findings = match found {
        Some(code) => format!("\"{code}\""),
        None => "\"findings\":[]".to_owned(),
    };
    assert!(interpreted.1.contains(&findings), "{interpreted:?}");
    for when in [None, Some("hot"), Some("always")] {
        assert_eq!(run(when), interpreted, "{when:?}");
    }
}

#[test]
fn a_program_does_the_same_interpreted_and_as_machine_code() {
    assert_same(PROGRAM, Some("R002"));
}

#[test]
fn memory_that_kernels_allocate_ends_where_it_does() {
    assert_same(PAST_KERNEL_MEMORY, Some("M001"));
}

#[test]
fn a_block_unlike_the_others_finds_no_shared_memory_of_theirs() {
    assert_same(LEAVES_THE_PATH, Some("I001"));
}

#[test]
fn a_race_names_the_last_phase_that_reads() {
    assert_same(READ_IN_TWO_PHASES, Some("R002"));
}

#[test]
fn an_early_return_is_one_in_machine_code() {
    assert_same(EARLY_RETURN, None);
}

#[test]
fn an_earlier_branch_excuses_no_missing_barrier() {
    assert_same(AFTER_AN_EARLY_RETURN, Some("B001"));
}

#[test]
fn a_race_names_the_line_that_read_first() {
    assert_same(READ_BY_TWO_LINES, Some("R002"));
}

#[test]
fn a_loop_without_an_end_is_found_in_machine_code() {
    assert_same(ENDLESS, Some("S001"));
}
