// Kernels by pointer, device functions in a table, cudaLaunchKernel.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

typedef float (*operation_t)(float, float);

__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }
__device__ operation_t operations[] = {plus, times, larger};

__global__ void apply(int which, const float *a, const float *b, float *c, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) c[i] = operations[which](a[i], b[i]);
}

__global__ void reverse(int, const float *a, const float *, float *c, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) c[i] = a[n - 1 - i];
}

int main() {
    const int n = 100;
    float *a, *b, *c;
    CHECK(cudaMallocManaged(&a, n * sizeof(float)));
    CHECK(cudaMallocManaged(&b, n * sizeof(float)));
    CHECK(cudaMallocManaged(&c, n * sizeof(float)));
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 50 - i;
    }
    void (*kernels[])(int, const float *, const float *, float *, int) = {apply, reverse};
    for (int which = 0; which < 3; which++) {
        kernels[0]<<<1, 128>>>(which, a, b, c, n);
        CHECK(cudaDeviceSynchronize());
        printf("operation %d: c[3] = %g, c[99] = %g\n", which, c[3], c[99]);
    }
    int zero = 0, count = n;
    void *arguments[] = {&zero, &a, &b, &c, &count};
    CHECK(cudaLaunchKernel((const void *)kernels[1], dim3(4), dim3(32), arguments, 0, nullptr));
    CHECK(cudaDeviceSynchronize());
    printf("reversed: c[0] = %g\n", c[0]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
