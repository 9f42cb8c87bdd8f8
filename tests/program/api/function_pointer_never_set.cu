// A table of functions has a hole, and the host calls through it.
// exit: stopped
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

typedef void (*Step)(int *x, int n);

__global__ void add(int *x) { x[threadIdx.x] += 5; }
__global__ void shift(int *x) { x[threadIdx.x] <<= 1; }

void run_add(int *x, int n) { add<<<1, n>>>(x); }
void run_shift(int *x, int n) { shift<<<1, n>>>(x); }

Step steps[3] = {run_add, run_shift};

int main(int argc, char **argv) {
    int n = 32, *x;
    CHECK(cudaMallocManaged(&x, n * sizeof(int)));
    for (int i = 0; i < n; i++) x[i] = i;
    for (int s = 0; s < 3; s++) {
        steps[s](x, n); //~ H009
        CHECK(cudaDeviceSynchronize());
        printf("x[3] = %d\n", x[3]);
    }
    CHECK(cudaFree(x));
    return 0;
}
