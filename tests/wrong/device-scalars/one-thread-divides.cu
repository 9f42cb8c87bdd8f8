// One thread divides all elements.
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The same for calls of cuBLAS.
#define CUBLAS(call)                                                                  \
    do {                                                                              \
        cublasStatus_t status = (call);                                               \
        if (status != CUBLAS_STATUS_SUCCESS) {                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, cublasGetStatusString(status)); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// out = in / *length
__global__ void divide(const float *in, const float *length, float *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = in[i] / *length;
    }
}

// When it returns, all rounds are done.
void power(const float *a, float *x, float *y, float *norm, int n, int rounds) { //~ too-much-work: global_writes_per_thread
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    const float one = 1, zero = 0;

    for (int round = 0; round < rounds; round++) {
        // y = a · x. By columns, a is seen transposed: so once more.
        CUBLAS(cublasSgemv(handle, CUBLAS_OP_T, n, n, &one, a, n, x, 1, &zero, y, 1));

        // Only this scalar is on the GPU; the one and the zero of cublasSgemv
        // are not.
        CUBLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
        CUBLAS(cublasSnrm2(handle, n, y, 1, norm));
        CUBLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));

        divide<<<1, 1>>>(y, norm, x, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());

    CUBLAS(cublasDestroy(handle));
}

int main() {
    const float host_a[] = {2, 1, 1, 2}; // stretches (1, 1) by 3, (1, -1) by 1
    float host_x[] = {1, 0};
    float *a, *x, *y, *norm;
    CHECK(cudaMalloc(&a, sizeof(host_a)));
    CHECK(cudaMalloc(&x, sizeof(host_x)));
    CHECK(cudaMalloc(&y, sizeof(host_x)));
    CHECK(cudaMalloc(&norm, sizeof(float)));
    CHECK(cudaMemcpy(a, host_a, sizeof(host_a), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(x, host_x, sizeof(host_x), cudaMemcpyHostToDevice));
    power(a, x, y, norm, 2, 20);
    CHECK(cudaMemcpy(host_x, x, sizeof(host_x), cudaMemcpyDeviceToHost));
    printf("%.4f %.4f\n", host_x[0], host_x[1]); // 0.7071 0.7071
    CHECK(cudaFree(a));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(norm));
}
