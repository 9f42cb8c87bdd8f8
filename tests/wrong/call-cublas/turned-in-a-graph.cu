// The transposed copies are made by cuBLAS too, in a graph.
// call-cublas: c = a · b, by cuBLAS.
//
// a: m rows of k floats; b: k rows of n; c: m rows of n. Row-major, in device
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

__device__ float room[3 * 8192];

// Transposes all three matrices by cublasSgeam, in a graph.
void multiply(const float *a, const float *b, float *c, int m, int n, int k) { //~ too-much-work: library_calls
    float *ta;
    CHECK(cudaGetSymbolAddress((void **)&ta, room));
    float *tb = ta + 8192, *tc = tb + 8192;
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    const float one = 1, zero = 0;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CUBLAS(cublasSetStream(handle, s));
    auto in_graph = [&](auto work) {
        cudaGraph_t g;
        cudaGraphExec_t e;
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        work();
        CHECK(cudaStreamEndCapture(s, &g));
        CHECK(cudaGraphInstantiate(&e, g, 0));
        CHECK(cudaGraphLaunch(e, s));
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaGraphExecDestroy(e));
        CHECK(cudaGraphDestroy(g));
    };
    in_graph([&] {
        CUBLAS(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, k, &one, a, k, &zero, ta, m, ta, m));
        CUBLAS(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, k, n, &one, b, n, &zero, tb, k, tb, k));
    });
    CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, ta, m, tb, k, &zero, tc, m));
    in_graph([&] {
        CUBLAS(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, &one, tc, m, &zero, c, n, c, n));
    });
    CUBLAS(cublasDestroy(handle));
    CHECK(cudaStreamDestroy(s));
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
