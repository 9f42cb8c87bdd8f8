#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                         \
    if (cudaError_t error_ = (call)) {                      \
        fprintf(stderr, "%s\n", cudaGetErrorString(error_)); \
        exit(1);                                            \
    }
int main() {
    float x[4] = {}, *d_x;
    size_t bytes = sizeof(x);
    cudaMalloc(&d_x, bytes);
#ifdef FIXED
    CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
#else
    CHECK(cudaMemcpy(d_x, x, bytes, (cudaMemcpyKind)7));
#endif
    cudaFree(d_x);
}
