// batch-size-sweep: from which batch on does a larger one gain little?
//
//     gpulearn run --as t4 kernels/9-measuring/batch-size-sweep.cu -- 1536

#include <algorithm>
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

const int LARGEST = 1024; // samples
const int THREADS = 256;

// The host's clock, in microseconds.
double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// Adds up each sample, `width` numbers, and then its squares: of a grid of batch x 2
// blocks, those with blockIdx.y == 1 take the squares. Each thread stores the sum of
// its share.
__global__ void add_up(const float *samples, float *sums, int width) {
    const float *sample = samples + blockIdx.x * width;
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += THREADS) {
        sum += blockIdx.y == 0 ? sample[i] : sample[i] * sample[i];
    }
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    sums[block * THREADS + threadIdx.x] = sum;
}

// Microseconds for a batch, from the launch until the host knows that it is done.
double batch_us(const float *samples, float *sums, int width, int batch) {
    // Write it here.
    return 1;
}

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 1536;
    float *samples, *sums;
    size_t bytes = (size_t)2 * LARGEST * width * sizeof(float);
    CHECK(cudaMalloc(&samples, bytes));
    CHECK(cudaMalloc(&sums, 2 * LARGEST * THREADS * sizeof(float)));
    CHECK(cudaMemset(samples, 0, bytes));

    // Write it here: batches of 1, 2, 4 and so on to LARGEST, a line for each.
    // The samples of a batch begin at samples + (size_t)batch * width.

    double knee = 0; // write it here
    printf("knee %.0f samples\n", knee);

    CHECK(cudaFree(samples));
    CHECK(cudaFree(sums));
}
