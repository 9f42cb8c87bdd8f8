// As many blocks as 12 heads took once.
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

__global__ void clip(float *x, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        x[i] = fmaxf(x[i], 0); //~ wrong-result
    }
}

// When it returns, `scores` is complete.
void score(const float *queries, const float *keys, float *scores, int heads, int m, int n,
           int dim) {
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    cudaStream_t stream; // has nothing to do with the default stream
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const float one = 1, zero = 0;
    int count = heads * m * n;

    // The handle's calls go where the kernel goes, and are in order with it.
    CUBLAS(cublasSetStream(handle, stream));
    // By columns: scoresᵀ = keys · queriesᵀ. queries is seen transposed anyway, keys
    // has to be turned back. After each leading dimension comes the distance to the
    // next head.
    CUBLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, dim, &one, keys, dim,
                                     n * dim, queries, dim, m * dim, &zero, scores, n, m * n,
                                     heads));
    clip<<<12, 256, 0, stream>>>(scores, count);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));

    CHECK(cudaStreamDestroy(stream));
    CUBLAS(cublasDestroy(handle));
}

int main() {
    // Two heads, one query of two numbers, two keys of two.
    const float host_q[] = {1, 2, 3, 4}, host_k[] = {1, 0, 0, 1, -1, 0, 0, -1};
    float *q, *k, *s, host_s[4];
    CHECK(cudaMalloc(&q, sizeof(host_q)));
    CHECK(cudaMalloc(&k, sizeof(host_k)));
    CHECK(cudaMalloc(&s, sizeof(host_s)));
    CHECK(cudaMemcpy(q, host_q, sizeof(host_q), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(k, host_k, sizeof(host_k), cudaMemcpyHostToDevice));
    score(q, k, s, 2, 1, 2, 2);
    CHECK(cudaMemcpy(host_s, s, sizeof(host_s), cudaMemcpyDeviceToHost));
    printf("%g %g, %g %g\n", host_s[0], host_s[1], host_s[2], host_s[3]); // 1 2, 0 0
    CHECK(cudaFree(q));
    CHECK(cudaFree(k));
    CHECK(cudaFree(s));
}
