// as: t4
// The first call of CUDA makes the context, and the first launch of a kernel loads it: both are
// much slower than what follows.
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

__global__ void touch(float *x) { x[threadIdx.x] += 1.0f; }

template <typename F> double microseconds(F body) {
    auto start = std::chrono::steady_clock::now();
    body();
    auto stop = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::micro>(stop - start).count();
}

int main() {
    float *x, *y;
    double context = microseconds([&] { CHECK(cudaMalloc(&x, 32 * sizeof(float))); });
    double allocation = microseconds([&] { CHECK(cudaMalloc(&y, 32 * sizeof(float))); });
    CHECK(cudaMemset(x, 0, 32 * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    double first = microseconds([&] {
        touch<<<1, 32>>>(x);
        CHECK(cudaDeviceSynchronize());
    });
    double second = microseconds([&] {
        touch<<<1, 32>>>(x);
        CHECK(cudaDeviceSynchronize());
    });
    printf("first allocation more than 100 times the second: %s\n", context > 100 * allocation ? "yes" : "no");
    printf("first launch: %.0fx the second\n", first / second);
    printf("first launch between 500 and 1000 us: %s\n", first > 500 && first < 1000 ? "yes" : "no");
    printf("second launch between 5 and 40 us: %s\n", second > 5 && second < 40 ? "yes" : "no");
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
}
