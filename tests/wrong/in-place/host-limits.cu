// The third step is done by the host, on what came back.
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

__global__ void scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3 * x[i];
    }
}

// The sum of an element and its two neighbours, where they exist.
__global__ void smooth(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = i > 0 ? x[i - 1] : 0;
        float right = i + 1 < n ? x[i + 1] : 0;
        y[i] = left + x[i] + right;
    }
}

// Nothing above 20.
__global__ void limit(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] > 20 ? 20 : x[i];
    }
}

void filter(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    int threads = 256;
    int blocks = (n + threads - 1) / threads;

    float *d_a, *d_b;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));

    CHECK(cudaMemcpy(d_a, in, bytes, cudaMemcpyHostToDevice));
    // In place: each thread reads its own element and nobody else's.
    scale<<<blocks, threads>>>(d_a, d_a, n);
    CHECK(cudaGetLastError());
    // Not in place: a neighbour may read before or after the write.
    smooth<<<blocks, threads>>>(d_a, d_b, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_b, bytes, cudaMemcpyDeviceToHost));

    for (int i = 0; i < n; i++) { //~ too-much-work: host_instructions
        out[i] = out[i] > 20 ? 20 : out[i];
    }

    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
}

int main() {
    float in[4] = {1, 2, 3, 4};
    float out[4];
    filter(in, out, 4);
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]); // 9 18 20 20
}
