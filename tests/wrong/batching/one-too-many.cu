// A block more than there are matrices.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

const int SIZE = 16;

__global__ void multiply(const float *a, const float *b, float *c) {
    int first = blockIdx.z * SIZE * SIZE;
    a += first;
    b += first;
    c += first;

    __shared__ float s_a[SIZE][SIZE], s_b[SIZE][SIZE];
    int col = threadIdx.x, row = threadIdx.y;
    s_a[row][col] = a[row * SIZE + col]; //~ out-of-bounds
    s_b[row][col] = b[row * SIZE + col];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < SIZE; k++) {
        sum += s_a[row][k] * s_b[k][col];
    }
    c[row * SIZE + col] = sum;
}

void multiply_all(const float *a, const float *b, float *c, int count) {
    multiply<<<dim3(1, 1, count + 1), dim3(SIZE, SIZE)>>>(a, b, c);
    CHECK(cudaGetLastError());
}

int main() {
    const int COUNT = 3, BYTES = COUNT * SIZE * SIZE * sizeof(float);
    float *a, *b, *c;
    CHECK(cudaMallocManaged(&a, BYTES));
    CHECK(cudaMallocManaged(&b, BYTES));
    CHECK(cudaMallocManaged(&c, BYTES));
    for (int i = 0; i < COUNT * SIZE * SIZE; i++) {
        a[i] = 1;
        b[i] = 1 + i / (SIZE * SIZE);
    }
    multiply_all(a, b, c, COUNT);
    CHECK(cudaDeviceSynchronize());
    printf("%g %g %g\n", c[0], c[SIZE * SIZE], c[2 * SIZE * SIZE]);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
