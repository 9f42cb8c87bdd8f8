// The vector has no elements: times[i] is at address 0.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// ---- What is measured. It stays as it is. ----

// Each thread takes `steps` steps, each of which needs the one before.
template <int variant> __global__ void walk(float *x, int steps) {
    float v = x[threadIdx.x];
    for (int i = 0; i < steps; i++) {
        v = v * 0.5f + variant;
    }
    x[threadIdx.x] = v;
}

__global__ void empty() {}

float *x;         // 64 floats
const int STEPS = 20000;
unsigned seed = 1;
int calls = 0;    // of work(), so far

// Like a call of a library: the first five try out variants of the kernel, and
// the others take the best. Now and then somebody else slows the GPU down, or
// there is less to do.
void work() {
    int call = calls++;
    switch (call) {
    case 0: walk<1><<<1, 64>>>(x, STEPS); return;
    case 1: walk<2><<<1, 64>>>(x, STEPS); return;
    case 2: walk<3><<<1, 64>>>(x, STEPS); return;
    case 3: walk<4><<<1, 64>>>(x, STEPS); return;
    case 4: walk<5><<<1, 64>>>(x, STEPS); return;
    }
    int place = (call - 5) % 8;
    int steps = STEPS * (80 + 6 * ((5 * call + seed) % 7)) / 100; // no two calls are alike
    if (place == 0 || place == 1 + seed % 3) {
        steps = 3 * STEPS;
    } else if (place == 4 + seed % 3) {
        steps = STEPS / 4;
    }
    walk<1><<<1, 64>>>(x, steps);
}

// The same with nothing in it.
void nothing() {
    empty<<<1, 64>>>();
}

// ---- What measures. ----

// Microseconds that a call of `function` takes on the GPU: the median of
// `rounds` rounds, an odd number, after `warmup` calls that do not count.
double benchmark_us(void (*function)(), int warmup, int rounds) {
    for (int i = 0; i < warmup; i++) {
        function();
    }
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> times;
    for (int i = 0; i < rounds; i++) {
        CHECK(cudaEventRecord(start));
        function();
        CHECK(cudaEventRecord(stop));
        CHECK(cudaGetLastError());
        // The host waits in every round, so no round finds work of the previous
        // one in the queue.
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&times[i], start, stop)); //~ failed-call
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    // Half of the rounds took longer, half less: a few unusual ones do not move it.
    std::sort(times.begin(), times.end());
    return 1000 * times[rounds / 2];
}

int main(int argc, char **argv) {
    int warmup = argc > 1 ? atoi(argv[1]) : 5;
    int rounds = argc > 2 ? atoi(argv[2]) : 7;
    seed = argc > 3 ? atoi(argv[3]) : 1;
    CHECK(cudaMalloc(&x, 64 * sizeof(float)));
    CHECK(cudaMemset(x, 0, 64 * sizeof(float)));

    double whole = benchmark_us(work, warmup, rounds);
    // What the same measurement shows when there is nothing to measure.
    double overhead = benchmark_us(nothing, warmup, rounds);

    printf("measured %.2f us\n", whole);
    printf("overhead %.2f us\n", overhead);
    printf("work     %.2f us\n", whole - overhead);
    CHECK(cudaFree(x));
}
