// A library's copy of a vector is longer than the vector.
#include <cstdio>
#include <vector>
#include <cublas_v2.h>

int main() {
    std::vector<float> values(64, 1.0f);
    float *d_values;
    cudaMalloc(&d_values, 32 * sizeof(float));
    printf("%s\n", cublasGetStatusName(cublasSetVector(64, sizeof(float), values.data(), 1, d_values, 1))); //~ A001
    cudaFree(d_values);
    return 0;
}
