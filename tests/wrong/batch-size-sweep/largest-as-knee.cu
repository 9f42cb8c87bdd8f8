// Takes the batch with the best rate for the knee.

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
    double start = now_us();
    add_up<<<dim3(batch, 2), THREADS>>>(samples, sums, width);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return now_us() - start;
}

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 1536;
    float *samples, *sums;
    size_t bytes = (size_t)2 * LARGEST * width * sizeof(float);
    CHECK(cudaMalloc(&samples, bytes));
    CHECK(cudaMalloc(&sums, 2 * LARGEST * THREADS * sizeof(float)));
    CHECK(cudaMemset(samples, 0, bytes));
    CHECK(cudaDeviceSynchronize());

    batch_us(samples, sums, width, 1); // loads the kernel; it does not count
    double one_us = 0, best = 0;
    for (int batch = 1; batch <= LARGEST; batch *= 2) {
        // Each batch takes the samples behind those of the last one: what was
        // just read would come from the cache.
        double us = batch_us(samples + (size_t)batch * width, sums, width, batch);
        double rate = batch / us; // samples in a microsecond
        if (batch == 1) {
            one_us = us;
        }
        if (rate > best) {
            best = rate;
            one_us = batch / rate;
        }
        printf("batch %d: %.1f us, %.3f samples/us\n", batch, us, rate);
    }
    // Where the time of a single sample would be enough at the best rate.
    printf("knee %.0f samples\n", one_us * best); //~ wrong-output

    CHECK(cudaFree(samples));
    CHECK(cudaFree(sums));
}
