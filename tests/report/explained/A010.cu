#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                              \
    do {                                                         \
        cudaError_t error_ = (call);                             \
        if (error_ != cudaSuccess) {                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,    \
                    cudaGetErrorString(error_));                 \
            exit(1);                                             \
        }                                                        \
    } while (0)
int main() {
    float *d_x;
#ifdef FIXED
    const size_t bytes = (size_t)1 << 20;
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaFree(d_x));
#else
    const size_t bytes = (size_t)1 << 50;
    cudaMalloc(&d_x, bytes);
#endif
}
