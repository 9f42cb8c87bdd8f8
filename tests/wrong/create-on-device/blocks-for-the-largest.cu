// The same number of blocks for any n: enough for the largest that is checked.

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

// A random number from 0 to 1 for each seed and index: Philox 2x32 with ten
// rounds (Salmon et al., 2011). It is arithmetic on its arguments and nothing
// else, so every number can be computed by itself.
__host__ __device__ float uniform(unsigned seed, unsigned index) {
    unsigned a = index, b = 0, key = seed;
    for (int round = 0; round < 10; round++) {
        unsigned long long product = 0xD256D193ull * a;
        a = (unsigned)(product >> 32) ^ key ^ b;
        b = (unsigned)product;
        key += 0x9E3779B9;
    }
    return (a >> 8) * (1.0f / 16777216.0f);
}

__global__ void fill_kernel(float *out, unsigned seed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // The index takes the place of a state: no thread needs to know what
    // another one drew.
    if (i < n) {
        out[i] = uniform(seed, i);
    }
}

// `out` is device memory.
void fill(float *out, unsigned seed, int n) {
    int threads = 256;
    int blocks = 1025;
    fill_kernel<<<blocks, threads>>>(out, seed, n); //~ too-much-work: warp_instructions
    CHECK(cudaGetLastError());
}

int main() {
    float *d_out, out[4];
    CHECK(cudaMalloc(&d_out, sizeof(out)));
    fill(d_out, 7, 4);
    CHECK(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    printf("%.3f %.3f %.3f %.3f\n", out[0], out[1], out[2], out[3]);
    CHECK(cudaFree(d_out));
}
