// A recursion that never ends.
// exit: stopped
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

int depth(int n) {
    volatile int here[64];
    here[n & 63] = n;
    return depth(n + 1) + here[n & 63]; //~ H011
}

__global__ void keep(int *x, int value) { *x = value; }

int main() {
    int *d, back;
    CHECK(cudaMalloc(&d, sizeof(int)));
    printf("counting\n");
    keep<<<1, 1>>>(d, depth(0));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&back, d, sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", back);
    CHECK(cudaFree(d));
    return 0;
}
