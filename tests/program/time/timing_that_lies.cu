// as: t4
// A clock read behind a launch has timed the launch, not the kernel.
#include <chrono>
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void work(float *x, int rounds) {
    float v = threadIdx.x;
    for (int i = 0; i < rounds; i++) v = v * 0.999f + 1.0f;
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

template <typename F> double microseconds(F body) {
    auto start = std::chrono::high_resolution_clock::now();
    body();
    auto stop = std::chrono::high_resolution_clock::now();
    return std::chrono::duration<double, std::micro>(stop - start).count();
}

int main() {
    const int rounds = 100000;
    float *x;
    CHECK(cudaMalloc(&x, 40 * 64 * sizeof(float)));
    work<<<40, 64>>>(x, 1);
    CHECK(cudaDeviceSynchronize());
    double lie = microseconds([&] { work<<<40, 64>>>(x, rounds); });
    CHECK(cudaDeviceSynchronize());
    double truth = microseconds([&] {
        work<<<40, 64>>>(x, rounds);
        CHECK(cudaDeviceSynchronize());
    });
    cudaEvent_t start, stop;
    float ms;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    work<<<40, 64>>>(x, rounds);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("without waiting between 2 and 10 us: %s\n", lie > 2 && lie < 10 ? "yes" : "no");
    printf("with waiting: %.0fx, more than 30: %s\n", truth / lie, truth > 30 * lie ? "yes" : "no");
    double agree = truth / (1e3 * ms);
    printf("events say the same within 10%%: %s\n", agree > 0.9 && agree < 1.1 ? "yes" : "no");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(x));
}
