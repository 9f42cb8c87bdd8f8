// Asks after each launch, and drops the answers.

#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = 2 * x[i];
    }
}

__global__ void shift(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[i] + 1;
    }
}

__global__ void negate(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = -x[i];
    }
}

void three_steps(const float *in, float *out, int n) {
    float *d_x;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMemcpy(d_x, in, n * sizeof(float), cudaMemcpyHostToDevice));

    // One grid for all: a block has at most 1024 threads, so many numbers need
    // many blocks.
    int threads = 256;
    int blocks = (n + threads - 1) / threads;

    twice<<<blocks, threads>>>(d_x, n);
    cudaGetLastError();
    shift<<<blocks, threads>>>(d_x, n); //~ too-much-work: unchecked_launches
    cudaGetLastError();
    negate<<<blocks, threads>>>(d_x, n);
    cudaGetLastError();

    // An error while a kernel runs is reported here.
    CHECK(cudaMemcpy(out, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
}

int main() {
    static float in[1500], out[1500];
    in[1499] = 10;
    three_steps(in, out, 1500);
    printf("%g %g\n", out[0], out[1499]); // -1 -21
}
