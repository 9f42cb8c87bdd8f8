// Powers of two by shifts; the stream is waited for, and the knee is found in the end.
#include <algorithm>
#include <chrono>
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

const int LARGEST = 1024; // samples
const int THREADS = 256;

double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

__global__ void add_up(const float *samples, float *sums, int width) {
    const float *sample = samples + blockIdx.x * width;
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += THREADS) {
        sum += blockIdx.y == 0 ? sample[i] : sample[i] * sample[i];
    }
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    sums[block * THREADS + threadIdx.x] = sum;
}

double batch_us(const float *samples, float *sums, int width, int batch) {
    double start = now_us();
    add_up<<<dim3(batch, 2), THREADS>>>(samples, sums, width);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(nullptr));
    return now_us() - start;
}

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 1536;
    float *samples, *sums;
    size_t bytes = (size_t)2 * LARGEST * width * sizeof(float);
    CHECK(cudaMalloc(&samples, bytes));
    CHECK(cudaMalloc(&sums, 2 * LARGEST * THREADS * sizeof(float)));
    CHECK(cudaMemset(samples, 0, bytes));

    batch_us(samples, sums, width, 1); // loads the kernel; it does not count
    double first = 0, least_each = 1e30;
    const float *from = samples + width;
    for (int k = 0; 1 << k <= LARGEST; k++) {
        double us = batch_us(from, sums, width, 1 << k), each = us / (1 << k);
        from += (size_t)width << k;
        first = k == 0 ? us : first;
        least_each = std::min(least_each, each);
        printf("batch %d: %.1f us, %.3f samples/us\n", 1 << k, us, 1 / each);
    }
    printf("knee %.0f samples\n", first / least_each);

    CHECK(cudaFree(samples));
    CHECK(cudaFree(sums));
}
