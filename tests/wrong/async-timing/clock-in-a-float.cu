// The clock is kept in a float, which is too coarse for what it says.

#include <chrono>
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

const int ROWS = 64;

// The host's clock, in microseconds.
double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// Random whole numbers from -8 to 7: a thread for each row, since each number
// is computed from the one before.
__global__ void fill(float *x, unsigned seed, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bits = seed + row;
    for (int col = 0; col < cols; col++) {
        bits = bits * 1664525 + 1013904223;
        x[row * cols + col] = (int)(bits >> 28) - 8;
    }
}

// sums[row] = the dot product of row `row` of a with the same row of b.
// One thread for each row.
__global__ void one_thread(const float *a, const float *b, float *sums, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int col = 0; col < cols; col++) {
        sum += a[row * cols + col] * b[row * cols + col];
    }
    sums[row] = sum;
}

// The same, with four neighbouring threads for each row: each computes the sum
// of every fourth column.
__global__ void four_threads(const float *a, const float *b, float *sums, int cols) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 4, part = thread % 4;
    float sum = 0;
    for (int col = part; col < cols; col += 4) {
        sum += a[row * cols + col] * b[row * cols + col];
    }
    sums[thread] = sum;
}

struct Times {
    double fill, one, four, copy; // microseconds
};

// Runs the four steps one after the other; returns how long each takes, from its
// launch until its work is done.
Times measure(float *a, float *b, float *sums, float *result, int cols, unsigned seed) {
    float start = now_us(); //~ wrong-output
    fill<<<1, ROWS>>>(a, seed, cols);
    fill<<<1, ROWS>>>(b, seed + ROWS, cols);
    CHECK(cudaGetLastError());
    // The launches have only put the work in the queue. Read the clock when the
    // queue is empty.
    CHECK(cudaDeviceSynchronize());
    double filled = now_us();

    one_thread<<<1, ROWS>>>(a, b, sums, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    double one = now_us();

    four_threads<<<4, ROWS>>>(a, b, sums, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    double four = now_us();

    // No wait here: cudaMemcpy itself returns when the result has arrived.
    CHECK(cudaMemcpy(result, sums, 4 * ROWS * sizeof(float), cudaMemcpyDeviceToHost));
    double copied = now_us();

    return {filled - start, one - filled, four - one, copied - four};
}

int main(int argc, char **argv) {
    int cols = argc > 1 ? atoi(argv[1]) : 2000;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 1;
    int n = ROWS * cols;

    float *a, *b, *sums;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMalloc(&sums, 4 * ROWS * sizeof(float)));
    static float result[4 * ROWS];

    // The first round loads the kernels: it does not count.
    measure(a, b, sums, result, cols, seed);
    Times times = measure(a, b, sums, result, cols, seed);

    printf("fill         %6.1f us\n", times.fill);
    printf("one thread   %6.1f us\n", times.one);
    printf("four threads %6.1f us\n", times.four);
    printf("copy         %6.1f us\n", times.copy);
    double sum = 0;
    for (float s : result) {
        sum += s;
    }
    printf("sum %.0f\n", sum);

    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(sums));
}
