// The rounds are a graph, cuBLAS and all.
// device-scalars: multiply a vector by a matrix and bring it back to length 1,
// again and again.
//
// a: n × n floats, row-major; x, y: n floats; norm: one. All of it in device
// memory.

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
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] / *length;
    }
}

// When it returns, all rounds are done.
void power(const float *a, float *x, float *y, float *norm, int n, int rounds) {
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    const float one = 1, zero = 0;

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CUBLAS(cublasSetStream(handle, stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUBLAS(cublasSgemv(handle, CUBLAS_OP_T, n, n, &one, a, n, x, 1, &zero, y, 1));
    CUBLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    CUBLAS(cublasSnrm2(handle, n, y, 1, norm));
    divide<<<(n + 255) / 256, 256, 0, stream>>>(y, norm, x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < rounds; round++) {
        CHECK(cudaGraphLaunch(exec, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
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
