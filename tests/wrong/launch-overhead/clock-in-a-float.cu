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

const int LAUNCHES = 100; // in a row
const int LONG = 8000;    // so many steps that the work hides the launch

// The host's clock, in microseconds.
float now_us() { //~ wrong-output
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// Each thread takes `steps` steps, each of which needs the one before.
__global__ void walk(float *x, int steps) {
    float v = x[threadIdx.x];
    for (int i = 0; i < steps; i++) {
        v = v * 0.5f + 1;
    }
    x[threadIdx.x] = v;
}

// Microseconds that a launch of walk() takes, as one of LAUNCHES in a row.
double each_us(float *x, int steps) {
    double start = now_us();
    for (int i = 0; i < LAUNCHES; i++) {
        walk<<<1, 32>>>(x, steps);
    }
    CHECK(cudaGetLastError());
    // One wait for the whole row: the host launches while the GPU works.
    CHECK(cudaDeviceSynchronize());
    return (now_us() - start) / LAUNCHES;
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    float *x;
    CHECK(cudaMalloc(&x, 32 * sizeof(float)));
    CHECK(cudaMemset(x, 0, 32 * sizeof(float)));
    each_us(x, 0); // loads the kernel; it does not count

    // With nothing to do, only the launch is left.
    double launch_us = each_us(x, 0);
    // With much to do, launches are hidden: the difference is the additional work.
    double step_us = (each_us(x, 2 * LONG) - each_us(x, LONG)) / LONG;
    // The steps that take as long as a launch.
    double worth = launch_us / step_us;
    // The share of work in the time, for the number of steps that was asked for.
    double share = steps * step_us / each_us(x, steps);

    printf("launch %.2f us\n", launch_us);
    printf("step   %.3f ns\n", 1000 * step_us);
    printf("a launch is worth %.0f steps\n", worth);
    printf("with %d steps %.1f %% of the time is work\n", steps, 100 * share);

    CHECK(cudaFree(x));
}
