// As many blocks for every n: each thread goes on in steps of the whole grid.
// late-error: double n numbers, add 1, change the sign.

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
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        x[i] = 2 * x[i];
    }
}

__global__ void shift(float *x, int n) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        x[i] = x[i] + 1;
    }
}

__global__ void negate(float *x, int n) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        x[i] = -x[i];
    }
}

void three_steps(const float *in, float *out, int n) {
    float *d_x;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMemcpy(d_x, in, n * sizeof(float), cudaMemcpyHostToDevice));

    // After each launch, so that the line in the message is that launch's.
    twice<<<128, 256>>>(d_x, n);
    CHECK(cudaGetLastError());
    shift<<<128, 256>>>(d_x, n);
    CHECK(cudaGetLastError());
    negate<<<128, 256>>>(d_x, n);
    CHECK(cudaGetLastError());

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
