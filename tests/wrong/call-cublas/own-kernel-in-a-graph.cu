// Calls cuBLAS for a single element, and computes all of them with a kernel in a graph.
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

#define CUBLAS(call)                                                                  \
    do {                                                                              \
        cublasStatus_t status = (call);                                               \
        if (status != CUBLAS_STATUS_SUCCESS) {                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, cublasGetStatusString(status)); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void product(const float *a, const float *b, float *c, int n, int k) {
    for (int col = threadIdx.x; col < n; col += blockDim.x) {
        float sum = 0;
        for (int i = 0; i < k; i++) {
            sum += a[blockIdx.x * k + i] * b[i * n + col];
        }
        c[blockIdx.x * n + col] = sum;
    }
}

void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    const float one = 1, zero = 0;
    // cuBLAS reads b and a by columns, so it sees both transposed. The product of
    // these, bᵀ · aᵀ, is cᵀ with n rows and m columns; written by columns, it is c by
    // rows.
    CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, b, 1, &zero, c, 1));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    product<<<m, 64, 0, stream>>>(a, b, c, n, k); //~ too-much-work: launches
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CUBLAS(cublasDestroy(handle));
}

int main() {
    // 1 2 3   ·   1 0 0 1     14 2 3 1
    // 4 5 6       2 1 0 0  =  32 5 6 4
    //             3 0 1 0
    const float host_a[] = {1, 2, 3, 4, 5, 6};
    const float host_b[] = {1, 0, 0, 1, 2, 1, 0, 0, 3, 0, 1, 0};
    float *a, *b, *c, host_c[8];
    CHECK(cudaMalloc(&a, sizeof(host_a)));
    CHECK(cudaMalloc(&b, sizeof(host_b)));
    CHECK(cudaMalloc(&c, sizeof(host_c)));
    CHECK(cudaMemcpy(a, host_a, sizeof(host_a), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host_b, sizeof(host_b), cudaMemcpyHostToDevice));
    multiply(a, b, c, 2, 4, 3);
    CHECK(cudaMemcpy(host_c, c, sizeof(host_c), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) {
        printf("%g%c", host_c[i], i % 4 == 3 ? '\n' : ' ');
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
