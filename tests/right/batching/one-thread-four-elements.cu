// A block of 16×4 threads: each thread has four rows of the result.
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

const int SIZE = 16; // rows and columns of each matrix

__global__ void multiply(const float *a, const float *b, float *c) {
    int first = blockIdx.z * SIZE * SIZE;
    a += first;
    b += first;
    c += first;

    __shared__ float s_a[SIZE][SIZE], s_b[SIZE][SIZE];
    int col = threadIdx.x, first_row = threadIdx.y;
    for (int row = first_row; row < SIZE; row += 4) {
        s_a[row][col] = a[row * SIZE + col];
        s_b[row][col] = b[row * SIZE + col];
    }
    __syncthreads();
    float sum[4] = {};
    for (int k = 0; k < SIZE; k++) {
        for (int i = 0; i < 4; i++) {
            sum[i] += s_a[first_row + 4 * i][k] * s_b[k][col];
        }
    }
    for (int i = 0; i < 4; i++) {
        c[(first_row + 4 * i) * SIZE + col] = sum[i];
    }
}

void multiply_all(const float *a, const float *b, float *c, int count) {
    multiply<<<dim3(1, 1, count), dim3(SIZE, 4)>>>(a, b, c);
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
    printf("%g %g %g\n", c[0], c[SIZE * SIZE], c[2 * SIZE * SIZE]); // 16 32 48
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
