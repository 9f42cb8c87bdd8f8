// The copy goes to the device, and the program comes to its end.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    float x[4] = {1, 2, 3, 4};
    float *d_x, *d_y;
    CHECK(cudaMalloc(&d_x, sizeof(x)));
    CHECK(cudaMalloc(&d_y, sizeof(x)));
    printf("before\n");
    CHECK(cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice));
    scale<<<1, 4>>>(d_x, 4);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost));
    printf("%g\n", x[3]);
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_x));
}
