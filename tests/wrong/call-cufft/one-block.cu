// One block, enough for 512 frequencies and no more.
#include <cstdio>
#include <cstdlib>
#include <cufft.h>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The same for calls of cuFFT.
#define CUFFT(call)                                                                   \
    do {                                                                              \
        cufftResult result = (call);                                                  \
        if (result != CUFFT_SUCCESS) {                                                \
            fprintf(stderr, "line %d: cufftResult %d\n", __LINE__, result);           \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// a = scale · a · b, number by number.
__global__ void multiply(cufftComplex *a, const cufftComplex *b, int count, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        cufftComplex p = a[i], q = b[i];
        a[i].x = scale * (p.x * q.x - p.y * q.y);
        a[i].y = scale * (p.x * q.y + p.y * q.x);
    }
}

void convolve(float *x, float *h, float *out, int n) {
    int count = n / 2 + 1; // numbers of a spectrum
    cufftComplex *a, *b;
    CHECK(cudaMalloc(&a, count * sizeof(cufftComplex)));
    CHECK(cudaMalloc(&b, count * sizeof(cufftComplex)));
    cufftHandle forward, inverse;
    CUFFT(cufftPlan1d(&forward, n, CUFFT_R2C, 1));
    CUFFT(cufftPlan1d(&inverse, n, CUFFT_C2R, 1));

    CUFFT(cufftExecR2C(forward, x, a));
    CUFFT(cufftExecR2C(forward, h, b));
    // There and back multiplies by n, so divide here.
    multiply<<<1, 512>>>(a, b, count, 1.0f / n);
    CHECK(cudaGetLastError());
    CUFFT(cufftExecC2R(inverse, a, out)); //~ wrong-result

    CUFFT(cufftDestroy(forward));
    CUFFT(cufftDestroy(inverse));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

int main() {
    // An echo: what was heard, and half of it two steps later.
    const int n = 8;
    const float host_x[n] = {1, 2, 3, 4, 0, 0, 0, 0}, host_h[n] = {1, 0, 0.5};
    float *x, *h, *out, host_out[n];
    CHECK(cudaMalloc(&x, sizeof(host_x)));
    CHECK(cudaMalloc(&h, sizeof(host_h)));
    CHECK(cudaMalloc(&out, sizeof(host_out)));
    CHECK(cudaMemcpy(x, host_x, sizeof(host_x), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(h, host_h, sizeof(host_h), cudaMemcpyHostToDevice));
    convolve(x, h, out, n);
    CHECK(cudaMemcpy(host_out, out, sizeof(host_out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        printf("%.3g%c", host_out[i], i < n - 1 ? ' ' : '\n');
    }
    CHECK(cudaFree(x));
    CHECK(cudaFree(h));
    CHECK(cudaFree(out));
}
