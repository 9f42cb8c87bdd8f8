// The host fills an array that it got from cudaMalloc(): the system stops the program.
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

__global__ void add_one(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}

int main(void) {
    const int n = 300;
    int *d_x;
    CHECK(cudaMalloc((void **)&d_x, n * sizeof(int)));
    for (int i = 0; i < n; i++) d_x[i] = i; //~ A005
    add_one<<<(n + 127) / 128, 128>>>(d_x, n);
    CHECK(cudaGetLastError());
    int last;
    CHECK(cudaMemcpy(&last, d_x + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    printf("last = %d\n", last);
    CHECK(cudaFree(d_x));
    return 0;
}
