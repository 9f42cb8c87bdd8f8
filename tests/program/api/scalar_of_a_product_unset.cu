// The number that the old result is multiplied by is never set.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    float a = 2, b = 3, *d_a, *d_b, *d_c, c;
    cudaMalloc(&d_a, 3 * sizeof(float));
    d_b = d_a + 1;
    d_c = d_a + 2;
    cudaMemset(d_a, 0, 3 * sizeof(float));
    cudaMemcpy(d_a, &a, sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, &b, sizeof(float), cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    float scalars[2];
    scalars[0] = 4;
    cublasStatus_t status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &scalars[0], //~ I001
                                        d_a, 1, d_b, 1, &scalars[1], d_c, 1);
    if (status != CUBLAS_STATUS_SUCCESS) return 1;
    cudaMemcpy(&c, d_c, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s\n", c == 24 ? "24" : "another number");
    cublasDestroy(handle);
    cudaFree(d_a);
}
