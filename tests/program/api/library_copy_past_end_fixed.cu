// The fixed twin: the vector has room for all.
#include <cstdio>
#include <vector>
#include <cublas_v2.h>

int main() {
    std::vector<float> values(64, 1.0f);
    float *d_values;
    cudaMalloc(&d_values, 64 * sizeof(float));
    printf("%s\n", cublasGetStatusName(cublasSetVector(64, sizeof(float), values.data(), 1, d_values, 1)));
    cudaFree(d_values);
    return 0;
}
