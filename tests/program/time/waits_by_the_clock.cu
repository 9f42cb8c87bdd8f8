// as: a100
// Kernels that wait by clock(), by %globaltimer and in __nanosleep() take the time that they wait.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

enum Way { CLOCK, CLOCK64, TIMER, SLEEP };

__device__ long long now_ns() {
    long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

__global__ void wait_for(Way way, long long cycles, long long ns) {
    __shared__ int ready;
    if (threadIdx.x == 0) ready = 1;
    __syncthreads();
    if (way == CLOCK) {
        clock_t start = clock();
        while (clock() - start < cycles) {}
    } else if (way == CLOCK64) {
        long long start = clock64();
        while (clock64() - start < cycles) {}
    } else if (way == TIMER) {
        long long start = now_ns();
        while (now_ns() - start < ns) __nanosleep(1000);
    } else {
        for (long long left = ns; left > 0; left -= 100000) __nanosleep(100000);
    }
    if (threadIdx.x == 0) ready = 0;
}

int main() {
    int khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    wait_for<<<1, 64>>>(CLOCK, 0, 0);
    CHECK(cudaDeviceSynchronize());
    const char *names[] = {"clock", "clock64", "globaltimer", "nanosleep"};
    for (int ms : {1, 20}) {
        for (int way = CLOCK; way <= SLEEP; way++) {
            CHECK(cudaEventRecord(start));
            wait_for<<<2, 64>>>(Way(way), (long long)khz * ms, 1000000LL * ms);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            float took;
            CHECK(cudaEventElapsedTime(&took, start, stop));
            bool right = took > 0.98f * ms && took < 1.1f * ms;
            printf("%s, %d ms: %s\n", names[way], ms, right ? "yes" : "no");
        }
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}
