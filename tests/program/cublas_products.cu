// cuBLAS from the host: products, batches, vectors, scalars on both sides.
#include <cublas_v2.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUBLAS(x)                                                            \
    do {                                                                     \
        cublasStatus_t s = (x);                                              \
        if (s != CUBLAS_STATUS_SUCCESS) {                                    \
            fprintf(stderr, "line %d: cuBLAS status %d\n", __LINE__, (int)s); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

int main() {
    const int m = 3, n = 2, k = 4;
    std::vector<float> a(m * k), b(k * n), c(m * n, 1.0f);
    for (int i = 0; i < m * k; i++) a[i] = i;
    for (int i = 0; i < k * n; i++) b[i] = i - 3;
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, a.size() * sizeof(float));
    cudaMalloc(&d_b, b.size() * sizeof(float));
    cudaMalloc(&d_c, c.size() * sizeof(float));
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    CUBLAS(cublasSetMatrix(m, k, sizeof(float), a.data(), m, d_a, m));
    CUBLAS(cublasSetMatrix(k, n, sizeof(float), b.data(), k, d_b, k));
    CUBLAS(cublasSetVector(m * n, sizeof(float), c.data(), 1, d_c, 1));
    float alpha = 2, beta = -1;
    CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, d_a, m, d_b, k, &beta, d_c, m));
    CUBLAS(cublasGetMatrix(m, n, sizeof(float), d_c, m, c.data(), m));
    for (float v : c) printf("%g ", v);
    printf("\n");
    beta = 0;
    CUBLAS(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, n, m, k, &alpha, d_b, k, d_a, m, &beta, d_c, n));
    cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (float v : c) printf("%g ", v);
    printf("\n");
    float dot, norm, sum;
    int largest;
    CUBLAS(cublasSdot(handle, 8, d_b, 1, d_a, 1, &dot));
    CUBLAS(cublasSnrm2(handle, 2, d_a + 3, 1, &norm));
    CUBLAS(cublasSasum(handle, 4, d_b, 2, &sum));
    CUBLAS(cublasIsamax(handle, 8, d_b, 1, &largest));
    printf("dot %g, norm %g, sum %g, largest at %d\n", dot, norm, sum, largest);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    CUBLAS(cublasSetStream(handle, stream));
    CUBLAS(cublasSaxpy(handle, 6, &alpha, d_a, 2, d_c, 1));
    CUBLAS(cublasSgemv(handle, CUBLAS_OP_T, m, k, &alpha, d_a, m, d_c, 1, &beta, d_b, 1));
    cudaStreamSynchronize(stream);
    cudaMemcpy(b.data(), d_b, k * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < k; i++) printf("%g ", b[i]);
    printf("\n");
    CUBLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &alpha, d_a, 1, 2, d_a + 4, 2, 2, &beta, d_c, 1, 1, 3));
    cudaMemcpy(c.data(), d_c, 3 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    printf("%g %g %g\n", c[0], c[1], c[2]);
    printf("bad leading dimension: %d\n", (int)cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, d_a, 1, d_b, k, &beta, d_c, m));
    CUBLAS(cublasDestroy(handle));
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}
