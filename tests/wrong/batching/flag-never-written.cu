// Whether there is work is decided by a value that nobody wrote: malloc() clears nothing.
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

const int SIZE = 16; // rows and columns of each matrix

// c = a * b: block z does pair z, with SIZE × SIZE threads.
__global__ void multiply(const float *a, const float *b, float *c) {
    // From here on the block need not know that there are others.
    int first = blockIdx.z * SIZE * SIZE;
    a += first;
    b += first;
    c += first;

    __shared__ float s_a[SIZE][SIZE], s_b[SIZE][SIZE];
    int col = threadIdx.x, row = threadIdx.y;
    s_a[row][col] = a[row * SIZE + col];
    s_b[row][col] = b[row * SIZE + col];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < SIZE; k++) {
        sum += s_a[row][k] * s_b[k][col];
    }
    c[row * SIZE + col] = sum;
}

// `a`, `b` and `c` hold `count` matrices each, one behind the other, in device
// memory.
void multiply_all(const float *a, const float *b, float *c, int count) {
    int *done = (int *)malloc(count * sizeof(int));
    if (done[0] == -1) { //~ uninitialised-read
        return;
    }
    free(done);
    multiply<<<dim3(1, 1, count), dim3(SIZE, SIZE)>>>(a, b, c);
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
